"""From a table row to transforms: the joint's pose, its motion, and the link's frame.

Every convention places a link's frame in its parent's as before * motion(q) * after, with constant transforms
around one motion about or along `axis`:

    dh            Rz(theta) Tz(b) Tx(a) Rx(alpha)     the book's; the frame is at the far end of the link
    modified-dh   Rx(alpha) Tx(a) Rz(theta) Tz(d)     Craig's; alpha and a are those of the previous link
    frames        T(xyz) R(rpy), then about or along axis; the frame is on the joint

Only `frames` has joints of several degrees of freedom: there the motion is a sequence of such steps, or a pose.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from redyn.description.schema import SEVERAL, Convention, JointDescription, LinkDescription

Array = NDArray[np.float64]
Step = Literal["revolute", "prismatic"]


@dataclass(frozen=True)
class Placement:
    """The frame of a link in its parent's: before * motion(q) * after."""

    before: Array
    axis: Array
    after: Array

    def at(self, joint: JointDescription, q: float) -> Array:
        """The transform at the value of a joint with one degree of freedom."""
        return self.before @ motion(joint.type, self.axis, q, joint.pitch or 0.0) @ self.after


def translation(x: float, y: float, z: float) -> Array:
    T = np.eye(4)
    T[:3, 3] = (x, y, z)
    return T


def rotation(axis: Array, angle: float) -> Array:
    """Rodrigues' formula; accurate to rounding for right angles about a coordinate axis."""
    x, y, z = axis
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    T = np.eye(4)
    T[:3, :3] += math.sin(angle) * K + (1.0 - math.cos(angle)) * (K @ K)
    return T


X_AXIS, Y_AXIS, Z_AXIS = np.eye(3)


def rpy_rotation(roll: float, pitch: float, yaw: float) -> Array:
    """About the fixed axes x, y, z in that order: Rz(yaw) Ry(pitch) Rx(roll)."""
    return rotation(Z_AXIS, yaw) @ rotation(Y_AXIS, pitch) @ rotation(X_AXIS, roll)


def motion(kind: str, axis: Array, q: float, pitch: float = 0.0) -> Array:
    if kind == "revolute":
        return rotation(axis, q)
    if kind == "prismatic":
        return translation(*(axis * q))
    if kind == "helical":
        return translation(*(axis * (pitch * q))) @ rotation(axis, q)
    return np.eye(4)


def steps(link: LinkDescription) -> list[tuple[Step, Array]]:
    """The sequence of motions of a cylindrical, universal or planar joint."""
    axis = unit_axis(link.axis)
    if link.joint.type == "cylindrical":
        return [("revolute", axis), ("prismatic", axis)]
    if link.joint.type == "universal":
        return [("revolute", axis), ("revolute", unit_axis(link.axis2))]
    first = plane_axis(axis)
    return [("prismatic", first), ("prismatic", np.cross(axis, first)), ("revolute", axis)]


def plane_axis(normal: Array) -> Array:
    """The x direction of a plane: the coordinate axis after the one nearest to the normal."""
    first = np.eye(3)[(int(np.argmax(np.abs(normal))) + 1) % 3]
    first = first - normal * (first @ normal)
    return first / np.linalg.norm(first)


def unit_axis(axis: tuple[float, float, float] | None) -> Array:
    direction = np.array(axis or (0.0, 0.0, 1.0))
    return direction / np.linalg.norm(direction)


def joint_motion(link: LinkDescription, values: Sequence[float]) -> Array:
    """The motion of any joint of the convention `frames`, relative to the link's pose at zero."""
    kind = link.joint.type
    if kind in ("spherical", "free"):
        T = np.eye(4)
        T[:3, :3] = quaternion_rotation(*values[-4:])
        T[:3, 3] = values[:3] if kind == "free" else 0.0
        return T
    if kind not in SEVERAL:
        return motion(kind, unit_axis(link.axis), values[0] + link.joint.offset, link.joint.pitch or 0.0)
    T = np.eye(4)
    for (step, axis), value in zip(steps(link), values, strict=True):
        T = T @ motion(step, axis, value)
    return T


def quaternion_rotation(x: float, y: float, z: float, w: float) -> Array:
    """The rotation matrix of a quaternion, which need not be normalised."""
    v, square = np.array([x, y, z]), x * x + y * y + z * z + w * w
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + (2.0 / square) * (w * K + np.outer(v, v) - (v @ v) * np.eye(3))


def placement(link: LinkDescription, convention: Convention) -> Placement:
    """The transforms of one row, which has been checked: the fields that the convention needs are present."""
    kind = link.joint.type
    if convention == "frames":
        before = translation(*(link.xyz or (0, 0, 0))) @ rpy_rotation(*(link.rpy or (0, 0, 0)))
        return Placement(before, unit_axis(link.axis), np.eye(4))
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


def clamped_placement(link: LinkDescription, convention: Convention) -> Placement:
    """The frame of a link as far as it is rigid: of a flexible one, that of the root of its beam.

    In `dh` the beam is the length a of the link, and alpha turns its far end; elsewhere the link's frame is the root.
    """
    if link.flexible is None or convention != "dh":
        return placement(link, convention)
    return placement(link.model_copy(update={"a": 0.0, "alpha": 0.0}), convention)


def link_at_tip(link: LinkDescription, convention: Convention) -> Array | None:
    """The frame of a flexible link in that of its tip, where it is fixed to it; None where it is the root's."""
    return rotation(X_AXIS, link.alpha or 0.0) if convention == "dh" else None
