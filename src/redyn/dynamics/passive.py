"""Passive forces of the joints, friction and springs: what the actuators must supply beside the motion itself."""

from __future__ import annotations

from collections.abc import Sequence

from redyn.algebra import Arithmetic, Scalar, is_zero
from redyn.dynamics.laws.friction import friction, friction_slope
from redyn.dynamics.laws.spring import spring, spring_energy
from redyn.model import Joint, Model


def joint_friction(joint: Joint, qd: Scalar, arith: Arithmetic) -> Scalar:
    if is_zero(joint.coulomb):  # spares a square root that would not fold, or that the arithmetic may not have
        return joint.damping * qd
    return friction(qd, joint.damping, joint.coulomb, joint.smoothing, arith.sqrt)


def passive_step(joint: Joint, q: Sequence[Scalar], qd: Scalar, arith: Arithmetic) -> Scalar:
    """Friction and spring of one joint. `q` holds its own coordinates; only joints with a single one have springs."""
    resisting = joint_friction(joint, qd, arith)
    return resisting if is_zero(joint.stiffness) else resisting + spring(q[0], joint.stiffness, joint.rest)


def passive_torque(model: Model, arith: Arithmetic, q: Sequence[Scalar], qd: Sequence[Scalar]) -> list[Scalar]:
    """friction_torque + spring_torque"""
    return [
        passive_step(joint, own, qd_i, arith) for (joint, own), qd_i in zip(_coordinates(model, q), qd, strict=True)
    ]


def passive_slopes(model: Model, arith: Arithmetic, qd: Sequence[Scalar]) -> tuple[list[Scalar], list[Scalar]]:
    """The derivatives of the passive torque of every joint by its own q and by its own qd."""
    by_qd: list[Scalar] = []
    for link, qd_i in zip(model.links, qd, strict=True):
        joint = link.joint
        smooth = is_zero(joint.coulomb)
        parameters = joint.damping, joint.coulomb, joint.smoothing
        by_qd.append(joint.damping if smooth else friction_slope(qd_i, *parameters, arith.sqrt))
    return [link.joint.stiffness for link in model.links], by_qd


def friction_torque(model: Model, arith: Arithmetic, qd: Sequence[Scalar]) -> list[Scalar]:
    return [joint_friction(link.joint, qd_i, arith) for link, qd_i in zip(model.links, qd, strict=True)]


def spring_torque(model: Model, arith: Arithmetic, q: Sequence[Scalar]) -> list[Scalar]:
    """stiffness (q - rest) of every joint, zero where there is no spring."""
    return [
        arith.const(0.0) if is_zero(joint.stiffness) else spring(own[0], joint.stiffness, joint.rest)
        for joint, own in _coordinates(model, q)
    ]


def stored_energy(model: Model, arith: Arithmetic, q: Sequence[Scalar]) -> Scalar:
    """The energy of all springs."""
    total, half = arith.const(0.0), arith.const(0.5)
    for joint, own in _coordinates(model, q):
        if not is_zero(joint.stiffness):
            total = total + spring_energy(own[0], joint.stiffness, joint.rest, half)
    return total


def _coordinates(model: Model, q: Sequence[Scalar]) -> list[tuple[Joint, Sequence[Scalar]]]:
    """Every joint with its own coordinates."""
    return [(link.joint, own) for link, own in zip(model.links, model.split(q), strict=True)]
