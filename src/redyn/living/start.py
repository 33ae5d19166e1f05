"""Where the robot of a page starts: so that something is seen to happen when it is let go."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redyn.errors import InputError, RedynError
from redyn.evaluate import normal
from redyn.kinematics.shape import joint_values, reach
from redyn.living.coordinates import turns
from redyn.robot.free import FreeRobot

Array = NDArray[np.float64]

STATES = 24  # at which the torques of gravity are looked at
STILL = 0.02  # of the largest torque of gravity: below, nothing seems to happen when the robot is let go
ASIDE = 0.6  # rad, by which a robot that would hang still starts elsewhere
SLOWLY = 0.05  # rad/s^2, and reaches per s^2
SPUN = 6.0  # rad/s, of a disk about its axis
FREE = 6  # rates of a free base, which come first
PUSHED = (0.7, 1.0)  # reaches per s and rad/s, with which a robot starts that nothing moves


def start(robot: FreeRobot, q: ArrayLike | None, qd: ArrayLike | None) -> tuple[Array, Array]:
    """q and qd as given; else the initial position or one aside of it, at rest or with rates that move the robot on."""
    at = _position(robot, q)
    if qd is not None:
        given = normal("qd", qd, robot.dof, "the rates to start with")
        if given.shape != (robot.dof,) or not np.isfinite(given).all():
            raise InputError(f"qd: expected {robot.dof} finite numbers, got shape {given.shape}")
        return at, _kept(robot, at, given)
    still = np.zeros(robot.dof)
    return at, still if q is not None or _moves(robot, at) else _rates(robot, at)


def _position(robot: FreeRobot, q: ArrayLike | None) -> Array:
    if q is not None:
        given = joint_values(robot, q)
        if given.ndim != 1 or not np.isfinite(given).all():
            raise InputError(f"q: expected {robot.nq} finite numbers, got shape {given.shape}")
        return given
    at, model = robot.initial, robot.model
    if model.loops or model.contacts or len(model.floating) or not np.any(robot.gravity):
        return at
    rng = np.random.default_rng(0)
    most = np.abs(robot.gravity_torque(np.array([robot.random(rng) for _ in range(STATES)]))).max()
    if np.abs(robot.gravity_torque(at)).max() >= STILL * most:
        return at
    aside = at.copy()
    for variable in model.variables:
        if variable.joint.single and turns(variable.joint) and variable.joint.kind != "mode":
            low, high = robot.limits[variable.rate]
            aside[variable.q] = np.clip(at[variable.q] + ASIDE, low, high)
    return aside


def _leans(robot: FreeRobot) -> bool:
    """Whether it is a disk that rolls freely: at rest it only falls over."""
    return bool(robot.model.contacts and robot.model.quaternions)


def _moves(robot: FreeRobot, q: Array) -> bool:
    """Whether weights or springs move it."""
    if _leans(robot):
        return False
    try:
        a = robot.forward_dynamics(q, np.zeros(robot.dof), np.zeros(len(robot.model.actuators)))
    except RedynError:
        return True  # a singular position: its own motion is seen or explained there
    scales = np.array([1.0 if turns(link.joint) else reach(robot) for link in robot.model.driven])
    return bool((np.abs(a) > SLOWLY * scales).any())


def _rates(robot: FreeRobot, q: Array) -> Array:
    model, size = robot.model, reach(robot)
    wanted = np.zeros(robot.dof)
    if _leans(robot):
        wanted[-1] = SPUN
        return wanted
    slow, usual = PUSHED
    base = [] if model.contacts or robot.dof == len(model.floating) else list(model.floating)
    for k, link in enumerate(model.driven):
        if link.joint.kind != "mode" and not link.joint.motor and k not in base:
            wanted[k] = usual if turns(link.joint) else slow * size
    if len(base) == FREE and not model.loops:  # it drifts by what its arms do alone
        wanted[base] = robot.base_velocity(q, wanted[FREE:])
    return _kept(robot, q, wanted)


def _kept(robot: FreeRobot, q: Array, rates: Array) -> Array:
    """The rates that keep loops closed and have the independent ones as given."""
    if not robot.model.loops:
        return rates
    assert robot.model.closure is not None
    return robot.transmission(q) @ rates[list(robot.model.closure.independent)]
