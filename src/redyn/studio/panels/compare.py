"""Comparing runs: the present results and the pinned ones, any signal over time or against another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from redyn.report.html import cross_chart
from redyn.studio import comparing, messages, takeaway
from redyn.studio.controls import Choice, OnChange, Part, box, set_text, text
from redyn.studio.pins import TIME, Board
from redyn.studio.work import doubles

if TYPE_CHECKING:
    from redyn.studio.desk import Desk

ALONE = ""  # no difference
CARDS = [{"id": "compare", "title": "Compare", "wide": True}]


class ComparePanel:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self.root = box("work compare", "panel-compare", role="tabpanel")
        with self.root:
            with box("form"):
                self._y = Choice({"": ""}, "", self._set("y"), "compare-y", "signal", "wide-field")
                self._x = Choice({TIME: "time"}, TIME, self._set("x"), "compare-x", "against", "wide-field")
                none = {ALONE: "nothing"}
                self._minus = Choice(none, ALONE, self._set("minus"), "compare-minus", "minus that of", "middle")
            self._runs = Part("runs", edit=self._edited)
            self._note = text("", "run-note", "p", "compare-note")
            self._plots = Part("plots", {"cards": CARDS}, csv=self._csv)

    # --- user input ----------------------------------------------------------------------------------------------

    def _set(self, name: str) -> OnChange:
        async def put(value: object) -> None:
            await self._desk.edit_pins(lambda board: setattr(board, name, messages.text(value)))

        return put

    async def _edited(self, message: Any) -> None:
        """From the list: { key, what, value }."""
        key, what = messages.text(messages.entry(message, "key")), messages.entry(message, "what")
        value: Any = messages.entry(message, "value")
        if what == "pin":
            return await self._desk.pin("inverse" if key == "inverse" else "forward")

        def change(board: Board) -> None:
            if what == "show" and key in comparing.NOW:
                board.present[key] = value is True
            elif what == "show":
                board.find(key).shown = value is True
            elif what == "name":
                board.rename(key, messages.text(value))
            elif what == "colour":
                board.recolour(key, messages.text(value))
            elif what == "remove":
                board.remove(key)

        return await self._desk.edit_pins(change)

    async def _csv(self, _: Any) -> None:
        await self._desk.download(lambda: takeaway.comparison_csv(self._desk.state), "text/csv")

    # --- output --------------------------------------------------------------------------------------------------

    def show(self) -> None:
        """While its tab is open: the runs, the choices and the plot."""
        if self._desk.state.tab != "compare":
            return
        found = comparing.compare(self._desk.state)
        against = found.x != TIME
        self._y.show(found.y, found.signals or {"": "–"})
        self._x.show(found.x, {TIME: "time", **found.signals})
        self._minus.show(found.minus, {ALONE: "nothing", **{run.key: run.name for run in found.runs}})
        self._minus.frame.set_visibility(not against)
        rows = [
            {
                "key": run.key,
                "name": run.name,
                "about": run.trace.about,
                "colour": run.colour,
                "dash": run.dash,
                "shown": run.shown,
                "pinned": run.pin is not None,
                "numbers": found.numbers.get(run.key, []),
            }
            for run in found.runs
        ]
        self._runs.call("set", {"heads": found.heads, "rows": rows})
        set_text(self._note, found.note)
        self._note.set_visibility(bool(found.note))
        plots = {} if found.plot is None else {"compare": cross_chart(found.plot, doubles)}
        last = max((float(line.t[-1]) for line in found.plot.lines), default=1.0) if found.plot is not None else 1.0
        self._plots.call("setPlots", {"plots": plots, "start": 0, "duration": last, "name": "comparison"})

    def block(self, reason: str) -> None:
        self._plots.call("block", reason)

    def refresh(self) -> None:
        self.show()
        self._plots.call("refresh")
