"""Between the arrays that users pass and the code that computes on them.

Shapes and types are checked here, once, and arrays brought to contiguous (N, width) float64. Kernels do the work where
they can run; otherwise the same recursions run on floats and NumPy arrays, slower. Kernels report whether all that they
wrote is finite; only when it is not are the inputs searched for the culprit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redyn.algebra import Scalar
from redyn.arithmetic import Arrays, Floats
from redyn.arrays import refuse_masks
from redyn.buffers import Buffers
from redyn.description.schema import NOT_UNIT
from redyn.dynamics import derivatives, forward, reduced
from redyn.dynamics.algorithm import Divisor, Kind
from redyn.dynamics.catalogue import ALGORITHMS
from redyn.dynamics.task import Task, surroundings
from redyn.errors import InputError, RedynError, SingularError
from redyn.model import Link, Model, configuration
from redyn.shortcut import Quick, Shortcut, are_unit
from redyn.words import counted

Array = NDArray[np.float64]
Output = Array | tuple[Array, ...] | None

Stepper = Callable[[Array, Array, Array, Sequence[Array], float, int, int | None], tuple[Array, Array]]

FLOAT64 = np.dtype(np.float64)
# A joint's inertia below this share of the body that it moves is rounding.
ZERO_INERTIA = 1e-13
# A link's own inertia about its joint below this share of the whole is too small to decide that the joint is regular.
WEAK_INERTIA = 1e-9
# Tasks with a short way: three state vectors in, one out.
DIRECT = frozenset(
    Task(entry.name)
    for entry in ALGORITHMS.values()
    if len(entry.state) == 3 and [output.kind in (Kind.FORCE, Kind.RATES) for output in entry.outputs] == [True]
)
OFTEN = 3  # calls; after them the short way is worth importing Numba
MEANINGS = {
    "gravity": "an acceleration",
    "external": "a wrench, moment then force",
    "payload": "ten numbers, m, mc (3), Ixx, Ixy, Iyy, Ixz, Iyz, Izz",
}


def check_threads(threads: Any) -> None:
    """None, or a number from 1."""
    if threads is not None and not (isinstance(threads, int | np.integer) and threads >= 1 and threads is not True):
        raise InputError(f"threads: expected a number from 1, or None for all that help, got {threads!r}")


def normal(name: str, value: Any, width: int, meaning: str) -> Array:
    """`value` as contiguous float64 of shape (width,) or (N, width)."""
    refuse_masks(name, value)
    try:
        given = np.asarray(value)
    except (ValueError, TypeError):
        raise InputError(f"{name}: expected {meaning}, got rows of different lengths") from None
    if given.dtype.kind not in "iuf":
        raise InputError(f"{name}: expected real numbers, got values of type {given.dtype}")
    array = np.ascontiguousarray(given, dtype=np.float64) if given.ndim else given.astype(np.float64)
    if array.ndim not in (1, 2) or array.shape[-1] != width:
        raise InputError(f"{name}: expected {meaning}: shape ({width},) or (N, {width}), got shape {array.shape}")
    return array


@dataclass
class Plan:
    """What a call of a task needs to know, looked up once: names and widths in, shapes out, kernels."""

    task: Task
    inputs: list[tuple[str, int]]
    shapes: tuple[tuple[int, ...], ...]
    divides: bool
    kernels: dict[bool, Any] = field(default_factory=dict[bool, Any])  # by whether the batch is too small for lanes
    calls: int = 0


class Evaluator:
    """Runs tasks on one model."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.kernels, self._call = _kernels(model)
        self.buffers = Buffers()
        self._plans: dict[Task, Plan] = {}
        self._no_shortcut = False
        self.quick: dict[str, Quick] = {}  # the short way, by algorithm, once there are kernels for it
        self._quaternions = model.quaternions
        self._shortcuts = {task.algorithm: Shortcut(model, self.buffers) for task in DIRECT}

    def __call__(
        self,
        task: Task,
        values: Sequence[ArrayLike],
        threads: int | None = None,
        check: bool = True,
        out: Output = None,
    ) -> tuple[Array, ...]:
        """The outputs of a task for one state, or for a batch if any input is one."""
        plan = self._plans.get(task)
        if plan is None:
            plan = self._plans[task] = Plan(task, task.inputs(self.model), task.shapes(self.model), task.base.divides)
        arrays: list[Array] = []
        size, first = None, ""
        for (name, width), value in zip(plan.inputs, values, strict=True):
            array = self._normal(name, value, width)
            if array.ndim == 2:
                if size is not None and len(array) != size:
                    raise InputError(
                        f"{first} holds {counted(size, 'state')} but {name} holds {len(array)}; give equal numbers, or "
                        "one state"
                    )
                size, first = len(array), name
            arrays.append(array)
        count = 1 if size is None else size
        inputs = [a if a.ndim == 2 else a[None] if count == 1 else np.tile(a, (count, 1)) for a in arrays]
        given = (
            None if out is None else _given(out, plan.shapes if size is None else [(count, *s) for s in plan.shapes])
        )
        check_threads(threads)
        if check and self._quaternions and plan.inputs[0][0] == "q":
            inputs[0] = self._with_unit_quaternions("q", inputs[0], size is None)
        if plan.divides and count and self._weak:
            self._require_inertia(task, inputs)
        outputs = [self.buffers.empty((count, *shape)) for shape in plan.shapes]
        fine = self._compute(plan, inputs, outputs, threads)
        if check and not fine:
            self._explain(task, [name for name, _ in plan.inputs], inputs, outputs, size is None)
        results = outputs if size is not None else [a[0] for a in outputs]
        if given is None:
            return tuple(results)
        for target, result in zip(given, results, strict=True):
            np.copyto(target, result)
        return given

    def address(self, task: Task) -> int | None:
        """Where the machine code of a task for single states is, for loops that call it; None if there is none.

        It stays there as long as this evaluator, and so the robot, is kept.
        """
        if self.kernels is None or not self.kernels.covers(task):
            return None
        return self.kernels.get(task, 1).address

    def stepper(self, task: Task) -> Stepper:
        """Fixed Runge-Kutta steps with a forward dynamics, many states at once."""
        kernels = self.kernels if self.kernels is not None and self.kernels.covers(task) else None

        def step(
            q: Array, qd: Array, tau: Array, world: Sequence[Array], h: float, count: int, threads: int | None
        ) -> tuple[Array, Array]:
            ends = np.empty_like(q), np.empty_like(qd)
            if kernels is None:
                return self._step_slowly(task, [q, qd, tau, *world], h, count, threads)
            kernel = kernels.rollout(task, 1 if len(q) < 4 else None)
            control = np.array([h, count])

            def work(inputs: list[Array], outputs: list[Array]) -> bool:
                return self._call.run_here(kernel.address, [*inputs, control], outputs) == 0

            self._call.run_slices(work, [q, qd, tau, *world], ends, threads)
            return ends

        return step

    def _step_slowly(
        self, task: Task, inputs: list[Array], h: float, count: int, threads: int | None
    ) -> tuple[Array, Array]:
        """The same steps around calls, for robots without such a kernel."""
        (q, v), given = inputs[:2], inputs[2:]
        rates = Task("coordinate_rates")

        def rate(x: Array, y: Array) -> tuple[Array, Array]:
            x_dot = self(rates, [x, y], threads, check=False)[0] if self._quaternions else y
            return x_dot, self(task, [x, y, *given], threads, check=False)[0]

        for _ in range(count):
            u1, a1 = rate(q, v)
            u2, a2 = rate(q + h / 2 * u1, v + h / 2 * a1)
            u3, a3 = rate(q + h / 2 * u2, v + h / 2 * a2)
            u4, a4 = rate(q + h * u3, v + h * a3)
            q, v = q + h / 6 * (u1 + 2 * (u2 + u3) + u4), v + h / 6 * (a1 + 2 * (a2 + a3) + a4)
            configuration.shorten(q, self._quaternions)
        return q, v

    def _normal(self, name: str, value: Any, width: int) -> Array:
        """`value` as contiguous float64 of shape (width,) or (N, width)."""
        if value.__class__ is np.ndarray and value.dtype is FLOAT64 and value.flags.c_contiguous:
            shape = value.shape
            if (len(shape) == 1 or len(shape) == 2) and shape[-1] == width:
                return value
        return normal(name, value, width, self._meaning(name))

    def _meaning(self, name: str) -> str:
        kind = name.partition("[")[0]
        if kind in MEANINGS:
            return MEANINGS[kind]
        count = self.model.nq if kind == "q" else self.model.dof
        return f"{counted(count, 'number')}{self._whose}"

    @cached_property
    def _whose(self) -> str:
        names = list(dict.fromkeys(link.joint.name for link in self.model.driven))
        joints = ", ".join(dict.fromkeys(link.joint.name for link in self.model.driven[:8]))
        if len(names) < self.model.dof:
            return f" for the joints ({joints}), some of which have several"
        return f", one per joint ({joints})"

    def _compute(self, plan: Plan, inputs: list[Array], outputs: list[Array], threads: int | None) -> bool:
        """Fill the outputs; whether they are finite."""
        if not len(inputs[0]):
            return True
        task, narrow = plan.task, len(inputs[0]) < 4
        if self.kernels is not None and self.kernels.covers(task):
            kernel = plan.kernels.get(narrow)
            if kernel is None:
                kernel = plan.kernels[narrow] = self.kernels.get(task, 1 if narrow else None)
            plan.calls += 1
            if plan.calls > OFTEN and task in DIRECT:
                self._shorten(plan, narrow)
            return self._call.run(kernel, inputs, outputs, threads)
        rolled = self.kernels.rolled(task) if self.kernels is not None else None
        if rolled is not None:
            return self._call.run_slices(rolled, inputs, outputs, threads)
        with np.errstate(all="ignore"):
            for output, values in zip(outputs, self._slowly(task, inputs), strict=True):
                output.reshape(len(output), -1)[...] = values
        return all(np.isfinite(a).all() for a in (*outputs, *inputs))

    def _shorten(self, plan: Plan, narrow: bool) -> None:
        """Open the short way for a task that is called often, unless it is open."""
        shortcut, dimensions = self._shortcuts[plan.task.algorithm], 1 if narrow else 2
        if dimensions in shortcut.addresses or self._no_shortcut or (plan.divides and self._weak):
            return
        try:
            from redyn.kernels.quick import run3
        except Exception:  # no Numba, or one that finds no folder for its own cache: the general way does without
            self._no_shortcut = True
            return
        shortcut.addresses[dimensions] = plan.kernels[narrow].address
        self.quick.setdefault(plan.task.algorithm, shortcut.ready(run3))

    def _slowly(self, task: Task, inputs: list[Array]) -> list[Array]:
        """The float path: the recursion itself on numbers, or for derivatives on dual numbers."""
        if task.differentiated:
            return self._slow_derivatives(task, inputs)
        single = len(inputs[0]) == 1
        arith = Floats() if single else Arrays()
        columns = [_scalars(a[0] if single else a) for a in inputs]
        named = dict(zip((name for name, _ in task.inputs(self.model)), columns, strict=True))
        world, model = surroundings(self.model.over(arith), task, named)
        state = [named[name] for name in task.base.state]
        try:
            results = reduced.run(task.base, model, arith, state, world)
        except (ZeroDivisionError, ValueError):  # one state on plain floats: a joint without inertia
            return [np.full((1, int(np.prod(shape))), np.nan) for shape in task.shapes(self.model)]
        filled: list[Array] = []
        for flat in results:
            array = np.empty((len(inputs[0]), len(flat)))
            for k, value in enumerate(cast("list[Any]", flat)):
                array[:, k] = value
            filled.append(array)
        return filled

    def _slow_derivatives(self, task: Task, inputs: list[Array]) -> list[Array]:
        """By dual numbers; those of the forward dynamics, as in `casadi_function`, by way of the inverse and M^-1.

        For what these are made of there may well be kernels: the products of matrices are most of a large graph.
        """
        (q, qd, x), rest = inputs[:3], inputs[3:]
        if task.base.divides:
            x = self(replace(task, algorithm="forward_dynamics"), inputs, check=False)[0]
            inverse = self(Task("inverse_mass_matrix"), [q], check=False)[0]
            state = [q, qd, x, *rest]
            by_q, by_qd = self(replace(task, algorithm="inverse_dynamics_derivatives"), state, check=False)
            return [a.reshape(len(q), -1) for a in (-inverse @ by_q, -inverse @ by_qd, inverse)]
        named = dict(zip((name for name, _ in task.inputs(self.model)[3:]), map(_scalars, rest), strict=True))
        world, model = surroundings(self.model, task, named)
        found = derivatives.inverse_dynamics_by_state(model, world, [q, qd, x])
        return [a.reshape(len(q), -1) for a in found]

    def _explain(self, task: Task, names: list[str], inputs: list[Array], outputs: list[Array], single: bool) -> None:
        """Say why a result is not finite."""
        for name, array in zip(names, inputs, strict=True):
            bad = np.argwhere(~np.isfinite(array))
            if len(bad):
                place = ", ".join(str(int(i)) for i in (bad[0][1:] if single else bad[0]))
                raise InputError(f"{name}[{place}] is {array[tuple(bad[0])]}; expected finite numbers")
        rows = np.any([~np.isfinite(a.reshape(len(a), -1)).all(axis=1) for a in outputs], axis=0)
        row = int(np.argmax(rows))
        where = "" if single else f" in row {row}"
        if not rows.any():
            return  # finite after all: only their sum was too large
        whole = task.base.divides and self.model.coupling is not None
        if whole or task.base.divisor is Divisor.MASS_MATRIX:
            raise SingularError(f"{self.model.name}: the mass matrix is not positive definite{where}")
        raise RedynError(f"{task.algorithm}{where} is too large to represent; are the inputs in SI units?")

    @cached_property
    def _weak(self) -> bool:
        """Whether some link has no inertia of its own about its joint, so that m_hat may vanish somewhere.

        m_hat_i is at least p_i^T M_i p_i, for what other links add is never negative.
        """
        if self.model.coupling is not None:
            return False  # solved from the mass matrix as a whole, which tells for itself
        several = False
        for link in self.model.links:
            if link.virtual:
                several = True
            elif several:  # the last link of such a joint must be solid enough for all its velocities
                several = False
                if not _solid(link):
                    return True
            else:
                S, slides = link.M.S, link.joint.kind == "prismatic"
                own = cast(float, link.joint.p.dot(link.M @ link.joint.p) + link.joint.armature)
                size = cast(float, link.M.m if slides else S.xx + S.yy + S.zz)
                if not own > WEAK_INERTIA * abs(size):
                    return True
        return False

    def configuration(self, name: str, value: Any) -> Array:
        """`value` as one configuration or several, (nq,) or (N, nq), whose quaternions have length 1."""
        array = normal(name, value, self.model.nq, f"{counted(self.model.nq, 'number')}{self._whose}")
        if not self._quaternions:
            return array
        single = array.ndim == 1
        rows = self._with_unit_quaternions(name, np.atleast_2d(array), single)
        return rows[0] if single else rows

    def _with_unit_quaternions(self, name: str, q: Array, single: bool) -> Array:
        """The same, with lengths that are off by a little made 1; an error if they are off by more than that."""
        if are_unit(q, self._quaternions):
            return q
        for start in self._quaternions:
            part = q[:, start : start + 4]
            off = np.abs(np.einsum("ij,ij->i", part, part) - 1.0)
            if not off.max(initial=0.0) < NOT_UNIT and np.isfinite(part).all():
                row = int(np.argmax(off))
                place = f"{start}:{start + 4}" if single else f"{row}, {start}:{start + 4}"
                length = f"{np.linalg.norm(part[row]):.9g}"
                raise InputError(f"{name}[{place}] is a quaternion (x, y, z, w) of length {length}; expected 1")
        unit = q.copy()
        configuration.shorten(unit, self._quaternions)
        return unit

    def _require_inertia(self, task: Task, inputs: list[Array]) -> None:
        """Raise if at one of the states some joint moves no inertia; a payload may be what it moves."""
        model, q = self.model.over(Arrays()), _scalars(np.atleast_2d(inputs[0]))
        if task.payload:
            _, model = surroundings(model, Task(task.algorithm, payload=True), {"payload": _scalars(inputs[-1])})
        with np.errstate(all="ignore"):
            inertias = forward.joint_inertias(model, Arrays(), q)
        for link, (m_hat, size) in reversed(list(zip(model.links, inertias, strict=True))):
            small = ~(np.abs(np.asarray(m_hat)) > ZERO_INERTIA * np.abs(np.asarray(size)))
            if np.any(small):
                raise SingularError(
                    f"{model.name}: joint {link.joint.name!r} moves no inertia (the articulated inertia about its axis "
                    f"is zero), so its acceleration is not determined; give link {link.name!r} inertia about that "
                    "axis, or the joint an armature"
                )


