"""The line on top: which robot, how to get another one, and what can be taken home."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nicegui import ui

from redyn.description import library
from redyn.studio import uploads
from redyn.studio.controls import Choice, Part, box, button, enable, menu, text

if TYPE_CHECKING:
    from redyn.studio.desk import Desk

OWN = "own"  # the entry of a robot that is not as in the library
KEYS = (
    ("Space", "play and pause"),
    ("← →", "step through time; with Shift, in larger steps"),
    ("Home, End", "first and last instant"),
    ("F", "fit the view"),
    ("Alt + 1, 2, 3", "inverse dynamics, forward dynamics, equations"),
    ("Ctrl + Enter", "run what the open tab computes"),
    ("Ctrl + Z, Ctrl + Y", "undo and redo in the tables"),
    ("Tab, Enter", "from control to control; begin or end editing a cell"),
)
SHORTCUTS = """
if (!window.redynKeys) {
  window.redynKeys = true;
  const press = (id) => document.querySelector(`[data-testid=${id}]`)?.click();
  document.addEventListener('keydown', (event) => {
    const control = event.ctrlKey || event.metaKey;
    const typing = event.target.closest?.('input:not([type=range], [type=checkbox]), textarea');
    const tab = {1: 'tab-inverse', 2: 'tab-forward', 3: 'tab-equations'}[event.key];
    const open = document.querySelector('[role=tab][aria-selected=true][data-testid^=tab-]')?.dataset.testid;
    if (event.altKey && tab) press(tab);
    else if (control && event.key === 'Enter') {
      const at = document.activeElement; // what was typed there counts
      at.blur();
      at.focus();
      press(open === 'tab-forward' ? 'run-forward' : 'run-inverse');
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
            options = {
                "text": "Upload",
                "accept": ".yaml,.yml,.urdf,.xml,.zip",
                "url": f"{desk.upload_url}/robot",
                "largest": uploads.LARGEST,
                "title": "A robot file: YAML, URDF or MJCF, or a zip of one with its meshes",
                "testid": "robot-upload",
                "drop": True,
            }
            Part("file", options, taken=self._taken, refused=desk.trouble)
            new = {
                "new-dh": ("DH table (the book's)", lambda: desk.change_robot(lambda: state.begin("dh"))),
                "new-modified-dh": ("Modified DH table", lambda: desk.change_robot(lambda: state.begin("modified-dh"))),
                "new-frames": ("Table of frames", lambda: desk.change_robot(lambda: state.begin("frames"))),
            }
            menu("New", "robot-new", "Start from an empty table", new)
            save = {
                "save-yaml": ("Robot as YAML", lambda: self._save("yaml")),
                "save-urdf": ("Robot as URDF", lambda: self._save("urdf")),
            }
            menu("Save", "robot-save", "Save the robot", save)
            with box("group"):
                self._undo = button("↶", "undo", lambda: desk.edit(state.editor.undo), "Undo (Ctrl+Z)", "small icon")
                self._redo = button("↷", "redo", lambda: desk.edit(state.editor.redo), "Redo (Ctrl+Y)", "small icon")
            box("spring")
            button("Copy as Python", "copy-python", self._copy, "The Python that repeats what is on the screen")
            button("Report", "export-html", self._report, "The motion as one HTML file that plays anywhere")
            with box("group"):
                button("Aa", "large-type", title="Large type", classes="small icon", js="() => redynLook.large()")
                button("◐", "theme", title="Light or dark", classes="small icon", js="() => redynLook.theme()")
                button("?", "help", self._help, "Keys", "small icon")
        self._code = ui.dialog().props("data-testid=python-dialog")
        ui.run_javascript(SHORTCUTS)

    def _options(self) -> dict[str, str]:
        name = str(self._desk.state.editor.draft.robot.get("name", "robot"))
        own = f"{name} (edited)" if name in library() else name
        return {OWN: own, **{robot: robot for robot in library()}}

    def show(self) -> None:
        state = self._desk.state
        name = str(state.robot.name)
        as_in_library = name in library() and _same_as_library(state.robot.description, name)
        options = self._options()
        if as_in_library:
            options.pop(OWN)
        self._robots.show(name if as_in_library else OWN, options)
        enable(self._undo, state.editor.can_undo)
        enable(self._redo, state.editor.can_redo)

    async def _pick(self, name: str) -> None:
        if name != OWN:
            await self._desk.change_robot(lambda: self._desk.state.pick(name))

    async def _taken(self, _: object) -> None:
        """The upload has put its robot into the state; or has not, and said so."""
        desk = self._desk
        desk.clear_trouble()
        desk.tell("; ".join(desk.state.notes[:3]))
        desk.show_robot()
        await desk.rerun(keep=False)

    async def _save(self, kind: str) -> None:
        state = self._desk.state

        def save() -> None:
            content = state.robot.to_yaml() if kind == "yaml" else state.robot.to_urdf()
            ui.download.content(content, f"{uploads.safe_name(state.robot.name)}.{kind}")

        await self._desk.attempt(save)

    async def _copy(self) -> None:
        made: list[str] = []
        if not await self._desk.attempt(lambda: made.append(self._desk.state.python())):
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
        made: list[tuple[str, bytes]] = []
        if await self._desk.attempt(lambda: made.append(self._desk.state.html()), slow=True):
            name, content = made[0]
            ui.download.content(content, name, "text/html")

    def _help(self) -> None:
        with ui.dialog() as dialog, box("sheet", "help-dialog"):
            text("Keys", tag="h2")
            with box("keys", tag="table"):
                for keys, meaning in KEYS:
                    with box(tag="tr"):
                        text(keys, tag="th")
                        text(meaning, tag="td")
            text("Click a plot to go to that instant, drag to zoom, double-click to see all.", tag="p")
            button("Close", "close-help", dialog.close)
        dialog.open()


def _same_as_library(description: object, name: str) -> bool:
    from redyn.description import read

    return read(name) == description
