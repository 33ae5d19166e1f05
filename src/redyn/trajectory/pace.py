"""How fast a taught motion may be: limits of the joints, and of a frame where it follows a path of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from redyn.errors import InputError
from redyn.trajectory.motion import Array, Motion, row

if TYPE_CHECKING:
    from redyn.kinematics.robot_like import LinkName
    from redyn.robot import Robot

SAMPLES = 1001  # instants at which a leg's rates are looked at
SPEED = 1.0  # rad/s and m/s, of joints whose file has no speed limit
RISE = 0.5  # s in which a joint reaches its speed, unless accelerations are given


class TipMotion(NamedTuple):
    """Of a frame's origin: m/s and m/s², and how fast the frame turns, rad/s; (N,) each."""

    speed: Array
    acceleration: Array
    angular_speed: Array


def tip_motion(robot: Robot, q: Array, qd: Array, qdd: Array, link: LinkName = None) -> TipMotion:
    """How fast a frame moves along a motion (N, n)."""
    jacobian, rate = robot.jacobian(q, link), robot.jacobian_rate(q, qd, link)
    twist = np.einsum("nij,nj->ni", jacobian, qd)
    change = np.einsum("nij,nj->ni", jacobian, qdd) + np.einsum("nij,nj->ni", rate, qd)
    length = np.linalg.norm
    return TipMotion(length(twist[:, 3:], axis=1), length(change[:, 3:], axis=1), length(twist[:, :3], axis=1))


def _positive(value: object) -> bool:
    return isinstance(value, int | float | np.number) and bool(0 < value < np.inf)


@dataclass(frozen=True)
class Pace:
    """Limits of the joints, and of a frame: `tip` is infinite where there are none."""

    robot: Robot
    frame: str
    speed: Array
    acceleration: Array
    tip: tuple[float, float, float]  # m/s, m/s², rad/s

    @staticmethod
    def of(
        robot: Robot,
        frame: str,
        speed: ArrayLike | None,
        acceleration: ArrayLike | None,
        tip: Sequence[float | None],
    ) -> Pace:
        known = {link.name: link.joint.speed_limit or SPEED for link in robot.description.links}
        of_file = np.array([known[link.name] for link in robot.model.driven])
        fastest = of_file if speed is None else row("taught", "speed", speed, robot.dof)
        quickest = fastest / RISE if acceleration is None else row("taught", "acceleration", acceleration, robot.dof)
        if not ((fastest > 0).all() and (quickest > 0).all()):
            raise InputError("taught: speed and acceleration must be positive")
        for name, value in zip(("speed", "acceleration", "angular_speed"), tip, strict=True):
            if value is not None and not _positive(value):
                raise InputError(f"taught: tip_{name} must be a positive number, got {value!r}")
        most = [np.inf if value is None else float(value) for value in tip]
        return Pace(robot, frame, fastest, quickest, (most[0], most[1], most[2]))

    def excess(self, motion: Motion, start: float, end: float, tip: bool) -> float:
        """By how much a motion must be stretched, between two instants, to keep the limits: below 1 if it does.

        `tip`: those of the frame count as well.
        """
        q, qd, qdd = motion(motion.times(SAMPLES, start, end))
        found = [(np.abs(qd) / self.speed).max(), np.sqrt((np.abs(qdd) / self.acceleration).max())]
        if tip and np.isfinite(self.tip).any():
            moves = tip_motion(self.robot, q, qd, qdd, self.frame)
            by = [float(values.max()) / most for values, most in zip(moves, self.tip, strict=True)]
            found += [by[0], np.sqrt(by[1]), by[2]]
        return float(max(found))
