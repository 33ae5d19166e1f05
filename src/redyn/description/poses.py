"""Poses as a file has them: a position and three angles."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

NOISE = 1e-15  # rounding errors of zero


def origin(T: Array) -> dict[str, Any]:
    """A pose as the fields xyz and rpy."""
    return {"xyz": vector(T[:3, 3]), "rpy": rpy_angles(T[:3, :3])}


def vector(v: Array) -> tuple[float, float, float]:
    x, y, z = (0.0 if abs(c) < NOISE else float(c) for c in v)
    return (x, y, z)


def rpy_angles(R: Array) -> tuple[float, float, float]:
    """roll, pitch and yaw with R = Rz(yaw) Ry(pitch) Rx(roll).

    The yaw is computed first and the rest from the remainder, so that the product is accurate to rounding even in
    gimbal lock.

    >>> from redyn.description.placement import rpy_rotation
    >>> [round(angle, 12) for angle in rpy_angles(rpy_rotation(0.3, 0.2, -1.0)[:3, :3])]
    [0.3, 0.2, -1.0]
    """
    yaw = math.atan2(R[1, 0], R[0, 0]) if math.hypot(R[0, 0], R[1, 0]) > 10 * NOISE else 0.0
    c, s = math.cos(yaw), math.sin(yaw)
    pitch = math.atan2(-R[2, 0], c * R[0, 0] + s * R[1, 0])
    roll = math.atan2(s * R[0, 2] - c * R[1, 2], c * R[1, 1] - s * R[0, 1])
    return vector(np.array([roll, pitch, yaw]))
