"""The keys `flexible` of links and `elastic` of joints: beams that bend, and gears that give."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, model_validator

from redyn.description.fields import Inertia, NotNegative, Number, Positive, Strict, Vector, items_of
from redyn.description.numbers import parse_number, shown

MOST_MODES = 12  # of one kind
MOST_STATIONS = 200
DEFAULT_MODES = (2, 2, 0)


def _two(value: object) -> tuple[float, float]:
    """One number for both, or EIy and EIz."""
    items = items_of(value)
    if items is None:
        return parse_number(value), parse_number(value)
    if len(items) != 2:
        raise ValueError(f"expected one number, or two, EIy and EIz, got {shown(value)}")
    return parse_number(items[0]), parse_number(items[1])


def _modes(value: object) -> tuple[int, int, int]:
    items = items_of(value)
    if items is None or len(items) != 3:
        raise ValueError(
            f"expected how many modes bend along y, along z and twist, as in [2, 2, 1], got {shown(value)}"
        )
    counts = [parse_number(item) for item in items]
    if any(x != int(x) or not 0 <= x <= MOST_MODES for x in counts):
        raise ValueError(f"expected three whole numbers from 0 to {MOST_MODES}, got {shown(value)}")
    return int(counts[0]), int(counts[1]), int(counts[2])


def _load(value: object) -> object:
    return {"kind": value} if isinstance(value, str) else value


def _moments(value: object) -> tuple[float, float, float]:
    """Moments of inertia about x, y and z of the tip: one number is about y and about z."""
    items = items_of(value)
    if items is None:
        return 0.0, parse_number(value), parse_number(value)
    if len(items) != 3:
        raise ValueError(f"expected one number, about y and z, or three, about x, y and z, got {shown(value)}")
    return parse_number(items[0]), parse_number(items[1]), parse_number(items[2])


Stiffness = Annotated[tuple[Positive, Positive], BeforeValidator(_two)]
Counts = Annotated[tuple[int, int, int], BeforeValidator(_modes)]
Moments = Annotated[tuple[NotNegative, NotNegative, NotNegative], BeforeValidator(_moments)]


class RigidDescription(Strict):
    """A rigid body on a beam: mass centre and inertia about it, in the axes of that end of the beam."""

    mass: NotNegative = 0.0
    com: Vector = (0.0, 0.0, 0.0)
    inertia: Inertia = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


class LoadDescription(Strict):
    """The body at the tip for which mode shapes are computed.

    `load: carried` is all that the tip carries in the initial configuration, `load: none` no body at all; or its mass,
    its moment of inertia about the tip and its first moment along the beam are given.
    """

    kind: Literal["carried", "none", "given"] = "given"
    mass: NotNegative = 0.0
    inertia: Moments = (0.0, 0.0, 0.0)
    moment: Number = 0.0

    @model_validator(mode="after")
    def _consistent(self) -> LoadDescription:
        if self.kind != "given" and (self.mass or self.moment or any(self.inertia)):
            raise ValueError(f"load: with {self.kind!r}, its mass, inertia and moment are not given")
        least = min(self.inertia[1:])  # about y and z through the tip, not through its mass centre
        if self.moment**2 > self.mass * least * (1.0 + 1e-9):
            raise ValueError(
                f"load: no body of {self.mass:g} kg has the first moment {self.moment:g} kg m and no more than "
                f"{least:g} kg m^2 about the tip; expected moment^2 <= mass * inertia"
            )
        return self


Load = Annotated[LoadDescription, BeforeValidator(_load)]


class StationDescription(Strict):
    """Properties of a beam at a distance x from its root; they are linear between stations.

    Two stations at the same x make a step.
    """

    x: NotNegative
    rho_A: Positive
    EI: Stiffness
    GJ: Positive | None = None
    rho_Ip: NotNegative = 0.0


class FlexibleDescription(Strict):
    """A link that bends: a beam along x of the link's frame, clamped at its joint; children sit on its tip.

    In `dh` the beam is the length a of the link, elsewhere `length`. rho_A is its mass per length (kg/m), EI its
    stiffness against bending (N m^2; one number, or EIy and EIz), GJ that against torsion, and rho_Ip its polar moment
    of inertia per length (kg m). A `table` of stations gives these for a tapered beam instead. `modes` counts the mode
    shapes that bend along y, that bend along z, and that twist.
    """

    rho_A: Positive | None = None
    EI: Stiffness | None = None
    GJ: Positive | None = None
    rho_Ip: NotNegative | None = None
    length: Positive | None = None
    table: Annotated[list[StationDescription], Field(min_length=2, max_length=MOST_STATIONS)] | None = None
    modes: Counts = DEFAULT_MODES
    load: Load = LoadDescription(kind="carried")
    damping_ratio: Annotated[NotNegative, Field(lt=1)] = 0.0
    stiffening: bool = True
    hub: RigidDescription | None = None  # a rigid body at the root, in its axes
    tip: RigidDescription | None = None  # and at the tip

    @model_validator(mode="after")
    def _consistent(self) -> FlexibleDescription:
        along = ("rho_A", "EI", "GJ", "rho_Ip")
        if self.table is not None:
            both = next((field for field in along if getattr(self, field) is not None), None)
            if both is not None:
                raise ValueError(f"{both}: the table has it already; give either a table or numbers for the whole beam")
            places = [station.x for station in self.table]
            if places[0] != 0.0:
                raise ValueError(f"table[0].x: a table begins at the root, x = 0, got {places[0]}")
            for k in range(1, len(places)):
                step = k > 1 and places[k] == places[k - 1] == places[k - 2]
                if places[k] < places[k - 1] or step or (k in (1, len(places) - 1) and places[k] == places[k - 1]):
                    raise ValueError(f"table[{k}].x: expected a station further along the beam, got {places[k]}")
        else:
            missing = next((field for field in ("rho_A", "EI") if getattr(self, field) is None), None)
            if missing is not None:
                raise ValueError(f"{missing} is missing; a flexible link needs rho_A and EI, or a table")
        if self.modes[2] and any(station.GJ is None for station in self.stations):
            raise ValueError("GJ is missing; modes in torsion need it")
        return self

    @property
    def stations(self) -> list[StationDescription]:
        """The table, or that of a uniform beam of length 1."""
        if self.table is not None:
            return self.table
        assert self.rho_A is not None
        assert self.EI is not None
        polar = self.rho_Ip or 0.0
        return [StationDescription(x=x, rho_A=self.rho_A, EI=self.EI, GJ=self.GJ, rho_Ip=polar) for x in (0.0, 1.0)]


class ElasticDescription(Strict):
    """A gear that gives: a spring and a damper between the link and the motor, which has the armature and friction."""

    stiffness: Positive
    damping: NotNegative = 0.0
