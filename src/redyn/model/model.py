"""What algorithms need of a robot: moving links in tree order, each with its joint and its constants.

Link 0 is the fixed world; link i of the book is `links[i - 1]` here, and its parent's number is below its own.
The axes of a link are our own choice (see frames.py): z along its joint, so that p_i is a constant. Frames that
the user named are kept beside, as constant poses in those axes.

A joint of several degrees of freedom is a row of links, one per rate, of which only the last has a body: the
recursions meet one motion vector p_i at a time, and their order gives the joint its 6 x k motion matrix and its k x k
block of U and D. What such joints mean for coordinates and rates is asked here and in joint.py.

A flexible link is a row as well, after the link of its joint: a link for each elastic coordinate, with the axes of the
tip, of which the last is the body at the tip.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from redyn.algebra import (
    Arithmetic,
    GeneralRotation,
    MassMatrix,
    Mat3,
    Pose,
    Rotation,
    RotationX,
    RotationZ,
    Scalar,
    Sym3,
    Twist,
    Vec3,
)
from redyn.model.beam import BEAM_MATRICES, BEAM_VECTORS, Beam
from redyn.model.coupling import Coupling, Tie
from redyn.model.ground import ContactPoint
from redyn.model.joint import POSE_SIZE, QUATERNION_SIZE, Joint
from redyn.model.loop import Closure, Loop
from redyn.model.reduction import Reduction
from redyn.model.rolling import Contact, Rolling

if TYPE_CHECKING:
    from redyn.model.free import Free

T = TypeVar("T")


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
    virtual: bool = False  # in the row of a joint of several degrees of freedom, but not its last: has no body
    beam: Beam | None = None  # of the first link in the row of its modes: between the parent and the last of the row


@dataclass(frozen=True, slots=True)
class Frame:
    """A named frame: constant pose in the axes of the link that carries it (0: the world)."""

    link: int
    pose: Pose


class Variable(NamedTuple):
    """A joint variable: one number, a unit quaternion, or a position and a unit quaternion after it."""

    joint: Joint  # the first of its row
    q: int  # where it begins in q
    rate: int  # where its rates begin in qd; of a position and a quaternion, the angular ones come first

    @property
    def size(self) -> int:
        """How many numbers of q it is."""
        return self.joint.coordinates

    @property
    def quaternion(self) -> slice:
        """Of one that is not single: where its quaternion is in q."""
        return slice(self.q + self.size - QUATERNION_SIZE, self.q + self.size)

    @property
    def has_position(self) -> bool:
        return self.size == POSE_SIZE


@dataclass(frozen=True, slots=True)
class Model:
    """A robot, ready for the recursions."""

    name: str
    links: tuple[Link, ...]
    gravity: Vec3
    frames: Mapping[str, Frame]
    end_effector: str | None
    reduction: Reduction | None = None  # of rates that depend on others; without it every link moves independently
    loops: tuple[Loop, ...] = ()
    closure: Closure | None = None  # of the loops, once they have been closed
    contacts: tuple[Contact, ...] = ()  # wheels, disks and blades, of which the reduction is made
    up: Vec3 = field(default_factory=lambda: Vec3(0.0, 0.0, 1.0))  # the normal of the ground that they roll on
    contact_points: tuple[ContactPoint, ...] = ()  # what may touch a ground that yields
    free: Free | None = None  # which of its numbers are inputs of every call

    @property
    def n(self) -> int:
        """How many links the recursions run over."""
        return len(self.links)

    @property
    def driven(self) -> list[Link]:
        """The links whose rates are independent, in the order of qd."""
        if isinstance(self.reduction, Rolling):
            return [self._labelled(i) for i in self.reduction.independent]
        return list(self.links) if self.reduction is None else [self.links[i] for i in self.reduction.u_links]

    def _labelled(self, i: int) -> Link:
        """A link, its rate called as among the independent ones."""
        assert isinstance(self.reduction, Rolling)
        link = self.links[i]
        part = self.reduction.label(i, link.joint.label).rpartition(".")[2]
        return replace(link, joint=replace(link.joint, part=part)) if link.joint.part else link

    @property
    def dof(self) -> int:
        """How many rates are independent."""
        return self.n if self.reduction is None else len(self.reduction.u_links)

    @property
    def ties(self) -> Sequence[Tie]:
        """For every link, the independent rate that it has or mimics; no other reduction is as simple as that."""
        if self.reduction is None:
            return [Tie(i) for i in range(self.n)]
        assert isinstance(self.reduction, Coupling)
        return self.reduction.rates

    def moved_by(self, link: int) -> list[int]:
        """The independent rates that move a link, by their numbers in qd, those nearest to the base first."""
        links = [i - 1 for i in reversed(self.path(link))]
        if self.reduction is None:
            return links
        return list(dict.fromkeys(k for i in links for k in self.reduction.sources(i)))

    @property
    def located(self) -> list[Link]:
        """The links whose coordinates make q, in that order."""
        return list(self.links) if self.reduction is None else [self.links[i] for i in self.reduction.q_links]

    @property
    def actuators(self) -> list[Link]:
        """The links that tau acts on, in that order: those of the independent rates, unless a file names others."""
        reduction = self.reduction
        if not isinstance(reduction, Rolling) or reduction.driven == reduction.independent:
            return self.driven
        return [self.links[i] for i in reduction.driven]

    @property
    def tangent(self) -> int:
        """How many directions q can be changed in: wheels restrict rates and not positions."""
        return len(self.located)

    @property
    def nq(self) -> int:
        return sum(link.joint.coordinates for link in self.located)

    @property
    def bodies(self) -> list[int]:
        """The numbers of the links that are the user's moving bodies."""
        return [i for i, link in enumerate(self.links, start=1) if not link.virtual]

    @property
    def joints(self) -> list[tuple[Link, ...]]:
        """The links of each of the user's joints: one, or a row of which the last has the body."""
        found: list[tuple[Link, ...]] = []
        row: list[Link] = []
        for link in self.links:
            row.append(link)
            if not link.virtual:
                found.append(tuple(row))
                row = []
        return found

    @property
    def floating(self) -> range:
        """The links, from 0, of the joint with which a floating base moves: free, or planar; empty if there is none."""
        size = next((i for i, link in enumerate(self.links, start=1) if not link.virtual), 0)
        row = [link.joint for link in self.links[:size]]
        planar = [joint.part for joint in row] == ["x", "y", "angle"]
        return range(size if planar or (row and row[0].coordinates == POSE_SIZE) else 0)

    @property
    def undriven(self) -> list[int]:
        """The links, from 0, without an actuator: of a floating base, modes of beams, links beyond elastic gears."""
        others = (i for i, link in enumerate(self.links) if link.joint.kind == "mode" or link.joint.motor)
        return [*self.floating, *others]

    @property
    def flexible(self) -> bool:
        """Whether a link bends."""
        return any(link.beam is not None for link in self.links)

    @property
    def gives(self) -> bool:
        """Whether a link bends or a gear gives."""
        return any(link.joint.kind == "mode" or link.joint.motor for link in self.links)

    @property
    def beams(self) -> list[tuple[int, Beam]]:
        """Every beam with the first link of its row, from 0."""
        return [(i, link.beam) for i, link in enumerate(self.links) if link.beam is not None]

    @property
    def steps(self) -> list[range]:
        """The links, from 0, that a recursion takes at once: one, or all modes of a beam."""
        sizes = {i: beam.modes for i, beam in self.beams}
        return [range(i, i + sizes.get(i, 1)) for i, k in enumerate(self.links) if k.joint.kind != "mode" or i in sizes]

    @property
    def simple(self) -> bool:
        """Whether every link is a rigid body with one joint variable and all of them are independent."""
        alone = self.reduction is None and not self.loops and not self.flexible
        return alone and all(link.joint.single and not link.virtual for link in self.links)

    @property
    def continued(self) -> list[int]:
        """The links, from 0 and tips first, that continue the joint of the link before, about a point."""
        return [i for i in reversed(range(self.n)) if self.links[i].joint.continues]

    @property
    def rows(self) -> list[tuple[Loop, int]]:
        """The rows of all loops, each with its number in the loop's own axes."""
        return [(loop, row) for loop in self.loops for row in loop.rows]

    @property
    def mobility(self) -> int:
        """How many rates are independent once the loops are closed."""
        if not self.loops:
            return self.dof
        assert self.closure is not None
        return self.dof - self.closure.rank

    @property
    def fixed_to(self) -> list[int]:
        """For every link number, the link that p_i is fixed to: itself, or the last of a joint about a point."""
        found = list(range(self.n + 1))
        for i in self.continued:
            found[i] = found[i + 1]
        return found

    def path(self, link: int) -> list[int]:
        """The numbers of a link and of those that carry it, down to the first above the world."""
        found: list[int] = []
        while link > 0:
            found.append(link)
            link = self.links[link - 1].parent
        return found

    def inward(self, i: int) -> Iterator[tuple[int, int]]:
        """The steps from link i to the base: (link, its parent) and so on, both from 0."""
        return pairwise(k - 1 for k in self.path(i + 1))

    @property
    def pairs(self) -> int:
        """How many pairs there are of a link and one that carries it, or itself: the entries of half a mass matrix."""
        depth = [0]
        for link in self.links:
            depth.append(depth[link.parent] + 1)
        return sum(depth)

    def split(self, q: Sequence[T]) -> list[Sequence[T]]:
        """The whole q of the tree, joint by joint: of every link, the coordinates that are its own."""
        starts = offsets(self.links)
        return [q[start : start + k.joint.coordinates] for start, k in zip(starts, self.links, strict=True)]

    @property
    def variables(self) -> list[Variable]:
        """The joint variables that change independently, in the order of q."""
        found = enumerate(zip(self.located, offsets(self.located), strict=True))
        return [Variable(link.joint, start, k) for k, (link, start) in found if not link.joint.continues]

    @property
    def starts(self) -> list[int]:
        """Where in q the coordinates of each of the driven links begin."""
        if self.reduction is None:
            return offsets(self.links)
        starts = dict(zip(self.reduction.q_links, offsets(self.located), strict=True))
        return [starts[i] for i in self.reduction.u_links]

    @property
    def places(self) -> list[int]:
        """Where in q the coordinates of each of the located links begin."""
        return offsets(self.located)

    @property
    def quaternions(self) -> list[int]:
        """Where in q each unit quaternion begins."""
        found = zip(offsets(self.located), self.located, strict=True)
        return [start + k.joint.coordinates - QUATERNION_SIZE for start, k in found if k.joint.coordinates > 1]

    def over(self, arith: Arithmetic) -> Model:
        """The same model with its constants in another arithmetic."""
        return _map_constants(self, arith)

    def parameters(self) -> list[Scalar]:
        """The ten inertial parameters of every body, about the origin and in the axes of its own frame."""
        found: list[Scalar] = []
        for i in self.bodies:
            link = self.links[i - 1]
            pose = self.frames[link.name].pose
            found += link.M.moved(-pose.o).rotated(pose.R.T).parameters()
        return found

    def with_payload(self, payload: MassMatrix, frame: Frame) -> Model:
        """The same torques as with a rigid body, given in the axes of `frame`, added to the link that carries it.

        M alone changes, which is what torques and accelerations depend on.
        """
        link = self.links[frame.link - 1]
        heavier = replace(link, M=link.M + payload.rotated(frame.pose.R).moved(frame.pose.o))
        return replace(self, links=(*self.links[: frame.link - 1], heavier, *self.links[frame.link :]))


