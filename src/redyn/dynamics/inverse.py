"""Inverse dynamics: the torques of a motion, by the two recursions of (9.32)-(9.35).

Differences from the text. The recursions run at joint origins in link axes, where the book's stand at the mass
centres. Gravity is an upward acceleration of the world (9.35), which serves trees as well as link 1. A wrench from
outside may act on any link, with its moment carried to the right point (the text's (9.34) leaves that out).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from redyn.algebra import Arithmetic, Propagation, Scalar, Vec3, Wrench
from redyn.dynamics.friction import friction
from redyn.dynamics.kinematics import Motion, at_rest, motion_step, poses, propagations
from redyn.model import Frame, Link, Model

External = Sequence[tuple[Frame, Wrench]]  # wrenches in world axes, moments about the origin of each frame


def outward_step(link: Link, B_ij: Propagation, parent: Motion, qd_i: Scalar, qdd_i: Scalar) -> tuple[Motion, Wrench]:
    """Forward: the motion of link i, and the wrench that this motion needs."""
    motion = motion_step(link, B_ij, parent, qd_i, qdd_i)  # (9.32)
    return motion, link.M.inertia_wrench(motion.A, motion.t_dot.lin)  # w_i of (9.33), at O_i


def inward_step(link: Link, B_ij: Propagation, w_tilde: Wrench) -> tuple[Scalar, Wrench]:
    """Backward: what the joint's actuator supplies, and what the parent has to carry."""
    return link.joint.p.dot(w_tilde), B_ij.T @ w_tilde  # (9.33)


def joint_wrenches(
    model: Model,
    arith: Arithmetic,
    B: Sequence[Propagation],
    qd: Sequence[Scalar],
    qdd: Sequence[Scalar],
    gravity: Vec3,
    applied: Mapping[int, Wrench],
) -> tuple[list[Scalar], list[Wrench]]:
    """For every link: its component along the joint, and the whole wrench that its parent exerts on it."""
    motions = [at_rest(arith, -gravity)]  # (9.35)
    w: list[Wrench] = []
    for i, (link, B_ij, qd_i, qdd_i) in enumerate(zip(model.links, B, qd, qdd, strict=True), start=1):
        motion, w_i = outward_step(link, B_ij, motions[link.parent], qd_i, qdd_i)
        motions.append(motion)
        w.append(w_i - applied[i] if i in applied else w_i)  # (9.34)
    tau: list[Scalar] = [arith.const(0.0)] * model.n
    for i in reversed(range(model.n)):
        link = model.links[i]
        tau[i], on_parent = inward_step(link, B[i], w[i])
        if link.parent:
            w[link.parent - 1] = w[link.parent - 1] + on_parent  # (9.33b)
    return tau, w


def applied_wrenches(
    model: Model, arith: Arithmetic, B: Sequence[Propagation], external: External
) -> dict[int, Wrench]:
    """External wrenches in the axes and at the origins of the links they act on."""
    applied: dict[int, Wrench] = {}
    if not external:
        return applied
    placed = poses(model, arith, B)
    for frame, wrench in external:
        R_T = placed[frame.link].R.T
        force = R_T @ wrench.force
        moment = R_T @ wrench.moment + frame.pose.o.cross(force)
        w = Wrench(moment, force)
        applied[frame.link] = applied[frame.link] + w if frame.link in applied else w
    return applied


def inverse_dynamics(
    model: Model,
    arith: Arithmetic,
    q: Sequence[Scalar],
    qd: Sequence[Scalar],
    qdd: Sequence[Scalar],
    gravity: Vec3 | None = None,
    external: External = (),
) -> list[Scalar]:
    """tau = mass_matrix qdd + coriolis_vector + gravity_torque + friction - J^T external."""
    B = propagations(model, arith, q)
    applied = applied_wrenches(model, arith, B, external)
    tau, _ = joint_wrenches(model, arith, B, qd, qdd, model.gravity if gravity is None else gravity, applied)
    return [
        tau_i + link.joint.armature * qdd_i + friction(link.joint, qd_i, arith)
        for link, tau_i, qd_i, qdd_i in zip(model.links, tau, qd, qdd, strict=True)
    ]


def coriolis_vector(model: Model, arith: Arithmetic, q: Sequence[Scalar], qd: Sequence[Scalar]) -> list[Scalar]:
    """h, the vector of convective inertia terms (VCI): the torque of the motion with qdd = 0 (9.17)-(9.19)."""
    zero = arith.const(0.0)
    B = propagations(model, arith, q)
    return joint_wrenches(model, arith, B, qd, [zero] * model.n, Vec3(zero, zero, zero), {})[0]


def gravity_torque(model: Model, arith: Arithmetic, q: Sequence[Scalar], gravity: Vec3 | None = None) -> list[Scalar]:
    """What the actuators must supply to hold still."""
    still = [arith.const(0.0)] * model.n
    B = propagations(model, arith, q)
    return joint_wrenches(model, arith, B, still, still, model.gravity if gravity is None else gravity, {})[0]


def user_joint_wrenches(
    model: Model,
    arith: Arithmetic,
    q: Sequence[Scalar],
    qd: Sequence[Scalar],
    qdd: Sequence[Scalar],
    gravity: Vec3 | None = None,
    external: External = (),
) -> list[Wrench]:
    """All six components of what each parent exerts on its child: axes of the child's frame, at the user's joint."""
    B = propagations(model, arith, q)
    applied = applied_wrenches(model, arith, B, external)
    _, w = joint_wrenches(model, arith, B, qd, qdd, model.gravity if gravity is None else gravity, applied)
    result: list[Wrench] = []
    for i in model.bodies:
        link, w_i = model.links[i - 1], w[i - 1]
        R_T = model.frames[link.name].pose.R.T
        moment = w_i.moment - link.anchor.cross(w_i.force)
        result.append(Wrench(R_T @ moment, R_T @ w_i.force))
    return result
