"""Small linear systems over any scalar, without branches on the state and without pivoting."""

from __future__ import annotations

from collections.abc import Sequence

from redyn.algebra import Arithmetic, Scalar, is_zero

Rows = list[list[Scalar]]

# Keeps the rotation of two numbers that are both zero in some state from being 0 / 0: it is no rotation then.
TINY = 1e-150
SINGULAR = 1e-7  # share of a column below which it depends on those before
UNBALANCED = 1e-8  # share of a right-hand side that no solution accounts for


class QR:
    """A = Q R by Givens rotations, for A with at least as many rows as columns. Zeros of the model cost nothing."""

    def __init__(self, arith: Arithmetic, A: Sequence[Sequence[Scalar]]) -> None:
        self.arith = arith
        self.R = [list(row) for row in A]
        self.width = len(A[0]) if A else 0
        self._steps: list[tuple[int, int, Scalar | None, Scalar | None]] = []  # rows, cosine and sine (None: swapped)
        for j in range(self.width):
            for i in range(j + 1, len(A)):
                self._eliminate(i, j)

    def _eliminate(self, i: int, j: int) -> None:
        R = self.R
        if is_zero(R[i][j]):
            return
        if is_zero(R[j][j]):
            R[i], R[j] = R[j], R[i]
            self._steps.append((i, j, None, None))
            return
        p, s = R[j][j] + self.arith.const(TINY), R[i][j]
        scale = 1 / self.arith.sqrt(p * p + s * s)
        c, s = p * scale, s * scale
        self._steps.append((i, j, c, s))
        for k in range(j, self.width):
            u, v = R[j][k], R[i][k]
            R[j][k] = c * u + s * v
            R[i][k] = self.arith.const(0.0) if k == j else c * v - s * u

    def solve(self, b: Sequence[Scalar]) -> list[Scalar]:
        """x that minimises |A x - b|."""
        y = list(b)
        for i, j, c, s in self._steps:
            if c is None or s is None:
                y[i], y[j] = y[j], y[i]
            else:
                y[j], y[i] = c * y[j] + s * y[i], c * y[i] - s * y[j]
        x = y[: self.width]
        for j in reversed(range(self.width)):
            total = y[j]
            for k in range(j + 1, self.width):
                if not is_zero(self.R[j][k]):
                    total = total - self.R[j][k] * x[k]
            x[j] = total / self.R[j][j]
        return x

    def solve_transposed(self, b: Sequence[Scalar]) -> list[Scalar]:
        """The shortest y with A^T y = b."""
        z: list[Scalar] = [self.arith.const(0.0)] * len(self.R)
        for j in range(self.width):
            total = b[j]
            for k in range(j):
                if not is_zero(self.R[k][j]):
                    total = total - self.R[k][j] * z[k]
            z[j] = total / self.R[j][j]
        for i, j, c, s in reversed(self._steps):
            if c is None or s is None:
                z[i], z[j] = z[j], z[i]
            else:
                z[j], z[i] = c * z[j] - s * z[i], s * z[j] + c * z[i]
        return z

    def pivots(self, A: Sequence[Sequence[Scalar]], least: float) -> list[Scalar]:
        """Positive as long as no column of A depends on those before, but for a share `least` of its length."""
        found: list[Scalar] = []
        for j in range(self.width):
            length = self.arith.const(0.0)
            for row in A:
                length = length + row[j] * row[j]
            found.append(self.R[j][j] * self.R[j][j] - length * self.arith.const(least * least))
        return found


class LDL:
    """A = L D L^T of a symmetric positive definite A."""

    def __init__(self, arith: Arithmetic, A: Sequence[Sequence[Scalar]]) -> None:
        n = len(A)
        self.L: Rows = [[arith.const(0.0)] * n for _ in range(n)]
        self.D: list[Scalar] = []
        self.reciprocals: list[Scalar] = []
        for j in range(n):
            column = [A[i][j] for i in range(j, n)]
            for k in range(j):
                if not is_zero(self.L[j][k]):
                    weighted = self.L[j][k] * self.D[k]
                    column = [x - self.L[j + i][k] * weighted for i, x in enumerate(column)]
            self.D.append(column[0])
            self.reciprocals.append(1 / column[0])
            for i in range(1, n - j):
                self.L[j + i][j] = column[i] * self.reciprocals[j]

    def solve(self, b: Sequence[Scalar]) -> list[Scalar]:
        x, n = list(b), len(b)
        for i in range(n):
            for k in range(i):
                if not is_zero(self.L[i][k]):
                    x[i] = x[i] - self.L[i][k] * x[k]
        x = [x_i * d for x_i, d in zip(x, self.reciprocals, strict=True)]
        for i in reversed(range(n)):
            for k in range(i + 1, n):
                if not is_zero(self.L[k][i]):
                    x[i] = x[i] - self.L[k][i] * x[k]
        return x


def least(arith: Arithmetic, A: Rows, b: Sequence[Scalar]) -> tuple[list[Scalar], list[Scalar]]:
    """x with A x = b: the shortest of several; where there is none, the nearest, and a guard that says so."""
    rows, columns = len(A), len(A[0])
    if columns >= rows:
        across = [[row[k] for row in A] for k in range(columns)]
        factors = QR(arith, across)
        return factors.solve_transposed(b), factors.pivots(across, SINGULAR)
    factors = QR(arith, A)
    x = factors.solve(b)
    missing, whole = arith.const(0.0), arith.const(1.0)
    for row, b_k in zip(A, b, strict=True):
        gap = b_k
        for a, x_i in zip(row, x, strict=True):
            gap = gap - a * x_i
        missing, whole = missing + gap * gap, whole + b_k * b_k
    return x, [whole * arith.const(UNBALANCED * UNBALANCED) - missing]
