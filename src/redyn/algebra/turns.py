"""Rotations between the axes of two links, each made of a few steps.

A general rotation costs nine multiplications on a vector; a turn about z followed by one about x costs eight,
and its zeros and ones fold. Symmetric matrices turn with five multiplications per 2x2 block:
with y = s (a - d) + 2 c b, the block [[a, b], [b, d]] becomes [[a - s y, c y - b], [c y - b, d + s y]]. Only
joints that turn about a point need a rotation matrix as a whole; renaming the axes costs nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from redyn.algebra.scalar import Scalar
from redyn.algebra.vectors import Mat3, Sym3, Vec3


class Turn(Protocol):
    """The rotation of a child's axes from its parent's."""

    def to_parent(self, v: Vec3) -> Vec3: ...
    def to_child(self, v: Vec3) -> Vec3: ...
    def symmetric_to_parent(self, a: Sym3) -> Sym3: ...
    def matrix_to_parent(self, a: Mat3) -> Mat3: ...


def _turn_symmetric(c: Scalar, s: Scalar, a: Scalar, b: Scalar, d: Scalar) -> tuple[Scalar, Scalar, Scalar]:
    y = s * (a - d) + (c + c) * b
    x = s * y
    return a - x, c * y - b, d + x


def _turn_general(
    c: Scalar, s: Scalar, a: Scalar, b: Scalar, e: Scalar, d: Scalar
) -> tuple[Scalar, Scalar, Scalar, Scalar]:
    """The block [[a, b], [e, d]]."""
    y = s * (a - d) + c * (b + e)
    x, cy = s * y, c * y
    return a - x, cy - e, cy - b, d + x


@dataclass(slots=True)
class TurnX:
    """Rx: by a link's twist angle alpha."""

    c: Scalar
    s: Scalar

    def to_parent(self, v: Vec3) -> Vec3:
        return Vec3(v.x, self.c * v.y - self.s * v.z, self.s * v.y + self.c * v.z)

    def to_child(self, v: Vec3) -> Vec3:
        return Vec3(v.x, self.c * v.y + self.s * v.z, self.c * v.z - self.s * v.y)

    def symmetric_to_parent(self, a: Sym3) -> Sym3:
        yy, yz, zz = _turn_symmetric(self.c, self.s, a.yy, a.yz, a.zz)
        return Sym3(a.xx, self.c * a.xy - self.s * a.xz, self.s * a.xy + self.c * a.xz, yy, yz, zz)

    def matrix_to_parent(self, a: Mat3) -> Mat3:
        yy, yz, zy, zz = _turn_general(self.c, self.s, a.y.y, a.y.z, a.z.y, a.z.z)
        return Mat3(
            Vec3(a.x.x, self.c * a.x.y - self.s * a.x.z, self.s * a.x.y + self.c * a.x.z),
            Vec3(self.c * a.y.x - self.s * a.z.x, yy, yz),
            Vec3(self.s * a.y.x + self.c * a.z.x, zy, zz),
        )


@dataclass(slots=True)
class TurnZ:
    """Rz: by a joint's angle theta."""

    c: Scalar
    s: Scalar

    def to_parent(self, v: Vec3) -> Vec3:
        return Vec3(self.c * v.x - self.s * v.y, self.s * v.x + self.c * v.y, v.z)

    def to_child(self, v: Vec3) -> Vec3:
        return Vec3(self.c * v.x + self.s * v.y, self.c * v.y - self.s * v.x, v.z)

    def symmetric_to_parent(self, a: Sym3) -> Sym3:
        xx, xy, yy = _turn_symmetric(self.c, self.s, a.xx, a.xy, a.yy)
        return Sym3(xx, xy, self.c * a.xz - self.s * a.yz, yy, self.s * a.xz + self.c * a.yz, a.zz)

    def matrix_to_parent(self, a: Mat3) -> Mat3:
        xx, xy, yx, yy = _turn_general(self.c, self.s, a.x.x, a.x.y, a.y.x, a.y.y)
        return Mat3(
            Vec3(xx, xy, self.c * a.x.z - self.s * a.y.z),
            Vec3(yx, yy, self.s * a.x.z + self.c * a.y.z),
            Vec3(self.c * a.z.x - self.s * a.z.y, self.s * a.z.x + self.c * a.z.y, a.z.z),
        )


@dataclass(slots=True)
class TurnCycle:
    """The axes renamed: the child's x, y, z are the parent's y, z, x. Three of them lead back."""

    def to_parent(self, v: Vec3) -> Vec3:
        return Vec3(v.z, v.x, v.y)

    def to_child(self, v: Vec3) -> Vec3:
        return Vec3(v.y, v.z, v.x)

    def symmetric_to_parent(self, a: Sym3) -> Sym3:
        return Sym3(a.zz, a.xz, a.yz, a.xx, a.xy, a.yy)

    def matrix_to_parent(self, a: Mat3) -> Mat3:
        return Mat3(self.to_parent(a.z), self.to_parent(a.x), self.to_parent(a.y))


@dataclass(slots=True)
class TurnBy:
    """A rotation given by its matrix, which takes the child's coordinates to the parent's."""

    R: Mat3

    @staticmethod
    def of_quaternion(x: Scalar, y: Scalar, z: Scalar, w: Scalar) -> TurnBy:
        """Of a unit quaternion: polynomials, so that no attitude is singular."""
        x2, y2, z2 = x + x, y + y, z + z
        xx, yy, zz = x * x2, y * y2, z * z2
        xy, xz, yz = x * y2, x * z2, y * z2
        wx, wy, wz = w * x2, w * y2, w * z2
        return TurnBy(
            Mat3(
                Vec3(1 - (yy + zz), xy - wz, xz + wy),
                Vec3(xy + wz, 1 - (xx + zz), yz - wx),
                Vec3(xz - wy, yz + wx, 1 - (xx + yy)),
            )
        )

    def to_parent(self, v: Vec3) -> Vec3:
        return self.R @ v

    def to_child(self, v: Vec3) -> Vec3:
        return self.R.T @ v

    def symmetric_to_parent(self, a: Sym3) -> Sym3:
        half = self.R.times(a.full())
        R = self.R
        return Sym3(
            half.x.dot(R.x), half.x.dot(R.y), half.x.dot(R.z), half.y.dot(R.y), half.y.dot(R.z), half.z.dot(R.z)
        )

    def matrix_to_parent(self, a: Mat3) -> Mat3:
        return self.R.times(a).times(self.R.T)
