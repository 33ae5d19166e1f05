"""The tables being edited, with undo and redo. The last valid robot is kept until the next one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from redyn.description import RobotDescription
from redyn.description.ends import ROOT, TIP
from redyn.description.schema import WORLD
from redyn.errors import InputError
from redyn.studio import loop_rows
from redyn.studio.cells import Problem
from redyn.studio.closing import Closing, carried_over, distance
from redyn.studio.convention import other_convention
from redyn.studio.flexible_cells import FLEXIBLE
from redyn.studio.links import blank_row, retyped, uniform_rods
from redyn.studio.opening import Origin
from redyn.studio.stretch import Stretch, stretch_of, stretched
from redyn.studio.table import JOINT, MASS, YES, Draft, draft_of, read

MOST_LINKS = 200  # shown in a table; a longer robot can be used but not edited
MOST_STEPS = 200  # edits that can be undone


class Editor:
    """The tables with their history. `description` is the last valid robot, `problems` the current errors.

    `origin`: where that robot comes from. `offer`: the scaling of the body that the last edit suggests, see stretch.py.
    `note`: what the last edit has changed besides its cell.
    """

    def __init__(self, description: RobotDescription, origin: Origin | None = None) -> None:
        self._past: list[Draft] = []
        self._future: list[Draft] = []
        self.draft = draft_of(description, origin)
        self.description, self.origin = description, self.draft.origin
        self.problems: list[Problem] = []
        self.offer: Stretch | None = None
        self.note = ""

    @property
    def mistake(self) -> str:
        """The first error, with its location; empty if the tables are valid."""
        if not self.problems:
            return ""
        first = self.problems[0]
        if first.row is None:
            return first.reason
        rows, kind = (self.draft.rows, "link") if first.table == "links" else (self.draft.loops, "loop")
        name = rows[first.row]["name"] or f"{kind} {first.row + 1}"
        return f"{name}, {first.column}: {first.reason}"

    def wrong_tables(self) -> set[str]:
        """The tables with errors: geometry, mass, joint, flexible, loops; those of the whole robot are in the first."""
        return {table_of(problem) for problem in self.problems}

    def refuse(self, description: RobotDescription, reason: str, last: RobotDescription, origin: Origin) -> None:
        """The tables could be read, but the robot could not be built: an error of the tables as well.

        `last` is the last valid robot, with its origin.
        """
        if self.description is description:
            self.description, self.origin = last, origin
            self.problems = self.problems or [Problem(None, "", reason)]

    def restore(self, draft: Draft, description: RobotDescription) -> None:
        """Restores saved tables, with the last valid robot."""
        self._past, self._future, self.offer = [], [], None
        self.description, self.origin = description, draft.origin
        self._read(draft)

    @property
    def editable(self) -> bool:
        return len(self.draft.rows) <= MOST_LINKS

    @property
    def can_undo(self) -> bool:
        return bool(self._past)

    @property
    def can_redo(self) -> bool:
        return bool(self._future)

    def open(self, description: RobotDescription, origin: Origin) -> None:
        """Replaces the robot; undo brings back the previous one."""
        self._enter(draft_of(description, origin))
        self.description, self.origin, self.problems, self.offer, self.note = description, origin, [], None, ""

    def move(self, folder: Path, origin: Origin) -> None:
        """The robot's file has moved to this folder."""
        self.draft, self.origin = replace(self.draft, folder=folder, origin=origin), origin
        self.description = self.description.placed_in(folder)

    def set_cell(self, row: int, column: str, text: str) -> bool:
        """True if the tables are now valid."""
        if not 0 <= row < len(self.draft.rows) or column not in self.draft.rows[row]:
            raise InputError(f"there is no cell {column!r} in row {row + 1}")
        rows = list(self.draft.rows)
        changed = {**rows[row], column: text.strip()[:300]}
        if column == "joint":
            changed = retyped(changed, rows[row]["joint"], self.draft.convention)
        rows[row] = changed
        before = self.draft
        if column == "name":
            old, new, robot = before.rows[row]["name"], changed["name"], before.robot
            ends = {old: new, **{f"{old}.{end}": f"{new}.{end}" for end in (ROOT, TIP)}}  # of a flexible link
            rows = [{**r, "parent": ends.get(r["parent"], r["parent"])} for r in rows]
            if robot.get("end_effector") in ends:
                robot = {**robot, "end_effector": ends[robot["end_effector"]]}
            loops = before.loops
            for name, other in ends.items():
                loops = loop_rows.renamed(loops, name, other)
            return self._change(replace(before, robot=robot, rows=tuple(rows), loops=loops))
        right = self._change(replace(self.draft, rows=tuple(rows)))
        self.offer = stretch_of(before, self.draft, row, column) if right else None
        return right

    def stretch(self) -> bool:
        """Scales mass centre and inertia with the length that was changed last."""
        if self.offer is None:
            raise InputError("the last edit changed no length")
        row, matrix, _ = self.offer
        rows = [stretched(cells, matrix) if k == row else cells for k, cells in enumerate(self.draft.rows)]
        return self._change(replace(self.draft, rows=tuple(rows)))

    def set_field(self, name: str, value: Any) -> bool:
        """Sets a field of the whole robot: name or gravity."""
        return self._change(replace(self.draft, robot={**self.draft.robot, name: value}))

    def add_link(self) -> bool:
        """Adds a rod of one metre at the end of the chain."""
        if not self.editable:
            raise InputError(f"a table shows at most {MOST_LINKS} links")
        names = {row["name"] for row in self.draft.rows}
        joints = {str(rest.get("joint", {}).get("name")) for rest in self.draft.rest}
        k = next(k for k in range(len(names) + 1, 10_000) if f"link{k}" not in names and f"joint{k}" not in joints)
        row = blank_row(self.draft.convention, str(self.draft.robot["centre"]), first=not self.draft.rows)
        parent = self.draft.rows[-1]["name"] if self.draft.rows else WORLD
        row |= {"name": f"link{k}", "parent": parent, "driven": YES if self.draft.loops else ""}
        robot = {key: value for key, value in self.draft.robot.items() if key != "end_effector"}
        rest = {"joint": {"name": f"joint{k}"}}
        return self._change(
            replace(self.draft, robot=robot, rows=(*self.draft.rows, row), rest=(*self.draft.rest, rest))
        )

    def remove_link(self, row: int | None) -> bool:
        """Removes a link and the loops that it is part of; its children are attached to its parent."""
        if row is None or not 0 <= row < len(self.draft.rows):
            raise InputError("select a link first: click its row in the table")
        if len(self.draft.rows) == 1:
            raise InputError("a robot needs at least one link")
        gone, parent = self.draft.rows[row]["name"], self.draft.rows[row]["parent"]
        names = {gone, *(f"{gone}.{end}" for end in (ROOT, TIP))}
        robot = {key: v for key, v in self.draft.robot.items() if key != "end_effector" or v not in names}
        rows = [{**r, "parent": parent} if r["parent"] in names else r for r in self.draft.rows]
        rest, loops, lost = list(self.draft.rest), self.draft.loops, list[str]()
        for name in sorted(names):
            loops, more = loop_rows.without(loops, name, self.draft.joint_name(row))
            lost += more
        del rows[row], rest[row]
        right = self._change(replace(self.draft, robot=robot, rows=tuple(rows), rest=tuple(rest), loops=loops))
        self.note = f"Removed with {gone}: loop {', '.join(lost)}." if lost else ""
        return right

    # --- loops -----------------------------------------------------------------------------------------------------

    def add_loop(self, closing: Closing) -> bool:
        """Closes a loop in the pose that was shown, which becomes the initial one; see closing.py."""
        right = self._change(closing.applied(self.draft))
        self.note = closing.note
        return right

    def remove_loop(self, k: int | None) -> bool:
        if k is None or not 0 <= k < len(self.draft.loops):
            raise InputError("select a loop first: click its row in the table")
        return self._change(replace(self.draft, loops=self.draft.loops[:k] + self.draft.loops[k + 1 :]))

    def set_loop(self, k: int, column: str, text: str) -> bool:
        """Sets a cell of the table of loops; true if the tables are now valid."""
        if not 0 <= k < len(self.draft.loops) or column not in loop_rows.LOOP:
            raise InputError(f"there is no cell {column!r} in loop {k + 1}")
        before = self.draft.loops[k]
        row = {**before, column: text.strip()[:300]}
        if column == "joint":
            joint_of = {cells["name"]: self.draft.joint_name(i) for i, cells in enumerate(self.draft.rows)}
            row = loop_rows.retyped(row, before["joint"], joint_of, distance(self.description, before["name"]))
        elif column in loop_rows.ENDS and before["joint"] != "gear" and not self.problems:
            row |= carried_over(self.description, before, column, row[column])
        return self._change(replace(self.draft, loops=(*self.draft.loops[:k], row, *self.draft.loops[k + 1 :])))

    def convert(self) -> None:
        """Converts the robot to the other DH convention."""
        if self.problems:
            raise InputError("correct the table first")
        self.open(other_convention(self.description), self.origin)

    def make_rods(self) -> bool:
        """See `uniform_rods`."""
        return self._change(uniform_rods(self.draft))

    def undo(self) -> None:
        if self._past:
            self._future.append(self.draft)
            self._read(self._past.pop())

    def redo(self) -> None:
        if self._future:
            self._past.append(self.draft)
            self._read(self._future.pop())

    def _change(self, draft: Draft) -> bool:
        self._enter(draft)
        self._read(draft)
        return not self.problems

    def _enter(self, draft: Draft) -> None:
        self._past = [*self._past, self.draft][-MOST_STEPS:]
        self._future = []
        self.draft = draft

    def _read(self, draft: Draft) -> None:
        self.draft, self.offer, self.note = draft, None, ""
        found = read(draft)
        if isinstance(found, list):
            self.problems = found
        else:
            self.description, self.origin, self.problems = found, draft.origin, []


def table_of(problem: Problem) -> str:
    """The table that shows the cell of an error."""
    if problem.table == "loops":
        return "loops"
    columns_of = {"mass": set(MASS), "joint": set(JOINT), "flexible": set(FLEXIBLE)}
    return next((table for table, columns in columns_of.items() if problem.column in columns), "geometry")
