"""The numbers of a result over time, by signal, in one form for whatever made them: what is pinned and compared."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redyn.report.plots import Plot, turning
from redyn.robot import Robot
from redyn.studio.coordinates import coordinate_units
from redyn.studio.entries import guided, whole_pose
from redyn.studio.units import RADIANS, Angles
from redyn.studio.work import PREFIXES, Finished, Inverse, inverse_plots, run_plots

if TYPE_CHECKING:
    from redyn.studio.plans import RunPlan

Array = NDArray[np.float64]
Source = Literal["inverse", "forward"]
Curves = tuple[Sequence[str], ArrayLike]  # names, and a column for each

# By the first part of a column's name: how a signal is called, and its unit where it turns and where it slides.
GROUPS = {
    "q": ("{}: value", "rad", "m"),
    "qd": ("{}: rate", "rad/s", "m/s"),
    "qdd": ("{}: acceleration", "rad/s²", "m/s²"),
    "tau": ("{}: torque", "Nm", "N"),
    "path": ("end effector: {}", "m", "m"),
    "energy": ("energy: {}", "J", "J"),
    "reference": ("{}: reference", "rad", "m"),
    "error": ("{}: reference - value", "rad", "m"),
    "deflection": ("{}: tip deflection", "m", "m"),
    "tip-twist": ("{}: tip twist", "rad", "rad"),
    "twist": ("{}: twist of the gear", "rad", "rad"),
    "give": ("{}: give of the gear", "m", "m"),
    "normal": ("{}: normal force", "N", "N"),
    "slip": ("{}: slip", "m/s", "m/s"),
}


class Signal(NamedTuple):
    """One quantity: `group` is a key of GROUPS, `name` a joint, an axis or a kind of energy."""

    group: str
    name: str
    unit: str

    @property
    def key(self) -> str:
        """As in the header of CSV files."""
        return f"{self.group}_{self.name}"

    @property
    def label(self) -> str:
        return GROUPS[self.group][0].format(self.name)


@dataclass(frozen=True, eq=False)
class Trace:
    """A result as a table of signals; all numbers are finite."""

    source: Source
    about: str  # what was computed, in short
    t: Array  # (N,)
    signals: tuple[Signal, ...]
    values: Array  # (N, signals)

    @cached_property
    def _places(self) -> dict[str, int]:
        """Where each key is, the first of several."""
        return {signal.key: k for k, signal in reversed(list(enumerate(self.signals)))}

    def find(self, key: str) -> Signal | None:
        return self.signals[self._places[key]] if key in self._places else None

    def __getitem__(self, key: str) -> Array:
        return self.values[:, self._places[key]]

    def has(self, *keys: str) -> bool:
        return all(key in self._places for key in keys)

    def thinned(self, most: int) -> Trace:
        """At most so many numbers: every k-th row, and the last one."""
        rows = max(most // (len(self.signals) + 1), 2)
        if len(self.t) <= rows:
            return self
        step = -(-(len(self.t) - 1) // (rows - 1))
        keep = np.union1d(np.arange(0, len(self.t), step), [len(self.t) - 1])
        return Trace(self.source, self.about, self.t[keep], self.signals, self.values[keep])


def of_inverse(found: Inverse) -> Trace:
    """A motion and its torques."""
    plots = _curves(inverse_plots(found))
    kind = found.plan.samples.name if found.plan.samples is not None else found.plan.kind
    return _trace("inverse", f"{found.robot.name}, {kind}", found.robot, found.t, plots)


def of_run(finished: Finished, plan: RunPlan) -> Trace:
    """A simulation; if a controller acts, with its reference and error."""
    run = finished.run
    plots = _curves(run_plots(run))
    wanted = _reference(run.robot, plan, run.t)
    if wanted is not None:
        own = guided(run.robot)
        at = own.q if own.way == "joints" else list(range(run.robot.nq))
        names = [run.robot.coordinate_names[i] for i in at]
        plots |= {"reference": (names, wanted), "error": (names, wanted - run.q[:, at])}
    about = ", ".join([run.robot.name, run.method, *plan.conditions])
    return _trace("forward", about, run.robot, run.t, plots)


def _reference(robot: Robot, plan: RunPlan, t: Array) -> Array | None:
    """What a controller aims at; None without one, or with quaternions, which cannot be subtracted.

    Where links bend or gears give, it is a motion of the joints.
    """
    if robot.nq != robot.dof and guided(robot).way != "joints":
        return None
    if plan.drive == "pd":
        return np.tile(whole_pose(robot, plan.target), (len(t), 1))
    return None if plan.motion is None else plan.motion.motion(robot)(t)[0]


def with_units(robot: Robot, names: Iterable[str], angles: Angles = RADIANS) -> list[str]:
    """Names of the columns of a CSV file, with their units, which are read again: see `redyn.trajectory.read_table`."""
    names = list(names)
    units = [angles.of(unit) for unit in column_units(robot, names)]
    return [f"{name} [{unit}]" if unit else name for name, unit in zip(names, units, strict=True)]


def column_units(robot: Robot, names: Iterable[str]) -> list[str]:
    """Units of the columns of a CSV file, by their names; empty if there is none."""
    units = {"t": "s"}
    for group in ("qd", "qdd", "tau"):
        _, angular, linear = GROUPS[group]
        names_of, turn_of = robot.velocity_names, turning(robot)
        if group == "tau":
            names_of, turn_of = robot.torque_names, turning(robot, "actuators")
        for name, turns in zip(names_of, turn_of, strict=True):
            units[f"{group}_{name}"] = angular if turns else linear
    for name, unit in zip(robot.coordinate_names, coordinate_units(robot), strict=True):
        units[f"q_{name}"] = unit
    whole = {
        "path": "m",
        "deflection": "m",
        "tip-twist": "rad",
        "twist": "rad",
        "give": "m",
        "energy": "J",
        "normal": "N",
        "pressure": "m",
        "slip": "m/s",
    }
    of_contacts = {"fx": "N", "fy": "N", "fz": "N", "gap": "m", "slip": "m/s"}
    found: list[str] = []
    for name in names:
        own = name.partition(", ")[0]  # of another run, it is followed by its label
        part, group = own.rpartition("_")[0], own.partition("_")[0]  # of a torque by cause
        last = of_contacts.get(own.rpartition("_")[2], "") if group == "contact" else ""
        found.append(units.get(own) or units.get(part) or last or whole.get(group, ""))
    return found


def _curves(plots: dict[str, Plot]) -> dict[str, Curves]:
    """Of plots by group; modes are among the values, behind those of joints."""
    found: dict[str, Curves] = {}
    for key, plot in plots.items():
        group, values = PREFIXES[key], np.asarray(plot.values, dtype=np.float64)
        if group in GROUPS:
            names, before = found.get(group, ([], values[:, :0]))
            found[group] = [*names, *plot.names], np.hstack([before, values])
    return found


def _trace(source: Source, about: str, robot: Robot, t: Array, plots: dict[str, Curves]) -> Trace:
    turns = dict(zip(robot.velocity_names, turning(robot), strict=True))
    turns |= dict(zip(robot.torque_names, turning(robot, "actuators"), strict=True))
    entries = dict(zip(robot.coordinate_names, coordinate_units(robot), strict=True))
    signals: list[Signal] = []
    for group, (names, _) in plots.items():
        _, angular, linear = GROUPS[group]
        of_q = group in ("q", "reference", "error")
        units = [entries[name] if of_q else angular if turns.get(name) else linear for name in names]
        signals += [Signal(group, name, unit) for name, unit in zip(names, units, strict=True)]
    table = np.column_stack([np.asarray(values, dtype=np.float64) for _, values in plots.values()])
    finite = np.isfinite(table).all(axis=1)  # a diverged motion ends with values that cannot be drawn
    return Trace(source, about, t[finite], tuple(signals), table[finite])
