"""Every algorithm for robots whose joints are coupled: the recursions run on all joints, between G and G^T.

See `redyn.model.coupling`. What needs the inverse of the mass matrix is solved from G^T M G, order n^3.
"""

from __future__ import annotations

from collections.abc import Sequence

from redyn.algebra import Arithmetic, Scalar
from redyn.dynamics.algorithms import Algorithm, Columns, Outputs, World, flat
from redyn.dynamics.forward import generalized_force
from redyn.dynamics.inertia import cholesky_solve, mass_matrix
from redyn.dynamics.kinematics import propagations
from redyn.model import Coupling, Model

_FORCES = frozenset({"inverse_dynamics", "coriolis_vector", "gravity_torque", "friction_torque"})
_SQUARE = frozenset({"mass_matrix", "coriolis_matrix_mci", "coriolis_matrix_christoffel"})
_COLUMNS = frozenset({"jacobian", "jacobian_rate"})

Rows = list[list[Scalar]]


def run(algorithm: Algorithm, model: Model, arith: Arithmetic, state: Columns, world: World) -> Outputs:
    """The outputs of an algorithm, for a robot with or without coupled joints."""
    coupling = model.coupling
    if coupling is None:
        return algorithm.run(model, arith, state, world)
    values = dict(zip(algorithm.state, state, strict=True))
    whole = {
        name: coupling.whole_q(x, arith) if name == "q" else coupling.whole_rates(x)
        for name, x in values.items()
        if name in ("q", "qd", "qdd")
    }
    if algorithm.divides:
        return _solved(algorithm.name, model, coupling, arith, values, whole, world)
    found = algorithm.run(model, arith, [whole[name] for name in algorithm.state], world)
    if algorithm.name == "coordinate_rates":
        return [_own(model, coupling, found[0])]
    if algorithm.name in _FORCES:
        return [coupling.free_forces(found[0], arith)]
    if algorithm.name in _SQUARE:
        return [flat(_square(coupling, _rows(found[0], model.n), arith))]
    if algorithm.name in _COLUMNS:
        return [flat([coupling.free_forces(row, arith) for row in _rows(found[0], model.n)])]
    if algorithm.name == "regressor":
        columns = _transposed(_rows(found[0], len(found[0]) // model.n))
        return [flat(_transposed([coupling.free_forces(column, arith) for column in columns]))]
    return found


def _own(model: Model, coupling: Coupling, values: Sequence[Scalar]) -> list[Scalar]:
    """Of the whole q-dot, the entries of the free coordinates."""
    kept: dict[int, Scalar] = {}
    for tie, value in zip(coupling.coordinates, values, strict=True):
        if (tie.factor, tie.offset) == (1.0, 0.0):
            kept.setdefault(tie.free, value)
    return [kept[i] for i in range(model.nq)]


def _solved(
    name: str,
    model: Model,
    coupling: Coupling,
    arith: Arithmetic,
    values: dict[str, Sequence[Scalar]],
    whole: dict[str, list[Scalar]],
    world: World,
) -> Outputs:
    M = _square(coupling, mass_matrix(model, arith, whole["q"]), arith)
    n, zero, one = len(M), arith.const(0.0), arith.const(1.0)
    if name == "solve":
        return [cholesky_solve(arith, M, values["phi"])]
    if name == "inverse_mass_matrix":
        return [flat([cholesky_solve(arith, M, [one if i == k else zero for i in range(n)]) for k in range(n)])]
    if name == "udu":
        U, D = _udu(M, arith)
        return [flat(U), D]
    B = propagations(model, arith, whole["q"])
    still = [zero] * model.n
    bias = generalized_force(model, arith, B, whole["qd"], still, world.gravity, world.external)
    phi = [tau + back for tau, back in zip(values["tau"], coupling.free_forces(bias, arith), strict=True)]
    return [cholesky_solve(arith, M, phi)]


def _udu(M: Rows, arith: Arithmetic) -> tuple[Rows, list[Scalar]]:
    """U and D with M = U D U^T, by elimination from the last row (Saha 2003 (20)-(24))."""
    n, zero, one = len(M), arith.const(0.0), arith.const(1.0)
    rest = [list(row) for row in M]
    U = [[one if i == k else zero for k in range(n)] for i in range(n)]
    D = [zero] * n
    for k in reversed(range(n)):
        D[k] = rest[k][k]
        for i in range(k):
            U[i][k] = rest[i][k] / D[k]
        for i in range(k):
            for j in range(k):
                rest[i][j] = rest[i][j] - U[i][k] * rest[k][j]
    return U, D


def _square(coupling: Coupling, M: Rows, arith: Arithmetic) -> Rows:
    """G^T M G."""
    half = [coupling.free_forces(row, arith) for row in M]
    return _transposed([coupling.free_forces(column, arith) for column in _transposed(half)])


def _rows(flat: Sequence[Scalar], width: int) -> Rows:
    return [list(flat[i : i + width]) for i in range(0, len(flat), width)]


def _transposed(rows: Rows) -> Rows:
    return [list(column) for column in zip(*rows, strict=True)]
