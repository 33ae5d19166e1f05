"""redyn list: the built-in robots."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Any

import typer
from rich.table import Table

from redyn.cli.options import wide_console
from redyn.words import counted


def list_robots(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """The robots of the library, with their sources.

    Example: redyn list
    """
    from redyn.description import library, read

    robots = [read(name) for name in library()]
    rows: list[dict[str, Any]] = [
        {
            "name": robot.name,
            "joints": [link.joint.type for link in robot.links if link.joint.type != "fixed"],
            "loops": len(robot.loops),
            "mass": sum(link.mass or 0.0 for link in robot.links),
            "source": robot.source or "",
        }
        for robot in robots
    ]
    if as_json:
        print(json.dumps(rows, indent=2))
        return
    table = Table("robot", "joints", "mass (kg)", "source", box=None, header_style="bold")
    for row in rows:
        loops = f"; {counted(row['loops'], 'loop')}" if row["loops"] else ""
        table.add_row(row["name"], in_words(row["joints"]) + loops, f"{row['mass']:.4g}", row["source"])
    wide_console().print(table)


def in_words(kinds: Sequence[str]) -> str:
    """How many joints of each kind.

    >>> in_words(["revolute", "revolute", "prismatic", "revolute"])
    '3 revolute, 1 prismatic'
    """
    return ", ".join(f"{count} {kind}" for kind, count in Counter(kinds).items())
