"""Simulation against its peers: Runge-Kutta steps of MuJoCo, and SciPy's solve_ivp around our own forward dynamics."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from redyn.bench.compare import named_robot
from redyn.bench.peers import MujocoCalls
from redyn.bench.timing import interleaved
from redyn.robot import Robot, load
from redyn.simulation import simulate, simulate_batch

Array = NDArray[np.float64]

STEP = 1e-3
MANY, MANY_STEPS = 4096, 50
ONE_STEPS = 5000
FALL = 10.0  # s


@dataclass(frozen=True)
class Row:
    """One measurement on one thread; nanoseconds per step and motion, or for the free fall per second of it."""

    what: str
    robot: str
    redyn: float
    peer: str
    theirs: float | None
    note: str

    @property
    def ratio(self) -> float | None:
        return None if self.theirs is None else self.theirs / self.redyn


def compare_simulation(seconds: float, tick: Callable[[str], None] = lambda _: None) -> list[Row]:
    """All rows, for some seconds each."""
    return [*_steps("ur5", seconds, tick), _free_fall(seconds, tick)]


def _steps(name: str, seconds: float, tick: Callable[[str], None]) -> list[Row]:
    subject = named_robot(name)
    robot = subject.robot
    rng = np.random.default_rng(0)
    q, qd, tau = rng.uniform(-1, 1, (3, MANY, robot.dof))
    calls: dict[str, Callable[[], object]] = {
        "many": lambda: simulate_batch(robot, q, qd, MANY_STEPS * STEP, torque=tau, step=STEP, threads=1),
        "one": lambda: simulate_batch(robot, q[:1], qd[:1], ONE_STEPS * STEP, torque=tau[:1], step=STEP, threads=1),
        "run": lambda: simulate(robot, q[0], qd[0], ONE_STEPS * STEP, tau[0], "rk4", STEP),
    }
    peer = MujocoCalls.of(*subject[1:])
    if peer is not None:
        calls["mujoco"] = peer.stepper([q[0], qd[0], tau[0]], STEP, ONE_STEPS)
    best = interleaved(calls, seconds, lambda: tick(f"{name} RK4"))
    theirs = best["mujoco"] / ONE_STEPS * 1e9 if "mujoco" in best else None
    note = "RK4, 1 ms; MuJoCo: mj_step, no geometry; it does more per step than smooth dynamics"
    per_step = {"many": MANY * MANY_STEPS, "one": ONE_STEPS, "run": ONE_STEPS}
    titles = {
        "many": f"{MANY} motions, simulate_batch",
        "one": "one motion, simulate_batch",
        "run": "one motion, simulate: samples, works, accelerations",
    }
    return [Row(titles[k], name, best[k] / per_step[k] * 1e9, "MuJoCo RK4", theirs, note) for k in titles]


def _free_fall(seconds: float, tick: Callable[[str], None]) -> Row:
    robot = load("puma")
    start, still = robot.initial, robot.neutral()
    calls = {
        "redyn": lambda: simulate(robot, start, still, FALL, rtol=1e-8, atol=1e-10),
        "scipy": lambda: _by_scipy(robot, np.concatenate([start, still]), 1e-8, 1e-10),
    }
    best = interleaved(calls, seconds, lambda: tick("puma free fall"))
    note = f"{FALL:g} s, 1001 samples, rtol 1e-8; solve_ivp(RK45) around robot.forward_dynamics of one state"
    return Row("free fall, rkf45", "puma", best["redyn"] / FALL * 1e9, "SciPy", best["scipy"] / FALL * 1e9, note)


def _by_scipy(robot: Robot, state: Array, rtol: float, atol: float) -> Any:
    from scipy import integrate  # pyright: ignore[reportMissingTypeStubs]

    n, tau = robot.dof, np.zeros(robot.dof)

    def rate(t: float, y: Array) -> Array:
        del t
        return np.concatenate([y[n:], robot.forward_dynamics(y[:n], y[n:], tau)])

    times = np.linspace(0.0, FALL, 1001)
    return cast(Any, integrate).solve_ivp(rate, (0.0, FALL), state, method="RK45", t_eval=times, rtol=rtol, atol=atol)
