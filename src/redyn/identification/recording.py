"""Recordings: measured joint positions and torques over time, optionally rates and accelerations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redyn.arrays import real_array
from redyn.errors import InputError, warn
from redyn.identification.columns import Heads
from redyn.robot import Robot
from redyn.trajectory.table import read_table

Array = NDArray[np.float64]

GAP = 5.0  # times the median step: a longer gap splits the recording
FEWEST = 20  # rows that a stretch without gaps needs in order to be differentiated
MANY_TURNS = 4 * np.pi  # a position beyond it is more likely in degrees


@dataclass(frozen=True)
class Recording:
    """Rows of t, (N,), q and tau, (N, dof), and qd, qdd if measured; incomplete rows are left out."""

    t: Array
    q: Array
    tau: Array
    qd: Array | None = None
    qdd: Array | None = None
    origin: str = "the recording"

    def rows(self, chosen: NDArray[np.intp] | slice) -> Recording:
        some = {
            name: None if value is None else value[chosen]
            for name, value in (("t", self.t), ("q", self.q), ("tau", self.tau), ("qd", self.qd), ("qdd", self.qdd))
        }
        return replace(self, **some)

    def stretches(self) -> list[Recording]:
        """Parts without gaps that are long enough to be differentiated."""
        steps = np.diff(self.t)
        breaks = np.flatnonzero(steps > GAP * np.median(steps)) + 1
        pieces = np.split(np.arange(len(self.t)), breaks)
        return [self.rows(piece) for piece in pieces if len(piece) >= FEWEST]

    def split(self, share: float) -> tuple[Recording, Recording]:
        """In two: the last `share` of the rows, and what comes before."""
        cut = round(len(self.t) * (1 - share))
        return self.rows(slice(None, cut)), self.rows(slice(cut, None))


def recording(
    robot: Robot,
    t: ArrayLike,
    q: ArrayLike,
    tau: ArrayLike,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    origin: str = "the recording",
) -> Recording:
    """Arrays as a recording of a robot; rows with NaN count as missing.

    >>> import redyn
    >>> motion = redyn.trajectory.cycloidal([0.0], [1.0], 2.0)
    >>> t = np.linspace(0.0, 2.0, 101)
    >>> q, qd, qdd = motion(t)
    >>> robot = redyn.load("one-link")
    >>> len(recording(robot, t, q, robot.inverse_dynamics(q, qd, qdd)).t)
    101
    """
    times = _numbers(origin, "t", t)
    if times.ndim != 1:
        raise InputError(f"{origin}: t must be a row of times, got shape {times.shape}")
    widths = {"q": robot.nq, "tau": robot.dof, "qd": robot.dof, "qdd": robot.dof}
    if robot.nq != robot.dof:
        raise InputError(f"{robot.name}: joints with quaternions are not identified; lock them, or fix the base")
    arrays: dict[str, Array] = {}
    for name, value in (("q", q), ("tau", tau), ("qd", qd), ("qdd", qdd)):
        if value is None:
            continue
        arrays[name] = _numbers(origin, name, value)
        if arrays[name].shape != (len(times), widths[name]):
            expected = f"({len(times)}, {widths[name]}), a row per time and a column per joint"
            raise InputError(f"{origin}: {name}: expected shape {expected}, got {arrays[name].shape}")
    whole = np.isfinite(times) & np.all([np.isfinite(a).all(axis=1) for a in arrays.values()], axis=0)
    made = Recording(times, arrays["q"], arrays["tau"], arrays.get("qd"), arrays.get("qdd"), origin)
    made = made.rows(np.flatnonzero(whole))
    if len(made.t) < FEWEST:
        raise InputError(f"{origin}: too few whole rows, {len(made.t)}; at least {FEWEST} are needed")
    if (np.diff(made.t) <= 0).any():
        k = int(np.argmax(np.diff(made.t) <= 0))
        raise InputError(f"{origin}: times must increase, but t = {made.t[k + 1]:g} follows t = {made.t[k]:g}")
    if not made.stretches():
        raise InputError(f"{origin}: no stretch of {FEWEST} rows without a gap; is the recording in pieces?")
    _look_for_slips(robot, made)
    return made


def read_recording(path: str | Path, robot: Robot, degrees: bool = False) -> Recording:
    """The recording in a CSV file: columns t, q_<joint> and tau_<joint> of every joint, and qd_ and qdd_ if present.

    Joints go by name or number (q_elbow, q1), other words serve too (position, velocity, torque, effort), and units
    may stand behind: `q1 [deg]`, `t (ms)`, `tau_1_mNm`. `degrees` says so for all angles without a unit.
    """
    turning = [link.joint.kind == "revolute" for link in robot.model.driven]
    heads = Heads(robot.velocity_names, turning)
    times, table = read_table(path, heads, gaps=True)
    factors = heads.factors
    found = ", ".join(name.split(" ", 2)[2] if name.startswith("unused ") else name for name in list(table)[:12])

    def values(quantity: str, needed: bool) -> Array | None:
        have = [f"{quantity}:{i}" in table for i in range(robot.dof)]
        if not any(have) and not needed:
            return None
        if not all(have):
            joint = robot.velocity_names[have.index(False)]
            raise InputError(f"{path}: no column {quantity}_{joint}; the columns besides t are: {found}")
        keys = [f"{quantity}:{i}" for i in range(robot.dof)]
        scale = [
            np.pi / 180 if degrees and turning[i] and quantity != "tau" and factors[key] == 1.0 else factors[key]
            for i, key in enumerate(keys)
        ]
        return np.stack([table[key] for key in keys], axis=1) * scale

    q, tau = values("q", True), values("tau", True)
    assert q is not None
    assert tau is not None
    t = (times - times[0]) * factors["t"]
    return recording(robot, t, q, tau, values("qd", False), values("qdd", False), str(path))


def _numbers(origin: str, name: str, value: ArrayLike) -> Array:
    try:
        return real_array(value)
    except (TypeError, ValueError):
        raise InputError(f"{origin}: {name}: expected rows of numbers") from None


def _look_for_slips(robot: Robot, made: Recording) -> None:
    """Warn of likely mistakes in units, joints or signs, of which a fit would only show that it is bad."""
    for i, (link, joint) in enumerate(zip(robot.model.driven, robot.velocity_names, strict=True)):
        widest = float(np.abs(made.q[:, i]).max())
        if link.joint.kind == "revolute" and widest > MANY_TURNS:
            warn(
                f"{made.origin}: q of {joint} goes to {widest:.4g} rad, {widest / 2 / np.pi:.3g} turns; if these are "
                "degrees, call the column `q [deg]` or say degrees"
            )
            break
    for rate, value, of, what in ((made.qd, made.q, "q", "qd"), (made.qdd, made.qd, "qd", "qdd")):
        if rate is not None and value is not None:
            _compare_rates(robot.velocity_names, made, rate, value, of, what)


def _compare_rates(joints: Sequence[str], made: Recording, rate: Array, value: Array, of: str, what: str) -> None:
    change = np.gradient(value, made.t, axis=0)
    for i, joint in enumerate(joints):
        given, found = rate[:, i], change[:, i]
        power = float(given @ given)
        if power == 0.0 or float(found @ found) < 1e-12:
            continue
        factor = float(given @ found) / power
        alike = float(given @ found) / np.sqrt(power * float(found @ found))
        if alike > 0.8 and not 0.7 < factor < 1.4:
            warn(f"{made.origin}: {of} of {joint} changes {factor:.3g} times as fast as {what} says; check the units")
        elif alike < -0.5:
            warn(f"{made.origin}: {what} of {joint} has the opposite sign of the change of {of}")
