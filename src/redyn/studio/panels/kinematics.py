"""Kinematics: a pose and all joint positions that reach it, what the frame can do where it is, and where it can go."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from nicegui import ui

from redyn.description.schema import WORLD
from redyn.robot import Robot
from redyn.studio import messages
from redyn.studio.controls import Choice, Part, Switch, block, box, button, enable, set_text, text
from redyn.studio.coordinates import coordinate_heads
from redyn.studio.entries import entries
from redyn.studio.jobs import Job
from redyn.studio.panels.matrices import matrix_html
from redyn.studio.reaching import (
    COUNTS,
    NAMES,
    PLANES,
    ROWS,
    UNITS,
    WAYS,
    Abilities,
    Reached,
    abilities,
    transform,
    unsolved,
)

if TYPE_CHECKING:
    from redyn.studio.desk import Desk

SOLVE = "All joint positions that bring the frame there (Ctrl+Enter)"
USE = "Take the pose that the robot shows"
HANDLE = "A handle in the view: drag its ball or one of its arrows, and the robot follows"
GHOSTS = "Draws the solutions within the joint limits in the view; pointing at a row shows which it is"
ELLIPSOID = "Velocities of the frame at unit joint rates, drawn in the view"
FRAME = "The frame that is to be brought to the pose, whose Jacobian and workspace are shown"
CLOUD = "Random positions of the frame with all joints within their limits"
UNREADY = "Press Solve to see all joint positions that reach this pose."
METER = {
    "testid": "regularity",
    "regular": "1: as far as the arm can be from singular; 0: singular, where the frame cannot move in some direction",
    "singular": "Nearly singular: in some direction the frame can hardly move",
}
COLOURS = ("#c92a2a", "#2b8a3e", "#1864ab")  # of x, y, z
POSITION = "#495057"
MOTIONS = ("ωx", "ωy", "ωz", "vx", "vy", "vz")
MOST_SHOWN = 12  # columns of a Jacobian


class KinematicsPanel:
    def __init__(self, desk: Desk) -> None:
        self._desk, form = desk, desk.state.pose
        self._now: Abilities | None = None
        self._ready: tuple[Robot, str] | None = None  # the robot and frame whose abilities are quickly computed
        self._drawn: Reached | None = None
        self._overlaid = set[str]()  # what is drawn in the view
        self.root = box("work", "panel-kinematics", role="tabpanel")
        with self.root, box("equations"):
            with box("card equation", "reach"):
                with box("form"):
                    self._frame = Choice([], None, self._set_frame, "reach-frame", "frame", "medium")
                    self._frame.frame.props["title"] = FRAME
                    self._way = Choice(WAYS, form.way, self._set_way, "reach-way", "pose as", "medium")
                    self._counts = Choice(COUNTS, None, self._set_counts, "reach-counts", "what counts", "medium")
                with box("form"):
                    self._use = button("Use this pose", "reach-use", self._use_pose, USE)
                    self._solve = button("Solve", "run-kinematics", self.run, SOLVE, "run")
                    drag = partial(self._set_switch, "handle")
                    self._handle = Switch("Drag the frame", form.handle, drag, "handle", HANDLE)
                    self._ghosts = Switch("Ghosts", form.ghosts, partial(self._set_switch, "ghosts"), "ghosts", GHOSTS)
                self._rows = Part("rows", edit=self._edited)
                self._note = text("", "run-note", "p", "reach-note")
                self._note.props["role"] = "status"
                self._far = text("", "run-note", "p", "drag-note")
                self._list = Part("solutions", go=self._go)
            with box("card equation", "abilities"):
                with box("panel-head"):
                    text("Jacobian", tag="h2")
                    switch = partial(self._set_switch, "ellipsoid")
                    self._ellipsoid = Switch("Ellipsoid", form.ellipsoid, switch, "ellipsoid", ELLIPSOID)
                self._meter = Part("meter", METER)
                self._singular = text("", "beyond", "p", "singular-name")
                self._able = text("", "run-note", "p", "abilities-note")
                self._jacobian = ui.html("", sanitize=False).classes("numbers").props("data-testid=jacobian")
            with box("card equation", "transform"):
                text("Transform between two frames", tag="h2")
                with box("form"):
                    self._of = Choice([], None, partial(self._set_ends, "of"), "transform-of", "frame", "medium")
                    seen = partial(self._set_ends, "seen_from")
                    self._seen = Choice([], None, seen, "transform-seen", "seen from", "medium")
                self._matrix = ui.html("", sanitize=False).classes("numbers").props("data-testid=transform-matrix")
            with box("card equation", "workspace"):
                text("Workspace", tag="h2")
                with box("form"):
                    self._cloud = button("Compute", "workspace-run", self._run_cloud, CLOUD)
                    self._plane = Choice(PLANES, form.plane, self._set_plane, "workspace-plane", "show", "medium")
                    self._clear = button("Clear", "workspace-clear", self._clear_cloud, "Remove the cloud")
                self._cloud_note = text("", "run-note", "p", "workspace-note")
                self._cloud_note.props["role"] = "status"
        self._timer = ui.timer(0.1, self._look, active=False)

    # --- user input ----------------------------------------------------------------------------------------------

    async def _set_frame(self, value: str) -> None:
        """Another frame begins with its own pose."""
        state = self._desk.state
        state.pose.frame, state.pose.of = value, value
        state.forget_cloud()
        self._forget_numbers()
        await self._use_pose()
        self._draw_cloud()
        self._show_transform()
        await self._prepare()

    def _set_way(self, value: str) -> None:
        self._desk.state.pose.way = value
        self._show_form()
        self._desk.keep_soon()

    async def _set_counts(self, value: str) -> None:
        self._desk.state.pose.counts = value
        await self._changed()

    def _set_switch(self, name: str, value: bool) -> None:
        setattr(self._desk.state.pose, name, value)
        self._draw_ghosts()
        self._draw_ellipsoid()
        self._draw_handle()
        self._desk.keep_soon()

    def _set_ends(self, name: str, value: str) -> None:
        setattr(self._desk.state.pose, name, value)
        self._show_transform()
        self._desk.keep_soon()

    async def _use_pose(self) -> None:
        state = self._desk.state
        if await self._desk.attempt("kinematics", lambda: state.pose.use(state.robot, state.q), slow=True):
            self._show_form()
            await self._changed()

    async def _edited(self, message: Any) -> None:
        form = self._desk.state.pose
        rows = {"pose": form.numbers}
        if form.way == "matrix":
            rows = {str(row): cells for row, cells in zip(ROWS, form.matrix, strict=True)}
        angles, units = self._desk.state.angles, UNITS if form.way == "rpy" else ("",) * 4
        messages.put_text(message, rows, lambda _, at, typed: angles.typed(typed, units[at]))
        form.follow()
        await self._changed()

    async def _changed(self) -> None:
        """The pose is another one: its solutions follow."""
        self._desk.state.forget_reached()
        self._show_solutions()
        self._desk.keep_soon()
        await self.run()

    async def _go(self, at: Any) -> None:
        state = self._desk.state
        if not isinstance(at, int):
            raise messages.MalformedError("expected the number of a solution")
        if await self._desk.attempt("pose", lambda: state.go_to(at)):
            self._desk.show_pose()

    async def drag(self, place: list[float]) -> None:
        """The handle has been dragged to a place."""
        state, said = self._desk.state, list[str]()
        if await self._desk.attempt("pose", lambda: said.append(state.drag(np.array(place))), slow=True):
            self._desk.show_pose()
            set_text(self._far, said[0])

    def block(self, reason: str) -> None:
        """Disables solving while the tables are invalid, or where there is nothing to solve."""
        block(self._solve, reason or unsolved(self._desk.state.robot), SOLVE)
        block(self._use, reason, USE)
        block(self._cloud, reason, CLOUD)
        self._draw_handle()

    # --- computing -----------------------------------------------------------------------------------------------

    async def run(self) -> None:
        """Solves for the pose that is typed, in another process."""
        state = self._desk.state
        if unsolved(state.robot):
            return

        def submit() -> None:
            state.forget_reached()
            order = state.reach_order()
            state.search = self._desk.submit("redyn.studio.reaching:reach", order)

        await self._desk.attempt("kinematics", submit)
        self._show_solutions()
        self._watch()

    async def _run_cloud(self) -> None:
        state = self._desk.state

        def submit() -> None:
            state.forget_cloud()
            order = state.cloud_order()
            state.sampling = self._desk.submit("redyn.studio.reaching:cloud", order)

        await self._desk.attempt("workspace", submit)
        self._draw_cloud()
        self._watch()

    def _watch(self) -> None:
        state = self._desk.state
        self._timer.active = state.search is not None or state.sampling is not None

    def _look(self) -> None:
        state = self._desk.state
        if self._desk.session.desk is not self._desk:  # of a page that was loaded again
            self._timer.active = False
            return
        if (job := _ended(state.search)) is not None:
            state.search = None
            state.reached = None if job.result is None else job.result
            self._desk.trouble("kinematics", _why(job, "the search"))
            self._show_solutions()
        if (job := _ended(state.sampling)) is not None:
            state.sampling, state.cloud = None, job.result
            self._desk.trouble("workspace", _why(job, "the workspace"))
            self._draw_cloud()
        self._watch()

    # --- output --------------------------------------------------------------------------------------------------

    @property
    def _open(self) -> bool:
        return self._desk.state.tab == "kinematics"

    async def show(self) -> None:
        """Called when the tab opens or closes, or the robot changes."""
        desk, state = self._desk, self._desk.state
        if self._open and not desk.strips.reason:
            await desk.attempt("kinematics", lambda: state.pose.begin(state.robot, state.q), slow=True)
            if state.reached is None and state.search is None:
                await self.run()
        self._show_form()
        self._show_solutions()
        self._draw_cloud()
        self._watch()
        await self._prepare()

    def show_robot(self) -> None:
        """The robot is another one: nothing of the last one stays in the view."""
        self._drawn = None
        self._forget_numbers()
        for kind in tuple(self._overlaid):
            self._overlay(kind, None)

    def _forget_numbers(self) -> None:
        """Those of another robot or frame."""
        self._now = None
        self._meter.show(None)
        self._singular.set_visibility(False)
        set_text(self._able, "")
        for part in (self._jacobian, self._matrix):
            part.set_content("")

    def _overlay(self, kind: str, data: dict[str, Any] | None) -> None:
        """Draws something in the view; None removes it if it is there."""
        if data is not None or kind in self._overlaid:
            self._desk.view.overlay(kind, data)
        (self._overlaid.discard if data is None else self._overlaid.add)(kind)

    async def _prepare(self) -> None:
        """The first manipulability of a robot takes a fraction of a second."""
        state = self._desk.state
        ready = state.robot, state.pose.frame
        if not self._open or self._desk.strips.reason:
            return self.show_pose()
        if self._ready != ready and await self._desk.attempt(
            "abilities", lambda: abilities(ready[0], ready[0].initial, ready[1]), slow=True
        ):
            self._ready = ready
        return self.show_pose()

    def show_pose(self) -> None:
        """Shows what depends on the pose, if the tab is open."""
        state = self._desk.state
        self._now = None
        set_text(self._far, "")
        self._draw_handle()
        if not self._open or self._ready != (state.robot, state.pose.frame):
            return self._draw_ellipsoid()
        self._now = abilities(state.robot, state.q, state.pose.frame)
        self._meter.show(self._now.share)
        set_text(self._singular, f"Nearly singular: {self._now.singular}" if self._now.singular else "")
        self._singular.set_visibility(bool(self._now.singular))
        set_text(self._able, self._now.sentence)
        self._show_jacobian(self._now)
        self._show_transform()
        self._draw_ellipsoid()
        return self._list.call("mark", -1 if state.reached is None else state.reached.at(state.q))

    def _show_jacobian(self, now: Abilities) -> None:
        names, columns = self._desk.state.robot.velocity_names, now.jacobian.shape[1]
        cells = [[f"{x:.3f}" for x in row] for row in np.round(now.jacobian, 3) + 0.0]
        shown = matrix_html(cells, "J", lambda i, j: f"{MOTIONS[i]} at unit rate of {names[j]}")
        self._jacobian.set_content(
            shown if columns <= MOST_SHOWN else f"6 × {columns}; shown for up to {MOST_SHOWN} velocities"
        )

    def _show_transform(self) -> None:
        state = self._desk.state
        form = state.pose
        if self._open:
            T = np.round(transform(state.robot, state.q, form.of, form.seen_from), 4) + 0.0
            self._matrix.set_content(matrix_html([[f"{x:.4f}" for x in row] for row in T], "T"))

    def _show_form(self) -> None:
        state = self._desk.state
        form = state.pose
        names = state.robot.frame_names
        self._frame.show(form.frame, names)
        self._of.show(form.of, [WORLD, *names])
        self._seen.show(form.seen_from, [WORLD, *names])
        self._way.show(form.way)
        self._counts.show(form.counts)
        self._plane.show(form.plane)
        self._ghosts.show(form.ghosts)
        self._handle.show(form.handle, not unsolved(state.robot))
        self._ellipsoid.show(form.ellipsoid, not state.robot.model.loops)
        angles = state.angles
        hint = f"in the world; {angles.of('m and rad')}; pi/2 and 90 deg are understood"
        if not form.numbers:
            groups: list[dict[str, Any]] = []
        elif form.way == "rpy":
            columns = zip(NAMES, COLOURS * 2, UNITS, strict=True)
            heads = [{"name": name, "colour": colour, "unit": angles.of(unit)} for name, colour, unit in columns]
            values = angles.row(form.numbers, UNITS)
            groups = [{"heads": heads, "rows": [{"id": "pose", "label": "pose", "values": values, "hint": hint}]}]
        else:
            axes = zip(("x axis", "y axis", "z axis", "position"), (*COLOURS, POSITION), strict=True)
            labels = zip(ROWS, "xyz", form.matrix, strict=True)
            groups = [
                {
                    "heads": [{"name": name, "colour": colour} for name, colour in axes],
                    "rows": [{"id": row, "label": axis, "values": cells, "hint": hint} for row, axis, cells in labels],
                }
            ]
        self._rows.call("set", groups)

    def _show_solutions(self) -> None:
        state = self._desk.state
        reached, robot = state.reached, state.robot
        if reached is not None:
            set_text(self._note, reached.sentence)
        else:
            set_text(self._note, unsolved(robot) or ("solving" if state.search is not None else UNREADY))
        every = coordinate_heads(robot)
        shown = [] if reached is None else reached.rows(robot, state.angles)
        at = -1 if reached is None else reached.at(state.q)
        self._list.call("set", {"heads": [every[i] for i in entries(robot).q], "solutions": shown, "at": at})
        self._draw_ghosts()

    def _draw_ghosts(self) -> None:
        state = self._desk.state
        shown = state.reached if self._open and state.pose.ghosts else None
        if shown is self._drawn:
            return
        self._drawn = shown
        ghosts = None
        if shown is not None and len(shown.found):
            ghosts = {"poses": shown.ghosts(state.robot), "within": shown.found.within.tolist()}
        self._overlay("ghosts", ghosts)

    def _draw_ellipsoid(self) -> None:
        state, now = self._desk.state, self._now
        shown = None
        if now is not None and self._open and state.pose.ellipsoid:
            shown = now.ellipsoid(state.robot.forward_kinematics(state.q, state.pose.frame)[:3, 3])
        self._overlay("ellipsoid", shown)

    def _draw_handle(self) -> None:
        state = self._desk.state
        shown = self._open and state.pose.handle and not unsolved(state.robot) and not self._desk.strips.reason
        place = state.robot.forward_kinematics(state.q, state.pose.frame)[:3, 3].tolist() if shown else None
        self._overlay("handle", None if place is None else {"position": place})

    # --- workspace -----------------------------------------------------------------------------------------------

    def _set_plane(self, value: str) -> None:
        self._desk.state.pose.plane = value
        self._draw_cloud()
        self._desk.keep_soon()

    def _clear_cloud(self) -> None:
        self._desk.state.forget_cloud()
        self._draw_cloud()

    def _draw_cloud(self) -> None:
        state = self._desk.state
        found = state.cloud
        enable(self._clear, found is not None or state.sampling is not None)
        set_text(self._cloud_note, found.sentence if found is not None else "computing" if state.sampling else "")
        shown = found if self._open else None
        self._overlay("cloud", None if shown is None else shown.data(state.pose.plane))


def _ended(job: Job | None) -> Job | None:
    return job if job is not None and job.over.is_set() else None


def _why(job: Job, what: str) -> str:
    """Why there is no result; empty if there is one."""
    if job.state == "failed":
        return job.error
    return f"{what} was {job.reason}" if job.reason else ""
