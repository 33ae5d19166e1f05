"""Extracts a part of a robot."""

from __future__ import annotations

from collections.abc import Collection

from redyn.description.checks import bends
from redyn.description.ends import frame_links
from redyn.description.schema import WORLD, LinkDescription, MimicDescription, RobotDescription
from redyn.description.ties import Rule, rules
from redyn.description.transforms import rolling
from redyn.description.transforms.common import LONGEST_NAME, changed
from redyn.description.transforms.contacts import within
from redyn.description.transforms.loops import inside
from redyn.errors import InputError, warn


def subtree(robot: RobotDescription, link: str) -> RobotDescription:
    """The named link, its joint and everything it carries; the frame of its parent becomes the world.

    Loops inside it stay, as do those to that parent; others are left out, with a warning. Gravity keeps its numbers,
    now in the axes of that frame. If a joint mimics one outside, the first such joint
    becomes independent, with a warning, and others that mimicked the same one mimic it.

    >>> from redyn.description import read
    >>> [link.name for link in subtree(read("puma"), "link5").links]
    ['link5', 'link6']
    """
    children: dict[str, list[str]] = {}
    owner = {WORLD: WORLD, **frame_links(robot.links)}
    for item in robot.links:
        children.setdefault(owner[str(item.parent)], []).append(str(item.name))
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
    if not moving and not any(map(bends, links)):
        raise InputError(f"subtree: neither {link!r} nor anything it carries moves")
    tip = robot.end_effector if owner.get(str(robot.end_effector)) in kept else None
    name = f"{robot.name}-{link}"[:LONGEST_NAME]
    links = _tied_within(robot, links, moving)
    base = next(str(item.parent) for item in robot.links if item.name == link)
    closed = inside(robot, {frame for frame, item in owner.items() if item in kept}, moving, base)
    rest = closed | rolling.inside(robot)
    return changed(robot, "subtree", name=name, links=links, end_effector=tip, contacts=within(robot, kept), **rest)


def _tied_within(
    robot: RobotDescription, links: list[LinkDescription], moving: Collection[str]
) -> list[LinkDescription]:
    """The links of a part, whose joints mimic joints of that part only."""
    found = {name: rule for name, rule in rules(robot.links, until=moving).items() if name in moving}
    lost = {name: rule for name, rule in found.items() if rule.leader not in moving}
    heads: dict[str, tuple[str, Rule]] = {}  # leader outside -> its replacement
    for name, rule in lost.items():
        if rule.factor:
            heads.setdefault(rule.leader, (name, rule))

    def tied(link: LinkDescription) -> LinkDescription:
        name = str(link.joint.name)
        rule = found.get(name)
        if rule is None:
            return link
        if name in lost:
            head, own = heads.get(rule.leader, (name, rule))
            if head == name:
                warn(
                    f"subtree: joint {name!r} mimics {rule.leader!r}, which is not part of it; {name!r} moves on its "
                    "own there"
                )
                return _following(link, None)
            factor = rule.factor / own.factor
            rule = Rule(head, factor, rule.offset - factor * own.offset)
        return _following(link, MimicDescription(joint=rule.leader, multiplier=rule.factor, offset=rule.offset))

    return [tied(link) for link in links]


def _following(link: LinkDescription, mimic: MimicDescription | None) -> LinkDescription:
    return link.model_copy(update={"joint": link.joint.model_copy(update={"mimic": mimic})})
