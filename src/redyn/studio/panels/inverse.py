"""Inverse dynamics: choose a motion, see its torques."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nicegui import ui

from redyn.studio import messages, takeaway, uploads
from redyn.studio.controls import Choice, Field, Part, block, box, button, set_text, text
from redyn.studio.coordinates import coordinate_heads
from redyn.studio.forms import usual_text
from redyn.studio.limits import sentence
from redyn.studio.panels.matrices import table_html
from redyn.studio.plans import KINDS
from redyn.studio.state import instant
from redyn.studio.work import plot_data
from redyn.words import counted

if TYPE_CHECKING:
    from redyn.studio.desk import Desk

CARDS = [
    {"id": "torque", "title": "Torques", "wide": True},
    {"id": "q", "title": "Joint values"},
    {"id": "qd", "title": "Joint rates"},
    {"id": "qdd", "title": "Accelerations"},
    {"id": "path", "title": "End effector"},
]
ALL = "all joints"
REACTIONS = "joint reactions"
RUN = "Inverse dynamics of this motion (Ctrl+Enter)"
SAMPLE = "Seconds between the rows of the result; empty: about a hundred rows per second"


class InversePanel:
    def __init__(self, desk: Desk) -> None:
        self._desk, form = desk, desk.state.motion
        self._shown = ALL
        self.root = box("work", "panel-inverse", role="tabpanel")
        with self.root:
            with box("form"):
                self._kind = Choice(KINDS, form.kind, self._set_kind, "motion-kind", "motion", "wide-field")
                self._duration = Field(form.duration, self._set_duration, "motion-duration", "duration (s)", "short")
                self._sample = Field("", self._set_sample, "motion-sample", "sample (s)", "short", SAMPLE)
                options = {
                    "text": "Upload CSV",
                    "accept": ".csv",
                    "url": f"{desk.upload_url}/motion",
                    "largest": uploads.LARGEST,
                    "title": "A motion from a file: columns t, q_<joint> and, optionally, qd_ and qdd_<joint>",
                    "testid": "motion-upload",
                }
                self._upload = Part("file", options, refused=desk.refused_upload)
                self._run = button("Run", "run-inverse", self.run, RUN, "run")
                box("spring")
                self._split = Choice([ALL], ALL, self._set_shown, "torque-split", "torques of", "wide-field")
            self._rows = Part("rows", edit=self._edited)
            self._file = text("", "file-name", testid="motion-file")
            self._limits = text("", "beyond", "p", "inverse-limits")
            self._plots = Part("plots", {"cards": CARDS}, csv=self._csv)
            self._reactions = box("reactions", "reactions")
            with self._reactions:
                text("Moment and force of each parent on its child at the joint, in the child's axes", tag="p")
                self._table = ui.html("", sanitize=False).classes("table-frame")

    # --- user input ----------------------------------------------------------------------------------------------

    def _set_kind(self, kind: str) -> None:
        self._desk.state.motion.kind = kind
        self._show_form()
        self._desk.keep_soon()

    def _set_duration(self, value: str) -> None:
        self._desk.state.motion.duration = value
        self._show_sample()
        self._desk.keep_soon()

    def _set_sample(self, value: str) -> None:
        self._desk.state.motion.sample = value
        self._show_sample()
        self._desk.keep_soon()

    def _show_sample(self) -> None:
        form = self._desk.state.motion
        self._sample.show(form.sample or usual_text(form.duration))

    def _edited(self, message: Any) -> None:
        form = self._desk.state.motion
        messages.put_text(message, {"start": form.start, "stop": form.stop})
        self._desk.keep_soon()

    async def run(self) -> None:
        if await self._desk.run_inverse():
            self.show()
            self._desk.show_motion(keep=True)

    async def _csv(self, key: Any) -> None:
        name = messages.text(key)
        await self._desk.download(
            lambda: takeaway.plot_csv(self._desk.state, "inverse", name, self._split_at()), "text/csv"
        )

    def block(self, reason: str) -> None:
        """Disables running while the tables are invalid."""
        block(self._run, reason, RUN)
        self._plots.call("block", reason)

    # --- output --------------------------------------------------------------------------------------------------

    def _show_form(self) -> None:
        state = self._desk.state
        form = state.motion
        self._kind.show(form.kind)
        self._duration.show(form.duration)
        self._show_sample()
        rows = [
            {"id": "start", "label": "start", "values": form.start, "hint": "rad or m; pi/2 and 90 deg are understood"},
            {"id": "stop", "label": "stop", "values": form.stop, "hint": "rad or m; pi/2 and 90 deg are understood"},
        ]
        self._rows.call("set", [{"heads": coordinate_heads(state.robot), "rows": rows}])
        from_file = form.kind == "csv"
        self._upload.set_visibility(from_file)
        self._rows.set_visibility(not from_file)
        self._file.set_visibility(from_file)
        rows_in = f": {form.samples.name}, {counted(len(form.samples.t), 'row')}" if form.samples else "; upload one"
        set_text(self._file, f"The motion of a CSV file{rows_in}")

    def show(self) -> None:
        """Shows the form and the result."""
        self._show_form()
        state = self._desk.state
        options = [ALL, *(f"{name}, by cause" for name in state.robot.velocity_names), REACTIONS]
        if self._shown not in options:
            self._shown = ALL
        self._split.show(self._shown, options)
        self._show_result()

    async def _set_shown(self, value: str) -> None:
        self._shown = value
        await self._desk.attempt("inverse", self._prepare, slow=True)
        self._show_result()

    def _prepare(self) -> None:
        """Computes the joint reactions, only if they are shown."""
        found = self._desk.state.inverse
        if found is not None:
            _ = found.wrenches if self._shown == REACTIONS else found.parts if self._shown != ALL else None

    def _show_result(self) -> None:
        found = self._desk.state.inverse
        reactions = self._shown == REACTIONS
        self._plots.set_visibility(not reactions)
        self._reactions.set_visibility(reactions)
        set_text(self._limits, sentence(found.beyond) if found is not None else "")
        self._limits.set_visibility(found is not None and bool(found.beyond))
        if found is None:
            return self._plots.call("setPlots", {"plots": {}, "start": 0, "duration": 1, "name": "inverse"})
        shown = takeaway.plots_of(found, self._split_at())
        plots = {key: plot_data(found.robot, found.t, *pair) for key, pair in shown.items()}
        name = uploads.safe_name(found.robot.name)
        self._plots.call("setPlots", {"plots": plots, "start": 0, "duration": float(found.t[-1]), "name": name})
        return self.show_reactions(self._desk.state.time)

    def _split_at(self) -> int | None:
        """The velocity whose torque is split into components."""
        if self._shown in (ALL, REACTIONS):
            return None
        return self._desk.state.robot.velocity_names.index(self._shown.removesuffix(", by cause"))

    def show_reactions(self, t: float) -> None:
        found = self._desk.state.inverse
        if found is None or self._shown != REACTIONS or self._desk.state.tab != "inverse":
            return
        k = instant(found.t, t)
        head = ["joint", "nx (Nm)", "ny", "nz", "fx (N)", "fy", "fz"]
        rows = zip(found.robot.joint_names, found.wrenches[k], strict=True)
        body = [[name, *(f"{x:.5g}" for x in wrench)] for name, wrench in rows]
        self._table.set_content(f"<p>at t = {found.t[k]:.3f} s</p>" + table_html(head, body))

    def refresh(self) -> None:
        self._plots.call("refresh")
