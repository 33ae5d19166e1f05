"""SymPy expressions: recursions over symbols give the equations themselves."""

from __future__ import annotations

from typing import Any, cast

import sympy  # pyright: ignore[reportMissingTypeStubs]

from redyn.algebra import Scalar

_sympy = cast(Any, sympy)  # SymPy's own annotations are too loose for strict checking.


class Symbols:
    """Numbers of the model become exact rationals (0.15 is 3/20), so that results simplify."""

    def const(self, value: Scalar, /) -> Scalar:
        return _sympy.Rational(repr(float(value))) if isinstance(value, int | float) else value

    def sincos(self, angle: Scalar, /) -> tuple[Scalar, Scalar]:
        return _sympy.sin(angle), _sympy.cos(angle)

    def sqrt(self, value: Scalar, /) -> Scalar:
        return _sympy.sqrt(value)


def symbols(prefix: str, count: int) -> list[Scalar]:
    """Real symbols prefix1, prefix2, ...

    >>> symbols("q", 2)
    [q1, q2]
    """
    return [_sympy.Symbol(f"{prefix}{i}", real=True) for i in range(1, count + 1)]
