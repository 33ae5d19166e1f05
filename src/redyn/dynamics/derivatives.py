"""Derivatives of the inverse dynamics by dual numbers, without tracing or compiling anything.

Kernels are differentiated as graphs (see `redyn.kernels.trace`), which pays for robots of usual size. The graph of a
long robot takes longer to build than all the derivatives that anybody will ask of it; this is for those.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from redyn.algebra import Scalar
from redyn.arithmetic.duals import Duals, slope_of, variables
from redyn.dynamics import reduced
from redyn.dynamics.algorithm import World
from redyn.dynamics.catalogue import ALGORITHMS
from redyn.model import Model

Array = NDArray[np.float64]

MOST_NUMBERS = 16_384  # derivatives in one scalar: more of them at once only leave the processor's cache


def inverse_dynamics_by_state(model: Model, world: World, state: list[Array]) -> tuple[Array, Array]:
    """dtau/dq in the tangent space and dtau/dqd, (N, dof, dof) each, at q, qd, qdd of N states."""
    n, count = model.dof, len(state[0])
    by_q, by_qd = np.empty((count, n, n)), np.empty((count, n, n))
    block = max(1, MOST_NUMBERS // (2 * n))
    for start in range(0, count, block):
        part = slice(start, start + block)
        slopes = _slopes(model, world, [x[part] for x in state])  # (2 n, n, N)
        by_q[part], by_qd[part] = (half.transpose(2, 1, 0) for half in (slopes[:n], slopes[n:]))
    return by_q, by_qd


def _slopes(model: Model, world: World, state: list[Array]) -> Array:
    """Of every torque along every entry of the tangent space and of qd: (2 dof, dof, N)."""
    n, count = model.dof, len(state[0])
    arith = Duals()
    working = model.over(arith)
    q, qd, qdd = ([np.ascontiguousarray(column) for column in x.T] for x in state)
    along = np.zeros((n, n, count))  # the unit vectors, at every state
    along[np.arange(n), np.arange(n)] = 1.0
    nothing = np.zeros((n, count))
    if model.quaternions:  # along the tangent space q moves by E(q)
        fixed = [cast(Scalar, x) for x in q]
        rates = _run("coordinate_rates", working, arith, [fixed, variables(qd, [*along])], World())
        moves = [slope_of(rate, n, count) for rate in rates]
    else:
        moves = [*along]
    q_slopes = [np.concatenate([move, nothing]) for move in moves]
    qd_slopes = [np.concatenate([nothing, unit]) for unit in along]
    given = [variables(q, q_slopes), variables(qd, qd_slopes), [cast(Scalar, x) for x in qdd]]
    tau = _run("inverse_dynamics", working, arith, given, world)
    return np.stack([slope_of(x, 2 * n, count) for x in tau], axis=1)


def _run(name: str, model: Model, arith: Duals, state: list[list[Scalar]], world: World) -> list[Any]:
    with np.errstate(all="ignore"):
        return cast("list[Any]", reduced.run(ALGORITHMS[name], model, arith, state, world)[0])
