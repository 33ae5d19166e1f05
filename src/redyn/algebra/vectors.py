"""Vectors and 3x3 matrices over any scalar."""

from __future__ import annotations

from dataclasses import dataclass

from redyn.algebra.scalar import Scalar


@dataclass(slots=True)
class Vec3:
    """Three components in some axes."""

    x: Scalar
    y: Scalar
    z: Scalar

    def __add__(self, other: Vec3) -> Vec3:
        return Vec3(self.x + other.x, self.y + other.y, self.z + other.z)

    def __sub__(self, other: Vec3) -> Vec3:
        return Vec3(self.x - other.x, self.y - other.y, self.z - other.z)

    def __neg__(self) -> Vec3:
        return Vec3(-self.x, -self.y, -self.z)

    def __mul__(self, factor: Scalar) -> Vec3:
        return Vec3(self.x * factor, self.y * factor, self.z * factor)

    def dot(self, other: Vec3) -> Scalar:
        return self.x * other.x + self.y * other.y + self.z * other.z

    def cross(self, other: Vec3) -> Vec3:
        return Vec3(
            self.y * other.z - self.z * other.y,
            self.z * other.x - self.x * other.z,
            self.x * other.y - self.y * other.x,
        )

    def components(self) -> tuple[Scalar, Scalar, Scalar]:
        return self.x, self.y, self.z


@dataclass(slots=True)
class Mat3:
    """A 3x3 matrix, held by rows."""

    x: Vec3
    y: Vec3
    z: Vec3

    def __add__(self, other: Mat3) -> Mat3:
        return Mat3(self.x + other.x, self.y + other.y, self.z + other.z)

    def __sub__(self, other: Mat3) -> Mat3:
        return Mat3(self.x - other.x, self.y - other.y, self.z - other.z)

    def __mul__(self, factor: Scalar) -> Mat3:
        return Mat3(self.x * factor, self.y * factor, self.z * factor)

    def __matmul__(self, v: Vec3) -> Vec3:
        return Vec3(self.x.dot(v), self.y.dot(v), self.z.dot(v))

    @property
    def T(self) -> Mat3:
        return Mat3(
            Vec3(self.x.x, self.y.x, self.z.x),
            Vec3(self.x.y, self.y.y, self.z.y),
            Vec3(self.x.z, self.y.z, self.z.z),
        )

    def times(self, other: Mat3) -> Mat3:
        columns = other.T
        return Mat3(self @ columns.x, self @ columns.y, self @ columns.z).T


@dataclass(slots=True)
class Sym3:
    """A symmetric 3x3 matrix: six numbers, in the order of the book's inertia tables."""

    xx: Scalar
    xy: Scalar
    xz: Scalar
    yy: Scalar
    yz: Scalar
    zz: Scalar

    def __add__(self, other: Sym3) -> Sym3:
        return Sym3(
            self.xx + other.xx,
            self.xy + other.xy,
            self.xz + other.xz,
            self.yy + other.yy,
            self.yz + other.yz,
            self.zz + other.zz,
        )

    def __matmul__(self, v: Vec3) -> Vec3:
        return Vec3(
            self.xx * v.x + self.xy * v.y + self.xz * v.z,
            self.xy * v.x + self.yy * v.y + self.yz * v.z,
            self.xz * v.x + self.yz * v.y + self.zz * v.z,
        )

    def full(self) -> Mat3:
        return Mat3(Vec3(self.xx, self.xy, self.xz), Vec3(self.xy, self.yy, self.yz), Vec3(self.xz, self.yz, self.zz))

    def components(self) -> tuple[Scalar, Scalar, Scalar, Scalar, Scalar, Scalar]:
        return self.xx, self.xy, self.xz, self.yy, self.yz, self.zz

    def map_trace(self) -> Sym3:
        """tr(S) 1 - S: the inertia tensor of the second moments S, and the other way round up to a half."""
        return Sym3(self.yy + self.zz, -self.xy, -self.xz, self.xx + self.zz, -self.yz, self.xx + self.yy)


def symmetric_product(a: Vec3, b: Vec3) -> Sym3:
    """a b^T + b a^T."""
    xx, yy, zz = a.x * b.x, a.y * b.y, a.z * b.z
    return Sym3(
        xx + xx,
        a.x * b.y + a.y * b.x,
        a.x * b.z + a.z * b.x,
        yy + yy,
        a.y * b.z + a.z * b.y,
        zz + zz,
    )


def outer(a: Vec3, b: Vec3) -> Mat3:
    """a b^T."""
    return Mat3(b * a.x, b * a.y, b * a.z)


def cross_matrix(v: Vec3, zero: Scalar) -> Mat3:
    """The cross-product tensor v x 1 of the book."""
    return Mat3(Vec3(zero, -v.z, v.y), Vec3(v.z, zero, -v.x), Vec3(-v.y, v.x, zero))
