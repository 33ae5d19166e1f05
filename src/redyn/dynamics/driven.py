"""Driven dynamics: the torques that give the joints wanted accelerations, and what the base does meanwhile.

The base of a floating robot has no actuator. Its accelerations follow from those of the joints by the elimination of
forward dynamics (9.39)-(9.41), with every driven joint left out of it: there the two links move as one body. The
torques are those of inverse dynamics at all accelerations together.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from redyn.algebra import Arithmetic, ArticulatedInertia, Propagation, Scalar, Twist, Vec3, Wrench
from redyn.dynamics.contact import Ground
from redyn.dynamics.forward import Articulation, articulated_step, inward_step, outward_step
from redyn.dynamics.inverse import External, inverse_dynamics
from redyn.dynamics.kinematics import propagations
from redyn.errors import InputError
from redyn.model import Model


def floating_rates(model: Model) -> int:
    """How many rates the base has that nothing drives; an error if the robot is not one of this kind."""
    count = len(model.floating)
    if not count or model.reduction is not None or model.loops:
        why = "its joints are not independent" if count else "it has no floating base"
        raise InputError(f"driven: {model.name}: {why}; use inverse_dynamics")
    return count


def driven(
    model: Model,
    arith: Arithmetic,
    q: Sequence[Scalar],
    qd: Sequence[Scalar],
    qdd: Sequence[Scalar],
    gravity: Vec3 | None = None,
    external: External = (),
    ground: Ground | None = None,
) -> tuple[list[Scalar], list[Scalar]]:
    """tau and all of qdd, given the accelerations of the driven joints; those of the base in `qdd` are ignored."""
    free, zero = model.floating, arith.const(0.0)
    wanted = [zero if i in free else x for i, x in enumerate(qdd)]
    missing = inverse_dynamics(model, arith, q, qd, wanted, gravity, external, ground)
    x = _free_response(model, arith, propagations(model, arith, q), free, [-f for f in missing])
    whole = [x[i] if i in free else wanted[i] for i in range(model.n)]
    torque = inverse_dynamics(model, arith, q, qd, whole, gravity, external, ground)
    return [zero if i in free else tau for i, tau in enumerate(torque)], whole


def _free_response(
    model: Model, arith: Arithmetic, B: Sequence[Propagation], free: Collection[int], phi: Sequence[Scalar]
) -> list[Scalar]:
    """Accelerations of the free joints under generalized forces phi, the others being rigid."""
    M_hat = [ArticulatedInertia.of_rigid(link.M, arith.const(0.0)) for link in model.links]
    joints: dict[int, Articulation] = {}
    eta: list[Wrench | None] = [None] * model.n
    x: list[Scalar] = [arith.const(0.0)] * model.n
    for i in reversed(range(model.n)):
        link, M_bar, eta_i = model.links[i], M_hat[i], eta[i]
        if i in free:
            joints[i], M_bar = articulated_step(link, M_hat[i])
            x[i], eta_i = inward_step(link, joints[i], phi[i], eta_i)
        if link.parent:
            j = link.parent - 1
            M_hat[j] = M_hat[j] + M_bar.to_parent(B[i])  # (9.39d)
            if eta_i is not None:
                carried, on_parent = eta[j], B[i].T @ eta_i  # (9.39b)
                eta[j] = on_parent if carried is None else carried + on_parent
    mu: list[Twist | None] = []
    for i, link in enumerate(model.links):
        below = mu[link.parent - 1] if link.parent else None
        arriving = None if below is None else B[i] @ below  # (9.41b)
        if i in free:
            x[i], arriving = outward_step(link, joints[i], x[i], arriving)
        mu.append(arriving)
    return x
