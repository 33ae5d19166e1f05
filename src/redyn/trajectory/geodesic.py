"""Motions from one configuration to another where q holds quaternions: along the velocities that lead there.

Joints that turn about a point go the shortest way, about one axis; a free joint moves along a screw. A law in time that
is a straight line in the tangent space at the start, s(t) times `difference(start, stop)`, is such a motion, and its
velocities are s-dot times the same: along its own exponential a constant velocity stays what it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from redyn.errors import InputError
from redyn.model import configuration
from redyn.trajectory.motion import Array, Motion, row

if TYPE_CHECKING:
    from redyn.robot import Robot


@dataclass(frozen=True)
class Geodesic(Motion):
    """From the configuration `start`; `law` moves in the tangent space there, from zero on."""

    robot: Robot
    start: Array
    law: Motion

    @property
    def dof(self) -> int:
        return self.law.dof

    def _breaks(self) -> Array:
        return self.law._breaks()

    def _within(self, t: Array) -> tuple[Array, Array, Array]:
        step, qd, qdd = self.law(t)
        return self.robot.integrate(self.start, step), qd, qdd


def on_manifold(
    kind: str,
    robot: Robot,
    start: ArrayLike,
    stop: ArrayLike,
    make: Callable[[Array, Array], Motion],
    rates: Sequence[tuple[str, ArrayLike]] = (),
) -> Motion:
    """The motion of a robot between two of its configurations, by a law that `make` builds between two rows.

    `rates` are what the law has at its ends beside positions: of joints that turn about a point they must be zero, for
    such a motion has them along its way alone.
    """
    first, last = (robot.configuration(f"{kind}: {name}", q) for name, q in (("start", start), ("stop", stop)))
    if first.ndim != 1 or last.ndim != 1:
        raise InputError(f"{kind}: start and stop must be one configuration each, {robot.nq} numbers")
    if robot.nq == robot.dof:
        return make(first, last)
    turning = np.zeros(robot.dof, dtype=bool)
    for count, _, j in configuration.joints(robot.model):
        if count > 1:
            turning[j : j + count - 1] = True
    for name, values in rates:
        if row(kind, name, values, robot.dof)[turning].any():
            joint = robot.velocity_names[int(np.argmax(turning))].rpartition(".")[0]
            raise InputError(f"{kind}: {name} must be zero for joints that turn about a point, such as {joint!r}")
    law = make(np.zeros(robot.dof), robot.difference(first, last))
    return Geodesic(law.duration, robot, first, law)
