"""Torque and speed of every motor within its limits (Matplotlib)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from redyn.errors import InputError
from redyn.report.colours import FAINT, INK, joint_colour
from redyn.report.figures import blank_figure, dress, saved

if TYPE_CHECKING:
    from redyn.simulation.sizing import JointSizing, Sizing

MOST_JOINTS = 12  # more would be too small to see


def sizing_figure(sizing: Sizing, path: str | Path | None = None, force: bool = False) -> Any:
    """A chart per joint: the points of the motion, the torque-speed curve and the rated torque of its motor."""
    joints = sizing.joints[:MOST_JOINTS]
    if not joints:
        raise InputError("no joint has a motor to draw")
    columns = min(3, len(joints))
    rows = -(-len(joints) // columns)
    figure = blank_figure(4 * columns + 0.4, 2.7 * rows + 0.9)
    height = figure.get_figheight()
    grid = figure.add_gridspec(
        rows, columns, left=0.08, right=0.98, top=1 - 1.05 / height, bottom=0.5 / height, hspace=0.45, wspace=0.25
    )
    for k, joint in enumerate(joints):
        _draw(figure.add_subplot(grid[k // columns, k % columns]), joint, joint_colour(k), k >= len(joints) - columns)
    handles = figure.axes[0].get_legend_handles_labels()
    place = (0.98, 1 - 0.5 / height)
    figure.legend(*handles, loc="upper right", ncols=4, fontsize=8, frameon=False, labelcolor=INK, bbox_to_anchor=place)
    title = f"{sizing.robot.name}: torque and speed of the motors"
    figure.text(0.02, 1 - 0.3 / height, title, fontsize=14, fontweight="bold", color=INK, va="center", parse_math=False)
    if path is not None:
        saved(figure, path, force)
    return figure


def _draw(axes: Any, joint: JointSizing, colour: str, lowest: bool) -> None:
    motor = joint.motor
    widest = max(motor.max_speed, joint.motor_side.peak_speed) * 1.02
    speeds = np.linspace(0.0, widest, 400)
    limit = motor.available(speeds)
    axes.fill_between(speeds, limit, color=FAINT, alpha=0.25, linewidth=0)
    axes.plot(speeds, limit, color=INK, linewidth=1.2, label="peak")
    axes.plot(speeds, np.minimum(limit, motor.rated_torque), color=INK, linewidth=1.0, linestyle="--", label="rated")
    axes.plot(np.abs(joint.motor_speed), np.abs(joint.motor_torque), color=colour, linewidth=1.4, label="motion")
    mean = float(np.abs(joint.motor_speed).mean())
    axes.plot([mean], [joint.motor_side.rms_torque], "o", color=INK, markersize=5, label="RMS torque, mean speed")
    dress(axes, f"{joint.name}: {'fits' if joint.fits else 'does not fit'}")
    axes.set_ylim(bottom=0)
    axes.set_ylabel("motor torque (Nm)", fontsize=8, color=INK)
    if lowest:
        axes.set_xlabel("motor speed (rad/s)", fontsize=8, color=INK)
