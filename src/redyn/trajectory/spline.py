"""The cubic spline through waypoints: rates and accelerations are continuous."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from redyn.arrays import real_array
from redyn.errors import InputError
from redyn.trajectory.motion import Array, representable
from redyn.trajectory.piecewise import Piecewise, polynomials
from redyn.words import counted

Ends = Literal["clamped", "natural", "not-a-knot"]


def spline(times: ArrayLike, waypoints: ArrayLike, ends: Ends = "clamped") -> Piecewise:
    """Through `waypoints`, (K, n), at `times`, (K,), which start at 0.

    `ends="clamped"` starts and stops at rest, `"natural"` without acceleration; `"not-a-knot"` joins the outermost two
    pieces smoothly.

    >>> motion = spline([0.0, 1.0, 3.0], [[0.0, 1.0], [0.5, 0.0], [2.0, 1.0]])
    >>> motion(1.0)[0].round(12).tolist()
    [0.5, 0.0]
    """
    if ends not in ("clamped", "natural", "not-a-knot"):
        raise InputError(f"spline: ends must be 'clamped', 'natural' or 'not-a-knot', got {ends!r}")
    t, points = knots("spline", times, waypoints)
    return representable("spline", through(t, points, ends))


def through(t: Array, points: Array, ends: Ends) -> Piecewise:
    """The spline through points that have been checked."""
    from scipy.interpolate import CubicSpline  # pyright: ignore[reportMissingTypeStubs]

    curve: Any = CubicSpline(t, points, bc_type=ends)
    length = np.diff(t)[:, None]
    constant, linear, square, cube = curve.c[3], curve.c[2], curve.c[1], curve.c[0]
    return polynomials(t, constant, linear * length, square * length**2, cube * length**3)


def knots(kind: str, times: ArrayLike, points: ArrayLike) -> tuple[Array, Array]:
    """Increasing times from 0 and one row of finite numbers for each."""
    try:
        t, rows = real_array(times).copy(), real_array(points).copy()
    except (TypeError, ValueError):
        raise InputError(f"{kind}: expected a row of times and, for each, a row of joint values") from None
    if t.ndim != 1 or len(t) < 2:
        raise InputError(f"{kind}: expected at least two times, got shape {t.shape}")
    if rows.ndim != 2 or len(rows) != len(t) or not rows.shape[1]:
        raise InputError(
            f"{kind}: expected {counted(len(t), 'row')} of joint values, one per time, got shape {rows.shape}"
        )
    if not (np.isfinite(t).all() and np.isfinite(rows).all()):
        raise InputError(f"{kind}: times and joint values must be finite")
    late = np.flatnonzero(np.diff(t) <= 0)
    if len(late):
        k = int(late[0])
        raise InputError(f"{kind}: times must increase, but times[{k + 1}] = {t[k + 1]:g} follows {t[k]:g}")
    if t[0] != 0.0:
        raise InputError(f"{kind}: times must start at 0, got {t[0]:g}; subtract it from all of them")
    return t, rows
