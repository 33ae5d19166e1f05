"""The ground, in the panel of forward dynamics: a switch, and its numbers while it is on."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from redyn.studio.controls import Field, Switch
from redyn.studio.grounding import can_stand

if TYPE_CHECKING:
    from redyn.studio.desk import Desk

GROUND = "The robot may fall and stand on the ground of its file, or on a level one at height 0"
LABELS = {"friction": "friction", "stiffness": "stiffness (N/m)"}
TITLES = {
    "friction": "Coefficient of friction; empty: that of the file, or {}",
    "stiffness": "Of the ground at every contact; empty: that of the file, or by the weight of the robot, {} N/m",
}


class GroundFields:
    def __init__(self, desk: Desk, on_change: Callable[[], None]) -> None:
        self._desk, self._on_change = desk, on_change
        form = desk.state.run.ground
        self._switch = Switch("ground", form.on, self._turn, "ground", GROUND)
        self._fields = {
            name: Field("", partial(self._set, name), f"ground-{name}", label, "short")
            for name, label in LABELS.items()
        }

    def _turn(self, on: bool) -> None:
        self._desk.state.run.ground.on = on
        self._changed()

    def _set(self, name: str, text: str) -> None:
        setattr(self._desk.state.run.ground, name, text)
        self._changed()

    def _changed(self) -> None:
        self.show()
        self._on_change()
        self._desk.keep_soon()

    def show(self) -> None:
        state = self._desk.state
        form, useful = state.run.ground, can_stand(state.robot)
        self._switch.show(form.on, useful or form.on)
        self._switch.frame.set_visibility(useful or form.on)
        usual = form.usual(state.robot) if form.on else {}
        for name, entry in self._fields.items():
            entry.show(getattr(form, name))
            entry.frame.set_visibility(form.on)
            entry.frame.props["title"] = TITLES[name].format(usual.get(name, "?"))