def _solid(link: Link) -> bool:
    """Whether a body resists turning about any axis through its mass centre, and has mass."""
    m, h = cast(float, link.M.m), np.array(link.M.h.components(), dtype=np.float64)
    if not m > 0.0:
        return False
    xx, xy, xz, yy, yz, zz = (cast(float, x) for x in link.M.S.components())
    S = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) - np.outer(h, h) / m
    moments = np.linalg.eigvalsh(np.trace(S) * np.eye(3) - S)
    return bool(moments[0] > WEAK_INERTIA * abs(float(xx + yy + zz)))


def _kernels(model: Model) -> tuple[Any, Any]:
    """The kernels of a model and the module that calls them."""
    try:
        from redyn.kernels import call
        from redyn.kernels.kernel import Kernels
    except (ImportError, OSError):  # no llvmlite for this platform: the float path answers
        return None, None
    return Kernels(model), call


def _given(out: Output, shapes: Sequence[tuple[int, ...]]) -> tuple[Array, ...] | None:
    if out is None:
        return None
    targets: tuple[Any, ...] = out if isinstance(out, tuple) else (out,)
    if len(targets) != len(shapes):
        raise InputError(f"out: expected {len(shapes)} arrays, got {len(targets)}")
    for target, shape in zip(targets, shapes, strict=True):
        array = cast(Array, target)
        if not isinstance(target, np.ndarray) or array.dtype != FLOAT64 or array.shape != shape:
            raise InputError(f"out: expected a float64 array of shape {shape}")
        if not target.flags.writeable:
            raise InputError("out: the array is read-only")
    return cast("tuple[Array, ...]", targets)


