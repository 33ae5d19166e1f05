"""The common normal of two lines, and when two lines count as parallel or as one.

The model puts its axes by it and DH tables are read off it; one set of thresholds serves both.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Lines = Literal["skew", "nearly parallel", "parallel", "coincident"]

# Sine of an angle that is meant to be zero, as for right angles elsewhere: pi/2 in nine digits is off by 2e-9.
PARALLEL = 1e-8
# Below this sine the common normal is ill-conditioned: an error of either line moves its feet more than ten times as
# far, and the feet may be ten times as far away as the lines are from each other.
NEARLY_PARALLEL = 0.1
# m: parallel lines this close are one. Rounding is some 1e-15, and no robot is built to a nanometre.
TOUCHING = 1e-10


class CommonNormal(NamedTuple):
    """From line 1 to line 2: its feet, as distances along each line from the given point, and its direction.

    Of parallel lines it is the one through the given point of line 1.
    """

    lines: Lines
    first: float
    second: float
    direction: Array | None  # a unit vector; None for coincident lines, which have all that are normal to them


def common_normal(point1: Array, direction1: Array, point2: Array, direction2: Array) -> CommonNormal:
    """Of two lines, each given by a point and a unit vector.

    >>> x, y, z = np.eye(3)
    >>> found = common_normal(0 * x, z, np.array([2.0, 0.3, 0.4]), y)
    >>> found.lines, found.first, found.second, found.direction.tolist()
    ('skew', 0.4, -0.3, [-1.0, 0.0, 0.0])
    """
    between, normal = point2 - point1, np.cross(direction1, direction2)
    sine = float(np.linalg.norm(normal))
    if sine > PARALLEL:
        # As triple products: differences of cosines would lose the square of the sine in digits, not the sine alone.
        first = float(np.cross(between, direction2) @ normal) / sine**2
        second = float(np.cross(between, direction1) @ normal) / sine**2
        lines = "skew" if sine > NEARLY_PARALLEL else "nearly parallel"
        return CommonNormal(lines, first, second, normal / sine)
    along = float(between @ direction1)
    across = between - along * direction1
    distance = float(np.linalg.norm(across))
    second = -along if direction1 @ direction2 > 0 else along
    if distance < TOUCHING:
        return CommonNormal("coincident", 0.0, second, None)
    return CommonNormal("parallel", 0.0, second, across / distance)
