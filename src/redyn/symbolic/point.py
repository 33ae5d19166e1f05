"""Arithmetic at one point: every symbol has a number."""

from __future__ import annotations

import cmath
import math
from typing import Any

from redyn.symbolic.notation import Expr, sp


class Point:
    """Arithmetic with a number for every symbol; complex numbers carry derivatives."""

    def __init__(self, values: dict[Expr, float]) -> None:
        self._values = {s: sp.Float(x, 17) for s, x in values.items()}
        self._known: dict[Any, float] = {}

    def const(self, value: Any, /) -> Any:
        if isinstance(value, int | float | complex):
            return value
        if value not in self._known:
            self._known[value] = float(sp.sympify(value).xreplace(self._values))
        return self._known[value]

    def sincos(self, angle: Any, /) -> tuple[Any, Any]:
        if isinstance(angle, complex):
            return cmath.sin(angle), cmath.cos(angle)
        return math.sin(angle), math.cos(angle)

    def sqrt(self, value: Any, /) -> Any:
        return math.sqrt(value)
