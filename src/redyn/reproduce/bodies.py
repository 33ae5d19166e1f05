"""What both plotting libraries draw: the robot of a scene as strokes with a width and a colour; colours of curves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from redyn.kinematics import capsules, link_poses, place, travel
from redyn.report.colours import COLOURS, FAINT, joint_colour
from redyn.reproduce.item import Array, Panel, Scene


class Stroke(NamedTuple):
    """A segment, (2, 3), of one link at one state."""

    ends: Array
    radius: float
    colour: str
    strength: float


class Box(NamedTuple):
    """A cube around everything, and whether it is all in the X-Y plane."""

    centre: Array
    half: float
    planar: bool


def strokes(scene: Scene) -> list[Stroke]:
    """Earlier states faint and grey, the last one in the colours of its joints."""
    shapes = capsules(scene.robot, travel=travel(scene.robot, scene.q))
    ends = place(shapes, link_poses(scene.robot, scene.q))
    last = len(ends) - 1
    return [
        Stroke(
            ends[k, c],
            shape.radius,
            joint_colour(shape.link - 1) if k == last and shape.link else FAINT,
            1.0 if k == last else 0.15 + 0.35 * k / max(last, 1),
        )
        for k in range(len(ends))
        for c, shape in enumerate(shapes)
    ]


def curve_colours(panels: Sequence[Panel]) -> dict[str, str]:
    """One colour per label, the same in all panels of an item."""
    labels = dict.fromkeys(curve.label for panel in panels for curve in panel.curves)
    return {label: COLOURS[k % len(COLOURS)] for k, label in enumerate(labels)}


def joints(scene: Scene) -> Array:
    """Where the moving frames are at the last state, (frames, 4, 4)."""
    robot = scene.robot
    return np.stack([robot.forward_kinematics(scene.q[-1], name) for name in robot.frame_names])


def box(scene: Scene) -> Box:
    points = [stroke.ends for stroke in strokes(scene)]
    if scene.path is not None:
        points.append(scene.path)
    everything = np.concatenate([*points, np.zeros((1, 3))])
    low, high = everything.min(axis=0), everything.max(axis=0)
    planar = float((high - low)[2]) < 1e-9
    return Box((low + high) / 2, max(float((high - low).max()) / 2 * 1.05, 1e-3), planar)
