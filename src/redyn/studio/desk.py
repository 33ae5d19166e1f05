"""One page in one browser tab: builds the panels, and carries what happens in one of them to the others."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, cast

import numpy as np
from nicegui import ui

from redyn.errors import RedynError
from redyn.kinematics import link_poses
from redyn.report.scene import positions_and_quaternions, scene
from redyn.studio.controls import box, button, choose_tab, set_attribute, set_text, tabs, text
from redyn.studio.jobs import Pool
from redyn.studio.panels.equations import EquationsPanel
from redyn.studio.panels.forward import ForwardPanel
from redyn.studio.panels.header import Header
from redyn.studio.panels.inverse import InversePanel
from redyn.studio.panels.jog import JogPanel
from redyn.studio.panels.tables import TablesPanel
from redyn.studio.panels.view import ViewPanel
from redyn.studio.state import State, Tab

TABS = {
    "inverse": ("Inverse dynamics", "tab-inverse"),
    "forward": ("Forward dynamics", "tab-forward"),
    "equations": ("Equations", "tab-equations"),
}
log = logging.getLogger("redyn.studio")


class Desk:
    """`state` outlives it: a page that is loaded again gets a new desk on the same state."""

    def __init__(self, state: State, pool: Pool, upload_url: str) -> None:
        self.state, self.pool, self.upload_url = state, pool, upload_url
        self._lock, self._news_count = asyncio.Lock(), 0
        self._root = box("studio", "studio", id="studio")
        with self._root:
            self.header = Header(self)
            with box("left"):
                with box("scene-and-jog"):
                    self.view = ViewPanel(self)
                    self.jog = JogPanel(self)
                self.tables = TablesPanel(self)
            with box("right panel"):
                self._tabs = tabs(TABS, state.tab, self.choose_tab, "What to compute")
                self.inverse, self.forward = InversePanel(self), ForwardPanel(self)
                self.equations = EquationsPanel(self)
            self._trouble = box("error-message", "error-message", role="alert")
            with self._trouble:
                self._trouble_text = text("", "error-text")
                button("×", "error-close", self.clear_trouble, "Close this message", "close")
            self._trouble.set_visibility(False)
            self._news = box("notice", "notice", role="status")
            with self._news:
                self._news_text = text("")
                button("×", "notice-close", self._hide_news, "Close this note", "close")
            self._news.set_visibility(False)
        self._panels = {p: getattr(self, p).root for p in TABS}
        choose_tab(self._tabs, self._panels, state.tab)

    # --- what goes wrong, and how it is said ------------------------------------------------------------------

    def trouble(self, message: str) -> None:
        """Shown until it is closed or the next thing goes well."""
        set_text(self._trouble_text, message)
        self._trouble.set_visibility(True)

    def clear_trouble(self) -> None:
        set_text(self._trouble_text, "")
        self._trouble.set_visibility(False)

    def tell(self, message: str) -> None:
        """News that is no trouble; it goes away by itself once it can be read."""
        set_text(self._news_text, message)
        self._news.set_visibility(bool(message))
        self._news_count += 1
        if message:
            with self._news:
                ui.timer(3.0 + len(message) / 15, partial(self._hide_news, self._news_count), once=True)

    def _hide_news(self, number: int | None = None) -> None:
        """What is shown, if it is still the news of that number."""
        if number in (None, self._news_count):
            self._news.set_visibility(False)

    async def attempt(self, work: Callable[[], Any], *, slow: bool = False) -> bool:
        """Do something that may fail; one thing at a time. `slow`: in a thread. True if it went well."""
        if slow:
            set_attribute(self._root, "data-busy", "yes")
        try:
            async with self._lock:
                outcome = await asyncio.to_thread(work) if slow else work()
                if isinstance(outcome, Awaitable):
                    await cast("Awaitable[Any]", outcome)
        except RedynError as error:
            self.trouble(str(error))
            return False
        except Exception as error:
            log.exception("unexpected")
            self.trouble(f"This did not work, which is a fault of redyn's: {type(error).__name__}: {error}")
            return False
        finally:
            set_attribute(self._root, "data-busy", None)
        self.clear_trouble()
        return True

    # --- what happens -----------------------------------------------------------------------------------------

    async def begin(self) -> None:
        """Fills the page from the state, which may hold results already."""
        self.tell("; ".join(self.state.notes[:3]))
        self.state.notes = []
        self.show_robot()
        if self.state.inverse is None:
            await self.attempt(self.state.run_inverse, slow=True)
        self.inverse.show()
        self.forward.show()
        self.show_motion()
        self.forward.watch()

    async def change_robot(self, change: Callable[[], Any]) -> None:
        """Another robot: picked, uploaded or new."""
        if await self.attempt(change, slow=True):
            self.tell("; ".join(self.state.notes[:3]))
            self.show_robot()
            await self.rerun(keep=False)

    async def edit(self, change: Callable[[], Any]) -> None:
        """A change in the tables. If they are a robot, everything follows."""
        state = self.state
        if not await self.attempt(change):
            return
        self.tables.show()
        self.header.show()
        if state.editor.problems:
            self.trouble(self.tables.problem_text())
            return
        changed = False

        def follow() -> None:
            nonlocal changed
            changed = state.follow_editor()

        if await self.attempt(follow, slow=True) and changed:
            self.show_robot()
            await self.rerun(keep=True)

    async def rerun(self, keep: bool) -> None:
        """After a change of the robot: the inverse dynamics anew, and the view."""
        await self.attempt(self.state.run_inverse, slow=True)
        self.inverse.show()
        self.forward.show()
        self.show_motion(keep=keep)
        await self.equations.show()

    def show_robot(self) -> None:
        self.header.show()
        self.tables.show()
        self.jog.show()
        self.view.show_frames()

    def show_motion(self, keep: bool = False, t: float = 0.0) -> None:
        """The motion of the open tab in the 3D view and the player; the pose itself if there is none."""
        state = self.state
        if state.playing == "forward" and state.forward is not None:
            scenes = [{**f.scene, "label": f"{f.run.robot.name}, {f.run.method}"} for f in state.forward.runs]
        elif state.playing == "inverse" and state.inverse is not None:
            scenes = [state.inverse.scene]
        else:
            scenes = [scene(state.robot, 0.0, state.q)]
        state.time = t
        self.view.load(scenes, keep, t)
        if state.played is not None:
            state.show_time(t)
        self.show_pose(move=False)

    def show_pose(self, move: bool = True) -> None:
        """The pose of the state in sliders, matrices and, if it is to move there, in 3D."""
        state = self.state
        if move:
            self.view.set_poses(positions_and_quaternions(link_poses(state.robot, state.q)[None, 1:])[0].tolist())
        self.jog.show_values()
        self.view.show_matrix()
        self.equations.show_numbers()

    def at_time(self, t: Any) -> None:
        """The player has come to a time."""
        if isinstance(t, int | float) and np.isfinite(t) and self.state.played is not None:
            self.state.show_time(float(t))
            self.state.time = float(t)
            self.show_pose(move=False)
            self.inverse.show_reactions(float(t))

    async def choose_tab(self, tab: Tab) -> None:
        state = self.state
        before = state.playing
        state.choose(tab)
        choose_tab(self._tabs, self._panels, tab)
        if state.playing != before:
            self.show_motion(keep=True)
        for panel in (self.inverse, self.forward):
            panel.refresh()
        await self.equations.show()
