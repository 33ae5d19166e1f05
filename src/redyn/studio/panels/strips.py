"""Banners below the header: invalid tables, errors, and the offer to scale a body after an edit of its length."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from nicegui import ui

from redyn.studio.controls import box, button, set_text, text

if TYPE_CHECKING:
    from redyn.studio.desk import Desk

BLOCKED = "The tables contain an error: correct or undo it first"
OPEN = "The loops of the robot need a correction first"


class Strips:
    def __init__(self, desk: Desk) -> None:
        self._desk, self._said = desk, ""
        self._shown_troubles: object = None  # what `show_troubles` was called for last
        self.reason = ""  # why nothing can be run or copied,
        self.wrong = ""  # and why nothing can be saved
        editor = desk.state.editor
        with box("strips"):
            self._wrong = box("strip wrong", "mistake-strip", role="status")
            with self._wrong:
                self._text = text("", "strip-text", testid="mistake-text")
                button(
                    "Show it", "show-mistake", lambda: desk.tables.show_mistake(), "Opens the table at the invalid cell"
                )
                button("Undo", "undo-mistake", lambda: desk.edit(editor.undo), "Undoes the last edit")
            self._open = box("strip wrong", "open-strip", role="status")
            with self._open:
                self._open_text = text("", "strip-text", testid="open-text")
                button("Show it", "show-open", lambda: desk.tables.choose("loops"), "Opens the table of loops")
                button("Undo", "undo-open", lambda: desk.edit(editor.undo), "Undoes the last edit")
            self._troubles = box("error-message", "error-message", role="alert")
            self._offer = box("strip", "offer-strip", role="status")
            with self._offer:
                self._offer_text = text("", "strip-text", testid="offer-text")
                hint = "Scales the body along that length; its mass stays the same"
                button("Scale them", "offer-take", lambda: desk.edit(editor.stretch), hint)
                button("Leave them", "offer-leave", self._leave, "Mass centre and inertia stay as they are")
        self._wrong.set_visibility(False)
        self._open.set_visibility(False)
        self._offer.set_visibility(False)

    def show(self) -> None:
        """Updates the banners to the state of the tables."""
        state = self._desk.state
        offer = state.editor.offer
        self.wrong = BLOCKED if state.mistake else ""
        self.reason = self.wrong or (OPEN if state.open_loop else "")
        self._open.set_visibility(bool(state.open_loop) and not state.mistake)
        set_text(self._open_text, f"Nothing is computed: {state.open_loop}.")
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
            set_text(self._offer_text, f"{offer.text}. Mass centre and inertia of {name} are unchanged.")

    def show_troubles(self) -> None:
        """Shows all messages, each with a close button; the error of the tables stays in their banner when closed."""
        state, messages = self._desk.state, self._desk.session.troubles.messages
        now = (state.mistake, state.robot.name, tuple(messages.items()))
        if now == self._shown_troubles:
            return
        self._shown_troubles = now
        self._wrong.set_visibility(bool(state.mistake))
        shown = f"The tables contain an error: view, plots and equations show the last valid robot, {state.robot.name}."
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
