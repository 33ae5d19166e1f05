"""What the studio computes: inverse dynamics at once, simulations and formulas in other processes (see jobs.py)."""

from __future__ import annotations

import base64
import csv
import io
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from redyn.description import RobotDescription
from redyn.report import bending
from redyn.report.html import POINTS, chart
from redyn.report.plots import Other, Plot, curves, joint_entries, turning
from redyn.report.scene import scene
from redyn.report.shapes import Meshes
from redyn.report.standing import charts as contact_charts
from redyn.robot import Robot, TorqueParts, load
from redyn.simulation import Run, SimulationError, simulate, tracked
from redyn.studio.carrying import Payload, loaded
from redyn.studio.coordinates import coordinate_units, velocity_units
from redyn.studio.entries import guided, is_closed
from redyn.studio.limits import (
    Range,
    at_limits,
    beyond_most,
    effort_range,
    position_range,
    speed_range,
    symmetric,
    tip_violations,
    violations,
)
from redyn.studio.plans import USUAL_SAMPLE, MotionPlan, RunPlan, fitted, is_rigid_of, most_rows, rows
from redyn.studio.prepared import load_meshes
from redyn.studio.pushing import drawn
from redyn.studio.stiffness import stiffness_hint
from redyn.studio.teaching import TIP
from redyn.studio.units import RADIANS, Angles, together
from redyn.trajectory import Taught
from redyn.trajectory.pace import TipMotion, tip_motion

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Inverse:
    """A motion and its torques."""

    robot: Robot
    plan: MotionPlan
    t: Array
    q: Array
    qd: Array
    qdd: Array
    tau: Array
    path: Array | None  # of the end effector; None if there are several tips
    scene: dict[str, Any]
    payload: Payload | None = None  # which the robot carries
    tip: TipMotion | None = None  # how the end effector moves, zero where it has no limits; None if it has none at all

    @cached_property
    def parts(self) -> TorqueParts:
        return self.robot.torque_parts(self.q, self.qd, self.qdd)

    @cached_property
    def wrenches(self) -> Array:
        """(N, joints, 6); NaN where loops leave a component open."""
        return self.robot.joint_wrenches(self.q, self.qd, self.qdd)

    @cached_property
    def loop_wrenches(self) -> Array:
        """(N, loops, 6), likewise."""
        if not is_closed(self.robot):
            return np.zeros((len(self.t), 0, 6))
        return self.robot.loop_wrenches(self.q, self.qd, self.tau)

    @cached_property
    def beyond(self) -> list[str]:
        """What leaves its limits."""
        return self.beyond_in(RADIANS)

    def beyond_in(self, angles: Angles) -> list[str]:
        """The same with angles in a unit."""
        held = [] if self.tip is None else tip_violations(self.t, self.tip, self.tip_limits, angles)
        typed = [("qd", self.qd, self.typed_speed), ("qdd", self.qdd, self.typed_acceleration)]
        return (
            list(dict.fromkeys(violations(self.robot, self.t, self.q, self.qd, self.tau, more=typed, angles=angles)))
            + held
        )

    @property
    def tip_limits(self) -> list[float]:
        """Of the end effector on lines and circles: speed, acceleration, angular speed."""
        taught = self.plan.taught
        return [(None if taught is None else getattr(taught, name)) or np.inf for name in TIP]

    @cached_property
    def tip_beyond(self) -> NDArray[np.bool_] | None:
        """Where the end effector exceeds its limits; None if it has none."""
        if self.tip is None:
            return None
        return np.any([beyond_most(x, most) for x, most in zip(self.tip, self.tip_limits, strict=True)], axis=0)

    @property
    def typed_speed(self) -> Range:
        """Of taught points."""
        return symmetric(None if self.plan.taught is None else self.plan.taught.speed, self.robot.dof)

    @property
    def typed_acceleration(self) -> Range:
        return symmetric(None if self.plan.taught is None else self.plan.taught.acceleration, self.robot.dof)


class Finished(NamedTuple):
    """One simulation, its computing time, and the data for the viewer."""

    run: Run
    seconds: float
    scene: dict[str, Any]
    trouble: str  # why it ended early; empty if it did not
    hint: str = ""  # on its integrator

    @property
    def loop_gap(self) -> float | None:
        """How far the loops were open at most, m (or sines of angles); None without loops."""
        if not self.run.robot.model.loops:
            return None
        finite = self.run.loop_error[np.isfinite(self.run.q).all(axis=1)]
        return float(np.abs(finite).max(initial=0.0))

    def beyond(self, stops: bool, saturate: bool = False, angles: Angles = RADIANS) -> list[str]:
        """What leaves its limits, or is held within them."""
        run = self.run
        held = at_limits(run.robot, run.t, run.tau) if saturate else []
        return held + violations(run.robot, run.t, run.q, run.qd, run.tau, stops, angles=angles)


