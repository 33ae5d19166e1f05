"""Puts a robot on a floating base: everything attached to the world moves with one free joint."""

from __future__ import annotations

from redyn.description.checks import complete
from redyn.description.schema import WORLD, JointDescription, LinkDescription, RobotDescription
from redyn.description.transforms.common import fresh, joint_names, link_names
from redyn.description.transforms.frames import as_frames
from redyn.description.transforms.loops import on_base
from redyn.errors import InputError


def floating(robot: RobotDescription) -> RobotDescription:
    """The same robot with a free joint, `floating_base`, between it and the world.

    If a single fixed link is attached to the world, at its origin, like the root of a URDF, that link is the base. Any
    other robot gets a massless one, called `base`, at the world's origin. Loops to the world become loops to the base.

    >>> from redyn.description import read
    >>> [(link.name, link.joint.type) for link in floating(read("one-link")).links]
    [('base', 'free'), ('link1_body', 'revolute'), ('link1', 'fixed')]
    """
    robot = as_frames(robot)
    roots = [link for link in robot.links if link.parent == WORLD]
    if any(link.joint.type == "free" for link in roots):
        raise InputError(f"floating_base: {robot.name} already has a free joint on the world; leave out floating_base")
    joint = JointDescription(type="free", name=fresh("floating_base", joint_names(robot)))
    first = roots[0]
    if len(roots) == 1 and first.joint.type == "fixed" and not any((*(first.xyz or ()), *(first.rpy or ()))):
        base = first.model_copy(update={"joint": joint, "mass": first.mass or 0.0})
        links = [base if link is first else link for link in robot.links]
    else:
        base = LinkDescription(name=fresh("base", link_names(robot)), parent=WORLD, joint=joint, mass=0.0)
        links = [base, *(_on(link, str(base.name)) if link.parent == WORLD else link for link in robot.links)]
    return complete(robot.model_copy(update={"links": links, "loops": on_base(robot, str(base.name))}))


def _on(link: LinkDescription, base: str) -> LinkDescription:
    return link.model_copy(update={"parent": base})
