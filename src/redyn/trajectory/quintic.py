"""The quintic: the lowest polynomial with given positions, rates and accelerations at both ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from redyn.trajectory.geodesic import on_manifold
from redyn.trajectory.motion import Array, Motion, ends, representable, row
from redyn.trajectory.piecewise import polynomials

if TYPE_CHECKING:
    from redyn.robot import Robot


def quintic(
    start: ArrayLike,
    stop: ArrayLike,
    duration: float,
    start_rate: ArrayLike = 0.0,
    stop_rate: ArrayLike = 0.0,
    start_acceleration: ArrayLike = 0.0,
    stop_acceleration: ArrayLike = 0.0,
    robot: Robot | None = None,
) -> Motion:
    """From `start` to `stop` with these rates and accelerations at the ends; a single number applies to all joints.

    With `robot`, start and stop are configurations of it, quaternions included: see `redyn.trajectory.Geodesic`.

    >>> q, qd, qdd = quintic([0.0], [1.0], 2.0)(1.0)
    >>> float(q[0]), float(qd[0]), float(qdd[0])
    (0.5, 0.9375, 0.0)
    """
    if robot is not None:
        rates = (start_rate, stop_rate, start_acceleration, stop_acceleration)
        names = ("start_rate", "stop_rate", "start_acceleration", "stop_acceleration")
        named = list(zip(names, rates, strict=True))
        return on_manifold("quintic", robot, start, stop, lambda a, b: quintic(a, b, duration, *rates), named)
    first, last, T = ends("quintic", start, stop, duration)
    n = len(first)
    v0, v1 = T * row("quintic", "start_rate", start_rate, n), T * row("quintic", "stop_rate", stop_rate, n)
    a0 = T * T * row("quintic", "start_acceleration", start_acceleration, n)
    a1 = T * T * row("quintic", "stop_acceleration", stop_acceleration, n)
    return representable("quintic", polynomials([0.0, T], *quintic_powers(first, last, v0, v1, a0, a1)))


def quintic_powers(q0: Array, q1: Array, v0: Array, v1: Array, a0: Array, a1: Array) -> tuple[Array, ...]:
    """Coefficients of the polynomial over s = 0 ... 1 with these values, slopes and second derivatives at its ends."""
    gap, bend, twist = q1 - q0 - v0 - a0 / 2, v1 - v0 - a0, a1 - a0
    cubed = 10 * gap - 4 * bend + twist / 2
    fourth = -15 * gap + 7 * bend - twist
    fifth = 6 * gap - 3 * bend + twist / 2
    return q0, v0, a0 / 2, cubed, fourth, fifth
