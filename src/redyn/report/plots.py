"""Charts over time, as data: what the page and the figures both draw."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redyn.errors import InputError
from redyn.report.colours import OTHERS, joint_colour
from redyn.robot import Robot

Array = NDArray[np.float64]


def turning(robot: Robot) -> list[bool]:
    """Whether each velocity is angular."""
    return [link.joint.kind != "prismatic" for link in robot.model.driven]


def units(robot: Robot, angular: str, linear: str, between: str = " or ") -> str:
    """Of a quantity per velocity: one unit, or both where they are mixed.

    >>> import redyn
    >>> units(redyn.load("stanford"), "Nm", "N"), units(redyn.load("puma"), "Nm", "N")
    ('Nm or N', 'Nm')
    """
    turns = turning(robot)
    return angular if all(turns) else linear if not any(turns) else f"{angular}{between}{linear}"


class Plot(NamedTuple):
    """A chart over time: one curve per column of `values`, (N, k). Curves named as the joints have their colours."""

    title: str
    unit: str
    names: Sequence[str]
    values: ArrayLike

    def curves(self, count: int, where: str = "values") -> Array:
        """The checked values, (count, k)."""
        try:
            values = np.asarray(self.values, dtype=np.float64)
        except (TypeError, ValueError):
            raise InputError(f"{where}: expected rows of numbers") from None
        values = values[:, None] if values.ndim == 1 else values
        if values.shape != (count, len(self.names)):
            expected = f"({count}, {len(self.names)}), one row per time and one column per name"
            raise InputError(f"{where}: expected shape {expected}, got {np.shape(self.values)}")
        return values

    def of_joints(self, joint_names: Sequence[str]) -> bool:
        """Whether its curves are those of the joints."""
        return list(self.names) == list(joint_names)

    def colours(self, joint_names: Sequence[str]) -> list[str]:
        """One per curve."""
        joints = self.of_joints(joint_names)
        return [joint_colour(k) if joints else OTHERS[k % len(OTHERS)] for k in range(len(self.names))]
