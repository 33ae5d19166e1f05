"""Beside the results of a panel: a button that pins them, and the pinned runs that its plots show too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from redyn.studio import messages
from redyn.studio.controls import Part, block, button

if TYPE_CHECKING:
    from redyn.studio.desk import Desk

PIN = "Keep this result, to compare others with it (tab Compare)"
NOTHING = "There is no result to pin yet"


class Pinned:
    def __init__(self, desk: Desk, source: str) -> None:
        self._desk, self._source = desk, source
        self._button = button("Pin", f"pin-{source}", lambda: desk.pin(source), PIN)
        self._legend: Part | None = None

    def legend(self) -> None:
        """Builds the line of pinned runs, which can be switched on and off."""
        self._legend = Part("pinned", {"testid": f"pinned-{self._source}"}, show=self._switch)

    def show(self, result: bool) -> None:
        block(self._button, "" if result else NOTHING, PIN)
        pins = self._desk.state.board.pins
        if self._legend is not None:
            self._legend.set_visibility(bool(pins))
            self._legend.call("set", [{"key": p.key, "name": p.name, "dash": p.dash, "shown": p.shown} for p in pins])

    async def _switch(self, message: Any) -> None:
        key, on = messages.entry(message, "key"), messages.entry(message, "on") is True
        await self._desk.edit_pins(lambda board: setattr(board.find(key), "shown", on))
