"""Downloads: Python, a report, tables of numbers, the robot. Always of the robot shown."""

from __future__ import annotations

import csv
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from redyn.errors import InputError
from redyn.report.html import Second, write_html
from redyn.report.plots import Cross, Other, Plot
from redyn.robot import Robot
from redyn.studio import code, comparing
from redyn.studio.appendix import appendix
from redyn.studio.formulas import Formulas
from redyn.studio.limits import sentence
from redyn.studio.motors import table_rows
from redyn.studio.pins import Pin
from redyn.studio.plans import KINDS
from redyn.studio.prepared import load_meshes
from redyn.studio.pushing import drawn
from redyn.studio.signals import Array, column_units, with_units
from redyn.studio.units import RADIANS, Angles
from redyn.studio.uploads import safe_name
from redyn.studio.work import (
    PREFIXES,
    Forward,
    Inverse,
    csv_lines,
    csv_text,
    inverse_columns,
    inverse_plots,
    plot_columns,
    run_plots,
)
from redyn.words import counted

if TYPE_CHECKING:
    from redyn.studio.state import State, Tab

Content = tuple[str, str]  # name and content of a file
NOTHING = "there is no motion yet: run the inverse or the forward dynamics first"


def python(state: State) -> str:
    """Python that repeats what the open tab shows, or would show if it were run."""
    state.check_right()
    state.check_closed()
    robot = state.robot
    if state.tab == "inverse":
        if state.inverse is None:
            return code.inverse_code(robot, state.motion.plan(robot), state.payload.plan())
        return code.inverse_code(robot, state.inverse.plan, state.inverse.payload)
    if state.tab == "forward":
        order = state.forward_order() if state.forward is None else state.forward.order
        return code.forward_code(robot, order.plan, order.robots[1] if order.robots[1:] else None, order.methods)
    if state.tab == "kinematics":
        state.pose.begin(robot, state.q)
        return code.reach_code(robot, state.pose, state.q.tolist())
    return code.state_code(robot, state.q.tolist(), state.rates_at(state.time).tolist())


def robot_file(state: State, kind: str) -> Content:
    """The robot as `yaml` or `urdf`."""
    state.check_right()
    content = state.robot.to_yaml() if kind == "yaml" else state.robot.to_urdf()
    return f"{safe_name(state.robot.name)}.{kind}", content


# --- numbers -----------------------------------------------------------------------------------------------------


def plots_of(
    found: Inverse | Forward, split: int | None = None, pins: Sequence[Pin] = (), angles: Angles = RADIANS
) -> dict[str, tuple[Plot, list[Other]]]:
    """The plots of a result by name, each with those of the second run and of pinned runs."""
    if isinstance(found, Inverse):
        plots = {key: (plot, list[Other]()) for key, plot in inverse_plots(found, split, angles).items()}
    else:
        plots = {key: (plot, list[Other]()) for key, plot in run_plots(found.runs[0].run, angles).items()}
        for finished, label in zip(found.runs[1:], found.labels[1:], strict=True):
            for key, plot in run_plots(finished.run, angles).items():
                if key in plots:
                    plots[key][1].append(Other(finished.run.t, plot, label))
    for key, (plot, others) in plots.items():
        if split is None or key != "torque":
            others += [other for pin in pins if pin.shown and (other := _pinned(pin, key, plot, angles)) is not None]
    return plots


def _pinned(pin: Pin, key: str, plot: Plot, angles: Angles) -> Other | None:
    """The curves of a pinned run that belong into a plot: those of the same names."""
    keys = [f"{PREFIXES[key]}_{name}" for name in plot.names]
    trace = pin.trace
    if not any(trace.has(key) for key in keys):
        return None
    missing = np.full(len(trace.t), np.nan)
    signals = [trace.find(key) for key in keys]
    values = np.column_stack([missing if s is None else angles.values(trace[s.key], s.unit) for s in signals])
    return Other(trace.t, Plot(plot.title, plot.unit, plot.names, values), pin.name, pin.dash)


def plot_csv(state: State, tab: str, key: str, split: int | None = None) -> Content:
    """One plot as numbers."""
    state.check_right()
    found = state.inverse if tab == "inverse" else state.forward
    if found is None or key not in (plots := plots_of(found, split, state.board.pins, state.angles)):
        raise InputError(NOTHING)
    robot, t = (found.robot, found.t) if isinstance(found, Inverse) else (found.runs[0].run.robot, found.runs[0].run.t)
    prefix = PREFIXES[key] if split is None or key != "torque" else f"tau_{robot.velocity_names[split]}"
    return f"{safe_name(robot.name)}-{key}.csv", _csv(robot, plot_columns(robot, prefix, t, *plots[key]), state.angles)


def _csv(robot: Robot, columns: dict[str, Array], angles: Angles) -> str:
    """With units in the heads; the numbers are in these units already."""
    return csv_text(dict(zip(with_units(robot, columns, angles), columns.values(), strict=True)))


def sizing_csv(state: State, source: Tab) -> Content:
    """The tables of the sizing."""
    state.check_right()
    found = state.sized(source)
    if found is None:
        raise InputError(NOTHING)
    return f"{safe_name(state.robot.name)}-sizing.csv", csv_lines(*table_rows(found))


def comparison_csv(state: State) -> Content:
    """The plot of the tab Compare as numbers."""
    state.check_right()
    table = comparing.columns(comparing.compare(state), state.angles)
    if not table:
        raise InputError("there is nothing to save: no run is shown that has this signal")
    return "comparison.csv", csv_text(table)


