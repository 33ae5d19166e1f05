"""Strips below the top line: that the tables hold a mistake, what went wrong, what the last edit would let follow."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from nicegui import ui

from redyn.studio.controls import box, button, set_text, text

if TYPE_CHECKING:
    from redyn.studio.desk import Desk

BLOCKED = "The tables hold a mistake: correct it, or undo, first"


class Strips:
    def __init__(self, desk: Desk) -> None:
        self._desk, self._said = desk, ""
        self.reason = ""  # why nothing can be run, saved or copied
        editor = desk.state.editor
        with box("strips"):
            self._wrong = box("strip wrong", "mistake-strip", role="status")
            with self._wrong:
                self._text = text("", "strip-text", testid="mistake-text")
                button(
                    "Show it", "show-mistake", lambda: desk.tables.show_mistake(), "Opens the table at the wrong cell"
                )
                button("Undo", "undo-mistake", lambda: desk.edit(editor.undo), "Takes the last edit back")
            self._troubles = box("error-message", "error-message", role="alert")
            self._offer = box("strip", "offer-strip", role="status")
            with self._offer:
                self._offer_text = text("", "strip-text", testid="offer-text")
                how = "Stretches the body along that length; its mass stays"
                button("Scale them", "offer-take", lambda: desk.edit(editor.stretch), how)
                button("Leave them", "offer-leave", self._leave, "Mass centre and inertia stay as they are")
        self._wrong.set_visibility(False)
        self._offer.set_visibility(False)

    def show(self) -> None:
        """As the tables are now."""
        state = self._desk.state
        offer = state.editor.offer
        self.reason = BLOCKED if state.mistake else ""
        if state.mistake != self._said:
            self._said = state.mistake
            self._desk.trouble("mistake", state.mistake)
            title = "⚠ redyn studio" if state.mistake else "redyn studio"
            with self._wrong:
                ui.run_javascript(f"document.title = {title!r}")
        self.show_troubles()
        self._offer.set_visibility(offer is not None)
        if offer is not None:
            name = state.editor.draft.rows[offer.row]["name"]
            set_text(self._offer_text, f"{offer.text}. Mass centre and inertia of {name} are as they were.")

    def show_troubles(self) -> None:
        """All messages, each with a button that closes it; that of the tables is in their strip when it is closed."""
        state, messages = self._desk.state, self._desk.session.troubles.messages
        self._wrong.set_visibility(bool(state.mistake))
        shown = f"The tables hold a mistake: view, plots and equations are of the last valid robot, {state.robot.name}."
        set_text(self._text, shown if "mistake" in messages else f"{shown} {state.mistake}")
        self._troubles.clear()
        self._troubles.set_visibility(bool(messages))
        with self._troubles:
            for cause, message in messages.items():
                with box("trouble"):
                    text(message, "error-text")
                    button("×", "error-close", partial(self._close, cause), "Close this message", "close")

    def _close(self, cause: str) -> None:
        self._desk.session.troubles.close(cause)
        self.show_troubles()

    def _leave(self) -> None:
        self._desk.state.editor.offer = None
        self.show()
