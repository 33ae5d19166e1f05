"""Natural frequencies of a robot at rest, and the shapes in which it vibrates."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redyn.vibration.robot_like import RobotLike
from redyn.vibration.small_motions import small_motions

Array = NDArray[np.float64]

# Squares of frequencies below this share of the largest are rounding: motions that nothing resists.
ROUNDING = 1e-13


@dataclass(frozen=True)
class Vibration:
    """The natural modes of a robot about a configuration, lowest frequency first."""

    q: Array  # the configuration
    names: list[str]  # of the rates, as in `velocity_names`
    frequencies: Array  # undamped, in rad/s
    damping_ratios: Array  # of each mode by itself
    shapes: Array  # (dof, modes): a column each, scaled to x^T M x = 1; zero where a joint is locked

    @property
    def hertz(self) -> Array:
        return self.frequencies / (2 * np.pi)

    def share(self, mode: int) -> dict[str, float]:
        """How much each rate moves in a mode, as shares of the one that moves most."""
        shape = self.shapes[:, mode]
        largest = shape[np.argmax(np.abs(shape))]
        return {name: float(x) for name, x in zip(self.names, shape / largest, strict=True)}


def vibration(robot: RobotLike, q: ArrayLike, locked: Iterable[str] = ()) -> Vibration:
    """Natural modes about q: what elasticity and weight drive back. See `redyn.Robot.vibration`."""
    at = small_motions(robot, q, locked, "vibration")
    L = np.linalg.cholesky(at.M) if at.free else np.zeros((0, 0))
    half = np.linalg.solve(L, at.K)
    squares, vectors = np.linalg.eigh(np.linalg.solve(L, half.T))
    kept = squares > ROUNDING * max(len(squares), 1) * float(np.abs(squares).max(initial=0.0))
    frequencies, x = np.sqrt(squares[kept]), np.linalg.solve(L.T, vectors[:, kept])
    shapes = np.zeros((robot.dof, len(frequencies)))
    shapes[at.free] = x
    damping = np.einsum("ik,ij,jk->k", x, at.D, x) / (2.0 * frequencies)
    return Vibration(at.q, robot.velocity_names, frequencies, damping, shapes)
