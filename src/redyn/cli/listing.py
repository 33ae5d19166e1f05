"""redyn list: the robots that can be loaded by name."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from redyn.cli.options import bold, wide_console
from redyn.words import counted, tallied

if TYPE_CHECKING:
    from redyn.description import Entry


def list_robots(
    search: Annotated[list[str] | None, typer.Argument(help="Words to look for in names and sources.")] = None,
    group: Annotated[str | None, typer.Option(help="One group, such as book, industrial or mechanisms.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """The robots of the library, with their sources, and those of installed packages.

    Example: redyn list        Example: redyn list --group industrial        Example: redyn list kuka

    Robots of the package example-robot-data, and those of robot_descriptions that it has downloaded before, are listed
    under the package's name: `redyn show example-robot-data:ur5`.
    """
    from redyn.description import gallery

    entries = gallery(group, " ".join(search or ()))
    if as_json:
        print(json.dumps([entry._asdict() for entry in entries], indent=2))
        return
    console = wide_console()
    if not entries:
        console.print("no robot found; `redyn list` shows all")
    for name, members in groupby(entries, key=lambda entry: entry.group):
        console.print(bold(name))
        console.print(_table(list(members)))


def _table(entries: Sequence[Entry]) -> Table:
    if entries[0].dof is None:  # of a package
        table = Table(box=None, show_header=False)
        for entry in entries:
            table.add_row(entry.name)
        return table
    table = Table("robot", "joints", "mass (kg)", "source", box=None, header_style="bold")
    for entry in entries:
        loops = f"; {counted(entry.loops, 'loop')}" if entry.loops else ""
        mass = f"{entry.mass:.4g}{' (estimated)' if entry.estimated else ''}"
        table.add_row(entry.name, tallied(entry.joints) + loops, mass, entry.source)
    return table
