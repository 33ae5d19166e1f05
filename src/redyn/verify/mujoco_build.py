"""MuJoCo's model of the tree of a robot, built from redyn's description."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from redyn.description.schema import WORLD, RobotDescription
from redyn.errors import RedynError
from redyn.verify.bodies import Body, bodies


def mujoco_spec(description: RobotDescription) -> Any:
    """The tree of a robot, without its loops, ready to be compiled; every link is a body of its name."""
    mujoco: Any = importlib.import_module("mujoco")
    spec = mujoco.MjSpec()
    spec.modelname = description.name
    spec.compiler.degree = False
    placed = {WORLD: spec.worldbody}
    for body in bodies(description):
        quaternion = np.empty(4)
        mujoco.mju_mat2Quat(quaternion, np.ascontiguousarray(body.pose[:3, :3]).ravel())
        mine = placed[body.parent].add_body(name=body.name, pos=body.pose[:3, 3], quat=quaternion)
        _add_joints(mujoco, mine, body)
        if body.mass:
            I = body.inertia
            mine.mass, mine.ipos, mine.explicitinertial = body.mass, body.com, True
            mine.fullinertia = [I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]]
        placed[body.name] = mine
    return spec


def _add_joints(mujoco: Any, mine: Any, body: Body) -> None:
    kinds = mujoco.mjtJoint
    known = {
        "revolute": kinds.mjJNT_HINGE,
        "prismatic": kinds.mjJNT_SLIDE,
        "spherical": kinds.mjJNT_BALL,
        "free": kinds.mjJNT_FREE,
    }
    for joint in body.joints:
        if joint.kind not in known:
            raise RedynError(f"MuJoCo has no {joint.kind} joint")
        mine.add_joint(name=joint.name, type=known[joint.kind], axis=joint.axis)
