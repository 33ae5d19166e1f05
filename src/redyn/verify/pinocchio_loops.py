"""Pinocchio's model of a robot with closed loops, built from redyn's description: it reads no loops from files.

Its loops are rigid constraints between points (three rows) or frames (six). A ball is one point and a weld one frame;
for a pin, of which it has none, two points of the axis are held together: six rows where five would do.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redyn.description.loops import loop_frames
from redyn.description.schema import WORLD, LoopDescription, RobotDescription
from redyn.errors import RedynError
from redyn.verify.bodies import SingleJoint, bodies

Array = NDArray[np.float64]

APART = 0.5  # m between the two points of a pin


def pinocchio_model(description: RobotDescription) -> Any:
    """The tree of a robot; every link is a frame of its name."""
    pin: Any = importlib.import_module("pinocchio")
    model = pin.Model()
    model.name = description.name
    where = {WORLD: (0, pin.SE3.Identity())}
    for body in bodies(description):
        joint, mount = where[body.parent]
        place = mount * pin.SE3(body.pose)
        for single in body.joints:
            joint, place = (
                model.addJoint(joint, _joint(pin, single, body.link.joint.pitch), place, single.name),
                pin.SE3.Identity(),
            )
        if body.mass:
            model.appendBodyToJoint(joint, pin.Inertia(body.mass, body.com, body.inertia), place)
        model.addFrame(pin.Frame(body.name, joint, place, pin.FrameType.BODY))
        where[body.name] = joint, place
    return model


def _joint(pin: Any, joint: SingleJoint, pitch: float | None) -> Any:
    if joint.kind == "helical":
        return pin.JointModelHelicalUnaligned(joint.axis, pitch)
    if joint.kind in ("spherical", "free"):
        return pin.JointModelSpherical() if joint.kind == "spherical" else pin.JointModelFreeFlyer()
    turns = joint.kind == "revolute"
    return (pin.JointModelRevoluteUnaligned if turns else pin.JointModelPrismaticUnaligned)(joint.axis)


class Constraints:
    """The loops of a robot in a Pinocchio model of its tree."""

    points = 2  # of a pin's axis

    def __init__(self, model: Any, description: RobotDescription) -> None:
        self.pin: Any = importlib.import_module("pinocchio")
        self.model, self.data = model, model.createData()
        self.models = self.pin.StdVec_RigidConstraintModel()
        self.datas = self.pin.StdVec_RigidConstraintData()
        self.rows = 0
        local = self.pin.ReferenceFrame.LOCAL
        for loop, frames in zip(description.loops, loop_frames(description), strict=True):
            contacts = self._contacts(loop)
            placed = [self._placed(link, T) for link, T in zip(loop.between, frames, strict=True)]
            for kind, rows, shift in contacts:
                (a, A), (b, B) = ((joint, place * shift) for joint, place in placed)
                self.models.append(self.pin.RigidConstraintModel(kind, model, a, A, b, B, local))
                self.rows += rows
        for constraint in self.models:
            self.datas.append(constraint.createData())
        self.pin.initConstraintDynamics(model, self.data, self.models, self.datas)

    def _contacts(self, loop: LoopDescription) -> list[tuple[Any, int, Any]]:
        """Kinds of contact, their rows, and where each is seen from the joint's frame."""
        pin = self.pin
        here, along = pin.SE3.Identity(), pin.SE3(np.eye(3), np.array([0.0, 0.0, APART]))
        point, whole = pin.ContactType.CONTACT_3D, pin.ContactType.CONTACT_6D
        known = {
            "spherical": [(point, 3, here)],
            "fixed": [(whole, 6, here)],
            "revolute": [(point, 3, here), (point, 3, along)][: self.points],
        }
        if loop.joint not in known:
            raise RedynError(f"Pinocchio cannot close a loop by a {loop.joint} joint")
        return known[loop.joint]

    def _placed(self, link: str, T: Array) -> tuple[int, Any]:
        """The joint that moves a frame of a link, and the frame in its axes."""
        if link == WORLD:
            return 0, self.pin.SE3(T)
        frame = self.model.frames[self.model.getFrameId(link, self.pin.FrameType.BODY)]
        return frame.parentJoint, frame.placement * self.pin.SE3(T)

    def forward_dynamics(self, q: Array, qd: Array, tau: Array, settings: Any) -> Array:
        """In Pinocchio's order of joints, as are the arguments."""
        call = self.pin.constraintDynamics
        return np.array(call(self.model, self.data, q, qd, tau, self.models, self.datas, settings))
