"""Closed loops: batches and single calls beside Pinocchio's constraintDynamics, runs beside MuJoCo's `connect`.

Pinocchio has no batch call for this and no inverse dynamics: its figure is one Python call, at its cheapest setting. A
pin is two of its point constraints; where one gives the same accelerations, as in planar mechanisms, that is timed as
well and the quicker one counts.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from redyn.bench.compare import BATCH
from redyn.bench.loop_peers import ONE_POINT, TWO_POINTS, MujocoLoops, PinocchioLoops
from redyn.bench.timing import interleaved
from redyn.dynamics.task import Task
from redyn.errors import InputError, RedynWarning
from redyn.kernels.machine import lane_width, processor
from redyn.robot import Robot, load
from redyn.simulation import simulate_batch
from redyn.verify.compare import random_states
from redyn.verify.row import States

Array = NDArray[np.float64]

ROBOTS = ("four-bar", "3-rrr", "andrews", "parallelogram-arm", "excavator", "bricard", "delta", "stewart")
DIFFERENT = 32  # closed states, repeated to fill a batch
STEP = 1e-3  # s
STEPS = 20  # of a batch of runs
ONE_STEPS = 1000  # of MuJoCo's, in one call, and of the run whose gap is measured: a second
INTEGRATORS = ("rk4", "implicit")
STAGES = ("closed states", "compiling", "dynamics", "compiling a run", "runs")  # of a robot, for a progress bar


@dataclass(frozen=True)
class Runs:
    """Steps of 1 ms: nanoseconds per step and motion, and how far loops open in a second."""

    step: float  # Runge-Kutta, then two projections, in a batch
    gap: float  # m or rad, the widest, as in the next two
    mujoco: dict[str, float]  # by integrator
    mujoco_gap: dict[str, float | None]  # m, at the joints; None: it diverges


@dataclass(frozen=True)
class LoopRow:
    """One robot, one thread: nanoseconds per state, the best of many."""

    robot: str
    dof: int
    mobility: int
    rows: int  # independent ones
    forward: float
    inverse: float
    project: float  # one Newton step of q and qd back to closed loops
    single_forward: float
    single_inverse: float
    pinocchio: dict[str, float]  # one state, by how many points hold a pin
    runs: Runs

    @property
    def ratio(self) -> float | None:
        """Pinocchio's call over a state of a batch."""
        return min(self.pinocchio.values()) / self.forward if self.pinocchio else None

    @property
    def single_ratio(self) -> float | None:
        """Pinocchio's call over ours."""
        return min(self.pinocchio.values()) / self.single_forward if self.pinocchio else None


@dataclass(frozen=True)
class LoopReport:
    processor: str
    lanes: int
    rows: list[LoopRow]

    def to_data(self) -> dict[str, object]:
        data = asdict(self)
        for row, measured in zip(data["rows"], self.rows, strict=True):
            row |= {"ratio": measured.ratio, "single_ratio": measured.single_ratio}
        return data


def compare_loops(robots: list[str], seconds: float, tick: Callable[[str], None] = lambda _: None) -> LoopReport:
    """Every robot for some seconds; `tick` is given each of its stages."""
    _, cpu, _ = processor()
    return LoopReport(cpu, lane_width(), [_measure(name, seconds, tick) for name in robots])


def _load(name: str) -> Robot:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RedynWarning)
        robot = load(name, friction=False)
    if not robot.loops:
        raise InputError(f"{name} has no loops; `redyn bench {name}` times it")
    return robot


def _measure(name: str, seconds: float, tick: Callable[[str], None]) -> LoopRow:
    ticks = [partial(tick, f"{Path(name).name}: {stage}") for stage in STAGES]
    ticks[0]()
    robot = _load(name)
    states = random_states(robot, DIFFERENT)
    ticks[1]()
    times = _dynamics(robot, states, seconds / 2, ticks[2])
    closure = robot.model.closure
    assert closure is not None
    pinocchio = {way: times[way] for way in (TWO_POINTS, ONE_POINT) if way in times}
    ticks[3]()
    start = robot.initial, robot.transmission(robot.initial) @ np.ones(robot.mobility), np.zeros(robot.dof)
    runs = _runs(robot, states, start, seconds / 2, ticks[4])
    return LoopRow(
        Path(name).name,
        robot.dof,
        robot.mobility,
        closure.rank,
        times["forward"],
        times["inverse"],
        times["project"],
        times["single forward"],
        times["single inverse"],
        pinocchio,
        runs,
    )


def _dynamics(robot: Robot, states: States, seconds: float, tick: Callable[[], None]) -> dict[str, float]:
    """Nanoseconds per state, by what is timed."""
    q, qd, tau = (np.tile(a, (BATCH // DIFFERENT, 1)) for a in states)
    qdd = robot.forward_dynamics(q, qd, tau)
    rows = list(zip(*states, strict=True))
    one = [np.ascontiguousarray(a[0]) for a in (q, qd, tau, qdd)]
    projection = Task("projection", guarded=False)
    forward: Callable[..., object] = robot.forward_dynamics
    inverse: Callable[..., object] = robot.inverse_dynamics
    calls: dict[str, Callable[[], object]] = {
        "forward": lambda: robot.forward_dynamics(q, qd, tau, threads=1),
        "inverse": lambda: robot.inverse_dynamics(q, qd, qdd, threads=1),
        "project": lambda: robot.evaluator(projection, [q, qd], threads=1),
        "single forward": partial(forward, *one[:3]),
        "single inverse": partial(inverse, *one[:2], one[3]),
    }
    peer = PinocchioLoops.of(robot)
    if peer is not None:
        calls |= peer.calls(rows)
    best = interleaved(calls, seconds, tick)
    many = {"forward", "inverse", "project"}
    return {what: time * 1e9 / (BATCH if what in many else 1) for what, time in best.items()}


def _runs(
    robot: Robot, states: States, start: tuple[Array, Array, Array], seconds: float, tick: Callable[[], None]
) -> Runs:
    """`start` is a state from which single runs begin."""
    q, qd, _ = (np.tile(a, (BATCH // DIFFERENT, 1)) for a in states)
    calls: dict[str, Callable[[], object]] = {
        "redyn": lambda: simulate_batch(robot, q, qd, STEPS * STEP, step=STEP, threads=1, check=False, progress=False)
    }
    peer = MujocoLoops.of(robot)
    gaps: dict[str, float | None] = {}
    if peer is not None:
        calls |= {name: peer.stepper(name, start, STEP, ONE_STEPS) for name in INTEGRATORS}
        gaps = {name: peer.widest(name, start, STEP, ONE_STEPS) for name in INTEGRATORS}
    best = interleaved(calls, seconds, tick)
    second = ONE_STEPS * STEP
    run = simulate_batch(robot, start[0][None], start[1][None], second, step=STEP, sample=10 * STEP, progress=False)
    return Runs(
        best.pop("redyn") * 1e9 / (BATCH * STEPS),
        float(np.abs(robot.loop_error(run.q[:, 0])).max()),
        {name: time * 1e9 / ONE_STEPS for name, time in best.items()},
        gaps,
    )
