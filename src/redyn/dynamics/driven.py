"""Driven dynamics: the torques that give the joints wanted accelerations, and what else moves meanwhile.

The base of a floating robot has no actuator, nor have the modes of a flexible link or the link beyond an elastic gear.
Their accelerations follow from those of the joints by the elimination of forward dynamics (9.39)-(9.41), with every
driven joint left out of it: there the two links move as one body. The torques are those of inverse dynamics at all
accelerations together.
"""

from __future__ import annotations

from collections.abc import Sequence

from redyn.algebra import Arithmetic, Scalar, Vec3
from redyn.dynamics.contact import Ground
from redyn.dynamics.forward import articulations, solve_with
from redyn.dynamics.inverse import External, inverse_dynamics
from redyn.dynamics.kinematics import propagations
from redyn.errors import InputError
from redyn.model import Model


def undriven_rates(model: Model) -> list[int]:
    """The rates that nothing drives; an error if the robot is not one of this kind."""
    found = model.undriven
    if not found or model.reduction is not None or model.loops:
        why = "its joints are not independent" if found else "every rate has an actuator"
        raise InputError(f"driven: {model.name}: {why}; use inverse_dynamics")
    return found


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
    """tau and all of qdd, given the accelerations of the driven joints; the others in `qdd` are ignored."""
    free, zero = model.undriven, arith.const(0.0)
    wanted = [zero if i in free else x for i, x in enumerate(qdd)]
    missing = inverse_dynamics(model, arith, q, qd, wanted, gravity, external, ground)
    B = propagations(model, arith, q)
    x = solve_with(model, arith, B, articulations(model, arith, B, free), {i: -missing[i] for i in free})
    whole = [x.get(i, wanted[i]) for i in range(model.n)]
    torque = inverse_dynamics(model, arith, q, qd, whole, gravity, external, ground)
    return [zero if i in free else tau for i, tau in enumerate(torque)], whole
