"""Inverse dynamics: choose a motion, see what it needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from nicegui import ui

from redyn.studio import uploads
from redyn.studio.controls import Choice, Field, Part, box, button, set_text, text
from redyn.studio.coordinates import coordinate_heads
from redyn.studio.panels.matrices import table_html
from redyn.studio.plans import KINDS
from redyn.studio.work import inverse_plots, plot_data

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
REACTIONS = "reactions in the joints"


class InversePanel:
    def __init__(self, desk: Desk) -> None:
        self._desk, form = desk, desk.state.motion
        self._shown = ALL
        self.root = box("work", "panel-inverse", role="tabpanel")
        with self.root:
            with box("form"):
                self._kind = Choice(KINDS, form.kind, self._set_kind, "motion-kind", "motion", "wide-field")
                self._duration = Field(form.duration, self._set_duration, "motion-duration", "duration (s)", "short")
                options = {
                    "text": "Upload CSV",
                    "accept": ".csv",
                    "url": f"{desk.upload_url}/motion",
                    "largest": uploads.LARGEST,
                    "title": "A motion from a file: columns t, q_<joint> and, if you like, qd_ and qdd_<joint>",
                    "testid": "motion-upload",
                }
                self._upload = Part("file", options, taken=self._taken, refused=desk.trouble)
                button("Run", "run-inverse", self.run, "Inverse dynamics of this motion (Ctrl+Enter)", "run")
                box("spring")
                self._split = Choice([ALL], ALL, self._set_shown, "torque-split", "torques of", "wide-field")
            self._rows = Part("rows", edit=self._edited)
            self._file = text("", "file-name", testid="motion-file")
            self._plots = Part("plots", {"cards": CARDS})
            self._reactions = box("reactions", "reactions")
            with self._reactions:
                text("Moment and force of each parent on its child, in the axes of the child, at the joint", tag="p")
                self._table = ui.html("", sanitize=False).classes("table-frame")

    # --- what is typed in -------------------------------------------------------------------------------------

    def _set_kind(self, kind: str) -> None:
        self._desk.state.motion.kind = kind
        self._show_form()

    def _set_duration(self, value: str) -> None:
        self._desk.state.motion.duration = value

    def _edited(self, told: Any) -> None:
        form = self._desk.state.motion
        {"start": form.start, "stop": form.stop}[told["row"]][int(told["joint"])] = str(told["text"])[:100]

    async def _taken(self, _: object) -> None:
        await self.run()

    async def run(self) -> None:
        if await self._desk.attempt(self._desk.state.run_inverse, slow=True):
            self.show()
            self._desk.show_motion(keep=True)

    # --- what is shown ----------------------------------------------------------------------------------------

    def _show_form(self) -> None:
        state = self._desk.state
        form = state.motion
        self._kind.show(form.kind)
        self._duration.show(form.duration)
        rows = [
            {"id": "start", "label": "start", "values": form.start, "hint": "rad or m; pi/2 and 90 deg are understood"},
            {"id": "stop", "label": "stop", "values": form.stop, "hint": "rad or m; pi/2 and 90 deg are understood"},
        ]
        self._rows.call("set", [{"heads": coordinate_heads(state.robot), "rows": rows}])
        from_file = form.kind == "csv"
        self._upload.set_visibility(from_file)
        self._rows.set_visibility(not from_file)
        self._file.set_visibility(from_file)
        rows_in = f": {form.samples.name}, {len(form.samples.t)} rows" if form.samples else "; upload one"
        set_text(self._file, f"The motion of a CSV file{rows_in}")

    def show(self) -> None:
        """The form, and what was computed."""
        self._show_form()
        state = self._desk.state
        options = [ALL, *(f"{name}, by cause" for name in state.robot.velocity_names), REACTIONS]
        if self._shown not in options:
            self._shown = ALL
        self._split.show(self._shown, options)
        self._show_result()

    async def _set_shown(self, value: str) -> None:
        self._shown = value
        await self._desk.attempt(self._prepare, slow=True)
        self._show_result()

    def _prepare(self) -> None:
        """What is worked out only when it is asked for."""
        found = self._desk.state.inverse
        if found is not None:
            _ = found.wrenches if self._shown == REACTIONS else found.parts if self._shown != ALL else None

    def _show_result(self) -> None:
        found = self._desk.state.inverse
        reactions = self._shown == REACTIONS
        self._plots.set_visibility(not reactions)
        self._reactions.set_visibility(reactions)
        if found is None:
            return self._plots.call("setPlots", {"plots": {}, "start": 0, "duration": 1, "name": "inverse"})
        names = found.robot.velocity_names
        split = None if self._shown in (ALL, REACTIONS) else names.index(self._shown.removesuffix(", by cause"))
        plots = {key: plot_data(found.t, plot, found.robot) for key, plot in inverse_plots(found, split).items()}
        name = uploads.safe_name(found.robot.name)
        self._plots.call("setPlots", {"plots": plots, "start": 0, "duration": float(found.t[-1]), "name": name})
        return self.show_reactions(self._desk.state.time)

    def show_reactions(self, t: float) -> None:
        found = self._desk.state.inverse
        if found is None or self._shown != REACTIONS or self._desk.state.tab != "inverse":
            return
        k = int(np.clip(np.searchsorted(found.t, t), 0, len(found.t) - 1))
        head = ["joint", "nx (Nm)", "ny", "nz", "fx (N)", "fy", "fz"]
        rows = zip(found.robot.joint_names, found.wrenches[k], strict=True)
        body = [[name, *(f"{x:.5g}" for x in wrench)] for name, wrench in rows]
        self._table.set_content(f"<p>at t = {found.t[k]:.3f} s</p>" + table_html(head, body))

    def refresh(self) -> None:
        self._plots.call("refresh")
