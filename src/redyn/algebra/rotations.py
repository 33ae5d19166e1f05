"""Rotations between the axes of two links, each made of a few steps.

A general rotation costs nine multiplications on a vector; a rotation about z followed by one about x costs eight,
and its zeros and ones fold. Symmetric matrices take five multiplications per 2x2 block:
with y = s (a - d) + 2 c b, the block [[a, b], [b, d]] becomes [[a - s y, c y - b], [c y - b, d + s y]]. Only
joints that turn about a point need a rotation matrix as a whole; renaming the axes costs nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from redyn.algebra.quaternions import rotation_rows
from redyn.algebra.scalar import Scalar
from redyn.algebra.vectors import Mat3, Sym3, Vec3


class Rotation(Protocol):
    """The rotation of a child's axes from its parent's."""

    def to_parent(self, v: Vec3) -> Vec3: ...
    def to_child(self, v: Vec3) -> Vec3: ...
    def symmetric_to_parent(self, a: Sym3) -> Sym3: ...
    def matrix_to_parent(self, a: Mat3) -> Mat3: ...


def _rotate_symmetric(c: Scalar, s: Scalar, a: Scalar, b: Scalar, d: Scalar) -> tuple[Scalar, Scalar, Scalar]:
    y = s * (a - d) + (c + c) * b
    x = s * y
    return a - x, c * y - b, d + x


def _rotate_general(
    c: Scalar, s: Scalar, a: Scalar, b: Scalar, e: Scalar, d: Scalar
) -> tuple[Scalar, Scalar, Scalar, Scalar]:
    """The block [[a, b], [e, d]]."""
    y = s * (a - d) + c * (b + e)
    x, cy = s * y, c * y
    return a - x, cy - e, cy - b, d + x


@dataclass(slots=True)
class RotationX:
    """Rx: by a link's twist angle alpha."""

    c: Scalar
    s: Scalar

    def to_parent(self, v: Vec3) -> Vec3:
        return Vec3(v.x, self.c * v.y - self.s * v.z, self.s * v.y + self.c * v.z)

    def to_child(self, v: Vec3) -> Vec3:
        return Vec3(v.x, self.c * v.y + self.s * v.z, self.c * v.z - self.s * v.y)

    def symmetric_to_parent(self, a: Sym3) -> Sym3:
        yy, yz, zz = _rotate_symmetric(self.c, self.s, a.yy, a.yz, a.zz)
        return Sym3(a.xx, self.c * a.xy - self.s * a.xz, self.s * a.xy + self.c * a.xz, yy, yz, zz)

    def matrix_to_parent(self, a: Mat3) -> Mat3:
        yy, yz, zy, zz = _rotate_general(self.c, self.s, a.y.y, a.y.z, a.z.y, a.z.z)
        return Mat3(
            Vec3(a.x.x, self.c * a.x.y - self.s * a.x.z, self.s * a.x.y + self.c * a.x.z),
            Vec3(self.c * a.y.x - self.s * a.z.x, yy, yz),
            Vec3(self.s * a.y.x + self.c * a.z.x, zy, zz),
        )


@dataclass(slots=True)
class RotationY:
    """Ry: by the slope of a link that bends upwards."""

    c: Scalar
    s: Scalar

    def to_parent(self, v: Vec3) -> Vec3:
        return Vec3(self.s * v.z + self.c * v.x, v.y, self.c * v.z - self.s * v.x)

    def to_child(self, v: Vec3) -> Vec3:
        return Vec3(self.c * v.x - self.s * v.z, v.y, self.c * v.z + self.s * v.x)

    def symmetric_to_parent(self, a: Sym3) -> Sym3:
        zz, xz, xx = _rotate_symmetric(self.c, self.s, a.zz, a.xz, a.xx)
        return Sym3(xx, self.s * a.yz + self.c * a.xy, xz, a.yy, self.c * a.yz - self.s * a.xy, zz)

    def matrix_to_parent(self, a: Mat3) -> Mat3:
        zz, zx, xz, xx = _rotate_general(self.c, self.s, a.z.z, a.z.x, a.x.z, a.x.x)
        return Mat3(
            Vec3(xx, self.s * a.z.y + self.c * a.x.y, xz),
            Vec3(self.s * a.y.z + self.c * a.y.x, a.y.y, self.c * a.y.z - self.s * a.y.x),
            Vec3(zx, self.c * a.z.y - self.s * a.x.y, zz),
        )


@dataclass(slots=True)
class RotationZ:
    """Rz: by a joint's angle theta."""

    c: Scalar
    s: Scalar

    def to_parent(self, v: Vec3) -> Vec3:
        return Vec3(self.c * v.x - self.s * v.y, self.s * v.x + self.c * v.y, v.z)

    def to_child(self, v: Vec3) -> Vec3:
        return Vec3(self.c * v.x + self.s * v.y, self.c * v.y - self.s * v.x, v.z)

    def symmetric_to_parent(self, a: Sym3) -> Sym3:
        xx, xy, yy = _rotate_symmetric(self.c, self.s, a.xx, a.xy, a.yy)
        return Sym3(xx, xy, self.c * a.xz - self.s * a.yz, yy, self.s * a.xz + self.c * a.yz, a.zz)

    def matrix_to_parent(self, a: Mat3) -> Mat3:
        xx, xy, yx, yy = _rotate_general(self.c, self.s, a.x.x, a.x.y, a.y.x, a.y.y)
        return Mat3(
            Vec3(xx, xy, self.c * a.x.z - self.s * a.y.z),
            Vec3(yx, yy, self.s * a.x.z + self.c * a.y.z),
            Vec3(self.c * a.z.x - self.s * a.z.y, self.s * a.z.x + self.c * a.z.y, a.z.z),
        )


@dataclass(slots=True)
class AxisCycle:
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
class GeneralRotation:
    """A rotation given by its matrix, which takes the child's coordinates to the parent's."""

    R: Mat3

    @staticmethod
    def of_quaternion(x: Scalar, y: Scalar, z: Scalar, w: Scalar) -> GeneralRotation:
        first, second, third = rotation_rows(x, y, z, w)
        return GeneralRotation(Mat3(Vec3(*first), Vec3(*second), Vec3(*third)))

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
