"""Joints that close loops, as rows of a table: every field of a robot file has its column.

The ends of a gear are joints, those of the others links or the world.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, cast, get_args

from redyn.description.schema import LoopType
from redyn.studio.cells import Problem, Row, angles, number_text, numbers

USUAL = ("name", "first", "second", "joint", "at", "meets", "axis")
RARE = ("length", "coefficients", "frame1", "frame2")  # shown if a loop has them
LOOP = (*USUAL, *RARE)
TYPES: tuple[str, ...] = get_args(LoopType)
ENDS = ("first", "second")
# Location of an error in a loop -> the columns it concerns.
_PLACES = {"between": ENDS, "frames": ("frame1", "frame2"), "frames[0]": ("frame1",), "frames[1]": ("frame2",)}


def loop_columns(rows: tuple[Row, ...]) -> tuple[str, ...]:
    """Columns of the table: those that no loop uses are left out."""
    used = {column for row in rows for column in RARE if row[column]}
    used |= {"length" for row in rows if row["joint"] == "distance"}
    used |= {"coefficients" for row in rows if row["joint"] == "gear"}
    used |= {"frame1", "frame2"} if used & {"frame1", "frame2"} else set()
    return (*USUAL, *(column for column in RARE if column in used))


def loop_row(loop: dict[str, Any]) -> Row:
    """The cells of a loop, from its data in a robot file."""
    first, second = loop["between"]
    row: Row = {"name": str(loop["name"]), "first": str(first), "second": str(second), "joint": str(loop["joint"])}
    for column in ("at", "meets", "axis", "coefficients"):
        row[column] = ", ".join(number_text(x) for x in loop.get(column) or ())
    row["length"] = "" if loop.get("length") is None else number_text(loop["length"])
    frames = cast("list[dict[str, Any]]", loop.get("frames") or [None, None])
    row |= {column: frame_text(frame) for column, frame in zip(("frame1", "frame2"), frames, strict=True)}
    return {column: row[column] for column in LOOP}


def frame_text(frame: dict[str, Any] | None) -> str:
    """A frame as six numbers: x, y, z, roll, pitch, yaw."""
    if frame is None:
        return ""
    place, turn = frame.get("xyz") or [0.0] * 3, frame.get("rpy") or [0.0] * 3
    return ", ".join([*(number_text(x) for x in place), *(number_text(x, angle=True) for x in turn)])


def loop_data(row: Row, k: int, problems: list[Problem]) -> dict[str, Any]:
    """The loop of a robot file; what is no number is added to the problems."""
    loop: dict[str, Any] = {"name": row["name"], "between": [row["first"], row["second"]], "joint": row["joint"]}

    def value(column: str, count: int | None, read: Callable[..., list[float] | None] = numbers) -> list[float] | None:
        try:
            return read(row[column], count=count)
        except ValueError as error:
            problems.append(Problem(k, column, str(error), "loops"))
            return None

    for column in ("at", "meets", "axis"):
        loop[column] = value(column, 3)
    loop["coefficients"] = value("coefficients", None)
    length = value("length", 1)
    loop["length"] = None if length is None else length[0]
    if row["frame1"].strip() or row["frame2"].strip():
        missing = next((column for column in ("frame1", "frame2") if not row[column].strip()), None)
        if missing:
            problems.append(Problem(k, missing, "give both frames, or neither", "loops"))
        frames = [value(column, 6, frame_numbers) or [0.0] * 6 for column in ("frame1", "frame2")]
        loop["frames"] = [{"xyz": frame[:3], "rpy": frame[3:]} for frame in frames]
    return {key: x for key, x in loop.items() if x is not None}


def frame_numbers(text: str, count: int) -> list[float] | None:
    """Three lengths, then three angles."""
    if numbers(text, lambda _: 0.0, count) is None:
        return None
    parts = re.split(r"[,;]", text)
    return [*(numbers(",".join(parts[:3])) or []), *(angles(",".join(parts[3:])) or [])]


def loop_problems(row: Row, k: int, name: str, message: str) -> list[Problem]:
    """An error of a loop, attached to the cells it concerns; `name` is the field of the robot file."""
    place = re.match(r"frames(\[\d\])?", name)
    name = place[0] if place else name
    word = re.match(r"\w+", message)
    if not name and word is not None:  # errors of the whole loop begin with the field
        name = word[0]
    columns = _PLACES.get(name, (name,))
    if name == "between":
        quoted = [column for column in ENDS if f"called {row[column]!r}" in message]
        columns = quoted or (("second",) if row["first"] == row["second"] else ENDS)
    if name == "frames" and not (row["frame1"] or row["frame2"]):
        columns = ("joint",)
    found = [column for column in columns if column in LOOP]
    return [Problem(k, column, message, "loops") for column in found or ["name"]]


def renamed(loops: tuple[Row, ...], before: str, after: str) -> tuple[Row, ...]:
    """The loops after a link has got another name."""

    def changed(row: Row) -> Row:
        if row["joint"] == "gear":
            return row
        return row | {column: after for column in ENDS if row[column] == before}

    return tuple(changed(row) for row in loops)


def without(loops: tuple[Row, ...], link: str, joint: str) -> tuple[tuple[Row, ...], list[str]]:
    """The loops after a link and its joint are gone, and the names of those that went with it."""
    gone = [row for row in loops if (joint if row["joint"] == "gear" else link) in (row["first"], row["second"])]
    return tuple(row for row in loops if row not in gone), [row["name"] for row in gone]


def free_name(loops: tuple[Row, ...]) -> str:
    """For a new loop."""
    taken = {row["name"] for row in loops}
    return next(f"loop{k}" for k in range(1, len(loops) + 2) if f"loop{k}" not in taken)


def retyped(row: Row, before: str, joint_of: dict[str, str], apart: float | None) -> Row:
    """Changes the type of a loop: clears the fields it does not use and fills in those it needs.

    `joint_of`: the joint of every link. `apart`: from one point to the other in the initial pose, if known.
    """
    kind = row["joint"]
    if kind == "gear":
        row |= dict.fromkeys(("at", "meets", "axis", "length", "frame1", "frame2"), "")
        if before != "gear":
            row["first"] = joint_of.get(row["first"], row["first"])
            others = [joint for joint in joint_of.values() if joint != row["first"]]
            row["second"] = joint_of.get(row["second"], next(iter(others), row["second"]))
        return row | {"coefficients": row["coefficients"] or "0, 1"}
    if before == "gear":
        links = {joint: link for link, joint in joint_of.items()}
        row |= {end: links.get(row[end], row[end]) for end in ENDS}
    row["coefficients"] = ""
    if kind == "distance":
        return row | {"axis": "", "length": row["length"] or number_text(apart or 1.0)}
    return row | {"length": ""}
