"""Motions that show the parameters: finite Fourier series whose base regressor is as well conditioned as can be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redyn.errors import InputError
from redyn.identification.base import BaseParameters, base_parameters
from redyn.robot import Robot
from redyn.trajectory.motion import Motion

Array = NDArray[np.float64]

SPEED, ACCELERATION = 1.5, 5.0  # rad/s or m/s, and per second: where neither file nor caller has a limit
MARGIN = 0.98  # of every limit that the motion may use
INSTANTS = 200  # at which it is looked at while it is shaped


@dataclass(frozen=True)
class Fourier(Motion):
    """q_i(t) = centre_i + sum over k of sine_ik sin(k w t) + cosine_ik cos(k w t), with w = 2 pi / duration.

    It starts and ends at rest: rates and accelerations are zero there.
    """

    centre: Array  # (dof,)
    sines: Array  # (dof, harmonics)
    cosines: Array

    @property
    def dof(self) -> int:
        return len(self.centre)

    def _within(self, t: Array) -> tuple[Array, Array, Array]:
        k = np.arange(1, self.sines.shape[1] + 1) * (2 * np.pi / self.duration)
        s, c = np.sin(np.outer(t, k)), np.cos(np.outer(t, k))
        a, b = self.sines.T, self.cosines.T
        k = k[:, None]
        return self.centre + s @ a + c @ b, c @ (k * a) - s @ (k * b), -(s @ (k**2 * a) + c @ (k**2 * b))


def exciting_motion(
    robot: Robot,
    duration: float = 20.0,
    harmonics: int = 5,
    *,
    position: ArrayLike | None = None,
    speed: ArrayLike | None = None,
    acceleration: ArrayLike | None = None,
    friction: bool = False,
    armature: bool = False,
    tries: int = 30,
    steps: int = 40,
    seed: int = 0,
    tick: Callable[[int, float], None] = lambda step, condition: None,
) -> Fourier:
    """A periodic motion within the limits whose base regressor has a small condition number.

    Limits come from the robot's file where the caller gives none: `position` (dof, 2), `speed` and `acceleration` one
    number or one per joint; where neither has any, a joint keeps within half a turn (half a metre), 1.5 rad/s (m/s)
    and 5 rad/s^2 (m/s^2). Collisions are not looked at: see `redyn.kinematics.clearance`.

    >>> import redyn
    >>> motion = exciting_motion(redyn.load("two-link"), duration=8.0, tries=3, steps=3)
    >>> q, qd, qdd = motion(np.linspace(0.0, 8.0, 1000))
    >>> bool(abs(qd).max() <= 1.5), bool(abs(qdd).max() <= 5.0), bool(abs(qd[[0, -1]]).max() < 1e-12)
    (True, True, True)
    """
    if not 0 < duration < np.inf:
        raise InputError(f"duration: expected a positive number of seconds, got {duration}")
    if not 3 <= harmonics <= 50:
        raise InputError(f"harmonics: expected from 3 to 50, got {harmonics}")
    shape = _Shape(robot, duration, harmonics, _limits(robot, position, speed, acceleration))
    base = base_parameters(robot, friction, armature)
    rng = np.random.default_rng(seed)
    starts = rng.normal(size=(max(1, tries), shape.size))
    costs = _costs(base, shape, starts)
    best, least = starts[int(np.argmin(costs))], float(costs.min())
    tick(0, np.exp(least))
    best = _descend(base, shape, best, least, steps, tick)
    return shape.motion(best)


def condition(base: BaseParameters, motion: Motion, instants: int = 1000) -> float:
    """Of the base regressor along a motion, with columns scaled to length one."""
    Y = base.regressor(*motion(np.linspace(0.0, motion.duration, instants))).reshape(-1, base.count)
    lengths = np.linalg.norm(Y, axis=0)
    values = np.linalg.svd(Y / np.where(lengths > 0, lengths, 1.0), compute_uv=False)
    return float(values[0] / values[-1]) if values[-1] > 0 else np.inf


class _Shape:
    """Any numbers as a motion within the limits: each joint's series is turned to rest at its ends and scaled to fit."""

    def __init__(self, robot: Robot, duration: float, harmonics: int, limits: tuple[Array, Array, Array]) -> None:
        self.n, self.harmonics, self.duration = robot.dof, harmonics, duration
        self.position, self.speed, self.acceleration = limits
        self.size = self.n * (2 * harmonics + 2)
        k = np.arange(1, harmonics + 1)
        self.rest_sines = np.eye(harmonics) - np.outer(k, k) / (k @ k)  # no rate at the ends: sum of k sine_k is 0
        self.rest_cosines = np.eye(harmonics) - np.outer(k**2, k**2) / (k**2 @ k**2)  # no acceleration
        self.instants = np.linspace(0.0, duration, max(INSTANTS, 40 * harmonics))

    def motion(self, numbers: Array) -> Fourier:
        parts = numbers.reshape(self.n, -1)
        k = np.arange(1, self.harmonics + 1)
        sines = (parts[:, : self.harmonics] / k) @ self.rest_sines
        cosines = (parts[:, self.harmonics : 2 * self.harmonics] / k) @ self.rest_cosines
        raw = Fourier(self.duration, np.zeros(self.n), sines, cosines)
        q, qd, qdd = raw(self.instants)
        low, high = q.min(axis=0), q.max(axis=0)
        room = self.position[:, 1] - self.position[:, 0]
        with np.errstate(divide="ignore"):
            largest = np.minimum(
                np.minimum(room / (high - low), self.speed / np.abs(qd).max(axis=0)),
                self.acceleration / np.abs(qdd).max(axis=0),
            )
        use = 0.5 + 0.5 / (1 + np.exp(-parts[:, -2] - 2.0))  # how much of what is allowed; most, at first
        scale = MARGIN * largest * use
        spare = room - scale * (high - low)
        place = 1 / (1 + np.exp(-parts[:, -1]))
        centre = self.position[:, 0] + place * spare - scale * low
        return Fourier(self.duration, centre, sines * scale[:, None], cosines * scale[:, None])


