"""redyn list: the built-in robots."""

from __future__ import annotations

import json
from typing import Annotated

import typer
from rich.table import Table

from redyn.cli.options import wide_console


def list_robots(as_json: Annotated[bool, typer.Option("--json", help="For programs.")] = False) -> None:
    """The robots of the library, with their sources.

    Example: redyn list
    """
    from redyn.description import library, read

    robots = [read(name) for name in library()]
    rows = [
        {
            "name": robot.name,
            "joints": "".join(
                "p" if link.joint.type == "prismatic" else "r" for link in robot.links if link.joint.type != "fixed"
            ),
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
        table.add_row(str(row["name"]), str(row["joints"]), f"{row['mass']:.4g}", str(row["source"]))
    wide_console().print(table)
