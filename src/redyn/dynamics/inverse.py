"""Inverse dynamics: the torques of a motion, by the two recursions of (9.32)-(9.35).

Differences from the text. The recursions run at joint origins in link axes, where the book's stand at the mass
centres. Gravity is an upward acceleration of the world (9.35), which serves trees as well as link 1. A wrench from
outside may act on any link, with its moment carried to the right point (the text's (9.34) leaves that out).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from redyn.algebra import Arithmetic, Mat3, Pose, Propagation, Scalar, Twist, Vec3, Wrench, acceleration_matrix
from redyn.dynamics import contact
from redyn.dynamics.beams import Bent, RootMotion
from redyn.dynamics.kinematics import poses, propagations, zero_vector
from redyn.dynamics.passive import passive_torque
from redyn.model import Frame, Link, Model

External = Sequence[tuple[Frame, Wrench]]  # wrenches in world axes, moments about the origin of each frame


@dataclass(slots=True)
class LinkState:
    """A link's twist t, its rate t_dot, and the acceleration matrix A that goes with them."""

    t: Twist
    t_dot: Twist
    A: Mat3
    carried: Vec3  # the angular velocity with which its joint is carried: that of the link below the joint
    root: RootMotion | None = None  # of the tip of a beam: the motion of its other end


def motion_step(link: Link, B_ij: Propagation, parent: LinkState, qd_i: Scalar, qdd_i: Scalar) -> LinkState:
    """Forward: the motion of link i, given that of its parent j."""
    joint, p = link.joint, link.joint.p
    carried = B_ij.to_child(parent.carried if joint.continues else parent.t.ang)
    t_i = B_ij @ parent.t + p * qd_i  # (9.32)
    Omega_p_qd = joint.motion_rate(qd_i, t_i.ang, carried)
    t_dot_i = B_ij.rate(parent.t, parent.t_dot, parent.A) + p * qdd_i + Omega_p_qd  # (9.32)
    return LinkState(t_i, t_dot_i, acceleration_matrix(t_i.ang, t_dot_i.ang), carried)


def bending_step(B_ij: Bent, parent: LinkState, rates: Sequence[Scalar], accelerations: Sequence[Scalar]) -> LinkState:
    """Forward: the motion of the tip of a beam, given that of the link j that carries it."""
    below = B_ij.shape.root
    omega, t_dot, A = parent.t.ang, parent.t_dot, parent.A
    if below is not None:
        omega, t_dot = below.to_child(omega), below.rate(parent.t, t_dot, A)
        A = acceleration_matrix(omega, t_dot.ang)
    t_i = B_ij.tip_twist(parent.t, rates)
    t_dot_i = B_ij.rate(parent.t, parent.t_dot, parent.A) + B_ij.shape.tip_convective(omega, rates)
    for p_k, acceleration in zip(B_ij.p, accelerations, strict=True):
        t_dot_i = t_dot_i + p_k * acceleration  # (9.32)
    turning = acceleration_matrix(t_i.ang, t_dot_i.ang)
    return LinkState(t_i, t_dot_i, turning, B_ij.to_child(parent.t.ang), RootMotion(omega, t_dot, A))


def wrench_step(link: Link, state: LinkState) -> Wrench:
    """Forward: w_i, the wrench that the motion of link i needs, at its joint origin."""
    return link.M.inertia_wrench(state.A, state.t_dot.lin)  # (9.33)


def inward_step(link: Link, B_ij: Propagation, w_tilde: Wrench) -> tuple[Scalar, Wrench]:
    """Backward: what the joint's actuator supplies, and what the parent has to carry."""
    return link.joint.p.dot(w_tilde), B_ij.T @ w_tilde  # (9.33)


def bent_inertia(
    B_ij: Bent, tip: LinkState, rates: Sequence[Scalar], accelerations: Sequence[Scalar]
) -> tuple[Wrench, list[Scalar]]:
    """The wrench, at the link that carries a beam, and the modal forces that the motion of its mass needs."""
    assert tip.root is not None
    own, modal = B_ij.shape.inertia(tip.root, rates, accelerations)
    return (own if B_ij.shape.root is None else B_ij.shape.root.T @ own), modal


def bent_inward_step(
    B_ij: Bent, tip: LinkState, rates: Sequence[Scalar], accelerations: Sequence[Scalar], w_tilde: Wrench
) -> tuple[list[Scalar], Wrench]:
    """Backward: the modal forces of a beam, and what the link that carries it has to carry."""
    own, modal = bent_inertia(B_ij, tip, rates, accelerations)
    return [p_k.dot(w_tilde) + need for p_k, need in zip(B_ij.p, modal, strict=True)], B_ij.T @ w_tilde + own


