"""What algorithms need of a robot: moving links in tree order, each with its joint and its constants.

Link 0 is the fixed world; link i of the book is `links[i - 1]` here, and its parent's number is below its own.
The axes of a link are our own choice (see frames.py): z along its joint, so that p_i is a constant. Frames that
the user named are kept beside, as constant poses in those axes.

A joint of several degrees of freedom is a row of links, one per velocity, of which only the last has a body: the
recursions meet one motion vector p_i at a time, and their order gives the joint its 6 x k motion matrix and its k x k
block of U and D. Where such a joint turns about a point, its velocities are those of the last link in that link's own
axes; its first link then holds the whole rotation (a unit quaternion, so that nothing is singular) and, if it is free,
the position; the others `follow` and only rename the axes, so that each has its motion along z.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    TurnBy,
    TurnCycle,
    TurnX,
    TurnZ,
    Twist,
    Vec3,
    Wrench,
)
from redyn.model.coupling import Coupling, Tie

JointKind = Literal["revolute", "prismatic", "helical"]

QUATERNION, POSE = 4, 7  # coordinates: x y z w; and a position before it
CYCLE = TurnCycle()


@dataclass(frozen=True, slots=True)
class Joint:
    """A joint about (revolute), along (prismatic) or both (helical) the z axis of its link.

    In the parent's axes the joint sits at `offset`; `turns` lead from those axes to the joint's, and the joint then
    turns about or slides along z by q + zero (+ `quarters` right angles, kept apart because they cost nothing).
    """

    name: str  # the user's joint, which may have several of these
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
    coordinates: int = 1  # how many numbers of q are its own: 1, QUATERNION, POSE, or 0 where it follows
    part: str = ""  # which velocity of the user's joint it is, where there are several

    @property
    def follows(self) -> bool:
        """Whether the link below shares this one's rotation: both belong to a joint that turns about a point."""
        return self.coordinates == 0

    @property
    def label(self) -> str:
        """The name of its velocity."""
        return f"{self.name}.{self.part}" if self.part else self.name

    def propagation(self, q: Sequence[Scalar], arith: Arithmetic) -> Propagation:
        """B_ij at the coordinates q."""
        if self.follows:
            return Propagation(self.offset, self.turns)
        if self.coordinates > 1:
            *position, x, y, z, w = q
            offset = self.offset
            if position:
                at = Vec3(*position)
                for turn in reversed(self.turns):
                    at = turn.to_parent(at)
                offset = offset + at
            return Propagation(offset, (*self.turns, TurnBy.of_quaternion(x, y, z, w), CYCLE))
        (value,) = q
        nothing = arith.const(0.0)
        if self.kind == "prismatic":
            return Propagation(self.offset, self.turns, Vec3(nothing, nothing, value + self.zero))
        s, c = arith.sincos(value + self.zero)
        c, s = ((c, s), (-s, c), (-c, -s), (s, -c))[self.quarters]
        slide = Vec3(nothing, nothing, self.p.lin.z * value) if self.kind == "helical" else None
        return Propagation(self.offset, (*self.turns, TurnZ(c, s)), slide)

    def with_axis(self, w: Wrench, value: Scalar) -> Wrench:
        """The same wrench with the component along p_i that it is known to have."""
        n, f = w.moment, w.force
        if self.kind == "revolute":
            return Wrench(Vec3(n.x, n.y, value), f)
        return Wrench(n, Vec3(f.x, f.y, value)) if self.kind == "prismatic" else w


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
    virtual: bool = False  # a step of a joint of several degrees of freedom: no body of its own


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
    coupling: Coupling | None = None  # of joints that follow others; without it every link moves freely

    @property
    def n(self) -> int:
        """How many links the recursions run over."""
        return len(self.links)

    @property
    def driven(self) -> list[Link]:
        """The links whose velocities are free, in the order of qd."""
        return list(self.links) if self.coupling is None else [self.links[i] for i in self.coupling.driven]

    @property
    def ties(self) -> Sequence[Tie]:
        """For every link, the free velocity that moves it."""
        return [Tie(i) for i in range(self.n)] if self.coupling is None else self.coupling.velocities

    @property
    def dof(self) -> int:
        """How many velocities are free."""
        return self.n if self.coupling is None else len(self.coupling.driven)

    @property
    def nq(self) -> int:
        return sum(link.joint.coordinates for link in self.driven)

    @property
    def bodies(self) -> list[int]:
        """The numbers of the links that are the user's moving bodies."""
        return [i for i, link in enumerate(self.links, start=1) if not link.virtual]

    @property
    def pairs(self) -> int:
        """How many pairs there are of a link and one that carries it, or itself: the entries of half a mass matrix."""
        depth = [0]
        for link in self.links:
            depth.append(depth[link.parent] + 1)
        return sum(depth)

    @property
    def starts(self) -> list[int]:
        """Where in q the coordinates of each of the driven links begin."""
        return places(self.driven)

    @property
    def quaternions(self) -> list[int]:
        """Where in q each unit quaternion begins."""
        found = zip(self.starts, self.driven, strict=True)
        return [start + k.joint.coordinates - QUATERNION for start, k in found if k.joint.coordinates > 1]

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


def places(links: Sequence[Link]) -> list[int]:
    """Where the coordinates of each begin, if they stand one after the other."""
    found = [0]
    for link in links:
        found.append(found[-1] + link.joint.coordinates)
    return found[:-1]


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
        if isinstance(t, TurnX | TurnZ):
            return type(t)(const(t.c), const(t.s))
        return t

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
            coordinates=j.coordinates,
            part=j.part,
        )
        mass = MassMatrix(const(M.m), vec(M.h), Sym3(*(const(x) for x in M.S.components())))
        points = vec(item.com), vec(item.anchor), vec(item.socket)
        return Link(item.name, item.parent, joint, mass, *points, item.virtual)

    frames = {
        name: Frame(f.link, Pose(Mat3(vec(f.pose.R.x), vec(f.pose.R.y), vec(f.pose.R.z)), vec(f.pose.o)))
        for name, f in model.frames.items()
    }
    links = tuple(link(item) for item in model.links)
    return replace(model, links=links, gravity=vec(model.gravity), frames=frames)
