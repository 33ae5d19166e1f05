"""redyn equations: the equations of motion in closed form, on the terminal or as a worked example."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from redyn.cli.options import ROBOT_HELP, Trusted, Unphysical, numbers
from redyn.errors import InputError

if TYPE_CHECKING:
    from redyn.symbolic.chapter.blocks import Array, Chapter
    from redyn.symbolic.equations import Equations

_SHOWN = ("mass_matrix", "coriolis_matrix", "gravity_torque")


def equations(
    robot: Annotated[str, typer.Argument(help=ROBOT_HELP)],
    html: Annotated[Path | None, typer.Option(help="Write the worked example as one HTML page.")] = None,
    latex: Annotated[Path | None, typer.Option(help="Write it as LaTeX.")] = None,
    notebook: Annotated[Path | None, typer.Option(help="Write it as a Jupyter notebook.")] = None,
    q: Annotated[str | None, typer.Option(help="Joint values of the numerical example.")] = None,
    qd: Annotated[str | None, typer.Option(help="Joint rates of it.")] = None,
    qdd: Annotated[str | None, typer.Option(help="Joint accelerations of it.")] = None,
    number: Annotated[
        list[str] | None,
        typer.Option(
            "--number",
            help="Constants that become numbers: a name, a letter, geometry, mass, centre, inertia, ... or all.",
        ),
    ] = None,
    where: Annotated[
        list[str] | None, typer.Option("--where", help="NAME=FORMULA in place of a constant, such as d_1x=a_1/2.")
    ] = None,
    rods: Annotated[bool, typer.Option("--rods", help="Every link a slender rod, as in the book's examples.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print LaTeX and plain text of every element as JSON.")
    ] = False,
    allow_unphysical: Unphysical = False,
    trust: Trusted = None,
) -> None:
    """The equations of motion in symbols: on the terminal, or derived step by step on a page.

    Up to three joints the elements are printed in closed form; beyond, the recursion is printed as named steps.

    Example: redyn equations two-link        Example: redyn equations three-link --rods --html derivation.html
    """
    from redyn.robot import load
    from redyn.symbolic.equations import derive

    loaded = load(robot, allow_unphysical=allow_unphysical, trust=trust)
    everything = number is not None and "all" in number
    eqs = derive(loaded, numbers=True if everything else number or (), where=_pairs(where or []), rods=rods or None)
    if html or latex or notebook:
        from redyn.symbolic.chapter import to_html, to_latex, to_notebook

        state = [
            None if text is None else numbers(name, text, eqs.dof)
            for name, text in (("q", q), ("qd", qd), ("qdd", qdd))
        ]
        chapter = _chapter(eqs, state)
        for path, write in ((html, to_html), (latex, to_latex), (notebook, to_notebook)):
            if path is not None:
                path.write_text(write(chapter), "utf-8")
                print(f"wrote {path}")
        return
    if eqs.dof > 3:
        _print_steps(eqs, as_json)
    else:
        _print_closed(eqs, as_json)


def _pairs(given: list[str]) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for text in given:
        name, equals, formula = text.partition("=")
        if not equals or not name.strip() or not formula.strip():
            raise InputError(f"--where: expected NAME=FORMULA, such as d_1x=a_1/2, got {text!r}")
        pairs[name.strip()] = formula.strip()
    return pairs


def _chapter(eqs: Equations, state: list[Array | None]) -> Chapter:
    from redyn.progress import Progress
    from redyn.symbolic.chapter import worked_example
    from redyn.symbolic.chapter.story import SECTIONS

    with Progress("deriving", len(SECTIONS)) as bar:
        return worked_example(eqs, *state, done=bar.show)


def _print_closed(eqs: Equations, as_json: bool) -> None:
    entries = {
        name: [
            [
                {"text": eqs.text(name, i + 1, j + 1), "latex": eqs.latex(name, i + 1, j + 1)}
                for j in range(eqs.quantity(name).shape[1])
            ]
            for i in range(eqs.dof)
        ]
        for name in _SHOWN
    }
    if as_json:
        print(json.dumps({"robot": eqs.name, **entries}))
        return
    print(f"{eqs.name}: mass_matrix qdd + coriolis_matrix qd + gravity_torque = tau\n")
    for name, rows in entries.items():
        for i, row in enumerate(rows, start=1):
            for j, cell in enumerate(row, start=1):
                place = f"[{i},{j}]" if len(row) > 1 else f"[{i}]"
                print(f"{name}{place} = {cell['text']}")
        print()
    print("c12 is cos(theta_1 + theta_2), s12 its sine, theta_dot_12 is theta_dot_1 + theta_dot_2")


def _print_steps(eqs: Equations, as_json: bool) -> None:
    from redyn.symbolic.notation import Typesetter

    write = Typesetter(latex=False).write
    steps = eqs.steps("inverse_dynamics")
    lines = [(str(name), write(e)) for name, e in steps.assignments]
    lines += [(f"tau_{i}", write(e)) for i, e in enumerate(steps.outputs[0], start=1)]
    if as_json:
        print(json.dumps({"robot": eqs.name, "steps": lines}))
        return
    print(f"{eqs.name}: inverse dynamics of {eqs.dof} joints in {len(lines)} steps, {steps.operations} operations\n")
    for name, text in lines:
        print(f"{name} = {text}")
