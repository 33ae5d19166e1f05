"""Fixed Runge-Kutta steps of many motions at once, by a kernel that steps in lanes or around calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from redyn.dynamics.task import Task
from redyn.evaluate import Evaluator
from redyn.evaluate.ground import Ground, contact_states, given_wrenches
from redyn.evaluate.threads import run_slices
from redyn.kernels import NARROW
from redyn.kernels.rollout import SWEEPS
from redyn.kernels.runge_kutta import REACH, WEIGHT
from redyn.model import configuration

Array = NDArray[np.float64]

# From q, qd, tau, other inputs, the step, how many and the number of threads to q and qd at the end.
Stepper = Callable[[Array, Array, Array, Sequence[Array], float, int, int | None], tuple[Array, Array]]


def stepper(evaluator: Evaluator, task: Task, ground: Ground | None = None) -> Stepper:
    """Steps with a forward dynamics; `ground` is one whose law is not part of it."""
    kernels = evaluator.kernels
    if ground is not None or kernels is None or not kernels.covers(task):
        return _around_calls(evaluator, task, ground)

    def step(
        q: Array, qd: Array, tau: Array, world: Sequence[Array], h: float, count: int, threads: int | None
    ) -> tuple[Array, Array]:
        ends = np.empty_like(q), np.empty_like(qd)
        kernel = kernels.rollout(task, 1 if len(q) < NARROW else None)
        control = np.array([h, count])
        run_slices(lambda i, o: kernel([*i, control], o), [q, qd, tau, *world], ends, threads, len(REACH) * count)
        return ends

    return step


def _around_calls(evaluator: Evaluator, task: Task, ground: Ground | None) -> Stepper:
    """For robots without such a kernel, and laws of the ground with branches."""
    names = [name for name, _ in task.inputs(evaluator.model)][3:]
    pressing = names.index("ground") if ground is not None else 0
    rates = Task("coordinate_rates", guarded=False) if evaluator.model.quaternions or evaluator.model.contacts else None
    closing, sweeps = Task("projection", guarded=False), SWEEPS if evaluator.model.loops else 0

    def step(
        q: Array, qd: Array, tau: Array, world: Sequence[Array], h: float, count: int, threads: int | None
    ) -> tuple[Array, Array]:
        def rate(x: Array, y: Array) -> tuple[Array, Array]:
            others = list(world)
            if ground is not None:
                found = contact_states(evaluator, ground, x, y, {"threads": threads, "check": False})
                others[pressing] = given_wrenches(ground, found)
            x_dot = y if rates is None else evaluator(rates, [x, y], threads, check=False)[0]
            return x_dot, evaluator(task, [x, y, tau, *others], threads, check=False)[0]

        for _ in range(count):
            u, a = np.zeros_like(q), np.zeros_like(qd)
            q_rate, qd_rate = np.zeros_like(q), np.zeros_like(qd)
            for reach, weight in zip(REACH, WEIGHT, strict=True):
                u, a = rate(q + reach * h * u, qd + reach * h * a)
                q_rate, qd_rate = q_rate + weight * u, qd_rate + weight * a
            q, qd = q + h * q_rate, qd + h * qd_rate
            configuration.project(evaluator.model, q, qd)
            for _ in range(sweeps):
                q, qd = evaluator(closing, [q, qd], threads, check=False)
                configuration.project(evaluator.model, q, qd)
        return q, qd

    return step
