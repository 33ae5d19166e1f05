"""The 3D view with the player, and what depends on the pose: the matrix of a frame, the steps of the DH table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from redyn.studio import messages
from redyn.studio.controls import Part, box

if TYPE_CHECKING:
    from redyn.studio.desk import Desk


class ViewPanel:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        with box("panel view-panel"):
            self._stage = Part("stage", time=desk.at_time, step=self._step, drag=self._drag, push=self._push)

    def _step(self, at: Any) -> None:
        self._desk.tables.show_step(at)

    async def _drag(self, message: Any) -> None:
        await self._desk.kinematics.drag([messages.number(message, axis) for axis in "xyz"])
        self._stage.call("dragged")

    async def _push(self, message: Any) -> None:
        await self._desk.forward.pushes.dragged(message)

    def drag_pushes(self, on: bool) -> None:
        """Whether a press on a link draws a push."""
        self._stage.call("dragPushes", on)

    def draft_pushes(self, arrows: list[dict[str, Any]]) -> None:
        """Draws the pushes of the next run."""
        self._stage.call("draftPushes", arrows)

    def load(self, scenes: list[dict[str, Any]], keep: bool, t: float) -> None:
        self._stage.call("load", {"scenes": scenes, "keep": keep, "t": t})

    def set_poses(self, rows: list[list[float]]) -> None:
        self._stage.call("setPoses", rows)

    def overlay(self, kind: str, data: dict[str, Any] | None) -> None:
        """Draws ghosts, an ellipsoid, a cloud or a handle: see overlays.js. None removes it."""
        self._stage.call("overlay", kind, data)

    def dh(self, name: str, *values: Any) -> None:
        self._stage.call(name, *values)

    def show_frames(self) -> None:
        self._desk.tables.show_frames()

    def show_matrix(self) -> None:
        self._desk.tables.show_matrix()
