"""A canonical form of polynomials in sines and cosines, and the shortest of several ways to write it.

A product of sines and cosines of joint angles is a sum of sines and cosines of sums of angles, and those are linearly
independent: equal expressions have equal lists of coefficients, and only zero has an empty one. In this form
c_{23} appears by itself. Where powers are shorter (c_2^2 rather than cos 2 theta_2), angles are summed from the first
of a run of parallel joints, as a person would.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache
from itertools import pairwise
from math import comb
from typing import Any

from redyn.symbolic.factoring import LONG, Factoring, Monomial, Terms, times
from redyn.symbolic.notation import Expr, operations, sp
from redyn.symbolic.polynomials import Poly, Polynomials

Wave = tuple[tuple[int, ...], bool]  # multiples of the joint angles; whether it is a sine
Fourier = dict[Wave, dict[tuple[int, ...], Any]]  # per wave: monomial of the other letters: coefficient
_WHOLE = 60  # terms; beyond, the coefficient of each rate is written separately
_MANY = 4000  # terms; beyond, only one form is tried


@cache
def _powers(a: int, b: int) -> tuple[tuple[int, int], ...]:
    """(k, w): c^a s^b = 2^-(a+b) (-i)^b sum of w e^(i k theta)."""
    terms: dict[int, int] = {}
    for i in range(a + 1):
        for j in range(b + 1):
            k = a - 2 * i + b - 2 * j
            terms[k] = terms.get(k, 0) + comb(a, i) * comb(b, j) * (-1) ** j
    return tuple((k, w) for k, w in terms.items() if w)


def fourier(p: Poly, arith: Polynomials) -> Fourier:
    """The canonical list of coefficients. Constant angles are not expanded: their s^2 becomes 1 - c^2."""
    joints = [(arith.index(a.c), arith.index(a.s)) for a in arith.angles if a.moves]
    fixed = [(arith.index(a.c), arith.index(a.s)) for a in arith.angles if not a.moves]
    result: Fourier = {}
    for monomial, coefficient in arith.of_unit_norm(p).terms():
        exponents = list(monomial)
        waves: list[tuple[tuple[int, ...], int]] = [((), 1)]
        degree = sines = 0
        for c, s in joints:
            a, b = exponents[c], exponents[s]
            exponents[c] = exponents[s] = 0
            degree, sines = degree + a + b, sines + b
            waves = [((*k, more), w * weight) for k, w in waves for more, weight in _powers(a, b)]
        scale = coefficient / 2**degree * (-1 if sines % 4 in (2, 3) else 1)  # (-i)^b is 1, -i, -1, i
        for k, w in waves:
            lead = next((x for x in k if x), 0)
            if lead < 0:
                continue  # the conjugate of a kept wave
            # a_k e^(ik) + its conjugate: 2 Re a_k cos - 2 Im a_k sin; a_k is real for an even power of sines.
            factor = w if lead == 0 else 2 * w
            if sines % 2 and lead == 0:
                continue
            for rest, value in _fixed_angles(exponents, fixed):
                row = result.setdefault((k, bool(sines % 2)), {})
                total = row.get(rest, 0) + scale * factor * value
                if total:
                    row[rest] = total
                else:
                    del row[rest]
    return {wave: row for wave, row in result.items() if row}


def _fixed_angles(exponents: Sequence[int], fixed: Sequence[tuple[int, int]]) -> list[tuple[tuple[int, ...], int]]:
    """s^2 -> 1 - c^2 for the constant angles."""
    found = [(list(exponents), 1)]
    for c, s in fixed:
        expanded: list[tuple[list[int], int]] = []
        for e, w in found:
            pairs, odd = divmod(e[s], 2)
            for j in range(pairs + 1):
                new = list(e)
                new[s], new[c] = odd, e[c] + 2 * j
                expanded.append((new, w * comb(pairs, j) * (-1) ** j))
        found = expanded
    return [(tuple(e), w) for e, w in found]


def is_zero(p: Poly, arith: Polynomials) -> bool:
    return not fourier(p, arith)


class Writer:
    """Turns polynomials into formulas. `runs` are lists of parallel joints, as indices of the revolute ones; `rates`
    are the rates of the revolute joints, `others` rates whose names have no dot."""

    def __init__(
        self,
        arith: Polynomials,
        runs: Sequence[Sequence[int]],
        rates: Sequence[Expr],
        others: Collection[Expr] = (),
        expand: bool = False,
    ) -> None:
        """`expand`: write sums of products instead of factoring them."""
        self.arith, self.runs, self.expand = arith, runs, expand
        self._before: dict[Expr, Expr] = {}  # rate -> that of the previous parallel joint
        self._sums: dict[Expr, Expr] = {}  # rate -> the sum of all up to it
        for run in runs:
            total = rates[run[0]]
            for i, j in pairwise(run):
                total = total + rates[j]
                self._before[rates[j]], self._sums[rates[j]] = rates[i], total
        self._part = cache(self._write_part)  # the same factors recur in other elements
        self._other_rates = frozenset(others)
        self._rates = {i for i, s in enumerate(arith.ring.symbols) if "dot" in str(s) or s in self._other_rates}
        self._angles = [a.angle for a in arith.angles if a.moves]
        self._letters = {arith.index(letter) for a in arith.angles for letter in (a.c, a.s) if a.moves}
        self._spelled = {a.c: sp.cos(a.angle) for a in arith.angles} | {a.s: sp.sin(a.angle) for a in arith.angles}

    def _kind(self, atom: Expr) -> str:
        return _kind(atom, self._other_rates)

    def write(self, p: Poly) -> Expr:
        """The shortest formula found, as a whole or with separate forms for the coefficients of each rate."""
        forms: list[tuple[float, Expr]] = []
        for cumulative, q in self._in_rates(p):
            parts = [] if self.expand else self._by_rates(q)
            found = self._forms(q) if len(parts) <= 1 or len(q) <= _WHOLE else []
            if len(parts) > 1:
                found.append((1.0, sp.Add(*(key * self._part(part) for key, part in parts))))
            forms += [(w, e.xreplace(self._sums) if cumulative else e) for w, e in found]
        return self._best(forms)

    def _write_part(self, p: Poly) -> Expr:
        return self._best(self._forms(p))

    def _best(self, forms: Sequence[tuple[float, Expr]]) -> Expr:
        return min(forms, key=lambda item: item[0] * operations(item[1]))[1]

    def _forms(self, p: Poly) -> list[tuple[float, Expr]]:
        """Candidates in sums of angles and in powers; multiples of angles only where they are shorter."""
        waves = fourier(p, self.arith)
        multiple = any(abs(x) > 1 for k, _ in waves for x in k)
        found = [(1.12 if multiple else 1.0, self._as_waves(waves))]
        sums = all(set(k) <= {0, 1} for k, _ in waves)  # sums such as c_{23}: no power is shorter
        size = sum(map(len, waves.values()))
        if not sums and size < _MANY:
            long = size > LONG
            for cumulative in (True,) if long else (False, True):
                found += [(1.0, self._as_powers(waves, cumulative, eliminate)) for eliminate in ("s" if long else "sc")]
        return found

    def _by_rates(self, p: Poly) -> list[tuple[Expr, Poly]]:
        """The coefficient of each product of rates; rates with the same coefficient are grouped."""
        groups: dict[tuple[tuple[int, int], ...], dict[tuple[int, ...], Any]] = {}
        for monomial, value in p.terms():
            key = tuple((k, monomial[k]) for k in self._rates if monomial[k])
            rest = tuple(0 if k in self._rates else power for k, power in enumerate(monomial))
            groups.setdefault(key, {})[rest] = value
        merged: dict[Poly, Expr] = {}
        for key, part in groups.items():
            poly = self.arith.ring.from_dict(part)
            product = sp.Mul(*(self.arith.ring.symbols[k] ** power for k, power in key))
            if -poly in merged:
                poly, product = -poly, -product
            merged[poly] = merged.get(poly, sp.Integer(0)) + product
        return [(key, poly) for poly, key in merged.items()]

    def _in_rates(self, p: Poly) -> list[tuple[bool, Poly]]:
        """As it is, and with the rates of parallel joints summed from the first: theta_dot_12 for theta_dot_2."""
        if not any(m[self.arith.index(rate)] for m in p.monoms() for rate in self._sums):
            return [(False, p)]
        element = self.arith.element
        steps = [(element(rate), element(rate - before)) for rate, before in self._before.items()]
        return [(False, p), (True, p.compose(steps))]

    def _atoms(self) -> tuple[list[Expr], dict[int, int]]:
        """The generators other than sines and cosines of joints, and the new index of each generator."""
        atoms: list[Expr] = []
        where: dict[int, int] = {}
        for i, s in enumerate(self.arith.ring.symbols):
            if i not in self._letters:
                where[i] = len(atoms)
                atoms.append(self._spelled.get(s, s))
        return atoms, where

    def _as_waves(self, waves: Fourier) -> Expr:
        atoms, where = self._atoms()
        terms: Terms = {}
        for (k, sine), row in waves.items():
            turn: Monomial = ()
            sign = 1
            if any(k):
                # The sign of the angle with fewer minus signs; a sine changes sign with it.
                if sum(x < 0 for x in k) > sum(x > 0 for x in k):
                    k = tuple(-x for x in k)
                    sign = -1 if sine else 1
                angle = sp.Add(*(x * a for x, a in zip(k, self._angles, strict=True)))
                turn = ((len(atoms), 1),)
                atoms.append((sp.sin if sine else sp.cos)(angle))
            for rest, value in row.items():
                terms[times(_monomial(rest, where), turn)] = sign * value
        return self._collected(atoms, terms)

    def _as_powers(self, waves: Fourier, cumulative: bool, eliminate: str) -> Expr:
        """Over c and s of the angles themselves, or of their sums along parallel joints."""
        atoms, where = self._atoms()
        start = len(atoms)
        angles = list(self._angles)
        if cumulative:
            for run in self.runs:
                for j, i in pairwise(run):
                    angles[i] = angles[j] + self._angles[i]
        for angle in angles:
            atoms += [sp.cos(angle), sp.sin(angle)]
        terms: Terms = {}
        for (k, sine), row in waves.items():
            multiples = list(k)
            if cumulative:  # theta_i = phi_i - phi_{i-1}
                for run in self.runs:
                    for i, j in pairwise(run):
                        multiples[i] -= k[j]
            for turn, weight in _expanded(tuple(multiples), sine, eliminate):
                trig = tuple((start + at, power) for at, power in turn)
                for rest, value in row.items():
                    monomial = times(_monomial(rest, where), trig)
                    total = terms.get(monomial, 0) + value * weight
                    if total:
                        terms[monomial] = total
                    else:
                        del terms[monomial]
        pairs = [(sp.cos(angle), sp.sin(angle)) for angle in angles]
        whole = {1 - x**2: y**2 for c, s in pairs for x, y in ((c, s), (s, c))}
        return self._collected(atoms, terms).xreplace(whole)

    def _collected(self, atoms: Sequence[Expr], terms: Terms) -> Expr:
        found = Factoring(atoms, self._kind)
        return found.expanded(terms) if self.expand else found.shortest(terms)


def _monomial(exponents: Sequence[int], where: dict[int, int]) -> Monomial:
    return tuple((where[i], power) for i, power in enumerate(exponents) if power)


def _kind(atom: Expr, rates: Collection[Expr]) -> str:
    if not atom.is_Symbol:
        return "trig"
    name = str(atom.name)
    if "dot" in name or atom in rates:
        return "rate"
    return "mass" if name.split("_")[0] in ("m", "I") else "constant"


@cache
def _expanded(multiples: tuple[int, ...], sine: bool, eliminate: str) -> tuple[tuple[Monomial, int], ...]:
    """cos or sin of a sum of multiples of angles, as a polynomial in c_i (letter 2i) and s_i (letter 2i + 1)."""
    # Real and imaginary part of the product of (c + i s)^m, without i: the parity of sines distinguishes them.
    terms: dict[Monomial, int] = {(): 1}
    signs: dict[Monomial, int] = {(): 0}
    for i, m in enumerate(multiples):
        new: dict[Monomial, int] = {}
        new_signs: dict[Monomial, int] = {}
        for monomial, w in terms.items():
            for j in range(abs(m) + 1):
                powers = tuple((k, p) for k, p in ((2 * i, abs(m) - j), (2 * i + 1, j)) if p)
                grown = monomial + powers
                new[grown] = w * comb(abs(m), j) * (-1 if m < 0 and j % 2 else 1)
                new_signs[grown] = signs[monomial] + j
        terms, signs = new, new_signs
    wanted: dict[Monomial, int] = {}
    for monomial, w in terms.items():
        j = signs[monomial]  # i^j: real for even j
        if bool(j % 2) == sine:
            for reduced, v in _reduced(monomial, eliminate):
                wanted[reduced] = wanted.get(reduced, 0) + v * w * (-1 if j % 4 in (2, 3) else 1)
    return tuple((m, w) for m, w in wanted.items() if w)


def _reduced(monomial: Monomial, eliminate: str) -> list[tuple[Monomial, int]]:
    """Replaces squares of sines (or of cosines) by one minus squares of the other."""
    found: list[tuple[Monomial, int]] = [((), 1)]
    powers = dict(monomial)
    for i in sorted({k // 2 for k in powers}):
        c, s = powers.get(2 * i, 0), powers.get(2 * i + 1, 0)
        keep, lose = (c, s) if eliminate == "s" else (s, c)
        pairs, odd = divmod(lose, 2)
        kept, lost = (2 * i, 2 * i + 1) if eliminate == "s" else (2 * i + 1, 2 * i)
        grown: list[tuple[Monomial, int]] = []
        for m, w in found:
            for j in range(pairs + 1):
                more = [(kept, keep + 2 * j), (lost, odd)]
                extra = tuple(sorted((k, p) for k, p in more if p))
                grown.append((m + extra, w * comb(pairs, j) * (-1) ** j))
        found = grown
    return found
