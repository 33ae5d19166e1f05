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

from redyn.algebra import normaliser, quaternion_rate, rotation_rows
from redyn.kernels.compiled import inlined
from redyn.model import Model, Rolling

Array = NDArray[np.float64]
Layout = NDArray[np.int64]

KIND_SINGLE, KIND_QUATERNION, KIND_POSITION = 0, 1, 2
# Of robots on wheels, where an independent rate comes from: one of the tree's, or x or y in the axes of a planar base.
KIND_TAKEN, KIND_AHEAD, KIND_ASIDE = 3, 4, 5


def layout_of(model: Model) -> Layout:
    """Where wheels roll, v are the rates of the whole tree, and more rows say which of them are independent."""
    rows: list[tuple[int, int, int]] = []
    for variable in model.variables:
        i, j = variable.q, variable.rate
        if variable.joint.single:
            rows.append((KIND_SINGLE, i, j))
        elif variable.has_position:
            rows += [(KIND_POSITION, i, j + 3), (KIND_QUATERNION, i + 3, j)]
        else:
            rows.append((KIND_QUATERNION, i, j))
    reduction = model.reduction
    if isinstance(reduction, Rolling):
        base = reduction.turned
        for k, link in enumerate(reduction.independent):
            turned = base is not None and link - base in (0, 1)
            rows.append((KIND_AHEAD + link - base, base, k) if turned and base is not None else (KIND_TAKEN, link, k))
    return np.array(rows, dtype=np.int64)


@inlined
def independent_rates(layout: Layout, q: Array, rates: Array, out: Array) -> None:
    """out = those of the rates of the whole tree that are independent; a planar base comes first in q."""
    for k in range(len(layout)):
        kind, i, j = layout[k, 0], layout[k, 1], layout[k, 2]
        if kind == KIND_TAKEN:
            out[j] = rates[i]
        elif kind == KIND_AHEAD:
            out[j] = np.cos(q[i + 2]) * rates[i] + np.sin(q[i + 2]) * rates[i + 1]
        elif kind == KIND_ASIDE:
            out[j] = np.cos(q[i + 2]) * rates[i + 1] - np.sin(q[i + 2]) * rates[i]


_rows, _rate, _normalised = inlined(rotation_rows), inlined(quaternion_rate), inlined(normaliser(np.sqrt))


@inlined
def turned(x: Any, y: Any, z: Any, w: Any, a: Any, b: Any, c: Any) -> tuple[Any, Any, Any]:
    """R (a, b, c), with R the rotation of a unit quaternion."""
    r, s, t = _rows(x, y, z, w)
    return r[0] * a + r[1] * b + r[2] * c, s[0] * a + s[1] * b + s[2] * c, t[0] * a + t[1] * b + t[2] * c


@inlined
def rate(layout: Layout, q: Array, v: Array, out: Array) -> None:
    """out = E(q) v"""
    for k in range(len(layout)):
        kind, i, j = layout[k, 0], layout[k, 1], layout[k, 2]
        if kind == KIND_SINGLE:
            out[i] = v[j]
        elif kind == KIND_POSITION:
            x, y, z, w = q[i + 3], q[i + 4], q[i + 5], q[i + 6]
            out[i], out[i + 1], out[i + 2] = turned(x, y, z, w, v[j], v[j + 1], v[j + 2])
        else:
            x, y, z, w = q[i], q[i + 1], q[i + 2], q[i + 3]
            half = v[j] / 2, v[j + 1] / 2, v[j + 2] / 2
            out[i], out[i + 1], out[i + 2], out[i + 3] = _rate(x, y, z, w, half[0], half[1], half[2])


@inlined
def velocity(layout: Layout, q: Array, q_dot: Array, out: Array) -> None:
    """out = v with E(q) v = q_dot, by 4 E^T E = |q|^2"""
    for k in range(len(layout)):
        kind, i, j = layout[k, 0], layout[k, 1], layout[k, 2]
        if kind >= KIND_TAKEN:
            continue
        if kind == KIND_SINGLE:
            out[j] = q_dot[i]
        elif kind == KIND_POSITION:
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
    """`configuration.project` of one state: quaternions back to length 1."""
    for k in range(len(layout)):
        if layout[k, 0] == KIND_QUATERNION:
            i = layout[k, 1]
            q[i], q[i + 1], q[i + 2], q[i + 3] = _normalised(q[i], q[i + 1], q[i + 2], q[i + 3])
