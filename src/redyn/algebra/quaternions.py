"""Unit quaternions x y z w, as plain functions of numbers.

Each is written once, over anything that adds and multiplies: the recursions use them, NumPy on whole batches, and the
compiled loops of simulations, which hold a state in a plain array.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Triple = tuple[Any, Any, Any]
Quadruple = tuple[Any, Any, Any, Any]


def rotation_rows(x: Any, y: Any, z: Any, w: Any) -> tuple[Triple, Triple, Triple]:
    """The rows of the rotation matrix R: polynomials, so that no attitude is singular."""
    x2, y2, z2 = x + x, y + y, z + z
    xx, yy, zz = x * x2, y * y2, z * z2
    xy, xz, yz = x * y2, x * z2, y * z2
    wx, wy, wz = w * x2, w * y2, w * z2
    return (1 - (yy + zz), xy - wz, xz + wy), (xy + wz, 1 - (xx + zz), yz - wx), (xz - wy, yz + wx, 1 - (xx + yy))


def quaternion_rate(x: Any, y: Any, z: Any, w: Any, a: Any, b: Any, c: Any) -> Quadruple:
    """q * (omega, 0) / 2, with a, b, c half the angular velocity in the child's axes."""
    return w * a + y * c - z * b, w * b + z * a - x * c, w * c + x * b - y * a, -(x * a + y * b + z * c)


def normaliser(sqrt: Callable[[Any], Any]) -> Callable[[Any, Any, Any, Any], Quadruple]:
    """The function that brings a quaternion to length 1, with this square root."""

    def normalised(x: Any, y: Any, z: Any, w: Any) -> Quadruple:
        length = sqrt(x * x + y * y + z * z + w * w)
        return x / length, y / length, z / length, w / length

    return normalised
