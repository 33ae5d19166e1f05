"""Checks of what users pass, said once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redyn.arrays import real_array
from redyn.errors import InputError
from redyn.evaluate import NOT_FREE, normal
from redyn.robot import FreeRobot, Robot
from redyn.words import counted

Array = NDArray[np.float64]


def check_robot(robot: Any) -> None:
    if not isinstance(robot, Robot):
        raise InputError(f"robot: expected a Robot, as redyn.load gives, got {robot!r}")


def with_parameters(robot: Robot, parameters: ArrayLike | None) -> Robot:
    """The robot with these numbers, where some of them are left open."""
    if parameters is None:
        return robot
    if not isinstance(robot, FreeRobot):
        raise InputError(f"parameters: {NOT_FREE}")
    return robot.at(parameters)


def positive(name: str, value: Any, unit: str = "") -> float:
    """A positive number."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = float("nan")
    if not (np.isfinite(number) and number > 0):
        raise InputError(f"{name}: expected a positive number{' of ' + unit if unit else ''}, got {value!r}")
    return number


def one_row(name: str, value: Any, width: int, meaning: str) -> Array:
    """A single row of finite numbers, as an array of its own."""
    row = normal(name, value, width, meaning)
    if row.ndim != 1:
        raise InputError(f"{name}: expected one row, {meaning}, got shape {row.shape}; for many see simulate_batch")
    if not np.isfinite(row).all():
        k = int(np.argmax(~np.isfinite(row)))
        raise InputError(f"{name}[{k}] is {row[k]}; expected finite numbers")
    return np.array(row)


def per_joint(name: str, value: ArrayLike, dof: int, negative: bool = False) -> Array:
    """One number for all joints, or one per joint."""
    try:
        row = np.array(np.broadcast_to(real_array(value), (dof,)))
    except (TypeError, ValueError):
        raise InputError(f"{name}: expected a number, or {counted(dof, 'number')}, one per joint") from None
    if not np.isfinite(row).all() or (not negative and (row < 0).any()):
        raise InputError(f"{name}: expected finite numbers{'' if negative else ', none negative'}, got {value!r}")
    return row
