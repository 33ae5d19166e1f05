"""Every algorithm for robots some of whose rates depend on others: it runs on all rates, between G and G^T.

What becomes of a result depends on its kind alone. What divides is solved from G^T M G, order n^3.
"""

from __future__ import annotations

from collections.abc import Sequence

from redyn.algebra import Arithmetic, Scalar
from redyn.dynamics.algorithm import Algorithm, Columns, Kind, Outputs, Rows, Solve, World, flat
from redyn.dynamics.forward import generalized_force
from redyn.dynamics.inertia import mass_matrix
from redyn.dynamics.kinematics import propagations
from redyn.model import Coupling, Model

_WHOLE = ("q", "qd", "qdd")  # the state vectors that have an entry per rate or coordinate of the whole tree


def run(algorithm: Algorithm, model: Model, arith: Arithmetic, state: Columns, world: World) -> Outputs:
    """The outputs of an algorithm, whether or not rates of the robot depend on others."""
    coupling = model.coupling
    if coupling is None:
        return algorithm.run(model, arith, state, world)
    values = dict(zip(algorithm.state, state, strict=True))
    whole = {
        name: coupling.whole_q(x, arith) if name == "q" else coupling.whole_rates(x)
        for name, x in values.items()
        if name in _WHOLE
    }
    if algorithm.reduced is not None:
        return algorithm.reduced(_solve(model, coupling, arith, values, whole, world))
    found = algorithm.run(model, arith, [whole[name] for name in algorithm.state], world)
    return [
        _reduced(output.kind, values, model, coupling, arith)
        for output, values in zip(algorithm.outputs, found, strict=True)
    ]


def _reduced(kind: Kind, values: list[Scalar], model: Model, coupling: Coupling, arith: Arithmetic) -> list[Scalar]:
    """A result of all rates as one of the independent ones."""
    if kind is Kind.FORCE:
        return coupling.free_forces(values, arith)
    if kind is Kind.SQUARE:
        return flat(_square(coupling, _rows(values, model.n), arith))
    if kind is Kind.COLUMNS:
        return flat([coupling.free_forces(row, arith) for row in _rows(values, model.n)])
    if kind is Kind.ROWS:
        columns = _transposed(_rows(values, len(values) // model.n))
        return flat(_transposed([coupling.free_forces(column, arith) for column in columns]))
    if kind is Kind.COORDINATES:
        return _independent(model, coupling, values)
    return values


def _independent(model: Model, coupling: Coupling, values: Sequence[Scalar]) -> list[Scalar]:
    """Of the whole q-dot, the entries of the independent coordinates."""
    kept: dict[int, Scalar] = {}
    for tie, value in zip(coupling.coordinates, values, strict=True):
        if (tie.factor, tie.offset) == (1.0, 0.0):
            kept.setdefault(tie.free, value)
    return [kept[i] for i in range(model.nq)]


def _solve(
    model: Model,
    coupling: Coupling,
    arith: Arithmetic,
    values: dict[str, Sequence[Scalar]],
    whole: dict[str, list[Scalar]],
    world: World,
) -> Solve:
    def phi() -> list[Scalar]:
        B = propagations(model, arith, whole["q"])
        still = [arith.const(0.0)] * model.n
        bias = generalized_force(model, arith, B, whole["qd"], still, world.gravity, world.external)
        return [tau + back for tau, back in zip(values["tau"], coupling.free_forces(bias, arith), strict=True)]

    return Solve(arith, _square(coupling, mass_matrix(model, arith, whole["q"]), arith), values, phi)


def _square(coupling: Coupling, M: Rows, arith: Arithmetic) -> Rows:
    """G^T M G."""
    half = [coupling.free_forces(row, arith) for row in M]
    return _transposed([coupling.free_forces(column, arith) for column in _transposed(half)])


def _rows(values: Sequence[Scalar], width: int) -> Rows:
    return [list(values[i : i + width]) for i in range(0, len(values), width)]


def _transposed(rows: Rows) -> Rows:
    return [list(column) for column in zip(*rows, strict=True)]
