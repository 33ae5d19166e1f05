"""redyn equations: the equations of motion in closed form, on the terminal or as a worked example."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from redyn import files
from redyn.cli.options import (
    ROBOT_HELP,
    Actuated,
    Force,
    Trusted,
    Unphysical,
    listed,
    loop_numbers,
    numbers,
    of_joints,
    positions,
    rates,
)
from redyn.errors import InputError
from redyn.words import counted

if TYPE_CHECKING:
    from redyn.robot import Robot
    from redyn.symbolic.chapter.blocks import Array, Chapter
    from redyn.symbolic.equations import Equations

_SHOWN = ("mass_matrix", "coriolis_matrix", "gravity_torque", "spring_torque", "friction_torque")
_OPTIONAL = ("spring_torque", "friction_torque")


def equations(
    robot: Annotated[str, typer.Argument(help=ROBOT_HELP)],
    html: Annotated[Path | None, typer.Option(help="Write the worked example as one HTML page.")] = None,
    latex: Annotated[Path | None, typer.Option(help="Write the worked example as LaTeX.")] = None,
    notebook: Annotated[Path | None, typer.Option(help="Write the worked example as a Jupyter notebook.")] = None,
    q: Annotated[str | None, typer.Option(help="Joint values of the numerical example.")] = None,
    qd: Annotated[str | None, typer.Option(help="Joint rates of the numerical example.")] = None,
    qdd: Annotated[str | None, typer.Option(help="Joint accelerations of the numerical example.")] = None,
    number: Annotated[
        list[str] | None,
        typer.Option(
            "--number",
            help="Constants that become numbers: a name, a letter, geometry, mass, centre, inertia, ... or all.",
        ),
    ] = None,
    where: Annotated[
        list[str] | None, typer.Option("--where", help="NAME=FORMULA replaces a constant, such as d_1x=a_1/2.")
    ] = None,
    expand: Annotated[
        bool, typer.Option("--expand", help="Multiply every product out, as the book prints its elements.")
    ] = False,
    kinematics: Annotated[
        bool, typer.Option("--kinematics", help="Print the pose and the Jacobian of the end effector as well.")
    ] = False,
    rods: Annotated[bool, typer.Option("--rods", help="Make links slender rods, as in the book's examples.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print LaTeX and plain text of every element as JSON.")
    ] = False,
    force: Force = False,
    allow_unphysical: Unphysical = False,
    trust: Trusted = None,
    actuated: Actuated = None,
) -> None:
    """The symbolic equations of motion: on the terminal, or derived step by step on a page.

    Up to three joints the elements are printed in closed form; for more, the recursion is printed as named steps. With
    --q, --qd or --qdd the terminal also shows the numbers at that state; the others default to those of the worked
    example. Of a robot with closed loops the equations of its tree are followed by closure, Jacobian, transmission and
    the reduced equation of motion; its state is of the actuated joints, or of all of them. Of a robot on wheels, the
    rows of rolling, the independent rates and the reduced equation are printed; --qd and --qdd are independent rates.

    Example: redyn equations two-link        Example: redyn equations three-link --rods --html derivation.html

    Example: redyn equations two-link --expand --kinematics

    Example: redyn equations two-link --q "30 deg, 45 deg" --qd "1, 2" --qdd 0

    Example: redyn equations four-bar --q "30 deg" --html four-bar.html

    Of links that bend, formulas use abbreviations for the tip of the beam, which a page explains; a state is then of
    the joints or of all coordinates, as it is with elastic gears.

    Example: redyn equations flexible-beam --html beam.html

    Example: redyn equations differential-drive        Example: redyn equations rolling-disk --html disk.html
    """
    from redyn.robot import load
    from redyn.symbolic.equations import derive
    from redyn.symbolic.rolling.euler import euler_disk, is_free_disk
    from redyn.symbolic.tables import unnamed_joints

    outputs = ("--html", html, files.HTML), ("--latex", latex, files.LATEX), ("--notebook", notebook, files.NOTEBOOK)
    files.check_all(outputs, force)
    loaded = load(robot, allow_unphysical=allow_unphysical, trust=trust, actuated=listed(actuated))
    everything = number is not None and "all" in number
    options: dict[str, Any] = {"numbers": True if everything else number or (), "where": _pairs(where or [])}
    options["expand"] = expand
    shown = euler_disk(loaded) if is_free_disk(loaded) else loaded  # whose coordinates a state has
    state = [_given(shown, name, text) for name, text in (("q", q), ("qd", qd), ("qdd", qdd))]
    eqs = None
    if number or where or rods or expand or not (loaded.loops and unnamed_joints(loaded)):
        eqs = derive(loaded, **options, rods=rods or None)
    if html or latex or notebook:
        from redyn.symbolic.chapter import to_html, to_latex, to_notebook

        chapter = _chapter(loaded, eqs, state)
        for (_, path, kind), write in zip(outputs, (to_html, to_latex, to_notebook), strict=True):
            if path is not None:
                print(f"wrote {files.write(path, write(chapter), kind, force)}")
        return
    if loaded.model.contacts:
        from redyn.cli.rolling_equations import show as show_rolling
        from redyn.symbolic.rolling.equations import RollingEquations

        assert isinstance(eqs, RollingEquations)
        return show_rolling(eqs, state, as_json)
    if eqs is None or loaded.loops:
        from redyn.cli.loop_equations import show

        return show(loaded, eqs, state, as_json)
    given = any(v is not None for v in state)
    if eqs.symbolic.flexible or eqs.symbolic.geared:
        return _show_flexible(eqs, state, given, as_json)
    values = _values(eqs, state) if given else {}
    if sum(not body.virtual for body in eqs.symbolic.bodies) > 3:
        _print_steps(eqs, values, as_json)
    else:
        _print_closed(eqs, values, as_json, kinematics)
    if kinematics and not as_json:
        _print_kinematics(eqs)


def _print_kinematics(eqs: Equations) -> None:
    """The pose and the Jacobian of the end effector, and the square of its speed."""
    print(f"\nend effector: {eqs.robot.frame_name()}")
    for name, shown in (("forward_kinematics", "pose"), ("jacobian", "jacobian")):
        found = eqs.quantity(name)
        rows = range(1, found.rows) if name == "forward_kinematics" else range(1, found.rows + 1)
        for i in rows:
            for j in range(1, found.cols + 1):
                print(f"{shown}[{i},{j}] = {eqs.text(name, i, j)}")
    print(f"speed_squared = {eqs.text('speed_squared')}")


def _show_flexible(eqs: Equations, state: list[Array | None], given: bool, as_json: bool) -> None:
    from redyn.cli.flexible_equations import plain, setting, show

    at = setting(eqs, state)
    values = plain(at) if given else {}
    if not at.short:
        _print_steps(eqs, values, as_json)
    elif as_json:
        _print_closed(eqs, values, as_json)
    else:
        turns = show(at)
        if values:
            print()
            _print_values(values, ("mass_matrix", *(name for name, _ in at.present), "tau"))
        if turns:
            print(legend(eqs))


def _pairs(given: list[str]) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for text in given:
        name, equals, formula = text.partition("=")
        if not equals or not name.strip() or not formula.strip():
            raise InputError(f"--where: expected NAME=FORMULA, such as d_1x=a_1/2, got {text!r}")
        pairs[name.strip()] = formula.strip()
    return pairs


def _given(robot: Robot, name: str, text: str | None) -> Array | None:
    if text is None:
        return None
    if robot.loops:
        return loop_numbers(name, text, robot)
    if robot.model.contacts:
        return numbers(name, text, robot.nq if name == "q" else robot.dof)
    elastic = _of_elastic(robot, name, text)
    return numbers(name, text, robot.nq if name == "q" else robot.dof) if elastic is None else elastic


def _of_elastic(robot: Robot, name: str, text: str) -> Array | None:
    """Where links bend or gears give, numbers for the joints do; None for other robots."""
    if of_joints(name, text, robot) is None:
        return None
    if name == "q":
        return positions(name, text, robot)
    return rates(name, text, robot, robot.neutral()) if name == "qd" else of_joints(name, text, robot)


def _chapter(robot: Robot, eqs: Equations | None, state: list[Array | None]) -> Chapter:
    from redyn.progress import Progress
    from redyn.symbolic.chapter import worked_example
    from redyn.symbolic.chapter.flexible import story as flexible
    from redyn.symbolic.chapter.loops import story as looped
    from redyn.symbolic.chapter.rolling import story as rolling
    from redyn.symbolic.chapter.story import SECTIONS
    from redyn.symbolic.chapter.turning import story as turning

    rolls = bool(robot.model.contacts)
    sections = looped.SECTIONS if robot.loops else rolling.SECTIONS if rolls else SECTIONS
    if eqs is not None and (eqs.symbolic.flexible or eqs.symbolic.geared):
        sections = flexible.SECTIONS
    if eqs is not None and eqs.symbolic.turning_rows:
        sections = turning.SECTIONS
    with Progress("deriving", len(sections)) as bar:
        if eqs is None:
            return looped.loop_example(robot, None, *state, done=bar.show)
        return worked_example(eqs, *state, done=bar.show)


def _values(eqs: Equations, state: list[Array | None]) -> dict[str, Any]:
    """The state and the numbers of the equations there, as plain lists."""
    from redyn.symbolic.chapter.setting import Context, example_state

    at = Context(eqs, *example_state(eqs, *state))
    found = {
        "q": at.q,
        "qd": at.qd,
        "qdd": at.qdd,
        "mass_matrix": at.run("mass_matrix", at.q).reshape(at.n, at.n),
        "coriolis_matrix": at.run("coriolis_matrix_mci", at.q, at.qd).reshape(at.n, at.n),
        "gravity_torque": at.run("gravity_torque", at.q),
        "spring_torque": at.springs,
        "friction_torque": at.friction,
        "tau": at.torque,
    }
    return {name: (value + 0.0).tolist() for name, value in found.items()}


def _shown(eqs: Equations) -> list[str]:
    """Springs and friction are shown if there are any."""
    return [name for name in _SHOWN if name not in _OPTIONAL or any(eqs.quantity(name))]


def _print_closed(eqs: Equations, values: dict[str, Any], as_json: bool, kinematics: bool = False) -> None:
    shown = (*_SHOWN, *("forward_kinematics", "jacobian") * kinematics) if as_json else _shown(eqs)
    entries = {
        name: [
            [
                {"text": eqs.text(name, i + 1, j + 1), "latex": eqs.latex(name, i + 1, j + 1)}
                for j in range(eqs.quantity(name).shape[1])
            ]
            for i in range(eqs.quantity(name).shape[0])
        ]
        for name in shown
    }
    if as_json:
        print(json.dumps({"robot": eqs.name, **entries, **({"values": values} if values else {})}))
        return
    terms = [{"mass_matrix": "mass_matrix qdd", "coriolis_matrix": "coriolis_matrix qd"}.get(k, k) for k in entries]
    print(f"{eqs.name}: {' + '.join(terms)} = tau\n")
    for name, rows in entries.items():
        for i, row in enumerate(rows, start=1):
            for j, cell in enumerate(row, start=1):
                place = f"[{i},{j}]" if name.endswith("matrix") else f"[{i}]"
                print(f"{name}{place} = {cell['text']}")
        print()
    if values:
        _print_values(values, (*_shown(eqs), "tau"))
    abbreviations = legend(eqs)
    if abbreviations:
        print(abbreviations)


def legend(eqs: Equations) -> str:
    """The abbreviations that this robot uses."""
    from redyn.symbolic.closed import parallel_runs

    turning = [_number(str(q)) for _, q in eqs.symbolic.angles]  # of those that are abbreviated
    numbered = [number for number in turning if number]
    if not numbered:
        return ""
    runs = [[turning[place] for place in run] for run in parallel_runs(eqs.symbolic)]
    together = next((run for run in runs if len(run) > 1 and all(run[:2])), None)
    if together is None:
        return f"c{numbered[0]} is cos(theta_{numbered[0]}), s{numbered[0]} its sine"
    i, k = together[:2]
    rates = f", theta_dot_{i}{k} is theta_dot_{i} + theta_dot_{k}" if int(k) == int(i) + 1 else ""
    return f"c{i}{k} is cos(theta_{i} + theta_{k}), s{i}{k} its sine{rates}"


def _number(name: str) -> str:
    """The number of an angle theta_i; empty for others, which are not abbreviated."""
    number = name.removeprefix("theta_")
    return number if number.isdigit() else ""


def _numbers_shown(eqs: Equations) -> tuple[str, ...]:
    """Where links bend, closed forms may be too long to say which terms are zero."""
    flexible = eqs.symbolic.flexible or eqs.symbolic.geared
    return ("mass_matrix", "coriolis_vector", *_SHOWN[2:], "tau") if flexible else (*_shown(eqs), "tau")


def _print_values(values: dict[str, Any], names: tuple[str, ...]) -> None:
    print(
        "at " + ", ".join(f"{name} = [{_row(values[name])}]" for name in ("q", "qd", "qdd")) + " (SI units, radians):"
    )
    tables: dict[str, list[list[float]]] = {k: values[k] if k.endswith("matrix") else [values[k]] for k in names}
    rounding = 1e-12 * max(abs(x) for rows in tables.values() for row in rows for x in row)
    for name, rows in tables.items():
        matrix = name.endswith("matrix")
        lead = f"{name} = ["
        between = ",\n" + " " * len(lead)
        print(lead + between.join(f"[{_row(row, rounding)}]" if matrix else _row(row, rounding) for row in rows) + "]")
    print()


def _size(eqs: Equations) -> str:
    if any(body.virtual for body in eqs.symbolic.bodies) and not (eqs.symbolic.flexible or eqs.symbolic.geared):
        return f"{eqs.dof} degrees of freedom"
    return counted(eqs.dof, "coordinate" if eqs.symbolic.flexible or eqs.symbolic.geared else "joint")


def _row(values: list[float], rounding: float = 0.0) -> str:
    """Rounding errors of zero are shown as 0."""
    return ", ".join(f"{x if abs(x) > rounding else 0.0:.6g}" for x in values)


def _print_steps(eqs: Equations, values: dict[str, Any], as_json: bool) -> None:
    from redyn.symbolic.notation import Typesetter

    write = Typesetter(latex=False).write
    steps = eqs.steps("inverse_dynamics")
    lines = [(str(name), write(e)) for name, e in steps.assignments]
    lines += [(f"tau_{i}", write(e)) for i, e in enumerate(steps.outputs[0], start=1)]
    if as_json:
        print(json.dumps({"robot": eqs.name, "steps": lines, **({"values": values} if values else {})}))
        return
    size = f"{counted(len(lines), 'step')}, {counted(steps.operations, 'operation')}"
    print(f"{eqs.name}: inverse dynamics of {_size(eqs)} in {size}\n")
    for name, text in lines:
        print(f"{name} = {text}")
    if values:
        print()
        _print_values(values, _numbers_shown(eqs))
