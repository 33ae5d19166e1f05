"""Lagrange's equations from the energies, as on the slides: the third derivation, with its own kinematics.

Axes and mass centres are in world coordinates; columns of the Jacobians are e_j x (C_i - O_j) for a revolute joint and
e_j for a prismatic one. The kinetic energy is qd^T H qd / 2, and everything else follows from its derivatives:

    tau = H qdd + C qd + dU/dq,   c_ijk = (dH_ij/dq_k + dH_ik/dq_j - dH_jk/dq_i) / 2

Where a joint turns about a point, rates are no derivatives of coordinates: derivatives by q_i are taken along rate i,
and products of momenta and rates are added (see `Lagrange._brackets`).

Terms in qd_j^2 are centrifugal, those in qd_j qd_k are Coriolis; C = H_dot / 2 + S with a skew S.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from redyn.algebra import quaternion_rate, rotation_rows
from redyn.dynamics.laws.spring import spring_energy
from redyn.symbolic.bodies import Body, SymbolicRobot
from redyn.symbolic.flexible.beams import Particles, Sums, dot, root_of
from redyn.symbolic.newton_euler import Convert, SinCos, Vector, apply, back, cross, lever, plus, rotation
from redyn.symbolic.notation import sp

Matrix = list[list[Any]]


@dataclass(frozen=True)
class Energies:
    """H of the kinetic energy qd^T H qd / 2, and the potential energy."""

    H: Matrix
    U: Any


@dataclass(frozen=True)
class Lagrange:
    """Everything that follows from the energies."""

    H: Matrix
    U: Any
    dH: list[Matrix]  # per joint k: dH/dq_k
    forces: list[Any]  # dU/dq, of gravity and springs
    half: Any  # the number 1/2
    turning: Sequence[tuple[int, bool]] = ()  # joints about a point: see SymbolicRobot.turning_rows

    @property
    def dof(self) -> int:
        return len(self.H)

    def christoffel(self, i: int, j: int, k: int) -> Any:
        """c_ijk: the coefficient of qd_j qd_k in equation i."""
        found = self.dH[k][i][j] + self.dH[j][i][k] - self.dH[i][j][k]
        for a, b in ((j, k), (k, j)):
            for l, sign in self._brackets.get((i, a), ()):
                found = found + self.H[l][b] if sign > 0 else found - self.H[l][b]
        return self.half * found

    @cached_property
    def _brackets(self) -> dict[tuple[int, int], list[tuple[int, int]]]:
        """(i, j) -> [(l, sign), ...]: rate j times momentum l in equation i, of rates that are no derivatives.

        About a point, Lagrange's equations of omega and v in the axes of the link (Euler's, Kirchhoff's) also have
        omega x P + v x p, and omega x p, with the momenta P = dK/d omega and p = dK/dv.
        """
        found: dict[tuple[int, int], list[tuple[int, int]]] = {}
        for first, moves in self.turning:
            for equation, rate, momentum in ((0, 0, 0), (0, 3, 3), (3, 0, 3))[: 3 if moves else 1]:
                for a, b, c in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):  # e_a x e_b = e_c: equation a, rates b and c
                    for b_, c_, sign in ((b, c, 1), (c, b, -1)):
                        key = first + equation + a, first + rate + b_
                        found.setdefault(key, []).append((first + momentum + c_, sign))
        return found

    def _turned(self, qd: Vector) -> Matrix:
        """H ad(qd), where rates do not commute: zero without joints that turn about a point."""
        zero, n = self.half - self.half, range(self.dof)
        found = [[zero for _ in n] for _ in n]
        for (j, m), momenta in self._brackets.items():
            for l, sign in momenta:
                for i in n:
                    term = self.H[i][l] * qd[m]
                    found[i][j] = found[i][j] - term if sign > 0 else found[i][j] + term
        return found

    def H_dot(self, qd: Vector) -> Matrix:
        n = range(self.dof)
        return [[_sum(self.dH[k][i][j] * qd[k] for k in n) for j in n] for i in n]

    def S(self, qd: Vector) -> Matrix:
        """The skew part: s_ij = sum of (dH_ik/dq_j - dH_jk/dq_i) qd_k / 2."""
        n = range(self.dof)
        found = [[_sum((self.dH[j][i][k] - self.dH[i][j][k]) * qd[k] for k in n) for j in n] for i in n]
        if self.turning:
            ad = self._turned(qd)
            for i in n:
                for j in n:
                    found[i][j] = found[i][j] + ad[i][j] - ad[j][i]
                    for l, sign in self._brackets.get((i, j), ()):
                        momentum = _sum(self.H[l][k] * qd[k] for k in n)
                        found[i][j] = found[i][j] + momentum if sign > 0 else found[i][j] - momentum
        return [[self.half * x for x in row] for row in found]

    def momentum(self, qd: Vector) -> list[Any]:
        """dL/dqd = H qd."""
        return [_sum(h * x for h, x in zip(row, qd, strict=True)) for row in self.H]

    def momentum_rate(self, qd: Vector, qdd: Vector) -> list[Any]:
        """d/dt of it."""
        rows = zip(self.H, self.H_dot(qd), strict=True)
        return [_sum(h * x + d * y for h, d, x, y in zip(row, rate, qdd, qd, strict=True)) for row, rate in rows]

    def slope(self, qd: Vector) -> list[Any]:
        """dL/dq."""
        n = range(self.dof)
        energy = [self.half * _sum(self.dH[i][j][k] * qd[j] * qd[k] for j in n for k in n) for i in n]
        return [a - b for a, b in zip(energy, self.forces, strict=True)]

    def centrifugal(self, qd: Vector) -> list[Any]:
        n = range(self.dof)
        return [_sum(self.christoffel(i, j, j) * qd[j] * qd[j] for j in n) for i in n]

    def coriolis(self, qd: Vector) -> list[Any]:
        n = range(self.dof)
        zero = self.half - self.half
        pairs = [(j, k) for k in n for j in range(k)]  # each twice, as (j, k) and (k, j)
        return [_sum(((c + c) * qd[j] * qd[k] for j, k in pairs for c in [self.christoffel(i, j, k)]), zero) for i in n]

    def torque(self, qd: Vector, qdd: Vector) -> list[Any]:
        parts = zip(self.H, self.centrifugal(qd), self.coriolis(qd), self.forces, strict=True)
        return [_sum(h * x for h, x in zip(row, qdd, strict=True)) + a + b + g for row, a, b, g in parts]


def _sum(values: Any, start: Any = None) -> Any:
    total = start
    for value in values:
        total = value if total is None else total + value
    return total


@dataclass
class _Placed:
    """Origins and axes of the links in the world, entry 0 the world itself, and how each coordinate moves its link."""

    O: list[Vector]
    R: list[list[Vector]]  # rows; the columns are the link's axes
    carried: list[list[int]]  # per link, the coordinates that move it
    axis: list[Vector]  # per coordinate: the angular velocity of its link for a unit rate,
    linear: list[Vector]  # and the velocity of its link's origin

    def turn(self, k: int, point: Vector) -> tuple[Vector, Vector]:
        """Angular velocity, and the velocity of a point that moves along, for a unit rate of coordinate k."""
        arm = [a - b for a, b in zip(point, self.O[k + 1], strict=True)]
        return self.axis[k], plus(self.linear[k], cross(self.axis[k], arm))


def energies(robot: SymbolicRobot, q: Vector, convert: Convert, sincos: SinCos) -> Energies:
    """H and U at q, from axes and mass centres in world coordinates."""
    zero, one = convert(0), convert(1)
    zeros: Vector = [zero, zero, zero]
    at = _Placed([zeros], [[[one, zero, zero], [zero, one, zero], [zero, zero, one]]], [[]], [], [])
    n = robot.dof
    H: Matrix = [[zero] * n for _ in range(n)]
    gravity = [convert(g) for g in robot.gravity]
    U = zero
    own = robot.split(q)

    def share(a: int, b: int, value: Any) -> None:
        H[a][b] = H[a][b] + value
        if a != b:
            H[b][a] = H[a][b]

    for i, body in enumerate(robot.bodies):
        if body.kind != "mode":
            _place(at, body, i, own[i], convert, sincos)
        elif body.beam is not None:
            U = U + _place_beam(at, robot, i, q, convert, sincos, share, gravity)
        R, O = at.R[i + 1], at.O[i + 1]
        C = plus(O, apply(R, [convert(x) for x in body.centre]))
        m = convert(body.mass)
        for g, c in zip(gravity, C, strict=True):
            U = U - m * g * c
        xx, xy, xz, yy, yz, zz = (convert(x) for x in body.inertia)
        I = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
        motions = {k: at.turn(k, C) for k in at.carried[i + 1]} if body.mass != 0 or any(body.inertia) else {}
        angular = {k: back(R, axis) for k, (axis, _) in motions.items()}
        for a in motions:
            turning = apply(I, angular[a])
            for b in motions:
                if b <= a:
                    share(a, b, m * dot(motions[a][1], motions[b][1]) + dot(turning, angular[b]))
        H[i][i] = H[i][i] + convert(body.armature)
        if body.stiffness != 0:
            U = U + spring_energy(own[i][0], convert(body.stiffness), convert(body.rest), convert(sp.Rational(1, 2)))
    for i, motor, body in robot.geared:
        U = U + spring_energy(q[i] - q[motor], convert(body.gear_stiffness), zero, convert(sp.Rational(1, 2)))
    return Energies(H, U)


def _place(at: _Placed, body: Body, i: int, q: Sequence[Any], convert: Convert, sincos: SinCos) -> None:
    """A link behind a joint."""
    j, zeros = body.parent, [convert(0)] * 3
    step = rotation(body, q, convert, sincos)
    fixed, slide = lever(body, q, step, convert)
    at.O.append(plus(at.O[j], apply(at.R[j], plus(fixed, slide))))
    turned = [apply(at.R[j], [row[k] for row in step]) for k in range(3)]
    at.R.append([[turned[k][r] for k in range(3)] for r in range(3)])
    at.carried.append([*at.carried[j], i])
    along = [row[2] for row in at.R[-1]]
    turns = body.kind == "revolute"
    at.axis.append(along if turns else zeros)
    at.linear.append(zeros if turns else along)


def _place_beam(
    at: _Placed,
    robot: SymbolicRobot,
    i: int,
    q: Vector,
    convert: Convert,
    sincos: SinCos,
    share: Callable[[int, int, Any], None],
    gravity: Vector,
) -> Any:
    """The links of a beam's modes, all at its tip; the energies of its particles. Returns the potential one."""
    beam, j = robot.bodies[i].beam, robot.bodies[i].parent
    assert beam is not None
    e = q[i : i + beam.modes]
    root = root_of(beam, at.O[j], at.R[j], convert)
    particles = Particles(beam, e, root, convert)
    axes, about = particles.tip_axes(sincos)
    tip = plus(root.O, particles.at_tip())
    columns: dict[int, Sums] = {}
    spins: dict[int, Any] = {}
    for k in at.carried[j]:
        axis, linear = at.turn(k, root.O)
        columns[k], spins[k] = particles.carried(axis, linear), dot(axis, root.axes[0])
    for k in range(beam.bending):
        columns[i + k] = particles.bending(k)
    for a in columns:
        for b in columns:
            if b <= a:
                share(a, b, particles.product(columns[a], columns[b]))
    for a, rate in spins.items():
        for b, other in spins.items():
            if b <= a:
                share(a, b, particles.spin(rate, other))
    for k in range(beam.torsion):
        for a, rate in spins.items():
            share(i + beam.bending + k, a, convert(beam.T[k]) * rate)
        for l in range(k + 1):
            share(i + beam.bending + k, i + beam.bending + l, convert(beam.TT[k][l]))
    for k in range(beam.modes):
        at.O.append(tip)
        at.R.append([[axes[c][r] for c in range(3)] for r in range(3)])
        at.carried.append([*at.carried[j], *range(i, i + k + 1)])
        at.axis.append(particles.tip_turn(k, about))
        at.linear.append(particles.tip_velocity(k))
    return particles.weight(gravity)


