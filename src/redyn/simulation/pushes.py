"""Pushes: forces on points of links for a while."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redyn.arrays import real_array
from redyn.errors import InputError
from redyn.robot import Robot

Array = NDArray[np.float64]

STEPS = 4  # at least, of a method that chooses its own, in a push: it could pass over a short one


@dataclass(frozen=True)
class Push:
    """A force on a point that is fixed to a link, constant in world axes, from `start` on for `duration` seconds.

    >>> push = Push("link2", force=[0, 50, 0], point=[-0.5, 0, 0], start=0.2, duration=0.1)
    >>> push.force_at(0.25), push.force_at(0.35)
    (array([ 0., 50.,  0.]), array([0., 0., 0.]))
    """

    link: str | int
    force: Sequence[float]  # N, world axes
    point: Sequence[float] = (0.0, 0.0, 0.0)  # m, in the link's frame
    start: float = 0.0
    duration: float = 0.1

    def __post_init__(self) -> None:
        for name in ("force", "point"):
            try:
                row = real_array(getattr(self, name))
            except (TypeError, ValueError):
                row = np.zeros(0)
            if row.shape != (3,) or not np.isfinite(row).all():
                raise InputError(f"Push: {name}: expected three finite numbers, got {getattr(self, name)!r}")
            object.__setattr__(self, name, tuple(float(x) for x in row))
        for name, least in (("start", 0.0), ("duration", 1e-9)):
            value = getattr(self, name)
            if not isinstance(value, int | float | np.number) or not least <= value < np.inf:
                wanted = "a positive number" if least else "a number that is not negative"
                raise InputError(f"Push: {name}: expected {wanted} of seconds, got {value!r}")

    @property
    def stop(self) -> float:
        return self.start + self.duration

    def force_at(self, t: float) -> Array:
        """The force at a time."""
        return np.array(self.force) if self.start <= t < self.stop else np.zeros(3)

    def wrench(self) -> Callable[[float], Array]:
        """About the point, moment first, as a function of time."""
        acting, none = np.array([0.0, 0.0, 0.0, *self.force]), np.zeros(6)
        start, stop = self.start, self.stop
        return lambda t: acting if start <= t < stop else none


def with_pushes(robot: Robot, pushes: Any) -> tuple[Robot, list[Push], dict[str, Callable[[float], Array]]]:
    """The robot with a frame at every point that is pushed, the pushes, and the wrenches on these frames."""
    if isinstance(pushes, Push):
        pushes = [pushes]
    try:
        listed: list[Push] = list(pushes)
    except TypeError:
        listed = [pushes]
    for k, push in enumerate(listed):
        if not isinstance(push, Push):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InputError(f"pushes[{k}]: expected a redyn.Push, got {push!r}")
        if robot.named_frame(push.link)[1].link == 0:
            raise InputError(f"pushes[{k}]: {robot.frame_name(push.link)!r} is fixed to the world")
    if not listed:
        return robot, listed, {}
    pushed, names = robot.with_points([(push.link, push.point) for push in listed], "push")
    return pushed, listed, {name: push.wrench() for name, push in zip(names, listed, strict=True)}


def longest_step(pushes: Sequence[Push]) -> float:
    """That steps over none of them."""
    return min((push.duration / STEPS for push in pushes), default=np.inf)
