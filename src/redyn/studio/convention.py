"""Converts between the two DH conventions: the book's table to Craig's, and back.

A chain is a product of screws Z_i (about and along z) and X_i (along and about x). The book writes Z_1 X_1 Z_2 X_2 ...
and puts the frame of a link after X_i; modified tables write X_0 Z_1 X_1 Z_2 ... and put it after Z_i. So the numbers
only move to other rows, and mass centres, inertias and the joints that close loops are transformed by X_i. A remainder
at an end is a fixed link.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from redyn.description import LinkDescription, RobotDescription, from_mapping, to_data
from redyn.description.loops import loop_frames
from redyn.description.placement import X_AXIS, rotation, translation
from redyn.description.schema import WORLD, LoopDescription
from redyn.description.transforms.frames import origin
from redyn.errors import InputError

Array = NDArray[np.float64]


def other_convention(robot: RobotDescription) -> RobotDescription:
    """Standard DH to modified DH and the other way round; serial chains only.

    >>> from redyn.description import read
    >>> [link.a for link in other_convention(read("two-link")).links]
    [0.0, 1.0, 1.0]
    """
    if robot.convention == "frames":
        raise InputError("only DH tables can be converted to the other DH convention; use `redyn dh` for a URDF")
    names = [WORLD, *(str(link.name) for link in robot.links)]
    if any(link.parent != name for link, name in zip(robot.links, names, strict=False)):
        raise InputError("only serial chains, link after link, can be converted to the other DH convention")
    if any(link.flexible is not None for link in robot.links):
        raise InputError("a robot with flexible links cannot be converted to the other DH convention")
    if any(link.visual or link.collision for link in robot.links):
        raise InputError("a robot with shapes of its own cannot be converted to the other DH convention")
    modified = robot.convention == "modified-dh"
    x_of = [(link.a or 0.0, link.alpha or 0.0) for link in robot.links]  # of each row, before or after its Z
    after = [*x_of[1:], (0.0, 0.0)] if modified else x_of  # X_i behind Z_i
    data = to_data(robot)
    rows = cast("list[dict[str, Any]]", data["links"])
    links: list[dict[str, Any]] = []
    taken = [*names, *(str(link.joint.name) for link in robot.links)]
    base = _free("base", taken)
    if modified and x_of[0] != (0.0, 0.0):
        links.append(_fixed(base, WORLD, x_of[0], "b"))
    for i, (row, link) in enumerate(zip(rows, robot.links, strict=True)):
        here = after[i] if modified else ([(0.0, 0.0), *x_of])[i]
        along = row.pop("d" if modified else "b", None)
        row |= {"a": here[0], "alpha": here[1]}
        if along is not None:
            row["b" if modified else "d"] = along
        _turn(row, link, after[i], modified)
        if links and i == 0:
            row["parent"] = base
        links.append(row)
    chosen = data.get("end_effector")
    if not modified and x_of[-1] != (0.0, 0.0):
        tip = _free("tip", taken)
        links.append(_fixed(tip, names[-1], x_of[-1], "d"))
        data["end_effector"] = tip
    x_by_name = {name: _x(x, modified) for name, x in zip(names[1:], after, strict=True)}
    if chosen in names[1:-1]:  # its frame moves, the end effector stays
        a, alpha = after[names.index(str(chosen)) - 1]
        where = (-a, -alpha) if modified else (a, alpha)
        data["end_effector"] = chosen
        if where != (0.0, 0.0):
            end = _free(f"{chosen}_end", taken)
            links.append(_fixed(end, str(chosen), where, "b" if modified else "d"))
            data["end_effector"] = end
    if robot.loops:
        data["loops"] = [_moved(*pair, x_by_name) for pair in zip(robot.loops, loop_frames(robot), strict=True)]
    return from_mapping({**data, "convention": "dh" if modified else "modified-dh", "links": links})


def _moved(loop: LoopDescription, placed: tuple[Array, Array], x_by_name: dict[str, Array]) -> dict[str, Any]:
    """A loop whose links have got the frames on the other side of their X."""
    fields = loop.model_dump(mode="json", exclude_none=True)
    if loop.joint == "gear":
        return fields
    first, second = (x_by_name.get(link, np.eye(4)) for link in loop.between)
    straight = loop.frames is None and all((X[:3, :3] == np.eye(3)).all() for X in (first, second))
    frames = [X @ T for X, T in zip((first, second), placed, strict=True)]
    if straight or loop.joint == "distance":
        fields["at"] = _clean(frames[0][:3, 3]).tolist()
        if not loop.from_initial_pose:
            fields["meets"] = _clean(frames[1][:3, 3]).tolist()
        fields.pop("frames", None)
        return fields
    for name in ("at", "meets", "axis"):
        fields.pop(name, None)
    return {**fields, "frames": [origin(T) for T in frames]}


def _x(x: tuple[float, float], modified: bool) -> Array:
    """From coordinates in the old frame of a link to those in its new one."""
    X = translation(x[0], 0.0, 0.0) @ rotation(X_AXIS, x[1])
    return np.asarray(np.linalg.inv(X), dtype=np.float64) if modified else X


def _fixed(name: str, parent: str, x: tuple[float, float], along: str) -> dict[str, Any]:
    joint = {"type": "fixed", "name": f"{name}_joint"}
    return {"name": name, "parent": parent, "joint": joint, "a": x[0], "alpha": x[1], "theta": 0.0, along: 0.0}


def _free(name: str, taken: list[str]) -> str:
    """The name, made unique among links and, with `_joint` appended, among joints."""
    names = (name, *(f"{name}{k}" for k in range(2, len(taken) + 3)))
    return next(n for n in names if n not in taken and f"{n}_joint" not in taken)


def _turn(row: dict[str, Any], link: LinkDescription, x: tuple[float, float], modified: bool) -> None:
    """Mass centre and inertia in the frame on the other side of X."""
    if link.mass is None:
        return
    X = _x(x, modified)
    com = np.array(link.com) if link.com is not None else -np.array(link.r or (0.0, 0.0, 0.0))
    moved = _clean((X @ [*com, 1.0])[:3])
    row.pop("r", None)
    row.pop("com", None)
    row["r" if modified else "com"] = (-moved + 0.0 if modified else moved).tolist()
    xx, xy, xz, yy, yz, zz = link.inertia or (0.0,) * 6
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    turned = _clean(X[:3, :3] @ inertia @ X[:3, :3].T)
    turned = (turned + turned.T) / 2
    row["inertia"] = [float(turned[i, j]) for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))]


def _clean(values: Array) -> Array:
    """Rounds away the errors that right angles leave."""
    scale = max(1.0, float(np.abs(values).max()))
    return np.where(np.abs(values) < 1e-15 * scale, 0.0, values)
