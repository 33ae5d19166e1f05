"""redyn and its peers on the same robots and states, interleaved."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from redyn.bench.machine import multiply_add_rate
from redyn.bench.peers import Mujoco, Pinocchio, robots_folder, toolbox_calls
from redyn.bench.timing import interleaved
from redyn.dynamics.catalogue import CATALOGUE
from redyn.errors import InputError, RedynWarning
from redyn.kernels.call import cores
from redyn.kernels.machine import lane_width, processor
from redyn.robot import Robot, load

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
    over_bound: float | None  # times the arithmetic bound of the machine; sines and cosines are not in the bound

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
        robot, urdf = named_robot(name)
        for algorithm in algorithms:
            rows += _measure(robot, name, urdf, algorithm, seconds, rate, tick)
    _, cpu, _ = processor()
    return Report(cpu, lane_width(), cores(), rate, rows)


def available() -> list[str]:
    """The robots that can be measured here."""
    folder = robots_folder()
    files = URDF | FREE
    return [*(name for name, path in files.items() if folder and (folder / path).is_file()), *LIBRARY]


def named_robot(name: str) -> tuple[Robot, Path | None]:
    """A robot of the bench without friction, and its URDF where it comes from one."""
    folder = robots_folder()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RedynWarning)
        path = (URDF | FREE).get(name)
        if path is not None:
            if folder is None or not (folder / path).is_file():
                raise InputError(
                    f"{name} comes from the package example-robot-data: pip install example-robot-data pin"
                )
            return load(folder / path, floating_base=name in FREE, friction=False), folder / path
        return load(name, friction=False), None


def _measure(
    robot: Robot,
    name: str,
    urdf: Path | None,
    algorithm: str,
    seconds: float,
    rate: float,
    tick: Callable[[str], None],
) -> list[Row]:
    rng = np.random.default_rng(0)
    state = [rng.uniform(-2, 2, (BATCH, robot.dof)) for _ in range(3)]
    state[0] = robot.integrate(robot.neutral(), state[0])
    large = [np.tile(a, (16, 1)) for a in state]
    single = [np.ascontiguousarray(a[0]) for a in state]
    arguments = len(CATALOGUE[algorithm].base.state)
    method = getattr(robot, algorithm)
    one = single[:arguments]
    # Each kind of call by itself, so that large batches do not empty the caches under small ones.
    calls: dict[str, dict[str, Callable[[], object]]] = {
        "batch": {"redyn": lambda: method(*state[:arguments])},
        "single": {"redyn": lambda: method(*one)},
        "threads": {
            "one": lambda: method(*large[:arguments], threads=1),
            "two": lambda: method(*large[:arguments], threads=2),
        },
    }
    peers = {"pinocchio": {}, "mujoco": {}, "toolbox": toolbox_calls(robot, single)}
    if urdf is not None:
        peers["pinocchio"] = Pinocchio(urdf, robot).calls(state, single)
        peers["mujoco"] = Mujoco(urdf, robot).calls(single)
    for peer, known in peers.items():
        for kind, call in known.get(algorithm, {}).items():
            calls[kind][peer] = call
    label = f"{name} {algorithm}"
    best = {kind: interleaved(group, seconds / 3, lambda: tick(label)) for kind, group in calls.items()}
    count = robot.operation_count(algorithm)
    bound = max(count.multiplications, count.additions) / (rate * lane_width())

    def row(kind: str, call: str, mine: float, states: int, threads: int) -> Row:
        def of(peer: str) -> float | None:
            found = best[kind].get(peer)
            return None if found is None else found / states * 1e9

        over = mine / states / bound if kind != "single" else None
        times = (of("pinocchio"), of("mujoco"), of("toolbox"))
        return Row(name, robot.dof, algorithm, call, states, threads, mine / states * 1e9, *times, *count, over)

    many = len(large[0])
    return [
        row("batch", "batch", best["batch"]["redyn"], BATCH, 1),
        row("single", "single", best["single"]["redyn"], 1, 1),
        row("threads", "one thread", best["threads"]["one"], many, 1),
        row("threads", "two threads", best["threads"]["two"], many, 2),
    ]
