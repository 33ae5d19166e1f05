"""Regressor columns of the drives: friction and rotor inertia are linear in their parameters too.

They do not depend on the configuration, so they stand beside the recursion and are made with NumPy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redyn.algebra import Scalar
from redyn.arithmetic import Arrays
from redyn.dynamics.laws.friction import friction as friction_law
from redyn.dynamics.rolling import rate_map
from redyn.model import Model, Rolling

Array = NDArray[np.float64]


def drive_parameters(model: Model, friction: bool, armature: bool) -> Array:
    """Damping of every joint, then Coulomb friction, then armature, as far as asked for."""
    kinds = [*(("damping", "coulomb") if friction else ()), *(("armature",) if armature else ())]
    return np.array(
        [cast(float, getattr(link.joint, kind)) for kind in kinds for link in model.links], dtype=np.float64
    )


def with_drive_columns(
    model: Model, Y: Array, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, friction: bool, armature: bool
) -> Array:
    """Y with the columns of `drive_parameters` behind its own: what each parameter multiplies, by G^T."""
    G, rate, acceleration = _of_the_tree(model, Y.shape[:-2], q, qd, qdd)
    to_actuators = np.swapaxes(G, -1, -2)
    reduction = model.reduction
    if isinstance(reduction, Rolling) and reduction.driven != reduction.independent:
        hold = np.swapaxes(G[..., list(reduction.driven), :], -1, -2)
        to_actuators = np.linalg.pinv(hold) @ to_actuators  # the least torques, as in the inverse dynamics
    smoothing = np.array([cast(float, link.joint.smoothing) for link in model.links])
    factors: list[Array] = []
    if friction:  # the law is linear in damping and in coulomb: each column is the law for one of them alone
        law = cast("Callable[..., Array]", friction_law)
        factors += [law(rate, 1.0, 0.0, smoothing, np.sqrt), law(rate, 0.0, 1.0, smoothing, np.sqrt)]
    factors += [acceleration] if armature else []
    return np.concatenate([Y, *(to_actuators * factor[..., None, :] for factor in factors)], axis=-1)


def _of_the_tree(
    model: Model, states: tuple[int, ...], q: ArrayLike, qd: ArrayLike, qdd: ArrayLike
) -> tuple[Array, Array, Array]:
    """G, (..., n, dof), with the rates and accelerations of all joints, (..., n)."""
    if model.reduction is None:
        rate, acceleration = (_rows(x, states, model.n) for x in (qd, qdd))
        return np.eye(model.n), rate, acceleration
    reduction, arith = model.reduction, Arrays()
    own_q, u, u_dot = (_columns(x, states, k) for x, k in ((q, model.nq), (qd, model.dof), (qdd, model.dof)))
    G = rate_map(model, arith, reduction.whole_q(own_q, arith))
    columns = [_joined(G.to_tree(cast("list[Scalar]", unit.tolist())), states) for unit in np.eye(model.dof)]
    rates, accelerations = G.to_tree(u), G.to_tree(u_dot)
    bias = G.bias(rates, u)
    if bias is not None:
        accelerations = [a + b for a, b in zip(accelerations, bias, strict=True)]
    return np.stack(columns, axis=-1), _joined(rates, states), _joined(accelerations, states)


def _rows(values: ArrayLike, states: tuple[int, ...], width: int) -> Array:
    return np.broadcast_to(np.asarray(values, dtype=np.float64), (*states, width))


def _columns(values: ArrayLike, states: tuple[int, ...], width: int) -> list[Scalar]:
    rows = _rows(values, states, width)
    return [cast(Scalar, rows[..., k]) for k in range(width)]


def _joined(columns: list[Scalar], states: tuple[int, ...]) -> Array:
    return np.stack([np.broadcast_to(np.asarray(x, dtype=np.float64), states) for x in columns], axis=-1)
