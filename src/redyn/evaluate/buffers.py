"""Result arrays whose memory is used again once nobody holds them.

A large new array costs more than the arithmetic that fills it: the system hands out every page anew, cleared. So large
results are remembered here, and one that no caller holds any more (nor a view of it) is handed out again.
"""

from __future__ import annotations

import sys
import threading
from math import prod

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

SMALLEST = 8_192  # numbers; below, the allocator does as well by itself
BUDGET = 10_000_000  # numbers that are kept in all
KEPT = 3  # of each shape

# Without the interpreter's lock, counts of references are not exact at any one moment.
_COUNTS = bool(getattr(sys, "_is_gil_enabled", lambda: True)())


class Buffers:
    """Arrays handed out by shape. Callers get views: whatever they do to theirs, the array kept here stays whole."""

    def __init__(self) -> None:
        self._kept: dict[tuple[int, ...], list[Array]] = {}
        self._lock = threading.Lock()

    def empty(self, shape: tuple[int, ...]) -> Array:
        """An array with arbitrary contents."""
        size = prod(shape)
        worth = SMALLEST <= size <= BUDGET and _COUNTS
        if not worth or not self._lock.acquire(blocking=False):  # taken by another thread: no use waiting
            return np.empty(shape)
        try:
            kept = self._kept.pop(shape, [])
            self._kept[shape] = kept  # last in order: the least recently used go first
            for array in kept:
                # The list, the loop's variable and the argument of getrefcount: nobody else, and no view.
                if sys.getrefcount(array) == _KEPT_ONLY:
                    return array.view()
            array = np.empty(shape)
            if len(kept) < KEPT:
                kept.append(array)
                while sum(prod(shape) * len(arrays) for shape, arrays in self._kept.items()) > BUDGET:
                    del self._kept[next(iter(self._kept))]
            return array.view()
        finally:
            self._lock.release()


def _kept_only() -> int:
    """What getrefcount shows in such a loop for an array that only the list holds."""
    for array in [np.empty(0)]:
        return sys.getrefcount(array)
    return 0


_KEPT_ONLY = _kept_only()
