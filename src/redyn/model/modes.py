"""Mode shapes of a clamped beam that carries a rigid body, by one method for uniform and for tapered beams.

The curvature of a shape (in torsion, its slope) is a sum of Legendre polynomials between each two stations of the
table, free to jump there; slope and deflection are its integrals from the clamped end. So what is clamped holds by
itself, the stiffness matrix is nearly diagonal, and shapes and frequencies are exact to rounding: the polynomials
converge faster than any power. The load at the tip is part of the mass matrix, which makes the shapes
*clamped-loaded* ones, far better in a robot than those of a bare beam.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.polynomial import legendre
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Basis:
    """Functions that vanish with all but their highest derivative at the clamped end."""

    stations: Array
    degree: int  # of the polynomials of the highest derivative
    order: int  # which derivative that is: 2 for bending, 1 for torsion

    @property
    def size(self) -> int:
        return (len(self.stations) - 1) * (self.degree + 1)

    def at(self, x: Array, derivative: int = 0) -> Array:
        """A row for every place, a column for every function."""
        count = self.degree + 1
        times = self.order - derivative  # how often the polynomials are integrated
        found = np.zeros((len(x), self.size))
        for k, (start, end) in enumerate(zip(self.stations[:-1], self.stations[1:], strict=True)):
            half = (end - start) / 2
            within = np.clip((x - start) / half - 1.0, -1.0, 1.0)
            polynomials: Array = np.asarray(legendre.legvander(within, count - 1 + times), dtype=np.float64)
            value = polynomials @ _integrals(count, times) * half**times
            beyond = np.maximum(x - end, 0.0)
            if times == 2 and beyond.any():  # straight on, with the slope of the end
                slope = np.zeros(count)
                slope[0] = 2.0 * half
                value = value + beyond[:, None] * slope
            if times == 0:  # not beyond its own panel; a place between two belongs to the later one
                last = end == self.stations[-1]
                value = value * ((x >= start) & ((x < end) | (last & (x == end))))[:, None]
            found[:, k * count : (k + 1) * count] = value
        return found

    def quadrature(self) -> tuple[Array, Array]:
        """Places and weights that integrate products of two functions, a linear and a quadratic density exactly."""
        x, w = legendre.leggauss(self.degree + 6)
        halves = np.diff(self.stations) / 2
        middles = (self.stations[:-1] + self.stations[1:]) / 2
        return (middles[:, None] + halves[:, None] * x).ravel(), (halves[:, None] * w).ravel()


def _integrals(count: int, times: int) -> Array:
    """From the coefficients of Legendre polynomials to those of their integral from -1, so many times."""
    total = np.eye(count)
    for size in range(count, count + times):
        step = np.zeros((size + 1, size))
        step[0, 0] = step[1, 0] = 1.0
        for m in range(1, size):
            step[m + 1, m], step[m - 1, m] = 1 / (2 * m + 1), -1 / (2 * m + 1)
        total = step @ total
    return total


@dataclass(frozen=True)
class Shapes:
    """Mode shapes of one kind of deflection, lowest frequency first."""

    basis: Basis
    coefficients: Array  # a row for every shape
    frequencies: Array  # of the clamped beam with its load, rad/s

    def at(self, x: Array, derivative: int = 0) -> Array:
        """A row for every shape, a column for every place."""
        return self.coefficients @ self.basis.at(x, derivative).T

    def scaled(self, factors: Array) -> Shapes:
        return Shapes(self.basis, self.coefficients * factors[:, None], self.frequencies)


def mode_shapes(
    stations: Array, inertia: Array, stiffness: Array, count: int, order: int, load: Array
) -> tuple[Shapes, Array]:
    """The lowest modes, and their modal inertia with the load.

    `inertia` and `stiffness` per length are given at both ends of every panel between stations, linear within. `load`
    is the inertia of the body at the tip: in bending [[mass, first moment], [first moment, moment of inertia]], in
    torsion [[moment of inertia]]. The curvature of each shape is positive at the clamped end.
    """
    panels = len(stations) - 1
    basis = Basis(stations, max(8, (16 + 8 * count) // panels + 6), order)
    x, w = basis.quadrature()
    top, value = basis.at(x, order), basis.at(x)
    K = top.T @ (top * (w * linear(stations, stiffness, x))[:, None])
    M = value.T @ (value * (w * linear(stations, inertia, x))[:, None])
    tip = np.vstack([basis.at(stations[-1:], d) for d in range(len(load))])
    M = M + tip.T @ load @ tip
    L = np.linalg.cholesky(K)
    half = np.linalg.solve(L, M)
    mu, vectors = np.linalg.eigh(np.linalg.solve(L, half.T))
    chosen = np.argsort(mu)[::-1][:count]
    coefficients: Array = np.linalg.solve(L.T, vectors[:, chosen]).T.astype(np.float64)
    sign = np.sign(coefficients @ basis.at(stations[:1], order)[0])
    coefficients = coefficients * np.where(sign == 0, 1.0, sign)[:, None]
    modal = np.einsum("ki,ij,kj->k", coefficients, M, coefficients)
    return Shapes(basis, coefficients, 1 / np.sqrt(np.maximum(mu[chosen], 1e-300))), modal


def linear(stations: Array, values: Array, x: Array) -> Array:
    """Values of a table at places, given at both ends of every panel between its stations."""
    panel = np.clip(np.searchsorted(stations, x, side="right") - 1, 0, len(stations) - 2)
    start, end = stations[panel], stations[panel + 1]
    share = (x - start) / (end - start)
    return values[panel, 0] + share * (values[panel, 1] - values[panel, 0])
