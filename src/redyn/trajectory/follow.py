"""Joint values along a path of poses, and their derivatives with respect to the path parameter s = 0 ... 1.

With V the twist of the frame per s, the joints follow J q' = V and J q'' = V' - J' q'. The freedom of a redundant robot
is resolved once, when the path is traced (by the smallest q'), and kept by the interpolation between the knots of that
trace.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from redyn.kinematics.poses import twists
from redyn.trajectory.motion import Array
from redyn.trajectory.paths import Path

if TYPE_CHECKING:
    from redyn.robot import Robot

SINGULAR = 1e-4  # smallest singular value of the Jacobian relative to the largest; below, joints would be too fast
EXACT = 1e-13  # m and rad; a smaller correction is rounding
STEPS = 12  # maximum iterations of Newton's method
SAMPLES = 16  # positions at which the rank of the Jacobian is determined


class Lost(Exception):  # noqa: N818 - not an error that users see
    """The joints cannot follow beyond the fraction s."""

    def __init__(self, s: float) -> None:
        super().__init__(s)
        self.s = s


@dataclass(frozen=True)
class Follower:
    """A robot whose frame follows a path in the selected rows of the twist."""

    robot: Robot
    frame: str
    path: Path
    rows: NDArray[np.bool_]
    rank: int

    @staticmethod
    def of(robot: Robot, frame: str, path: Path, rows: NDArray[np.bool_]) -> Follower:
        """With the generic rank of the Jacobian: below six for a planar robot, for example."""
        rng = np.random.default_rng(0)
        J = robot.jacobian(np.array([robot.random(rng) for _ in range(SAMPLES)]), frame)[:, rows]
        return Follower(robot, frame, path, rows, int(np.linalg.matrix_rank(J, tol=1e-9).max()))

    def errors(self, q: Array, s: Array) -> Array:
        """Error to the pose at s, as a small twist: (N, rows)."""
        return twists(self.robot.forward_kinematics(q, self.frame), self.path.poses(s))[:, self.rows]

    def inverses(self, q: Array) -> tuple[Array, Array, Array]:
        """Jacobians, their pseudo-inverses of the generic rank, and their inverse condition number, 0 ... 1."""
        J = self.robot.jacobian(q, self.frame)[:, self.rows]
        u, sigma, vt = np.linalg.svd(J, full_matrices=False)
        r = self.rank
        inverse = np.einsum("nri,nr,njr->nij", vt[:, :r], 1 / np.maximum(sigma[:, :r], 1e-300), u[:, :, :r])
        return J, inverse, sigma[:, r - 1] / np.maximum(sigma[:, 0], 1e-300)

    def corrected(self, q: Array, s: Array) -> Array:
        """Projects q onto the path with the smallest change, by Newton's method; Lost if it does not converge."""
        left = np.zeros(len(s))
        for _ in range(STEPS):
            error = self.errors(q, s)
            left = np.abs(error).max(axis=1)
            if (left < EXACT).all():
                return q
            _, inverse, regular = self.inverses(q)
            if (regular < SINGULAR).any():
                raise Lost(float(s[np.argmax(regular < SINGULAR)]))
            q = q + np.einsum("nij,nj->ni", inverse, error)
        if (left > 1e3 * EXACT).any():
            raise Lost(float(s[np.argmax(left > 1e3 * EXACT)]))
        return q

    def rates(self, q: Array, s: Array) -> tuple[Array, Array]:
        """Smallest q', and its q'', at N positions, (N, n) each."""
        J, inverse, _ = self.inverses(q)
        first = np.einsum("nij,nj->ni", inverse, self.path.twists(s)[:, self.rows])
        J_rate = self.robot.jacobian_rate(q, first, self.frame)[:, self.rows]
        drift = self.path.twist_rates(s)[:, self.rows] - np.einsum("nij,nj->ni", J_rate, first)
        second = np.einsum("nij,nj->ni", inverse, drift)
        # q' stays the smallest: the null-space part of q''.
        aside = np.einsum("nji,nkj,nk->ni", J_rate, inverse, first)
        return first, second + aside - np.einsum("nij,njk,nk->ni", inverse, J, aside)

    def trace(self, start: Array, count: int) -> tuple[Array, Array]:
        """s and joint values at count + 1 knots from `start`: integrates J q' = V by Runge-Kutta."""
        s, h = np.linspace(0.0, 1.0, count + 1), 1.0 / count

        def slope(q: Array, k: int, at: float) -> Array:
            _, inverse, regular = self.inverses(q[None])
            if regular[0] < SINGULAR:
                raise Lost(float(s[k]))
            return inverse[0] @ self.path.twists(np.array([at]))[0, self.rows]

        places = [self.corrected(start[None], s[:1])[0]]
        for k in range(count):
            q = places[-1]
            a = slope(q, k, s[k])
            b = slope(q + h / 2 * a, k, s[k] + h / 2)
            c = slope(q + h / 2 * b, k, s[k] + h / 2)
            d = slope(q + h * c, k, s[k + 1])
            ahead = q + h / 6 * (a + 2 * (b + c) + d)
            there = self.corrected(ahead[None], s[k + 1 : k + 2])[0]
            if np.abs(there - ahead).max() > 0.1 * np.abs(h * a).max() + 1e-9:  # a jump to another branch
                raise Lost(float(s[k]))
            places.append(there)
        self._refuse_crossing(np.array(places), s)
        return s, np.array(places)

    def _refuse_crossing(self, q: Array, s: Array) -> None:
        """Raises Lost if the Jacobian changes orientation between two knots: there is a singularity between them."""
        J, inverse, _ = self.inverses(q)
        change = np.eye(J.shape[1]) + (J[1:] - J[:-1]) @ inverse[:-1]
        crossed = np.linalg.det(change) <= 0
        if crossed.any():
            raise Lost(float(s[int(crossed.argmax())]))
