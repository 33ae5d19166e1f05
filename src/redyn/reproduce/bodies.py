"""Drawing data shared by both plotting libraries: the robot of a scene as coloured strokes, and colours of curves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from redyn.kinematics import capsules, link_poses, place, travel
from redyn.report.colours import COLOURS, FAINT, OTHERS, joint_colour
from redyn.reproduce.item import Array, Panel, Scene


class Stroke(NamedTuple):
    """A segment, (2, 3), of one link at one state."""

    ends: Array
    radius: float
    colour: str
    strength: float


class Box(NamedTuple):
    """A bounding cube, and whether everything lies in the X-Y plane."""

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
    palette = (*COLOURS, *OTHERS)
    return {label: palette[k % len(palette)] for k, label in enumerate(labels)}


TRIAD = 0.17  # length of a frame's axes, relative to the half width of the box


def frames(scene: Scene) -> Array:
    """Frame 1, on the ground, and the frames of the links at the last state, (frames, 4, 4)."""
    robot = scene.robot
    return np.stack([np.eye(4), *(robot.forward_kinematics(scene.q[-1], name) for name in robot.frame_names)])


def frame_labels(poses: Array) -> list[tuple[Array, str]]:
    """The book's numbers of the frames at their origins: `5, 6` where two coincide."""
    found: list[tuple[Array, list[int]]] = []
    for number, pose in enumerate(poses, start=1):
        same = next((numbers for origin, numbers in found if np.allclose(origin, pose[:3, 3], atol=1e-9)), None)
        if same is None:
            found.append((pose[:3, 3], [number]))
        else:
            same.append(number)
    return [(origin, ", ".join(map(str, numbers))) for origin, numbers in found]


def box(scene: Scene) -> Box:
    points = [stroke.ends for stroke in strokes(scene)]
    if scene.path is not None:
        points.append(scene.path)
    if scene.frames:  # with a margin for their axes
        reach = float(np.ptp(np.concatenate(points), axis=0).max()) / 2 * TRIAD * 1.3
        points += [pose[:3, 3] + reach * sign * pose[:3, :3].T for pose in frames(scene) for sign in (0.0, 1.0)]
    everything = np.concatenate([*points, np.zeros((1, 3))])
    low, high = everything.min(axis=0), everything.max(axis=0)
    flat = np.concatenate([stroke.ends for stroke in strokes(scene)])
    planar = float(np.ptp(flat[:, 2])) < 1e-9
    return Box((low + high) / 2, max(float((high - low).max()) / 2 * 1.05, 1e-3), planar)
