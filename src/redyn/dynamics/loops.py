"""Algorithms of robots with closed loops. Each is given the robot as a `Mechanism`, and returns its guards last."""

from __future__ import annotations

from collections.abc import Sequence

from redyn.algebra import Arithmetic, Scalar, Vec3, dot
from redyn.arithmetic.duals import Duals
from redyn.dynamics.closed import Closed, Outputs
from redyn.dynamics.constraints import cuts, jacobian_row
from redyn.dynamics.inverse import link_states, user_joint_wrenches
from redyn.dynamics.kinematics import propagations
from redyn.dynamics.least_squares import LDL, least
from redyn.dynamics.mechanism import Rows
from redyn.dynamics.operational import from_matrices
from redyn.model import Model

# --- geometry, of all rows and at any configuration --------------------------------------------------------------


def loop_error(model: Model, arith: Arithmetic, q: Sequence[Scalar]) -> list[Scalar]:
    """phi of every row."""
    return [x for cut in cuts(model, arith, propagations(model, arith, q), q) for x in cut.error()]


def loop_poses(model: Model, arith: Arithmetic, q: Sequence[Scalar]) -> list[list[Scalar]]:
    """The 4x4 pose of B in A of every loop, row by row."""
    zero, one = arith.const(0.0), arith.const(1.0)
    found: list[list[Scalar]] = []
    for cut in cuts(model, arith, propagations(model, arith, q), q):
        R, d = cut.axes, cut.d
        found += [[*R.x.components(), d.x], [*R.y.components(), d.y], [*R.z.components(), d.z], [zero, zero, zero, one]]
    return found


def loop_jacobian(model: Model, arith: Arithmetic, q: Sequence[Scalar]) -> Rows:
    """J of every row, for the rates of all links."""
    B = propagations(model, arith, q)
    found: Rows = []
    for cut in cuts(model, arith, B, q):
        found += [jacobian_row(model, arith, B, cut.push(row), cut.carrier) for row in cut.loop.rows]
    return found


def loop_accelerations(
    model: Model, arith: Arithmetic, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]
) -> list[Scalar]:
    """J qdd - gamma of every row: how fast loops open faster and faster."""
    B = propagations(model, arith, q)
    states = link_states(model, arith, B, qd, qdd, -model.gravity)
    return [x for cut in cuts(model, arith, B, q) for x in cut.accelerations(states, qd, qdd)]


def row_wrenches(model: Model, arith: Arithmetic, q: Sequence[Scalar]) -> list[Scalar]:
    """What a unit multiplier of every row adds to the wrenches of parents on their children, row by row."""
    zero = arith.const(0.0)
    B, still = propagations(model, arith, q), [zero] * model.n
    found: list[Scalar] = []
    for cut in cuts(model, arith, B, q):
        for row in cut.loop.rows:
            pushed = cut.push(row).wrenches
            wrenches = user_joint_wrenches(model, arith, q, still, still, Vec3(zero, zero, zero), on_links=pushed)
            found += [x for wrench in wrenches for x in wrench.components()]
    return found


# --- dynamics of closed loops -------------------------------------------------------------------------------------


def _accelerated(s: Closed) -> tuple[list[Scalar], list[Scalar]]:
    """The accelerations, and the multipliers that keep the loops closed meanwhile."""
    m = s.mechanism
    phi_tilde = m.solver.inward(s.phi())
    b = [g - x for g, x in zip(m.gamma(), m.accelerated(phi_tilde), strict=True)]
    found = m.multipliers(b) if s.guarded else m.proximal_multipliers(b)
    return m.pushed(phi_tilde, found), found


def acceleration(s: Closed) -> Outputs:
    """qdd, of forward dynamics."""
    qdd, _ = _accelerated(s)
    return [qdd, [*s.mechanism.closed_guards(), *s.mechanism.row_guards()]]


def multipliers(s: Closed) -> Outputs:
    """lambda of the rows that are kept, in forward dynamics."""
    _, found = _accelerated(s)
    return [found, [*s.mechanism.closed_guards(), *s.mechanism.row_guards()]]


def driving_torque(s: Closed) -> Outputs:
    """What the actuators must supply for what the tree would need at every joint; zero at those without."""
    m = s.mechanism
    (torque,), guards = m.driving(s.tree())
    if m.qdd is not None:
        guards = [*guards, *m.kept_closed(m.qdd)]
    return [torque, [*m.closed_guards(), *guards]]


