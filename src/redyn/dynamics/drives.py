"""Regressor columns of the drives: friction and rotor inertia are linear in their parameters too.

They do not depend on the configuration, so they stand beside the recursion and are made with NumPy.
"""

from __future__ import annotations

from typing import cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redyn.model import Model

Array = NDArray[np.float64]


def drive_parameters(model: Model, friction: bool, armature: bool) -> Array:
    """Damping of every joint, then Coulomb friction, then armature, as far as asked for."""
    kinds = [*(("damping", "coulomb") if friction else ()), *(("armature",) if armature else ())]
    return np.array(
        [cast(float, getattr(link.joint, kind)) for kind in kinds for link in model.links], dtype=np.float64
    )


def with_drive_columns(model: Model, Y: Array, qd: ArrayLike, qdd: ArrayLike, friction: bool, armature: bool) -> Array:
    """Y with the columns of `drive_parameters` behind its own."""
    free, factor = np.array([tie.free for tie in model.ties]), np.array([tie.factor for tie in model.ties])
    rate, acceleration = (
        np.broadcast_to(np.asarray(x, dtype=np.float64), (*Y.shape[:-2], model.dof))[..., free] * factor
        for x in (qd, qdd)
    )
    smoothing = np.array([cast(float, link.joint.smoothing) for link in model.links])
    diagonals = [rate, rate / np.sqrt(rate**2 + smoothing**2)] if friction else []
    diagonals += [acceleration] if armature else []
    full = np.zeros((*Y.shape[:-1], Y.shape[-1] + model.n * len(diagonals)))
    full[..., : Y.shape[-1]] = Y
    for k, diagonal in enumerate(diagonals):
        full[..., free, Y.shape[-1] + k * model.n + np.arange(model.n)] = diagonal * factor
    return full
