"""Converts any description to the convention `frames`, with every named frame unchanged.

There a link's frame is on its joint, while the book's DH frame is at the far end of its link. If the joint's axis
does not pass through the link's frame (a revolute DH link with a != 0), the moving link is called `<name>_body`: it
carries the mass, its axes are parallel to the frame's, and the frame itself is a fixed link of the old name on it. A
flexible DH link is split likewise: the body bends, and its tip carries the frame, with what is fixed to it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from redyn.description.beams import beam_length
from redyn.description.checks import complete
from redyn.description.ends import end_frames
from redyn.description.placement import Placement, clamped_placement, link_at_tip, placement, translation
from redyn.description.poses import NOISE, origin, vector
from redyn.description.schema import Convention, JointDescription, LinkDescription, RobotDescription
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
        if link.flexible is not None and link_at_tip(link, robot.convention) is not None:
            body, mount = fresh(f"{link.name}_body", taken_links), fresh(f"{link.name}_frame", taken_joints)
            taken_links.add(body)
            taken_joints.add(mount)
            links += _bent(link, robot.convention, body, mount)
            continue
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
    ends = {old: new for link in robot.links for old, new in _renamed_ends(link, links)}
    links = [link.model_copy(update={"parent": ends.get(str(link.parent), link.parent)}) for link in links]
    between = [tuple(ends.get(end, end) for end in loop.between) for loop in robot.loops]
    loops = [loop.model_copy(update={"between": names}) for loop, names in zip(robot.loops, between, strict=True)]
    contacts = [k.model_copy(update={"link": ends.get(str(k.link), k.link)}) for k in robot.contacts]
    tip = ends.get(str(robot.end_effector), robot.end_effector)
    fields = {"convention": "frames", "links": links, "loops": loops, "contacts": contacts, "end_effector": tip}
    return complete(robot.model_copy(update=fields))


def _renamed_ends(link: LinkDescription, links: list[LinkDescription]) -> list[tuple[str, str]]:
    """The frames at the ends of a flexible link that is a body of its own now, with their new names."""
    made = next((k for k in links if k.joint.name == link.joint.name), link)
    return list(zip(end_frames(link), end_frames(made), strict=True)) if made.name != link.name else []


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


def _bent(link: LinkDescription, convention: Convention, body: str, mount: str) -> list[LinkDescription]:
    """The beam of a flexible link, on its joint, and the link's frame with its mass, which the tip carries."""
    placed, at_tip = clamped_placement(link, convention), link_at_tip(link, convention)
    assert link.flexible is not None
    assert at_tip is not None
    length = beam_length(link)
    moving = LinkDescription(
        name=body,
        parent=link.parent,
        joint=link.joint,
        axis=None if link.joint.type == "fixed" else vector(placed.after[:3, :3].T @ placed.axis),
        mass=None if link.joint.type == "fixed" else 0.0,
        flexible=link.flexible if link.flexible.table else link.flexible.model_copy(update={"length": length}),
        **origin(placed.before @ placed.after),
    )
    frame = {"parent": body, "joint": JointDescription(type="fixed", name=mount)}
    end = translation(length, 0.0, 0.0) @ at_tip
    return [moving, link.model_copy(update=NO_ROW | {"flexible": None} | frame | origin(end))]


def mass_centre(link: LinkDescription) -> tuple[float, float, float]:
    """Joint axis in the axes of the link's frame."""
    if link.com is not None:
        return link.com
    x, y, z = link.r or (0.0, 0.0, 0.0)
    return (0.0 - x, 0.0 - y, 0.0 - z)
