"""Dual numbers over any scalar: values that carry their derivatives along, so that a recursion differentiates itself.

Value and slopes are scalars of another arithmetic: floats, arrays, nodes of a graph, symbols. Constants have no slopes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from redyn.algebra import Arithmetic, Scalar, is_zero


class Dual:
    """A value and its derivatives in some directions. Whatever is no dual of the same level is a constant beside it.

    Levels keep derivatives of derivatives apart: where a recursion takes a slope itself, and is differentiated, the
    numbers of the inner arithmetic have the higher level.
    """

    __array_ufunc__ = None  # NumPy's numbers leave the operation to this class
    __slots__ = ("level", "slopes", "value")

    def __init__(self, value: Any, slopes: Sequence[Any], level: int = 0) -> None:
        self.value, self.slopes, self.level = value, list(slopes), level

    @property
    def is_zero(self) -> bool:
        return is_zero(self.value) and all(map(is_zero, self.slopes))

    def _alike(self, other: Any) -> bool | None:
        """Whether both have slopes of the same level; None: the other one has a higher level, and takes over."""
        if not isinstance(other, Dual) or other.level < self.level:
            return False
        return True if other.level == self.level else None

    def _made(self, value: Any, slopes: Sequence[Any]) -> Dual:
        return Dual(value, slopes, self.level)

    def __add__(self, other: Any) -> Any:
        alike = self._alike(other)
        if alike:
            return self._made(self.value + other.value, [a + b for a, b in zip(self.slopes, other.slopes, strict=True)])
        return NotImplemented if alike is None else self._made(self.value + other, self.slopes)

    __radd__ = __add__

    def __neg__(self) -> Dual:
        return self._made(-self.value, [-a for a in self.slopes])

    def __sub__(self, other: Any) -> Any:
        alike = self._alike(other)
        if alike:
            return self._made(self.value - other.value, [a - b for a, b in zip(self.slopes, other.slopes, strict=True)])
        return NotImplemented if alike is None else self._made(self.value - other, self.slopes)

    def __rsub__(self, other: Any) -> Dual:
        return self._made(other - self.value, [-a for a in self.slopes])

    def __mul__(self, other: Any) -> Any:
        alike = self._alike(other)
        if alike:
            pairs = zip(self.slopes, other.slopes, strict=True)
            return self._made(self.value * other.value, [a * other.value + self.value * b for a, b in pairs])
        if alike is None:
            return NotImplemented
        return other if is_zero(other) else self._made(self.value * other, [a * other for a in self.slopes])

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        alike = self._alike(other)
        if alike:
            ratio = self.value / other.value
            pairs = zip(self.slopes, other.slopes, strict=True)
            return self._made(ratio, [(a - ratio * b) / other.value for a, b in pairs])
        return NotImplemented if alike is None else self._made(self.value / other, [a / other for a in self.slopes])

    def __rtruediv__(self, other: Any) -> Dual:
        ratio = other / self.value
        return self._made(ratio, [-(ratio * a) / self.value for a in self.slopes])


class Duals:
    """The arithmetic of dual numbers over another."""

    def __init__(self, base: Arithmetic) -> None:
        self.base = base
        self.level: int = base.level + 1 if isinstance(base, Duals) else 0

    def variable(self, value: Scalar, slopes: Sequence[Scalar]) -> Scalar:
        """A number that changes so fast in each direction."""
        return Dual(value, slopes, self.level)

    def const(self, value: Scalar, /) -> Scalar:
        return self.base.const(value)

    def sincos(self, angle: Scalar, /) -> tuple[Scalar, Scalar]:
        if not isinstance(angle, Dual) or angle.level != self.level:
            return self.base.sincos(angle)
        s, c = self.base.sincos(angle.value)
        return self.variable(s, [c * a for a in angle.slopes]), self.variable(c, [-(s * a) for a in angle.slopes])

    def sqrt(self, value: Scalar, /) -> Scalar:
        if not isinstance(value, Dual) or value.level != self.level:
            return self.base.sqrt(value)
        root = self.base.sqrt(value.value)
        half = self.base.const(0.5) / root
        return self.variable(root, [half * a for a in value.slopes])

    def value(self, scalar: Scalar) -> Scalar:
        """A result without its derivatives."""
        return scalar.value if isinstance(scalar, Dual) and scalar.level == self.level else scalar

    def slopes(self, scalar: Scalar, count: int) -> list[Scalar]:
        """The derivatives of a result; zeros where it is a constant."""
        if isinstance(scalar, Dual) and scalar.level == self.level:
            return scalar.slopes
        return [self.base.const(0.0)] * count
