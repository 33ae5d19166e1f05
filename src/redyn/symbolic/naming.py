"""An arithmetic that names intermediate results, for robots whose closed forms are too long to read.

Every sum that is used in a product gets a name while the recursion runs, equal sums the same name. A six-joint arm
becomes a list of a few hundred short lines, in order of computation, instead of one formula
of a hundred thousand terms.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from redyn.algebra import Scalar
from redyn.symbolic.notation import Expr, Typesetter, operations, sp
from redyn.symbolic.parameters import exact

_LONG = 6  # terms; a longer sum gets a name at once
GUARD = 1e-100  # smaller constants keep quotients finite at single states and are no part of a formula


class Names:
    """The arithmetic; `assignments` grow as a recursion runs."""

    def __init__(self, prefix: str = "v") -> None:
        self.prefix = prefix
        self.assignments: list[tuple[Expr, Expr]] = []
        self._known: dict[Expr, Expr] = {}

    def const(self, value: Scalar, /) -> Scalar:
        if isinstance(value, Named):
            return cast(Scalar, value)
        if isinstance(value, int | float):
            number = 0.0 if abs(value) < GUARD else float(value)
            return cast(Scalar, Named(exact(number), self))
        return cast(Scalar, Named(sp.sympify(value), self))

    def sincos(self, angle: Scalar, /) -> tuple[Scalar, Scalar]:
        inner = cast(Named, angle).expression
        return cast(Scalar, Named(sp.sin(inner), self)), cast(Scalar, Named(sp.cos(inner), self))

    def sqrt(self, value: Scalar, /) -> Scalar:
        return cast(Scalar, Named(sp.sqrt(self.name(cast(Named, value).expression)), self))

    def name(self, expression: Expr) -> Expr:
        """A symbol for the expression; its negative shares it."""
        if expression.is_Atom or isinstance(expression, sp.sin | sp.cos):
            return expression
        if expression.could_extract_minus_sign():
            return -self._named(-expression)
        return self._named(expression)

    def _named(self, expression: Expr) -> Expr:
        if expression.is_Atom or isinstance(expression, sp.sin | sp.cos):
            return expression
        if expression not in self._known:
            made = sp.Symbol(f"{self.prefix}_{len(self.assignments) + 1}")
            self._known[expression] = made
            self.assignments.append((made, expression))
        return self._known[expression]


@dataclass(frozen=True, slots=True, eq=False)
class Named:
    """A short expression over names."""

    expression: Expr
    names: Names

    @property
    def is_zero(self) -> bool:
        return self.expression == 0

    def _of(self, other: Any) -> Expr:
        if isinstance(other, Named):
            return other.expression
        return exact(other) if isinstance(other, int | float) else sp.sympify(other)

    def _made(self, expression: Expr) -> Named:
        if expression.is_Add and len(expression.args) > _LONG:
            expression = self.names.name(expression)
        return Named(expression, self.names)

    def _factor(self, expression: Expr) -> Expr:
        return self.names.name(expression) if expression.is_Add else expression

    def __add__(self, other: Any) -> Named:
        return self._made(self.expression + self._of(other))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Named:
        return self._made(self.expression - self._of(other))

    def __rsub__(self, other: Any) -> Named:
        return self._made(self._of(other) - self.expression)

    def __mul__(self, other: Any) -> Named:
        a, b = self.expression, self._of(other)
        if a.is_Number or b.is_Number:
            return self._made(a * b)
        a, b = self._factor(a), self._factor(b)
        product = a * b
        if len(sp.Mul.make_args(product)) > 3:
            product = self.names.name(a) * self.names.name(b)
        return self._made(product)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Named:
        b = self._of(other)
        return self._made(self.expression / b if b.is_Number else self._factor(self.expression) / self.names.name(b))

    def __rtruediv__(self, other: Any) -> Named:
        return Named(self.names.name(self._of(other) / self.names.name(self.expression)), self.names)

    def __neg__(self) -> Named:
        return Named(-self.expression, self.names)


@dataclass(frozen=True)
class Steps:
    """Assignments in order of computation, and the outputs."""

    name: str
    inputs: tuple[Expr, ...]  # joint variables, rates, ... that it takes
    assignments: tuple[tuple[Expr, Expr], ...]
    outputs: tuple[Any, ...]  # SymPy matrices

    @property
    def operations(self) -> int:
        lines = sum(operations(e) for _, e in self.assignments)
        return lines + sum(operations(e) for matrix in self.outputs for e in matrix)

    def latex(self) -> list[str]:
        """One line of LaTeX per name, then one per nonzero output."""
        writer = Typesetter()
        lines = [f"{writer.write(name)} = {writer.write(e)}" for name, e in self.assignments]
        return lines + [writer.write(e) for matrix in self.outputs for e in matrix if e != 0]

    def evaluate(self, values: Mapping[Expr, float]) -> tuple[NDArray[np.float64], ...]:
        """The outputs at given values of every symbol, line by line."""
        symbols = sorted(values, key=str)
        flat = [e for matrix in self.outputs for e in matrix]

        def lines(outputs: Any) -> tuple[list[tuple[Expr, Expr]], Any]:
            return list(self.assignments), outputs

        run = sp.lambdify(symbols, flat, "math", cse=lines)
        numbers = iter(run(*(values[s] for s in symbols)))
        return tuple(np.array([float(next(numbers)) for _ in matrix]).reshape(matrix.shape) for matrix in self.outputs)


def needed(
    assignments: Sequence[tuple[Expr, Expr]], outputs: Sequence[Expr]
) -> tuple[tuple[tuple[Expr, Expr], ...], list[Expr]]:
    """Only the lines that the outputs need, renumbered."""
    wanted: set[Expr] = {s for e in outputs for s in e.free_symbols}
    kept: list[tuple[Expr, Expr]] = []
    for name, expression in reversed(assignments):
        if name in wanted:
            kept.append((name, expression))
            wanted |= expression.free_symbols
    kept.reverse()
    fresh = {old: sp.Symbol(f"{old.name.split('_')[0]}_{i}") for i, (old, _) in enumerate(kept, start=1)}
    lines = tuple((fresh[name], e.xreplace(fresh)) for name, e in kept)
    return lines, [e.xreplace(fresh) for e in outputs]
