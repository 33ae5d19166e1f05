"""What the columns of a recording mean: quantity, joint and unit, by the names that people give them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from redyn.errors import InputError

QUANTITIES = {
    "q": ("q", "pos", "position", "angle", "theta"),
    "qd": ("qd", "dq", "qdot", "q_dot", "vel", "velocity", "speed"),
    "qdd": ("qdd", "ddq", "qddot", "q_ddot", "acc", "accel", "acceleration"),
    "tau": ("tau", "torque", "effort", "trq"),
}
TIMES = ("t", "time", "timestamp", "seconds", "sec")
_ANGLES = {"rad": 1.0, "deg": np.pi / 180, "°": np.pi / 180, "degrees": np.pi / 180, "radians": 1.0}
_LENGTHS = {"m": 1.0, "mm": 1e-3, "cm": 1e-2}
_SECONDS = {"s": 1.0, "sec": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}
_TORQUES = {"nm": 1.0, "n m": 1.0, "n*m": 1.0, "n.m": 1.0, "mnm": 1e-3, "knm": 1e3}
_FORCES = {"n": 1.0, "kn": 1e3, "mn": 1e-3}


class Column(NamedTuple):
    """A column that is used; its values times `factor` are in SI units."""

    quantity: str  # t, q, qd, qdd or tau
    joint: int
    factor: float

    @property
    def key(self) -> str:
        return "t" if self.quantity == "t" else f"{self.quantity}:{self.joint}"


class Heads:
    """Renames the columns of a table to the keys of what they mean; `factors` then has the units, by key."""

    def __init__(self, joints: Sequence[str], turning: Sequence[bool]) -> None:
        self._joints, self._turning = joints, turning
        self.factors: dict[str, float] = {}

    def __call__(self, names: list[str]) -> list[str]:
        columns = meanings(names, self._joints, self._turning)
        self.factors = {column.key: column.factor for column in columns if column is not None}
        return [c.key if c else f"unused {i} {name}" for i, (c, name) in enumerate(zip(columns, names, strict=True))]


def meanings(names: Sequence[str], joints: Sequence[str], turning: Sequence[bool]) -> list[Column | None]:
    """The meaning of each column, None if it is not used.

    >>> [c and c.key for c in meanings(["Time [ms]", "q1 (deg)", "tau_elbow", "note"], ["elbow"], [True])]
    ['t', 'q:0', 'tau:0', None]
    """
    bare = [_split(name) for name in names]
    for first in (1, 0):  # joints are counted from 1, or from 0 if no column is named after the last
        known = _known(joints, first)
        found = [_column(text, unit, name, known, turning) for (text, unit), name in zip(bare, names, strict=True)]
        counted = {c.joint for c in found if c is not None and c.quantity == "q"}
        if first == 1 and len(counted) < len(joints) and any(text in ("q0", "q_0", "q[0]") for text, _ in bare):
            continue
        return found
    raise AssertionError("one of the two ways to count returns")


def _split(name: str) -> tuple[str, str]:
    """A name in lower case without its unit, and the unit."""
    text = name.strip().lower()
    bracketed = re.fullmatch(r"(.*?)\s*[\[(]([^\])\d]*)[\])]", text)
    if bracketed:
        return bracketed[1].strip(), bracketed[2].strip()
    suffix = re.fullmatch(r"(.+)_(rad|deg|rad/s|deg/s|rad/s2|deg/s2|nm|mnm|ms|us|ns|mm)", text)
    return (suffix[1], suffix[2]) if suffix else (text, "")


def _known(joints: Sequence[str], first: int) -> dict[str, tuple[str, int]]:
    """Quantity and joint for every spelling: q_elbow, elbow.position, q1, q_1, q[1] ..."""
    known: dict[str, tuple[str, int]] = {}
    for quantity, words in QUANTITIES.items():
        for word in words:
            for i, joint in enumerate(joints):
                name = joint.lower()
                for mark in ("_", ".", "/", " ", "-", ""):
                    known.setdefault(f"{word}{mark}{name}", (quantity, i))
                    known.setdefault(f"{word}{mark}{i + first}", (quantity, i))
                    if mark:
                        known.setdefault(f"{name}{mark}{word}", (quantity, i))
                known.setdefault(f"{word}[{i + first}]", (quantity, i))
    return known


def _column(
    text: str, unit: str, name: str, known: dict[str, tuple[str, int]], turning: Sequence[bool]
) -> Column | None:
    whole = name.strip().lower()
    if text in TIMES or whole in TIMES:
        return Column("t", -1, _factor(name, unit, _SECONDS))
    quantity, joint = known.get(whole, (None, -1))
    if quantity is not None:  # the whole name is known: what looked like a unit belongs to it
        return Column(quantity, joint, 1.0)
    quantity, joint = known.get(text, (None, -1))
    if quantity is None:
        return None
    if quantity == "tau":
        return Column(quantity, joint, _factor(name, unit, _TORQUES if turning[joint] else _FORCES))
    per_time = re.sub(r"\s*/\s*s(ec)?(\^?2|²)?$", "", unit) if quantity != "q" else unit
    return Column(quantity, joint, _factor(name, per_time, _ANGLES if turning[joint] else _LENGTHS))


def _factor(name: str, unit: str, units: dict[str, float]) -> float:
    if unit and unit not in units:
        raise InputError(f"column {name[:40]!r}: unknown unit {unit!r}; it may be {', '.join(units)}")
    return units[unit] if unit else 1.0