def _scalars(array: Array) -> list[Scalar]:
    if array.ndim == 1:
        return cast("list[Scalar]", array.tolist())
    return [cast(Scalar, np.ascontiguousarray(column)) for column in array.T]


def world_inputs(
    frame: Any,
    gravity: ArrayLike | None,
    external: Mapping[str | int, ArrayLike] | None,
    payload: ArrayLike | None,
) -> tuple[dict[str, Any], list[ArrayLike]]:
    """Which run-time parameters a call uses, as fields of a task, and their values in the task's order."""
    values: list[ArrayLike] = [] if gravity is None else [gravity]
    frames: dict[str, ArrayLike] = {}
    if external is not None:
        if not isinstance(external, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InputError("external: expected {link: [moment; force]}")
        for link, wrench in external.items():
            try:
                name, place = frame(link)
            except InputError as error:
                raise InputError(f"external[{link!r}]: {error}") from None
            if place.link == 0:
                raise InputError(f"external[{link!r}]: this frame is fixed to the world and cannot be pushed")
            if name in frames:
                raise InputError(f"external: {name!r} is given twice")
            frames[name] = wrench
        values += [frames[name] for name in sorted(frames)]  # in one order, so that one kernel serves any
    if payload is not None:
        name, place = frame(None)
        if place.link == 0:
            raise InputError("payload: the end effector is fixed to the world")
        values.append(payload)
    return {"gravity": gravity is not None, "external": tuple(sorted(frames)), "payload": payload is not None}, values
