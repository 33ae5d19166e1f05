"""The transmission: qd = G u, and qdd = G u_dot + nu with nu = G_dot u, for the independent rates u.

J qd = 0 is a linear system for the dependent rates. It falls apart into blocks: loops in which as many rates are
unknown as there are rows, solved one after the other, each by determinants. Planar loops in sequence need determinants
of two rows only (Chaudhary and Saha 2007 call what can be solved by itself a determinate subsystem).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

from redyn.errors import InputError
from redyn.symbolic.loops.closure import LoopClosure
from redyn.symbolic.notation import Expr, sp
from redyn.symbolic.polynomials import Poly

LONGEST = 3000  # terms of a determinant; beyond, numbers tell more than formulas


@dataclass(frozen=True)
class Block:
    """Rows that determine as many rates, given those that are known before."""

    loops: tuple[int, ...]
    rows: tuple[int, ...]
    unknown: tuple[int, ...]  # rates, from 0
    known: tuple[int, ...]
    adjugate: list[list[Poly]]  # of the columns of the unknown rates: adjugate / determinant is their inverse
    determinant: Poly


class Transmission:
    """How the rates follow from the independent ones."""

    def __init__(self, closure: LoopClosure) -> None:
        self.closure = closure
        self._numerators: dict[tuple[int, int], Poly] = {}

    @cached_property
    def blocks(self) -> list[Block] | None:
        """None where there is no closed form worth writing: rows that are dependent, or too long determinants."""
        closure = self.closure
        if len(closure.rows) != len(closure.dependent):
            return None
        found: list[Block] = []
        known, left = set(closure.independent), set(range(len(closure.cuts)))
        while left:
            block = self._next(known, sorted(left))
            if block is None:
                return None
            found.append(block)
            known |= set(block.unknown)
            left -= set(block.loops)
        return found

    def _next(self, known: set[int], loops: Sequence[int]) -> Block | None:
        """The smallest set of loops that determines the rates it depends on."""
        for size in range(1, len(loops) + 1):
            for chosen in combinations(loops, size):
                rows = [i for i, row in enumerate(self.closure.rows) if row.loop in chosen]
                moved = [j for j in range(self.closure.n) if any(self._depends(i, j) for i in rows)]
                unknown = [j for j in moved if j not in known]
                if len(unknown) == len(rows):
                    return self._block(chosen, rows, unknown, [j for j in moved if j in known])
        return None

    def _depends(self, row: int, rate: int) -> bool:
        return not self.closure.is_zero(self.closure.J[row][rate])

    def _block(self, loops: tuple[int, ...], rows: list[int], unknown: list[int], known: list[int]) -> Block | None:
        A = [[self.closure.J[i][j] for j in unknown] for i in rows]
        determinant = self._determinant(A)
        if determinant is None or self.closure.is_zero(determinant):
            return None
        adjugate: list[list[Poly]] = []
        for j in range(len(rows)):
            minors: list[Any] = [self._determinant(_without(A, i, j)) for i in range(len(rows))]
            if None in minors:
                return None
            adjugate.append([-minor if (i + j) % 2 else minor for i, minor in enumerate(minors)])
        return Block(loops, tuple(rows), tuple(unknown), tuple(known), adjugate, determinant)

    def _determinant(self, A: Sequence[Sequence[Poly]]) -> Poly | None:
        ring = self.closure.closed.arith.ring
        if not A:
            return ring.one
        total = ring.zero
        for j, entry in enumerate(A[0]):
            if not entry:
                continue
            minor = self._determinant(_without(A, 0, j))
            if minor is None:
                return None
            total = total - entry * minor if j % 2 else total + entry * minor
        total = self.closure.reduced(total)
        return total if len(total) <= LONGEST else None

    def numerator(self, block: Block, rate: int, known: int) -> Poly:
        """What a unit of a known rate makes of an unknown one, times the determinant."""
        if (rate, known) not in self._numerators:
            row = block.adjugate[block.unknown.index(rate)]
            total = self.closure.closed.arith.ring.zero
            for entry, i in zip(row, block.rows, strict=True):
                total = total - entry * self.closure.J[i][known]
            self._numerators[rate, known] = self.closure.reduced(total)
        return self._numerators[rate, known]

    # --- as expressions ---------------------------------------------------------------------------------------------

    def share(self, block: Block, rate: int, known: int) -> Expr:
        """What a unit of a known rate makes of an unknown one."""
        return self.over(block, self.numerator(block, rate, known))

    def inverse(self, block: Block) -> list[list[Expr]]:
        """Of the columns of the unknown rates."""
        return [[self.over(block, p) for p in row] for row in block.adjugate]

    def over(self, block: Block, p: Poly) -> Expr:
        write = self.closure.closed.write
        return write(p) / write(block.determinant)

    @cached_property
    def G(self) -> list[list[Expr]]:
        """A row per rate, a column per independent one."""
        return [self.sum([i]) for i in range(self.closure.n)]

    def sum(self, rates: Sequence[int]) -> list[Expr]:
        """The sum of some rows of G, which may be shorter than each: of a planar link, its whole turning."""
        weights: dict[int, Expr] = dict.fromkeys(rates, sp.Integer(1))
        for block in reversed(self.solved):
            for known in block.known:
                weights[known] = self._weight(block, weights, known)
        return [weights.get(j, sp.Integer(0)) for j in self.closure.independent]

    def _weight(self, block: Block, weights: Mapping[int, Expr], known: int) -> Expr:
        """Of a known rate, in place of the unknown ones of a block; whole numbers are added above the fraction bar."""
        found, top = weights.get(known, sp.Integer(0)), self.closure.closed.arith.ring.zero
        for rate in block.unknown:
            weight = weights.get(rate, sp.Integer(0))
            if weight.is_Integer:
                top = top + int(weight) * self.numerator(block, rate, known)
            else:
                found = found + weight * self.share(block, rate, known)
        if not top:
            return found
        if found.is_Integer:
            return self.over(block, self.closure.reduced(top + int(found) * block.determinant))
        return found + self.over(block, self.closure.reduced(top))

    def rates(self, gamma: Sequence[Expr]) -> list[Expr]:
        """x with J x = gamma and the independent ones zero: nu for the gamma of the rates."""
        found = [sp.Integer(0)] * self.closure.n
        for block in self.solved:
            for u, row in zip(block.unknown, self.inverse(block), strict=True):
                own = sum((a * gamma[i] for a, i in zip(row, block.rows, strict=True)), sp.Integer(0))
                found[u] = own + sum((self.share(block, u, k) * found[k] for k in block.known), sp.Integer(0))
        return found

    def multipliers(self, tau: Sequence[Expr]) -> list[Expr]:
        """lambda with J_p^T lambda = tau_p over the dependent rates p: the last block first."""
        found = [sp.Integer(0)] * len(self.closure.rows)
        write, done = self.closure.closed.write, list[int]()
        for block in reversed(self.solved):
            rest = [tau[u] - sum((write(self.closure.J[i][u]) * found[i] for i in done), 0) for u in block.unknown]
            for i, column in zip(block.rows, zip(*self.inverse(block), strict=True), strict=True):
                found[i] = sum((a * b for a, b in zip(column, rest, strict=True)), sp.Integer(0))
            done += block.rows
        return found

    @property
    def solved(self) -> list[Block]:
        """The blocks; an error where there are none."""
        if self.blocks is None:
            name = self.closure.closed.robot.name
            raise InputError(
                f"the transmission of {name} has no closed form that could be read; robot.transmission(q) has its "
                f"numbers"
            )
        return self.blocks


def _without(A: Sequence[Sequence[Poly]], row: int, column: int) -> list[list[Poly]]:
    return [[x for j, x in enumerate(line) if j != column] for i, line in enumerate(A) if i != row]
