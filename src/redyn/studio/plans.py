"""What to compute, as plain data: sent to other processes, and source of the generated Python."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from redyn import trajectory
from redyn.errors import RedynError
from redyn.studio.carrying import Payload
from redyn.studio.entries import (
    entries,
    guided,
    is_closed,
    planned,
    straightened,
    whole_pose,
    whole_state,
    whole_torque,
)
from redyn.studio.teaching import TaughtPlan
from redyn.words import counted

if TYPE_CHECKING:
    from redyn.robot import Robot
    from redyn.simulation import Push

Array = NDArray[np.float64]
Numbers = tuple[float, ...]

KINDS = {
    "cycloidal": "Cycloidal (9.36)",
    "cubic": "Cubic",
    "quintic": "Quintic",
    "trapezoidal": "Trapezoidal",
    "circle": "Circle",
    "screw": "Screw",
    "taught": "Taught points",
    "csv": "CSV file",
}
PATHS = ("circle", "screw")  # of the end effector
DRIVES = {
    "none": "None: free fall",
    "constant": "Constant torque",
    "csv": "Torque from CSV",
    "inverse": "From inverse dynamics",
    "pd": "PD + gravity, to a pose",
    "computed": "Computed torque, along the motion",
}
METHODS = ("rkf45", "dopri5", "abm", "rk4", "euler", "taylor", "rosenbrock", "radau", "lsoda")
RIGID = "rigid:"  # a simulation beside it, of the same robot with straight links and rigid gears
FIXED_STEP = ("rk4", "euler", "taylor")  # the others have variable steps

USUAL_SAMPLE = 0.01  # s between the rows of a result
FINE = 1001  # samples of a path that the joints of a flexible robot follow
FEW = 500  # rows of a result, about: short runs are sampled finer
MOST_ROWS = 400_000
MOST_NUMBERS = 3_000_000  # rows times joint values: some 200 MB with rates, torques and energies


def usual_sample(duration: float, most: int = MOST_ROWS) -> float:
    """Default seconds between the rows of a result, a round number: a hundred rows per second, or more.

    Only if that were more than `most` rows it is longer: see `most_rows`.

    >>> [usual_sample(duration) for duration in (0.5, 2, 10, 60, 3600)], usual_sample(3600, 100_000)
    ([0.001, 0.002, 0.01, 0.01, 0.01], 0.05)
    """
    if duration < FEW * USUAL_SAMPLE:
        return round_number(duration / FEW, up=False)
    if rows(duration, USUAL_SAMPLE) > most:
        return round_number(duration / max(most - 1, 1), up=True)
    return USUAL_SAMPLE


def most_rows(robot: Robot) -> int:
    """How many rows a result may have, so that it fits into memory."""
    return min(MOST_ROWS, max(MOST_NUMBERS // robot.nq, 2))


def round_number(value: float, up: bool) -> float:
    """The next of ... 0.1, 0.2, 0.5, 1, 2 ..."""
    power = int(np.floor(np.log10(value)))
    series = [float(f"{k}e{p}") for p in (power - 1, power, power + 1) for k in (1, 2, 5)]
    near = 1e-9 * value
    return min(x for x in series if x >= value - near) if up else max(x for x in series if x <= value + near)


def rows(duration: float, sample: float) -> int:
    """Number of rows of a result, equally spaced from 0 to duration, `sample` apart or slightly less."""
    return max(int(np.ceil(duration / sample * (1 - 1e-12))), 1) + 1


@dataclass(frozen=True, eq=False)
class Samples:
    """Values over time from a file."""

    name: str
    t: Array
    q: Array
    qd: Array | None = None
    qdd: Array | None = None


@dataclass(frozen=True)
class PathPlan:
    """The axis about which the end effector moves, by which angle, and how far along it."""

    centre: Numbers
    axis: Numbers
    angle: float
    advance: float = 0.0  # of a screw


@dataclass(frozen=True, eq=False)
class MotionPlan:
    """A motion between two poses, along a path of the end effector, through taught points, or through samples.

    Poses are the numbers that users enter, see entries.py.
    """

    kind: str
    start: Numbers
    stop: Numbers
    duration: float
    samples: Samples | None = None
    sample: float = USUAL_SAMPLE  # s between the rows of the result
    path: PathPlan | None = None
    taught: TaughtPlan | None = None

    def motion(self, robot: Robot) -> Callable[[Any], tuple[Array, Array, Array]]:
        """Of the whole robot; where links bend or gears give, of the joints, as those of the rigid robot would move."""
        s = self.samples
        if s is not None:
            if is_closed(robot):
                return trajectory.closed_samples(robot, s.t, s.q, s.qd, s.qdd)
            return trajectory.samples(s.t, s.q, s.qd, s.qdd)
        if self.taught is not None:
            return self.taught.motion(planned(robot))
        start = whole_pose(robot, self.start)
        if self.path is not None:
            centre, axis, angle = self.path.centre, self.path.axis, self.path.angle
            rigid = planned(robot)
            if self.kind == "circle":
                path = trajectory.circle(rigid, centre, self.duration, axis, angle, start=start)
            else:
                path = trajectory.screw(rigid, centre, self.duration, axis, angle, self.path.advance, start=start)
            if not robot.model.gives:
                return path
            fine = np.linspace(0.0, self.duration, FINE)  # it takes long at an instant, but not for many at once
            return trajectory.samples(fine, *path(fine))
        stop = whole_pose(robot, self.stop, near=start)
        whole = None if guided(robot).way == "joints" else robot
        return getattr(trajectory, self.kind)(start, stop, self.duration, robot=whole)

    @property
    def count(self) -> int:
        """Number of rows of the result."""
        return rows(self.duration, self.sample)


@dataclass(frozen=True, eq=False)
class RunPlan:
    """A simulation; poses, rates and torques are the numbers that users enter, see entries.py."""

    q: Numbers
    qd: Numbers
    duration: float
    drive: str = "none"
    torque: Numbers = ()
    table: Samples | None = None  # of torques
    target: Numbers = ()
    kp: float = 0.0  # per unit of inertia, so that light and heavy joints respond equally fast
    kd: float = 0.0
    motion: MotionPlan | None = None
    method: str = "rkf45"
    rtol: float = 1e-8  # of variable-step methods
    step: float = 1e-3  # s, of fixed-step methods
    sample: float = USUAL_SAMPLE  # s between the rows of the result
    stops: bool = False  # springs and dampers at the joint limits
    saturate: bool = False  # actuators give no more than their limits
    payload: Payload | None = None
    pushes: tuple[Push, ...] = ()
    ground: dict[str, Any] | None = None

    def options(self, method: str) -> dict[str, Any]:
        """Arguments of `redyn.simulate` besides state, duration and torque."""
        exact = {"step": self.step} if method in FIXED_STEP else {"rtol": self.rtol, "atol": self.rtol / 100}
        acting = {name: True for name in ("stops", "saturate") if getattr(self, name)}
        pushes = {"pushes": list(self.pushes)} if self.pushes else {}
        ground = {} if self.ground is None else {"ground": self.ground or True}
        return {**exact, "sample": self.sample, **acting, **pushes, **ground}

    @property
    def conditions(self) -> list[str]:
        """What acts beside the drive, in words; the payload is in the name of the robot."""
        pushes = counted(len(self.pushes), "push", "pushes")
        switches = (self.stops, "joint stops"), (self.saturate, "torque limits"), (bool(self.pushes), pushes)
        numbers = ", ".join(f"{name} {value:g}" for name, value in (self.ground or {}).items() if name != "contacts")
        ground = [] if self.ground is None else [f"ground ({numbers})" if numbers else "ground"]
        return [text for on, text in switches if on] + ground

    def state(self, robot: Robot) -> tuple[Array, Array]:
        """The first arguments of `redyn.simulate`, q and qd."""
        return whole_state(robot, self.q, self.qd)

    def law(self, robot: Robot) -> Any:
        """The torque argument of `redyn.simulate`."""
        from redyn.simulation import controllers

        if self.drive == "constant":
            return whole_torque(robot, self.torque)
        if self.table is not None:
            return self.table.t, whole_torque(robot, self.table.q)
        if self.drive == "pd":
            target = whole_pose(robot, self.target)
            inertia = inertia_seen(robot, target)
            return controllers.pd_gravity(robot, target, self.kp * inertia, self.kd * inertia)
        if self.motion is not None:
            return controllers.computed_torque(robot, self.motion.motion(robot), self.kp, self.kd)
        return None


def inertia_seen(robot: Robot, q: Array) -> Array:
    """What every joint moves at a pose; where loops are closed, the independent ones with all that follows them.

    Where links bend or gears give, the pose is that of the joints, and so is what is returned: as if links were rigid.
    """
    if guided(robot).way == "joints":
        rigid = planned(robot)
        at = rigid.initial
        at[-len(q) :] = q  # a floating base comes first
        return rigid.mass_matrix(at).diagonal()[-len(q) :]
    closure = robot.model.closure
    if closure is None:
        return robot.mass_matrix(q).diagonal()
    seen = np.zeros(robot.dof)
    seen[list(closure.independent)] = robot.mass_matrix(q, reduced=True).diagonal()
    return seen


def is_rigid_of(robot: Robot, first: Robot) -> bool:
    """Whether it is the same robot with straight links and rigid gears."""
    return first.model.gives and robot.coordinate_names == planned(first).coordinate_names


def fitted(plan: RunPlan, robot: Robot, first: Robot) -> RunPlan:
    """The plan for another robot: its own initial pose at rest if the number of joints differs.

    The rigid robot of one whose links bend or gears give begins with its joints where they are.
    """
    own = entries(robot)
    missing = [str(push.link) for push in plan.pushes if push.link not in robot.frame_names]
    if missing:
        raise RedynError(f"{robot.name} has no link {missing[0]}, on which a push acts")
    if (len(plan.q), len(plan.qd)) == (len(own.q), len(own.qd)):
        return plan
    if is_rigid_of(robot, first):
        rates = dict(zip(first.velocity_names, plan.qd, strict=True))
        qd = tuple(rates.get(name, rates.get(f"{name}.link", 0.0)) for name in robot.velocity_names)
        return replace(plan, q=tuple(straightened(first, np.array(plan.q)).tolist()), qd=qd)
    if plan.drive != "none":
        count = counted(len(own.qd), "velocity", "velocities")
        raise RedynError(f"{robot.name} has {count}, not {len(plan.qd)}: compare free falls only")
    return replace(plan, q=tuple(float(x) for x in robot.initial[own.q]), qd=(0.0,) * len(own.qd))
