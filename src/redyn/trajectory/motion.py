"""Base class of motions: time, end conditions, joint limits."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redyn.arrays import real_array
from redyn.errors import InputError
from redyn.files import write_csv
from redyn.words import counted

if TYPE_CHECKING:
    from redyn.robot import Robot

Array = NDArray[np.float64]


class Violation(NamedTuple):
    """A joint beyond one of its limits, at its worst."""

    joint: str
    quantity: str  # "position" or "speed"
    time: float
    value: float
    limit: float

    def __str__(self) -> str:
        return (
            f"{self.joint}: {self.quantity} {self.value:.6g} at t = {self.time:.4g} s is beyond its limit of "
            f"{self.limit:.6g}"
        )


@dataclass(frozen=True)
class Motion(ABC):
    """`motion(t)` gives q, qd, qdd. It lasts from 0 to `duration`; before and after, the joints rest."""

    duration: float

    @property
    @abstractmethod
    def dof(self) -> int:
        """Number of velocities."""

    @abstractmethod
    def _within(self, t: Array) -> tuple[Array, Array, Array]:
        """q, qd, qdd at N times from 0 to duration: N rows each."""

    def _breaks(self) -> Array:
        """Instants that a check of limits must include."""
        return np.array([0.0, self.duration])

    def __call__(self, t: ArrayLike) -> tuple[Array, Array, Array]:
        """q, qd, qdd at time t: (n,) for a number, (N, n) for N times."""
        time = _times(t)
        flat = np.atleast_1d(time)
        q, qd, qdd = self._within(np.clip(flat, 0.0, self.duration))
        resting = ((flat < 0.0) | (flat > self.duration))[:, None]
        result = q, np.where(resting, 0.0, qd), np.where(resting, 0.0, qdd)
        return result if time.ndim else (result[0][0], result[1][0], result[2][0])

    def times(self, samples: int, start: float, end: float) -> Array:
        """Equally spaced instants from start to end, and those between at which the law changes."""
        breaks = self._breaks()
        return np.union1d(np.linspace(start, end, samples), breaks[(breaks >= start) & (breaks <= end)])

    def to_csv(self, path: str | Path, robot: Robot, sample: float = 0.01, force: bool = False) -> Path:
        """Columns t, q_, qd_ and qdd_<joint>, a row every `sample` seconds or slightly less; see `from_csv`.

        A file there that is no CSV table is replaced only with `force`.
        """
        if not (np.isfinite(sample) and sample > 0):
            raise InputError(f"sample: expected a positive number of seconds, got {sample!r}")
        t = np.linspace(0.0, self.duration, int(np.ceil(self.duration / sample - 1e-9)) + 1)
        values = self(t)
        self._check_sizes(robot, *values[:2])
        names = (robot.coordinate_names, robot.velocity_names, robot.velocity_names)
        kinds = zip(("q", "qd", "qdd"), names, strict=True)
        header = ["t", *(f"{kind}_{name}" for kind, columns in kinds for name in columns)]
        return write_csv(path, header, np.column_stack([t, *values]).tolist(), force)

    def _check_sizes(self, robot: Robot, q: Array, qd: Array) -> None:
        if q.shape[1] != robot.nq or qd.shape[1] != robot.dof:
            raise InputError(
                f"the motion gives q and qd of length {q.shape[1]} and {qd.shape[1]}, those of {robot.name} have "
                f"{robot.nq} and {robot.dof}{'; give it robot=' if robot.nq != robot.dof else ''}"
            )

    def violations(self, robot: Robot, samples: int = 1001) -> list[Violation]:
        """Where joints exceed the limits of the robot's file, each at its worst; checked at `samples` instants."""
        t = self.times(samples, 0.0, self.duration)
        q, qd, _ = self(t)
        self._check_sizes(robot, q, qd)
        speeds = {link.name: link.joint.speed_limit or np.inf for link in robot.description.links}
        found: list[Violation] = []
        model = robot.model
        joints = zip(robot.velocity_names, model.driven, model.starts, robot.limits, strict=True)
        for i, (joint, link, start, (lower, upper)) in enumerate(joints):
            fastest = speeds[link.name]
            looked_at: list[tuple[str, Array, float, Array]] = []
            if link.joint.single:  # others have no position limits
                value = q[:, start]
                looked_at += [("position", value, lower, lower - value), ("position", value, upper, value - upper)]
            looked_at.append(("speed", qd[:, i], fastest, np.abs(qd[:, i]) - fastest))
            for quantity, values, limit, excess in looked_at:
                k = int(excess.argmax())
                if excess[k] > 1e-9 * max(1.0, abs(limit)):  # a motion that ends at its limit is allowed
                    found.append(Violation(joint, quantity, float(t[k]), float(values[k]), float(limit)))
        return found

    def check_limits(self, robot: Robot) -> None:
        """Raise an InputError if the motion exceeds the robot's joint limits."""
        found = self.violations(robot)
        if found:
            rest = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
            raise InputError(f"{found[0]}{rest}; slow the motion down, or choose other ends")


M = TypeVar("M", bound=Motion)


def _times(t: ArrayLike) -> Array:
    try:
        time = real_array(t)
    except (TypeError, ValueError):
        raise InputError("t: expected a time or a row of them") from None
    if time.ndim > 1 or not np.isfinite(time).all():
        raise InputError("t: expected a finite time or a row of them")
    return time


def row(kind: str, name: str, values: ArrayLike, length: int | None = None) -> Array:
    """One finite number per joint; if `length` is known, a single number applies to all joints."""
    try:
        array = real_array(values).copy()
    except (TypeError, ValueError):
        raise InputError(f"{kind}: expected a row of numbers, one per joint, for {name}") from None
    if array.ndim == 0 and length is not None:
        array = np.full(length, array)
    if array.ndim != 1 or not len(array):
        raise InputError(f"{kind}: {name} must be a row of numbers, one per joint, got shape {array.shape}")
    if length is not None and len(array) != length:
        raise InputError(f"{kind}: {name} must hold {counted(length, 'number')}, one per joint, got {len(array)}")
    if not np.isfinite(array).all():
        raise InputError(f"{kind}: {name} must be finite")
    return array


def ends(kind: str, start: ArrayLike, stop: ArrayLike, duration: float) -> tuple[Array, Array, float]:
    """Two equally long rows and a positive number of seconds."""
    first, last = row(kind, "start", start), row(kind, "stop", stop)
    if first.shape != last.shape:
        raise InputError(f"{kind}: start and stop must be equally long rows, got shapes {first.shape} and {last.shape}")
    try:
        length = float(duration)
    except (TypeError, ValueError):
        raise InputError(f"{kind}: duration must be a number of seconds, got {duration!r}") from None
    if not (np.isfinite(length) and length > 0):
        raise InputError(f"{kind}: duration must be a positive number of seconds, got {duration}")
    return first, last, length


def representable(kind: str, motion: M) -> M:
    """The motion, unless its rates overflow."""
    with np.errstate(all="ignore"):
        values = motion(np.linspace(0.0, motion.duration, 9))
    if not all(np.isfinite(x).all() for x in values):
        raise InputError(f"{kind}: the motion is too long or too quick to represent")
    return motion
