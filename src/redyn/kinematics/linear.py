"""Ranks and null spaces by singular values."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

ZERO = 1e-7  # share of the largest singular value, below which one is zero


def rank(A: Array, zero: float = ZERO) -> int:
    """How many singular values are not zero."""
    if not A.size:
        return 0
    values = np.linalg.svd(A, compute_uv=False)
    return int(np.sum(values > zero * max(float(values[0]), 1e-300)))


def smallest_value(A: Array) -> float:
    """The smallest singular value of a matrix with at least as many rows as columns; 1 if it has no columns."""
    return float(np.linalg.svd(A, compute_uv=False)[-1]) if A.size else 1.0


def null_space(A: Array, zero: float = ZERO) -> Array:
    """(columns of A, k): what A takes to zero, as orthogonal unit columns.

    >>> null_space(np.array([[1.0, 1.0]])).shape
    (2, 1)
    """
    if not A.shape[0]:
        return np.eye(A.shape[1])
    V = np.asarray(np.linalg.svd(A)[2], dtype=np.float64)
    return V[rank(A, zero) :].T


def left_null_space(A: Array, zero: float = ZERO) -> Array:
    """(rows of A, k): combinations of rows that are zero."""
    return null_space(A.T, zero)


def pseudo_inverse(A: Array, zero: float) -> Array:
    """Of one matrix or many."""
    return cast(Array, cast(Any, np.linalg).pinv(A, rcond=zero))


def random_direction(free: Array, size: float, generator: np.random.Generator) -> Array:
    """A combination of the columns of `free` whose largest entry is `size`; zero if there are none."""
    direction = np.asarray(free @ generator.normal(size=free.shape[1]), dtype=np.float64)
    return direction * (size / max(float(np.abs(direction).max()), 1e-12))


def solve(A: Array, b: Array) -> Array:
    """x with A x = b: matrices (N, n, n), and right sides (N, n) or (N, n, k)."""
    columns = b[..., None] if b.ndim == A.ndim - 1 else b
    x = np.asarray(np.linalg.solve(A, columns), dtype=np.float64)
    return x[..., 0] if b.ndim == A.ndim - 1 else x
