"""The dock below the view: tables of links and loops, the steps of the DH table, and the pose of any frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from nicegui import ui

from redyn.studio import messages
from redyn.studio.closing import Closing
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
from redyn.studio.editor import table_of
from redyn.studio.flexible_cells import KEPT, kept_text
from redyn.studio.panels.columns import driven_cell, link_columns, loop_columns, variable
from redyn.studio.panels.matrices import matrix_html
from redyn.studio.table import YES, cell_units, shown_cells

if TYPE_CHECKING:
    from redyn.studio.desk import Desk

TABS = {
    "geometry": ("DH table", "dock-geometry"),
    "mass": ("Mass and inertia", "dock-mass"),
    "joint": ("Limits and friction", "dock-joint"),
    "flexible": ("Flexibility", "dock-flexible"),
    "loops": ("Loops", "dock-loops"),
    "steps": ("Visualise DH", "dock-steps"),
    "pose": ("Frame pose", "dock-pose"),
}
TABLES = ("geometry", "mass", "joint", "flexible", "loops")
REMOVE = {
    "links": "Remove a link: first click its row in the table",
    "loops": "Remove a loop: first click its row in the table",
}
ADD_LOOP = "Pin the end of the last link to the ground where it is now"
STEPS = "Link by link from the base"
TIP = "Make this frame the end effector: its path is drawn, and the jog buttons move it"
UNITS_OF_JOINTS = "In rad, rad/s, Nm and Nms/rad; of joints that slide in m, m/s, N and Ns/m."
FLEXIBLE_LINKS = (
    "A link with ρA (kg/m) and EI (N m²) is a beam along x that bends; empty: it is rigid. A joint with k (Nm/rad) has "
    "an elastic gear, and its armature is that of the motor."
)
NO_LOOPS = (
    "No loops. To close one: bend the robot with its sliders until the end of its last link is where it is to be held, "
    "then press + Loop. It is pinned to the ground there; the table then lets you pin it to another link instead."
)


class TablesPanel:
    def __init__(self, desk: Desk) -> None:
        self._desk, state = desk, desk.state
        self._tab, self._columns, self._frame = "geometry", "", ""
        self._row: tuple[int, str] | None = None  # the last selected link or loop: its number and name
        with box("panel dock"):
            with box("dock-head"):
                self._tabs = tabs(TABS, self._tab, self.choose, "Tables")
            with box("dock-body"):
                self._tables = box("table-and-tools")
                with self._tables:
                    with box("grid-and-facts"):
                        self._frame_of_grid = box("grid-frame", "dh-table")
                        with self._frame_of_grid:
                            self._grid = self._make_grid()
                        self._facts = text("", "loop-facts", "p", "loop-facts")
                    with box("tools"):
                        with box("pair"):
                            self._adders = {
                                "links": button(
                                    "+ Link",
                                    "add-link",
                                    lambda: desk.edit(state.editor.add_link),
                                    "Add a link at the end",
                                ),
                                "loops": button("+ Loop", "add-loop", self._add_loop, ADD_LOOP),
                            }
                            self._removers = {
                                "links": button("− Link", "remove-link", lambda: desk.edit(self._remove)),
                                "loops": button("− Loop", "remove-loop", lambda: desk.edit(self._remove)),
                            }
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
        state = self._desk.state
        editor = state.editor
        draft = editor.draft
        rows = self._rows()
        if self._row is not None and (self._row[0] >= len(rows) or rows[self._row[0]]["name"] != self._row[1]):
            self._row = None  # the row is now another one's
        self._show_selected()
        titles = {key: title for key, (title, _) in TABS.items()}
        titles["geometry"] = "Frames" if draft.convention == "frames" else _DH_TITLES[draft.convention]
        if draft.loops:
            titles["loops"] = f"Loops ({len(draft.loops)})"
        wrong = editor.wrong_tables()
        if state.open_loop:
            wrong.add("loops")
        for key, tab in self._tabs.items():
            set_text(tab, f"{titles[key]} ⚠" if key in wrong else titles[key])
            set_attribute(tab, "data-wrong", "yes" if key in wrong else None)
            set_attribute(tab, "title", "contains an error" if key in wrong else None)
        columns = (
            loop_columns(draft, state.angles) if self._shows_loops else link_columns(draft, self._tab, state.angles)
        )
        errors: dict[int, dict[str, str]] = {}
        for problem in editor.problems:
            if problem.row is not None and problem.table == self._table:
                errors.setdefault(problem.row, {})[problem.column] = problem.reason
        gaps = state.loop_gaps if self._shows_loops else {}

        def more(cells: dict[str, str]) -> dict[str, Any]:
            if self._shows_loops:
                return {"gap": gaps.get(cells["name"], ""), "variable": ""}
            return {"driven": driven_cell(cells), "variable": variable(draft, cells["joint"])}

        def kept(i: int, cells: dict[str, str]) -> dict[str, str]:
            return {} if self._shows_loops else {KEPT: kept_text(cells, draft.rest[i])}

        shown = [
            {
                **shown_cells(cells, state.angles),
                **more(cells),
                **kept(i, cells),
                "row": i,
                "table": self._table,
                "errors": errors.get(i, {}),
            }
            for i, cells in enumerate(rows if editor.editable else ())
        ]
        # In one go: what is typed between two would go to a row of the table before.
        changes: dict[str, Any] = {"rowData": shown}
        key = repr(columns)
        if key != self._columns:
            self._columns = key
            changes["columnDefs"] = columns
        self._grid.run_grid_method("updateGridOptions", changes)
        self._grid.run_grid_method("refreshCells", {"force": True})
        self._frame_of_grid.set_visibility(not self._shows_loops or bool(draft.loops))
        loops = " ".join(state.loop_facts) if draft.loops else NO_LOOPS
        facts = {"loops": loops, "joint": state.angles.of(UNITS_OF_JOINTS), "flexible": FLEXIBLE_LINKS}
        self._facts.set_visibility(self._tab in facts)
        set_text(self._facts, facts.get(self._tab, ""))
        self._gravity.show(", ".join(str(x).removesuffix(".0") for x in draft.robot.get("gravity", (0, 0, -9.81))))
        self._name.show(str(draft.robot.get("name", "")))
        enable(self._rods, draft.convention == "dh")
        enable(self._convert, draft.convention != "frames" and not state.robot.model.flexible)
        set_text(self._convert, "To DH" if draft.convention == "modified-dh" else "To modified DH")
        self._list = []
        self._step_list.clear()

    @property
    def _shows_loops(self) -> bool:
        return self._tab == "loops"

    @property
    def _table(self) -> str:
        return "loops" if self._shows_loops else "links"

    def _rows(self) -> tuple[dict[str, str], ...]:
        """Of the table that is shown."""
        draft = self._desk.state.editor.draft
        return draft.loops if self._shows_loops else draft.rows

    def block(self, reason: str) -> None:
        """Disables what needs a valid robot while the tables are invalid."""
        block(self._start, reason, STEPS)
        block(self._tip, reason, TIP)
        block(self._adders["loops"], reason, ADD_LOOP)

    def show_mistake(self) -> None:
        """Opens the table with the first error, at its cell."""
        editor = self._desk.state.editor
        if not editor.problems:
            return
        first = editor.problems[0]
        self.choose(table_of(first))
        if first.row is not None:
            self._grid.run_grid_method("ensureIndexVisible", first.row)
            self._grid.run_grid_method("ensureColumnVisible", first.column)
            self._grid.run_grid_method("setFocusedCell", first.row, first.column)

    async def _edited(self, event: Any) -> None:
        editor = self._desk.state.editor
        column, value = str(messages.entry(event.args, "colId")), event.args.get("newValue")
        data = messages.entry(event.args, "data")
        loops = messages.entry(data, "table") == "loops"
        row = messages.index(data, "row", len(editor.draft.loops if loops else editor.draft.rows))
        if column == "driven":  # after another cell was edited, the event has the value before the click
            value = YES if messages.entry(data, column) else ""
        cells = (editor.draft.loops if loops else editor.draft.rows)[row]
        typed = self._desk.state.angles.typed(messages.text(value), cell_units(cells, column))
        change = editor.set_loop if loops else editor.set_cell
        await self._desk.edit(lambda: change(row, column, typed))

    def _focused(self, event: Any) -> None:
        rows = self._rows()
        row = messages.entry(event.args, "rowIndex")
        if row is not None:
            row = messages.index(event.args, "rowIndex", len(rows))
            self._row = row, rows[row]["name"]
            self._show_selected()

    def choose_none(self) -> None:
        """Clears the selection: the robot has changed."""
        self._row = None

    def _show_selected(self) -> None:
        """Shows the buttons of this table, and which link or loop one of them removes."""
        name = self._row[1] if self._row else ""
        for table, remover in self._removers.items():
            remover.set_visibility(table == self._table)
            self._adders[table].set_visibility(table == self._table)
        remover = self._removers[self._table]
        set_text(remover, f"− {name or ('Loop' if self._shows_loops else 'Link')}")
        block(remover, "" if name else REMOVE[self._table], f"Remove {name}")

    def _remove(self) -> None:
        editor = self._desk.state.editor
        (editor.remove_loop if self._shows_loops else editor.remove_link)(self._row[0] if self._row else None)
        self._row = None

    async def _add_loop(self) -> None:
        """What closes is found in a thread, since a robot is built; then it is an edit as any other."""
        desk, found = self._desk, list[Closing]()
        if await desk.attempt("loop", lambda: found.append(desk.state.closing()), slow=True):
            await desk.edit(lambda: desk.state.editor.add_loop(found[0]))

    async def _set_gravity(self, value: str) -> None:
        parts = [part.strip() for part in value.replace(";", ",").split(",")]
        await self._desk.edit(lambda: self._desk.state.editor.set_field("gravity", parts))

    async def _set_name(self, value: str) -> None:
        await self._desk.edit(lambda: self._desk.state.editor.set_field("name", value.strip()))

    # --- tabs ----------------------------------------------------------------------------------------------------

    def choose(self, tab: str) -> None:
        """Opens a tab of the dock."""
        before, self._tab = self._tab, tab
        if (before == "loops") != (tab == "loops"):
            self._row = None
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
        if not await desk.attempt(
            "pose", lambda: found.extend(dh_steps(desk.state.robot, desk.state.q, desk.state.angles)), slow=True
        ):
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
                        shown = f"{step['symbol']} = {step['shown']}"
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
