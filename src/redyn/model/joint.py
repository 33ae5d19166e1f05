"""A joint of the recursions: one motion vector p_i, constant in its link's axes, and all that follows from its kind.

A joint of several degrees of freedom is a row of these, one per rate (see model.py). Where such a joint turns about a
point, its rates are components in the axes of its last link; the first of the row then holds the whole rotation (a unit
quaternion, so that no attitude is singular) and, if it is free, the position. The others *continue* it: they have no
coordinates of their own and only rename the axes, so that each has its motion along z.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from redyn.algebra import (
    Arithmetic,
    ArticulatedInertia,
    AxisCycle,
    GeneralRotation,
    Mat3,
    Propagation,
    Rotation,
    RotationZ,
    Scalar,
    Sym3,
    Twist,
    Vec3,
    Wrench,
    quaternion_rate,
)
from redyn.description.schema import ELASTIC

JointKind = Literal["revolute", "prismatic", "helical", "mode"]  # the last: an elastic coordinate of a beam

QUATERNION_SIZE, POSE_SIZE = 4, 7  # coordinates: x y z w; and a position before it
CYCLE = AxisCycle()


@dataclass(frozen=True, slots=True)
class Joint:
    """A joint about (revolute), along (prismatic) or both (helical) the z axis of its link, or a mode of a beam.

    In the parent's axes the joint sits at `offset`; `rotations` lead from those axes to the joint's, and the joint
    then turns about or slides along z by q + zero (+ `quarters` right angles, kept apart because they cost nothing).
    How a mode moves its link depends on all modes of the beam: see dynamics.beams.
    """

    name: str  # the user's joint, which may have several of these
    kind: JointKind
    p: Twist  # the joint-motion propagation vector p_i (9.4d, 9.5b), constant in link axes
    offset: Vec3
    rotations: tuple[Rotation, ...]
    zero: Scalar
    quarters: int
    damping: Scalar
    coulomb: Scalar
    smoothing: Scalar
    stiffness: Scalar  # of a spring, which only joints with one coordinate have
    rest: Scalar  # its q at rest
    armature: Scalar
    # An elastic gear between the joint and its motor, which is a link of its own without a body, by its number.
    motor: int = 0
    gear_stiffness: Scalar = 0.0
    gear_damping: Scalar = 0.0
    coordinates: int = 1  # how many numbers of q are its own: 1, QUATERNION_SIZE, POSE_SIZE, or 0 where it continues
    part: str = ""  # which rate of the user's joint it is, where there are several

    @property
    def single(self) -> bool:
        """Whether it has one number in q, whose rate is its own: neither quaternions nor a continuation."""
        return self.coordinates == 1

    @property
    def continues(self) -> bool:
        """Whether it continues the joint of the link below: both belong to one that turns about a point."""
        return self.coordinates == 0

    @property
    def turns_motor(self) -> bool:
        """Whether it is the motor of a joint with an elastic gear, on which armature, friction and torque act."""
        return self.part == ELASTIC[0]

    @property
    def actuated(self) -> bool:
        """Whether a torque may act on it: not on modes, nor beyond an elastic gear."""
        return self.kind != "mode" and not self.motor

    @property
    def label(self) -> str:
        """The name of its rate."""
        return f"{self.name}.{self.part}" if self.part else self.name

    def propagation(self, q: Sequence[Scalar], arith: Arithmetic) -> Propagation:
        """B_ij at the joint's own coordinates q."""
        if self.continues:
            return Propagation(self.offset, self.rotations)
        if not self.single:
            *position, x, y, z, w = q
            offset = self.offset
            if position:
                at = Vec3(*position)
                for rotation in reversed(self.rotations):
                    at = rotation.to_parent(at)
                offset = offset + at
            return Propagation(offset, (*self.rotations, GeneralRotation.of_quaternion(x, y, z, w), CYCLE))
        (value,) = q
        zero = arith.const(0.0)
        if self.kind == "prismatic":
            return Propagation(self.offset, self.rotations, Vec3(zero, zero, value + self.zero))
        s, c = arith.sincos(value + self.zero)
        c, s = ((c, s), (-s, c), (-c, -s), (s, -c))[self.quarters]
        slide = Vec3(zero, zero, self.p.lin.z * value) if self.kind == "helical" else None
        return Propagation(self.offset, (*self.rotations, RotationZ(c, s)), slide)

    def coordinate_rates(self, q: Sequence[Scalar], qd: Sequence[Scalar], arith: Arithmetic) -> list[Scalar]:
        """The rates of its own coordinates q; `qd` begins with its own rate, those of its continuations follow.

        qd itself where it is single; of a quaternion q * (omega, 0) / 2, of the position of a free joint R v.
        """
        if self.continues:
            return []
        if self.single:
            return [qd[0]]
        *position, x, y, z, w = q
        half = arith.const(0.5)
        rates = list(quaternion_rate(x, y, z, w, *(rate * half for rate in qd[:3])))
        if position:
            R = GeneralRotation.of_quaternion(x, y, z, w).R
            rates = [*(R @ Vec3(*qd[3:6])).components(), *rates]
        return rates

    def motion_rate(self, qd: Scalar, omega: Vec3, carried: Vec3) -> Twist:
        """Omega_i p_i theta_dot_i of (9.32), given omega of the link and that with which the whole joint is carried.

        The latter does for the former, because a joint does not turn its own axis. A slide changes direction, and so
        does the lever that it lengthens: it counts twice, which is the Coriolis acceleration that the book's d_dot
        lacks. The rates of a joint that turns about a point are components in axes that turn along with them: their
        derivatives hold what they make of each other, but not what they make of a slide.
        """
        ang, lin = self.p.ang, self.p.lin
        turning = carried.cross(ang * qd)
        if self.continues:
            return Twist(turning, (omega + carried).cross(lin * qd))
        return Twist(turning, carried.cross(lin * (qd + qd)))

    # Elimination of a joint gives some results along it that are known beforehand. Taken as known they are exact, where
    # computing them would leave the rounding of a difference of equal numbers, and cost operations.

    def with_known_component(self, w: Wrench, value: Scalar) -> Wrench:
        """The same wrench with p^T w replaced by the value that it is known to have."""
        n, f = w.moment, w.force
        if self.kind == "revolute":
            return Wrench(Vec3(n.x, n.y, value), f)
        return Wrench(n, Vec3(f.x, f.y, value)) if self.kind == "prismatic" else w

    def with_known_row(self, M: ArticulatedInertia, row: Wrench) -> ArticulatedInertia:
        """The same matrix with p^T M and M p replaced by what they are known to be."""
        I, F, G, n, f = M.I, M.F, M.G, row.moment, row.force
        if self.kind == "revolute":
            columns = Mat3(Vec3(F.x.x, F.x.y, f.x), Vec3(F.y.x, F.y.y, f.y), Vec3(F.z.x, F.z.y, f.z))
            return ArticulatedInertia(Sym3(I.xx, I.xy, n.x, I.yy, n.y, n.z), columns, G)
        if self.kind == "helical":  # its row is a sum of two, none of them known
            return M
        return ArticulatedInertia(I, Mat3(F.x, F.y, n), Sym3(G.xx, G.xy, f.x, G.yy, f.y, f.z))