def _costs(base: BaseParameters, shape: _Shape, many: Array) -> Array:
    """The logarithm of the condition number of several motions, by their Gram matrices."""
    t = np.linspace(0.0, shape.duration, INSTANTS, endpoint=False)
    costs = np.empty(len(many))
    for i, numbers in enumerate(many):
        Y = base.regressor(*shape.motion(numbers)(t)).reshape(-1, base.count)
        lengths = np.linalg.norm(Y, axis=0)
        if not lengths.all():
            costs[i] = 50.0
            continue
        values = np.linalg.eigvalsh((Y / lengths).T @ (Y / lengths))
        costs[i] = 0.5 * np.log(values[-1] / max(values[0], 1e-16 * values[-1]))
    return costs


def _descend(
    base: BaseParameters,
    shape: _Shape,
    start: Array,
    least: float,
    steps: int,
    tick: Callable[[int, float], None],
) -> Array:
    """Quasi-Newton with differences, for as many steps as allowed."""
    from scipy.optimize import minimize  # pyright: ignore[reportMissingTypeStubs, reportUnknownVariableType]

    h, count = 1e-5, [0]

    def value_and_slope(x: Array) -> tuple[float, Array]:
        costs = _costs(base, shape, np.vstack([x, x + h * np.eye(len(x))]))
        count[0] += 1
        tick(min(count[0], steps), float(np.exp(costs[0])))
        return float(costs[0]), (costs[1:] - costs[0]) / h

    result = cast(Any, minimize)(
        value_and_slope, start, jac=True, method="L-BFGS-B", options={"maxfun": steps, "maxiter": steps}
    )
    return np.asarray(result.x) if result.fun < least else start


def _limits(
    robot: Robot, position: ArrayLike | None, speed: ArrayLike | None, acceleration: ArrayLike | None
) -> tuple[Array, Array, Array]:
    turning = np.array([link.joint.kind == "revolute" for link in robot.model.links])
    half = np.where(turning, np.pi, 0.5)
    of_file = np.where(np.isfinite(robot.limits), robot.limits, np.stack([-half, half], axis=1))
    speeds = {link.name: link.joint.speed_limit or SPEED for link in robot.description.links}
    default_speed = np.array([speeds[name] for name in robot.link_names])

    def given(name: str, value: ArrayLike | None, otherwise: Array) -> Array:
        if value is None:
            return otherwise
        try:
            array = np.broadcast_to(np.asarray(value, dtype=np.float64), otherwise.shape)
        except (TypeError, ValueError):
            raise InputError(f"{name}: expected numbers of shape {otherwise.shape}") from None
        if not np.isfinite(array).all():
            raise InputError(f"{name}: expected finite numbers")
        return array

    places = given("position", position, of_file)
    fast = given("speed", speed, default_speed)
    strong = given("acceleration", acceleration, np.full(robot.dof, ACCELERATION))
    if (places[:, 0] >= places[:, 1]).any() or (fast <= 0).any() or (strong <= 0).any():
        raise InputError("limits: expected lower below upper positions, and speeds and accelerations above 0")
    return places, fast, strong
