"""Where to put the axes of each link, so that the recursions meet as few numbers as possible.

z lies along the joint of the link. The origin may slide along that joint and x may turn about it; both are spent
on the first child: x runs along the common normal of the two joints and the child's origin sits on its foot. The
child is then at (a, 0, d), turned by Rx(alpha): the proximal form of the book's DH parameters, whatever the file
gave. Further children of the same link get one more constant rotation, Rz(gamma).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from redyn.algebra import Rotation, RotationX, RotationZ
from redyn.description import lines

Array = NDArray[np.float64]

ROUNDING = 1e-15  # of an entry of a rotation
SNAP = 1e-8  # sines and cosines this small are meant to be zero


@dataclass
class Axis:
    """A joint axis as a line, in the axes of the link that carries it."""

    point: Array
    direction: Array


def unit(v: Array) -> Array:
    return v / np.linalg.norm(v)


def perpendicular(direction: Array, hint: Array) -> Array:
    """A unit vector normal to `direction`, near `hint` if it can be."""
    x = hint - direction * (hint @ direction)
    if np.linalg.norm(x) < 1e-6:
        x = np.cross(direction, np.eye(3)[int(np.argmin(np.abs(direction)))]).astype(np.float64)
    x = unit(x)
    return unit(x - direction * (x @ direction))  # once more: a short difference leaves rounding along the direction


def common_normal(own: Axis, child: Axis, hint: Array) -> tuple[Array, Array, Array]:
    """The feet of the common normal on both axes, and the x direction of the link that carries `own`."""
    z, w = own.direction, child.direction
    found = lines.common_normal(own.point, z, child.point, w)
    if (
        found.lines == "nearly parallel"
    ):  # the feet may be far away: stay with the user's points, x from one to the other
        found = lines.common_normal(own.point, z, child.point, z)._replace(second=0.0)
    x = hint if found.direction is None else found.direction
    if found.lines != "skew":
        x = perpendicular(z, x)
    return own.point + found.first * z, child.point + found.second * w, -x if x @ hint < 0 else x


def frame(origin: Array, x: Array, z: Array) -> Array:
    """The pose with these axes."""
    T = np.eye(4)
    T[:3, 0], T[:3, 1], T[:3, 2], T[:3, 3] = x, np.cross(z, x), z, origin
    return T


def inverse(T: Array) -> Array:
    R, o = T[:3, :3], T[:3, 3]
    out = np.eye(4)
    out[:3, :3], out[:3, 3] = R.T, -R.T @ o
    return out


def cosine_and_sine(angle: float, exact: bool) -> tuple[float, float]:
    """Of an angle; if one of them is meant to be zero, the other is meant to be 1 or -1."""
    c, s = math.cos(angle), math.sin(angle)
    if not exact and min(abs(c), abs(s)) < SNAP:
        return float(round(c)), float(round(s))
    return c, s


def snapped(R: Array) -> Array:
    """A rotation whose entries near 0 and +-1 are those, where all of its entries stay a rotation's."""
    near = np.abs(R - np.round(R)) < SNAP
    return np.where(near, np.round(R), R) + 0.0


def split_rotation(R: Array, exact: bool) -> tuple[tuple[Rotation, ...], float]:
    """R = Rz(gamma) Rx(alpha) Rz(theta): the constant rotations that are not identities, and theta."""
    sine = math.hypot(R[0, 2], R[1, 2])
    gamma = math.atan2(R[0, 2], -R[1, 2])
    if abs(R[0, 2]) <= ROUNDING + (0.0 if exact else SNAP * sine):
        gamma = 0.0  # the common normal is x, or so nearly that rounding made the difference
    gamma_turn, gamma_matrix = _turn(RotationZ, gamma, exact), _rotation_z(gamma)
    tilted = gamma_matrix.T @ R
    alpha = math.atan2(-tilted[1, 2], tilted[2, 2])
    alpha_turn = _turn(RotationX, alpha, exact)
    c, s = math.cos(alpha), math.sin(alpha)
    theta = math.atan2(c * tilted[1, 0] + s * tilted[2, 0], tilted[0, 0])
    return tuple(t for t in (gamma_turn, alpha_turn) if t is not None), theta


def _rotation_z(angle: float) -> Array:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def _turn(kind: type[RotationX] | type[RotationZ], angle: float, exact: bool) -> Rotation | None:
    c, s = cosine_and_sine(angle, exact)
    return None if (c, s) == (1.0, 0.0) else kind(c, s)


def split_quarters(theta: float, exact: bool) -> tuple[float, int]:
    """theta as a small angle plus right angles, where it is nearly a multiple of one."""
    quarters = round(theta / (math.pi / 2))
    rest = theta - quarters * (math.pi / 2)
    if not exact and abs(rest) < SNAP:
        return 0.0, quarters % 4
    return (0.0, 0) if theta == 0.0 else (theta, 0)
