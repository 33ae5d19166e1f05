"""Kernels of one model: found in memory or on disk, else traced, lowered and compiled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from redyn.dynamics.task import Task
from redyn.kernels import cache, machine
from redyn.kernels.call import Array, call_kernel
from redyn.kernels.derived import Mode, derived_program
from redyn.kernels.lock import building
from redyn.kernels.lower import lower
from redyn.kernels.rolled import RolledKernel, covers
from redyn.kernels.rollout import lower_rollout
from redyn.kernels.runge_kutta import Method
from redyn.kernels.trace import trace
from redyn.model import Model

LARGEST = 60  # joints: beyond, straight-line code loses to the instruction cache and takes long to build
# Characters of LLVM's text, about, of an operation, of an output, and of one that is the same in every state. What
# would be longer than the limits takes long to build (a quarter of a minute, half a minute) and is not built: NumPy
# answers instead, which does better with most tasks than with derivatives.
OPERATION, OUTPUT, CONSTANT_OUTPUT = 110, 800, 300
LONGEST, LONGEST_DERIVATIVES = 8_500_000, 22_000_000


@dataclass(frozen=True)
class Kernel:
    """Machine code for one task: long kernel(double **inputs, double **outputs, long N)."""

    code: machine.Code
    width: int

    @property
    def address(self) -> int:
        """Where it is, as long as this kernel is kept."""
        return self.code.address

    def __call__(self, inputs: Sequence[Array], outputs: Sequence[Array]) -> bool:
        """Fill the outputs; whether all is finite."""
        return call_kernel(self.address, inputs, outputs)


class Kernels:
    """The kernels of a model, made when first asked for."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self._covered: dict[Task, bool] = {}
        self._made: dict[tuple[Task, int], Kernel] = {}
        self._derived: dict[tuple[Task, tuple[Mode, ...], int], Kernel] = {}
        self._rollouts: dict[tuple[Task, int, Method], Kernel] = {}
        self._rolled: dict[str, RolledKernel] = {}

    def covers(self, task: Task) -> bool:
        """Whether a straight-line kernel of this task is worth building: their code grows with dof, or its square."""
        if task not in self._covered:
            outputs = sum(prod(shape) for shape in task.shapes(self.model))
            text = OPERATION * task.operations(self.model) + CONSTANT_OUTPUT * outputs
            text += OUTPUT * min(outputs, 10 * self.model.pairs)  # more do not depend on the state
            longest = LONGEST_DERIVATIVES if task.differentiated and not self.model.loops else LONGEST
            self._covered[task] = self.model.n <= LARGEST and text <= longest
        return self._covered[task]

    def rolled(self, task: Task) -> RolledKernel | None:
        """The looped kernel of a long chain, if this task has one."""
        if task != Task(task.algorithm) or not covers(self.model, task.algorithm):
            return None
        if task.algorithm not in self._rolled:
            with building:
                if task.algorithm not in self._rolled:
                    self._rolled[task.algorithm] = RolledKernel(self.model, task.algorithm, machine.lane_width())
        return self._rolled[task.algorithm]

    def get(self, task: Task, width: int | None = None) -> Kernel:
        """The kernel of a task, for vectors of `width` doubles (by default those of this processor)."""
        width = width or machine.lane_width()
        found = self._made.get((task, width))
        if found is None:
            with building:
                found = self._made.get((task, width)) or self._make(task, width)
                self._made[task, width] = found
        return found

    def derived(self, task: Task, modes: tuple[Mode, ...] = (), width: int | None = None) -> Kernel:
        """The kernel of a task differentiated (see `derived`); results are NaN at states that have no answer."""
        width = width or machine.lane_width()
        if not modes and not self._has_guards and not self.model.quaternions:
            return self.get(task, width)
        found = self._derived.get((task, modes, width))
        if found is None:
            with building:
                name = cache.named("derived", self.model, task, modes, width)
                code = cache.code(name, width, lambda: lower(derived_program(self.model, task, modes), width))
                found = self._derived[task, modes, width] = Kernel(code, width)
        return found

    @property
    def _has_guards(self) -> bool:
        model = self.model
        return bool(model.loops or model.contacts or (model.free is not None and model.free.weighs))

    def rollout(self, task: Task, width: int | None = None, method: Method = "rk4") -> Kernel:
        """Fixed steps through time with a forward dynamics: see `lower_rollout`."""
        width = width or machine.lane_width()
        found = self._rollouts.get((task, width, method))
        if found is None:
            with building:
                name = cache.named("rollout", self.model, task, width, method)
                code = cache.code(name, width, lambda: self._rollout_text(task, width, method))
                found = self._rollouts[task, width, method] = Kernel(code, width)
        return found

    def _rollout_text(self, task: Task, width: int, method: Method) -> str:
        quaternions = self.model.quaternions
        rates = None
        if quaternions or self.model.contacts:
            rates = trace(self.model, Task("coordinate_rates", guarded=False))
        closing = trace(self.model, Task("projection", guarded=False)) if self.model.loops else None
        return lower_rollout(trace(self.model, task), width, rates, quaternions, closing, method)

    def _make(self, task: Task, width: int) -> Kernel:
        name = cache.named(self.model, task, width)
        return Kernel(cache.code(name, width, lambda: lower(trace(self.model, task), width)), width)
