"""Configurations that are not plain vectors: where q holds unit quaternions, a step of velocity is a rotation.

Every joint moves along its own constant velocity: one number adds, a quaternion turns about an axis, and a free joint
moves along a screw, its angular and linear velocity being constant in its own axes.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from redyn.algebra import normaliser, rotation_rows
from redyn.model.model import Model

Array = NDArray[np.float64]

_normalised = normaliser(np.sqrt)

ROUNDING = 1e-14  # how far the squared length of a quaternion may be from 1 and still count as 1
SMALL = 1e-2  # radians, below which series are as exact as the formulas, and safer


def neutral(model: Model) -> Array:
    """Every number zero, every quaternion the identity."""
    q = np.zeros(model.nq)
    q[[start + 3 for start in model.quaternions]] = 1.0
    return q


def random(model: Model, lower: Array, upper: Array, generator: np.random.Generator) -> Array:
    """Within limits, given per velocity; any attitude is as likely as any other."""
    drawn = lower + (upper - lower) * generator.random(model.tangent)
    q = neutral(model)
    for variable in model.variables:
        i, j = variable.q, variable.rate
        if variable.joint.single:
            q[i] = drawn[j]
        else:
            if variable.has_position:
                q[i : i + 3] = drawn[j + 3 : j + 6]
            quaternion = generator.normal(size=4)
            q[variable.quaternion] = quaternion / np.linalg.norm(quaternion)
    places = {link.joint.label: place for link, place in zip(model.located, model.places, strict=True)}
    for link in model.located:
        if link.joint.motor:  # a gear gives by a few degrees
            motor = places[model.links[link.joint.motor - 1].joint.label]
            q[motor] = q[places[link.joint.label]] + 0.05 * generator.uniform(-1.0, 1.0)
    return q


def spans(model: Model) -> Array:
    """How far each rate's coordinate is usually from zero: half a turn, a metre; of modes, as far as links may bend."""
    bends = {first + k: span for first, beam in model.beams for k, span in enumerate(beam.spans)}
    numbers = model.reduction.q_links if model.reduction is not None else range(model.n)
    kinds = {"prismatic": 1.0}
    return np.array([bends.get(i, kinds.get(model.links[i].joint.kind, np.pi)) for i in numbers])


def integrate(model: Model, q: Array, step: Array) -> Array:
    """Where constant velocities lead: `step` is velocity times duration. Arrays of the same number of states."""
    end = np.empty_like(q)
    for variable in model.variables:
        i, j = variable.q, variable.rate
        if variable.joint.single:
            end[:, i] = q[:, i] + step[:, j]
            continue
        at, rotation = q[:, variable.quaternion], step[:, j : j + 3]
        if variable.has_position:
            shift = np.einsum("nij,nj->ni", _left(rotation), step[:, j + 3 : j + 6])
            end[:, i : i + 3] = q[:, i : i + 3] + _turned(at, shift)
        product = _times(at, _exponential(rotation))
        end[:, variable.quaternion] = product / np.linalg.norm(product, axis=1, keepdims=True)
    return end


def difference(model: Model, start: Array, end: Array) -> Array:
    """The step that `integrate` needs from `start` to `end`; of two ways round the shorter."""
    step = np.empty((len(start), model.tangent))
    for variable in model.variables:
        i, j = variable.q, variable.rate
        if variable.joint.single:
            step[:, j] = end[:, i] - start[:, i]
            continue
        before, after = start[:, variable.quaternion], end[:, variable.quaternion]
        rotation = step[:, j : j + 3] = _logarithm(_times(_conjugate(before), after))
        if variable.has_position:
            shift = _turned(_conjugate(before), end[:, i : i + 3] - start[:, i : i + 3])
            step[:, j + 3 : j + 6] = np.linalg.solve(_left(rotation), shift[:, :, None])[:, :, 0]
    return step


