"""Passive joints in closed form: from the independent joints to all, loop after loop.

A planar loop with two unknown joints, x and y, is two equations. One of the unknowns goes out of them:

- an angle y by the length of a vector: phi = F + S, with y in S alone, so that |F|^2 = |S|^2 is free of it (the law of
  cosines; Freudenstein's equation of a four-bar linkage is one of its two cases);
- a slide y by the component across it.

What is left is A cos x + B sin x = C for an angle x, or a quadratic equation for a slide: two solutions, the two ways
to assemble the loop. Then y follows without a choice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from redyn.symbolic.loops.blocks import Block
from redyn.symbolic.loops.closure import LINEAR, LoopClosure
from redyn.symbolic.loops.transmission import Transmission
from redyn.symbolic.notation import Expr, operations, sp, symbol
from redyn.symbolic.polynomials import Poly

SIGN = symbol("sigma")  # +1 or -1: which of the two solutions


@dataclass(frozen=True)
class First:
    """The joint x that is found first: A cos x + B sin x = C, or x^2 + 2 B x + C = 0 for a slide."""

    joint: int
    slides: bool
    A: Expr
    B: Expr
    C: Expr
    square: Expr  # A^2 + B^2, or B^2 - C for a slide
    branch: Expr  # has the sign of sigma, at any closed q
    zero: Expr  # added to the joint's angle

    @property
    def solution(self) -> Expr:
        if self.slides:
            return SIGN * sp.sqrt(self.square) - self.B
        if self.B == 0:
            return SIGN * sp.acos(self.C / self.A) - self.zero
        return sp.atan2(self.B, self.A) + SIGN * sp.acos(self.C / sp.sqrt(self.square)) - self.zero


@dataclass(frozen=True)
class Second:
    """The joint y that follows: an angle with this sine and cosine, up to a common positive factor, or a slide."""

    joint: int
    sine: Expr
    cosine: Expr
    slide: Expr | None
    zero: Expr  # added to the joint's angle

    @property
    def solution(self) -> Expr:
        return sp.atan2(self.sine, self.cosine) - self.zero if self.slide is None else self.slide


@dataclass(frozen=True)
class Dyad:
    """A loop with two unknown joints."""

    loop: int
    first: First
    second: Second

    def choices(self) -> list[Expr]:
        """The first joint on either branch, sigma = 1 and -1, the second, and what has the sign of sigma."""
        both = [self.first.solution.xreplace({SIGN: sp.Integer(sign)}) for sign in (1, -1)]
        return [*both, self.second.solution, self.first.branch]

    @property
    def length(self) -> int:
        return operations(self.first.solution) + operations(self.second.solution)


class Passive:
    def __init__(self, closure: LoopClosure, transmission: Transmission) -> None:
        self.closure, self.transmission = closure, transmission
        self.arith = closure.closed.arith

    @cached_property
    def dyads(self) -> list[Dyad] | None:
        """One per loop, in order of solution; None where some loop has no such solution."""
        found: list[Dyad] = []
        for block in self.transmission.blocks or []:
            ways = self.ways(block)
            if not ways:
                return None
            found.append(ways[0])
        return found or None

    def ways(self, block: Block) -> list[Dyad]:
        """The solutions of a loop, by which of the two joints is found first: a slide, or what is shorter."""
        linear = all(self.closure.rows[i].row in LINEAR for i in block.rows)
        if len(block.unknown) != 2 or not (linear and block.plain):
            return []
        phi = [self.closure.rows[i].phi for i in block.rows]
        found = [self._dyad(block, phi, x, y) for x, y in (block.unknown, block.unknown[::-1])]
        return sorted((way for way in found if way is not None), key=lambda way: (not way.first.slides, way.length))

    def _dyad(self, block: Block, phi: Sequence[Poly], x: int, y: int) -> Dyad | None:
        eliminated = self._without_angle(phi, y) if self._turns(y) else self._without_slide(phi, y)
        if eliminated is None:
            return None
        E, second = eliminated
        first = self._angle(E, x) if self._turns(x) else self._slide(E, x)
        return None if first is None else Dyad(block.loops[0], first, second)

    # --- eliminating y ----------------------------------------------------------------------------------------------

    def _without_angle(self, phi: Sequence[Poly], y: int) -> tuple[Poly, Second] | None:
        c, s = self._letters(y)
        P, Q = ([self._reduced(f.diff(letter)) for f in phi] for letter in (c, s))  # phi = F + cos y P + sin y Q
        F = [self._reduced(f - p * c - q * s) for f, p, q in zip(phi, P, Q, strict=True)]
        S = [f - g for f, g in zip(phi, F, strict=True)]
        E = self._reduced(_square(F) - _square(S))
        if any(self._has(p, y) for p in (*P, *Q, *F, E)):
            return None
        sine, cosine = (self._write(self._reduced(-_dot(v, F))) for v in (Q, P))  # times |P|^2 = |Q|^2
        return E, Second(y, sine, cosine, None, self._zero(y))

    def _without_slide(self, phi: Sequence[Poly], y: int) -> tuple[Poly, Second] | None:
        q, zero = self.arith.element(self.closure.closed.robot.q[y]), sp.Integer(0)
        along = [self._reduced(f.diff(q)) for f in phi]
        rest = [self._reduced(f - n * q) for f, n in zip(phi, along, strict=True)]
        if any(self._has(p, y) for p in (*along, *rest)) or self._reduced(_square(along)) != self.arith.ring.one:
            return None
        E = self._reduced(along[0] * rest[1] - along[1] * rest[0])
        return E, Second(y, zero, zero, self._write(self._reduced(-_dot(along, rest))), zero)

    # --- solving for x ----------------------------------------------------------------------------------------------

    def _angle(self, E: Poly, x: int) -> First | None:
        """E or -E is A cos x + B sin x - C."""
        c, s = self._letters(x)
        A, B = (self._reduced(E.diff(letter)) for letter in (c, s))
        C = self._reduced(A * c + B * s - E)
        if any(self._has(p, x) for p in (A, B, C)) or self.closure.is_zero(A):
            return None
        if self._write(A).could_extract_minus_sign():
            A, B, C = -A, -B, -C
        branch = s if self.closure.is_zero(B) else A * s - B * c
        return self._first(x, False, A, B, C, A**2 + B**2, branch)

    def _slide(self, E: Poly, x: int) -> First | None:
        """E = x^2 + 2 B x + C."""
        q = self.arith.element(self.closure.closed.robot.q[x])
        A = self._reduced(E.diff(q).diff(q) / 2)
        B = self._reduced(E.diff(q) / 2 - A * q)
        C = self._reduced(E - A * q**2 - 2 * B * q)
        if self.arith.ring.one != A or any(self._has(p, x) for p in (B, C)):
            return None
        return self._first(x, True, A, B, C, B**2 - C, q + B)

    def _first(self, x: int, slides: bool, A: Poly, B: Poly, C: Poly, square: Poly, branch: Poly) -> First:
        write, reduced = self._write, self._reduced
        zero = sp.Integer(0) if slides else self._zero(x)
        return First(x, slides, write(A), write(B), write(C), write(reduced(square)), write(reduced(branch)), zero)

    # --- polynomials ------------------------------------------------------------------------------------------------

    def _turns(self, joint: int) -> bool:
        return self.closure.closed.robot.bodies[joint].kind == "revolute"

    def _letters(self, joint: int) -> tuple[Poly, Poly]:
        variable = self.closure.closed.robot.q[joint]
        angle = next(a for a in self.arith.angles if a.moves and variable in a.angle.free_symbols)
        return self.arith.element(angle.c), self.arith.element(angle.s)

    def _has(self, p: Poly, joint: int) -> bool:
        """Whether a polynomial depends on a joint."""
        return not self.closure.is_zero(self.arith.derivative(p, self.closure.closed.robot.q[joint]))

    def _reduced(self, p: Poly) -> Poly:
        return self.arith.reduced(p)

    def _write(self, p: Poly) -> Expr:
        return self.closure.closed.write(p)

    def _zero(self, joint: int) -> Expr:
        return self.closure.closed.robot.bodies[joint].zero


def _dot(a: Sequence[Poly], b: Sequence[Poly]) -> Poly:
    return a[0] * b[0] + a[1] * b[1]


def _square(a: Sequence[Poly]) -> Poly:
    return _dot(a, a)
