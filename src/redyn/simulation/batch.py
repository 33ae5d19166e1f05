"""redyn.simulate_batch: many motions at once, one per lane, with a fixed Runge-Kutta step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redyn.arrays import real_array
from redyn.dynamics.task import Task
from redyn.errors import InputError, RedynError
from redyn.evaluate import MEANINGS, NOT_FREE, check_threads, normal, world_inputs
from redyn.evaluate.ground import Given as GroundGiven
from redyn.evaluate.ground import ground_of
from redyn.kernels.runge_kutta import Method
from redyn.model import GroundForm
from redyn.model.ground import WRENCH
from redyn.progress import Progress
from redyn.robot import ClosingOptions, Robot
from redyn.simulation import interrupts
from redyn.simulation.arguments import check_robot, positive, with_parameters
from redyn.simulation.controllers import PD
from redyn.simulation.elastic_steps import warn_of_vibration
from redyn.simulation.forces.actuators import torque_limits
from redyn.simulation.ground_steps import warn_of_steps
from redyn.simulation.result import INTERRUPTED
from redyn.simulation.stepping import stepper
from redyn.words import counted

Array = NDArray[np.float64]

MOST_NUMBERS = 2**31  # in the result


@dataclass(frozen=True)
class Batch:
    """Many motions: T instants of N of them, q and qd of shape (T, N, dof)."""

    robot: Robot
    t: Array
    q: Array = field(repr=False)
    qd: Array = field(repr=False)
    steps: int
    ending: str = ""  # why it ended early; empty if it did not


def simulate_batch(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike,
    duration: float,
    torque: Any = None,
    step: float = 1e-3,
    sample: float | None = None,
    gravity: ArrayLike | None = None,
    payload: ArrayLike | None = None,
    saturate: bool | ArrayLike = False,
    ground: GroundGiven = None,
    parameters: ArrayLike | None = None,
    method: Method = "rk4",
    threads: int | None = None,
    check: bool = True,
    progress: bool = True,
) -> Batch:
    """N motions from the states q, qd of shape (N, dof), by a Runge-Kutta method with a fixed step.

    torque: None, (dof,) or (N, dof) for the whole time; (K, N, dof) for the K steps, held during each; or a function
        torque(t, Q, QD), called once a step with all states, whose result is held for that step; or `redyn.control.pd`,
        which acts within steps and is part of the kernel.
    sample: seconds between results, a whole number of steps; the last state alone (and the first) unless given.
    saturate: limits of the actuators, as in `simulate`.
    payload, gravity: for all, or one per motion.
    ground: what the robots stand on, as in `simulate`. The smooth law on planes, slopes, steps and expressions is part
        of the kernel; ReDySim's law and grids of heights run in compiled loops around it.
    parameters: of a robot some of whose numbers are left open (`Robot.free`): for all, or one row per motion.
    method: "rk4", the classic method of order four; or "rkc", that of Chebyshev, of order two, which at the same cost
        takes steps more than three times as long where friction of the ground limits them.
    check: raise if a motion diverges, naming it; otherwise its numbers are left as they came out.

    Ctrl-C returns what was computed so far, a second one raises KeyboardInterrupt, as in `simulate`.

    >>> import redyn
    >>> robot = redyn.load("two-link")
    >>> batch = redyn.simulate_batch(robot, [[0.1, 0.0], [0.2, 0.0]], [0.0, 0.0], duration=1.0, sample=0.5)
    >>> batch.q.shape
    (3, 2, 2)
    """
    check_robot(robot)
    check_threads(threads)
    if method not in ("rk4", "rkc"):
        raise InputError(f"method: expected rk4 or rkc, got {method!r}")
    length, pace = positive("duration", duration, "seconds"), positive("step", step, "seconds")
    steps = max(1, round(length / pace))
    if abs(steps * pace - length) > 1e-6 * pace:
        raise InputError(f"step: {length:g} s are no whole number of steps of {pace:g} s")
    every = steps if sample is None else round(positive("sample", sample, "seconds") / pace)
    if sample is not None and (every < 1 or abs(every * pace - float(sample)) > 1e-6 * pace or steps % every):
        raise InputError(f"sample: expected a whole number of steps that divides {steps}, {sample!r} s is none")
    if saturate is not False and isinstance(torque, PD):
        raise InputError(
            "saturate: not with redyn.control.pd here; give a function torque(t, Q, QD) that limits itself"
        )
    if ground is not None and ground is not False:
        robot = robot.touching(ground)
    under = None if ground is None or ground is False else ground_of(robot.model, robot.description, ground)
    n, m = robot.dof, len(robot.model.actuators)
    joints = ", ".join(robot.joint_names[:8])
    states = [
        np.atleast_2d(normal(name, x, width, f"{counted(width, 'number')}, of the joints {joints}, for each motion"))
        for name, x, width in (("q", q, robot.nq), ("qd", qd, n))
    ]
    states[0] = robot.configuration("q", states[0])
    extras: list[tuple[str, Any, int, str]] = []
    if gravity is not None:
        extras.append(("gravity", gravity, 3, MEANINGS["gravity"]))
    if payload is not None:
        extras.append(("payload", payload, 10, MEANINGS["payload"]))
    free = robot.evaluator.parameters
    if parameters is not None and free is None:
        raise InputError(f"parameters: {NOT_FREE}")
    if free is not None:
        meaning = f"{counted(len(free), 'number')}, one per name of parameter_names"
        extras.append(("parameters", free if parameters is None else parameters, len(free), meaning))
    given = {extra[0]: np.atleast_2d(normal(*extra)) for extra in extras}
    if under is not None:
        given["ground"] = np.atleast_2d(under.numbers if under.compiled else np.zeros(WRENCH * len(under.names)))
    targets = None
    if isinstance(torque, PD):
        targets = _targets(torque, robot, steps)
        given |= {"target": targets[0], "kp": torque.spread(torque.kp)[None], "kd": torque.spread(torque.kd)[None]}
    table = None if torque is None or callable(torque) else _torque_table(torque, m, steps)
    count = _count([*states, *given.values(), *([] if table is None else [table[0]])])
    if (steps // every + 1) * count * n > MOST_NUMBERS:
        raise InputError(
            f"{counted(steps // every + 1, 'sample')} of {counted(count, 'motion')} do not fit; sample less often"
        )
    Q, V = (_spread(a, count) for a in states)
    form = None if under is None else under.form if under.compiled else GroundForm("given", under.form.up)
    used, _ = world_inputs(robot.named_frame, gravity, None, payload, None if form is None else (form, np.zeros(0)))
    task = Task("forward_dynamics", **used, controlled=targets is not None, guarded=False)
    names = [name for name, _ in task.inputs(robot.model)][3:]
    world = [_spread(given[name], count) for name in names]
    # One ordinary call first: it finds numbers that are not finite and joints that move no inertia.
    numbers: ClosingOptions = {} if free is None else {"parameters": given["parameters"]}
    robot.forward_dynamics(Q, V, np.zeros((count, m)), None, payload, gravity, **numbers)
    if count:
        first = with_parameters(robot, None if free is None else world[-1][0])
        warn_of_vibration(first, Q[0], pace, length, method)
    step_all = stepper(robot.evaluator, task, None if under is None or under.compiled else under, method)

    out_q, out_v = (np.empty((steps // every + 1, count, width)) for width in (robot.nq, n))
    out_q[0], out_v[0] = Q, V
    limits = torque_limits(robot, saturate)
    tau = np.zeros((count, m)) if table is None else _spread(table[0], count)
    done, ending = 0, ""
    interrupts.begin()
    with Progress("simulating", length, progress) as bar:
        try:
            while done < steps:
                many = every - done % every
                if targets is not None:
                    held = steps // len(targets)
                    world[names.index("target")] = _spread(targets[done // held], count)
                    many = min(many, held - done % held, _at_once(count, n))
                elif callable(torque):
                    tau, many = _called(cast(Any, torque), done * pace, Q, V, m), 1
                elif table is not None and len(table) > 1:
                    tau, many = _spread(table[done], count), 1
                else:
                    many = min(many, _at_once(count, n))
                given_tau = tau if limits is None else np.clip(tau, -limits, limits)
                Q, V = step_all(Q, V, given_tau, world, pace, many, threads)
                done += many
                if done % every == 0:
                    out_q[done // every], out_v[done // every] = Q, V
                    if check:
                        _require_finite(Q, V, done * pace)
                bar.show(done * pace)
        except KeyboardInterrupt:
            if interrupts.is_second():
                raise
            ending = f"{INTERRUPTED} at t = {done * pace:.4g} s"
        finally:
            interrupts.end()
    kept = done // every + 1
    t = np.arange(steps // every + 1, dtype=np.float64) * (every * pace)
    if under is not None and check:
        rows = [a[:kept].reshape(-1, a.shape[-1]) for a in (out_q, out_v)]
        warn_of_steps(robot, under, rows[0], rows[1], pace, method)
    return Batch(robot, t[:kept], out_q[:kept], out_v[:kept], done, ending)


def _at_once(count: int, n: int) -> int:
    """Steps that take a tenth of a second or so."""
    return max(1, int(5e7 / (max(count, 1) * n * 40)))


def _targets(controller: PD, robot: Robot, steps: int) -> Array:
    """(K, N or 1, actuators): each row is held for a K-th of the steps."""
    rows = controller.spread(controller.target)
    rows = rows.reshape((1,) * (3 - rows.ndim) + rows.shape)
    if rows.shape[-1] != len(robot.model.actuators):
        raise InputError("torque: this controller is of another robot")
    if steps % len(rows):
        raise InputError(
            f"target: {counted(len(rows), 'row')} cannot share {counted(steps, 'step')} evenly; give a number that "
            "divides them"
        )
    return rows


def _torque_table(torque: Any, n: int, steps: int) -> Array:
    """(1, N or 1, n) for a torque that stays, (steps, N or 1, n) for one that changes."""
    meaning = f"torque: expected shape ({n},), (N, {n}) or ({steps}, N, {n}), one row per joint"
    try:
        rows = real_array(torque)
    except (TypeError, ValueError):
        raise InputError(f"{meaning}, got {type(torque).__name__}") from None
    if rows.ndim not in (1, 2, 3) or rows.shape[-1] != n or (rows.ndim == 3 and len(rows) != steps):
        raise InputError(f"{meaning}, got shape {rows.shape}")
    if not np.isfinite(rows).all():
        raise InputError(f"torque{np.argwhere(~np.isfinite(rows))[0].tolist()} is not finite")
    return rows.reshape((1,) * (3 - rows.ndim) + rows.shape)


def _count(arrays: list[Array]) -> int:
    sizes = {len(a) for a in arrays if len(a) != 1}
    if len(sizes) > 1:
        raise InputError(f"the inputs hold {' and '.join(str(s) for s in sorted(sizes))} motions; give equal numbers")
    return sizes.pop() if sizes else 1


def _spread(array: Array, count: int) -> Array:
    return np.ascontiguousarray(np.broadcast_to(array, (count, array.shape[-1])))


def _called(torque: Callable[..., ArrayLike], t: float, Q: Array, V: Array, width: int) -> Array:
    shape = len(V), width
    views = [array.view() for array in (Q, V)]
    for view in views:
        view.flags.writeable = False  # the states go on from here
    try:
        value = real_array(torque(t, *views))
    except (TypeError, ValueError) as error:
        raise InputError(f"torque(t, Q, QD): expected shape {shape} at t = {t:.6g} s: {error}") from error
    try:
        rows = np.ascontiguousarray(np.broadcast_to(value, shape))
    except ValueError:
        raise InputError(f"torque(t, Q, QD): expected shape {shape}, got {value.shape} at t = {t:.6g} s") from None
    if not np.isfinite(rows).all():
        row = int(np.argwhere(~np.isfinite(rows))[0][0])
        raise InputError(f"torque(t, Q, QD): row {row} is not finite at t = {t:.6g} s")
    return rows


def _require_finite(Q: Array, V: Array, t: float) -> None:
    bad = ~(np.isfinite(Q).all(axis=1) & np.isfinite(V).all(axis=1))
    if bad.any():
        raise RedynError(
            f"motion {int(np.argmax(bad))} is no longer finite at t = {t:.4g} s; it diverges, or needs a smaller step"
            + (f" ({int(bad.sum())} motions in all)" if bad.sum() > 1 else "")
        )
