"""Derivatives of any task along directions, forward or backward, any number of times.

A task maps inputs x to outputs y. A forward `Mode` has directions dx of some inputs as further inputs, and dy as
outputs; a reverse one has weights w of all outputs as further inputs, and the gradients of w . y by some inputs as
outputs. Either costs a few times what the task costs, whatever the number of inputs and outputs. Modes follow each
other: the second differentiates what the first has made. Derivatives are by the coordinates as they are, quaternions
included.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, cast

from redyn.dynamics.algorithm import Shape
from redyn.dynamics.task import Task
from redyn.errors import InputError
from redyn.kernels.lock import building
from redyn.kernels.program import Program, read_function
from redyn.kernels.trace import casadi_function, trace
from redyn.model import Model
from redyn.words import counted

LONGEST = 60_000  # operations: beyond, compiling takes minutes


class Mode(NamedTuple):
    """`by` are the numbers of the inputs by which the outputs are differentiated."""

    kind: Literal["forward", "reverse"]
    by: tuple[int, ...]


class Signature(NamedTuple):
    """Shapes of inputs and outputs, of one state."""

    inputs: tuple[Shape, ...]
    outputs: tuple[Shape, ...]

    def after(self, mode: Mode) -> Signature:
        """Of what a mode makes."""
        chosen = tuple(self.inputs[k] for k in mode.by)
        if mode.kind == "forward":
            return Signature(self.inputs + chosen, self.outputs)
        return Signature(self.inputs + self.outputs, chosen)


def signature(model: Model, task: Task, modes: Sequence[Mode] = ()) -> Signature:
    found = Signature(tuple((width,) for _, width in task.inputs(model)), task.shapes(model))
    for mode in modes:
        found = found.after(mode)
    return found


def derived_program(model: Model, task: Task, modes: Sequence[Mode] = ()) -> Program:
    """The program of a task, differentiated; results are NaN where the task has no answer.

    Quaternions need not have length 1: they are brought to it first, and derivatives know that.
    """
    quaternions = model.quaternions if task.base.state[0] == "q" else []
    if not modes and not quaternions:
        return trace(model, task).marked()
    with building:
        function = casadi_function(model, task, guards=True)
        inputs = list(function.sx_in())
        found = list(function.call([_with_unit_quaternions(inputs[0], quaternions), *inputs[1:]]))
        count = len(task.entry.outputs)
        outputs, guards = found[:count], found[count:]
        for mode in modes:
            inputs, outputs = _differentiated(inputs, outputs, mode)
        program = read_function(_function(inputs, outputs + guards), len(outputs))
    if len(program.ops) > LONGEST:
        raise InputError(
            f"{model.name}: derivatives of order {len(modes)} of {task.algorithm} take "
            f"{counted(len(program.ops), 'operation')}; at most {LONGEST} are compiled"
        )
    return program.marked()


def _with_unit_quaternions(q: Any, starts: Sequence[int]) -> Any:
    import casadi  # pyright: ignore[reportMissingTypeStubs]

    ca = cast(Any, casadi)
    entries = ca.vertsplit(q)
    for start in starts:
        length = ca.sqrt(sum(x * x for x in entries[start : start + 4]))
        entries[start : start + 4] = [x / length for x in entries[start : start + 4]]
    return ca.vertcat(*entries)


def _function(inputs: list[Any], outputs: list[Any]) -> Any:
    import casadi  # pyright: ignore[reportMissingTypeStubs]

    ca = cast(Any, casadi)
    return ca.Function("derived", inputs, [ca.densify(x) for x in outputs])


def _differentiated(inputs: list[Any], outputs: list[Any], mode: Mode) -> tuple[list[Any], list[Any]]:
    import casadi  # pyright: ignore[reportMissingTypeStubs]

    ca = cast(Any, casadi)
    chosen = [inputs[k] for k in mode.by]
    x, y = ca.vertcat(*chosen), ca.vertcat(*outputs)
    backward = mode.kind == "reverse"
    seeds = [ca.SX.sym("seed", part.numel()) for part in (outputs if backward else chosen)]
    found = ca.densify(ca.jtimes(y, x, ca.vertcat(*seeds), backward))
    parts, start = list[Any](), 0
    for part in chosen if backward else outputs:
        parts.append(found[start : start + part.numel()])
        start += part.numel()
    return inputs + seeds, parts
