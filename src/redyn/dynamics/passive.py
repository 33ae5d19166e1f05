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
    found = [
        passive_step(joint, own, qd_i, arith) for (joint, own), qd_i in zip(_coordinates(model, q), qd, strict=True)
    ]
    for i, m, joint in gears(model):
        twist, rate = _twist(model, q, i, m), qd[i] - qd[m]
        torque = spring(twist, joint.gear_stiffness, arith.const(0.0)) + joint.gear_damping * rate
        found[i], found[m] = found[i] + torque, found[m] - torque
    return found


def gears(model: Model) -> list[tuple[int, int, Joint]]:
    """Elastic gears: the links, from 0, of the joint and of its motor, and the joint."""
    found = enumerate(link.joint for link in model.links)
    return [(i, joint.motor - 1, joint) for i, joint in found if joint.motor]


def _twist(model: Model, q: Sequence[Scalar], i: int, m: int) -> Scalar:
    """How far the joint of link i is ahead of its motor m."""
    own = model.split(q)
    return own[i][0] - own[m][0]


Entry = tuple[int, int, Scalar]  # row, column, value


def passive_slopes(model: Model, arith: Arithmetic, qd: Sequence[Scalar]) -> tuple[list[Entry], list[Entry]]:
    """The derivatives of the passive torques by q and by qd, where they are not zero."""
    by_q: list[Entry] = []
    by_qd: list[Entry] = []
    for i, (link, qd_i) in enumerate(zip(model.links, qd, strict=True)):
        joint = link.joint
        smooth = is_zero(joint.coulomb)
        parameters = joint.damping, joint.coulomb, joint.smoothing
        by_q.append((i, i, joint.stiffness))
        by_qd.append((i, i, joint.damping if smooth else friction_slope(qd_i, *parameters, arith.sqrt)))
    for i, m, joint in gears(model):
        for entries, slope in ((by_q, joint.gear_stiffness), (by_qd, joint.gear_damping)):
            entries += [(i, i, slope), (m, m, slope), (i, m, -slope), (m, i, -slope)]
    return by_q, by_qd


def friction_torque(model: Model, arith: Arithmetic, qd: Sequence[Scalar]) -> list[Scalar]:
    """That of every joint, of modes and of elastic gears."""
    found = [joint_friction(link.joint, qd_i, arith) for link, qd_i in zip(model.links, qd, strict=True)]
    for i, m, joint in gears(model):
        torque = joint.gear_damping * (qd[i] - qd[m])
        found[i], found[m] = found[i] + torque, found[m] - torque
    return found


def spring_torque(model: Model, arith: Arithmetic, q: Sequence[Scalar]) -> list[Scalar]:
    """stiffness (q - rest) of every joint, zero where there is no spring; of modes, and of elastic gears."""
    zero = arith.const(0.0)
    found = [
        zero if is_zero(joint.stiffness) else spring(own[0], joint.stiffness, joint.rest)
        for joint, own in _coordinates(model, q)
    ]
    for i, m, joint in gears(model):
        torque = spring(_twist(model, q, i, m), joint.gear_stiffness, zero)
        found[i], found[m] = found[i] + torque, found[m] - torque
    return found


def stored_energy(model: Model, arith: Arithmetic, q: Sequence[Scalar]) -> Scalar:
    """The energy of all springs, and of the strain of links that bend."""
    total, half, zero = arith.const(0.0), arith.const(0.5), arith.const(0.0)
    for joint, own in _coordinates(model, q):
        if not is_zero(joint.stiffness):
            total = total + spring_energy(own[0], joint.stiffness, joint.rest, half)
    for i, m, joint in gears(model):
        total = total + spring_energy(_twist(model, q, i, m), joint.gear_stiffness, zero, half)
    return total


def _coordinates(model: Model, q: Sequence[Scalar]) -> list[tuple[Joint, Sequence[Scalar]]]:
    """Every joint with its own coordinates."""
    return [(link.joint, own) for link, own in zip(model.links, model.split(q), strict=True)]
