"""The recursions themselves on floats and NumPy arrays, where there is no kernel: slower, with the same results."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from redyn.arithmetic import Arrays, Floats
from redyn.dynamics import reduced
from redyn.dynamics.task import Task, conditions_of, state_of, with_parameters
from redyn.evaluate.columns import scalars
from redyn.model import Model

Array = NDArray[np.float64]


def run(model: Model, task: Task, inputs: list[Array], evaluate: Callable[..., tuple[Array, ...]]) -> list[Array]:
    """Every output as (N, numbers per state). `evaluate` answers other tasks, perhaps by kernels."""
    whole = task.base.divides and not (model.loops or model.contacts)
    if whole and "qd" in task.differentiated:
        return _derivatives(task, inputs, evaluate, inputs[-1:] if model.free is not None else [])
    single = len(inputs[0]) == 1
    arith = Floats() if single else Arrays()
    columns = [scalars(a[0] if single else a) for a in inputs]
    named = dict(zip((name for name, _ in task.inputs(model)), columns, strict=True))
    conditions, working = conditions_of(with_parameters(model.over(arith), named), task, named)
    state = state_of(working, task, named)
    try:
        results = reduced.run(task.entry, working, arith, state, conditions)
    except (ZeroDivisionError, ValueError):  # one state on plain floats: a joint without inertia
        return [np.full((1, int(np.prod(shape))), np.nan) for shape in task.shapes(model)]
    filled: list[Array] = []
    outputs, guards = results[: len(task.entry.outputs)], results[len(task.entry.outputs) :] if task.guarded else []
    wanting = np.zeros(len(inputs[0]), dtype=bool)
    for guard in cast("list[Any]", [x for values in guards for x in values]):
        wanting |= ~(np.asarray(guard, dtype=np.float64) > 0.0)
    for flat in outputs:
        array = np.empty((len(inputs[0]), len(flat)))
        for k, value in enumerate(cast("list[Any]", flat)):
            array[:, k] = value
        array[wanting] = np.nan
        filled.append(array)
    return filled


def _derivatives(
    task: Task, inputs: list[Array], evaluate: Callable[..., tuple[Array, ...]], parameters: list[Array]
) -> list[Array]:
    """Of the forward dynamics: -M^-1 dtau/dq, -M^-1 dtau/dqd and M^-1.

    For what these are made of there may well be kernels, and NumPy multiplies matrices.
    """
    (q, qd, _), rest = inputs[:3], inputs[3:]
    qdd = evaluate(replace(task, algorithm="forward_dynamics"), inputs, check=False)[0]
    inverse = evaluate(Task("inverse_mass_matrix"), [q, *parameters], check=False)[0]
    state = [q, qd, qdd, *rest]
    by_q, by_qd = evaluate(replace(task, algorithm="inverse_dynamics_derivatives"), state, check=False)
    return [a.reshape(len(q), -1) for a in (-inverse @ by_q, -inverse @ by_qd, inverse)]
