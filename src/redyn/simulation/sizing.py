"""Sizing of actuators: whether a motor with its gearbox can drive a joint through a motion.

At the motor, the speed is ratio times that of the joint. The torque is that of the joint divided by the ratio, more by
the losses of the gearbox while the motor drives or holds, less while the load drives it, and what accelerates the
rotor: tau_m = inertia ratio qdd + tau / (ratio efficiency), or + tau efficiency / ratio while tau qd < 0. A motor fits
if the RMS of its torque does not exceed the rated torque, and every instant lies below its torque-speed curve.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redyn.arrays import real_array
from redyn.errors import InputError, warn
from redyn.robot import Robot
from redyn.words import suggestion

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Motor:
    """A motor and its gearbox; torques and speeds of the motor shaft, before the gearbox, in SI units.

    The peak torque is available up to `rated_speed`; from there it falls in a straight line to zero at `max_speed`.
    Without `rated_speed` it is available up to `max_speed`.
    """

    rated_torque: float  # continuous, Nm
    peak_torque: float  # for a short time, Nm
    max_speed: float  # rad/s
    rated_speed: float | None = None  # rad/s
    ratio: float = 1.0  # turns of the motor per turn of the joint; rad per m at a prismatic joint
    efficiency: float = 1.0  # of the gearbox
    inertia: float = 0.0  # of the rotor, kg m^2; zero if the armature of the joint includes it
    name: str = ""

    def __post_init__(self) -> None:
        for what in ("rated_torque", "peak_torque", "max_speed", "ratio", "efficiency"):
            value = getattr(self, what)
            if not (np.isfinite(value) and value > 0):
                raise InputError(f"Motor: {what}: expected a positive number, got {value!r}")
        for what, value in (("inertia", self.inertia), ("rated_speed", self.rated_speed or 0.0)):
            if not (np.isfinite(value) and value >= 0):
                raise InputError(f"Motor: {what}: expected a number that is not negative, got {value!r}")
        if self.efficiency > 1:
            raise InputError(f"Motor: efficiency: expected a number up to 1, got {self.efficiency:g}")
        if self.peak_torque < self.rated_torque:
            raise InputError(f"Motor: peak_torque {self.peak_torque:g} is below rated_torque {self.rated_torque:g}")
        if self.rated_speed is not None and self.rated_speed > self.max_speed:
            raise InputError(f"Motor: rated_speed {self.rated_speed:g} is above max_speed {self.max_speed:g}")

    def available(self, speed: ArrayLike) -> Array:
        """The largest torque at a speed of the motor: its torque-speed curve.

        >>> Motor(1.0, 3.0, 400.0, rated_speed=200.0).available([0.0, 200.0, 300.0, 401.0])
        array([3. , 3. , 1.5, 0. ])
        """
        fast = np.abs(np.asarray(speed, dtype=np.float64))
        if self.rated_speed is None or self.rated_speed == self.max_speed:
            return np.where(fast <= self.max_speed, self.peak_torque, 0.0)
        share = (self.max_speed - fast) / (self.max_speed - self.rated_speed)
        return self.peak_torque * np.clip(share, 0.0, 1.0)


@dataclass(frozen=True)
class Load:
    """What acts on one side of the gearbox over a motion; energy is positive where it goes into the robot."""

    rms_torque: float
    peak_torque: float
    peak_speed: float
    peak_power: float
    mean_power: float
    energy: float  # the integral of the power, J
    returned: float  # the part of it that flows back, J; not negative


@dataclass(frozen=True, eq=False)
class JointSizing:
    """One joint with its motor: loads on both sides, utilisation (1 is the limit), and points for a plot."""

    name: str
    turns: bool  # a revolute joint: Nm and rad/s, otherwise N and m/s
    motor: Motor
    joint_side: Load
    motor_side: Load
    continuous: float  # RMS torque over rated torque
    peak: float  # largest part of the torque that is available at its speed
    speed: float  # largest speed over max_speed
    motor_speed: Array = field(repr=False)
    motor_torque: Array = field(repr=False)

    @property
    def reasons(self) -> list[str]:
        """Why the motor does not fit; empty if it does."""
        found: list[str] = []
        if self.continuous > 1:
            found.append(f"RMS torque {self.continuous:.2f} times the rated torque")
        if self.speed > 1:
            found.append(f"speed {self.speed:.2f} times the largest")
        elif self.peak > 1:
            found.append(f"peak torque {self.peak:.2f} times what is available at its speed")
        return found

    @property
    def fits(self) -> bool:
        return not self.reasons

    @property
    def verdict(self) -> str:
        return "; ".join(self.reasons) or "fits"


@dataclass(frozen=True, eq=False)
class Sizing:
    """The joints that have a motor. `plot` draws their torque-speed points."""

    robot: Robot
    joints: list[JointSizing]

    @property
    def fits(self) -> bool:
        return all(joint.fits for joint in self.joints)

    def plot(self, path: str | Path | None = None, force: bool = False) -> Any:
        """A Matplotlib figure: torque over speed of every motor, within its limits; saved to `path` if given."""
        from redyn.simulation.sizing_figure import sizing_figure

        return sizing_figure(self, path, force)


def loads(robot: Robot, t: ArrayLike, qd: ArrayLike, tau: ArrayLike) -> dict[str, Load]:
    """What every joint needs over a motion, whatever drives it: rates and torques, (N, dof) each, at N times.

    >>> import numpy as np, redyn
    >>> robot = redyn.load("two-link")
    >>> t = np.linspace(0.0, 10.0, 201)
    >>> q, qd, qdd = redyn.trajectory.cycloidal([0, 0], [np.pi, np.pi], 10.0)(t)
    >>> found = loads(robot, t, qd, robot.inverse_dynamics(q, qd, qdd))
    >>> {name: (round(load.peak_torque, 1), round(load.rms_torque, 2)) for name, load in found.items()}
    {'joint1': (20.1, 13.44), 'joint2': (5.1, 4.05)}
    """
    times, rates, torques = _checked(robot, t, qd=qd, tau=tau)
    return {name: _load(times, rates[:, i], torques[:, i]) for i, name in enumerate(robot.velocity_names)}


Motors = Motor | Sequence[Motor | None] | Mapping[str, Motor]


def size(robot: Robot, motors: Motors, t: ArrayLike, qd: ArrayLike, tau: ArrayLike, qdd: ArrayLike) -> Sizing:
    """Compare motors with what joints need: rates, torques and accelerations, (N, dof) each, at N times.

    `motors` is one for all joints, a list with one per joint (None: no motor), or a mapping from joints to motors.

    >>> import numpy as np, redyn
    >>> robot = redyn.load("two-link")
    >>> t = np.linspace(0.0, 10.0, 201)
    >>> q, qd, qdd = redyn.trajectory.cycloidal([0, 0], [np.pi, np.pi], 10.0)(t)
    >>> motor = Motor(rated_torque=0.2, peak_torque=0.6, max_speed=400.0, ratio=100.0, efficiency=0.8)
    >>> found = size(robot, motor, t, qd, robot.inverse_dynamics(q, qd, qdd), qdd)
    >>> [(joint.name, round(joint.continuous, 2), joint.fits) for joint in found.joints]
    [('joint1', 0.77, True), ('joint2', 0.24, True)]
    """
    times, *arrays = _checked(robot, t, qd=qd, tau=tau, qdd=qdd)
    links = robot.model.driven
    joints: list[JointSizing] = []
    for i, motor in enumerate(_per_joint(robot, motors)):
        if motor is not None:
            joint = links[i].joint
            if motor.inertia and joint.armature:
                warn(f"{joint.label}: both the motor and the armature of the joint have inertia, which count twice")
            turns = joint.kind != "prismatic"
            joints.append(_sized(joint.label, turns, motor, times, *(array[:, i] for array in arrays)))
    return Sizing(robot, joints)


def _checked(robot: Robot, t: ArrayLike, **columns: ArrayLike) -> list[Array]:
    """The times and what belongs to them, a row per time."""
    if robot.torque_names != robot.velocity_names:
        raise InputError(
            f"motors are sized for an actuator at each independent rate; {robot.name} has {len(robot.torque_names)} "
            f"actuators and {robot.dof} rates"
        )
    times = real_array(t)
    if times.ndim != 1 or len(times) < 2 or not np.isfinite(times).all() or (np.diff(times) <= 0).any():
        raise InputError("t: expected at least two increasing times")
    arrays = [times]
    for name, value in columns.items():
        array = real_array(value)
        if array.shape != (len(times), robot.dof) or not np.isfinite(array).all():
            expected = f"finite numbers of shape ({len(times)}, {robot.dof}), a row per time"
            raise InputError(f"{name}: expected {expected}, got shape {array.shape}")
        arrays.append(array)
    return arrays


def _per_joint(robot: Robot, motors: Motors) -> list[Motor | None]:
    names = robot.velocity_names
    if isinstance(motors, Motor):
        return [motors] * len(names)
    if isinstance(motors, Mapping):
        for name in motors:
            if name not in names:
                raise InputError(f"motors: {robot.name} has no joint {name!r}{suggestion(str(name), names)}")
        return [motors.get(name) for name in names]
    if len(motors) != len(names):
        raise InputError(f"motors: expected one for all joints or {len(names)}, one per joint, got {len(motors)}")
    return list(motors)


def _sized(name: str, turns: bool, motor: Motor, t: Array, qd: Array, tau: Array, qdd: Array) -> JointSizing:
    driving = tau * qd >= 0
    through = np.where(driving, tau / motor.efficiency, tau * motor.efficiency) / motor.ratio
    speed = motor.ratio * qd
    torque = through + motor.inertia * motor.ratio * qdd
    at_motor = _load(t, speed, torque)
    with np.errstate(divide="ignore", invalid="ignore"):
        used = np.where(torque == 0, 0.0, np.abs(torque) / motor.available(speed))
    return JointSizing(
        name,
        turns,
        motor,
        _load(t, qd, tau),
        at_motor,
        continuous=at_motor.rms_torque / motor.rated_torque,
        peak=float(used.max()),
        speed=at_motor.peak_speed / motor.max_speed,
        motor_speed=speed,
        motor_torque=torque,
    )


def _load(t: Array, speed: Array, torque: Array) -> Load:
    power = speed * torque
    duration = float(t[-1] - t[0])
    energy = _integral(t, power)
    return Load(
        rms_torque=float(np.sqrt(_integral(t, torque**2) / duration)),
        peak_torque=float(np.abs(torque).max()),
        peak_speed=float(np.abs(speed).max()),
        peak_power=float(np.abs(power).max()),
        mean_power=energy / duration,
        energy=energy,
        returned=_integral(t, np.maximum(-power, 0.0)),
    )


def _integral(t: Array, values: Array) -> float:
    """By the trapezoidal rule."""
    return float((np.diff(t) * (values[1:] + values[:-1]) / 2).sum())
