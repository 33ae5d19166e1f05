"""J qd = 0 for the dependent rates, taken apart: blocks of equations that are solved one after the other.

A block is a set of loops in which as many rates are unknown as there are rows (what Chaudhary and Saha 2007 call a
determinate subsystem). Planar loops one after the other are blocks of two rows. Where several loops form one block, as
the legs of a parallel robot do, the rate of a joint that occurs in one loop only is eliminated first: the component of
the loop across its link is free of it, and the component along the link gives it afterwards.

The determinant of a loop of two rows is multiplied out, which makes sines of differences of angles of it; others stay
products of elements K, each written by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

from redyn.symbolic.determinants import adjugate, determinant
from redyn.symbolic.loops.closure import LoopClosure
from redyn.symbolic.notation import Expr, sp, symbol
from redyn.symbolic.polynomials import Poly

EXPANDED = 2  # rows of a determinant that is multiplied out
MOST = 4  # rows of one at all


@dataclass(frozen=True)
class Line:
    """A combination of rows of the closure: what it is over all rates, and how much of each row is in it."""

    entries: tuple[Poly, ...]
    weights: dict[int, Poly]


class Block:
    """Equations that determine as many rates, given those that are known before."""

    def __init__(
        self, closure: LoopClosure, loops: Sequence[int], lines: Sequence[Line], unknown: Sequence[int], first: int
    ) -> None:
        """`first` is the number of its first line among those of all blocks."""
        self._closure, self.loops, self.lines, self._first = closure, tuple(loops), list(lines), first
        self.number = 0  # in order of solution, from 1; 0 if there is one block only
        self.unknown = tuple(unknown)
        moved = [j for j in range(closure.n) if any(not closure.is_zero(line.entries[j]) for line in lines)]
        self.known = tuple(j for j in moved if j not in self.unknown)
        self._numerators: dict[tuple[int, int], Poly] = {}

    @property
    def expanded(self) -> bool:
        return len(self.lines) == 1 or (self.plain and len(self.lines) <= EXPANDED)

    @property
    def plain(self) -> bool:
        """Whether its lines are rows of the closure."""
        return all(len(line.weights) == 1 for line in self.lines)

    @property
    def rows(self) -> list[int]:
        """Of the closure, as far as its lines contain them."""
        return sorted({i for line in self.lines for i in line.weights})

    # --- multiplied out -----------------------------------------------------------------------------------------------

    @cached_property
    def _matrix(self) -> list[list[Poly]]:
        return [[line.entries[j] for j in self.unknown] for line in self.lines]

    @cached_property
    def _adjugate(self) -> list[list[Any]]:
        return adjugate(self._matrix, self._closure.closed.arith.ring)

    @cached_property
    def determinant_polynomial(self) -> Poly:
        return self._reduced(determinant(self._matrix, self._closure.closed.arith.ring))

    def numerator(self, rate: int, known: int) -> Poly:
        """What a unit of a known rate makes of an unknown one, times the determinant."""
        if (rate, known) not in self._numerators:
            row = self._adjugate[self.unknown.index(rate)]
            total = sum((a * line.entries[known] for a, line in zip(row, self.lines, strict=True)), self._zero)
            self._numerators[rate, known] = self._reduced(-total)
        return self._numerators[rate, known]

    def over(self, p: Poly) -> Expr:
        return self._write(p) / self._write(self.determinant_polynomial)

    # --- in elements K ------------------------------------------------------------------------------------------------

    @cached_property
    def places(self) -> dict[tuple[int, int], Expr]:
        """The elements K of a block that is not multiplied out, by line and rate."""
        if self.expanded:
            return {}
        rates = sorted((*self.unknown, *self.known))
        every = [(i, j, line.entries[j]) for i, line in enumerate(self.lines) for j in rates]
        return {(i, j): self._name(i, j) for i, j, p in every if not self._closure.is_zero(p)}

    @cached_property
    def named(self) -> dict[Expr, Expr]:
        """What each of these is."""
        return {name: self._write(self.lines[i].entries[j]) for (i, j), name in self.places.items()}

    def _name(self, i: int, j: int) -> Expr:
        return symbol(f"K_{self._first + i + 1}{'_' if max(self._first + i, j) >= 9 else ''}{j + 1}")

    def _element(self, i: int, j: int) -> Expr:
        return self.places.get((i, j), sp.Integer(0))

    @cached_property
    def _elements(self) -> list[list[Expr]]:
        return [[self._element(i, j) for j in self.unknown] for i in range(len(self.lines))]

    @property
    def letter(self) -> Expr:
        """Of the determinant."""
        return symbol(f"Delta_{self.number}" if self.number else "Delta")

    # --- what follows -------------------------------------------------------------------------------------------------

    @cached_property
    def determinant(self) -> Expr:
        """In elements K where these have names."""
        return self._write(self.determinant_polynomial) if self.expanded else determinant(self._elements, sp.Integer)

    def share(self, rate: int, known: int) -> Expr:
        """What a unit of a known rate makes of an unknown one, in the elements K and the letter of the determinant."""
        if self.expanded:
            return self.over(self.numerator(rate, known))
        total = sum(
            (a * self._element(i, known) for i, a in enumerate(self._inverse[self.unknown.index(rate)])), sp.Integer(0)
        )
        return -total / self.letter

    @cached_property
    def _inverse(self) -> list[list[Expr]]:
        """The adjugate in elements K."""
        return adjugate(self._elements, sp.Integer)

    def coefficient(self, rate: int, row: int) -> Expr:
        """What a unit on the right of a row of the closure makes of an unknown rate, likewise."""
        place, lines = self.unknown.index(rate), [(i, k) for i, k in enumerate(self.lines) if row in k.weights]
        if self.expanded:
            total = sum((self._adjugate[place][i] * line.weights[row] for i, line in lines), self._zero)
            return self.over(self._reduced(total))
        found = sum((self._inverse[place][i] * self._write(line.weights[row]) for i, line in lines), sp.Integer(0))
        return found / self.letter

    def spelled(self, expression: Expr) -> Expr:
        """The same over sines and cosines."""
        return expression.xreplace({self.letter: self.determinant}).xreplace(self.named)

    def _reduced(self, p: Poly) -> Poly:
        return self._closure.reduced(p)

    def _write(self, p: Poly) -> Expr:
        return self._closure.closed.write(p)

    @property
    def _zero(self) -> Poly:
        return self._closure.closed.arith.ring.zero


# --- taking the system apart ----------------------------------------------------------------------------------------


def decoupled(closure: LoopClosure) -> list[Block] | None:
    """The blocks in order of solution; None where rows are dependent or a block is too large."""
    if len(closure.rows) != len(closure.dependent):
        return None
    found: list[Block] = []
    known, left = set(closure.independent), set(range(len(closure.cuts)))
    while left:
        chosen = _next(closure, known, sorted(left))
        if chosen is None:
            return None
        made = _blocks(closure, chosen, known, sum(len(block.lines) for block in found))
        if any(len(block.lines) > MOST or closure.is_zero(_any_determinant(block)) for block in made):
            return None
        found += made
        known |= {rate for block in made for rate in block.unknown}
        left -= set(chosen)
    for k, block in enumerate(found if len(found) > 1 else (), start=1):
        block.number = k
    return found


def _any_determinant(block: Block) -> Poly:
    """Only those that are multiplied out are known to be zero or not."""
    return block.determinant_polynomial if block.expanded else block.lines[0].entries[block.unknown[0]].ring.one


def _next(closure: LoopClosure, known: set[int], loops: Sequence[int]) -> tuple[int, ...] | None:
    """The smallest set of loops that determines the rates it depends on."""
    for size in range(1, len(loops) + 1):
        for chosen in combinations(loops, size):
            rows = [i for i, row in enumerate(closure.rows) if row.loop in chosen]
            if len(_unknown(closure, rows, known)) == len(rows):
                return chosen
    return None


def _unknown(closure: LoopClosure, rows: Sequence[int], known: set[int]) -> list[int]:
    moved = (j for j in range(closure.n) if any(not closure.is_zero(closure.J[i][j]) for i in rows))
    return [j for j in moved if j not in known]


def _blocks(closure: LoopClosure, loops: Sequence[int], known: set[int], first: int) -> list[Block]:
    """One block, or one without the rates that occur in one loop only, and one for each of those."""
    one = closure.closed.arith.ring.one
    rows = [i for i, row in enumerate(closure.rows) if row.loop in loops]
    unknown = _unknown(closure, rows, known)
    lines: list[Line] = []
    later: list[tuple[int, Line, int]] = []  # loop, component along its outer link, rate of that
    for k in loops:
        own = [i for i in rows if closure.rows[i].loop == k]
        outer = _outer(closure, rows, own, unknown) if len(rows) > EXPANDED else None
        if outer is None:
            lines += [Line(tuple(closure.J[i]), {i: one}) for i in own]
            continue
        (i, j), (x, y) = own, (closure.J[row][outer] for row in own)
        lines.append(_combined(closure, {i: -y, j: x}))
        later.append((k, _combined(closure, {i: x, j: y}), outer))
    inner = [rate for rate in unknown if rate not in {rate for _, _, rate in later}]
    found = [Block(closure, loops, lines, inner, first)]
    for k, line, rate in later:
        found.append(Block(closure, [k], [line], [rate], first + sum(len(block.lines) for block in found)))
    return found


def _outer(closure: LoopClosure, rows: Sequence[int], own: Sequence[int], unknown: Sequence[int]) -> int | None:
    """A joint of one loop only whose link has a constant length in it."""
    if len(own) != 2:
        return None
    for rate in unknown:
        elsewhere = any(not closure.is_zero(closure.J[i][rate]) for i in rows if i not in own)
        length = closure.reduced(sum((closure.J[i][rate] ** 2 for i in own), closure.closed.arith.ring.zero))
        constant = all(closure.is_zero(closure.closed.arith.derivative(length, q)) for q in closure.closed.robot.q)
        if not elsewhere and constant and not closure.is_zero(length):
            return rate
    return None


def _combined(closure: LoopClosure, weights: dict[int, Poly]) -> Line:
    """A sum of rows, without constants that all of it has in common."""
    ring = closure.closed.arith.ring
    entries = [
        closure.reduced(sum((weight * closure.J[i][j] for i, weight in weights.items()), ring.zero))
        for j in range(closure.n)
    ]
    every = [p for p in (*entries, *weights.values()) if p]
    common = [min(m[k] for p in every for m in p.monoms()) for k in range(len(ring.gens))]
    factor = ring.from_dict({tuple(common): ring.domain.one})
    return Line(tuple(p.exquo(factor) for p in entries), {i: p.exquo(factor) for i, p in weights.items()})
