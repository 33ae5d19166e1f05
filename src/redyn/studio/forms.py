"""What is typed into the inverse and the forward panel: text, made into plans; mistakes name their field."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from redyn.description.numbers import parse_angle, parse_number
from redyn.description.schema import WORLD
from redyn.errors import InputError
from redyn.robot import Robot
from redyn.studio.coordinates import coordinate_units, unit_quaternions
from redyn.studio.plans import DRIVES, KINDS, METHODS, MotionPlan, Numbers, RunPlan, Samples
from redyn.studio.table import number_text
from redyn.trajectory import read_table

LONGEST = 3600.0  # s
USUAL = ("5", "1")  # s that a simulation lasts unless the user says so: of robots that are held, and of those that fall
# Where the book's examples 9.5 to 9.7 take their robots.
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


def configuration(where: str, texts: list[str], robot: Robot) -> Numbers:
    """A row of fields for q."""
    return unit_quaternions(where, robot, per_joint(where, texts, robot.coordinate_names))


@dataclass
class MotionForm:
    """The inverse panel: from start to stop, or a file."""

    kind: str = "cycloidal"
    start: list[str] = field(default_factory=list[str])
    stop: list[str] = field(default_factory=list[str])
    duration: str = "10"
    samples: Samples | None = None

    def fit(self, robot: Robot) -> None:
        """Sensible values for a robot with other joints."""
        stop = BOOK_STOPS.get(robot.name, []) if robot.dof == len(BOOK_STOPS.get(robot.name, [])) else _stop(robot)
        self.start, self.stop = _texts(robot, robot.initial), list(stop)
        self.samples = None
        self.kind = "cycloidal" if self.kind == "csv" else self.kind

    def refit(self, robot: Robot) -> None:
        """What still fits stays."""
        if len(self.start) != robot.nq:
            self.fit(robot)

    def plan(self, robot: Robot) -> MotionPlan:
        if self.kind == "csv":
            if self.samples is None:
                raise InputError("motion: upload a CSV file with columns t and q_<joint> first")
            t = self.samples.t
            return MotionPlan("csv", (), (), float(t[-1]), self.samples)
        if self.kind not in KINDS:
            raise InputError(f"motion: expected one of {', '.join(KINDS)}, got {self.kind!r}")
        duration = number("duration", self.duration, 1e-3, LONGEST)
        start, stop = configuration("start", self.start, robot), configuration("stop", self.stop, robot)
        return MotionPlan(self.kind, start, stop, duration)

    def read_csv(self, path: Path, robot: Robot) -> None:
        """A motion out of a file, at most an hour long."""
        if robot.nq != robot.dof:
            raise InputError(
                f"{path.name}: {robot.name} has joints with quaternions, between whose samples there is no motion; "
                "choose another motion"
            )
        table = read_table(path)
        names = robot.coordinate_names

        def columns(kind: str) -> np.ndarray | None:
            found = [table.columns.get(f"{kind}_{name}") for name in names]
            return None if any(c is None for c in found) else np.stack([c for c in found if c is not None], axis=1)

        q, qd, qdd = (columns(kind) for kind in ("q", "qd", "qdd"))
        if q is None:
            missing = next(name for name in names if f"q_{name}" not in table.columns)
            raise InputError(f"{path.name}: no column q_{missing}; there are t, {', '.join(list(table.columns)[:8])}")
        t = table.times - table.times[0]
        _check_length(path.name, t)
        self.samples = Samples(path.name, t, q, qd, qdd if qd is not None else None)
        MotionPlan("csv", (), (), float(t[-1]), self.samples).motion(robot)
        self.kind = "csv"


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
    compare: str = ""  # nothing, "method:NAME" or "robot:NAME"
    table: Samples | None = None
    _duration_given: bool = False

    def set_duration(self, text: str) -> None:
        """By the user, so that it stays when the robot changes."""
        self.duration, self._duration_given = text, True

    def fit(self, robot: Robot) -> None:
        self.q = _texts(robot, robot.initial)
        self.qd, self.torque = ["0"] * robot.dof, ["0"] * robot.dof
        self.target = _stop(robot)
        self.duration = self.duration if self._duration_given else _usual(robot)
        self.table = None
        self.drive = "none" if self.drive == "csv" else self.drive

    def refit(self, robot: Robot) -> None:
        if (len(self.q), len(self.qd)) != (robot.nq, robot.dof):
            self.fit(robot)

    def plan(self, robot: Robot, motion: MotionForm) -> RunPlan:
        names = robot.velocity_names
        if self.drive not in DRIVES:
            raise InputError(f"torque: expected one of {', '.join(DRIVES)}, got {self.drive!r}")
        if self.method not in METHODS:
            raise InputError(f"integrator: expected one of {', '.join(METHODS)}, got {self.method!r}")
        plan = RunPlan(
            configuration("q", self.q, robot),
            per_joint("qd", self.qd, names),
            number("duration", self.duration, 1e-3, LONGEST),
            self.drive,
            method=self.method,
            rtol=number("tolerance", self.rtol, 1e-14, 1e-1),
        )
        if self.drive == "constant":
            return replace(plan, torque=per_joint("torque", self.torque, names))
        if self.drive == "csv":
            if self.table is None:
                raise InputError("torque: upload a CSV file with columns t and tau_<joint> first")
            return replace(plan, table=self.table)
        if self.drive == "none":
            return plan
        plan = replace(plan, kp=number("kp", self.kp, 0.0), kd=number("kd", self.kd, 0.0))
        if self.drive == "pd":
            return replace(plan, target=configuration("target", self.target, robot))
        return replace(plan, motion=motion.plan(robot))

    def read_csv(self, path: Path, robot: Robot) -> None:
        """Torques out of a file."""
        table = read_table(path)
        names = robot.velocity_names
        missing = [name for name in names if f"tau_{name}" not in table.columns]
        if missing:
            raise InputError(
                f"{path.name}: no column tau_{missing[0]}; there are t, {', '.join(list(table.columns)[:8])}"
            )
        rows = np.stack([table.columns[f"tau_{name}"] for name in names], axis=1)
        self.table = Samples(path.name, table.times - table.times[0], rows)
        self.drive = "csv"


def _check_length(name: str, t: np.ndarray) -> None:
    if len(t) < 2 or t[-1] > LONGEST:
        raise InputError(f"{name}: expected a motion of at least two rows and at most {LONGEST:g} s")


def _texts(robot: Robot, q: np.ndarray) -> list[str]:
    return [number_text(float(x), unit == "rad") for x, unit in zip(q, coordinate_units(robot), strict=True)]


def _usual(robot: Robot) -> str:
    """After some seconds a robot that nothing holds is out of sight."""
    loose = any(link.parent == WORLD and link.joint.type in ("free", "planar") for link in robot.description.links)
    return USUAL[loose and bool(robot.gravity.any())]


def _stop(robot: Robot) -> list[str]:
    """Sixty degrees on, or a tenth of a metre, within the limits; joints with quaternions stay as they are."""
    q, model = robot.initial, robot.model
    for link, i, (low, high) in zip(model.driven, model.starts, robot.limits, strict=True):
        if link.joint.coordinates == 1:
            step = 0.1 if link.joint.kind == "prismatic" else np.pi / 3
            q[i] = np.clip(q[i] + step if q[i] + step <= high else q[i] - step, low, high)
    return _texts(robot, q)
