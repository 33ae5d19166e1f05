"""Any rigid transform as two screws about z with a common normal between them.

    T = [Rz(theta) Tz(b)] [Tx(a) Rx(alpha)] [Rz(rest_theta) Tz(rest_b)]

The first two brackets are a row of the book's DH table, the last two one of Craig's: z of the first frame, z of the
second, and the common normal of the two lines.
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from redyn.description.placement import X_AXIS, Z_AXIS, rotation, translation

Array = NDArray[np.float64]
Lines = Literal["skew", "nearly parallel", "parallel", "coincident"]

PARALLEL = 1e-8  # sine of an angle that is meant to be zero, as everywhere in redyn
STEEP = 0.01  # below this sine the common normal may be far from both origins
TOUCHING = 1e-10  # m
NOISE = 1e-14  # what rounding leaves of a zero


class Screws(NamedTuple):
    theta: float
    b: float
    a: float
    alpha: float
    rest_theta: float
    rest_b: float
    lines: Lines  # of the two z axes

    def settled(self, turn: bool) -> Screws:
        """The same transform with the free part in the first screw: the slide, and with `turn` the angle too.

        Parallel lines let a slide pass from one screw to the other, coincident ones also an angle.
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
    """The screws of a transform; of the two directions of the normal the one nearer to x.

    Parallel lines have many common normals: the one through the first origin is taken (b = 0). Coincident lines leave
    everything to the second screw. `settled` gives the other choice.

    >>> [round(x, 12) for x in split(screw(0.5, 0.1) @ normal_step(0.2, 0.3))[:4]]
    [0.5, 0.1, 0.2, 0.3]
    """
    R, p = T[:3, :3], T[:3, 3]
    sine = math.hypot(R[0, 2], R[1, 2])
    if sine > PARALLEL:
        theta = _near_x(math.atan2(R[0, 2], -R[1, 2]))
    else:
        theta = _near_x(math.atan2(p[1], p[0])) if math.hypot(p[0], p[1]) > TOUCHING else 0.0
    c, s = math.cos(theta), math.sin(theta)
    a, across = c * p[0] + s * p[1], c * p[1] - s * p[0]
    turned_y = c * R[1] - s * R[0]  # the second row of Rz(-theta) R, which is Rx(alpha) Rz(rest_theta)
    rest_theta = math.atan2(-(c * R[0, 1] + s * R[1, 1]), c * R[0, 0] + s * R[1, 0])
    if sine > PARALLEL:
        alpha = math.atan2(-turned_y[2], R[2, 2])
        rest_b = -across / math.sin(alpha)
        b = p[2] - math.cos(alpha) * rest_b
        lines: Lines = "skew" if sine > STEEP else "nearly parallel"
    else:
        alpha = 0.0 if R[2, 2] > 0 else math.pi
        b, rest_b = 0.0, p[2] * math.copysign(1.0, R[2, 2])
        lines = "coincident" if abs(a) < TOUCHING else "parallel"
    numbers = (theta, b, a, alpha, rest_theta, rest_b)
    return Screws(*(0.0 if abs(x) < NOISE else float(x) for x in numbers), lines=lines)


def _near_x(theta: float) -> float:
    """The same line with its direction chosen so that the angle is at most a right one."""
    if abs(theta) <= math.pi / 2 + 1e-12:
        return theta
    return theta - math.copysign(math.pi, theta)
