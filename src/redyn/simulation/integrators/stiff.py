"""Radau and LSODA, SciPy's methods for stiff systems, stepped one by one so that samples and events are our own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redyn.kernels.compiled import copy
from redyn.simulation import forces
from redyn.simulation.derivative import evaluate, project_state
from redyn.simulation.drive import (
    ACCEPTED,
    BAD_EVENT,
    DONE,
    EVALUATIONS,
    EVENT,
    F_NEW,
    FAILED,
    NOT_FINITE,
    NOW,
    PAUSED,
    SMALLEST_STEP,
    TOO_SMALL,
    Y_NEW,
    F,
    Memory,
    Y,
    record,
)
from redyn.simulation.system import System

Array = NDArray[np.float64]

DRIFTED = 1e-3  # rad, m, and per second, by which the solver's own state may leave closed loops
TINY_STEPS = 20  # in a row: these methods may begin with one, but do not give up by themselves


def advance(
    method: str, system: System, memory: Memory, end: float, largest: float, rtol: float, atol: float
) -> Callable[[int], int]:
    """A function that goes on for at most as many steps as it is told, and returns what `drive` would."""
    from scipy import integrate  # pyright: ignore[reportMissingTypeStubs]

    clock, states = memory.clock, memory.states

    def rate(t: float, y: Array) -> Array:
        """f at the nearest state with closed loops: the state of the solver is then not driven further off."""
        state, out = np.array(y), np.empty(len(y))
        project_state(system, state)
        finite = evaluate(system, t, state, out)
        clock[EVALUATIONS] += 1
        if memory.failed[0] != 0:
            raise _StopError
        if not finite:
            raise _NotFiniteError
        return out

    kinds: dict[str, Any] = {"radau": integrate.Radau, "lsoda": integrate.LSODA}
    allowed = np.full(states.shape[1], atol)
    allowed[-forces.COUNT :] = 1e3 * atol + 1e-6  # works take little part in the choice of steps
    solver: Any = None
    pace = largest
    tiny = 0

    def start() -> None:
        """From the present state, beginning with a step of `pace`."""
        nonlocal solver
        t, y = float(clock[NOW]), states[Y].copy()
        states[F] = rate(t, y)
        first = {} if pace == largest else {"first_step": min(pace, end - t)}
        wanted = max(rtol, 3e-14)  # SciPy warns below that
        solver = kinds[method](rate, t, y, end, rtol=wanted, atol=allowed, max_step=largest, **first)

    def go(budget: int) -> int:
        nonlocal solver, pace
        while True:
            try:
                with np.errstate(all="ignore"):
                    if solver is None:
                        start()
                    return _steps(budget)
            except _StopError:
                return FAILED
            except (_NotFiniteError, ValueError, np.linalg.LinAlgError):
                # It looked too far ahead: once more from here with a smaller step.
                solver, pace = None, min(pace, 0.1, end) / 10
                if pace < SMALLEST_STEP:
                    return NOT_FINITE

    def _steps(budget: int) -> int:
        nonlocal tiny, pace
        for _ in range(budget):
            t = float(clock[NOW])
            solver.step()
            tiny = tiny + 1 if solver.t - t < max(SMALLEST_STEP, 4e-16 * t) else 0
            if solver.status == "failed" or tiny > TINY_STEPS or not np.isfinite(solver.y).all():
                return TOO_SMALL
            copy(np.ascontiguousarray(solver.y), states[Y_NEW])
            project_state(system, states[Y_NEW])
            states[F_NEW] = rate(float(solver.t), states[Y_NEW])
            status = record(system, memory, t, float(solver.t) - t)
            if memory.failed[0] != 0:
                return FAILED
            if status == BAD_EVENT:
                return BAD_EVENT
            clock[ACCEPTED] += 1
            pace = largest
            copy(states[Y_NEW], states[Y])
            if status == EVENT:
                return EVENT
            copy(states[F_NEW], states[F])
            clock[NOW] = solver.t
            if solver.status == "finished":
                return DONE
            if np.abs(states[Y] - solver.y)[: -forces.COUNT].max() > DRIFTED:
                pace = min(largest, float(solver.t) - t)
                start()  # anew, where loops are closed
                pace = largest
        return PAUSED

    return go


class _StopError(Exception):
    """A user's function failed; it has been noted where."""


class _NotFiniteError(Exception):
    """The dynamics at a state that the solver tried are not finite."""
