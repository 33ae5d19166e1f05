"""Locks joints: each becomes a fixed joint at its value, and the link's mass is lumped into its parent's."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Mapping, Sequence

import numpy as np

from redyn.arrays import refuse_masks
from redyn.description.checks import bends
from redyn.description.placement import joint_motion, placement
from redyn.description.poses import origin
from redyn.description.schema import TURNING, JointDescription, LinkDescription, RobotDescription, is_unit
from redyn.description.ties import rules
from redyn.description.transforms import loops, rolling
from redyn.description.transforms.common import changed
from redyn.errors import InputError

Held = dict[str, tuple[float, ...]]

SAME = 1e-9  # tolerance between the value of a follower and that given by its leader


def lock(robot: RobotDescription, joints: Mapping[str, float | Sequence[float] | None]) -> RobotDescription:
    """The robot with the named joints fixed at these values; None means the initial value.

    The robot's convention is kept. Joints that mimic a locked one, or follow it through a gear, are fixed with it, at
    the corresponding value; a joint that follows cannot be locked while its leader is free. Loops of locked joints only
    are left out if they are closed.

    >>> from redyn.description import read
    >>> [link.joint.type for link in lock(read("three-link"), {"joint2": 0.3}).links]
    ['revolute', 'fixed', 'revolute']
    """
    if not isinstance(joints, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InputError("lock: expected {joint: value or None}")
    moving = {str(link.joint.name): link.joint for link in robot.links if link.joint.type != "fixed"}
    values = {name: _value(name, value, moving) for name, value in joints.items()}
    unsaid = {name for name, value in joints.items() if value is None}
    for _ in range(len(moving) + 1):  # a value goes from joint to joint; only in a ring of gears does it go on
        found = values | _followers(robot, values, unsaid)
        found |= _geared(robot, found, unsaid)
        if found == values:
            break
        values = found
    else:
        raise InputError("lock: gears form a ring, and no values of its joints suit all of them; correct its ratios")
    if not set(moving) - set(values) and not any(map(bends, robot.links)):
        raise InputError("lock: no joint would be left to move; leave at least one free")
    links = [
        _locked(link, robot, values[str(link.joint.name)]) if link.joint.name in values else link
        for link in robot.links
    ]
    return changed(robot, "lock", links=links, **loops.locked(robot, links, values) | rolling.locked(robot, values))


def _followers(robot: RobotDescription, values: Held, unsaid: Collection[str]) -> Held:
    """Values of the joints that mimic a locked one; an error if a given value contradicts it."""
    held: Held = {}
    for name, rule in rules(robot.links).items():
        given = values.get(name)
        if rule.leader in values:
            at = rule.at(values[rule.leader][0])
            _check_same(name, f"mimics {rule.leader!r}", rule.leader, at, None if name in unsaid else given)
            held[name] = (at,)
        elif given is not None:
            at = f" at {(given[0] - rule.offset) / rule.factor:g}" if rule.factor else ""
            raise InputError(
                f"lock: {name!r} mimics {rule.leader!r}, which would be free; lock {rule.leader!r}{at} instead, and "
                f"{name!r} is fixed with it"
            )
    return held


def _geared(robot: RobotDescription, values: Held, unsaid: Collection[str]) -> Held:
    """Values of the joints that follow a locked one through a gear."""
    held: Held = {}
    for loop in robot.loops:
        leader, name = loop.between
        if loop.joint != "gear" or (leader not in values and name not in values):
            continue
        if leader not in values:
            raise InputError(
                f"lock: {name!r} follows {leader!r} through the gear {loop.name!r}, which would be free; lock "
                f"{leader!r} instead, and {name!r} is fixed with it"
            )
        at = float(np.polynomial.polynomial.polyval(values[leader][0], loop.coefficients or ()))
        given = None if name in unsaid else held.get(name, values.get(name))
        _check_same(name, f"follows {leader!r} through the gear {loop.name!r}", leader, at, given)
        held[name] = (at,)
    return held


def _check_same(name: str, why: str, leader: str, at: float, given: tuple[float, ...] | None) -> None:
    if given is not None and abs(given[0] - at) > SAME * max(1.0, abs(at)):
        raise InputError(
            f"lock: {name!r} {why}, which puts it at {at:g}, not at {given[0]:g}; leave {name!r} out, or choose "
            f"another value of {leader!r}"
        )


def _value(name: str, value: object, moving: Mapping[str, JointDescription]) -> tuple[float, ...]:
    if name not in moving:
        close = difflib.get_close_matches(str(name), moving, 1)
        hint = f"did you mean {close[0]!r}?" if close else f"they are {', '.join(list(moving)[:12])}"
        raise InputError(f"lock: no moving joint is called {name!r}; {hint}")
    joint = moving[name]
    if value is None:
        return joint.initial or joint.neutral
    refuse_masks(f"lock: {name}", value)
    count = len(joint.neutral)
    try:
        numbers = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.full(count, np.nan)
    if numbers.ndim == 0:
        numbers = numbers[None]
    if isinstance(value, bool | str) or numbers.shape != (count,) or not np.isfinite(numbers).all():
        wanted = "a finite number" if count == 1 else f"{count} finite numbers"
        raise InputError(f"lock: {name}: expected {wanted}, or None for the initial value, got {value!r}")
    values = tuple(map(float, numbers))
    if joint.type in TURNING and not is_unit(values[-4:]):
        length = f"{np.linalg.norm(values[-4:]):.9g}"
        raise InputError(f"lock: {name}: the quaternion (x, y, z, w) has norm {length}; expected 1")
    return values


def _locked(link: LinkDescription, robot: RobotDescription, values: tuple[float, ...]) -> LinkDescription:
    kind, at = link.joint.type, values[0] + link.joint.offset
    joint = JointDescription(type="fixed", name=link.joint.name)
    if robot.convention == "frames":
        pose = placement(link, robot.convention).before @ joint_motion(link, values)
        geometry = {"axis": None, "axis2": None, **origin(pose)}
    elif kind == "revolute":
        geometry = {"theta": at}
    else:
        geometry = {"b" if robot.convention == "dh" else "d": at}
    return link.model_copy(update={"joint": joint, **geometry})
