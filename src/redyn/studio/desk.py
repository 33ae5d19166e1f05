"""One page in one browser tab: builds the panels and passes events between them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, cast

import numpy as np
from nicegui import background_tasks, ui

from redyn.errors import RedynError
from redyn.report.scene import pose_rows, scene
from redyn.studio import bundle, comparing, keep, messages, pins
from redyn.studio.controls import Part, box, button, choose_tab, set_attribute, set_text, tabs, text
from redyn.studio.inbox import Reads, open_robot
from redyn.studio.jobs import Job, Pool
from redyn.studio.opening import Opened, build
from redyn.studio.panels.compare import ComparePanel
from redyn.studio.panels.equations import EquationsPanel
from redyn.studio.panels.exercises import ExercisesPanel
from redyn.studio.panels.forward import ForwardPanel
from redyn.studio.panels.header import Header
from redyn.studio.panels.inverse import InversePanel
from redyn.studio.panels.jog import JogPanel
from redyn.studio.panels.kinematics import KinematicsPanel
from redyn.studio.panels.strips import Strips
from redyn.studio.panels.tables import TablesPanel
from redyn.studio.panels.view import ViewPanel
from redyn.studio.pictures import Pictures
from redyn.studio.pins import Board
from redyn.studio.prepared import load_meshes
from redyn.studio.sessions import Session
from redyn.studio.state import Tab
from redyn.studio.troubles import fault
from redyn.studio.units import Angles
from redyn.studio.work import inverse

TABS = {
    "inverse": ("Inverse dynamics", "tab-inverse"),
    "forward": ("Forward dynamics", "tab-forward"),
    "compare": ("Compare", "tab-compare"),
    "equations": ("Equations", "tab-equations"),
    "kinematics": ("Kinematics", "tab-kinematics"),
    "exercises": ("Exercises", "tab-exercises"),
}
OF_A_ROBOT = (
    "inverse",
    "forward",
    "pose",
    "equations",
    "kinematics",
    "abilities",
    "workspace",
    "loop",
)  # causes of errors that are dropped with it
POSE_DIGITS = 6  # of m, and of quaternions
COOKIE = "redyn-angles"  # of the browser: the unit of angles
KEEP = 0.5  # s after a change until the browser saves it
log = logging.getLogger("redyn.studio")


class Desk:
    """The session outlives it: a reloaded page gets a new desk for the same state."""

    def __init__(
        self, session: Session, pool: Pool, readers: Reads, upload_url: str, start: Opened, pictures: Pictures
    ) -> None:
        self.session, self.state, self.pool, self._readers = session, session.state, pool, readers
        self.pictures = pictures
        self.upload_url, self.start = upload_url, start  # URL of uploads; the robot that the studio was started with
        self._lock, self._busy, self._news_count = asyncio.Lock(), 0, 0
        self._root = box("studio", "studio", id="studio")
        with self._root:
            self.header = Header(self)
            self.strips = Strips(self)
            with box("left"):
                with box("scene-and-jog"):
                    self.view = ViewPanel(self)
                    self.jog = JogPanel(self)
                self.tables = TablesPanel(self)
            with box("right panel"):
                self._tabs = tabs(TABS, self.state.tab, self.choose_tab, "What to compute")
                self.inverse, self.forward = InversePanel(self), ForwardPanel(self)
                self.compare, self.equations = ComparePanel(self), EquationsPanel(self)
                self.kinematics, self.exercises = KinematicsPanel(self), ExercisesPanel(self)
            self._news = box("notice", "notice", role="status")
            with self._news:
                self._news_text = text("")
                button("×", "notice-close", self._hide_news, "Close this note", "close")
            self._news.set_visibility(False)
            self._keep = Part("keep", {"gone": upload_url + "/gone", "work": upload_url})
            self._keep_timer = ui.timer(KEEP, self._keep_now, active=False)
        self._panels = {p: getattr(self, p).root for p in TABS}
        choose_tab(self._tabs, self._panels, self.state.tab)
        session.desk = self
        self.show_troubles()

    # --- errors and notes ----------------------------------------------------------------------------------------

    def trouble(self, cause: str, message: str, number: int | None = None) -> None:
        """Shows an error until it is closed or its cause succeeds. `number`: of the attempt, if it began earlier."""
        troubles = self.session.troubles
        troubles.ended(cause, troubles.attempt() if number is None else number, message)
        self.show_troubles()

    def refused_upload(self, message: object) -> None:
        """Reported by the browser: a file that is too large, or a server that does not respond."""
        self.trouble("upload", messages.text(message))

    def show_troubles(self) -> None:
        self.strips.show_troubles()

    def notify(self, message: str) -> None:
        """Shows a note that disappears by itself."""
        set_text(self._news_text, message)
        self._news.set_visibility(bool(message))
        self._news_count += 1
        if message:
            with self._news:
                ui.timer(3.0 + len(message) / 15, partial(self._hide_news, self._news_count), once=True)

    def _hide_news(self, number: int | None = None) -> None:
        """Hides the note if it is still that of this number."""
        if number in (None, self._news_count):
            self._news.set_visibility(False)

    async def attempt(self, cause: str, work: Callable[[], Any], *, slow: bool = False) -> bool:
        """Runs an action that may fail, one at a time, once the robot matches the tables.

        `slow`: in a thread. True on success; otherwise the error is shown under that cause.
        """
        number = self.session.troubles.attempt()
        message = ""
        self._be_busy(slow)
        try:
            await self.settled()
            async with self._lock:
                outcome = await self.session.run(work) if slow else work()
                if isinstance(outcome, Awaitable):
                    await cast("Awaitable[Any]", outcome)
        except RedynError as error:
            message = str(error)
        except Exception as error:
            log.exception("unexpected")
            message = fault(error)
        finally:
            self._be_busy(-slow)
        self.trouble(cause, message, number)
        return not message

    def submit(self, task: str, *arguments: Any) -> Job:
        """Runs a job for this user in another process: see `Pool.submit`."""
        return self.pool.submit(task, *arguments, person=self.session.person, address=self.session.address)

    async def download(
        self, make: Callable[[], tuple[str, str | bytes]], media: str = "", *, slow: bool = True
    ) -> bool:
        """Offers a file for download: `make` returns its name and content. False if that failed."""
        made: list[tuple[str, str | bytes]] = []
        if await self.attempt("save", lambda: made.append(make()), slow=slow):
            name, content = made[0]
            ui.download.content(content, name, media)
        return bool(made)

    def _be_busy(self, change: int) -> None:
        self._busy += change
        set_attribute(self._root, "data-busy", "yes" if self._busy else None)

    # --- the robot -----------------------------------------------------------------------------------------------

    async def begin(self, restored: str = "") -> None:
        """Fills the page from the state, which may already hold results."""
        if not self.session.saved:
            self.session.saved = "elsewhere" if restored else bundle.mark(self.state)
        self.show_robot()
        self.notify(restored or "; ".join(self.state.warnings[:3]))
        if restored or not self.session.fresh:
            self.keep_soon()  # a page that was reloaded has to know whether there is unsaved work
        if self.state.wanted is not None:
            self.follow()
        elif (
            self.state.inverse is None
            and not self.state.mistake
            and not self.state.open_loop
            and not self.state.no_motion
        ):
            await self.run_inverse()
        self.inverse.show()
        self.forward.show()
        self.show_motion()
        self.forward.watch()
        await self.equations.show()
        await self.kinematics.show()
        self.exercises.show()

    async def show_all(self, note: str) -> None:
        """Shows work that has taken the place of what was here."""
        self.tables.choose_none()
        self.session.troubles.forget(*OF_A_ROBOT)
        choose_tab(self._tabs, self._panels, self.state.tab)
        await self.begin(note)

    async def open(self, make: Callable[[], Opened]) -> None:
        """Opens another robot: picked, uploaded or new."""
        made: list[Opened] = []
        if await self.attempt("robot", lambda: made.append(make()), slow=True):
            await self.take(made[0])

    def other_robot(self, name: str) -> Callable[[], Opened]:
        """Opens another robot of the uploaded archive."""

        def make() -> Opened:
            archive = self.state.archive
            if archive is None or archive.folder is None:
                raise RedynError("the upload is gone; upload it again")
            return open_robot(self._readers, archive.folder / archive.archive, name)

        return make

    async def take(self, opened: Opened) -> None:
        """Shows a robot that has been opened."""
        stopped = self.state.open(opened)
        self.session.saved = bundle.mark(self.state)
        self.tables.choose_none()
        self.session.troubles.forget(*OF_A_ROBOT)
        self.show_troubles()
        self.notify("; ".join([*([stopped] if stopped else []), *self.state.warnings[:3]]))
        self.show_robot()
        await self.rerun(keep=False)

    async def edit(self, change: Callable[[], Any]) -> None:
        """Applies an edit of the tables. If they are valid, the robot is rebuilt; of many edits the last one counts."""
        number = self.session.troubles.attempt()
        try:
            change()
        except RedynError as error:
            return self.trouble("table", str(error), number)
        self.trouble("table", "", number)
        if self.state.editor.note:
            self.notify(self.state.editor.note)
        self.show_tables()
        self.keep_soon()
        self.follow()
        await self.settled()
        return None

    def follow(self) -> None:
        """Builds the robot of the tables if they are valid and it is not shown yet; one at a time, the latest last."""
        session = self.session
        if self.state.wanted is not None and (session.following is None or session.following.done()):
            session.following = cast(Any, background_tasks).create(self._follow(), name="robot of the tables")

    async def settled(self) -> None:
        """Waits until the robot shown matches the tables, or they are invalid, and joints are where they were put."""
        following = self.session.following
        if following is not None and following is asyncio.current_task():
            return
        if following is not None:
            await asyncio.wait([following])
        await self.jog.taken()

    async def _follow(self) -> None:
        state, session = self.state, self.session
        while (description := state.wanted) is not None:
            self._be_busy(1)
            try:
                robot = await self.session.run(build, description)
            except RedynError as error:
                state.refuse(description, str(error))
            except Exception as error:
                log.exception("unexpected")
                state.refuse(description, fault(error))
            else:
                if state.wanted is description:
                    before = state.robot.notes
                    stopped = state.follow(robot)
                    session.troubles.forget("forward", "pose", "kinematics", "workspace")
                    if session.desk is not None:
                        session.desk.show_robot()
                        session.desk.show_troubles()
                        news = [stopped] if stopped else []
                        if robot.notes != before and not state.open_loop:
                            news += robot.notes
                        if news:
                            session.desk.notify("; ".join(news))
                        await session.desk.rerun(keep=True)
            finally:
                self._be_busy(-1)
            if state.mistake and session.desk is not None:
                session.desk.show_tables()

    async def run_inverse(self) -> bool:
        """Inverse dynamics of the motion; the result is dropped if the robot has changed meanwhile."""
        state = self.state

        async def go() -> None:
            robot, plan, meshes, payload = await self.session.run(state.inverse_order)
            found = await self.session.run(inverse, robot, plan, meshes, payload)
            if state.robot is robot and state.payload.plan() == payload:
                state.inverse = found

        self._be_busy(1)
        try:
            return await self.attempt("inverse", go)
        finally:
            self._be_busy(-1)

    async def rerun(self, keep: bool) -> None:
        """After a change of the robot: recomputes the inverse dynamics and updates the view."""
        if self.state.open_loop or self.state.no_motion:
            self.trouble("inverse", "")  # its strip or its note says why there is nothing to see
        else:
            await self.run_inverse()
        self.inverse.show()
        self.forward.show()
        self.show_motion(keep=keep)
        self.keep_soon()
        await self.equations.show()
        await self.kinematics.show()

    async def set_payload(self, name: str, text: str) -> None:
        """Another payload: like another robot, so that no result without it stays."""
        stopped = self.state.set_payload(name, text)
        if stopped:
            self.notify(stopped)
        self.session.troubles.forget("forward", "inverse")
        self.show_troubles()
        await self.rerun(keep=True)

    # --- output --------------------------------------------------------------------------------------------------

    def show_tables(self) -> None:
        """Shows the tables, valid or not, and marks the other panels if they are invalid."""
        self.tables.show()
        self.header.show()
        self.strips.show()
        for panel in (self.header, self.inverse, self.forward, self.compare, self.equations, self.kinematics):
            panel.block(self.strips.reason)
        self.tables.block(self.strips.wrong)

    def show_robot(self) -> None:
        self.show_tables()
        self.jog.show()
        self.view.show_frames()
        self.kinematics.show_robot()

    def show_motion(self, keep: bool = False, t: float = 0.0) -> None:
        """Shows the motion of the open tab in the 3D view and the player, or the pose if there is none."""
        state = self.state
        if state.playing == "forward" and state.forward is not None:
            scenes = [{**f.scene, "label": f"{f.run.robot.name}, {f.run.method}"} for f in state.forward.runs]
        elif state.playing == "inverse" and state.inverse is not None:
            scenes = [state.inverse.scene]
        else:
            scenes = [scene(state.robot, 0.0, state.q, meshes=load_meshes(state.meshes), payload=state.carried)]
        state.time = t
        self.view.load(scenes, keep, t)
        if state.played is not None:
            state.show_time(t)
        self.show_pose(move=False)

    def show_pose(self, move: bool = True) -> None:
        """Shows the pose in sliders, matrices and, on request, in 3D."""
        state = self.state
        if move:
            rows = pose_rows(state.robot, state.q)
            self.view.set_poses([[round(x, POSE_DIGITS) for x in row] for row in rows])
        self.jog.show_values()
        self.view.show_matrix()
        self.equations.show_numbers()
        self.kinematics.show_pose()

    def at_time(self, t: Any) -> None:
        """The player has reached a time."""
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
        self.forward.pushes.show_arrows()
        for panel in (self.inverse, self.forward, self.compare):
            panel.refresh()
        self.keep_soon()
        await self.equations.show()
        await self.kinematics.show()
        self.exercises.show()

    async def set_angles(self, angles: Angles) -> None:
        """Degrees or radians, wherever angles are shown or typed. The browser keeps the choice."""
        self.state.angles = angles
        ui.run_javascript(f"document.cookie = '{COOKIE}={angles.name}; path=/; max-age=31536000; samesite=strict'")
        self.show_tables()
        self.jog.show()
        self.inverse.show()
        self.forward.show()
        self.show_pose(move=False)
        self.keep_soon()
        await self.kinematics.show()

    # --- pinned runs ---------------------------------------------------------------------------------------------

    async def pin(self, source: str) -> None:
        """Pins the present results of a tab."""
        board = self.state.board
        before, notes = list(board.pins), list[str]()
        if await self.attempt("pin", lambda: notes.append(comparing.pin(self.state, source))):
            for made in board.pins[len(before) :]:
                self._keep.call("keepPin", made.key, pins.packed(made.trace))
            self.notify(notes[0])
            self.show_pins()

    async def edit_pins(self, change: Callable[[Board], Any]) -> None:
        """Applies an edit to the pinned runs or their switches."""
        board = self.state.board
        before = {made.key for made in board.pins}
        await self.attempt("pin", lambda: change(board))
        for key in before - {made.key for made in board.pins}:
            self._keep.call("dropPin", key)
        self.show_pins()

    def show_pins(self) -> None:
        """After a change of the pinned runs: in the plots of all panels."""
        for panel in (self.inverse, self.forward):
            panel.show_result()
        self.compare.show()
        self.keep_soon()

    # --- work saved in the browser -------------------------------------------------------------------------------

    def keep_soon(self) -> None:
        """Schedules saving the work in the browser."""
        self.session.fresh = False
        self._keep_timer.active = True

    def _keep_now(self) -> None:
        self._keep_timer.active = False
        work = keep.snapshot(self.state)
        self._keep.call("save", work, bundle.mark_of(work) != self.session.saved)

    async def save_session(self) -> None:
        """Everything as one file."""
        if await self.download(lambda: bundle.save(self.state), "application/zip"):
            self._saved()

    async def copy_link(self) -> None:
        """Everything as a link."""
        made: list[str] = []
        if await self.attempt("save", lambda: made.append(bundle.link(self.state)), slow=True):
            ui.clipboard.write(f"{ui.context.client.request.base_url}{made[0]}")
            self.notify(f"The link is copied, {len(made[0]):,} characters; who opens it needs access to this studio.")
            self._saved()

    def _saved(self) -> None:
        self.session.saved = bundle.mark(self.state)
        self.keep_soon()
