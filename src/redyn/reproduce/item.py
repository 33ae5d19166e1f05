"""An item of the sources: its data, and how its verdict follows from its checks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redyn.reproduce.check import Check
from redyn.reproduce.diagram import Diagram
from redyn.robot import Robot

Array = NDArray[np.float64]
Outcome = Literal["agrees", "agrees with repair", "no printed numbers", "differs"]
OUTCOMES: dict[Outcome, str] = {
    "agrees": "with the numbers or formulas that the source prints",
    "agrees with repair": "with them, after corrections of the source",
    "no printed numbers": "compared with an independent computation",
    "differs": "a printed number or a statement of the text does not hold",
}
Load = Callable[[str], Robot]  # library name -> robot; tests pass wrong robots


@dataclass(frozen=True)
class Repair:
    """A correction of the source, and the evidence that it cannot be used as printed."""

    what: str
    needed: bool
    evidence: str


@dataclass(frozen=True)
class Curve:
    label: str
    y: Array
    dashed: bool = False


@dataclass(frozen=True)
class Panel:
    """One pair of axes. `limits` bound what is shown.

    `marks` are instants of vertical lines by label; one named like a curve takes its colour.
    """

    title: str
    x: Array
    curves: Sequence[Curve]
    marks: Mapping[str, float] = field(default_factory=dict[str, float])
    x_label: str = "time (s)"
    limits: tuple[float, float] | None = None


@dataclass(frozen=True)
class Bars:
    """Groups of bars, one per label; the highlighted labels are ours."""

    title: str
    labels: Sequence[str]
    heights: Mapping[str, Sequence[float]]
    highlight: Sequence[str]


@dataclass(frozen=True)
class Scene:
    """A robot at the states q, (N, n), the last one emphasised, with the path of its end effector."""

    title: str
    robot: Robot
    q: Array
    path: Array | None = None
    frames: bool = False


@dataclass(frozen=True)
class Numbers:
    """A table that is written as CSV; `part` distinguishes several tables of one item."""

    header: Sequence[str]
    rows: Sequence[Sequence[object]]
    part: str = ""


@dataclass(frozen=True)
class Result:
    """The result of an item."""

    checks: Sequence[Check]
    numbers: Sequence[Numbers]
    panels: Sequence[Panel] = ()
    bars: Sequence[Bars] = ()
    scenes: Sequence[Scene] = ()
    diagrams: Sequence[Diagram] = ()
    repairs: Sequence[Repair] = ()
    notes: Sequence[str] = ()
    animation: Callable[[Path, bool], object] | None = None  # writes a page that plays the motion
    document: str = ""  # a page in Markdown, written next to the others

    @property
    def outcome(self) -> Outcome:
        """A figure without printed numbers cannot "agree", whatever else holds."""
        if not all(check.holds for check in self.checks):
            return "differs"
        if not any(check.against == "printed" for check in self.checks):
            return "no printed numbers"
        return "agrees with repair" if any(repair.needed for repair in self.repairs) else "agrees"

    @property
    def reason(self) -> str:
        """What differs, if anything, else what agrees; and what was repaired."""
        repaired = [f"{x.what}, because {x.evidence}" for x in self.repairs if x.needed]
        failed = [check for check in self.checks if not check.holds]
        if failed:
            return "; ".join([*(f"{x.what}: {x.found}" + (f" ({x.why})" if x.why else "") for x in failed), *repaired])
        return "; ".join([*repaired, *(f"{check.what}: {check.found}" for check in self.checks)])

    @property
    def unexplained(self) -> bool:
        """Whether something differs without a known defect of the source: suspect redyn first."""
        return any(not check.holds and not check.why for check in self.checks)


@dataclass(frozen=True)
class Item:
    """A figure, table or exercise: its name on the command line, and how to rebuild it."""

    name: str
    title: str
    source: str
    build: Callable[[Load], Result]


def tidy(values: ArrayLike) -> list[float]:
    """Numbers for a table, without rounding errors of zero and without minus zeros.

    >>> tidy([1e-17, -0.0, 0.5])
    [0.0, 0.0, 0.5]
    """
    return [float(x) + 0.0 for x in np.round(np.asarray(values, dtype=np.float64), 12)]


def series(t: Array, joints: Sequence[str], part: str = "", **kinds: Array) -> Numbers:
    """Time histories as columns t, kind_joint ..., which `redyn.trajectory.from_csv` reads back."""
    header = ["t", *(f"{kind}_{joint}" for kind in kinds for joint in joints)]
    return Numbers(header, (np.column_stack([t, *kinds.values()]) + 0.0).tolist(), part)  # no -0.0


def joint_panels(
    robot: Robot,
    t: Array,
    values: Mapping[str, Array],
    units: tuple[str, str],
    marks: Mapping[str, Mapping[str, float]] | None = None,
) -> list[Panel]:
    """One panel per joint with a curve per value, dashed from the second on.

    `units` are those of revolute and of prismatic joints; `marks` are by joint name.
    """
    return [
        Panel(
            f"{link.joint.name} ({units[0] if link.joint.kind == 'revolute' else units[1]})",
            t,
            [Curve(label, array[:, i], dashed=k > 0) for k, (label, array) in enumerate(values.items())],
            (marks or {}).get(link.joint.name, {}),
        )
        for i, link in enumerate(robot.model.links)
    ]


def together(parts: Mapping[str, Result], repairs: Sequence[Repair] = ()) -> Result:
    """Merges results of several robots, labelled with the robot's name. Scenes are left out."""
    return Result(
        [replace(check, what=f"{name}, {check.what}") for name, part in parts.items() for check in part.checks],
        [replace(numbers, part=name) for name, part in parts.items() for numbers in part.numbers],
        [replace(panel, title=f"{name}, {panel.title}") for name, part in parts.items() for panel in part.panels],
        repairs=repairs,
        notes=[f"{name}: {note}" for name, part in parts.items() for note in part.notes],
    )
