"""Laws of the ground that have branches, and grids of heights: compiled loops over contacts.

The block of a ground is a flat array: the law (0 smooth, 1 ReDySim's), stiffness, damping normal to the ground,
friction, the second number of friction (slip velocity or damping), the directions up, x and y of heights, and of a grid
how many x and y it has (0 without one), these and the heights.
"""

from __future__ import annotations

import math
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from redyn.dynamics.contact import MOTION
from redyn.dynamics.laws.ground import drag, normal_force, redysim
from redyn.kernels.compiled import compiled, inlined, merged
from redyn.model.ground import WRENCH

Array = NDArray[np.float64]

LAW, STIFFNESS, DAMPING, FRICTION, SLIDING, UP, X, Y, NX, NY, GRID = 0, 1, 2, 3, 4, 5, 8, 11, 14, 15, 16
REDYSIM = 1.0
STATE = 13  # numbers of a contact as kernels find it: point, force, normal, velocity (three each) and gap

_normal_force, _drag, _redysim = (cast(Any, merged(law)) for law in (normal_force, drag, redysim))


@inlined
def force(
    b: Array,
    first: int,
    gap: float,
    n: tuple[float, float, float],
    v: tuple[float, float, float],
) -> tuple[float, float, float]:
    """On a contact, in world axes."""
    rate = n[0] * v[0] + n[1] * v[1] + n[2] * v[2]
    k, c, mu, slide = b[first + STIFFNESS], b[first + DAMPING], b[first + FRICTION], b[first + SLIDING]
    if b[first + LAW] != REDYSIM:
        pressed = _normal_force(gap, rate, k, c, math.sqrt)
        square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2] - rate * rate
        braked = _drag(pressed, square, mu, slide, math.sqrt)
        along = pressed + braked * rate
        return n[0] * along - v[0] * braked, n[1] * along - v[1] * braked, n[2] * along - v[2] * braked
    if gap >= 0.0:
        return 0.0, 0.0, 0.0
    x, y, z = b[first + X], b[first + X + 1], b[first + X + 2]
    part = x * n[0] + y * n[1] + z * n[2]
    x, y, z = x - part * n[0], y - part * n[1], z - part * n[2]
    size = math.sqrt(x * x + y * y + z * z)
    x, y, z = x / size, y / size, z / size
    a, b2, c2 = n[1] * z - n[2] * y, n[2] * x - n[0] * z, n[0] * y - n[1] * x
    first_rate, second_rate = x * v[0] + y * v[1] + z * v[2], a * v[0] + b2 * v[1] + c2 * v[2]
    f, g, h = _redysim(-gap, rate, first_rate, second_rate, k, c, slide, mu)
    return f * n[0] + g * x + h * a, f * n[1] + g * y + h * b2, f * n[2] + g * z + h * c2


@inlined
def _cell(b: Array, start: int, count: int, x: float) -> int:
    """The interval of increasing numbers that holds x."""
    low, high = 0, count - 1
    while high - low > 1:
        middle = (low + high) // 2
        if b[start + middle] <= x:
            low = middle
        else:
            high = middle
    return low


@inlined
def _weights(b: Array, start: int, count: int, i: int, x: float) -> tuple[Any, Any]:
    """Of the four points about an interval, for a cubic with the slopes of its neighbours (Catmull and Rom).

    Values and derivatives. At an edge the ground is level, as it is beyond.
    """
    width = b[start + i + 1] - b[start + i]
    s = (x - b[start + i]) / width
    if s < 0.0 or s > 1.0:
        edge = 0.0 if s < 0.0 else 1.0
        return (0.0, 1.0 - edge, edge, 0.0), (0.0, 0.0, 0.0, 0.0)
    h00, h01 = 1 - s * s * (3 - 2 * s), s * s * (3 - 2 * s)
    h10, h11 = s * (1 - s) * (1 - s), s * s * (s - 1)
    d01, d10, d11 = 6 * s * (1 - s), 1 - 4 * s + 3 * s * s, 3 * s * s - 2 * s
    left = width / (b[start + i + 1] - b[start + i - 1]) if i > 0 else 0.0
    right = width / (b[start + i + 2] - b[start + i]) if i + 2 < count else 0.0
    value = -h10 * left, h00 - h11 * right, h01 + h10 * left, h11 * right
    slope = -d10 * left / width, (-d01 - d11 * right) / width, (d01 + d10 * left) / width, d11 * right / width
    return value, slope