def directions(robot: SymbolicRobot, q: Vector, convert: Convert) -> list[Vector]:
    """For a unit of each rate, the rates of all coordinates q."""
    zero, one, half = convert(0), convert(1), convert(sp.Rational(1, 2))
    found: list[Vector] = []
    starts, own = robot.starts, robot.split(q)
    first = 0  # of the bodies of the joint
    for i, body in enumerate(robot.bodies):
        first = first if body.continues else i
        if body.single:
            rates = [one]
        elif i < first + 3:  # an angular rate: q * (omega, 0) / 2
            turn = quaternion_rate(*own[first][-4:], *(half if k == i - first else zero for k in range(3)))
            rates = [*(zero for _ in own[first][:-4]), *turn]
        else:
            rates = [row[i - first - 3] for row in rotation_rows(*own[first][-4:])]
        start = starts[first]
        found.append([rates[k - start] if start <= k < start + len(rates) else zero for k in range(len(q))])
    return found


def lagrange(
    at: Energies, derivative: Callable[[int], Energies], half: Any, turning: Sequence[tuple[int, bool]] = ()
) -> Lagrange:
    """`derivative(k)`: the derivatives of both energies by q_k, or along rate k of a joint in `turning`."""
    by = [derivative(k) for k in range(len(at.H))]
    return Lagrange(at.H, at.U, [d.H for d in by], [d.U for d in by], half, turning)
