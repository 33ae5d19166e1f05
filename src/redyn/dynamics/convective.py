"""The matrix of convective inertia terms (MCI): C of (9.16a), element by element as in (9.16k).

C = N^T (M N_dot + W M N) depends on where twists are taken: the book takes them at the mass centres, and so does
this, although the recursion runs at joint origins. Moving a body's equation from its mass centre to its joint origin
turns W M into a matrix [[E, 0], [k x 1, 0]] (M' below), because the lever itself turns.

Differences from the text. For a prismatic joint d_dot has the further term e b_dot. For i <= j, (9.16k) prints
H_{j+1,i} where (9.16e) has H_{j+1,j}. K gathers H and M' of (9.16j), which always appear together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from redyn.algebra import (
    Arithmetic,
    ConvectiveMatrix,
    MassMatrix,
    Mat3,
    Propagation,
    Scalar,
    Sym3,
    Twist,
    Vec3,
    cross_matrix,
    outer,
)
from redyn.arithmetic.duals import Duals
from redyn.dynamics.inertia import composite_masses, mass_matrix
from redyn.dynamics.inverse import coriolis_vector
from redyn.dynamics.kinematics import propagations, twists, zero_vector
from redyn.model import Link, Model

Form = Literal["mci", "christoffel"]


def body_matrix(link: Link, omega: Vec3, form: Form, arith: Arithmetic) -> ConvectiveMatrix:
    """M'_i about the joint origin. Both forms give M' t = W M t; they differ by a skew part that vanishes on t."""
    M = link.M
    if form == "mci":
        # omega x (tr(S_C) 1 - S): Euler's omega x I_C with the turning lever's - omega x m c c^T.
        trace = M.S.xx + M.S.yy + M.S.zz - M.h.dot(link.com)  # less m |c|^2
        Q = Sym3(trace - M.S.xx, -M.S.xy, -M.S.xz, trace - M.S.yy, -M.S.yz, trace - M.S.zz).full()
        E = Mat3(omega.cross(Q.x), omega.cross(Q.y), omega.cross(Q.z)).T
    else:
        # omega x I omega is E omega for many E with a skew I_dot - 2 E. Half of the inertia's own rate, less half of
        # (I omega) x 1, is the one that is symmetric in the two velocities of Christoffel's symbols. The terms of the
        # lever cancel in it, so I is about the joint origin.
        inertia = M.S.map_trace()
        rows = inertia.full()
        left = Mat3(omega.cross(rows.x), omega.cross(rows.y), omega.cross(rows.z)).T
        right = Mat3(rows.x.cross(omega), rows.y.cross(omega), rows.z.cross(omega))
        E = (left - right - cross_matrix(inertia @ omega, arith.const(0.0))) * arith.const(0.5)
    return ConvectiveMatrix(E, -omega.cross(M.h))


def lever_rate(B_ij: Propagation, omega_j: Vec3, omega_i: Vec3, slide: Vec3) -> Vec3:
    """The rate of the vector from the parent's origin to the link's own, in link axes: what B_dot is made of."""
    rate = B_ij.to_child(omega_j.cross(B_ij.offset)) + slide
    return rate if B_ij.slide is None else rate + omega_i.cross(B_ij.slide)


def _slides(model: Model, arith: Arithmetic, B: Sequence[Propagation], qd: Sequence[Scalar]) -> list[Vec3]:
    """The sliding velocity of every joint; those of a joint about a point are gathered at its first link.

    A free joint moves its origin first and turns about it there, whatever the order of its rates.
    """
    slides = [link.joint.p.lin * qd_i for link, qd_i in zip(model.links, qd, strict=True)]
    for i in model.continued:
        slides[i - 1] = slides[i - 1] + B[i].to_parent(slides[i])
        slides[i] = zero_vector(arith)
    return slides


def to_parent(K: ConvectiveMatrix, M_tilde: MassMatrix, B_ij: Propagation, rate: Vec3) -> ConvectiveMatrix:
    """B^T (M_tilde B_dot + K B): how H of (9.16e) and M' of (9.16j) reach the parent."""
    # B_dot a = [0; -rate x a], so M_tilde B_dot has E = -h x (rate x 1) and k = -m rate.
    E, k = K.E - _double_cross(M_tilde.h, rate), K.k - rate * M_tilde.m
    if B_ij.slide is not None:
        E = E + _double_cross(B_ij.slide, k)
    for rotation in reversed(B_ij.rotations):
        E, k = rotation.matrix_to_parent(E), rotation.to_parent(k)
    return ConvectiveMatrix(E + _double_cross(B_ij.offset, k), k)


