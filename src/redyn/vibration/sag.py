"""Static sag: where elastic coordinates come to rest while the joints are held."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redyn.errors import InputError, SingularError
from redyn.vibration.robot_like import RobotLike

Array = NDArray[np.float64]

STEPS = 100
CLOSE = 1e-13  # of the largest modal force
ROUNDING = 1e-15  # m or rad, by which an elastic coordinate may be off
APART = 1e-6  # m or rad, of differences


class Loaded(RobotLike, Protocol):
    """A robot that is asked for torques as well."""

    def inverse_dynamics(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        external: Any = None,
        payload: Any = None,
        gravity: Any = None,
    ) -> Array: ...


def sag(
    robot: Loaded, q: ArrayLike, external: Mapping[str | int, ArrayLike] | None = None, gravity: ArrayLike | None = None
) -> Array:
    """q with its modes, and links beyond elastic gears, at rest under their loads. See `redyn.Robot.sag`."""
    base = set(robot.model.floating)
    free = [i for i in robot.model.undriven if i not in base]
    if robot.model.loops or robot.model.contacts:
        raise InputError(f"sag: {robot.name} has closed loops or wheels; this is of trees: robot.tree has none")
    start = robot.configuration("q", q)
    states = [_settled(robot, at, free, external, gravity) for at in np.atleast_2d(start)]
    return np.array(states) if start.ndim == 2 else states[0]


def _settled(robot: Loaded, q: Array, free: list[int], external: Any, gravity: Any) -> Array:
    """Newton's method."""
    still, best = np.zeros(robot.dof), np.inf
    scale = 0.0
    for _ in range(STEPS):
        needed = robot.inverse_dynamics(q, still, still, external, None, gravity)[free]
        K = _stiffness(robot, q, free, external, gravity)
        size = float(np.abs(needed).max(initial=0.0))
        scale = max(scale, size)
        least = CLOSE * scale + ROUNDING * float(np.abs(K).max(initial=0.0))
        if size <= least or (size >= best and size < 1e-9 * scale):
            if len(free) and not np.linalg.eigvalsh((K + K.T) / 2)[0] > 0.0:
                break
            return q
        best = min(best, size)
        step = np.zeros(robot.dof)
        try:
            step[free] = -np.linalg.solve(K, needed)
        except np.linalg.LinAlgError:
            break
        if not np.isfinite(step).all() or np.abs(step).max() > 1e3:
            break
        q = robot.integrate(q, step)
    raise SingularError(f"sag: {robot.name} has no stable shape at rest with its joints held here: its load buckles it")


def _stiffness(robot: Loaded, q: Array, free: list[int], external: Any, gravity: Any) -> Array:
    """How the modal forces grow with the elastic coordinates; loads that are given soften or stiffen as well.

    Derivatives are of the robot with its own gravity and without loads. With others, differences do: they steer
    Newton's method and tell whether a shape is stable.
    """
    still = np.zeros(robot.dof)
    if external is None and gravity is None:
        return robot.inverse_dynamics_derivatives(q, still, still)[0][np.ix_(free, free)]
    K = np.zeros((len(free), len(free)))
    for column, i in enumerate(free):
        step = np.zeros(robot.dof)
        step[i] = APART
        ahead, behind = (
            robot.inverse_dynamics(robot.integrate(q, way), still, still, external, None, gravity)[free]
            for way in (step, -step)
        )
        K[:, column] = (ahead - behind) / (2 * APART)
    return K
