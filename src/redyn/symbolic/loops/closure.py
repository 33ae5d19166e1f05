"""The closure of the loops: phi(q) = 0, J = d phi / dq, and gamma with J qdd = gamma.

Of the rows that a cut joint forbids only those are taken that say something (see redyn.kinematics.closure). Where the
joint holds the origins of A and B together, the distance between them is taken in the axes of the link that carries
both, the ground for most: there it is the polygon of the links that textbooks draw. phi, J and gamma belong together
at every q, closed or open. The robot itself has its rows in the axes of A, at B's origin: the same where loops are
closed, but for that rotation (and a row of a distance, which is multiplied by it here).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from redyn.dynamics.constraints import Cut, cuts
from redyn.dynamics.kinematics import propagations
from redyn.model import ROW_NAMES, Closure
from redyn.symbolic.closed import ClosedForms
from redyn.symbolic.polynomials import Poly
from redyn.symbolic.trigonometry import is_zero

LINEAR = (3, 4, 5)  # rows along x, y and z


@dataclass(frozen=True)
class Row:
    """One condition phi = 0."""

    loop: int  # from 0
    row: int  # which motion of B relative to A: see redyn.model.loop
    axes: int | Literal["A"]  # the link in whose axes it is, or A
    phi: Poly

    @property
    def name(self) -> str:
        return ROW_NAMES[self.row]


class LoopClosure:
    """Polynomials of the closure, computed on first use."""

    def __init__(self, closed: ClosedForms, closure: Closure) -> None:
        self.closed, self.closure = closed, closure
        self.n = closed.robot.dof
        self.independent = list(closure.independent)
        self.dependent = closure.dependent(self.n)

    @cached_property
    def cuts(self) -> list[Cut]:
        closed = self.closed
        (q,) = closed.state(("q",))
        return cuts(closed.over, closed.arith, propagations(closed.over, closed.arith, q), q)

    @cached_property
    def rows(self) -> list[Row]:
        """The conditions that are kept."""
        found: list[Row] = []
        first = 0
        for k, cut in enumerate(self.cuts):
            numbers = cut.loop.rows
            found += self._rows_of(k, cut, [numbers[i - first] for i in self.closure.rows if i - first in _span(cut)])
            first += len(numbers)
        return found

    def _rows_of(self, k: int, cut: Cut, kept: list[int]) -> list[Row]:
        if cut.loop.kind == "distance":
            return [Row(k, row, "A", self._distance(k, cut)) for row in kept]
        own = dict(zip(cut.loop.rows, cut.error(), strict=True))
        found = [Row(k, row, "A", self.reduced(own[row])) for row in kept]
        if not cut.loop.meets:
            return found
        polygon = [
            Row(k, row, cut.carrier, self.reduced(p)) for row, p in zip(LINEAR, cut.gap.components(), strict=True)
        ]
        polygon = [row for row in polygon if not self.is_zero(row.phi)]
        turning = [row for row in found if row.row not in LINEAR]
        return [*turning, *polygon] if len(turning) + len(polygon) == len(found) else found

    def _distance(self, k: int, cut: Cut) -> Poly:
        """(d^2 - l^2) / 2: l times what the robot has, for which it need not be divided by l."""
        (length,) = self.closed.robot.loops[k].numbers
        l = self.closed.arith.element(length)
        return self.reduced((cut.gap.dot(cut.gap) - l * l) / 2)

    @cached_property
    def J(self) -> list[list[Poly]]:
        derivative, q = self.closed.arith.derivative, self.closed.robot.q
        return [[self.reduced(derivative(row.phi, by)) for by in q] for row in self.rows]

    @cached_property
    def gamma(self) -> list[Poly]:
        """- J_dot qd."""
        arith, q = self.closed.arith, self.closed.robot.q
        (qd,) = self.closed.state(("qd",))
        found: list[Poly] = []
        for row in self.J:
            total = arith.ring.zero
            for entry, rate in zip(row, qd, strict=True):
                for by, other in zip(q, qd, strict=True):
                    total = total - arith.derivative(entry, by) * rate * other
            found.append(self.reduced(total))
        return found

    def is_zero(self, p: Poly) -> bool:
        return is_zero(p, self.closed.arith)

    def reduced(self, p: Poly) -> Poly:
        return self.closed.arith.reduced(p)

    def idle(self, k: int) -> list[int]:
        """The rows of loop k that are zero at every q, in the axes of A."""
        cut = self.cuts[k]
        return [row for row, p in zip(cut.loop.rows, cut.error(), strict=True) if self.is_zero(p)]


def _span(cut: Cut) -> range:
    return range(len(cut.loop.rows))
