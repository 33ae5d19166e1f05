"""Lagrange's equations from the energies, as on the slides: the third derivation, with its own kinematics.

Axes and mass centres are in world coordinates; columns of the Jacobians are e_j x (C_i - O_j) for a revolute joint and
e_j for a prismatic one. The kinetic energy is qd^T H qd / 2, and everything else follows from its derivatives:

    tau = H qdd + C qd + dU/dq,   c_ijk = (dH_ij/dq_k + dH_ik/dq_j - dH_jk/dq_i) / 2

Terms in qd_j^2 are centrifugal, those in qd_j qd_k are Coriolis; C = H_dot / 2 + S with a skew S.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from redyn.dynamics.laws.spring import spring_energy
from redyn.symbolic.bodies import SymbolicRobot
from redyn.symbolic.newton_euler import Convert, SinCos, Vector, apply, cross, lever, plus, rotation
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

    @property
    def dof(self) -> int:
        return len(self.H)

    def christoffel(self, i: int, j: int, k: int) -> Any:
        """c_ijk: the coefficient of qd_j qd_k in equation i."""
        return self.half * (self.dH[k][i][j] + self.dH[j][i][k] - self.dH[i][j][k])

    def C(self, qd: Vector) -> Matrix:
        n = range(self.dof)
        return [[_sum(self.christoffel(i, j, k) * qd[k] for k in n) for j in n] for i in n]

    def H_dot(self, qd: Vector) -> Matrix:
        n = range(self.dof)
        return [[_sum(self.dH[k][i][j] * qd[k] for k in n) for j in n] for i in n]

    def S(self, qd: Vector) -> Matrix:
        """The skew part: s_ij = sum of (dH_ik/dq_j - dH_jk/dq_i) qd_k / 2."""
        n = range(self.dof)
        return [[self.half * _sum((self.dH[j][i][k] - self.dH[i][j][k]) * qd[k] for k in n) for j in n] for i in n]

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


def energies(robot: SymbolicRobot, q: Vector, convert: Convert, sincos: SinCos) -> Energies:
    """H and U at q, from axes and mass centres in world coordinates."""
    zero, one = convert(0), convert(1)
    zeros: Vector = [zero, zero, zero]
    R: list[list[Vector]] = [[[one, zero, zero], [zero, one, zero], [zero, zero, one]]]
    O = [zeros]
    n = robot.dof
    H: Matrix = [[zero] * n for _ in range(n)]
    U = zero
    carried: list[list[int]] = [[]]
    for i, body in enumerate(robot.bodies):
        step = rotation(body, q[i], convert, sincos)
        fixed, slide = lever(body, q[i], step, convert)
        j = body.parent
        O.append(plus(O[j], apply(R[j], plus(fixed, slide))))
        columns = [[row[k] for row in step] for k in range(3)]
        turned = [apply(R[j], column) for column in columns]
        R.append([[turned[k][r] for k in range(3)] for r in range(3)])
        carried.append([*carried[j], i])
        C = plus(O[-1], apply(R[-1], [convert(x) for x in body.centre]))
        m = convert(body.mass)
        for g, c in zip(robot.gravity, C, strict=True):
            U = U - m * convert(g) * c
        xx, xy, xz, yy, yz, zz = (convert(x) for x in body.inertia)
        I = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
        linear: dict[int, Vector] = {}
        angular: dict[int, Vector] = {}
        for k in carried[-1]:
            e = [row[2] for row in R[k + 1]]
            if robot.bodies[k].kind == "revolute":
                arm = [a - b for a, b in zip(C, O[k + 1], strict=True)]
                linear[k] = cross(e, arm)
                angular[k] = [R[-1][0][r] * e[0] + R[-1][1][r] * e[1] + R[-1][2][r] * e[2] for r in range(3)]
            else:
                linear[k], angular[k] = e, zeros
        for a in carried[-1]:
            turning = apply(I, angular[a])
            for b in carried[-1]:
                if b <= a:
                    share = m * _dot(linear[a], linear[b]) + _dot(turning, angular[b])
                    H[a][b] = H[a][b] + share
                    if a != b:
                        H[b][a] = H[a][b]
        H[i][i] = H[i][i] + convert(body.armature)
        if body.stiffness != 0:
            U = U + spring_energy(q[i], convert(body.stiffness), convert(body.rest), convert(sp.Rational(1, 2)))
    return Energies(H, U)


def _dot(a: Vector, b: Vector) -> Any:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def lagrange(at: Energies, derivative: Callable[[int], Energies], half: Any) -> Lagrange:
    """`derivative(k)`: the derivatives of both energies with respect to q_k."""
    by = [derivative(k) for k in range(len(at.H))]
    return Lagrange(at.H, at.U, [d.H for d in by], [d.U for d in by], half)
