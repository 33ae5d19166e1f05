"""The model's constant points and poses as arrays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from redyn.algebra import Pose, Vec3

Array = NDArray[np.float64]


def vector(v: Vec3) -> Array:
    return np.array(v.components(), dtype=np.float64)


def matrix(pose: Pose) -> Array:
    """4x4."""
    T = np.eye(4)
    T[:3, :3] = [vector(row) for row in (pose.R.x, pose.R.y, pose.R.z)]
    T[:3, 3] = vector(pose.o)
    return T
