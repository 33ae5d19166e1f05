"""From a recursion to a program: run it over CasADi nodes, differentiate if asked, read the operations off."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from redyn.algebra import MassMatrix, Scalar, Vec3, Wrench
from redyn.dynamics import coupled
from redyn.dynamics.algorithms import ALGORITHMS, Algorithm, Shape, World
from redyn.errors import SingularError
from redyn.kernels.lock import building
from redyn.kernels.program import Program, read_function
from redyn.model import Frame, Model, regrouped


@dataclass(frozen=True)
class Task:
    """What a kernel computes: an algorithm, the frame it asks about, and which run-time parameters are inputs."""

    algorithm: str
    frame: str | None = None
    gravity: bool = False
    external: tuple[str, ...] = ()
    payload: bool = False

    @property
    def base(self) -> Algorithm:
        """The recursion behind it; derivatives are of the recursion that they are named after."""
        return ALGORITHMS[self.algorithm.removesuffix("_derivatives")]

    @property
    def differentiated(self) -> tuple[str, ...]:
        """The state vectors by which the outputs are differentiated; empty if they are not."""
        return DERIVATIVES.get(self.algorithm, ())

    def inputs(self, model: Model) -> list[tuple[str, int]]:
        """Name and width of every input array."""
        state = [(name, model.nq if name == "q" else model.dof) for name in self.base.state]
        gravity = [("gravity", 3)] if self.gravity else []
        wrenches = [(f"external[{name!r}]", 6) for name in self.external]
        return [*state, *gravity, *wrenches, *([("payload", 10)] if self.payload else [])]

    def operations(self, model: Model) -> int:
        """About how many a straight-line program has that grow with the square of the joints, or faster."""
        per_pair = DERIVATIVE_OPERATIONS[self.algorithm] if self.differentiated else self.base.per_pair
        coupled = 0 if model.coupling is None else (85 * model.pairs if self.base.divides else 32 * model.pairs)
        return per_pair * model.pairs + coupled

    def shapes(self, model: Model) -> tuple[Shape, ...]:
        """Shape of every output, for one state."""
        n = model.dof
        return ((n, n),) * len(self.differentiated) if self.differentiated else self.base.shapes(model)


DERIVATIVE_OPERATIONS = {"inverse_dynamics_derivatives": 250, "forward_dynamics_derivatives": 520}  # per pair of links
DERIVATIVES = {"inverse_dynamics_derivatives": ("q", "qd"), "forward_dynamics_derivatives": ("q", "qd", "tau")}


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
        outputs = [ca.vertcat(*values) for values in coupled.run(task.base, working, arith, state, world)]
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
        rates = ca.vertcat(*coupled.run(ALGORITHMS["coordinate_rates"], model, arith, state, World())[0])
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
    tau = ca.vertcat(*coupled.run(ALGORITHMS["inverse_dynamics"], model, arith, state, World())[0])
    rows = coupled.run(ALGORITHMS["inverse_mass_matrix"], model, arith, state[:1], World())[0]
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


def surroundings(model: Model, task: Task, named: Mapping[str, Sequence[Scalar]]) -> tuple[World, Model]:
    """The world of a task and the model with its payload, given the run-time parameters by name."""
    world = World(frame=model.frames[task.frame] if task.frame else None)
    if task.gravity:
        world.gravity = Vec3(*named["gravity"])
    wrenches: list[tuple[Frame, Wrench]] = []
    for name in task.external:
        w = named[f"external[{name!r}]"]
        wrenches.append((model.frames[name], Wrench(Vec3(*w[:3]), Vec3(*w[3:]))))
    world.external = wrenches
    if task.payload:
        assert model.end_effector is not None
        model = model.with_payload(MassMatrix.of_parameters(named["payload"]), model.frames[model.end_effector])
    return world, model
