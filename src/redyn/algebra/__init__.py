"""Small types that hold the structure of mechanics over any scalar."""

from redyn.algebra.inertia import ArticulatedInertia, ConvectiveMatrix, MassMatrix
from redyn.algebra.quaternions import normaliser, quaternion_rate, rotation_rows
from redyn.algebra.rotations import AxisCycle, GeneralRotation, Rotation, RotationX, RotationY, RotationZ
from redyn.algebra.scalar import Arithmetic, Scalar, Stacking, dot, is_zero
from redyn.algebra.spatial import (
    Pose,
    Propagation,
    PropagationTranspose,
    Twist,
    Wrench,
    acceleration_matrix,
)
from redyn.algebra.vectors import Mat3, Sym3, Vec3, cross_matrix, outer, symmetric_product

__all__ = [
    "Arithmetic",
    "ArticulatedInertia",
    "AxisCycle",
    "ConvectiveMatrix",
    "GeneralRotation",
    "MassMatrix",
    "Mat3",
    "Pose",
    "Propagation",
    "PropagationTranspose",
    "Rotation",
    "RotationX",
    "RotationY",
    "RotationZ",
    "Scalar",
    "Stacking",
    "Sym3",
    "Twist",
    "Vec3",
    "Wrench",
    "acceleration_matrix",
    "cross_matrix",
    "dot",
    "is_zero",
    "normaliser",
    "outer",
    "quaternion_rate",
    "rotation_rows",
    "symmetric_product",
]
