"""Converts a robot to tables of text and back.

The cells hold what was typed (`pi/2`, `90 deg`) or the exact number of the file. They go through the same
checks as a robot file; errors are attached to their cells. See editor.py for how they change.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from redyn.description import RobotDescription, check_physical, from_mapping, to_data
from redyn.description.ends import ROOT, TIP
from redyn.description.numbers import parse_angle, parse_number
from redyn.description.schema import SEVERAL
from redyn.errors import DescriptionError
from redyn.studio.cells import Problem, Row, angles, number_text, numbers
from redyn.studio.flexible_cells import FLEXIBLE, bends, flexible_data, flexible_place, flexible_row, rest_of
from redyn.studio.loop_rows import loop_data, loop_problems, loop_row
from redyn.studio.opening import Origin
from redyn.studio.units import Angles, Units

GEOMETRY = {
    "dh": ("a", "b", "alpha", "theta"),
    "modified-dh": ("alpha", "a", "d", "theta"),
    "frames": ("xyz", "rpy", "axis"),
}
CENTRE = ("x", "y", "z")
INERTIA = ("xx", "yy", "zz", "xy", "xz", "yz")
MASS = ("mass", *CENTRE, *INERTIA)
JOINT = ("lower", "upper", "speed", "effort", "damping", "coulomb", "armature", "offset")
MORE = ("axis2", "pitch", "initial")  # tables of frames only; the first two only if a joint uses them
_ANGLES = {"alpha", "theta", "rpy", "initial", "offset", "lower", "upper"}
_VECTORS = {"xyz", "rpy", "axis", "axis2"}
VARIABLE = {"dh": {"revolute": "theta", "prismatic": "b"}, "modified-dh": {"revolute": "theta", "prismatic": "d"}}
# Location of an error in a robot file -> the columns it concerns.
_PLACES = {
    "inertia": INERTIA,
    "com": CENTRE,
    "r": CENTRE,
    "joint.limits": ("lower", "upper"),
    "joint.speed_limit": ("speed",),
    "joint.effort_limit": ("effort",),
    "joint.type": ("joint",),
    "joint.name": ("name",),
}

_UNITS: dict[str, Units] = {
    "alpha": "rad",
    "theta": "rad",
    "rpy": ("rad",) * 3,
    "frame1": (*("m",) * 3, *("rad",) * 3),
    "frame2": (*("m",) * 3, *("rad",) * 3),
}
# Of joint values, by the type of the joint; the others have one angle.
_VALUES = {
    "prismatic": ("m",),
    "cylindrical": ("rad", "m"),
    "universal": ("rad", "rad"),
    "planar": ("m", "m", "rad"),
    "spherical": ("",) * 4,
    "free": (*("m",) * 3, *("",) * 4),
}

YES = "yes"  # of a driven joint
_PER_VALUE = {"mimic"}  # kept though no table shows it; joints with one value
MOST = {"speed": "speed_limit", "effort": "effort_limit"}  # columns and the corresponding fields of a robot file


@dataclass(frozen=True)
class Draft:
    """Contents of the tables: `robot` the fields of the whole robot, `rows` the cells, `rest` what no table shows.

    `loops`: a row for each joint that closes a loop, see loop_rows.py. Which joints are driven is a cell of the links.
    """

    robot: dict[str, Any]
    rows: tuple[Row, ...]
    rest: tuple[dict[str, Any], ...] = field(repr=False)
    loops: tuple[Row, ...] = ()
    folder: Path | None = None  # folder of the robot's file, for its meshes
    origin: Origin = field(default=Origin(), repr=False, compare=False)

    @property
    def convention(self) -> str:
        return str(self.robot["convention"])

    def joint_name(self, row: int) -> str:
        """Which no table shows."""
        return str(self.rest[row].get("joint", {}).get("name", ""))

    @property
    def frames(self) -> list[str]:
        """The links, and the ends of those that are flexible."""
        found: list[str] = []
        for row, rest in zip(self.rows, self.rest, strict=True):
            ends = [f"{row['name']}.{end}" for end in (ROOT, TIP)] if bends(row, rest) else []
            found += [row["name"], *ends]
        return found

    @property
    def actuated(self) -> list[str] | None:
        """The driven joints, in the order of the file they come from; None without loops: then all are."""
        if not self.loops:
            return None
        driven = [self.joint_name(i) for i, row in enumerate(self.rows) if row["driven"]]
        before = [name for name in self.robot.get("actuated", ()) if name in driven]
        return [*before, *(name for name in driven if name not in before)]

    def columns(self) -> tuple[str, ...]:
        """Columns of the geometry table: those that no joint uses are left out."""
        if self.convention != "frames":
            return GEOMETRY[self.convention]
        kinds = {row["joint"] for row in self.rows}
        needed = {"axis2": "universal" in kinds, "pitch": "helical" in kinds}
        return tuple(column for column in (*GEOMETRY["frames"], *MORE) if needed.get(column, True))


def draft_of(description: RobotDescription, origin: Origin | None = None) -> Draft:
    """The tables of a robot."""
    data = to_data(description)
    links = cast("list[dict[str, Any]]", data.pop("links"))
    loops = cast("list[dict[str, Any]]", data.pop("loops", []))
    driven = set(description.actuated or ())
    book = all(link.get("com") is None for link in links) and any("r" in link for link in links)
    return Draft(
        {**data, "centre": "r" if book else "com"},
        tuple(_row(link, description.convention, book, driven) for link in links),
        tuple(_unshown(link) for link in links),
        tuple(loop_row(loop) for loop in loops),
        description.folder,
        origin or Origin(),
    )


def _row(link: dict[str, Any], convention: str, book: bool, driven: set[str]) -> Row:
    joint = cast("dict[str, Any]", link["joint"] if isinstance(link["joint"], dict) else {"type": link["joint"]})
    row: Row = {"name": str(link["name"]), "joint": str(joint["type"]), "parent": str(link["parent"])}
    row["driven"] = YES if joint.get("name") in driven else ""
    for column in GEOMETRY[convention]:
        value = link.get(column)
        if column == VARIABLE.get(convention, {}).get(row["joint"]):
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
    row |= {c: _cell(c, joint.get(name)) for c, name in MOST.items()}
    row |= {c: _cell(c, joint.get(c)) for c in ("damping", "coulomb", "armature", "offset")}
    return row | flexible_row(link, joint)


def _cell(column: str, value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, list):
        return ", ".join(number_text(x, column in _ANGLES) for x in cast("list[Any]", value))
    return number_text(value, column in _ANGLES)


def _unshown(link: dict[str, Any]) -> dict[str, Any]:
    """Fields that no table shows: shapes, other fields of the joint and of a flexible link."""
    rest = {key: link[key] for key in ("visual", "collision") if key in link}
    if "flexible" in link:
        rest["flexible"] = rest_of(link)
    if isinstance(link["joint"], dict):
        joint = cast("dict[str, Any]", link["joint"])
        shown = {
            "type",
            "limits",
            "damping",
            "coulomb",
            "armature",
            "offset",
            "initial",
            "pitch",
            "elastic",
            *MOST.values(),
        }
        rest["joint"] = {key: value for key, value in joint.items() if key not in shown}
    return rest


def cell_units(row: Row, column: str) -> Units:
    """The unit of a cell of the links or loops, or of each of its numbers; empty: none that can be shown in degrees."""
    if column in ("lower", "upper", "offset"):
        return _VALUES.get(row["joint"], ("rad",))[0]
    if column == "speed":
        return f"{_VALUES.get(row['joint'], ('rad',))[0]}/s"
    if column == "initial":
        return _VALUES.get(row["joint"], ("rad",))
    return _UNITS.get(column, "")


def shown_cells(row: Row, angles: Angles) -> Row:
    """A row as the table shows it."""
    return {column: angles.shown(text, cell_units(row, column)) for column, text in row.items()}


def read(draft: Draft) -> RobotDescription | list[Problem]:
    """The robot that the tables describe, or their errors."""
    problems: list[Problem] = []
    links = [_link(draft, i, problems) for i in range(len(draft.rows))]
    loops = [loop_data(row, k, problems) for k, row in enumerate(draft.loops)]
    if problems:
        return problems
    data = {key: value for key, value in draft.robot.items() if key not in ("centre", "actuated")}
    actuated = draft.actuated
    closing: dict[str, Any] = {} if actuated is None else {"loops": loops, "actuated": actuated}
    if actuated is None and "rolling" in data and draft.robot.get("actuated") is not None:
        closing = {"actuated": draft.robot["actuated"]}
    try:
        description = from_mapping({**data, "links": links, **closing})
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
    link: dict[str, Any] = {key: value for key, value in rest.items() if key not in ("joint", "flexible")}
    link |= {"name": row["name"], "parent": row["parent"], "joint": joint}
    link["flexible"], gear = flexible_data(row, rest, i, problems)
    joint |= {} if gear is None else {"elastic": gear}

    def value(column: str, parse: Callable[[object], float] = parse_number) -> float | None:
        text = row.get(column, "").strip()
        if not text:
            return None
        try:
            return parse(text)
        except ValueError as error:
            problems.append(Problem(i, column, str(error)))
            return None

    def several(column: str, count: int | None = None) -> list[float] | None:
        try:
            return (angles if column in _ANGLES else numbers)(row.get(column, ""), count=count)
        except ValueError as error:
            problems.append(Problem(i, column, str(error)))
            return None

    for column in (*GEOMETRY[draft.convention], "axis2"):
        if column in _VECTORS:
            link[column] = several(column, 3)
        else:
            link[column] = value(column, parse_angle if column in _ANGLES else parse_number)
    if draft.convention == "frames" and kind != "fixed":
        joint["initial"] = several("initial")
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
        for column, name in MOST.items():
            most = value(column, parse_angle if column == "speed" else parse_number)
            joint |= {} if most is None else {name: most}
    return {key: x for key, x in link.items() if x is not None}


def _placed(error: DescriptionError, draft: Draft) -> list[Problem]:
    """An error of the whole robot, attached to the cells it concerns."""
    message = str(error).removeprefix(f"{error.where}: ").split("; correct it, or say")[0]
    loop = re.match(r"loops\[(\d+)\]\.?(.*)", error.where)
    if loop is not None and int(loop[1]) < len(draft.loops):
        return loop_problems(draft.loops[int(loop[1])], int(loop[1]), loop[2], message)
    drive = re.match(r"actuated\[(\d+)\]", error.where)
    if drive is not None:
        name = (draft.actuated or [])[int(drive[1])]
        row = next(i for i in range(len(draft.rows)) if draft.joint_name(i) == name)
        return [Problem(row, "driven", message)]
    match = re.match(r"links\[(\d+)\]\.?(.*)", error.where)
    if match is None:
        return [Problem(None, "", f"{error.where}: {message}" if error.where else message)]
    row, name = int(match[1]), match[2]
    word = re.match(r"\w+", message)
    column = flexible_place(name, message)
    if column is not None:
        return [Problem(row, column, message)]
    if (
        name == "joint"
        and word is not None
        and f"joint.{word[0]}" in (*_PLACES, *(f"joint.{c}" for c in (*JOINT, *MORE)))
    ):
        name = f"joint.{word[0]}"  # errors of the whole joint begin with the field
    columns = _PLACES.get(name, (name.removeprefix("joint."),))
    known = {"name", "joint", "parent", *draft.columns(), *MASS, *JOINT, *MORE, *FLEXIBLE}
    return [Problem(row, column, message) for column in columns if column in known] or [Problem(row, "name", message)]
