"""The pushes of a simulation: a list of numbers, and arrows that are dragged in the view."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from redyn.errors import InputError, RedynError
from redyn.report.scene import pushed
from redyn.studio import messages
from redyn.studio.controls import Part, button, set_attribute
from redyn.studio.pushing import FIELDS, MOST, dragged, drawn, new_push

if TYPE_CHECKING:
    from redyn.studio.desk import Desk

ADD = "A force on a link for a while, as numbers"
DRAG = "Press on a link in the view and drag: the arrow is a force on that point"


class PushList:
    def __init__(self, desk: Desk) -> None:
        self._desk, self._dragging = desk, False
        self._add = button("+ Push", "push-add", self._new, ADD)
        self._drag = button("Drag a push", "push-drag", self._toggle, DRAG)
        set_attribute(self._drag, "aria-pressed", "false")

    def list(self) -> None:
        """Builds the list."""
        self._list = Part("pushes", edit=self._edited, remove=self._remove)

    async def _new(self) -> None:
        state = self._desk.state
        await self._put(lambda: state.run.add_push(new_push(state.robot)))

    def _toggle(self) -> None:
        self.drag(not self._dragging)

    def drag(self, on: bool) -> None:
        """Whether a press on a link draws an arrow instead of turning the view."""
        self._dragging = on
        set_attribute(self._drag, "aria-pressed", "true" if on else "false")
        self._desk.view.drag_pushes(on)

    async def dragged(self, message: Any) -> None:
        """An arrow has been dragged in the view."""
        state = self._desk.state
        link = messages.index(message, "link", len(state.robot.link_names) + 1)
        point, force = (np.array([messages.number(message, f"{name}{axis}") for axis in "xyz"]) for name in ("", "f"))
        if not link:
            raise messages.MalformedError("expected a moving link")
        start = state.time if state.playing == "forward" and state.forward is not None else 0.0
        await self._put(lambda: state.run.add_push(dragged(state.robot, link, point, force, start)))

    async def _put(self, change: Any) -> None:
        if await self._desk.attempt("push", change):
            self.show()
            self._desk.forward.mark()
            self._desk.keep_soon()

    async def _edited(self, message: Any) -> None:
        """A field: { push, field, text }."""
        state = self._desk.state
        pushes = state.run.pushes
        push = pushes[messages.index(message, "push", len(pushes))]
        name, text = messages.entry(message, "field"), messages.text(messages.entry(message, "text"))
        if name not in (*FIELDS, "size"):
            raise messages.MalformedError("expected a field of a push")

        def change() -> None:
            if name == "size":
                return push.set_size(text)
            if name == "link" and text not in state.robot.frame_names:
                raise InputError(f"push: {state.robot.name} has no link {text!r}")
            return setattr(push, name, text)

        await self._put(change)

    async def _remove(self, at: Any) -> None:
        pushes = self._desk.state.run.pushes
        await self._put(lambda: pushes.pop(messages.index({"push": at}, "push", len(pushes))))

    def show(self) -> None:
        """The list, and its arrows in the view while the tab is open."""
        state = self._desk.state
        rows = [{**asdict(push), "size": push.size} for push in state.run.pushes]
        self._list.call("set", {"links": state.robot.frame_names if rows else [], "pushes": rows})
        self._list.set_visibility(bool(rows))
        set_attribute(self._add, "disabled", "" if len(rows) >= MOST else None)
        self.show_arrows()

    def show_arrows(self) -> None:
        state = self._desk.state
        arrows: list[dict[str, Any]] = []
        if state.tab == "forward":
            for k, push in enumerate(state.run.pushes):
                try:
                    arrows += [pushed(state.robot, x) for x in drawn(state.robot, (push.plan(k + 1),))]
                except RedynError:
                    continue  # told when it is run
        elif self._dragging:
            self.drag(False)
        self._desk.view.draft_pushes(arrows)
