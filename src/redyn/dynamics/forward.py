"""Forward dynamics: the joint accelerations, order n, by U D U^T = GIM (9.38)-(9.41).

Differences from the text. (9.41a) prints psi_hat where psi belongs (Saha 2003 (14) has it right). The armature of
an actuator enters m_hat alone: its rotor turns with the joint and adds nothing to what the parent carries. Along the
joint two results are known beforehand, which spares work and rounding: p^T psi = 1 - armature / m_hat, and so the
row of M_bar along the joint is armature psi^T, which is zero without armature.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from redyn.algebra import Arithmetic, ArticulatedInertia, Propagation, Scalar, Twist, Vec3, Wrench
from redyn.dynamics.contact import Ground
from redyn.dynamics.inverse import External, applied_wrenches, joint_wrenches
from redyn.dynamics.kinematics import propagations
from redyn.dynamics.passive import passive_torque
from redyn.model import Link, Model


@dataclass(slots=True)
class Articulation:
    """What elimination leaves at a joint: psi = psi_hat / m_hat, m_hat (D's entry), and its reciprocal."""

    psi: Wrench
    m_hat: Scalar
    reciprocal: Scalar
    size: Scalar  # the trace of the articulated inertia that m_hat is an entry of


def articulated_step(link: Link, M_hat: ArticulatedInertia) -> tuple[Articulation, ArticulatedInertia]:
    """Eliminate the joint of link i from the articulated body inertia; M_bar is what its parent feels."""
    p, armature = link.joint.p, link.joint.armature
    psi_hat = M_hat @ p  # (9.39c)
    m_hat = p.dot(psi_hat) + armature  # (9.39c)
    reciprocal = 1 / m_hat
    psi = link.joint.with_known_component(psi_hat * reciprocal, 1 - armature * reciprocal)  # (9.39c)
    M_bar = link.joint.with_known_row(M_hat.less_dyad(psi_hat, psi), psi * armature)  # (9.39d)
    block = M_hat.G if link.joint.kind == "prismatic" else M_hat.I
    return Articulation(psi, m_hat, reciprocal, block.xx + block.yy + block.zz), M_bar


def articulations(model: Model, arith: Arithmetic, B: Sequence[Propagation]) -> list[Articulation]:
    """The pass from tips to base that depends on the configuration alone."""
    zero = arith.const(0.0)
    M_hat = [ArticulatedInertia.of_rigid(link.M, zero) for link in model.links]
    result: list[Articulation] = []
    for i in reversed(range(model.n)):
        link = model.links[i]
        joint, M_bar = articulated_step(link, M_hat[i])
        result.append(joint)
        if link.parent:
            M_hat[link.parent - 1] = M_hat[link.parent - 1] + M_bar.to_parent(B[i])  # (9.39d)
    return result[::-1]


def inward_step(link: Link, joint: Articulation, phi_i: Scalar, eta: Wrench | None) -> tuple[Scalar, Wrench]:
    """phi_tilde_i and eta_i, given eta_{i,i+1} of the children together (None at a tip)."""
    armature = link.joint.armature
    phi_hat = phi_i if eta is None else phi_i - link.joint.p.dot(eta)  # (9.39a)
    phi_tilde = phi_hat * joint.reciprocal  # (9.40)
    eta_i = joint.psi * phi_hat if eta is None else joint.psi * phi_hat + eta  # (9.39b)
    return phi_tilde, link.joint.with_known_component(eta_i, phi_i - armature * phi_tilde)


def outward_step(link: Link, joint: Articulation, phi_tilde: Scalar, mu: Twist | None) -> tuple[Scalar, Twist]:
    """The acceleration of joint i and mu_i, given mu_{i,i-1} (None where the parent is the world)."""
    p = link.joint.p
    if mu is None:
        return phi_tilde, p * phi_tilde
    x_i = phi_tilde - mu.dot(joint.psi)  # (9.41a), as Saha 2003 (14)
    return x_i, p * x_i + mu  # (9.41b)


def inward(
    model: Model, B: Sequence[Propagation], joints: Sequence[Articulation], phi: Sequence[Scalar]
) -> list[Scalar]:
    """phi_tilde = D^-1 U^-1 phi, from the tips to the base (9.39), (9.40)."""
    eta: list[Wrench | None] = [None] * model.n
    phi_tilde = list(phi)
    for i in reversed(range(model.n)):
        link = model.links[i]
        phi_tilde[i], eta_i = inward_step(link, joints[i], phi[i], eta[i])
        if link.parent:
            carried, on_parent = eta[link.parent - 1], B[i].T @ eta_i  # (9.39b)
            eta[link.parent - 1] = on_parent if carried is None else carried + on_parent
    return phi_tilde


def outward(
    model: Model, B: Sequence[Propagation], joints: Sequence[Articulation], phi_tilde: Sequence[Scalar]
) -> list[Scalar]:
    """x = U^-T phi_tilde, from the base to the tips (9.41)."""
    x = list(phi_tilde)
    mu: list[Twist] = []
    for i, link in enumerate(model.links):
        arriving = B[i] @ mu[link.parent - 1] if link.parent else None  # (9.41b)
        x[i], mu_i = outward_step(link, joints[i], phi_tilde[i], arriving)
        mu.append(mu_i)
    return x


def solve_with(
    model: Model, B: Sequence[Propagation], joints: Sequence[Articulation], phi: Sequence[Scalar]
) -> list[Scalar]:
    """x with GIM x = phi, the articulations being known."""
    return outward(model, B, joints, inward(model, B, joints, phi))


def solve(model: Model, arith: Arithmetic, q: Sequence[Scalar], phi: Sequence[Scalar]) -> list[Scalar]:
    """x with mass_matrix x = phi, order n (9.38)-(9.41)."""
    B = propagations(model, arith, q)
    return solve_with(model, B, articulations(model, arith, B), phi)


def forward_dynamics(
    model: Model,
    arith: Arithmetic,
    q: Sequence[Scalar],
    qd: Sequence[Scalar],
    tau: Sequence[Scalar],
    gravity: Vec3 | None = None,
    external: External = (),
    ground: Ground | None = None,
) -> list[Scalar]:
    """qdd: solve GIM qdd = phi with phi = tau less what the motion needs at qdd = 0 (9.38)."""
    B = propagations(model, arith, q)
    phi = generalized_force(model, arith, B, q, qd, tau, gravity, external, ground)
    return solve_with(model, B, articulations(model, arith, B), phi)


def generalized_force(
    model: Model,
    arith: Arithmetic,
    B: Sequence[Propagation],
    q: Sequence[Scalar],
    qd: Sequence[Scalar],
    tau: Sequence[Scalar],
    gravity: Vec3 | None = None,
    external: External = (),
    ground: Ground | None = None,
) -> list[Scalar]:
    """phi = tau - h - gravity_torque - spring_torque - friction + J^T external, by inverse dynamics at qdd = 0."""
    applied = applied_wrenches(model, arith, B, external, qd, ground)
    still = [arith.const(0.0)] * model.n
    bias, _ = joint_wrenches(model, arith, B, qd, still, model.gravity if gravity is None else gravity, applied)
    return [
        tau_i - bias_i - passive_i
        for tau_i, bias_i, passive_i in zip(tau, bias, passive_torque(model, arith, q, qd), strict=True)
    ]


def joint_inertias(model: Model, arith: Arithmetic, q: Sequence[Scalar]) -> list[tuple[Scalar, Scalar]]:
    """m_hat_i of every joint beside the size of the articulated body that it moves, to tell what is zero."""
    joints = articulations(model, arith, propagations(model, arith, q))
    return [(joint.m_hat, joint.size) for joint in joints]


def udu(model: Model, arith: Arithmetic, q: Sequence[Scalar]) -> tuple[list[list[Scalar]], list[Scalar]]:
    """U (rows) and the diagonal of D with GIM = U D U^T: alpha_ik = p_i^T psi_ik (Saha 2003 (25), (26))."""
    B = propagations(model, arith, q)
    joints = articulations(model, arith, B)
    zero, one = arith.const(0.0), arith.const(1.0)
    U = [[one if i == k else zero for k in range(model.n)] for i in range(model.n)]
    for k in range(model.n):
        psi_ik = joints[k].psi
        for child, i in model.inward(k):
            psi_ik = B[child].T @ psi_ik  # Saha 2003 (27)
            U[i][k] = model.links[i].joint.p.dot(psi_ik)  # Saha 2003 (25)
    return U, [joint.m_hat for joint in joints]


def inverse_mass_matrix(model: Model, arith: Arithmetic, q: Sequence[Scalar]) -> list[list[Scalar]]:
    """The inverse of the GIM, a column per unit phi; the articulations are shared."""
    B = propagations(model, arith, q)
    joints = articulations(model, arith, B)
    zero, one, n = arith.const(0.0), arith.const(1.0), model.n
    columns = [solve_with(model, B, joints, [one if i == k else zero for i in range(n)]) for k in range(n)]
    return [[columns[max(i, k)][min(i, k)] for k in range(n)] for i in range(n)]
