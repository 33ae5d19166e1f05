"""The keys `ground` and `contacts` of robot files: on what a robot stands, and what of it may touch that."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, model_validator

from redyn.description.fields import (
    Angle,
    Angles,
    Name,
    NotNegative,
    Number,
    Positive,
    Strict,
    Vector,
    items_of,
)
from redyn.description.heights import parse_height
from redyn.description.numbers import parse_number, shown

Law = Literal["smooth", "redysim"]

MOST_CONTACTS = 1_000
MOST_STEPS = 100
LARGEST_GRID = 1_000_000  # heights
OWN_KEYS: dict[Law, tuple[str, ...]] = {"smooth": ("dissipation", "slip"), "redysim": ("damping", "tangential_damping")}
SHAPE_KEYS = ("height", "normal", "slope", "direction", "steps", "grid")


def _height(value: object) -> float | str:
    """A number, or the text of an expression."""
    try:
        return parse_number(value)
    except ValueError:
        if not isinstance(value, str):
            raise
    parse_height(value)
    return value.strip()


def _row(value: object) -> tuple[float, ...]:
    items = items_of(value)
    if items is None or len(items) < 2:
        raise ValueError(f"expected a list of at least two numbers, got {shown(value)}")
    if len(items) > LARGEST_GRID:
        raise ValueError(f"expected at most {LARGEST_GRID:,} numbers, got {len(items):,}")
    return tuple(parse_number(item) for item in items)


def _rows(value: object) -> tuple[tuple[float, ...], ...]:
    items = items_of(value)
    if items is None or len(items) < 2:
        raise ValueError("expected rows of heights, one for every x, with a height for every y")
    return tuple(_row(item) for item in items)


Row = Annotated[tuple[float, ...], BeforeValidator(_row)]
Rows = Annotated[tuple[tuple[float, ...], ...], BeforeValidator(_rows)]


class StepDescription(Strict):
    """A rise of the ground: by `rise` from at - width/2 to at + width/2 along a direction, level before and after."""

    at: Number
    rise: Number
    width: Positive | None = None  # as long as it is high unless given
    direction: Angle = 0.0  # from x towards y


class GridDescription(Strict):
    """Heights at points of a grid: `heights[i][j]` at `x[i]`, `y[j]`. Beyond its edge the ground goes on level."""

    x: Row
    y: Row
    heights: Rows

    @model_validator(mode="after")
    def _consistent(self) -> GridDescription:
        for name, row in (("x", self.x), ("y", self.y)):
            if any(b <= a for a, b in pairwise(row)):
                raise ValueError(f"{name}: expected increasing numbers")
        if len(self.heights) != len(self.x) or any(len(row) != len(self.y) for row in self.heights):
            shape = f"{len(self.heights)} rows of {sorted({len(row) for row in self.heights})}"
            raise ValueError(
                f"heights: expected {len(self.x)} rows (one per x) of {len(self.y)} (one per y), got {shape}"
            )
        return self


class GroundDescription(Strict):
    """The ground and its law; what is not given follows from the robot's weight, see `redyn.Robot.ground`."""

    height: Annotated[float | str, BeforeValidator(_height)] | None = None  # in m, or an expression in x and y
    normal: Vector | None = None  # of a plane
    slope: Angle | None = None  # instead of it: the angle of a plane that rises
    direction: Angle | None = None  # in this direction, from x towards y
    steps: Annotated[list[StepDescription], Field(max_length=MOST_STEPS)] | None = None
    grid: GridDescription | None = None
    law: Law = "smooth"
    stiffness: Positive | None = None  # N/m, of each contact
    friction: NotNegative | None = None
    dissipation: NotNegative | None = None  # s/m, of the smooth law
    slip: Annotated[float, Field(ge=1e-6), BeforeValidator(parse_number)] | None = None  # m/s, of the smooth law
    damping: NotNegative | None = None  # N s/m, of ReDySim's law
    tangential_damping: NotNegative | None = None  # N s/m, of ReDySim's law

    @model_validator(mode="after")
    def _consistent(self) -> GroundDescription:
        for law, keys in OWN_KEYS.items():
            wrong = [key for key in keys if law != self.law and getattr(self, key) is not None]
            if wrong:
                raise ValueError(f"{wrong[0]} belongs to law: {law}, and the law here is {self.law}")
        if self.normal is not None:
            if (self.slope or self.direction) is not None:
                raise ValueError("give either normal, or slope and direction")
            if not 1e-6 < sum(x * x for x in self.normal) ** 0.5 < 1e6:
                raise ValueError(f"normal: expected a direction such as [0, 0, 1], got {list(self.normal)}")
        if self.direction is not None and self.slope is None:
            raise ValueError("direction is that in which the ground rises; give slope as well, an angle such as 10 deg")
        if self.slope is not None and not abs(self.slope) < 1.5:
            raise ValueError(f"slope: expected an angle below 85 degrees, got {self.slope!r} rad")
        others = [key for key in SHAPE_KEYS if key != "grid" and getattr(self, key) is not None]
        if self.grid is not None and others:
            raise ValueError(f"{others[0]} and grid are given; the heights of a grid are the whole ground")
        return self


def _points(value: object) -> list[object]:
    items = items_of(value)
    if not items:
        raise ValueError(f"expected a list of points such as [[0, 0, 0.1]], got {shown(value)}")
    return items


class ContactDescription(Strict):
    """What of a link may touch the ground, placed in the link's frame.

    A sphere of this radius at `at`; without a radius, a point. A `box` of these sides is its eight corners, a `capsule`
    of this length (without its round ends, along z) two spheres. `points` lists several at once, as the corners of a
    polyhedron or points of a mesh. `rpy` turns a box or a capsule.
    """

    link: Name | None = None
    name: Name | None = None
    collision: bool = False  # the collision shapes of this link, or of all links if none is named
    radius: NotNegative | None = None
    at: Vector = (0.0, 0.0, 0.0)
    rpy: Angles = (0.0, 0.0, 0.0)
    box: Vector | None = None
    capsule: Positive | None = None
    points: Annotated[list[Vector], BeforeValidator(_points), Field(max_length=MOST_CONTACTS)] | None = None

    @model_validator(mode="after")
    def _consistent(self) -> ContactDescription:
        if self.collision and self.model_fields_set - {"link", "collision"}:
            raise ValueError("collision: true takes the shapes of the file; leave the rest out, or list contacts")
        if self.link is None and not self.collision:
            raise ValueError("link is missing; the name of the link that may touch the ground")
        kinds = [kind for kind in ("box", "capsule", "points") if getattr(self, kind) is not None]
        if len(kinds) > 1:
            raise ValueError(f"give one of {', '.join(kinds)}")
        if self.box is not None and (self.radius is not None or min(self.box) < 0):
            raise ValueError("a box has three sides, none negative, and no radius: its corners are points")
        if self.capsule is not None and not self.radius:
            raise ValueError("a capsule needs a radius: capsule is its length, without the round ends")
        if any(self.rpy) and kinds not in (["box"], ["capsule"]):
            raise ValueError("rpy turns a box or a capsule; a sphere or a point has no direction")
        return self


def _contacts(value: object) -> list[object]:
    if value == "collision":
        return [{"collision": True}]
    items = items_of(value)
    if items is None:
        raise ValueError(
            "expected a list such as [{link: foot, radius: 0.02}], or collision for the shapes of the file, got "
            f"{shown(value)}"
        )
    return items


Contacts = Annotated[list[ContactDescription], BeforeValidator(_contacts), Field(max_length=MOST_CONTACTS)]
