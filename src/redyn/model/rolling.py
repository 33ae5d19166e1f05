"""Wheels, disks and blades that touch the ground, and the rates that are left while they do not slip.

A reduction whose G depends on q: the rows A(q) of all contacts have A qd = 0, so that some rates follow from the
others, qd = G u. Which ones is chosen at load (see kinematics.rolling). The coordinates remain those of the tree, for
no relation between them follows from rolling.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from redyn.algebra import Arithmetic, Scalar, Vec3
from redyn.description.schema import BODY_RATES

T = TypeVar("T")

ContactKind = Literal["wheel", "roller", "disk", "blade"]

# Rows of a contact: the velocity of the point of the body that touches the ground, along the heading, across it, up;
# and along the axis of the roller that touches it.
HEADING, LATERAL, VERTICAL, ROLLER = 0, 1, 2, 3
CONTACT_ROWS: dict[ContactKind, tuple[int, ...]] = {
    "wheel": (HEADING, LATERAL, VERTICAL),
    "roller": (ROLLER, VERTICAL),
    "disk": (HEADING, LATERAL, VERTICAL),
    "blade": (LATERAL, VERTICAL),
}
CONTACT_ROW_NAMES = ("heading", "lateral", "vertical", "roller")


@dataclass(frozen=True, slots=True)
class Contact:
    """One wheel. What carries it is the link of its fork, of a disk or a blade the link itself."""

    name: str  # of the link
    kind: ContactKind
    carrier: int
    spin: int  # the link, from 1, whose rate is the wheel's spin; 0: its link turns as a whole
    hub: Vec3  # the centre in the axes of the carrier; of a blade, where it touches the ground
    axle: Vec3  # a unit vector there; of a blade, across it to the left
    radius: float
    roller: tuple[float, float]  # cosine and sine of the angle from the heading to the axis of the roller
    upright: bool = False  # whether the axle is always level

    @property
    def rows(self) -> tuple[int, ...]:
        return CONTACT_ROWS[self.kind]


@dataclass(frozen=True, slots=True)
class Rolling:
    """Which rates are independent, and the rows of contacts from which the others follow: a `Reduction`."""

    contacts: tuple[Contact, ...]
    up: Vec3  # the normal of the ground, in world axes
    rows: tuple[tuple[int, int], ...]  # those that count: a contact and a row of it
    independent: tuple[int, ...]  # links, from 0
    n: int  # links of the tree
    driven: tuple[int, ...]  # links, from 0, with actuators
    # Of every row of every contact, what share of each multiplier it has: rows that repeat others share their forces.
    shares: tuple[tuple[float, ...], ...]
    better: tuple[str, ...]  # rates that determine the others at every configuration, if `independent` does not
    # The first of the three links of a planar base whose velocity is taken in its own axes, as vx and vy.
    turned: int | None = None

    @property
    def dependent(self) -> tuple[int, ...]:
        return tuple(i for i in range(self.n) if i not in self.independent)

    @property
    def u_links(self) -> Sequence[int]:
        return self.independent

    @property
    def q_links(self) -> Sequence[int]:
        return range(self.n)

    def label(self, link: int, label: str) -> str:
        """What the rate of a link is called among the independent ones."""
        if self.turned is None or link not in (self.turned, self.turned + 1):
            return label
        return f"{label.rpartition('.')[0]}.{BODY_RATES[link - self.turned]}"

    def sources(self, link: int) -> Sequence[int]:
        return (self.independent.index(link),) if link in self.independent else range(len(self.independent))

    def whole_q(self, q: Sequence[Scalar], arith: Arithmetic) -> list[Scalar]:
        del arith
        return list(q)

    def own_q(self, whole: Sequence[T]) -> list[T]:
        return list(whole)
