"""The generalized inertia matrix (GIM) from composite bodies (9.11)-(9.15), and accelerations by Cholesky."""

from __future__ import annotations

from collections.abc import Sequence

from redyn.algebra import Arithmetic, MassMatrix, Propagation, Scalar, Vec3, dot
from redyn.dynamics.beams import Bent
from redyn.dynamics.contact import Ground
from redyn.dynamics.forward import generalized_force
from redyn.dynamics.inverse import External
from redyn.dynamics.kinematics import motion_vectors, propagations
from redyn.model import Model


def composite_masses(model: Model, B: Sequence[Propagation]) -> list[MassMatrix]:
    """M_tilde_i: link i and all that it carries, as one rigid body."""
    M_tilde = [link.M for link in model.links]
    for row in reversed(model.steps):
        i, end = row.start, row.stop
        j, B_ij = model.links[i].parent, B[i]
        M_tilde[i:end] = [M_tilde[end - 1]] * len(row)  # each mode of a beam moves all that its tip carries
        if j:
            on_parent = M_tilde[i].to_parent(B_ij)
            M_tilde[j - 1] = M_tilde[j - 1] + (on_parent + B_ij.M if isinstance(B_ij, Bent) else on_parent)  # (9.11d)
    return M_tilde


def mass_matrix(model: Model, arith: Arithmetic, q: Sequence[Scalar]) -> list[list[Scalar]]:
    """The GIM; the armature of each joint adds to the diagonal, and the mass of each beam to what its modes share."""
    B = propagations(model, arith, q)
    M_tilde, p = composite_masses(model, B), motion_vectors(model, B)
    GIM = [[arith.const(0.0)] * model.n for _ in range(model.n)]
    for i in range(model.n):
        w = M_tilde[i] @ p[i]
        GIM[i][i] = p[i].dot(w) + model.links[i].joint.armature  # (9.15b) for j = i
        for child, j in model.inward(i):
            w = B[child].T @ w
            row = B[child]
            if isinstance(row, Bent) and i < child + row.beam.modes:
                w = w + row.C[i - child]  # one of its own modes: the beam itself moves as well
            GIM[i][j] = GIM[j][i] = p[j].dot(w)  # (9.15c)
    for first, row in enumerate(B):
        if isinstance(row, Bent):
            for k, entries in enumerate(row.E):
                for l, entry in enumerate(entries):
                    GIM[first + k][first + l] = GIM[first + k][first + l] + entry
    return GIM


def cholesky_solve(arith: Arithmetic, A: Sequence[Sequence[Scalar]], b: Sequence[Scalar]) -> list[Scalar]:
    """x with A x = b by A = L L^T, order n^3."""
    n = len(b)
    L = [[arith.const(0.0)] * n for _ in range(n)]
    y = list(b)
    for i in range(n):
        for k in range(i):
            L[i][k] = (A[i][k] - dot(L[i][:k], L[k][:k], arith)) / L[k][k]
        L[i][i] = arith.sqrt(A[i][i] - dot(L[i][:i], L[i][:i], arith))
        y[i] = (b[i] - dot(L[i][:i], y[:i], arith)) / L[i][i]
    x = list(y)
    for i in reversed(range(n)):
        x[i] = (y[i] - dot([L[k][i] for k in range(i + 1, n)], x[i + 1 :], arith)) / L[i][i]
    return x


def cholesky_inverse(arith: Arithmetic, A: Sequence[Sequence[Scalar]]) -> list[list[Scalar]]:
    """The inverse of A = A^T, column by column."""
    n, zero, one = len(A), arith.const(0.0), arith.const(1.0)
    return [cholesky_solve(arith, A, [one if i == k else zero for i in range(n)]) for k in range(n)]


def udu_of_matrix(arith: Arithmetic, A: Sequence[Sequence[Scalar]]) -> tuple[list[list[Scalar]], list[Scalar]]:
    """U and D with A = U D U^T, by elimination from the last row (Saha 2003 (20)-(24))."""
    n, zero, one = len(A), arith.const(0.0), arith.const(1.0)
    rest = [list(row) for row in A]
    U = [[one if i == k else zero for k in range(n)] for i in range(n)]
    D = [zero] * n
    for k in reversed(range(n)):
        D[k] = rest[k][k]
        for i in range(k):
            U[i][k] = rest[i][k] / D[k]
        for i in range(k):
            for j in range(k):
                rest[i][j] = rest[i][j] - U[i][k] * rest[k][j]
    return U, D


def cholesky_forward_dynamics(
    model: Model,
    arith: Arithmetic,
    q: Sequence[Scalar],
    qd: Sequence[Scalar],
    tau: Sequence[Scalar],
    gravity: Vec3 | None = None,
    external: External = (),
    ground: Ground | None = None,
) -> list[Scalar]:
    """The conventional way, for comparison: form the GIM, decompose it, substitute (Walker and Orin)."""
    B = propagations(model, arith, q)
    phi = generalized_force(model, arith, B, q, qd, tau, gravity, external, ground)
    return cholesky_solve(arith, mass_matrix(model, arith, q), phi)
