"""The beam of a flexible link as tables: its properties along its length, and its mass while it is straight."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from redyn.description.flexible_fields import RigidDescription
from redyn.description.schema import LinkDescription

Array = NDArray[np.float64]


class Section(NamedTuple):
    """Properties of a beam along its length: (panels, 2) each, at both ends of every panel between two stations."""

    stations: Array
    rho_A: Array  # mass per length
    EIy: Array  # stiffness against bending along z, about y
    EIz: Array  # against bending along y, about z
    GJ: Array  # against torsion
    rho_Ip: Array  # polar moment of inertia per length

    @property
    def length(self) -> float:
        return float(self.stations[-1])

    def moments(self, per_length: Array, power: int) -> Array:
        """Of every panel, the integral of x^power times a density."""
        return moments(self.stations[:-1], self.stations[1:], per_length[:, 0], per_length[:, 1], power)


class Rod(NamedTuple):
    """A straight beam about its root: mass, first and second moment along x, moment of inertia about x."""

    mass: float
    first: float
    second: float
    axial: float


def section(link: LinkDescription) -> Section:
    """The table of a flexible link."""
    assert link.flexible is not None
    rows = link.flexible.stations
    places = np.array([row.x for row in rows])
    if link.flexible.table is None:
        places = places * beam_length(link)
    columns = {
        "rho_A": [row.rho_A for row in rows],
        "EIy": [row.EI[0] for row in rows],
        "EIz": [row.EI[1] for row in rows],
        "GJ": [row.GJ or 0.0 for row in rows],
        "rho_Ip": [row.rho_Ip for row in rows],
    }
    panels = [k for k in range(len(rows) - 1) if places[k + 1] > places[k]]  # two rows at one place are a step
    stations = np.array([*(places[k] for k in panels), places[-1]])
    return Section(stations, **{name: np.array([[v[k], v[k + 1]] for k in panels]) for name, v in columns.items()})


def beam_length(link: LinkDescription) -> float:
    """As the file has it, in whatever convention."""
    assert link.flexible is not None
    if link.flexible.table is not None:
        return link.flexible.table[-1].x
    found = link.flexible.length if link.flexible.length is not None else link.a
    assert found is not None
    return found


def moments(a: Array, b: Array, left: Array, right: Array, power: int) -> Array:
    """The integral of x^power times a linear density from a to b, for powers up to 2: Simpson's rule is exact."""
    middle = (a + b) / 2
    return (b - a) / 6 * (left * a**power + 2 * (left + right) * middle**power + right * b**power)


def rod(link: LinkDescription) -> Rod:
    """The beam of a flexible link while it is straight.

    >>> beam = {"rho_A": 2, "EI": 1, "length": 0.5}
    >>> rod(LinkDescription.model_validate({"name": "arm", "joint": "revolute", "flexible": beam}))
    Rod(mass=1.0, first=0.25, second=0.08333333333333333, axial=0.0)
    """
    table = section(link)
    mass, first, second = (float(table.moments(table.rho_A, power).sum()) for power in range(3))
    return Rod(mass, first, second, float(table.moments(table.rho_Ip, 0).sum()))


def rod_body(link: LinkDescription) -> RigidDescription:
    """The straight beam as a rigid body in the axes of its root."""
    m, first, second, axial = rod(link)
    across = second - first * first / m
    return RigidDescription(mass=m, com=(first / m, 0.0, 0.0), inertia=(axial, 0.0, 0.0, across, 0.0, across))


def total_mass(link: LinkDescription) -> float:
    """Of a link with its beam and what is on its ends."""
    total = link.mass or 0.0
    if link.flexible is not None:
        total += rod(link).mass + sum(body.mass for body in (link.flexible.hub, link.flexible.tip) if body is not None)
    return total
