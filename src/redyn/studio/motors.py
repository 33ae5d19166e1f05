"""Motors and gearboxes that users type in, one per joint, and what a motion asks of them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from redyn.description.numbers import parse_number
from redyn.errors import InputError, RedynError
from redyn.report.plots import turning
from redyn.robot import Robot
from redyn.simulation.sizing import JointSizing, Load, Motor, loads, size
from redyn.studio.entries import entries
from redyn.studio.units import Angles

Array = NDArray[np.float64]

# Of a motor, as it is typed: label and meaning.
FIELDS = {
    "rated_torque": ("rated torque", "Continuous torque of the motor shaft, Nm"),
    "peak_torque": ("peak torque", "Largest torque of the motor shaft for a short time, Nm"),
    "max_speed": ("top speed", "Of the motor shaft: 300 (rad/s), or 3000 rpm"),
    "rated_speed": ("rated speed", "Up to it the peak torque is available, then less; empty: up to the top speed"),
    "ratio": ("gear ratio", "Turns of the motor per turn of the joint; rad per m of a prismatic joint; empty: 1"),
    "efficiency": ("efficiency", "Of the gearbox, up to 1; empty: 1"),
    "inertia": ("rotor inertia", "kg m²; empty: none, as where the armature of the joint includes it"),
}
UNITS = {"rated_torque": "Nm", "peak_torque": "Nm", "max_speed": "rad/s", "rated_speed": "rad/s", "inertia": "kg m²"}
NEEDED = ("rated_torque", "peak_torque", "max_speed")
SPEEDS = ("max_speed", "rated_speed")


@dataclass
class MotorForm:
    """Texts by field, one per driven joint. A joint with empty fields has no motor."""

    joints: list[str] = field(default_factory=list[str])
    cells: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    def fit(self, robot: Robot) -> None:
        """Empty fields for a new robot."""
        self.joints = entries(robot).torque_names(robot)
        self.cells = {name: [""] * len(self.joints) for name in FIELDS}

    def refit(self, robot: Robot) -> None:
        """After an edit of the robot: joints keep their motors."""
        before = {joint: {name: self.cells[name][k] for name in FIELDS} for k, joint in enumerate(self.joints)}
        self.fit(robot)
        for k, joint in enumerate(self.joints):
            for name, text in before.get(joint, {}).items():
                self.cells[name][k] = text

    def spread(self) -> None:
        """The first motor for all joints."""
        for texts in self.cells.values():
            texts[:] = texts[:1] * len(texts)

    def motors(self) -> tuple[dict[str, Motor], list[str]]:
        """The motors by joint, and what is wrong with the others."""
        found, wrong = dict[str, Motor](), list[str]()
        for k, joint in enumerate(self.joints):
            texts = {name: self.cells[name][k].strip() for name in FIELDS if self.cells[name][k].strip()}
            if texts:
                try:
                    found[joint] = _motor(texts)
                except RedynError as error:
                    wrong.append(f"Motor of {joint}: {str(error).removeprefix('Motor: ')}")
        return found, wrong


def _motor(texts: Mapping[str, str]) -> Motor:
    for name in NEEDED:
        if name not in texts:
            raise InputError(f"{FIELDS[name][0]} is missing")
    values: dict[str, Any] = {}
    for name, text in texts.items():
        rpm = text.endswith("rpm") and name in SPEEDS
        try:
            number = parse_number(text.removesuffix("rpm").strip() if rpm else text)
        except ValueError as error:
            raise InputError(f"{FIELDS[name][0]}: {error}") from None
        values[name] = number * math.tau / 60 if rpm else number
    try:
        return Motor(**values)
    except InputError as error:
        message = str(error)
        for name, (label, _) in FIELDS.items():
            message = message.replace(name, label)
        raise InputError(message) from None


class SizedJoint(NamedTuple):
    """A driven joint: what it needs, and its motor if it has one."""

    name: str
    number: int  # of its velocity
    turns: bool
    load: Load
    motor: JointSizing | None


class Sized(NamedTuple):
    """The driven joints over a motion, and notes on motors."""

    joints: list[SizedJoint]
    notes: list[str]


def sized(robot: Robot, form: MotorForm, t: Array, qd: Array, tau: Array, qdd: Array) -> Sized | None:
    """None without a motion, or if not every rate has its actuator. Rows that are not finite are left out."""
    if robot.torque_names != robot.velocity_names:
        return None
    finite = np.isfinite(np.hstack([qd, tau, qdd])).all(axis=1)
    rows = slice(None) if finite.all() else slice(0, int(finite.argmin()))
    if len(t[rows]) < 2:
        return None
    needed = loads(robot, t[rows], qd[rows], tau[rows])
    motors, notes = form.motors()
    given = {name: motor for name, motor in motors.items() if name in needed}
    joints = robot.model.driven
    twice = [
        n for i, n in enumerate(robot.velocity_names) if n in given and given[n].inertia and joints[i].joint.armature
    ]
    if twice:
        notes = [
            *notes,
            f"{', '.join(twice)}: the rotor inertia is added to the armature of the joint; give one of them",
        ]
    found = {joint.name: joint for joint in size(robot, given, t[rows], qd[rows], tau[rows], qdd[rows]).joints}
    turns = turning(robot)
    listed = [
        SizedJoint(name, i, turns[i], needed[name], found.get(name))
        for i, name in ((i, robot.velocity_names[i]) for i in entries(robot).tau)
    ]
    return Sized(listed, notes)


# --- tables ------------------------------------------------------------------------------------------------------

JOINT_HEAD = ["joint", "peak torque", "RMS torque", "peak speed", "peak power (W)", "mean power (W)"]
MOTOR_HEAD = ["motor of", "RMS (Nm)", "peak (Nm)", "speed (rad/s)", "power (W)", "RMS", "peak", "speed", "verdict"]


def joint_rows(found: Sized, angles: Angles) -> list[list[str]]:
    """What the joints need."""
    rows: list[list[str]] = []
    for joint in found.joints:
        torque, speed, load = ("Nm", "rad/s", joint.load) if joint.turns else ("N", "m/s", joint.load)
        torques = [f"{x:.4g} {torque}" for x in (load.peak_torque, load.rms_torque)]
        powers = [f"{x:.4g}" for x in (load.peak_power, load.mean_power)]
        rows.append([joint.name, *torques, angles.brief(load.peak_speed, speed), *powers])
    return rows


def motor_rows(found: Sized) -> list[list[str]]:
    """What the motors need, how much of what they have that is, and whether they fit."""
    rows: list[list[str]] = []
    for joint in found.joints:
        if joint.motor is not None:
            load, motor = joint.motor.motor_side, joint.motor
            numbers = [f"{x:.4g}" for x in (load.rms_torque, load.peak_torque, load.peak_speed, load.peak_power)]
            used = [f"{x:.0%}" if math.isfinite(x) else "–" for x in (motor.continuous, motor.peak, motor.speed)]
            rows.append([joint.name, *numbers, *used, "fits" if motor.fits else "does not fit"])
    return rows


def reasons(found: Sized) -> list[str]:
    """Why motors do not fit, a sentence each."""
    small = [joint for joint in found.joints if joint.motor is not None and not joint.motor.fits]
    return [f"{joint.name}: {joint.motor.verdict}." for joint in small if joint.motor is not None]


def table_rows(found: Sized) -> list[list[Any]]:
    """Both in full precision, for a CSV file; cells of joints without a motor are empty."""
    sides = ("rms_torque", "peak_torque", "peak_speed", "peak_power", "mean_power", "energy", "returned")
    units = {"peak_power": " [W]", "mean_power": " [W]", "energy": " [J]", "returned": " [J]"}
    motor_units = units | {"rms_torque": " [Nm]", "peak_torque": " [Nm]", "peak_speed": " [rad/s]"}
    head = ["joint", "torque unit", "speed unit", *(f"{name}{units.get(name, '')}" for name in sides)]
    head += [f"motor {name}" for name in FIELDS]
    head += [f"motor side {name}{motor_units[name]}" for name in sides]
    head += ["continuous", "peak", "speed", "verdict"]
    rows: list[list[Any]] = [head]
    for joint in found.joints:
        own = [joint.name, *(("Nm", "rad/s") if joint.turns else ("N", "m/s"))]
        row: list[Any] = [*own, *(getattr(joint.load, name) for name in sides)]
        if joint.motor is not None:
            motor = joint.motor
            row += [getattr(motor.motor, name) for name in FIELDS]
            row += [getattr(motor.motor_side, name) for name in sides]
            row += [motor.continuous, motor.peak, motor.speed, motor.verdict]
        rows.append(row + [""] * (len(head) - len(row)))
    return [["" if cell is None else cell for cell in row] for row in rows]
