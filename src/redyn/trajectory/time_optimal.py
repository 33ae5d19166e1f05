"""The fastest timing of a path within limits of torque, speed and acceleration.

Along a path q(s) the torques are a(s) u + b(s) x + c(s) with x = s_dot^2 and u = s_ddot (Bobrow, Dubowsky and Gibson
1985): a = M q', b = M q'' + h(q, q'), c = gravity and springs; accelerations are q' u + q'' x. Friction is added at its
rate. On a grid of s, with u constant between two points, x is linear there. A pass from the end finds the largest x at
each point from which the rest can be done, a pass from the start takes the largest u that stays below (Pham and Pham
2018). Limits hold at both ends of every interval, each with the x that it has there; what they miss in between is
measured, and taken off the limits until it is within the tolerance.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike

from redyn.arrays import real_array
from redyn.errors import InputError
from redyn.trajectory.motion import Array, Motion
from redyn.words import counted

if TYPE_CHECKING:
    from redyn.robot import Robot

Path = Callable[[Array], tuple[Array, Array, Array]]  # of s: q, q' and q''

HALVINGS = 60
TOLERANCE = 1e-3  # share of a limit by which it may be exceeded between two points of the grid
ROUNDS = 6  # in which limits are lowered until that is so
STILL = 1e-9  # of the largest |q'|: less, and the path stands still
ROUNDING = 1e-9


@dataclass(frozen=True)
class TimeOptimal(Motion):
    """See `time_optimal`. The path parameter `s` has the squared rate `x` at the points of the grid, at `instants`."""

    robot: Robot
    path: Path
    s: Array
    x: Array
    instants: Array
    torque: Array  # limits, infinite where there are none
    speed: Array
    acceleration: Array

    @property
    def dof(self) -> int:
        return self.robot.dof

    def _breaks(self) -> Array:
        return self.instants

    def parameter(self, t: ArrayLike) -> tuple[Array, Array, Array]:
        """s, its rate and its acceleration at times."""
        time = np.clip(np.asarray(t, dtype=np.float64), 0.0, self.duration)
        k = np.clip(np.searchsorted(self.instants, time, side="right") - 1, 0, len(self.s) - 2)
        gone, rate = time - self.instants[k], np.sqrt(self.x[k])
        u = (self.x[k + 1] - self.x[k]) / (2 * (self.s[k + 1] - self.s[k]))
        return self.s[k] + gone * (rate + gone * u / 2), rate + u * gone, u

    def _within(self, t: Array) -> tuple[Array, Array, Array]:
        s, rate, u = (x[:, None] for x in self.parameter(t))
        q, first, second = self.path(np.clip(s[:, 0], self.s[0], self.s[-1]))
        return q, first * rate, first * u + second * rate**2

    def use(self, samples: int = 4) -> tuple[Array, Array]:
        """Times, `samples` in each interval of the grid, and the share of every limit that is used then.

        Columns are the torques, speeds and accelerations of the joints; zero where there is no limit. The fastest
        motion uses one of them fully at any time.
        """
        inside = (np.arange(samples) + 0.5) / samples
        t = (self.instants[:-1, None] + np.diff(self.instants)[:, None] * inside).ravel()
        q, qd, qdd = self._within(t)
        shares = [self.robot.inverse_dynamics(q, qd, qdd) / self.torque, qd / self.speed, qdd / self.acceleration]
        return t, np.abs(np.hstack(shares))


def time_optimal(
    robot: Robot,
    path: ArrayLike | Motion,
    torque: ArrayLike | None = None,
    speed: ArrayLike | None = None,
    acceleration: ArrayLike | None = None,
    grid: int = 400,
) -> TimeOptimal:
    """The fastest motion along a path, from rest to rest, within limits of torque, speed and acceleration.

    path: points, (K, dof), which a cubic spline connects; or a motion, whose own timing does not matter as long as it
        does not stand still on the way, as `redyn.trajectory.line(..., law="steady")`.
    torque, speed, acceleration: one number for all joints or one per joint. Torques and speeds are those of the robot's
        file unless given, and infinite where it has none.
    grid: how many intervals the path is divided into.

    Limits hold along the whole motion to a tolerance of 0.1%. The robot must be able to stand still anywhere on the
    path. `motion.use()` tells how much of each limit is used at any time.

    >>> import redyn
    >>> robot = redyn.load("two-link")
    >>> motion = redyn.trajectory.time_optimal(robot, [[0.0, 0.0], [1.0, -1.0]], torque=[40.0, 20.0])
    >>> round(motion.duration, 2)
    0.49
    """
    model = robot.model
    if model.loops or model.contacts or model.undriven or robot.nq != robot.dof:
        raise InputError(
            f"time_optimal: {robot.name}: every joint must have one coordinate, and an actuator of its own"
        )
    if isinstance(grid, bool) or not isinstance(grid, int | np.integer) or not 2 <= grid <= 100_000:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InputError(f"time_optimal: grid: expected a number of intervals from 2 to 100,000, got {grid!r}")
    speeds = {link.joint.name: link.joint.speed_limit or np.inf for link in robot.description.links}
    own = np.array([speeds[link.joint.name] for link in model.driven])
    limits = (
        _limits("torque", torque, robot.effort_limits),
        _limits("speed", speed, own),
        _limits("acceleration", acceleration, np.full(robot.dof, np.inf)),
    )
    if not any(np.isfinite(limit).any() for limit in limits):
        raise InputError(f"time_optimal: the file of {robot.name} has no limits; give torque=, speed= or acceleration=")
    follow, s = _path(robot, path, grid)
    asked = _Along(robot, follow, s)
    worst, held = np.ones(3), np.ones(3)  # share of each kind of limit that is used at the points of the grid
    for _ in range(ROUNDS):
        x = _timed(asked, *(share * limit for share, limit in zip(held, limits, strict=True)))
        rates = np.sqrt(x)
        instants = np.concatenate([[0.0], np.cumsum(2 * np.diff(s) / (rates[1:] + rates[:-1]))])
        motion = TimeOptimal(float(instants[-1]), robot, follow, s, x, instants, *limits)
        worst = motion.use()[1].max(axis=0).reshape(3, -1).max(axis=1)
        if (worst <= 1 + TOLERANCE).all():
            return motion
        held = held / np.where(worst > 1 + TOLERANCE, worst, 1.0)
    raise InputError(
        f"time_optimal: between points of the grid a limit is exceeded by {100 * (worst.max() - 1):.2g}%; give a finer "
        f"one, as in grid={4 * grid}"
    )


def _limits(name: str, given: ArrayLike | None, own: Array) -> Array:
    if given is None:
        return own
    try:
        row = np.array(np.broadcast_to(real_array(given), own.shape))
    except (TypeError, ValueError):
        raise InputError(
            f"time_optimal: {name}: expected a number, or {counted(len(own), 'number')}, one per joint"
        ) from None
    if not (row > 0).all():
        raise InputError(f"time_optimal: {name}: expected limits above zero, got {given!r}")
    return row


def _path(robot: Robot, path: ArrayLike | Motion, grid: int) -> tuple[Path, Array]:
    """The path as a function of s, and the points of the grid."""
    if isinstance(path, Motion):
        motion = path
        if motion.dof != robot.dof:
            raise InputError(f"time_optimal: path: a motion of {counted(motion.dof, 'joint')}, {robot.name} has others")
        follow: Path = motion.__call__
        s = motion.times(grid + 1, 0.0, motion.duration)
    else:
        follow, s = _through(robot, path, grid)
    q, first, _ = follow(s)
    size = np.linalg.norm(first, axis=1)
    slow = size <= STILL * max(float(size.max()), np.finfo(np.float64).tiny)
    if slow.any():
        raise InputError(
            f"time_optimal: path: it stands still at s = {s[int(slow.argmax())]:.4g} of {s[-1]:.4g}, so that s says "
            "nothing about the joints there; give points, or a motion that is steady"
        )
    robot.configuration("path", q)
    return follow, s


def _through(robot: Robot, path: Any, grid: int) -> tuple[Path, Array]:
    """A cubic spline through points, its parameter the distance between them added up."""
    from scipy.interpolate import CubicSpline  # pyright: ignore[reportMissingTypeStubs]

    meaning = f"points, (K, {robot.dof}) with K from 2, or a motion"
    try:
        points = real_array(path)
    except (TypeError, ValueError):
        raise InputError(f"time_optimal: path: expected {meaning}, got {type(path).__name__}") from None
    if points.ndim != 2 or points.shape[1] != robot.dof or len(points) < 2 or not np.isfinite(points).all():
        raise InputError(f"time_optimal: path: expected {meaning}, all finite, got shape {points.shape}")
    apart = np.linalg.norm(np.diff(points, axis=0), axis=1)
    if not (apart > 0).all():
        k = int(np.argmin(apart))
        raise InputError(f"time_optimal: path: points {k} and {k + 1} are the same")
    knots = np.concatenate([[0.0], np.cumsum(apart)])
    curve = CubicSpline(knots, points, bc_type="natural")

    def follow(s: Array) -> tuple[Array, Array, Array]:
        return cast("tuple[Array, Array, Array]", tuple(np.asarray(curve(s, k)) for k in range(3)))

    return follow, np.union1d(np.linspace(0.0, float(knots[-1]), grid + 1), knots)


class _Along:
    """The robot on the grid: torques and accelerations as a u + b x + c, row by row."""

    def __init__(self, robot: Robot, path: Path, s: Array) -> None:
        q, first, second = path(s)
        M = robot.mass_matrix(q)
        a = np.einsum("kij,kj->ki", M, first)
        b = np.einsum("kij,kj->ki", M, second) + robot.coriolis_vector(q, first)
        c = robot.gravity_torque(q) + robot.spring_torque(q)
        self.robot, self.s, self.first = robot, s, first
        self.a, self.b = np.hstack([a, first]), np.hstack([b, second])
        self.c = np.hstack([c, np.zeros_like(first)])
        self.rubs = any(link.joint.damping or link.joint.coulomb for link in robot.model.links)

    def constant(self, k: int, x: float) -> Array:
        """c with friction at the squared rate x."""
        if not self.rubs:
            return self.c[k]
        found = self.c[k].copy()
        found[: self.robot.dof] += self.robot.friction_torque(self.first[k] * np.sqrt(x))
        return found


def _timed(along: _Along, torque: Array, speed: Array, acceleration: Array) -> Array:
    """x at the points of the grid."""
    limit = np.concatenate([torque, acceleration])
    s, count = along.s, len(along.s)
    with np.errstate(divide="ignore"):
        fastest = ((speed / np.abs(along.first)) ** 2).min(axis=1)
    if (np.abs(along.c) > limit).any():
        k, i = np.argwhere(np.abs(along.c) > limit)[0]
        name = along.robot.torque_names[int(i)]
        raise InputError(
            f"time_optimal: {name} cannot hold still at s = {s[k]:.4g} of {s[-1]:.4g}: it needs "
            f"{abs(along.c[k, i]):.4g}, and its limit is {limit[i]:.4g}"
        )
    reachable = np.zeros(count)  # the largest x from which the rest can be done
    for k in reversed(range(count - 1)):
        reachable[k] = _largest(along, k, fastest[k], reachable[k + 1], limit)
    x = np.zeros(count)
    for k in range(count - 1):
        _, most = _accelerations(along, k, float(x[k]), float(reachable[k + 1]), limit)
        x[k + 1] = min(max(x[k] + 2 * (s[k + 1] - s[k]) * most, 0.0), reachable[k + 1])
        if x[k + 1] <= 0.0 and k + 2 < count:
            raise InputError(
                f"time_optimal: the limits leave nothing to move with at s = {s[k + 1]:.4g} of {s[-1]:.4g}"
            )
    return x


def _largest(along: _Along, k: int, fastest: float, after: float, limit: Array) -> float:
    """The largest x at point k from which x at the next is between 0 and `after`, by bisection from 0, which is one."""

    def feasible(x: float) -> bool:
        least, most = _accelerations(along, k, x, after, limit)
        return least <= most

    low, high = 0.0, max(after, 1e-12)
    while high < fastest and feasible(high):
        low, high = high, 2 * high
    high = min(high, fastest)
    if feasible(high):
        return high
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if feasible(middle) else (low, middle)
    return low


def _accelerations(along: _Along, k: int, x: float, after: float, limit: Array) -> tuple[float, float]:
    """The least and the largest u from point k on that keep the limits at both ends of the interval."""
    step = 2 * (along.s[k + 1] - along.s[k])
    least, most = -x / step, (after - x) / step
    for a, b, c in (
        (along.a[k], along.b[k], along.constant(k, x)),
        (along.a[k + 1] + step * along.b[k + 1], along.b[k + 1], along.constant(k + 1, x)),
    ):
        rest, slope = b * x + c, np.abs(a)
        flat = slope <= ROUNDING * np.abs(a).max(initial=1e-300)
        if (np.abs(rest[flat]) > limit[flat] * (1 + ROUNDING)).any():
            return 1.0, -1.0
        centre, width = -rest[~flat] / a[~flat], limit[~flat] / slope[~flat]
        least = max(least, float((centre - width).max(initial=-np.inf)))
        most = min(most, float((centre + width).min(initial=np.inf)))
    return least, most
