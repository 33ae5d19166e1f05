"""Angles in suspicious units: a file with 90 where radians are expected almost certainly means degrees.

The thresholds are based on public robots: no angle of geometry exceeds one revolution, joint limits beyond 10 rad are
rare and have many digits, and much larger ones (999999, 1e16) mean that there is no limit.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

from redyn.description.schema import (
    COORDINATES,
    JointDescription,
    LinkDescription,
    LoopDescription,
    RobotDescription,
)

TURN = 6.3  # rad: 2 pi, rounded up
TWO_TURNS = 12.6
MANY_TURNS = 45.0  # rad: so many revolutions are given as multiples of pi
LARGEST_LIMIT = 720.0  # in degrees; larger values mean no limit

_ANGLES = ("angle", "first", "second")  # of the names in COORDINATES
_TURNING = ("revolute", "helical")
_UNIT = re.compile(r"deg\b|rad\b|°|pi\b|π")
_DEGREES = re.compile(r"deg\b|rad\b|°")

Path = tuple[str | int, ...]


class Value(NamedTuple):
    """A number of a link that may be an angle, and its location, such as ("joint", "limits", 0)."""

    path: Path
    value: float
    angle: bool
    limit: bool = False

    @property
    def doubtful(self) -> bool:
        return self.angle and (like_degrees_of_limit if self.limit else like_degrees)(self.value)


def like_degrees(angle: float) -> bool:
    """Whether an angle of the geometry, or a joint value, looks like degrees."""
    return abs(angle) > TURN


def like_degrees_of_limit(angle: float) -> bool:
    """Limits may be several revolutions: then they are multiples of pi, or have more digits than degrees would.

    >>> [like_degrees_of_limit(x) for x in (-170, 172.5, 165.0118, 10.0, 62.83, -18.488884, 999999)]
    [True, True, True, False, False, False, False]
    """
    half_turns = angle / math.pi
    of_turns = not float(angle).is_integer() and abs(half_turns - round(half_turns)) < 1e-3
    few_digits = round(angle, 2) == angle
    return TWO_TURNS < abs(angle) <= LARGEST_LIMIT and (few_digits or abs(angle) > MANY_TURNS) and not of_turns


def values(link: LinkDescription) -> Iterator[Value]:
    """Every number of a link that is an angle, or would be one on another joint."""
    for name in ("alpha", "theta"):
        angle = getattr(link, name)
        if angle is not None:
            yield Value((name,), angle, True)
    for k, angle in enumerate(link.rpy or ()):
        yield Value(("rpy", k), angle, True)
    for field in ("visual", "collision"):
        for i, shape in enumerate(getattr(link, field)):
            for k, angle in enumerate(shape.rpy):
                yield Value((field, i, "rpy", k), angle, True)
    joint = link.joint
    turns = joint.type in _TURNING
    yield Value(("joint", "offset"), joint.offset, turns)
    yield Value(("joint", "rest"), joint.rest, turns)
    if joint.mimic is not None:
        yield Value(("joint", "mimic", "offset"), joint.mimic.offset, turns)
    for k, bound in enumerate(joint.limits or ()):
        yield Value(("joint", "limits", k), bound, turns, limit=True)
    if joint.initial is not None:
        for k, (angle, value) in enumerate(zip(turning_coordinates(joint), joint.initial, strict=True)):
            path: Path = ("joint", "initial") if len(joint.initial) == 1 else ("joint", "initial", k)
            yield Value(path, value, angle)


def turning_coordinates(joint: JointDescription) -> list[bool]:
    """Which entries of q of a joint are angles.

    >>> turning_coordinates(JointDescription(type="planar"))
    [False, False, True]
    """
    names = COORDINATES.get(joint.type, ("angle" if joint.type in _TURNING else "length",))
    return [name in _ANGLES for name in names]


def unit_given(text: str) -> bool:
    """Whether a number is written with a unit, or as a multiple of pi."""
    return _UNIT.search(text) is not None


def loop_values(loop: LoopDescription) -> Iterator[Value]:
    """Every angle of a loop."""
    for i, frame in enumerate(loop.frames or ()):
        for k, angle in enumerate(frame.rpy):
            yield Value(("frames", i, "rpy", k), angle, True)


def doubtful(robot: RobotDescription, written: Mapping[str, object]) -> Iterator[str]:
    """Messages about values that look like degrees, unless the original data, `written`, give a unit or pi.

    Also about lengths given in degrees.
    """
    parts = [("links", i, values(link)) for i, link in enumerate(robot.links)]
    parts += [("loops", i, loop_values(loop)) for i, loop in enumerate(robot.loops)]
    for part, i, items in parts:
        for item in items:
            given = _written(written, (part, i, *item.path))
            text = given if isinstance(given, str) else ""
            if not item.angle and _DEGREES.search(text):
                yield f"{_place(part, i, item.path)}: {text[:60]!r} is not a length; it is taken as {item.value:g} m"
            elif item.doubtful and not unit_given(text):
                turns = f"{abs(item.value) / math.tau:.1f} turns"
                yield (
                    f"{_place(part, i, item.path)}: {item.value:g} is taken as radians ({turns}); write {item.value:g} "
                    f"deg for degrees, or {item.value:g} rad to confirm"
                )


def _place(part: str, index: int, path: Path) -> str:
    return f"{part}[{index}]" + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)


def _written(data: object, path: Path) -> object:
    """The value at a path in plain data; None if there is none."""
    at: Any = data
    for step in path:
        try:
            at = at[step]
        except (TypeError, KeyError, IndexError, AttributeError):
            return None
    found = cast(object, at)
    if isinstance(found, list | tuple):  # an initial value of one number may be a list
        items = cast("Sequence[object]", found)
        return items[0] if len(items) == 1 else None
    return found
