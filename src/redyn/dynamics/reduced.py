"""Every algorithm for robots some of whose rates depend on others: it runs on the whole tree, between G and G^T.

What becomes of a result depends on its kind alone. What divides is solved from G^T M G, order n^3. Where loops are
closed as well, or alone, an algorithm that they change has its own way (see `loops`), given the tree in the robot's
own rates.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from redyn.algebra import Arithmetic, Scalar, dot
from redyn.arithmetic.duals import Duals
from redyn.dynamics import elimination
from redyn.dynamics.algorithm import (
    Algorithm,
    Columns,
    Conditions,
    Derivative,
    Entry,
    Kind,
    Outputs,
    ParameterDerivative,
    Rows,
    Solve,
    flat,
)
from redyn.dynamics.catalogue import ALGORITHMS
from redyn.dynamics.closed import Closed
from redyn.dynamics.constraints import Cut, jacobian_row
from redyn.dynamics.derivatives import inverse_dynamics_derivatives
from redyn.dynamics.forward import forward_dynamics, generalized_force
from redyn.dynamics.inertia import mass_matrix
from redyn.dynamics.inverse import inverse_dynamics, user_joint_wrenches
from redyn.dynamics.kinematics import coordinate_rates, jacobian
from redyn.dynamics.least_squares import least
from redyn.dynamics.mechanism import MatrixSolver, Mechanism, RecursiveSolver
from redyn.dynamics.rolling import RollingMap, rate_map
from redyn.model import Frame, Model, RateMap, Reduction, Rolling, regrouped


def run(algorithm: Entry, model: Model, arith: Arithmetic, state: Columns, conditions: Conditions) -> Outputs:
    """The outputs of an algorithm, whether or not rates of the robot depend on others or its loops are closed.

    One list more than the algorithm has outputs is of guards: numbers that must be positive, or the results are wrong.
    """
    if isinstance(algorithm, ParameterDerivative):
        return parameter_slopes(algorithm.base, model, arith, state, conditions)
    given = dict(zip(algorithm.state, state, strict=True))
    tree = None if model.reduction is None else _Tree.of(model, model.reduction, arith, given, conditions)
    if model.loops and algorithm.closed is not None:
        if tree is None:
            return algorithm.closed(_closed(algorithm, model, arith, given, conditions))
        return algorithm.closed(tree.closed(algorithm, given))
    return _of_tree(algorithm, model, arith, given, conditions, tree)


def _of_tree(
    algorithm: Entry,
    model: Model,
    arith: Arithmetic,
    given: dict[str, Sequence[Scalar]],
    conditions: Conditions,
    tree: _Tree | None,
) -> Outputs:
    if tree is None:
        return algorithm.run(model, arith, [given[name] for name in algorithm.state], conditions)
    if isinstance(algorithm, Derivative) and isinstance(model.reduction, Rolling):
        return [*differentiated(algorithm, model, arith, given, conditions), tree.guards]
    if algorithm.reduced is not None:
        M = tree.square(mass_matrix(model, arith, tree.whole["q"]))
        solve = Solve(
            arith,
            M,
            given,
            phi=lambda: tree.driving_force(given["tau"]),
            slopes=tree.slopes,
            jacobian=tree.jacobian,
            ground_forces=lambda u_dot: tree.ground_forces(u_dot, given["tau"]),
        )
        return [*algorithm.reduced(solve), tree.guards]
    found = algorithm.run(model, arith, [tree.whole[name] for name in algorithm.state], conditions)
    return [*(tree.reduced(output.kind, x) for output, x in zip(algorithm.outputs, found, strict=True)), tree.guards]


def differentiated(
    algorithm: Derivative,
    model: Model,
    arith: Arithmetic,
    given: dict[str, Sequence[Scalar]],
    conditions: Conditions,
) -> Outputs:
    """The derivatives of an algorithm by dual numbers: where G depends on q, all of it takes part in them.

    By q they are along the directions in which q can be changed, one per rate of the tree.
    """
    duals, zero, one = Duals(arith), arith.const(0.0), arith.const(1.0)
    n, q = model.tangent, given["q"]
    widths = {name: n if name == "q" else len(given[name]) for name in algorithm.by}
    count = sum(widths.values())
    along = [coordinate_rates(model, arith, q, [one if i == k else zero for i in range(n)]) for k in range(n)]
    values: dict[str, Sequence[Scalar]] = dict(given)
    before = 0
    for name, width in widths.items():
        behind = [zero] * (count - before - width)
        own = [
            [column[c] for column in along] if name == "q" else [one if k == c else zero for k in range(width)]
            for c in range(len(given[name]))
        ]
        values[name] = [
            duals.variable(x, [*[zero] * before, *slopes, *behind]) for x, slopes in zip(given[name], own, strict=True)
        ]
        before += width
    result, *_ = run(algorithm.base, model, duals, [values[name] for name in algorithm.state], conditions)
    slopes = [duals.slopes(x, count) for x in result]
    found, before = list[list[Scalar]](), 0
    for width in widths.values():
        found.append([x for row in slopes for x in row[before : before + width]])
        before += width
    return found


def parameter_slopes(
    algorithm: Algorithm, model: Model, arith: Arithmetic, state: Columns, conditions: Conditions
) -> Outputs:
    """The derivatives of an algorithm's outputs by the parameters that are left open, by dual numbers."""
    assert model.free is not None
    parameters = conditions.parameters
    count, zero, one = len(parameters), arith.const(0.0), arith.const(1.0)
    if algorithm.name == "forward_dynamics" and model.reduction is None and not model.loops:
        return [_acceleration_slopes(model, arith, state, conditions)]
    duals = Duals(arith)
    varied = [duals.variable(p, [one if i == k else zero for i in range(count)]) for k, p in enumerate(parameters)]
    changed = model.free.at(model, varied)
    external = [(_moved(frame, model, changed), wrench) for frame, wrench in conditions.external]
    asked = None if conditions.frame is None else _moved(conditions.frame, model, changed)
    around = replace(conditions, frame=asked, external=external)
    found = run(algorithm, regrouped(changed) if algorithm.regroup else changed, duals, state, around)
    outputs = [[x for y in values for x in duals.slopes(y, count)] for values in found[: len(algorithm.outputs)]]
    guards = [[duals.value(x) for x in values] for values in found[len(algorithm.outputs) :]]
    return [*outputs, *guards]


