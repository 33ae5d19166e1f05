"""What sweeps cost beyond the calls in them: a ratio to plain loops over batched calls, and seconds per shard."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from redyn.kernels.machine import lane_width, processor
from redyn.robot import FreeRobot, load
from redyn.simulation import simulate_batch
from redyn.sweep import run, run_shard, spec
from redyn.sweep.sampling import Sampler
from redyn.words import counted

SAMPLES = 1_000_000
SHARD = 50_000
MOTIONS, DURATION, STEP = 20_000, 0.1, 1e-3
EMPTY = 40  # shards of one sample, for the time that a shard takes by itself
ROBOT = "puma"
STAGES = ("inverse dynamics", "simulation", "shards")
MASSES: dict[str, Any] = {"*.mass": {"normal": [1, 0.05], "relative": "factor"}}
STATES: dict[str, Any] = {"q": {"uniform": ["-pi", "pi"]}, "qd": {"normal": [0, 1]}}


@dataclass(frozen=True)
class SweepRow:
    """Processor time of one core, in seconds, which other programs on the machine change little.

    `sweep` includes drawing, computing and writing; `plain` is the calls alone, on arrays that are there.
    """

    what: str
    samples: int
    sweep: float
    drawing: float
    plain: float
    elapsed: float  # by the clock, waiting for the disk included

    @property
    def rate(self) -> float:
        return self.samples / self.sweep

    @property
    def ratio(self) -> float:
        return self.sweep / self.plain


@dataclass(frozen=True)
class SweepReport:
    processor: str
    lanes: int
    rows: list[SweepRow]
    overhead: float  # seconds per shard by the clock, the median
    memory: float | None  # megabytes at most, of this process

    def to_data(self) -> dict[str, Any]:
        data = asdict(self)
        for row, made in zip(data["rows"], self.rows, strict=True):
            row.update(rate=made.rate, ratio=made.ratio, hours_per_1e9=1e9 / made.rate / 3600)
        return data


def measure_sweeps(
    robot: str = ROBOT, samples: int = SAMPLES, tick: Callable[[str], None] = lambda _: None
) -> SweepReport:
    """Each once, after kernels are compiled."""
    tick(STAGES[0])
    calls: dict[str, Any] = {
        "robot": robot,
        "samples": samples,
        "shard": min(SHARD, samples),
        "vary": {**MASSES, **STATES, "qdd": {"normal": [0, 1]}},
        "run": {"call": "inverse_dynamics"},
    }
    rows = [_measured("inverse dynamics", calls, _inverse)]
    tick(STAGES[1])
    motions = max(1, samples * MOTIONS // SAMPLES)
    runs = calls | {
        "samples": motions,
        "shard": min(SHARD, motions),
        "vary": {**MASSES, **STATES},
        "run": {"simulate": {"duration": DURATION, "step": STEP}},
    }
    steps = round(DURATION / STEP)
    rows.append(_measured(f"simulate, {counted(steps, 'step')} of RK4", runs, _simulated))
    tick(STAGES[2])
    overhead = _overhead(calls | {"samples": EMPTY, "shard": 1})
    return SweepReport(processor()[1], lane_width(), rows, overhead, _memory())


def _memory() -> float | None:
    try:
        import resource
    except ImportError:  # Windows
        return None
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 if sys.platform != "darwin" else 1024**2)


def _measured(what: str, data: dict[str, Any], plain: Callable[[FreeRobot, Any], object]) -> SweepRow:
    plan = spec(data)
    run_shard(plan, 0)  # compiles
    free = load(data["robot"]).free("*.mass")
    sampler = Sampler(plan, load(data["robot"]))
    drawing = alone = 0.0
    for k in range(plan.shards):
        start = time.process_time()
        drawn = sampler.draw(plan.rows(k))
        drawing += time.process_time() - start
        if k == 0:
            plain(free, drawn)
        start = time.process_time()
        plain(free, drawn)
        alone += time.process_time() - start
    with tempfile.TemporaryDirectory() as folder:
        start, began = time.process_time(), time.perf_counter()
        run(plan, Path(folder) / "out", progress=False)
        whole, elapsed = time.process_time() - start, time.perf_counter() - began
    return SweepRow(what, plan.samples, whole, drawing, alone, elapsed)


def _inverse(free: FreeRobot, drawn: Any) -> object:
    states = (drawn.vectors[name] for name in ("q", "qd", "qdd"))
    return free.inverse_dynamics(*states, parameters=drawn.parameters, threads=1)


def _simulated(free: FreeRobot, drawn: Any) -> object:
    q, qd = drawn.vectors["q"], drawn.vectors["qd"]
    return simulate_batch(free, q, qd, DURATION, step=STEP, parameters=drawn.parameters, threads=1, progress=False)


def _overhead(data: dict[str, Any]) -> float:
    """Seconds per shard of one sample, the median of those written one after the other."""
    plan, seconds, last = spec(data), list[float](), time.perf_counter()

    def note(_: float) -> None:
        nonlocal last
        now = time.perf_counter()
        seconds.append(now - last)
        last = now

    run_shard(plan, 0)
    with tempfile.TemporaryDirectory() as folder:
        last = time.perf_counter()
        run(plan, Path(folder) / "out", progress=note)
    return float(np.median(seconds))
