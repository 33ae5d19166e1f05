"""Between the arrays that users pass and the code that computes on them.

Arguments are checked here, once, and brought to contiguous (N, width) float64 arrays. Kernels do the work where they
can run; otherwise the same recursions run on floats and NumPy arrays, slower. Kernels report whether all results are
finite; only when they are not are the inputs searched for the culprit.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from redyn.dynamics.algorithm import Divisor
from redyn.dynamics.task import Task
from redyn.errors import AssemblyError, InputError, RedynError, SingularError
from redyn.evaluate import loops, rolling, singular, uncompiled
from redyn.evaluate.arguments import NOT_FREE, Arguments, Array, Output, check_threads, given_outputs
from redyn.evaluate.buffers import Buffers
from redyn.evaluate.flexible import refuse_flexible
from redyn.evaluate.threads import run_slices
from redyn.kernels import NARROW
from redyn.model import Model


@dataclass
class Plan:
    """What a call of a task needs to know, looked up once: names and widths in, shapes out, kernels."""

    task: Task
    inputs: list[tuple[str, int]]
    shapes: tuple[tuple[int, ...], ...]
    divides: bool
    fast: Any  # its FastPath, where there is one
    kernels: dict[bool, Any] = field(default_factory=dict[bool, Any])  # by whether the batch is too small for lanes

    @property
    def names(self) -> list[str]:
        return [name for name, _ in self.inputs]


class Evaluator:
    """Runs tasks on one model."""

    def __init__(self, model: Model, open_loops: str = "") -> None:
        """`open_loops`: why the loops of the model cannot be closed, if that is so."""
        self.model, self._open_loops = model, open_loops
        # Of a model whose numbers are left open: those of calls that give none.
        self.parameters: Array | None = None if model.free is None else np.array(model.free.nominal)
        self.kernels = _kernels(model)
        self.arguments = Arguments(model)
        self._buffers = Buffers()
        self._plans: dict[Task, Plan] = {}

    def at(self, parameters: Array) -> Evaluator:
        """The same with other numbers where calls give none; they share kernels."""
        other = copy.copy(self)
        other.parameters = parameters
        return other

    def plan(self, task: Task) -> Plan:
        found = self._plans.get(task)
        if found is None:
            if self._open_loops and (task.entry.closed is not None):
                raise AssemblyError(f"{self.model.name}: {self._open_loops}")
            refuse_flexible(self.model, task)
            inputs, shapes = task.inputs(self.model), task.shapes(self.model)
            fast = _fast_path(inputs, shapes, self.model.quaternions, self._buffers) if self.kernels else None
            found = self._plans[task] = Plan(task, inputs, shapes, task.base.divides, fast)
        return found

    def answer(self, task: Task, values: Sequence[ArrayLike], options: Mapping[str, Any]) -> Any:
        """The result of a task as the caller gets it: an array, or a tuple where it has several outputs.

        `options` are keywords of `__call__`.
        """
        plan = self.plan(task)
        if "parameters" in options:
            raise InputError(f"parameters: {NOT_FREE}")
        values = self._complete(plan, values)
        if plan.fast is not None:
            values = self.arguments.arrays(plan.inputs, values)
            found = plan.fast.with_options(values, options)
            if found is not None:
                return found
        results = self(task, values, **options)
        return results[0] if len(results) == 1 else results

    def __call__(
        self,
        task: Task,
        values: Sequence[ArrayLike],
        threads: int | None = None,
        check: bool = True,
        out: Output = None,
    ) -> tuple[Array, ...]:
        """The outputs of a task for one state, or for a batch if any input is one."""
        plan = self.plan(task)
        values = self._complete(plan, values)
        inputs, size = self.arguments.states(plan.inputs, values)
        single, count = size is None, len(inputs[0])
        given = None
        if out is not None:
            given = given_outputs(out, plan.shapes if single else [(count, *shape) for shape in plan.shapes])
        check_threads(threads)
        if check and self.arguments.quaternions and plan.inputs[0][0] == "q":
            inputs[0] = self.arguments.with_unit_quaternions("q", inputs[0], single)
        if plan.divides and count and self._may_be_singular:
            singular.require_inertia(self.model, task, inputs)
        outputs = [self._buffers.empty((count, *shape)) for shape in plan.shapes]
        finite = self._compute(plan, inputs, outputs, threads)
        if check and not finite:
            self._explain(task, plan.names, inputs, outputs, single)
        results = [a[0] for a in outputs] if single else outputs
        if given is None:
            return tuple(results)
        for target, result in zip(given, results, strict=True):
            np.copyto(target, result)
        return given

    def _complete(self, plan: Plan, values: Sequence[ArrayLike]) -> Sequence[ArrayLike]:
        """The inputs of a task, with the numbers that are left open where a call gives none."""
        if self.parameters is None or len(values) == len(plan.inputs):
            return values
        return [*values, self.parameters]

    def address(self, task: Task, complete: bool = False) -> int | None:
        """Where the machine code of a task for single states is, for loops that call it; None if there is none.

        `complete` says that the loop passes parameters, if the model has such, as the last input. It stays there as
        long as this evaluator, and so the robot, is kept.
        """
        if self.kernels is None or not self.kernels.covers(task) or not (complete or self.parameters is None):
            return None
        return self.kernels.get(task, 1).address

    def _compute(self, plan: Plan, inputs: list[Array], outputs: list[Array], threads: int | None) -> bool:
        """Fill the outputs; whether they are finite."""
        if not len(inputs[0]):
            return True
        narrow = len(inputs[0]) < NARROW
        kernel = plan.kernels.get(narrow)
        if kernel is None and self.kernels is not None:
            kernel = plan.kernels[narrow] = self._kernel(plan, narrow)
        if kernel is not None:
            return run_slices(kernel, inputs, outputs, threads)
        if plan.divides and self._weighs:
            singular.require_inertia(self.model, plan.task, inputs)
        with np.errstate(all="ignore"):
            for output, values in zip(outputs, uncompiled.run(self.model, plan.task, inputs, self), strict=True):
                output.reshape(len(output), -1)[...] = values
        return all(np.isfinite(a).all() for a in (*outputs, *inputs))

    def _kernel(self, plan: Plan, narrow: bool) -> Any:
        """The kernel for few states or for many, which the fast path then has as well; None if there is none."""
        if not self.kernels.covers(plan.task):
            return self.kernels.rolled(plan.task)
        found = self.kernels.get(plan.task, 1 if narrow else None)
        if plan.fast is not None and not (plan.divides and self._may_be_singular):
            plan.fast.add(found, narrow)
        return found

    def _explain(self, task: Task, names: list[str], inputs: list[Array], outputs: list[Array], single: bool) -> None:
        """Say why a result is not finite."""
        for name, array in zip(names, inputs, strict=True):
            bad = np.argwhere(~np.isfinite(array))
            if len(bad):
                place = ", ".join(str(int(i)) for i in (bad[0][1:] if single else bad[0]))
                raise InputError(f"{name}[{place}] is {array[tuple(bad[0])]}; expected finite numbers")
        if self._weighs and task.base.divides:
            singular.require_inertia(self.model, task, inputs)
        closed = self.model.closure is not None and task.entry.closed is not None
        if closed or self.model.contacts:  # a kernel tells that a guard was not positive, not where
            with np.errstate(all="ignore"):
                outputs = uncompiled.run(self.model, task, inputs, self)
        rows = np.any([~np.isfinite(a.reshape(len(a), -1)).all(axis=1) for a in outputs], axis=0)
        row = int(np.argmax(rows))
        where = "" if single else f" in row {row}"
        if not rows.any():
            return  # finite after all: only their sum was too large
        if closed:
            state = {name: array[row] for name, array in zip(names, inputs, strict=True)}
            raise loops.explain(self.model, self, state, where)
        if self.model.contacts:
            raise rolling.explain(self.model, task, inputs[names.index("q")][row], where)
        whole = task.base.divides and self.model.reduction is not None
        if whole or task.base.divisor is Divisor.MASS_MATRIX:
            raise SingularError(f"{self.model.name}: the mass matrix is not positive definite{where}")
        raise RedynError(f"{task.algorithm}{where} is too large to represent; are the inputs in SI units?")

    @cached_property
    def _may_be_singular(self) -> bool:
        """Whether that has to be looked at before every call; where inertias are left open, kernels have guards."""
        return singular.may_be_singular(self.model) and not (self._weighs and self.kernels is not None)

    @property
    def _weighs(self) -> bool:
        """Whether inertias are left open."""
        model = self.model
        return model.free is not None and model.free.weighs and model.reduction is None and not model.loops


def _kernels(model: Model) -> Any:
    """The kernels of a model; None without llvmlite for this platform, where the recursions run uncompiled."""
    try:
        from redyn.kernels.kernel import Kernels
    except (ImportError, OSError):
        return None
    return Kernels(model)


def _fast_path(
    inputs: list[tuple[str, int]], shapes: tuple[tuple[int, ...], ...], quaternions: list[int], buffers: Buffers
) -> Any:
    from redyn.evaluate.fast import FastPath
    from redyn.kernels import builtin

    widths = [width for _, width in inputs]
    if not builtin.is_possible(widths, shapes):
        return None
    return FastPath(widths, shapes, quaternions if inputs[0][0] == "q" else [], buffers)
