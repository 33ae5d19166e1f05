"""Forward dynamics of order n and of order n³, timed over the number of joints."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from redyn.bench.timing import interleaved
from redyn.robot import Robot, chain

BATCH = 4096
LENGTHS = (2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16)


class Timing(NamedTuple):
    """Nanoseconds per state in a batch, one thread, best of many."""

    n: int
    recursive: float
    cholesky: float


def growth(
    lengths: Sequence[int] = LENGTHS, seconds: float = 0.5, tick: Callable[[str], None] = lambda _: None
) -> list[Timing]:
    """General robots of several lengths, for some seconds each; kernels are built first."""
    rows: list[Timing] = []
    for n in lengths:
        tick(f"timing n = {n}")
        rows.append(_timed(chain(n, seed=1), seconds))
    return rows


def _timed(robot: Robot, seconds: float) -> Timing:
    q, qd, tau = np.random.default_rng(0).uniform(-2, 2, (3, BATCH, robot.dof))
    best = interleaved(
        {
            "recursive": lambda: robot.forward_dynamics(q, qd, tau, threads=1),
            "cholesky": lambda: robot.forward_dynamics(q, qd, tau, method="cholesky", threads=1),
        },
        seconds,
    )
    return Timing(robot.dof, *(best[way] / BATCH * 1e9 for way in ("recursive", "cholesky")))


def faster_from(times: Sequence[Timing]) -> int | None:
    """The least measured n from which the order n method is always the faster one; None if there is none.

    >>> faster_from([Timing(2, 9.0, 8.0), Timing(4, 15.0, 17.0), Timing(6, 22.0, 30.0)])
    4
    """
    n = None
    for row in reversed(times):
        if row.recursive >= row.cholesky:
            break
        n = row.n
    return n
