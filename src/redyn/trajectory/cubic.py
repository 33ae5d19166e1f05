"""The cubic: the lowest polynomial with given positions and rates at both ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from redyn.trajectory.geodesic import on_manifold
from redyn.trajectory.motion import Array, Motion, ends, representable, row
from redyn.trajectory.piecewise import polynomials

if TYPE_CHECKING:
    from redyn.robot import Robot


def cubic(
    start: ArrayLike,
    stop: ArrayLike,
    duration: float,
    start_rate: ArrayLike = 0.0,
    stop_rate: ArrayLike = 0.0,
    robot: Robot | None = None,
) -> Motion:
    """From `start` to `stop` with these rates at the ends; a single rate applies to all joints.

    With `robot`, start and stop are configurations of it, quaternions included: see `redyn.trajectory.Geodesic`.

    >>> q, qd, qdd = cubic([0.0], [1.0], 2.0)(1.0)
    >>> float(q[0]), float(qd[0])
    (0.5, 0.75)
    """
    if robot is not None:
        rates = (start_rate, stop_rate)
        named = list(zip(("start_rate", "stop_rate"), rates, strict=True))
        return on_manifold("cubic", robot, start, stop, lambda a, b: cubic(a, b, duration, *rates), named)
    first, last, T = ends("cubic", start, stop, duration)
    leaving = row("cubic", "start_rate", start_rate, len(first))
    arriving = row("cubic", "stop_rate", stop_rate, len(first))
    return representable("cubic", polynomials([0.0, T], *cubic_powers(first, last, T * leaving, T * arriving)))


def cubic_powers(q0: Array, q1: Array, v0: Array, v1: Array) -> tuple[Array, ...]:
    """Coefficients of the polynomial over s = 0 ... 1 with these values and slopes at its ends."""
    gap, bend = q1 - q0 - v0, v1 - v0
    return q0, v0, 3 * gap - bend, bend - 2 * gap
