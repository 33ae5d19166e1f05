"""Taught points as the inverse panel has them: a list that is typed or taught from the pose shown."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from redyn import trajectory
from redyn.description.numbers import parse_angle, parse_number
from redyn.errors import InputError
from redyn.robot import Robot
from redyn.studio.cells import number_text, numbers
from redyn.studio.coordinates import coordinate_units
from redyn.studio.entries import guided, planned
from redyn.studio.units import Angles

Array = NDArray[np.float64]
Numbers = tuple[float, ...]

TIP = {"tip_speed": "m/s", "tip_acceleration": "m/s²", "tip_angular_speed": "rad/s"}  # limits of the end effector
LEGS = ("quintic", "cycloidal", "cubic", "trapezoidal", "spline", "line", "circle")
FIELDS = ("leg", "via", "duration", "dwell", "blend")
MOST_POINTS = 100
LONGEST = 3600.0  # s
FEW = "taught points: move the robot and press Teach, at least twice"
NOT_TAUGHT = (
    "Robots with loops or with quaternions, such as a floating base, have no taught points: choose another motion."
)


class PointPlan(NamedTuple):
    """A point and the leg to it, as numbers; see `redyn.trajectory.Point`."""

    q: Numbers
    leg: str
    via: Numbers | None = None
    duration: float | None = None
    dwell: float = 0.0
    blend_time: float = 0.0
    blend_radius: float = 0.0

    @property
    def options(self) -> dict[str, Any]:
        """What is not usual about it, besides q."""
        usual = PointPlan((), "quintic")
        return {name: value for name, value in self._asdict().items() if name != "q" and value != getattr(usual, name)}


@dataclass(frozen=True)
class TaughtPlan:
    """A list of points, and limits of the joints; None: those of the robot's file."""

    points: tuple[PointPlan, ...]
    speed: Numbers | None = None
    acceleration: Numbers | None = None
    tip_speed: float | None = None  # of the end effector on lines and circles
    tip_acceleration: float | None = None
    tip_angular_speed: float | None = None

    @property
    def tip(self) -> dict[str, float]:
        """The limits of the end effector that there are, as arguments of `taught`."""
        limits = {name: getattr(self, name) for name in TIP}
        return {name: value for name, value in limits.items() if value is not None}

    def motion(self, robot: Robot) -> trajectory.Taught:
        points = [trajectory.Point(q=point.q, **point.options) for point in self.points]
        try:
            return trajectory.taught(
                robot,
                points,
                speed=self.speed,
                acceleration=self.acceleration,
                tip_speed=self.tip_speed,
                tip_acceleration=self.tip_acceleration,
                tip_angular_speed=self.tip_angular_speed,
            )
        except InputError as error:
            raise InputError(_said(str(error))) from None


def _said(message: str) -> str:
    """An error of the library in the words of the table."""
    message = re.sub(r"taught: points\[(\d+)\](\.q)?", lambda found: f"point {int(found[1]) + 1}", message)
    return message.removeprefix("taught: ").replace(
        "give its pose, or reach it by a joint law", "teach it again from the point before, or choose another leg"
    )


@dataclass
class PointForm:
    """A row of the list."""

    q: list[str]
    leg: str = "quintic"
    via: str = ""  # x, y, z of a circle
    duration: str = ""  # s; empty: as the limits ask for
    dwell: str = ""  # s
    blend: str = ""  # m, or s if written with it


