"""Twists, wrenches and the twist-propagation matrix B_ij, in link axes and at joint origins.

The book writes its recursions at the mass centres C_i without naming axes; these types hold the same
quantities at the joint origins (t^O of (9.7)) in each link's own axes, where B_ij also turns from the parent's
axes to the child's. Angular parts come first throughout.
"""

from __future__ import annotations

from dataclasses import dataclass

from redyn.algebra.rotations import Rotation
from redyn.algebra.scalar import Scalar
from redyn.algebra.vectors import Mat3, Vec3


@dataclass(slots=True)
class Twist:
    """Angular and linear velocity; also used for a twist rate and for a joint's motion vector p."""

    ang: Vec3
    lin: Vec3

    def __add__(self, other: Twist) -> Twist:
        return Twist(self.ang + other.ang, self.lin + other.lin)

    def __mul__(self, rate: Scalar) -> Twist:
        return Twist(self.ang * rate, self.lin * rate)

    def dot(self, w: Wrench) -> Scalar:
        """The power of a wrench on this twist."""
        return self.ang.dot(w.moment) + self.lin.dot(w.force)

    def components(self) -> tuple[Scalar, ...]:
        return (*self.ang.components(), *self.lin.components())


@dataclass(slots=True)
class Wrench:
    """Moment and force; also used for a momentum."""

    moment: Vec3
    force: Vec3

    def __add__(self, other: Wrench) -> Wrench:
        return Wrench(self.moment + other.moment, self.force + other.force)

    def __sub__(self, other: Wrench) -> Wrench:
        return Wrench(self.moment - other.moment, self.force - other.force)

    def __mul__(self, factor: Scalar) -> Wrench:
        return Wrench(self.moment * factor, self.force * factor)

    def components(self) -> tuple[Scalar, ...]:
        return (*self.moment.components(), *self.force.components())


@dataclass(slots=True)
class Pose:
    """Axes (the columns of R) and origin of a frame, seen from another."""

    R: Mat3
    o: Vec3

    def __matmul__(self, other: Pose) -> Pose:
        return Pose(self.R.times(other.R), self.R @ other.o + self.o)

    def twist_from(self, t: Twist) -> Twist:
        """A twist given in this frame's axes, turned to the outer axes; its point stays."""
        return Twist(self.R @ t.ang, self.R @ t.lin)


def acceleration_matrix(omega: Vec3, omega_dot: Vec3) -> Mat3:
    """[omega_dot x] + [omega x][omega x]: what turns a body-fixed vector r into its acceleration.

    Formed once per link, it serves the child's origin, the mass centre and the inertia moments alike.
    """
    xx, yy, zz = omega.x * omega.x, omega.y * omega.y, omega.z * omega.z
    xy, xz, yz = omega.x * omega.y, omega.x * omega.z, omega.y * omega.z
    return Mat3(
        Vec3(-(yy + zz), xy - omega_dot.z, xz + omega_dot.y),
        Vec3(xy + omega_dot.z, -(xx + zz), yz - omega_dot.x),
        Vec3(xz - omega_dot.y, yz + omega_dot.x, -(xx + yy)),
    )


@dataclass(slots=True)
class Propagation:
    """B_ij: carries the twist of the parent j to the joint origin of link i, in the axes of link i (9.4d).

    From the parent's origin go by `offset` (parent axes), take the rotations in order, then go by `slide` (child
    axes); only a prismatic joint slides.
    """

    offset: Vec3
    rotations: tuple[Rotation, ...]
    slide: Vec3 | None = None

    def to_child(self, v: Vec3) -> Vec3:
        for rotation in self.rotations:
            v = rotation.to_child(v)
        return v

    def to_parent(self, v: Vec3) -> Vec3:
        for rotation in reversed(self.rotations):
            v = rotation.to_parent(v)
        return v

    def __matmul__(self, t: Twist) -> Twist:
        ang = self.to_child(t.ang)
        lin = self.to_child(t.lin + t.ang.cross(self.offset))
        if self.slide is not None:
            lin = lin + ang.cross(self.slide)
        return Twist(ang, lin)

    def rate(self, t: Twist, t_dot: Twist, A: Mat3) -> Twist:
        """B_ij t_dot + B_ij_dot t, with the joint held still; A is the parent's acceleration matrix."""
        ang = self.to_child(t_dot.ang)
        lin = self.to_child(t_dot.lin + A @ self.offset)
        if self.slide is not None:
            lin = lin + acceleration_matrix(self.to_child(t.ang), ang) @ self.slide
        return Twist(ang, lin)

    def place(self, parent: Pose) -> Pose:
        """The pose of the child, given its parent's."""
        R, o = parent.R, parent.o + parent.R @ self.offset
        R = Mat3(self.to_child(R.x), self.to_child(R.y), self.to_child(R.z))
        return Pose(R, o if self.slide is None else o + R @ self.slide)

    @property
    def T(self) -> PropagationTranspose:
        return PropagationTranspose(self)


@dataclass(slots=True)
class PropagationTranspose:
    """B_ij^T: carries a wrench on link i to the origin and the axes of its parent."""

    B: Propagation

    def __matmul__(self, w: Wrench) -> Wrench:
        B, moment = self.B, w.moment
        if B.slide is not None:
            moment = moment + B.slide.cross(w.force)
        force = B.to_parent(w.force)
        return Wrench(B.to_parent(moment) + B.offset.cross(force), force)
