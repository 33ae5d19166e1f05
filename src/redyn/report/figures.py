"""Figures for paper and screen (Matplotlib)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redyn.errors import MissingExtraError
from redyn.robot import Robot

Array = NDArray[np.float64]

INK, FAINT, PATH = "#1f2933", "#9aa5b1", "#d1495b"
COLOURS = ("#1b6ca8", "#d1495b", "#2e933c", "#e08e0b", "#6f2dbd", "#0f8b8d", "#8d5524")


def _pyplot() -> Any:
    try:
        import matplotlib
    except ImportError:
        raise MissingExtraError("matplotlib", "ui", "Drawing a figure") from None
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    return plt


def skeleton(robot: Robot, q: Array) -> list[Array]:
    """One polyline per link and state, (N, k, 3): from its joint along the joint's axis and across to its frame."""
    parents = {str(link.name): str(link.parent) for link in robot.description.links}
    poses = {name: robot.forward_kinematics(q, name) for name in robot.frame_names}
    world = np.broadcast_to(np.eye(4), next(iter(poses.values())).shape)
    lines: list[Array] = []
    for name, pose in poses.items():
        carrier = poses.get(parents[name], world)
        base, tip = carrier[..., :3, 3], pose[..., :3, 3]
        if robot.description.convention == "dh":  # first b along the joint, then a along the common normal
            axis = carrier[..., :3, 2]
            elbow = base + axis * ((tip - base) * axis).sum(-1, keepdims=True)
            lines.append(np.stack([base, elbow, tip], axis=-2))
        else:
            lines.append(np.stack([base, tip], axis=-2))
    return lines


def torque_figure(robot: Robot, t: Array, q: Array, tau: Array, path: str | Path, title: str) -> Path:
    """The robot along its motion, and the torque of every joint over time; saved to `path`."""
    plt = _pyplot()
    figure: Any = plt.figure(figsize=(12, 5.6), dpi=130, facecolor="white")
    _draw_motion(figure.add_axes((0.0, 0.02, 0.44, 0.86), projection="3d"), robot, q)
    rows = -(-robot.dof // 2) if robot.dof > 2 else robot.dof
    columns = 2 if robot.dof > 2 else 1
    grid = figure.add_gridspec(rows, columns, left=0.5, right=0.985, top=0.86, bottom=0.1, hspace=0.38, wspace=0.28)
    for i, link in enumerate(robot.model.links):
        axes = figure.add_subplot(grid[i // columns, i % columns])
        axes.axhline(0, color=FAINT, linewidth=0.6)
        axes.plot(t, tau[:, i], color=COLOURS[i % len(COLOURS)], linewidth=1.8)
        unit = "Nm" if link.joint.kind == "revolute" else "N"
        axes.set_title(f"{link.joint.name} ({unit})", fontsize=9, loc="left", color=INK, pad=3)
        axes.tick_params(labelsize=7.5, colors=INK)
        axes.margins(x=0)
        axes.yaxis.set_major_formatter("{x:g}")
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
        if i // columns == rows - 1 or i + columns >= robot.dof:
            axes.set_xlabel("time (s)", fontsize=8, color=INK)
    figure.text(0.03, 0.945, title, fontsize=15, fontweight="bold", color=INK, va="center")
    figure.savefig(path)
    plt.close(figure)
    return Path(path)


def _draw_motion(axes: Any, robot: Robot, q: Array) -> None:
    shown = np.linspace(0, len(q) - 1, 7).round().astype(int)
    lines = skeleton(robot, q[shown])
    for k in range(len(shown)):
        strength = 0.12 + 0.88 * (k / (len(shown) - 1)) ** 2
        for line in lines:
            axes.plot(*line[k].T, color=INK, alpha=strength, linewidth=3.4, solid_capstyle="round")
            axes.scatter(*line[k, :1].T, color=COLOURS[0], alpha=strength, s=22, depthshade=False)
    tip = robot.forward_kinematics(q, robot.model.end_effector or robot.frame_names[-1])[:, :3, 3]
    axes.plot(*tip.T, color=PATH, linewidth=1.6)
    points = np.concatenate([line.reshape(-1, 3) for line in lines] + [tip])
    low, high = points.min(axis=0), points.max(axis=0)
    centre, half = (low + high) / 2, max(float((high - low).max()) / 2, 1e-3)
    for setter, middle in zip((axes.set_xlim, axes.set_ylim, axes.set_zlim), centre, strict=True):
        setter(middle - half, middle + half)
    axes.set_box_aspect((1, 1, 1))
    planar = float((high - low)[2]) < 1e-9
    axes.view_init(elev=90 if planar else 22, azim=-90 if planar else -58)
    axes.tick_params(labelsize=7, colors=FAINT, pad=0)
    if planar:
        axes.set_zticks([])
    for axis, name in ((axes.xaxis, "x"), (axes.yaxis, "y"), (axes.zaxis, "z")):
        axis.set_pane_color((1, 1, 1, 0))
        axis._axinfo["grid"].update(color="#e4e7eb", linewidth=0.7)
        if not (planar and name == "z"):
            axis.set_label_text(f"{name} (m)", fontsize=8, color=FAINT)