def _double_cross(a: Vec3, b: Vec3) -> Mat3:
    """The matrix of x -> a x (b x x) = b (a . x) - (a . b) x."""
    M, along = outer(b, a), a.dot(b)
    return Mat3(Vec3(M.x.x - along, M.x.y, M.x.z), Vec3(M.y.x, M.y.y - along, M.y.z), Vec3(M.z.x, M.z.y, M.z.z - along))


def coriolis_matrix(
    model: Model, arith: Arithmetic, q: Sequence[Scalar], qd: Sequence[Scalar], form: Form = "mci"
) -> list[list[Scalar]]:
    """C with C qd = h and dGIM/dt - 2 C skew."""
    if model.flexible:
        return christoffel_matrix(model, arith, q, qd)
    n, links = model.n, model.links
    B = propagations(model, arith, q)
    M_tilde = composite_masses(model, B)
    omega = [t.ang for t in twists(model, arith, B, qd)]
    slides = _slides(model, arith, B, qd)
    rates = [lever_rate(B[i], omega[link.parent], omega[i + 1], slides[i]) for i, link in enumerate(links)]
    K = [body_matrix(link, omega[i + 1], form, arith) for i, link in enumerate(links)]
    for i in reversed(range(n)):
        j = links[i].parent
        if j:
            K[j - 1] = K[j - 1] + to_parent(K[i], M_tilde[i], B[i], rates[i])
    C = [[arith.const(0.0)] * n for _ in range(n)]
    for i in model.continued:  # p_i of a joint about a point is fixed to its last link
        omega[i] = B[i].to_parent(omega[i + 1])
    p_dot = [_rate(link.joint.p, omega[i + 1]) for i, link in enumerate(links)]  # Omega_i p_i
    for i in range(n):
        p = links[i].joint.p
        w = M_tilde[i] @ p_dot[i] + K[i] @ p
        row, turning = M_tilde[i] @ p, K[i].transpose_apply(p)
        C[i][i] = p.dot(w)
        for child, k in model.inward(i):
            # For every link k that carries link i, with w, row and turning now at link k:
            #   c_ki = p_k^T w            w = B_ik^T (M_tilde_i Omega_i + K_i) p_i                  (9.16k, first)
            #   c_ik = row Omega_k p_k + turning e_k, both from p_i^T (H_ik + M_tilde_i B_ik Omega_k + M'_i B_ik) p_k:
            #          row = p_i^T M_tilde_i B_ik, turning the angular half of the remaining row    (9.16k, second)
            turning = B[child].to_parent(turning + rates[child].cross(row.force))
            w, row = B[child].T @ w, B[child].T @ row
            p_k = links[k].joint.p
            C[k][i] = p_k.dot(w)
            C[i][k] = p_dot[k].dot(row) + p_k.ang.dot(turning)
    return C


def _rate(p: Twist, omega: Vec3) -> Twist:
    return Twist(omega.cross(p.ang), omega.cross(p.lin))


def christoffel_matrix(
    model: Model, arith: Arithmetic, q: Sequence[Scalar], qd: Sequence[Scalar]
) -> list[list[Scalar]]:
    """The Christoffel form by dual numbers, for any robot, links that bend included: C = (dh/dqd + M ad(qd)) / 2.

    The first term is symmetric in the two velocities of Christoffel's symbols, of which h is made. The second is zero
    but for joints that turn about a point: their rates are no derivatives of coordinates, and do not commute.
    """
    n, zero, one, half = model.n, arith.const(0.0), arith.const(1.0), arith.const(0.5)
    duals = Duals(arith)
    rates = [duals.variable(x, [one if k == c else zero for k in range(n)]) for c, x in enumerate(qd)]
    C = [duals.slopes(h_i, n) for h_i in coriolis_vector(model, duals, q, rates)]
    turning = [variable for variable in model.variables if not variable.joint.single]
    GIM = mass_matrix(model, arith, q) if turning else []
    for variable in turning:
        first = variable.rate
        blocks = [(0, 0, Vec3(*qd[first : first + 3]))]
        if variable.has_position:
            blocks += [(3, 3, blocks[0][2]), (3, 0, Vec3(*qd[first + 3 : first + 6]))]
        for below, beside, v in blocks:
            rows = cross_matrix(v, zero)
            for l, row in enumerate((rows.x, rows.y, rows.z)):
                for j, entry in enumerate(row.components()):
                    for i in range(n):
                        column = first + beside + j
                        C[i][column] = C[i][column] + GIM[i][first + below + l] * entry
    return [[entry * half for entry in row] for row in C]
