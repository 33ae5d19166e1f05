"""The ground of the forward panel: a switch and its few numbers; and what of a robot may touch it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from redyn.description.numbers import parse_number
from redyn.errors import InputError, RedynError
from redyn.robot import Robot

FIELDS = ("friction", "stiffness")
COLLISION = "collision"  # contacts from the shapes of the file


@dataclass
class GroundForm:
    """As typed; an empty field leaves the number to the robot's file or its weight."""

    on: bool = False
    friction: str = ""
    stiffness: str = ""

    def plan(self, robot: Robot) -> dict[str, Any] | None:
        """The argument `ground` of `redyn.simulate`; None without one."""
        if not self.on:
            return None
        if not can_stand(robot):
            raise InputError(f"ground: {robot.name} has nothing that could touch it; list contacts in its file")
        given: dict[str, Any] = {}
        for name in FIELDS:
            text = getattr(self, name).strip()
            if text:
                given[name] = _positive(name, text)
        return given if robot.model.contact_points else given | {"contacts": COLLISION}

    def usual(self, robot: Robot) -> dict[str, str]:
        """What empty fields come to, as hints; empty if that is unknown."""
        try:
            ground = robot.ground({} if robot.model.contact_points else {"contacts": COLLISION})
        except RedynError:
            return {}
        return {"friction": f"{ground.friction:.3g}", "stiffness": f"{ground.stiffness:.3g}"}


def can_stand(robot: Robot) -> bool:
    """Whether a robot has contacts, or is free to fall and has shapes that could touch the ground."""
    if robot.model.contacts:  # it rolls on a ground of its own
        return bool(robot.model.contact_points)
    free = any(link.joint.type == "free" for link in robot.description.links)
    return bool(robot.model.contact_points) or (free and any(link.collision for link in robot.description.links))


def _positive(name: str, text: str) -> float:
    try:
        value = parse_number(text)
    except ValueError as error:
        raise InputError(f"{name} of the ground: {error}") from None
    if not 0.0 <= value <= 1e12 or (name == "stiffness" and not value):
        raise InputError(f"{name} of the ground: expected a positive number, got {text}")
    return value
