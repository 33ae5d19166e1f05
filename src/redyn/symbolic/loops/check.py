"""Compares the equations of closed loops with the robot's own numbers, at random states at which the loops are closed.

The rows of J are in other axes than the robot's: what both share is J^T J, loop by loop.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from redyn.dynamics.algorithm import Conditions
from redyn.dynamics.catalogue import LOOP_ALGORITHMS
from redyn.kinematics.loops import State, closure_of
from redyn.model import Model
from redyn.robot import Robot
from redyn.symbolic.agreement import TOLERANCE, Comparison, distance
from redyn.symbolic.bodies import symbolic_model
from redyn.symbolic.loops.closure import LINEAR
from redyn.symbolic.loops.states import gamma, random_state
from redyn.symbolic.notation import sp
from redyn.symbolic.point import Point

if TYPE_CHECKING:
    from redyn.symbolic.equations import Equations

Array = NDArray[np.float64]

_TINY = 1e-12  # what is smaller than this is compared as if it were this large


def compare_loops(eqs: Equations, points: int, rng: np.random.Generator) -> list[Comparison]:
    """All that a derivation prints."""
    loops, robot = eqs.loops, eqs.robot
    states = [random_state(robot, rng) for _ in range(points)]
    values = _Values(eqs)
    tests: dict[str, Callable[[_Values, State], float]] = {}
    if loops.readable:
        tests["phi, J and gamma and the robot's rows"] = _closure
    if loops.solution.blocks is not None:
        tests["G and its rate and the robot's transmission"] = _transmission
        if loops.directly_driven:
            tests["the multipliers and the robot's inverse dynamics"] = _multipliers
    if loops.small:
        tests["the reduced equation over G and the robot's"] = _forms
    if loops.short:
        tests["the reduced inertia and the robot's"] = _inertia
        tests["the reduced equation and the robot's inverse dynamics"] = _torque
        tests["the reduced equation and the robot's forward dynamics"] = _acceleration
    if loops.dyads:
        tests["the passive joints and the robot's closed positions"] = _passive
    frames = max(_frames(values, state) for state in states)
    found = [Comparison("the cut joints and the robot's", frames < TOLERANCE, f" at {points} random states")]
    for what, test in tests.items():
        worst = max(test(values, state) for state in states)
        found.append(Comparison(what, worst < TOLERANCE, f" at {points} random closed states"))
    return found


def compare_numbers(robot: Robot, points: int, rng: np.random.Generator) -> list[Comparison]:
    """Of a robot without symbols: what its own functions have to do with each other."""
    worst = dict.fromkeys(_IDENTITIES, 0.0)
    for _ in range(points):
        s = random_state(robot, rng)
        G, J, tau = robot.transmission(s.q), robot.loop_jacobian(s.q), robot.inverse_dynamics(*s)
        tree, M = robot.inverse_dynamics(*s, loops=False), robot.mass_matrix(s.q)
        pairs = (
            (J @ G, np.zeros((len(J), G.shape[1]))),
            (J @ s.qdd, gamma(robot, s.q, s.qd)),
            (G.T @ M @ G, robot.mass_matrix(s.q, reduced=True)),
            (G.T @ tau, G.T @ tree),
            (robot.forward_dynamics(s.q, s.qd, tau), s.qdd),
        )
        for name, (a, b) in zip(_IDENTITIES, pairs, strict=True):
            worst[name] = max(worst[name], distance(a, b))
    return [Comparison(name, x < TOLERANCE, f" at {points} random closed states") for name, x in worst.items()]


_IDENTITIES = (
    "J G and zero",
    "J times the accelerations and gamma",
    "G^T M G and the reduced inertia",
    "G^T of the actuators' torques and of the tree's",
    "forward dynamics of these torques and the accelerations",
)


class _Values:
    """Expressions of the equations at a state, as numbers."""

    def __init__(self, eqs: Equations) -> None:
        self.eqs, self.robot, self.loops = eqs, eqs.robot, eqs.loops
        self.independent = list(closure_of(eqs.robot).independent)
        self._made: dict[str, Any] = {}

    def of(self, name: str, make: Callable[[], Any], s: State, tau: Array | None = None) -> Array:
        eqs = self.eqs
        if name not in self._made:
            matrix = make()
            symbols = [*eqs.values, *eqs.q, *eqs.qd, *eqs.qdd, *eqs.tau]
            self._made[name] = sp.lambdify(symbols, list(matrix), "math", cse=True), matrix.shape
        run, shape = self._made[name]
        state = (*s.q, *s.qd, *s.qdd, *(np.zeros(eqs.dof) if tau is None else tau))
        return np.array(run(*eqs.values.values(), *state), dtype=np.float64).reshape(shape)

    def named(self, name: str, s: State) -> Array:
        return self.of(name, lambda: self.eqs.quantity(name), s)

    def column(self, name: str, s: State) -> Array:
        return self.named(name, s)[:, 0]

    @cached_property
    def model(self) -> tuple[Model, Point]:
        """With the frames of the loops as the symbols have them."""
        arith = Point(self.eqs.values)
        return symbolic_model(self.robot.model, self.eqs.symbolic).over(arith), arith


def _frames(v: _Values, s: State) -> float:
    """The recursions of the robot over the symbolic model: its rows in A's axes, at open states as well."""
    q, qd = s.q + 0.1, s.qd + 0.2
    model, arith = v.model
    still = [0.0] * len(qd)

    def run(name: str, *state: Any) -> Array:
        return np.array(LOOP_ALGORITHMS[name].run(model, arith, state, Conditions())[0], dtype=np.float64)

    pairs = (
        (run("loop_error", q.tolist()), v.robot.loop_error(q)),
        (run("loop_jacobian", q.tolist()), v.robot.loop_jacobian(q).ravel()),
        (-run("loop_accelerations", q.tolist(), qd.tolist(), still), gamma(v.robot, q, qd)),
    )
    return max(distance(a, b, _TINY) for a, b in pairs)


