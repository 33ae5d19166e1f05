"""Pushes that users type in, or drag in the view."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from redyn.errors import InputError
from redyn.report.scene import Pushed
from redyn.robot import Robot
from redyn.simulation import Push
from redyn.studio.cells import number_text, numbers

Array = NDArray[np.float64]

FIELDS = ("link", "point", "force", "start", "duration")
MOST = 20  # pushes in a run
LATEST = 3600.0  # s
USUAL = 0.1  # s, duration of a new one
DIGITS = 3  # of one that is dragged


@dataclass
class PushForm:
    """As typed: a link, a point in its frame, a force in world axes, and when it acts."""

    link: str
    point: str = "0, 0, 0"
    force: str = "0, 0, 0"
    start: str = "0"
    duration: str = number_text(USUAL)

    def plan(self, number: int) -> Push:
        """`number`: its place in the list, from 1 on, for messages."""
        where = f"push {number}"
        start = _row(f"{where}: start", self.start, 1)[0]
        duration = _row(f"{where}: duration", self.duration, 1)[0]
        if not 0.0 <= start <= LATEST or not 1e-6 <= duration <= LATEST:
            raise InputError(f"{where}: expected a start from 0 and a duration from 1e-6 to {LATEST:g} s")
        force, point = _row(f"{where}: force", self.force, 3), _row(f"{where}: point", self.point, 3)
        return Push(self.link, force, point, start, duration)

    @property
    def size(self) -> str:
        """Of the force, N; empty if it is wrong."""
        try:
            return f"{float(np.linalg.norm(_row('', self.force, 3))):.4g}"
        except InputError:
            return ""

    def set_size(self, text: str) -> None:
        """Another force in the same direction; upwards if there was none."""
        size = _row("size of the force", text, 1)[0]
        force = np.array(_row("force", self.force, 3))
        length = float(np.linalg.norm(force))
        direction = force / length if length > 0 else np.array([0.0, 0.0, 1.0])
        self.force = _text(size * direction, 6)


def _row(where: str, text: str, count: int) -> tuple[float, ...]:
    try:
        found = numbers(text or "nothing", count=count) or []
    except ValueError as error:
        raise InputError(f"{where}: {error}") from None
    if not np.isfinite(found).all() or np.abs(found).max(initial=0.0) > 1e9:
        raise InputError(f"{where}: expected numbers up to 1e9, got {text.strip()}")
    return tuple(found)


def _text(values: Array, digits: int = DIGITS) -> str:
    least = 1e-6 * float(np.abs(values).max(initial=0.0))
    return ", ".join(number_text(float(f"{x:.{digits}g}") if abs(x) > least else 0.0) for x in values)


def new_push(robot: Robot) -> PushForm:
    """On the end effector, against gravity, a tenth of the weight."""
    link = robot.model.end_effector or robot.link_names[-1]
    gravity = robot.gravity if robot.gravity.any() else np.array([-9.81, 0.0, 0.0])
    return PushForm(link, force=_text(-0.1 * robot.total_mass * gravity, 2))


def dragged(robot: Robot, link: int, point: Array, force: Array, start: float) -> PushForm:
    """From the view: the number of a moving link, and a point in its axes."""
    if not (np.isfinite(point).all() and np.isfinite(force).all() and np.isfinite(start)):
        raise InputError("push: expected finite numbers")
    return PushForm(robot.link_names[link - 1], _text(point), _text(force), number_text(float(f"{max(start, 0):.4g}")))


def drawn(robot: Robot, pushes: tuple[Push, ...]) -> list[Pushed]:
    """For the view."""
    return [Pushed(robot.frame_name(x.link), x.point, x.force, x.start, x.stop) for x in pushes]
