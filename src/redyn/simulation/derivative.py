"""The equations of motion as a first-order system: y-dot = f(t, y)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from redyn.kernels.compiled import allocating, call_kernel, compiled, inlined, merged
from redyn.simulation import forces, manifold
from redyn.simulation.system import (
    ACCELERATION,
    ACTUATORS,
    FRAMES,
    INPUTS,
    KERNEL,
    OUTPUTS,
    PROJECTED,
    PROJECTED_Q,
    PROJECTED_V,
    PROJECTION,
    Q_INPUTS,
    RATES,
    ROLLED,
    ROLLING,
    STATE_INPUTS,
    TORQUE,
    TWIST,
    WRENCH,
    Q,
    System,
    V,
)

Array = NDArray[np.float64]

CLOSING_STEPS = 4
SETTLED = 1e-13  # rad or m: q is where it should be
WILD = 1e-2  # rad or m: no step leaves loops open as far as that


@merged
def move_frames(system: System) -> None:
    """The twist of every frame on which something acts, at the system's q and v."""
    addresses, frames, n = system.addresses, system.frames, system.jacobians.shape[2]
    for k in range(frames.shape[1]):
        call_kernel(addresses[FRAMES + 2 * k], addresses[Q_INPUTS], addresses[FRAMES + 2 * k + 1])
        for i in range(6):
            frames[TWIST, k, i] = 0.0
            for j in range(n):
                frames[TWIST, k, i] += system.jacobians[k, i, j] * system.rows[V, j]


@merged
def rates_of_q(system: System, q: Array, v: Array, out: Array) -> None:
    """out = q-dot at a configuration, for rates v."""
    addresses, rows = system.addresses, system.rows
    if addresses[ROLLING] == 0:
        manifold.rate(system.layout, q, v, out)
        return
    for i in range(rows.shape[1]):
        rows[Q, i] = q[i]
    for i in range(system.jacobians.shape[2]):
        rows[V, i] = v[i]
    call_kernel(addresses[ROLLING], addresses[STATE_INPUTS], addresses[ROLLED])
    for i in range(rows.shape[1]):
        out[i] = rows[RATES, i]


@inlined
def derivative(system: System, t: float, y: Array, out: Array) -> bool:
    """out = f(t, y); whether it is finite."""
    addresses, rows = system.addresses, system.rows
    q, v, acceleration = rows[Q], rows[V], rows[ACCELERATION]
    nq, n = len(q), system.jacobians.shape[2]
    for i in range(nq):
        q[i] = y[i]
    for i in range(n):
        v[i] = y[nq + i]
        rows[TORQUE, i] = 0.0
    rates_of_q(system, q, v, out)
    for i in range(n, system.table.shape[1]):
        rows[TORQUE, i] = 0.0
    move_frames(system)
    forces.act(system, t, out, nq + n)
    finite = call_kernel(addresses[KERNEL], addresses[INPUTS], addresses[OUTPUTS]) == 0
    for i in range(n):
        out[nq + i] = acceleration[i]
    return finite


@compiled
def evaluate(system: System, t: float, y: Array, out: Array) -> bool:
    """`derivative` as a function of its own: slower to call by some nanoseconds, and compiled only once."""
    return derivative(system, t, y, out)


@compiled
def close_loops(system: System, y: Array) -> bool:
    """Newton's steps to the nearest state at which loops are closed; whether it has moved.

    Each squares the error of q. The rates belong to the q of the last step, so that there is one more after q has
    settled. Near a singular position a step may be wild: it is not taken, and the next one will do.
    """
    addresses, rows = system.addresses, system.rows
    nq, n = rows.shape[1], system.jacobians.shape[2]
    moved = False
    for _ in range(CLOSING_STEPS):
        for i in range(nq):
            rows[Q, i] = y[i]
        for i in range(n):
            rows[V, i] = y[nq + i]
        if call_kernel(addresses[PROJECTION], addresses[STATE_INPUTS], addresses[PROJECTED]) != 0:
            return moved
        step = 0.0
        for i in range(nq):
            step = max(step, abs(rows[PROJECTED_Q, i] - y[i]))
        if step > WILD:
            return moved
        moved = True
        for i in range(nq):
            y[i] = rows[PROJECTED_Q, i]
        manifold.project(system.layout, y)
        if step < SETTLED:
            for i in range(n):
                y[nq + i] = rows[PROJECTED_V, i]
            return True
    return moved


@merged
def project(system: System, y: Array) -> bool:
    """Move q and v of a state to where the robot can be; whether f there has to be evaluated again.

    Integrators call this after every step that they accept. Quaternions are brought back to length 1, by so little that
    a rate from before still serves. Loops are closed again, in q and in v.
    """
    manifold.project(system.layout, y)
    return close_loops(system, y) if system.addresses[PROJECTION] != 0 else False


@compiled
def project_state(system: System, y: Array) -> bool:
    """`project` as a function of its own."""
    return project(system, y)


@allocating
def replay(system: System, t: Array, states: Array, actuators: Array, accelerations: Array, wrenches: Array) -> None:
    """At recorded states: the torques of the actuators, the accelerations, and the wrenches on frames."""
    out = np.empty(states.shape[1])
    for row in range(len(t)):
        evaluate(system, t[row], states[row], out)
        for i in range(actuators.shape[1]):
            actuators[row, i] = system.rows[ACTUATORS, i]
        for i in range(accelerations.shape[1]):
            accelerations[row, i] = system.rows[ACCELERATION, i]
        for k in range(wrenches.shape[1]):
            for i in range(6):
                wrenches[row, k, i] = system.frames[WRENCH, k, i]
