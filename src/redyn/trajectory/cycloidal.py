"""The cycloidal motion of Eqs. (9.36) and (9.37): at rest, and without acceleration, at both ends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from redyn.trajectory.geodesic import on_manifold
from redyn.trajectory.motion import Array, Motion, ends, representable

if TYPE_CHECKING:
    from redyn.robot import Robot


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


def cycloidal(start: ArrayLike, stop: ArrayLike, duration: float, robot: Robot | None = None) -> Motion:
    """The book's trajectory.

    With `robot`, start and stop are configurations of it, quaternions included: see `redyn.trajectory.Geodesic`.

    >>> motion = cycloidal([0.0, 0.0], [np.pi, 1.0], 10.0)
    >>> q, qd, qdd = motion(5.0)
    >>> q.round(6)
    array([1.570796, 0.5     ])
    """
    if robot is not None:
        return on_manifold("cycloidal", robot, start, stop, lambda a, b: cycloidal(a, b, duration))
    first, last, length = ends("cycloidal", start, stop, duration)
    return representable("cycloidal", Cycloidal(length, first, last))
