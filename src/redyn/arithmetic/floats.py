"""Plain numbers: one Python float, or a NumPy array that holds one value per state of a batch."""

from __future__ import annotations

import math
from typing import cast

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
