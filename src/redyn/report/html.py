"""A motion as one HTML file: the robot in 3D with a player and synchronised plots.

The file is self-contained and needs no network. Everything in it but the title and the notes
is gzip in base64: small, and names from untrusted files cannot end a script. The page itself inserts them
as text, never as HTML.
"""

from __future__ import annotations

import base64
import gzip
import html
import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redyn.files import HTML, write
from redyn.kinematics import Clearance
from redyn.report.bundles import plotly_js, three_js
from redyn.report.plots import Cross, Curves, Other, Plot, curves, shares_legend, short_names
from redyn.report.scene import Carried, Pushed, motion, pack_floats, scene
from redyn.report.shapes import Meshes
from redyn.report.standing import Standing
from redyn.robot import Robot

Array = NDArray[np.float64]

__all__ = ["Plot", "Second", "packed_page", "viewer_text", "write_html"]

# Each may import the previous ones.
MODULES = ("solids", "contact", "bending", "viewer", "player", "deflection", "charts", "page")
SHOWN = ("trace", "tracks", "centre", "forces", "prints", "pressure")
POINTS = 4000  # approximate number of points of a curve; longer ones are thinned, keeping their peaks


class Second(NamedTuple):
    """A second run to compare, side by side in 3D."""

    scene: dict[str, Any]  # see `redyn.report.scene.scene`
    labels: tuple[str, str]  # labels of the two


def write_html(
    path: str | Path,
    robot: Robot,
    t: ArrayLike,
    q: ArrayLike,
    plots: Sequence[Plot],
    *,
    title: str,
    notes: Sequence[str] = (),
    touching: Clearance | None = None,
    shown: Collection[str] = SHOWN,
    opens: float = 0.0,
    force: bool = False,
    meshes: Meshes | None = None,
    second: Second | None = None,
    others: Sequence[Sequence[Other]] = (),
    crosses: Sequence[Cross] = (),
    appendix: str = "",
    payload: Carried | None = None,
    pushes: Sequence[Pushed] = (),
    rates: ArrayLike | None = None,
    standing: Standing | None = None,
) -> Path:
    """Writes a page that plays the motion `q` (N, dof) at the times `t` (N,) and shows the plots; returns its path.

    `touching` is the clearance along the same motion, computed if not given. `shown` are the initial switches: trace,
    axes, frames, masses, tracks, centre, forces, cones, prints, pressure, follow. The page opens at `opens` seconds
    after the first time. `force` replaces a file that is not a page of redyn's. `meshes`: see `scene`. `second`: a run
    to compare with. `others`: for each plot, the curves of other runs, dashed. `crosses`: further charts. `appendix`:
    HTML of the caller's own that follows below, such as tables; it is not escaped. `payload` and `pushes` are drawn
    with the robot, as are the tracks of wheels, whose turning centre follows from `rates` (N, dof), the ground and
    contacts of `standing`.
    """
    times, values = motion(robot, t, q)
    first = scene(
        robot,
        times,
        values,
        touching,
        meshes=meshes,
        payload=payload,
        pushes=pushes,
        rates=rates,
        standing=standing,
    )
    dashed = others or [()] * len(plots)
    scenes = [first]
    if second is not None:
        labelled = zip((first, second.scene), second.labels, strict=True)
        scenes = [{**one, "label": label} for one, label in labelled]
    data = {
        "scenes": scenes,
        "start": float(times[0]),
        "duration": float(times[-1] - times[0]),
        "shown": list(shown),
        "opens": float(opens),
        "plots": [
            _plot_data(robot, times, plot, more, f"plots[{k}]")
            for k, (plot, more) in enumerate(zip(plots, dashed, strict=True))
        ]
        + [cross_chart(cross, pack_floats) for cross in crosses],
    }
    libraries = {"plotly": plotly_js().read_bytes()}
    return packed_page(path, title, notes, data, MODULES, libraries, appendix, force)


def packed_page(
    path: str | Path,
    title: str,
    notes: Sequence[str],
    data: dict[str, Any],
    modules: Sequence[str],
    libraries: Mapping[str, bytes] = MappingProxyType({}),
    appendix: str = "",
    force: bool = False,
    own: Mapping[str, bytes] = MappingProxyType({}),
    style: str = "",
) -> Path:
    """Writes a page that runs `start(three, loadPlotly, data)` of the last of our modules, each of which may import the
    previous ones. `own`: further modules and `style`: further rules, which come after those of this package.
    """
    return write(path, packed_text(title, notes, data, modules, libraries, appendix, own, style), HTML, force)


