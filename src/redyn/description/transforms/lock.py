"""Joints held still: each becomes a fixed joint at its value, and the link's mass joins its carrier's."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from numbers import Real

import numpy as np

from redyn.description.placement import joint_motion, placement
from redyn.description.schema import JointDescription, LinkDescription, RobotDescription
from redyn.description.transforms.common import changed, without_lost_leaders
from redyn.description.transforms.frames import origin
from redyn.errors import InputError


def lock(robot: RobotDescription, joints: Mapping[str, float | Sequence[float] | None]) -> RobotDescription:
    """The robot with the named joints fixed at the values of their variables; None stands for the initial value.

    Written in the robot's own convention. A joint that follows a locked one is free afterwards.

    >>> from redyn.description import read
    >>> [link.joint.type for link in lock(read("three-link"), {"joint2": 0.3}).links]
    ['revolute', 'fixed', 'revolute']
    """
    if not isinstance(joints, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InputError("lock: expected {joint: value or None}")
    start = {
        str(link.joint.name): link.joint.initial or link.joint.neutral
        for link in robot.links
        if link.joint.type != "fixed"
    }
    values = {name: _value(name, value, start) for name, value in joints.items()}
    moving = set(start) - set(values)
    if not moving:
        raise InputError("lock: no joint would move any more; leave at least one free")
    links = [
        _locked(link, robot, values[str(link.joint.name)]) if link.joint.name in values else link
        for link in robot.links
    ]
    return changed(robot, "lock", links=without_lost_leaders(links, moving))


def _value(joint: str, value: object, start: Mapping[str, tuple[float, ...]]) -> tuple[float, ...]:
    if joint not in start:
        close = difflib.get_close_matches(str(joint), start, 1)
        hint = f"did you mean {close[0]!r}?" if close else f"they are {', '.join(list(start)[:12])}"
        raise InputError(f"lock: no moving joint is called {joint!r}; {hint}")
    if value is None:
        return start[joint]
    count = len(start[joint])
    try:
        numbers = np.asarray([value] if isinstance(value, Real) else value, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.empty(0)
    if isinstance(value, bool) or numbers.shape != (count,) or not np.isfinite(numbers).all():
        wanted = "a finite number" if count == 1 else f"{count} finite numbers"
        raise InputError(f"lock: {joint}: expected {wanted}, or None for the initial value, got {value!r}")
    return tuple(map(float, numbers))


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
