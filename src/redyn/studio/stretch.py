"""Scales mass centre and inertia with a changed link length, as if the body had been stretched.

A length of a DH table, or the position of a joint in a table of frames, is a length of one link: the row's own in the
book's tables, its parent's in the others, whose frames are at the near end. Stretching a body of constant mass
by A takes its mass centre c to A c and its second-moment matrix S to A S Aᵀ; its inertia is tr(S) 1 - S.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from redyn.description.numbers import parse_angle, parse_number
from redyn.studio.cells import Row, number_text
from redyn.studio.flexible_cells import bends
from redyn.studio.table import CENTRE, INERTIA, Draft

Array = NDArray[np.float64]

LENGTHS = {"dh": ("a", "b"), "modified-dh": ("a", "d"), "frames": ("xyz",)}


class Stretch(NamedTuple):
    """A proposed scaling of the body of a row: `text` says what has changed."""

    row: int
    matrix: Array  # 3x3, in the frame of the link
    text: str


def stretch_of(before: Draft, after: Draft, row: int, column: str) -> Stretch | None:
    """The scaling that an edit of one cell implies; None if it is no length, or the body has no mass."""
    if column not in LENGTHS[after.convention]:
        return None
    try:
        body = row if after.convention == "dh" else _parent(after, row)
        matrix = _matrix(before.rows[row], after.rows[row], column, after.convention)
        cells = [parse_number(after.rows[body][c] or "0") for c in ("mass", *INERTIA)]
    except (ValueError, IndexError):  # a cell that is not a number, or the parent is the world
        return None
    if bends(after.rows[body], after.rest[body]):  # its beam is as long as that already, and the rest is at its tip
        return None
    if matrix is None or not cells[0] or not any(cells[1:]):
        return None
    old, new = before.rows[row][column], after.rows[row][column]
    return Stretch(body, matrix, f"{column} of {after.rows[row]['name']}: {old} to {new} m")


def _parent(draft: Draft, row: int) -> int:
    names = [other["name"] for other in draft.rows]
    return names.index(draft.rows[row]["parent"])  # ValueError: the world


def _matrix(before: Row, after: Row, column: str, convention: str) -> Array | None:
    """None if there is no stretch: no change, or from or to zero length."""
    if column == "xyz":
        texts = [re.split(r"[,;]", row["xyz"]) for row in (before, after)]
        old, new = (np.array([parse_number(text.strip()) for text in three]) for three in texts)
        changed = old != new
        if old.shape != (3,) or new.shape != (3,) or not changed.any() or (old[changed] * new[changed] <= 0).any():
            return None
        return np.diag(np.where(changed, new / np.where(changed, old, 1.0), 1.0))
    old_length, new_length = parse_number(before[column] or "0"), parse_number(after[column] or "0")
    variable = {"prismatic": ("b", "d")}.get(after["joint"], ())
    if old_length == new_length or old_length * new_length <= 0 or column in variable:
        return None
    alpha = parse_angle(after["alpha"] or "0")
    # Along x of the link, or along the axis of the joint as the link sees it.
    side = 1.0 if convention == "dh" else -1.0
    axis = np.array([1.0, 0.0, 0.0] if column == "a" else [0.0, side * np.sin(alpha), np.cos(alpha)])
    return np.eye(3) + (new_length / old_length - 1.0) * np.outer(axis, axis)


def stretched(row: Row, matrix: Array) -> Row:
    """The row with mass centre and inertia of the stretched body; the mass stays."""
    centre = np.array([parse_number(row[c] or "0") for c in CENTRE])
    xx, yy, zz, xy, xz, yz = (parse_number(row[c] or "0") for c in INERTIA)
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    moments = matrix @ (np.trace(inertia) / 2 * np.eye(3) - inertia) @ matrix.T
    inertia = np.trace(moments) * np.eye(3) - moments
    filled: dict[str, float] = dict(zip(CENTRE, (matrix @ centre).tolist(), strict=True))
    for column in INERTIA:
        i, j = ("xyz".index(axis) for axis in column)
        filled[column] = float(inertia[i, j])
    scale = max(1e-300, *(abs(x) for x in filled.values()))
    return {**row, **{c: number_text(0.0 if abs(x) < 1e-15 * scale else x) for c, x in filled.items()}}
