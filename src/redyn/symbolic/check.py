"""Compares the three derivations with each other and with the robot's own numbers, and so the loops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from redyn.dynamics.algorithm import Conditions
from redyn.dynamics.catalogue import ALGORITHMS
from redyn.symbolic.agreement import TOLERANCE, Agreement, Comparison, distance
from redyn.symbolic.bodies import SymbolicRobot, symbolic_model
from redyn.symbolic.closed import without_friction
from redyn.symbolic.lagrange import Energies, Lagrange, directions, energies, lagrange
from redyn.symbolic.loops.check import compare_loops
from redyn.symbolic.newton_euler import newton_euler
from redyn.symbolic.point import Point

if TYPE_CHECKING:
    from redyn.symbolic.equations import Equations

Array = NDArray[np.float64]

SYMBOLIC = 3  # joints; beyond, expanding three derivations takes too long
TERMS = 600  # of all torques together, likewise
_STEP = 1e-30  # complex step: no difference is formed, so nothing cancels


def check(eqs: Equations, points: int, seed: int) -> Agreement:
    rng = np.random.default_rng(seed)
    found = derivations(eqs, points, rng)
    found.append(_with_robot(eqs, points, rng))
    if eqs.robot.model.loops and found[-1].equal:
        found += compare_loops(eqs, points, rng)
    return Agreement(tuple(found))


def derivations(eqs: Equations, points: int, rng: np.random.Generator) -> list[Comparison]:
    """DeNOC, Newton-Euler and Lagrange of the tree beside each other."""
    short = eqs.dof <= SYMBOLIC and sum(map(len, eqs.closed.run("inverse_dynamics"))) <= TERMS
    return _symbolic(eqs) if short else _at_points(eqs, points, rng)


def _symbolic(eqs: Equations) -> list[Comparison]:
    closed = eqs.closed
    torque = closed.run("inverse_dynamics")
    by_lagrange = closed.lagrange()
    qd, qdd = closed.state(("qd", "qdd"))

    def compared(what: str, a: Sequence[Any], b: Sequence[Any]) -> Comparison:
        return Comparison(what, all(closed.same(x, y) for x, y in zip(a, b, strict=True)), ", symbolically")

    bodies = [] if eqs.symbolic.flexible else [body.tau for body in closed.free_bodies()]
    return [
        *([compared("DeNOC and Newton-Euler", torque, bodies)] if bodies else []),
        compared("DeNOC and Lagrange", torque, by_lagrange.torque(qd, qdd)),
        compared("mass matrix and Lagrange's H", closed.run("mass_matrix"), _flat(by_lagrange.H)),
        compared(
            "Christoffel matrix and H_dot/2 + S", closed.run("coriolis_matrix_christoffel"), _halves(by_lagrange, qd)
        ),
    ]


def _flat(rows: Sequence[Sequence[Any]]) -> list[Any]:
    return [x for row in rows for x in row]


def _halves(by_lagrange: Any, qd: Sequence[Any]) -> list[Any]:
    half = by_lagrange.half
    pairs = zip(_flat(by_lagrange.H_dot(qd)), _flat(by_lagrange.S(qd)), strict=True)
    return [half * x + y for x, y in pairs]


def _at_points(eqs: Equations, points: int, rng: np.random.Generator) -> list[Comparison]:
    """The same three derivations over random numbers for every constant and state."""
    symbols = set(eqs.values).union(*(e.free_symbols for e in eqs.parameters.values()))
    model = without_friction(symbolic_model(eqs.robot.model, eqs.symbolic))
    names = (
        "DeNOC and Newton-Euler",
        "DeNOC and Lagrange",
        "mass matrix and Lagrange's H",
        "Christoffel matrix and H_dot/2 + S",
    )
    rigid = not eqs.symbolic.flexible  # links have free-body diagrams, particles of beams have not
    worst = dict.fromkeys(names if rigid else names[1:], 0.0)
    for _ in range(points):
        arith = Point({s: float(rng.uniform(0.5, 1.5)) for s in sorted(symbols, key=str)})
        q, qd, qdd = (x.tolist() for x in random_motion(eqs.symbolic, rng))
        over = model.over(arith)

        def run(name: str, *state: Any, over: Any = over, arith: Point = arith) -> list[Any]:
            return ALGORITHMS[name].run(over, arith, state, Conditions())[0]

        by_lagrange = lagrange_at(eqs.symbolic, arith, q)
        torque = run("inverse_dynamics", q, qd, qdd)
        bodies = newton_euler(eqs.symbolic, q, qd, qdd, arith.const, arith.sincos) if rigid else []
        pairs = (
            (torque, [b.tau for b in bodies]),
            (torque, by_lagrange.torque(qd, qdd)),
            (run("mass_matrix", q), _flat(by_lagrange.H)),
            (run("coriolis_matrix_christoffel", q, qd), _halves(by_lagrange, qd)),
        )
        for name, (a, b) in list(zip(names, pairs, strict=True))[not rigid :]:
            worst[name] = max(worst[name], distance(a, b))
    return [Comparison(name, x < TOLERANCE, f" at {points} random points") for name, x in worst.items()]


def lagrange_at(robot: SymbolicRobot, arith: Point, q: Sequence[float]) -> Lagrange:
    """Lagrange's derivation over numbers, derivatives by complex steps."""

    def at(values: list[Any]) -> Energies:
        return energies(robot, values, arith.const, arith.sincos)

    def derivative(k: int) -> Energies:
        nudged = at([x + 1j * _STEP * rate if rate else x for x, rate in zip(q, ways[k], strict=True)])
        return Energies([[_slope(x) for x in row] for row in nudged.H], _slope(nudged.U))

    ways = directions(robot, list(q), arith.const)
    return lagrange(at(list(q)), derivative, 0.5, robot.turning_rows)


def random_motion(robot: SymbolicRobot, rng: np.random.Generator) -> tuple[Array, Array, Array]:
    """q, qd and qdd; quaternions have length 1."""
    q, qd, qdd = (rng.uniform(-1.5, 1.5, size) for size in (len(robot.q), robot.dof, robot.dof))
    for start, body in zip(robot.starts, robot.bodies, strict=True):
        if body.coordinates > 1:
            turn = slice(start + body.coordinates - 4, start + body.coordinates)
            q[turn] /= np.linalg.norm(q[turn])
    return q, qd, qdd


def _slope(value: Any) -> float:
    return value.imag / _STEP if isinstance(value, complex) else 0.0


def _with_robot(eqs: Equations, points: int, rng: np.random.Generator) -> Comparison:
    """Compares the symbolic model at the robot's values with the robot itself."""
    what = f"the equations{' of the tree' if eqs.robot.model.loops else ''} and the robot's numbers"
    if eqs.contradictions:
        names = ", ".join(eqs.contradictions)
        return Comparison(what, None, f": other values than the robot's for {names}")
    if eqs.valueless:
        return Comparison(what, None, f": the robot determines no value for {', '.join(eqs.valueless)}")
    arith = Point(eqs.values)
    over = symbolic_model(eqs.robot.model, eqs.symbolic).over(arith)
    worst = 0.0
    for _ in range(points):
        q, qd, qdd = random_motion(eqs.symbolic, rng)
        state = [x.tolist() for x in (q, qd, qdd)]
        torque = np.array(ALGORITHMS["inverse_dynamics"].run(over, arith, state, Conditions())[0], dtype=np.float64)
        worst = max(worst, distance(torque, eqs.robot.inverse_dynamics(q, qd, qdd, loops=False)))
    return Comparison(what, worst < TOLERANCE, f" at {points} random states")
