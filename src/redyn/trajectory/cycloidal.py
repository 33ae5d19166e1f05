"""The cycloidal motion of Eqs. (9.36) and (9.37): at rest, and without acceleration, at both ends."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redyn.errors import InputError

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Cycloidal:
    """From `start` to `stop` in `duration` seconds; stays where it is before and after."""

    start: Array
    stop: Array
    duration: float

    def __call__(self, t: ArrayLike) -> tuple[Array, Array, Array]:
        """q, qd, qdd at time t: (n,) for a number, (N, n) for N times."""
        try:
            time = np.asarray(t, dtype=np.float64)
        except (TypeError, ValueError):
            raise InputError("t: expected a time or a row of them") from None
        if time.ndim > 1 or not np.isfinite(time).all():
            raise InputError("t: expected a finite time or a row of them")
        T = self.duration
        clipped = np.clip(time, 0.0, T)[..., None]
        angle = 2 * np.pi * clipped / T
        rate = (self.stop - self.start) / T
        q = self.start + rate * (clipped - T / (2 * np.pi) * np.sin(angle))  # (9.36a)
        qd = rate * (1.0 - np.cos(angle))  # (9.36b)
        qdd = rate * (2 * np.pi / T) * np.sin(angle)  # (9.36c)
        return q, qd, qdd


def cycloidal(start: ArrayLike, stop: ArrayLike, duration: float) -> Cycloidal:
    """The book's trajectory.

    >>> motion = cycloidal([0.0, 0.0], [np.pi, 1.0], 10.0)
    >>> q, qd, qdd = motion(5.0)
    >>> q.round(6)
    array([1.570796, 0.5     ])
    """
    try:
        first, last = (np.array(x, dtype=np.float64) for x in (start, stop))
        length = float(duration)
    except (TypeError, ValueError):
        raise InputError("cycloidal: start and stop are rows of numbers, duration is a number of seconds") from None
    if first.ndim != 1 or first.shape != last.shape or not len(first):
        shapes = f"{first.shape} and {last.shape}"
        raise InputError(f"cycloidal: start and stop must be equally long rows, got shapes {shapes}")
    if not (np.isfinite(first).all() and np.isfinite(last).all()):
        raise InputError("cycloidal: start and stop must be finite")
    if not (np.isfinite(length) and length > 0):
        raise InputError(f"cycloidal: duration must be a positive number of seconds, got {duration}")
    with np.errstate(all="ignore"):
        fastest = (last - first) * 2 * np.pi / length / length
    if not np.isfinite(fastest).all():
        raise InputError("cycloidal: the motion is too long or too quick to represent")
    return Cycloidal(first, last, length)
