"""A linear spring at a joint."""

from __future__ import annotations

from redyn.algebra import Scalar


def spring(q: Scalar, stiffness: Scalar, rest: Scalar) -> Scalar:
    """The torque that holds the spring at q: stiffness (q - rest), the derivative of its energy."""
    return stiffness * (q - rest)


def spring_energy(q: Scalar, stiffness: Scalar, rest: Scalar, half: Scalar) -> Scalar:
    """The energy that the spring stores: stiffness (q - rest)^2 / 2. `half` is 1/2 in the arithmetic of the others."""
    return half * (stiffness * ((q - rest) * (q - rest)))
