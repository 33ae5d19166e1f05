"""What every section of a worked example looks at: the equations, a state, and the dense view there."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from redyn.dynamics.denoc import Denoc
from redyn.errors import RedynError
from redyn.symbolic.equations import Equations
from redyn.symbolic.notation import Expr, operations
from redyn.symbolic.polynomials import Poly

Array = NDArray[np.float64]
SHORT = 3  # joints: up to here closed forms are printed, beyond named steps and numbers
TERMS = 600  # of all torques together, with the same consequence


@dataclass
class Setting:
    eqs: Equations
    q: Array
    qd: Array
    qdd: Array

    @property
    def n(self) -> int:
        return self.eqs.dof

    @cached_property
    def short(self) -> bool:
        """Whether closed forms are worth printing."""
        return self.n <= SHORT and sum(map(len, self.eqs.closed.run("inverse_dynamics"))) <= TERMS

    @cached_property
    def view(self) -> Denoc:
        """The book's dense quantities at the state."""
        return self.eqs.robot.denoc(self.q, self.qd, self.qdd)

    @cached_property
    def planar(self) -> bool:
        """All joints turn about the world's z."""
        return bool(self.view.revolute.all() and np.allclose(np.abs(self.view.e[:, 2]), 1.0, rtol=0, atol=1e-9))

    @property
    def serial(self) -> bool:
        return all(body.parent == i for i, body in enumerate(self.eqs.symbolic.bodies))

    @property
    def prismatic(self) -> list[int]:
        return [i for i, body in enumerate(self.eqs.symbolic.bodies, start=1) if body.kind == "prismatic"]

    @cached_property
    def torque(self) -> Array:
        """Of the motion, friction and rotors apart."""
        return self.view.tau

    @cached_property
    def forward_possible(self) -> bool:
        """Whether every joint moves some inertia."""
        try:
            self.eqs.robot.solve(self.q, np.zeros(self.n))
        except RedynError:
            return False
        return True

    # --- vectors in the world's axes, symbolic ---------------------------------------------------------------------

    def _world(self, i: int, v: tuple[Expr, ...]) -> list[Expr]:
        closed = self.eqs.closed
        R = closed.poses[i].R
        parts = [closed.arith.element(x) for x in v]
        found: list[Expr] = []
        for row in (R.x, R.y, R.z):
            total: Poly = closed.arith.ring.zero
            for a, b in zip(row.components(), parts, strict=True):
                total = total + a * b
            found.append(closed.write(total))
        return found

    def e(self, i: int) -> list[Expr]:
        """The unit vector along joint i."""
        return self._world(i, (0, 0, 1))

    def d(self, i: int) -> list[Expr]:
        """From O_i to C_i. A prismatic joint carries its link's origin along, by b_i from where the joint sits."""
        body = self.eqs.symbolic.bodies[i - 1]
        x, y, z = body.centre
        along = self.eqs.q[i - 1] + body.zero if body.kind == "prismatic" else 0
        return self._world(i, (x, y, z + along))

    def r(self, i: int) -> list[Expr]:
        """From C_i to O_{i+1}."""
        body = self.eqs.symbolic.bodies[i - 1]
        return self._world(i, tuple(a - b for a, b in zip(body.end, body.centre, strict=True)))

    def e_cross_d(self, i: int) -> list[Expr]:
        x, y, _ = self.eqs.symbolic.bodies[i - 1].centre
        return self._world(i, (-y, x, 0))

    def composite(self, i: int) -> tuple[Expr, list[Expr], list[list[Expr]]]:
        """m_tilde_i, delta_tilde_i and I_tilde_i of (9.14), about C_i, in the axes of link i."""
        closed, body = self.eqs.closed, self.eqs.symbolic.bodies[i - 1]
        M = closed.composites[i - 1]
        d = [closed.arith.element(x) for x in body.centre]
        h, S = M.h.components(), M.S.full()
        rows = [row.components() for row in (S.x, S.y, S.z)]
        delta = [M.m * a - b for a, b in zip(d, h, strict=True)]  # C_i less the other mass centres
        about = [[rows[a][b] - h[a] * d[b] - d[a] * h[b] + M.m * d[a] * d[b] for b in range(3)] for a in range(3)]
        trace = about[0][0] + about[1][1] + about[2][2]
        inertia = [[(trace - about[a][b]) if a == b else -about[a][b] for b in range(3)] for a in range(3)]
        write = closed.write
        return write(M.m), [write(x) for x in delta], [[write(x) for x in row] for row in inertia]


def total_operations(*groups: list[Expr]) -> int:
    return sum(operations(e) for group in groups for e in group)


def default_state(dof: int, revolute: list[bool]) -> tuple[Array, Array, Array]:
    """A state with no accidents: 30 and 45 degrees, different rates and accelerations."""
    angles = np.resize(np.array([np.pi / 6, np.pi / 4, -np.pi / 3]), dof)
    q = np.where(revolute, angles, 0.4)
    return q, np.resize(np.array([1.0, -0.5, 0.8]), dof), np.resize(np.array([0.5, 1.5, -1.0]), dof)
