"""Poses and rates of robots with closed loops: closing, following, completing, and what the cut joints carry."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redyn.dynamics.task import Task
from redyn.errors import AssemblyError, InputError
from redyn.evaluate import normal
from redyn.kinematics.assembly import CLOSED, RANK, Assembler
from redyn.kinematics.linear import left_null_space, null_space, pseudo_inverse, random_direction, solve
from redyn.kinematics.robot_like import RobotLike
from redyn.model import ACROSS, ALONG, GEAR, Closure, configuration
from redyn.words import counted, suggestion

Array = NDArray[np.float64]

PROJECTIONS = 8  # Newton's steps; each squares the error
WANDERING = 10  # steps of a random configuration


class State(NamedTuple):
    """Of one state or many: see `Robot.complete`."""

    q: Array
    qd: Array
    qdd: Array


def closure_of(robot: RobotLike) -> Closure:
    """What the loops come down to; an error if they cannot be closed, or there are none."""
    if not robot.model.loops:
        raise InputError(f"{robot.description.name} has no loops")
    robot.evaluator.plan(Task("transmission"))  # says why the loops cannot be closed, if that is so
    assert robot.model.closure is not None
    return robot.model.closure


def assembler(robot: RobotLike) -> Assembler:
    """For the rows that are enough."""
    closure = robot.model.closure

    def evaluate(task: Task, inputs: list[Array]) -> tuple[Array, ...]:
        return robot.evaluator(task, inputs, threads=1, check=False)

    return Assembler(robot.model, evaluate, None if closure is None else closure.rows)


def assemble(robot: RobotLike, q: ArrayLike, fixed: Sequence[str] = ()) -> Array:
    """A closed configuration near q, with the joints `fixed` where they are."""
    start = robot.configuration("q", q)
    if not robot.model.loops:
        return start.copy()
    held = _rates_of(robot, fixed, "fixed")
    found = assembler(robot).assemble(np.atleast_2d(start), held)
    return found if start.ndim == 2 else found[0]


def project(robot: RobotLike, q: ArrayLike, qd: ArrayLike) -> tuple[Array, Array]:
    """The nearest closed state, in the metric of the mass matrix."""
    start = robot.configuration("q", q)
    rates = normal("qd", qd, robot.dof, counted(robot.dof, "number"))
    single = start.ndim == rates.ndim == 1
    count = max(len(np.atleast_2d(start)), len(np.atleast_2d(rates)))
    Q, V = (np.array(np.broadcast_to(np.atleast_2d(x), (count, x.shape[-1]))) for x in (start, rates))
    if robot.model.loops:
        closure_of(robot)
        Q, V = _projected(robot, Q, V)
    return (Q[0], V[0]) if single else (Q, V)


def _projected(robot: RobotLike, Q: Array, V: Array) -> tuple[Array, Array]:
    solver = assembler(robot)
    with np.errstate(all="ignore"):
        for _ in range(PROJECTIONS):
            gap = np.abs(solver.residual(Q)).max(axis=1, initial=0.0)
            if gap.max(initial=0.0) <= 1e-15:
                break
            moved, _ = robot.evaluator(Task("projection", guarded=False), [Q, V], check=False)
            configuration.normalise(moved, robot.model.quaternions)
            better = np.abs(solver.residual(moved)).max(axis=1, initial=0.0) < gap
            if not better.any():
                break
            Q[better] = moved[better]
        left = np.abs(solver.residual(Q)).max(axis=1, initial=0.0) > CLOSED
        if left.any():
            Q[left] = solver.assemble(Q[left])
        rates = robot.evaluator(Task("projection", guarded=False), [Q, V], check=False)[1]
    J = solver.jacobian(Q)
    bad = ~np.isfinite(rates).all(axis=1) | (np.abs(np.einsum("nij,nj->ni", J, rates)).max(axis=1, initial=0) > 1e-9)
    if bad.any():  # a singular position: by singular values
        rates[bad] = _shortest_rates(robot.mass_matrix(Q[bad]), J[bad], V[bad])
    return Q, rates


def _shortest_rates(M: Array, J: Array, V: Array) -> Array:
    """The nearest rates that keep loops closed, in the metric of the mass matrix."""
    L = np.asarray(np.linalg.cholesky(M), dtype=np.float64)
    scaled = solve(L, J.transpose(0, 2, 1)).transpose(0, 2, 1)
    step = np.einsum("nij,nj->ni", pseudo_inverse(scaled, RANK), -np.einsum("nij,nj->ni", J, V))
    return V + solve(L.transpose(0, 2, 1), step)


def complete(
    robot: RobotLike,
    q_a: ArrayLike,
    qd_a: ArrayLike | None = None,
    qdd_a: ArrayLike | None = None,
    near: ArrayLike | None = None,
) -> State:
    """Of all joints, from the actuated ones; many rows are followed one after the other."""
    at, held = actuated_slots(robot)
    names = ", ".join(_actuated_names(robot))
    values = normal("q_a", q_a, len(at), f"{counted(len(at), 'number')} for the actuated joints ({names})")
    start = robot.initial if near is None else robot.configuration("near", near)
    if start.ndim == 2:
        raise InputError("near: expected one configuration, from which the rows of q_a are followed")
    solver = assembler(robot)
    start = solver.assemble(start[None])[0]
    path = solver.follow(start, np.atleast_2d(values), held, at)
    counts = f"{counted(len(held), 'number')} for the actuated joints"
    qd = _from_driven(robot, path, "qd_a", qd_a, held, counts, lambda: np.zeros((len(path), len(solver.rows))))
    bias = -robot.evaluator(Task("loop_accelerations"), [path, qd, np.zeros_like(qd)])[0][:, solver.rows]
    qdd = _from_driven(robot, path, "qdd_a", qdd_a, held, counts, lambda: bias)
    return State(path, qd, qdd) if values.ndim == 2 else State(path[0], qd[0], qdd[0])


def _from_driven(
    robot: RobotLike,
    q: Array,
    name: str,
    values: ArrayLike | None,
    held: Sequence[int],
    meaning: str,
    right: Callable[[], Array],
) -> Array:
    """Rates or accelerations x of all joints with J x = right, given those that are held."""
    solver = assembler(robot)
    given = normal(name, np.zeros(len(held)) if values is None else values, len(held), meaning)
    J, x = solver.jacobian(q), np.zeros((len(q), robot.dof))
    if given.ndim == 2 and len(given) not in (1, len(q)):
        raise InputError(f"{name}: {counted(len(given), 'row')} for {len(q)} of q_a; give equal numbers")
    x[:, held] = np.broadcast_to(given, (len(q), len(held)))
    others = [i for i in range(robot.dof) if i not in set(held)]
    rest = right() - np.einsum("nij,nj->ni", J, x)
    if others and J.size:
        x[:, others] = np.einsum("nij,nj->ni", pseudo_inverse(J[:, :, others], RANK), rest)
    left = np.abs(np.einsum("nij,nj->ni", J, x) - right()).max(initial=0.0)
    if left > 1e-8 * max(1.0, float(np.abs(x).max(initial=0.0))):
        raise AssemblyError(f"{name}: no motion of the other joints goes with these rates of the actuated ones")
    return x


def wandered(robot: RobotLike, generator: np.random.Generator) -> Array:
    """A closed configuration, some random steps away from the initial one; that itself if it cannot be closed."""
    if robot.model.closure is None:
        return robot.initial
    solver, q = assembler(robot), robot.initial
    for _ in range(WANDERING):
        free = null_space(solver.jacobian(q[None])[0] * solver.weights)
        if not free.shape[1]:
            break
        direction = random_direction(free, generator.uniform(0.1, 0.5), generator) * solver.weights
        there, gap = solver.close(configuration.integrate(robot.model, q[None], direction[None]))
        q = there[0] if gap[0] <= CLOSED else q
    return q


def actuated_slots(robot: RobotLike) -> tuple[list[int], list[int]]:
    """Where the actuated joints are in q and in qd; an error if they do not determine the others."""
    closure, names = closure_of(robot), _actuated_names(robot)
    held = _rates_of(robot, names, "actuated")
    if len(held) < robot.model.mobility:
        free = [link.joint.label for i, link in enumerate(robot.model.driven) if i in closure.independent]
        raise InputError(
            f"{counted(len(held), 'actuated rate')} cannot determine a robot of mobility {robot.model.mobility}, whose "
            f"independent rates are {', '.join(free)}"
        )
    at = _coordinates_of(robot, names)
    if len(at) != len(held):
        raise InputError("actuated joints that turn about a point cannot be followed; use assemble with fixed=")
    return at, held


def _actuated_names(robot: RobotLike) -> list[str]:
    chosen = set(robot.description.actuated or [])
    return list(dict.fromkeys(link.joint.name for link in robot.model.driven if link.joint.name in chosen))


def _rates_of(robot: RobotLike, names: Sequence[str], what: str) -> list[int]:
    """The rates of some joints, in the order of qd."""
    every = list(dict.fromkeys(link.joint.name for link in robot.model.driven))
    wanted: Any = [names] if isinstance(names, str) else names
    for name in wanted:
        if name not in every:
            raise InputError(f"{what}: {robot.description.name} has no joint {name!r}{suggestion(str(name), every)}")
    return [i for i, link in enumerate(robot.model.driven) if link.joint.name in wanted]


def _coordinates_of(robot: RobotLike, names: Sequence[str]) -> list[int]:
    """Where the coordinates of some joints are in q."""
    chosen = [v for v in robot.model.variables if v.joint.name in names]
    return [i for v in chosen for i in range(v.q, v.q + v.size)]


# --- what the cut joints carry ------------------------------------------------------------------------------------


def loop_wrenches(robot: RobotLike, multipliers: Array, q: Array) -> Array:
    """(N, L, 6): what A exerts on B, in A's axes at B's origin; NaN where the loops do not determine it."""
    closure, model = closure_of(robot), robot.model
    values = np.zeros((len(q), len(model.rows)))
    values[:, list(closure.rows)] = multipliers
    values[:, list(closure.undetermined)] = np.nan
    if closure.deficient:
        J = assembler(robot).jacobian(q)
        for n, matrix in enumerate(J):
            loose = np.linalg.norm(left_null_space(matrix), axis=1) > 1e-6
            values[n, np.array(closure.rows)[loose]] = np.nan
    poses = robot.evaluator(Task("loop_poses"), [q])[0]
    found = np.zeros((len(q), len(model.loops), 6))
    first = 0
    for k, loop in enumerate(model.loops):
        for row, value in zip(loop.rows, values[:, first : first + len(loop.rows)].T, strict=True):
            unit = _unit(row, poses[:, k], loop.numbers)
            found[:, k] += np.where(unit == 0.0, 0.0, value[:, None] * unit)  # NaN times zero is no zero
        first += len(loop.rows)
    return found


def _unit(row: int, pose: Array, numbers: Sequence[Any]) -> Array:
    """(N, 6): the wrench of a unit multiplier."""
    wrench = np.zeros((len(pose), 6))
    if row < 6:
        wrench[:, row] = 1.0
    elif row == ACROSS:
        wrench[:, 1], wrench[:, 2] = pose[:, 2, 1], -pose[:, 1, 1]
    elif row == ALONG:
        wrench[:, 3:] = pose[:, :3, 3] / numbers[0]
    elif row == GEAR:
        wrench[:, 2] = 1.0  # about the axis of the second joint
    return wrench
