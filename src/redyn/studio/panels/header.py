"""The header: choice of the robot, new robots, uploads and downloads."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from nicegui import ui

from redyn.description import RobotDescription, library, read
from redyn.studio import takeaway, uploads
from redyn.studio.controls import Choice, Part, block, box, button, enable, menu, set_attribute, set_text, text
from redyn.studio.links import new_robot
from redyn.studio.opening import open_source, opened
from redyn.studio.panels import gallery
from redyn.studio.units import DEGREES, RADIANS

if TYPE_CHECKING:
    from redyn.studio.desk import Desk

OWN = "own"  # the entry of a robot that is not in the library
START = "start"  # key of the robot that the studio was started with, if it is a file
INSIDE = "inside:"  # prefix of another robot in the same upload
GALLERY = "Robots by pictures, groups and words, and your own"
PYTHON = "A Python script that repeats what is on the screen"
REPORT = "The motion as one self-contained HTML file"
DATA = "The motion as a table, CSV: it can be uploaded again as a motion or as torques"
SESSION = "All that you have entered: robot, forms and answers; Upload opens it again"
SAVE = "Save the robot"
ANGLES_TITLE = "Angles are shown and typed in {}; a click changes to {}. pi/2 and 90 deg are understood in either"
_UNITS = {"rad": ("radians", "degrees"), "deg": ("degrees", "radians")}
KEYS = (
    ("Space", "play and pause"),
    ("← →", "step through time; with Shift, in larger steps"),
    ("Home, End", "first and last instant"),
    ("F", "fit the robot as it is shown; with Shift, its whole motion"),
    ("Alt + 1, 2, 3, 4, 5", "inverse dynamics, forward dynamics, equations, compare, kinematics"),
    ("Ctrl + Enter", "run the computation of the open tab"),
    ("Ctrl + Z, Ctrl + Y", "undo and redo in the tables"),
    ("Tab, Enter", "move between controls; start or end editing a cell"),
)
SHORTCUTS = """
if (!window.redynKeys) {
  window.redynKeys = true;
  const press = (id) => document.querySelector(`[data-testid=${id}]`)?.click();
  document.addEventListener('keydown', (event) => {
    const control = event.ctrlKey || event.metaKey;
    const typing = event.target.closest?.('input:not([type=range], [type=checkbox]), textarea');
    const tab = {
      1: 'tab-inverse', 2: 'tab-forward', 3: 'tab-equations', 4: 'tab-compare', 5: 'tab-kinematics',
    }[event.key];
    const open = document.querySelector('[role=tab][aria-selected=true][data-testid^=tab-]')?.dataset.testid;
    if (event.altKey && tab) press(tab);
    else if (control && event.key === 'Enter') {
      const at = document.activeElement; // what was typed there counts
      at.blur();
      at.focus();
      const run = {
        'tab-forward': 'run-forward', 'tab-kinematics': 'run-kinematics', 'tab-exercises': null,
      }[open];
      if (run !== null) press(run ?? 'run-inverse');
    }
    else if (control && !typing && event.key.toLowerCase() === 'z') press(event.shiftKey ? 'redo' : 'undo');
    else if (control && !typing && event.key.toLowerCase() === 'y') press('redo');
    else return;
    event.preventDefault();
    event.stopPropagation();
  }, true); // before a list takes Enter for its own
}
"""


class Header:
    def __init__(self, desk: Desk) -> None:
        self._desk, state = desk, desk.state
        with box("headline", tag="header"):
            text("redyn", "brand", "h1")
            self._robots = Choice(self._options(), OWN, self._pick, "robot-select", "Robot", "robots")
            button("Gallery", "gallery", lambda: gallery.show(desk), GALLERY)
            options = {
                "text": "Upload",
                "accept": ".yaml,.yml,.urdf,.xml,.zip",
                "url": f"{desk.upload_url}/robot",
                "largest": uploads.LARGEST,
                "title": "A robot file: YAML, URDF or MJCF, or a zip of one with its meshes; or a saved session",
                "testid": "robot-upload",
                "drop": True,
            }
            Part("file", options, refused=desk.refused_upload)
            new = {
                "new-dh": ("DH table (the book's)", lambda: self._new("dh")),
                "new-modified-dh": ("Modified DH table", lambda: self._new("modified-dh")),
                "new-frames": ("Table of frames", lambda: self._new("frames")),
            }
            menu("New", "robot-new", "Start from an empty table", new)
            save = {
                "save-yaml": ("Robot as YAML", lambda: self._save("yaml")),
                "save-urdf": ("Robot as URDF", lambda: self._save("urdf")),
            }
            self._saver = menu("Save", "robot-save", SAVE, save)
            session = {
                "save-session": ("Save the session as a file", desk.save_session),
                "link-session": ("Copy the session as a link", desk.copy_link),
            }
            menu("Session", "session", SESSION, session)
            with box("group"):
                self._undo = button("↶", "undo", lambda: desk.edit(state.editor.undo), "Undo (Ctrl+Z)", "small icon")
                self._redo = button("↷", "redo", lambda: desk.edit(state.editor.redo), "Redo (Ctrl+Y)", "small icon")
            notes = "Notes on this robot: warnings from loading it, defects of its source"
            self._notes = button("", "robot-notes", self._show_notes, notes, "small notes")
            box("spring")
            self._python = button("Copy as Python", "copy-python", self._copy, PYTHON)
            self._report_button = button("Report", "export-html", self._report, REPORT)
            self._data = button("CSV", "export-csv", self._csv, DATA)
            with box("group"):
                self._angles = button("", "angles", self._switch_angles, classes="small angles")
                button("Aa", "large-type", title="Large type", classes="small icon", js="() => redynLook.large()")
                button("◐", "theme", title="Light or dark", classes="small icon", js="() => redynLook.theme()")
                button("?", "help", self._help, "Keys", "small icon")
        self._code = ui.dialog().props("data-testid=python-dialog")
        ui.run_javascript(SHORTCUTS)

    def _options(self) -> dict[str, str]:
        """The current robot, others of the same upload, the one the studio was started with, and the library."""
        state, start = self._desk.state, self._desk.start
        name = str(state.robot.name)
        own = {OWN: f"{name} (edited)" if name in library() else name}
        archive = state.archive
        inside = {f"{INSIDE}{x}": f"{x}, in {archive.archive}" for x in archive.robots} if archive else {}
        others = {key: text for key, text in inside.items() if archive and key != f"{INSIDE}{archive.chosen}"}
        own_file = start.description.folder is not None
        begun = {START: f"{start.robot.name} (started with)"} if own_file else {}
        return {**own, **others, **begun, **{robot: robot for robot in library()}}

    def show(self) -> None:
        state = self._desk.state
        name = str(state.robot.name)
        as_in_library = name in library() and _same_as_library(state.robot.description, name)
        options = self._options()
        if as_in_library:
            options.pop(OWN)
        self._robots.show(name if as_in_library else OWN, options)
        set_text(self._angles, state.angles.name)
        set_attribute(self._angles, "title", ANGLES_TITLE.format(*_UNITS[state.angles.name]))
        enable(self._undo, state.editor.can_undo)
        enable(self._redo, state.editor.can_redo)
        count = len(state.notes)
        serious = bool(state.warnings or state.robot.notes)
        set_text(self._notes, f"{'⚠ ' if serious else ''}{count} note{'s' if count > 1 else ''}")
        set_attribute(self._notes, "data-warnings", "yes" if serious else None)
        self._notes.set_visibility(count > 0)

    def block(self, reason: str) -> None:
        """While the tables are invalid, nothing is saved or copied; while a loop is open, the robot is."""
        block(self._saver, self._desk.strips.wrong, SAVE)
        for element, usual in (
            (self._python, PYTHON),
            (self._report_button, REPORT),
            (self._data, DATA),
        ):
            block(element, reason, usual)

    async def _switch_angles(self) -> None:
        state = self._desk.state
        await self._desk.set_angles(RADIANS if state.angles.degrees else DEGREES)

    # --- robots --------------------------------------------------------------------------------------------------

    async def _pick(self, name: str) -> None:
        desk = self._desk
        if name == START:
            await desk.open(lambda: desk.start)
        elif name.startswith(INSIDE):
            await desk.open(desk.other_robot(name.removeprefix(INSIDE)))
        elif name != OWN:
            await desk.open(lambda: open_source(name))

    async def _new(self, convention: str) -> None:
        await self._desk.open(lambda: opened(new_robot(convention), []))

    def _show_notes(self) -> None:
        with ui.dialog() as dialog, box("sheet", "notes-dialog"):
            text(f"Notes on {self._desk.state.robot.name}", tag="h2")
            with box("notes-list", tag="ul"):
                for note in self._desk.state.notes:
                    text(note, tag="li")
            button("Close", "close-notes", dialog.close)
        dialog.on_value_change(lambda event: None if event.value else dialog.delete())
        dialog.open()

    # --- downloads -----------------------------------------------------------------------------------------------

    async def _save(self, kind: str) -> None:
        await self._desk.download(lambda: takeaway.robot_file(self._desk.state, kind), slow=False)

    async def _copy(self) -> None:
        made: list[str] = []
        if not await self._desk.attempt("save", lambda: made.append(takeaway.python(self._desk.state)), slow=True):
            return
        ui.clipboard.write(made[0])
        self._code.clear()
        with self._code, box("sheet"):
            text("Copied. This repeats what is on the screen:", tag="h2")
            text(made[0], "code", "pre", "python-code")
            with box("in-line"):
                button("Save as .py", "save-python", lambda: ui.download.content(made[0], "studio.py"))
                button("Close", "close-python", self._code.close)
        self._code.open()

    async def _report(self) -> None:
        formulas = await self._desk.equations.derived() if not self._desk.strips.reason else None
        await self._desk.download(lambda: takeaway.report(self._desk.state, formulas), "text/html")

    async def _csv(self) -> None:
        await self._desk.download(lambda: takeaway.motion_csv(self._desk.state), "text/csv")

    def _help(self) -> None:
        with ui.dialog() as dialog, box("sheet", "help-dialog"):
            text("Keys", tag="h2")
            with box("keys", tag="table"):
                for keys, meaning in KEYS:
                    with box(tag="tr"):
                        text(keys, tag="th")
                        text(meaning, tag="td")
            text("Click a plot to go to that instant, drag to zoom, double-click to reset.", tag="p")
            button("Close", "close-help", dialog.close)
        dialog.on_value_change(lambda event: None if event.value else dialog.delete())
        dialog.open()


def _same_as_library(description: object, name: str) -> bool:
    return _of_library(name) == description


@lru_cache
def _of_library(name: str) -> RobotDescription:
    return read(name)
