"""Whether a body can exist: its mass, and its inertia about the mass centre."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from redyn.description.parameters import Parameter
from redyn.description.schema import RobotDescription

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

# Rounding of a table printed to six digits; rods and discs are exactly at the limit.
PHYSICAL_TOLERANCE = 1e-6
# kg m^2, a milligram some thirty micrometres wide; rounding errors of zero are far below.
NEGLIGIBLE = 1e-15


def moments_of(tensors: Array) -> Array:
    """The principal moments, lowest first, of tensors xx xy xz yy yz zz: (..., 6) to (..., 3)."""
    matrices = tensors[..., [0, 1, 2, 1, 3, 4, 2, 4, 5]].reshape(*tensors.shape[:-1], 3, 3)
    return np.asarray(np.linalg.eigvalsh(matrices), dtype=np.float64)


def faults_of(moments: Array) -> tuple[Flags, Flags]:
    """Where a principal moment is negative, and where the largest exceeds the sum of the others: both impossible."""
    beyond = np.maximum(PHYSICAL_TOLERANCE * np.abs(moments).max(axis=-1), NEGLIGIBLE)
    low, middle, high = moments[..., 0], moments[..., 1], moments[..., 2]
    return low < -beyond, low + middle < high - beyond


def impossible(tensor: Sequence[float]) -> str:
    """Why no body has this inertia; empty if one may."""
    moments = moments_of(np.array(tensor, dtype=np.float64))
    negative, uneven = faults_of(moments)
    shown = ", ".join(f"{m:.6g}" for m in moments)
    if negative:
        return f"a principal moment of inertia is negative ({shown}), which is impossible"
    if uneven:
        return f"the largest principal moment of inertia exceeds the sum of the others ({shown}), which is impossible"
    return ""


def parameter_faults(
    robot: RobotDescription, parameters: Sequence[Parameter], values: Array
) -> Iterator[tuple[str, str, Flags]]:
    """What rows of parameters, (N, P), ask for that no robot can have: its name, why not, and in which rows."""
    for k, parameter in enumerate(parameters):
        if parameter.group == "drive" or parameter.field == "mass":
            yield parameter.name, "is negative", values[:, k] < 0.0
    count = len(values)
    for link in robot.links:
        if any(p.field == "inertia" and p.link == link.name for p in parameters):
            tensors = np.tile(np.array(link.inertia or (0.0,) * 6), (count, 1))
            for k, p in enumerate(parameters):
                if p.field == "inertia" and p.link == link.name:
                    tensors[:, p.component] = values[:, k]
            yield f"{link.name}.inertia", *_tensor_fault(tensors)
    carried = {p.component: k for k, p in enumerate(parameters) if p.group == "payload"}
    if carried:
        ten = np.zeros((count, 10))
        ten[:, list(carried)] = values[:, list(carried.values())]
        m, mc = ten[:, 0], ten[:, 1:4]
        yield "payload.m", "is negative", m < 0.0
        yield "payload", "has a first moment and no mass", (m == 0.0) & mc.any(axis=1)
        c = mc / np.where(m == 0.0, 1.0, m)[:, None]
        about_origin = ten[:, [4, 5, 7, 6, 8, 9]]
        x, y, z = c.T
        shift = m[:, None] * np.stack([y * y + z * z, -x * y, -x * z, x * x + z * z, -y * z, x * x + y * y], axis=1)
        yield "payload", *_tensor_fault(about_origin - shift)


def _tensor_fault(tensors: Array) -> tuple[str, Flags]:
    negative, uneven = faults_of(moments_of(tensors))
    why = "has a negative principal moment" if negative.any() else "has a moment that exceeds the sum of the others"
    return why, negative | uneven
