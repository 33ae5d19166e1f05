"""An arithmetic of sparse polynomials: SymPy's rings over sines, cosines, rates and constants.

A closed form of a robot is a polynomial in c_i, s_i, the rates and the constants. Kept as such from the start, products
are expanded and like terms collected as the recursion runs, and no huge expression tree has to be simplified.
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
    """An angle whose sine and cosine are generators of the ring: a joint's, a bent beam's, or a constant."""

    angle: Expr  # theta_1, dphi_1 e_1 + dphi_2 e_2, or alpha_2
    moves: bool  # whether it depends on joint variables; otherwise a constant of the geometry
    c: Expr  # generators for the cosine and the sine
    s: Expr


def letters(angle: Expr, moves: bool = False) -> Angle:
    return Angle(angle, moves, sp.Dummy(f"c({angle})"), sp.Dummy(f"s({angle})"))


@dataclass(frozen=True)
class Divisor:
    """A polynomial that others are divided by; those are multiples of it."""

    value: Poly
    inverted: bool = False

    def __rtruediv__(self, one: int) -> Divisor:
        assert one == 1
        return Divisor(self.value, True)

    def __rmul__(self, other: Poly) -> Poly:
        return other.exquo(self.value) if self.inverted else other * self.value


class Polynomials:
    """The arithmetic. `angles` have generators for sine and cosine; `others` are the remaining symbols."""

    def __init__(
        self, angles: Sequence[Angle], others: Iterable[Expr], quaternions: Sequence[Sequence[Expr]] = ()
    ) -> None:
        """`quaternions`: letters x y z w whose squares add up to 1."""
        self.angles = list(angles)
        plain = {*others, *(s for a in angles for s in a.angle.free_symbols)}
        # By name; where springs rest comes last, so that differences read theta_1 - rest_1.
        by_name = sorted(plain, key=lambda symbol: (str(symbol).startswith("rest_"), str(symbol)))
        symbols = [letter for a in self.angles for letter in (a.c, a.s)] + by_name
        self.ring: Any = cast(Any, ring)(symbols, _QQ)[0]
        self._index = {s: i for i, s in enumerate(self.ring.symbols)}
        self._letters = {sp.cos(a.angle): a.c for a in angles} | {sp.sin(a.angle): a.s for a in angles}
        self._by_angle = {self.element(a.angle): a for a in self.angles}
        self._units = [
            (self.index(w), 1 - sum((self.element(v) ** 2 for v in (x, y, z)), self.ring.zero))
            for x, y, z, w in quaternions
        ]

    def element(self, expression: Expr) -> Poly:
        """A SymPy expression, polynomial in the symbols, as an element of the ring."""
        try:
            return self.ring.from_expr(sp.sympify(expression).xreplace(self._letters))
        except ValueError:
            raise InputError(f"where: {expression} is not a polynomial with rational coefficients") from None

    def index(self, symbol: Expr) -> int:
        return self._index[symbol]

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
        """Of a perfect square, to divide by: the lean of a wheel has one, sin(theta)^2 with theta from 0 to pi."""
        factored: Any = (_QQ(-1), []) if cast(Any, value).is_ground else cast(Any, value).factor_list()
        factor, parts = factored
        root = sp.sqrt(sp.Rational(int(factor.numerator), int(factor.denominator)))
        if not root.is_Rational or any(power % 2 for _, power in parts):
            raise InputError("a square root is not a polynomial: Coulomb friction must be left out here")
        found: Poly = self.element(root)
        for part, power in parts:
            found = found * part ** (power // 2)
        return cast(Scalar, Divisor(found))

    def derivative(self, p: Poly, by: Expr) -> Poly:
        """Derivative with respect to a joint variable, including its sine and cosine."""
        total = p.diff(self.element(by))
        for a in self.angles:
            slope = a.angle.diff(by) if a.moves else 0
            if slope != 0:
                c, s = self.element(a.c), self.element(a.s)
                total = total + (p.diff(s) * c - p.diff(c) * s) * self.element(slope)
        return total

    def reduced(self, p: Poly) -> Poly:
        """Replaces every s^2 by 1 - c^2, which keeps products of many factors short."""
        for a in self.angles:
            p = self._without_squares(p, self.index(a.s), 1 - self.element(a.c) ** 2)
        return self.of_unit_norm(p)

    def of_unit_norm(self, p: Poly) -> Poly:
        """Replaces the square of every quaternion's w by 1 - x^2 - y^2 - z^2: what is left is canonical."""
        for index, other in self._units:
            p = self._without_squares(p, index, other)
        return p

    def _without_squares(self, p: Poly, index: int, square: Poly) -> Poly:
        """The square of a generator replaced."""
        if all(monomial[index] < 2 for monomial in p.monoms()):
            return p
        parts: dict[int, Any] = {}
        for monomial, value in p.terms():
            pairs, odd = divmod(monomial[index], 2)
            rest = (*monomial[:index], odd, *monomial[index + 1 :])
            part = parts.setdefault(pairs, self.ring.zero.copy())
            part[rest] = part.get(rest, 0) + value
        p = sum((part * square**pairs for pairs, part in parts.items()), self.ring.zero)
        return self.ring.from_dict({m: v for m, v in p.terms() if v})
