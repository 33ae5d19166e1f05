"""Flexible links beside the usual substitute: chains of rigid rods with springs between them, in Pinocchio.

Springs and dampers are torques that the caller adds there; what is timed is its forward dynamics alone. With so many
rods the first two frequencies of a clamped link are right to less than a percent.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from redyn.bench.compare import BATCH
from redyn.bench.peers import PinocchioCalls
from redyn.bench.timing import Way, interleaved, quickest
from redyn.errors import InputError
from redyn.kernels.machine import lane_width, processor
from redyn.robot import Robot, load
from redyn.simulation import simulate

Array = NDArray[np.float64]

ROBOTS = ("flexible-beam", "flexible-two-link", "flexible-space-arm")
RODS = 16  # of a flexible link
DURATION, RTOL = 1.0, 1e-7
METHODS = ("dopri5", "rosenbrock", "radau")


@dataclass(frozen=True)
class FlexibleRow:
    """One robot, one thread: nanoseconds per state, the best of many; runs in milliseconds."""

    robot: str
    dof: int
    forward: float
    inverse: float
    derivatives: float  # of forward dynamics
    single: float  # forward dynamics of one state
    rods_dof: int | None  # of the substitute; None where it is not made
    pinocchio: float | None  # its forward dynamics, per state of a batch
    runs: dict[str, float]  # of `DURATION`, by method

    @property
    def ratio(self) -> float | None:
        return None if self.pinocchio is None else self.pinocchio / self.forward


@dataclass(frozen=True)
class FlexibleReport:
    processor: str
    lanes: int
    rows: list[FlexibleRow]

    def to_data(self) -> dict[str, object]:
        data = asdict(self)
        for row, measured in zip(data["rows"], self.rows, strict=True):
            row |= {"ratio": measured.ratio}
        return data


def compare_flexible(robots: list[str], seconds: float, tick: Callable[[str], None]) -> FlexibleReport:
    """Every robot for some seconds; `tick` is given its name."""
    _, cpu, _ = processor()
    rows: list[FlexibleRow] = []
    for name in robots:
        tick(name)
        rows.append(_measure(name, seconds))
    return FlexibleReport(cpu, lane_width(), rows)


def _measure(name: str, seconds: float) -> FlexibleRow:
    robot = load(name, friction=False)
    if not robot.model.flexible:
        raise InputError(f"{name} has no flexible links; `redyn bench {name}` times it")
    q, qd, x = _states(robot, BATCH)
    one = q[0], qd[0], x[0]
    calls = {
        "forward": [Way(partial(robot.forward_dynamics, q, qd, x, threads=1), BATCH)],
        "inverse": [Way(partial(robot.inverse_dynamics, q, qd, x, threads=1), BATCH)],
        "derivatives": [Way(partial(robot.forward_dynamics_derivatives, q, qd, x, threads=1), BATCH)],
        "single": [Way(partial(robot.forward_dynamics, *one))],
    }
    rods = _rods(robot)
    peer = None if rods is None else PinocchioCalls.of(rods, None, False)
    if rods is not None and peer is not None:
        calls["pinocchio"] = peer.batch("forward_dynamics", _states(rods, BATCH // 4))
    times = quickest(calls, seconds)
    start, rates = robot.initial, _rates(robot)
    go = {m: partial(simulate, robot, start, rates, DURATION, None, m, None, RTOL, progress=False) for m in METHODS}
    runs = interleaved(go, seconds)
    return FlexibleRow(
        name,
        robot.dof,
        1e9 * times["forward"],
        1e9 * times["inverse"],
        1e9 * times["derivatives"],
        1e9 * times["single"],
        None if rods is None else rods.dof,
        1e9 * times["pinocchio"] if "pinocchio" in times else None,
        {method: 1e3 * time for method, time in runs.items()},
    )


def _states(robot: Robot, count: int) -> list[Array]:
    rng = np.random.default_rng(0)
    q = np.array([robot.random(rng) for _ in range(64)])
    return [np.tile(q, (count // 64, 1)), *(rng.uniform(-0.1, 0.1, (count, robot.dof)) for _ in range(2))]


def _rates(robot: Robot) -> Array:
    """Joints that turn, so that links begin to swing."""
    return np.array([float(link.joint.actuated and link.joint.kind == "revolute") for link in robot.model.links])


def _rods(robot: Robot) -> Robot | None:
    """The substitute of a serial planar robot in `dh` with uniform links."""
    description = robot.description
    if description.convention != "dh" or any(k.flexible is None or k.flexible.rho_A is None for k in description.links):
        return None
    links: list[dict[str, object]] = []
    for k, link in enumerate(description.links):
        assert link.flexible is not None
        assert link.flexible.rho_A is not None
        h = (link.a or 0.0) / RODS
        mass = link.flexible.rho_A * h
        moment = mass * h * h / 12
        rod: dict[str, object] = {
            "a": h,
            "b": 0,
            "alpha": 0,
            "mass": mass,
            "r": [h / 2, 0, 0],
            "inertia": [0, moment, moment],
        }
        for i in range(RODS):
            links.append(rod | {"joint": "revolute", "name": f"rod{k + 1}-{i + 1}"})
        tip: dict[str, object] = {"a": 0, "b": 0, "alpha": 0, "theta": 0, "mass": link.mass or 0.0, "com": [0, 0, 0]}
        links.append(tip | {"inertia": link.inertia or [0, 0, 0], "joint": "fixed", "name": f"tip{k + 1}"})
    data = {"name": f"{robot.name}-rods", "convention": "dh", "links": links, "gravity": description.gravity}
    return load(data, allow_unphysical=True)
