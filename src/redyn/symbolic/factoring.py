"""Factors a list of terms into a formula as short as a person would write it.

A formula is first a sum of monomials over atoms (constants, rates, sines and cosines). Several factorings are
tried (by the rates, by the sines and cosines, by the most frequent atom), and the shortest is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import gcd, isqrt, lcm
from typing import Any

from redyn.symbolic.notation import Expr, operations, sp

Monomial = tuple[tuple[int, int], ...]  # (number of the atom, power), ascending
Terms = dict[Monomial, Any]  # monomial: rational coefficient
ONE: Monomial = ()
DECIMALS = 10**12  # a common denominator above this is that of decimals with all their digits
LONG = 100  # terms; factoring longer formulas takes too long, and nobody reads them


def times(a: Monomial, b: Monomial) -> Monomial:
    powers = dict(a)
    for atom, power in b:
        powers[atom] = powers.get(atom, 0) + power
    return tuple(sorted((k, p) for k, p in powers.items() if p))


def over(a: Monomial, b: Monomial) -> Monomial:
    return times(a, tuple((k, -p) for k, p in b))


def common(terms: Terms) -> Monomial:
    """The largest monomial that divides them all."""
    first, *rest = [dict(m) for m in terms]
    return tuple(sorted((k, q) for k, p in first.items() if (q := min([p, *(m.get(k, 0) for m in rest)])) > 0))


def content(terms: Terms) -> Any:
    """The rational content: leaves integer coefficients without a common divisor, few of them negative.

    Of decimals it would leave numbers of many digits: only their sign is taken out.
    """
    values = list(terms.values())
    top = gcd(*(int(abs(v.numerator)) for v in values))
    bottom = lcm(*(int(v.denominator) for v in values))
    if bottom > DECIMALS:
        top = bottom = 1
    balance = sum(1 if v > 0 else -1 for v in values) or (1 if values[0] > 0 else -1)
    return type(values[0])(top if balance > 0 else -top, bottom)


class Factoring:
    """Factors sums over a list of atoms (SymPy expressions); `kind` distinguishes rates, sines and constants."""

    def __init__(self, atoms: Sequence[Expr], kind: Callable[[Expr], str]) -> None:
        self.atoms = list(atoms)
        self._kind = [kind(atom) for atom in atoms]

    def expanded(self, terms: Terms) -> Expr:
        """Every product multiplied out."""
        return sp.Add(*(self._rational(v) * self.product(m) for m, v in terms.items()))

    def shortest(self, terms: Terms) -> Expr:
        """The shortest of several factorings; one that reads better may be slightly longer."""
        if not terms:
            return sp.Integer(0)
        trig, rates, mass = self._part("trig"), self._part("rate"), self._part("mass")
        ways: list[tuple[float, Callable[[Terms], Expr]]] = [
            (1.0, lambda t: self.grouped(t, mass, self.plain)),
            (1.0, lambda t: self.grouped(t, trig, self.greedy)),
            (1.0, lambda t: self.grouped(t, rates, lambda u: self.grouped(u, trig, self.greedy))),
            (1.1, lambda t: self.grouped(t, mass, self.greedy)),
            (1.15, lambda t: self.grouped(t, rates, self.greedy)),
            (1.2, self.greedy),
        ]
        if len(terms) > LONG:
            return self._pulled(terms, ways[1][1])
        found = [(weight, self._pulled(terms, way)) for weight, way in ways]
        return min(found, key=lambda item: item[0] * operations(item[1]))[1]

    def _part(self, kind: str) -> Callable[[Monomial], Monomial]:
        return lambda m: tuple((k, p) for k, p in m if self._kind[k] == kind)

    def product(self, monomial: Monomial) -> Expr:
        return sp.Mul(*(self.atoms[k] ** p for k, p in monomial))

    def _rational(self, value: Any) -> Expr:
        return sp.Rational(int(value.numerator), int(value.denominator))

    def _pulled(self, terms: Terms, inner: Callable[[Terms], Expr]) -> Expr:
        """The common factor of all terms times the rest."""
        monomial = common(terms)
        if len(terms) == 1:
            return self._rational(next(iter(terms.values()))) * self.product(monomial)
        number = content(terms) if monomial else type(next(iter(terms.values())))(1)
        rest: Terms = {over(m, monomial): v / number for m, v in terms.items()}
        return sp.Mul(self._rational(number), self.product(monomial), inner(rest))

    def plain(self, terms: Terms) -> Expr:
        """Term by term, except for squares."""
        square = self._square(terms)
        return (
            square if square is not None else sp.Add(*(self._rational(v) * self.product(m) for m, v in terms.items()))
        )

    def greedy(self, terms: Terms) -> Expr:
        """Factors out what is common, then the atom shared by the most terms, and so on."""
        return self._pulled(terms, self._split) if terms else sp.Integer(0)

    def _square(self, terms: Terms) -> Expr | None:
        """(x + y)^2 or (x + y + z)^2, if that is what the terms are."""
        if len(terms) not in (3, 6):
            return None
        roots: list[tuple[Monomial, int]] = []
        for m, v in terms.items():
            root = isqrt(int(v)) if v.denominator == 1 and v > 0 else 0
            if root * root == v and all(p % 2 == 0 for _, p in m):
                roots.append((tuple((k, p // 2) for k, p in m), root))
        if len(roots) * (len(roots) + 1) // 2 != len(terms):
            return None
        (first, x), *others = roots
        signed = [(first, x)]
        for m, y in others:
            cross = terms.get(times(first, m))
            if cross is None or abs(cross) != 2 * x * y:
                return None
            signed.append((m, y if cross > 0 else -y))
        whole: Terms = {}
        for m, y in signed:
            for n, z in signed:
                whole[times(m, n)] = whole.get(times(m, n), 0) + y * z
        return sp.Add(*(y * self.product(m) for m, y in signed)) ** 2 if whole == terms else None

    def _split(self, terms: Terms) -> Expr:
        counts: dict[int, int] = {}
        for m in terms:
            for k, _ in m:
                counts[k] = counts.get(k, 0) + 1
        shared = [k for k, count in counts.items() if count > 1]
        if len(terms) <= 2 or not shared or self._square(terms) is not None:
            return self.plain(terms)
        order = {"mass": 0, "rate": 1, "constant": 2, "trig": 3}
        best = max(shared, key=lambda k: (counts[k], -order[self._kind[k]], -k))
        inside: Terms = {m: v for m, v in terms.items() if any(k == best for k, _ in m)}
        outside: Terms = {m: v for m, v in terms.items() if m not in inside}
        return self.greedy(inside) + self.greedy(outside)

    def grouped(self, terms: Terms, key: Callable[[Monomial], Monomial], inner: Callable[[Terms], Expr]) -> Expr:
        """A sum over keys, each with its coefficient; keys with proportional coefficients share one."""
        groups: dict[Monomial, Terms] = {}
        for m, v in terms.items():
            k = key(m)
            groups.setdefault(k, {})[over(m, k)] = v
        merged: dict[tuple[Any, ...], tuple[Terms, Terms]] = {}
        for k, coefficient in groups.items():
            number = content(dict(sorted(coefficient.items())))
            normal: Terms = {m: v / number for m, v in coefficient.items()}
            shape = tuple(sorted(normal.items()))
            merged.setdefault(shape, (normal, {}))[1][k] = number
        total = sp.Integer(0)
        for normal, keys in merged.values():
            if len(keys) == 1 and (ONE in keys or inner == self.plain):
                ((monomial, number),) = keys.items()
                total += self.product(monomial) * inner({m: v * number for m, v in normal.items()})
            else:
                total += self._pulled_product(inner(normal), keys)
        return total

    def _pulled_product(self, coefficient: Expr, keys: Terms) -> Expr:
        number = content(keys)
        outer = self.greedy({m: v / number for m, v in keys.items()})
        return sp.Mul(self._rational(number), outer, coefficient)
