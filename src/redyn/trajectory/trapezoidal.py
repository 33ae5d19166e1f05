"""The trapezoidal velocity profile: acceleration, constant rate, deceleration."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from redyn.errors import InputError
from redyn.trajectory.geodesic import on_manifold
from redyn.trajectory.motion import Motion, ends, representable
from redyn.trajectory.piecewise import polynomials

if TYPE_CHECKING:
    from redyn.robot import Robot


def trapezoidal(
    start: ArrayLike, stop: ArrayLike, duration: float, blend: float = 0.25, robot: Robot | None = None
) -> Motion:
    """Constant acceleration during the first and last `blend` of the duration, constant rate between.

    All joints start and finish together; the rate of the plateau is (stop - start) / (duration (1 - blend)). With
    `blend=0.5` there is no plateau and the profile is a triangle.
    With `robot`, start and stop are configurations of it, quaternions included: see `redyn.trajectory.Geodesic`.

    >>> q, qd, qdd = trapezoidal([0.0], [3.0], 4.0, blend=0.25)([0.5, 2.0])
    >>> qd[:, 0].tolist(), qdd[:, 0].tolist()
    ([0.5, 1.0], [1.0, 0.0])
    """
    if robot is not None:
        return on_manifold("trapezoidal", robot, start, stop, lambda a, b: trapezoidal(a, b, duration, blend))
    first, last, T = ends("trapezoidal", start, stop, duration)
    try:
        share = float(blend)
    except (TypeError, ValueError):
        raise InputError(f"trapezoidal: blend must be a number, got {blend!r}") from None
    if not 0.0 < share <= 0.5:
        raise InputError(f"trapezoidal: blend must be above 0 and at most 0.5 of the duration, got {blend}")
    travel = last - first
    ramp = travel * share / (1 - share) / 2  # distance during acceleration, and again during deceleration
    cruise = travel - 2 * ramp
    still = np.zeros_like(travel)
    first_piece = (first, still, ramp)
    last_piece = (last - ramp, 2 * ramp, -ramp)
    if share == 0.5:
        knots, pieces = [0.0, T / 2, T], [first_piece, last_piece]
    else:
        knots = [0.0, share * T, (1 - share) * T, T]
        pieces = [first_piece, (first + ramp, cruise, still), last_piece]
    return representable("trapezoidal", polynomials(knots, *(np.stack(x) for x in zip(*pieces, strict=True))))
