"""redyn.simulate: forward dynamics integrated in time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redyn.arrays import real_array
from redyn.errors import InputError, RedynError
from redyn.evaluate.ground import Given as GroundGiven
from redyn.evaluate.ground import ground_of
from redyn.kernels.compiled import scalar_code
from redyn.progress import Progress
from redyn.robot import Robot
from redyn.simulation import drive
from redyn.simulation.arguments import check_robot, positive, with_parameters
from redyn.simulation.elastic_steps import warn_of_vibration
from redyn.simulation.forces import Stops
from redyn.simulation.ground_steps import warn_of_steps
from redyn.simulation.integrators import FIXED, METHODS, SCIPY, STIFF
from redyn.simulation.interrupts import Interrupts
from redyn.simulation.problem import Problem
from redyn.simulation.pushes import Push, longest_step, with_pushes
from redyn.simulation.result import INTERRUPTED, Conditions, Run

Array = NDArray[np.float64]

LARGEST_STEP = 0.1  # s: a longer one could pass over a short push or a quick event
LARGEST_STEP_ON_GROUND = 0.01  # s: a foot falls a few centimetres meanwhile
USUAL_STEP = 1e-3  # s, of the methods with a fixed step
MOST_SAMPLES = 10_000_000
CHUNK = 0.05  # s between looks at the clock, the progress bar and the keyboard


class SimulationError(RedynError):
    """A run that could not go on. `run` holds what was computed until then."""

    run: Run


class Ending(NamedTuple):
    """How the loop over time came to its end."""

    reason: str  # empty if it reached the duration
    failed: bool
    event: int | None = None


def simulate(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike,
    duration: float,
    torque: Any = None,
    method: str = "rkf45",
    step: float | None = None,
    rtol: float = 1e-8,
    atol: float | None = None,
    external: Mapping[str | int, Any] | None = None,
    stops: bool | Stops = False,
    events: Iterable[Callable[..., float]] | Callable[..., float] = (),
    sample: ArrayLike = 0.01,
    gravity: ArrayLike | None = None,
    payload: ArrayLike | None = None,
    dynamics: str = "recursive",
    saturate: bool | ArrayLike = False,
    pushes: Iterable[Push] | Push = (),
    ground: GroundGiven = None,
    parameters: ArrayLike | None = None,
    progress: bool | Callable[[float], object] = True,
) -> Run:
    """The motion of a robot from the state q, qd, by its forward dynamics.

    torque: None (free fall), one torque per joint, rows of them spread over the duration, (times, rows), a function
        torque(t, q, qd), or a controller of `redyn.control`. A Numba function runs at full speed.
    method: rkf45, dopri5, abm (adaptive: rtol and atol), rk4, euler, taylor (fixed step); rosenbrock, radau, lsoda (for
        stiff robots, such as those with flexible links).
    rtol, atol: what a step may be off, as a share of each number and beside it (a hundredth of rtol unless given).
    step: of fixed-step methods (1 ms unless given); of the others the largest (0.1 s unless given).
    external: {link: wrench}, as in the dynamics calls; a wrench may be a function of time.
    pushes: `redyn.Push(link, force, point, start, duration)`: forces on points of links for a while. Their work is part
        of `run.energy.external`. Steps are at most a quarter of the shortest one, except those of fixed-step methods.
    stops: springs and dampers at the joint limits: True, or `redyn.Stops(stiffness, damping)`.
    saturate: actuators give no more than the effort limits of the robot's file: True; or than these limits, one for all
        joints or one per joint. Joints without a limit are not affected. `run.tau` has what the actuators give.
    ground: what the robot stands on and may fall on: True for the `ground` of its file, or a dict with the keys of a
        file, among them `contacts`; what is not given follows from its weight (see `Robot.ground`). Steps of adaptive
        methods are at most 10 ms. `run.ground_contacts` has the forces, `run.energy.ground` the work.
    parameters: of a robot some of whose numbers are left open (`Robot.free`), one row; new values never compile.
    events: functions event(t, q, qd); the run ends where one of them passes zero (upwards if its attribute `direction`
        is positive, downwards if negative).
    sample: seconds between results, which are made by interpolation, or the times themselves.
    dynamics: "recursive", or "cholesky" to compare.
    progress: a bar where somebody sees it, or a function that is told the part that is done, 0 to 1.

    Ctrl-C returns what was computed so far, and `run.ending` says so; a second Ctrl-C raises KeyboardInterrupt, so that
    a loop of runs can be left. A motion that cannot go on raises SimulationError, whose `run` holds it.

    >>> import redyn
    >>> run = redyn.simulate(redyn.load("two-link"), [0.5, 0.0], [0, 0], duration=1.0)
    >>> run.q.shape, bool(abs(run.energy.balance).max() < 1e-6)
    ((101, 2), True)
    """
    check_robot(robot)
    robot = with_parameters(robot, parameters)
    if method not in METHODS:
        raise InputError(f"method: expected one of {', '.join(METHODS)}, got {method!r}")
    if dynamics not in ("recursive", "cholesky"):
        raise InputError(f"dynamics: expected 'recursive' or 'cholesky', got {dynamics!r}")
    length = positive("duration", duration, "seconds")
    relative = positive("rtol", rtol)
    tolerance = relative, 1e-2 * relative if atol is None else positive("atol", atol)
    pace = None if step is None else positive("step", step, "seconds")
    times = _sample_times(sample, length)
    watched = _events(events)
    acting, pushed, wrenches = with_pushes(robot if ground is None else robot.touching(ground), pushes)
    under = None if ground is None or ground is False else ground_of(acting.model, acting.description, ground)
    if under is not None and method not in FIXED:
        pace = pace or LARGEST_STEP_ON_GROUND
    if pushed:
        external = {**(external or {}), **wrenches}
        pace = pace if method in FIXED else min(pace or LARGEST_STEP, longest_step(pushed))
    with scalar_code():
        problem = Problem(
            acting, q, qd, length, torque, external, stops, watched, gravity, payload, dynamics, saturate, under
        )
        memory = problem.memory(times, implicit=method in STIFF and method not in SCIPY)
        interrupts = Interrupts(problem.callbacks)
        ending = _go(problem, memory, method, length, pace, tolerance, progress, interrupts)
        t, states = _recorded(memory, ending)
        problem.forget_interrupt()
        replayed = problem.replay(t, states)
    n, nq, clock = robot.dof, robot.nq, memory.clock
    run = Run(
        robot,
        t,
        q=np.ascontiguousarray(states[:, :nq]),
        qd=np.ascontiguousarray(states[:, nq : nq + n]),
        works=states[:, nq + n :],
        **replayed,
        conditions=Conditions(problem.gravity, problem.payload, tuple(pushed), under),
        acting=acting,
        method=method,
        steps=int(clock[drive.ACCEPTED]),
        rejected=int(clock[drive.REJECTED]),
        evaluations=int(clock[drive.EVALUATIONS]),
        ending=ending.reason,
        event=ending.event,
    )
    if under is not None and method in FIXED and not ending.failed:
        warn_of_steps(acting, under, run.q, run.qd, float(clock[drive.STEP]), method)
    if interrupts.second:
        second = KeyboardInterrupt()
        second.add_note(f"a second Ctrl-C, while simulating {robot.name}; its attribute `run` has what there is")
        second.run = run  # pyright: ignore[reportAttributeAccessIssue]
        raise second
    error = problem.callbacks.error
    if error is not None and not isinstance(error, SimulationError):
        error.add_note(
            f"raised while simulating {robot.name}, at t = {run.t[-1]:.6g} s; its attribute `run` has the rest"
        )
        error.run = run  # pyright: ignore[reportAttributeAccessIssue]
        raise error
    if ending.failed:
        failure = SimulationError(f"{robot.name}: {ending.reason}")
        failure.run = run
        raise failure
    return run


def _events(events: Any) -> list[Callable[..., float]]:
    if events is None:
        return []
    try:
        listed: list[Any] = [events] if callable(events) else list(events)
    except TypeError:
        listed = [events]
    for k, event in enumerate(listed):
        if not callable(event):
            raise InputError(f"events[{k}]: expected a function event(t, q, qd), got {event!r}")
    return listed


def _sample_times(sample: ArrayLike, duration: float) -> Array:
    """Evenly from 0 through duration, as far apart as asked or a little less; or the given times."""
    if not hasattr(sample, "__len__") or getattr(sample, "ndim", 1) == 0:
        between = positive("sample", sample, "seconds")
        if duration / between > MOST_SAMPLES:
            raise InputError(f"sample: {duration:g} s at {between:g} s make more than {MOST_SAMPLES} samples")
        return np.linspace(0.0, duration, max(int(np.ceil(duration / between * (1 - 1e-12))), 1) + 1)
    try:
        times = real_array(sample).copy()
    except (TypeError, ValueError):
        raise InputError("sample: expected seconds between results, or a row of times") from None
    if times.ndim != 1 or not len(times) or not np.isfinite(times).all() or not (np.diff(times) > 0).all():
        raise InputError("sample: expected a row of increasing times")
    if times[0] < 0 or times[-1] > duration:
        raise InputError(f"sample: times must lie between 0 and the duration, {duration:g} s")
    return times


def _go(
    problem: Problem,
    memory: drive.Memory,
    method: str,
    duration: float,
    pace: float | None,
    tolerance: tuple[float, float],
    progress: bool | Callable[[float], object],
    interrupts: Interrupts,
) -> Ending:
    """Through time in chunks, between which Python shows progress and takes an interrupt."""
    clock, status = memory.clock, drive.PAUSED
    with Progress("simulating", duration, progress) as bar, interrupts:
        if method in SCIPY:
            from redyn.simulation.integrators.stiff import advance

            go: Callable[[int], int] = advance(
                method, problem.system, memory, duration, min(pace or LARGEST_STEP, duration), *tolerance
            )
        else:
            loop = drive.DRIVERS[method]
            if method in FIXED:
                count = max(1, int(np.ceil(duration / (pace or USUAL_STEP) * (1 - 1e-9))))
                clock[drive.STEP] = largest = duration / count
                warn_of_vibration(problem.robot, problem.start[: problem.robot.nq], largest, duration, method)
            else:
                largest = min(pace or LARGEST_STEP, duration)
                clock[drive.STEP] = min(problem.first_step(*tolerance), largest)
            system = problem.system

            def go(budget: int, /) -> int:
                return loop(system, memory, duration, largest, *tolerance, budget)

        budget = 200
        while status == drive.PAUSED:
            started = time.perf_counter()
            status = go(budget) if memory.failed[0] == 0 else drive.FAILED
            took = time.perf_counter() - started
            budget = int(np.clip(budget * CHUNK / max(took, 1e-6), budget / 4, budget * 4)) + 1
            bar.show(clock[drive.NOW])
    now, number = float(clock[drive.NOW]), int(clock[drive.EVENT_NUMBER])
    if status == drive.FAILED and isinstance(problem.callbacks.error, KeyboardInterrupt):
        return Ending(f"{INTERRUPTED} at t = {now:.4g} s", False)
    if status == drive.EVENT:
        return Ending(f"event {number} at t = {now:.6g} s", False, number)
    if status == drive.DONE:
        return Ending("", False)
    problem.find_fault(now, float(clock[drive.STEP]), memory.states[drive.Y])
    hint = "" if method in STIFF else ", is stiff (try method='rosenbrock'), or its torque jumps again and again"
    reasons = {
        drive.TOO_SMALL: f"step fell below {drive.SMALLEST_STEP:g}; the motion diverges{hint}",
        drive.NOT_FINITE: "the state is no longer finite; the motion diverges, or needs a smaller step",
        drive.FAILED: "a function of the user's failed",
        drive.BAD_EVENT: f"events[{number}] gave no number",
    }
    return Ending(f"t = {now:.4g} s: {reasons[status]}", True)


def _recorded(memory: drive.Memory, ending: Ending) -> tuple[Array, Array]:
    """Times and states of the samples that were reached; a run that ended early ends with its last state."""
    count, now = int(memory.clock[drive.SAMPLE]), float(memory.clock[drive.NOW])
    times, states = memory.sample_times, memory.samples
    if not ending.reason:
        states[count:] = memory.states[
            drive.Y
        ]  # the last sample, where rounding put the end of the last step before it
        return times, states
    if count and times[count - 1] >= now:
        return times[:count], states[:count]
    return np.append(times[:count], now), np.vstack([states[:count], memory.states[drive.Y]])
