"""Scrambled Sobol points by their number: point i needs no points before it, so that shards are independent."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from redyn.errors import RedynError

Array = NDArray[np.float64]
Longs = NDArray[np.uint64]

BITS = 52  # of a coordinate, so that every one is a double
CHECKED = 64  # points that must be SciPy's
MOST = 21_201  # dimensions, of SciPy's table of direction numbers


def sobol_points(seed: int, dimensions: int, first: int, count: int) -> Array:
    """Points first, first + 1, ... of SciPy's scrambled sequence for this seed: (count, dimensions), in [0, 1).

    >>> bool((sobol_points(3, 2, 1000, 1) == sobol_points(3, 2, 0, 2000)[1000]).all())
    True
    """
    directions, shift = _tables(seed, dimensions)
    found = np.empty((dimensions, count))
    if not count:
        return found.T
    # Neighbours in Gray code differ by one bit: the lowest one that is zero in the number before.
    before = np.arange(first, first + count - 1, dtype=np.uint64)
    lowest = np.frexp((~before & (before + np.uint64(1))).astype(np.float64))[1] - 1
    for row, own, start in zip(found, directions, _point(directions, shift, first), strict=True):
        row[:] = np.bitwise_xor.accumulate(np.concatenate([[start], own[lowest]]))
    found *= 2.0**-BITS
    return found.T


def _point(directions: Longs, shift: Longs, number: int) -> Longs:
    """One point, as integers: the sum modulo 2 of the directions of the bits in its Gray code."""
    found, gray = shift.copy(), number ^ (number >> 1)
    for bit in range(gray.bit_length()):
        if gray >> bit & 1:
            found ^= directions[:, bit]
    return found


@lru_cache(maxsize=8)
def _tables(seed: int, dimensions: int) -> tuple[Longs, Longs]:
    """Direction numbers after scrambling, (dimensions, bits), and the first point, from SciPy."""
    from scipy.stats import qmc  # pyright: ignore[reportMissingTypeStubs]

    def sequence() -> Any:
        generator = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(2**32 - 1, 1)))
        return cast(Any, qmc).Sobol(dimensions, scramble=True, bits=BITS, seed=generator)

    made = sequence()
    directions = np.asarray(made._sv, dtype=np.uint64)
    shift = np.asarray(made._shift, dtype=np.uint64)
    expected = np.asarray(sequence().random(CHECKED))
    points = np.array([_point(directions, shift, i) for i in range(CHECKED)]).astype(np.float64) * 2.0**-BITS
    if not (points == expected).all():  # its tables are no public part of SciPy
        raise RedynError("Sobol points: this version of SciPy makes them in another way; use sampling: random")
    return directions, shift
