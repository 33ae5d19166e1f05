"""Robots of different masses in one call, beside many states of one robot, and beside robots built one by one."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial

import numpy as np

from redyn.bench.compare import BATCH
from redyn.bench.timing import Way, quickest
from redyn.kernels.machine import lane_width, processor
from redyn.robot import FreeRobot, Robot, load

ROBOTS = ("kuka-kr5", "puma", "stanford")
MASSES, ALL = ("*.mass",), ("*.mass", "*.com", "*.inertia")
CALLS = ("inverse_dynamics", "forward_dynamics", "mass_matrix")


@dataclass(frozen=True)
class ParameterRow:
    """One robot and call, one thread: nanoseconds per state of a batch, the best of many."""

    robot: str
    dof: int
    call: str
    fixed: float  # many states of one robot
    masses: float  # a mass of every link per state
    everything: float  # ten numbers of every link per state
    rebuilt: float  # a robot that is built for its numbers and asked once

    @property
    def masses_ratio(self) -> float:
        return self.masses / self.fixed

    @property
    def everything_ratio(self) -> float:
        return self.everything / self.fixed


@dataclass(frozen=True)
class ParameterReport:
    processor: str
    lanes: int
    rows: list[ParameterRow]

    def to_data(self) -> dict[str, object]:
        data = asdict(self)
        for row, measured in zip(data["rows"], self.rows, strict=True):
            row |= {"masses_ratio": measured.masses_ratio, "everything_ratio": measured.everything_ratio}
        return data


def compare_parameters(robots: list[str], seconds: float, tick: Callable[[str], None]) -> ParameterReport:
    """Every robot and call for some seconds; `tick` is given the robot's name."""
    _, cpu, _ = processor()
    rows: list[ParameterRow] = []
    for name in robots:
        tick(name)
        robot = load(name)
        frees = [robot.free(*names) for names in (MASSES, ALL)]
        rows += [_measure(robot, frees, call, seconds) for call in CALLS]
    return ParameterReport(cpu, lane_width(), rows)


def _measure(robot: Robot, frees: list[FreeRobot], call: str, seconds: float) -> ParameterRow:
    rng = np.random.default_rng(0)
    q = np.array([robot.random(rng) for _ in range(BATCH)])
    state = [q, *rng.standard_normal((2, BATCH, robot.dof))][: 1 if call == "mass_matrix" else 3]
    ways = {"fixed": [Way(partial(getattr(robot, call), *state, threads=1), BATCH)]}
    for key, free in zip(("masses", "everything"), frees, strict=True):
        rows = free.nominal_parameters * rng.uniform(0.9, 1.1, (BATCH, 1))
        ways[key] = [Way(partial(getattr(free, call), *state, parameters=rows, threads=1), BATCH)]
    times = {key: 1e9 * found for key, found in quickest(ways, seconds).items()}
    masses = frees[0].nominal_parameters * rng.uniform(0.9, 1.1)
    start = time.perf_counter()
    getattr(frees[0].rebuilt(masses), call)(*(x[0] for x in state))
    return ParameterRow(robot.name, robot.dof, call, **times, rebuilt=1e9 * (time.perf_counter() - start))
