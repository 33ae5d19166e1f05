"""Between two ends of a step: what every method shares.

A mechanical system gives q, its rate and its second rate at both ends, so one polynomial of degree five passes through
all of them: as exact as a method of order five, at no further evaluation. Its derivative gives the velocities.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from redyn.simulation import manifold
from redyn.simulation.compiled import call_event, compiled
from redyn.simulation.manifold import Layout
from redyn.simulation.system import Q_AT, V_AT, Q, System, V

Array = NDArray[np.float64]


@compiled
def bend(layout: Layout, q: Array, q_dot: Array, v: Array, out: Array, room: Array) -> None:
    """Add to `out`, which holds E(q) a, what makes it the second derivative of q: E(q_dot) v, for E is linear in q."""
    manifold.rate(layout, q_dot, v, room)
    for k in range(len(layout)):
        if layout[k, 0] == manifold.QUATERNION:
            for i in range(layout[k, 1], layout[k, 1] + 4):
                out[i] += room[i]


@compiled
def between(
    system: System, h: float, y0: Array, f0: Array, y1: Array, f1: Array, part: float, out: Array, room: Array
) -> None:
    """out = the state at `part` (0 to 1) of the step from y0 to y1, whose rates are f0 and f1."""
    layout, nq, n = system.layout, system.rows.shape[1], len(system.joints)
    s = part
    a0, a1, q_dot = room[0], room[1], room[2]
    manifold.rate(layout, y0, f0[nq:], a0)
    manifold.rate(layout, y1, f1[nq:], a1)
    if nq != n:
        bend(layout, y0, f0, y0[nq:], a0, room[3])
        bend(layout, y1, f1, y1[nq:], a1, room[3])
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
    manifold.velocity(layout, out, q_dot, out[nq:])
    manifold.project(layout, out)
    for i in range(nq + n, len(y0)):  # works: value and rate at both ends
        u0, u1 = h * f0[i], h * f1[i]
        gap = y1[i] - y0[i]
        out[i] = y0[i] + s * (u0 + s * (3 * gap - 2 * u0 - u1 + s * (u0 + u1 - 2 * gap)))


@compiled
def event_value(system: System, event: int, t: float, y: Array) -> float:
    nq, n = system.rows.shape[1], len(system.joints)
    for i in range(nq):
        system.rows[Q, i] = y[i]
    for i in range(n):
        system.rows[V, i] = y[nq + i]
    return call_event(event, t, system.codes[Q_AT], system.codes[V_AT])


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
    room: Array,
) -> float:
    """Where in the step (0 to 1) an event's function changes its sign; the state there goes to `out`."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        between(system, h, y0, f0, y1, f1, middle, out, room)
        value = event_value(system, event, t + middle * h, out)
        if (value > 0.0) == (before > 0.0) and value != 0.0:
            low = middle
        else:
            high = middle
    between(system, h, y0, f0, y1, f1, high, out, room)
    return high
