"""Decomposes a rigid transform into two screws about z and the common normal between them.

    T = [Rz(theta) Tz(b)] [Tx(a) Rx(alpha)] [Rz(rest_theta) Tz(rest_b)]

The first two brackets are a row of the book's DH table, the last two one of Craig's: z of the first frame, z of the
second, and the common normal of the two lines.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from redyn.description.lines import Lines, common_normal
from redyn.description.placement import X_AXIS, Z_AXIS, rotation, translation

Array = NDArray[np.float64]

NOISE = 1e-14  # rounding errors of zero


class Screws(NamedTuple):
    theta: float
    b: float
    a: float
    alpha: float
    rest_theta: float
    rest_b: float
    lines: Lines  # of the two z axes

    def settled(self, turn: bool) -> Screws:
        """The same transform with the arbitrary part in the first screw: the translation, with `turn` the angle too.

        For parallel lines a translation can move from one screw to the other, for coincident ones also a rotation.
        """
        if self.lines not in ("parallel", "coincident"):
            return self
        sense = 1.0 if self.alpha == 0.0 else -1.0
        moved = self._replace(b=self.b + sense * self.rest_b, rest_b=0.0)
        if self.lines == "parallel" or not turn:
            return moved
        return moved._replace(theta=self.theta + sense * self.rest_theta, rest_theta=0.0)


def screw(theta: float, along: float) -> Array:
    """Rz(theta) Tz(along)."""
    return rotation(Z_AXIS, theta) @ translation(0.0, 0.0, along)


def normal_step(a: float, alpha: float) -> Array:
    """Tx(a) Rx(alpha)."""
    return translation(a, 0.0, 0.0) @ rotation(X_AXIS, alpha)


def split(T: Array) -> Screws:
    """The screws of a transform; of the two directions of the normal, the one nearer to x.

    Parallel lines have many common normals: the one through the first origin is taken (b = 0). For coincident lines
    everything goes into the second screw. `settled` gives the other choice.

    >>> [round(x, 12) for x in split(screw(0.5, 0.1) @ normal_step(0.2, 0.3))[:4]]
    [0.5, 0.1, 0.2, 0.3]
    """
    R, p = T[:3, :3], T[:3, 3]
    normal = common_normal(np.zeros(3), Z_AXIS, p, R[:, 2])
    theta = 0.0 if normal.direction is None else _near_x(math.atan2(normal.direction[1], normal.direction[0]))
    c, s = math.cos(theta), math.sin(theta)
    tilted = np.array([c * R[0] + s * R[1], c * R[1] - s * R[0]])  # of Rz(-theta) R = Rx(alpha) Rz(rest_theta)
    if normal.lines in ("parallel", "coincident"):
        alpha = 0.0 if R[2, 2] > 0 else math.pi
    else:
        alpha = math.atan2(-tilted[1, 2], R[2, 2])
    rest_theta = math.atan2(-tilted[0, 1], tilted[0, 0])
    a = c * p[0] + s * p[1]
    numbers = (theta, normal.first, a, alpha, rest_theta, -normal.second)
    return Screws(*(0.0 if abs(x) < NOISE else float(x) for x in numbers), lines=normal.lines)


def _near_x(theta: float) -> float:
    """The same line, directed so that the angle is at most a right angle."""
    if abs(theta) <= math.pi / 2 + 1e-12:
        return theta
    return theta - math.copysign(math.pi, theta)
