"""Robots whose rates are not all independent: from independent rates to those of the whole tree, and forces back.

The recursions run over every link of the tree, with its whole q and its whole rates. Where some rates depend on others,
the robot itself has fewer of them, u, with

    qd = G(q) u,        qdd = G(q) u_dot + G_dot u,        forces of u = G^T (forces of the tree),

and every result follows from these three (see `redyn.dynamics.reduced`). What makes G:

- Joints that mimic others (coupling.py): G is constant, its bias G_dot u is zero, and q has fewer entries as well.
- Wheels that roll without slip: G depends on q, so there is a bias; q is that of the tree.
- A closed loop is no reduction: q and the rates stay those of the tree, and rows phi(q) = 0, J qd = 0, J qdd = gamma
  join the equations of motion, with multipliers. Where joints mimic others as well, the rows J become J G: `to_forces`
  of each.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

from redyn.algebra import Arithmetic, Scalar

T = TypeVar("T")


class RateMap(Protocol):
    """G at one configuration."""

    def to_tree(self, u: Sequence[Scalar], /) -> list[Scalar]:
        """G u: rates, or accelerations less their bias, of all links."""
        ...

    def bias(self, qd: Sequence[Scalar], u: Sequence[Scalar], /) -> list[Scalar] | None:
        """G_dot u, where G_dot is taken along the whole rates qd; None where G is constant.

        With qd = G u it is the bias of the accelerations; with unit vectors u, the columns of G_dot.
        """
        ...

    @property
    def guards(self) -> list[Scalar]:
        """Numbers that must be positive, or the independent rates do not determine the others."""
        ...

    def to_forces(self, forces: Sequence[Scalar], /) -> list[Scalar]:
        """G^T forces; of a row with an entry per whole rate, such as one of a Jacobian, the row times G."""
        ...


class Reduction(Protocol):
    """What some rates of a tree are made of. Its `repr` must tell all of it: the key of a kernel holds it."""

    @property
    def u_links(self) -> Sequence[int]:
        """The links, from 0, whose rates are the independent ones, in the order of u."""
        ...

    @property
    def q_links(self) -> Sequence[int]:
        """The links, from 0, whose coordinates make the robot's q, in that order."""
        ...

    def sources(self, link: int, /) -> Sequence[int]:
        """The independent rates, as numbers in u, that the rate of a link (from 0) depends on."""
        ...

    def whole_q(self, q: Sequence[Scalar], arith: Arithmetic, /) -> list[Scalar]:
        """The q of the tree, from the robot's."""
        ...

    def own_q(self, whole: Sequence[T], /) -> list[T]:
        """Of one entry per coordinate of the tree, those of the robot's q."""
        ...
