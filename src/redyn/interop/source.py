"""What a function inside another package runs: a task of a robot, perhaps differentiated."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from redyn.dynamics.task import Task
from redyn.errors import InputError
from redyn.evaluate import Evaluator
from redyn.kernels import NARROW
from redyn.kernels.derived import Mode, Signature, derived_program, signature
from redyn.kernels.program import Program
from redyn.words import counted


class Source:
    """A task and the modes in which it is differentiated. Equal sources of equal robots are equal."""

    def __init__(self, evaluator: Evaluator, task: Task, modes: tuple[Mode, ...] = ()) -> None:
        self.evaluator, self.task, self.modes = evaluator, task, modes
        self._derived: dict[Mode, Source] = {}
        self._kernels: dict[bool, Any] = {}

    @classmethod
    def of(cls, evaluator: Evaluator, task: Task) -> Source:
        """The task itself, if there is code for it."""
        model, kernels = evaluator.model, evaluator.kernels
        evaluator.plan(task)  # or why it cannot be asked
        if kernels is not None and not kernels.covers(task):
            raise InputError(
                f"{task.algorithm}: {model.name} ({counted(model.dof, 'joint rate')}) is too large for code without "
                "loops, which is what redyn.jax and redyn.torch run"
            )
        return cls(evaluator, task)

    @cached_property
    def name(self) -> str:
        """The same for equal sources, and for no others."""
        from redyn.kernels import cache

        return cache.named("source", self.evaluator.model, self.task, self.modes)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Source) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)

    @cached_property
    def signature(self) -> Signature:
        return signature(self.evaluator.model, self.task, self.modes)

    def forward(self, by: Sequence[int]) -> Source:
        """The derivative along directions of these inputs, which follow the inputs."""
        return self._with(Mode("forward", tuple(by)))

    def reverse(self, by: Sequence[int]) -> Source:
        """The gradients by these inputs, given weights of the outputs, which follow the inputs."""
        return self._with(Mode("reverse", tuple(by)))

    def _with(self, mode: Mode) -> Source:
        found = self._derived.get(mode)
        if found is None:
            found = self._derived[mode] = Source(self.evaluator, self.task, (*self.modes, mode))
        return found

    @property
    def linear(self) -> int:
        """From which input on it is linear: in the directions or weights of its last mode."""
        return len(signature(self.evaluator.model, self.task, self.modes[:-1]).inputs)

    def transposed(self, wanted: Sequence[int]) -> tuple[Source, list[int]]:
        """The transpose of that linear map by some of its inputs, and which of its outputs these are."""
        *_, last = self.modes
        before = Source(self.evaluator, self.task, self.modes[:-1])
        if last.kind == "forward":
            return before.reverse([last.by[k] for k in wanted]), list(range(len(wanted)))
        return before.forward(last.by), list(wanted)

    def kernel(self, states: int) -> Any:
        """Machine code for so many states."""
        narrow = states < NARROW
        found = self._kernels.get(narrow)
        if found is None:
            found = self._kernels[narrow] = self.evaluator.kernels.derived(self.task, self.modes, 1 if narrow else None)
        return found

    @cached_property
    def program(self) -> Program:
        """The operations."""
        return derived_program(self.evaluator.model, self.task, self.modes)
