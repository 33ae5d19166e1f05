"""The cycloidal motion of Eqs. (9.36) and (9.37): at rest, and without acceleration, at both ends."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from redyn.trajectory.motion import Array, Motion, ends, representable


@dataclass(frozen=True)
class Cycloidal(Motion):
    """From `start` to `stop` in `duration` seconds."""

    start: Array
    stop: Array

    @property
    def dof(self) -> int:
        return len(self.start)

    def _within(self, t: Array) -> tuple[Array, Array, Array]:
        T = self.duration
        angle = 2 * np.pi * t[:, None] / T
        rate = (self.stop - self.start) / T
        q = self.start + rate * (t[:, None] - T / (2 * np.pi) * np.sin(angle))  # (9.36a), (9.37)
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
    first, last, length = ends("cycloidal", start, stop, duration)
    return representable("cycloidal", Cycloidal(length, first, last))
