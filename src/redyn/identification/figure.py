"""Measured and predicted torques on motion that was held back from the fit (Matplotlib)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from redyn.report.colours import FAINT, INK, PATH
from redyn.report.figures import blank_figure, dress, saved
from redyn.report.plots import turning

if TYPE_CHECKING:
    from redyn.identification.identify import Identification

MOST_JOINTS = 12  # more would be too small to see
MOST_POINTS = 3000


def validation_figure(found: Identification, path: str | Path | None = None, force: bool = False) -> Any:
    """Measured and predicted torque of every joint, and the residual; saved to `path` if one is given."""
    robot, unseen = found.robot, found.unseen
    turns = turning(robot)
    predicted = found.predicted()
    joints = robot.velocity_names[:MOST_JOINTS]
    columns = 1 if len(joints) <= 2 else 2
    rows = -(-len(joints) // columns)
    figure = blank_figure(12, 1.1 + 1.9 * rows)
    height = figure.get_figheight()
    grid = figure.add_gridspec(
        rows, columns, left=0.06, right=0.985, top=1 - 0.95 / height, bottom=0.5 / height, hspace=0.42, wspace=0.16
    )
    thin = slice(None, None, max(1, len(unseen.t) // MOST_POINTS))
    t = unseen.t[thin]
    for i, name in enumerate(joints):
        axes = figure.add_subplot(grid[i // columns, i % columns])
        measured, model = unseen.tau[thin, i], predicted[thin, i]
        breaks = np.flatnonzero(np.diff(t) > 5 * np.median(np.diff(t))) + 1
        axes.axhline(0, color=FAINT, linewidth=0.6)
        axes.plot(t, measured, ".", color="#6b8fb3", markersize=2.0, label="measured")
        axes.plot(_broken(t, breaks), _broken(model, breaks), color=INK, linewidth=1.1, label="fitted robot")
        low, high = min(0.0, float(model.min())), max(0.0, float(model.max()))
        room = 0.12 * (high - low) + 4 * float(np.median(np.abs(measured - model))) + 1e-12
        axes.set_ylim(low - room, high + room)  # from the prediction: one measured spike would hide the rest
        axes.plot(t, measured - model, ".", color=PATH, markersize=1.2, label="left over")
        unit = "Nm" if turns[i] else "N"
        title = f"{name} ({unit}): {found.errors[i]:.2%} left, {found.prior_errors[i]:.1%} before"
        dress(axes, title)
        if i >= len(joints) - columns:
            axes.set_xlabel("time (s)", fontsize=8, color=INK)
        if i == 0:
            handles = axes.get_legend_handles_labels()
            figure.legend(
                *handles, loc="upper right", ncols=3, fontsize=9, frameon=False, labelcolor=INK, markerscale=4,
                bbox_to_anchor=(0.985, 1 - 0.12 / height),
            )  # fmt: skip
    title = f"{robot.name}: torques on motion that the fit has not seen"
    figure.text(
        0.02, 1 - 0.35 / height, title, fontsize=14, fontweight="bold", color=INK, va="center", parse_math=False
    )
    if path is not None:
        saved(figure, path, force)
    return figure


def _broken(values: Any, places: Any) -> Any:
    """With NaN at every gap of the recording, so that no line is drawn across it."""
    return np.insert(values, places, np.nan)