def joint_wrenches(s: Closed) -> Outputs:
    """Of every parent on its child. The cut joints act on their links like wrenches from outside."""
    m = s.mechanism
    needed = s.inverse()
    (torque,), guards = m.driving([needed])
    multipliers = m.carrying([have - tau for have, tau in zip(needed, torque, strict=True)])
    found = [x for wrench in s.wrenches(m.on_links(multipliers)) for x in wrench.components()]
    assert m.qdd is not None
    return [found, [*m.closed_guards(), *m.kept_closed(m.qdd), *guards]]


def driving_columns(s: Closed) -> Outputs:
    """The same for a matrix with a row per rate, such as the regressor, column by column."""
    m = s.mechanism
    (flat,) = s.tree()
    width = len(flat) // m.model.dof
    columns, guards = m.driving([flat[k::width] for k in range(width)])
    rows = [x for row in zip(*columns, strict=True) for x in row]
    assert m.qdd is not None
    return [rows, [*m.closed_guards(), *m.kept_closed(m.qdd), *guards]]


def transmission(s: Closed) -> Outputs:
    """G, a row per rate and a column per independent one."""
    m = s.mechanism
    return [[x for row in zip(*m.G_columns, strict=True) for x in row], [*m.closed_guards(), *m.transmission_guards()]]


def reduced_mass_matrix(s: Closed) -> Outputs:
    """G^T M G."""
    m = s.mechanism
    rows = _reduced(s, m.G_columns)
    return [[x for row in rows for x in row], [*m.closed_guards(), *m.transmission_guards()]]


def _reduced(s: Closed, columns: Rows) -> Rows:
    M = s.mass_matrix()
    moved = [[dot(row, column, s.arith) for row in M] for column in columns]
    return [[dot(a, b, s.arith) for b in moved] for a in columns]


def operational_space(s: Closed) -> Outputs:
    """J G (G^T M G)^-1 G^T J^T and G (G^T M G)^-1 G^T J^T: the loops stay closed."""
    m, arith = s.mechanism, s.arith
    columns = m.G_columns
    reached = [[dot(row, column, arith) for column in columns] for row in s.jacobian()]
    A, response = from_matrices(arith, _reduced(s, columns), reached)
    moved = [[dot(row, column, arith) for column in zip(*response, strict=True)] for row in zip(*columns, strict=True)]
    outputs = [[x for row in rows for x in row] for rows in (A, moved)]
    return [*outputs, [*m.closed_guards(), *m.transmission_guards()]]


def completion(s: Closed) -> Outputs:
    """Accelerations that keep loops closed, with the independent ones as given."""
    m = s.mechanism
    found = m.completed([s.values["qdd"][i] for i in m.closure.independent], m.gamma())
    return [found, [*m.closed_guards(), *m.transmission_guards()]]


def projection(s: Closed) -> Outputs:
    """One Newton step back to where loops are closed, the shortest in the metric of the mass matrix: q and qd.

    With proximal sweeps: near a singular position, where a row hardly acts, rounding of its error is no reason to move
    far along it. Rates that were thrown about there would make an integrator stop.
    """
    m, zero = s.mechanism, s.arith.const(0.0)
    still = [zero] * m.model.dof
    steps = [m.pushed(still, m.proximal_multipliers([-x for x in values])) for values in (m.error(), m.rates())]
    q = [x + rate for x, rate in zip(s.values["q"], s.coordinate_rates(steps[0]), strict=True)]
    return [q, [rate + step for rate, step in zip(s.values["qd"], steps[1], strict=True)], []]


# --- derivatives in the independent rates ------------------------------------------------------------------------


