"""Plain numbers: one Python float, or a NumPy array that holds one value per state of a batch."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from redyn.algebra import Scalar


class Floats:
    """One state: Python floats."""

    def const(self, value: Scalar, /) -> Scalar:
        return value

    def sincos(self, angle: Scalar, /) -> tuple[Scalar, Scalar]:
        x = cast(float, angle)
        return math.sin(x), math.cos(x)

    def sqrt(self, value: Scalar, /) -> Scalar:
        return math.sqrt(cast(float, value))

    def stack(self, values: Sequence[Scalar], /) -> Scalar:
        return _stack(values, 1)


class Arrays:
    """A batch: every scalar is an array of N values, or one number where all states agree."""

    def const(self, value: Scalar, /) -> Scalar:
        # A NumPy number divides by zero quietly, so that one bad constant spoils its results and not the call.
        return cast(Scalar, np.float64(value)) if isinstance(value, int | float) else value

    def sincos(self, angle: Scalar, /) -> tuple[Scalar, Scalar]:
        x = cast("np.ndarray[tuple[int], np.dtype[np.float64]]", angle)
        return cast(Scalar, np.sin(x)), cast(Scalar, np.cos(x))

    def sqrt(self, value: Scalar, /) -> Scalar:
        return cast(Scalar, np.sqrt(cast("np.ndarray[tuple[int], np.dtype[np.float64]]", value)))

    def stack(self, values: Sequence[Scalar], /) -> Scalar:
        return _stack(values, 2)


def _stack(values: Sequence[Scalar], dimensions: int) -> Scalar:
    """Arrays with as many dimensions are stacks already; numbers are the same in every state."""
    parts = [np.array(value, dtype=np.float64, ndmin=dimensions, copy=None) for value in cast("Sequence[Any]", values)]
    width = max(part.shape[1:] for part in parts)
    return cast(Scalar, np.concatenate([np.broadcast_to(part, (len(part), *width)) for part in parts]))
