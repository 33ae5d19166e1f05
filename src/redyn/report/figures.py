"""Figures for paper and screen (Matplotlib)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redyn.errors import InputError, MissingExtraError
from redyn.files import PICTURE, writing
from redyn.kinematics import capsules, link_poses, place, travel
from redyn.kinematics.bending import bends, bent_lines
from redyn.kinematics.shape import BENDS, LOOSE, bodies, joint_places
from redyn.report.colours import FAINT, FORCE, INK, PATH, joint_colour
from redyn.report.plots import Plot, colour_numbers, plot_colours, shares_legend, short_names, turning
from redyn.report.rolling import wheels
from redyn.report.standing import SLIPS, Contacts, Standing, footprints, weight
from redyn.robot import Robot

Array = NDArray[np.float64]


def blank_figure(width: float, height: float) -> Any:
    """A standalone figure: pyplot's state and the user's backend are left alone."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("matplotlib", "ui", "Drawing a figure") from None
    return Figure(figsize=(width, height), dpi=130, facecolor="white")


def torque_figure(
    robot: Robot, t: Array, q: Array, tau: Array, path: str | Path, title: str, force: bool = False
) -> Path:
    """Draws the robot along its motion and the torque of every joint over time; saves to `path`."""
    names, turns = robot.velocity_names, turning(robot)
    numbers = colour_numbers(robot)
    shown = [i for i, link in enumerate(robot.model.driven) if link.joint.actuated]
    figure, cells = _sheet(robot, q, title, len(shown))
    for i, axes in zip(shown, cells, strict=True):
        colour, unit = joint_colour(numbers[names[i]]), "Nm" if turns[i] else "N"
        _draw_curves(axes, t, tau[:, i : i + 1], [colour], f"{names[i]} ({unit})")
    return saved(figure, path, force)


def run_figure(
    robot: Robot,
    t: Array,
    q: Array,
    plots: Sequence[Plot],
    title: str,
    path: str | Path | None = None,
    force: bool = False,
    standing: Standing | None = None,
) -> Any:
    """The robot along its motion and one chart per plot, as a Matplotlib figure; saved to `path` if one is given.

    `standing`: the ground and the contacts, whose footprints and forces are drawn with the motion.
    """
    figure, cells = _sheet(robot, q, title, len(plots))
    if standing is not None:
        _draw_contacts(figure.axes[0], robot, t, standing.contacts)
    labelled = [list(plot.names) for plot in plots if plot.bars]  # in the same colours
    for k, (plot, axes) in enumerate(zip(plots, cells, strict=True)):
        values = plot.curves(len(t), f"plots[{k}].values")
        if plot.bars:
            _draw_bars(axes, t, values, plot)
            continue
        _draw_curves(axes, t, values, plot_colours(robot, plot), f"{plot.title} ({plot.unit})")
        if len(plot.names) > 8 or list(plot.names) in labelled:  # more names would hide the curves
            continue
        lines, names = axes.get_lines()[1:], [str(name) for name in plot.names]
        if not shares_legend(robot, plot):
            _name_curves(axes, lines, names, fontsize=7)
        elif not figure.legends:
            _name_curves(figure, lines, names, loc=(0.5, 0.925), ncols=8, fontsize=8)
    if path is not None:
        saved(figure, path, force)
    return figure


def _name_curves(place: Any, lines: Any, names: list[str], **options: Any) -> None:
    """A legend with literal names: Matplotlib would parse $ as math, and hide names that begin with _."""
    legend = place.legend(lines, ["curve"] * len(names), frameon=False, labelcolor=INK, **options)
    for text, name in zip(legend.get_texts(), names, strict=True):
        text.set_parse_math(False)
        text.set_text(name)


