"""Joint stops: springs and dampers at the joint limits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redyn.dynamics.laws.stop import stop
from redyn.errors import InputError
from redyn.kernels.compiled import merged
from redyn.simulation.arguments import per_joint
from redyn.simulation.forces.element import Act, Element, Given
from redyn.simulation.manifold import layout_of
from redyn.simulation.system import TORQUE, Q, System, V

Array = NDArray[np.float64]

FREQUENCY, DAMPING_RATIO = 15.0, 0.3  # Hz, and share of the critical damping, of stops that say nothing else

_law = merged(stop)
WIDTH = 6  # of each joint with limits: its number in q and in v, the limits, stiffness and damping


@dataclass(frozen=True)
class Stops:
    """Springs and dampers at the joint limits: one number for all joints or one per joint.

    Left out, they are chosen so that each joint, with the inertia that it has at the start, bounces at 15 Hz.
    """

    stiffness: ArrayLike | None = None
    damping: ArrayLike | None = None


def _constants(given: Given) -> Array:
    robot, stops = given.robot, given.stops
    if not stops:
        return np.zeros(0)
    if not np.isfinite(robot.limits).any():
        raise InputError(f"stops: {robot.name} has no joint limits; give them in its file, or leave stops out")
    chosen = stops if isinstance(stops, Stops) else Stops()
    inertia = np.diag(robot.mass_matrix(given.q))
    usual = inertia * (2 * np.pi * FREQUENCY) ** 2
    stiffness = usual if chosen.stiffness is None else per_joint("stops.stiffness", chosen.stiffness, robot.dof)
    usual = 2 * DAMPING_RATIO * np.sqrt(stiffness * inertia)
    damping = usual if chosen.damping is None else per_joint("stops.damping", chosen.damping, robot.dof)
    table = [(i, j, *robot.limits[j], stiffness[j], damping[j]) for _, i, j in layout_of(robot.model) if j >= 0]
    return np.array([row for row in table if np.isfinite(row[2:4]).any()], dtype=np.float64).ravel()


def _act(number: int) -> Act:
    @merged
    def act(system: System, t: float) -> float:
        constants, rows, power = system.constants, system.rows, 0.0
        for at in range(int(constants[number]), int(constants[number + 1]), WIDTH):
            i, j = int(constants[at]), int(constants[at + 1])
            back = _law(
                rows[Q, i], rows[V, j], constants[at + 2], constants[at + 3], constants[at + 4], constants[at + 5]
            )
            rows[TORQUE, j] += back
            power += back * rows[V, j]
        return power

    return act


STOPS = Element("stops", _constants, known=False, act=_act)