def _closure(v: _Values, s: State) -> float:
    loops = v.loops
    phi, J, right = (v.of(name, lambda name=name: getattr(loops, name), s) for name in ("phi", "J", "gamma"))
    own, first = v.robot.loop_jacobian(s.q), 0
    size = float(np.abs(own).max())
    worst = float(np.abs(phi).max()) / size
    for k, loop in enumerate(v.robot.model.loops):
        for mine, theirs in _alike(v, k, loop.rows):
            a, b = J[mine], own[[first + place for place in theirs]]
            if loop.kind == "distance":
                b = b * float(cast(float, loop.numbers[0]))
            worst = max(worst, distance(a.T @ a, b.T @ b, _TINY))
        first += len(loop.rows)
    rates = distance(J @ s.qd, np.zeros(len(J)), size * float(np.abs(s.qd).max()))
    return max(worst, rates, distance(J @ s.qdd, right[:, 0], size * float(np.abs(s.qd).max()) ** 2))


def _alike(v: _Values, k: int, every: tuple[int, ...]) -> list[tuple[list[int], list[int]]]:
    """Rows of loop k beside those of the robot with the same J^T J: of a polygon all, others one by one."""
    rows = [(i, row) for i, row in enumerate(v.loops.closure.rows) if row.loop == k]
    found = [([i], [every.index(row.row)]) for i, row in rows if row.axes == "A"]
    polygon = [i for i, row in rows if row.axes != "A"]
    if polygon:
        found.append((polygon, [place for place, row in enumerate(every) if row in LINEAR]))
    return found


def _transmission(v: _Values, s: State) -> float:
    G, nu = v.named("transmission", s), v.column("transmission_rate", s)
    moved = G @ s.qdd[v.independent] + nu
    return max(distance(G, v.robot.transmission(s.q), _TINY), distance(moved, s.qdd, _TINY))


