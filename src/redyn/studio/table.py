"""A robot being edited: tables of text, read as a robot after every change, with undo and redo.

The cells hold what was typed (`pi/2`, `90 deg`) or the exact number of the file. Reading them goes through the same
checks as a robot file; what is wrong comes back at its cell. The last robot that was right stays until the next one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from redyn.description import RobotDescription, check_physical, from_mapping, to_data
from redyn.description.numbers import format_angle, parse_angle, parse_number
from redyn.description.schema import COORDINATES, QUATERNION, SEVERAL, WORLD
from redyn.errors import DescriptionError, InputError
from redyn.studio.convention import other_convention

MOST_LINKS = 200  # that a table shows; a longer robot can be used, not edited
MOST_STEPS = 200  # to undo
ROD = {"mass": "1", "x": "-0.5", "y": "0", "z": "0", "xx": "0", "yy": "1/12", "zz": "1/12"}

GEOMETRY = {
    "dh": ("a", "b", "alpha", "theta"),
    "modified-dh": ("alpha", "a", "d", "theta"),
    "frames": ("xyz", "rpy", "axis"),
}
CENTRE = ("x", "y", "z")
INERTIA = ("xx", "yy", "zz", "xy", "xz", "yz")
MASS = ("mass", *CENTRE, *INERTIA)
JOINT = ("lower", "upper", "damping", "coulomb", "armature", "offset")
MORE = ("axis2", "pitch", "initial")  # of tables of frames only; the first two where a joint has them
_ANGLES = {"alpha", "theta", "rpy", "initial", "offset", "lower", "upper"}
_VECTORS = {"xyz", "rpy", "axis", "axis2"}
_VARIABLE = {"dh": {"revolute": "theta", "prismatic": "b"}, "modified-dh": {"revolute": "theta", "prismatic": "d"}}
# Where the checks of a robot file put an error, and the columns that it is about.
_PLACES = {
    "inertia": INERTIA,
    "com": CENTRE,
    "r": CENTRE,
    "joint.limits": ("lower", "upper"),
    "joint.type": ("joint",),
    "joint.name": ("name",),
}

_PER_VALUE = {"speed_limit", "effort_limit", "mimic"}  # kept, though no table shows them; of joints with one value

Row = dict[str, str]


@dataclass(frozen=True)
class Problem:
    """What is wrong with a cell; row and column are empty if it is about the whole robot."""

    row: int | None
    column: str
    reason: str


@dataclass(frozen=True)
class Draft:
    """What the tables hold: `robot` the fields of the whole robot, `rows` the cells, `rest` what no table shows."""

    robot: dict[str, Any]
    rows: tuple[Row, ...]
    rest: tuple[dict[str, Any], ...] = field(repr=False)
    folder: Path | None = None  # where the file of the robot lies, for its meshes

    @property
    def convention(self) -> str:
        return str(self.robot["convention"])

    def columns(self) -> tuple[str, ...]:
        """Of the geometry, as the table shows them: a column that no joint needs is left out."""
        if self.convention != "frames":
            return GEOMETRY[self.convention]
        kinds = {row["joint"] for row in self.rows}
        needed = {"axis2": "universal" in kinds, "pitch": "helical" in kinds}
        return tuple(column for column in (*GEOMETRY["frames"], *MORE) if needed.get(column, True))


def number_text(value: object, angle: bool = False) -> str:
    """A number as a cell shows it, exactly; text stays as it is.

    >>> number_text(0.25), number_text(1.0), number_text(1.5707963267948966, angle=True)
    ('0.25', '1', 'pi/2')
    """
    shown = format_angle(float(value)) if angle and isinstance(value, int | float) else value
    return repr(shown).removesuffix(".0") if isinstance(shown, int | float) else str(shown)


def draft_of(description: RobotDescription) -> Draft:
    """The tables of a robot."""
    data = to_data(description)
    links = cast("list[dict[str, Any]]", data.pop("links"))
    book = all(link.get("com") is None for link in links) and any("r" in link for link in links)
    return Draft(
        {**data, "centre": "r" if book else "com"},
        tuple(_row(link, description.convention, book) for link in links),
        tuple(_unshown(link) for link in links),
        description.folder,
    )


def _row(link: dict[str, Any], convention: str, book: bool) -> Row:
    joint = cast("dict[str, Any]", link["joint"] if isinstance(link["joint"], dict) else {"type": link["joint"]})
    row: Row = {"name": str(link["name"]), "joint": str(joint["type"])}
    for column in GEOMETRY[convention]:
        value = link.get(column)
        if column == _VARIABLE.get(convention, {}).get(row["joint"]):
            value = joint.get("initial", 0.0)
        row[column] = _cell(column, value)
    frames = convention == "frames"
    row |= {c: _cell(c, {**link, **joint}.get(c)) if frames else "" for c in MORE}
    row["mass"] = _cell("mass", link.get("mass"))
    centre = link.get("r" if book else "com")
    if centre is None and link.get("com" if book else "r") is not None:
        centre = [-x for x in link["com" if book else "r"]]
    for column, value in zip(CENTRE, centre or (None,) * 3, strict=True):
        row[column] = _cell(column, value)
    xx, xy, xz, yy, yz, zz = link.get("inertia") or (None,) * 6
    row |= {c: _cell(c, v) for c, v in zip(INERTIA, (xx, yy, zz, xy, xz, yz), strict=True)}
    lower, upper = joint.get("limits") or (None, None)
    angle = row["joint"] == "revolute"
    row |= {"lower": number_text(lower, angle) if lower is not None else ""}
    row |= {"upper": number_text(upper, angle) if upper is not None else ""}
    row |= {c: _cell(c, joint.get(c)) for c in ("damping", "coulomb", "armature", "offset")}
    return row


def _cell(column: str, value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, list):
        return ", ".join(number_text(x, column in _ANGLES) for x in cast("list[Any]", value))
    return number_text(value, column in _ANGLES)


def _unshown(link: dict[str, Any]) -> dict[str, Any]:
    """What no table shows, kept as it is: parents, shapes, other fields of the joint."""
    rest = {key: link[key] for key in ("parent", "visual", "collision") if key in link}
    if isinstance(link["joint"], dict):
        joint = cast("dict[str, Any]", link["joint"])
        shown = {"type", "limits", "damping", "coulomb", "armature", "offset", "initial", "pitch"}
        rest["joint"] = {key: value for key, value in joint.items() if key not in shown}
    return rest


def read(draft: Draft) -> RobotDescription | list[Problem]:
    """The robot that the tables describe, or what is wrong with them."""
    problems: list[Problem] = []
    links = [_link(draft, i, problems) for i in range(len(draft.rows))]
    if problems:
        return problems
    data = {key: value for key, value in draft.robot.items() if key != "centre"}
    try:
        description = from_mapping({**data, "links": links})
        check_physical(description)
        return description if draft.folder is None else description.placed_in(draft.folder)
    except DescriptionError as error:
        return _placed(error, draft)


def _link(draft: Draft, i: int, problems: list[Problem]) -> dict[str, Any]:
    row, rest = draft.rows[i], draft.rest[i]
    kind = row["joint"]
    useless = {"fixed": {*_PER_VALUE, "smoothing"}}.get(kind, _PER_VALUE if kind in SEVERAL else set[str]())
    joint: dict[str, Any] = {key: x for key, x in rest.get("joint", {}).items() if key not in useless}
    joint["type"] = kind
    link: dict[str, Any] = {key: value for key, value in rest.items() if key != "joint"}
    link |= {"name": row["name"], "joint": joint}

    def value(column: str, parse: Callable[[object], float] = parse_number) -> float | None:
        text = row.get(column, "").strip()
        if not text:
            return None
        try:
            return parse(text)
        except ValueError as error:
            problems.append(Problem(i, column, str(error)))
            return None

    for column in (*GEOMETRY[draft.convention], "axis2"):
        if column in _VECTORS:
            link[column] = _vector(row.get(column, ""), i, column, problems, 3)
        else:
            link[column] = value(column, parse_angle if column in _ANGLES else parse_number)
    if draft.convention == "frames" and kind != "fixed":
        joint["initial"] = _vector(row.get("initial", ""), i, "initial", problems)
        joint["pitch"] = value("pitch")
    mass = value("mass")
    link["mass"] = mass
    centre = [value(column) for column in CENTRE]
    if any(x is not None for x in centre):
        link[str(draft.robot["centre"])] = [x or 0.0 for x in centre]
    inertia = {column: value(column) for column in INERTIA}
    if any(x is not None for x in inertia.values()):
        link["inertia"] = {column: x or 0.0 for column, x in inertia.items()}
    if kind != "fixed":
        for column in ("damping", "coulomb", "armature"):
            joint[column] = value(column) or 0.0
        offset = value("offset", parse_angle)
        joint |= {} if offset is None else {"offset": offset}
        lower, upper = value("lower", parse_angle), value("upper", parse_angle)
        if (lower is None) != (upper is None) and not problems:
            missing = "lower" if lower is None else "upper"
            problems.append(Problem(i, missing, "give both limits, or neither"))
        if lower is not None and upper is not None:
            joint["limits"] = [lower, upper]
    return {key: x for key, x in link.items() if x is not None}


def _vector(text: str, i: int, column: str, problems: list[Problem], count: int | None = None) -> list[float] | None:
    """Numbers with commas between them, as many as `count` says."""
    if not text.strip():
        return None
    try:
        parse = parse_angle if column in _ANGLES else parse_number
        values = [parse(part.strip()) for part in re.split(r"[,;]", text)]
        if count is not None and len(values) != count:
            raise ValueError(f"expected three numbers, as 0, 0, 1; got {len(values)}")
        return values
    except ValueError as error:
        problems.append(Problem(i, column, str(error)))
        return None


def _placed(error: DescriptionError, draft: Draft) -> list[Problem]:
    """An error of the whole robot, at the cells that it is about."""
    message = str(error).removeprefix(f"{error.where}: ").split("; correct it, or say")[0]
    match = re.match(r"links\[(\d+)\]\.?(.*)", error.where)
    if match is None:
        return [Problem(None, "", f"{error.where}: {message}" if error.where else message)]
    row, name = int(match[1]), match[2]
    word = re.match(r"\w+", message)
    if (
        name == "joint"
        and word is not None
        and f"joint.{word[0]}" in (*_PLACES, *(f"joint.{c}" for c in (*JOINT, *MORE)))
    ):
        name = f"joint.{word[0]}"  # checks of the joint as a whole begin with the field
    columns = _PLACES.get(name, (name.removeprefix("joint."),))
    known = {"name", "joint", *draft.columns(), *MASS, *JOINT, *MORE}
    return [Problem(row, column, message) for column in columns if column in known] or [Problem(row, "name", message)]


class Editor:
    """The tables with their history. `description` is the last robot that was right, `problems` what is wrong now."""

    def __init__(self, description: RobotDescription) -> None:
        self._past: list[Draft] = []
        self._future: list[Draft] = []
        self.draft = draft_of(description)
        self.description = description
        self.problems: list[Problem] = []

    @property
    def editable(self) -> bool:
        return len(self.draft.rows) <= MOST_LINKS

    @property
    def can_undo(self) -> bool:
        return bool(self._past)

    @property
    def can_redo(self) -> bool:
        return bool(self._future)

    def open(self, description: RobotDescription) -> None:
        """Another robot; the one before can be had back by undo."""
        self._enter(draft_of(description))
        self.description, self.problems = description, []

    def set_cell(self, row: int, column: str, text: str) -> bool:
        """True if the tables are a robot now."""
        if not 0 <= row < len(self.draft.rows) or column not in self.draft.rows[row]:
            raise InputError(f"there is no cell {column!r} in row {row + 1}")
        rows = list(self.draft.rows)
        changed = {**rows[row], column: text.strip()[:300]}
        if column == "joint":
            changed = _retyped(changed, rows[row]["joint"], self.draft.convention)
        rows[row] = changed
        rest = list(self.draft.rest)
        if column == "name":
            rest = [
                {**r, "parent": changed["name"]} if r.get("parent") == self.draft.rows[row]["name"] else r for r in rest
            ]
            robot = self.draft.robot
            if robot.get("end_effector") == self.draft.rows[row]["name"]:
                robot = {**robot, "end_effector": changed["name"]}
            return self._change(replace(self.draft, robot=robot, rows=tuple(rows), rest=tuple(rest)))
        return self._change(replace(self.draft, rows=tuple(rows)))

    def set_field(self, name: str, value: Any) -> bool:
        """A field of the whole robot: its name, its gravity."""
        return self._change(replace(self.draft, robot={**self.draft.robot, name: value}))

    def add_link(self) -> bool:
        """A rod of one metre at the end of the chain."""
        if not self.editable:
            raise InputError(f"a table shows at most {MOST_LINKS} links")
        names = {row["name"] for row in self.draft.rows}
        joints = {str(rest.get("joint", {}).get("name")) for rest in self.draft.rest}
        k = next(k for k in range(len(names) + 1, 10_000) if f"link{k}" not in names and f"joint{k}" not in joints)
        row = blank_row(self.draft.convention, str(self.draft.robot["centre"]), first=not self.draft.rows)
        row["name"] = f"link{k}"
        parent = self.draft.rows[-1]["name"] if self.draft.rows else WORLD
        robot = {key: value for key, value in self.draft.robot.items() if key != "end_effector"}
        rest = {"parent": parent, "joint": {"name": f"joint{k}"}}
        return self._change(
            replace(self.draft, robot=robot, rows=(*self.draft.rows, row), rest=(*self.draft.rest, rest))
        )

    def remove_link(self, row: int) -> bool:
        """What it carried hangs on its parent now."""
        if not 0 <= row < len(self.draft.rows):
            raise InputError("choose a link of the table first")
        if len(self.draft.rows) == 1:
            raise InputError("a robot needs at least one link")
        gone, parent = self.draft.rows[row]["name"], self.draft.rest[row].get("parent", WORLD)
        rest = [{**r, "parent": parent} if r.get("parent") == gone else r for r in self.draft.rest]
        robot = {key: v for key, v in self.draft.robot.items() if key != "end_effector" or v != gone}
        rows = list(self.draft.rows)
        del rows[row], rest[row]
        return self._change(replace(self.draft, robot=robot, rows=tuple(rows), rest=tuple(rest)))

    def convert(self) -> None:
        """The same robot as the other kind of DH table."""
        if self.problems:
            raise InputError("mend the table first")
        self.open(other_convention(self.description))

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
        self.draft = draft
        found = read(draft)
        if isinstance(found, list):
            self.problems = found
        else:
            self.description, self.problems = found, []


def _retyped(row: Row, before: str, convention: str) -> Row:
    """Another type of joint: what means nothing for it is emptied, what it needs is filled in."""
    kind = row["joint"]
    if kind == "fixed":
        row |= dict.fromkeys((*JOINT, "initial"), "")
    if kind in SEVERAL:
        row |= dict.fromkeys(("lower", "upper", "offset"), "")
    if COORDINATES.get(kind) != COORDINATES.get(before):
        row["initial"] = ""
    if convention == "frames":
        row["axis"] = "" if COORDINATES.get(kind, ())[-4:] == QUATERNION else row["axis"] or "0, 0, 1"
        row["axis2"] = (row["axis2"] or _across(row["axis"])) if kind == "universal" else ""
        row["pitch"] = (row["pitch"] or "0.01") if kind == "helical" else ""
    variables = _VARIABLE.get(convention, {})
    for column in (variables.get(before), variables.get(row["joint"])):
        if column:
            row[column] = row[column] or "0"
    return row


def _across(axis: str) -> str:
    """An axis for the second turn of a universal joint: the one of x, y and z that is farthest from the first."""
    first = _vector(axis, 0, "axis", [], 3) or [0.0, 0.0, 1.0]
    return ", ".join("1" if k == int(np.abs(first).argmin()) else "0" for k in range(3))


def blank_row(convention: str, centre: str, first: bool) -> Row:
    """A slender rod of one metre and one kilogram along x, on a revolute joint at the end of the link before."""
    row = dict.fromkeys((*GEOMETRY[convention], *MORE, *MASS, *JOINT), "") | {"joint": "revolute"}
    zeros = {"frames": {"xyz": "0, 0, 0", "rpy": "0, 0, 0", "axis": "0, 0, 1"}}
    row |= zeros.get(convention, dict.fromkeys(GEOMETRY[convention], "0"))
    row |= ROD
    # The frame of a link is at its far end in the book's convention, at its joint in the others.
    row["x"] = "0.5" if (convention == "dh") == (centre == "r") else "-0.5"
    if convention == "dh" or (convention == "modified-dh" and not first):
        row["a"] = "1"
    elif not first:
        row["xyz"] = "1, 0, 0"
    return row


def new_robot(convention: str) -> RobotDescription:
    """One link to begin with; gravity acts across its joint, so that it falls.

    >>> new_robot("dh").links[0].a
    1.0
    """
    centre = "r" if convention == "dh" else "com"
    row = {**blank_row(convention, centre, first=True), "name": "link1"}
    robot = {"name": "my-robot", "convention": convention, "gravity": [0.0, -9.81, 0.0], "centre": centre}
    found = read(Draft(robot, (row,), ({"parent": WORLD, "joint": {"name": "joint1"}},)))
    assert not isinstance(found, list), found
    return found


def uniform_rods(draft: Draft) -> Draft:
    """Mass centres and inertias of links that are slender rods from the frame before to their own (dh only)."""
    if draft.convention != "dh":
        raise InputError("uniform rods are worked out for the book's DH tables only")
    rows: list[Row] = []
    for row in draft.rows:
        try:
            a, b, alpha, mass = (parse_angle(row[c] or "0") for c in ("a", "b", "alpha", "mass"))
        except ValueError as error:
            raise InputError(f"{row['name']}: {error}") from None
        if row["joint"] == "prismatic":
            b = 0.0
        back = -np.array([a, b * np.sin(alpha), b * np.cos(alpha)])  # the frame before, from the link's own
        inertia = mass / 12 * (back @ back * np.eye(3) - np.outer(back, back))
        inertia[np.abs(inertia) < 1e-15 * max(1.0, float(np.abs(inertia).max()))] = 0.0
        centre = back / 2 * (-1.0 if draft.robot["centre"] == "r" else 1.0)
        centre[np.abs(centre) < 1e-15] = 0.0
        filled: Row = dict(zip(CENTRE, (number_text(float(x)) for x in centre), strict=True))
        for column in INERTIA:
            i, j = ("xyz".index(axis) for axis in column)
            filled[column] = number_text(float(inertia[i, j]))
        rows.append({**row, **filled} if row["mass"] else row)
    return replace(draft, rows=tuple(rows))
