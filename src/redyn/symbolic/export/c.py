"""C99: a header, a source file and a self-test. No allocation, no state, nothing but sin, cos and sqrt of math.h."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np

from redyn.errors import InputError
from redyn.kinematics.loops import closure_of
from redyn.robot import Robot
from redyn.symbolic.export.functions import (
    TOLERANCE,
    Example,
    Function,
    Real,
    about_parameters,
    about_rates,
    examples,
    functions,
    identifier,
    place_of,
    plain_text,
)
from redyn.symbolic.export.straight import Part, Syntax, straight
from redyn.symbolic.export.write import wrapped, write_files
from redyn.version import __version__

PART = 2000  # operations in one C function; compile time grows more than linearly
KEPT = "w"  # array of values that later parts need


def export_c(
    robot: Robot,
    what: Iterable[str] | str,
    folder: str | Path,
    *,
    real: Real = "double",
    name: str | None = None,
    link: str | None = None,
    gravity: bool = False,
    payload: bool = False,
    external: Sequence[str] = (),
    cmake: bool = False,
    force: bool = False,
    tick: Callable[[str], None] = lambda _: None,
) -> list[Path]:
    """Write C99 for some algorithms: NAME.h, NAME.c and NAME_selftest.c, which compares with redyn's own results.

    `what` lists names as for `robot.operation_count`, or short ones (inverse, forward, mass, coriolis, gravity,
    friction, kinematics). `gravity`, `payload` and wrenches on the frames in `external` become arguments on request.
    `cmake` adds a CMakeLists.txt, with which CTest runs the self-test. Existing files that redyn did not write are
    replaced only with `force`.

    >>> import redyn, tempfile
    >>> from redyn.symbolic.export import export_c
    >>> files = export_c(redyn.load("two-link"), ["inverse", "mass"], tempfile.mkdtemp())
    >>> [file.name for file in files]
    ['two_link.h', 'two_link.c', 'two_link_selftest.c']
    """
    if real not in TOLERANCE:
        raise InputError(f"real: expected double or float, got {real!r}")
    if real == "float" and robot.loops and closure_of(robot).deficient:
        raise InputError(
            f"real: float has too few digits for {robot.name}, the rows of whose loops are dependent in every position"
        )
    prefix = identifier(name or robot.name)
    made = functions(robot, what, link=link, gravity=gravity, payload=payload, external=external, tick=tick)
    tick("expected results")
    known = [examples(robot, function, real) for function in made]
    tick("writing")
    texts = {
        f"{prefix}.h": _header(robot, prefix, made, real),
        f"{prefix}.c": _source(robot, prefix, made, real),
        f"{prefix}_selftest.c": selftest(prefix, made, known, real),
    }
    if cmake:
        texts["CMakeLists.txt"] = _cmake(robot, prefix)
    return write_files(folder, texts, force)


def _cmake(robot: Robot, prefix: str) -> str:
    lines = [
        f"# {plain_text(robot.name)}: robot dynamics in C99 and its self-test. Written by redyn {__version__}.",
        "#",
        "#     cmake -S . -B build && cmake --build build && ctest --test-dir build",
        "cmake_minimum_required(VERSION 3.16)",
        f"project({prefix} LANGUAGES C)",
        "",
        "if(NOT CMAKE_BUILD_TYPE)",
        "  set(CMAKE_BUILD_TYPE Release)",
        "endif()",
        "",
        f"add_library({prefix} STATIC {prefix}.c)",
        f"target_include_directories({prefix} PUBLIC ${{CMAKE_CURRENT_SOURCE_DIR}})",
        f"set_target_properties({prefix} PROPERTIES C_STANDARD 99)",
        "if(UNIX)",
        f"  target_link_libraries({prefix} PUBLIC m)",
        "endif()",
        "",
        "enable_testing()",
        f"add_executable({prefix}_selftest {prefix}_selftest.c)",
        f"target_link_libraries({prefix}_selftest PRIVATE {prefix})",
        f"add_test(NAME {prefix}_selftest COMMAND {prefix}_selftest)",
        "",
    ]
    return "\n".join(lines)


def literal(value: float, real: Real) -> str:
    """The shortest text that reads back as the same number.

    >>> literal(0.1, "double"), literal(0.1, "float"), literal(-2.0, "double")
    ('0.1', '0.1f', '-2.0')
    """
    if real == "double":
        number, suffix = float(value), ""
    else:
        with np.errstate(over="ignore", under="ignore"):
            number, suffix = np.float32(value), "f"
        if number != 0 and abs(number) < np.finfo(np.float32).tiny:
            number = np.float32(0.0)  # subnormal as a float; compilers warn about it
    if not np.isfinite(number):
        raise InputError(f"a constant of the robot, {value:g}, is out of the range of {real}")
    text = repr(float(number)) if real == "double" else np.format_float_scientific(number, trim="0")
    if real == "float":
        plain = np.format_float_positional(number, trim="0")
        text = plain if len(plain) <= 12 else text
    return text + suffix


def _header(robot: Robot, prefix: str, made: list[Function], real: Real) -> str:
    guard = f"{prefix.upper()}_H"
    lines = ["/*", *(f" * {line}".rstrip() for line in explanation(robot, prefix, made, real)), " */"]
    lines += [f"#ifndef {guard}", f"#define {guard}", "", f"#define {prefix.upper()}_DOF {robot.dof}"]
    lines += [f"#define {prefix.upper()}_NQ {robot.nq}", "", "#ifdef __cplusplus", 'extern "C" {', "#endif", ""]
    for function in made:
        count = function.count
        lines += [f"/* {count.multiplications} multiplications, {count.additions} additions */"]
        lines += [_signature(prefix, function, real) + ";", ""]
    return "\n".join([*lines, "#ifdef __cplusplus", "}", "#endif", "", "#endif", ""])


def explanation(robot: Robot, prefix: str, made: list[Function], real: Real, language: str = "C99") -> list[str]:
    units = "SI units and radians; row-major matrices; forces along, moments about the joint axes."
    lines = [f"{plain_text(robot.name)}: robot dynamics in {language}, written by redyn {__version__}.", ""]
    lines += [units, "Functions keep no state and allocate nothing, so they are reentrant;"]
    lines += ["the arrays of a call must not overlap. Numbers are of type " + real + ".", ""]
    joints = ", ".join(plain_text(name) for name in robot.joint_names)
    lines += wrapped(f"Joints in order: {joints}.")
    gravity = ", ".join(f"{x:g}" for x in robot.gravity)
    lines += [f"Gravity in world axes: {gravity} m/s^2."]
    lines += [*(line for text in (*about_rates(robot), *about_parameters(robot)) for line in wrapped(text)), ""]
    framed = {function.task.frame for function in made if function.task.frame}
    lines += [line for frame in sorted(framed) for line in wrapped(f"Kinematics of the frame {plain_text(frame)}.")]
    given = {a.name for function in made for a in function.inputs}
    if "payload" in given:
        lines += ["payload: m, mc (3), Ixx, Ixy, Iyy, Ixz, Iyz, Izz in end-effector axes, about its origin."]
    if any(function.task.external for function in made):
        lines += ["external_...: moment, then force, on a link; world axes, moment about the frame's origin."]
    lines += ["Operations (divisions count as multiplications; others: sines, cosines, square roots):"]
    width = max(len(function.name) for function in made)
    for function in made:
        count, names = function.count, [op.name for op in function.program.ops]
        turns = sum(names.count(name) for name in ("sin", "cos", "sqrt"))
        sums = f"{count.multiplications} multiplications, {count.additions} additions, {turns} others"
        lines.append(f"  {function.name:{width}}  {sums}")
    if language != "C99":
        return lines
    check = f"cc -std=c99 -O2 {prefix}.c {prefix}_selftest.c -lm -o {prefix}_selftest && ./{prefix}_selftest"
    return [*lines, "", "To check it on the target machine:", f"  {check}"]


def _signature(prefix: str, function: Function, real: Real) -> str:
    given = [f"const {real} {a.name}[{a.width}]" for a in function.inputs]
    found = [f"{real} {a.name}[{a.width}]" for a in function.outputs]
    start = f"void {prefix}_{function.name}("
    flat = start + ", ".join([*given, *found]) + ")"
    return flat if len(flat) <= 118 else start + "\n    " + ",\n    ".join([*given, *found]) + ")"


def _source(robot: Robot, prefix: str, made: list[Function], real: Real) -> str:
    lines = [f"/* {plain_text(robot.name)}: see {prefix}.h. Written by redyn {__version__}. */"]
    lines += [f'#include "{prefix}.h"', ""]
    if any(op.name in ("sin", "cos", "sqrt") for function in made for op in function.program.ops):
        lines += ["#include <math.h>", ""]
    for function in made:
        lines += definition(prefix, function, real)
    return "\n".join(lines)


def definition(prefix: str, function: Function, real: Real, inline: bool = False) -> list[str]:
    """A function of the source, and the static functions it is split into if it is long; `inline` for a C++ header."""
    own, apart = ("inline ", "inline") if inline else ("", "static")
    syntax = Syntax(
        constant=lambda value: literal(value, real),
        function=lambda name: name + ("f" if real == "float" else ""),
        inputs=[a.name for a in function.inputs],
        kept=KEPT,
    )
    source = straight(function.program, syntax, PART)
    read = set[int]().union(*(part.arrays for part in source.parts))
    unused = [f"    (void){a.name};" for i, a in enumerate(function.inputs) if i not in read]
    if len(source.parts) == 1:
        return [
            own + _signature(prefix, function, real),
            "{",
            *unused,
            *_statements(source.parts[0], function, real),
            "}",
            "",
        ]
    lines: list[str] = []
    calls = [f"    {real} {KEPT}[{max(1, source.slots)}];", *unused]
    for k, part in enumerate(source.parts, start=1):
        arguments = [(f"const {real} *", function.inputs[i].name) for i in sorted(part.arrays)]
        if part.kept:
            arguments.append((f"{real} *", KEPT))
        elif part.reads_kept:
            arguments.append((f"const {real} *", KEPT))
        written = {place_of(function.outputs, number)[0].name for number, _ in part.results}
        arguments += [(f"{real} *", a.name) for a in function.outputs if a.name in written]
        name = f"{prefix}_{function.name}_part{k}"
        lines += [f"{apart} void {name}({', '.join(kind + name for kind, name in arguments)})", "{"]
        lines += [*_statements(part, function, real), "}", ""]
        calls.append(f"    {name}({', '.join(name for _, name in arguments)});")
    return [*lines, own + _signature(prefix, function, real), "{", *calls, "}", ""]


def _statements(part: Part, function: Function, real: Real) -> list[str]:
    lines = [f"    const {real} {name} = {text};" for name, text in part.local]
    lines += [f"    {KEPT}[{slot}] = {text};" for slot, text in part.kept]
    for number, text in sorted(part.results):
        argument, entry = place_of(function.outputs, number)
        lines.append(f"    {argument.name}[{entry}] = {text};")
    return lines


def selftest(prefix: str, made: list[Function], known: list[Example], real: Real) -> str:
    lines = [f"/* Compares {prefix}.c with results of redyn {__version__}; the exit code is 0 if all agree. */"]
    lines += [f'#include "{prefix}.h"', "", "#include <stdio.h>", ""]
    calls: list[str] = []
    for function, example in zip(made, known, strict=True):
        states = len(example.tolerances)
        for kind, arguments, values in (
            ("in", function.inputs, example.inputs),
            ("expected", function.outputs, example.outputs),
        ):
            for argument, array in zip(arguments, values, strict=True):
                table = f"{function.name}_{kind}_{argument.name}"
                number_type = real if kind == "in" else "double"
                lines += [f"static const {number_type} {table}[{states}][{argument.width}] = {{"]
                lines += [f"    {{{', '.join(literal(x, number_type) for x in row)}}}," for row in array]
                lines += ["};", ""]
        tolerances = [literal(float(x) * TOLERANCE[real], "double") for x in example.tolerances]
        lines += [f"static const double {function.name}_tolerance[{states}] = {{{', '.join(tolerances)}}};", ""]
        calls += _comparison(prefix, function, states, real)
    lines += [
        f"static double farthest(const {real} *found, const double *expected, int count)",
        "{",
        "    double worst = 0.0;",
        "    int i;",
        "    for (i = 0; i < count; i++) {",
        "        const double difference = (double)found[i] - expected[i];",
        "        const double size = difference < 0.0 ? -difference : difference;",
        "        if (size != size) {",
        "            return size; /* NaN fails every tolerance */",
        "        }",
        "        if (size > worst) {",
        "            worst = size;",
        "        }",
        "    }",
        "    return worst;",
        "}",
        "",
        "int main(void)",
        "{",
        "    int failures = 0;",
        "    int k;",
        *calls,
        "    if (failures) {",
        '        printf("%d comparisons failed\\n", failures);',
        "    } else {",
        '        printf("all agree\\n");',
        "    }",
        "    return failures ? 1 : 0;",
        "}",
        "",
    ]
    return "\n".join(lines)


def _comparison(prefix: str, function: Function, states: int, real: Real) -> list[str]:
    """The lines of main that test one function."""
    given = [f"{function.name}_in_{a.name}[k]" for a in function.inputs]
    lines = [f"    for (k = 0; k < {states}; k++) {{"]
    lines += [f"        static {real} {a.name}[{a.width}];" for a in function.outputs]
    call = ", ".join([*given, *(a.name for a in function.outputs)])
    lines += [f"        {prefix}_{function.name}({call});"]
    for a in function.outputs:
        expected = f"{function.name}_expected_{a.name}[k]"
        lines += [
            "        {",
            f"            const double off = farthest({a.name}, {expected}, {a.width});",
            f"            const int passed = off <= {function.name}_tolerance[k];",
            f'            printf("%s {function.name} {a.name}, state %d: error %.2g, tolerance %.2g\\n",',
            f'                   passed ? "ok    " : "FAILED", k + 1, off, {function.name}_tolerance[k]);',
            "            failures += !passed;",
            "        }",
        ]
    return [*lines, "    }"]
