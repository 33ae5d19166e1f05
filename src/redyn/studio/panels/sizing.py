"""Sizing, in place of the plots of a panel: what the joints need, motors that one types in, and whether they fit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nicegui import ui

from redyn.studio import messages, takeaway
from redyn.studio.controls import Part, box, button, enable, set_attribute, set_text, text
from redyn.studio.coordinates import torque_heads
from redyn.studio.entries import entries
from redyn.studio.motors import FIELDS, JOINT_HEAD, MOTOR_HEAD, UNITS, joint_rows, motor_rows, reasons
from redyn.studio.panels.matrices import table_html
from redyn.studio.sizing_charts import charts

if TYPE_CHECKING:
    from redyn.studio.desk import Desk
    from redyn.studio.state import Tab

TITLE = "Torque, speed and power of every joint, and motors with gearboxes against them"
SPREAD = "The motor of the first joint for all joints"
CSV = "These tables as a CSV file, in full precision"
NOTHING = "There is no result yet: run it."
MEANING = (
    "Torques and speeds of a motor are those of its shaft. It fits if the RMS of its torque does not exceed the rated "
    "torque, and every instant lies below its torque-speed curve."
)


class SizingPart:
    def __init__(self, desk: Desk, source: Tab) -> None:
        self._desk = desk
        self._source: Tab = source
        self._button = button("Sizing", f"sizing-{source}", self._toggle, TITLE)
        set_attribute(self._button, "aria-pressed", "false")
        self.on_toggle = lambda: None  # the panel hides its plots

    def body(self) -> None:
        """Builds what takes the place of the plots."""
        with box("sizing", f"sizing-body-{self._source}") as self._root:
            self._joints = ui.html("", sanitize=False).classes("table-frame").props(f"data-testid=loads-{self._source}")
            props = f"data-testid=motors-{self._source}"
            self._motors = ui.html("", sanitize=False).classes("table-frame").props(props)
            self._why = text("", "beyond", "p", f"motor-reasons-{self._source}")
            self._rows = Part("rows", edit=self._edited)
            with box("form"):
                button("Same for all", f"motors-spread-{self._source}", self._spread, SPREAD)
                self._csv = button("CSV", f"sizing-csv-{self._source}", self._save, CSV)
                self._note = text("", "run-note", testid=f"sizing-note-{self._source}")
            props = f"data-testid=motor-charts-{self._source}"
            self._charts = ui.html("", sanitize=False).props(props)
        self._root.set_visibility(False)

    @property
    def shown(self) -> bool:
        return self._source in self._desk.state.sizing

    def _toggle(self) -> None:
        shown = self._desk.state.sizing
        (shown.discard if self.shown else shown.add)(self._source)
        self.on_toggle()
        self._desk.keep_soon()

    def _edited(self, message: Any) -> None:
        messages.put_text(message, self._desk.state.motors.cells)
        self._changed()

    def _spread(self) -> None:
        self._desk.state.motors.spread()
        self._changed(form=True)

    def _changed(self, form: bool = False) -> None:
        """The motors are those of both panels."""
        for panel in (self._desk.inverse, self._desk.forward):
            if panel.sizing is self:
                self.show_numbers()
                if form:
                    self.show_form()
            else:
                panel.sizing.show()
        self._desk.keep_soon()

    async def _save(self) -> None:
        await self._desk.download(lambda: takeaway.sizing_csv(self._desk.state, self._source), "text/csv")

    def show(self) -> None:
        """If it is shown: form, tables and charts."""
        set_attribute(self._button, "aria-pressed", "true" if self.shown else "false")
        self._root.set_visibility(self.shown)
        if self.shown:
            self.show_form()
            self.show_numbers()

    def show_form(self) -> None:
        state = self._desk.state
        every = torque_heads(state.robot)
        heads = [every[i] for i in entries(state.robot).tau]
        rows = [
            {"id": name, "label": label, "values": state.motors.cells[name], "hint": hint, "unit": UNITS.get(name, "")}
            for name, (label, hint) in FIELDS.items()
        ]
        self._rows.call("set", [{"heads": heads, "rows": rows}] if heads else [])

    def show_numbers(self) -> None:
        found = self._desk.state.sized(self._source)
        enable(self._csv, found is not None)
        _, wrong = self._desk.state.motors.motors()
        set_text(self._why, " ".join(reasons(found)) if found is not None else "")
        if found is None:
            for part in (self._joints, self._motors, self._charts):
                part.set_content("")
            return set_text(self._note, "; ".join([NOTHING, *wrong]))
        rows = motor_rows(found)
        self._joints.set_content(table_html(JOINT_HEAD, joint_rows(found, self._desk.state.angles)))
        self._motors.set_content(table_html(MOTOR_HEAD, rows) if rows else "")
        self._charts.set_content(charts(found))
        runs = self._desk.state.forward
        first = (
            [f"Of the first run, {runs.names[0]}"] if runs and len(runs.runs) > 1 and self._source == "forward" else []
        )
        return set_text(self._note, "; ".join([*first, *found.notes]) or MEANING)
