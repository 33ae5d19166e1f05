"""Walking: a gait turned into a motion of the whole robot, that a controller can follow.

The feet are planned first (see `gait`), then the point where the ground's force should act, which stays among the feet
that carry, and from that the body. For a mass at constant height z over the ground, c - (z / g) c'' = p gives the mass
centre c from that point p (Kajita's cart on a table); with both ends at rest it is a banded system of equations. The
legs have masses too: the point where the force acts on the whole robot is found by inverse dynamics, and the body
corrected by the same equation, a few times.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Integral
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike

from redyn.errors import InputError
from redyn.kinematics.free_flying import BASE
from redyn.trajectory.gait import Gait, Swing, gait_of, schedule, smooth
from redyn.trajectory.legs import POSITION, Legs, legs_of
from redyn.trajectory.motion import Array, Motion
from redyn.trajectory.piecewise import Piecewise
from redyn.trajectory.spline import through
from redyn.trajectory.support import Support, Wish, steadiest, support_of

if TYPE_CHECKING:
    from redyn.robot import Robot

KNOT = 0.005  # s between the instants whose joint values are computed; splines between
CORRECTIONS = 4  # of the body by the inverse dynamics of the whole robot
REST = 0.8  # s before the first and after the last step, in which the body leans over


@dataclass(frozen=True)
class Steps(Motion):
    """A motion of a robot with legs, whose base does not turn: q, qd and qdd of base and joints."""

    legs: Legs = field(repr=False)
    attitude: Array = field(repr=False)  # the quaternion of the base
    course: Piecewise = field(repr=False)  # positions of the base and of the joints
    swings: tuple[Swing, ...] = field(default=(), repr=False)
    pressure: Piecewise | None = field(default=None, repr=False)  # where the ground's force acts if all goes as planned

    @property
    def dof(self) -> int:
        return self.legs.robot.dof

    @cached_property
    def rotation(self) -> Array:
        """Of the base."""
        return _rotation(self.attitude)

    @property
    def feet(self) -> list[str]:
        return self.legs.names

    def __call__(self, t: ArrayLike) -> tuple[Array, Array, Array]:
        """q, qd, qdd at time t; at a single time, which controllers ask for, without detours."""
        if type(t) is not float or not 0.0 <= t <= self.duration:
            return super().__call__(t)
        knots, powers = self.course.knots, self.course.coefficients
        length = knots[1]
        k = min(int(t / length), len(knots) - 2)
        s = t / length - k
        a, b, c, d = powers[:, k]
        x, first = a + s * (b + s * (c + s * d)), (b + s * (2 * c + s * (3 * d))) / length
        second = (2 * c + s * (6 * d)) / length**2
        q, qd, qdd = np.empty(len(x) + 4), np.zeros(len(x) + 3), np.zeros(len(x) + 3)
        q[:3], q[3:POSITION], q[POSITION:] = x[:3], self.attitude, x[3:]
        for rates, values in ((qd, first), (qdd, second)):
            rates[3:BASE], rates[BASE:] = values[:3] @ self.rotation, values[3:]
        return q, qd, qdd

    def _within(self, t: Array) -> tuple[Array, Array, Array]:
        x, first, second = self.course(t)
        R = self.rotation
        q = np.concatenate([x[:, :3], np.broadcast_to(self.attitude, (len(t), 4)), x[:, 3:]], axis=1)
        still = np.zeros((len(t), 3))
        qd, qdd = (np.concatenate([still, rate[:, :3] @ R, rate[:, 3:]], axis=1) for rate in (first, second))
        return q, qd, qdd

    def swinging(self, t: ArrayLike) -> Array:
        """Which feet are planned to be in the air: (feet,) or (N, feet)."""
        time = np.asarray(t, dtype=np.float64)
        found = np.zeros((*time.shape, len(self.feet)), dtype=bool)
        for swing in self.swings:
            found[..., swing.foot] |= (time > swing.start) & (time < swing.stop)
        return found


def walk(
    robot: Robot,
    gait: Gait | Mapping[str, Any],
    strides: int = 3,
    direction: ArrayLike = (1, 0, 0),
    start: ArrayLike | None = None,
    feet: Mapping[str, ArrayLike] | Sequence[str] | None = None,
    rest: float = REST,
    margin: float = 0.5,
) -> Steps:
    """From rest to rest, `strides` strides along a direction of the world, with the base level as it is at `start`.

    gait: its fields as a dict, see `Gait`; feet are named as in `feet`.
    start: where the robot stands with its feet side by side (its initial configuration unless given). The motion begins
        with the body shifted, so that its mass centre is above the middle of the feet.
    feet: links, or {link: its corners}; unless given, the links with contacts in the robot's file, except the base.
    rest: seconds before the first step and after the last, in which the body leans over.
    margin: how far the ground's force stays from the edge of the feet that carry: 1 as far as it can (a biped), less
        for a steadier body.

    >>> import redyn
    >>> robot = redyn.load("biped")
    >>> gait = {"period": 1.6, "duty": 0.65, "stride": 0.4, "lift": 0.05, "order": ["right-foot", "left-foot"]}
    >>> motion = walk(robot, gait, strides=1, margin=1.0)
    >>> q, qd, qdd = motion(2.0)
    >>> motion.feet, round(motion.duration, 3), q.shape, qd.shape
    (['right-foot', 'left-foot'], 4.0, (19,), (18,))
    """
    legs = legs_of(robot, feet)
    chosen = gait_of(gait, legs.names)
    count = _count(strides)
    stand = robot.configuration("start", robot.initial if start is None else start)
    forward = _forward(direction, legs.up)
    places, rotations = legs.places(stand[None])
    swings = chosen.swings(legs.names, count, rest)
    duration = swings[-1].stop + rest
    t = np.linspace(0.0, duration, int(np.ceil(duration / KNOT)) + 1)
    plan = schedule(chosen, swings, len(legs.feet), t)
    wanted = places + plan.progress[..., None] * forward + plan.height[..., None] * legs.up
    axes = forward, np.cross(legs.up, forward)
    corners = [(foot.corners - foot.point) @ rotations[0, k].T for k, foot in enumerate(legs.feet)]
    support = support_of(wanted, corners, plan.height == 0.0, *axes)
    wish = steadiest(support, chosen, t, wanted, plan, axes, margin)
    course, acting = _balanced(legs, stand, t, wanted, rotations[0], wish, support)
    return Steps(duration, legs, stand[3:POSITION], course, tuple(swings), through(t, acting, "not-a-knot"))


def body_shift(
    robot: Robot,
    start: ArrayLike,
    by: ArrayLike,
    duration: float,
    feet: Mapping[str, ArrayLike] | Sequence[str] | None = None,
) -> Steps:
    """The body moves by a vector (world axes) from rest to rest while the feet stay where they are at `start`."""
    legs = legs_of(robot, feet)
    stand = robot.configuration("start", start)
    places, rotations = legs.places(stand[None])
    t = np.linspace(0.0, duration, int(np.ceil(duration / KNOT)) + 1)
    q = np.repeat(stand[None], len(t), axis=0)
    q[:, :3] += smooth(t / duration)[:, None] * np.asarray(by, dtype=np.float64)
    q = legs.reach(q, np.broadcast_to(places, (len(t), *places.shape[1:])), rotations[0])
    return Steps(duration, legs, stand[3:POSITION], _course(t, q))


def _balanced(
    legs: Legs, stand: Array, t: Array, wanted: Array, rotations: Array, wish: Wish, support: Support
) -> tuple[Piecewise, Array]:
    """The motion of body and joints for which the ground's force acts as wished, and where it does act, (N, 3).

    The first one moves the body as if the legs had no mass. It is kept if the force stays far enough from the edge: to
    make up for the legs, the body would have to rock.
    """
    robot, up = legs.robot, legs.up
    level = np.eye(3) - np.outer(up, up)
    height = float(wanted[0].mean(axis=0) @ up)
    ratio = (float(robot.com(stand) @ up) - height) / float(np.linalg.norm(robot.gravity))
    q = np.repeat(stand[None], len(t), axis=0)
    offset = level @ (stand[:3] - robot.com(stand))  # of the base from the mass centre
    q[:, :3] = up * (stand[:3] @ up) + _of_mass_centre(wish.points @ level, t, ratio) + offset
    for correction in range(CORRECTIONS + 1):
        q = legs.reach(q, wanted, rotations)
        course = _course(t, q)
        acting = pressure_points(Steps(float(t[-1]), legs, stand[3:POSITION], course), t, height)
        if support.room(acting) >= wish.room or correction == CORRECTIONS:
            return course, acting
        q[:, :3] += _of_mass_centre((wish.points - acting) @ level, t, ratio)
    raise AssertionError


def _course(t: Array, q: Array) -> Piecewise:
    return through(t, np.concatenate([q[:, :3], q[:, POSITION:]], axis=1), "clamped")


def pressure_points(motion: Steps, t: Array, height: float) -> Array:
    """Where on a level ground one force without tilting moment supports the motion: (N, 3), by inverse dynamics."""
    legs = motion.legs
    q, qd, qdd = motion(t)
    wrench = legs.robot.inverse_dynamics(q, qd, qdd)[:, :BASE]
    R = motion.rotation
    moment, force = wrench[:, :3] @ R.T, wrench[:, 3:] @ R.T
    up = legs.up
    # With r from the base to the point: moment - r x force is along `up`, which gives r up to its height.
    down = height - q[:, :3] @ up
    upward = force @ up
    level = (np.cross(up, moment) + (down[:, None] * force)) / upward[:, None]
    level -= np.outer(level @ up, up)
    return q[:, :3] + level + down[:, None] * up


def _of_mass_centre(pressure: Array, t: Array, ratio: float) -> Array:
    """c with c - ratio c'' = pressure, at rest at both ends."""
    from scipy.linalg import solve_banded  # pyright: ignore[reportMissingTypeStubs, reportUnknownVariableType]

    step, count = t[1] - t[0], len(t)
    k = ratio / step**2
    bands = np.zeros((3, count))
    bands[0, 1:], bands[1], bands[2, :-1] = -k, 1.0 + 2.0 * k, -k
    bands[0, 1] = bands[2, -2] = -2.0 * k  # mirrored beyond the ends: no rate there
    return np.asarray(cast(Any, solve_banded)((1, 1), bands, pressure), dtype=np.float64)


def _count(strides: object) -> int:
    if isinstance(strides, bool) or not isinstance(strides, Integral) or strides < 1:
        raise InputError(f"strides: expected a whole number from 1, got {strides!r}")
    return int(strides)


def _forward(direction: ArrayLike, up: Array) -> Array:
    given = np.asarray(direction, dtype=np.float64)
    if given.shape != (3,) or not np.isfinite(given).all():
        raise InputError(f"direction: expected three numbers in world axes, got {direction!r}")
    level = given - (given @ up) * up
    length = np.linalg.norm(level)
    if length < 1e-6 * max(1.0, float(np.linalg.norm(given))):
        raise InputError(f"direction: {given.tolist()} is not along the ground; up is {up.round(6).tolist()}")
    return np.asarray(level / length, dtype=np.float64)


def _rotation(quaternion: Array) -> Array:
    x, y, z, w = quaternion
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )
