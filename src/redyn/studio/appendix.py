"""What a report holds below its plots: the robot's tables, the ranges of every run, and the equations of motion."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

import numpy as np

from redyn.errors import InputError
from redyn.robot import peak_sensitivity
from redyn.studio.comparing import Compared, compare
from redyn.studio.coordinates import coordinate_units
from redyn.studio.flexible_cells import KEPT, kept_text
from redyn.studio.formulas import Formulas
from redyn.studio.motors import FIELDS, JOINT_HEAD, MOTOR_HEAD, joint_rows, motor_rows, reasons
from redyn.studio.panels.columns import link_columns
from redyn.studio.panels.equations import PARTS, law_of, numbers, of_tree
from redyn.studio.panels.matrices import matrix_html, table_html
from redyn.studio.sizing_charts import charts
from redyn.studio.table import draft_of, shown_cells
from redyn.studio.units import Angles, together
from redyn.words import counted

if TYPE_CHECKING:
    from redyn.studio.state import State

TABLES = {"geometry": "Geometry", "mass": "Mass and inertia", "joint": "Limits and friction", "flexible": "Flexibility"}
RANGES = {
    "q": "Joint values (rad, m)",
    "qd": "Joint rates (rad/s, m/s)",
    "tau": "Torques (Nm, N)",
    "energy": "Energy (J)",
}
MOST_PARAMETERS = 15  # whose influence is listed
SWINGS = "None where links bend or gears give: with another mass or length, the robot swings otherwise."
MOST_JOINTS = 12  # of the numbers in M, C and g; larger matrices fill pages


def appendix(state: State, formulas: Formulas | None = None) -> str:
    """HTML; `formulas`: of the robot that is shown, if there are any."""
    return "".join([_sizing(state), _sensitivities(state), _runs(state), _robot(state), _equations(state, formulas)])


def _section(title: str, *parts: str) -> str:
    return f"<h2>{html.escape(title)}</h2>{''.join(parts)}"


def _figure(title: str, table: str) -> str:
    return f"<figure><figcaption>{html.escape(title)}</figcaption>{table}</figure>"


def _sizing(state: State) -> str:
    """Of the motion in the report, if its tab shows the sizing."""
    found = state.sized(state.playing) if state.playing in state.sizing else None
    if found is None:
        return ""
    parts = [_figure("What the joints need", table_html(JOINT_HEAD, joint_rows(found, state.angles)))]
    rows = motor_rows(found)
    if rows:
        typed = [joint.motor.motor for joint in found.joints if joint.motor is not None]
        body = [
            [row[0], *("" if (x := getattr(motor, name)) is None else f"{x:.5g}" for name in FIELDS)]
            for row, motor in zip(rows, typed, strict=True)
        ]
        heads = ["motor of", *(label for label, _ in FIELDS.values())]
        parts += [_figure("Motors, in SI units", table_html(heads, body))]
        parts += [_figure("What the motors need", table_html(MOTOR_HEAD, rows))]
    parts += [f"<p>{html.escape(note)}</p>" for note in (*reasons(found), *found.notes)]
    return _section("Sizing", *parts, charts(found))


def _sensitivities(state: State) -> str:
    """How much the largest torques that a motion needs depend on masses and lengths."""
    motion = state.inverse
    if state.playing != "inverse" or motion is None:
        return ""
    if motion.robot.model.gives:
        return _section("Sensitivities", f"<p>{SWINGS}</p>")
    try:
        found = peak_sensitivity(motion.robot, motion.q, motion.qd, motion.qdd)
    except InputError as error:
        return _section("Sensitivities", f"<p>{html.escape(str(error))}</p>")
    shown = [k for k, row in enumerate(found.changes) if k < MOST_PARAMETERS and np.abs(row).max() > 0.0]
    if not shown:
        return ""
    body = [[found.names[k], f"{found.nominal[k]:.4g}", *(f"{x:+.3g}" for x in found.changes[k])] for k in shown]
    body = [["largest torque", "", *(f"{x:.4g}" for x in found.peaks)], *body]
    title = "Largest torque of each joint (Nm, N), and its change as a mass or a length grows by 1 %"
    left = len(found.names) - len(shown)
    more = f"<p>{counted(left, 'parameter')} with less influence left out.</p>" if left else ""
    return _section("Sensitivities", _figure(title, table_html(["", "value", *motion.robot.torque_names], body)), more)


def _runs(state: State) -> str:
    found, angles = compare(state), state.angles
    shown = [run for run in found.runs if run.shown]
    if not shown:
        return ""
    head = ["run", "computed", "until (s)", "rows"]
    body = [[run.name, run.trace.about, f"{run.trace.t[-1]:g}", str(len(run.trace.t))] for run in shown]
    parts = [_figure("Compared runs", table_html(head, body))]
    if found.plot is not None and found.numbers:
        body = [[run.name, *found.numbers[run.key]] for run in shown if run.key in found.numbers]
        parts.append(_figure(found.plot.title, table_html(["run", *found.heads], body)))
    for group, title in RANGES.items():
        signals = {s.key: s for run in shown for s in run.trace.signals if s.group == group}
        named = [(signal.name, angles.of(signal.unit)) for signal in signals.values()]
        heads = [f"{name} ({unit})" if unit else name for name, unit in named]
        body = [[run.name, *(_range(run, key, angles) for key in signals)] for run in shown]
        if signals:
            parts.append(_figure(f"{angles.of(title)}, from smallest to largest", table_html(["run", *heads], body)))
    return _section("Runs", *parts)


def _range(run: Compared, key: str, angles: Angles) -> str:
    signal = run.trace.find(key)
    if signal is None:
        return "–"
    values = angles.values(run.trace[key], signal.unit)
    return f"{values.min():.4g} to {values.max():.4g}"


def _robot(state: State) -> str:
    draft = draft_of(state.robot.description)
    parts: list[str] = []
    for tab, title in TABLES.items():
        columns = {str(column["field"]): str(column["headerName"]) for column in link_columns(draft, tab, state.angles)}
        rows = [
            {**shown_cells(row, state.angles), KEPT: kept_text(row, rest)}
            for row, rest in zip(draft.rows, draft.rest, strict=True)
        ]
        used = [field for field in columns if any(row.get(field) for row in rows)]
        body = [[_short(str(row.get(field, ""))) for field in used] for row in rows]
        if len(used) > 1:  # more than the names of the links
            parts.append(_figure(title, table_html([columns[field] for field in used], body)))
    return _section(f"Robot: {state.robot.name}", *parts)


def _short(text: str) -> str:
    """A cell as the tables show it: long numbers rounded."""
    try:
        return f"{float(text):.4g}" if len(text) > 7 else text
    except ValueError:
        return text


def _equations(state: State, formulas: Formulas | None) -> str:
    robot = state.robot
    parts = [f"<p class=law>{html.escape(law_of(robot))}</p>"]
    if state.open_loop:
        return ""
    if formulas is not None:
        for key, (_, name) in PARTS.items():
            cells = [[entry.mathml for entry in row] for row in getattr(formulas, key).rows]
            parts.append(f'<div class="formula">{matrix_html(cells, name, markup=True)}</div>')
        parts.append("<p>c12 is cos(theta 1 + theta 2), s12 its sine; the constants are those of the tables.</p>")
    if robot.dof <= MOST_JOINTS:
        units = coordinate_units(robot)
        pose = ", ".join(f"{x:.4g}" for x in state.angles.values(np.atleast_1d(state.q), units))
        parts.append(f"<p>At q = ({pose}) {state.angles.of(together(units))}, t = {state.time:.4g} s:</p>")
        for key, matrix in state.matrices().items():
            parts.append(f'<div class="formula">{matrix_html(numbers(matrix), PARTS[key][1])}</div>')
    tree = of_tree(robot).strip()
    return _section("Equations of motion", *parts, f"<p>{html.escape(tree)}</p>" if tree else "")
