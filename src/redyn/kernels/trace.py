"""From a recursion to a program: run it over CasADi nodes, differentiate if asked, read the operations off."""

from __future__ import annotations

from typing import Any, cast

from redyn.algebra import Scalar
from redyn.dynamics import reduced
from redyn.dynamics.algorithm import World
from redyn.dynamics.catalogue import ALGORITHMS
from redyn.dynamics.task import Task, surroundings
from redyn.errors import SingularError
from redyn.kernels.lock import building
from redyn.kernels.program import Program, read_function
from redyn.model import Model, regrouped


def casadi_function(model: Model, task: Task) -> Any:
    """The CasADi function of a task, with one column per input array and per output, matrices flat by rows."""
    import casadi  # pyright: ignore[reportMissingTypeStubs]

    from redyn.arithmetic import graph

    ca = cast(Any, casadi)
    with building:
        made = {name: graph.inputs(name, width) for name, width in task.inputs(model)}
        columns = {name: column for name, (column, _) in made.items()}
        nodes = {name: scalars for name, (_, scalars) in made.items()}
        arith = graph.Graph()
        working = regrouped(model) if task.base.regroup else model
        world, working = surroundings(working, task, nodes)
        state = [nodes[name] for name in task.base.state]
        outputs = [ca.vertcat(*values) for values in reduced.run(task.base, working, arith, state, world)]
        if task.differentiated:
            if task.base.divides:
                flat = _forward_derivatives(ca, working, arith, columns, nodes, outputs[0])
            else:
                flat = _by_state(ca, working, arith, columns, nodes, outputs[0])
            outputs = [ca.densify(matrix.T).reshape((-1, 1)) for matrix in flat]  # CasADi lays matrices by columns
        else:
            outputs = [ca.densify(column) for column in outputs]
        return ca.Function(task.algorithm, list(columns.values()), outputs)


def _by_state(
    ca: Any, model: Model, arith: Any, columns: dict[str, Any], nodes: dict[str, list[Scalar]], tau: Any
) -> list[Any]:
    """dtau/dq in the tangent space, which is dtau/dq E(q), and dtau/dqd."""
    by_q = ca.jacobian(tau, columns["q"])
    if model.quaternions:
        state = [nodes["q"], nodes["qd"]]
        rates = ca.vertcat(*reduced.run(ALGORITHMS["coordinate_rates"], model, arith, state, World())[0])
        by_q = ca.mtimes(by_q, ca.jacobian(rates, columns["qd"]))
    return [by_q, ca.jacobian(tau, columns["qd"])]


def _forward_derivatives(
    ca: Any, model: Model, arith: Any, columns: dict[str, Any], nodes: dict[str, list[Scalar]], qdd: Any
) -> list[Any]:
    """dqdd/dq = -M^-1 dtau/dq and dqdd/dqd = -M^-1 dtau/dqd at that qdd; dqdd/dtau = M^-1.

    Differentiating the elimination itself costs a quarter more operations.
    """
    from redyn.arithmetic import graph

    x, unknown = graph.inputs("x", model.dof)
    state = [nodes["q"], nodes["qd"], unknown]
    tau = ca.vertcat(*reduced.run(ALGORITHMS["inverse_dynamics"], model, arith, state, World())[0])
    rows = reduced.run(ALGORITHMS["inverse_mass_matrix"], model, arith, state[:1], World())[0]
    inverse = ca.vertcat(*rows).reshape((model.dof, model.dof))  # symmetric, so rows may stand for columns
    by_q, by_qd = ca.substitute(_by_state(ca, model, arith, columns, nodes, tau), [x], [qdd])
    return [-ca.mtimes(inverse, by_q), -ca.mtimes(inverse, by_qd), inverse]


def trace(model: Model, task: Task) -> Program:
    try:
        return read_function(casadi_function(model, task))
    except ZeroDivisionError:
        raise SingularError(
            f"{model.name}: a joint moves no inertia whatever the state, so {task.algorithm} has no graph"
        ) from None
