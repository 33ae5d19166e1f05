"""Growth of operation counts with the number of joints: ours, fitted exactly, and every published row.

Ours are counted in the compiled graphs, for general robots without special zeros; from four joints on they follow
polynomials exactly, which is checked for values of n that the fit has not used.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from redyn.errors import RedynError
from redyn.reproduce.counts import CHOLESKY, overtakes
from redyn.reproduce.published import FORWARD, INVERSE, TABLE_9_1, TABLE_9_6, TABLE_I, Formula
from redyn.robot import chain

SHORTEST = 4  # joints; shorter robots save a few operations at both ends
DEGREES = {
    "inverse_dynamics": 1,
    "solve": 1,
    "forward_dynamics": 1,
    "mass_matrix": 2,
    "forward_dynamics_cholesky": 3,
}
Tick = Callable[[str], None]


@dataclass(frozen=True)
class Polynomial:
    """Coefficients in ascending order.

    >>> str(Polynomial((Fraction(-103), Fraction(81)))), Polynomial((Fraction(-103), Fraction(81)))(6)
    ('81n - 103', 383.0)
    """

    coefficients: tuple[Fraction, ...]

    def __call__(self, n: int) -> float:
        return float(sum(c * n**k for k, c in enumerate(self.coefficients)))

    def __str__(self) -> str:
        text = ""
        for k, c in reversed(list(enumerate(self.coefficients))):
            if c:
                sign = ("-" if c < 0 else "") if not text else (" - " if c < 0 else " + ")
                size, power = abs(c), ("", "n", "n²", "n³")[k]
                if size.denominator != 1:
                    term = f"{'' if size.numerator == 1 and k else size.numerator}{power}/{size.denominator}"
                else:
                    term = power if size == 1 and k else f"{size}{power}"
                text += sign + term
        return text or "0"


@dataclass(frozen=True)
class Row:
    """An algorithm with the growth of its multiplications and additions."""

    name: str
    multiplications: Polynomial
    additions: Polynomial

    @property
    def pair(self) -> tuple[Formula, Formula]:
        return self.multiplications, self.additions

    def total(self, n: int) -> float:
        return self.multiplications(n) + self.additions(n)


def through(lengths: Sequence[int], values: Sequence[Fraction], degree: int) -> Polynomial:
    """The polynomial through the first degree + 1 values; the others must lie on it too."""
    found = _interpolated(lengths[: degree + 1], values[: degree + 1])
    for n, value in zip(lengths, values, strict=True):
        if sum(c * n**k for k, c in enumerate(found.coefficients)) != value:
            raise RedynError(f"the counts are not a polynomial of degree {degree}: {value} operations for n = {n}")
    return found


def _interpolated(lengths: Sequence[int], values: Sequence[Fraction]) -> Polynomial:
    """Lagrange interpolation in exact arithmetic."""
    total = [Fraction(0)] * len(lengths)
    for i, n in enumerate(lengths):
        basis, scale = [Fraction(1)], values[i]
        for j, m in enumerate(lengths):
            if j != i:
                shifted = [Fraction(0), *basis]
                basis = [s - m * b for s, b in zip(shifted, [*basis, Fraction(0)], strict=True)]
                scale /= n - m
        total = [a + scale * b for a, b in zip(total, basis, strict=True)]
    while len(total) > 1 and not total[-1]:
        total.pop()
    return Polynomial(tuple(total))


def own_row(algorithm: str, name: str) -> Row:
    """Fits one of our algorithms; two values of n more than needed check the fit."""
    degree = DEGREES[algorithm]
    lengths = range(SHORTEST, SHORTEST + degree + 3)
    counts = [chain(n, seed=1).operation_count(algorithm) for n in lengths]
    return Row(name, *(through(lengths, [Fraction(c[k]) for c in counts], degree) for k in (0, 1)))


def published_row(author: str, formulas: dict[str, tuple[Formula, Formula]]) -> Row:
    lengths = range(1, 7)
    exact = ([Fraction(f(n)).limit_denominator(6) for n in lengths] for f in formulas[author])
    return Row(author, *(through(lengths, values, 3) for values in exact))


@dataclass(frozen=True)
class Complexity:
    """Ours first in `inverse` and `forward` (phi given); `recursion` and `cholesky` are full forward dynamics."""

    inverse: list[Row]
    forward: list[Row]
    recursion: Row
    cholesky: Row
    mass_matrix: Row

    def break_even(self, one: Row, other: Row) -> tuple[int, int]:
        """The smallest n from which `one` is cheaper: in multiplications, and in all operations."""
        return overtakes(one.pair, other.pair, True), overtakes(one.pair, other.pair, False)

    @property
    def published_cholesky(self) -> Row:
        return next(row for row in self.forward if row.name == CHOLESKY)


def complexity(tick: Tick = lambda _: None) -> Complexity:
    """Counts and fits all algorithms; takes some seconds."""

    def own(algorithm: str, name: str) -> Row:
        tick(f"counting {algorithm}")
        return own_row(algorithm, name)

    authors = list(dict.fromkeys([*TABLE_9_6, *TABLE_I]))
    return Complexity(
        [own("inverse_dynamics", "redyn"), *(published_row(author, INVERSE) for author in TABLE_9_1)],
        [own("solve", "redyn, phi given"), *(published_row(author, FORWARD) for author in authors)],
        own("forward_dynamics", "redyn, O(n)"),
        own("forward_dynamics_cholesky", "redyn, O(n³) (Cholesky)"),
        own("mass_matrix", "redyn, mass matrix"),
    )
