"""A package for ros2_control: the dynamics as C++ headers, a law without allocation, and a controller plugin.

Headers need nothing but the standard library, and CMake builds and tests them without ROS. Where `controller_interface`
is found, the plugin is built as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from html import escape
from importlib.resources import files as resources
from pathlib import Path

from redyn.errors import InputError
from redyn.robot import Robot
from redyn.symbolic.export.c import definition, explanation, selftest
from redyn.symbolic.export.functions import TOLERANCE, Function, Real, examples, functions, identifier, plain_text
from redyn.symbolic.export.write import write_files
from redyn.version import __version__

NEEDED = ("inverse", "gravity")  # by the law


def export_ros2(
    robot: Robot,
    folder: str | Path,
    *,
    what: Iterable[str] | str = (),
    real: Real = "double",
    name: str | None = None,
    link: str | None = None,
    force: bool = False,
    tick: Callable[[str], None] = lambda _: None,
) -> list[Path]:
    """Write a package into a folder: headers, CMake project, self-test, and a plugin of ros2_control.

    Inverse dynamics and gravity torques are always part of it; `what` names more, as in `export_c`. Existing files that
    redyn did not write are replaced only with `force`.

    >>> import redyn, tempfile
    >>> from redyn.symbolic.export import export_ros2
    >>> len(export_ros2(redyn.load("two-link"), tempfile.mkdtemp()))
    9
    """
    if real not in TOLERANCE:
        raise InputError(f"real: expected double or float, got {real!r}")
    model = robot.model
    if model.loops or model.contacts or model.undriven or robot.nq != robot.dof:
        raise InputError(
            f"export: {robot.name}: ros2_control drives joints of one coordinate with an actuator each; export plain C"
        )
    if model.free is not None:
        raise InputError(f"export: {robot.name}: a controller has fixed numbers; give robot.rebuilt()")
    prefix = identifier(name or robot.name).lower()
    wanted = what.split(",") if isinstance(what, str) else list(what)
    made = functions(robot, [*NEEDED, *wanted], link=link, tick=tick)
    tick("expected results")
    known = [examples(robot, function, real) for function in made]
    tick("writing")
    words = {
        "NAME": prefix,
        "GUARD": prefix.upper(),
        "REAL": real,
        "DOF": str(robot.dof),
        "ROBOT": plain_text(robot.name),
        "ROBOT_XML": escape(plain_text(robot.name)),
        "VERSION": __version__,
        "NUMBER": ".".join([*__version__.split("+")[0].split("."), "0", "0"][:3]),
    }
    include = f"include/{prefix}_dynamics"
    tested = selftest(prefix, made, known, real).replace(
        f'#include "{prefix}.h"', f"#include <{prefix}_dynamics/dynamics.hpp>"
    )
    texts = {
        f"{include}/dynamics.hpp": _header(robot, prefix, made, real),
        f"{include}/law.hpp": _filled("law.hpp", words),
        f"{include}/controller.hpp": _filled("controller.hpp", words),
        "src/controller.cpp": _filled("controller.cpp", words),
        "test/selftest.cpp": tested,
        "test/law_test.cpp": _filled("law_test.cpp", words),
        "CMakeLists.txt": _filled("CMakeLists.txt", words),
        "package.xml": _filled("package.xml", words),
        "controllers.xml": _filled("controllers.xml", words),
    }
    return write_files(folder, texts, force)


def _filled(template: str, words: dict[str, str]) -> str:
    text = resources("redyn.symbolic.export").joinpath("ros2_templates", f"{template}.in").read_text("utf-8")
    for key, word in words.items():
        text = text.replace(f"@{key}@", word)
    return text


def _header(robot: Robot, prefix: str, made: list[Function], real: Real) -> str:
    guard = f"{prefix.upper()}_DYNAMICS_DYNAMICS_HPP"
    explained = explanation(robot, prefix, made, real, language="C++17")
    joints = ", ".join(f'"{_text(name)}"' for name in robot.joint_names)
    lines = ["/*", *(f" * {line}".rstrip() for line in explained), " */"]
    lines += [
        f"#ifndef {guard}",
        f"#define {guard}",
        "",
        "#include <array>",
        "#include <cmath>",
        "#include <cstddef>",
        "",
    ]
    for function in made:
        lines += definition(prefix, function, real, inline=True)
    lines += [f"namespace {prefix} {{", "", f"using Real = {real};"]
    lines += [f"constexpr std::size_t DOF = {robot.dof};", "using Vector = std::array<Real, DOF>;"]
    lines += [f"constexpr std::array<const char *, DOF> JOINTS = {{{joints}}};", ""]
    for function in made:
        lines += _wrapper(prefix, function)
    return "\n".join([*lines, f"}}  // namespace {prefix}", "", "#endif", ""])


def _wrapper(prefix: str, function: Function) -> list[str]:
    """The function of arrays that know their size: one result is returned, several are filled."""
    given = [f"const std::array<Real, {a.width}> & {a.name}" for a in function.inputs]
    results = [(f"std::array<Real, {a.width}>", a.name) for a in function.outputs]
    call = ", ".join(f"{a.name}.data()" for a in (*function.inputs, *function.outputs))
    if len(results) == 1:
        kind, name = results[0]
        return [
            f"inline {kind} {function.name}({', '.join(given)}) noexcept",
            "{",
            f"  {kind} {name};",
            f"  {prefix}_{function.name}({call});",
            f"  return {name};",
            "}",
            "",
        ]
    filled = [f"{kind} & {name}" for kind, name in results]
    return [
        f"inline void {function.name}({', '.join([*given, *filled])}) noexcept",
        "{",
        f"  {prefix}_{function.name}({call});",
        "}",
        "",
    ]


def _text(name: str) -> str:
    """A name within quotes: what could end them, or is not ASCII, is written as bytes in octal."""
    return "".join(
        chr(b) if (chr(b).isalnum() and b < 128) or chr(b) in " _./:+-" else f"\\{b:03o}" for b in name.encode()
    )
