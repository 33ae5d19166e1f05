"""redyn reproduce: the figures, tables and exercises of the sources, rebuilt and compared."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from redyn.cli.interrupt import Interrupted
from redyn.cli.options import Force, progress_bar, wide_console

COLOURS = {"agrees": "green", "agrees with repair": "blue", "no printed numbers": "cyan", "differs": "yellow"}


def reproduce(
    items: Annotated[list[str] | None, typer.Argument(help="Names of items (see --list); default: all.")] = None,
    out: Annotated[Path, typer.Option(help="Folder for pictures, pages and numbers.")] = Path("reproduce-output"),
    names: Annotated[bool, typer.Option("--list", help="List the items and exit.")] = False,
    force: Force = False,
) -> None:
    """Rebuild the figures, tables and exercises of the sources, with a verdict on each.

    "agrees" refers to printed numbers and formulas. The sources give no numbers for the curves of most figures: such
    items are compared with an independent computation and with statements of the text, as "no printed numbers".

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

    from redyn.reproduce.item import OUTCOMES
    from redyn.reproduce.rebuild import rebuild, write_index

    unprinted, done, name = False, 0, ""
    table = Table("item", "verdict", "because", box=None, header_style="bold")
    with progress_bar() as progress:
        task = progress.add_task("", total=len(chosen))
        try:
            for item in chosen:
                name = item.name
                progress.update(task, description=name)
                result = rebuild(item, out, force=force)
                done += 1
                colour = "red" if result.unexplained else COLOURS[result.outcome]
                table.add_row(name, Text(result.outcome, colour), result.reason)
                unprinted = unprinted or result.outcome == "no printed numbers"
                progress.advance(task)
        except KeyboardInterrupt:
            raise Interrupted(
                f"interrupted at {name}: {done} of {len(chosen)} items in {out} are complete, its index.html is not"
            ) from None
    index = write_index(out, force)
    console.print(table)
    if unprinted:
        print(f"no printed numbers: {OUTCOMES['no printed numbers']}")
    print(f"wrote {index}")
