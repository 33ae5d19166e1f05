"""Taught points: a motion from point to point, each by a leg of its own kind.

Every leg begins and ends at rest and is first made to last one second; its rates and accelerations then say how long it
must last. A blend lets the next leg begin before the last has ended: the departures of both from the point between
them add up, so that position and rate stay continuous, and the path rounds the corner.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redyn.errors import InputError
from redyn.kinematics.query import checked_poses
from redyn.trajectory.clock import clock
from redyn.trajectory.cubic import cubic
from redyn.trajectory.cycloidal import cycloidal
from redyn.trajectory.line import along_path
from redyn.trajectory.motion import Array, Motion, row
from redyn.trajectory.pace import SAMPLES, Pace
from redyn.trajectory.paths import Arc, Path, Segment
from redyn.trajectory.piecewise import Piecewise
from redyn.trajectory.quintic import quintic
from redyn.trajectory.spline import spline
from redyn.trajectory.trapezoidal import trapezoidal

if TYPE_CHECKING:
    from redyn.kinematics.robot_like import LinkName
    from redyn.robot import Robot

Leg = Literal["cycloidal", "quintic", "cubic", "trapezoidal", "spline", "line", "circle"]
JOINT_LAWS = {"cycloidal": cycloidal, "quintic": quintic, "cubic": cubic, "trapezoidal": trapezoidal}

PATHS = ("line", "circle")  # of the frame
SAME = 1e-6  # rad and m: a taught position that a line or circle must end at
HALVINGS = 20  # of a blend that is too quick


@dataclass(frozen=True)
class Point:
    """A taught point, by joint values `q` or by a 4x4 `pose`, and how to get there from the one before.

    `leg` is a law between joint positions, "cycloidal", "quintic", "cubic" or "trapezoidal"; "spline", which passes
    all points of successive such legs without a stop; or a path of the frame: a "line", or a "circle" through the
    position `via`. A leg lasts `duration` seconds or, unless that is given, as long as the limits of speed and
    acceleration ask for. The robot then stands still for `dwell` seconds; or the next leg begins before this one ends,
    `blend_time` seconds earlier, or where the frame is `blend_radius` metres from the point.
    """

    q: ArrayLike | None = None
    pose: ArrayLike | None = None
    leg: Leg = "quintic"
    via: ArrayLike | None = None
    duration: float | None = None
    dwell: float = 0.0
    blend_time: float = 0.0
    blend_radius: float = 0.0


@dataclass(frozen=True)
class Taught(Motion):
    """See `taught`. Leg k begins at `begins[k]`; `instants` are those at which the points are reached, or passed.

    `paths`: whether each leg is a path of the frame.
    """

    legs: tuple[Motion, ...]
    begins: Array
    corners: Array  # joint values where legs meet, (legs + 1, n)
    instants: Array
    paths: tuple[bool, ...] = ()

    @property
    def dof(self) -> int:
        return self.corners.shape[1]

    def on_path(self, t: Array) -> NDArray[np.bool_]:
        """At which of these instants the frame follows a line or a circle."""
        found = np.zeros(len(t), dtype=bool)
        for begin, leg, path in zip(self.begins, self.legs, self.paths, strict=False):
            found |= path & (t >= begin) & (t <= begin + leg.duration)
        return found

    def _breaks(self) -> Array:
        return np.unique(
            np.concatenate(
                [[0.0, self.duration], *(at + leg._breaks() for at, leg in zip(self.begins, self.legs, strict=True))]
            ).clip(0.0, self.duration)
        )

    def _within(self, t: Array) -> tuple[Array, Array, Array]:
        q = np.tile(self.corners[0], (len(t), 1))
        qd, qdd = np.zeros_like(q), np.zeros_like(q)
        for k, (begin, leg) in enumerate(zip(self.begins, self.legs, strict=True)):
            # At the instant where one leg ends and another begins, the acceleration is that of the later one.
            ended = t - begin >= leg.duration
            moving = (t >= begin) & ~ended
            values = leg(t[moving] - begin)
            q[ended] += self.corners[k + 1] - self.corners[k]
            q[moving] += values[0] - self.corners[k]
            qd[moving] += values[1]
            qdd[moving] += values[2]
        return q, qd, qdd


@dataclass(frozen=True)
class Stretched(Motion):
    """A motion of one second that takes `duration` seconds instead."""

    second: Motion

    @property
    def dof(self) -> int:
        return self.second.dof

    def _breaks(self) -> Array:
        return self.second._breaks() * self.duration

    def _within(self, t: Array) -> tuple[Array, Array, Array]:
        q, qd, qdd = self.second(t / self.duration)
        return q, qd / self.duration, qdd / self.duration**2


def taught(
    robot: Robot,
    points: Sequence[Point | ArrayLike],
    link: LinkName = None,
    *,
    speed: ArrayLike | None = None,
    acceleration: ArrayLike | None = None,
    tip_speed: float | None = None,
    tip_acceleration: float | None = None,
    tip_angular_speed: float | None = None,
    limits: bool = True,
) -> Taught:
    """The motion of a robot through taught points, from rest at the first to rest at the last.

    A point is a `Point`, or a row of joint values, which are reached by a quintic law. Poses are of a frame (the end
    effector); of the joint positions that reach one, that nearest to the point before is taken.

    No joint is faster than `speed` or accelerates more than `acceleration`, numbers or rows, except in legs whose
    duration is given (`violations` lists what exceeds the limits of the robot's file). By default, speeds are the
    limits of the file, or 1 rad/s and 1 m/s where it has none, and are reached in half a second. On lines and circles
    the frame's origin is no faster than `tip_speed`, m/s, and accelerates no more than `tip_acceleration`, m/s², and
    the frame turns no faster than `tip_angular_speed`, rad/s, likewise. A blend that would exceed a limit is shortened.

    >>> import redyn
    >>> robot = redyn.load("puma")
    >>> home = [0.1, -0.6, 0.4, 0.5, 0.9, 0.2]
    >>> above = robot.forward_kinematics(home)
    >>> below = above.copy()
    >>> below[2, 3] -= 0.1
    >>> points = [home, Point(pose=below, leg="line", dwell=0.5), Point(pose=above, leg="line", blend_radius=0.03),
    ...           Point(q=[0.5, -0.4, 0.3, 0.5, 0.9, 0.2], leg="cycloidal")]
    >>> motion = taught(robot, points)
    >>> q, qd, qdd = motion(motion.instants[1])
    >>> bool(abs(robot.forward_kinematics(q) - below).max() < 1e-9), bool(abs(qd).max() < 1e-9)
    (True, True)
    """
    if robot.model.loops or robot.nq != robot.dof:
        raise InputError("taught: robots with closed loops or quaternions have no taught motions")
    given = [point if isinstance(point, Point) else Point(q=point) for point in points]
    if len(given) < 2:
        raise InputError(f"taught: expected at least two points, got {len(given)}")
    for k, point in enumerate(given):
        _check(k, point)
    frame = robot.frame_name(link)
    pace = Pace.of(robot, frame, speed, acceleration, (tip_speed, tip_acceleration, tip_angular_speed))
    course = _Course(robot, frame, limits)
    corners = [course.place(0, given[0], robot.initial)]
    legs, lasts = list[Stretched](), list[int]()
    k = 1
    while k < len(given):
        last = k
        while given[k].leg == "spline" and last + 1 < len(given) and _passes(given[last], given[last + 1]):
            last += 1
        leg = course.leg(k, given[k : last + 1], corners[-1], pace.speed)
        legs.append(Stretched(_lasting(leg, given[last], pace), leg))
        lasts.append(last)
        corners.append(leg(1.0)[0])
        k = last + 1
    blends = [
        course.blend(given[last], given[lasts[i + 1]], legs[i], legs[i + 1], corners[i : i + 3], pace)
        for i, last in enumerate(lasts[:-1])
    ]
    return _joined(given, legs, lasts, np.array(corners), [*blends, 0.0])


def _check(k: int, point: Point) -> None:
    name = f"taught: points[{k}]"
    if (point.q is None) == (point.pose is None):
        raise InputError(f"{name}: expected either q or pose")
    if point.leg not in get_args(Leg):
        raise InputError(f"{name}: leg must be one of {', '.join(get_args(Leg))}, got {point.leg!r}")
    if (point.leg == "circle") != (point.via is not None) and k:
        raise InputError(f"{name}: via is the point that a circle passes; give both or neither")
    for what in ("dwell", "blend_time", "blend_radius", "duration"):
        value = getattr(point, what)
        if value is None and what == "duration":
            continue
        if not (isinstance(value, int | float | np.number) and 0 <= value < np.inf):
            raise InputError(f"{name}: {what} must be a number from 0, got {value!r}")
    if point.duration == 0:
        raise InputError(f"{name}: duration must be a positive number of seconds; leave it out for the shortest")
    if sum(x > 0 for x in (point.dwell, point.blend_time, point.blend_radius)) > 1:
        raise InputError(f"{name}: give one of dwell, blend_time and blend_radius")


def _passes(point: Point, following: Point) -> bool:
    """Whether a spline goes on through a point."""
    if following.leg != "spline":
        return False
    return point.duration is None and not (point.dwell or point.blend_time or point.blend_radius)


@dataclass(frozen=True)
class _Course:
    """Makes legs, each of one second."""

    robot: Robot
    frame: str
    limits: bool

    def place(self, k: int, point: Point, near: Array) -> Array:
        """The joint values of a point."""
        if point.q is not None:
            q = self.robot.configuration(f"taught: points[{k}].q", point.q)
            if q.ndim != 1:
                raise InputError(f"taught: points[{k}].q: expected one position, got shape {q.shape}")
            return q
        found = self.robot.inverse_kinematics_all(self._pose(k, point), self.frame, near)
        choice = found.allowed if self.limits else found.solutions
        if not len(choice):
            raise InputError(f"taught: points[{k}]: {found.reason}")
        return choice[np.linalg.norm(choice - near, axis=1).argmin()]

    def _pose(self, k: int, point: Point) -> Array:
        if point.q is not None:
            return self.robot.forward_kinematics(self.place(k, point, self.robot.initial), self.frame)
        return checked_poses(np.asarray(point.pose), f"taught: points[{k}].pose", 2)

    def leg(self, k: int, points: Sequence[Point], start: Array, fastest: Array) -> Motion:
        """From `start` to points[k], or by a spline through several points."""
        point = points[0]
        if point.leg in PATHS:
            return self._along(k, point, start)
        places = [start]
        for i, each in enumerate(points, start=k):
            places.append(self.place(i, each, places[-1]))
        if point.leg != "spline":
            return JOINT_LAWS[point.leg](start, places[1], 1.0)
        ways = (np.abs(np.diff(places, axis=0)) / fastest).max(axis=1)
        if not ways.all():
            raise InputError(f"taught: points[{k + int(ways.argmin())}]: a spline needs different points in succession")
        times = np.concatenate([[0.0], np.cumsum(ways)]) / ways.sum()
        return spline(times / times[-1], places)

    def blend(
        self, point: Point, next_point: Point, leg: Motion, following: Motion, corners: Sequence[Array], pace: Pace
    ) -> float:
        """How long before the end of a leg the next one begins.

        Half of either leg at most, so that no more than two are under way; halved until the two together are no quicker
        than the limits, or than one of them alone.
        """
        asked = self._within_radius(point, leg, following, corners[1]) if point.blend_radius else point.blend_time
        overlap = min(asked, leg.duration / 2, following.duration / 2)
        if not overlap:
            return 0.0
        tip = point.leg in PATHS or next_point.leg in PATHS
        allowed = max(1.0, *(pace.excess(motion, 0.0, motion.duration, tip) for motion in (leg, following)))
        for _ in range(HALVINGS):
            begins, whole = np.array([0.0, leg.duration - overlap]), leg.duration + following.duration - overlap
            both = Taught(whole, (leg, following), begins, np.array(corners), np.zeros(0))
            if pace.excess(both, leg.duration - overlap, leg.duration, tip) <= allowed * (1 + 1e-9):
                return overlap
            overlap /= 2
        return 0.0

    def _within_radius(self, point: Point, leg: Motion, following: Motion, corner: Array) -> float:
        """For how long the frame is near a point, on the way there and on the way on: the shorter of the two."""
        centre = self.robot.forward_kinematics(corner, self.frame)[:3, 3]
        times: list[float] = []
        for motion, order in ((leg, -1), (following, 1)):
            t = np.linspace(0.0, motion.duration, SAMPLES)
            away = np.linalg.norm(self.robot.forward_kinematics(motion(t)[0], self.frame)[:, :3, 3] - centre, axis=1)
            outside = away[::order] > point.blend_radius
            times.append(float(t[max(int(outside.argmax()) - 1, 0)]) if outside.any() else motion.duration)
        return min(times)

    def _along(self, k: int, point: Point, start: Array) -> Motion:
        kind = f"taught: points[{k}]"
        first, last = self.robot.forward_kinematics(start, self.frame), self._pose(k, point)
        path: Path = Segment.between(first, last)
        if point.via is not None:
            path = Arc.through(kind, first, row(kind, "via", point.via, 3), last)
        motion = along_path(kind, self.robot, self.frame, path, clock(kind, "quintic", 1.0), start, self.limits, False)
        if point.q is not None:
            wanted, got = self.place(k, point, start), motion(1.0)[0]
            if np.abs(wanted - got).max() > SAME:
                joint = self.robot.velocity_names[int(np.abs(wanted - got).argmax())]
                raise InputError(
                    f"{kind}: the {point.leg} ends with {joint} at {got[np.abs(wanted - got).argmax()]:.4g}, not where "
                    "the point has it; give its pose, or reach it by a joint law"
                )
        return motion


def _lasting(second: Motion, point: Point, pace: Pace) -> float:
    """The duration of a leg: as given, or the least that keeps the limits."""
    if point.duration is not None:
        return float(point.duration)
    return max(pace.excess(second, 0.0, 1.0, point.leg in PATHS), 1e-3)


def _joined(
    given: Sequence[Point], legs: Sequence[Stretched], lasts: Sequence[int], corners: Array, blends: Sequence[float]
) -> Taught:
    """The legs one after the other, with dwells and blends."""
    begins, instants, first = [float(given[0].dwell)], np.zeros(len(given)), 1
    for leg, last, blend in zip(legs, lasts, blends, strict=True):
        end = begins[-1] + leg.duration
        if isinstance(leg.second, Piecewise) and last > first:  # a spline
            instants[first:last] = begins[-1] + leg.second.knots[1:-1] * leg.duration
        instants[last] = end - blend / 2
        begins.append(end + given[last].dwell - blend)
        first = last + 1
    paths = tuple(given[last].leg in PATHS for last in lasts)
    return Taught(begins[-1], tuple(legs), np.array(begins[:-1]), corners, instants, paths)