def link_states(
    model: Model,
    arith: Arithmetic,
    B: Sequence[Propagation],
    qd: Sequence[Scalar],
    qdd: Sequence[Scalar],
    acceleration: Vec3,
) -> list[LinkState]:
    """The motion of every link; entry 0 is the world, whose upward acceleration stands for gravity (9.35)."""
    zero = zero_vector(arith)
    states = [LinkState(Twist(zero, zero), Twist(zero, acceleration), Mat3(zero, zero, zero), zero)]
    for row in model.steps:
        i, end = row.start, row.stop
        link, B_ij = model.links[i], B[i]
        parent = states[link.parent]
        if isinstance(B_ij, Bent):
            state = bending_step(B_ij, parent, qd[i:end], qdd[i:end])
        else:
            state = motion_step(link, B_ij, parent, qd[i], qdd[i])
        states += [state] * len(row)
    return states


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
    states = link_states(model, arith, B, qd, qdd, -gravity)
    w = [wrench_step(link, state) for link, state in zip(model.links, states[1:], strict=True)]
    for i, wrench in applied.items():
        w[i - 1] = w[i - 1] - wrench  # (9.34)
    tau: list[Scalar] = [arith.const(0.0)] * model.n
    for row in reversed(model.steps):
        i, end = row.start, row.stop
        link, B_ij = model.links[i], B[i]
        if isinstance(B_ij, Bent):
            tau[i:end], on_parent = bent_inward_step(B_ij, states[end], qd[i:end], qdd[i:end], w[end - 1])
        else:
            tau[i], on_parent = inward_step(link, B_ij, w[i])
        if link.parent:
            w[link.parent - 1] = w[link.parent - 1] + on_parent  # (9.33b)
    return tau, w


def at_link(pose: Pose, frame: Frame, wrench: Wrench) -> Wrench:
    """A wrench in world axes at the origin of a frame, in the axes and at the origin of its link at `pose`."""
    R_T = pose.R.T
    force = R_T @ wrench.force
    return Wrench(R_T @ wrench.moment + frame.pose.o.cross(force), force)


def applied_wrenches(
    model: Model,
    arith: Arithmetic,
    B: Sequence[Propagation],
    external: External,
    qd: Sequence[Scalar],
    ground: contact.Ground | None,
) -> dict[int, Wrench]:
    """External wrenches, and those of the ground, in the axes and at the origins of the links they act on."""
    applied = {} if ground is None else contact.wrenches(model, arith, B, qd, ground)
    if not external:
        return applied
    placed = poses(model, arith, B)
    for frame, wrench in external:
        w = at_link(placed[frame.link], frame, wrench)
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
    ground: contact.Ground | None = None,
) -> list[Scalar]:
    """tau = mass_matrix qdd + coriolis_vector + gravity_torque + spring_torque + friction - J^T external."""
    B = propagations(model, arith, q)
    applied = applied_wrenches(model, arith, B, external, qd, ground)
    tau, _ = joint_wrenches(model, arith, B, qd, qdd, model.gravity if gravity is None else gravity, applied)
    passive = passive_torque(model, arith, q, qd)
    return [
        tau_i + link.joint.armature * qdd_i + passive_i
        for link, tau_i, qdd_i, passive_i in zip(model.links, tau, qdd, passive, strict=True)
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
    ground: contact.Ground | None = None,
    on_links: Mapping[int, Wrench] | None = None,
) -> list[Wrench]:
    """All six components of what each parent exerts on its child: axes of the child's frame, at the user's joint.

    `on_links` are wrenches beside the external ones, in the axes and at the origins of links.
    """
    B = propagations(model, arith, q)
    applied = applied_wrenches(model, arith, B, external, qd, ground)
    for i, wrench in (on_links or {}).items():
        applied[i] = applied[i] + wrench if i in applied else wrench
    _, w = joint_wrenches(model, arith, B, qd, qdd, model.gravity if gravity is None else gravity, applied)
    result: list[Wrench] = []
    for i in model.bodies:
        link, w_i = model.links[i - 1], w[i - 1]
        R_T = model.frames[link.name].pose.R.T
        moment = w_i.moment - link.anchor.cross(w_i.force)
        result.append(Wrench(R_T @ moment, R_T @ w_i.force))
    return result
