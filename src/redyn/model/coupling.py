"""Joints that follow others exactly: q = multiplier * q of the leader + offset, so that only leaders are free.

The velocities of all joints are G times those of the free ones, with one entry per row of G. Torques of the free ones
are G^T times those of all, and the mass matrix is G^T M G, which is no longer solved in order n.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from redyn.algebra import Arithmetic, Scalar


@dataclass(frozen=True, slots=True)
class Tie:
    """What one entry of the whole q or qd is made of: the free entry that it follows."""

    free: int
    factor: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True, slots=True)
class Coupling:
    """Which entries are free, and what the others are made of."""

    coordinates: tuple[Tie, ...]  # one per entry of the whole q
    velocities: tuple[Tie, ...]  # one per link
    driven: tuple[int, ...]  # the links, from 0, whose velocities are free

    def whole_q(self, q: Sequence[Scalar], arith: Arithmetic) -> list[Scalar]:
        return [
            q[tie.free]
            if (tie.factor, tie.offset) == (1.0, 0.0)
            else q[tie.free] * tie.factor + arith.const(tie.offset)
            for tie in self.coordinates
        ]

    def whole_rates(self, rates: Sequence[Scalar]) -> list[Scalar]:
        """G rates; of velocities, accelerations and the columns of matrices alike."""
        return [rates[tie.free] if tie.factor == 1.0 else rates[tie.free] * tie.factor for tie in self.velocities]

    def free_forces(self, forces: Sequence[Scalar], arith: Arithmetic) -> list[Scalar]:
        """G^T forces."""
        total = [arith.const(0.0)] * len(self.driven)
        for tie, force in zip(self.velocities, forces, strict=True):
            total[tie.free] = total[tie.free] + force * tie.factor
        return total