@inlined
def grid_height(b: Array, first: int, x: float, y: float) -> tuple[float, float, float]:
    """Height and slopes at a place."""
    nx, ny = int(b[first + NX]), int(b[first + NY])
    xs = first + GRID
    ys = xs + nx
    heights = ys + ny
    i, j = _cell(b, xs, nx, x), _cell(b, ys, ny, y)
    wx, dx = _weights(b, xs, nx, i, x)
    wy, dy = _weights(b, ys, ny, j, y)
    h, along, across = 0.0, 0.0, 0.0
    for p in range(4):
        row = min(max(i - 1 + p, 0), nx - 1)
        for q in range(4):
            column = min(max(j - 1 + q, 0), ny - 1)
            z = b[heights + row * ny + column]
            h += wx[p] * wy[q] * z
            along += dx[p] * wy[q] * z
            across += wx[p] * dy[q] * z
    return h, along, across


@inlined
def press_on_grid(b: Array, first: int, radius: float, motion: Array, at: int, state: Array, to: int) -> None:
    """From the motion of a contact to its state, of STATE numbers: point, force, normal, velocity, gap."""
    c = motion[at], motion[at + 1], motion[at + 2]
    u, x, y = first + UP, first + X, first + Y
    up = b[u] * c[0] + b[u + 1] * c[1] + b[u + 2] * c[2]
    h, along, across = grid_height(
        b,
        first,
        b[x] * c[0] + b[x + 1] * c[1] + b[x + 2] * c[2],
        b[y] * c[0] + b[y + 1] * c[1] + b[y + 2] * c[2],
    )
    scale = 1.0 / math.sqrt(1.0 + along * along + across * across)
    n0 = (b[u] - along * b[x] - across * b[y]) * scale
    n1 = (b[u + 1] - along * b[x + 1] - across * b[y + 1]) * scale
    n2 = (b[u + 2] - along * b[x + 2] - across * b[y + 2]) * scale
    gap = (up - h) * scale - radius
    w0, w1, w2 = motion[at + 6], motion[at + 7], motion[at + 8]
    v0 = motion[at + 3] - radius * (w1 * n2 - w2 * n1)
    v1 = motion[at + 4] - radius * (w2 * n0 - w0 * n2)
    v2 = motion[at + 5] - radius * (w0 * n1 - w1 * n0)
    f = force(b, first, gap, (n0, n1, n2), (v0, v1, v2))
    for k in range(3):
        state[to + 3 + k] = f[k]
    state[to], state[to + 1], state[to + 2] = c[0] - radius * n0, c[1] - radius * n1, c[2] - radius * n2
    state[to + 6], state[to + 7], state[to + 8] = n0, n1, n2
    state[to + 9], state[to + 10], state[to + 11] = v0, v1, v2
    state[to + 12] = gap


@inlined
def write_wrench(state: Array, at: int, radius: float, out: Array, to: int) -> float:
    """The wrench about the centre of a contact, in world axes; returns its power."""
    f0, f1, f2 = state[at + 3], state[at + 4], state[at + 5]
    n0, n1, n2 = state[at + 6], state[at + 7], state[at + 8]
    out[to] = -radius * (n1 * f2 - n2 * f1)
    out[to + 1] = -radius * (n2 * f0 - n0 * f2)
    out[to + 2] = -radius * (n0 * f1 - n1 * f0)
    out[to + 3], out[to + 4], out[to + 5] = f0, f1, f2
    return f0 * state[at + 9] + f1 * state[at + 10] + f2 * state[at + 11]


@compiled
def grid_states(block: Array, radii: Array, motions: Array, states: Array) -> None:
    """Of many states: from (N, K * MOTION) to (N, K * STATE)."""
    for row in range(len(motions)):
        for k in range(len(radii)):
            press_on_grid(block, 0, radii[k], motions[row], k * MOTION, states[row], k * STATE)


@compiled
def forces_of(block: Array, gaps: Array, normals: Array, velocities: Array, out: Array) -> None:
    """Of many contacts, given by rows."""
    for row in range(len(gaps)):
        n, v = normals[row], velocities[row]
        f = force(block, 0, gaps[row], (n[0], n[1], n[2]), (v[0], v[1], v[2]))
        for k in range(3):
            out[row, k] = f[k]


@compiled
def grid_heights(block: Array, x: Array, y: Array, out: Array) -> None:
    for k in range(len(x)):
        out[k] = grid_height(block, 0, x[k], y[k])[0]


__all__ = [
    "MOTION",
    "STATE",
    "WRENCH",
    "force",
    "forces_of",
    "grid_heights",
    "grid_states",
    "press_on_grid",
    "write_wrench",
]
