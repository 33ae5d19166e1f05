"""What bends as it is drawn: flexible links between the bodies at their ends, and gears that give.

A flexible link is clamped to one body and ends in another. Its centre line follows from its elastic coordinates, in the
axes of its root. `exaggerated` scales all deflections of a robot, so that small ones can be seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redyn.description.ends import ROOT, TIP
from redyn.kinematics.robot_like import RobotLike
from redyn.kinematics.shape import PIECES, body_numbers, frame_offset, joint_values
from redyn.model import Beam
from redyn.model.centre_line import CentreLine, centre_line

Array = NDArray[np.float64]


class Bend(NamedTuple):
    """A flexible link: its ends are frames of two bodies, which are counted from 1; 0 is the world."""

    beam: Beam
    root: int
    root_pose: Array  # 4x4, of the frame at its root, in the axes of that body's frame
    tip: int
    tip_pose: Array  # the same at its tip
    places: list[int]  # of its elastic coordinates in q
    line: CentreLine  # at PIECES + 1 places


class Gear(NamedTuple):
    """A joint with an elastic gear: it turns, or slides, by q[link], its motor by q[motor]."""

    name: str
    body: int  # beyond it
    motor: int
    link: int


def bends(robot: RobotLike) -> list[Bend]:
    """The flexible links, in the order of `model.beams`."""
    starts, found = _starts(robot), list[Bend]()
    for first, beam in robot.model.beams:
        root, root_pose = frame_offset(robot, f"{beam.name}.{ROOT}")
        tip, tip_pose = frame_offset(robot, f"{beam.name}.{TIP}")
        places = [starts[first + k] for k in range(beam.modes)]
        x: Array = np.linspace(0.0, float(beam.length), PIECES + 1)  # pyright: ignore[reportArgumentType]
        found.append(Bend(beam, root, root_pose, tip, tip_pose, places, centre_line(beam, x)))
    return found


def gears(robot: RobotLike) -> list[Gear]:
    """The joints with elastic gears, in the order of q."""
    starts, numbers = _starts(robot), body_numbers(robot)
    return [
        Gear(link.joint.name, numbers[i + 1], starts[link.joint.motor - 1], starts[i])
        for i, link in enumerate(robot.model.links)
        if link.joint.motor and i in starts
    ]


def bent_lines(flexible: Sequence[Bend], q: Array, poses: Array) -> Array | None:
    """Points along every flexible link in the world, (..., beams, PIECES + 1, 3), given q and all link poses there.

    None of a robot without any.
    """
    if not flexible:
        return None
    lines: list[Array] = []
    for bend in flexible:
        root = poses[..., bend.root, :, :] @ bend.root_pose
        lines.append(
            np.einsum("...ij,...pj->...pi", root[..., :3, :3], bend.line.at(q[..., bend.places]))
            + root[..., None, :3, 3]
        )
    return np.stack(lines, axis=-3)


def exaggerated(robot: RobotLike, q: ArrayLike, factor: float) -> Array:
    """q with all deflections times a factor: elastic coordinates, and by how much links lag behind elastic gears.

    >>> import redyn
    >>> exaggerated(redyn.load("flexible-beam"), [0.5, 0.01, 0.002], 10).round(3).tolist()
    [0.5, 0.1, 0.02]
    """
    values = joint_values(robot, q).copy()
    for bend in bends(robot):
        values[..., bend.places] *= factor
    for gear in gears(robot):
        motor = values[..., gear.motor]
        values[..., gear.link] = motor + factor * (values[..., gear.link] - motor)
    return values


def _starts(robot: RobotLike) -> dict[int, int]:
    """Where in q the coordinates of links begin, by their numbers from 0."""
    model = robot.model
    located = range(model.n) if model.reduction is None else model.reduction.q_links
    return dict(zip(located, model.places, strict=True))
