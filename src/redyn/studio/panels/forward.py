"""Forward dynamics: simulate from a state with a chosen torque; one run, or two to compare."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from nicegui import ui

from redyn.description import library
from redyn.studio import messages, takeaway, uploads
from redyn.studio.controls import Choice, Field, Part, Switch, block, box, button, enable, set_attribute, set_text, text
from redyn.studio.coordinates import (
    coordinate_heads,
    coordinate_units,
    torque_heads,
    torque_units,
    velocity_heads,
    velocity_units,
)
from redyn.studio.entries import entries, guided, is_closed
from redyn.studio.forms import drives, present, usual_text
from redyn.studio.limits import has_efforts, has_stops, sentence
from redyn.studio.panels.bending import BENDING
from redyn.studio.panels.ground import GroundFields
from redyn.studio.panels.matrices import table_html
from redyn.studio.panels.payload import PayloadFields
from redyn.studio.panels.pinned import Pinned
from redyn.studio.panels.pushes import PushList
from redyn.studio.panels.sizing import SizingPart
from redyn.studio.plans import DRIVES, FIXED_STEP, METHODS, RIGID
from redyn.studio.units import together
from redyn.studio.work import Finished, plot_data, rows_note
from redyn.words import counted

if TYPE_CHECKING:
    from redyn.studio.desk import Desk
    from redyn.studio.jobs import Job

CARDS = [
    {"id": "energy", "title": "Energy", "wide": True},
    {"id": "run-stands", "title": "Contact with the ground", "optional": True},
    {"id": "run-normal", "title": "Normal forces", "optional": True},
    {"id": "run-pressure", "title": "Centre of pressure", "optional": True},
    {"id": "run-slip", "title": "Slip", "optional": True},
    {"id": "run-q", "title": "Joint values"},
    {"id": "run-qd", "title": "Joint rates"},
    {"id": "run-tau", "title": "Torques"},
    {"id": "run-path", "title": "End effector"},
    *({**card, "id": f"run-{card['id']}"} for card in BENDING),
]
ALONE = "nothing"
RUN = "Simulate (Ctrl+Enter)"
STOPS = "Springs and dampers at the joint limits"
SATURATE = "Actuators give no more than the effort limits of the tab Limits and friction"
SAMPLE = "Seconds between the rows of the result; empty: a hundred rows per second, or more"


class ForwardPanel:
    def __init__(self, desk: Desk) -> None:
        self._desk, form = desk, desk.state.run
        self.root = box("work", "panel-forward", role="tabpanel")
        with self.root:
            with box("form"):
                self._drive = Choice(DRIVES, form.drive, self._set_drive, "torque-kind", "torque", "wide-field")
                options = {
                    "text": "Upload CSV",
                    "accept": ".csv",
                    "url": f"{desk.upload_url}/torque",
                    "largest": uploads.LARGEST,
                    "title": "Torques from a file: columns t and tau_<joint>",
                    "testid": "torque-upload",
                }
                self._upload = Part("file", options, refused=desk.refused_upload)
                title = "Gain on {} ({}), multiplied by the inertia seen by the joint"
                kp, kd = title.format("positions", "1/s\u00b2"), title.format("rates", "1/s")
                self._kp = Field(form.kp, partial(self._set_gain, "kp"), "kp", "kp", "tiny", kp)
                self._kd = Field(form.kd, partial(self._set_gain, "kd"), "kd", "kd", "tiny", kd)
                self._duration = Field(form.duration, self._set_duration, "run-duration", "duration (s)", "short")
                self._method = Choice(
                    list(METHODS), form.method, self._set_method, "integrator", "integrator", "short2"
                )
                title = "Relative tolerance of the variable-step integrators"
                self._rtol = Field(form.rtol, partial(self._set, "rtol"), "tolerance", "tolerance", "short", title)
                title = "Step of the fixed-step integrators"
                self._step = Field(form.step, partial(self._set, "step"), "step", "step (s)", "short", title)
                self._sample = Field("", self._set_sample, "run-sample", "sample (s)", "short", SAMPLE)
                self._stops = Switch("joint stops", form.stops, partial(self._switch, "stops"), "stops", STOPS)
                self._saturate = Switch(
                    "torque limits", form.saturate, partial(self._switch, "saturate"), "saturate", SATURATE
                )
                self._ground = GroundFields(desk, self.mark)
                self._payload = PayloadFields(desk, "forward")
                self.pushes = PushList(desk)
                self._compare = Choice(self._others(), ALONE, self._set_compare, "compare", "compare with", "middle")
            self._payload.row()
            self.pushes.list()
            self._rows = Part("rows", edit=self._edited, use=self._use_pose)
            with box("run-line"):
                self._run = button("Run", "run-forward", self.run, RUN, "run")
                self._cancel = button("Cancel", "cancel", self._stop, "Stop, and show the results so far")
                self._pinned = Pinned(desk, "forward")
                self.sizing = SizingPart(desk, "forward")
                with box("bar", "progress", role="progressbar") as self._bar:
                    self._done = box("bar-done")
                self._note = text("", "run-note", testid="run-note")
            self._changed = text("", "beyond", "p", "run-changed")
            self._limits = text("", "beyond", "p", "run-limits")
            self._summary = ui.html("", sanitize=False).classes("summary").props("data-testid=run-summary")
            self._pinned.legend()
            self._plots = Part("plots", {"cards": CARDS}, csv=self._csv)
            self.sizing.body()
            self.sizing.on_toggle = self.show_result
        self._blocked = ""  # why nothing can be run
        self._timer = ui.timer(0.1, self._look, active=False)

    def _others(self) -> dict[str, str]:
        chosen = self._desk.state.run.method
        methods = {f"method:{name}": f"integrator {name}" for name in METHODS if name != chosen}
        rigid = {RIGID: "itself, rigid"} if self._desk.state.robot.model.gives else {}
        return {ALONE: "none", **rigid, **methods, **{f"robot:{name}": f"robot {name}" for name in library()}}

    # --- user input ----------------------------------------------------------------------------------------------

    def _set(self, name: str, value: Any) -> None:
        setattr(self._desk.state.run, name, value)
        self._desk.keep_soon()

    def _set_gain(self, name: str, value: str) -> None:
        self._desk.state.run.set_gain(name, value)
        self._desk.keep_soon()

    def _switch(self, name: str, on: bool) -> None:
        self._set(name, on)
        self.mark()

    def _set_duration(self, value: str) -> None:
        self._desk.state.run.set_duration(value)
        self._show_sample()
        self._desk.keep_soon()

    def _set_sample(self, value: str) -> None:
        self._set("sample", value)
        self._show_sample()

    def _set_method(self, value: str) -> None:
        form = self._desk.state.run
        form.method = value
        if form.compare == f"method:{value}":
            form.compare = ""
        self.show_form()
        self._desk.keep_soon()

    def _set_drive(self, value: str) -> None:
        self._set("drive", value)
        self.show_form()

    def _set_compare(self, value: str) -> None:
        self._set("compare", "" if value == ALONE else value)
        self.show_form()

    def _edited(self, message: Any) -> None:
        form = self._desk.state.run
        angles, units = self._desk.state.angles, self._units()
        rows = {"q0": form.q, "qd0": form.qd, "tau": form.torque, "target": form.target}
        messages.put_text(message, rows, lambda row, joint, typed: angles.typed(typed, units[row][joint]))
        self._desk.keep_soon()

    def _units(self) -> dict[str, list[str]]:
        """Of the numbers that are entered, by row."""
        robot = self._desk.state.robot
        own, values, rates = entries(robot), coordinate_units(robot), velocity_units(robot, "rad/s", "m/s")
        torques = torque_units(robot)
        q, target = ([values[i] for i in at] for at in (own.q, guided(robot).q))
        return {"q0": q, "target": target, "qd0": [rates[i] for i in own.qd], "tau": [torques[i] for i in own.tau]}

    def _use_pose(self, row: Any) -> None:
        """Takes the pose shown into a row of fields."""
        state = self._desk.state
        if row in ("q0", "target"):
            target = row == "target"
            setattr(state.run, "target" if target else "q", present(state.robot, state.q, motion=target))
            self.show_form()
            self._desk.keep_soon()

    async def taken(self) -> None:
        """A file of torques has been read."""
        self.show_form()

    async def _csv(self, key: Any) -> None:
        name = messages.text(key).removeprefix("run-")
        await self._desk.download(lambda: takeaway.plot_csv(self._desk.state, "forward", name), "text/csv")

    def block(self, reason: str) -> None:
        """Disables running while the tables are invalid."""
        self._blocked = reason
        block(self._run, reason or self._running(), RUN)
        self._plots.call("block", reason)

    def _running(self) -> str:
        return "" if self._desk.state.job is None else "A simulation is already running; cancel it first"

    # --- running -------------------------------------------------------------------------------------------------

    async def run(self) -> None:
        state = self._desk.state
        if state.job is not None:
            return

        def submit() -> None:
            if state.job is None:
                order = state.forward_order()
                state.job = self._desk.submit("redyn.studio.work:forward", order)

        if await self._desk.attempt("forward", submit, slow=True):  # taught points take a moment
            self._desk.keep_soon()
            self.watch()

    def _stop(self) -> None:
        if self._desk.state.job is not None:
            self._desk.state.job.cancel()
            set_text(self._note, "stopping")

    def watch(self) -> None:
        """Follows a job, including one that another page of this tab started."""
        self._timer.active = self._desk.state.job is not None
        self._show_progress()

    def _show_progress(self) -> None:
        job = self._desk.state.job
        block(self._run, self._blocked or self._running(), RUN)
        enable(self._cancel, job is not None)
        self._bar.set_visibility(job is not None)
        if job is not None:
            part = round(100 * min(max(job.progress, 0.0), 1.0), 1)
            self._done.style(f"width: {part}%")
            set_attribute(self._bar, "aria-valuenow", str(part))
            if not job.asked_to_stop.is_set():
                set_text(self._note, self._progress_text(job, part))

    def _progress_text(self, job: Job, part: float) -> str:
        """Progress and time limit of a running job; the number ahead of a waiting one."""
        if job.state == "waiting":
            ahead = self._desk.pool.ahead_of(job)
            return f"waiting for a free worker; {ahead} ahead of it" if ahead else "waiting for a free worker"
        clock = f"{job.took:.0f} s of at most {job.seconds:g} s"
        return f"{part:.0f} %  {job.note}, {clock}" if job.note else f"starting, {clock}"

    def _look(self) -> None:
        state = self._desk.state
        if self._desk.session.desk is not self._desk:  # of a page that was loaded again: the new one takes the result
            self._timer.active = False
            return None
        job = state.job
        if job is None or not job.over.is_set():
            return self._show_progress()
        state.job = None
        self.watch()
        set_text(self._note, "")
        troubles = [job.error] if job.state == "failed" else []
        if job.result is not None:
            state.forward = job.result
            self.show_result()
            if state.playing == "forward":
                self._desk.show_motion(keep=False)
            troubles += [run.trouble for run in job.result.runs if run.trouble and job.state != "cancelled"]
        if job.state == "cancelled":
            what = job.reason or "cancelled"
            kept = " before anything was computed" if job.result is None else f"; {_sentence(job.result.runs[0])}"
            set_text(self._note, f"{what}{kept}")
            troubles += [f"The simulation was {job.reason}"] if job.reason else []
        self._desk.trouble("forward", "\n".join(troubles))
        return None

    # --- output --------------------------------------------------------------------------------------------------

    def show(self) -> None:
        self.show_form()
        self.show_result()
        self.watch()

    def _show_sample(self) -> None:
        form = self._desk.state.run
        self._sample.show(form.sample or usual_text(form.duration, self._desk.state.robot))

    def show_form(self) -> None:
        state = self._desk.state
        form = state.run
        for entry, value in (
            (self._duration, form.duration),
            (self._method, form.method),
            (self._rtol, form.rtol),
            (self._step, form.step),
            (self._kp, form.kp),
            (self._kd, form.kd),
        ):
            entry.show(value)
        self._drive.show(form.drive, drives(state.robot))
        self._show_sample()
        others = self._others()
        self._compare.show(form.compare if form.compare in others else ALONE, others)
        methods = {form.method, form.compare.removeprefix("method:")} & set(METHODS)
        self._step.frame.set_visibility(bool(methods & set(FIXED_STEP)))
        self._rtol.frame.set_visibility(bool(methods - set(FIXED_STEP)))
        self._stops.show(form.stops, has_stops(state.robot) or form.stops)
        self._saturate.show(form.saturate, has_efforts(state.robot) or form.saturate)
        self._ground.show()
        self._payload.show()
        self.pushes.show()
        self._upload.set_visibility(form.drive == "csv")
        gains = form.drive in ("pd", "computed")
        for entry in (self._kp, self._kd):
            entry.frame.set_visibility(gains)
        angles, units = state.angles, self._units()
        hint = f"{angles.of('rad or m')}; pi/2 and 90 deg are understood"
        if is_closed(state.robot):
            hint = f"the joints that are not listed follow; {hint}"

        def row(name: str, label: str, values: list[str], hint: str, use: bool = False) -> dict[str, Any]:
            own = units[name]
            unit = angles.of(together(own))
            return {
                "id": name,
                "label": label,
                "values": angles.row(values, own),
                "hint": hint,
                "unit": unit,
                "use": use,
            }

        q = [row("q0", "q at start", form.q, hint, True)]
        qd = [row("qd0", "rate", form.qd, angles.of("rad/s or m/s"))]
        torque = [row("tau", "torque", form.torque, "Nm or N")]
        if form.drive == "pd":
            q.append(row("target", "target", form.target, hint, True))
        own = entries(state.robot)
        every = velocity_heads(state.robot)
        coordinates = coordinate_heads(state.robot)
        torques = torque_heads(state.robot)
        heads, rates = [coordinates[i] for i in own.q], [every[i] for i in own.qd]
        driven = [torques[i] for i in own.tau]
        aimed = [coordinates[i] for i in guided(state.robot).q]
        groups = [(heads, q[:1]), (rates, qd), (driven, torque if form.drive == "constant" else []), (aimed, q[1:])]
        tables: list[dict[str, Any]] = []
        for names, rows in groups:  # one table per set of names; quaternions have more than their rates
            same = next((table for table in tables if table["heads"] == names), None)
            if same is not None:
                same["rows"] += rows
            elif rows:
                tables.append({"heads": names, "rows": list(rows)})
        self._rows.call("set", tables)
        if form.drive == "csv":
            name = f"torques of {form.table.name}" if form.table else "upload a CSV file with tau_<joint>"
            set_text(self._note, name)
        elif form.drive == "inverse":
            set_text(self._note, "the torques of the tab Inverse dynamics")
        elif form.drive == "computed":
            set_text(self._note, "follows the motion of the tab Inverse dynamics")
        elif state.forward is None:
            set_text(self._note, "Run simulates from this state")

    def show_result(self) -> None:
        found = self._desk.state.forward
        self.mark()
        self._plots.set_visibility(not self.sizing.shown)
        self.sizing.show()
        beyond: list[str] = []
        if found is not None:
            plan, angles = found.order.plan, self._desk.state.angles
            beyond = [x for run in found.runs for x in run.beyond(plan.stops, plan.saturate, angles)]
        set_text(self._limits, sentence(list(dict.fromkeys(beyond))))
        self._limits.set_visibility(bool(beyond))
        self._pinned.show(found is not None)
        self._desk.compare.show()
        if found is None:
            self._summary.set_content("")
            return self._plots.call("setPlots", {"plots": {}, "start": 0, "duration": 1, "name": "run"})
        first = found.runs[0].run
        data = {
            "energy" if key == "energy" else f"run-{key}": plot_data(first.robot, first.t, *pair)
            for key, pair in takeaway.plots_of(
                found, pins=self._desk.state.board.pins, angles=self._desk.state.angles
            ).items()
        }
        name = uploads.safe_name(first.robot.name)
        self._plots.call("setPlots", {"plots": data, "start": 0, "duration": float(first.t[-1]), "name": name})
        several = len(found.runs) > 1
        self._summary.set_content(_summary(found.runs) if several else "")
        hints = [f"{finished.run.method}: {finished.hint}" for finished in found.runs if finished.hint]
        given = [*([found.order.plan.payload.name] if found.order.plan.payload else []), *found.order.plan.conditions]
        acting = f"with {', '.join(given)}: " if given else ""
        set_text(self._note, acting + ("; ".join(hints) if several else _sentence(found.runs[0])))
        return None

    def mark(self) -> None:
        """Says so if what acts in the result is no longer what is chosen."""
        state = self._desk.state
        changed = [] if state.forward is None else state.run.changed_since(state.forward.order.plan, state.robot)
        set_text(self._changed, f"The result below is from before a change of {', '.join(changed)}: run again.")
        self._changed.set_visibility(bool(changed))

    def refresh(self) -> None:
        self._plots.call("refresh")


def _sentence(finished: Finished) -> str:
    run = finished.run
    error = float(np.abs(run.energy.balance).max())
    steps = f"{counted(run.steps, 'step')} in {1e3 * finished.seconds:.3g} ms"
    loops = "" if finished.loop_gap is None else f", loops closed within {finished.loop_gap:.1e} m"
    hint = f"; {finished.hint}" if finished.hint else ""
    rows = rows_note(run.t, run.robot)
    note = f"; {rows}" if rows else ""
    return f"{steps}, energy within {error:.1e} J{loops}, until {run.t[-1]:.4g} s{hint}{note}"


def _summary(runs: list[Finished]) -> str:
    """Compares two runs."""
    head = ["", "steps", "rejected", "evaluations", "time (ms)", "energy error (J)"]
    body: list[list[str]] = []
    for run, seconds, *_ in runs:
        error = float(np.abs(run.energy.balance).max())
        counts = [str(x) for x in (run.steps, run.rejected, run.evaluations)]
        body.append([f"{run.robot.name}, {run.method}", *counts, f"{1e3 * seconds:.1f}", f"{error:.1e}"])
    gaps = [finished.loop_gap for finished in runs]
    if any(gap is not None for gap in gaps):
        head.append("loops open (m)")
        body = [[*row, "" if gap is None else f"{gap:.1e}"] for row, gap in zip(body, gaps, strict=True)]
    if len({finished.run.robot.name for finished in runs}) == 1:
        head.append("apart")
        count = min(len(finished.run.t) for finished in runs)
        gap = float(np.abs(runs[0].run.q[:count] - runs[1].run.q[:count]).max())
        body = [[*row, f"{gap:.1e}"] for row in body]
    return table_html(head, body)
