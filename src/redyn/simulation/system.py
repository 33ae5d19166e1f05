"""The equations of motion as a first-order system, y-dot = f(t, y), for compiled loops.

y holds q, v, and four works: of the actuators, of friction (negative where it brakes), of the joint stops and of the
external wrenches. The works ride along so that the energy balance is as exact as the motion; they take no part in the
choice of steps.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from redyn.kernels.compiled import call_kernel, call_law, compiled, copy, inlined
from redyn.simulation import manifold

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

WORKS = 4

# Places in `codes`: addresses of functions (0: none), of the kernel's tables, and of the rows that laws read and write.
# For each external wrench, the Jacobian kernel of its frame and that kernel's table of outputs follow.
KERNEL, LAW, PUSH, INPUTS, OUTPUTS, Q_AT, V_AT, ACTUATORS_AT, WRENCHES_AT, STOPS = range(10)
CODES = 10

# Rows of `rows`. The kernel's torque is that of the actuators and the stops.
Q, V, TORQUE, ACCELERATION, ACTUATORS = range(5)
ROWS = 5

# Columns of `joints`.
DAMPING, COULOMB, EPSILON, LOW, HIGH, STOP_STIFFNESS, STOP_DAMPING = range(7)
COLUMNS = 7


class System(NamedTuple):
    """A robot, what drives it, and the memory of its kernel. Few fields: each costs at every call."""

    codes: Integers
    layout: Integers  # see `manifold`
    rows: Array
    joints: Array  # friction and stops, a row per velocity
    times: Array  # of the rows of `table`
    table: Array  # of torques, where there is no law; a single row is a constant torque
    wrenches: Array  # external ones, a row each
    jacobians: Array  # of the frames they act on, six rows each


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


@inlined
def stop_torque(low: float, high: float, stiffness: float, damping: float, q: float, v: float) -> float:
    """A spring and damper beyond the limits, which push back and never pull."""
    if q > high:
        return min(0.0, -stiffness * (q - high) - damping * v)
    if q < low:
        return max(0.0, -stiffness * (q - low) - damping * v)
    return 0.0


@inlined
def actuate(system: System, t: float) -> None:
    """The actuators' torque at the system's q and v."""
    codes, actuators = system.codes, system.rows[ACTUATORS]
    if codes[LAW] != 0:
        call_law(codes[LAW], t, codes[Q_AT], codes[V_AT], codes[ACTUATORS_AT])
    elif len(system.times) > 1:
        table_torque(system.times, system.table, t, actuators)
    else:
        for i in range(len(system.joints)):
            actuators[i] = system.table[0, i]


@compiled
def push_power(system: System) -> float:
    """The power of the external wrenches at the system's q and v: wrench . (J v), summed."""
    codes, v, total = system.codes, system.rows[V], 0.0
    for k in range(len(system.wrenches)):
        call_kernel(codes[CODES + 2 * k], codes[INPUTS], codes[CODES + 2 * k + 1])
        for row in range(6):
            for j in range(len(system.joints)):
                total += system.wrenches[k, row] * system.jacobians[k, row, j] * v[j]
    return total


@inlined
def derivative(system: System, t: float, y: Array, out: Array) -> bool:
    """out = f(t, y); whether it is finite."""
    codes, rows, joints = system.codes, system.rows, system.joints
    q, v, torque, acceleration, actuators = rows[Q], rows[V], rows[TORQUE], rows[ACCELERATION], rows[ACTUATORS]
    nq, n = len(q), len(joints)
    for i in range(nq):
        q[i] = y[i]
    for i in range(n):
        v[i] = y[nq + i]
    actuate(system, t)
    if codes[PUSH] != 0:
        call_law(codes[PUSH], t, codes[Q_AT], codes[V_AT], codes[WRENCHES_AT])
    driven, lost, stopped = 0.0, 0.0, 0.0
    for i in range(n):
        torque[i] = actuators[i]
        driven += actuators[i] * v[i]
        lost -= joints[i, DAMPING] * v[i] * v[i]
        if joints[i, COULOMB] != 0.0:
            lost -= joints[i, COULOMB] * v[i] * v[i] / np.sqrt(v[i] * v[i] + joints[i, EPSILON] ** 2)
    if codes[STOPS] != 0:  # of joints with a single number: others have no limits
        for k in range(len(system.layout)):
            i, j = system.layout[k, 1], system.layout[k, 2]
            back = stop_torque(
                joints[j, LOW], joints[j, HIGH], joints[j, STOP_STIFFNESS], joints[j, STOP_DAMPING], q[i], v[j]
            )
            torque[j] += back
            stopped += back * v[j]
    fine = call_kernel(codes[KERNEL], codes[INPUTS], codes[OUTPUTS]) == 0
    manifold.rate(system.layout, q, v, out)
    for i in range(n):
        out[nq + i] = acceleration[i]
    out[nq + n] = driven
    out[nq + n + 1] = lost
    out[nq + n + 2] = stopped
    out[nq + n + 3] = push_power(system) if len(system.wrenches) > 0 else 0.0
    return fine


@compiled
def evaluate(system: System, t: float, y: Array, out: Array) -> bool:
    """`derivative` as a function of its own: slower to call by some nanoseconds, and compiled only once."""
    return derivative(system, t, y, out)


@compiled
def replay(system: System, t: Array, q: Array, v: Array, actuators: Array, stops: Array) -> None:
    """The torques of the actuators and of the stops at states that were recorded."""
    for row in range(len(t)):
        copy(q[row], system.rows[Q])
        copy(v[row], system.rows[V])
        actuate(system, t[row])
        for i in range(v.shape[1]):
            actuators[row, i] = system.rows[ACTUATORS, i]
        if system.codes[STOPS] != 0:
            for k in range(len(system.layout)):
                i, j = system.layout[k, 1], system.layout[k, 2]
                joint = system.joints[j]
                stops[row, j] = stop_torque(
                    joint[LOW], joint[HIGH], joint[STOP_STIFFNESS], joint[STOP_DAMPING], q[row, i], v[row, j]
                )
