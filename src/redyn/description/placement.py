"""From a table row to transforms: where a joint sits, how it moves, and where the link's frame is.

Every convention places a link's frame in its parent's as before * motion(q) * after, with constant transforms
around one motion about or along `axis`:

    dh            Rz(theta) Tz(b) Tx(a) Rx(alpha)     the book's; the frame is at the far end of the link
    modified-dh   Rx(alpha) Tx(a) Rz(theta) Tz(d)     Craig's; alpha and a are those of the link before
    frames        T(xyz) R(rpy), then about or along axis; the frame is on the joint
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from redyn.description.schema import Convention, LinkDescription

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Placement:
    """The frame of a link in its parent's: before * motion(q) * after."""

    before: Array
    axis: Array
    after: Array

    def at(self, kind: str, q: float) -> Array:
        """The transform at a joint value."""
        return self.before @ motion(kind, self.axis, q) @ self.after


def translation(x: float, y: float, z: float) -> Array:
    T = np.eye(4)
    T[:3, 3] = (x, y, z)
    return T


def rotation(axis: Array, angle: float) -> Array:
    """Rodrigues' formula; right angles about a coordinate axis come out with rounding only."""
    x, y, z = axis
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    T = np.eye(4)
    T[:3, :3] += math.sin(angle) * K + (1.0 - math.cos(angle)) * (K @ K)
    return T


X_AXIS, Y_AXIS, Z_AXIS = np.eye(3)


def rpy_rotation(roll: float, pitch: float, yaw: float) -> Array:
    """Fixed axes x, y, z in turn: Rz(yaw) Ry(pitch) Rx(roll)."""
    return rotation(Z_AXIS, yaw) @ rotation(Y_AXIS, pitch) @ rotation(X_AXIS, roll)


def motion(kind: str, axis: Array, q: float) -> Array:
    if kind == "revolute":
        return rotation(axis, q)
    if kind == "prismatic":
        return translation(*(axis * q))
    return np.eye(4)


def placement(link: LinkDescription, convention: Convention) -> Placement:
    """The transforms of one row. The schema's checks have run: the fields that the convention needs are there."""
    kind = link.joint.type
    if convention == "frames":
        before = translation(*(link.xyz or (0, 0, 0))) @ rpy_rotation(*(link.rpy or (0, 0, 0)))
        axis = np.array(link.axis or (0.0, 0.0, 1.0))
        return Placement(before, axis / np.linalg.norm(axis), np.eye(4))
    a, alpha = link.a or 0.0, link.alpha or 0.0
    twist = rotation(X_AXIS, alpha)
    along = translation(0.0, 0.0, (link.b if convention == "dh" else link.d) or 0.0)
    turned = rotation(Z_AXIS, link.theta or 0.0)
    link_side = translation(a, 0, 0) @ twist
    if convention == "dh":
        if kind == "revolute":
            return Placement(np.eye(4), Z_AXIS, along @ link_side)
        if kind == "prismatic":
            return Placement(turned, Z_AXIS, link_side)
        return Placement(turned @ along @ link_side, Z_AXIS, np.eye(4))
    if kind == "revolute":
        return Placement(link_side, Z_AXIS, along)
    if kind == "prismatic":
        return Placement(link_side @ turned, Z_AXIS, np.eye(4))
    return Placement(link_side @ turned @ along, Z_AXIS, np.eye(4))
