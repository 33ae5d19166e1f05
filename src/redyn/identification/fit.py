"""Weighted least squares for the base parameters: each joint is weighted by its noise.

The equations of a joint are condensed to a triangular factor chunk by chunk, so that a long recording needs no more
memory than a short one and changing the weights is cheap.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from redyn.errors import InputError
from redyn.identification.base import BaseParameters
from redyn.identification.motion import States
from redyn.words import counted

Array = NDArray[np.float64]

CHUNK = 8192  # states whose regressor is held at a time
OUTLIER = 6.0  # standard deviations (see `spread`): a larger residual is an outlier
UNSEEN = 1e-10  # relative to the largest singular value: below, the motion does not excite the direction
CONFIDENCE = 1.959964  # standard deviations on either side of a 95 % interval


@dataclass(frozen=True)
class Fit:
    """Estimates of base parameters, with their covariance."""

    base: BaseParameters
    values: Array
    covariance: Array  # infinite for parameters that the motion does not excite
    noise: Array  # standard deviation of the torque of every joint
    factor: Array  # R and `right`, r, of the weighted equations R beta = r, used by the physically consistent fit
    right: Array
    condition: float  # of the equations with columns scaled to length one
    outliers: int
    rows: int

    @property
    def deviations(self) -> Array:
        return np.sqrt(np.diag(self.covariance))

    @property
    def intervals(self) -> Array:
        """95 % confidence, (count, 2)."""
        half = CONFIDENCE * self.deviations
        return np.stack([self.values - half, self.values + half], axis=1)

    @property
    def unseen(self) -> list[str]:
        """Base parameters that the motion does not determine."""
        finite = np.isfinite(self.deviations)
        return [text for text, seen in zip(self.base.groupings, finite, strict=True) if not seen]

    def predict(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Torques, (N, dof), without those of drives that are not estimated."""
        return predicted(self.base, self.values, States(np.zeros(len(q)), q, qd, qdd, np.zeros_like(qd)))


def fit_base(base: BaseParameters, seen: States) -> Fit:
    """Least squares, weighted by the noise of each joint, without outliers.

    `seen.tau` must be without the torque of drives that are not part of `base` (see `known_drives`).
    """
    equations = len(seen.t) * base.robot.dof
    if equations < 2 * base.count:
        raise InputError(
            f"too few rows, {len(seen.t)}, for {counted(base.count, 'parameter')}; record a longer motion, or at a "
            "higher rate"
        )
    use = np.ones_like(seen.tau, dtype=bool)
    noise = np.maximum(seen.tau.std(axis=0), 1e-12)
    factors: Array | None = None
    residuals = seen.tau
    for _ in range(8):  # both the weights and the outliers settle in a few rounds
        if factors is None:
            factors = _condensed(base, seen, use)
        values = _solve(factors, noise)[0]
        residuals = seen.tau - predicted(base, values, seen)
        now = _noise(residuals, use, _freedom(factors, noise, use))
        rounding = 1e-12 * np.abs(seen.tau).max(axis=0) + 1e-300
        good = np.abs(residuals) <= OUTLIER * np.maximum(spread(residuals), rounding)
        settled = np.allclose(now, noise, rtol=1e-6, atol=0) and (good == use).all()
        if not (good == use).all():
            use, factors = good, None
        noise = now
        if settled:
            break
    factors = _condensed(base, seen, use) if factors is None else factors
    values, factor, right, condition = _solve(factors, noise)
    middle = np.zeros((base.count, base.count))
    for factor_j, R, deviation in zip(_persistence(residuals, use), factors[:, :, :-1], noise, strict=True):
        middle += factor_j * R.T @ R / deviation**2
    return Fit(
        base, values, _covariance(factor, middle), noise, factor, right, condition,
        int((~use).sum()), len(seen.t),
    )  # fmt: skip


def spread(values: Array) -> Array:
    """The standard deviation of each column as its median absolute deviation gives it, insensitive to outliers."""
    return 1.4826 * np.median(np.abs(values - np.median(values, axis=0)), axis=0)


def chunks(base: BaseParameters, seen: States) -> Iterator[tuple[slice, Array]]:
    """The base regressor, in chunks of states."""
    for start in range(0, len(seen.t), CHUNK):
        rows = slice(start, start + CHUNK)
        yield rows, base.regressor(seen.q[rows], seen.qd[rows], seen.qdd[rows])


def predicted(base: BaseParameters, values: Array, seen: States) -> Array:
    """Torques from base parameters, (N, dof)."""
    return np.concatenate([Y @ values for _, Y in chunks(base, seen)])


def known_drives(base: BaseParameters, seen: States) -> Array:
    """The torque of the springs, and of friction and armature if these are not estimated: from the robot's file."""
    from redyn.dynamics.drives import drive_parameters, with_drive_columns

    model = base.robot.model
    friction, armature = not base.friction, not base.armature
    none = np.zeros((len(seen.t), base.robot.dof, 0))
    columns = with_drive_columns(model, none, seen.q, seen.qd, seen.qdd, friction, armature)
    return columns @ drive_parameters(model, friction, armature) + base.robot.spring_torque(seen.q)


