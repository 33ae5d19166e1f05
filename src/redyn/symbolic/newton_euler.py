"""Newton-Euler equations from the free-body diagram of every link.

The second of three derivations, deliberately without DeNOC quantities: 3-vectors in link axes at the mass centres,
the weight of each link as a force on it, and one balance of forces and one of moments per link (the assignment's and
Craig's outward and inward passes). Nothing is shared with redyn.dynamics but the constants of the links and the law of
their springs.

Corrections to the sources: a prismatic joint adds 2 omega x z b_dot to the acceleration; the reaction of link i + 1 on
link i includes the actuator of joint i + 1 (the slides' equation of link 1 lacks -tau_2).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from redyn.algebra import rotation_rows
from redyn.dynamics.laws.spring import spring
from redyn.symbolic.bodies import Body, SymbolicRobot

Vector = list[Any]
Convert = Callable[[Any], Any]  # converts a constant of the robot to the scalar type of the derivation
SinCos = Callable[[Any], tuple[Any, Any]]


@dataclass(frozen=True)
class FreeBody:
    """Free body of one link, all vectors in its own axes."""

    omega: Vector
    omega_dot: Vector
    acceleration: Vector  # of the mass centre
    inertia_force: Vector  # m a
    inertia_moment: Vector  # I omega_dot + omega x I omega
    weight: Vector
    force: Vector  # exerted by its parent, at the joint
    moment: Vector
    tau: Any  # the component that the actuator supplies


def cross(a: Vector, b: Vector) -> Vector:
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def plus(*vectors: Vector) -> Vector:
    return [sum(parts[1:], parts[0]) for parts in zip(*vectors, strict=True)]


def rotation(body: Body, q: Sequence[Any], convert: Convert, sincos: SinCos) -> list[Vector]:
    """The columns of this matrix are the link's axes in its parent's; q are the body's own coordinates.

    A joint that turns about a point is a row of bodies: the first turns, and each calls the axis z about or along
    which its rate is.
    """
    if body.continues:
        return _renamed(_unit(convert))
    R = _turned(_unit(convert), body, convert)
    if not body.single:
        return _renamed(_product(R, rotation_rows(*q[-4:])))
    if body.kind == "revolute":
        s, c = sincos(q[0] + convert(body.zero))
        for _ in range(body.quarters):
            c, s = -s, c
        _turn(R, "z", c, s)
    return R


def _unit(convert: Convert) -> list[Vector]:
    return [[convert(int(i == j)) for j in range(3)] for i in range(3)]


def _turned(R: list[Vector], body: Body, convert: Convert) -> list[Vector]:
    for t in body.turns:
        _turn(R, t.axis, convert(t.cosine), convert(t.sine))
    return R


def _turn(R: list[Vector], axis: str, c: Any, s: Any) -> None:
    for row in R:
        i, j = (1, 2) if axis == "x" else (0, 1)
        row[i], row[j] = row[i] * c + row[j] * s, row[j] * c - row[i] * s


def _renamed(R: list[Vector]) -> list[Vector]:
    """The old x is the new z, the old y the new x."""
    return [[y, z, x] for x, y, z in R]


def _product(A: Sequence[Vector], B: Sequence[Sequence[Any]]) -> list[Vector]:
    columns = [apply(A, list(column)) for column in zip(*B, strict=True)]
    return [list(row) for row in zip(*columns, strict=True)]


def apply(R: Sequence[Vector], v: Vector) -> Vector:
    return [r[0] * v[0] + r[1] * v[1] + r[2] * v[2] for r in R]


def back(R: Sequence[Vector], v: Vector) -> Vector:
    return [R[0][k] * v[0] + R[1][k] * v[1] + R[2][k] * v[2] for k in range(3)]


def lever(body: Body, q: Sequence[Any], R: Sequence[Vector], convert: Convert) -> tuple[Vector, Vector]:
    """From the parent's origin to the link's, in the parent's axes: the fixed part, and the joint's displacement."""
    fixed = [convert(x) for x in body.offset]
    zeros = [convert(0)] * 3
    if len(q) > 4:  # a free joint: where it is comes before its quaternion
        return fixed, apply(_turned(_unit(convert), body, convert), list(q[:3]))
    if body.kind == "prismatic" and body.single:
        return fixed, apply(R, [*zeros[:2], q[0] + convert(body.zero)])
    return fixed, zeros


def newton_euler(
    robot: SymbolicRobot, q: Vector, qd: Vector, qdd: Vector, convert: Convert, sincos: SinCos
) -> list[FreeBody]:
    """Free bodies of all links: base to tip for the motion, tip to base for the forces."""
    zero = convert(0)
    zeros: Vector = [zero, zero, zero]
    n = robot.dof
    own = robot.split(q)
    R = [rotation(body, own[i], convert, sincos) for i, body in enumerate(robot.bodies)]
    omega, alpha, a_origin, weight_axes = [zeros], [zeros], [zeros], [[convert(g) for g in robot.gravity]]
    carried = [zeros]  # the angular velocity with which the whole joint is carried, in link axes
    centre_acceleration: list[Vector] = []
    levers: list[Vector] = []
    for i, body in enumerate(robot.bodies):
        j = body.parent
        fixed, slide = lever(body, own[i], R[i], convert)
        levers.append(plus(fixed, slide))
        w, wd = back(R[i], omega[j]), back(R[i], alpha[j])
        # The point of the parent that the link's origin passes, then the motion relative to it.
        a = back(R[i], plus(a_origin[j], cross(alpha[j], levers[i]), cross(omega[j], cross(omega[j], levers[i]))))
        below = back(R[i], carried[j]) if body.continues else w
        carried.append(below)
        if body.kind == "revolute":
            spin = [zero, zero, qd[i]]
            wd = plus(wd, cross(below, spin), [zero, zero, qdd[i]])
            w = plus(w, spin)
        else:  # once as its direction turns, once as the lever grows; components of a free joint turn with its link
            slide = [zero, zero, qd[i]]
            a = plus(a, cross(w, slide), cross(below, slide), [zero, zero, qdd[i]])
        omega.append(w)
        alpha.append(wd)
        a_origin.append(a)
        weight_axes.append(back(R[i], weight_axes[j]))
        c = [convert(x) for x in body.centre]
        centre_acceleration.append(plus(a, cross(wd, c), cross(w, cross(w, c))))
    force: list[Vector] = [zeros] * n
    moment: list[Vector] = [zeros] * n
    found: list[FreeBody] = []
    for i in reversed(range(n)):
        body, w, wd = robot.bodies[i], omega[i + 1], alpha[i + 1]
        c, m = [convert(x) for x in body.centre], convert(body.mass)
        xx, xy, xz, yy, yz, zz = (convert(x) for x in body.inertia)
        I = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
        F = [m * x for x in centre_acceleration[i]]
        N = plus(apply(I, wd), cross(w, apply(I, w)))
        G = [m * x for x in weight_axes[i + 1]]
        # Newton: F = f - (children) + weight; Euler about the mass centre, moved to the joint.
        f, moment_i = [x - y for x, y in zip(F, G, strict=True)], list(N)
        moment_i = plus(moment_i, cross(c, f))
        for k, child in enumerate(robot.bodies):
            if child.parent == i + 1:
                reaction = apply(R[k], force[k])
                f = plus(f, reaction)
                moment_i = plus(moment_i, apply(R[k], moment[k]), cross(levers[k], reaction))
        force[i], moment[i] = f, moment_i
        tau = moment_i[2] if body.kind == "revolute" else f[2]
        tau = tau + convert(body.armature) * qdd[i]
        if body.stiffness != 0:
            tau = tau + spring(own[i][0], convert(body.stiffness), convert(body.rest))
        for link, motor, geared in robot.geared:
            if i in (link, motor):
                twist = q[link] - q[motor] if i == link else q[motor] - q[link]
                tau = tau + spring(twist, convert(geared.gear_stiffness), zero)
        found.append(FreeBody(w, wd, centre_acceleration[i], F, N, G, f, moment_i, tau))
    return found[::-1]
