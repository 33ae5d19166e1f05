"""Joint friction: viscous, plus Coulomb friction with a smooth change of sign."""

from __future__ import annotations

from collections.abc import Sequence

from redyn.algebra import Arithmetic, Scalar, is_zero
from redyn.model import Joint, Model


def friction(joint: Joint, qd: Scalar, arith: Arithmetic) -> Scalar:
    """damping qd + coulomb qd / sqrt(qd^2 + eps^2): the torque that sustains the motion against friction."""
    viscous = joint.damping * qd
    if is_zero(joint.coulomb):  # spares a square root that would not fold, or that the arithmetic may not have
        return viscous
    return viscous + joint.coulomb * (qd / arith.sqrt(qd * qd + joint.smoothing * joint.smoothing))


def friction_torque(model: Model, arith: Arithmetic, qd: Sequence[Scalar]) -> list[Scalar]:
    return [friction(link.joint, qd_i, arith) for link, qd_i in zip(model.links, qd, strict=True)]
