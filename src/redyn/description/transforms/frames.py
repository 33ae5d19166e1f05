"""Converts any description to the convention `frames`, with every named frame unchanged.

There a link's frame is on its joint, while the book's DH frame is at the far end of its link. If the joint's axis
does not pass through the link's frame (a revolute DH link with a != 0), the moving link is called `<name>_body`: it
carries the mass, its axes are parallel to the frame's, and the frame itself is a fixed link of the old name on it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from redyn.description.checks import complete
from redyn.description.placement import Placement, placement
from redyn.description.poses import NOISE, origin, vector
from redyn.description.schema import JointDescription, LinkDescription, RobotDescription
from redyn.description.transforms.common import fresh, joint_names, link_names

Array = NDArray[np.float64]

NO_ROW: dict[str, None] = dict.fromkeys(("a", "b", "d", "alpha", "theta"))


def as_frames(robot: RobotDescription) -> RobotDescription:
    """The same robot in the convention `frames`: same joints, same frames under the same names.

    >>> from redyn.description import read
    >>> [link.name for link in as_frames(read("two-link")).links]
    ['link1_body', 'link1', 'link2_body', 'link2']
    """
    if robot.convention == "frames":
        return robot
    taken_links, taken_joints = link_names(robot), joint_names(robot)
    links: list[LinkDescription] = []
    for link in robot.links:
        placed = placement(link, robot.convention)
        kind = link.joint.type
        arm = arm_to_frame(placed) if kind == "revolute" else np.zeros(3)
        pose = placed.before @ placed.after
        if not arm.any():
            axis = placed.after[:3, :3].T @ placed.axis
            moved = {} if kind == "fixed" else {"axis": vector(axis)}
            links.append(link.model_copy(update=NO_ROW | origin(pose) | moved))
            continue
        body, mount = fresh(f"{link.name}_body", taken_links), fresh(f"{link.name}_frame", taken_joints)
        taken_links.add(body)
        taken_joints.add(mount)
        links += _split(link, placed, arm, body, mount)
    return complete(robot.model_copy(update={"convention": "frames", "links": links}))


def arm_to_frame(placed: Placement) -> Array:
    """The perpendicular from the joint's axis to the origin of the link's frame, in the axes of that frame."""
    offset = placed.after[:3, 3]
    across = offset - placed.axis * (offset @ placed.axis)
    return np.zeros(3) if np.linalg.norm(across) < NOISE else placed.after[:3, :3].T @ across


def _split(link: LinkDescription, placed: Placement, arm: Array, body: str, mount: str) -> list[LinkDescription]:
    """The moving body, on its joint, and the link's frame fixed to it."""
    pose = placed.before @ placed.after
    pose[:3, 3] -= pose[:3, :3] @ arm
    com = np.array(mass_centre(link)) + arm
    moving = LinkDescription(
        name=body,
        parent=link.parent,
        joint=link.joint,
        axis=vector(placed.after[:3, :3].T @ placed.axis),
        mass=link.mass,
        com=vector(com),
        inertia=link.inertia,
        **origin(pose),
    )
    emptied: dict[str, Any] = NO_ROW | dict.fromkeys(("mass", "com", "r", "inertia"))
    fixed = JointDescription(type="fixed", name=mount)
    frame = {"parent": body, "joint": fixed, "xyz": vector(arm), "rpy": None}
    return [moving, link.model_copy(update=emptied | frame)]


def mass_centre(link: LinkDescription) -> tuple[float, float, float]:
    """Joint axis in the axes of the link's frame."""
    if link.com is not None:
        return link.com
    x, y, z = link.r or (0.0, 0.0, 0.0)
    return (0.0 - x, 0.0 - y, 0.0 - z)
