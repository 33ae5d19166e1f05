"""Interactive figures of an item (Plotly), as pieces of HTML that expect plotly.min.js on the page."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from redyn.errors import MissingExtraError
from redyn.report.colours import COLOURS, INK, PATH, joint_colour
from redyn.reproduce.bodies import TRIAD, box, curve_colours, frames, strokes
from redyn.reproduce.diagram import AXES
from redyn.reproduce.draw import explained
from redyn.reproduce.item import Bars, Panel, Result, Scene

CONFIG = {"responsive": True, "displaylogo": False}


def divisions(result: Result) -> list[str]:
    """One piece of HTML per figure."""
    figures: list[Any] = []
    if result.panels:
        figures.append(_panels(result.panels))
    figures += [_bars(bars) for bars in result.bars]
    figures += [_robot(scene) for scene in result.scenes]
    return [figure.to_html(full_html=False, include_plotlyjs=False, config=CONFIG) for figure in figures]


def _plotly(module: str) -> Any:
    try:
        return import_module(f"plotly.{module}")
    except ImportError:
        raise MissingExtraError("plotly", "ui", "An interactive figure") from None


def _style(figure: Any, height: int, legend: int = 0) -> Any:
    """`legend`: number of legend rows above the figure; titles are below them."""
    above = 22 * legend
    figure.update_layout(
        height=height + above,
        template="plotly_white",
        margin={"l": 50, "r": 20, "t": 44 + above, "b": 40},
        font={"color": INK, "size": 12},
        legend={"orientation": "h", "yref": "container", "y": 1, "yanchor": "top", "x": 0, "xanchor": "left"},
    )
    return figure


def _rows(labels: Any) -> int:
    """Approximate number of legend rows for these names: about 150 characters fit in a row."""
    return -(-sum(len(label) + 8 for label in labels) // 150)


def _panels(panels: Any) -> Any:
    go, make_subplots = _plotly("graph_objects"), _plotly("subplots").make_subplots
    columns = 1 if len(panels) in (1, 3) else 2 if len(panels) <= 6 else 3
    rows = -(-len(panels) // columns)
    figure: Any = make_subplots(
        rows, columns, subplot_titles=[p.title for p in panels], vertical_spacing=0.32 / rows, horizontal_spacing=0.07
    )
    colours, seen = curve_colours(panels), set[str]()
    several = max(len(panel.curves) for panel in panels) > 1
    for i, panel in enumerate(panels):
        where = {"row": i // columns + 1, "col": i % columns + 1}
        _curves(go, figure, panel, i, where, colours, seen)
        if i + columns >= len(panels):
            figure.update_xaxes(title_text=panel.x_label, **where)
    figure.update_layout(showlegend=several)
    figure.update_xaxes(matches="x")
    return _style(figure, max(380, 215 * rows + 60), _rows(colours) if several else 0)


def _curves(
    go: Any, figure: Any, panel: Panel, number: int, where: dict[str, int], colours: dict[str, str], seen: set[str]
) -> None:
    alone = len(panel.curves) == 1
    for curve in panel.curves:
        line = {
            "color": joint_colour(number % 6) if alone else colours[curve.label],
            "dash": "dash" if curve.dashed else "solid",
        }
        figure.add_trace(
            go.Scatter(
                x=panel.x,
                y=curve.y,
                mode="lines",
                name=curve.label,
                legendgroup=curve.label,
                line=line,
                showlegend=not alone and curve.label not in seen,
            ),
            **where,
        )
        seen.add(curve.label)
    if panel.limits:
        figure.update_yaxes(range=list(panel.limits), **where)
    for label, x in panel.marks.items():
        line = {"color": colours.get(label, PATH), "dash": "dot", "width": 1.5}
        note = {} if label in colours else {"annotation": {"text": label, "font_size": 10}}
        figure.add_vline(x=x, line=line, **note, **where)


def _bars(bars: Bars) -> Any:
    go = _plotly("graph_objects")
    figure: Any = go.Figure()
    for k, (name, heights) in enumerate(bars.heights.items()):
        shades = [PATH if label in bars.highlight else COLOURS[0] for label in bars.labels]
        figure.add_trace(
            go.Bar(
                y=list(bars.labels),
                x=list(heights),
                name=name,
                orientation="h",
                text=[f"{x:.0f}" for x in heights],
                marker={"color": shades, "opacity": 1.0 if k == 0 else 0.5},
            )
        )
    figure.update_yaxes(autorange="reversed")
    figure.update_layout(title=explained(bars), showlegend=False)  # the title explains the two shades
    return _style(figure, 120 + 44 * len(bars.labels))


def _robot(scene: Scene) -> Any:
    go = _plotly("graph_objects")
    figure: Any = go.Figure()
    bounds = box(scene)

    def add(points: Any, colour: str, width: float) -> None:
        x, y, z = np.asarray(points).T
        figure.add_trace(
            go.Scatter3d(
                x=x,
                y=y,
                z=z,
                mode="lines",
                line={"color": colour, "width": width},
                showlegend=False,
                hoverinfo="skip",
            )
        )

    slim = 0.4 if scene.frames else 1.0  # keep the frames visible
    for stroke in strokes(scene):
        strong = stroke.strength == 1.0  # overlapping thick lines flicker, so the faint states are thin
        add(stroke.ends, stroke.colour, max(4.0, 400 * slim * stroke.radius / bounds.half) if strong else 3.0)
    if scene.path is not None:
        add(scene.path, PATH, 4)
    if scene.frames:
        for pose in frames(scene):
            for k, colour in enumerate(AXES):
                add([pose[:3, 3], pose[:3, 3] + TRIAD * bounds.half * pose[:3, k]], colour, 4)
    ranges = {
        f"{name}axis": {"range": [middle - bounds.half, middle + bounds.half], "title": f"{name} (m)"}
        for name, middle in zip("xyz", bounds.centre.tolist(), strict=True)
    }
    eye = {"x": 0, "y": 0, "z": 2.1} if bounds.planar else {"x": 1.1, "y": -1.5, "z": 0.8}
    up = {"x": 0, "y": 1, "z": 0} if bounds.planar else {"x": 0, "y": 0, "z": 1}
    figure.update_layout(title=scene.title, scene={**ranges, "aspectmode": "cube", "camera": {"eye": eye, "up": up}})
    return _style(figure, 560)
