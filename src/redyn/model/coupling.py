"""Joints that mimic others exactly: q = factor * q of the leader + offset, so that only leaders are independent.

A reduction with a constant G that has one entry per row. The mass matrix G^T M G is no longer solved in order n.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from redyn.algebra import Arithmetic, Scalar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Tie:
    """What one entry of the whole q or qd is made of: entry `leader` of the robot's own, scaled and shifted."""

    leader: int
    factor: float = 1.0
    offset: float = 0.0

    @property
    def is_identity(self) -> bool:
        return (self.factor, self.offset) == (1.0, 0.0)


@dataclass(frozen=True, slots=True)
class Coupling:
    """Which links lead, and what the coordinates and rates of all are made of: a `Reduction`."""

    coordinates: tuple[Tie, ...]  # one per entry of the whole q
    rates: tuple[Tie, ...]  # one per link
    leaders: tuple[int, ...]  # the links, from 0, that move independently

    @property
    def u_links(self) -> Sequence[int]:
        return self.leaders

    @property
    def q_links(self) -> Sequence[int]:
        return self.leaders

    def sources(self, link: int) -> Sequence[int]:
        return (self.rates[link].leader,)

    def whole_q(self, q: Sequence[Scalar], arith: Arithmetic) -> list[Scalar]:
        return [
            q[tie.leader] if tie.is_identity else q[tie.leader] * tie.factor + arith.const(tie.offset)
            for tie in self.coordinates
        ]

    def own_q(self, whole: Sequence[T]) -> list[T]:
        kept: dict[int, T] = {}
        for tie, value in zip(self.coordinates, whole, strict=True):
            if tie.is_identity:
                kept.setdefault(tie.leader, value)
        return [kept[i] for i in range(len(kept))]


@dataclass(frozen=True, slots=True)
class ConstantMap:
    """The `RateMap` of a coupling, the same at every configuration."""

    coupling: Coupling
    arith: Arithmetic

    def to_tree(self, u: Sequence[Scalar]) -> list[Scalar]:
        return [u[tie.leader] if tie.factor == 1.0 else u[tie.leader] * tie.factor for tie in self.coupling.rates]

    def bias(self, qd: Sequence[Scalar], u: Sequence[Scalar]) -> None:
        del qd, u

    @property
    def guards(self) -> list[Scalar]:
        return []

    def to_forces(self, forces: Sequence[Scalar]) -> list[Scalar]:
        total = [self.arith.const(0.0)] * len(self.coupling.leaders)
        for tie, force in zip(self.coupling.rates, forces, strict=True):
            total[tie.leader] = total[tie.leader] + force * tie.factor
        return total
