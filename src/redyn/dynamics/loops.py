"""Algorithms of robots with closed loops. Each is given the robot as a `Mechanism`, and returns its guards last."""

from __future__ import annotations

from collections.abc import Sequence

from redyn.algebra import Arithmetic, Scalar, Vec3
from redyn.arithmetic.duals import Dual, Duals, slopes_of
from redyn.dynamics.closed import Closed, Outputs
from redyn.dynamics.constraints import cuts, jacobian_row
from redyn.dynamics.inertia import dot
from redyn.dynamics.inverse import link_states, user_joint_wrenches
from redyn.dynamics.kinematics import propagations
from redyn.dynamics.least_squares import LDL
from redyn.dynamics.mechanism import Rows
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
    """The mechanism with q and qd as dual numbers.

    Directions are the independent rates twice: first q moves along them, closed, with the independent rates held; then
    these change. Accelerations follow from those of the independent rates, which are held.
    """

    def __init__(self, s: Closed, qdd: Sequence[Scalar]) -> None:
        m, arith = s.mechanism, s.arith
        zero, one = arith.const(0.0), arith.const(1.0)
        self.independent = m.closure.independent
        count = len(self.independent)
        self.count, self._arith = count, arith
        duals, none = Duals(arith), [zero] * count
        along = [s.coordinate_rates(column) for column in m.G_columns]
        q: list[Scalar] = [Dual(x, [*(rates[c] for rates in along), *none]) for c, x in enumerate(s.values["q"])]
        u: list[Scalar] = [
            Dual(s.values["qd"][i], [*none, *(one if j == k else zero for j in range(count))])
            for k, i in enumerate(self.independent)
        ]
        still = [zero] * len(m.closure.rows)
        qd = s.over(duals, {"q": q}).mechanism.completed(u, still)
        moving = s.over(duals, {"q": q, "qd": qd}).mechanism
        accelerations = moving.completed([qdd[i] for i in self.independent], moving.gamma())
        self.at = s.over(duals, {"q": q, "qd": qd, "qdd": accelerations})

    def split(self, values: Sequence[Scalar]) -> tuple[Rows, Rows]:
        """Derivatives of results by the independent coordinates, and by the independent rates: a row each."""
        rows = [slopes_of(x, 2 * self.count, self._arith) for x in values]
        return [row[: self.count] for row in rows], [row[self.count :] for row in rows]


def driving_slopes(s: Closed) -> Outputs:
    """Of the torques of the actuators."""
    m = s.mechanism
    slopes = _Slopes(s, s.values["qdd"])
    (torque,), _ = slopes.at.mechanism.driving([slopes.at.inverse()])
    by_q, by_u = slopes.split([torque[i] for i in m.closure.driven])
    assert m.qdd is not None
    return [_flat(by_q), _flat(by_u), [*m.closed_guards(), *m.kept_closed(m.qdd), *m.transmission_guards()]]


def acceleration_slopes(s: Closed) -> Outputs:
    """Of the independent accelerations: G^T (tau_tree - tau) stays zero, and G^T M G is its slope by them."""
    m, arith = s.mechanism, s.arith
    qdd, _ = _accelerated(s)
    slopes = _Slopes(s, qdd)
    missing = [have - tau for have, tau in zip(slopes.at.inverse(), s.values["tau"], strict=True)]
    duals = slopes.at.arith
    by_q, by_u = slopes.split([dot(column, missing, duals) for column in slopes.at.mechanism.G_columns])
    by_tau = [[-column[i] for i in m.closure.driven] for column in m.G_columns]
    M = LDL(arith, _reduced(s, m.G_columns))

    def solved(rows: Rows) -> list[Scalar]:
        columns = [M.solve([-x for x in column]) for column in zip(*rows, strict=True)]
        return [x for row in zip(*columns, strict=True) for x in row]

    guards = [*m.closed_guards(), *m.row_guards(), *m.transmission_guards()]
    return [solved(by_q), solved(by_u), solved(by_tau), guards]


def _flat(rows: Rows) -> list[Scalar]:
    return [x for row in rows for x in row]
