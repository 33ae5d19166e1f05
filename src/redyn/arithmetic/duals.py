"""Dual numbers over any scalar: values that carry their derivatives along, so that a recursion differentiates itself.

Value and slopes are scalars of another arithmetic: floats, arrays, nodes of a graph, symbols. Constants have no slopes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from redyn.algebra import Arithmetic, Scalar, is_zero


class Dual:
    """A value and its derivatives in some directions. Whatever is no dual is a constant beside it."""

    __array_ufunc__ = None  # NumPy's numbers leave the operation to this class
    __slots__ = ("slopes", "value")

    def __init__(self, value: Any, slopes: Sequence[Any]) -> None:
        self.value, self.slopes = value, list(slopes)

    @property
    def is_zero(self) -> bool:
        return is_zero(self.value) and all(map(is_zero, self.slopes))

    def __add__(self, other: Any) -> Dual:
        if isinstance(other, Dual):
            return Dual(self.value + other.value, [a + b for a, b in zip(self.slopes, other.slopes, strict=True)])
        return Dual(self.value + other, self.slopes)

    __radd__ = __add__

    def __neg__(self) -> Dual:
        return Dual(-self.value, [-a for a in self.slopes])

    def __sub__(self, other: Any) -> Dual:
        if isinstance(other, Dual):
            return Dual(self.value - other.value, [a - b for a, b in zip(self.slopes, other.slopes, strict=True)])
        return Dual(self.value - other, self.slopes)

    def __rsub__(self, other: Any) -> Dual:
        return Dual(other - self.value, [-a for a in self.slopes])

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, Dual):
            pairs = zip(self.slopes, other.slopes, strict=True)
            return Dual(self.value * other.value, [a * other.value + self.value * b for a, b in pairs])
        return other if is_zero(other) else Dual(self.value * other, [a * other for a in self.slopes])

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Dual:
        if isinstance(other, Dual):
            ratio = self.value / other.value
            pairs = zip(self.slopes, other.slopes, strict=True)
            return Dual(ratio, [(a - ratio * b) / other.value for a, b in pairs])
        return Dual(self.value / other, [a / other for a in self.slopes])

    def __rtruediv__(self, other: Any) -> Dual:
        ratio = other / self.value
        return Dual(ratio, [-(ratio * a) / self.value for a in self.slopes])


class Duals:
    """The arithmetic of dual numbers over another."""

    def __init__(self, base: Arithmetic) -> None:
        self.base = base

    def const(self, value: Scalar, /) -> Scalar:
        return self.base.const(value)

    def sincos(self, angle: Scalar, /) -> tuple[Scalar, Scalar]:
        if not isinstance(angle, Dual):
            return self.base.sincos(angle)
        s, c = self.base.sincos(angle.value)
        return Dual(s, [c * a for a in angle.slopes]), Dual(c, [-(s * a) for a in angle.slopes])

    def sqrt(self, value: Scalar, /) -> Scalar:
        if not isinstance(value, Dual):
            return self.base.sqrt(value)
        root = self.base.sqrt(value.value)
        half = self.base.const(0.5) / root
        return Dual(root, [half * a for a in value.slopes])


def slopes_of(scalar: Any, count: int, arith: Arithmetic) -> list[Scalar]:
    """The derivatives of a result; zeros where it is a constant."""
    return scalar.slopes if isinstance(scalar, Dual) else [arith.const(0.0)] * count
