"""The dock below the view: DH, mass and joint tables, the steps of the DH table, and the pose of any frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast, get_args

from nicegui import ui

from redyn.description.schema import JointType
from redyn.studio import messages
from redyn.studio.controls import (
    Choice,
    Field,
    block,
    box,
    button,
    choose_tab,
    enable,
    set_attribute,
    set_text,
    tabs,
    text,
)
from redyn.studio.dh_steps import dh_steps
from redyn.studio.panels.matrices import matrix_html
from redyn.studio.table import CENTRE, INERTIA, JOINT, Draft

if TYPE_CHECKING:
    from redyn.studio.desk import Desk

TABS = {
    "geometry": ("DH table", "dock-geometry"),
    "mass": ("Mass and inertia", "dock-mass"),
    "joint": ("Limits and friction", "dock-joint"),
    "steps": ("Visualise DH", "dock-steps"),
    "pose": ("Frame pose", "dock-pose"),
}
TABLES = ("geometry", "mass", "joint")
HEADS = {
    "a": ("a (m)", "distance between z axes, along x"),
    "b": ("b (m)", "distance between x axes, along z"),
    "d": ("d (m)", "distance between x axes, along z"),
    "alpha": ("α (rad)", "angle between z axes, about x"),
    "theta": ("θ (rad)", "angle between x axes, about z"),
    "xyz": ("xyz (m)", "position of the joint in the parent's frame"),
    "rpy": ("rpy (rad)", "roll, pitch and yaw of the joint in the parent's frame"),
    "axis": ("axis", "of the joint, in its own frame"),
    "axis2": ("axis 2", "second axis of a universal joint"),
    "pitch": ("pitch (m/rad)", "of a helical joint"),
    "initial": ("at start", "initial joint value; for a free joint x, y, z and the quaternion x, y, z, w"),
    "mass": ("m (kg)", "mass"),
    "lower": ("lower", "lower limit, rad or m"),
    "upper": ("upper", "upper limit, rad or m"),
    "speed": ("speed", "maximum rate, rad/s or m/s"),
    "effort": ("effort", "maximum torque or force, Nm or N"),
    "damping": ("damping", "viscous friction, Nms/rad or Ns/m"),
    "coulomb": ("Coulomb", "Coulomb friction, Nm or N"),
    "armature": ("armature", "rotor inertia, kg m² or kg"),
    "offset": ("offset", "constant added to the joint variable"),
}
# A long number is rounded for display, and shown in full while edited.
SHORT = "(p) => /^-?[0-9.e+-]{8,}$/.test(p.value) ? String(Number(Number(p.value).toPrecision(4))) : p.value"
REMOVE = "Remove a link: first click its row in the table"
STEPS = "Link by link from the base"
TIP = "Make this frame the end effector: its path is drawn, and the jog buttons move it"
TYPES = {"frames": list(get_args(JointType))}
DH_TYPES = ["revolute", "prismatic", "fixed"]


class TablesPanel:
    def __init__(self, desk: Desk) -> None:
        self._desk, state = desk, desk.state
        self._tab, self._columns, self._frame = "geometry", "", ""
        self._row: tuple[int, str] | None = None  # the last selected link: its number and name
        with box("panel dock"):
            with box("dock-head"):
                self._tabs = tabs(TABS, self._tab, self._choose, "Tables")
            with box("dock-body"):
                self._tables = box("table-and-tools")
                with self._tables:
                    with box("grid-frame", "dh-table"):
                        self._grid = self._make_grid()
                    with box("tools"):
                        with box("pair"):
                            button(
                                "+ Link", "add-link", lambda: desk.edit(state.editor.add_link), "Add a link at the end"
                            )
                            self._remove_link = button("− Link", "remove-link", lambda: desk.edit(self._remove), REMOVE)
                        rods = "Mass centres and inertias of uniform rods, from the DH table and the masses"
                        self._rods = button(
                            "Uniform rods", "make-rods", lambda: desk.edit(state.editor.make_rods), rods
                        )
                        other = "The same robot as the other kind of DH table"
                        self._convert = button("", "convert-dh", lambda: desk.edit(state.editor.convert), other)
                        self._gravity = Field(
                            "", self._set_gravity, "gravity", "gravity x, y, z", "", "m/s², world axes"
                        )
                        self._name = Field("", self._set_name, "robot-name", "robot's name")
                self._steps = box("steps", "dh-steps")
                with self._steps:
                    with box("in-line"):
                        self._start = button("Start", "dh-start", self._start_steps, STEPS)
                        button("◀", "dh-back", lambda: desk.view.dh("dhStep", -1), "One step back", "small icon")
                        button("▶▶", "dh-play", lambda: desk.view.dh("dhPlay"), "Play all steps, or stop", "small icon")
                        button("▶", "dh-next", lambda: desk.view.dh("dhStep", 1), "Next step", "small icon")
                        button("Done", "dh-leave", lambda: desk.view.dh("dhLeave"), "Back to the robot")
                    self._step_list = box("step-list", "dh-step-list")
                self._pose = box("pose", "frame-pose")
                with self._pose:
                    self._frames = Choice([], None, self._set_frame, "frame-select", "frame", "medium")
                    self._tip = button("As end effector", "set-tip", self._set_tip, TIP)
                    self._matrix = ui.html("", sanitize=False).classes("matrix-frame")
        self._list: list[dict[str, Any]] = []
        self._show_tab()

    def _make_grid(self) -> Any:
        options: dict[str, Any] = {
            "columnDefs": [],
            "rowData": [],
            "rowHeight": 26,
            "headerHeight": 26,
            "singleClickEdit": True,
            "stopEditingWhenCellsLoseFocus": True,
            "enterNavigatesVerticallyAfterEdit": False,
            "suppressMovableColumns": True,
            "tooltipShowDelay": 200,
            "defaultColDef": {"editable": True, "sortable": False, "resizable": True, "flex": 1, "minWidth": 46},
            ":getRowId": "(params) => String(params.data.row)",
        }
        grid = cast(Any, ui.aggrid)(options, theme="balham", auto_size_columns=False)
        grid.on("cellValueChanged", self._edited, ["colId", "newValue", "data"])
        grid.on("cellFocused", self._focused, ["rowIndex"])
        # Arrow keys belong to the table while it has the focus.
        grid.on("keydown", js_handler="(event) => { if (!event.ctrlKey && !event.altKey) event.stopPropagation(); }")
        return grid

    # --- tables --------------------------------------------------------------------------------------------------

    def show(self) -> None:
        """Shows the whole draft, valid or not."""
        editor = self._desk.state.editor
        draft = editor.draft
        if self._row is not None and (
            self._row[0] >= len(draft.rows) or draft.rows[self._row[0]]["name"] != self._row[1]
        ):
            self._row = None  # the row is now another link's
        self._show_selected()
        titles = {key: title for key, (title, _) in TABS.items()}
        titles["geometry"] = "Frames" if draft.convention == "frames" else _DH_TITLES[draft.convention]
        wrong = editor.wrong_tables()
        for key, tab in self._tabs.items():
            set_text(tab, f"{titles[key]} ⚠" if key in wrong else titles[key])
            set_attribute(tab, "data-wrong", "yes" if key in wrong else None)
            set_attribute(tab, "title", "contains an error" if key in wrong else None)
        columns = self._columns_of(draft)
        key = repr(columns)
        if key != self._columns:
            self._columns = key
            self._grid.run_grid_method("setGridOption", "columnDefs", columns)
        errors: dict[int, dict[str, str]] = {}
        for problem in editor.problems:
            if problem.row is not None:
                errors.setdefault(problem.row, {})[problem.column] = problem.reason
        rows = [
            {**cells, "row": i, "errors": errors.get(i, {}), "variable": _variable(draft, cells["joint"])}
            for i, cells in enumerate(draft.rows if editor.editable else ())
        ]
        self._grid.run_grid_method("setGridOption", "rowData", rows)
        self._grid.run_grid_method("refreshCells", {"force": True})
        self._gravity.show(", ".join(str(x).removesuffix(".0") for x in draft.robot.get("gravity", (0, 0, -9.81))))
        self._name.show(str(draft.robot.get("name", "")))
        enable(self._rods, draft.convention == "dh")
        enable(self._convert, draft.convention != "frames")
        set_text(self._convert, "To DH" if draft.convention == "modified-dh" else "To modified DH")
        self._list = []
        self._step_list.clear()

    def _columns_of(self, draft: Draft) -> list[dict[str, Any]]:
        head: list[dict[str, Any]] = [
            {"field": "name", "headerName": "link", "pinned": "left", "width": 68, "flex": 0},
            {
                "field": "joint",
                "headerName": "joint",
                "width": 88,
                "flex": 0,
                "cellEditor": "agSelectCellEditor",
                "cellEditorParams": {"values": TYPES.get(draft.convention, DH_TYPES)},
            },
        ]
        if self._tab == "mass":
            letter = "r" if draft.robot["centre"] == "r" else "c"
            meaning = "from the mass centre to the link frame" if letter == "r" else "mass centre in the link frame"
            names = {c: (f"{letter}{c} (m)", meaning) for c in CENTRE}
            names |= {c: (f"I{c}", "inertia about the mass centre, kg m²") for c in INERTIA}
            shown = ["mass", *CENTRE, *INERTIA]
            head = head[:1]
        elif self._tab == "joint":
            names, shown = dict[str, tuple[str, str]](), list(JOINT)
            head = head[:1]  # so that eight column headers fit
        else:
            names, shown = dict[str, tuple[str, str]](), list(draft.columns())
        for column in shown:
            title, meaning = names.get(column) or HEADS[column]
            head.append({"field": column, "headerName": title, "headerTooltip": meaning})
        for column in head:
            name = column["field"]
            column["cellClassRules"] = {
                "cell-error": f"data.errors.{name}",
                "cell-variable": f"data.variable == '{name}'",
            }
            column[":valueFormatter"] = SHORT
            column[":tooltipValueGetter"] = (
                f"(p) => p.data && (p.data.errors['{name}'] || (p.data.variable === '{name}' "
                "? 'the joint variable: its initial value' : undefined))"
            )
        return head

    def block(self, reason: str) -> None:
        """Disables what needs a valid robot while the tables are invalid."""
        block(self._start, reason, STEPS)
        block(self._tip, reason, TIP)

    def show_mistake(self) -> None:
        """Opens the table with the first error, at its cell."""
        editor = self._desk.state.editor
        if not editor.problems:
            return
        first = editor.problems[0]
        wrong = editor.wrong_tables()
        self._choose(next(table for table in TABLES if table in wrong))
        if first.row is not None:
            self._grid.run_grid_method("ensureIndexVisible", first.row)
            self._grid.run_grid_method("ensureColumnVisible", first.column)
            self._grid.run_grid_method("setFocusedCell", first.row, first.column)

    async def _edited(self, event: Any) -> None:
        rows = self._desk.state.editor.draft.rows
        column = str(messages.entry(event.args, "colId"))
        row = messages.index(messages.entry(event.args, "data"), "row", len(rows))
        value = messages.text(event.args.get("newValue"))
        await self._desk.edit(lambda: self._desk.state.editor.set_cell(row, column, value))

    def _focused(self, event: Any) -> None:
        rows = self._desk.state.editor.draft.rows
        row = messages.entry(event.args, "rowIndex")
        if row is not None:
            row = messages.index(event.args, "rowIndex", len(rows))
            self._row = row, rows[row]["name"]
            self._show_selected()

    def choose_none(self) -> None:
        """Clears the selection: the robot has changed."""
        self._row = None

    def _show_selected(self) -> None:
        """Shows which link the button removes."""
        name = self._row[1] if self._row else ""
        set_text(self._remove_link, f"− {name}" if name else "− Link")
        block(self._remove_link, "" if name else REMOVE, f"Remove {name}")

    def _remove(self) -> None:
        self._desk.state.editor.remove_link(self._row[0] if self._row else None)
        self._row = None

    async def _set_gravity(self, value: str) -> None:
        parts = [part.strip() for part in value.replace(";", ",").split(",")]
        await self._desk.edit(lambda: self._desk.state.editor.set_field("gravity", parts))

    async def _set_name(self, value: str) -> None:
        await self._desk.edit(lambda: self._desk.state.editor.set_field("name", value.strip()))

    # --- tabs ----------------------------------------------------------------------------------------------------

    def _choose(self, tab: str) -> None:
        before, self._tab = self._tab, tab
        self._show_tab()
        if tab in TABLES:
            self.show()
        if tab == "pose":
            self.show_matrix()
        if before == "steps" and tab != "steps":
            self._desk.view.dh("dhLeave")

    def _show_tab(self) -> None:
        panels = {"tables": self._tables, "steps": self._steps, "pose": self._pose}
        choose_tab(self._tabs, {}, self._tab)
        for name, panel in panels.items():
            panel.set_visibility(name == ("tables" if self._tab in TABLES else self._tab))

    # --- steps of the DH table -----------------------------------------------------------------------------------

    async def _start_steps(self) -> None:
        desk = self._desk
        found: list[dict[str, Any]] = []
        if not await desk.attempt("pose", lambda: found.extend(dh_steps(desk.state.robot, desk.state.q)), slow=True):
            return
        self._list = found
        self._step_list.clear()
        with self._step_list:
            for k in range(0, len(found), 4):
                with box("step-row"):
                    text(str(found[k]["link"]), "step-link")
                    for j in range(k, min(k + 4, len(found))):
                        step = found[j]
                        classes = "step variable" if step["variable"] else "step"
                        shown = f"{step['symbol']} = {_value(step)}"
                        with text(shown, classes, testid=f"dh-step-{j}") as cell:
                            cell.props["title"] = step["text"]
        desk.view.dh("dh", found)

    def show_step(self, at: Any) -> None:
        """Marks the step shown in the view; -1: none."""
        if not isinstance(at, int):
            raise messages.MalformedError("expected the number of a step")
        ui.run_javascript(f"""
            document.querySelectorAll('.step').forEach((cell, k) => cell.classList.toggle('now', k === {at}));
            document.querySelector('.step.now')?.scrollIntoView({{block: 'nearest'}});
        """)

    # --- pose of a frame -----------------------------------------------------------------------------------------

    def show_frames(self) -> None:
        names = self._desk.state.robot.frame_names
        if self._frame not in names:
            self._frame = self._desk.state.robot.model.end_effector or names[-1]
        self._frames.show(self._frame, names)

    async def _set_tip(self) -> None:
        await self._desk.edit(lambda: self._desk.state.editor.set_field("end_effector", self._frame))

    def _set_frame(self, name: str) -> None:
        self._frame = name
        self.show_matrix()

    def show_matrix(self) -> None:
        state = self._desk.state
        if self._tab != "pose" or self._frame not in state.robot.frame_names:
            return
        pose = state.robot.forward_kinematics(state.q, self._frame)
        self._matrix.set_content(matrix_html([[f"{x:.4f}" for x in row] for row in pose], "T"))


_DH_TITLES = {"dh": "DH table", "modified-dh": "Modified DH table"}


def _variable(draft: Draft, joint: str) -> str:
    if draft.convention == "frames" or joint == "fixed":
        return ""
    return "theta" if joint == "revolute" else ("b" if draft.convention == "dh" else "d")


def _value(step: dict[str, Any]) -> str:
    return f"{step['value']:.4g}" + (" rad" if step["kind"] == "turn" else " m")
