"""redyn count: operation counts of the kernels, compared with the published tables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from redyn.cli.growth import show_growth
from redyn.cli.options import ROBOT_HELP, Force, Trusted, Unphysical, bold, wide_console
from redyn.errors import InputError
from redyn.reproduce.published import FORWARD, INVERSE
from redyn.words import counted

if TYPE_CHECKING:
    from redyn.robot import Robot

OWN = {  # redyn's counts shown next to a published table
    "inverse_dynamics": {"inverse_dynamics": "redyn, this robot"},
    "solve": {"solve": "redyn, this robot, phi given", "forward_dynamics": "redyn, this robot, full forward dynamics"},
}
TITLES = {"solve": "solve (phi given)", "forward_dynamics": "forward_dynamics (phi included)"}

COUNTED = ("inverse_dynamics", "solve", "forward_dynamics", "mass_matrix", "coriolis_matrix_mci", "gravity_torque")
OF_LOOPS = ("inverse_dynamics", "forward_dynamics", "gravity_torque", "transmission", "reduced_mass_matrix")
OF_LOOPS += ("loop_error", "loop_jacobian", "loop_multipliers", "projection")


def count(
    robot: Annotated[
        str | None, typer.Argument(help=ROBOT_HELP + " Or chain-N: a general robot of N revolute joints.")
    ] = None,
    growth: Annotated[
        bool, typer.Option("--growth", help="Growth of the counts with the number of joints, and where O(n) wins.")
    ] = False,
    time: Annotated[bool, typer.Option("--time", help="With --growth: also measure times.")] = False,
    png: Annotated[Path | None, typer.Option(help="With --growth: save a figure to this file.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    force: Force = False,
    allow_unphysical: Unphysical = False,
    trust: Trusted = None,
) -> None:
    """Multiplications and additions of the compiled graphs, compared with the published tables.

    These are Tables 9.1 and 9.6 of the book and Table I of the paper. Divisions count as multiplications, subtractions
    as additions; sines and cosines are not counted. The published counts and the formula are for a general robot of
    n revolute joints; zeros and right angles of a real one save operations. Of a robot with closed loops the counts are
    shown beside those of its tree.

    Example: redyn count puma        Example: redyn count chain-6

    Example: redyn count --growth --time --png growth.png
    """
    from redyn.robot import chain, load

    if (robot is None) != growth:
        raise InputError("give either a robot (see `redyn list`) or --growth")
    if robot is None:
        return show_growth(time, png, as_json, force)
    if time or png is not None:
        raise InputError("--time and --png go with --growth")
    name, _, length = robot.partition("-")
    general = name == "chain" and length.isdigit()
    loaded = chain(int(length), seed=1) if general else load(robot, allow_unphysical=allow_unphysical, trust=trust)
    if loaded.loops:
        return _show_loops(loaded, as_json)
    n, bends = loaded.dof, loaded.model.flexible
    other = {"coriolis_matrix_mci": "coriolis_matrix_christoffel"} if bends else {}
    counts = {name: loaded.operation_count(name) for name in (other.get(name, name) for name in COUNTED)}
    formulas = {name: _formula(name) for name in ("inverse_dynamics", "solve", "forward_dynamics")}
    if as_json:
        print(
            json.dumps(
                {
                    "robot": loaded.name,
                    "dof": n,
                    "counts": {k: v._asdict() for k, v in counts.items()},
                    "formulas": formulas,
                }
            )
        )
        return
    console = wide_console()
    console.print(bold(loaded.name, f", {loaded.size if bends else counted(n, 'joint')}: operations of the kernels"))
    table = Table(
        "algorithm", "multiplications", "additions", "general robot of n joints", box=None, header_style="bold"
    )
    for name, found in counts.items():
        table.add_row(TITLES.get(name, name), str(found.multiplications), str(found.additions), formulas.get(name, ""))
    console.print(table)
    if bends:
        return  # the published tables are of rigid links
    for title, published, name in (
        (f"Inverse dynamics, Table 9.1, n = {n}", INVERSE, "inverse_dynamics"),
        (f"Forward dynamics with phi given, Table 9.6 and Table I of Saha (2003), n = {n}", FORWARD, "solve"),
    ):
        console.print(bold(f"\n{title}"))
        rows = Table("", "multiplications", "additions", box=None, header_style="bold")
        for ours, label in OWN[name].items():
            rows.add_row(label, str(counts[ours].multiplications), str(counts[ours].additions))
        for author, (multiplications, additions) in published.items():
            rows.add_row(author, f"{multiplications(n):.0f}", f"{additions(n):.0f}")
        console.print(rows)


def _show_loops(robot: Robot, as_json: bool) -> None:
    """Of a robot with closed loops, and of its tree; the published tables are of open chains."""
    counts = {name: robot.operation_count(name) for name in OF_LOOPS}
    tree = {name: robot.tree.operation_count(name) for name in COUNTED}
    if as_json:
        found = {"robot": robot.name, "dof": robot.dof, "mobility": robot.mobility}
        parts = {"counts": counts, "tree": tree}
        print(json.dumps(found | {title: {k: v._asdict() for k, v in part.items()} for title, part in parts.items()}))
        return
    console = wide_console()
    size = f"{counted(robot.dof, 'rate')}, {counted(len(robot.loops), 'closed loop')}, mobility {robot.mobility}"
    for title, part in ((f", {size}: operations of the kernels", counts), (", the tree alone", tree)):
        console.print(bold(robot.name, title))
        table = Table("algorithm", "multiplications", "additions", box=None, header_style="bold")
        for name, found in part.items():
            table.add_row(TITLES.get(name, name), str(found.multiplications), str(found.additions))
        console.print(table)
    console.print("\nThe kernels of closed loops also test whether these are closed, which is counted.")


def _formula(name: str) -> str:
    """The linear formula of the counts of general robots: from two values of n, checked at a third."""
    from redyn.robot import chain

    shorter, longer, check = (chain(n, seed=1).operation_count(name) for n in (6, 7, 9))
    parts: list[str] = []
    for a, b, c, letter in zip(shorter, longer, check, "MA", strict=True):
        slope = b - a
        rest = a - 6 * slope
        assert c == 9 * slope + rest, "the counts of general robots are not linear in n"
        parts.append(f"{slope}n {'-' if rest < 0 else '+'} {abs(rest)} {letter}")
    return ", ".join(parts)
