"""From a recursion to a program: run it over CasADi nodes and read the operations off."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from redyn.algebra import Arithmetic, Scalar
from redyn.dynamics import reduced
from redyn.dynamics.algorithm import Divisor, Kind
from redyn.dynamics.forward import ZERO_INERTIA, joint_inertias
from redyn.dynamics.task import Task, conditions_of, state_of, with_parameters
from redyn.errors import SingularError
from redyn.kernels.lock import building
from redyn.kernels.program import Program, depth_first, read_function
from redyn.model import Model, regrouped

_SQUARES = (Kind.SQUARE, Kind.CONVECTIVE_SQUARE)


def casadi_function(model: Model, task: Task, guards: bool = False) -> Any:
    """The CasADi function of a task, with one column per input array and per output, matrices flat by rows.

    With `guards`, one more output holds numbers that must be positive, where the task has such.
    """
    import casadi  # pyright: ignore[reportMissingTypeStubs]

    from redyn.arithmetic import graph

    ca = cast(Any, casadi)
    with building:
        made = {name: graph.inputs(name, width) for name, width in task.inputs(model)}
        columns = {name: column for name, (column, _) in made.items()}
        nodes = {name: scalars for name, (_, scalars) in made.items()}
        arith = graph.Graph()
        working = with_parameters(model, nodes)
        working = regrouped(working) if task.entry.regroup else working
        conditions, working = conditions_of(working, task, nodes)
        state = state_of(working, task, nodes)
        found = reduced.run(task.entry, working, arith, state, conditions)
        if guards and task.guarded and model.free is not None and model.free.weighs:
            found = [*found, *_inertia_guards(task, working, arith, nodes)]
        kept = found if guards and task.guarded else found[: len(task.entry.outputs)]
        outputs = [ca.densify(ca.vertcat(*values)) for values in kept]
        return ca.Function(task.algorithm, list(columns.values()), outputs)


def _inertia_guards(
    task: Task, model: Model, arith: Arithmetic, nodes: Mapping[str, Sequence[Scalar]]
) -> list[list[Scalar]]:
    """That every joint moves some inertia, whatever the parameters are; most of it is computed anyway.

    Where the mass matrix is solved as a whole, Cholesky's square roots tell.
    """
    if task.base.divisor is not Divisor.JOINT_INERTIAS or model.reduction is not None or model.loops:
        return []
    inertias = joint_inertias(model, arith, nodes["q"])
    return [[m_hat * m_hat - (size * ZERO_INERTIA) * (size * ZERO_INERTIA) for m_hat, size in inertias]]


def trace(model: Model, task: Task) -> Program:
    try:
        program = read_function(casadi_function(model, task, guards=True), len(task.entry.outputs))
        of_tree = not model.loops or task.entry.closed is None
        square = all(shape == (model.dof, model.dof) for shape in task.shapes(model))
        pairwise = of_tree and not task.base.divides and square and all(o.kind in _SQUARES for o in task.entry.outputs)
        return depth_first(program, _pair_by_pair(model.dof, len(program.outputs))) if pairwise else program
    except ZeroDivisionError:
        raise SingularError(
            f"{model.name}: a joint moves no inertia whatever the state, so {task.algorithm} has no graph"
        ) from None


def _pair_by_pair(n: int, matrices: int) -> list[int]:
    """Entries of n x n matrices in the order of recursions over pairs: from each joint, tips first, to the base."""
    pairs = [(i, j) for i in reversed(range(n)) for j in reversed(range(i + 1))]
    entries = [entry for i, j in pairs for entry in ((i * n + j, j * n + i) if i != j else (i * n + i,))]
    return [matrix * n * n + entry for entry in entries for matrix in range(matrices)]
