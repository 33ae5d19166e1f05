"""Labelled drawings with Matplotlib."""

from __future__ import annotations

from typing import Any

import numpy as np

from redyn.report.colours import INK
from redyn.reproduce.diagram import Arrow, Diagram, Point


def draw_diagram(figure: Any, rect: tuple[float, float, float, float], diagram: Diagram) -> None:
    axes = figure.add_axes(rect)
    axes.set_aspect("equal")
    axes.axis("off")
    for line in diagram.lines:
        axes.plot(
            *line.points.T,
            color=line.colour,
            linewidth=line.width,
            linestyle="--" if line.dashed else "-",
            alpha=line.strength,
            solid_capstyle="round",
        )
    for arrow in diagram.arrows:
        _arrow(axes, arrow)
    for point in diagram.points:
        axes.plot(*point.at, point.marker, color=point.colour, markersize=5)
        _label(axes, point)
    for text in diagram.texts:
        _label(axes, text)
    _limits(axes, diagram)
    axes.set_title(diagram.title, fontsize=9, color=INK)


def _arrow(axes: Any, arrow: Arrow) -> None:
    style = {"arrowstyle": "<->" if arrow.double else "-|>", "color": arrow.colour, "linewidth": 1.4}
    axes.annotate("", arrow.end, arrow.start, arrowprops={**style, "shrinkA": 0, "shrinkB": 0})
    where = arrow.end if arrow.at_tip else (arrow.start + arrow.end) / 2
    _label(axes, Point(where, arrow.label, arrow.colour, offset=arrow.offset))


def _label(axes: Any, point: Point) -> None:
    axes.annotate(
        point.label, point.at, xytext=point.offset, textcoords="offset points", color=point.colour, fontsize=11
    )


def _limits(axes: Any, diagram: Diagram) -> None:
    """Everything, with a margin; annotations do not count for Matplotlib's own limits."""
    parts = [line.points for line in diagram.lines]
    parts += [np.stack([arrow.start, arrow.end]) for arrow in diagram.arrows]
    parts += [point.at[None] for point in (*diagram.points, *diagram.texts)]
    everything = np.concatenate(parts)
    low, high = everything.min(axis=0), everything.max(axis=0)
    margin = 0.09 * float((high - low).max())
    axes.set_xlim(low[0] - margin, high[0] + margin)
    axes.set_ylim(low[1] - margin, high[1] + margin)
