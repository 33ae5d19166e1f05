"""A frame of the robot along a circle, or along a screw."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from redyn.trajectory.clock import clock
from redyn.trajectory.guided import Guided
from redyn.trajectory.line import Line, along_path
from redyn.trajectory.paths import Law, checked_screw

if TYPE_CHECKING:
    from redyn.kinematics.robot_like import LinkName
    from redyn.robot import Robot


def circle(
    robot: Robot,
    centre: ArrayLike,
    duration: float,
    axis: ArrayLike = (0.0, 0.0, 1.0),
    angle: float = 2 * np.pi,
    link: LinkName = None,
    start: ArrayLike | None = None,
    *,
    law: Law = "quintic",
    limits: bool = True,
    position_only: bool | None = None,
) -> Line | Guided:
    """A frame of the robot (the end effector) around a point, about an axis by an angle, with its attitude kept.

    It begins where the frame is at `start` (the initial configuration unless given). `law` is the time law: "quintic"
    and "cycloidal" begin and end at rest, "steady" has constant speed. `position_only` leaves the attitude free; unless
    given, it is free where the robot's position determines it.

    >>> import redyn
    >>> robot = redyn.load("3-rrr")
    >>> tip = robot.forward_kinematics(robot.initial)[:3, 3]
    >>> motion = circle(robot, tip - [0.05, 0, 0], duration=2.0)
    >>> q, qd, qdd = motion(1.0)
    >>> (robot.forward_kinematics(q)[:3, 3] - tip).round(9) + 0.0
    array([-0.1,  0. ,  0. ])
    """
    return _about("circle", robot, centre, duration, axis, angle, 0.0, False, link, start, law, limits, position_only)


def screw(
    robot: Robot,
    centre: ArrayLike,
    duration: float,
    axis: ArrayLike = (0.0, 0.0, 1.0),
    angle: float = 0.5,
    advance: float = 0.0,
    link: LinkName = None,
    start: ArrayLike | None = None,
    *,
    law: Law = "quintic",
    limits: bool = True,
) -> Line | Guided:
    """A frame of the robot (the end effector) turned about an axis through a point while it moves along that axis.

    It begins where the frame is at `start` (the initial configuration unless given) and turns along. For the other
    arguments see `circle`.

    >>> import redyn
    >>> robot = redyn.load("stewart")
    >>> motion = screw(robot, robot.forward_kinematics(robot.initial)[:3, 3], 2.0, angle=0.3, advance=0.1)
    >>> q, qd, qdd = motion(2.0)
    >>> rise = robot.forward_kinematics(q)[2, 3] - robot.forward_kinematics(robot.initial)[2, 3]
    >>> round(float(rise), 9)
    0.1
    """
    return _about("screw", robot, centre, duration, axis, angle, advance, True, link, start, law, limits, False)


def _about(
    kind: str,
    robot: Robot,
    centre: ArrayLike,
    duration: float,
    axis: ArrayLike,
    angle: float,
    advance: float,
    turns: bool,
    link: LinkName,
    start: ArrayLike | None,
    law: Law,
    limits: bool,
    position_only: bool | None,
) -> Line | Guided:
    frame = robot.frame_name(link)
    begin = robot.initial if start is None else robot.configuration("start", start)
    first = robot.forward_kinematics(begin, frame)
    path = checked_screw(kind, first, centre, axis, angle, advance, turns)
    return along_path(kind, robot, frame, path, clock(kind, law, duration), begin, limits, position_only)