class Forward(NamedTuple):
    """The simulations of the forward panel, one or two to compare, and their plan."""

    order: Order
    runs: list[Finished]

    @property
    def names(self) -> list[str]:
        """Robot and method of every run."""
        return [f"{found.run.robot.name}, {found.run.method}" for found in self.runs]

    @property
    def labels(self) -> list[str]:
        """Labels of the runs: what they differ in."""
        first = self.runs[0].run
        same = all(found.run.method == first.method for found in self.runs)
        return [found.run.robot.name if same else found.run.method for found in self.runs]


def inverse(robot: Robot, plan: MotionPlan, meshes: Path | None = None, payload: Payload | None = None) -> Inverse:
    """Torques along a motion. `meshes`: see `prepared.load_meshes`."""
    bare, robot = robot, loaded(robot, payload)
    motion = plan.motion(robot)
    t = np.linspace(0.0, plan.duration, plan.count)
    q, qd, qdd = motion(t)
    if robot.model.gives:  # of the joints; what bends or gives swings
        run = tracked(robot, motion, t)
        q, qd, qdd, tau = run.q, run.qd, run.qdd, run.tau
    else:
        tau = robot.inverse_dynamics(q, qd, qdd)
    path = robot.forward_kinematics(q)[:, :3, 3] if robot.model.end_effector is not None else None
    shown = scene(bare, t, q, meshes=load_meshes(meshes), payload=payload and payload.drawn_on(bare))
    tip = None
    if isinstance(motion, Taught) and plan.taught is not None and plan.taught.tip:
        on = motion.on_path(t)
        tip = TipMotion(*(np.where(on, x, 0.0) for x in tip_motion(robot, q, qd, qdd)))
    return Inverse(robot, plan, t, q, qd, qdd, tau, path, shown, payload, tip)


class Order(NamedTuple):
    """Simulations of one plan, for each robot or each method."""

    plan: RunPlan
    robots: list[RobotDescription]
    methods: list[str]
    meshes: list[Path | None]  # of each robot: see `prepared.load_meshes`


def forward(report: Callable[[float, str], None], order: Order) -> Forward:
    """Runs the simulations; `report` takes the fraction done and a note."""
    plan = order.plan
    robots = [(Robot(robot), load_meshes(path)) for robot, path in zip(order.robots, order.meshes, strict=True)]
    jobs = [(robot, meshes, method) for robot, meshes in robots for method in order.methods]
    done: list[Finished] = []
    for k, (robot, meshes, method) in enumerate(jobs):
        mine = fitted(replace(plan, method=method), robot, robots[0][0])

        def show(part: float, k: int = k, name: str = f"{robot.name}, {method}") -> None:
            report((k + part) / len(jobs), f"simulating {name}")

        report(k / len(jobs), f"compiling {method} (once on this machine)")
        go = _simulation(loaded(robot, mine.payload), mine)
        go(min(mine.duration, 1e-6), False)
        finished = _finished(robot, go, mine, show, meshes)
        if is_rigid_of(robot, robots[0][0]):  # side by side, both are seen from the same place
            finished.scene["view"] = done[0].scene["view"]
        done.append(finished)
        if finished.run.ending.startswith("interrupted"):
            break
    return Forward(order, done)


def _simulation(robot: Robot, plan: RunPlan) -> Callable[[float, Any], Run]:
    q, qd = plan.state(robot)
    law = plan.law(robot)
    options = plan.options(plan.method)

    def go(duration: float, progress: Any) -> Run:
        given: dict[str, Any] = {**options, "sample": min(plan.sample, duration)}
        return simulate(robot, q, qd, duration, torque=law, method=plan.method, progress=progress, **given)

    return go


def _finished(
    robot: Robot, go: Callable[[float, Any], Run], plan: RunPlan, show: Any, meshes: Meshes | None
) -> Finished:
    began = time.perf_counter()
    trouble = ""
    try:
        run = go(plan.duration, show)
    except SimulationError as error:
        run, trouble = error.run, str(error)
    took = time.perf_counter() - began
    keep = np.isfinite(run.q).all(axis=1)
    payload = plan.payload and plan.payload.drawn_on(robot)
    pushes = drawn(robot, plan.pushes)
    shown = scene(
        robot,
        run.t[keep],
        run.q[keep],
        meshes=meshes,
        payload=payload,
        pushes=pushes,
        rates=run.qd[keep],
        standing=run.standing if keep.all() else None,
    )
    return Finished(run, took, shown, trouble or run.ending, stiffness_hint(run, plan))


