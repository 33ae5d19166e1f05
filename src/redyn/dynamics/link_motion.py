"""Every moving body: pose, twist, twist rate, inertia force and moment, as Newton-Euler's equations have them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from redyn.algebra import Arithmetic, MassMatrix, Pose, Propagation, Scalar, Twist, Vec3, Wrench
from redyn.dynamics.beams import Bent
from redyn.dynamics.inverse import LinkState, bent_inertia, link_states
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
    """Pose, twist, twist rate, inertia force and inertia moment of every link, gravity apart.

    Force and moment of a beam are among those of the body with the name of the flexible link, or else of its tip.
    """
    B = propagations(model, arith, q)
    placed = poses(model, arith, B)
    states = link_states(model, arith, B, qd, qdd, zero_vector(arith))
    bent = _beams(model, B, states, qd, qdd)
    result: list[LinkMotion] = []
    for i in model.bodies:
        link = model.links[i - 1]
        state, frame, pose = states[i], model.frames[link.name].pose, placed[i]
        R = pose.R
        w = link.M.inertia_wrench(state.A, state.t_dot.lin)
        force, moment = R @ w.force, R @ (w.moment - link.com.cross(w.force))
        if i in bent:
            carrier, M, wrench = bent[i]
            below = placed[carrier]
            own = pose.o + R @ link.com
            beam = below.o + below.R @ Vec3(M.h.x / M.m, M.h.y / M.m, M.h.z / M.m)
            share = M.m / (M.m + link.M.m)
            centre = own + (beam - own) * share
            pushed = below.R @ wrench.force
            about = below.R @ wrench.moment + below.o.cross(pushed)  # about the world's origin
            moment = moment + (own - centre).cross(force) + about - centre.cross(pushed)
            force = force + pushed
        velocity = state.t.lin + state.t.ang.cross(frame.o)
        result.append(
            LinkMotion(
                pose=pose @ frame,
                twist=Twist(R @ state.t.ang, R @ velocity),
                twist_rate=Twist(R @ state.t_dot.ang, R @ (state.t_dot.lin + state.A @ frame.o)),
                force=force,
                moment=moment,
            )
        )
    return result


def _beams(
    model: Model,
    B: Sequence[Propagation],
    states: Sequence[LinkState],
    qd: Sequence[Scalar],
    qdd: Sequence[Scalar],
) -> dict[int, tuple[int, MassMatrix, Wrench]]:
    """By the body that each beam counts to: the link that carries it, its mass matrix and its inertia wrench there."""
    found: dict[int, tuple[int, MassMatrix, Wrench]] = {}
    names = {model.links[i - 1].name: i for i in model.bodies}
    for first, beam in model.beams:
        B_ij, end = B[first], first + beam.modes
        assert isinstance(B_ij, Bent)
        own, _ = bent_inertia(B_ij, states[end], qd[first:end], qdd[first:end])
        found[names.get(beam.name, end)] = (model.links[first].parent, B_ij.M, own)
    return found
