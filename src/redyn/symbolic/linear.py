"""The equations of motion as a regressor times a vector of constants: tau = Y(q, qd, qdd) beta.

Every torque is a sum of products of rationals, constants of the robot, and functions of the motion that are linearly
independent once s^2 is 1 - c^2. The coefficient of each function of the motion is a polynomial in the constants.
Beta is a maximal set of these that is independent over the rationals: no smaller set gives all torques for every value
of the constants.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from redyn.symbolic.closed import ClosedForms
from redyn.symbolic.notation import Expr, sp
from redyn.symbolic.polynomials import Poly
from redyn.symbolic.results import LinearForm

Monomial = tuple[int, ...]  # exponents of the ring's letters


def linear_form(closed: ClosedForms) -> LinearForm:
    ring, robot = closed.arith.ring, closed.robot
    moving = _places_of_motion(closed)
    pairs = zip(closed.run("inverse_dynamics"), closed.run("spring_torque"), strict=True)
    torques = [_by_motion(p - spring, moving) for p, spring in pairs]
    order = _order(closed)
    terms = sorted(((i, motion) for i, torque in enumerate(torques) for motion in torque), key=order)
    basis = _Basis()
    for i, motion in terms:
        basis.add(torques[i][motion])
    entries = [[ring.zero.copy() for _ in basis.rows] for _ in torques]
    for i, motion in terms:
        for j, share in basis.shares(torques[i][motion]).items():
            entries[i][j][motion] = share
    return LinearForm(
        sp.ImmutableMatrix(robot.dof, len(basis.rows), [closed.write_torque(p) for row in entries for p in row]),
        sp.ImmutableMatrix(len(basis.rows), 1, [closed.write(row) for row in basis.rows]),
    )


def _places_of_motion(closed: ClosedForms) -> frozenset[int]:
    """Generators that belong to the motion: the state, and the gravity constant, which is known."""
    arith, robot = closed.arith, closed.robot
    letters: list[Expr] = [*robot.q, *robot.qd, *robot.qdd, *(s for g in robot.gravity for s in g.free_symbols)]
    letters += [letter for a in arith.angles if a.moves for letter in (a.c, a.s)]
    return frozenset(arith.index(letter) for letter in letters)


def _by_motion(torque: Poly, moving: frozenset[int]) -> dict[Monomial, Poly]:
    """Per monomial of the motion, its coefficient: a polynomial in the constants."""
    found: dict[Monomial, Poly] = {}
    for monomial, value in torque.terms():
        motion = tuple(e if k in moving else 0 for k, e in enumerate(monomial))
        constants = tuple(0 if k in moving else e for k, e in enumerate(monomial))
        found.setdefault(motion, torque.ring.zero.copy())[constants] = value
    return found


def _order(closed: ClosedForms) -> Callable[[tuple[int, Monomial]], Any]:
    """Sort key: accelerations, then gravity, then rates; first joints first, short products before long."""
    accelerations, rates = ([closed.arith.index(x) for x in v] for v in (closed.robot.qdd, closed.robot.qd))

    def key(term: tuple[int, Monomial]) -> Any:
        i, motion = term
        kind = 0 if any(motion[k] for k in accelerations) else 2 if any(motion[k] for k in rates) else 1
        return kind, i, sum(motion), [(k, e) for k, e in enumerate(motion) if e]

    return key


class _Basis:
    """Polynomials that are independent over the rationals, in order of arrival."""

    def __init__(self) -> None:
        self.rows: list[Poly] = []
        self._reduced: list[tuple[Monomial, Poly, dict[int, Any]]] = []  # pivot, reduced row, combination of rows

    def _reduce(self, row: Poly) -> tuple[Poly, dict[int, Any]]:
        """The remainder of a row, and the multiples of the basis that were subtracted."""
        rest, shares = row, dict[int, Any]()
        for pivot, other, made in self._reduced:
            factor = rest.get(pivot)
            if not factor:
                continue
            rest = rest - other * factor
            for j, share in made.items():
                shares[j] = shares.get(j, 0) + factor * share
        return rest, {j: share for j, share in shares.items() if share}

    def add(self, row: Poly) -> None:
        rest, shares = self._reduce(row)
        if not rest:
            return self._refine(shares)
        if sum(1 if v > 0 else -1 for v in row.values()) < 0:
            return self.add(-row)
        pivot = next(iter(rest))
        lead = rest[pivot]
        made = {j: -share / lead for j, share in shares.items()} | {len(self.rows): 1 / lead}
        self._reduced.append((pivot, rest * (1 / lead), made))
        return self.rows.append(row)

    def _refine(self, shares: dict[int, Any]) -> None:
        """Halves a row if both it and its half occur, so that the regressor has integer coefficients."""
        if len(shares) != 1:
            return
        ((j, share),) = shares.items()
        if abs(share) >= 1 or (1 / share).denominator != 1:
            return
        share = abs(share)
        self.rows[j] = self.rows[j] * share
        for _, _, made in self._reduced:
            if j in made:
                made[j] = made[j] / share

    def shares(self, row: Poly) -> dict[int, Any]:
        return self._reduce(row)[1]
