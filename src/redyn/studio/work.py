"""What the studio computes: inverse dynamics at once, simulations and formulas in other processes (see jobs.py)."""

from __future__ import annotations

import base64
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from redyn.description import RobotDescription
from redyn.errors import RedynError
from redyn.report.plots import Plot, turning
from redyn.report.scene import scene
from redyn.robot import Robot, TorqueParts, load
from redyn.simulation import Run, SimulationError, simulate
from redyn.studio.coordinates import coordinate_heads, coordinate_units, units
from redyn.studio.plans import MotionPlan, RunPlan

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Inverse:
    """A motion and what it needs."""

    robot: Robot
    plan: MotionPlan
    t: Array
    q: Array
    qd: Array
    qdd: Array
    tau: Array
    path: Array | None  # of the end effector; none if there are several tips
    scene: dict[str, Any]

    @cached_property
    def parts(self) -> TorqueParts:
        return self.robot.torque_parts(self.q, self.qd, self.qdd)

    @cached_property
    def wrenches(self) -> Array:
        """(N, joints, 6)"""
        return self.robot.joint_wrenches(self.q, self.qd, self.qdd)


class Finished(NamedTuple):
    """One simulation, the seconds that it took, and what the viewer needs."""

    run: Run
    seconds: float
    scene: dict[str, Any]
    trouble: str  # why it ended early, in red; empty if it did not


class Forward(NamedTuple):
    """The simulations of the forward panel: one, or two to compare."""

    plan: RunPlan
    runs: list[Finished]

    @property
    def order(self) -> tuple[RunPlan, list[RobotDescription], list[str]]:
        """What was asked for: the plan, its robots and its methods."""
        first, *others = (finished.run for finished in self.runs)
        robots, methods = [first.robot.description], [first.method]
        for run in others:
            if run.method == first.method:
                robots.append(run.robot.description)
            else:
                methods.append(run.method)
        return self.plan, robots, methods


def inverse(robot: Robot, plan: MotionPlan) -> Inverse:
    """Torques along a motion."""
    motion = plan.motion(robot)
    t = np.linspace(0.0, plan.duration, plan.count)
    q, qd, qdd = motion(t)
    tau = robot.inverse_dynamics(q, qd, qdd)
    path = robot.forward_kinematics(q)[:, :3, 3] if robot.model.end_effector is not None else None
    return Inverse(robot, plan, t, q, qd, qdd, tau, path, scene(robot, t, q))


def forward(
    tell: Callable[[float, str], None], plan: RunPlan, robots: list[RobotDescription], methods: list[str]
) -> Forward:
    """Simulations of one plan, for each robot or each method; `tell` takes the part done and a note."""
    jobs = [(Robot(robot), method) for robot in robots for method in methods]
    done: list[Finished] = []
    for k, (robot, method) in enumerate(jobs):
        mine = _fitted(replace(plan, method=method), robot)

        def show(part: float, k: int = k, name: str = f"{robot.name}, {method}") -> None:
            tell((k + part) / len(jobs), f"simulating {name}")

        tell(k / len(jobs), f"compiling {method} (once on this machine)")
        go = _simulation(robot, mine)
        go(min(mine.duration, 1e-6), False)
        finished = _finished(robot, go, mine.duration, show)
        done.append(finished)
        if finished.run.ending.startswith("interrupted"):
            break
    return Forward(plan, done)


def _simulation(robot: Robot, plan: RunPlan) -> Callable[[float, Any], Run]:
    law = plan.law(robot)

    def go(duration: float, progress: Any) -> Run:
        return simulate(
            robot,
            plan.q,
            plan.qd,
            duration,
            torque=law,
            method=plan.method,
            rtol=plan.rtol,
            atol=plan.rtol / 100,
            sample=min(plan.sample, duration),
            progress=progress,
        )

    return go


def _finished(robot: Robot, go: Callable[[float, Any], Run], duration: float, show: Any) -> Finished:
    began = time.perf_counter()
    trouble = ""
    try:
        run = go(duration, show)
    except SimulationError as error:
        run, trouble = error.run, str(error)
    took = time.perf_counter() - began
    keep = np.isfinite(run.q).all(axis=1)
    return Finished(run, took, scene(robot, run.t[keep], run.q[keep]), trouble or run.ending)


def _fitted(plan: RunPlan, robot: Robot) -> RunPlan:
    """The plan for another robot: its own pose and rest where the joints are not as many."""
    if (len(plan.q), len(plan.qd)) == (robot.nq, robot.dof):
        return plan
    if plan.drive != "none":
        raise RedynError(f"{robot.name} has {robot.dof} velocities, not {len(plan.qd)}: compare free falls only")
    return replace(plan, q=tuple(float(x) for x in robot.initial), qd=(0.0,) * robot.dof)


