"""What users pass as numbers, as arrays."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from redyn.errors import InputError

Array = NDArray[np.float64]


def real_array(value: Any) -> Array:
    """As float64, a copy only if need be; TypeError or ValueError where it is no array of numbers.

    >>> real_array([[1, 2], [3, 4]]).shape
    (2, 2)
    """
    refuse_masks("the numbers", value)
    return np.asarray(value, dtype=np.float64)


def refuse_masks(name: str, value: Any) -> None:
    """NumPy drops the mask of an array, and what it hides would count as numbers."""
    parts: list[Any] = list(cast(Any, value)) if isinstance(value, list | tuple) else [value]
    if any(isinstance(part, np.ma.MaskedArray) for part in parts):
        raise InputError(f"{name}: masked arrays are not taken; fill what is masked, as in x.filled(0.0)")
