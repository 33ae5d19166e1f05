"""A robot with symbolic constants: the links and joints of its model, in axes that follow the user's table.

A DH table is taken row by row, so that a_i, b_i and alpha_i are those of the table. Link i has its z along joint i and
its x along the common normal: the axes that Rz(theta_i) makes of frame i, where the mass centre is at d_i. Other robots
(URDF, arbitrary axes, lumped parts) take the axes and the numbers of the model, which are DH parameters as well.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any, Literal, cast

from redyn.algebra import MassMatrix, RotationX, RotationZ, Sym3, Vec3
from redyn.model import QUATERNION_SIZE, Beam, Contact, Link, Loop, Model, Rolling
from redyn.symbolic.notation import Expr, sp
from redyn.symbolic.parameters import Parameters, exact

Triple = tuple[Expr, Expr, Expr]
_NOISE = 1e-12  # relative; smaller values are rounding errors of zero
NOTHING: Expr = sp.Integer(0)
_RIGHT = 1e-8  # smaller sines and cosines are rounded to zero


@dataclass(frozen=True)
class Turning:
    """A constant rotation about x or z; `angle` is a symbol or a number."""

    axis: Literal["x", "z"]
    angle: Expr
    cosine: Expr
    sine: Expr


@dataclass(frozen=True)
class Body:
    """Link i and its joint, every constant a SymPy expression. Joint i sits at `offset` in the axes of the parent."""

    name: str
    parent: int
    kind: str
    offset: Triple
    turns: tuple[Turning, ...]
    zero: Expr  # added to the joint variable
    quarters: int  # right angles added to it
    mass: Expr
    centre: Triple  # of mass, in link axes, from the joint: d_i
    inertia: tuple[Expr, ...]  # xx xy xz yy yz zz about the mass centre, in link axes
    end: Triple  # O_{i+1}, the far end of the link, in link axes
    end_twist: Expr  # alpha_i of a DH row, from link axes to frame i+1
    armature: Expr
    damping: Expr
    coulomb: Expr
    smoothing: Expr
    stiffness: Expr  # of the spring at the joint; zero if there is none
    rest: Expr  # where that spring is at rest
    beam: Beam | None = None  # of the first of its modes, whose bodies follow each other
    motor: int = 0  # behind an elastic gear, the number of its motor
    gear_stiffness: Expr = NOTHING
    gear_damping: Expr = NOTHING
    coordinates: int = 1  # numbers of q that are its own: 4 or 7 where it begins a joint about a point, then 0
    virtual: bool = False  # a part of a joint with several rates, without a body

    @property
    def single(self) -> bool:
        """Whether it has one number in q, whose rate is its own."""
        return self.coordinates == 1

    @property
    def continues(self) -> bool:
        """Whether it continues the joint of the body before it, which turns about a point."""
        return self.coordinates == 0


@dataclass(frozen=True)
class SymbolicRobot:
    name: str
    bodies: tuple[Body, ...]
    gravity: Triple
    tip: Triple | None  # the end effector's origin, in the axes of the link that carries it
    tip_link: int
    q: list[Expr]
    qd: list[Expr]
    qdd: list[Expr]
    tabled: bool  # whether the axes are those of a DH table
    loops: tuple[Loop, ...]  # cut joints, their frames in these axes
    contacts: tuple[Contact, ...] = ()  # wheels that roll, likewise
    body_rates: tuple[Expr, ...] = ()  # of a planar base in its own axes, where some of them are independent

    @property
    def dof(self) -> int:
        return len(self.bodies)

    @property
    def starts(self) -> list[int]:
        """Where in q the coordinates of each body begin."""
        return [0, *accumulate(body.coordinates for body in self.bodies)][:-1]

    def split(self, q: Sequence[Any]) -> list[Sequence[Any]]:
        """q, body by body."""
        return [q[start : start + b.coordinates] for start, b in zip(self.starts, self.bodies, strict=True)]

    @property
    def quaternions(self) -> list[tuple[Expr, ...]]:
        """x y z w of every joint that turns about a point."""
        return [tuple(own[-QUATERNION_SIZE:]) for own in self.split(self.q) if len(own) > 1]

    @property
    def turning_rows(self) -> list[tuple[int, bool]]:
        """Joints that turn about a point: where their rates begin in qd, and whether they move that point as well."""
        return [(i, b.coordinates > QUATERNION_SIZE) for i, b in enumerate(self.bodies) if b.coordinates > 1]

    @property
    def rates_about_points(self) -> set[Expr]:
        """The rates of these and their derivatives: the former have no dot in their names."""
        several = [i for i, body in enumerate(self.bodies) if not body.single]
        return {x[i] for i in several for x in (self.qd, self.qdd)}

    @property
    def angles(self) -> list[tuple[int, Expr]]:
        """Bodies, from 0, that turn by an angle, and that angle."""
        own = enumerate(zip(self.bodies, self.split(self.q), strict=True))
        return [(i, q[0]) for i, (body, q) in own if body.kind == "revolute" and body.single]

    @property
    def flexible(self) -> bool:
        """Whether a link bends."""
        return any(body.beam is not None for body in self.bodies)

    @property
    def geared(self) -> list[tuple[int, int, Body]]:
        """Elastic gears: the bodies, from 0, of the joint and of its motor, and the first of these."""
        return [(i, body.motor - 1, body) for i, body in enumerate(self.bodies) if body.motor]


def turning(axis: Literal["x", "z"], angle: Expr) -> Turning:
    """Right angles are exact; other numbers give decimals, symbols stay."""
    quarter = sp.nsimplify(angle / (sp.pi / 2)) if angle.has(sp.pi) or not angle.free_symbols else None
    if quarter is not None and quarter.is_Rational:
        if quarter.q == 1:
            c, s = ((1, 0), (0, 1), (-1, 0), (0, -1))[int(quarter) % 4]
            return Turning(axis, angle, sp.Integer(c), sp.Integer(s))
        value = float(angle)
        return Turning(axis, angle, exact(math.cos(value)), exact(math.sin(value)))
    if not angle.free_symbols:
        value = float(angle)
        return Turning(axis, angle, exact(math.cos(value)), exact(math.sin(value)))
    return Turning(axis, angle, sp.cos(angle), sp.sin(angle))


def angle_parameter(parameters: Parameters, name: str, value: float) -> Expr:
    """A symbol for an angle, unless it is a right angle, which is kept exactly."""
    quarters = round(value / (math.pi / 2))
    if abs(value - quarters * (math.pi / 2)) < _RIGHT:
        return parameters.settle(name, value, sp.Rational(quarters, 2) * sp.pi)
    return parameters.take(name, value)


def turned(turns: Sequence[Turning], v: Sequence[Expr]) -> Triple:
    """Rotation from the axes after the turns to those before them."""
    x, y, z = v
    for t in reversed(turns):
        c, s = t.cosine, t.sine
        x, y, z = (x, c * y - s * z, s * y + c * z) if t.axis == "x" else (c * x - s * y, s * x + c * y, z)
    return x, y, z


def turned_tensor(turns: Sequence[Turning], six: Sequence[Expr]) -> tuple[Expr, ...]:
    xx, xy, xz, yy, yz, zz = six
    columns = [turned(turns, column) for column in ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))]
    rows = [turned(turns, row) for row in zip(*columns, strict=True)]
    flat = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
    return tuple(sp.expand(rows[i][j]) for i, j in flat)


def not_idle(turns: Sequence[Turning]) -> tuple[Turning, ...]:
    return tuple(t for t in turns if (t.cosine, t.sine) != (1, 0))


def inertia_constants(take: Parameters, i: int | str, six: Sequence[float]) -> list[Expr]:
    return [take.take(f"I_{i}{k}", x) for k, x in zip(("xx", "xy", "xz", "yy", "yz", "zz"), six, strict=True)]


def joint_constants(link: Link, i: int | str, take: Parameters) -> dict[str, Any]:
    """Rotor, friction and spring of joint i."""
    j = link.joint
    k = take.take(f"k_{i}", cast(float, j.stiffness))
    rest = take.take(f"rest_{i}", cast(float, j.rest)) if j.stiffness != 0.0 else sp.Integer(0)
    return (
        {"stiffness": k, "rest": rest}
        | {
            name: take.take(f"{name}_{i}", cast(float, getattr(j, name)))
            for name in ("armature", "damping", "coulomb", "smoothing")
            if name != "smoothing" or j.coulomb != 0.0
        }
        | ({} if j.coulomb != 0.0 else {"smoothing": sp.Integer(0)})
    )


def gravity_constants(model: Model, take: Parameters) -> Triple:
    """g along a coordinate axis, or g_x, g_y, g_z."""
    g = [float(cast(float, x)) for x in model.gravity.components()]
    along = [k for k in range(3) if g[k] != 0.0]
    if len(along) == 1:
        size = take.take("g", abs(g[along[0]]))
        sign = 1 if g[along[0]] > 0 else -1
        return cast(Triple, tuple(sign * size if k == along[0] else sp.Integer(0) for k in range(3)))
    return cast(Triple, tuple(take.take(f"g_{axis}", x) for axis, x in zip("xyz", g, strict=True)))


def link_numbers(link: Link) -> tuple[float, list[float], list[float]]:
    """Mass, mass centre and inertia about it of a link of the model, in its axes; rounding errors of zero are zero."""
    m, h, com = (float(cast(float, link.M.m)), link.M.h.components(), link.com.components())
    centre, first = ([float(cast(float, x)) for x in v] for v in (com, h))
    S = [float(cast(float, x)) for x in link.M.S.components()]
    lever = [first[a] * centre[b] for a, b in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))]
    S_C = [s - l for s, l in zip(S, lever, strict=True)]
    trace = S_C[0] + S_C[3] + S_C[5]
    inertia = [trace - S_C[0], -S_C[1], -S_C[2], trace - S_C[3], -S_C[4], trace - S_C[5]]
    largest = max(map(abs, (*S, trace)), default=0.0)
    return m, centre, [0.0 if abs(x) < _NOISE * largest else x for x in inertia]


def symbolic_model(model: Model, robot: SymbolicRobot) -> Model:
    """The model for the recursions, with SymPy expressions for its constants."""
    links: list[Link] = []
    for link, body in zip(model.links, robot.bodies, strict=True):
        m, c, (xx, xy, xz, yy, yz, zz) = body.mass, body.centre, body.inertia
        half = (xx + yy + zz) / 2
        rotations = tuple((RotationX if t.axis == "x" else RotationZ)(t.cosine, t.sine) for t in body.turns)
        joint = replace(
            link.joint,
            offset=Vec3(*body.offset),
            rotations=link.joint.rotations if body.continues else rotations,
            zero=body.zero,
            quarters=body.quarters,
            armature=body.armature,
            damping=body.damping,
            coulomb=body.coulomb,
            smoothing=body.smoothing,
            stiffness=body.stiffness,
            rest=body.rest,
            gear_stiffness=body.gear_stiffness,
            gear_damping=body.gear_damping,
        )
        S = Sym3(
            half - xx + m * c[0] ** 2,
            -xy + m * c[0] * c[1],
            -xz + m * c[0] * c[2],
            half - yy + m * c[1] ** 2,
            -yz + m * c[1] * c[2],
            half - zz + m * c[2] ** 2,
        )
        h = Vec3(*(m * x for x in c))
        links.append(replace(link, joint=joint, M=MassMatrix(m, h, S), com=Vec3(*c), beam=body.beam))
    # Rows of a distance are divided by it, which polynomials cannot be: there it is a number.
    loops = tuple(
        replace(loop, numbers=tuple(exact(float(cast(float, x))) for x in own.numbers))
        if loop.kind == "distance"
        else loop
        for loop, own in zip(robot.loops, model.loops, strict=True)
    )
    reduction = model.reduction
    if isinstance(reduction, Rolling):
        reduction = replace(reduction, contacts=robot.contacts)
    return replace(
        model,
        links=tuple(links),
        gravity=Vec3(*robot.gravity),
        loops=loops,
        contacts=robot.contacts,
        reduction=reduction,
    )
