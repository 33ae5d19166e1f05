"""From what the user gives to what the compiled loop takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redyn.arrays import real_array
from redyn.dynamics.task import Task
from redyn.errors import InputError
from redyn.evaluate import MEANINGS, world_inputs
from redyn.evaluate.ground import Ground
from redyn.evaluate.pressing import WRENCH
from redyn.model import GroundForm, Rolling
from redyn.robot import Robot
from redyn.simulation import callbacks, forces
from redyn.simulation import system as slots
from redyn.simulation.arguments import one_row
from redyn.simulation.derivative import evaluate, replay
from redyn.simulation.drive import Memory, event_value, memory
from redyn.simulation.forces.ground import room
from redyn.simulation.manifold import layout_of
from redyn.simulation.system import System
from redyn.words import counted

Array = NDArray[np.float64]


class Problem:
    """An initial value problem: a robot in its surroundings, its first state, and what drives it."""

    def __init__(
        self,
        robot: Robot,
        q: ArrayLike,
        qd: ArrayLike,
        duration: float,
        torque: Any,
        external: Mapping[str | int, Any] | None,
        stops: bool | forces.Stops,
        events: Sequence[Callable[..., float]],
        gravity: ArrayLike | None,
        payload: ArrayLike | None,
        dynamics: str,
        saturate: Any = False,
        ground: Ground | None = None,
    ) -> None:
        self.robot, self._dynamics, self._torque, self._event_functions = robot, dynamics, torque, events
        named = ", ".join(robot.joint_names[:8])
        n, nq, m = robot.dof, robot.nq, len(robot.model.actuators)
        start = [
            one_row(name, value, width, f"{counted(width, 'number')} for the joints ({named})")
            for name, value, width in (("q", q, nq), ("qd", qd, n))
        ]
        start[0] = robot.configuration("q", start[0])
        if external is not None and not isinstance(external, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InputError("external: expected {link: [moment; force]}, where a wrench may be a function of time")
        self.payload = None if payload is None else one_row("payload", payload, 10, MEANINGS["payload"])
        self.gravity = pull = None if gravity is None else one_row("gravity", gravity, 3, MEANINGS["gravity"])
        given = callbacks.at_start(external)
        # One ordinary call first: it checks the wrenches and finds joints that move no inertia.
        robot.forward_dynamics(start[0], start[1], np.zeros(m), given or None, self.payload, pull, dynamics)  # pyright: ignore[reportArgumentType]

        self.rows = np.zeros((slots.ROWS, nq))
        self.rows[slots.Q], self.rows[slots.V, :n] = start
        self.start = np.concatenate([*start, np.zeros(forces.COUNT)])
        self.callbacks = callbacks.Callbacks(self.rows[slots.Q], self.rows[slots.V, :n], robot.model.quaternions)
        self._actuators = self.rows[slots.ACTUATORS, :m]

        standing = self._standing(ground)
        used, extra = world_inputs(robot.named_frame, pull, given or None, self.payload, standing)
        laws_by_name = {robot.frame_name(link): law for link, law in (external or {}).items()}
        self._laws = {name: laws_by_name[name] for name in sorted(laws_by_name)}  # the kernel's order
        frames = np.zeros((2, len(self._laws), 6))
        wrenches = frames[slots.WRENCH]
        push = self.callbacks.wrenches(self._laws, wrenches.ravel())
        under = None if standing is None else standing[1]
        self._constants = [a for a in (pull, *wrenches, under, self.payload) if a is not None]
        assert len(self._constants) == len(extra)
        parameters = robot.evaluator.parameters
        self._parameters = [] if parameters is None else [parameters]  # the last input of every kernel
        jacobians = np.zeros((len(wrenches), 6, n))

        name = "forward_dynamics" if dynamics == "recursive" else "forward_dynamics_cholesky"
        task = Task(name, **used, guarded=False)  # within a step, loops may open a little
        law, numbers = 0, None if callable(torque) else torque
        times, table = callbacks.table(numbers, m, duration, [link.joint.label for link in robot.model.actuators])
        if callable(torque):
            law = self.callbacks.torque(cast(callbacks.Torque, torque), self._actuators)
        acceleration = self.rows[slots.ACCELERATION, :n]

        def in_python() -> Array:
            pushes = dict(zip(self._laws, wrenches, strict=True))
            state = (self.rows[slots.Q], self.rows[slots.V, :n], self.rows[slots.TORQUE, :m])
            if standing is None:
                return robot.forward_dynamics(*state, pushes or None, self.payload, pull, dynamics, check=False)  # pyright: ignore[reportArgumentType]
            return robot.evaluator(task, [*state, *self._constants], check=False)[0]

        closed = self.rows[slots.PROJECTED_Q], self.rows[slots.PROJECTED_V, :n]
        self._projected = np.array([_at(row) for row in closed], dtype=np.int64)
        kernel = self._address(task) or self.callbacks.kernel(in_python, acceleration)
        self._inputs = self._table([slots.Q, slots.V, slots.TORQUE], self._constants)
        self._state_inputs, self._q_inputs = self._table([slots.Q, slots.V]), self._table([slots.Q])
        self._outputs = np.array([_at(acceleration)], dtype=np.int64)
        self._tables = [np.array([_at(jacobian)], dtype=np.int64) for jacobian in jacobians]
        kernels = [self._jacobian(frame, jacobian) for frame, jacobian in zip(self._laws, jacobians, strict=True)]
        addresses = np.zeros(slots.FRAMES + 2 * len(kernels), dtype=np.int64)
        addresses[slots.FRAMES :: 2], addresses[slots.FRAMES + 1 :: 2] = kernels, [_at(table) for table in self._tables]
        for slot, value in (
            (slots.KERNEL, kernel),
            (slots.TORQUE_LAW, law),
            (slots.WRENCH_LAW, push),
            (slots.INPUTS, _at(self._inputs)),
            (slots.STATE_INPUTS, _at(self._state_inputs)),
            (slots.Q_INPUTS, _at(self._q_inputs)),
            (slots.OUTPUTS, _at(self._outputs)),
            (slots.Q_AT, _at(self.rows[slots.Q])),
            (slots.V_AT, _at(self.rows[slots.V])),
            (slots.ACTUATORS_AT, _at(self._actuators)),
            (slots.WRENCHES_AT, _at(wrenches)),
            (slots.PROJECTION, self._projection(closed) if robot.model.loops else 0),
            (slots.PROJECTED, _at(self._projected)),
            *self._rolling(),
            *self._touching(),
        ):
            addresses[slot] = value
        constants = forces.constants(forces.Given(robot, start[0], self._laws, stops, saturate, ground))
        self.system = System(
            addresses, layout_of(robot.model), self.rows, constants, times, table, frames, jacobians, self._underfoot
        )
        self._steady = not law and len(times) == 1 and not forces.applied(constants)  # a constant torque, nothing else
        self._events = [self.callbacks.event(event, k) for k, event in enumerate(events)]
        self._directions = [_direction(event, k) for k, event in enumerate(events)]

    def _address(self, task: Task) -> int | None:
        return self.robot.evaluator.address(task, complete=True)

    def _table(self, rows: Sequence[int], constants: Sequence[Array] = ()) -> NDArray[np.int64]:
        """Where the inputs of a kernel are: rows of the state, then constants, then the robot's parameters."""
        arrays = [*(self.rows[row] for row in rows), *constants, *self._parameters]
        return np.array([_at(array) for array in arrays], dtype=np.int64)

    def _standing(self, ground: Ground | None) -> tuple[GroundForm, Array] | None:
        """The form of the ground in the forward dynamics, and the memory from which that takes its numbers."""
        self._ground = ground
        self._underfoot = np.zeros(0 if ground is None else room(ground))
        if ground is None:
            return None
        if ground.compiled:
            return ground.form, ground.numbers
        count = len(ground.names)
        return GroundForm("given", ground.form.up), self._underfoot[-WRENCH * count :]

    def _touching(self) -> list[tuple[int, int]]:
        """Addresses of the kernel that tells of contacts, and of its tables."""
        ground = self._ground
        if ground is None:
            return []
        if ground.grid is not None:
            task, inputs = Task("contact_motion", guarded=False), []
        else:
            name = "ground_power" if ground.compiled else "contact_states"
            task, inputs = Task(name, ground=ground.form, guarded=False), [ground.numbers]
        evaluator, outputs, begin = self.robot.evaluator, list[Array](), 0
        for shape in task.shapes(self.robot.model):
            size = int(np.prod(shape))
            outputs.append(self._underfoot[begin : begin + size])
            begin += size
        state = [self.rows[slots.Q], self.rows[slots.V, : self.robot.dof], *inputs]

        def in_python() -> tuple[Array, ...]:
            return tuple(a.ravel() for a in evaluator(task, state, check=False))

        self._touched = [
            self._table([slots.Q, slots.V], inputs),
            np.array([_at(a) for a in outputs], dtype=np.int64),
        ]
        return [
            (slots.GROUND, self._address(task) or self.callbacks.kernels(in_python, tuple(outputs))),
            (slots.GROUND_INPUTS, _at(self._touched[0])),
            (slots.GROUND_OUTPUTS, _at(self._touched[1])),
        ]

    def _jacobian(self, frame: str, out: Array) -> int:
        """The address of a kernel that fills `out` with the Jacobian of a frame at the rows' q."""
        found = self._address(Task("jacobian", frame=frame))
        return found or self.callbacks.kernel(lambda: self.robot.jacobian(self.rows[slots.Q], frame, check=False), out)

    def _projection(self, out: tuple[Array, ...]) -> int:
        """The address of a kernel that closes loops: from the rows' q and v to `out`."""
        task, evaluator = Task("projection", guarded=False), self.robot.evaluator
        state = [self.rows[slots.Q], self.rows[slots.V, : self.robot.dof]]
        return self._address(task) or self.callbacks.kernels(lambda: evaluator(task, state, check=False), out)

    def _rolling(self) -> list[tuple[int, int]]:
        """Addresses of the kernels that give the rates of q, and their derivatives, where wheels roll."""
        if not isinstance(self.robot.model.reduction, Rolling):
            return []
        rows, n, evaluator = self.rows, self.robot.dof, self.robot.evaluator
        self._rolled = np.array([_at(rows[slots.RATES])], dtype=np.int64)
        self._turned = np.array([_at(rows[slots.BENDS])], dtype=np.int64)
        self._turning = self._table([slots.Q, slots.V, slots.ACCELERATION])
        state = [rows[slots.Q], rows[slots.V, :n], rows[slots.ACCELERATION, :n]]
        first, second = Task("coordinate_rates", guarded=False), Task("coordinate_accelerations", guarded=False)
        return [
            (
                slots.ROLLING,
                self._address(first)
                or self.callbacks.kernel(lambda: evaluator(first, state[:2], check=False)[0], rows[slots.RATES]),
            ),
            (slots.ROLLED, _at(self._rolled)),
            (
                slots.TURNING,
                self._address(second)
                or self.callbacks.kernel(lambda: evaluator(second, state, check=False)[0], rows[slots.BENDS]),
            ),
            (slots.TURNING_INPUTS, _at(self._turning)),
            (slots.TURNED, _at(self._turned)),
        ]

    def memory(self, times: Array, implicit: bool = False) -> Memory:
        """Memory for a run that is sampled at `times`; by an implicit method, with room for its matrix."""
        count = self.robot.nq + self.robot.dof if implicit else 0
        made = memory(self.start, times, self._events, self._directions, self.callbacks.failed, count)
        for k, event in enumerate(self._events):
            made.event_values[k, 0] = event_value(self.system, event, 0.0, self.start)
        if self.callbacks.error is not None:
            raise self.callbacks.error
        return made

    def first_step(self, rtol: float, atol: float) -> float:
        """A step over which the state would change by about a hundredth of itself, after Hairer and Wanner."""
        counted = self.robot.nq + self.robot.dof
        y, f, ahead = self.start, np.empty(len(self.start)), np.empty(len(self.start))
        scale = atol + rtol * np.abs(y[:counted])

        def size(x: Array) -> float:
            with np.errstate(all="ignore"):
                return float(np.sqrt(np.mean((x[:counted] / scale) ** 2)))

        evaluate(self.system, 0.0, y, f)
        d0, d1 = size(y), size(f)
        h = 0.01 * d0 / d1 if d0 > 1e-5 and 1e-5 < d1 < 1e150 else 1e-6
        evaluate(self.system, h, y + h * f, ahead)
        d2 = size(ahead - f) / h
        if not (np.isfinite(d1) and np.isfinite(d2)):
            return h
        largest = max(d1, d2)
        return min(100 * h, (0.01 / largest) ** 0.2 if largest > 1e-15 else max(1e-6, h * 1e-3))

    def forget_interrupt(self) -> None:
        """After Ctrl-C the functions are in order and may be asked again."""
        if isinstance(self.callbacks.error, KeyboardInterrupt):
            self.callbacks.error = None
            self.callbacks.failed[0] = 0

    def find_fault(self, t: float, h: float, y: Array) -> None:
        """After a run that could not go on: whether one of the user's functions is to blame, asked again near its end.

        Compiled ones could not say so at the time, and numbers that are not finite only make steps shrink.
        """
        n, nq = self.robot.dof, self.robot.nq
        q, qd = y[:nq], y[nq : nq + n]
        if self.callbacks.error is not None or not (np.abs(qd) < 1e100).all():
            return
        for ahead in (0.0, max(h, 1e-9), 10 * max(h, 1e-9)):
            for name, count, function in self._functions():
                when = f"at t = {t + ahead:.6g} s"
                try:
                    given = (t + ahead,) if name.startswith("external") else (t + ahead, q.copy(), qd.copy())
                    value = real_array(function(*given))
                except Exception as error:
                    return self.callbacks.fail(error)
                if value.size != count:
                    return self.callbacks.fail(
                        InputError(f"{name}: expected {counted(count, 'number')}, got shape {value.shape} {when}")
                    )
                if not np.isfinite(value).all():
                    return self.callbacks.fail(InputError(f"{name}: expected finite numbers, got {value} {when}"))
        return None

    def _functions(self) -> list[tuple[str, int, Callable[..., Any]]]:
        """Name, number of results and Python form of every function that drives the run."""
        found: list[tuple[str, int, Any]] = [("torque(t, q, qd)", len(self.robot.model.actuators), self._torque)]
        found += [(f"events[{k}](t, q, qd)", 1, event) for k, event in enumerate(self._event_functions)]
        found += [(f"external[{frame!r}](t)", 6, law) for frame, law in self._laws.items()]
        return [(name, count, getattr(law, "py_func", law)) for name, count, law in found if callable(law)]

    def replay(self, t: Array, states: Array) -> dict[str, Any]:
        """Torques of the actuators, external wrenches and accelerations at recorded states."""
        n, nq, m = self.robot.dof, self.robot.nq, len(self.robot.model.actuators)
        q, qd = np.ascontiguousarray(states[:, :nq]), np.ascontiguousarray(states[:, nq : nq + n])
        wrenches = np.zeros((len(t), len(self._laws), 6))
        failed = self.callbacks.error is not None  # such a function is not asked again
        if failed or self._steady:
            tau = np.zeros((len(t), m)) if failed else np.repeat(self.system.table, len(t), axis=0)
            others = None, self.payload, self.gravity, self._dynamics
            qdd = self.robot.forward_dynamics(q, qd, tau, *others, check=False)  # pyright: ignore[reportArgumentType]
        else:
            tau, qdd = np.zeros((len(t), m)), np.zeros((len(t), n))
            replay(self.system, np.ascontiguousarray(t), np.ascontiguousarray(states), tau, qdd, wrenches)
        return {"qdd": qdd, "tau": tau, "wrenches": {name: wrenches[:, k] for k, name in enumerate(self._laws)}}


def _direction(event: Any, number: int) -> float:
    try:
        return float(getattr(event, "direction", 0.0))
    except (TypeError, ValueError):
        raise InputError(f"events[{number}].direction: expected a number, got {event.direction!r}") from None


def _at(array: NDArray[Any]) -> int:
    return int(array.ctypes.data)
