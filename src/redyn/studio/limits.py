"""Where a motion exceeds the joint limits (position, speed, effort): as sentences, and sample by sample."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redyn.report.plots import turning
from redyn.robot import Robot
from redyn.studio.units import RADIANS, Angles
from redyn.trajectory.pace import TipMotion

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

ROUNDING = 1e-9  # relative to the limit: a motion that ends at it does not exceed it
MOST_TOLD = 3  # joints named in a sentence
_WORDS = {
    "q": ("", "rad", "m"),
    "qd": ("speed ", "rad/s", "m/s"),
    "qdd": ("acceleration ", "rad/s²", "m/s²"),
    "tau": ("effort ", "Nm", "N"),
}
_TIP_WORDS, _TIP_UNITS = ("speed", "acceleration", "angular speed"), ("m/s", "m/s²", "rad/s")
Held = tuple[str, Array, "Range"]  # what of a motion is to stay within bounds: q, qd, qdd or tau, its values, and those


class Range(NamedTuple):
    """Lower and upper bounds of every column; infinite where there is no limit."""

    low: Array
    high: Array

    def beyond(self, values: Array) -> Flags:
        """Where values (N, k) are outside."""
        slack = ROUNDING * np.maximum(1.0, np.abs([self.low, self.high]))
        slack[~np.isfinite(slack)] = 0.0
        return (values < self.low - slack[0]) | (values > self.high + slack[1])

    def narrowed(self, other: Range) -> Range:
        """What both allow."""
        return Range(np.maximum(self.low, other.low), np.minimum(self.high, other.high))

    def scaled(self, factors: Array) -> Range:
        """In other units."""
        return Range(self.low * factors, self.high * factors)

    def left(self, values: Array) -> list[float]:
        """The bounds that these values exceed."""
        out = self.beyond(values)
        low = {float(x) for x in self.low[(out & (values < self.low)).any(axis=0)]}
        return sorted(low | {float(x) for x in self.high[(out & (values > self.high)).any(axis=0)]})


def position_range(robot: Robot) -> Range:
    """Bounds of the entries of q."""
    low, high = np.full(robot.nq, -np.inf), np.full(robot.nq, np.inf)
    for variable in robot.model.variables:
        if variable.joint.single:
            low[variable.q], high[variable.q] = robot.limits[variable.rate]
    return Range(low, high)


def speed_range(robot: Robot) -> Range:
    """Bounds of the entries of qd."""
    limits = {link.joint.name: link.joint.speed_limit for link in robot.description.links}
    joints = [link.joint for link in robot.model.driven]
    high = np.array([(joint.kind != "mode" and limits.get(joint.name)) or np.inf for joint in joints])
    return Range(-high, high)


def effort_range(robot: Robot) -> Range:
    """Bounds of the entries of tau."""
    return Range(-robot.effort_limits, robot.effort_limits)


def has_stops(robot: Robot) -> bool:
    """Whether joint stops can act: some joint has position limits."""
    return bool(np.isfinite(robot.limits).any())


def has_efforts(robot: Robot) -> bool:
    """Whether torque limits can act: some driven joint has an effort limit."""
    return bool(np.isfinite(robot.effort_limits[robot.driven_rates]).any())


def at_limits(robot: Robot, t: Array, tau: Array) -> list[str]:
    """Actuators that gave all they can, a sentence each: how long in all."""
    limits, turns, found = robot.effort_limits, turning(robot, "actuators"), list[str]()
    for k in np.flatnonzero(np.isfinite(limits)).tolist():
        full = np.abs(tau[:, k]) >= limits[k] * (1 - ROUNDING)
        if full.any() and len(t) > 1:
            seconds = float((np.diff(t) * (full[1:] & full[:-1])).sum())
            unit = "Nm" if turns[k] else "N"
            since = float(t[int(full.argmax())])
            name = robot.torque_names[k]
            found.append(
                f"{name} is held to its torque limit of {limits[k]:.4g} {unit}, first at {since:.3g} s, "
                f"for {seconds:.3g} s in all"
            )
    return found


def symmetric(most: ArrayLike | None, count: int) -> Range:
    """Bounds on both sides of zero; without a number there are none."""
    high = np.full(count, np.inf) if most is None else np.array(most, dtype=np.float64)
    return Range(-high, high)


def _columns(robot: Robot, kind: str) -> tuple[list[str], list[bool]]:
    """The names of the columns of a quantity, and whether each is an angle."""
    if kind == "q":
        turns = turning(robot, "coordinates")
        single = {v.q: turns[v.rate] for v in robot.model.variables if v.joint.single}
        return robot.coordinate_names, [single.get(i, True) for i in range(robot.nq)]
    if kind == "tau":
        return robot.torque_names, turning(robot, "actuators")
    return robot.velocity_names, turning(robot)


def violations(
    robot: Robot,
    t: Array,
    q: Array,
    qd: Array,
    tau: Array,
    stops: bool = False,
    more: Sequence[Held] = (),
    angles: Angles = RADIANS,
) -> list[str]:
    """Exceeded limits, a sentence each: by how much, and since when.

    `stops`: joint stops are active. `more`: limits that are not those of the robot's file. `angles`: their unit.
    """
    found: list[str] = []
    for kind, values, bounds in (
        ("q", q, position_range(robot)),
        ("qd", qd, speed_range(robot)),
        ("tau", tau, effort_range(robot)),
        *more,
    ):
        what, angular, linear = _WORDS[kind]
        names, turns = _columns(robot, kind)
        for k in np.flatnonzero(bounds.beyond(values).any(axis=0)).tolist():
            unit = angular if turns[k] else linear
            column = values[:, k]
            over = np.nan_to_num(np.maximum(bounds.low[k] - column, column - bounds.high[k]), nan=-np.inf)
            worst = float(column[int(over.argmax())])
            limit = float(bounds.high[k] if worst > bounds.high[k] else bounds.low[k])
            since = float(t[int((over > 0).argmax())])
            if kind == "q" and stops:
                by = angles.brief(float(over.max()), unit, 2)
                found.append(f"{names[k]} presses its stop at {angles.brief(limit, unit)} by up to {by}")
                continue
            when = "starts beyond" if since == t[0] else f"leaves from {since:.3g} s on"
            most = angles.brief(limit, unit)
            found.append(f"{names[k]} {when} its {what}limit of {most}: {worst * angles.scale(unit):.4g} at worst")
    return found


def beyond_most(values: Array, most: float) -> Flags:
    """Where values exceed a limit."""
    return values > most * (1 + 1e-5)  # limits are kept between samples, not at every instant


def tip_violations(t: Array, tip: TipMotion, limits: Sequence[float], angles: Angles) -> list[str]:
    """Exceeded limits of the end effector, a sentence each. `limits`: of speed, acceleration and angular speed."""
    found: list[str] = []
    for what, unit, values, most in zip(_TIP_WORDS, _TIP_UNITS, tip, limits, strict=True):
        out = beyond_most(values, most)
        if out.any():
            worst, since = float(values.max()) * angles.scale(unit), float(t[int(out.argmax())])
            limit = angles.brief(most, unit)
            found.append(
                f"the end effector exceeds its {what} limit of {limit} from {since:.3g} s on: {worst:.4g} at worst"
            )
    return found


def sentence(found: list[str]) -> str:
    """The first few, and how many more there are."""
    more = f"; and {len(found) - MOST_TOLD} more" if len(found) > MOST_TOLD else ""
    return "; ".join(found[:MOST_TOLD]) + more