def _moved(frame: Frame, model: Model, changed: Model) -> Frame:
    """A frame of a model, where another model has it."""
    return next(changed.frames[name] for name, item in model.frames.items() if item is frame)


def _acceleration_slopes(model: Model, arith: Arithmetic, state: Columns, conditions: Conditions) -> list[Scalar]:
    """-M^-1 dtau/dp at the acceleration that tau gives: one elimination serves all parameters."""
    q, qd, tau = state
    around = (conditions.gravity, conditions.external, conditions.ground)
    working = regrouped(model)
    qdd = forward_dynamics(working, arith, q, qd, tau, *around)
    slopes, *_ = parameter_slopes(ALGORITHMS["inverse_dynamics"], model, arith, [q, qd, qdd], conditions)
    count = len(conditions.parameters)
    carriers = [[j - 1 for j in model.path(link.parent)] for link in model.links]
    factors = *elimination.udu(mass_matrix(working, arith, q), carriers), carriers
    columns = [elimination.solve(*factors, [-x for x in slopes[k::count]]) for k in range(count)]
    return [x for row in zip(*columns, strict=True) for x in row]


def _closed(
    algorithm: Entry, model: Model, arith: Arithmetic, given: dict[str, Sequence[Scalar]], conditions: Conditions
) -> Closed:
    """For an algorithm that loops change, of a robot whose tree moves independently."""
    q, around = given["q"], (conditions.gravity, conditions.external, conditions.ground)

    def solver(m: Mechanism) -> RecursiveSolver:
        return RecursiveSolver(model, arith, m.B)

    mechanism = Mechanism(model, arith, q, given.get("qd"), given.get("qdd"), None, list, solver)

    def phi() -> list[Scalar]:
        return generalized_force(model, arith, mechanism.B, q, given["qd"], given["tau"], *around)

    return Closed(
        arith,
        mechanism,
        given,
        conditions.guarded,
        tree=lambda: _of_tree(algorithm, model, arith, given, conditions, None),
        inverse=lambda: inverse_dynamics(model, arith, q, given["qd"], given["qdd"], *around),
        phi=phi,
        mass_matrix=lambda: mass_matrix(model, arith, q),
        jacobian=lambda: jacobian(model, arith, q, _asked(conditions)),
        slopes=lambda qdd: inverse_dynamics_derivatives(model, arith, q, given["qd"], qdd, conditions.ground),
        wrenches=lambda more: user_joint_wrenches(model, arith, q, given["qd"], given["qdd"], *around, on_links=more),
        coordinate_rates=lambda rates: coordinate_rates(model, arith, q, rates),
        over=lambda other, values: _closed(algorithm, model, other, values, conditions),
    )


