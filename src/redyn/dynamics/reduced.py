"""Every algorithm for robots some of whose rates depend on others: it runs on the whole tree, between G and G^T.

What becomes of a result depends on its kind alone. What divides is solved from G^T M G, order n^3.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from redyn.algebra import Arithmetic, Scalar
from redyn.dynamics.algorithm import Columns, Conditions, Entry, Kind, Outputs, Rows, Solve, flat
from redyn.dynamics.derivatives import inverse_dynamics_derivatives
from redyn.dynamics.inertia import dot, mass_matrix
from redyn.dynamics.inverse import inverse_dynamics
from redyn.dynamics.kinematics import jacobian
from redyn.model import Model, RateMap, Reduction


def run(algorithm: Entry, model: Model, arith: Arithmetic, state: Columns, conditions: Conditions) -> Outputs:
    """The outputs of an algorithm, whether or not rates of the robot depend on others."""
    if model.reduction is None:
        return algorithm.run(model, arith, state, conditions)
    given = dict(zip(algorithm.state, state, strict=True))
    tree = _Tree.of(model, model.reduction, arith, given, conditions)
    if algorithm.by and tree.bias is not None:
        raise NotImplementedError("derivatives where G depends on q")
    if algorithm.reduced is not None:
        M = tree.square(mass_matrix(model, arith, tree.whole["q"]))
        return algorithm.reduced(Solve(arith, M, given, lambda: tree.driving_force(given["tau"]), tree.slopes))
    found = algorithm.run(model, arith, [tree.whole[name] for name in algorithm.state], conditions)
    return [tree.reduced(output.kind, x) for output, x in zip(algorithm.outputs, found, strict=True)]


@dataclass
class _Tree:
    """The whole tree at a state of the robot."""

    model: Model
    reduction: Reduction
    arith: Arithmetic
    conditions: Conditions
    whole: dict[str, list[Scalar]]  # q, qd and qdd, as far as they are given
    G: RateMap
    bias: list[Scalar] | None  # G_dot u; None where there is none

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
        G, bias = reduction.at(whole.get("q"), arith), None
        if "qd" in given:
            whole["qd"] = G.to_tree(given["qd"])
            bias = G.bias(whole["qd"], given["qd"])
        if "qdd" in given:
            whole["qdd"] = _sum(G.to_tree(given["qdd"]), bias)
        return _Tree(model, reduction, arith, conditions, whole, G, bias)

    def reduced(self, kind: Kind, values: list[Scalar]) -> list[Scalar]:
        """A result of the tree as one of the robot."""
        to_forces, bias = self.G.to_forces, self.bias
        rows = _rows(values, self.model.n)
        if kind is Kind.FORCE:
            return to_forces(values)
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
        if kind is Kind.ROWS:
            columns = _transposed(_rows(values, len(values) // self.model.n))
            return flat(_transposed([to_forces(column) for column in columns]))
        if kind is Kind.COORDINATES:
            return self.reduction.own_q(values)
        return values

    def square(self, M: Rows) -> Rows:
        """G^T M G."""
        half = [self.G.to_forces(row) for row in M]
        return _transposed([self.G.to_forces(column) for column in _transposed(half)])

    def driving_force(self, tau: Sequence[Scalar]) -> list[Scalar]:
        """tau less what gravity, rates, friction and wrenches ask for while u_dot = 0."""
        qdd = [self.arith.const(0.0)] * self.model.n if self.bias is None else self.bias
        state = self.whole["q"], self.whole["qd"], qdd
        needed = inverse_dynamics(self.model, self.arith, *state, self.conditions.gravity, self.conditions.external)
        return [tau_i - needed_i for tau_i, needed_i in zip(tau, self.G.to_forces(needed), strict=True)]

    def slopes(self, u_dot: Sequence[Scalar]) -> list[Rows]:
        """dtau/dq and dtau/dqd at an acceleration."""
        qdd = _sum(self.G.to_tree(u_dot), self.bias)
        found = inverse_dynamics_derivatives(self.model, self.arith, self.whole["q"], self.whole["qd"], qdd)
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

    def _jacobian(self) -> Rows:
        assert self.conditions.frame is not None
        return jacobian(self.model, self.arith, self.whole["q"], self.conditions.frame)


def _sum(a: list[Scalar], b: Sequence[Scalar] | None) -> list[Scalar]:
    return a if b is None else [x + y for x, y in zip(a, b, strict=True)]


def _times(A: Rows, x: Sequence[Scalar], arith: Arithmetic) -> list[Scalar]:
    return [dot(row, x, arith) for row in A]


def _rows(values: Sequence[Scalar], width: int) -> Rows:
    return [list(values[i : i + width]) for i in range(0, len(values), width)]


def _transposed(rows: Rows) -> Rows:
    return [list(column) for column in zip(*rows, strict=True)]
