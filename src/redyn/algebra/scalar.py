"""What a number may be, and what else a recursion may ask of it.

A recursion is written once over anything that adds, subtracts, multiplies and divides: a float, a NumPy
array holding one value per state, a SymPy expression, a CasADi node. The three operations beyond those four
are gathered in an `Arithmetic`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable


class Scalar(Protocol):
    """A number, or whatever stands for one."""

    def __add__(self, other: Any, /) -> Scalar: ...
    def __radd__(self, other: Any, /) -> Scalar: ...
    def __sub__(self, other: Any, /) -> Scalar: ...
    def __rsub__(self, other: Any, /) -> Scalar: ...
    def __mul__(self, other: Any, /) -> Scalar: ...
    def __rmul__(self, other: Any, /) -> Scalar: ...
    def __truediv__(self, other: Any, /) -> Scalar: ...
    def __rtruediv__(self, other: Any, /) -> Scalar: ...
    def __neg__(self) -> Scalar: ...


def is_zero(value: Any) -> bool:
    """Whether a constant is known to be zero, in whatever arithmetic.

    >>> is_zero(0.0), is_zero(1e-300)
    (True, False)
    """
    if isinstance(value, int | float):
        return value == 0
    known = getattr(value, "is_zero", None)  # an attribute of SymPy's expressions, a method of CasADi's nodes
    return known is True or (callable(known) and known() is True)


class Arithmetic(Protocol):
    """The three things that a recursion needs beyond + - * /."""

    def const(self, value: Scalar, /) -> Scalar:
        """A constant of the model, in this arithmetic. What is not a plain number passes unchanged."""
        ...

    def sincos(self, angle: Scalar, /) -> tuple[Scalar, Scalar]:
        """The sine and the cosine of an angle."""
        ...

    def sqrt(self, value: Scalar, /) -> Scalar:
        """The square root of a value that is not negative."""
        ...


@runtime_checkable
class Stacking(Protocol):
    """An arithmetic in which several numbers can be worked on as one, which spares Python most of its work."""

    def stack(self, values: Sequence[Scalar], /) -> Scalar:
        """The values, some of which may be stacks themselves, one after the other along a first axis."""
        ...


def dot(a: Sequence[Scalar], b: Sequence[Scalar], arith: Arithmetic) -> Scalar:
    """The sum of products of two rows of numbers."""
    total = arith.const(0.0)
    for a_i, b_i in zip(a, b, strict=True):
        total = total + a_i * b_i
    return total