def motion_csv(state: State) -> Content:
    """The current motion with all its columns; it can be uploaded again as a motion or as torques."""
    state.check_right()
    name = f"{safe_name(state.robot.name)}-{state.playing}.csv"
    if state.playing == "forward" and state.forward is not None:
        with tempfile.TemporaryDirectory(prefix="redyn-studio-") as folder:
            path = state.forward.runs[0].run.to_csv(Path(folder) / "run.csv")
            head, _, rows = path.read_text("utf-8").partition("\n")
            heads = next(csv.reader([head]))
            if not state.angles.degrees:
                return name, csv_lines(with_units(state.robot, heads)) + rows
            units = column_units(state.robot, heads)
            numbers = state.angles.values(np.loadtxt(rows.splitlines(), delimiter=",", ndmin=2), units)
            return name, _csv(state.robot, dict(zip(heads, numbers.T, strict=True)), state.angles)
    if state.playing == "inverse" and state.inverse is not None:
        return name, _csv(state.robot, inverse_columns(state.inverse, state.angles), state.angles)
    raise InputError(NOTHING)


# --- the report --------------------------------------------------------------------------------------------------


def report(state: State, formulas: Formulas | None = None) -> tuple[str, bytes]:
    """A page of the current motion, or of both runs being compared, with pinned runs: its name and content."""
    state.check_right()
    if state.played is None:
        raise InputError(NOTHING)
    with tempfile.TemporaryDirectory(prefix="redyn-studio-") as folder:
        path = Path(folder) / "report.html"
        if state.playing == "forward" and state.forward is not None:
            _forward_report(path, state, state.forward, formulas)
        elif state.inverse is not None:
            _inverse_report(path, state, state.inverse, formulas)
        return f"{safe_name(state.robot.name)}-{state.playing}.html", path.read_bytes()


def _crosses(state: State) -> list[Cross]:
    """The plot of the tab Compare, if it shows more than the plots beside it."""
    plot = comparing.compare(state).plot
    return [plot] if plot is not None and plot.lines and (state.board.pins or plot.against) else []


def _inverse_report(path: Path, state: State, found: Inverse, formulas: Formulas | None) -> None:
    beyond = found.beyond_in(state.angles)
    notes = ["inverse dynamics", *([sentence(beyond)] if beyond else [])]
    plain = found.plan.path is None and found.plan.taught is None
    what = f"{found.plan.kind} motion" if plain else KINDS[found.plan.kind].lower()
    title = f"{found.robot.name}: {what} in {found.plan.duration:g} s"
    plots, others = zip(*plots_of(found, pins=state.board.pins, angles=state.angles).values(), strict=True)
    write_html(
        path,
        found.robot,
        found.t,
        found.q,
        plots,
        title=title,
        notes=notes,
        meshes=load_meshes(state.meshes),
        others=others,
        crosses=_crosses(state),
        appendix=appendix(state, formulas),
        payload=found.payload and found.payload.drawn_on(state.robot),
    )


def _forward_report(path: Path, state: State, found: Forward, formulas: Formulas | None) -> None:
    first = found.runs[0].run
    keep: NDArray[np.bool_] = np.asarray(
        np.isfinite(first.q).all(axis=1)
    )  # a diverged motion ends with values that cannot be drawn
    plots, others = zip(*plots_of(found, pins=state.board.pins, angles=state.angles).values(), strict=True)
    second, title = None, f"{first.robot.name}: {first.t[-1]:g} s by {first.method}"
    names = found.names
    if len(found.runs) > 1:
        second = Second(found.runs[1].scene, (names[0], names[1]))
        title = f"{names[0]} and {names[1]}: {first.t[-1]:g} s"
    write_html(
        path,
        first.robot,
        first.t[keep],
        first.q[keep],
        [_only(plot, keep) for plot in plots],
        title=title,
        notes=[note for k in range(len(found.runs)) for note in run_notes(found, k, names[k], state.angles)],
        meshes=load_meshes(found.order.meshes[0]),
        second=second,
        others=others,
        crosses=_crosses(state),
        appendix=appendix(state, formulas),
        payload=found.order.plan.payload and found.order.plan.payload.drawn_on(state.robot),
        pushes=drawn(state.robot, found.order.plan.pushes),
        rates=first.qd[keep],
        standing=first.standing if keep.all() else None,
    )


def _only(plot: Plot, keep: NDArray[np.bool_]) -> Plot:
    """Some rows of a plot."""
    beyond = None if plot.beyond is None else np.asarray(plot.beyond)[keep]
    return plot._replace(values=np.asarray(plot.values)[keep], beyond=beyond)


def run_notes(found: Forward, k: int, name: str, angles: Angles = RADIANS) -> list[str]:
    """Notes on a run in a report."""
    finished = found.runs[k]
    run = finished.run
    drift = float(abs(run.energy.balance).max())
    counts = (
        f"{counted(run.steps, 'step')}, {run.rejected} rejected, {counted(run.evaluations, 'evaluation')}, "
        f"energy within {drift:.1e} J"
    )
    if finished.loop_gap is not None:
        counts += f", loops closed within {finished.loop_gap:.1e} m"
    plan = found.order.plan
    beyond = finished.beyond(plan.stops, plan.saturate, angles)
    said = [f"{name}: {counts}", ", ".join(plan.conditions), sentence(beyond) if beyond else "", finished.trouble]
    return [note for note in said if note]