def _condensed(base: BaseParameters, seen: States, use: NDArray[np.bool_]) -> Array:
    """For every joint the triangular factor [R r] of its equations, (dof, count + 1, count + 1)."""
    width = base.count + 1
    factors = np.zeros((base.robot.dof, width, width))
    for rows, Y in chunks(base, seen):
        for j in range(base.robot.dof):
            good = use[rows, j]
            equations = np.column_stack([Y[good, j], seen.tau[rows][good, j]])
            factors[j] = _triangle(np.vstack([factors[j], equations]))
    return factors


def _triangle(rows: Array) -> Array:
    """The R of a tall matrix's QR decomposition."""
    return np.asarray(np.linalg.qr(rows, mode="r"), dtype=np.float64)


def _solve(factors: Array, noise: Array) -> tuple[Array, Array, Array, float]:
    """The estimates, R and r of the weighted equations, and their condition."""
    stacked = (factors / noise[:, None, None]).reshape(-1, factors.shape[-1])
    triangular = _triangle(stacked)
    R, r = triangular[:-1, :-1], triangular[:-1, -1]
    lengths = np.linalg.norm(R, axis=0)
    lengths = np.where(lengths > 0, lengths, 1.0)
    U, s, V = np.linalg.svd(R / lengths)
    kept = s > UNSEEN * s[0]
    values = (V[kept].T @ ((U[:, kept].T @ r) / s[kept])) / lengths
    return values, R, r, float(s[0] / s[-1]) if s[-1] > 0 else np.inf


def _covariance(R: Array, middle: Array) -> Array:
    """A^-1 middle A^-1 with A = R^T R; middle is A itself for white noise."""
    lengths = np.linalg.norm(R, axis=0)
    safe = np.where(lengths > 0, lengths, 1.0)
    _, s, V = np.linalg.svd(R / safe)
    kept = s > UNSEEN * s[0]
    inverse = (V[kept].T / s[kept] ** 2) @ V[kept]
    covariance = inverse @ (middle / np.outer(safe, safe)) @ inverse / np.outer(safe, safe)
    hidden = (np.abs(V[~kept]) > 1e-6).any(axis=0) if (~kept).any() else np.zeros(len(s), dtype=bool)
    covariance[hidden, hidden] = np.inf
    return covariance


def _freedom(factors: Array, noise: Array, use: NDArray[np.bool_]) -> Array:
    """Degrees of freedom of every joint: its equations less the parameters that they determine."""
    _, R, _, _ = _solve(factors, noise)
    inverse = np.linalg.pinv(R, rcond=UNSEEN)
    taken = np.array([np.sum((F[:, :-1] @ inverse) ** 2) / s**2 for F, s in zip(factors, noise, strict=True)])
    return np.maximum(use.sum(axis=0) - taken, 1.0)


def _noise(residuals: Array, use: NDArray[np.bool_], freedom: Array) -> Array:
    squares = np.where(use, residuals**2, 0.0).sum(axis=0)
    return np.maximum(np.sqrt(squares / freedom), 1e-14 * max(1.0, float(np.abs(residuals).max())))


def _persistence(residuals: Array, use: NDArray[np.bool_]) -> Array:
    """The factor by which autocorrelated noise widens the variance: 1 + 2 (sum of its autocorrelations)."""
    clean = np.where(use, residuals, 0.0)
    count = len(clean)
    limit = 2.0 / np.sqrt(count)
    factors = np.ones(clean.shape[1])
    for j, column in enumerate(clean.T):
        power = float(column @ column)
        for lag in range(1, min(count // 4, 2000)):
            correlation = float(column[lag:] @ column[:-lag]) / power if power > 0 else 0.0
            if correlation < limit:
                break
            factors[j] += 2.0 * correlation
    return factors


def best_cutoff(base: BaseParameters, candidates: list[float], make: Callable[[float], States]) -> float:
    """The low-pass with which the equations explain the torques best; the torques themselves are not filtered."""
    scores: list[float] = []
    for cutoff in candidates:
        seen = make(cutoff)
        scores.append(_unexplained(base, seen.rows(slice(None, None, max(1, len(seen.t) // 1500)))))
    return candidates[int(np.argmin(scores))]


def _unexplained(base: BaseParameters, seen: States) -> float:
    """The typical residual, as a logarithm over all joints; a quick fit by normal equations."""
    Y = np.concatenate([part for _, part in chunks(base, seen)])
    noise = np.maximum(seen.tau.std(axis=0), 1e-12)
    for _ in range(4):
        weighted = Y / noise[:, None]
        rows, right = weighted.reshape(-1, base.count), (seen.tau / noise).reshape(-1)
        gram = rows.T @ rows
        size = np.sqrt(np.where(gram.diagonal() > 0, gram.diagonal(), 1.0))
        values = np.linalg.lstsq(gram / np.outer(size, size), (rows.T @ right) / size, rcond=1e-12)[0] / size
        noise = np.maximum(np.median(np.abs(seen.tau - Y @ values), axis=0), 1e-12)
    return float(np.log(noise).sum())