# --- plots ------------------------------------------------------------------------------------------------------


def _positions(robot: Robot, q: Array) -> Plot:
    unit = ", ".join(unit for unit in ("rad", "m") if unit in coordinate_units(robot))
    return Plot("Joint values", unit, robot.coordinate_names, q)


def inverse_plots(found: Inverse, split: int | None = None) -> dict[str, Plot]:
    """By name; `split`: the velocity whose torque is shown by its causes."""
    robot, names = found.robot, found.robot.velocity_names
    if split is None:
        torque = Plot("Torques", units(robot, "Nm", "N"), names, found.tau)
    else:
        causes = zip(("inertia", "Coriolis", "gravity", "friction"), found.parts, strict=True)
        curves = {name: values[:, split] for name, values in causes} | {"total": found.tau[:, split]}
        unit = "Nm" if turning(robot)[split] else "N"
        torque = Plot(f"Torque of {names[split]}", unit, list(curves), np.column_stack(list(curves.values())))
    plots = {
        "torque": torque,
        "q": _positions(robot, found.q),
        "qd": Plot("Joint rates", units(robot, "rad/s", "m/s"), names, found.qd),
        "qdd": Plot("Accelerations", units(robot, "rad/s²", "m/s²"), names, found.qdd),
    }
    if found.path is not None:
        plots["path"] = Plot("End effector", "m", ["x", "y", "z"], found.path)
    return plots


def run_plots(run: Run) -> dict[str, Plot]:
    """By name."""
    robot, names = run.robot, run.robot.velocity_names
    energy = run.energy._asdict()
    shown = {name: x for name, x in energy.items() if np.abs(x).max() > 0 or name in ("kinetic", "potential")}
    shown["total"] = run.energy.total
    plots = {
        "energy": Plot("Energy", "J", list(shown), np.column_stack(list(shown.values()))),
        "q": _positions(robot, run.q),
        "qd": Plot("Joint rates", units(robot, "rad/s", "m/s"), names, run.qd),
        "tau": Plot("Torques", units(robot, "Nm", "N"), names, run.tau),
    }
    if robot.model.end_effector is not None:
        plots["path"] = Plot("End effector", "m", ["x", "y", "z"], run.path)
    return plots


def _of_joints(plot: Plot, robot: Robot) -> bool:
    return list(plot.names) in (robot.velocity_names, robot.coordinate_names)


def _colours(plot: Plot, robot: Robot) -> list[str]:
    if plot.of_joints(robot.coordinate_names):
        return [head["colour"] for head in coordinate_heads(robot)]
    return plot.colours(robot.velocity_names)


def plot_data(t: Array, plot: Plot, robot: Robot, other: tuple[Array, Plot, str] | None = None) -> dict[str, Any]:
    """What plots.js draws: doubles in base64, curve after curve. `other`: a second run, dashed, and what it is called.

    Two runs are drawn over the times of the first, which both have unless one ended early.
    """
    values = plot.curves(len(t))
    names, colours, of_joints = [str(name) for name in plot.names], _colours(plot, robot), _of_joints(plot, robot)
    data = {"title": plot.title, "unit": plot.unit, "joints": of_joints, "legend": len(names)}
    dashes = ["solid"] * len(names)
    if other is not None:
        times, second, label = other
        more = np.full((len(t), len(second.names)), np.nan)
        for k, column in enumerate(second.curves(len(times)).T):
            more[:, k] = np.interp(t, times, column, right=np.nan)
        values = np.concatenate([values, more], axis=1)
        names += [f"{name}, {label}" for name in second.names]
        same = list(second.names) == list(plot.names)
        colours += colours if same else second.colours(second.names if of_joints else [])
        dashes += ["dash"] * len(second.names)
    return {
        **data,
        "names": names,
        "colours": colours,
        "dashes": dashes,
        "t": _doubles(t),
        "values": _doubles(values.T),
    }


def _doubles(values: Array) -> str:
    return base64.b64encode(np.ascontiguousarray(values, dtype="<f8").tobytes()).decode("ascii")


def warm_up(tell: Callable[[float, str], None]) -> None:
    """Compiles what the first user would wait for: an integrator and inverse kinematics, kept on disk."""
    robot = load("two-link")
    tell(0.0, "warming up")
    simulate(robot, robot.initial, robot.neutral(), 1e-6, progress=False)
    robot.inverse_kinematics(robot.forward_kinematics([0.1, 0.2]), count=1, tries=1)
