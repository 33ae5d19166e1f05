"""Points and poses as arrays, and how far poses are apart."""

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


def rotation_vectors(R: Array) -> Array:
    """Axes times angles: (N, 3)."""
    from scipy.spatial.transform import Rotation  # pyright: ignore[reportMissingTypeStubs]

    return np.asarray(Rotation.from_matrix(R).as_rotvec(), dtype=np.float64)


def twists(now: Array, wanted: Array) -> Array:
    """From poses (N, 4, 4) to those wanted, each or one for all, as small twists in world axes: (N, 6)."""
    turns = rotation_vectors(wanted[..., :3, :3] @ now[:, :3, :3].transpose(0, 2, 1))
    return np.concatenate([turns, wanted[..., :3, 3] - now[:, :3, 3]], axis=1)
