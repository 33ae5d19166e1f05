"""Motions between two configurations where q holds quaternions: along geodesics of the configuration space.

Spherical joints take the shortest rotation, about one axis; a free joint moves along a screw. The motion is a straight
line in the tangent space at the start, s(t) times `difference(start, stop)`, and its velocities are s-dot times that
difference, since the velocity along an exponential is constant in body axes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from redyn.errors import InputError
from redyn.kinematics.loops import actuated_slots, closure_of
from redyn.trajectory.guided import JointGuide, guided
from redyn.trajectory.motion import Array, Motion, row
from redyn.words import counted

if TYPE_CHECKING:
    from redyn.robot import Robot


@dataclass(frozen=True)
class Geodesic(Motion):
    """From the configuration `start`; `law` is the motion in the tangent space there, from zero."""

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
    """The motion of a robot between two of its configurations, with the law that `make` builds between two rows.

    `rates` are the end conditions of the law besides positions: for joints with quaternions they must be zero, since
    the motion can have rates along its geodesic only.
    """
    first, last = (robot.configuration(f"{kind}: {name}", q) for name, q in (("start", start), ("stop", stop)))
    if first.ndim != 1 or last.ndim != 1:
        raise InputError(f"{kind}: start and stop must be one configuration each, {counted(robot.nq, 'number')}")
    if robot.model.loops:
        return _of_actuated(kind, robot, first, last, make, rates)
    if robot.model.contacts:
        raise InputError(
            f"{kind}: {robot.name} is on wheels, which do not let it move along any line; plan for its independent "
            f"rates ({', '.join(robot.velocity_names)}), or for robot.tree without its wheels"
        )
    if robot.nq == robot.dof:
        return make(first, last)
    turning = np.zeros(robot.dof, dtype=bool)
    for variable in robot.model.variables:
        if not variable.joint.single:
            turning[variable.rate : variable.rate + variable.size - 1] = True
    for name, values in rates:
        if row(kind, name, values, robot.dof)[turning].any():
            joint = robot.velocity_names[int(np.argmax(turning))].rpartition(".")[0]
            raise InputError(f"{kind}: {name} must be zero for joints with quaternions, such as {joint!r}")
    law = make(np.zeros(robot.dof), robot.difference(first, last))
    return Geodesic(law.duration, robot, first, law)


def _of_actuated(
    kind: str,
    robot: Robot,
    start: Array,
    stop: Array,
    make: Callable[[Array, Array], Motion],
    rates: Sequence[tuple[str, ArrayLike]],
) -> Motion:
    """The law between the values of the actuated joints; the others are where the loops put them.

    Of more actuated joints than the mobility, those that are independent.
    """
    for name, values in rates:
        if row(kind, name, values, robot.dof).any():
            raise InputError(f"{kind}: {name} must be zero for robots with closed loops")
    free = closure_of(robot).independent
    slots = zip(*actuated_slots(robot), strict=True)
    chosen = [(at, rate) for at, rate in slots if rate in free or len(robot.driven_rates) <= len(free)]
    coordinates = [at for at, _ in chosen]
    law = make(start[coordinates], stop[coordinates])
    return guided(kind, robot, JointGuide(robot, law, coordinates, [rate for _, rate in chosen]), start)
