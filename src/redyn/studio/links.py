"""Table rows that the studio fills in: new links, changed joint types, uniform rods."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from redyn.description import RobotDescription
from redyn.description.numbers import parse_angle
from redyn.description.schema import COORDINATES, QUATERNION, SEVERAL, WORLD
from redyn.errors import InputError
from redyn.studio.cells import Row, number_text, numbers
from redyn.studio.flexible_cells import FLEXIBLE, GEAR, bends
from redyn.studio.table import CENTRE, GEOMETRY, INERTIA, JOINT, MASS, MORE, MOST, VARIABLE, Draft, read

ROD = {"mass": "1", "x": "-0.5", "y": "0", "z": "0", "xx": "0", "yy": "1/12", "zz": "1/12"}


def retyped(row: Row, before: str, convention: str) -> Row:
    """Changes the joint type: clears the fields it does not use and fills in those it needs."""
    kind = row["joint"]
    if kind == "fixed":
        row |= dict.fromkeys((*JOINT, *GEAR, "initial", "driven"), "")
    if kind in SEVERAL:
        row |= dict.fromkeys(("lower", "upper", "offset", *MOST, *GEAR), "")
    if COORDINATES.get(kind) != COORDINATES.get(before):
        row["initial"] = ""
    if convention == "frames":
        row["axis"] = "" if COORDINATES.get(kind, ())[-4:] == QUATERNION else row["axis"] or "0, 0, 1"
        row["axis2"] = (row["axis2"] or _across(row["axis"])) if kind == "universal" else ""
        row["pitch"] = (row["pitch"] or "0.01") if kind == "helical" else ""
    variables = VARIABLE.get(convention, {})
    for column in (variables.get(before), variables.get(row["joint"])):
        if column:
            row[column] = row[column] or "0"
    return row


def _across(axis: str) -> str:
    """A second axis for a universal joint: the one of x, y and z farthest from the first."""
    try:
        first = numbers(axis, count=3) or [0.0, 0.0, 1.0]
    except ValueError:
        first = [0.0, 0.0, 1.0]
    return ", ".join("1" if k == int(np.abs(first).argmin()) else "0" for k in range(3))


def blank_row(convention: str, centre: str, first: bool) -> Row:
    """A slender rod of one metre and one kilogram along x, on a revolute joint at the end of the previous link."""
    columns = ("parent", "driven", *GEOMETRY[convention], *MORE, *MASS, *JOINT, *FLEXIBLE)
    row = dict.fromkeys(columns, "") | {"joint": "revolute"}
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
    """A robot of one link; gravity is perpendicular to its joint axis, so that it falls.

    >>> new_robot("dh").links[0].a
    1.0
    """
    centre = "r" if convention == "dh" else "com"
    row = {**blank_row(convention, centre, first=True), "name": "link1", "parent": WORLD}
    robot = {"name": "my-robot", "convention": convention, "gravity": [0.0, -9.81, 0.0], "centre": centre}
    found = read(Draft(robot, (row,), ({"joint": {"name": "joint1"}},)))
    assert not isinstance(found, list), found
    return found


def uniform_rods(draft: Draft) -> Draft:
    """Mass centres and inertias of slender rods from the previous frame to the link's own (dh only).

    Flexible links stay as they are: their beams are rods already, and what else they have is at their tips.
    """
    if draft.convention != "dh":
        raise InputError("uniform rods are available for the book's DH tables only")
    rows: list[Row] = []
    for row, rest in zip(draft.rows, draft.rest, strict=True):
        if bends(row, rest):
            rows.append(row)
            continue
        try:
            a, b, alpha, mass = (parse_angle(row[c] or "0") for c in ("a", "b", "alpha", "mass"))
        except ValueError as error:
            raise InputError(f"{row['name']}: {error}") from None
        if row["joint"] == "prismatic":
            b = 0.0
        back = -np.array([a, b * np.sin(alpha), b * np.cos(alpha)])  # from the link's own frame to the previous one
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
