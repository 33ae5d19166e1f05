"""Configurations that are not plain vectors: where q holds unit quaternions, a step of velocity is a turn.

Every joint moves along its own constant velocity: one number adds, a quaternion turns about an axis, and a free joint
moves along a screw, its angular and linear velocity being constant in its own axes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from redyn.model.model import POSE, QUATERNION, Model

Array = NDArray[np.float64]

SMALL = 1e-2  # radians, below which series are as exact as the formulas, and safer


def neutral(model: Model) -> Array:
    """No turn and no shift."""
    q = np.zeros(model.nq)
    q[[start + 3 for start in model.quaternions]] = 1.0
    return q


def random(model: Model, lower: Array, upper: Array, generator: np.random.Generator) -> Array:
    """Within limits, given per velocity; any attitude is as likely as any other."""
    drawn = lower + (upper - lower) * generator.random(model.dof)
    q = neutral(model)
    for count, i, j in joints(model):
        if count == 1:
            q[i] = drawn[j]
        else:
            if count == POSE:
                q[i : i + 3] = drawn[j + 3 : j + 6]
            quaternion = generator.normal(size=4)
            q[i + count - 4 : i + count] = quaternion / np.linalg.norm(quaternion)
    return q


def integrate(model: Model, q: Array, step: Array) -> Array:
    """Where constant velocities lead: `step` is velocity times duration. Arrays of the same number of states."""
    end = np.empty_like(q)
    for count, i, j in joints(model):
        if count == 1:
            end[:, i] = q[:, i] + step[:, j]
            continue
        at, turn = q[:, i + count - 4 : i + count], step[:, j : j + 3]
        if count == POSE:
            shift = np.einsum("nij,nj->ni", _left(turn), step[:, j + 3 : j + 6])
            end[:, i : i + 3] = q[:, i : i + 3] + _turned(at, shift)
        product = _times(at, _exponential(turn))
        end[:, i + count - 4 : i + count] = product / np.linalg.norm(product, axis=1, keepdims=True)
    return end


def difference(model: Model, start: Array, end: Array) -> Array:
    """The step that `integrate` needs from `start` to `end`; of two ways to turn the shorter."""
    step = np.empty((len(start), model.dof))
    for count, i, j in joints(model):
        if count == 1:
            step[:, j] = end[:, i] - start[:, i]
            continue
        before, after = start[:, i + count - 4 : i + count], end[:, i + count - 4 : i + count]
        turn = step[:, j : j + 3] = _logarithm(_times(_conjugate(before), after))
        if count == POSE:
            shift = _turned(_conjugate(before), end[:, i : i + 3] - start[:, i : i + 3])
            step[:, j + 3 : j + 6] = np.linalg.solve(_left(turn), shift[:, :, None])[:, :, 0]
    return step


def deviation_rates(model: Model, v: Array) -> Array:
    """-ad(v), (N, dof, dof): a small deviation d from a motion, in the tangent space at q, has d-dot = -ad(v) d + dv.

    Zero but for joints that turn about a point, whose velocities are in axes that move with them: -w^ for the angular
    part alone, [[-w^, 0], [-v^, -w^]] of a free joint.
    """
    rates = np.zeros((len(v), model.dof, model.dof))
    for count, _, j in joints(model):
        if count == 1:
            continue
        turning = _cross(v[:, j : j + 3])
        rates[:, j : j + 3, j : j + 3] = -turning
        if count == POSE:
            rates[:, j + 3 : j + 6, j + 3 : j + 6] = -turning
            rates[:, j + 3 : j + 6, j : j + 3] = -_cross(v[:, j + 3 : j + 6])
    return rates


def shorten(q: Array, quaternions: Iterable[int]) -> None:
    """Back to unit quaternions, in place; (nq,) or (N, nq). `quaternions` is where they begin."""
    for start in quaternions:
        part = q[..., start : start + QUATERNION]
        part /= np.linalg.norm(part, axis=-1, keepdims=True)


def joints(model: Model) -> Iterator[tuple[int, int, int]]:
    """Number of coordinates, first coordinate and first velocity, of everything that moves on its own."""
    for j, (link, i) in enumerate(zip(model.driven, model.starts, strict=True)):
        if not link.joint.follows:
            yield link.joint.coordinates, i, j


def _times(a: Array, b: Array) -> Array:
    """The product of quaternions x y z w."""
    u, v, s, t = a[:, :3], b[:, :3], a[:, 3:], b[:, 3:]
    return np.hstack([s * v + t * u + np.cross(u, v), s * t - np.sum(u * v, axis=1, keepdims=True)])


def _conjugate(a: Array) -> Array:
    return a * (-1.0, -1.0, -1.0, 1.0)


def _turned(a: Array, v: Array) -> Array:
    """A vector in turned axes, seen in those before."""
    twice = 2.0 * np.cross(a[:, :3], v)
    return v + a[:, 3:] * twice + np.cross(a[:, :3], twice)


def _exponential(turn: Array) -> Array:
    half = np.linalg.norm(turn, axis=1, keepdims=True) / 2
    return np.hstack([turn / 2 * np.sinc(half / np.pi), np.cos(half)])


def _logarithm(a: Array) -> Array:
    a = np.where(a[:, 3:] < 0, -a, a)
    sine = np.linalg.norm(a[:, :3], axis=1, keepdims=True)
    angle = 2.0 * np.arctan2(sine, a[:, 3:])
    with np.errstate(invalid="ignore", divide="ignore"):
        factor = np.where(sine > 1e-9, angle / sine, 2.0)
    return a[:, :3] * factor


def _left(turn: Array) -> Array:
    """What a turn at constant speed makes of a velocity that turns along: 1 + b K + c K^2."""
    angle: Array = np.sqrt(np.sum(turn * turn, axis=1))[:, None, None]
    square: Array = angle * angle
    with np.errstate(invalid="ignore", divide="ignore"):
        b: Array = np.where(angle > SMALL, (1 - np.cos(angle)) / square, 0.5 - square / 24 + square**2 / 720)
        c: Array = np.where(
            angle > SMALL, (angle - np.sin(angle)) / (square * angle), 1 / 6 - square / 120 + square**2 / 5040
        )
    K = _cross(turn)
    return np.eye(3) + b * K + c * (K @ K)


def _cross(a: Array) -> Array:
    """The matrices (N, 3, 3) of products a x."""
    K = np.zeros((len(a), 3, 3))
    K[:, 0, 1], K[:, 0, 2], K[:, 1, 2] = -a[:, 2], a[:, 1], -a[:, 0]
    return K - np.swapaxes(K, 1, 2)
