"""redyn reproduce: the figures, tables and exercises of the sources, rebuilt and compared."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from redyn.cli.options import progress_bar, wide_console

COLOURS = {"agrees": "green", "agrees with repair": "blue", "differs": "yellow"}


def reproduce(
    items: Annotated[list[str] | None, typer.Argument(help="Names of items (see --list); all of them if none.")] = None,
    out: Annotated[Path, typer.Option(help="Folder for pictures, pages and numbers.")] = Path("reproduce-output"),
    names: Annotated[bool, typer.Option("--list", help="Name the items and stop.")] = False,
) -> None:
    """Rebuild the figures, tables and exercises of the sources, with a verdict on each.

    Example: redyn reproduce        Example: redyn reproduce fig-9.11 table-9.1 --out rebuilt
    """
    from redyn.reproduce.registry import select

    chosen = select(items or [])
    console = wide_console()
    if names:
        table = Table("item", "", "source", box=None, header_style="bold")
        for item in chosen:
            table.add_row(item.name, item.title, item.source)
        console.print(table)
        return

    from redyn.reproduce.rebuild import rebuild, write_index

    table = Table("item", "verdict", "because", box=None, header_style="bold")
    with progress_bar() as progress:
        task = progress.add_task("", total=len(chosen))
        for item in chosen:
            progress.update(task, description=item.name)
            result = rebuild(item, out)
            colour = "red" if result.unexplained else COLOURS[result.outcome]
            table.add_row(item.name, Text(result.outcome, colour), result.reason)
            progress.advance(task)
    index = write_index(out)
    console.print(table)
    print(f"wrote {index}")
