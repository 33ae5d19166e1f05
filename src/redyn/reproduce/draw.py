"""Still pictures of an item (Matplotlib)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from redyn.files import PICTURE, writing
from redyn.report.colours import COLOURS, FAINT, INK, PATH, joint_colour
from redyn.report.figures import blank_figure, saved
from redyn.reproduce.bodies import TRIAD, box, curve_colours, frame_labels, frames, strokes
from redyn.reproduce.diagram import AXES
from redyn.reproduce.draw_diagram import draw_diagram
from redyn.reproduce.item import Array, Bars, Item, Panel, Result, Scene

SMALL = 0.4  # size of a thumbnail, relative to the picture


def picture(item: Item, result: Result, path: Path, small: Path, force: bool = False) -> bool:
    """Writes the item's picture at full size and as a thumbnail; False if there is nothing to draw."""
    figure = drawing(item, result)
    if figure is None:
        return False
    saved(figure, path, force)
    _thumbnail(path, small, force)
    return True


def _thumbnail(path: Path, small: Path, force: bool) -> None:
    """The picture reduced, rather than drawn a second time."""
    from PIL import Image  # Matplotlib needs it too

    with Image.open(path) as whole, writing(small, PICTURE, force) as file:
        width, height = (round(x * SMALL) for x in whole.size)
        whole.convert("RGB").resize((width, height), Image.Resampling.LANCZOS).save(file, "PNG")