# --- plots -------------------------------------------------------------------------------------------------------


def _positions(robot: Robot, q: Array, angles: Angles) -> Plot:
    """Of joints: modes have plots of their own."""
    at, every = joint_entries(robot, "coordinates"), coordinate_units(robot)
    own, bounds = [every[i] for i in at], position_range(robot)
    unit = angles.of(", ".join(unit for unit in ("rad", "m") if unit in own))
    names = robot.coordinate_names
    plot = Plot("Joint values", unit, [names[i] for i in at], angles.values(q[:, at], own))
    return limited(plot, Range(bounds.low[at], bounds.high[at]).scaled(angles.scales(own)))


def _rates(title: str, robot: Robot, values: Array, per: str, bounds: Range, angles: Angles) -> Plot:
    """Of a quantity with one entry per velocity, those of joints; `per`: its unit, per rad or m."""
    at, every = joint_entries(robot), velocity_units(robot, f"rad{per}", f"m{per}")
    own, names = [every[i] for i in at], robot.velocity_names
    unit = angles.of(", ".join(unit for unit in (f"rad{per}", f"m{per}") if unit in own))
    plot = Plot(title, unit, [names[i] for i in at], angles.values(values[:, at], own))
    return limited(plot, Range(bounds.low[at], bounds.high[at]).scaled(angles.scales(own)))


def bending_plots(robot: Robot, q: Array, angles: Angles) -> dict[str, Plot]:
    """By name, of robots whose links bend or whose gears give."""
    found: dict[str, Plot] = {}
    of_q = dict(zip(robot.coordinate_names, coordinate_units(robot), strict=True))
    for plot in bending.charts(robot, q):
        own = [of_q.get(str(name), plot.unit) for name in plot.names]
        values = angles.values(np.asarray(plot.values, dtype=np.float64), own)
        found[BENDING[plot.title]] = plot._replace(unit=angles.of(together(own)), values=values)
    return found


def torque_plot(robot: Robot, tau: Array, at: Sequence[int] | None = None) -> Plot:
    """Of the driven joints, or of some of them: passive ones carry none."""
    at, turns = list(robot.driven_rates if at is None else at), turning(robot, "actuators")
    names, bounds = robot.torque_names, effort_range(robot)
    unit = ", ".join(dict.fromkeys("Nm" if turns[i] else "N" for i in sorted(at, key=lambda i: not turns[i])))
    plot = Plot("Torques", unit or "Nm", [names[i] for i in at], tau[:, at])
    return limited(plot, Range(bounds.low[at], bounds.high[at]))


def limited(plot: Plot, bounds: Range) -> Plot:
    """The plot with values outside these bounds in red."""
    values = np.asarray(plot.values, dtype=np.float64)
    beyond = bounds.beyond(values)
    return plot._replace(beyond=beyond, lines=bounds.left(values)) if beyond.any() else plot


def inverse_plots(found: Inverse, split: int | None = None, angles: Angles = RADIANS) -> dict[str, Plot]:
    """Plots by name; `split`: the velocity whose torque is split into components."""
    robot, names = found.robot, found.robot.velocity_names
    if split is None:
        torque = torque_plot(robot, found.tau, guided(robot).tau)
    else:
        causes = zip(("inertia", "Coriolis", "gravity", "friction", "springs"), found.parts, strict=True)
        curves = {name: values[:, split] for name, values in causes if name != "springs" or values.any()}
        curves |= {"total": found.tau[:, split]}
        unit = "Nm" if turning(robot)[split] else "N"
        torque = Plot(f"Torque of {names[split]}", unit, list(curves), np.column_stack(list(curves.values())))
    plots = {
        "torque": torque,
        "q": _positions(robot, found.q, angles),
        "qd": _rates("Joint rates", robot, found.qd, "/s", speed_range(robot).narrowed(found.typed_speed), angles),
        "qdd": _rates("Accelerations", robot, found.qdd, "/s²", found.typed_acceleration, angles),
    }
    if found.path is not None:
        beyond = None if found.tip_beyond is None else np.tile(found.tip_beyond[:, None], (1, 3))
        red = beyond if beyond is not None and beyond.any() else None
        plots["path"] = Plot("End effector", "m", ["x", "y", "z"], found.path, red)
    return plots | bending_plots(robot, found.q, angles)


