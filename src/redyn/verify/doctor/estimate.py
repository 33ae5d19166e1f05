"""Mass, mass centre and inertia that a link could have: repairs for those it cannot."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from redyn.verify.doctor.finding import Repair
from redyn.verify.doctor.solid import Solid
from redyn.verify.doctor.survey import Body

Array = NDArray[np.float64]

DENSITY = 1000.0  # kg/m^3, of plastic, or of metal around much air
LEAST = 1e-3  # of the largest second moment: that of the thinnest body that a repair makes
_KEYS = (("ixx", 0, 0), ("ixy", 0, 1), ("ixz", 0, 2), ("iyy", 1, 1), ("iyz", 1, 2), ("izz", 2, 2))


def number(x: float) -> str:
    return f"{0.0 if abs(x) < 1e-18 else x:.9g}"


def text(values: Array) -> str:
    return " ".join(number(float(x)) for x in values)


def tensor_repair(link: str, tensor: Array, does: str) -> Repair:
    """On the axes that the file uses."""
    values = {key: number(float(tensor[i, j])) for key, i, j in _KEYS}
    return Repair("link", link, ("inertial", "inertia"), values, does)


def estimate(link: str, mass: float, solid: Solid, does: str, body: Body | None = None) -> tuple[Repair, ...]:
    """The inertial of a uniform solid; of a body with a mass centre of its own, about that."""
    inertia, repairs = solid.inertia(mass), list[Repair]()
    if body is None or body.com is None:
        repairs.append(Repair("link", link, ("inertial", "mass"), {"value": number(mass)}, does))
        place = {"xyz": text(solid.centre), "rpy": None}
        repairs.append(Repair("link", link, ("inertial", "origin"), place, does))
        return (*repairs, tensor_repair(link, inertia, does))
    return (tensor_repair(link, body.turn.T @ inertia @ body.turn, does),)


def projected(tensor: Array) -> Array:
    """The nearest tensor that a body can have: its second moments along principal axes are positive."""
    moments, axes = np.linalg.eigh(np.nan_to_num(tensor))
    second = moments.sum() / 2 - moments
    largest = float(np.abs(second).max()) or 1e-9
    second = np.maximum(second, LEAST * largest)
    return axes @ np.diag(second.sum() - second) @ axes.T
