"""Recursions over sparse polynomials: SymPy's rings, in the sines and cosines of joints and in everything else.

A closed form of a robot is a polynomial in c_i, s_i, the rates and the constants. Kept as such from the start, products
are expanded and like terms gathered as the recursion runs, and nothing needs to be simplified out of one huge tree.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import sympy  # pyright: ignore[reportMissingTypeStubs]
from sympy.polys.rings import PolyElement, ring  # pyright: ignore

from redyn.algebra import Scalar
from redyn.errors import InputError
from redyn.symbolic.notation import Expr, sp
from redyn.symbolic.parameters import exact

Poly = Any
_QQ = cast(Any, sympy).QQ


@dataclass(frozen=True)
class Angle:
    """An angle whose sine and cosine are letters of their own: of a joint, or a constant one of the geometry."""

    angle: Expr  # theta_1, or alpha_2
    variable: Expr  # of the joint that turns by it; None: a constant of the geometry
    c: Expr  # letters that stand for the cosine and the sine
    s: Expr


def letters(angle: Expr, variable: Expr = None) -> Angle:
    return Angle(angle, variable, sp.Dummy(f"c({angle})"), sp.Dummy(f"s({angle})"))


class Polynomials:
    """The arithmetic. `angles` have letters for sine and cosine; `others` are the remaining symbols."""

    def __init__(self, angles: Sequence[Angle], others: Iterable[Expr]) -> None:
        self.angles = list(angles)
        rest = sorted({*others, *(s for a in angles for s in a.angle.free_symbols)}, key=str)
        symbols = [letter for a in self.angles for letter in (a.c, a.s)] + rest
        self.ring: Any = cast(Any, ring)(symbols, _QQ)[0]
        self._place = {s: i for i, s in enumerate(self.ring.symbols)}
        self._letters = {sp.cos(a.angle): a.c for a in angles} | {sp.sin(a.angle): a.s for a in angles}
        self._by_angle = {self.element(a.angle): a for a in self.angles}

    def element(self, expression: Expr) -> Poly:
        """A SymPy expression, polynomial in the symbols, as an element of the ring."""
        try:
            return self.ring.from_expr(sp.sympify(expression).xreplace(self._letters))
        except ValueError:
            raise InputError(f"where: {expression} is no polynomial with rational coefficients") from None

    def place(self, symbol: Expr) -> int:
        return self._place[symbol]

    def const(self, value: Scalar, /) -> Scalar:
        if isinstance(value, PolyElement):
            return cast(Scalar, value)
        if isinstance(value, int | float):
            number = exact(float(value))
            return self.ring.ground_new(_QQ(int(number.p), int(number.q)))
        return self.element(value)

    def sincos(self, angle: Scalar, /) -> tuple[Scalar, Scalar]:
        found = self._by_angle[angle]
        return self.element(found.s), self.element(found.c)

    def sqrt(self, value: Scalar, /) -> Scalar:
        raise InputError("a square root is no polynomial: Coulomb friction must be left out here")

    def derivative(self, p: Poly, by: Expr) -> Poly:
        """By a joint variable, the sine and the cosine of that joint included."""
        total = p.diff(self.element(by))
        for a in self.angles:
            if a.variable == by:
                c, s = self.element(a.c), self.element(a.s)
                total = total + p.diff(s) * c - p.diff(c) * s
        return total

    def reduced(self, p: Poly) -> Poly:
        """The same with every s^2 replaced by 1 - c^2, which keeps products of many factors short."""
        for a in self.angles:
            place = self.place(a.s)
            if all(monomial[place] < 2 for monomial in p.monoms()):
                continue
            c = self.element(a.c)
            other = 1 - c**2
            parts: dict[int, Any] = {}
            for monomial, value in p.terms():
                pairs, odd = divmod(monomial[place], 2)
                rest = (*monomial[:place], odd, *monomial[place + 1 :])
                part = parts.setdefault(pairs, self.ring.zero.copy())
                part[rest] = part.get(rest, 0) + value
            p = sum((part * other**pairs for pairs, part in parts.items()), self.ring.zero)
            p = self.ring.from_dict({m: v for m, v in p.terms() if v})
        return p