def viewer_text(
    robot: Robot,
    t: ArrayLike,
    q: ArrayLike,
    title: str,
    *,
    touching: Clearance | None = None,
    payload: Carried | None = None,
    pushes: Sequence[Pushed] = (),
    rates: ArrayLike | None = None,
    standing: Standing | None = None,
) -> str:
    """The text of a page with the robot in 3D and its player, without plots, which would make it five times as long."""
    times, values = motion(robot, t, q)
    data = {
        "scenes": [
            scene(robot, times, values, touching, payload=payload, pushes=pushes, rates=rates, standing=standing)
        ],
        "start": float(times[0]),
        "duration": float(times[-1] - times[0]),
        "shown": list(SHOWN),
        "opens": 0.0,
        "plots": list[Any](),
    }
    return packed_text(title, (), data, MODULES)


def packed_text(
    title: str,
    notes: Sequence[str],
    data: dict[str, Any],
    modules: Sequence[str],
    libraries: Mapping[str, bytes] = MappingProxyType({}),
    appendix: str = "",
    own: Mapping[str, bytes] = MappingProxyType({}),
    style: str = "",
) -> str:
    """The text of such a page."""
    here = files("redyn.report")
    packed = {
        "three": three_js().read_bytes(),
        **libraries,
        **{name: here.joinpath(f"{name}.js").read_bytes() for name in modules},
        **own,
        "data": json.dumps(data, allow_nan=False).encode(),
    }
    parts = {
        "title": html.escape(title),
        "notes": "".join(f'<li title="{html.escape(note)}">{html.escape(note)}</li>' for note in notes),
        "style": here.joinpath("page.css").read_text("utf-8") + style,
        "modules": json.dumps([*modules, *own]),
        "appendix": appendix and f'<section id="appendix" data-testid="appendix">{appendix}</section>',
        "packed": "\n".join(_pack(name, content) for name, content in packed.items()),
    }
    template = here.joinpath("page.html").read_text("utf-8")
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], template)  # in one pass: parts may hold {{...}}


def _pack(name: str, content: bytes) -> str:
    body = base64.b64encode(gzip.compress(content, mtime=0)).decode("ascii")  # no time stamp: deterministic output
    return f'<script type="text/plain" id="packed-{name}">{body}</script>'


def _plot_data(robot: Robot, t: Array, plot: Plot, others: Sequence[Other], where: str) -> dict[str, Any]:
    drawn = curves(robot, t, plot, others, f"{where}.values")
    return {**chart(t, plot, drawn, pack_floats), "joints": shares_legend(robot, plot)}


def chart(t: Array, plot: Plot, drawn: Curves, pack: Callable[[Array], str]) -> dict[str, Any]:
    """Data for charts.js: packed numbers, curve after curve; long curves are thinned, keeping their peaks."""
    keep = worth_drawing(drawn.values)
    red = drawn.red
    return {
        "title": plot.title,
        "unit": plot.unit,
        "joints": drawn.joints,
        "legend": drawn.legend,
        "names": drawn.names,
        "colours": drawn.colours,
        "dashes": drawn.dashes,
        "t": pack(t[keep]),
        "values": pack(drawn.values[keep].T),
        "red": red,
        "beyond": _pack_flags(drawn.beyond[keep][:, red].T),
        "lines": [float(x) for x in plot.lines],
        "bars": plot.bars,
        "ticks": short_names(plot.names) if plot.bars else [],
    }


def cross_chart(cross: Cross, pack: Callable[[Array], str]) -> dict[str, Any]:
    """The same for curves that have their own times, which are thinned one by one."""
    lines = [(line, worth_drawing(np.column_stack([line.x, line.y]))) for line in cross.lines]
    return {
        "title": cross.title,
        "unit": cross.unit,
        "against": cross.against,
        "joints": False,
        "legend": len(lines),
        "names": [line.name for line, _ in lines],
        "colours": [line.colour for line, _ in lines],
        "dashes": [line.dash for line, _ in lines],
        "t": "",
        "values": "",
        "ts": [pack(line.t[keep]) for line, keep in lines],
        "xs": [pack(line.x[keep]) for line, keep in lines],
        "ys": [pack(line.y[keep]) for line, keep in lines],
        "red": [],
        "beyond": "",
        "lines": [],
    }


def _pack_flags(flags: NDArray[np.bool_]) -> str:
    """One byte each, in base64."""
    return base64.b64encode(np.ascontiguousarray(flags, dtype=np.uint8).tobytes()).decode("ascii")


def worth_drawing(values: Array) -> NDArray[np.intp]:
    """Rows to keep: all of a short motion; else the minimum and maximum of each curve in equal intervals."""
    count, width = values.shape
    if count <= POINTS:
        return np.arange(count, dtype=np.intp)
    stretch = -(-count // max(POINTS // (2 * width), 100))
    keep = {0, count - 1}
    comparable = np.nan_to_num(values)
    for k in range(0, count, stretch):
        part = comparable[k : k + stretch]
        keep.update((k + part.argmin(axis=0)).tolist(), (k + part.argmax(axis=0)).tolist())
    return np.array(sorted(keep), dtype=np.intp)
