"""The equations of motion: formulas of small robots, numbers at the current state, and operation counts."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Any

from nicegui import ui
from nicegui.element import Element

from redyn.errors import RedynError
from redyn.kernels.program import Count
from redyn.reproduce.published import FORWARD, INVERSE, Formula
from redyn.robot import Robot
from redyn.studio.controls import block, box, button, set_text, text
from redyn.studio.entries import is_closed
from redyn.studio.formulas import MOST_JOINTS, Formulas
from redyn.studio.jobs import Job
from redyn.studio.panels.matrices import Hint, matrix_html, table_html

if TYPE_CHECKING:
    from redyn.studio.desk import Desk
    from redyn.studio.state import State

LOOK = 0.2  # s between looks at a derivation
PATIENCE = 20.0  # s for which a report waits for it
MOST_SHOWN = 40  # rows and columns of numbers
LAW = "M(q) q̈ + C(q, q̇) q̇ + g(q) + friction = τ"
ELASTIC = "M(q) q̈ + C(q, q̇) q̇ + g(q) + K q + friction = τ"
CLOSED = "M(q) q̈ + C(q, q̇) q̇ + g(q) + friction = τ + J(q)ᵀ λ,   J(q) q̈ = γ(q, q̇)"
OF_ELASTIC = (("Inverse dynamics", "inverse_dynamics"), ("Forward dynamics, φ given", "solve"))
LATEX = "Copy what is shown as LaTeX"
PARTS = {
    "mass": ("Mass matrix", "M(q)"),
    "coriolis": ("Coriolis matrix", "C(q, q̇)"),
    "gravity": ("Gravity", "g(q)"),
}


def mass_hint(i: int, j: int) -> str:
    low, high = max(i, j) + 1, min(i, j) + 1
    equation = "(9.15b)" if i >= j else "(9.15c), the transpose of (9.15b)"
    return f"element {i + 1},{j + 1} of the GIM: p{low}ᵀ M̃{low} B{low}{high} p{high}, Eq. {equation}"


def coriolis_hint(i: int, j: int) -> str:
    return f"element {i + 1},{j + 1} of the MCI C, Eq. (9.16k)"


def gravity_hint(i: int, _: int) -> str:
    return f"gravity torque of joint {i + 1}: −p{i + 1}ᵀ w̃ᴱ{i + 1} with the weights in w̃ᴱ, Eq. (9.21b)"


HINTS: dict[str, Hint] = {"mass": mass_hint, "coriolis": coriolis_hint, "gravity": gravity_hint}


class EquationsPanel:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._robot: Robot | None = None  # whose formulas are shown or being derived
        self._counted: Robot | None = None  # whose operations are counted
        self._job: Job | None = None
        self._formulas: Formulas | None = None
        self._symbolic: dict[str, ui.html] = {}
        self._numbers: dict[str, ui.html] = {}
        self._copies: list[Element] = []
        self._shown: dict[str, Any] = {}  # the matrices of numbers that are on the screen
        self.root = box("work", "panel-equations", role="tabpanel")
        with self.root, box("equations"):
            self._law = text("", "law", "p", "equations-law")
            self._note = text("", "run-note", "p", "equations-note")
            for key, (title, _) in PARTS.items():
                with box("card equation", f"equation-{key}"):
                    with box("panel-head"):
                        text(title, tag="h2")
                        copy = button("Copy LaTeX", f"copy-latex-{key}", partial(self._copy, key), LATEX)
                        self._copies.append(copy)
                    self._symbolic[key] = ui.html("", sanitize=False).classes("formula")
                    self._symbolic[key].props(f"data-testid=formula-{key}")
                    self._numbers[key] = ui.html("", sanitize=False).classes("numbers")
                    self._numbers[key].props(f"data-testid=numbers-{key}")
            with box("card equation", "operation-counts"):
                text("Operation counts", tag="h2")
                self._counts = ui.html("", sanitize=False).classes("counts")
        self._timer = ui.timer(LOOK, self._look, active=False)

    async def show(self) -> None:
        """Called when the tab opens, or the robot changes while it is open."""
        desk = self._desk
        if desk.state.tab != "equations":
            return
        robot = desk.state.robot
        if robot is not self._robot:
            self._begin(robot)
        if robot is not self._counted:
            self._counted = robot
            made: list[str] = []
            if (
                await desk.attempt("equations", lambda: made.append(_counted(desk.state, robot)), slow=True)
                and robot is self._counted
            ):
                self._counts.set_content(made[0])
        self.show_numbers()

    async def derived(self) -> Formulas | None:
        """The formulas of the robot, which are derived if need be; None for large robots, or if they take too long."""
        robot = self._desk.state.robot
        if robot is not self._robot and not self._desk.state.open_loop:
            self._begin(robot)
        for _ in range(round(PATIENCE / LOOK)):
            if self._job is None or robot is not self._robot:
                break
            await asyncio.sleep(LOOK)
        return self._formulas if robot is self._robot else None

    def _begin(self, robot: Robot) -> None:
        state = self._desk.state
        if state.derivation is not None:
            state.derivation.cancel()
        state.derivation = None
        self._robot, self._job, self._formulas = robot, None, None
        set_text(self._law, law_of(robot))
        for part in self._symbolic.values():
            part.set_content("")
        if self._counted is not robot:
            self._counts.set_content("")
        if robot.tree.dof > MOST_JOINTS:
            what = "coordinates, those of bending included" if robot.model.gives else "joints"
            note = f"Formulas are shown for up to {MOST_JOINTS} {what}; the numbers are those of the pose on the left."
            return set_text(self._note, note + of_tree(robot))
        set_text(self._note, "deriving the formulas")
        try:
            self._job = self._desk.submit("redyn.studio.formulas:derive", robot.description)
            state.derivation = self._job
        except RedynError as error:
            self._robot = None  # tried again when the tab is opened again
            return set_text(self._note, str(error))
        self._timer.active = True
        return None

    def block(self, reason: str) -> None:
        """Disables copying while the tables are invalid."""
        for copy in self._copies:
            block(copy, reason, LATEX)

    def _look(self) -> None:
        job = self._job
        if job is None or not job.over.is_set():
            if job is not None and job.note:
                set_text(self._note, job.note)
            return
        self._job, self._timer.active = None, False
        set_text(self._note, job.error or job.reason)
        if job.state == "done":
            note = "c12 is cos(theta 1 + theta 2), s12 its sine; the constants are those of the tables."
            set_text(self._note, note + (of_tree(self._robot) if self._robot is not None else ""))
            self._formulas = job.result
            for key, part in self._symbolic.items():
                formula = getattr(job.result, key)
                cells = [[entry.mathml for entry in row] for row in formula.rows]
                part.set_content(matrix_html(cells, PARTS[key][1], hint_of(self._robot, key), markup=True))
            self.show_numbers()

    def show_numbers(self) -> None:
        state = self._desk.state
        if state.tab != "equations":
            return
        self._shown = state.matrices()
        for key, matrix in self._shown.items():
            name = "now" if self._formulas is not None else PARTS[key][1]
            self._numbers[key].set_content(numbers_html(matrix, name, hint_of(state.robot, key)))

    async def _copy(self, key: str) -> None:
        latex: list[str] = []

        def make() -> None:
            self._desk.state.check_right()
            formulas = self._formulas
            latex.append(numbers_latex(self._shown[key]) if formulas is None else getattr(formulas, key).latex())

        if await self._desk.attempt("save", make):
            ui.clipboard.write(latex[0])
            self._desk.notify("Copied as LaTeX.")


def law_of(robot: Robot) -> str:
    """The equations of motion in short."""
    return CLOSED if robot.model.loops else ELASTIC if robot.model.gives else LAW


def hint_of(robot: Robot | None, key: str) -> Hint | None:
    """What an element is, for robots of rigid links: equations of the book."""
    return None if robot is None or robot.model.gives else HINTS[key]


def _counted(state: State, robot: Robot) -> str:
    """The table of counts; matrices are computed once as well, since their first time may take seconds."""
    if state.robot is robot:
        state.matrices()
    return counts_html(robot)


def of_tree(robot: Robot) -> str:
    """What is added to the note of a robot with loops, wheels or flexibility."""
    if robot.model.gives and not robot.model.loops and not robot.model.contacts:
        return " K q are the forces of bending, torsion and elastic gears; C is that of Christoffel's symbols."
    if robot.model.contacts:
        return " M, C and g are those of the tree, without the wheels' condition not to slip."
    if not robot.model.loops:
        return ""
    return " M, C and g are those of the tree, with its loops open; λ are the forces of the joints that close them."


def numbers(matrix: Any) -> list[list[str]]:
    """The entries shown: the first rows and columns of a large matrix."""
    return [[f"{x:.5g}" if abs(x) > 1e-12 else "0" for x in row] for row in matrix[:MOST_SHOWN, :MOST_SHOWN]]


def numbers_html(matrix: Any, name: str, hint: Hint | None) -> str:
    """A matrix of numbers."""
    cut = "" if len(matrix) <= MOST_SHOWN else f"<p>the first {MOST_SHOWN} of {len(matrix)} joints</p>"
    return matrix_html(numbers(matrix), name, hint) + cut


def numbers_latex(matrix: Any) -> str:
    """The same numbers as LaTeX, with dots for omitted rows and columns."""
    rows = numbers(matrix)
    if matrix.shape[1] > MOST_SHOWN:
        rows = [[*row, r"\cdots"] for row in rows]
    if len(matrix) > MOST_SHOWN:
        rows.append([r"\vdots"] * len(rows[0]))
    body = r" \\ ".join(" & ".join(row) for row in rows)
    return rf"\begin{{bmatrix}} {body} \end{{bmatrix}}"


def counts_html(robot: Robot) -> str:
    """Multiplications and additions of this robot's kernels, and of the published algorithms for the same n.

    Those are for open chains of rigid links: where loops are closed, wheels roll or links bend, there is nothing to
    compare with.
    """
    n = robot.dof
    parts: list[str] = []
    tables: list[tuple[str, str, dict[str, tuple[Formula, Formula]]]] = [
        (f"Inverse dynamics, Table 9.1, n = {n}", "inverse_dynamics", INVERSE),
        (f"Forward dynamics, φ given, Table 9.6, n = {n}", "solve", FORWARD),
    ]
    tied = is_closed(robot) or bool(robot.model.contacts)
    if robot.model.gives and not tied:
        tables = [(f"{title}, n = {n}", name, {}) for title, name in OF_ELASTIC]
    if tied:
        how = "wheels rolling" if robot.model.contacts else "loops closed"
        tables = [
            (f"Inverse dynamics, {how}, n = {n}", "inverse_dynamics", {}),
            (f"Forward dynamics, {how}, n = {n}", "forward_dynamics", {}),
        ]
    for title, name, published in tables:
        count: Count = (robot if tied else robot.tree).operation_count(name)
        rows = [["redyn, this robot", str(count.multiplications), str(count.additions)]]
        rows += [[author, f"{m(n):.0f}", f"{a(n):.0f}"] for author, (m, a) in published.items()]
        parts.append(f"<div><p>{title}</p>{table_html(['', '×', '+'], rows)}</div>")
    return "".join(parts)
