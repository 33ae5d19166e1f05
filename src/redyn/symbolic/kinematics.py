"""Closed forms of positions and velocities: poses of frames, Jacobians, and the velocity of a frame's origin.

The recursions are those of `redyn.dynamics.kinematics`, over polynomials. A frame is where the robot's file has it. The
frames of a DH table and the end effector have symbols for their places; those of other fixed frames are numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from redyn.algebra import Mat3, Pose, Vec3
from redyn.arithmetic import Floats
from redyn.dynamics.kinematics import coordinate_rates, forward_kinematics, jacobian, poses, propagations, twists
from redyn.model import Frame, Model
from redyn.robot import Robot
from redyn.symbolic.bodies import SymbolicRobot, symbolic_model, turned, turning
from redyn.symbolic.closed import ClosedForms
from redyn.symbolic.loops.frames import rotation_entry, turned_rows
from redyn.symbolic.notation import sp
from redyn.symbolic.parameters import exact
from redyn.symbolic.point import Point
from redyn.symbolic.polynomials import Poly

_NOISE = 1e-12  # relative; smaller values are rounding errors of zero


def symbolic_frame(robot: Robot, symbolic: SymbolicRobot, numbers: SymbolicRobot, name: str) -> Frame:
    """A named frame in the axes of the symbolic links; `numbers` is the robot in the same axes, with its numbers."""
    model = robot.model
    frame = model.frames[name]
    pose = frame.pose
    own = model.frames[model.links[frame.link - 1].name].pose if symbolic.tabled and frame.link else None
    if own is not None:  # the axes of a table are the user's, up to the last rotation of a row
        pose = _inverse(own) @ pose
    elif symbolic.contacts and frame.link:  # the axes are those of the file
        pose = _inverse(_at_neutral(model, numbers)[frame.link]) @ _at_neutral(model)[frame.link] @ pose
    rows = [[rotation_entry(x) for x in row.components()] for row in (pose.R.x, pose.R.y, pose.R.z)]
    values = [float(cast(float, x)) for x in pose.o.components()]
    size = max(1e-3, *map(abs, values))
    place = [sp.Integer(0) if abs(x) < _NOISE * size else exact(x) for x in values]
    if own is not None and robot.description.convention == "dh":
        body = symbolic.bodies[frame.link - 1]
        far = [turning("x", body.end_twist)]
        place = [sp.expand(a + b) for a, b in zip(body.end, turned(far, place), strict=True)]
        rows = turned_rows(far, rows)
    if name == model.end_effector and symbolic.tip is not None:
        place = list(symbolic.tip)
    return Frame(frame.link, Pose(Mat3(*(Vec3(*row) for row in rows)), Vec3(*place)))


def _at_neutral(model: Model, symbolic: SymbolicRobot | None = None) -> list[Pose]:
    """The axes of all links at q = 0: those of the model, or of a symbolic robot without symbols."""
    arith: Any = Floats()
    if symbolic is not None:
        arith = Point({})
        model = symbolic_model(model, symbolic).over(arith)
    q = [0.0] * model.n  # robots on wheels have one coordinate per link
    return poses(model, arith, propagations(model, arith, q))


def _inverse(pose: Pose) -> Pose:
    back = pose.R.T
    return Pose(back, -(back @ pose.o))


class Kinematics:
    """Polynomials of positions and velocities."""

    def __init__(self, closed: ClosedForms) -> None:
        self.closed, self.arith = closed, closed.arith

    def frame(self, frame: Frame) -> Frame:
        """With polynomials for its constants."""
        element = self.arith.element
        rows = [Vec3(*map(element, row.components())) for row in (frame.pose.R.x, frame.pose.R.y, frame.pose.R.z)]
        return Frame(frame.link, Pose(Mat3(*rows), Vec3(*map(element, frame.pose.o.components()))))

    def _reduced(self, what: str, rows: Sequence[Sequence[Any]]) -> list[list[Poly]]:
        found = [[self.arith.reduced(self.arith.const(x)) for x in row] for row in rows]
        self.closed.guard(what, [x for row in found for x in row], "transforms() are its factors")
        return found

    def pose(self, frame: Frame) -> list[list[Poly]]:
        (q,) = self.closed.state(("q",))
        found = forward_kinematics(self.closed.over, self.arith, q, self.frame(frame))
        return self._reduced("forward_kinematics", found)

    def jacobian(self, frame: Frame) -> list[list[Poly]]:
        (q,) = self.closed.state(("q",))
        return self._reduced("jacobian", jacobian(self.closed.over, self.arith, q, self.frame(frame)))

    def velocity(self, frame: Frame) -> list[Poly]:
        """Of the frame's origin, in the axes of the link that carries it, where it is shortest."""
        q, qd = self.closed.state(("q", "qd"))
        over = self.closed.over
        t = twists(over, self.arith, propagations(over, self.arith, q), qd)[frame.link]
        return [self.arith.reduced(x) for x in (t.lin + t.ang.cross(self.frame(frame).pose.o)).components()]

    def speed_squared(self, frame: Frame) -> Poly:
        parts = [self.arith.reduced(v * v) for v in self.velocity(frame)]
        return self._reduced("speed_squared", [[parts[0] + parts[1] + parts[2]]])[0][0]

    def coordinate_rates(self) -> list[Poly]:
        q, qd = self.closed.state(("q", "qd"))
        return coordinate_rates(self.closed.over, self.arith, q, qd)

    def transforms(self, frames: Sequence[Frame], last: Frame) -> list[list[list[Poly]]]:
        """Of each link on the way to `last`, its frame (entry i of `frames`) in that of the one before it.

        The parts of a joint with several rates are one transform. Their product is the pose of `last`.
        """
        (q,) = self.closed.state(("q",))
        over, bodies = self.closed.over, self.closed.robot.bodies
        B = propagations(over, self.arith, q)
        zero, one = self.arith.ring.zero, self.arith.ring.one
        unit = Pose(Mat3(Vec3(one, zero, zero), Vec3(zero, one, zero), Vec3(zero, zero, one)), Vec3(zero, zero, zero))
        found: list[list[list[Poly]]] = []
        pose, way = unit, reversed(over.path(last.link))
        for i in way:
            pose = B[i - 1].place(pose)
            if bodies[i - 1].virtual:
                continue
            own = self.frame(last if i == last.link else frames[i - 1]).pose
            found.append(self._matrix(pose @ own))
            pose = _inverse(own)
        return found or [self._matrix(self.frame(last).pose)]

    def _matrix(self, pose: Pose) -> list[list[Poly]]:
        zero, one = self.arith.ring.zero, self.arith.ring.one
        axes = (pose.R.x, pose.R.y, pose.R.z)
        rows = [[*row.components(), o] for row, o in zip(axes, pose.o.components(), strict=True)]
        return self._reduced("transforms", [*rows, [zero, zero, zero, one]])


def link_frames(robot: Robot, symbolic: SymbolicRobot) -> list[Frame]:
    """Of a DH table its frames; else the axes of the links, on their joints."""
    if symbolic.tabled:
        return [symbolic_frame(robot, symbolic, symbolic, body.name) for body in symbolic.bodies]
    unit = Mat3(*(Vec3(*(sp.Integer(int(i == j)) for j in range(3))) for i in range(3)))
    return [Frame(i, Pose(unit, Vec3(*(sp.Integer(0),) * 3))) for i in range(1, symbolic.dof + 1)]
