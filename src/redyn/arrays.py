"""Conversion of users' numbers to arrays."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from redyn.errors import InputError

Array = NDArray[np.float64]


def real_array(value: Any) -> Array:
    """As float64, copied only if needed; TypeError or ValueError if it is not an array of numbers.

    >>> real_array([[1, 2], [3, 4]]).shape
    (2, 2)
    """
    refuse_masks("the numbers", value)
    return np.asarray(value, dtype=np.float64)


def refuse_masks(name: str, value: Any) -> None:
    """Refuses masked arrays: NumPy drops the mask, and the hidden entries would count as numbers."""
    parts: list[Any] = list(cast(Any, value)) if isinstance(value, list | tuple) else [value]
    if any(isinstance(part, np.ma.MaskedArray) for part in parts):
        raise InputError(f"{name}: masked arrays are not supported; fill them, as in x.filled(0.0)")