def offsets(links: Sequence[Link]) -> list[int]:
    """Where the coordinates of each link begin, one after the other."""
    found = [0]
    for link in links:
        found.append(found[-1] + link.joint.coordinates)
    return found[:-1]


def _map_constants(model: Model, arith: Arithmetic) -> Model:
    """Every constant of the model passed through `arith.const`."""
    const = arith.const

    def vec(v: Vec3) -> Vec3:
        return Vec3(const(v.x), const(v.y), const(v.z))

    def rotation(t: Rotation) -> Rotation:
        if isinstance(t, RotationX | RotationZ):
            return type(t)(const(t.c), const(t.s))
        return GeneralRotation(mat(t.R)) if isinstance(t, GeneralRotation) else t

    def mat(R: Mat3) -> Mat3:
        return Mat3(vec(R.x), vec(R.y), vec(R.z))

    def body(M: MassMatrix) -> MassMatrix:
        return MassMatrix(const(M.m), vec(M.h), Sym3(*(const(x) for x in M.S.components())))

    def row(numbers: Sequence[Scalar]) -> tuple[Scalar, ...]:
        return tuple(const(x) for x in numbers)

    def beam(item: Beam) -> Beam:
        vectors = {name: row(getattr(item, name)) for name in BEAM_VECTORS}
        matrices = {name: tuple(row(x) for x in getattr(item, name)) for name in BEAM_MATRICES}
        turns = tuple(rotation(t) for t in item.rotations)
        placed = {"length": const(item.length), "offset": vec(item.offset), "rotations": turns, "M": body(item.M)}
        return replace(item, **placed, **vectors, **matrices)

    def link(item: Link) -> Link:
        j, M = item.joint, item.M
        joint = Joint(
            name=j.name,
            kind=j.kind,
            p=Twist(vec(j.p.ang), vec(j.p.lin)),
            offset=vec(j.offset),
            rotations=tuple(rotation(t) for t in j.rotations),
            zero=const(j.zero),
            quarters=j.quarters,
            damping=const(j.damping),
            coulomb=const(j.coulomb),
            smoothing=const(j.smoothing),
            stiffness=const(j.stiffness),
            rest=const(j.rest),
            armature=const(j.armature),
            motor=j.motor,
            gear_stiffness=const(j.gear_stiffness),
            gear_damping=const(j.gear_damping),
            coordinates=j.coordinates,
            part=j.part,
        )
        points = vec(item.com), vec(item.anchor), vec(item.socket)
        bends = None if item.beam is None else beam(item.beam)
        return Link(item.name, item.parent, joint, body(M), *points, item.virtual, bends)

    def frame(item: Frame) -> Frame:
        R, o = item.pose.R, item.pose.o
        return Frame(item.link, Pose(mat(R), vec(o)))

    def loop(item: Loop) -> Loop:
        return Loop(item.name, item.kind, frame(item.A), frame(item.B), tuple(const(x) for x in item.numbers))

    return replace(
        model,
        links=tuple(link(item) for item in model.links),
        gravity=vec(model.gravity),
        frames={name: frame(item) for name, item in model.frames.items()},
        loops=tuple(loop(item) for item in model.loops),
    )
