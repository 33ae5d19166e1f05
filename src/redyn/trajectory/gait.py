"""Gaits: which feet are lifted when, and where they land.

A period is divided evenly among the groups of feet that are lifted together. In its share of the period a group first
hands its load to the other feet, all of them on the ground, and is then in the air until the share is over.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from redyn.errors import InputError

Array = NDArray[np.float64]


class Swing(NamedTuple):
    """A foot in the air, from one place to another along the direction of walking."""

    foot: int
    start: float
    stop: float
    progress: tuple[float, float]  # m, from where the foot stood first


@dataclass(frozen=True)
class Gait:
    """How a robot walks.

    period: seconds from one lift of a foot to its next.
    duty: the part of the period that a foot is on the ground: at least 1 - 1 / groups.
    stride: metres that every foot, and so the body, advances in a period; negative: backwards.
    lift: metres that feet are lifted.
    order: the groups of feet that are lifted together, one group after the other.
    """

    period: float
    duty: float
    stride: float
    lift: float
    order: tuple[tuple[str, ...], ...]

    @property
    def share(self) -> float:
        """Seconds of a period that belong to one group."""
        return self.period / len(self.order)

    @property
    def swing(self) -> float:
        """Seconds that a foot is in the air."""
        return (1.0 - self.duty) * self.period

    @property
    def transfer(self) -> float:
        """Seconds between two groups in the air, in which the load moves from one to the other."""
        return self.share - self.swing

    def swings(self, feet: Sequence[str], strides: int, begin: float) -> list[Swing]:
        """Those of a walk from rest to rest: the first and last ones are shorter, so that the feet end side by side."""
        groups = len(self.order)
        reached = np.zeros(len(feet))
        found: list[Swing] = []
        for share in range(groups * (strides + 1) - 1):
            target = self.stride * min((share + 1) / groups, strides)
            lifted = begin + share * self.share + self.transfer
            for name in self.order[share % groups]:
                foot = feet.index(name)
                if target != reached[foot]:
                    found.append(Swing(foot, lifted, lifted + self.swing, (float(reached[foot]), target)))
                    reached[foot] = target
        return found


UPRIGHT = (
    0.12  # part of a swing in which a foot goes straight up, and straight down: one that lands early does not slide
)
FIELDS = ("period", "duty", "stride", "lift", "order")


def gait_of(given: Gait | Mapping[str, Any], feet: Sequence[str]) -> Gait:
    """A gait that suits these feet, from one or from its fields."""
    if isinstance(given, Gait):
        gait = given
    else:
        if not isinstance(given, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InputError(f"gait: expected a dict with {', '.join(FIELDS)}, got {type(given).__name__}")
        for key in given:
            if key not in FIELDS:
                raise InputError(f"gait: {key!r} is not a field; they are {', '.join(FIELDS)}")
        missing = [key for key in FIELDS if key not in given]
        if missing:
            raise InputError(f"gait: {missing[0]} is missing; it needs {', '.join(FIELDS)}")
        numbers = [_number(key, given[key]) for key in FIELDS[:-1]]
        gait = Gait(*numbers, order=_order(given["order"]))
    for key, value in (("period", gait.period), ("lift", gait.lift)):
        if value <= 0:
            raise InputError(f"gait.{key}: expected a positive number, got {value:g}")
    if sorted(name for group in gait.order for name in group) != sorted(feet):
        raise InputError(f"gait.order: expected every foot once ({', '.join(feet)}), got {list(gait.order)}")
    groups = len(gait.order)
    if groups < 2:
        raise InputError("gait.order: expected at least two groups, so that some feet stay on the ground")
    least = 1.0 - 1.0 / groups
    if not least - 1e-12 <= gait.duty < 1.0:
        raise InputError(
            f"gait.duty: expected {least:g} to less than 1, since {groups} groups of feet are in the air one after the "
            f"other, got {gait.duty:g}"
        )
    return gait


def _number(key: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, Real) or not np.isfinite(float(value)):
        raise InputError(f"gait.{key}: expected a number, got {value!r}")
    return float(value)


def _order(value: Any) -> tuple[tuple[str, ...], ...]:
    try:
        return tuple((group,) if isinstance(group, str) else tuple(str(name) for name in group) for group in value)
    except TypeError:
        raise InputError(f"gait.order: expected groups of feet, such as [['left'], ['right']], got {value!r}") from None


def smooth(s: Array) -> Array:
    """From 0 to 1 with rates and accelerations of zero at both ends."""
    s = np.clip(s, 0.0, 1.0)
    return s**3 * (10.0 - 15.0 * s + 6.0 * s**2)


def hump(s: Array) -> Array:
    """From 0 to 1 and back, with rates and accelerations of zero at both ends."""
    s = np.clip(s, 0.0, 1.0)
    return (4.0 * s * (1.0 - s)) ** 3


class Schedule(NamedTuple):
    """Of every foot at every instant, (N, feet)."""

    progress: Array  # metres along the direction of walking
    height: Array  # metres above where it stands
    load: Array  # its part of the weight: 0 in the air


def schedule(gait: Gait, swings: Sequence[Swing], feet: int, t: Array) -> Schedule:
    progress, height, load = np.zeros((len(t), feet)), np.zeros((len(t), feet)), np.ones((len(t), feet))
    transfer = max(gait.transfer, 1e-9)
    for swing in swings:
        s = (t - swing.start) / (swing.stop - swing.start)
        first, last = swing.progress
        progress[:, swing.foot] += (last - first) * smooth((s - UPRIGHT) / (1.0 - 2.0 * UPRIGHT))
        height[:, swing.foot] += gait.lift * hump(s)
        gone = smooth((t - swing.start + transfer) / transfer) - smooth((t - swing.stop) / transfer)
        load[:, swing.foot] -= gone
    return Schedule(progress, height, load / load.sum(axis=1, keepdims=True))
