"""User input of the inverse and forward panels, parsed into plans; errors name their field."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from redyn.description.numbers import parse_angle, parse_number
from redyn.description.schema import WORLD
from redyn.errors import InputError, RedynError
from redyn.robot import Robot
from redyn.studio.cells import angles, number_text, numbers
from redyn.studio.coordinates import coordinate_units, unit_quaternions
from redyn.studio.entries import Entries, entries, guided, is_closed, planned, whole_pose, why_undriven
from redyn.studio.grounding import GroundForm, can_stand
from redyn.studio.inbox import finite
from redyn.studio.limits import has_efforts, has_stops
from redyn.studio.plans import (
    DRIVES,
    KINDS,
    METHODS,
    PATHS,
    MotionPlan,
    Numbers,
    PathPlan,
    RunPlan,
    Samples,
    most_rows,
    round_number,
    rows,
    usual_sample,
)
from redyn.studio.pushing import MOST as MOST_PUSHES
from redyn.studio.pushing import PushForm
from redyn.studio.teaching import TaughtForm, duration_of
from redyn.studio.usual import UsualPath, usual_gains, usual_path, usual_rates, usual_stop, usual_torque
from redyn.trajectory.table import Table

Array = NDArray[np.float64]

LONGEST = 3600.0  # s
USUAL = ("5", "1")  # s, default duration of a simulation: controlled robots, and falling ones
OF_WHEELS = ("none", "constant", "csv")  # torques of robots on wheels
# Final joint values of the book's examples 9.5 to 9.7.
BOOK_STOPS = {
    "puma": ["pi"] * 6,
    "stanford": ["pi/3", "-5*pi/6", "0.735", "pi/3", "5*pi/6", "5*pi/6"],
    "kuka-kr5": ["pi/3"] * 6,
}


def number(where: str, text: str, low: float = -np.inf, high: float = np.inf) -> float:
    """A number in a field; the error names the field."""
    try:
        value = parse_number(text.strip() if text.strip() else "nothing")
    except ValueError as error:
        raise InputError(f"{where}: {'empty; write a number' if not text.strip() else error}") from None
    if not low <= value <= high:
        raise InputError(f"{where}: expected a number from {low:g} to {high:g}, got {text.strip()}")
    return value


def per_joint(where: str, texts: list[str], names: list[str]) -> Numbers:
    """A row of fields, each with its name; an empty one is zero."""
    values: list[float] = []
    for name, text in zip(names, texts, strict=True):
        try:
            values.append(parse_angle(text.strip() or "0"))
        except ValueError as error:
            raise InputError(f"{where} of {name}: {error}") from None
    return tuple(values)


def configuration(where: str, texts: list[str], robot: Robot, of: Entries | None = None) -> Numbers:
    """A row of fields for the entries of q: those of a motion, or others."""
    own = of or guided(robot)
    values = per_joint(where, texts, own.names(robot))
    return unit_quaternions(where, robot, values) if len(own.q) == robot.nq else values


def triple(where: str, text: str) -> Numbers:
    """A field of three numbers, such as a point."""
    try:
        return tuple(numbers(text, count=3) or numbers("nothing", count=3) or ())
    except ValueError as error:
        raise InputError(f"{where}: {error}") from None


def angle(where: str, text: str) -> float:
    try:
        return (angles(text or "nothing", count=1) or [0.0])[0]
    except ValueError as error:
        raise InputError(f"{where}: {error}") from None


def sample_of(text: str, duration: float, robot: Robot) -> float:
    """Seconds between the rows of a result: as typed, or the default if empty."""
    most = most_rows(robot)
    if not text.strip():
        return usual_sample(duration, most)
    value = number("sample", text, 1e-9, LONGEST)
    count = rows(duration, value)
    if count > most:
        raise InputError(
            f"sample: {duration:g} s every {value:g} s are {count:,} rows; at most {most:,} of {robot.name} fit into "
            f"memory, so write {round_number(duration / (most - 1), up=True):g} or more"
        )
    return value


def usual_text(duration: str, robot: Robot) -> str:
    """The default for an empty sample field."""
    try:
        return number_text(usual_sample(number("duration", duration, 1e-3, LONGEST), most_rows(robot)))
    except InputError:
        return ""


@dataclass
class PathForm:
    """A circle or a screw of the end effector, from where it is at the joint values `begin`."""

    begin: list[str]
    centre: str
    axis: str
    angle: str
    advance: str = "0"
    typed: bool = False  # whether the user has changed it

    @staticmethod
    def of(robot: Robot, found: UsualPath) -> PathForm:
        path = found.path
        degrees = number_text(round(float(np.degrees(path.angle)), 9))
        begin = _texts(robot, np.array(found.begin), guided(robot).q)
        return PathForm(begin, _row(path.centre), _row(path.axis), f"{degrees} deg", number_text(path.advance))

    def plan(self, kind: str) -> PathPlan:
        advance = number("advance", self.advance) if kind == "screw" else 0.0
        return PathPlan(triple("centre", self.centre), triple("axis", self.axis), angle("angle", self.angle), advance)

    def radius(self, robot: Robot) -> str:
        """From the axis to where the end effector begins; empty if the fields are wrong."""
        try:
            return f"{float(np.linalg.norm(self._arm(robot)[1])):.4g}"
        except RedynError:
            return ""

    def set_radius(self, robot: Robot, text: str) -> None:
        """Moves the axis towards the end effector, or away from it."""
        radius = number("radius", text, 1e-9, 1e6)
        tip, arm = self._arm(robot)
        length = float(np.linalg.norm(arm))
        if length < 1e-12:
            across = np.cross(triple("axis", self.axis), np.eye(3)[int(np.abs(triple("axis", self.axis)).argmin())])
            arm, length = across, float(np.linalg.norm(across))
        self.typed = True
        self.centre = _row(np.round(tip - arm * (radius / length), 9) + 0.0)

    def _arm(self, robot: Robot) -> tuple[Array, Array]:
        """Where the end effector begins, and the way there from the nearest point of the axis."""
        begin = whole_pose(robot, configuration("start", self.begin, robot))
        tip = planned(robot).forward_kinematics(begin)[:3, 3]
        path = self.plan("circle")
        axis = np.array(path.axis) / max(float(np.linalg.norm(path.axis)), 1e-12)
        arm = tip - path.centre
        return tip, arm - axis * (arm @ axis)


@dataclass
class MotionForm:
    """The inverse panel: from start to stop, along a path of the end effector, through taught points, or a file."""

    kind: str = "cycloidal"
    start: list[str] = field(default_factory=list[str])
    stop: list[str] = field(default_factory=list[str])
    duration: str = "10"
    sample: str = ""  # s between the rows of the result; empty: default
    samples: Samples | None = None
    paths: dict[str, PathForm] = field(default_factory=dict[str, PathForm])  # by kind, once they are needed
    taught: TaughtForm = field(default_factory=TaughtForm)
    typed: bool = False  # whether the user has changed start or stop

    def fit(self, robot: Robot) -> None:
        """Default values for a new robot."""
        stop = BOOK_STOPS.get(robot.name, [])
        own = guided(robot)
        if len(own.q) != len(stop):
            stop = _texts(robot, usual_stop(robot), own.q)
        self.start, self.stop = _texts(robot, robot.initial[own.q], own.q), list(stop)
        self.samples, self.paths, self.taught, self.typed = None, {}, TaughtForm(), False
        self.kind = "cycloidal" if self.kind in ("csv", "taught", *PATHS) else self.kind

    def refit(self, robot: Robot) -> None:
        """Keeps the values that still fit the robot."""
        if len(self.start) != len(guided(robot).q):
            self.fit(robot)
        self.paths = {kind: path for kind, path in self.paths.items() if path.typed}

    @property
    def path(self) -> PathForm | None:
        """The path of the chosen kind, once it is known: see `fit_path`."""
        return self.paths.get(self.kind)

    def fit_path(self, robot: Robot) -> None:
        """Default values of the chosen path, which take a second for some robots."""
        if self.kind in PATHS and self.kind not in self.paths:
            self.paths[self.kind] = PathForm.of(robot, usual_path(robot, self.kind))

    def plan(self, robot: Robot) -> MotionPlan:
        if self.kind == "csv":
            if self.samples is None:
                raise InputError("motion: upload a CSV file with columns t and q_<joint> first")
            length = float(self.samples.t[-1])
            return MotionPlan("csv", (), (), length, self.samples, sample_of(self.sample, length, robot))
        if self.kind == "taught":
            taught = self.taught.plan(robot, per_joint)
            length = duration_of(taught, robot)
            return MotionPlan("taught", (), (), length, None, sample_of(self.sample, length, robot), taught=taught)
        if self.kind not in KINDS:
            raise InputError(f"motion: expected one of {', '.join(KINDS)}, got {self.kind!r}")
        duration = number("duration", self.duration, 1e-3, LONGEST)
        sample = sample_of(self.sample, duration, robot)
        if self.kind in PATHS:
            self.fit_path(robot)
            form = self.paths[self.kind]
            begin = configuration("start", form.begin, robot)
            return MotionPlan(self.kind, begin, (), duration, sample=sample, path=form.plan(self.kind))
        start, stop = configuration("start", self.start, robot), configuration("stop", self.stop, robot)
        return MotionPlan(self.kind, start, stop, duration, sample=sample)

    def take(self, name: str, table: Table, robot: Robot) -> None:
        """A motion from a file, at most an hour long."""
        own = guided(robot)
        if own.way not in ("complete", "joints") and robot.nq != robot.dof:
            raise InputError(
                f"{name}: {robot.name} has joints with quaternions, whose samples cannot be interpolated; "
                "choose another motion"
            )
        names = own.names(robot)

        def columns(kind: str) -> np.ndarray | None:
            wanted = [f"{kind}_{joint}" for joint in names]
            return finite(name, table, wanted) if all(column in table.columns for column in wanted) else None

        q, qd, qdd = (columns(kind) for kind in ("q", "qd", "qdd"))
        if q is None:
            missing = next(joint for joint in names if f"q_{joint}" not in table.columns)
            raise InputError(f"{name}: no column q_{missing}; there are t, {', '.join(list(table.columns)[:8])}")
        t = table.times - table.times[0]
        _check_length(name, t)
        samples = Samples(name, t, q, qd, qdd if qd is not None else None)
        MotionPlan("csv", (), (), float(t[-1]), samples).motion(robot)
        self.samples, self.kind = samples, "csv"


@dataclass
class RunForm:
    """The forward panel."""

    q: list[str] = field(default_factory=list[str])
    qd: list[str] = field(default_factory=list[str])
    torque: list[str] = field(default_factory=list[str])
    target: list[str] = field(default_factory=list[str])
    duration: str = USUAL[0]
    drive: str = "none"
    kp: str = "100"
    kd: str = "20"
    method: str = "rkf45"
    rtol: str = "1e-8"
    step: str = "0.001"
    sample: str = ""  # s between the rows of the result; empty: default
    stops: bool = False
    saturate: bool = False  # torque limits
    pushes: list[PushForm] = field(default_factory=list[PushForm])
    ground: GroundForm = field(default_factory=GroundForm)
    compare: str = ""  # empty, "method:NAME" or "robot:NAME"
    table: Samples | None = None
    duration_given: bool = False
    gains_given: bool = False

    def set_gain(self, name: str, text: str) -> None:
        """Likewise."""
        setattr(self, name, text)
        self.gains_given = True

    def set_duration(self, text: str) -> None:
        """Set by the user, so it is kept when the robot changes."""
        self.duration, self.duration_given = text, True

    def fit(self, robot: Robot) -> None:
        own = entries(robot)
        self.q = _initial(robot)
        self.qd, self.torque = ["0"] * len(own.qd), ["0"] * len(own.tau)
        self.target = _texts(robot, usual_stop(robot), guided(robot).q)
        self.duration = self.duration if self.duration_given else _usual(robot)
        if not self.gains_given:
            self.kp, self.kd = (number_text(x) for x in usual_gains(robot))
        self.table, self.pushes = None, []
        self.drive = "none" if self.drive == "csv" else self.drive
        self.ground = GroundForm(on=bool(robot.description.ground) and can_stand(robot))
        if robot.model.contacts:  # at rest it would stay where it is
            self.drive, self.torque = "constant", [number_text(x) for x in usual_torque(robot)]
            self.qd = [number_text(x) for x in usual_rates(robot)]
            self.duration = self.duration if self.duration_given else USUAL[0]

    def refit(self, robot: Robot) -> None:
        own = entries(robot)
        counts = len(own.q), len(own.qd), len(own.tau), len(guided(robot).q)
        if (len(self.q), len(self.qd), len(self.torque), len(self.target)) != counts:
            self.fit(robot)
        self.pushes = [push for push in self.pushes if push.link in robot.frame_names]

    def add_push(self, push: PushForm) -> None:
        if len(self.pushes) >= MOST_PUSHES:
            raise InputError(f"push: there are {MOST_PUSHES}, which is the limit: remove some")
        self.pushes.append(push)

    def plan(self, robot: Robot, motion: MotionForm) -> RunPlan:
        own = entries(robot)
        known = drives(robot)
        if self.drive not in known:
            why = f" for {robot.name}, {_why_few(robot)}" if self.drive in DRIVES else ""
            raise InputError(f"torque: expected one of {', '.join(known)}{why}, got {self.drive!r}")
        if self.method not in METHODS:
            raise InputError(f"integrator: expected one of {', '.join(METHODS)}, got {self.method!r}")
        if self.stops and not has_stops(robot):
            raise InputError(f"stops: {robot.name} has no joint limits; give some in the tab Limits and friction")
        if self.saturate and not has_efforts(robot):
            where = "give some in the column effort of the tab Limits and friction"
            raise InputError(f"torque limits: {robot.name} has no effort limits; {where}")
        duration = number("duration", self.duration, 1e-3, LONGEST)
        plan = RunPlan(
            configuration("q", self.q, robot, own),
            per_joint("qd", self.qd, own.rate_names(robot)),
            duration,
            self.drive,
            method=self.method,
            rtol=number("tolerance", self.rtol, 1e-14, 1e-1),
            step=number("step", self.step, 1e-7, 1.0),
            sample=sample_of(self.sample, duration, robot),
            stops=self.stops,
            saturate=self.saturate,
            pushes=tuple(push.plan(k + 1) for k, push in enumerate(self.pushes)),
            ground=self.ground.plan(robot),
        )
        if self.drive == "constant":
            return replace(plan, torque=per_joint("torque", self.torque, own.torque_names(robot)))
        if self.drive == "csv":
            if self.table is None:
                raise InputError("torque: upload a CSV file with columns t and tau_<joint> first")
            return replace(plan, table=self.table)
        if self.drive in ("none", "inverse"):
            return plan
        plan = replace(plan, kp=number("kp", self.kp, 0.0), kd=number("kd", self.kd, 0.0))
        if self.drive == "pd":
            return replace(plan, target=configuration("target", self.target, robot))
        return replace(plan, motion=motion.plan(robot))

    def changed_since(self, plan: RunPlan, robot: Robot) -> list[str]:
        """What acts in that simulation otherwise than the form says now."""
        try:
            ground = self.ground.plan(robot)
        except InputError:
            ground = {}
        try:
            pushes = tuple(push.plan(k + 1) for k, push in enumerate(self.pushes))
        except InputError:
            pushes = None
        now = {
            "joint stops": (self.stops, plan.stops),
            "torque limits": (self.saturate, plan.saturate),
            "pushes": (pushes, plan.pushes),
            "the ground": (ground, plan.ground),
        }
        return [name for name, (mine, its) in now.items() if mine != its]

    def begin_at(self, robot: Robot, q: Array, qd: Array, duration: float) -> None:
        """Another initial state and duration."""
        own = entries(robot)
        self.q = _texts(robot, q[own.q], own.q)
        self.qd = [number_text(float(x)) for x in qd[own.qd]]
        self.set_duration(number_text(duration))

    def take(self, name: str, table: Table, robot: Robot) -> None:
        """Torques from a file, at most an hour long."""
        names = entries(robot).torque_names(robot)
        missing = [joint for joint in names if f"tau_{joint}" not in table.columns]
        if missing:
            raise InputError(f"{name}: no column tau_{missing[0]}; there are t, {', '.join(list(table.columns)[:8])}")
        t = table.times - table.times[0]
        _check_length(name, t)
        self.table = Samples(name, t, finite(name, table, [f"tau_{joint}" for joint in names]))
        self.drive = "csv"


def drives(robot: Robot) -> dict[str, str]:
    """Torques that a robot may be driven by: motions between poses are not for all, see `_why_few`."""
    return {key: text for key, text in DRIVES.items() if not _why_few(robot) or key in OF_WHEELS}


def _why_few(robot: Robot) -> str:
    """Why a robot cannot follow motions between poses; empty if it can."""
    if robot.model.contacts:
        return "which is on wheels"
    return "which bends and has loops or joints of several axes" if why_undriven(robot) else ""


def _check_length(name: str, t: np.ndarray) -> None:
    if len(t) < 2 or t[-1] > LONGEST:
        raise InputError(f"{name}: expected at least two rows and at most {LONGEST:g} s")


def _texts(robot: Robot, values: Array, at: list[int]) -> list[str]:
    """Some entries of q, which are at these places."""
    units = coordinate_units(robot)
    return [number_text(float(x), units[i] == "rad") for x, i in zip(values, at, strict=True)]


def present(robot: Robot, q: Array, motion: bool = False) -> list[str]:
    """A configuration as the fields show it: those of a state, or of a motion."""
    at = (guided if motion else entries)(robot).q
    return _texts(robot, q[at], at)


def _initial(robot: Robot) -> list[str]:
    return present(robot, robot.initial)


def _row(values: Iterable[float]) -> str:
    return ", ".join(number_text(float(x)) for x in values)


def _usual(robot: Robot) -> str:
    """The default duration: a falling robot leaves the view after some seconds."""
    loose = any(link.parent == WORLD and link.joint.type in ("free", "planar") for link in robot.description.links)
    if is_closed(robot):  # platforms on rods that give way
        loose |= any(robot.model.driven[i].joint.kind == "prismatic" for i in entries(robot).tau)
    return USUAL[loose and bool(robot.gravity.any())]
