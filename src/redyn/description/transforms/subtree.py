"""A part of a robot on its own."""

from __future__ import annotations

from redyn.description.schema import WORLD, RobotDescription
from redyn.description.transforms.common import LONGEST_NAME, changed, without_lost_leaders
from redyn.errors import InputError


def subtree(robot: RobotDescription, link: str) -> RobotDescription:
    """The named link, its joint and everything it carries; the frame of its parent becomes the world.

    Gravity keeps its numbers, now in the axes of that frame.

    >>> from redyn.description import read
    >>> [link.name for link in subtree(read("puma"), "link5").links]
    ['link5', 'link6']
    """
    children: dict[str, list[str]] = {}
    for item in robot.links:
        children.setdefault(str(item.parent), []).append(str(item.name))
    kept, stack = {link}, [link]
    while stack:
        found = children.get(stack.pop(), [])
        kept.update(found)
        stack += found
    links = [
        item.model_copy(update={"parent": WORLD}) if item.name == link else item
        for item in robot.links
        if item.name in kept
    ]
    moving = {str(item.joint.name) for item in links if item.joint.type != "fixed"}
    if not moving:
        raise InputError(f"subtree: neither {link!r} nor anything it carries moves")
    tip = robot.end_effector if robot.end_effector in kept else None
    name = f"{robot.name}-{link}"[:LONGEST_NAME]
    links = without_lost_leaders(links, moving)
    return changed(robot, "subtree", name=name, links=links, end_effector=tip)
