"""Closed states of a robot with loops: what a derivation is shown and checked at."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from redyn.dynamics.task import Task
from redyn.errors import InputError, RedynError
from redyn.kinematics.loops import State, assembler, closure_of
from redyn.robot import Robot
from redyn.words import counted

Array = NDArray[np.float64]

OPEN = 1e-6  # m, rad, and per second: a loop that is further open is not closed
TRIES = 20
LARGE = 10.0  # a joint that moves this many times as fast as those that are driven: close to a singular position


def random_state(robot: Robot, rng: np.random.Generator) -> State:
    """A closed state away from singular positions."""
    for _ in range(TRIES):
        q = robot.random(rng)
        u, u_dot = rng.uniform(-1.5, 1.5, (2, robot.mobility))
        try:
            return moving(robot, q, u, u_dot)
        except RedynError:
            continue
    raise InputError(f"{robot.name}: no position was found at which its loops are not singular")


def moving(robot: Robot, q: Array, u: Array, u_dot: Array) -> State:
    """The motion of all joints, given the independent rates and their derivatives."""
    G = robot.transmission(q)
    if float(np.linalg.cond(G)) > 1e4:
        raise InputError(f"{robot.name} is close to a singular position")
    qd = G @ u
    return State(q, qd, G @ u_dot + bias(robot, q, qd))


def bias(robot: Robot, q: Array, qd: Array) -> Array:
    """G_dot u: the accelerations that the rates alone ask for, by least squares from J and gamma of the robot."""
    dependent = closure_of(robot).dependent(robot.dof)
    found = np.zeros(robot.dof)
    J = robot.loop_jacobian(q)[:, dependent]
    found[dependent] = np.linalg.lstsq(J, gamma(robot, q, qd), rcond=1e-9)[0]
    return found


def gamma(robot: Robot, q: Array, qd: Array) -> Array:
    """Of all rows."""
    return -robot.evaluator(Task("loop_accelerations"), [q[None], qd[None], np.zeros((1, robot.dof))])[0][0]


# --- the state of a worked example -----------------------------------------------------------------------------------


def example(robot: Robot, q: Array | None, qd: Array | None, qdd: Array | None) -> State:
    """The state that a user gives, of all joints or of the actuated ones; a generic one where nothing is given."""
    at = _generic(robot) if q is None else _closed(robot, q)
    rates, accelerations = (np.resize(np.array(x), robot.mobility) for x in ([1.0, -0.5, 0.8], [0.5, 1.5, -1.0]))
    G = robot.transmission(at)
    velocity = G @ rates if qd is None else _completed(robot, at, "qd", qd, np.zeros(robot.dof))
    free = bias(robot, at, velocity)
    return State(at, velocity, G @ accelerations + free if qdd is None else _completed(robot, at, "qdd", qdd, free))


def _generic(robot: Robot) -> Array:
    """Some way from the initial configuration, which may be special; not so far that the rates become large."""
    whole = {"revolute": np.pi / 6, "prismatic": 0.05}
    joints = [
        (v.q, whole[v.joint.kind]) for v in robot.model.variables if v.joint.name in robot.actuated and v.size == 1
    ]
    for part in (1.0, -1.0, 0.5, -0.5, 0.25, -0.25):
        try:
            q = robot.complete([robot.initial[at] + part * step for at, step in joints]).q
            if float(np.abs(robot.transmission(q)).max()) < LARGE:
                return q
        except RedynError:
            continue
    return random_state(robot, np.random.default_rng(0)).q


def _closed(robot: Robot, q: Array) -> Array:
    """A closed configuration: as given, or completed from the actuated joints."""
    if len(q) != robot.nq:
        return robot.complete(q).q
    at = robot.configuration("q", q)
    solver = assembler(robot)
    if float(np.abs(solver.residual(at[None])).max(initial=0.0)) > OPEN:
        name, how_far = solver.widest(at)
        raise InputError(
            f"q: loop {name!r} is open by {how_far}; give the actuated joints alone ({', '.join(robot.actuated)}), or "
            "what robot.assemble(q) makes of it"
        )
    return at


def _completed(robot: Robot, q: Array, name: str, given: Array, free: Array) -> Array:
    """Rates or accelerations of all joints, from these or from the actuated ones; `free` is where these are zero."""
    G, closure = robot.transmission(q), closure_of(robot)
    named = list(range(robot.dof)) if len(given) == robot.dof else list(closure.driven)
    if len(given) != len(named):
        raise InputError(
            f"{name}: expected {counted(len(closure.driven), 'number')} for the actuated joints "
            f"({', '.join(robot.actuated)}) or {robot.dof} for all of them, got {len(given)}"
        )
    u = np.linalg.lstsq(G[named], given - free[named], rcond=1e-9)[0]
    found = G @ u + free
    off = np.abs(found[named] - given)
    if float(off.max(initial=0.0)) > OPEN * max(1.0, float(np.abs(given).max(initial=0.0))):
        worst = int(np.argmax(off))
        raise InputError(
            f"{name}: these do not keep the loops closed ({robot.velocity_names[named[worst]]!r} is off by "
            f"{off[worst]:.3g}); give the actuated joints alone ({', '.join(robot.actuated)})"
        )
    return found
