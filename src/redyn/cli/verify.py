"""redyn verify: redyn beside Pinocchio on any robot."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from redyn.cli.options import ROBOT_HELP, Unphysical, wide_console
from redyn.errors import InputError, RedynError

CONVENTIONS = (
    "joints are matched by name: Pinocchio orders them by name within a branch, redyn as the file has them",
    "Jacobians and momentum: redyn has angular rows first, Pinocchio linear ones",
    "joints without limits are a cosine and a sine in Pinocchio's q",
    "friction is left out: Pinocchio's recursions have none",
    "momentum: about the world's origin in redyn, about the mass centre in Pinocchio",
    "gravity is redyn's in both",
)


def verify(
    robot: Annotated[str, typer.Argument(help=ROBOT_HELP)],
    states: Annotated[int, typer.Option(help="Random states at which to compare.")] = 100,
    exact: Annotated[bool, typer.Option(help="Take rotations to the letter.")] = True,
    as_json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
    allow_unphysical: Unphysical = False,
) -> None:
    """Compare every quantity with Pinocchio's at random states (pip install pin).

    Example: redyn verify arm.urdf

    Example: redyn verify puma --states 1000
    """
    from redyn.verify.compare import verify as compare

    if not 1 <= states <= 100_000:
        raise InputError(f"--states: expected from 1 to 100000, got {states}")
    with Console(stderr=True).status("starting") as status:
        loaded, rows = compare(robot, states, exact, allow_unphysical, status.update)
    if as_json:
        print(json.dumps({"robot": loaded.name, "rows": [asdict(row) | {"agrees": row.agrees} for row in rows]}))
    else:
        table = Table("quantity", "largest difference", "allowed", "", box=None, header_style="bold")
        for row in rows:
            verdict = row.note or ("agrees" if row.agrees else "DIFFERS")
            table.add_row(row.quantity, "" if row.note else f"{row.difference:.1e}", f"{row.allowed:.0e}", verdict)
        console = wide_console()
        console.print(
            f"{loaded.name}, {loaded.dof} joints, {states} states, beside Pinocchio. Differences are shares of"
        )
        console.print("the larger of 1 and the largest entry; of what divides by inertias, also of the condition.")
        console.print(table)
        console.print("\nConventions that differ and were undone:")
        for text in CONVENTIONS:
            console.print(f"- {text}")
    if not all(row.agrees for row in rows):
        raise RedynError("some quantities differ")
