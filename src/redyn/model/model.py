"""What algorithms need of a robot: moving links in tree order, each with its joint and its constants.

Link 0 is the fixed world; link i of the book is `links[i - 1]` here, and its parent's number is below its own.
The axes of a link are our own choice (see frames.py): z along its joint, so that p_i is a constant. Frames that
the user named are kept beside, as constant poses in those axes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from redyn.algebra import (
    Arithmetic,
    MassMatrix,
    Mat3,
    Pose,
    Propagation,
    Scalar,
    Sym3,
    Turn,
    TurnX,
    TurnZ,
    Twist,
    Vec3,
    Wrench,
)

JointKind = Literal["revolute", "prismatic"]


@dataclass(frozen=True, slots=True)
class Joint:
    """A revolute joint about, or a prismatic joint along, the z axis of its link.

    In the parent's axes the joint sits at `offset`; `turns` lead from those axes to the joint's, and the joint then
    turns about or slides along z by q + zero (+ `quarters` right angles, kept apart because they cost nothing).
    """

    name: str
    kind: JointKind
    p: Twist  # the joint-motion propagation vector p_i (9.4d, 9.5b), constant in link axes
    offset: Vec3
    turns: tuple[Turn, ...]
    zero: Scalar
    quarters: int
    damping: Scalar
    coulomb: Scalar
    smoothing: Scalar
    armature: Scalar

    def propagation(self, q: Scalar, arith: Arithmetic) -> Propagation:
        """B_ij at the joint value q."""
        if self.kind == "prismatic":
            nothing = arith.const(0.0)
            return Propagation(self.offset, self.turns, Vec3(nothing, nothing, q + self.zero))
        s, c = arith.sincos(q + self.zero)
        c, s = ((c, s), (-s, c), (-c, -s), (s, -c))[self.quarters]
        return Propagation(self.offset, (*self.turns, TurnZ(c, s)))

    def with_axis(self, w: Wrench, value: Scalar) -> Wrench:
        """The same wrench with another component along p_i."""
        n, f = w.moment, w.force
        if self.kind == "revolute":
            return Wrench(Vec3(n.x, n.y, value), f)
        return Wrench(n, Vec3(f.x, f.y, value))


@dataclass(frozen=True, slots=True)
class Link:
    """A moving body: everything rigidly attached to it is lumped into M, about the joint origin."""

    name: str
    parent: int
    joint: Joint
    M: MassMatrix
    com: Vec3  # the mass centre C_i in link axes
    anchor: Vec3  # the point of the link where the user's joint sits, in link axes
    socket: Vec3  # the joint origin O_i as a point of the parent, in the parent's axes


@dataclass(frozen=True, slots=True)
class Frame:
    """A named frame: constant pose in the axes of the link that carries it (0: the world)."""

    link: int
    pose: Pose


@dataclass(frozen=True, slots=True)
class Model:
    """A robot, ready for the recursions."""

    name: str
    links: tuple[Link, ...]
    gravity: Vec3
    frames: Mapping[str, Frame]
    end_effector: str | None

    @property
    def dof(self) -> int:
        return len(self.links)

    def over(self, arith: Arithmetic) -> Model:
        """The same model with its constants in another arithmetic."""
        return _map_constants(self, arith)

    def with_payload(self, payload: MassMatrix, frame: Frame) -> Model:
        """The same torques as with a rigid body, given in the axes of `frame`, added to the link that carries it.

        M alone changes, which is what torques and accelerations depend on.
        """
        link = self.links[frame.link - 1]
        heavier = replace(link, M=link.M + _into_link_axes(payload, frame))
        return replace(self, links=(*self.links[: frame.link - 1], heavier, *self.links[frame.link :]))


def _into_link_axes(body: MassMatrix, frame: Frame) -> MassMatrix:
    R = frame.pose.R
    S = R.times(body.S.full()).times(R.T)
    turned = MassMatrix(body.m, R @ body.h, Sym3(S.x.x, S.x.y, S.x.z, S.y.y, S.y.z, S.z.z))
    return turned.moved(frame.pose.o)


def _map_constants(model: Model, arith: Arithmetic) -> Model:
    """Every constant of the model passed through `arith.const`."""
    const = arith.const

    def vec(v: Vec3) -> Vec3:
        return Vec3(const(v.x), const(v.y), const(v.z))

    def turn(t: Turn) -> Turn:
        return (TurnX if isinstance(t, TurnX) else TurnZ)(const(t.c), const(t.s))

    def link(item: Link) -> Link:
        j, M = item.joint, item.M
        joint = Joint(
            name=j.name,
            kind=j.kind,
            p=Twist(vec(j.p.ang), vec(j.p.lin)),
            offset=vec(j.offset),
            turns=tuple(turn(t) for t in j.turns),
            zero=const(j.zero),
            quarters=j.quarters,
            damping=const(j.damping),
            coulomb=const(j.coulomb),
            smoothing=const(j.smoothing),
            armature=const(j.armature),
        )
        mass = MassMatrix(const(M.m), vec(M.h), Sym3(*(const(x) for x in M.S.components())))
        return Link(item.name, item.parent, joint, mass, vec(item.com), vec(item.anchor), vec(item.socket))

    frames = {
        name: Frame(f.link, Pose(Mat3(vec(f.pose.R.x), vec(f.pose.R.y), vec(f.pose.R.z)), vec(f.pose.o)))
        for name, f in model.frames.items()
    }
    return Model(model.name, tuple(link(item) for item in model.links), vec(model.gravity), frames, model.end_effector)