def _multipliers(v: _Values, s: State) -> float:
    """What the cut joints and the actuators carry together is what the tree would need."""
    needed = v.robot.inverse_dynamics(s.q, s.qd, s.qdd, loops=False)
    found = v.of("multipliers", lambda: v.eqs.multipliers, s, needed)
    J = v.of("J", lambda: v.loops.J, s)
    return distance(v.robot.inverse_dynamics(s.q, s.qd, s.qdd) + J.T @ found[:, 0], needed, _TINY)


def _forms(v: _Values, s: State) -> float:
    """Inertia, weights and, of one independent rate, half the slope of the inertia."""
    loops, G, nu = v.loops, v.robot.transmission(s.q), s.qdd - v.robot.transmission(s.q) @ s.qdd[v.independent]
    still = np.zeros(v.robot.dof)

    def form(name: str, make: Callable[[], Any], x: Array, y: Array) -> float:
        return float(v.of(name, lambda: sp.Matrix([make()]), State(s.q, x, y))[0, 0])

    columns = range(G.shape[1])
    inertia = [
        [form(f"form {a} {b}", lambda a=a, b=b: loops.inertia_form(a, b), G[:, a], G[:, b]) for b in columns[a:]]
        for a in columns
    ]
    reduced = v.robot.mass_matrix(s.q, reduced=True)
    weight = [form("weight", loops.weight_form, G[:, a], still) for a in columns]
    held = G.T @ v.robot.gravity_torque(s.q, loops=False)
    size = float(np.abs(held).max()) + _TINY
    worst = max(distance(row, reduced[a, a:], float(np.abs(reduced).max())) for a, row in enumerate(inertia))
    worst = max(worst, distance(weight, held, size))
    if len(columns) == 1:
        rate = float(s.qd[v.independent[0]])
        slope = form("slope", loops.slope_form, G[:, 0], nu / rate**2)
        tree = v.robot.tree
        moved = G[:, 0] @ (tree.mass_matrix(s.q) @ nu + tree.coriolis_vector(s.q, s.qd))
        worst = max(worst, distance(slope * rate**2, moved, _TINY))
    return worst


def _inertia(v: _Values, s: State) -> float:
    return distance(v.named("reduced_mass_matrix", s), v.robot.mass_matrix(s.q, reduced=True), _TINY)


def _torque(v: _Values, s: State) -> float:
    """G^T of the torques of the actuators."""
    tau = v.robot.inverse_dynamics(s.q, s.qd, s.qdd)
    return distance(v.column("reduced_torque", s), v.robot.transmission(s.q).T @ tau, _TINY)


def _acceleration(v: _Values, s: State) -> float:
    """With some torque at every joint."""
    tau = np.linspace(-1.0, 2.0, v.robot.dof)
    G, nu = v.named("transmission", s), v.column("transmission_rate", s)
    left = G.T @ tau - v.column("reduced_torque", s)
    u_dot = s.qdd[v.independent]
    found = G @ (u_dot + np.linalg.solve(v.named("reduced_mass_matrix", s), left)) + nu
    return distance(found, v.robot.forward_dynamics(s.q, s.qd, tau), _TINY)


def _passive(v: _Values, s: State) -> float:
    """Angles are equal up to whole turns."""
    worst = 0.0
    for dyad in v.loops.dyads or []:
        up, down, second, branch = v.of(f"dyad {dyad.loop}", lambda dyad=dyad: sp.Matrix(dyad.choices()), s)[:, 0]
        for x, j in ((up if branch > 0 else down, dyad.first.joint), (second, dyad.second.joint)):
            off = float(x - s.q[j])
            turns = v.eqs.symbolic.bodies[j].kind == "revolute"
            worst = max(worst, abs(float(np.sin(off / 2))) if turns else abs(off))
    return worst
