"""How far along a path a motion is over time."""

from __future__ import annotations

import numpy as np

from redyn.errors import InputError
from redyn.trajectory.cycloidal import cycloidal
from redyn.trajectory.motion import Motion, ends
from redyn.trajectory.paths import Law
from redyn.trajectory.piecewise import polynomials
from redyn.trajectory.quintic import quintic


def clock(kind: str, law: Law, duration: float) -> Motion:
    """s = 0 ... 1 over time: at rest at both ends, or at constant speed."""
    if law == "steady":
        _, _, length = ends(kind, [0.0], [1.0], duration)
        return polynomials([0.0, length], np.array([0.0]), np.array([1.0]))
    if law not in ("quintic", "cycloidal"):
        raise InputError(f"{kind}: law must be 'quintic', 'cycloidal' or 'steady', got {law!r}")
    return (quintic if law == "quintic" else cycloidal)([0.0], [1.0], duration)
