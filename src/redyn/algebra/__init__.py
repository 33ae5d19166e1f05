"""Small types that hold the structure of mechanics over any scalar."""

from redyn.algebra.inertia import ArticulatedInertia, ConvectiveMatrix, MassMatrix
from redyn.algebra.scalar import Arithmetic, Scalar, is_zero
from redyn.algebra.spatial import (
    Pose,
    Propagation,
    PropagationTranspose,
    Twist,
    Wrench,
    acceleration_matrix,
)
from redyn.algebra.turns import Turn, TurnBy, TurnCycle, TurnX, TurnZ
from redyn.algebra.vectors import Mat3, Sym3, Vec3, cross_matrix, outer, symmetric_product

__all__ = [
    "Arithmetic",
    "ArticulatedInertia",
    "ConvectiveMatrix",
    "MassMatrix",
    "Mat3",
    "Pose",
    "Propagation",
    "PropagationTranspose",
    "Scalar",
    "Sym3",
    "Turn",
    "TurnBy",
    "TurnCycle",
    "TurnX",
    "TurnZ",
    "Twist",
    "Vec3",
    "Wrench",
    "acceleration_matrix",
    "cross_matrix",
    "is_zero",
    "outer",
    "symmetric_product",
]
