"""The actuators: a torque that is constant, given by a table over time, or a function of the user's.

Where they saturate, each gives no more than its limit, whatever the table or the function asks for.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from redyn.errors import InputError
from redyn.kernels.compiled import call_law, compiled, merged
from redyn.model import Rolling
from redyn.robot import Robot
from redyn.simulation import system as slots
from redyn.simulation.arguments import per_joint
from redyn.simulation.forces.element import Act, Element, Given
from redyn.simulation.forces.rates import rates_of_links
from redyn.simulation.system import ACTUATORS_AT, Q_AT, TORQUE_LAW, V_AT, System

Array = NDArray[np.float64]


@compiled
def table_torque(times: Array, table: Array, t: float, out: Array) -> None:
    """Between rows along straight lines; before and after, the first and last row."""
    low, high = 0, len(times) - 1
    while high - low > 1:
        middle = (low + high) // 2
        if times[middle] <= t:
            low = middle
        else:
            high = middle
    part = min(max((t - times[low]) / (times[high] - times[low]), 0.0), 1.0)
    for i in range(table.shape[1]):
        out[i] = table[low, i] + part * (table[high, i] - table[low, i])


def torque_limits(robot: Robot, saturate: Any) -> Array | None:
    """The largest torque of every actuator, infinite where it has no limit; None if they do not saturate.

    `saturate`: True for the effort limits of the robot's file, or limits, one for all joints or one per joint.
    """
    if saturate is None or saturate is False:
        return None
    if saturate is not True:
        return per_joint("saturate", saturate, robot.dof)
    limits = robot.effort_limits
    if not np.isfinite(limits).any():
        raise InputError(
            f"saturate: {robot.name} has no effort limits; give effort_limit to joints in its file, or limits here"
        )
    return limits


def _constants(given: Given) -> Array:
    """Limits, if there are some; where actuators move dependent rates, the rows and places of these as well."""
    limits, model = torque_limits(given.robot, given.saturate), given.robot.model
    if not isinstance(model.reduction, Rolling) or model.reduction.driven == model.reduction.independent:
        return np.zeros(0) if limits is None else limits
    rates = rates_of_links(model)
    count = len(model.actuators)
    held = np.full(count, np.inf) if limits is None else limits
    return np.concatenate([held, *(np.array([rates[i][k] for i in model.reduction.driven]) for k in (0, 1))])


def _act(number: int) -> Act:
    @merged
    def act(system: System, t: float) -> float:
        addresses, rows, power = system.addresses, system.rows, 0.0
        if addresses[TORQUE_LAW] != 0:
            call_law(addresses[TORQUE_LAW], t, addresses[Q_AT], addresses[V_AT], addresses[ACTUATORS_AT])
        elif len(system.times) > 1:
            table_torque(system.times, system.table, t, rows[slots.ACTUATORS])
        else:
            for i in range(system.table.shape[1]):
                rows[slots.ACTUATORS, i] = system.table[0, i]
        first, count = int(system.constants[number]), system.table.shape[1]
        size = int(system.constants[number + 1]) - first
        for i in range(min(size, count)):
            limit = system.constants[first + i]
            if rows[slots.ACTUATORS, i] > limit:
                rows[slots.ACTUATORS, i] = limit
            elif rows[slots.ACTUATORS, i] < -limit:  # numbers that are not finite are left for the loop to find
                rows[slots.ACTUATORS, i] = -limit
        for i in range(count):
            rows[slots.TORQUE, i] += rows[slots.ACTUATORS, i]
        if size > count:
            for i in range(count):
                row, place = int(system.constants[first + count + i]), int(system.constants[first + 2 * count + i])
                power += rows[slots.ACTUATORS, i] * rows[row, place]
        else:
            for i in range(count):
                power += rows[slots.ACTUATORS, i] * rows[slots.V, i]
        return power

    return act


ACTUATORS = Element("actuators", _constants, known=False, act=_act)
