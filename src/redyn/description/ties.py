"""Mimic joints: q of the follower = multiplier * q of its leader + offset, in chains of any length."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from redyn.description.schema import SEVERAL, LinkDescription, MimicDescription


class Rule(NamedTuple):
    """q = factor * q of `leader` + offset."""

    leader: str
    factor: float = 1.0
    offset: float = 0.0

    def at(self, value: float) -> float:
        return self.factor * value + self.offset

    def followed_by(self, mimic: MimicDescription) -> Rule:
        """The rule of a joint that mimics one with this rule."""
        return Rule(self.leader, mimic.multiplier * self.factor, mimic.offset + mimic.multiplier * self.offset)


def is_single(link: LinkDescription) -> bool:
    """Whether the joint has one coordinate, so that others may mimic it."""
    return link.joint.type != "fixed" and link.joint.type not in SEVERAL


def rules(links: Iterable[LinkDescription], until: Collection[str] = ()) -> dict[str, Rule]:
    """For every mimic joint, its rule with respect to the end of its chain, or to the first of `until` in it.

    The rules have been checked: every leader exists, and there are no cycles.

    >>> from redyn.description import read
    >>> rules(read("gripper").links)
    {}
    """
    mimics = {str(link.joint.name): link.joint.mimic for link in links if link.joint.mimic is not None}
    found: dict[str, Rule] = {}
    for name in mimics:
        chain = [name]  # joints whose rules depend on the next one's
        while (leader := mimics[chain[-1]].joint) in mimics and leader not in until and leader not in found:
            chain.append(leader)
        for follower in reversed(chain):
            rule = mimics[follower]
            above = found.get(rule.joint) if rule.joint not in until else None
            found[follower] = (above or Rule(rule.joint)).followed_by(rule)
    return found


def in_rings(leaders: Mapping[str, str]) -> set[str]:
    """The joints in cycles of mimic joints; `leaders` maps each follower to its leader.

    >>> sorted(in_rings({"a": "b", "b": "c", "c": "b", "d": "d", "e": "a"}))
    ['b', 'c', 'd']
    """
    found: set[str] = set()
    settled: set[str] = set()
    for name in leaders:
        path: dict[str, None] = {}  # ordered set
        at: str | None = name
        while at is not None and at not in path and at not in settled:
            path[at] = None
            at = leaders.get(at)
        if at is not None and at in path:
            names = list(path)
            found.update(names[names.index(at) :])
        settled.update(path)
    return found
