"""The wheels and the independent rates of robots that are locked, cut out or joined."""

from __future__ import annotations

from collections.abc import Collection

from redyn.description.rolling import rate_names
from redyn.description.schema import RobotDescription, RollingDescription
from redyn.errors import InputError, warn

Fields = dict[str, object]


def locked(robot: RobotDescription, joints: Collection[str]) -> Fields:
    """With these joints locked."""
    if not robot.rolling:
        return {}
    spins = {str(link.name): str(link.joint.name) for link in robot.links}
    for contact in robot.rolling:
        if contact.wheel is not None and spins[contact.wheel] in joints:
            raise InputError(
                f"lock: joint {spins[contact.wheel]!r} turns the wheel {contact.wheel!r}, which could not roll then; "
                "leave it free"
            )
    chosen, fixed = robot.independent, [name for name in rate_names(robot.links) if _joint(name, joints) is not None]
    if chosen is not None:
        # Without one of the independent rates the others determine the rest; without another one, who knows.
        chosen = [name for name in chosen if name not in fixed] if all(name in chosen for name in fixed) else None
    driven = None if robot.actuated is None else [name for name in robot.actuated if name not in joints]
    return {"independent": chosen, "actuated": driven}


def _joint(rate: str, joints: Collection[str]) -> str | None:
    """Which of the joints a rate belongs to."""
    return next((name for name in joints if rate == name or rate.rpartition(".")[0] == name), None)


def inside(robot: RobotDescription) -> Fields:
    """Of a part of a robot, which stands on no ground of its own."""
    if not robot.rolling:
        return {}
    warn("subtree: wheels that roll are left out: they need the base of the whole robot")
    return {"rolling": [], "independent": None, "actuated": None}


def joined(robot: RobotDescription, other: RobotDescription, prefix: str) -> Fields:
    """Of both; what only one of them says of its rates is completed where the other has no wheels."""
    if not (robot.rolling or other.rolling):
        return {}
    return {
        "rolling": [*robot.rolling, *(_renamed(contact, prefix) for contact in other.rolling)],
        "independent": _both(robot, other, prefix, "independent"),
        "actuated": _both(robot, other, prefix, "actuated"),
    }


def _both(robot: RobotDescription, other: RobotDescription, prefix: str, key: str) -> list[str] | None:
    if getattr(robot, key) is None and getattr(other, key) is None:
        return None
    own, more = (_said(each, key) for each in (robot, other))
    return None if own is None or more is None else [*own, *(prefix + name for name in more)]


def _said(robot: RobotDescription, key: str) -> list[str] | None:
    said: list[str] | None = getattr(robot, key)
    if said is not None or robot.rolling:
        return said
    if key == "independent":
        return rate_names(robot.links)
    return [str(link.joint.name) for link in robot.links if link.joint.type not in ("fixed", "free")]


def _renamed(contact: RollingDescription, prefix: str) -> RollingDescription:
    key = next(kind for kind in ("wheel", "disk", "blade") if getattr(contact, kind) is not None)
    return contact.model_copy(update={key: f"{prefix}{contact.link}"})
