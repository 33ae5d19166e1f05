"""One quantity of one comparison."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from redyn.errors import SingularError

Array = NDArray[np.float64]


class States(NamedTuple):
    """Where robots are compared, a row per state; x is an acceleration or a torque, as needed."""

    q: Array
    qd: Array
    x: Array


@dataclass(frozen=True)
class Row:
    """One quantity: the largest difference at any state, relative to the larger of 1 and the largest entry."""

    quantity: str
    difference: float
    allowed: float
    note: str = ""  # why it was not compared

    @property
    def agrees(self) -> bool:
        return self.difference <= self.allowed


def compared(
    quantity: str, ours: Callable[[], Array], expected: Array, allowed: float, scale: Array | float = 1.0
) -> Row:
    """Our answers beside those expected, an entry per state; differences are divided by `scale` as well."""
    try:
        values = ours()
    except SingularError as error:
        return Row(quantity, 0.0, allowed, f"not determined: {error}")
    count = len(expected)
    largest = np.maximum(1.0, np.abs(expected).reshape(count, -1).max(axis=1))
    apart = np.abs(values - expected).reshape(count, -1).max(axis=1) / (largest * scale)
    return Row(quantity, float(apart.max()), allowed)
