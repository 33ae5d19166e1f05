"""The Cartesian line: a frame of the robot moves straight from pose to pose and rotates about one axis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redyn.errors import InputError
from redyn.kinematics.linear import rank
from redyn.kinematics.query import checked_poses
from redyn.trajectory.clock import clock
from redyn.trajectory.follow import Follower, Lost
from redyn.trajectory.guided import Guided, PoseGuide, guided
from redyn.trajectory.motion import Array, Motion, representable
from redyn.trajectory.paths import Law, Path, Segment
from redyn.trajectory.piecewise import Piecewise
from redyn.trajectory.samples import samples

if TYPE_CHECKING:
    from redyn.kinematics import Solutions
    from redyn.kinematics.robot_like import LinkName
    from redyn.robot import Robot

KNOTS = (64, 256, 1024)  # intervals of the trace; the first that suffices is used
SMOOTH = 1e-9  # m and rad: largest error of the interpolation between knots before correction


@dataclass(frozen=True)
class Line(Motion):
    """See `line`. `clock` gives the path parameter s; `guess` approximate joint values as a function of s."""

    follower: Follower
    clock: Motion
    guess: Piecewise

    @property
    def dof(self) -> int:
        return self.follower.robot.dof

    def pose(self, t: ArrayLike) -> Array:
        """The desired pose of the frame: (4, 4) at a time, (N, 4, 4) at N times."""
        fractions = self.clock(t)[0]
        poses = self.follower.path.poses(np.atleast_2d(fractions)[:, 0])
        return poses if fractions.ndim == 2 else poses[0]

    def _within(self, t: Array) -> tuple[Array, Array, Array]:
        s, s_rate, s_rate_rate = self.clock(t)
        if not len(t):  # SciPy warns about an identity rotation
            nothing = np.empty((0, self.dof))
            return nothing, nothing, nothing
        q, first, second = self._along(s[:, 0])
        return q, first * s_rate, second * s_rate**2 + first * s_rate_rate

    def _along(self, s: Array) -> tuple[Array, Array, Array]:
        """q and its first and second derivatives with respect to s."""
        near, near_first, near_second = self.guess(s)
        robot, frame, rows = self.follower.robot, self.follower.frame, self.follower.rows
        try:
            q = self.follower.corrected(near, s)
        except Lost as lost:
            raise InputError(f"line: it {_singular(lost.s)}") from None
        J, inverse, _ = self.follower.inverses(q)

        def with_free_part(visible: Array, wish: Array) -> Array:
            return np.einsum("nij,nj->ni", inverse, visible - np.einsum("nij,nj->ni", J, wish)) + wish

        path = self.follower.path
        first = with_free_part(path.twists(s)[:, rows], near_first)
        J_rate = robot.jacobian_rate(q, first, frame)[:, rows]
        drift = path.twist_rates(s)[:, rows] - np.einsum("nij,nj->ni", J_rate, first)
        return q, first, with_free_part(drift, near_second)


def line(
    robot: Robot,
    pose0: ArrayLike,
    pose1: ArrayLike,
    duration: float,
    link: LinkName = None,
    start: ArrayLike | None = None,
    *,
    law: Law = "quintic",
    limits: bool = True,
    position_only: bool = False,
) -> Line | Guided:
    """A frame of the robot (the end effector) along a straight line between two 4x4 poses, at rest at both ends.

    Its orientation changes by the shortest rotation about one axis (slerp); `position_only` leaves it free. The motion
    begins at the joint values of pose0 nearest to `start`. Without a start it begins at any from which the
    joints can follow to the end, trying those near the robot's initial position first. `law` is the time law along
    the line. A line that leaves the workspace or the joint limits, or passes a singularity, raises an
    InputError that says where.

    >>> import redyn
    >>> robot = redyn.load("puma")
    >>> pose0 = robot.forward_kinematics([0.1, -0.6, 0.4, 0.5, 0.9, 0.2])
    >>> pose1 = pose0.copy()
    >>> pose1[2, 3] += 0.1
    >>> motion = line(robot, pose0, pose1, duration=2.0)
    >>> q, qd, qdd = motion(1.0)
    >>> (robot.forward_kinematics(q) - pose0)[:3, 3].round(9) + 0.0
    array([0.  , 0.  , 0.05])
    """
    first, last = checked_poses(pose0, "pose0", 2), checked_poses(pose1, "pose1", 2)
    ticking, path = clock("line", law, duration), Segment.between(first, last)
    frame = robot.frame_name(link)
    begin = None if start is None else robot.configuration("start", start)
    return along_path("line", robot, frame, path, ticking, begin, limits, position_only)


def along_path(
    kind: str,
    robot: Robot,
    frame: str,
    path: Path,
    ticking: Motion,
    start: Array | None,
    limits: bool,
    position_only: bool | None,
) -> Line | Guided:
    """A frame along a path. Of robots with loops, the joints that the path does not determine follow from the loops."""
    first = path.poses(np.zeros(1))[0]
    rows = np.array([not _position_only(robot, frame, start, position_only)] * 3 + [True] * 3)
    begins = robot.inverse_kinematics(first, frame, start, mask=rows, limits=limits)
    if not begins:
        raise InputError(f"{kind}: {frame} cannot reach pose0: {begins.reason}")
    if robot.model.loops:
        return guided(kind, robot, PoseGuide(robot, frame, path, rows, ticking), begins[0].q)
    follower = Follower.of(robot, frame, path, rows)
    troubles: list[tuple[float, str]] = []
    for begin in begins if start is None else begins[:1]:
        try:
            guess = _traced(follower, begin.q)
        except Lost as lost:
            troubles.append((lost.s, ""))
            continue
        trouble = _beyond_limits(robot, guess) if limits else None
        if trouble is None:
            return representable(kind, Line(ticking.duration, follower, ticking, guess))
        troubles.append(trouble)
    s, reason = max(troubles)
    raise InputError(f"{kind}: {reason or _why_lost(follower, s, rows, limits)}")


def _position_only(robot: Robot, frame: str, start: Array | None, asked: bool | None) -> bool:
    """As asked; otherwise whether all that the robot can do shows in the position of the frame."""
    if asked is not None:
        return asked
    q = robot.initial if start is None else start
    G = robot.transmission(q)
    moving = robot.jacobian(q, frame)[3:] @ G
    return G.shape[1] <= rank(moving)


def _traced(follower: Follower, start: Array) -> Piecewise:
    """Joint values as a function of s, with as many knots as tracking and interpolation need."""
    if not follower.path.twists(np.linspace(0.0, 1.0, 9))[:, follower.rows].any():
        still = np.zeros((2, len(start)))
        return samples([0.0, 1.0], [start, start], still, still)
    lost = Lost(0.0)
    for count in KNOTS:
        try:
            s, q = follower.trace(start, count)
        except Lost as here:
            lost = here
            continue
        guess = samples(s, q, *follower.rates(q, s))
        between = (s[1:] + s[:-1]) / 2
        left = np.abs(follower.errors(guess(between)[0], between)).max(axis=1)
        if left.max() < SMOOTH:
            return guess
        lost = Lost(float(between[left.argmax()]))
    raise lost


def _beyond_limits(robot: Robot, guess: Piecewise) -> tuple[float, str] | None:
    """Where a joint first leaves its limits, and which one it is."""
    s = np.linspace(0.0, 1.0, 1025)
    q = guess(s)[0]
    outside = (q < robot.limits[:, 0] - 1e-9) | (q > robot.limits[:, 1] + 1e-9)
    if not outside.any():
        return None
    k = int(outside.any(axis=1).argmax())
    i = int(outside[k].argmax())
    low, high = robot.limits[i]
    where = f"at {s[k]:.3g} of the way {robot.velocity_names[i]} leaves its limits, {low:.4g} to {high:.4g}"
    return float(s[k]), f"{where}; begin from other joint values (start=), or choose other poses"


def _why_lost(follower: Follower, s: float, rows: NDArray[np.bool_], limits: bool) -> str:
    """Whether the poses ahead are out of reach, or the robot is singular there."""

    def solutions(fraction: float, tries: int) -> Solutions:
        pose = follower.path.poses(np.array([fraction]))[0]
        return follower.robot.inverse_kinematics(
            pose, follower.frame, mask=rows, limits=limits, tolerance=1e-6, count=1, tries=tries
        )

    for ahead in np.minimum(s + np.array([0.003, 0.01, 0.03, 0.1]), 1.0):
        beyond = solutions(float(ahead), 100)
        if not beyond:
            inside, outside = 0.0, float(ahead)
            while outside - inside > 1e-4:
                middle = (inside + outside) / 2
                inside, outside = (middle, outside) if solutions(middle, 30) else (inside, middle)
            return f"it leaves the workspace at {inside:.3g} of the way: {beyond.reason}"
    return f"it {_singular(s)}"


def _singular(s: float) -> str:
    return (
        f"meets a singularity at {s:.3g} of the way, where joint rates are unbounded; "
        "begin from other joint values (start=), or choose other poses"
    )
