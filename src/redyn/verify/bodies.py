"""The tree of a description for programs that are given a robot body by body, in place of a file."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from redyn.description.placement import placement, steps, unit_axis
from redyn.description.schema import SEVERAL, TURNING, VELOCITIES, WORLD, LinkDescription, RobotDescription
from redyn.description.transforms.frames import as_frames, mass_centre

Array = NDArray[np.float64]


@dataclass(frozen=True)
class SingleJoint:
    """A joint as most programs have it: revolute, prismatic, helical, spherical or free."""

    name: str
    kind: str
    axis: Array


@dataclass(frozen=True)
class Body:
    """A link, where it is in its parent's frame with every joint at zero, and its joints, one after the other."""

    name: str
    parent: str
    pose: Array
    joints: list[SingleJoint]  # none: fixed to its parent
    link: LinkDescription

    @property
    def mass(self) -> float:
        return self.link.mass or 0.0

    @property
    def com(self) -> Array:
        return np.array(mass_centre(self.link))

    @property
    def inertia(self) -> Array:
        """About the mass centre, (3, 3)."""
        xx, xy, xz, yy, yz, zz = self.link.inertia or (0.0,) * 6
        return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def bodies(description: RobotDescription) -> list[Body]:
    """All links, depth first: Pinocchio relies on that order."""
    robot = as_frames(description)
    children: dict[str, list[LinkDescription]] = {}
    for link in robot.links:
        children.setdefault(str(link.parent), []).append(link)
    found: list[Body] = []
    waiting = children.get(WORLD, [])[::-1]
    while waiting:
        link = waiting.pop()
        waiting += children.get(str(link.name), [])[::-1]
        found.append(Body(str(link.name), str(link.parent), _pose(link), _joints(link), link))
    return found


def _pose(link: LinkDescription) -> Array:
    """A constant that is added to a joint's variable is part of it."""
    placed, joint = placement(link, "frames"), link.joint
    if joint.type == "fixed" or joint.type in SEVERAL:
        return placed.before @ placed.after
    return placed.at(joint, joint.offset)


def _joints(link: LinkDescription) -> list[SingleJoint]:
    kind, name = link.joint.type, str(link.joint.name)
    if kind == "fixed":
        return []
    if kind in SEVERAL and kind not in TURNING:
        parts = zip(steps(link), VELOCITIES[kind], strict=True)
        return [SingleJoint(f"{name}.{part}", step, axis) for (step, axis), part in parts]
    return [SingleJoint(name, kind, unit_axis(link.axis))]