@dataclass
class _Tree:
    """The whole tree at a state of the robot."""

    model: Model
    reduction: Reduction
    arith: Arithmetic
    conditions: Conditions
    whole: dict[str, list[Scalar]]  # q, qd and qdd, as far as they are given
    bias: list[Scalar] | None = None  # G_dot u; None where there is none
    _guards: list[Scalar] = field(default_factory=list[Scalar])

    @staticmethod
    def of(
        model: Model,
        reduction: Reduction,
        arith: Arithmetic,
        given: dict[str, Sequence[Scalar]],
        conditions: Conditions,
    ) -> _Tree:
        whole: dict[str, list[Scalar]] = {}
        if "q" in given:
            whole["q"] = reduction.whole_q(given["q"], arith)
        tree = _Tree(model, reduction, arith, conditions, whole)
        if "qd" in given:
            whole["qd"] = tree.G.to_tree(given["qd"])
            tree.bias = tree.G.bias(whole["qd"], given["qd"])
        if "qdd" in given:
            whole["qdd"] = _sum(tree.G.to_tree(given["qdd"]), tree.bias)
        return tree

    @cached_property
    def G(self) -> RateMap:
        """Made when it is needed: where bodies are does not depend on it, whether or not it is singular there."""
        found = rate_map(self.model, self.arith, self.whole.get("q"))
        self._guards += found.guards
        return found

    @property
    def guards(self) -> list[Scalar]:
        """Numbers that must be positive, as far as results depend on them."""
        return self._guards

    def closed(self, algorithm: Entry, given: dict[str, Sequence[Scalar]]) -> Closed:
        """For an algorithm that loops change."""
        model, arith, q = self.model, self.arith, self.whole["q"]
        reduction, conditions = self.reduction, self.conditions

        def solver(m: Mechanism) -> MatrixSolver:
            def row(cut: Cut, number: int) -> list[Scalar]:
                return m.row(jacobian_row(model, arith, m.B, cut.push(number), cut.carrier))

            return MatrixSolver(arith, self.square(mass_matrix(model, arith, q)), row)

        return Closed(
            arith,
            Mechanism(
                model, arith, q, self.whole.get("qd"), self.whole.get("qdd"), self.bias, self.G.to_forces, solver
            ),
            given,
            conditions.guarded,
            tree=lambda: _of_tree(algorithm, model, arith, given, conditions, self)[: len(algorithm.outputs)],
            inverse=lambda: self.G.to_forces(self._inverse(self.whole["qdd"])),
            phi=lambda: self.driving_force(given["tau"]),
            mass_matrix=lambda: self.square(mass_matrix(model, arith, q)),
            jacobian=self.jacobian,
            slopes=self.slopes,
            wrenches=lambda more: user_joint_wrenches(
                model,
                arith,
                q,
                self.whole["qd"],
                self.whole["qdd"],
                conditions.gravity,
                conditions.external,
                conditions.ground,
                on_links=more,
            ),
            coordinate_rates=lambda rates: reduction.own_q(coordinate_rates(model, arith, q, self.G.to_tree(rates))),
            over=lambda other, values: _Tree.of(model, reduction, other, values, conditions).closed(algorithm, values),
        )

    def reduced(self, kind: Kind, values: list[Scalar]) -> list[Scalar]:
        """A result of the tree as one of the robot."""
        if kind is Kind.COORDINATES:
            return self.reduction.own_q(values)
        if kind in (Kind.PLAIN, Kind.RATES):
            return values
        to_forces, bias = self.G.to_forces, self.bias
        rows = _rows(values, self.model.n)
        if kind is Kind.FORCE:
            return to_forces(values)
        if kind is Kind.DRIVING:
            return self.supplied(to_forces(values))
        if kind is Kind.CONVECTIVE_FORCE:
            return to_forces(values if bias is None else _sum(values, _times(self._mass_matrix(), bias, self.arith)))
        if kind is Kind.SQUARE:
            return flat(self.square(rows))
        if kind is Kind.CONVECTIVE_SQUARE:
            more = [to_forces(column) for column in self._times_rate(self._mass_matrix)]
            return _sum(flat(self.square(rows)), flat(_transposed(more)) or None)
        if kind is Kind.COLUMNS:
            return flat([to_forces(row) for row in rows])
        if kind is Kind.COLUMN_RATES:
            more = self._times_rate(self._jacobian)
            return _sum(flat([to_forces(row) for row in rows]), flat(_transposed(more)) or None)
        assert kind is Kind.ROWS
        columns = _transposed(_rows(values, len(values) // self.model.n))
        return flat(_transposed([self.supplied(to_forces(column)) for column in columns]))

    def square(self, M: Rows) -> Rows:
        """G^T M G."""
        half = [self.G.to_forces(row) for row in M]
        return _transposed([self.G.to_forces(column) for column in _transposed(half)])

    def driving_force(self, tau: Sequence[Scalar]) -> list[Scalar]:
        """tau less what gravity, rates, friction and wrenches ask for while u_dot = 0."""
        needed = self._inverse([self.arith.const(0.0)] * self.model.n if self.bias is None else self.bias)
        return [a - b for a, b in zip(self._acting(tau), self.G.to_forces(needed), strict=True)]

    def ground_forces(self, u_dot: Sequence[Scalar], tau: Sequence[Scalar]) -> list[Scalar]:
        """On every wheel, in world axes."""
        if not isinstance(self.G, RollingMap):
            return []
        needed = self._inverse(_sum(self.G.to_tree(u_dot), self.bias))
        torques = dict(zip(self._elsewhere or (), tau, strict=False))
        return self.G.ground_forces([x - torques[i] if i in torques else x for i, x in enumerate(needed)])

    @property
    def _elsewhere(self) -> tuple[int, ...] | None:
        """The links with actuators; None where these are the ones whose rates are independent."""
        reduction = self.reduction
        if not isinstance(reduction, Rolling) or reduction.driven == reduction.independent:
            return None
        return reduction.driven

    def _acting(self, tau: Sequence[Scalar]) -> list[Scalar]:
        """Torques of the actuators as generalised forces of the independent rates."""
        driven = self._elsewhere
        if driven is None:
            return list(tau)
        torques = dict(zip(driven, tau, strict=True))
        return self.G.to_forces([torques.get(i, self.arith.const(0.0)) for i in range(self.model.n)])

    def supplied(self, force: list[Scalar]) -> list[Scalar]:
        """What the actuators have to supply for generalised forces of the independent rates: the shortest choice."""
        driven = self._elsewhere
        if driven is None:
            return force
        zero, one = self.arith.const(0.0), self.arith.const(1.0)
        rows = [self.G.to_forces([one if i == k else zero for i in range(self.model.n)]) for k in driven]
        found, guards = least(self.arith, _transposed(rows) or [[] for _ in force], force)
        self._guards += guards
        return found

    def _inverse(self, qdd: Sequence[Scalar]) -> list[Scalar]:
        """The inverse dynamics of the tree at an acceleration of all its links."""
        state = self.whole["q"], self.whole["qd"], qdd
        c = self.conditions
        return inverse_dynamics(self.model, self.arith, *state, c.gravity, c.external, c.ground)

    def slopes(self, u_dot: Sequence[Scalar]) -> list[Rows]:
        """dtau/dq and dtau/dqd at an acceleration."""
        qdd = _sum(self.G.to_tree(u_dot), self.bias)
        state = self.whole["q"], self.whole["qd"], qdd
        found = inverse_dynamics_derivatives(self.model, self.arith, *state, self.conditions.ground)
        return [self.square(D) for D in found]

    def _times_rate(self, matrix: Callable[[], Rows]) -> Rows:
        """The columns of A G_dot; none where G is constant."""
        if self.bias is None:
            return []
        A, dof, zero, one = matrix(), self.model.dof, self.arith.const(0.0), self.arith.const(1.0)
        units = [[one if i == k else zero for i in range(dof)] for k in range(dof)]
        rates = [self.G.bias(self.whole["qd"], unit) for unit in units]
        return [_times(A, rate, self.arith) for rate in rates if rate is not None]

    def _mass_matrix(self) -> Rows:
        return mass_matrix(self.model, self.arith, self.whole["q"])

    def jacobian(self) -> Rows:
        """Of the frame that is asked about, by the robot's own rates: J G."""
        return [self.G.to_forces(row) for row in self._jacobian()]

    def _jacobian(self) -> Rows:
        return jacobian(self.model, self.arith, self.whole["q"], _asked(self.conditions))


def _asked(conditions: Conditions) -> Frame:
    assert conditions.frame is not None
    return conditions.frame


def _sum(a: list[Scalar], b: Sequence[Scalar] | None) -> list[Scalar]:
    return a if b is None else [x + y for x, y in zip(a, b, strict=True)]


def _times(A: Rows, x: Sequence[Scalar], arith: Arithmetic) -> list[Scalar]:
    return [dot(row, x, arith) for row in A]


def _rows(values: Sequence[Scalar], width: int) -> Rows:
    return [list(values[i : i + width]) for i in range(0, len(values), width)]


def _transposed(rows: Rows) -> Rows:
    return [list(column) for column in zip(*rows, strict=True)]
