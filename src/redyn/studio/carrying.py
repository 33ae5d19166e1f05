"""The payload: a body on the end effector, which inverse and forward dynamics take into account."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from redyn.errors import InputError
from redyn.report.scene import Carried
from redyn.robot import Robot
from redyn.studio.cells import numbers

HEAVIEST = 1e6  # kg
FIELDS = ("mass", "com", "inertia")
_COUNTS: dict[tuple[int, ...], str] = {(1,): "a number", (3,): "three numbers: x, y, z", (3, 6): "three or six numbers"}


@dataclass(frozen=True)
class Payload:
    """Mass in kg, mass centre in the end effector's frame, inertia about it: xx, xy, xz, yy, yz, zz."""

    mass: float
    com: tuple[float, ...] = (0.0, 0.0, 0.0)
    inertia: tuple[float, ...] = (0.0,) * 6

    @property
    def name(self) -> str:
        """
        >>> Payload(2.5, (0, 0, 0.1)).name
        '2.5 kg at (0, 0, 0.1)'
        """
        where = ", ".join(f"{x:.4g}" for x in self.com)
        return f"{self.mass:.6g} kg at ({where})" if any(self.com) else f"{self.mass:.6g} kg"

    def carried_by(self, robot: Robot) -> Robot:
        """The robot with the payload, which its name tells."""
        if robot.model.end_effector is None:
            raise InputError(f"payload: {robot.name} has several tips, and no end effector that could carry it")
        loaded = robot.with_payload(self.mass, self.com, self.inertia)
        return Robot(loaded.description.model_copy(update={"name": f"{robot.name} with {self.name}"[:200]}))

    def drawn_on(self, robot: Robot) -> Carried:
        """For the view."""
        return Carried(robot.frame_name(), self.com, self.mass)


def loaded(robot: Robot, payload: Payload | None) -> Robot:
    return robot if payload is None else payload.carried_by(robot)


@dataclass
class PayloadForm:
    """As typed; without a mass there is no payload."""

    mass: str = ""
    com: str = ""  # empty: at the end effector's origin
    inertia: str = ""  # empty: a point

    @property
    def given(self) -> bool:
        return bool(self.mass.strip())

    def plan(self) -> Payload | None:
        mass = _numbers("mass", self.mass, (1,))
        if not mass or mass[0] == 0.0:
            return None
        if not 0.0 < mass[0] <= HEAVIEST:
            raise InputError(f"payload: mass: expected kilograms, from 0 to {HEAVIEST:g}, got {self.mass.strip()}")
        inertia = _numbers("inertia", self.inertia, (3, 6)) or (0.0,) * 6
        if len(inertia) == 3:
            xx, yy, zz = inertia
            inertia = (xx, 0.0, 0.0, yy, 0.0, zz)
        return Payload(mass[0], _numbers("centre", self.com, (3,)) or (0.0,) * 3, inertia)


def _numbers(where: str, text: str, counts: tuple[int, ...]) -> tuple[float, ...]:
    """The numbers of a field; empty if it is."""
    try:
        found = tuple(numbers(text) or ())
    except ValueError as error:
        raise InputError(f"payload: {where}: {error}") from None
    if found and (len(found) not in counts or not np.isfinite(found).all()):
        raise InputError(f"payload: {where}: expected {_COUNTS[counts]}, got {text.strip()}")
    return found
