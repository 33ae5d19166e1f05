"""What actuators and joints carry where loops are closed, as far as the loops determine it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redyn.dynamics.task import Task
from redyn.kinematics.linear import left_null_space
from redyn.kinematics.loops import closure_of
from redyn.kinematics.robot_like import RobotLike

Array = NDArray[np.float64]

LOOSE = 1e-9  # share of a wrench that counts as none: rounding


def driving_parts(robot: RobotLike, q: ArrayLike, parts: Sequence[Array]) -> tuple[Array, ...]:
    """Parts of a torque of the tree as what the actuators supply for each: linear, so that they add up as before."""
    closure = closure_of(robot)
    G, driven = robot.transmission(q), list(closure.driven)
    supply = np.linalg.pinv(np.swapaxes(G[..., driven, :], -1, -2))  # of G_a^T: the least torques of several
    found: list[Array] = []
    for part in parts:
        carried = np.einsum("...ij,...kj,...k->...i", supply, G, part)
        whole = np.zeros((*carried.shape[:-1], robot.dof))
        whole[..., driven] = carried
        found.append(whole)
    return tuple(found)


def mark_undetermined(robot: RobotLike, q: ArrayLike, wrenches: Array) -> Array:
    """The wrenches of parents on their children, (L, 6) or (N, L, 6), with NaN where the loops leave them open."""
    found = wrenches.reshape(-1, *wrenches.shape[-2:]).copy()
    states = np.ascontiguousarray(
        np.broadcast_to(np.atleast_2d(robot.configuration("q", q)), (len(found), robot.model.nq))
    )
    J = robot.evaluator(Task("loop_jacobian"), [states])[0]
    per_row = robot.evaluator(Task("row_wrenches"), [states])[0]
    for n, matrix in enumerate(J):
        directions = left_null_space(matrix)
        moved = np.abs(np.einsum("kd,klj->dlj", directions, per_row[n])).max(axis=0, initial=0.0)
        found[n][moved > LOOSE * max(float(np.abs(per_row[n]).max(initial=0.0)), 1e-300)] = np.nan
    return found.reshape(wrenches.shape)
