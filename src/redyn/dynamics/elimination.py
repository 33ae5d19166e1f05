"""Elimination in a mass matrix whose zeros are those of a tree: two joints couple only if one carries the other.

M = U D U^T with U upper triangular, by elimination from the tips (Saha 2003 (20)-(24)): nothing fills in.
"""

from __future__ import annotations

from collections.abc import Sequence

from redyn.algebra import Arithmetic, Scalar

Rows = list[list[Scalar]]
Carriers = Sequence[Sequence[int]]  # for every velocity, those on the way to the base


def udu(M: Rows, carriers: Carriers) -> tuple[Rows, list[Scalar]]:
    """U, of which only the entries of carriers hold anything, and the reciprocals of D."""
    rest, U = [list(row) for row in M], [list(row) for row in M]
    reciprocals = list(M[0])
    for k in reversed(range(len(M))):
        reciprocals[k] = 1 / rest[k][k]
        for i in carriers[k]:
            U[i][k] = rest[i][k] * reciprocals[k]
            for j in carriers[k]:
                if j <= i:
                    rest[j][i] = rest[j][i] - U[i][k] * rest[j][k]
    return U, reciprocals


def solve(U: Rows, reciprocals: Sequence[Scalar], carriers: Carriers, y: Sequence[Scalar]) -> list[Scalar]:
    """x with U D U^T x = y."""
    x = list(y)
    for k in reversed(range(len(x))):
        for i in carriers[k]:
            x[i] = x[i] - U[i][k] * x[k]
    for k in range(len(x)):
        x[k] = x[k] * reciprocals[k]
        for i in carriers[k]:
            x[k] = x[k] - U[i][k] * x[i]
    return x


def inverse(arith: Arithmetic, U: Rows, reciprocals: Sequence[Scalar], carriers: Carriers) -> Rows:
    """X = (U D U^T)^-1, column by column: X U = U^-T D^-1 has zeros above its diagonal, and there 1 / D."""
    n, zero = len(U), arith.const(0.0)
    X = [[zero] * n for _ in range(n)]
    for k in range(n):
        for r in range(k):
            for i in carriers[k]:
                X[r][k] = X[r][k] - X[r][i] * U[i][k]
            X[k][r] = X[r][k]
        X[k][k] = reciprocals[k]
        for i in carriers[k]:
            X[k][k] = X[k][k] - X[i][k] * U[i][k]
    return X