def run_plots(run: Run, angles: Angles = RADIANS) -> dict[str, Plot]:
    """By name."""
    robot = run.robot
    energy = run.energy._asdict()
    shown = {name: x for name, x in energy.items() if np.abs(x).max() > 0 or name in ("kinetic", "potential")}
    shown["total"] = run.energy.total
    plots = {
        "energy": Plot("Energy", "J", list(shown), np.column_stack(list(shown.values()))),
        "q": _positions(robot, run.q, angles),
        "qd": _rates("Joint rates", robot, run.qd, "/s", speed_range(robot), angles),
    }
    if robot.driven_rates:
        plots["tau"] = torque_plot(robot, run.tau)
    if robot.model.end_effector is not None:
        plots["path"] = Plot("End effector", "m", ["x", "y", "z"], run.path)
    if run.standing is not None:
        plots |= dict(zip(CONTACT_PLOTS, contact_charts(robot, run.standing.contacts), strict=True))
    return plots | bending_plots(robot, run.q, angles)


def plot_data(robot: Robot, t: Array, plot: Plot, others: Sequence[Other] = ()) -> dict[str, Any]:
    """Data for plots.js: doubles in base64."""
    return chart(t, plot, curves(robot, t, plot, others), doubles)


def rows_note(t: Array, robot: Robot) -> str:
    """On a result with more rows than plots show, or fewer than usual; empty for others."""
    wanted = rows(float(t[-1]), USUAL_SAMPLE)
    thinned = "" if len(t) <= POINTS else f"plots show the peaks of {len(t):,} rows, CSV has all"
    full = "" if wanted <= most_rows(robot) else f"{wanted:,}, a hundred per second, do not fit into memory"
    return "; ".join(filter(None, [thinned, full]))


def doubles(values: Array) -> str:
    return base64.b64encode(np.ascontiguousarray(values, dtype="<f8").tobytes()).decode("ascii")


def warm_up(report: Callable[[float, str], None]) -> None:
    """Compiles an integrator and inverse kinematics into the cache on disk, so that the first user need not wait."""
    robot = load("two-link")
    report(0.0, "warming up")
    simulate(robot, robot.initial, robot.neutral(), 1e-6, progress=False)
    robot.inverse_kinematics(robot.forward_kinematics([0.1, 0.2]), count=1, tries=1)


# --- tables to download ------------------------------------------------------------------------------------------

BLOCK = 5000  # rows that are written at a time
CONTACT_PLOTS = ("stands", "normal", "pressure", "slip")
BENDING = {
    "Elastic coordinates": "modes",
    "Elastic coordinates of torsion": "torsion",
    "Tip deflection": "tips",
    "Tip twist": "tip-twist",
    "Twist of gears": "twist",
    "Give of gears": "give",
}
PREFIXES = {name: name for name in CONTACT_PLOTS} | {
    "modes": "q",
    "torsion": "q",
    "tips": "deflection",
    "tip-twist": "tip-twist",
    "twist": "twist",
    "give": "give",
    "torque": "tau",
    "tau": "tau",
    "q": "q",
    "qd": "qd",
    "qdd": "qdd",
    "path": "path",
    "energy": "energy",
}


def plot_columns(robot: Robot, prefix: str, t: Array, plot: Plot, others: Sequence[Other] = ()) -> dict[str, Array]:
    """The curves of a plot under the column names of CSV files: t, q_<joint>, tau_<joint> ..."""
    drawn = curves(robot, t, plot, others)
    return {"t": t, **{f"{prefix}_{name}": x for name, x in zip(drawn.names, drawn.values.T, strict=True)}}


def inverse_columns(found: Inverse, angles: Angles = RADIANS) -> dict[str, Array]:
    """All columns: t, q, qd, qdd and tau of every joint, the end effector's path, and what bends or gives."""
    columns: dict[str, Array] = {"t": found.t}
    for key, plot in inverse_plots(found, angles=angles).items():
        columns |= plot_columns(found.robot, PREFIXES[key], found.t, plot)
    for kind, values, per in (("qd", found.qd, "/s"), ("qdd", found.qdd, "/s²")):  # of modes, which no plot shows
        shown = angles.values(values, velocity_units(found.robot, f"rad{per}", f"m{per}"))
        for name, column in zip(found.robot.velocity_names, shown.T, strict=True):
            columns.setdefault(f"{kind}_{name}", column)
    return columns


def csv_text(columns: dict[str, Array]) -> str:
    """Full precision; an empty cell for NaN. Rows become Python's numbers a block at a time, which are large."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(list(columns))
    count = min(len(values) for values in columns.values())
    for k in range(0, count, BLOCK):
        block = np.column_stack([values[k : k + BLOCK] for values in columns.values()])
        writer.writerows(["" if x != x else x for x in row] for row in block.tolist())
    return text.getvalue()


def csv_lines(*lines: list[Any]) -> str:
    """Rows of a CSV file."""
    text = io.StringIO(newline="")
    csv.writer(text).writerows(lines)
    return text.getvalue()
