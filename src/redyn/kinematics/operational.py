"""Operational space: the inertia that a frame has, and the inverse of its Jacobian that goes with the dynamics."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redyn.errors import SingularError
from redyn.kinematics.query import checked_mask

Array = NDArray[np.float64]

SINGULAR = 1e-10  # smallest eigenvalue of J M^-1 J^T with its diagonal scaled to one
DIRECTIONS = ("turns about x", "turns about y", "turns about z", "x", "y", "z")


class OperationalSpace(NamedTuple):
    """Of a frame in k directions; N in front for a batch. See `Robot.operational_space`."""

    inertia: Array  # Lambda = (J M^-1 J^T)^-1, (k, k)
    inverse: Array  # the dynamically consistent inverse of J, M^-1 J^T Lambda: (dof, k)
    jacobian: Array  # (k, dof)

    @property
    def null_space(self) -> Array:
        """N = 1 - inverse J, (dof, dof): torques N^T tau accelerate the frame in none of the directions."""
        return np.eye(self.inverse.shape[-2]) - self.inverse @ self.jacobian


def chosen_rows(mask: ArrayLike | None) -> list[int]:
    """The components of a twist that a mask selects."""
    return np.flatnonzero(checked_mask(mask)).tolist()


def operational_inertia(name: str, inverse_inertia: Array, rows: list[int]) -> Array:
    """Lambda from J M^-1 J^T, of the chosen rows; SingularError where the frame cannot move in all of them."""
    A = inverse_inertia[..., rows, :][..., :, rows]
    scale = np.sqrt(np.einsum("...ii->...i", A))
    stuck = (scale == 0.0).reshape(-1, len(rows)).any(axis=0)
    if stuck.any():
        fixed = ", ".join(DIRECTIONS[rows[k]] for k in np.flatnonzero(stuck))
        raise SingularError(f"{name}: the frame cannot be accelerated in every direction: {fixed}; choose by mask=")
    unit = A / (scale[..., :, None] * scale[..., None, :])
    least = np.linalg.eigvalsh(unit)[..., 0]
    if (least < SINGULAR).any():
        where = f" in state {int(np.argmax(least < SINGULAR))}" if least.ndim else ""
        raise SingularError(
            f"{name}: the position is singular{where}: the frame cannot be accelerated in {len(rows)} independent "
            "directions; choose fewer by mask=, as in mask=[0, 0, 0, 1, 1, 1] for its position alone"
        )
    inverse = np.asarray(np.linalg.inv(unit), dtype=np.float64) / (scale[..., :, None] * scale[..., None, :])
    return np.asarray((inverse + np.swapaxes(inverse, -1, -2)) / 2)
