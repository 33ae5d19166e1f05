"""Motions that are piecewise polynomials in time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from redyn.trajectory.motion import Array, Motion


@dataclass(frozen=True)
class Piecewise(Motion):
    """Piece k runs from knots[k] to knots[k + 1]; its powers of s = 0 ... 1 are coefficients[:, k], (degree + 1, n).

    At a knot where two pieces differ in acceleration, the later one applies.
    """

    knots: Array
    coefficients: Array

    @property
    def dof(self) -> int:
        return self.coefficients.shape[2]

    def _breaks(self) -> Array:
        return self.knots

    def _within(self, t: Array) -> tuple[Array, Array, Array]:
        piece = np.clip(np.searchsorted(self.knots, t, side="right") - 1, 0, len(self.knots) - 2)
        length = (self.knots[piece + 1] - self.knots[piece])[:, None]
        s = (t - self.knots[piece])[:, None] / length
        powers = self.coefficients[:, piece]
        q = qd = qdd = np.zeros((len(t), self.dof))
        for power in powers[::-1]:  # Horner's rule for the polynomial and its derivatives together
            qdd = qdd * s + 2 * qd
            qd = qd * s + q
            q = q * s + power
        return q, qd / length, qdd / length / length


def polynomials(knots: ArrayLike, *powers: Array) -> Piecewise:
    """Pieces from their coefficients, each (K, n) or, for a single piece, (n,)."""
    times = np.asarray(knots, dtype=np.float64)
    pieces = len(times) - 1
    return Piecewise(float(times[-1]), times, np.stack([x.reshape(pieces, -1) for x in powers]))
