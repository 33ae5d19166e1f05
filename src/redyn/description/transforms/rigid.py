"""Takes the flexibility from a robot: straight rigid links of the same mass, and gears that do not give."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from redyn.description.beams import beam_length, rod_body
from redyn.description.ends import ROOT, TIP, end_frames
from redyn.description.flexible_fields import RigidDescription
from redyn.description.placement import link_at_tip, translation
from redyn.description.poses import origin, vector
from redyn.description.schema import JointDescription, LinkDescription, RobotDescription
from redyn.description.transforms.common import changed, fresh, joint_names
from redyn.description.transforms.frames import as_frames, mass_centre

Array = NDArray[np.float64]


def rigid(robot: RobotDescription) -> RobotDescription:
    """The same robot with links that do not bend and gears that do not give.

    Every link keeps its mass, with that of its straight beam. Frames at the ends of flexible links stay as fixed links
    where other parts of the file name them.

    >>> from redyn.description import read
    >>> [round(link.mass, 3) for link in rigid(read("flexible-two-link")).links]
    [1.1, 0.2]
    """
    named = {str(link.parent) for link in robot.links} | {str(robot.end_effector)}
    named |= {end for loop in robot.loops for end in loop.between} | {str(k.link) for k in robot.contacts}
    if any(end in named for link in robot.links for end in end_frames(link)):
        robot = as_frames(robot)  # in which such a frame can be written
    links: list[LinkDescription] = []
    taken = joint_names(robot)
    for link in robot.links:
        joint = link.joint.model_copy(update={"elastic": None})
        if link.flexible is None:
            links.append(link.model_copy(update={"joint": joint}))
            continue
        links.append(_lumped(link, robot).model_copy(update={"joint": joint, "flexible": None}))
        places = {ROOT: np.eye(4), TIP: translation(beam_length(link), 0.0, 0.0)}
        for end, name in zip(places, end_frames(link), strict=True):
            if name in named:
                mount = JointDescription(type="fixed", name=fresh(f"{name}_mount", taken))
                links.append(LinkDescription(name=name, parent=link.name, joint=mount, **origin(places[end])))
    return changed(robot, "rigid", links=links)


def _lumped(link: LinkDescription, robot: RobotDescription) -> LinkDescription:
    """A flexible link with all its mass in one rigid body, in its own frame."""
    flexible = link.flexible
    assert flexible is not None
    tip = translation(beam_length(link), 0.0, 0.0)
    at_tip = link_at_tip(link, robot.convention)
    frame = np.eye(4) if at_tip is None else tip @ at_tip  # of the link, seen from the root
    own = RigidDescription(
        mass=link.mass or 0.0, com=mass_centre(link), inertia=link.inertia or (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    )
    parts = [(frame, own), (np.eye(4), rod_body(link))]
    parts += [(at, body) for at, body in ((np.eye(4), flexible.hub), (tip, flexible.tip)) if body is not None]
    back = np.linalg.inv(frame)
    mass, first, second = 0.0, np.zeros(3), np.zeros((3, 3))  # about the origin of the link's frame
    for pose, body in parts:
        T = back @ pose
        c = T[:3, :3] @ np.array(body.com) + T[:3, 3]
        mass, first = mass + body.mass, first + body.mass * c
        second += T[:3, :3] @ _tensor(body) @ T[:3, :3].T + body.mass * _about(c)
    com = first / mass
    I = second - mass * _about(com)
    inertia = tuple(float(I[a, b]) for a, b in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)))
    return link.model_copy(update={"mass": mass, "com": vector(com), "r": None, "inertia": inertia})


def _tensor(body: RigidDescription) -> Array:
    xx, xy, xz, yy, yz, zz = body.inertia
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _about(c: Array) -> Array:
    """The inertia tensor of a unit mass at c."""
    return float(c @ c) * np.eye(3) - np.outer(c, c)
