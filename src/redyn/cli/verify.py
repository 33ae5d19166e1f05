"""redyn verify: compares redyn with Pinocchio and MuJoCo on any robot."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from redyn.cli.options import ROBOT_HELP, Floating, Trusted, Unphysical, bold, wide_console, working
from redyn.errors import InputError, RedynError
from redyn.words import counted

if TYPE_CHECKING:
    from redyn.robot import Robot
    from redyn.verify.compare import Comparison

LONGEST = 160  # characters of a cell in Markdown


def verify(
    robots: Annotated[list[str], typer.Argument(metavar="ROBOT...", help=ROBOT_HELP)],
    states: Annotated[int, typer.Option(help="Number of random states.")] = 100,
    exact: Annotated[bool, typer.Option(help="Do not round rotations of the file.")] = True,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, one line per robot.")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="One line of a Markdown table per robot.")] = False,
    floating_base: Floating = False,
    allow_unphysical: Unphysical = False,
    trust: Trusted = None,
) -> None:
    """Compare every quantity with Pinocchio and MuJoCo, whichever is installed, at random states.

    MuJoCo covers armature and damping, Pinocchio derivatives. Install them with: pip install pin mujoco

    Where loops are closed, the states keep them so: the tree is compared as ever, forward dynamics with Pinocchio's
    constraintDynamics, and inverse dynamics has to return the torques of forward dynamics.

    Example: redyn verify arm.urdf

    Example: redyn verify stewart

    Example: redyn verify arm.xml --states 1000

    Example: redyn verify quadruped.urdf --floating-base

    Example: redyn verify robots/*.urdf --markdown > verified.md
    """
    from redyn.verify.compare import installed
    from redyn.verify.compare import verify as compare

    if not 1 <= states <= 100_000:
        raise InputError(f"--states: expected from 1 to 100000, got {states}")
    peers = installed()
    if markdown:
        print(f"| robot | joints | {' | '.join(f'{peer.name} {version}' for peer, version in peers)} |")
        print("|---|---|" + "---|" * len(peers))
    failed: list[str] = []
    with working("starting") as say:
        for source in robots:

            def tick(text: str, name: str = Path(source).name) -> None:
                say(f"{name}, {text}")

            try:
                robot, found = compare(source, states, exact, floating_base, allow_unphysical, tick, trust)
            except RedynError as error:
                if len(robots) == 1:
                    raise
                failed.append(str(error))
                if markdown:
                    print(
                        f"| {_cell(Path(source).stem)} | | {_cell(str(error))} |{' |' * (len(peers) - 1)}", flush=True
                    )
                continue
            if as_json:
                print(json.dumps(_data(robot, found)), flush=True)
            elif markdown:
                _print_line(source, robot, found)
            else:
                _print_tables(robot, found, states)
            failed += [f"{source}: some quantities differ" for comparison in found if not comparison.agrees]
            if all(comparison.skipped for comparison in found):
                failed.append(f"{source}: nothing was compared")
    if failed:
        more = f" (and {len(failed) - 1} more)" if len(failed) > 1 else ""
        raise RedynError(f"{failed[0]}{more}")


def _data(robot: Robot, found: list[Comparison]) -> dict[str, object]:
    peers = [
        asdict(item) | {"rows": [asdict(row) | {"agrees": row.agrees} for row in item.rows], "agrees": item.agrees}
        for item in found
    ]
    return {"robot": robot.name, "joints": robot.dof, "peers": peers}


def _print_tables(robot: Robot, found: list[Comparison], states: int) -> None:
    console = wide_console()
    console.print(
        f"{robot.name}, {robot.size}, {counted(states, 'state')}. Differences are relative to the larger of 1 and"
    )
    console.print("the largest entry; where inertias are inverted, also to the condition number of the mass matrix.")
    if robot.loops:
        console.print(
            f"All states keep its {counted(len(robot.loops), 'loop')} closed (mobility {robot.mobility}); inverse "
            "dynamics with loops is relative to the torques that the tree would need."
        )
    for item in found:
        console.print(bold(f"\ncompared with {item.peer} {item.version}"))
        if item.skipped:
            console.print(f"nothing was compared: {item.skipped}")
            continue
        table = Table("quantity", "largest difference", "allowed", "", box=None, header_style="bold")
        for row in item.rows:
            verdict = row.note or ("agrees" if row.agrees else "DIFFERS")
            table.add_row(row.quantity, "" if row.note else f"{row.difference:.1e}", f"{row.allowed:.0e}", verdict)
        console.print(table)
        console.print("Conventions that differ, and were converted:")
        for text in item.conventions:
            console.print(f"- {text}")


def _print_line(source: str, robot: Robot, found: list[Comparison]) -> None:
    """The largest difference of all quantities, and what was not compared."""
    cells = [_cell(item.skipped) or _summary(item) for item in found]
    print(f"| {_cell(Path(source).stem)} | {robot.dof} | {' | '.join(cells)} |", flush=True)


def _summary(item: Comparison) -> str:
    worst = max((row for row in item.rows if not row.note), key=lambda row: row.difference / row.allowed)
    parts = [f"{worst.difference:.0e}" if item.agrees else f"DIFFERS: {worst.quantity} by {worst.difference:.0e}"]
    notes: dict[str, list[str]] = {}
    for row in item.rows:
        if row.note:
            notes.setdefault(row.note.partition(" (")[0], []).append(row.quantity)
    said = [f"{' and '.join(quantities)} {note}" for note, quantities in notes.items()]
    return "; ".join([*parts, *said[:1]])


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")[:LONGEST]
