"""Natural frequencies of a robot at rest, and the shapes in which it vibrates."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redyn.vibration.robot_like import RobotLike
from redyn.vibration.small_motions import small_motions

Array = NDArray[np.float64]

SLOW = 1e-6  # squares of frequencies below this share of the largest are computed again, among themselves
EPS = float(np.finfo(np.float64).eps)


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
    squares, x = _eigenpairs(at.M, at.K, float(np.linalg.norm(robot.gravity)) * robot.total_mass**0.5)
    frequencies = np.sqrt(squares)
    shapes = np.zeros((robot.dof, len(frequencies)))
    shapes[at.free] = x
    damping = np.einsum("ik,ij,jk->k", x, at.D, x) / (2.0 * frequencies)
    return Vibration(at.q, robot.velocity_names, frequencies, damping, shapes)


def _eigenpairs(M: Array, K: Array, weight: float) -> tuple[Array, Array]:
    """Positive squares s, ascending, and vectors x with K x = s M x, x^T M x = 1; without what is rounding.

    One decomposition knows every square to some 1e-16 of the largest only: beside a stiff mode, a pendulum is lost. The
    vectors of slow modes are known better, so these are decomposed again, in the space that they span.

    What nothing drives back has a square of zero but for rounding: of the products with K, of the directions, and of
    weights that cancel. A weight on joint i is at most |g| sqrt(m) times sqrt(M_ii), as (sum m r)^2 is at most sum m
    times sum m r^2; `weight` is |g| sqrt(m).
    """
    n = len(M)
    X = np.asarray(np.linalg.inv(np.linalg.cholesky(M)).T if n else M, dtype=np.float64)
    largest: float | None = None
    found: list[tuple[Array, Array]] = []
    while X.shape[1]:
        squares, V = np.linalg.eigh(X.T @ K @ X)
        X = X @ V
        largest = float(np.abs(squares).max()) if largest is None else largest
        size = np.abs(X)
        known = np.einsum("ik,ij,jk->k", size, np.abs(K), size) + weight * (np.diag(M) ** 0.25 @ size) ** 2
        noise = 16 * n * EPS * known + (16 * n * EPS) ** 2 * largest
        slow = np.abs(squares) < SLOW * np.abs(squares).max()
        kept = ~slow & (squares > noise)
        found.append((squares[kept], X[:, kept]))
        X = X[:, slow]
        if X.shape[1]:
            X = np.asarray(np.linalg.solve(np.linalg.cholesky(X.T @ M @ X), X.T).T, dtype=np.float64)
    if not found:
        return np.zeros(0), np.zeros((n, 0))
    squares, x = np.concatenate([s for s, _ in found]), np.hstack([v for _, v in found])
    order = np.argsort(squares)
    return squares[order], x[:, order]
