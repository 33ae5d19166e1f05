"""What the tab Compare shows: one signal of several runs, over time, against another signal, or as a difference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from redyn.report.plots import Cross, Line
from redyn.studio.pins import TIME, Pin
from redyn.studio.signals import Array, Signal, Trace, of_inverse, of_run
from redyn.studio.units import RADIANS, Angles

if TYPE_CHECKING:
    from redyn.studio.state import State

NOW = {"inverse": "Inverse, now", "forward": "Forward, now", "second": "Forward, now, second"}
COLOURS = {"inverse": "#52606d", "forward": "#1b6ca8", "second": "#0f8b8d"}
TIMES = 1e-9  # s: times that differ by less are the same
NONE = "There is nothing to compare yet: run the inverse or forward dynamics, and pin results to keep them."


class Compared(NamedTuple):
    """A run in the list: a present result or a pinned one."""

    key: str
    name: str
    colour: str
    dash: str
    shown: bool
    trace: Trace
    pin: Pin | None = None


def present(state: State) -> dict[str, Trace]:
    """The present results: `inverse`, `forward` and the `second` run beside it."""
    found: dict[str, Trace] = {}
    if state.inverse is not None:
        found["inverse"] = of_inverse(state.inverse)
    if state.forward is not None:
        plan = state.forward.order.plan
        found |= {key: of_run(run, plan) for key, run in zip(("forward", "second"), state.forward.runs, strict=False)}
    return {key: trace for key, trace in found.items() if len(trace.t)}


def runs_of(state: State) -> list[Compared]:
    """The present results and the pinned ones. At first, of the present ones only those being played are shown."""
    board = state.board
    runs: list[Compared] = []
    for key, trace in present(state).items():
        shown = board.present.get(key, trace.source == state.playing)
        runs.append(Compared(key, NOW[key], COLOURS[key], "dash" if key == "second" else "solid", shown, trace))
    return runs + [Compared(p.key, p.name, p.colour, p.dash, p.shown, p.trace, p) for p in board.pins]


def pin(state: State, source: str) -> str:
    """Pins the present results of a tab, both if two runs are compared. Returns a note."""
    traces = [trace for trace in present(state).values() if trace.source == source]
    return state.board.pin(traces)


class Comparison(NamedTuple):
    """What is chosen, among what, and what it shows."""

    runs: list[Compared]
    signals: dict[str, str]  # labels by key, of the runs that are shown
    y: str
    x: str
    minus: str  # key of a run, or empty
    plot: Cross | None
    heads: list[str]
    numbers: dict[str, list[str]]  # by the key of a run
    note: str


def compare(state: State) -> Comparison:
    """The comparison as chosen; what is no longer there is replaced."""
    board, runs, angles = state.board, runs_of(state), state.angles
    shown = [run for run in runs if run.shown]
    signals = {signal.key: signal for run in shown for signal in run.trace.signals}
    labels = {key: signal.label for key, signal in signals.items()}
    y = board.y if board.y in signals else min(signals, key=lambda key: signals[key].group != "q", default="")
    x = board.x if board.x in signals else TIME
    against = x != TIME
    minus = next((run for run in runs if run.key == board.minus and not against), None)
    key = minus.key if minus is not None else ""
    if not signals:
        return Comparison(runs, labels, y, x, key, None, [], {}, NONE if not runs else "No run is switched on.")
    having = [run for run in shown if run.trace.has(y, *([x] if against else []))]
    lines: list[Line] = []
    numbers: dict[str, list[str]] = {}
    notes: list[str] = []
    for run in having:
        t, values = run.trace.t, run.trace[y]
        if minus is not None:
            if run.key == minus.key:
                continue
            t, values, why = difference(run, minus, y)
            if why:
                notes.append(why)
                continue
        values = angles.values(values, signals[y].unit)
        across = angles.values(run.trace[x], signals[x].unit) if against else t
        lines.append(Line(run.name, run.colour, run.dash, t, across, values))
        numbers[run.key] = _numbers(values, minus is not None)
    without = [run.name for run in shown if run not in having]
    if without:
        both = f"{labels[y]} and {labels[x]}" if against else labels[y]
        notes.append(f"{', '.join(without)}: without {both}")
    unit = angles.of(signals[y].unit)
    title = labels[y] if minus is None else f"{labels[y]}, minus that of {minus.name}"
    plot = Cross(title, unit, _axis(signals[x], angles) if against else "", lines)
    mark = f" ({unit})" if unit else ""
    heads = [f"largest difference{mark}", "rms"] if minus is not None else [f"smallest{mark}", "largest", "last"]
    return Comparison(runs, labels, y, x, key, plot, heads, numbers, "; ".join(notes))


def difference(run: Compared, minus: Compared, y: str) -> tuple[Array, Array, str]:
    """Times that both runs have, the difference there, and why there is none. Nothing is interpolated."""
    nothing = np.zeros(0)
    if not minus.trace.has(y):
        return nothing, nothing, f"{minus.name} has no such signal"
    mine, other = common(run.trace.t, minus.trace.t)
    if len(mine) < 2:
        return nothing, nothing, f"{run.name} and {minus.name} share no times: give both the same sample"
    return run.trace.t[mine], run.trace[y][mine] - minus.trace[y][other], ""


def common(first: Array, second: Array) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Indices of the times that two lists share."""
    after = np.clip(np.searchsorted(second, first), 0, len(second) - 1)
    before = np.maximum(after - 1, 0)
    nearest = np.where(np.abs(second[before] - first) <= np.abs(second[after] - first), before, after)
    mine = np.flatnonzero(np.abs(second[nearest] - first) <= TIMES * (1 + np.abs(first)))
    return mine, nearest[mine]


def _axis(signal: Signal, angles: Angles) -> str:
    return f"{signal.label} ({angles.of(signal.unit)})" if signal.unit else signal.label


def _numbers(values: Array, difference: bool) -> list[str]:
    if difference:
        found = [float(np.abs(values).max()), float(np.sqrt(np.mean(values**2)))]
    else:
        found = [float(values.min()), float(values.max()), float(values[-1])]
    return [f"{x:.4g}" for x in found]


def columns(found: Comparison, angles: Angles = RADIANS) -> dict[str, Array]:
    """The curves as columns of a CSV file, with NaN where a run has no value at a time."""
    lines: Sequence[Line] = found.plot.lines if found.plot is not None else []
    if not lines:
        return {}
    every = np.unique(np.concatenate([line.t for line in lines]))
    t = every[np.diff(every, prepend=-np.inf) > TIMES * (1 + np.abs(every))]
    table: dict[str, Array] = {"t [s]": t}
    for line in lines:
        rows, own = common(t, line.t)
        named = {found.y: line.y} if found.x == TIME else {found.x: line.x, found.y: line.y}
        for key, values in named.items():
            column = np.full(len(t), np.nan)
            column[rows] = values[own]
            unit = next((s.unit for run in found.runs for s in run.trace.signals if s.key == key), "")
            table[f"{key}, {line.name}{f' [{angles.of(unit)}]' if unit else ''}"] = column
    return table