@dataclass
class TaughtForm:
    points: list[PointForm] = field(default_factory=list[PointForm])
    speed: str = ""
    acceleration: str = ""
    tip_speed: str = ""
    tip_acceleration: str = ""
    tip_angular_speed: str = ""

    @property
    def has_paths(self) -> bool:
        """Whether the end effector follows a line or a circle somewhere."""
        return any(point.leg in ("line", "circle") for point in self.points[1:])

    def teach(self, robot: Robot, q: Array, at: int | None = None) -> None:
        """The pose shown, as another point or in the place of one."""
        if not can_teach(robot):
            raise InputError(NOT_TAUGHT)
        if at is None and len(self.points) >= MOST_POINTS:
            raise InputError(f"taught points: at most {MOST_POINTS}")
        units = coordinate_units(robot)
        texts = [number_text(float(q[i]), units[i] == "rad") for i in guided(robot).q]
        if at is None:
            leg = self.points[-1].leg if len(self.points) > 1 else "quintic"
            self.points.append(PointForm(texts, "quintic" if leg == "circle" else leg))
        else:
            self.points[at].q = texts

    def teach_via(self, robot: Robot, q: Array, at: int) -> None:
        """Where the end effector is, as the point that a circle passes."""
        tip = robot.forward_kinematics(q)[:3, 3]
        self.points[at].via = ", ".join(number_text(round(float(x), 9) + 0.0) for x in tip)

    def move(self, at: int, step: int) -> None:
        to = at + step
        if 0 <= to < len(self.points):
            self.points.insert(to, self.points.pop(at))

    def values(self, at: int, names: list[str], parse: Callable[[str, list[str], list[str]], Numbers]) -> Numbers:
        """The joint values of a point."""
        return parse(f"point {at + 1}", self.points[at].q, names)

    def plan(self, robot: Robot, parse: Callable[[str, list[str], list[str]], Numbers]) -> TaughtPlan:
        """`parse` reads a row of joint values; errors name their field."""
        if not can_teach(robot):
            raise InputError(NOT_TAUGHT)
        if len(self.points) < 2:
            raise InputError(FEW)
        names = guided(robot).names(robot)
        points = tuple(self._point(k, self.values(k, names, parse)) for k in range(len(self.points)))
        speed, acceleration = (_limits(what, getattr(self, what), robot) for what in ("speed", "acceleration"))
        return TaughtPlan(points, speed, acceleration, *(_tip(name, getattr(self, name)) for name in TIP))

    def _point(self, k: int, q: Numbers) -> PointPlan:
        form, where = self.points[k], f"point {k + 1}"
        if form.leg not in LEGS:
            raise InputError(f"{where}: expected one of {', '.join(LEGS)}, got {form.leg!r}")
        dwell = _number(f"{where}, dwell", form.dwell) or 0.0
        blend, timed = form.blend.strip(), form.blend.strip().endswith("s")
        size = _number(f"{where}, blend", blend.removesuffix("s") if timed else blend.removesuffix("m")) or 0.0
        if not k:
            return PointPlan(q, "quintic", dwell=dwell)
        via = None
        if form.leg == "circle":
            try:
                via = tuple(numbers(form.via, count=3) or ())
            except ValueError as error:
                raise InputError(f"{where}, via: {error}") from None
            if not via:
                raise InputError(f"{where}: a circle passes a third point; type its x, y, z, or teach it")
        duration = _number(f"{where}, time", form.duration)
        return PointPlan(q, form.leg, via, duration, dwell, size if timed else 0.0, 0.0 if timed else size)


def can_teach(robot: Robot) -> bool:
    rigid = planned(robot)
    return not robot.model.loops and rigid.nq == rigid.dof


def _number(where: str, text: str) -> float | None:
    """A number that is not negative; None if there is none."""
    try:
        found = numbers(text, count=1)
    except ValueError as error:
        raise InputError(f"{where}: {error}") from None
    if found is not None and not 0 <= found[0] <= LONGEST:
        raise InputError(f"{where}: expected a number from 0 to {LONGEST:g}, got {text.strip()}")
    return None if found is None else found[0]


def limit_shown(text: str, units: list[str], angles: Angles) -> str:
    """A field of limits: one number for all joints, or one per joint."""
    single = len(re.split(r"[,;]", text)) == 1
    return angles.shown(text, [units[0]] if single and len(set(units)) == 1 else units)


def limit_typed(text: str, units: list[str], angles: Angles) -> str:
    """What is stored of it; where joints differ in their units, one number for all becomes one per joint."""
    single = len(re.split(r"[,;]", text)) == 1 and bool(text.strip())
    if single and angles.degrees and len(set(units)) > 1:
        text = ", ".join([text.strip()] * len(units))
    return angles.typed(text, [units[0]] if single and len(set(units)) == 1 else units)


def _limits(what: str, text: str, robot: Robot) -> Numbers | None:
    """One number for all joints, or one per joint; None if there is nothing."""
    try:
        found = numbers(text, parse_angle)
    except ValueError as error:
        raise InputError(f"{what}: {error}") from None
    if found is None:
        return None
    count = len(guided(robot).qd)
    values = found * count if len(found) == 1 else found
    if len(values) != count or not all(x > 0 for x in values):
        raise InputError(f"{what}: expected one positive number, or {count} of them, one per joint")
    return tuple(values)


def _tip(name: str, text: str) -> float | None:
    """A limit of the end effector; None if there is nothing."""
    try:
        found = numbers(text, parse_angle if TIP[name] == "rad/s" else parse_number, count=1)
    except ValueError as error:
        raise InputError(f"{name.replace('_', ' ')}: {error}") from None
    if found is not None and not 0 < found[0] <= 1e6:
        raise InputError(f"{name.replace('_', ' ')}: expected a positive number, got {text.strip()}")
    return None if found is None else found[0]


def duration_of(plan: TaughtPlan, robot: Robot) -> float:
    """How long the motion takes."""
    duration = plan.motion(planned(robot)).duration
    if duration > LONGEST:
        raise InputError(f"taught points: they take {duration:.4g} s; the limit is {LONGEST:g} s")
    return duration
