"""Dual numbers: values that carry their derivatives along, so that a recursion over them differentiates itself.

Every scalar is an array of N values, one per state, with an array (m, N) of its derivatives in m directions. Nothing is
traced or compiled: what is too large for a kernel is differentiated this way, in time for a single evaluation times m.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from redyn.algebra import Scalar

Array = NDArray[np.float64]


class Dual:
    """A value and its derivatives. Plain numbers, and arrays of N, are constants beside it."""

    __array_ufunc__ = None  # NumPy's numbers leave the operation to this class
    __slots__ = ("slope", "value")

    def __init__(self, value: Array, slope: Array) -> None:
        self.value, self.slope = value, slope

    def __add__(self, other: Any) -> Dual:
        if isinstance(other, Dual):
            return Dual(self.value + other.value, self.slope + other.slope)
        return self if _is_zero(other) else Dual(self.value + other, self.slope)

    __radd__ = __add__

    def __neg__(self) -> Dual:
        return Dual(-self.value, -self.slope)

    def __sub__(self, other: Any) -> Dual:
        if isinstance(other, Dual):
            return Dual(self.value - other.value, self.slope - other.slope)
        return Dual(self.value - other, self.slope)

    def __rsub__(self, other: Any) -> Dual:
        return Dual(other - self.value, -self.slope)

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, Dual):
            return Dual(self.value * other.value, self.slope * other.value + other.slope * self.value)
        return other if _is_zero(other) else Dual(self.value * other, self.slope * other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Dual:
        if isinstance(other, Dual):
            ratio = self.value / other.value
            return Dual(ratio, (self.slope - ratio * other.slope) / other.value)
        return Dual(self.value / other, self.slope / other)

    def __rtruediv__(self, other: Any) -> Dual:
        ratio = other / self.value
        return Dual(ratio, -ratio * self.slope / self.value)


def _is_zero(value: Any) -> bool:
    """Whether it is a zero of the model: most products with constants are with these."""
    return isinstance(value, float) and value == 0.0


class Duals:
    """The arithmetic. Constants of the model are NumPy numbers."""

    def const(self, value: Scalar, /) -> Scalar:
        return cast(Scalar, np.float64(value)) if isinstance(value, int | float) else value

    def sincos(self, angle: Scalar, /) -> tuple[Scalar, Scalar]:
        if not isinstance(angle, Dual):
            return cast(Scalar, np.sin(cast(Any, angle))), cast(Scalar, np.cos(cast(Any, angle)))
        s, c = np.sin(angle.value), np.cos(angle.value)
        return cast(Scalar, Dual(s, c * angle.slope)), cast(Scalar, Dual(c, -s * angle.slope))

    def sqrt(self, value: Scalar, /) -> Scalar:
        if not isinstance(value, Dual):
            return cast(Scalar, np.sqrt(cast(Any, value)))
        root = np.sqrt(value.value)
        return cast(Scalar, Dual(root, value.slope / (2 * root)))


def variables(values: list[Array], slopes: list[Array]) -> list[Scalar]:
    """Scalars with given derivatives: values (N,), slopes (m, N) each."""
    return [cast(Scalar, Dual(value, slope)) for value, slope in zip(values, slopes, strict=True)]


def slope_of(scalar: Any, count: int, states: int) -> Array:
    """The derivatives of a result, (m, N); zeros where it is a constant."""
    return scalar.slope if isinstance(scalar, Dual) else np.zeros((count, states))
