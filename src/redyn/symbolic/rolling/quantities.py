"""Rolling in closed form: A(q) qd = 0, qd = S u, gamma = S_dot u, and the reduced equation of motion.

With D the dependent rates and Delta = det A_D, Cramer's rule gives S = N / Delta with polynomials N. All that follows is
a polynomial over a power of Delta, which is constant where the independent rates are never singular.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from redyn.dynamics.rolling import ContactRows
from redyn.model import Rolling
from redyn.model.rolling import CONTACT_ROW_NAMES
from redyn.symbolic.closed import ClosedForms
from redyn.symbolic.determinants import adjugate, determinant
from redyn.symbolic.notation import Expr, sp, symbol
from redyn.symbolic.polynomials import Poly
from redyn.symbolic.results import Matrix


class RollingForms:
    """Polynomials of the reduction, computed on first use, and the expressions that are made of them."""

    def __init__(self, closed: ClosedForms, rolling: Rolling) -> None:
        self.closed, self.rolling = closed, rolling
        self.n = closed.robot.dof
        self.independent, self.dependent = list(rolling.independent), list(rolling.dependent)

    # --- rows -----------------------------------------------------------------------------------------------------

    @property
    def row_names(self) -> list[str]:
        """The wheel and the direction of each row that counts."""
        return [f"{self.rolling.contacts[k].name}.{CONTACT_ROW_NAMES[row]}" for k, row in self.rolling.rows]

    @cached_property
    def every_row(self) -> dict[tuple[int, int], list[Poly]]:
        """Those that do not count as well, by wheel and row."""
        closed = self.closed
        (q,) = closed.state(("q",))
        found = ContactRows(closed.over, closed.arith, q, closed.robot.contacts, self.rolling.up).rows
        return {
            (k, row): [self._reduced(x) for x in entries]
            for k, (contact, rows) in enumerate(zip(self.rolling.contacts, found, strict=True))
            for row, entries in zip(contact.rows, rows, strict=True)
        }

    @cached_property
    def _A(self) -> list[list[Poly]]:
        return [self.every_row[place] for place in self.rolling.rows]

    @cached_property
    def A(self) -> Matrix:
        """A qd = 0."""
        return self.closed.written(self._A)

    # --- rates ----------------------------------------------------------------------------------------------------

    @cached_property
    def _own(self) -> list[list[Poly]]:
        """The rows over the rates from which the independent ones are chosen."""
        return [[self._reduced(x) for x in self._to_own(row)] for row in self._A]

    def _to_own(self, force: Sequence[Any]) -> list[Any]:
        """T^T of forces, or of a row: T turns v_x and v_y of the base to the axes of the world."""
        found, i = list(force), self.rolling.turned
        if i is not None:
            s, c = self._turn(force[i])
            found[i], found[i + 1] = c * force[i] + s * force[i + 1], c * force[i + 1] - s * force[i]
        return found

    def _from_own(self, rates: Sequence[Poly]) -> list[Poly]:
        """T rates."""
        found, i = list(rates), self.rolling.turned
        if i is not None:
            s, c = self._turn(rates[i])
            found[i], found[i + 1] = c * rates[i] - s * rates[i + 1], s * rates[i] + c * rates[i + 1]
        return found

    def _turn(self, like: Any) -> tuple[Any, Any]:
        """Sine and cosine of the angle of the base, as polynomials or expressions."""
        assert self.rolling.turned is not None
        angle = self.closed.robot.q[self.rolling.turned + 2]
        if isinstance(like, sp.Expr):
            return sp.sin(angle), sp.cos(angle)
        return self.closed.arith.sincos(self.closed.arith.element(angle))

    @cached_property
    def _adjugate(self) -> list[list[Poly]]:
        """Of A_D, reduced."""
        square = [[row[i] for i in self.dependent] for row in self._own]
        return [[self._reduced(x) for x in row] for row in adjugate(square, self._ring)]

    @cached_property
    def _delta(self) -> Poly:
        square = [[row[i] for i in self.dependent] for row in self._own]
        return self._reduced(determinant(square, self._ring))

    @property
    def constant(self) -> bool:
        """Whether Delta is: then the independent rates determine the others at every q."""
        arith = self.closed.arith
        return not any(arith.derivative(self._delta, by) for by in self.closed.robot.q)

    @cached_property
    def delta(self) -> Expr:
        return self.closed.write(self._delta)

    @cached_property
    def _N(self) -> list[list[Poly]]:
        """Delta S: a row per rate of the tree, a column per independent one."""
        columns: list[list[Poly]] = []
        for j in self.independent:
            column = [self._ring.zero] * self.n
            column[j] = self._delta
            for place, i in enumerate(self.dependent):
                column[i] = -_dot(self._adjugate[place], [row[j] for row in self._own], self._ring)
            columns.append([self._reduced(x) for x in self._from_own(column)])
        return [list(row) for row in zip(*columns, strict=True)]

    @cached_property
    def S(self) -> Matrix:
        return self._matrix([[(x, 1) for x in row] for row in self._N])

    @cached_property
    def _u(self) -> list[Poly]:
        return [self.closed.arith.element(x) for x in self.rates(self.closed.robot.qd)]

    def rates(self, every: Sequence[Expr]) -> list[Expr]:
        """The independent ones of the symbols of all rates."""
        own = self.closed.robot.body_rates
        first = self.rolling.turned or 0
        return [own[j - first] if own and j in (first, first + 1) else every[j] for j in self.independent]

    @cached_property
    def _Nu(self) -> list[Poly]:
        return [self._reduced(_dot(row, self._u, self._ring)) for row in self._N]

    @cached_property
    def _drift(self) -> tuple[list[Poly], int]:
        """Numerators of gamma, and the power of Delta below them."""
        arith, q = self.closed.arith, self.closed.robot.q
        found: list[Poly] = []
        for row, moved in zip(self._N, self._Nu, strict=True):
            total = self._ring.zero
            for by, rate in zip(q, self._Nu, strict=True):
                slope = _dot([arith.derivative(x, by) for x in row], self._u, self._ring)
                if not self.constant:
                    slope = slope * self._delta - moved * arith.derivative(self._delta, by)
                total = total + slope * rate
            found.append(self._reduced(total))
        return found, 2 if self.constant else 3

    @cached_property
    def gamma(self) -> Matrix:
        """S_dot u: qdd = S u_dot + gamma."""
        drift, power = self._drift
        return self._matrix([[(x, power)] for x in drift])

    # --- the reduced equation --------------------------------------------------------------------------------------

    @cached_property
    def mass_matrix(self) -> Matrix:
        """S^T M S."""
        M = self.closed.matrix("mass_matrix")
        moved = [[self._reduced(_dot(row, column, self._ring)) for column in self._columns] for row in M]
        entries = [
            [_dot(column, [row[j] for row in moved], self._ring) for j in self._range] for column in self._columns
        ]
        return self._matrix([[(x, 2) for x in row] for row in entries])

    @cached_property
    def coriolis_vector(self) -> Matrix:
        """S^T (M gamma + C qd), in the independent rates."""
        drift, power = self._drift
        M = self.closed.matrix("mass_matrix")
        h = [self._at_rates(p) for p in self.closed.run("coriolis_vector")]
        factor = self._ring.one if power == 2 else self._delta
        whole = [_dot(row, drift, self._ring) + x * factor for row, x in zip(M, h, strict=True)]
        return self._projected([self._reduced(x) for x in whole], power + 1)

    @cached_property
    def gravity_torque(self) -> Matrix:
        return self._projected(self.closed.run("gravity_torque"), 1)

    @cached_property
    def spring_torque(self) -> Matrix:
        return self._projected(self.closed.run("spring_torque"), 1)

    def multipliers(self, force: Sequence[Expr]) -> Matrix:
        """lambda with A_D^T lambda = force over the dependent rates: the force of the ground along every row."""
        rows: list[list[Expr]] = []
        force = self._to_own(list(force))
        for r in range(len(self._A)):
            share = [self._over(self._adjugate[place][r], 1) for place in range(len(self.dependent))]
            rows.append([sp.Add(*(x * force[i] for x, i in zip(share, self.dependent, strict=True)))])
        return sp.ImmutableMatrix(rows)

    @property
    def forces(self) -> list[Expr]:
        """A symbol per rate of the tree: what its motion needs there beyond the torques."""
        return [symbol(f"f_{q}") for q in self.closed.robot.q]

    # --- helpers ----------------------------------------------------------------------------------------------------

    @property
    def _range(self) -> range:
        return range(len(self.independent))

    @property
    def _columns(self) -> list[list[Poly]]:
        return [[row[j] for row in self._N] for j in self._range]

    def _projected(self, force: Sequence[Poly], power: int) -> Matrix:
        return self._matrix([[(_dot(column, force, self._ring), power)] for column in self._columns])

    def _at_rates(self, p: Poly) -> Poly:
        """A quadratic form in the rates, with N u in their place."""
        (qd,) = self.closed.state(("qd",))
        return self._reduced(p.compose([(x, y) for x, y in zip(qd, self._Nu, strict=True)]))

    def _matrix(self, entries: Sequence[Sequence[tuple[Poly, int]]]) -> Matrix:
        return sp.ImmutableMatrix([[self._over(self._reduced(p), power) for p, power in row] for row in entries])

    def _over(self, p: Poly, power: int) -> Expr:
        """p over a power of Delta, without common factors."""
        if not p:
            return sp.Integer(0)
        _, above, below = p.cofactors(self._delta**power)
        if below.LC < 0:
            above, below = -above, -below
        return self.closed.write(above) / self.closed.write(below)

    @property
    def _ring(self) -> Any:
        return self.closed.arith.ring

    def _reduced(self, p: Poly) -> Poly:
        return self.closed.arith.reduced(p)


def _dot(a: Sequence[Poly], b: Sequence[Poly], ring: Any) -> Poly:
    return sum((x * y for x, y in zip(a, b, strict=True) if x and y), ring.zero)
