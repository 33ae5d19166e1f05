"""Joints that close loops: two frames of the tree, and the rows that keep them together.

A loop is cut at one joint, which leaves a tree. The joint is told by its two frames, A on the first link and B on the
second, both with the axis of the joint as z. Its rows are components of the motion of B relative to A, in A's axes, at
B's origin: those that the joint forbids. A gear has one row, between two joint variables.

q and the rates stay those of the tree. With phi(q) = 0 and J qd = 0,

    M qdd + h = tau + J^T lambda,        J qdd = gamma,

where lambda are the multipliers: what A exerts on B, row by row.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from redyn.algebra import Scalar

if TYPE_CHECKING:
    from redyn.model.model import Frame

LoopKind = Literal[
    "revolute", "prismatic", "cylindrical", "planar", "spherical", "universal", "fixed", "distance", "gear"
]

# Rows 0 to 2 turn about x, y, z of A, rows 3 to 5 move along them. The other kinds of rows have numbers of their own:
# ACROSS turns about the normal of a universal joint's axes, ALONG is the rate of a distance, GEAR that of two joints.
ACROSS, ALONG, GEAR = 6, 7, 8
ROWS: dict[LoopKind, tuple[int, ...]] = {
    "revolute": (0, 1, 3, 4, 5),
    "prismatic": (0, 1, 2, 3, 4),
    "cylindrical": (0, 1, 3, 4),
    "planar": (0, 1, 5),
    "spherical": (3, 4, 5),
    "universal": (ACROSS, 3, 4, 5),
    "fixed": (0, 1, 2, 3, 4, 5),
    "distance": (ALONG,),
    "gear": (GEAR,),
}
ROW_NAMES = ("wx", "wy", "wz", "vx", "vy", "vz", "across", "along", "gear")


@dataclass(frozen=True, slots=True)
class Loop:
    """A cut joint. Of a gear, the frames stand for the joints of their links."""

    name: str
    kind: LoopKind
    A: Frame
    B: Frame
    numbers: tuple[Scalar, ...] = ()  # of a distance, its length; of a gear, the coefficients

    @property
    def rows(self) -> tuple[int, ...]:
        return ROWS[self.kind]

    @property
    def meets(self) -> bool:
        """Whether the two origins are one point when the loop is closed."""
        return {3, 4, 5} <= set(self.rows)


@dataclass(frozen=True, slots=True)
class Closure:
    """What the loops of a robot come down to: found once, at some closed configurations (see kinematics.closure).

    Rates are numbers in qd, rows numbers among those of all loops, in order.
    """

    rows: tuple[int, ...]  # enough of them: the others are constant combinations of these
    undetermined: tuple[int, ...]  # rows whose multipliers the loops leave open, whatever the configuration
    rank: int  # of the rows at one configuration
    independent: tuple[int, ...]  # rates from which all others follow
    driven: tuple[int, ...]  # rates with actuators, and those of a free base, whose wrench is asked for
    weights: tuple[float, ...]  # what a unit multiplier of each of `rows` usually makes of its own acceleration
    regular: float  # the smallest singular value of the columns of J of dependent rates, as it usually is

    @property
    def deficient(self) -> bool:
        """Whether the rows are dependent at every configuration, though not always in the same way."""
        return self.rank < len(self.rows)

    def dependent(self, dof: int) -> list[int]:
        """The other rates."""
        return [i for i in range(dof) if i not in self.independent]
