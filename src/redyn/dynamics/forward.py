"""Forward dynamics: the joint accelerations, order n, by U D U^T = GIM (9.38)-(9.41).

Differences from the text. (9.41a) prints psi_hat where psi belongs (Saha 2003 (14) has it right). The armature of
an actuator enters m_hat alone: its rotor turns with the joint and adds nothing to what the parent carries. Along the
joint two results are known beforehand, which spares work and rounding: p^T psi = 1 - armature / m_hat, and so the
row of M_bar along the joint is armature psi^T, which is zero without armature.

Modes of a flexible link are eliminated as joints are, the last one first, from the matrix of its beam and of all that
its tip carries, before the joint of the link: U D U^T with elastic coordinates.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from redyn.algebra import Arithmetic, ArticulatedInertia, Propagation, Scalar, Twist, Vec3, Wrench
from redyn.dynamics.beams import Bent
from redyn.dynamics.contact import Ground
from redyn.dynamics.inverse import External, applied_wrenches, joint_wrenches
from redyn.dynamics.kinematics import motion_vectors, propagations
from redyn.dynamics.passive import passive_torque
from redyn.model import Link, Model

# A joint's inertia below this share of the inertia of the body that it moves is rounding.
ZERO_INERTIA = 1e-13

Forces = dict[int, Scalar]  # one per link, from 0, where it is not zero; or accelerations


@dataclass(slots=True)
class Articulation:
    """What elimination leaves at a joint: psi = psi_hat / m_hat, m_hat (D's entry), and its reciprocal."""

    psi: Wrench  # of a mode, at the link that carries its beam
    m_hat: Scalar
    reciprocal: Scalar
    size: Scalar  # the trace of the articulated inertia that m_hat is an entry of
    alpha: tuple[Scalar, ...] = ()  # of a mode: entries of U for the modes of its beam before it


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


def bent_articulated_step(
    B_ij: Bent, M_hat: ArticulatedInertia, arith: Arithmetic
) -> tuple[list[Articulation], ArticulatedInertia]:
    """Eliminate the modes of a beam, the last one first, given the articulated inertia at its tip.

    The matrix of the beam and all that its tip carries is [[M, C], [C^T, E]], in the rates of the link that carries the
    beam and of its modes. M_bar, at that link, is what is left of M.
    """
    carried = [M_hat @ p_k for p_k in B_ij.p]
    M = ArticulatedInertia.of_rigid(B_ij.M, arith.const(0.0)) + M_hat.to_parent(B_ij)
    C = [own + B_ij.T @ w for own, w in zip(B_ij.C, carried, strict=True)]
    E = [
        [own + p_l.dot(w) for own, p_l in zip(row, B_ij.p, strict=True)] for row, w in zip(B_ij.E, carried, strict=True)
    ]
    sizes = [E[k][k] for k in range(len(C))]
    found: list[Articulation] = []
    for k in reversed(range(len(C))):
        psi_hat, m_hat = C[k], E[k][k]  # (9.39c)
        reciprocal = 1 / m_hat
        psi, alpha = psi_hat * reciprocal, tuple(E[l][k] * reciprocal for l in range(k))
        M = M.less_dyad(psi_hat, psi)  # (9.39d)
        for l in range(k):
            C[l] = C[l] - psi_hat * alpha[l]
            for j in range(l + 1):
                E[l][j] = E[j][l] = E[l][j] - E[l][k] * alpha[j]
        found.append(Articulation(psi, m_hat, reciprocal, sizes[k], alpha))
    return found[::-1], M


def articulations(
    model: Model, arith: Arithmetic, B: Sequence[Propagation], free: Collection[int] | None = None
) -> list[Articulation | None]:
    """The pass from tips to base that depends on the configuration alone.

    `free` are the links, from 0, whose joints are eliminated, all unless given; at the others two links move as one.
    """
    zero = arith.const(0.0)
    M_hat = [ArticulatedInertia.of_rigid(link.M, zero) for link in model.links]
    result: list[Articulation | None] = [None] * model.n
    for row in reversed(model.steps):
        i, last = row[0], row[-1]
        link, B_ij = model.links[i], B[i]
        if isinstance(B_ij, Bent):
            result[i : last + 1], on_parent = bent_articulated_step(B_ij, M_hat[last], arith)
        else:
            M_bar = M_hat[i]
            if free is None or i in free:
                result[i], M_bar = articulated_step(link, M_bar)
            on_parent = M_bar.to_parent(B_ij) if link.parent else M_bar
        if link.parent:
            M_hat[link.parent - 1] = M_hat[link.parent - 1] + on_parent  # (9.39d)
    return result


def inward_step(link: Link, joint: Articulation, phi_i: Scalar, eta: Wrench | None) -> tuple[Scalar, Scalar, Wrench]:
    """phi_hat_i, phi_tilde_i and eta_i, given eta_{i,i+1} of the children together (None at a tip)."""
    armature = link.joint.armature
    phi_hat = phi_i if eta is None else phi_i - link.joint.p.dot(eta)  # (9.39a)
    phi_tilde = phi_hat * joint.reciprocal  # (9.40)
    eta_i = joint.psi * phi_hat if eta is None else joint.psi * phi_hat + eta  # (9.39b)
    return phi_hat, phi_tilde, link.joint.with_known_component(eta_i, phi_i - armature * phi_tilde)


def bent_inward_step(
    B_ij: Bent, joints: Sequence[Articulation], phi: Sequence[Scalar], eta: Wrench | None
) -> tuple[list[Scalar], list[Scalar], Wrench]:
    """The same for the modes of a beam, given eta at its tip; eta_i is at the link that carries it."""
    phi_hat = list(phi) if eta is None else [f - p_k.dot(eta) for f, p_k in zip(phi, B_ij.p, strict=True)]  # (9.39a)
    for k in reversed(range(len(phi_hat))):
        for l, alpha in enumerate(joints[k].alpha):
            phi_hat[l] = phi_hat[l] - alpha * phi_hat[k]
    forces = [joint.psi * f for joint, f in zip(joints, phi_hat, strict=True)]
    eta_i = sum(forces[1:], forces[0])
    phi_tilde = [f * joint.reciprocal for joint, f in zip(joints, phi_hat, strict=True)]  # (9.40)
    return phi_hat, phi_tilde, eta_i if eta is None else eta_i + B_ij.T @ eta  # (9.39b)


def outward_step(link: Link, joint: Articulation, phi_tilde: Scalar, mu: Twist | None) -> tuple[Scalar, Twist]:
    """The acceleration of joint i and mu_i, given mu_{i,i-1} (None where the parent is the world)."""
    p = link.joint.p
    if mu is None:
        return phi_tilde, p * phi_tilde
    x_i = phi_tilde - mu.dot(joint.psi)  # (9.41a), as Saha 2003 (14)
    return x_i, p * x_i + mu  # (9.41b)


def bent_outward_step(
    B_ij: Bent, joints: Sequence[Articulation], phi_tilde: Sequence[Scalar], mu: Twist | None
) -> tuple[list[Scalar], Twist]:
    """The accelerations of the modes of a beam and mu of its tip, given mu of the link that carries it."""
    x = list(phi_tilde)
    tip = None if mu is None else B_ij @ mu
    for k, joint in enumerate(joints):
        if mu is not None:
            x[k] = x[k] - mu.dot(joint.psi)  # (9.41a)
        for l, alpha in enumerate(joint.alpha):
            x[k] = x[k] - alpha * x[l]
        moved = B_ij.p[k] * x[k]
        tip = moved if tip is None else tip + moved  # (9.41b)
    assert tip is not None
    return x, tip


def inward(
    model: Model,
    arith: Arithmetic,
    B: Sequence[Propagation],
    joints: Sequence[Articulation | None],
    phi: Forces,
    eta: Mapping[int, Wrench] | None = None,
) -> tuple[Forces, Forces]:
    """phi_hat = U^-1 phi and phi_tilde = D^-1 phi_hat, from the tips to the base (9.39), (9.40); `eta` is on links."""
    zero = arith.const(0.0)
    arrived = dict(eta or {})
    hat: Forces = {}
    tilde: Forces = {}
    for row in reversed(model.steps):
        i, eta_i = row[0], arrived.get(row[-1])
        link, B_ij, joint = model.links[i], B[i], joints[i]
        if eta_i is None and not any(k in phi for k in row):
            continue
        on_parent = None
        if isinstance(B_ij, Bent):
            own, forces = _all(joints, row), [phi.get(k, zero) for k in row]
            phi_hat, phi_tilde, on_parent = bent_inward_step(B_ij, own, forces, eta_i)
            hat |= zip(row, phi_hat, strict=True)
            tilde |= zip(row, phi_tilde, strict=True)
        else:
            if joint is not None:
                hat[i], tilde[i], eta_i = inward_step(link, joint, phi.get(i, zero), eta_i)
            if eta_i is not None and link.parent:
                on_parent = B_ij.T @ eta_i  # (9.39b)
        if link.parent and on_parent is not None:
            at = link.parent - 1
            arrived[at] = arrived[at] + on_parent if at in arrived else on_parent  # (9.39b)
    return hat, tilde


def outward(
    model: Model,
    arith: Arithmetic,
    B: Sequence[Propagation],
    joints: Sequence[Articulation | None],
    phi_tilde: Forces,
) -> Forces:
    """x = U^-T phi_tilde, from the base to the tips (9.41)."""
    zero = arith.const(0.0)
    x: Forces = {}
    mu: list[Twist | None] = []
    for row in model.steps:
        i = row[0]
        link, B_ij, joint = model.links[i], B[i], joints[i]
        below = mu[link.parent - 1] if link.parent else None
        if isinstance(B_ij, Bent):
            forces = [phi_tilde.get(k, zero) for k in row]
            found, mu_i = bent_outward_step(B_ij, _all(joints, row), forces, below)
            x |= zip(row, found, strict=True)
        else:
            mu_i = None if below is None else B_ij @ below  # (9.41b)
            if joint is not None:
                x[i], mu_i = outward_step(link, joint, phi_tilde.get(i, zero), mu_i)
        mu += [mu_i] * len(row)
    return x


def _all(joints: Sequence[Articulation | None], row: range) -> list[Articulation]:
    """Those of the modes of a beam, which are always free."""
    return [joint for joint in joints[row.start : row.stop] if joint is not None]


def solve_with(
    model: Model, arith: Arithmetic, B: Sequence[Propagation], joints: Sequence[Articulation | None], phi: Forces
) -> Forces:
    """x with GIM x = phi, the articulations being known."""
    return outward(model, arith, B, joints, inward(model, arith, B, joints, phi)[1])


def solve(model: Model, arith: Arithmetic, q: Sequence[Scalar], phi: Sequence[Scalar]) -> list[Scalar]:
    """x with mass_matrix x = phi, order n (9.38)-(9.41)."""
    B = propagations(model, arith, q)
    return list(solve_with(model, arith, B, articulations(model, arith, B), dict(enumerate(phi))).values())


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
    return list(solve_with(model, arith, B, articulations(model, arith, B), dict(enumerate(phi))).values())


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
    return [(joint.m_hat, joint.size) for joint in joints if joint is not None]


def udu(model: Model, arith: Arithmetic, q: Sequence[Scalar]) -> tuple[list[list[Scalar]], list[Scalar]]:
    """U (rows) and the diagonal of D with GIM = U D U^T: alpha_ik = p_i^T psi_ik (Saha 2003 (25), (26))."""
    B = propagations(model, arith, q)
    joints, p = articulations(model, arith, B), motion_vectors(model, B)
    zero, one = arith.const(0.0), arith.const(1.0)
    U = [[one if i == k else zero for k in range(model.n)] for i in range(model.n)]
    for row in model.steps:
        below = model.links[row[0]].parent
        for k, joint in zip(row, _all(joints, row), strict=True):
            for l, alpha in zip(row, joint.alpha, strict=False):
                U[l][k] = alpha
            psi_ik = joint.psi
            if not isinstance(B[row[0]], Bent) and below:
                psi_ik = B[k].T @ psi_ik  # Saha 2003 (27)
            for i in (j - 1 for j in model.path(below)):
                U[i][k] = p[i].dot(psi_ik)  # Saha 2003 (25)
                if model.links[i].parent:
                    psi_ik = B[i].T @ psi_ik  # Saha 2003 (27)
    return U, [joint.m_hat for joint in joints if joint is not None]


def inverse_mass_matrix(model: Model, arith: Arithmetic, q: Sequence[Scalar]) -> list[list[Scalar]]:
    """The inverse of the GIM, a column per unit phi; the articulations are shared."""
    B = propagations(model, arith, q)
    joints = articulations(model, arith, B)
    one, n = arith.const(1.0), model.n
    columns = [solve_with(model, arith, B, joints, {k: one}) for k in range(n)]
    return [[columns[max(i, k)][min(i, k)] for k in range(n)] for i in range(n)]
