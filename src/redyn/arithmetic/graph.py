"""CasADi SX nodes: recursions over them give an expression graph."""

from __future__ import annotations

from typing import Any, cast

import casadi  # pyright: ignore[reportMissingTypeStubs]

from redyn.algebra import Scalar

_casadi = cast(Any, casadi)  # CasADi ships no annotations.


class Graph:
    """Constants stay floats: CasADi folds them, zeros and ones included, as the graph is built."""

    def const(self, value: Scalar, /) -> Scalar:
        return value

    def sincos(self, angle: Scalar, /) -> tuple[Scalar, Scalar]:
        return _casadi.sin(angle), _casadi.cos(angle)

    def sqrt(self, value: Scalar, /) -> Scalar:
        return _casadi.sqrt(value)


def inputs(name: str, count: int) -> tuple[Any, list[Scalar]]:
    """A column of `count` inputs and its scalar nodes."""
    column = _casadi.SX.sym(name, count)
    return column, [column[i] for i in range(count)]