def deviation_rates(model: Model, v: Array) -> Array:
    """-ad(v), (N, n, n): a small deviation d from a motion, in the tangent space at q, has d-dot = -ad(v) d + dv.

    Zero but for joints that turn about a point, whose velocities are in axes that move with them: -w^ for the angular
    part alone, [[-w^, 0], [-v^, -w^]] of a free joint.
    """
    rates = np.zeros((len(v), model.tangent, model.tangent))
    for variable in model.variables:
        if variable.joint.single:
            continue
        j = variable.rate
        turning = _cross(v[:, j : j + 3])
        rates[:, j : j + 3, j : j + 3] = -turning
        if variable.has_position:
            rates[:, j + 3 : j + 6, j + 3 : j + 6] = -turning
            rates[:, j + 3 : j + 6, j : j + 3] = -_cross(v[:, j + 3 : j + 6])
    return rates


def project(model: Model, q: Array, qd: Array) -> None:
    """The nearest state that the robot can have, in place; (nq,) and (dof,), or (N, nq) and (N, dof).

    What integrators call after each step: rounding and truncation leave quaternions that are not quite of length 1.
    """
    del qd  # rates are independent
    normalise(q, model.quaternions)


def normalise(q: Array, quaternions: Iterable[int]) -> None:
    """Quaternions brought to length 1, in place; (nq,) or (N, nq). `quaternions` is where they begin."""
    for start in quaternions:
        parts = [q[..., start + k] for k in range(4)]
        for k, value in enumerate(_normalised(*parts)):
            q[..., start + k] = value


def _times(a: Array, b: Array) -> Array:
    """The product of quaternions x y z w."""
    u, v, s, t = a[:, :3], b[:, :3], a[:, 3:], b[:, 3:]
    return np.hstack([s * v + t * u + np.cross(u, v), s * t - np.sum(u * v, axis=1, keepdims=True)])


def _conjugate(a: Array) -> Array:
    return a * (-1.0, -1.0, -1.0, 1.0)


def _turned(a: Array, v: Array) -> Array:
    """A vector in turned axes, seen in those before."""
    return np.einsum("ijn,nj->ni", np.array(rotation_rows(*a.T)), v)


def _exponential(rotation: Array) -> Array:
    half = np.linalg.norm(rotation, axis=1, keepdims=True) / 2
    return np.hstack([rotation / 2 * np.sinc(half / np.pi), np.cos(half)])


def _logarithm(a: Array) -> Array:
    a = np.where(a[:, 3:] < 0, -a, a)
    sine = np.linalg.norm(a[:, :3], axis=1, keepdims=True)
    angle = 2.0 * np.arctan2(sine, a[:, 3:])
    with np.errstate(invalid="ignore", divide="ignore"):
        factor = np.where(sine > 1e-9, angle / sine, 2.0)
    return a[:, :3] * factor


def _left(rotation: Array) -> Array:
    """What a rotation at constant speed makes of a velocity that turns along: 1 + b K + c K^2."""
    angle: Array = np.sqrt(np.sum(rotation * rotation, axis=1))[:, None, None]
    square: Array = angle * angle
    with np.errstate(invalid="ignore", divide="ignore"):
        b: Array = np.where(angle > SMALL, (1 - np.cos(angle)) / square, 0.5 - square / 24 + square**2 / 720)
        c: Array = np.where(
            angle > SMALL, (angle - np.sin(angle)) / (square * angle), 1 / 6 - square / 120 + square**2 / 5040
        )
    K = _cross(rotation)
    return np.eye(3) + b * K + c * (K @ K)


def _cross(a: Array) -> Array:
    """The matrices (N, 3, 3) of products a x."""
    K = np.zeros((len(a), 3, 3))
    K[:, 0, 1], K[:, 0, 2], K[:, 1, 2] = -a[:, 2], a[:, 1], -a[:, 0]
    return K - np.swapaxes(K, 1, 2)