class _Slopes:
    """How G^T (tau_tree - J^T lambda) changes along the independent coordinates and rates, lambda held.

    Along a coordinate q moves closed, by G e_k, while the independent rates and accelerations are held; the others
    change so that loops stay closed. As G^T J^T = 0 in every configuration, the change of G itself is accounted for by
    that of J^T lambda. Rows of loops are differentiated by dual numbers, the tree by its own recursion.
    """

    def __init__(self, s: Closed, qdd: Sequence[Scalar], multipliers: Sequence[Scalar]) -> None:
        m, arith = s.mechanism, s.arith
        zero = arith.const(0.0)
        count = len(m.closure.independent)
        self.s, self.count, self.still = s, count, [zero] * count
        duals, q, qd = Duals(arith), s.values["q"], s.values["qd"]
        along = [s.coordinate_rates(column) for column in m.G_columns]
        self.q: list[Scalar] = [duals.variable(x, [rates[c] for rates in along]) for c, x in enumerate(q)]
        rates = self._change(qd)
        moved: list[Scalar] = [duals.variable(x, [*(r[c] for r in along), *self.still]) for c, x in enumerate(q)]
        faster: list[Scalar] = [
            duals.variable(x, [*(rate[i] for rate in rates), *(column[i] for column in m.G_columns)])
            for i, x in enumerate(qd)
        ]
        at = s.over(duals, {"q": moved, "qd": faster, "qdd": qdd}).mechanism
        assert at.qdd is not None
        opening = [duals.slopes(x, 2 * count) for x in at.accelerations(at.qdd)]
        accelerations = [m.completed(self.still, [-row[k] for row in opening]) for k in range(2 * count)]
        held = s.over(duals, {"q": self.q}).mechanism.held(multipliers)
        by_q, by_qd = s.slopes(qdd)
        M = s.mass_matrix()
        self.by_q: Rows = []  # a row per independent coordinate
        self.by_u: Rows = []
        for k, column in enumerate(m.G_columns):
            parts = _times(by_q, column, arith), _times(by_qd, rates[k], arith), _times(M, accelerations[k], arith)
            carried = [duals.slopes(x, count)[k] for x in held]
            self.by_q.append(self._reduced([a + b + c - w for a, b, c, w in zip(*parts, carried, strict=True)]))
            faster_parts = _times(by_qd, column, arith), _times(M, accelerations[count + k], arith)
            self.by_u.append(self._reduced([a + b for a, b in zip(*faster_parts, strict=True)]))

    def _change(self, rates: Sequence[Scalar]) -> Rows:
        """How closed rates change along each independent coordinate while the independent ones are held."""
        m, duals = self.s.mechanism, Duals(self.s.arith)
        at = self.s.over(duals, {"q": self.q, "qd": rates}).mechanism
        opening = [duals.slopes(x, self.count) for x in at.rates()]
        return [m.completed(self.still, [-row[k] for row in opening]) for k in range(self.count)]

    def _reduced(self, force: Sequence[Scalar]) -> list[Scalar]:
        return [dot(column, force, self.s.arith) for column in self.s.mechanism.G_columns]

    def supplied(self, torque: Sequence[Scalar]) -> tuple[Rows, Rows]:
        """The same as changes of what the actuators supply, a row per direction; `torque` is what they supply."""
        m, arith = self.s.mechanism, self.s.arith
        driven, independent = m.closure.driven, m.closure.independent
        if driven == independent:
            return self.by_q, self.by_u
        A = [[column[i] for i in driven] for column in m.G_columns]
        by_q, by_u = ([least(arith, A, row)[0] for row in rows] for rows in (self.by_q, self.by_u))
        if len(driven) <= len(independent):
            return by_q, by_u
        # Of several torques the shortest is taken, A^T y, and A changes: its rows turn what is shortest.
        square = LDL(arith, [[dot(a, b, arith) for b in A] for a in A])
        y = square.solve([dot(row, [torque[i] for i in driven], arith) for row in A])
        changes = [self._change(column) for column in m.G_columns]  # of G, column by column
        for k in range(self.count):
            turned = [dot([changes[j][k][i] for j in range(self.count)], y, arith) for i in driven]
            inside = square.solve([dot(row, turned, arith) for row in A])
            within = [dot([row[c] for row in A], inside, arith) for c in range(len(driven))]
            by_q[k] = [a + b - c for a, b, c in zip(by_q[k], turned, within, strict=True)]
        return by_q, by_u


def driving_slopes(s: Closed) -> Outputs:
    """Of the torques of the actuators."""
    m = s.mechanism
    needed = s.inverse()
    (torque,), _ = m.driving([needed])
    multipliers = m.carrying([have - tau for have, tau in zip(needed, torque, strict=True)])
    by_q, by_u = _Slopes(s, s.values["qdd"], multipliers).supplied(torque)
    assert m.qdd is not None
    guards = [*m.closed_guards(), *m.kept_closed(m.qdd), *m.transmission_guards()]
    return [_across(by_q), _across(by_u), guards]


def acceleration_slopes(s: Closed) -> Outputs:
    """Of the independent accelerations: G^T (tau_tree - tau) stays zero, and G^T M G is its slope by them."""
    m = s.mechanism
    qdd, multipliers = _accelerated(s)
    slopes = _Slopes(s, qdd, multipliers)
    by_tau = [[-column[i] for column in m.G_columns] for i in m.closure.driven]
    M = LDL(s.arith, _reduced(s, m.G_columns))
    guards = [*m.closed_guards(), *m.row_guards(), *m.transmission_guards()]
    solved = [[M.solve([-x for x in row]) for row in rows] for rows in (slopes.by_q, slopes.by_u, by_tau)]
    return [*(_across(rows) for rows in solved), guards]


def _times(A: Rows, x: Sequence[Scalar], arith: Arithmetic) -> list[Scalar]:
    return [dot(row, x, arith) for row in A]


def _across(rows: Rows) -> list[Scalar]:
    """The transpose, row by row."""
    return [x for row in zip(*rows, strict=True) for x in row]
