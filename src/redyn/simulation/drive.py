"""The loop over time: steps, their size, samples and events, for every method of our own.

Compiled once; it returns now and then so that Python can show progress and take an interrupt, and goes on where it was.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from redyn.kernels.compiled import compiled, copy, inlined
from redyn.simulation.dense import between, crossed, event_value, locate, powers_between, works_between
from redyn.simulation.derivative import evaluate, project
from redyn.simulation.integrators import abm, dopri5, euler, rk4, rkf45, rosenbrock, taylor
from redyn.simulation.system import System

Array = NDArray[np.float64]

# What the loop came back with. BAD_EVENT: an event gave no number.
PAUSED, DONE, TOO_SMALL, NOT_FINITE, EVENT, FAILED, BAD_EVENT = range(7)

RKF45, DOPRI5, ABM, RK4, EULER, TAYLOR, ROSENBROCK = range(7)
METHODS = {
    "rkf45": RKF45,
    "dopri5": DOPRI5,
    "abm": ABM,
    "rk4": RK4,
    "euler": EULER,
    "taylor": TAYLOR,
    "rosenbrock": ROSENBROCK,
}
ADAPTIVE = (True, True, True, False, False, False, True)
STAGES = 8  # the most that a method has

SMALLEST_STEP = 1e-12
# Steps of that size in a row that may miss the tolerance: a jump of the torque takes one or two, divergence all.
FORCED_STEPS = 30

# Slots of the clock; the times of past steps follow.
NOW, STEP, ACCEPTED, REJECTED, EVALUATIONS, PAST, SAMPLE, LAST_LOG_ERROR, EVENT_NUMBER, FORCED = range(10)
PAST_TIMES = 10

# Rows of the states: the state and its rate at the start and at the end of a step, its error, scratch memory, the
# stages of the method and the rates of past steps.
Y, F, Y_NEW, F_NEW, ERROR, SPARE, SCRATCH = range(7)
INNER = SCRATCH + 4  # rates within the step
STAGE = INNER + 2
PAST_RATES = STAGE + STAGES


class Memory(NamedTuple):
    """What lasts from one call of the loop to the next."""

    clock: Array
    states: Array
    sample_times: Array
    samples: Array
    events: NDArray[np.int64]  # addresses
    event_values: Array  # value at the start of the step, and the direction that counts
    failed: NDArray[np.int64]  # set by a Python function that raised
    matrix: Array  # of an implicit method: see `rosenbrock.step`


def memory(
    y: Array, sample_times: Array, events: list[int], directions: list[float], failed: NDArray[np.int64], count: int = 0
) -> Memory:
    """Memory for a run from the state y; an implicit method solves for its first `count` entries, others for none."""
    states = np.zeros((PAST_RATES + abm.PAST, len(y)))
    states[Y] = y
    return Memory(
        np.zeros(PAST_TIMES + abm.PAST),
        states,
        sample_times,
        np.full((len(sample_times), len(y)), np.nan),
        np.array(events, dtype=np.int64),
        np.array([[0.0, direction] for direction in directions]).reshape(-1, 2),
        failed,
        np.zeros((len(y) + count + 1 if count else 0, count)),
    )


@inlined
def error_size(error: Array, y: Array, y_new: Array, count: int, rtol: float, atol: float) -> float:
    """The root mean square of the errors, each as a multiple of what is allowed."""
    total = 0.0
    for i in range(count):
        ratio = error[i] / (atol + rtol * max(abs(y[i]), abs(y_new[i])))
        total += ratio * ratio
    return np.sqrt(total / count)


@compiled
def record(system: System, memory: Memory, t: float, h: float) -> int:
    """Samples and events of the step from t to t + h; EVENT if one ends the run, else PAUSED.

    At an event, the next state becomes the state there, and the clock's step the part of the step up to it.
    """
    clock, states = memory.clock, memory.states
    y, f, y_new, f_new, spare = states[Y], states[F], states[Y_NEW], states[F_NEW], states[SPARE]
    scratch, inner, works = states[SCRATCH:INNER], states[INNER:STAGE], system.rows.shape[1] + system.jacobians.shape[2]
    end, status = 1.0, PAUSED
    for k in range(len(memory.events)):
        value = event_value(system, memory.events[k], t + h, y_new)
        if np.isnan(value):
            clock[EVENT_NUMBER] = k
            return BAD_EVENT
        before = memory.event_values[k, 0]
        memory.event_values[k, 0] = value
        if crossed(before, value, memory.event_values[k, 1]):
            part = locate(system, memory.events[k], before, t, h, y, f, y_new, f_new, spare, scratch)
            if status != EVENT or part < end:
                end, status = part, EVENT
                clock[EVENT_NUMBER] = k
    cursor = int(clock[SAMPLE])
    times = memory.sample_times
    until = t + end * h
    working = False
    if status == EVENT or (cursor < len(times) and times[cursor] <= until):
        working = powers_between(system, t, h, y, f, y_new, f_new, spare, inner, scratch)
    while cursor < len(times) and times[cursor] <= until:
        part, sample = (times[cursor] - t) / h, memory.samples[cursor]
        between(system, h, y, f, y_new, f_new, part, sample, scratch)
        copy(y[works:], sample[works:])
        if working:
            works_between(works, h, y, f, y_new, f_new, inner, part, sample)
        cursor += 1
    clock[SAMPLE] = cursor
    if status == EVENT:
        between(system, h, y, f, y_new, f_new, end, spare, scratch)
        copy(y[works:], spare[works:])
        if working:
            works_between(works, h, y, f, y_new, f_new, inner, end, spare)
        copy(spare, y_new)
        clock[NOW] = until
    return status


def _driver(method: int) -> Callable[..., int]:
    """The loop of one method: the branches of the others are never compiled."""

    @compiled
    def drive(system: System, memory: Memory, end: float, largest: float, rtol: float, atol: float, budget: int) -> int:
        """Go on until `end`, for at most `budget` steps."""
        clock, states = memory.clock, memory.states
        y, f, y_new, f_new, error = states[Y], states[F], states[Y_NEW], states[F_NEW], states[ERROR]
        stages, past_times, past_rates = states[STAGE:PAST_RATES], clock[PAST_TIMES:], states[PAST_RATES:]
        counted = system.rows.shape[1] + system.jacobians.shape[2]
        if clock[EVALUATIONS] == 0:
            clock[EVALUATIONS] = 1
            if not evaluate(system, clock[NOW], y, f):
                return FAILED if memory.failed[0] != 0 else NOT_FINITE
        steps = np.floor(end / clock[STEP] + 0.5)  # of a method whose steps are all equal
        for _ in range(budget):
            t, h = clock[NOW], clock[STEP]
            if not ADAPTIVE[method]:
                t = clock[ACCEPTED] * h  # no sum of roundings
            last = t + h * (1 + 1e-9) >= end if ADAPTIVE[method] else clock[ACCEPTED] + 1 >= steps
            if last:
                h = end - t
            sampled = False
            if method == ROSENBROCK:  # ends steps at samples: in between, what is stiff makes polynomials swing
                ahead = int(clock[SAMPLE])
                if ahead < len(memory.sample_times) and memory.sample_times[ahead] < t + h * (1 + 1e-9):
                    rest = memory.sample_times[ahead] - t
                    sampled = 0.0 < rest < h * (1 - 1e-9)
                    h = rest if sampled else h
                    last = last and not sampled
            multistep = method == ABM and clock[PAST] >= abm.PAST
            copy(f, stages[0])
            finite = True
            if multistep:
                finite = abm.step(system, t, h, y, past_times, past_rates, y_new, error)
                clock[EVALUATIONS] += 1
            elif method in (RKF45, ABM):
                finite = rkf45.step(system, t, h, y, stages, y_new, error)
                clock[EVALUATIONS] += 5
            elif method == DOPRI5:
                finite = dopri5.step(system, t, h, y, stages, y_new, error)
                clock[EVALUATIONS] += 5
            elif method == RK4:
                finite = rk4.step(system, t, h, y, stages, y_new)
                clock[EVALUATIONS] += 3
            elif method == EULER:
                euler.step(system, h, y, stages, y_new)
            elif method == ROSENBROCK:
                finite = rosenbrock.step(
                    system, t, h, y, f, stages, y_new, error, states[SPARE], memory.matrix, counted
                )
                clock[EVALUATIONS] += 8 + 2 * counted
            else:
                taylor.step(system, h, y, stages, y_new)
            size = error_size(error, y, y_new, counted, rtol, atol) if ADAPTIVE[method] else 0.0
            if memory.failed[0] != 0:
                return FAILED
            met = finite and size <= 1.0
            smallest = max(SMALLEST_STEP, 4e-16 * t)
            accepted = met or (finite and size < np.inf and h < 4 * smallest and clock[FORCED] < FORCED_STEPS)
            if accepted:
                moved = project(system, y_new)
                if method == DOPRI5 and not moved:
                    copy(stages[6], f_new)  # its last stage is the first of the next step
                else:
                    accepted = evaluate(system, t + h, y_new, f_new)
                clock[EVALUATIONS] += 1
                if memory.failed[0] != 0:
                    return FAILED
            if not accepted:
                if not ADAPTIVE[method]:
                    return NOT_FINITE
                clock[REJECTED] += 1
                shrink = 0.9 * size**-0.2 if size > 1.0 and size < np.inf else 0.25
                clock[STEP] = h * min(max(shrink, 0.1), 0.9)
                if clock[STEP] < smallest:
                    clock[STEP] = 2 * smallest  # to be accepted next time if all is finite
                    clock[FORCED] += 1
                    if clock[FORCED] > FORCED_STEPS:
                        return TOO_SMALL
                continue
            clock[FORCED] = 0 if met else clock[FORCED] + 1
            status = PAUSED
            cursor = int(clock[SAMPLE])
            if len(memory.events) or (cursor < len(memory.sample_times) and memory.sample_times[cursor] <= t + h):
                status = record(system, memory, t, h)
            if memory.failed[0] != 0:
                return FAILED
            if status == BAD_EVENT:
                return BAD_EVENT
            if status == EVENT:
                copy(y_new, y)
                clock[ACCEPTED] += 1
                return EVENT
            if method == ABM:
                if clock[PAST] == 0:
                    abm.remember(past_times, past_rates, t, f)
                    clock[PAST] = 1
                abm.remember(past_times, past_rates, t + h, f_new)
                clock[PAST] += 1
            copy(y_new, y)
            copy(f_new, f)
            clock[ACCEPTED] += 1
            if last:
                clock[NOW] = end
                return DONE
            clock[NOW] = t + h
            if ADAPTIVE[method]:
                # A proportional-integral rule: the last error damps the choice, so that steps do not swing.
                log_size = np.log(max(size, 1e-6))
                growth = 0.9 * np.exp(-0.17 * log_size + 0.05 * clock[LAST_LOG_ERROR]) if met else 2.0
                clock[LAST_LOG_ERROR] = log_size
                if multistep:  # few changes: the past lies at the old distances
                    growth = min(growth, 1.5) if growth > 1.2 or growth < 1.0 else 1.0
                longer = h * min(max(growth, 0.2), 5.0)
                clock[STEP] = min(max(longer, clock[STEP]) if sampled else longer, largest)
        return PAUSED

    return drive


DRIVERS = {name: _driver(code) for name, code in METHODS.items()}
