"""Motions as answers: a table over time, compared with the one that the engine computes."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redyn.arrays import real_array
from redyn.errors import InputError
from redyn.exercises.compute import OverTime
from redyn.exercises.verdict import WRONG, Verdict, joined, judge
from redyn.identification.columns import Heads
from redyn.trajectory import read_table

Array = NDArray[np.float64]
Table = str | Path | Mapping[str, Any]

FEWEST = 11  # rows
LONGEST_GAP = 0.11  # of the duration
MOST_SWAPPED = 6  # joints whose order is checked


def check_motion(motion: OverTime, answer: Table, tolerance: float) -> Verdict:
    """`answer`: a CSV file, or its columns by name."""
    t, values = _read(motion, answer)
    problem = _coverage(t, motion.duration)
    if problem:
        return Verdict(False, problem)
    wanted = motion(np.clip(t, 0.0, motion.duration)).T
    given = values.T
    joints = _names(motion)
    shape = (len(joints),)
    verdict = judge(wanted, given, shape, tolerance, lambda i: f"{motion.columns} of {joints[i]}")
    if verdict.right:
        error = float((np.abs(given - wanted).max(axis=1) / _sizes(wanted)).max())
        return Verdict(True, f"right: within {error:.1g} of the largest value of each joint")
    if verdict.message == WRONG and len(joints) > 1:
        order = _order(wanted, given, tolerance)
        if order is not None:
            return Verdict(False, f"the joints are in another order: {joined([joints[i] for i in order])}")
    where = _departure(wanted, given, t, tolerance, joints)
    return Verdict(False, f"{verdict.message}; {where}", verdict.wrong)


def _names(motion: OverTime) -> list[str]:
    return motion.robot.coordinate_names if motion.columns == "q" else motion.robot.velocity_names


def _read(motion: OverTime, answer: Table) -> tuple[Array, Array]:
    """Times, and (N, joints)."""
    joints, robot = _names(motion), motion.robot
    heads = Heads(joints, [link.joint.kind == "revolute" for link in robot.model.driven])
    if isinstance(answer, Mapping):
        origin = "the answer"
        times, table = _columns(answer, heads)
    else:
        origin = str(answer)[:200]
        times, table = read_table(answer, heads)
    keys = [f"{motion.columns}:{i}" for i in range(len(joints))]
    missing = [joint for joint, key in zip(joints, keys, strict=True) if key not in table]
    if missing:
        raise InputError(f"{origin}: no column {motion.columns}_{missing[0]}; expected {', '.join(headings(motion))}")
    factors = heads.factors
    return times * factors["t"], np.stack([table[key] * factors[key] for key in keys], axis=1)


def headings(motion: OverTime) -> list[str]:
    """The columns of an answer."""
    return ["t", *(f"{motion.columns}_{name}" for name in _names(motion))]


def _columns(answer: Mapping[str, Any], rename: Heads) -> tuple[Array, dict[str, Array]]:
    """Arrays by name, as a table."""
    names = rename([str(name) for name in answer])
    try:
        arrays = {name: real_array(value) for name, value in zip(names, answer.values(), strict=True)}
    except (TypeError, ValueError):
        raise InputError("the answer: expected columns of numbers by name, such as t and tau_joint1") from None
    if "t" not in arrays:
        raise InputError("the answer: no column is called t (time in seconds)")
    t = arrays.pop("t")
    if t.ndim != 1 or any(a.shape != t.shape for a in arrays.values()):
        raise InputError("the answer: expected columns of equal length")
    if not all(np.isfinite(a).all() for a in (t, *arrays.values())) or (np.diff(t) <= 0).any():
        raise InputError("the answer: expected finite numbers and increasing times")
    return t, arrays


def _coverage(t: Array, duration: float) -> str:
    """Why the rows do not show the whole motion; empty if they do."""
    if len(t) < FEWEST:
        return f"too few rows, {len(t)}; at least {FEWEST} are needed"
    slack = 1e-6 * duration
    if t[0] < -slack or t[-1] > duration + slack:
        return f"times must lie between 0 and {duration:g} s, got {t[0]:g} to {t[-1]:g} s"
    gaps = np.diff(np.concatenate([[0.0], t, [duration]]))
    if gaps.max() > LONGEST_GAP * duration:
        k = int(gaps.argmax())
        start = 0.0 if k == 0 else float(t[k - 1])
        return f"no rows between t = {start:g} and {start + gaps[k]:g} s; the motion takes {duration:g} s"
    return ""


def _sizes(wanted: Array) -> Array:
    sizes = np.abs(wanted).max(axis=1)
    return np.where(sizes > 0, sizes, 1.0)


def _order(wanted: Array, given: Array, tolerance: float) -> tuple[int, ...] | None:
    count = len(wanted)
    if count > MOST_SWAPPED:
        return None
    for order in permutations(range(count)):
        if judge(wanted[list(order)], given, (count,), tolerance).right:
            return order
    return None


def _departure(wanted: Array, given: Array, t: Array, tolerance: float, joints: list[str]) -> str:
    """Where the answer leaves the expected motion, and where it is farthest off."""
    error = np.abs(given - wanted) / _sizes(wanted)[:, None]
    late = np.flatnonzero((error > tolerance).any(axis=0))
    if not len(late):
        return "close to the tolerance"
    worst, k = np.unravel_index(int(error.argmax()), error.shape)
    first = "from the start" if late[0] == 0 else f"from t = {t[late[0]]:.3g} s on"
    return (
        f"it differs {first}, most at t = {t[k]:.3g} s: {given[worst, k]:.4g} instead of {wanted[worst, k]:.4g} "
        f"for {joints[worst]}"
    )
