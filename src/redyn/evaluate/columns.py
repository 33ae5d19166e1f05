"""Arrays as the scalars of a recursion: Python floats of one state, or a column of N values of each."""

from __future__ import annotations

from typing import cast

import numpy as np
from numpy.typing import NDArray

from redyn.algebra import Scalar

Array = NDArray[np.float64]


def scalars(array: Array) -> list[Scalar]:
    """Of shape (width,) or (N, width): the scalars of one state, or of N of them."""
    if array.ndim == 1:
        return cast("list[Scalar]", array.tolist())
    return [cast(Scalar, np.ascontiguousarray(column)) for column in array.T]
