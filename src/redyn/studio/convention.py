"""Converts between the two DH conventions: the book's table to Craig's, and back.

A chain is a product of screws Z_i (about and along z) and X_i (along and about x). The book writes Z_1 X_1 Z_2 X_2 ...
and puts the frame of a link after X_i; modified tables write X_0 Z_1 X_1 Z_2 ... and put it after Z_i. So the numbers
only move to other rows, and mass centres and inertias are transformed by X_i. A remainder at an end is a fixed link.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from redyn.description import LinkDescription, RobotDescription, from_mapping, to_data
from redyn.description.placement import X_AXIS, rotation, translation
from redyn.description.schema import WORLD
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
    if not modified and x_of[-1] != (0.0, 0.0):
        tip = _free("tip", taken)
        links.append(_fixed(tip, names[-1], x_of[-1], "d"))
        data["end_effector"] = tip
    return from_mapping({**data, "convention": "dh" if modified else "modified-dh", "links": links})


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
    X = translation(x[0], 0.0, 0.0) @ rotation(X_AXIS, x[1])
    if modified:
        X = np.linalg.inv(X)
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