def _sheet(robot: Robot, q: Array, title: str, charts: int) -> tuple[Any, list[Any]]:
    """A figure with the motion on the left and axes for charts on the right."""
    figure = blank_figure(12, 5.6 if charts <= 6 else 7.6)
    _draw_motion(figure.add_axes((0.0, 0.02, 0.44, 0.86), projection="3d"), robot, q)
    figure.text(0.03, 0.945, title, fontsize=15, fontweight="bold", color=INK, va="center", parse_math=False)
    columns = 2 if charts > 2 else 1
    rows = max(-(-charts // columns), 1)
    grid = figure.add_gridspec(rows, columns, left=0.5, right=0.985, top=0.86, bottom=0.1, hspace=0.38, wspace=0.28)
    cells = [figure.add_subplot(grid[k // columns, k % columns]) for k in range(charts)]
    for axes in cells[-columns:]:
        axes.set_xlabel("time (s)", fontsize=8, color=INK)
    return figure, cells


def _draw_curves(axes: Any, t: Array, values: Array, colours: list[str], title: str) -> None:
    axes.axhline(0, color=FAINT, linewidth=0.6)
    for curve, colour in zip(values.T, colours, strict=True):
        axes.plot(t, curve, color=colour, linewidth=1.8 if len(colours) <= 8 else 1.0)
    dress(axes, title)
    if len(t) > 1:
        axes.set_xlim(t[0], t[-1])  # also where a curve begins later


def _draw_bars(axes: Any, t: Array, values: Array, plot: Plot) -> None:
    """A row of bars for each curve, where it is not zero; the first on top."""
    for k, (curve, colour) in enumerate(zip(values.T, plot.colours([]), strict=True)):
        edges = np.flatnonzero(np.diff(np.concatenate([[False], curve != 0, [False]]))).reshape(-1, 2)
        spans = [(t[a], t[min(b, len(t) - 1)] - t[a]) for a, b in edges]
        axes.broken_barh(spans, (len(plot.names) - k - 0.35, 0.7), facecolors=colour)
    dress(axes, plot.title)
    axes.set_xlim(t[0], t[-1])
    axes.set_ylim(0.4, len(plot.names) + 0.6)
    axes.set_yticks(range(len(plot.names), 0, -1), short_names(plot.names), parse_math=False)


def dress(axes: Any, title: str) -> None:
    """A small chart over time, with its title above and no box."""
    axes.set_title(title, fontsize=9, loc="left", color=INK, pad=3, parse_math=False)
    axes.tick_params(labelsize=7.5, colors=INK)
    axes.margins(x=0)
    axes.yaxis.set_major_formatter("{x:g}")
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def saved(figure: Any, path: str | Path, force: bool = False, **options: Any) -> Path:
    """Saves the figure and returns its path; the extension gives the format (default PNG).

    `options` is passed to Matplotlib's savefig.
    """
    target = Path(path)
    target = target if target.suffix else target.with_suffix(".png")
    ending, known = target.suffix[1:].lower(), figure.canvas.get_supported_filetypes()
    if ending not in known:
        raise InputError(f"{path}: expected a name that ends in {', '.join(f'.{x}' for x in sorted(known))}")
    with writing(target, PICTURE, force) as file:
        figure.savefig(file, format=ending, **options)
    return target


def _rim(wheel: dict[str, Any], poses: Array) -> Array:
    """A circle in the world, at the poses of all links, with a spoke that shows how far the wheel has turned."""
    R, o = poses[wheel["link"], :3, :3], poses[wheel["link"], :3, 3]
    x, z = np.array(wheel["heading"]), np.array(wheel["axis"])
    turn: Array = np.linspace(0.0, 2 * np.pi, 33)
    circle = np.outer(np.cos(turn), x) + np.outer(np.sin(turn), np.cross(z, x))
    return (np.array(wheel["centre"]) + wheel["radius"] * np.vstack([circle, np.zeros(3)])) @ R.T + o


def _draw_contacts(axes: Any, robot: Robot, t: Array, contacts: Contacts) -> None:
    """Footprints, red where they slip, and forces at the instants that are drawn: the weight is a third of the box."""
    span = float(np.ptp(axes.get_xlim()))
    prints = footprints(t, contacts, 0.01 * span)
    axes.scatter(*prints[:, 1:4].T, c=prints[:, 7], cmap="coolwarm", vmin=0.0, vmax=SLIPS, s=9, depthshade=False)
    for k in _instants(len(t)):
        for point, force in zip(contacts.points[k], contacts.forces[k] / weight(robot) * span / 3, strict=True):
            axes.plot(*np.stack([point, point + force]).T, color=FORCE, linewidth=1.4)


def _instants(count: int) -> NDArray[np.int_]:
    return np.linspace(0, count - 1, 7).round().astype(int)


def _draw_motion(axes: Any, robot: Robot, q: Array) -> None:
    shown = _instants(len(q))
    poses = link_poses(robot, q[shown])
    bent = bent_lines(bends(robot), q[shown], poses)
    lines = place([shape for shape in capsules(robot, travel=travel(robot, q)) if shape.piece is None], poses)
    moving = bodies(robot)
    carriers = poses[:, [body.parent for body in moving]]
    sockets = np.array([where.socket for where in joint_places(robot)])
    joints = np.einsum("kjab,jb->kja", carriers[..., :3, :3], sockets) + carriers[..., :3, 3]
    rolling = [wheel for wheel in wheels(robot) if wheel["kind"] != "blade"]
    rims = {wheel["link"] for wheel in rolling}
    attached = [k for k, body in enumerate(moving) if body.kind not in (*LOOSE, BENDS) and body.number not in rims]
    colours = [joint_colour(moving[k].velocity) for k in attached]
    for k in range(len(shown)):
        strength = 0.12 + 0.88 * (k / (len(shown) - 1)) ** 2
        for line in lines[k]:
            axes.plot(*line.T, color=INK, alpha=strength, linewidth=3.4, solid_capstyle="round")
        for line in () if bent is None else bent[k]:
            axes.plot(*line.T, color=INK, alpha=strength, linewidth=2.4, solid_capstyle="round")
        for wheel in rolling:
            axes.plot(*_rim(wheel, poses[k]).T, color=wheel["colour"], alpha=strength, linewidth=2.2)
        if attached:
            axes.scatter(*joints[k, attached].T, color=colours, alpha=strength, s=22, depthshade=False, zorder=3)
    if robot.model.contacts:
        ways = list(zip(robot.rolling_points(q).values(), (wheel["colour"] for wheel in wheels(robot)), strict=True))
    else:
        ways = [(robot.forward_kinematics(q, robot.model.end_effector or robot.frame_names[-1])[:, :3, 3], PATH)]
    for way, colour in ways:
        axes.plot(*way.T, color=colour, linewidth=1.6)
    circles = [_rim(wheel, pose) for wheel in rolling for pose in poses]
    curved = np.zeros((0, 3)) if bent is None else bent.reshape(-1, 3)
    points = np.concatenate([lines.reshape(-1, 3), curved, *(way for way, _ in ways), *circles])
    low, high = points.min(axis=0), points.max(axis=0)
    centre, half = (low + high) / 2, max(float((high - low).max()) / 2, 1e-3)
    for setter, middle in zip((axes.set_xlim, axes.set_ylim, axes.set_zlim), centre, strict=True):
        setter(middle - half, middle + half)
    axes.set_box_aspect((1, 1, 1))
    planar = float((high - low)[2]) < 0.02 * half
    axes.view_init(elev=90 if planar else 22, azim=-90 if planar else -58)
    if robot.model.contacts and (high - low)[2] < half:  # on the floor, with no more room above than is needed
        axes.set_zlim(low[2], low[2] + half)
        axes.set_box_aspect((1, 1, 0.5))
        axes.view_init(elev=38, azim=-58)
    axes.tick_params(labelsize=7, colors=FAINT, pad=0)
    if planar:
        axes.set_zticks([])
    for axis, name in ((axes.xaxis, "x"), (axes.yaxis, "y"), (axes.zaxis, "z")):
        axis.set_pane_color((1, 1, 1, 0))
        axis._axinfo["grid"].update(color="#e4e7eb", linewidth=0.7)
        if not (planar and name == "z"):
            axis.set_label_text(f"{name} (m)", fontsize=8, color=FAINT)