def drawing(item: Item, result: Result) -> Any:
    """The Matplotlib figure of an item, or None."""
    flat = [*result.panels, *result.bars]
    pictures = [*result.scenes, *result.diagrams]
    if not flat and not pictures:
        return None
    columns = 1 if len(flat) in (1, 3) else 2 if len(flat) <= 6 else 3
    rows = -(-len(flat) // columns)
    left = 0.46 if pictures and flat else 0.19 if result.bars and columns == 1 else 0.075
    across = min(3, len(pictures))  # pictures in a row
    size = 6.4 if across < 3 else 4.6
    height = max(5.2, 0.9 + 1.55 * rows) if rows else size * -(-len(pictures) // across)
    width = 12.0 if flat else size * across
    figure = blank_figure(width, height)
    legend = any(len(panel.curves) > 1 for panel in result.panels)
    inside = len(flat) == 1 or bool(result.bars)  # if it fits into the first panel
    head = 0.75 if flat else 1.0
    top = 1 - (head + (0.3 if legend and not inside else 0.0)) / height  # a separate line for the legend
    share = (0.42 if flat else 1.0) / max(1, across)
    lines = -(-len(pictures) // max(1, across))
    for k, shown in enumerate(pictures):
        line, column = divmod(k, across)
        tall = (top - 0.01) / lines
        place = (column * share + 0.01, top - (line + 1) * tall + 0.05 / lines, share - 0.03, tall - 0.06 / lines)
        if isinstance(shown, Scene):
            _robot(figure, place, shown, titled=not flat)
        else:
            draw_diagram(figure, place, shown)
    if flat:
        grid = figure.add_gridspec(
            rows,
            columns,
            left=left,
            right=0.985,
            top=top,
            bottom=0.62 / height,
            hspace=0.55,
            wspace=0.5 if result.bars else 0.24,
        )
        for i, part in enumerate(flat):
            axes = figure.add_subplot(grid[i // columns, i % columns])
            if isinstance(part, Panel):
                lowest = i + columns >= len(flat)
                _panel(axes, part, i, curve_colours(result.panels), lowest)
            else:
                _bars(axes, part)
    if legend:
        _legend(figure, result.panels, inside, 1 - 0.62 / height)
    line = 1 - 0.3 / height
    figure.text(0.02, line, item.title, fontsize=15 if flat else 12, fontweight="bold", color=INK, va="center")
    if flat:
        figure.text(0.98, line, item.source, fontsize=9, color=FAINT, va="center", ha="right")
    else:  # a narrow picture has no space next to its title
        figure.text(0.02, 1 - 0.55 / height, item.source, fontsize=9, color=FAINT, va="center")
    return figure


def _plain(axes: Any) -> None:
    axes.tick_params(labelsize=7.5, colors=INK)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def _panel(axes: Any, panel: Panel, number: int, colours: Mapping[str, str], x_label: bool) -> None:
    axes.axhline(0, color=FAINT, linewidth=0.6)
    for curve in panel.curves:
        colour = joint_colour(number % 6) if len(panel.curves) == 1 else colours[curve.label]
        style = "--" if curve.dashed else "-"
        axes.plot(panel.x, curve.y, style, color=colour, linewidth=1.7, label=curve.label)
    middle = float(panel.x[0] + panel.x[-1]) / 2
    for k, (label, x) in enumerate(panel.marks.items()):
        axes.axvline(x, color=colours.get(label, PATH), linewidth=1.1, linestyle=":")
        if label in colours:
            continue
        axes.annotate(
            label,
            (x, 0.97 - 0.12 * k),
            xycoords=("data", "axes fraction"),
            fontsize=6.5,
            color=PATH,
            va="top",
            ha="left" if x < middle else "right",
            xytext=(3 if x < middle else -3, 0),
            textcoords="offset points",
        )
    axes.set_title(panel.title, fontsize=9, loc="left", color=INK, pad=3)
    axes.margins(x=0)
    if panel.limits:
        axes.set_ylim(*panel.limits)
    axes.yaxis.set_major_formatter("{x:g}")
    _plain(axes)
    if x_label:
        axes.set_xlabel(panel.x_label, fontsize=8, color=INK)


def _legend(figure: Any, panels: Sequence[Panel], inside: bool, line: float) -> None:
    """One legend for the whole picture: in the first panel if it fits, else on a line below the title."""
    curves = {curve.label: curve for panel in panels for curve in panel.curves}
    colours = curve_colours(panels)
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], color=colours[label], linestyle="--" if curve.dashed else "-", linewidth=1.7, label=label)
        for label, curve in curves.items()
    ]
    if inside:
        figure.axes[0].legend(handles=handles, fontsize=7, frameon=False)
    else:
        place = {"loc": "center left", "bbox_to_anchor": (0.012, line)}
        figure.legend(handles=handles, fontsize=8, frameon=False, ncols=8, **place)


def explained(bars: Bars) -> str:
    """The title, with the meaning of the two shades of a bar."""
    first, *rest = bars.heights
    return f"{bars.title} ({first} strong, {' '.join(rest)} pale)"


def _bars(axes: Any, bars: Bars) -> None:
    names = list(bars.heights)
    positions = range(len(bars.labels))
    for k, name in enumerate(names):
        thick = 0.8 / len(names)
        shades = [PATH if label in bars.highlight else COLOURS[0] for label in bars.labels]
        axes.barh(
            [p + (k - (len(names) - 1) / 2) * thick for p in positions],
            bars.heights[name],
            thick * 0.92,
            color=shades,
            alpha=1.0 if k == 0 else 0.5,
            label=name,
        )
        for p, height in zip(positions, bars.heights[name], strict=True):
            y = p + (k - (len(names) - 1) / 2) * thick
            axes.text(height, y, f" {height:.0f}", fontsize=6.5, va="center", color=INK)
    axes.set_yticks(list(positions), bars.labels)
    axes.invert_yaxis()
    axes.set_title(explained(bars), fontsize=9, loc="left", color=INK)
    _plain(axes)


def _robot(figure: Any, rect: tuple[float, float, float, float], scene: Scene, titled: bool) -> None:
    """Planar scenes seen from above, others in perspective."""
    around = box(scene)
    left, bottom, width, height = rect
    if around.planar:
        axes = figure.add_axes((left + 0.13 * width, bottom + 0.09 * height, 0.82 * width, 0.84 * height))
        axes.set_aspect("equal")
        axes.grid(color="#e4e7eb", linewidth=0.7)
        _plain(axes)
    else:
        axes = figure.add_axes(rect, projection="3d")
        axes.set_box_aspect((1, 1, 1), zoom=1.05)
        axes.view_init(elev=22, azim=-58)
    size = 2 if around.planar else 3
    inches = width * figure.get_figwidth() * (0.8 if around.planar else 0.5)
    points_per_metre = inches * 72 / (2 * around.half)
    slim = 0.4 if scene.frames else 1.0  # keep the frames visible
    for stroke in strokes(scene):
        thick = max(1.5, 2 * stroke.radius * points_per_metre * slim)
        axes.plot(
            *stroke.ends.T[:size],
            color=stroke.colour,
            alpha=stroke.strength * (0.6 if scene.frames else 1.0),
            linewidth=thick,
            solid_capstyle="round",
        )
    if scene.path is not None:
        axes.plot(*scene.path.T[:size], color=PATH, linewidth=1.4)
    if scene.frames:
        _triads(axes, frames(scene), TRIAD * around.half, size)
    for name, middle in zip("xyz"[:size], around.centre, strict=False):
        getattr(axes, f"set_{name}lim")(middle - around.half, middle + around.half)
        axis = getattr(axes, f"{name}axis")
        axis.set_label_text(f"{name} (m)", fontsize=8, color=FAINT)
        if not around.planar:
            axis.set_pane_color((1, 1, 1, 0))
            axis._axinfo["grid"].update(color="#e4e7eb", linewidth=0.7)
    axes.tick_params(labelsize=7, colors=FAINT, pad=2)
    if titled:
        axes.set_title(scene.title, fontsize=9, color=INK)


def _triads(axes: Any, poses: Array, length: float, size: int) -> None:
    """The axes of the book's frames, numbered from 1 (the ground); in a plane, z is a dot towards the viewer."""
    for pose in poses:
        origin = pose[:3, 3]
        for k, colour in enumerate(AXES[:size]):
            tip = origin + length * pose[:3, k]
            axes.plot(*np.stack([origin, tip]).T[:size], color=colour, linewidth=1.6)
        if size == 2:
            axes.plot(*origin[:2], "o", color=AXES[2], markersize=4)
    for origin, numbers in frame_labels(poses):
        axes.text(*(origin + 0.3 * length)[:size], numbers, fontsize=9, fontweight="bold", color=INK)
