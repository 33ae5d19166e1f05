"""Configurations and velocities: q-dot = E(q) v, joint by joint.

A revolute or prismatic joint has one number q with q-dot = v. A joint that turns about a point has a unit quaternion
(x, y, z, w) and an angular velocity in the child's axes: q-dot = q * (v, 0) / 2. The position of a free joint has its
velocity in the child's axes as well: q-dot = R v; its quaternion follows it in q, and its angular velocity precedes it
in v. `layout` holds a row for each of these: its kind, where its q starts and where its v starts.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from redyn.kernels.compiled import inlined
from redyn.model import POSE, Model, configuration

Array = NDArray[np.float64]
Layout = NDArray[np.int64]

ONE, QUATERNION, POSITION = 0, 1, 2


def layout_of(model: Model) -> Layout:
    rows: list[tuple[int, int, int]] = []
    for count, i, j in configuration.joints(model):
        if count == 1:
            rows.append((ONE, i, j))
        elif count == POSE:
            rows += [(POSITION, i, j + 3), (QUATERNION, i + 3, j)]
        else:
            rows.append((QUATERNION, i, j))
    return np.array(rows, dtype=np.int64)


@inlined
def turned(x: Any, y: Any, z: Any, w: Any, a: Any, b: Any, c: Any) -> tuple[Any, Any, Any]:
    """R (a, b, c), with R the rotation of a unit quaternion."""
    p, q, r = 2 * (y * c - z * b), 2 * (z * a - x * c), 2 * (x * b - y * a)
    return a + w * p + y * r - z * q, b + w * q + z * p - x * r, c + w * r + x * q - y * p


@inlined
def rate(layout: Layout, q: Array, v: Array, out: Array) -> None:
    """out = E(q) v"""
    for k in range(len(layout)):
        kind, i, j = layout[k, 0], layout[k, 1], layout[k, 2]
        if kind == ONE:
            out[i] = v[j]
        elif kind == POSITION:
            x, y, z, w = q[i + 3], q[i + 4], q[i + 5], q[i + 6]
            out[i], out[i + 1], out[i + 2] = turned(x, y, z, w, v[j], v[j + 1], v[j + 2])
        else:
            x, y, z, w = q[i], q[i + 1], q[i + 2], q[i + 3]
            a, b, c = v[j] / 2, v[j + 1] / 2, v[j + 2] / 2
            out[i] = w * a + y * c - z * b
            out[i + 1] = w * b + z * a - x * c
            out[i + 2] = w * c + x * b - y * a
            out[i + 3] = -x * a - y * b - z * c


@inlined
def velocity(layout: Layout, q: Array, q_dot: Array, out: Array) -> None:
    """out = v with E(q) v = q_dot, by 4 E^T E = |q|^2"""
    for k in range(len(layout)):
        kind, i, j = layout[k, 0], layout[k, 1], layout[k, 2]
        if kind == ONE:
            out[j] = q_dot[i]
        elif kind == POSITION:
            x, y, z, w = q[i + 3], q[i + 4], q[i + 5], q[i + 6]
            size = np.sqrt(x * x + y * y + z * z + w * w)
            out[j], out[j + 1], out[j + 2] = turned(
                -x / size, -y / size, -z / size, w / size, q_dot[i], q_dot[i + 1], q_dot[i + 2]
            )
        else:
            x, y, z, w = q[i], q[i + 1], q[i + 2], q[i + 3]
            a, b, c, d = q_dot[i], q_dot[i + 1], q_dot[i + 2], q_dot[i + 3]
            scale = 2.0 / (x * x + y * y + z * z + w * w)
            out[j] = scale * (w * a + z * b - y * c - x * d)
            out[j + 1] = scale * (-z * a + w * b + x * c - y * d)
            out[j + 2] = scale * (y * a - x * b + w * c - z * d)


@inlined
def project(layout: Layout, q: Array) -> None:
    """Back to unit quaternions."""
    for k in range(len(layout)):
        if layout[k, 0] == QUATERNION:
            i = layout[k, 1]
            part = q[i : i + 4]
            part /= np.sqrt(part[0] ** 2 + part[1] ** 2 + part[2] ** 2 + part[3] ** 2)
