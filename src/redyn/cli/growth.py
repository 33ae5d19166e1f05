"""redyn count --growth: growth of operation counts, and times, with the number of joints."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.table import Table

from redyn import files
from redyn.cli.options import bold, wide_console, working

if TYPE_CHECKING:
    from redyn.bench.growth import Timing
    from redyn.reproduce.complexity import Complexity, Row

SHOWN = (6, 7, 10, 16)


def show_growth(time: bool, png: Path | None, as_json: bool, force: bool) -> None:
    files.check_all([("--png", png, files.PICTURE)], force)
    from redyn.bench.growth import faster_from, growth
    from redyn.reproduce.complexity import complexity
    from redyn.reproduce.complexity_figure import complexity_figure

    with working("counting") as say:
        found = complexity(say)
        times = growth(tick=say) if time else []
    if png is not None:
        complexity_figure(found, png, times, faster_from(times), force)
    if as_json:
        print(json.dumps(_data(found, times)))
        return
    console = wide_console()
    _table("Inverse dynamics, Table 9.1", found.inverse)
    _table("Forward dynamics with phi given, Table 9.6 and Table I of Saha (2003)", found.forward)
    _table(
        "Full forward dynamics by redyn's two algorithms, and the mass matrix",
        [found.recursion, found.cholesky, found.mass_matrix],
    )
    console.print(bold("\nNumber of joints from which O(n) is cheaper than O(n³)"))
    table = Table("", "in multiplications", "in all operations", box=None, header_style="bold")
    for row in found.forward:
        if row is not found.published_cholesky:
            table.add_row(
                f"{row.name}, against {found.published_cholesky.name}", *_even(found, row, found.published_cholesky)
            )
    table.add_row("redyn, full forward dynamics, against its own O(n³)", *_even(found, found.recursion, found.cholesky))
    console.print(table)
    if times:
        _show_times(times)
    if png is not None:
        print(f"wrote {png}")


def _even(found: Complexity, one: Row, other: Row) -> tuple[str, str]:
    multiplications, together = found.break_even(one, other)
    return f"n = {multiplications}", f"n = {together}"


def _table(title: str, rows: Sequence[Row]) -> None:
    console = wide_console()
    console.print(bold(f"\n{title}"))
    heads = ["", "multiplications", "additions", *(f"all, n = {n}" for n in SHOWN)]
    table = Table(*heads, box=None, header_style="bold")
    for row in rows:
        table.add_row(row.name, str(row.multiplications), str(row.additions), *(f"{row.total(n):.0f}" for n in SHOWN))
    console.print(table)


def _show_times(times: Sequence[Timing]) -> None:
    from redyn.bench.growth import BATCH, faster_from

    console = wide_console()
    console.print(bold(f"\nForward dynamics measured here, ns per state in batches of {BATCH}, one thread"))
    table = Table("joints", "order n", "order n³", "", box=None, header_style="bold")
    for row in times:
        table.add_row(str(row.n), f"{row.recursive:.1f}", f"{row.cholesky:.1f}", f"{row.cholesky / row.recursive:.2f}x")
    console.print(table)
    n = faster_from(times)
    console.print(f"O(n) is faster from n = {n} on" if n is not None else "O(n) is not faster up to there")


def _data(found: Complexity, times: Sequence[Timing]) -> dict[str, object]:
    def rows(some: Sequence[Row]) -> list[dict[str, str]]:
        return [
            {"name": row.name, "multiplications": str(row.multiplications), "additions": str(row.additions)}
            for row in some
        ]

    multiplications, together = found.break_even(found.recursion, found.cholesky)
    return {
        "inverse": rows(found.inverse),
        "forward": rows(found.forward),
        "whole_forward": rows([found.recursion, found.cholesky]),
        "break_even": {"multiplications": multiplications, "operations": together},
        "times": [row._asdict() for row in times],
    }
