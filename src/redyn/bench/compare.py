"""redyn and its peers on the same robots and states, interleaved."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from redyn.bench.machine import multiply_add_rate
from redyn.bench.peers import MujocoCalls, PinocchioCalls, toolbox_calls
from redyn.bench.timing import Way, quickest
from redyn.description.packages import robots_folder
from redyn.dynamics.catalogue import CATALOGUE
from redyn.errors import InputError, RedynWarning
from redyn.evaluate.threads import cores
from redyn.kernels.machine import lane_width, processor
from redyn.robot import Robot, load

Array = NDArray[np.float64]

BATCH = 4096
URDF = {
    "ur5": "ur_description/urdf/ur5_robot.urdf",
    "panda": "panda_description/urdf/panda.urdf",
    "talos": "talos_data/robots/talos_full_v2.urdf",
    "hyq": "hyq_description/robots/hyq_no_sensors.urdf",
}
FREE = {  # on a floating base
    "hyq-free": URDF["hyq"],
    "g1-free": "g1_description/urdf/g1_29dof_rev_1_0.urdf",
    "talos-free": URDF["talos"],
}
LIBRARY = ("puma", "kuka-kr5")
ALGORITHMS = (
    "inverse_dynamics",
    "forward_dynamics",
    "mass_matrix",
    "inverse_dynamics_derivatives",
    "forward_dynamics_derivatives",
)


@dataclass(frozen=True)
class Row:
    """One measurement. Times are nanoseconds per state, the best of many, at the public interface, checks on."""

    robot: str
    dof: int
    algorithm: str
    call: str  # "batch" of BATCH states, "two threads" of a larger batch, or "single" state
    states: int
    threads: int
    redyn: float
    pinocchio: float | None
    mujoco: float | None
    toolbox: float | None
    multiplications: int
    additions: int
    over_bound: float | None  # time over the arithmetic bound of the machine, which leaves out sines and cosines

    @property
    def ratio(self) -> float | None:
        return None if self.pinocchio is None else self.pinocchio / self.redyn


@dataclass(frozen=True)
class Report:
    processor: str
    lanes: int
    cores: int
    multiply_adds_per_second: float
    rows: list[Row]

    def to_data(self) -> dict[str, object]:
        data = asdict(self)
        for row, measured in zip(data["rows"], self.rows, strict=True):
            row["pinocchio_over_redyn"] = measured.ratio
        return data


def compare(
    robots: list[str], algorithms: list[str], seconds: float, tick: Callable[[str], None] = lambda _: None
) -> Report:
    """Measure every robot and algorithm for some seconds each."""
    rate = multiply_add_rate()
    rows: list[Row] = []
    for name in robots:
        subject = named_robot(name)
        peers = Peers(PinocchioCalls.of(*subject[1:]), MujocoCalls.of(*subject[1:]))
        for algorithm in algorithms:
            rows += _measure(subject, peers, algorithm, seconds, rate, tick)
    _, cpu, _ = processor()
    return Report(cpu, lane_width(), cores(), rate, rows)


def available() -> list[str]:
    """The robots that can be measured here."""
    folder = robots_folder()
    files = URDF | FREE
    return [*(name for name, path in files.items() if folder and (folder / path).is_file()), *LIBRARY]


class Subject(NamedTuple):
    """A robot to measure, without friction, and the file it was read from, if any."""

    name: str
    robot: Robot
    file: Path | None
    floating_base: bool

    def states(self, count: int) -> list[Array]:
        """Random q, qd and accelerations or torques, (count, n) each."""
        away, qd, x = np.random.default_rng(0).uniform(-2, 2, (3, count, self.robot.dof))
        return [self.robot.integrate(self.robot.neutral(), away), qd, x]


def named_robot(name: str) -> Subject:
    """A robot of example-robot-data or of the library, or one from a file."""
    folder, path = robots_folder(), (URDF | FREE).get(name)
    if path is not None and (folder is None or not (folder / path).is_file()):
        raise InputError(f"{name} comes from the package example-robot-data: pip install example-robot-data pin")
    file = Path(name) if folder is None or path is None else folder / path
    source = file if file.is_file() else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RedynWarning)
        robot = load(source or name, floating_base=name in FREE, friction=False)
    if robot.loops:
        raise InputError(f"{name} has closed loops; `redyn bench loops {name}` times it")
    return Subject(Path(name).name, robot, source, name in FREE)


class Peers(NamedTuple):
    pinocchio: PinocchioCalls | None
    mujoco: MujocoCalls | None


def _measure(
    subject: Subject, peers: Peers, algorithm: str, seconds: float, rate: float, tick: Callable[[str], None]
) -> list[Row]:
    name, robot = subject.name, subject.robot
    state = subject.states(BATCH)[: len(CATALOGUE[algorithm].base.state)]
    large = [np.tile(a, (16, 1)) for a in state]
    one = [np.ascontiguousarray(a[0]) for a in state]
    method = getattr(robot, algorithm)
    # Each kind of call by itself, so that large batches do not empty the caches under small ones.
    many = len(large[0])
    calls: dict[str, dict[str, list[Way]]] = {
        "batch": {"redyn": [Way(partial(method, *state, threads=1), BATCH)]},
        "single": {"redyn": [Way(partial(method, *one))]},
        "threads": {
            "one": [Way(partial(method, *large, threads=1), many)],
            "two": [Way(partial(method, *large, threads=2), many)],
        },
    }
    if peers.pinocchio is not None:
        calls["batch"]["pinocchio"] = peers.pinocchio.batch(algorithm, state)
        calls["single"]["pinocchio"] = peers.pinocchio.single(algorithm, one)
    if peers.mujoco is not None:
        calls["single"]["mujoco"] = peers.mujoco.single(algorithm, one)
    calls["single"]["toolbox"] = toolbox_calls(robot, algorithm, one)
    label = f"{name} {algorithm}"
    best = {kind: quickest(group, seconds / 3, lambda: tick(label)) for kind, group in calls.items()}
    count = robot.operation_count(algorithm)
    bound = max(count.multiplications, count.additions) / (rate * lane_width())

    def row(kind: str, call: str, contestant: str, states: int, threads: int) -> Row:
        times = {peer: time * 1e9 for peer, time in best[kind].items()}
        theirs = (times.get("pinocchio"), times.get("mujoco"), times.get("toolbox"))
        over = best[kind][contestant] / bound if kind != "single" else None
        return Row(name, robot.dof, algorithm, call, states, threads, times[contestant], *theirs, *count, over)

    return [
        row("batch", "batch", "redyn", BATCH, 1),
        row("single", "single", "redyn", 1, 1),
        row("threads", "one thread", "one", many, 1),
        row("threads", "two threads", "two", many, 2),
    ]
