"""Every moving body as seed 002 tabulates it: pose, twist, twist rate, inertia force and inertia moment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from redyn.algebra import Arithmetic, Pose, Scalar, Twist, Vec3
from redyn.dynamics.inverse import link_states
from redyn.dynamics.kinematics import poses, propagations, zero_vector
from redyn.model import Model


@dataclass(slots=True)
class LinkMotion:
    """One body, in world axes."""

    pose: Pose  # of the user's link frame
    twist: Twist  # at that frame's origin
    twist_rate: Twist
    force: Vec3  # m a of the mass centre: the dynamic force D_i
    moment: Vec3  # I omega_dot + omega x I omega about the mass centre: the dynamic moment Delta_i


def link_motion(
    model: Model, arith: Arithmetic, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]
) -> list[LinkMotion]:
    """Pose, twist, twist rate, inertia force and inertia moment of every link, gravity apart."""
    B = propagations(model, arith, q)
    placed = poses(model, arith, B)
    states = link_states(model, arith, B, qd, qdd, zero_vector(arith))
    result: list[LinkMotion] = []
    for i in model.bodies:
        link = model.links[i - 1]
        state, frame, R = states[i], model.frames[link.name].pose, placed[i].R
        w = link.M.inertia_wrench(state.A, state.t_dot.lin)
        velocity = state.t.lin + state.t.ang.cross(frame.o)
        result.append(
            LinkMotion(
                pose=placed[i] @ frame,
                twist=Twist(R @ state.t.ang, R @ velocity),
                twist_rate=Twist(R @ state.t_dot.ang, R @ (state.t_dot.lin + state.A @ frame.o)),
                force=R @ w.force,
                moment=R @ (w.moment - link.com.cross(w.force)),
            )
        )
    return result
