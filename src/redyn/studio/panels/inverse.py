"""Inverse dynamics: choose a motion, see its torques."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from nicegui import ui

from redyn.studio import messages, takeaway, uploads
from redyn.studio.controls import Choice, Field, Part, block, box, button, set_text, text
from redyn.studio.coordinates import coordinate_heads, coordinate_units, velocity_units
from redyn.studio.entries import guided, is_closed
from redyn.studio.forms import present, usual_text
from redyn.studio.limits import sentence
from redyn.studio.panels.bending import BENDING, reaction_names
from redyn.studio.panels.matrices import table_html
from redyn.studio.panels.payload import PayloadFields
from redyn.studio.panels.pinned import Pinned
from redyn.studio.panels.sizing import SizingPart
from redyn.studio.plans import KINDS, PATHS
from redyn.studio.state import instant
from redyn.studio.teaching import FIELDS, LEGS, NOT_TAUGHT, TIP, can_teach, limit_shown, limit_typed
from redyn.studio.units import together
from redyn.studio.work import Inverse, plot_data, rows_note
from redyn.words import counted

if TYPE_CHECKING:
    from redyn.studio.desk import Desk

CARDS = [
    {"id": "torque", "title": "Torques", "wide": True},
    {"id": "q", "title": "Joint values"},
    {"id": "qd", "title": "Joint rates"},
    {"id": "qdd", "title": "Accelerations"},
    {"id": "path", "title": "End effector"},
    *BENDING,
]
ALL = "all joints"
REACTIONS = "joint reactions"
DRIVE = "Forward dynamics driven by these torques, from the start of this motion"
RUN = "Inverse dynamics of this motion (Ctrl+Enter)"
PINS = (
    "Of a joint that closes a loop: of its first link on its second, in the axes of its frame on the first. "
    "–: the loops leave it open, as across the plane of a planar mechanism"
)
RADIUS = "From where the end effector begins to the axis; a change moves the centre"
PATH = {
    "centre": ("centre (m)", "wide-field", "A point of the axis: x, y, z in the world"),
    "axis": ("axis", "middle", "Direction of the axis in the world, such as 0, 0, 1"),
    "angle": ("angle (rad)", "short2", "About the axis: 360 deg, 2*pi"),
    "advance": ("advance (m)", "short2", "Along the axis"),
}
PATH_UNITS = {"angle": "rad"}
TEACH = "Add the pose that the robot shows to the list"
TAUGHT = {
    "speed": ("speed", "Limit, rad/s or m/s, one number or one per joint; empty: of the robot's file, or 1 rad/s"),
    "acceleration": (
        "acceleration",
        "Limit, rad/s² or m/s², likewise; empty: so that speeds are reached in half a second",
    ),
}
TIP_LABELS = {
    "tip_speed": "tip (m/s)",
    "tip_acceleration": "tip (m/s²)",
    "tip_angular_speed": "tip (rad/s)",
}
TIP_TITLE = "Limit of the end effector on lines and circles; empty: none"
TAUGHT_WIDTHS = {"speed": "medium", "acceleration": "middle"}
TAUGHT_UNITS = {"speed": ("rad/s", "m/s"), "acceleration": ("rad/s²", "m/s²")}
SWINGS = "simulated: joints follow the motion, what bends or gives swings"
ROUNDING = 1e-12  # of a reaction, beside the largest one
SAMPLE = "Seconds between the rows of the result; empty: a hundred rows per second, or more"


class InversePanel:
    def __init__(self, desk: Desk) -> None:
        self._desk, form = desk, desk.state.motion
        self._shown = ALL
        self.root = box("work", "panel-inverse", role="tabpanel")
        with self.root:
            with box("form"):
                self._kind = Choice(KINDS, form.kind, self._set_kind, "motion-kind", "motion", "wide-field")
                self._duration = Field(form.duration, self._set_duration, "motion-duration", "duration (s)", "short")
                self._sample = Field("", self._set_sample, "motion-sample", "sample (s)", "short", SAMPLE)
                options = {
                    "text": "Upload CSV",
                    "accept": ".csv",
                    "url": f"{desk.upload_url}/motion",
                    "largest": uploads.LARGEST,
                    "title": "A motion from a file: columns t, q_<joint> and, optionally, qd_ and qdd_<joint>",
                    "testid": "motion-upload",
                }
                self._upload = Part("file", options, refused=desk.refused_upload)
                self._payload = PayloadFields(desk, "inverse")
                self._run = button("Run", "run-inverse", self.run, RUN, "run")
            self._payload.row()
            self._path = box("form path-form", "path-form")
            with self._path:
                self._radius = Field("", self._set_radius, "path-radius", "radius (m)", "short", RADIUS)
                self._fields = {
                    name: Field("", partial(self._set_path, name), f"path-{name}", label, width, title)
                    for name, (label, width, title) in PATH.items()
                }
            self._rows = Part("rows", edit=self._edited, use=self._use_pose)
            self._teaching = box("teaching", "teaching")
            with self._teaching:
                with box("form"):
                    self._teach = button("Teach", "teach", self._teach_point, TEACH)
                    self._limit_fields = {
                        name: Field(
                            "", partial(self._set_limit, name), f"taught-{name}", label, TAUGHT_WIDTHS[name], title
                        )
                        for name, (label, title) in TAUGHT.items()
                    }
                    self._tip_fields = {
                        name: Field("", partial(self._set_tip_limit, name), f"taught-{name}", label, "tiny", TIP_TITLE)
                        for name, label in TIP_LABELS.items()
                    }
                    self._taught_note = text("", "run-note", testid="taught-note")
                self._points = Part("points", {"legs": list(LEGS)}, edit=self._edit_point, act=self._act)
            self._file = text("", "file-name", testid="motion-file")
            self._limits = text("", "beyond", "p", "inverse-limits")
            with box("run-line of-results"):
                self._pinned = Pinned(desk, "inverse")
                self._drive = button("Drive", "drive", self._to_forward, DRIVE)
                self._split = Choice([ALL], ALL, self._set_shown, "torque-split", "torques of", "wide-field")
                self.sizing = SizingPart(desk, "inverse")
                self._note = text("", "run-note", testid="inverse-note")
                self._pinned.legend()
            self._plots = Part("plots", {"cards": CARDS}, csv=self._csv)
            self.sizing.body()
            self.sizing.on_toggle = self.show_result
            self._reactions = box("reactions", "reactions")
            with self._reactions:
                text("Moment and force of each parent on its child at the joint, in the child's axes", tag="p")
                self._pins = text(PINS, tag="p", testid="reactions-loops")
                self._table = ui.html("", sanitize=False).classes("table-frame")

    # --- user input ----------------------------------------------------------------------------------------------

    async def _set_kind(self, kind: str) -> None:
        desk, motion = self._desk, self._desk.state.motion
        motion.kind = kind
        self._show_form()
        desk.keep_soon()
        if kind not in PATHS or desk.strips.reason:
            return
        if await desk.attempt("inverse", lambda: motion.fit_path(desk.state.robot), slow=True):
            self._show_form()
            await self.run()  # its default values can be followed

    def _set_path(self, name: str, value: str) -> None:
        path = self._desk.state.motion.path
        if path is not None:
            setattr(path, name, self._desk.state.angles.typed(value, PATH_UNITS.get(name, "")))
            path.typed = True
            self._show_path()
            self._desk.keep_soon()

    async def _set_radius(self, value: str) -> None:
        path = self._desk.state.motion.path
        if path is not None:
            await self._desk.attempt("inverse", lambda: path.set_radius(self._desk.state.robot, value))
            self._show_path()
            self._desk.keep_soon()

    def _set_duration(self, value: str) -> None:
        self._desk.state.motion.duration = value
        self._show_sample()
        self._desk.keep_soon()

    def _set_sample(self, value: str) -> None:
        self._desk.state.motion.sample = value
        self._show_sample()
        self._desk.keep_soon()

    def _show_sample(self) -> None:
        form = self._desk.state.motion
        self._sample.show(
            form.sample or ("" if form.kind == "taught" else usual_text(form.duration, self._desk.state.robot))
        )

    def _edited(self, message: Any) -> None:
        form = self._desk.state.motion
        path = form.path
        begin = {} if path is None else {"begin": path.begin}
        angles, units = self._desk.state.angles, self._units()
        rows = {"start": form.start, "stop": form.stop, **begin}
        messages.put_text(message, rows, lambda _, joint, typed: angles.typed(typed, units[joint]))
        if path is not None and messages.entry(message, "row") == "begin":
            path.typed = True
            self._show_path()
        else:
            form.typed = True
        self._desk.keep_soon()

    def _units(self) -> list[str]:
        """Of the joint values that are entered."""
        robot = self._desk.state.robot
        every = coordinate_units(robot)
        return [every[i] for i in guided(robot).q]

    def _rate_units(self, name: str) -> list[str]:
        """Of limits of taught points."""
        robot = self._desk.state.robot
        every = velocity_units(robot, *TAUGHT_UNITS[name])
        return [every[i] for i in guided(robot).qd]

    def _use_pose(self, row: Any) -> None:
        """Takes the pose shown into a row of fields."""
        state = self._desk.state
        form = state.motion
        values = present(state.robot, state.q, motion=True)
        if row == "begin" and form.path is not None:
            form.path.begin, form.path.typed = values, True
        elif row in ("start", "stop"):
            setattr(form, str(row), values)
            form.typed = True
        self._show_form()
        self._desk.keep_soon()

    # --- taught points -------------------------------------------------------------------------------------------

    async def _teach_point(self) -> None:
        state = self._desk.state
        if await self._desk.attempt("inverse", lambda: state.motion.taught.teach(state.robot, state.q)):
            self._points_changed()

    def _set_limit(self, name: str, value: str) -> None:
        state = self._desk.state
        stored = limit_typed(value, self._rate_units(name), state.angles)
        setattr(state.motion.taught, name, stored)
        self._points_changed()

    def _set_tip_limit(self, name: str, value: str) -> None:
        state = self._desk.state
        setattr(state.motion.taught, name, state.angles.typed(value, TIP[name]))
        self._points_changed()

    def _edit_point(self, message: Any) -> None:
        points = self._desk.state.motion.taught.points
        point, typed = points[messages.index(message, "point", len(points))], messages.entry(message, "text")
        if "joint" in message:
            joint = messages.index(message, "joint", len(point.q))
            units = self._units()
            point.q[joint] = self._desk.state.angles.typed(messages.text(typed), units[joint])
            return self._desk.keep_soon()
        name = messages.entry(message, "field")
        if name not in FIELDS:
            raise messages.MalformedError("expected a field of a point")
        setattr(point, name, messages.text(typed))
        return self._points_changed() if name == "leg" else self._desk.keep_soon()

    async def _act(self, message: Any) -> None:
        """A button of a point."""
        state = self._desk.state
        form = state.motion.taught
        at, what = messages.index(message, "point", len(form.points)), messages.entry(message, "what")
        acts: dict[Any, Callable[[], Any]] = {
            "here": lambda: form.teach(state.robot, state.q, at),
            "via": lambda: form.teach_via(state.robot, state.q, at),
            "up": lambda: form.move(at, -1),
            "down": lambda: form.move(at, 1),
            "remove": lambda: form.points.pop(at),
            "go": lambda: state.go_to_point(at),
        }
        if what in acts and await self._desk.attempt("pose", acts[what]):
            self._points_changed() if what != "go" else self._desk.show_pose()

    def _points_changed(self) -> None:
        self._show_points()
        self._desk.keep_soon()

    def _show_points(self) -> None:
        state = self._desk.state
        form, taught = state.motion.taught, can_teach(state.robot)
        for name, entry in self._limit_fields.items():
            units = self._rate_units(name)
            entry.show(limit_shown(getattr(form, name), units, state.angles))
            entry.name(f"{TAUGHT[name][0]} ({state.angles.of(together(units))})")
            entry.frame.set_visibility(taught)
        for name, entry in self._tip_fields.items():
            entry.show(state.angles.shown(getattr(form, name), TIP[name]))
            entry.name(state.angles.of(TIP_LABELS[name]))
            entry.frame.set_visibility(taught and form.has_paths)
        self._teach.set_visibility(taught)
        self._points.set_visibility(taught)
        set_text(self._taught_note, "" if taught else NOT_TAUGHT)
        units = self._units()
        points = [{**asdict(point), "q": state.angles.row(point.q, units)} for point in form.points]
        unit = state.angles.of(together(units))
        every = coordinate_heads(state.robot)
        heads = [every[i] for i in guided(state.robot).q]
        self._points.call("set", {"heads": heads, "unit": unit, "points": points if taught else []})

    async def run(self) -> None:
        if await self._desk.run_inverse():
            self.show()
            self._desk.show_motion(keep=True)

    async def _to_forward(self) -> None:
        """Simulates the motion that these torques make."""
        desk = self._desk
        if await desk.attempt("inverse", desk.state.drive_with_torques):
            desk.forward.show_form()
            await desk.choose_tab("forward")
            await desk.forward.run()

    async def _csv(self, key: Any) -> None:
        name = messages.text(key)
        await self._desk.download(
            lambda: takeaway.plot_csv(self._desk.state, "inverse", name, self._split_at()), "text/csv"
        )

    def block(self, reason: str) -> None:
        """Disables running while the tables are invalid."""
        block(self._run, reason, RUN)
        block(self._drive, reason, DRIVE)
        self._plots.call("block", reason)

    # --- output --------------------------------------------------------------------------------------------------

    def _show_form(self) -> None:
        state = self._desk.state
        form = state.motion
        self._kind.show(form.kind)
        self._payload.show()
        self._duration.show(form.duration)
        self._show_sample()
        angles, units = state.angles, self._units()
        hint = f"{angles.of('rad or m')}; pi/2 and 90 deg are understood"
        unit = angles.of(together(units))
        more = {"hint": hint, "unit": unit, "use": True}
        rows: list[dict[str, Any]] = [
            {"id": "start", "label": "start", "values": angles.row(form.start, units), **more},
            {"id": "stop", "label": "stop", "values": angles.row(form.stop, units), **more},
        ]
        along = form.kind in PATHS
        if along:
            begin = angles.row(form.path.begin, units) if form.path is not None else []
            where = f"Where the path begins, {hint}"
            rows = [{"id": "begin", "label": "start", "values": begin, "hint": where, "unit": unit, "use": True}]
        heads = coordinate_heads(state.robot)
        shown = [heads[i] for i in guided(state.robot).q]
        self._rows.call("set", [{"heads": shown, "rows": rows}] if rows[0]["values"] else [])
        self._path.set_visibility(along and form.path is not None)
        self._show_path()
        from_file = form.kind == "csv"
        self._upload.set_visibility(from_file)
        taught = form.kind == "taught"
        self._rows.set_visibility(not from_file and not taught and not state.no_motion)
        self._teaching.set_visibility(taught)
        self._duration.frame.set_visibility(not taught)
        self._show_points()
        self._file.set_visibility(from_file or bool(state.no_motion))
        rows_in = f": {form.samples.name}, {counted(len(form.samples.t), 'row')}" if form.samples else "; upload one"
        said = f"{state.no_motion[:1].upper()}{state.no_motion[1:]}." if state.no_motion else ""
        set_text(self._file, said or f"The motion of a CSV file{rows_in}")

    def _show_path(self) -> None:
        """Shows the circle or the screw."""
        state = self._desk.state
        path = state.motion.path
        if path is None:
            return
        for name, entry in self._fields.items():
            entry.show(state.angles.shown(getattr(path, name), PATH_UNITS.get(name, "")))
            entry.name(state.angles.of(PATH[name][0]))
        self._fields["advance"].frame.set_visibility(state.motion.kind == "screw")
        self._radius.frame.set_visibility(state.motion.kind == "circle")
        if state.motion.kind == "circle":
            self._radius.show(path.radius(state.robot))

    def show(self) -> None:
        """Shows the form and the result."""
        self._show_form()
        state = self._desk.state
        names = guided(state.robot).torque_names(state.robot)
        options = [ALL, *(f"{name}, by cause" for name in names), REACTIONS]
        if self._shown not in options:
            self._shown = ALL
        self._split.show(self._shown, options)
        self.show_result()

    async def _set_shown(self, value: str) -> None:
        self._shown = value
        await self._desk.attempt("inverse", self._prepare, slow=True)
        self.show_result()

    def _prepare(self) -> None:
        """Computes the joint reactions, only if they are shown."""
        found = self._desk.state.inverse
        if found is not None:
            _ = (found.wrenches, found.loop_wrenches) if self._shown == REACTIONS else None
            _ = found.parts if self._shown not in (ALL, REACTIONS) else None

    def show_result(self) -> None:
        found = self._desk.state.inverse
        reactions = self._shown == REACTIONS
        self._plots.set_visibility(not reactions and not self.sizing.shown)
        self._reactions.set_visibility(reactions and not self.sizing.shown)
        self._split.frame.set_visibility(not self.sizing.shown)
        self.sizing.show()
        self._pinned.show(found is not None)
        self._desk.compare.show()
        beyond = [] if found is None else found.beyond_in(self._desk.state.angles)
        set_text(self._limits, sentence(beyond))
        self._limits.set_visibility(bool(beyond))
        set_text(self._note, "" if found is None else _note(found))
        if found is None:
            self._table.set_content("")
            return self._plots.call("setPlots", {"plots": {}, "start": 0, "duration": 1, "name": "inverse"})
        shown = takeaway.plots_of(found, self._split_at(), self._desk.state.board.pins, self._desk.state.angles)
        plots = {key: plot_data(found.robot, found.t, *pair) for key, pair in shown.items()}
        name = uploads.safe_name(found.robot.name)
        self._plots.call("setPlots", {"plots": plots, "start": 0, "duration": float(found.t[-1]), "name": name})
        return self.show_reactions(self._desk.state.time)

    def _split_at(self) -> int | None:
        """The velocity whose torque is split into components."""
        if self._shown in (ALL, REACTIONS):
            return None
        return self._desk.state.robot.velocity_names.index(self._shown.removesuffix(", by cause"))

    def show_reactions(self, t: float) -> None:
        found = self._desk.state.inverse
        if found is None or self._shown != REACTIONS:
            return
        if self._desk.state.tab != "inverse":  # they are made once they can be seen
            self._table.set_content("")
            return
        k = instant(found.t, t)
        head = ["joint", "nx (Nm)", "ny", "nz", "fx (N)", "fy", "fz"]
        rows = [*zip(reaction_names(found.robot), found.wrenches[k], strict=True)]
        if is_closed(found.robot):
            names = [f"{loop.name} (loop)" for loop in found.robot.loops]
            rows += zip(names, found.loop_wrenches[k], strict=True)
        self._pins.set_visibility(is_closed(found.robot))
        least = ROUNDING * max((float(np.nanmax(np.abs(wrench), initial=0.0)) for _, wrench in rows), default=0.0)
        body = [[name, *(_entry(x, least) for x in wrench)] for name, wrench in rows]
        self._table.set_content(f"<p>at t = {found.t[k]:.3f} s</p>" + table_html(head, body))

    def refresh(self) -> None:
        """Draws what could not be seen before."""
        self._plots.call("refresh")
        self.show_reactions(self._desk.state.time)


def _note(found: Inverse) -> str:
    """What a result is with, and what of its rows is drawn."""
    carried = "" if found.payload is None else f"with {found.payload.name}"
    swings = SWINGS if found.robot.model.gives else ""
    return "; ".join(filter(None, [carried, swings, rows_note(found.t, found.robot)]))


def _entry(x: float, least: float) -> str:
    """A component of a reaction; a dash where the loops leave it open."""
    if np.isnan(x):
        return "–"
    return f"{x:.5g}" if abs(x) > least else "0"
