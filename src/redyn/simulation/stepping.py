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
from redyn.kernels.runge_kutta import CHEBYSHEV, REACH, WEIGHT, Method
from redyn.model import configuration

Array = NDArray[np.float64]

# From q, qd, tau, other inputs, the step, how many and the number of threads to q and qd at the end.
Stepper = Callable[[Array, Array, Array, Sequence[Array], float, int, int | None], tuple[Array, Array]]


Rate = Callable[[Array, Array], tuple[Array, Array]]  # of q and of qd


def stepper(evaluator: Evaluator, task: Task, ground: Ground | None = None, method: Method = "rk4") -> Stepper:
    """Steps with a forward dynamics; `ground` is one whose law is not part of it."""
    kernels = evaluator.kernels
    if ground is not None or kernels is None or not kernels.covers(task):
        return _around_calls(evaluator, task, ground, method)

    def step(
        q: Array, qd: Array, tau: Array, world: Sequence[Array], h: float, count: int, threads: int | None
    ) -> tuple[Array, Array]:
        ends = np.empty_like(q), np.empty_like(qd)
        kernel = kernels.rollout(task, 1 if len(q) < NARROW else None, method)
        control = np.array([h, count])
        run_slices(lambda i, o: kernel([*i, control], o), [q, qd, tau, *world], ends, threads, len(REACH) * count)
        return ends

    return step


def _around_calls(evaluator: Evaluator, task: Task, ground: Ground | None, method: Method) -> Stepper:
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
            q, qd = (_classic if method == "rk4" else _chebyshev)(rate, q, qd, h)
            configuration.project(evaluator.model, q, qd)
            for _ in range(sweeps):
                q, qd = evaluator(closing, [q, qd], threads, check=False)
                configuration.project(evaluator.model, q, qd)
        return q, qd

    return step


def _classic(rate: Rate, q: Array, qd: Array, h: float) -> tuple[Array, Array]:
    u, a = np.zeros_like(q), np.zeros_like(qd)
    q_rate, qd_rate = np.zeros_like(q), np.zeros_like(qd)
    for reach, weight in zip(REACH, WEIGHT, strict=True):
        u, a = rate(q + reach * h * u, qd + reach * h * a)
        q_rate, qd_rate = q_rate + weight * u, qd_rate + weight * a
    return q + h * q_rate, qd + h * qd_rate


def _chebyshev(rate: Rate, q: Array, qd: Array, h: float) -> tuple[Array, Array]:
    start, before, now = (q, qd), (q, qd), (q, qd)
    first = rate(q, qd)
    for k, (c0, c1, c2, c3, c4) in enumerate(CHEBYSHEV):
        found = rate(*now) if k else first
        parts = zip(start, now, before, found, first, strict=True)
        after = [c0 * y0 + c1 * y + c2 * past + h * (c3 * f + c4 * f0) for y0, y, past, f, f0 in parts]
        before, now = now, (after[0], after[1])
    return now
