"""Compares the equations of a robot on wheels with the numbers of its compiled kernels, at random states."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from redyn.arithmetic import Floats
from redyn.dynamics.rolling import RollingMap
from redyn.robot import Robot
from redyn.symbolic.agreement import TOLERANCE, Agreement, Comparison, distance
from redyn.symbolic.check import derivations
from redyn.symbolic.rolling.euler import free_accelerations, free_state, free_torques

if TYPE_CHECKING:
    from redyn.symbolic.rolling.equations import RollingEquations

Array = NDArray[np.float64]

_TINY = 1e-12  # what is smaller than this is compared as if it were this large


@dataclass(frozen=True)
class RollingState:
    """A state of the independent rates, with those of all joints."""

    q: Array
    u: Array
    u_dot: Array
    qd: Array
    qdd: Array
    A: Array  # the rows that count
    S: Array
    gamma: Array


def state(robot: Robot, q: Array, u: Array, u_dot: Array) -> RollingState:
    """All rates at a state, by the robot's own recursions."""
    model, arith = robot.model, Floats()
    found = RollingMap(model, model.reduction, arith, q.tolist())  # pyright: ignore[reportArgumentType]
    S = np.array(found.columns, dtype=np.float64).T
    qd = S @ u
    gamma = np.array(found.bias(qd.tolist(), u.tolist()), dtype=np.float64)
    return RollingState(q, u, u_dot, qd, S @ u_dot + gamma, np.array(found.A, dtype=np.float64), S, gamma)


def random_state(robot: Robot, rng: np.random.Generator) -> RollingState:
    """Angles between 0.3 and 1.2 rad, where disks do not lie flat and steered wheels stand not across."""
    return state(robot, rng.uniform(0.3, 1.2, robot.nq), *rng.uniform(-1.5, 1.5, (2, robot.dof)))


def multipliers(robot: Robot, at: RollingState, tau: Array) -> tuple[Array, Array]:
    """lambda of the rows, and f = M qdd + h - tau of the tree that they balance."""
    f = robot.tree.inverse_dynamics(at.q, at.qd, at.qdd)
    f[list(robot.model.reduction.driven)] -= tau  # pyright: ignore
    return np.linalg.lstsq(at.A.T, f, rcond=None)[0], f


def check(eqs: RollingEquations, points: int, seed: int) -> Agreement:
    rng = np.random.default_rng(seed)
    found = derivations(eqs, points, rng)
    unknown = eqs.contradictions or eqs.valueless
    if unknown:
        return Agreement(
            (*found, Comparison("the equations and the robot's numbers", None, f": no value for {', '.join(unknown)}"))
        )
    states = [random_state(eqs.robot, rng) for _ in range(points)]
    tests = {**_TESTS, **(_FREE if eqs.free is not None else {})}
    for what, test in tests.items():
        worst = max(test(eqs, at) for at in states)
        found.append(Comparison(what, worst < TOLERANCE, f" at {points} random states"))
    return Agreement(tuple(found))


def _tree(eqs: RollingEquations, at: RollingState) -> float:
    torque = eqs.evaluate("torque", at.q, at.qd, at.qdd)
    return distance(torque, eqs.robot.tree.inverse_dynamics(at.q, at.qd, at.qdd), _TINY)


def _rates(eqs: RollingEquations, at: RollingState) -> float:
    pairs = (
        (eqs.evaluate("constraints", at.q), at.A),
        (eqs.evaluate("transmission", at.q), at.S),
        (eqs.evaluate("transmission_rate", at.q, at.u), at.gamma),
    )
    return max(distance(a, b) for a, b in pairs)


def _inertia(eqs: RollingEquations, at: RollingState) -> float:
    return distance(eqs.evaluate("reduced_mass_matrix", at.q), eqs.robot.mass_matrix(at.q), _TINY)


def _inverse(eqs: RollingEquations, at: RollingState) -> float:
    """S^T tau of the torques that the kernel finds."""
    left = eqs.evaluate("reduced_torque", at.q, at.u, at.u_dot)
    tau = eqs.robot.inverse_dynamics(at.q, at.u, at.u_dot)
    return distance(eqs.evaluate("actuation", at.q) @ tau, left, _TINY)


def _forward(eqs: RollingEquations, at: RollingState) -> float:
    B = eqs.evaluate("actuation", at.q)
    tau = np.linspace(-1.0, 2.0, B.shape[1])
    left = eqs.evaluate("reduced_torque", at.q, at.u, np.zeros(len(at.u)))
    found = np.linalg.solve(eqs.evaluate("reduced_mass_matrix", at.q), B @ tau - left)
    return distance(found, eqs.robot.forward_dynamics(at.q, at.u, tau), _TINY)


def _multipliers(eqs: RollingEquations, at: RollingState) -> float:
    tau = eqs.robot.inverse_dynamics(at.q, at.u, at.u_dot)
    expected, f = multipliers(eqs.robot, at, tau)
    symbols = dict(zip(eqs.q, at.q, strict=True)) | dict(zip(eqs.rolling.forces, f, strict=True)) | eqs.values
    found = np.array([float(x.xreplace(symbols)) for x in eqs.multipliers])
    return distance(found, expected, _TINY)


def _free(eqs: RollingEquations, at: RollingState) -> float:
    """The disk on its free base: accelerations by its kernels at the same state."""
    assert eqs.free is not None
    tau = np.array([0.3, -0.2, 0.1])
    left = eqs.evaluate("reduced_torque", at.q, at.u, np.zeros(3))
    found = np.linalg.solve(eqs.evaluate("reduced_mass_matrix", at.q), tau - left)
    q, omega = free_state(at.q, at.u)
    moment = free_torques(at.q, tau)
    return distance(free_accelerations(at.q, at.u, found), eqs.free.forward_dynamics(q, omega, moment), _TINY)


_TESTS: dict[str, Callable[[RollingEquations, RollingState], float]] = {
    "the equations of the tree and its numbers": _tree,
    "A, S and gamma and the robot's": _rates,
    "S^T M S and the robot's mass matrix": _inertia,
    "the reduced equation and the robot's inverse dynamics": _inverse,
    "the reduced equation and the robot's forward dynamics": _forward,
    "the multipliers and the forces that the tree needs": _multipliers,
}
_FREE = {"the reduced equation and the forward dynamics of the disk on a free base": _free}
