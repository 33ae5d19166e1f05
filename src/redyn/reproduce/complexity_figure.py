"""The growth of operation counts, and of times if measured, as a figure (Matplotlib)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from redyn.report.colours import COLOURS, FAINT, INK, OTHERS, PATH
from redyn.report.figures import blank_figure, saved
from redyn.reproduce.complexity import SHORTEST, Complexity, Row
from redyn.reproduce.published import FORWARD, INVERSE

LENGTHS = range(SHORTEST, 17)
PALETTE = [colour for colour in (*COLOURS, *OTHERS) if colour != PATH]


Times = Sequence[tuple[int, float, float]]  # joints, nanoseconds by the O(n) and the O(n³) algorithm


def complexity_figure(
    found: Complexity, path: str | Path, times: Times = (), faster_from: int | None = None, force: bool = False
) -> None:
    """Every row of the tables and ours, and the break-even with O(n³) by count and, if measured, by time."""
    count = 4 if times else 3
    figure = blank_figure(5.0 * count, 7.4)
    grid = figure.add_gridspec(1, count, left=0.16 / count, right=0.99, top=0.88, bottom=0.36, wspace=0.22)
    axes = [figure.add_subplot(grid[0, k]) for k in range(count)]
    _counts(axes[0], found.inverse, "inverse dynamics (Table 9.1)")
    _counts(axes[1], found.forward, "forward dynamics, phi given (Tables 9.6 and I)")
    _crossing(axes[2], found)
    if times:
        _times(axes[3], times, faster_from)
    title = "Operations versus number of joints"
    figure.text(0.06 / count, 0.955, title, fontsize=15, fontweight="bold", color=INK, va="center")
    saved(figure, path, force)


def _plain(axes: Any, title: str, y_label: str) -> None:
    axes.set_title(title, fontsize=10, loc="left", color=INK, pad=6)
    axes.set_xlabel("joints", fontsize=9, color=INK)
    axes.set_ylabel(y_label, fontsize=9, color=INK)
    axes.tick_params(labelsize=8, colors=INK)
    axes.margins(x=0)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def _legend(axes: Any) -> None:
    axes.legend(fontsize=8, frameon=False, labelcolor=INK, loc="upper left", bbox_to_anchor=(-0.06, -0.13))


def _label(row: Row) -> str:
    """The name and the formulas, on two lines if they are long."""
    text = f"{row.name}: {row.multiplications} M, {row.additions} A"
    return text if len(text) <= 60 else f"{row.name}:\n{row.multiplications} M,\n{row.additions} A"


def _counts(axes: Any, rows: list[Row], title: str) -> None:
    """Orders the legend like the right ends of the curves, from top to bottom."""
    authors = list(dict.fromkeys([*INVERSE, *FORWARD]))  # each has one colour in all panels
    colours = {row.name: PATH if row is rows[0] else PALETTE[authors.index(row.name)] for row in rows}
    for row in sorted(rows, key=lambda row: -row.total(LENGTHS[-1])):
        own, cubic = row is rows[0], len(row.multiplications.coefficients) > 2
        axes.plot(
            LENGTHS, [row.total(n) for n in LENGTHS], color=colours[row.name], linewidth=2.6 if own else 1.2,
            linestyle="--" if cubic else "-", label=_label(row),
        )  # fmt: skip
    _plain(axes, title, "multiplications + additions")
    axes.set_yscale("log")  # or the longest label would squeeze the others
    ticks = [500, 1000, 2000, 5000, 10000]
    axes.set_yticks(ticks, [str(tick) for tick in ticks])
    axes.set_yticks([], minor=True)
    _legend(axes)


def _crossing(axes: Any, found: Complexity) -> None:
    for row, colour, style in ((found.cholesky, COLOURS[0], "--"), (found.recursion, PATH, "-")):
        axes.plot(LENGTHS, [row.total(n) for n in LENGTHS], style, color=colour, linewidth=2.2, label=_label(row))
    _, n = found.break_even(found.recursion, found.cholesky)
    _mark(axes, n, found.recursion.total(n), f"O(n) is cheaper from n = {n}")
    _plain(axes, "full forward dynamics, redyn's two algorithms", "multiplications + additions")
    axes.set_ylim(bottom=0)
    _legend(axes)


def _mark(axes: Any, n: float, value: float, text: str) -> None:
    axes.axvline(n, color=FAINT, linewidth=0.8)
    axes.plot([n], [value], "o", color=INK, markersize=5)
    axes.annotate(text, (n, value), xytext=(8, -16), textcoords="offset points", fontsize=8.5, color=INK)


def _times(axes: Any, times: Times, faster_from: int | None) -> None:
    lengths, recursive, cholesky = zip(*times, strict=True)
    axes.plot(lengths, cholesky, "--o", color=COLOURS[0], markersize=3, label="O(n³) (Cholesky)")
    axes.plot(lengths, recursive, "-o", color=PATH, markersize=3, label="order n")
    if faster_from is not None:
        _mark(axes, faster_from, recursive[lengths.index(faster_from)], f"O(n) is faster from n = {faster_from}")
    _plain(axes, "full forward dynamics, measured here", "nanoseconds per state")
    axes.set_ylim(bottom=0)
    _legend(axes)
