"""What is to be computed, as plain data: it goes to other processes, and the Python that repeats it is made from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from redyn import trajectory

if TYPE_CHECKING:
    from redyn.robot import Robot

Array = NDArray[np.float64]
Numbers = tuple[float, ...]

KINDS = {
    "cycloidal": "Cycloidal (9.36)",
    "cubic": "Cubic",
    "quintic": "Quintic",
    "trapezoidal": "Trapezoidal",
    "csv": "CSV file",
}
DRIVES = {
    "none": "None: free fall",
    "constant": "Constant torque",
    "csv": "Torque from CSV",
    "pd": "PD + gravity, to a pose",
    "computed": "Computed torque, along the motion",
}
METHODS = ("rkf45", "dopri5", "abm", "rk4", "euler", "taylor", "radau", "lsoda")
SAMPLES = 1000  # intervals of a simulated motion


@dataclass(frozen=True, eq=False)
class Samples:
    """Rows over time out of a file."""

    name: str
    t: Array
    q: Array
    qd: Array | None = None
    qdd: Array | None = None


@dataclass(frozen=True, eq=False)
class MotionPlan:
    """A motion between two poses, or through samples.

    Where q holds quaternions, the robot moves from pose to pose along constant velocities, at a pace of that kind.
    """

    kind: str
    start: Numbers
    stop: Numbers
    duration: float
    samples: Samples | None = None

    def motion(self, robot: Robot) -> Callable[[Any], tuple[Array, Array, Array]]:
        if self.samples is not None:
            return trajectory.samples(self.samples.t, self.samples.q, self.samples.qd, self.samples.qdd)
        makers = {name: getattr(trajectory, name) for name in KINDS if name != "csv"}
        if robot.nq == robot.dof:
            return makers[self.kind](self.start, self.stop, self.duration)
        pace, change = makers[self.kind]([0.0], [1.0], self.duration), robot.difference(self.start, self.stop)

        def motion(t: Any) -> tuple[Array, Array, Array]:
            s, rate, acceleration = pace(t)
            return robot.integrate(self.start, change, s[..., 0]), rate * change, acceleration * change

        return motion

    @property
    def count(self) -> int:
        """Of instants that are looked at: a hundred a second, within reason."""
        return int(np.clip(round(self.duration * 100), 200, 2000)) + 1


@dataclass(frozen=True, eq=False)
class RunPlan:
    """A simulation."""

    q: Numbers
    qd: Numbers
    duration: float
    drive: str = "none"
    torque: Numbers = ()
    table: Samples | None = None  # of torques
    target: Numbers = ()
    kp: float = 0.0  # per inertia: light joints need less torque than heavy ones to be as quick
    kd: float = 0.0
    motion: MotionPlan | None = None
    method: str = "rkf45"
    rtol: float = 1e-8

    @property
    def sample(self) -> float:
        return self.duration / SAMPLES

    def law(self, robot: Robot) -> Any:
        """What `redyn.simulate` takes as torque."""
        from redyn.simulation import controllers

        if self.drive == "constant":
            return np.array(self.torque)
        if self.table is not None:
            return self.table.t, self.table.q
        if self.drive == "pd":
            inertia = robot.mass_matrix(self.target).diagonal()
            return controllers.pd_gravity(robot, self.target, self.kp * inertia, self.kd * inertia)
        if self.motion is not None:
            return controllers.computed_torque(robot, self.motion.motion(robot), self.kp, self.kd)
        return None
