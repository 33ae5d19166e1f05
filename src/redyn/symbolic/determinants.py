"""Determinants over any ring, of small matrices with many zeros."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def determinant(A: Sequence[Sequence[Any]], ring: Any) -> Any:
    """By the first row."""
    if not A:
        return ring(1)
    total = ring(0)
    for j, entry in enumerate(A[0]):
        if entry != 0:
            term = entry * determinant(_without(A, 0, j), ring)
            total = total - term if j % 2 else total + term
    return total


def adjugate(A: Sequence[Sequence[Any]], ring: Any) -> list[list[Any]]:
    """A adjugate(A) = determinant(A) times the unit matrix."""
    size = range(len(A))
    minors = [[determinant(_without(A, i, j), ring) for i in size] for j in size]
    return [[-minor if (i + j) % 2 else minor for i, minor in enumerate(row)] for j, row in enumerate(minors)]


def _without(A: Sequence[Sequence[Any]], row: int, column: int) -> list[list[Any]]:
    return [[x for j, x in enumerate(line) if j != column] for i, line in enumerate(A) if i != row]
