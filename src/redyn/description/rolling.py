"""Wheels, disks and blades: what a file must say of them."""

from __future__ import annotations

from collections.abc import Mapping

from redyn.description.loops import rigid_parts
from redyn.description.schema import (
    BODY_RATES,
    VELOCITIES,
    WORLD,
    LinkDescription,
    RobotDescription,
    RollingDescription,
)
from redyn.errors import DescriptionError
from redyn.words import suggestion


def check_rolling(robot: RobotDescription, links: list[LinkDescription]) -> None:
    """That every contact is of a link that can roll, and that rates exist; `links` have all their names."""
    if robot.rolling and robot.loops:
        raise DescriptionError(
            "rolling", "wheels and closed loops in one robot are not supported; leave one of them out"
        )
    named, parts = {str(link.name): link for link in links}, rigid_parts(links, robot.convention)
    seen: dict[str, int] = {}
    for k, contact in enumerate(robot.rolling):
        wrong = _wrong(contact, named, parts)
        if wrong:
            raise DescriptionError(f"rolling[{k}]", wrong)
        if contact.link in seen:
            raise DescriptionError(
                f"rolling[{k}]", f"link {contact.link!r} rolls already, by rolling[{seen[contact.link]}]"
            )
        seen[contact.link] = k
    if robot.independent is None:
        return
    if not robot.rolling:
        raise DescriptionError("independent", "only robots that roll choose among their rates; leave it out")
    rates = [*rate_names(links), *_body_rate_names(links)]
    for k, name in enumerate(robot.independent):
        if name not in rates:
            raise DescriptionError(f"independent[{k}]", f"no rate is called {name!r}{suggestion(name, rates)}")
        if name in robot.independent[:k]:
            raise DescriptionError(f"independent[{k}]", f"{name!r} is named twice")
    turned = [name for name in _body_rate_names(links) if name in robot.independent]
    straight = [f"{turned[0].rpartition('.')[0]}.{part}" for part in ("x", "y")] if turned else []
    mixed = next((name for name in straight if name in robot.independent), None)
    if mixed is not None:
        raise DescriptionError(
            "independent", f"{mixed} is in the world's axes and {turned[0]} in the base's; use one kind"
        )


def _wrong(contact: RollingDescription, links: Mapping[str, LinkDescription], parts: Mapping[str, str]) -> str:
    name = contact.link
    if name not in links:
        return f"no link is called {name!r}{suggestion(name, list(links))}"
    joint = links[name].joint
    if links[name].flexible is not None:
        return f"link {name!r} is flexible; what rolls must be rigid"
    if contact.wheel is not None:
        if joint.type != "revolute":
            return f"link {name!r} has a {joint.type} joint; a wheel needs a revolute one (a body that rolls is a disk)"
        if parts[str(links[name].parent)] == WORLD:
            return f"wheel {name!r} is mounted on the world; it needs a base with a planar or free joint"
    elif parts[name] == WORLD:
        return f"link {name!r} is fixed to the world and cannot move"
    return ""


def _body_rate_names(links: list[LinkDescription]) -> list[str]:
    """Those of a planar base in its own axes, which may be independent as well."""
    bases = [link for link in links if link.joint.type == "planar" and link.parent == WORLD]
    return [f"{link.joint.name}.{part}" for link in bases[:1] for part in BODY_RATES]


def rate_names(links: list[LinkDescription]) -> list[str]:
    """What every rate of the tree is called: the joint, and where it has several, which of them."""
    return [
        f"{link.joint.name}.{part}" if part else str(link.joint.name)
        for link in links
        if link.joint.type != "fixed"
        for part in VELOCITIES.get(link.joint.type, ("",))
    ]
