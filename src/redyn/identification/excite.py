"""Exciting motions: finite Fourier series whose base regressor is well conditioned."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redyn.arrays import real_array
from redyn.errors import InputError
from redyn.identification.base import BaseParameters, base_parameters
from redyn.robot import Robot
from redyn.trajectory.motion import Motion

Array = NDArray[np.float64]

SPEED, ACCELERATION = 1.5, 5.0  # rad/s or m/s, and per second: used if neither the file nor the caller gives a limit
MARGIN = 0.98  # share of every limit that the motion may use
INSTANTS = 100  # at least, at which the motion is sampled while it is optimised; MARGIN covers peaks in between


class Limits(NamedTuple):
    """Of every joint."""

    position: Array  # (dof, 2)
    speed: Array  # (dof,)
    acceleration: Array


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
        k = 2 * np.pi / self.duration * np.arange(1, self.sines.shape[1] + 1, dtype=np.float64)
        s, c = np.sin(np.outer(t, k)), np.cos(np.outer(t, k))
        a, b = self.sines.T, self.cosines.T
        w = k[:, None]
        return self.centre + s @ a + c @ b, c @ (w * a) - s @ (w * b), -(s @ (w**2 * a) + c @ (w**2 * b))


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
    limits = limits_of(robot, position, speed, acceleration)
    shape = _Shape(robot, duration, harmonics, limits)
    scale = usual_scale(base_parameters(robot, friction, armature), limits)
    rng = np.random.default_rng(seed)
    starts = rng.normal(size=(max(1, tries), shape.size))
    costs = _costs(scale, shape, starts)
    best, least = starts[int(np.argmin(costs))], float(costs.min())
    tick(0, np.exp(least))
    best = _descend(scale, shape, best, least, steps, tick)
    return shape.motion(best)


@dataclass(frozen=True)
class Scale:
    """Typical sizes by which equations and columns are divided, so that a condition number means something.

    Those of random states within the limits: fixed, so that a motion which hardly moves a column is the worse for it.
    """

    base: BaseParameters
    torques: Array  # (dof,)
    columns: Array  # (count,), of equations divided by their torques

    def log_conditions(self, Y: Array) -> Array:
        """Of several base regressors, (m, instants, dof, count), by their Gram matrices."""
        rows = (Y / self.torques[:, None] / self.columns).reshape(len(Y), -1, self.base.count)
        values = np.linalg.eigvalsh(np.swapaxes(rows, 1, 2) @ rows)
        return 0.5 * np.log(values[:, -1] / np.maximum(values[:, 0], 1e-16 * values[:, -1]))


def usual_scale(base: BaseParameters, limits: Limits, seed: int = 0) -> Scale:
    rng = np.random.default_rng(seed)
    low, high = limits.position.T
    q = rng.uniform(low, high, (400, len(low)))
    qd = rng.uniform(-limits.speed, limits.speed, q.shape)
    qdd = rng.uniform(-limits.acceleration, limits.acceleration, q.shape)
    Y = base.regressor(q, qd, qdd)
    torques = np.sqrt(((Y @ base.values) ** 2).mean(axis=0))
    torques = np.where(torques > 1e-6 * torques.max(), torques, max(float(torques.max()), 1e-300))
    columns = np.sqrt(((Y / torques[:, None]) ** 2).mean(axis=(0, 1)))
    return Scale(base, torques, np.where(columns > 0, columns, 1.0))


def condition(base: BaseParameters, motion: Motion, limits: Limits | None = None, instants: int = 1000) -> float:
    """Of the base regressor along a motion, equations and columns divided by their typical sizes."""
    scale = usual_scale(base, limits or limits_of(base.robot))
    Y = base.regressor(*motion(np.linspace(0.0, motion.duration, instants)))
    return float(np.exp(scale.log_conditions(Y[None])[0]))


class _Shape:
    """Maps any numbers to motions within the limits that start and end at rest."""

    def __init__(self, robot: Robot, duration: float, harmonics: int, limits: Limits) -> None:
        self.n, self.harmonics, self.duration = robot.dof, harmonics, duration
        self.limits = limits
        self.size = self.n * (2 * harmonics + 2)
        k = np.arange(1, harmonics + 1)
        self.rest_sines = np.eye(harmonics) - np.outer(k, k) / (k @ k)  # no rate at the ends: sum of k sine_k is 0
        self.rest_cosines = np.eye(harmonics) - np.outer(k**2, k**2) / (k**2 @ k**2)  # no acceleration
        self.t = np.linspace(0.0, duration, max(INSTANTS, 20 * harmonics), endpoint=False)
        self.rates = k * (2 * np.pi / duration)
        turns = np.outer(self.t, self.rates)
        self.waves = np.sin(turns), np.cos(turns)

    def coefficients(self, numbers: Array) -> tuple[Array, Array, Array]:
        """Centres, sines and cosines of several motions, (m, dof) and (m, dof, harmonics)."""
        parts = numbers.reshape(len(numbers), self.n, -1)
        k = np.arange(1, self.harmonics + 1)
        sines = (parts[..., : self.harmonics] / k) @ self.rest_sines
        cosines = (parts[..., self.harmonics : 2 * self.harmonics] / k) @ self.rest_cosines
        q, qd, qdd = self._motion(sines, cosines)
        low, high = q.min(axis=1), q.max(axis=1)
        room = self.limits.position[:, 1] - self.limits.position[:, 0]
        with np.errstate(divide="ignore"):
            largest = np.minimum(
                np.minimum(room / (high - low), self.limits.speed / np.abs(qd).max(axis=1)),
                self.limits.acceleration / np.abs(qdd).max(axis=1),
            )
        use = 0.5 + 0.5 / (1 + np.exp(-parts[..., -2] - 2.0))  # the share of the allowed range; most of it at first
        scale = MARGIN * largest * use
        place = 1 / (1 + np.exp(-parts[..., -1]))
        centre = self.limits.position[:, 0] + place * (room - scale * (high - low)) - scale * low
        return centre, sines * scale[..., None], cosines * scale[..., None]

    def _motion(self, sines: Array, cosines: Array) -> tuple[Array, Array, Array]:
        s, c = self.waves

        def series(a: Array, b: Array) -> Array:
            return np.einsum("mnk,tk->mtn", a, s) + np.einsum("mnk,tk->mtn", b, c)

        k = self.rates
        return series(sines, cosines), series(-k * cosines, k * sines), series(-(k**2) * sines, -(k**2) * cosines)

    def states(self, numbers: Array) -> list[Array]:
        """q, qd and qdd of several motions, (m, instants, dof) each."""
        centre, sines, cosines = self.coefficients(numbers)
        q, qd, qdd = self._motion(sines, cosines)
        return [q + centre[:, None], qd, qdd]

    def motion(self, numbers: Array) -> Fourier:
        centre, sines, cosines = (x[0] for x in self.coefficients(numbers[None]))
        return Fourier(self.duration, centre, sines, cosines)


def _costs(scale: Scale, shape: _Shape, many: Array) -> Array:
    """The logarithm of the condition number of several motions."""
    costs: list[Array] = []
    for start in range(0, len(many), 16):  # a few at a time: a regressor is large
        states = shape.states(many[start : start + 16])
        Y = scale.base.regressor(*(x.reshape(-1, shape.n) for x in states))
        costs.append(scale.log_conditions(Y.reshape(len(states[0]), -1, *Y.shape[1:])))
    return np.concatenate(costs)


def _descend(
    scale: Scale,
    shape: _Shape,
    start: Array,
    least: float,
    steps: int,
    tick: Callable[[int, float], None],
) -> Array:
    """Quasi-Newton with finite differences, for at most this many steps."""
    from scipy.optimize import minimize  # pyright: ignore[reportMissingTypeStubs, reportUnknownVariableType]

    h, count = 1e-5, [0]

    def value_and_slope(x: Array) -> tuple[float, Array]:
        costs = _costs(scale, shape, np.vstack([x, x + h * np.eye(len(x))]))
        count[0] += 1
        tick(min(count[0], steps), float(np.exp(costs[0])))
        return float(costs[0]), (costs[1:] - costs[0]) / h

    result = cast(Any, minimize)(
        value_and_slope, start, jac=True, method="L-BFGS-B", options={"maxfun": steps, "maxiter": steps}
    )
    return np.asarray(result.x) if result.fun < least else start


def limits_of(
    robot: Robot,
    position: ArrayLike | None = None,
    speed: ArrayLike | None = None,
    acceleration: ArrayLike | None = None,
) -> Limits:
    """What is given, else what the robot's file has, else defaults, for every velocity."""
    held = [link.joint.name for link in robot.model.driven if not (link.joint.single or link.joint.continues)]
    if held:
        raise InputError(
            f"{robot.name}: joint {held[0]!r} turns about a point, for which there are no such motions; "
            f"hold it, as in robot.lock({{{held[0]!r}: None}})"
        )
    turning = np.array([link.joint.kind != "prismatic" for link in robot.model.driven])
    half = np.where(turning, np.pi, 0.5)
    of_file = np.where(np.isfinite(robot.limits), robot.limits, np.stack([-half, half], axis=1))
    speeds = {link.name: link.joint.speed_limit or SPEED for link in robot.description.links}
    default_speed = np.array([speeds[link.name] for link in robot.model.driven])

    def given(name: str, value: ArrayLike | None, otherwise: Array) -> Array:
        if value is None:
            return otherwise
        try:
            array = np.broadcast_to(real_array(value), otherwise.shape)
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
    return Limits(places, fast, strong)
