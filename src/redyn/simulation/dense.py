"""Between two ends of a step: what every method shares.

A mechanical system gives q, its rate and its second rate at both ends, so one polynomial of degree five passes through
all of them: as exact as a method of order five, at no further evaluation. Its derivative gives the velocities.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from redyn.kernels.compiled import call_event, call_kernel, compiled
from redyn.simulation import manifold
from redyn.simulation.derivative import evaluate, project
from redyn.simulation.manifold import Layout
from redyn.simulation.system import ACCELERATION, BENDS, Q_AT, TURNED, TURNING, TURNING_INPUTS, V_AT, Q, System, V

Array = NDArray[np.float64]


@compiled
def bend(layout: Layout, q: Array, q_dot: Array, v: Array, out: Array, scratch: Array) -> None:
    """Add to `out`, which holds E(q) a, what makes it the second derivative of q.

    That is E(q_dot) v for quaternions, where E is linear in q, and R (omega x v) for the position of a free joint.
    """
    manifold.rate(layout, q_dot, v, scratch)
    for k in range(len(layout)):
        kind, i, j = layout[k, 0], layout[k, 1], layout[k, 2]
        if kind == manifold.KIND_QUATERNION:
            for c in range(i, i + 4):
                out[c] += scratch[c]
        elif kind == manifold.KIND_POSITION:
            a, b, c = v[j - 3], v[j - 2], v[j - 1]
            x, y, z = b * v[j + 2] - c * v[j + 1], c * v[j] - a * v[j + 2], a * v[j + 1] - b * v[j]
            x, y, z = manifold.turned(q[i + 3], q[i + 4], q[i + 5], q[i + 6], x, y, z)
            out[i] += x
            out[i + 1] += y
            out[i + 2] += z


@compiled
def turning(system: System, y: Array, f: Array, out: Array) -> None:
    """The second derivative of q where wheels roll, at a state and its rate."""
    addresses, rows = system.addresses, system.rows
    nq = rows.shape[1]
    for i in range(nq):
        rows[Q, i] = y[i]
    for i in range(system.jacobians.shape[2]):
        rows[V, i], rows[ACCELERATION, i] = y[nq + i], f[nq + i]
    call_kernel(addresses[TURNING], addresses[TURNING_INPUTS], addresses[TURNED])
    for i in range(nq):
        out[i] = rows[BENDS, i]


@compiled
def between(
    system: System, h: float, y0: Array, f0: Array, y1: Array, f1: Array, part: float, out: Array, scratch: Array
) -> None:
    """out = q and v at `part` (0 to 1) of the step from y0 to y1, whose rates are f0 and f1."""
    layout, nq, n = system.layout, system.rows.shape[1], system.jacobians.shape[2]
    s = part
    a0, a1, q_dot = scratch[0], scratch[1], scratch[2]
    if system.addresses[TURNING] != 0:
        turning(system, y0, f0, a0)
        turning(system, y1, f1, a1)
    else:
        manifold.rate(layout, y0, f0[nq:], a0)
        manifold.rate(layout, y1, f1[nq:], a1)
        if nq != n:
            bend(layout, y0, f0, y0[nq:], a0, scratch[3])
            bend(layout, y1, f1, y1[nq:], a1, scratch[3])
    for i in range(nq):
        u0, u1, w0, w1 = h * f0[i], h * f1[i], h * h * a0[i] / 2, h * h * a1[i] / 2
        # The polynomial leaves the start with value, rate and second rate; c3 to c5 meet those of the end.
        gap = y1[i] - y0[i] - u0 - w0
        slope = u1 - u0 - 2 * w0
        curve = w1 - w0
        c3 = 10 * gap - 4 * slope + curve
        c4 = -15 * gap + 7 * slope - 2 * curve
        c5 = 6 * gap - 3 * slope + curve
        out[i] = y0[i] + s * (u0 + s * (w0 + s * (c3 + s * (c4 + s * c5))))
        q_dot[i] = (u0 + s * (2 * w0 + s * (3 * c3 + s * (4 * c4 + s * 5 * c5)))) / h
    if system.addresses[TURNING] != 0:
        manifold.velocity(layout, out, q_dot, scratch[3])
        manifold.independent_rates(layout, out, scratch[3], out[nq:])
    else:
        manifold.velocity(layout, out, q_dot, out[nq:])
    project(system, out)


@compiled
def powers_between(
    system: System,
    t: float,
    h: float,
    y0: Array,
    f0: Array,
    y1: Array,
    f1: Array,
    state: Array,
    out: Array,
    scratch: Array,
) -> bool:
    """The rates of the works at a third and at two thirds of the step, to rows 0 and 1 of `out`; whether any works."""
    first = system.rows.shape[1] + system.jacobians.shape[2]
    working = False
    for i in range(first, len(y0)):
        working = working or f0[i] != 0.0 or f1[i] != 0.0 or y1[i] != y0[i]
    if working:
        for k in range(2):
            part = (k + 1) / 3
            between(system, h, y0, f0, y1, f1, part, state, scratch)
            evaluate(system, t + part * h, state, out[k])
    return working


@compiled
def works_between(
    first: int, h: float, y0: Array, f0: Array, y1: Array, f1: Array, inner: Array, part: float, out: Array
) -> None:
    """out = the works at `part` of the step, whose rates within it `powers_between` found.

    The power is the polynomial of degree four through its values at both ends and at the thirds whose integral over
    the step is the work that was done: a cubic, and a multiple of s (s - 1/3) (s - 2/3) (s - 1), of integral -1/270.
    """
    s = part
    for i in range(first, len(y0)):
        u0, ua, ub, u1 = h * f0[i], h * inner[0, i], h * inner[1, i], h * f1[i]
        rest = -270 * (y1[i] - y0[i] - (u0 + 3 * ua + 3 * ub + u1) / 8)
        c1 = (-11 * u0 + 18 * ua - 9 * ub + 2 * u1) / 2
        c2 = 9 * (2 * u0 - 5 * ua + 4 * ub - u1) / 2
        c3 = 9 * (-u0 + 3 * ua - 3 * ub + u1) / 2
        cubic = s * (u0 + s * (c1 / 2 + s * (c2 / 3 + s * c3 / 4)))
        out[i] = y0[i] + cubic + rest * s * s * (-1 / 9 + s * (11 / 27 + s * (-1 / 2 + s / 5)))


@compiled
def event_value(system: System, event: int, t: float, y: Array) -> float:
    nq, n = system.rows.shape[1], system.jacobians.shape[2]
    for i in range(nq):
        system.rows[Q, i] = y[i]
    for i in range(n):
        system.rows[V, i] = y[nq + i]
    return call_event(event, t, system.addresses[Q_AT], system.addresses[V_AT])


@compiled
def crossed(before: float, after: float, direction: float) -> bool:
    """Whether an event's function changed its sign, in the direction that counts (0: either)."""
    if before < 0.0 <= after:
        return direction >= 0.0
    if before > 0.0 >= after:
        return direction <= 0.0
    return False


@compiled
def locate(
    system: System,
    event: int,
    before: float,
    t: float,
    h: float,
    y0: Array,
    f0: Array,
    y1: Array,
    f1: Array,
    out: Array,
    scratch: Array,
) -> float:
    """Where in the step (0 to 1) an event's function changes its sign; the state there goes to `out`."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        between(system, h, y0, f0, y1, f1, middle, out, scratch)
        value = event_value(system, event, t + middle * h, out)
        if (value > 0.0) == (before > 0.0) and value != 0.0:
            low = middle
        else:
            high = middle
    between(system, h, y0, f0, y1, f1, high, out, scratch)
    return high
