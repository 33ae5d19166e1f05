"""redyn walk: robots with legs on the ground, each as an animated page."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.table import Table

from redyn import files
from redyn.cli.options import Force, wide_console, working
from redyn.errors import InputError
from redyn.words import suggestion


def walk(
    examples: Annotated[list[str] | None, typer.Argument(help="Names of examples (see --list); default: all.")] = None,
    out: Annotated[Path, typer.Option(help="Folder for the pages.")] = Path("walk-output"),
    names: Annotated[bool, typer.Option("--list", help="List the examples and exit.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    force: Force = False,
) -> None:
    """Simulate robots with legs on the ground: a quadruped, a biped and a hexapod walk, by computed torque.

    Each run becomes a page with the robot in 3D, the forces on its feet, footprints and plots.

    Example: redyn walk biped        Example: redyn walk --out pages
    """
    from redyn.simulation.walking import EXAMPLES, example, measure

    for name in examples or []:
        if name not in EXAMPLES:
            raise InputError(f"no example is called {name!r}{suggestion(name, list(EXAMPLES))}")
    chosen = examples or list(EXAMPLES)
    console = wide_console()
    if names:
        table = Table("example", "robot", "", box=None, header_style="bold")
        for name in chosen:
            table.add_row(name, EXAMPLES[name].robot, EXAMPLES[name].title)
        console.print(table)
        return
    files.folder(out)
    rows: list[dict[str, object]] = []
    for name in chosen:
        with working(f"{name}: {EXAMPLES[name].title}"):
            start = time.perf_counter()
            run = example(name)
            took = time.perf_counter() - start
            page = run.html(out / f"{name}.html", force)
        found = measure(run)
        rows.append(
            {
                "example": name,
                "duration": float(run.t[-1]),
                "distance": found.distance,
                "tilt": float(np.degrees(found.tilt)),
                "slide": found.slide,
                "depth": found.depth,
                "balance": float(np.abs(run.energy.balance).max()),
                "took": took,
                "page": str(page),
            }
        )
    if as_json:
        print(json.dumps(rows, indent=2))
        return
    heads = (
        "example",
        "s",
        "walked (m)",
        "tilt (deg)",
        "feet slide (mm)",
        "sink (mm)",
        "energy (J)",
        "took (s)",
        "page",
    )
    table = Table(*heads, box=None, header_style="bold")
    for row in rows:
        name, duration, distance, tilt, slide, depth, balance, took, page = row.values()
        table.add_row(
            str(name),
            f"{duration:.3g}",
            f"{distance:.3f}",
            f"{tilt:.2f}",
            f"{1e3 * float(str(slide)):.2f}",
            f"{1e3 * float(str(depth)):.2f}",
            f"{balance:.0e}",
            f"{took:.1f}",
            str(page),
        )
    console.print(table)
    print("tilt: the largest of the base; slide: of a foot while it stands; energy: the error of its balance")
