"""A survey of a robot that has been loaded: of SDF, MJCF and YAML, whose readers have checked what can be read."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from redyn.description.schema import WORLD, JointDescription, LinkDescription, RobotDescription
from redyn.description.transforms.frames import as_frames, mass_centre
from redyn.description.transforms.rigid import rigid
from redyn.verify.bodies import bodies
from redyn.verify.doctor.survey import Body, Hinge, Survey

Array = NDArray[np.float64]

_KINDS = {"free": "floating"}


def survey_description(description: RobotDescription, kind: str) -> Survey:
    """What a description says; the world is a link without mass."""
    if any(link.flexible is not None or link.joint.elastic is not None for link in description.links):
        description = rigid(description)
    robot = as_frames(description)
    survey = Survey(robot.name, robot.source or robot.name, kind, {WORLD: Body(WORLD)}, {})
    survey.folder, survey.trusted = description.folder, description.trusted
    survey.gravity, survey.loops = np.array(robot.gravity), len(robot.loops)
    for body in bodies(robot):
        survey.bodies[body.name] = _body(body.link, body.inertia)
        hinge = _hinge(body.link.joint, body.parent, body.name, body.pose)
        if body.link.axis is not None:
            hinge.axis = np.array(body.link.axis) / np.linalg.norm(body.link.axis)
        survey.hinges[hinge.name] = hinge
    return survey


def _body(link: LinkDescription, inertia: Array) -> Body:
    body = Body(str(link.name), visual=link.visual, collision=link.collision)
    if link.mass is not None:
        body.inertial, body.mass, body.given = True, link.mass, inertia
        body.com = np.array(mass_centre(link)) if link.mass else np.zeros(3)
    return body


def _hinge(joint: JointDescription, parent: str, child: str, pose: Array) -> Hinge:
    kind = _KINDS.get(joint.type, str(joint.type))
    hinge = Hinge(str(joint.name), kind, parent, child, pose)
    if joint.limits is not None:
        hinge.lower, hinge.upper = joint.limits
    elif kind == "revolute":
        hinge.kind = "continuous"
    hinge.limited = joint.limits is not None
    hinge.effort, hinge.velocity = joint.effort_limit, joint.speed_limit
    hinge.damping, hinge.friction, hinge.armature = joint.damping, joint.coulomb, joint.armature
    hinge.mimic = None if joint.mimic is None else joint.mimic.joint
    return hinge
