"""Robots with closed loops: M qdd + h = tau + J^T lambda, J qdd = gamma.

Forward dynamics takes the tree's M = U D U^T as it is. A unit multiplier of each row is carried to the base alone,
which gives Y = U^-1 J^T; then

    Lambda = Y^T D^-1 Y,    Lambda lambda = gamma - Y^T phi_tilde,

and one pass outwards of phi_tilde + D^-1 Y lambda ends it (Saha and Schiehlen 2001: the multipliers are wrenches on
the links of the tree, which the recursions carry like any other).

Inverse dynamics asks which torques at the driven joints do the work of those that the tree would need at all of them:
with qd = G u for the independent rates u, G_a^T tau_a = G^T tau_tree. Where the driven rates are the independent ones,
lambda follows from the other joints, which carry nothing: J_p^T lambda = tau_tree of these.

Guards are numbers that must be positive for a result to be trusted: loops closed in position, rate and acceleration,
and rows that are independent. A kernel tests them with its results; who finds one wanting explains it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from redyn.algebra import Arithmetic, Propagation, Scalar, Wrench, dot
from redyn.dynamics.constraints import Cut, combined, cuts, jacobian_row
from redyn.dynamics.forward import articulations, inward, outward
from redyn.dynamics.inverse import link_states
from redyn.dynamics.kinematics import propagations, twists
from redyn.dynamics.least_squares import LDL, QR, SINGULAR, least
from redyn.model import Closure, Model

Rows = list[list[Scalar]]

OPEN = 1e-6  # m, rad, and per second: a loop that is further open is not closed
DEPENDENT = 1e-10  # share of what Lambda usually is, below which a pivot means that its row no longer counts
PROXIMAL, SWEEPS = 1e-6, 6  # where rows are always dependent: mu as a share of what Lambda usually is, and sweeps
SMOOTHING, SMOOTHING_SWEEPS = 1e-8, 3  # where they may become so: what is left is some 1e-15


class Solver(Protocol):
    """M x = phi in two halves, so that rows can be taken half way only."""

    def carried(self, cut: Cut, row: int) -> tuple[dict[int, Scalar], dict[int, Scalar]]:
        """U^-1 J^T and D^-1 U^-1 J^T of a unit multiplier: by rate, where they are not zero."""
        ...

    def inward(self, phi: Sequence[Scalar]) -> list[Scalar]:
        """D^-1 U^-1 phi."""
        ...

    def outward(self, phi_tilde: Sequence[Scalar]) -> list[Scalar]:
        """U^-T phi_tilde."""
        ...


class RecursiveSolver:
    """By the recursions of the tree: U D U^T."""

    def __init__(self, model: Model, arith: Arithmetic, B: Sequence[Propagation]) -> None:
        self.model, self.arith, self.B = model, arith, B
        self.joints = articulations(model, arith, B)

    def carried(self, cut: Cut, row: int) -> tuple[dict[int, Scalar], dict[int, Scalar]]:
        push = cut.push(row)
        torques = {link - 1: torque for link, torque in push.torques.items()}
        eta = {link - 1: Wrench(-w.moment, -w.force) for link, w in push.wrenches.items()}
        return inward(self.model, self.arith, self.B, self.joints, torques, eta)

    def inward(self, phi: Sequence[Scalar]) -> list[Scalar]:
        _, tilde = inward(self.model, self.arith, self.B, self.joints, dict(enumerate(phi)))
        return [tilde[i] for i in range(self.model.n)]

    def outward(self, phi_tilde: Sequence[Scalar]) -> list[Scalar]:
        found = outward(self.model, self.arith, self.B, self.joints, dict(enumerate(phi_tilde)))
        return list(found.values())


class MatrixSolver:
    """From the mass matrix as a whole, where joints mimic others: L D L^T takes the place of U D U^T."""

    def __init__(self, arith: Arithmetic, M: Rows, row: Callable[[Cut, int], list[Scalar]]) -> None:
        self.factors, self._row = LDL(arith, M), row

    def _forward(self, b: Sequence[Scalar]) -> list[Scalar]:
        x = list(b)
        for i in range(len(x)):
            for k in range(i):
                x[i] = x[i] - self.factors.L[i][k] * x[k]
        return x

    def carried(self, cut: Cut, row: int) -> tuple[dict[int, Scalar], dict[int, Scalar]]:
        hat = self._forward(self._row(cut, row))
        return dict(enumerate(hat)), dict(enumerate(self._scaled(hat)))

    def inward(self, phi: Sequence[Scalar]) -> list[Scalar]:
        return self._scaled(self._forward(phi))

    def _scaled(self, x: Sequence[Scalar]) -> list[Scalar]:
        return [x_i * d for x_i, d in zip(x, self.factors.reciprocals, strict=True)]

    def outward(self, phi_tilde: Sequence[Scalar]) -> list[Scalar]:
        x = list(phi_tilde)
        for i in reversed(range(len(x))):
            for k in range(i + 1, len(x)):
                x[i] = x[i] - self.factors.L[k][i] * x[k]
        return x


@dataclass
class Mechanism:
    """A robot with loops at one state. Rates and torques are the robot's own, q and motions those of the whole tree."""

    model: Model
    arith: Arithmetic
    q: Sequence[Scalar]
    qd: Sequence[Scalar] | None
    qdd: Sequence[Scalar] | None
    drift: Sequence[Scalar] | None  # what rates alone make of the accelerations: none but for a G(q)
    row: Callable[[list[Scalar]], list[Scalar]]  # of one entry per link, one per rate: J G
    make_solver: Callable[[Mechanism], Solver]

    @property
    def closure(self) -> Closure:
        assert self.model.closure is not None
        return self.model.closure

    @cached_property
    def B(self) -> list[Propagation]:
        return propagations(self.model, self.arith, self.q)

    @cached_property
    def cuts(self) -> list[Cut]:
        return cuts(self.model, self.arith, self.B, self.q, closed=True)

    @cached_property
    def solver(self) -> Solver:
        return self.make_solver(self)

    @cached_property
    def _rows(self) -> list[tuple[Cut, int]]:
        """The rows that are kept, each with its cut."""
        every = [(cut, row) for cut in self.cuts for row in cut.loop.rows]
        return [every[k] for k in self.closure.rows]

    def _kept(self, per_cut: Callable[[Cut], list[Scalar]]) -> list[Scalar]:
        every = [value for cut in self.cuts for value in per_cut(cut)]
        return [every[k] for k in self.closure.rows]

    def error(self) -> list[Scalar]:
        """phi of the rows that are kept."""
        return self._kept(Cut.error)

    def rates(self) -> list[Scalar]:
        """J qd of the rows that are kept."""
        assert self.qd is not None
        qd, t = self.qd, twists(self.model, self.arith, self.B, self.qd)
        return self._kept(lambda cut: cut.rates(t, qd))

    def gamma(self) -> list[Scalar]:
        """What J times the accelerations has to be, those that are beside what the rates alone make of them."""
        still = [self.arith.const(0.0)] * self.model.n
        return [-x for x in self.accelerations(still if self.drift is None else self.drift)]

    def accelerations(self, qdd: Sequence[Scalar]) -> list[Scalar]:
        """J qdd - gamma of the rows that are kept."""
        assert self.qd is not None
        qd = self.qd
        states = link_states(self.model, self.arith, self.B, qd, qdd, -self.model.gravity)
        return self._kept(lambda cut: cut.accelerations(states, qd, qdd))

    @cached_property
    def J(self) -> Rows:
        """The rows that are kept, in the robot's rates."""
        pushes = [(cut, cut.push(row)) for cut, row in self._rows]
        rows = [jacobian_row(self.model, self.arith, self.B, push, cut.carrier) for cut, push in pushes]
        return [self.row(row) for row in rows]

    # --- forward dynamics and projection ------------------------------------------------------------------------

    @cached_property
    def carried(self) -> list[tuple[dict[int, Scalar], dict[int, Scalar]]]:
        """Y = U^-1 J^T and D^-1 Y, row by row."""
        return [self.solver.carried(cut, row) for cut, row in self._rows]

    @cached_property
    def Lambda(self) -> Rows:
        """Y^T D^-1 Y: what unit multipliers make of J qdd."""
        m, zero = len(self.carried), self.arith.const(0.0)
        found: Rows = [[zero] * m for _ in range(m)]
        for a in range(m):
            for b in range(a + 1):
                hat, tilde, total = self.carried[a][0], self.carried[b][1], zero
                for i, value in hat.items():
                    if i in tilde:
                        total = total + value * tilde[i]
                found[a][b] = found[b][a] = total
        return found

    @cached_property
    def _factors(self) -> LDL:
        return LDL(self.arith, self.Lambda)

    def multipliers(self, b: Sequence[Scalar]) -> list[Scalar]:
        """lambda with Lambda lambda = b."""
        return self.proximal_multipliers(b) if self.closure.deficient else self._factors.solve(b)

    @cached_property
    def _shifts(self) -> list[Scalar]:
        """mu, the diagonal of what is added to Lambda."""
        share = PROXIMAL if self.closure.deficient else SMOOTHING
        return [self.arith.const(share * weight) for weight in self.closure.weights]

    @cached_property
    def _shifted_factors(self) -> LDL:
        rows = [list(row) for row in self.Lambda]
        for k, mu in enumerate(self._shifts):
            rows[k][k] = rows[k][k] + mu
        return LDL(self.arith, rows)

    def proximal_multipliers(self, b: Sequence[Scalar]) -> list[Scalar]:
        """The same by sweeps lambda <- (Lambda + mu)^-1 (b + mu lambda).

        Directions that have no effect stay out of it; of an error in the direction of an eigenvalue sigma, mu / (mu +
        sigma) is left after a sweep. Needed where rows are dependent in every state, though not always the same ones
        (Bricard's mechanism). Of use in simulations: where a mechanism passes through a singular position, a row hardly
        acts, and its multiplier would be rounding divided by zero.
        """
        found = self._shifted_factors.solve(b)
        for _ in range((SWEEPS if self.closure.deficient else SMOOTHING_SWEEPS) - 1):
            rest = [b_k + mu * x for b_k, mu, x in zip(b, self._shifts, found, strict=True)]
            found = self._shifted_factors.solve(rest)
        return found

    def carrying(self, force: Sequence[Scalar]) -> list[Scalar]:
        """lambda with J^T lambda = force, for a force of the tree that the loops can carry."""
        return self.multipliers(self.accelerated(self.solver.inward(force)))

    def accelerated(self, phi_tilde: Sequence[Scalar]) -> list[Scalar]:
        """J M^-1 phi, given D^-1 U^-1 phi."""
        return [dot(list(hat.values()), [phi_tilde[i] for i in hat], self.arith) for hat, _ in self.carried]

    def held(self, multipliers: Sequence[Scalar]) -> list[Scalar]:
        """J^T lambda, by one pass for each loop."""
        total: list[Scalar] = [self.arith.const(0.0)] * self.model.dof
        at = iter(multipliers)
        for cut in self.cuts:
            own = [(row, next(at)) for other, row in self._rows if other is cut]
            if own:
                pushed = combined([(cut.push(row), multiplier) for row, multiplier in own])
                row = self.row(jacobian_row(self.model, self.arith, self.B, pushed, cut.carrier))
                total = [a + b for a, b in zip(total, row, strict=True)]
        return total

    def on_links(self, multipliers: Sequence[Scalar]) -> dict[int, Wrench]:
        """The multipliers as wrenches on links, in their axes and at their origins."""
        pushes = [cut.push(row) for cut, row in self._rows]
        return combined(list(zip(pushes, multipliers, strict=True))).wrenches

    def pushed(self, phi_tilde: Sequence[Scalar], multipliers: Sequence[Scalar]) -> list[Scalar]:
        """M^-1 (phi + J^T lambda), given D^-1 U^-1 phi."""
        total = list(phi_tilde)
        for (_, tilde), multiplier in zip(self.carried, multipliers, strict=True):
            for i, value in tilde.items():
                total[i] = total[i] + value * multiplier
        return self.solver.outward(total)

    # --- transmission ---------------------------------------------------------------------------------------------

    @property
    def _dependent(self) -> list[int]:
        return self.closure.dependent(self.model.dof)

    @cached_property
    def _dependent_columns(self) -> Rows:
        return [[row[i] for i in self._dependent] for row in self.J]

    @cached_property
    def _independent_columns(self) -> Rows:
        return [[row[i] for row in self.J] for i in self.closure.independent]

    @cached_property
    def _dependence(self) -> QR:
        return QR(self.arith, self._dependent_columns)

    def completed(self, independent: Sequence[Scalar], b: Sequence[Scalar]) -> list[Scalar]:
        """Rates x with J x = b and these independent ones."""
        rest = list(b)
        for x, column in zip(independent, self._independent_columns, strict=True):
            rest = [r - entry * x for r, entry in zip(rest, column, strict=True)]
        found = dict(zip(self.closure.independent, independent, strict=True))
        found |= dict(zip(self._dependent, self._dependence.solve(rest), strict=True))
        return [found[i] for i in range(self.model.dof)]

    @cached_property
    def G_columns(self) -> Rows:
        """G, column by column: the rates of all joints for a unit of each independent one."""
        zero, one = self.arith.const(0.0), self.arith.const(1.0)
        count = len(self.closure.independent)
        still = [zero] * len(self.J)
        return [self.completed([one if i == k else zero for i in range(count)], still) for k in range(count)]

    def driving(self, tree: Rows) -> tuple[Rows, list[Scalar]]:
        """What the actuators must supply for forces of the tree, one row each, with zeros elsewhere; and guards."""
        closure, zero = self.closure, self.arith.const(0.0)
        dof, driven = self.model.dof, closure.driven
        if set(driven) == set(closure.independent) and not closure.deficient:
            passive = [list(column) for column in zip(*self._dependent_columns, strict=True)]
            factors = QR(self.arith, passive)
            rows: Rows = []
            for tau in tree:
                multipliers = factors.solve([tau[i] for i in self._dependent])
                row = [zero] * dof
                for i, column in zip(closure.independent, self._independent_columns, strict=True):
                    row[i] = tau[i] - dot(column, multipliers, self.arith)
                rows.append(row)
            return rows, factors.pivots(passive, SINGULAR) if passive else []
        guards = self.transmission_guards()
        G_a = [[column[i] for i in driven] for column in self.G_columns]  # a row per independent rate
        rows = []
        for tau in tree:
            wanted = [dot(column, tau, self.arith) for column in self.G_columns]
            supplied, more = least(self.arith, G_a, wanted) if G_a else ([zero] * len(driven), [])  # nothing moves
            guards = guards + more
            row = [zero] * dof
            for i, value in zip(driven, supplied, strict=True):
                row[i] = value
            rows.append(row)
        return rows, guards

    # --- guards ---------------------------------------------------------------------------------------------------

    def closed_guards(self) -> list[Scalar]:
        """That every loop is closed, in q and in qd."""
        found = [self._small(self.error(), None)]
        if self.qd is not None:
            found.append(self._small(self.rates(), None))
        return found

    def kept_closed(self, qdd: Sequence[Scalar]) -> list[Scalar]:
        """That accelerations keep every loop closed, to the same share of them."""
        return [self._small(self.accelerations(qdd), qdd)]

    def _small(self, values: Sequence[Scalar], beside: Sequence[Scalar] | None) -> Scalar:
        """Positive where the values are small, or small beside others."""
        limit, total = self.arith.const(OPEN * OPEN), self.arith.const(0.0)
        for x in values:
            total = total + x * x
        if beside is None:
            return limit - total
        whole = self.arith.const(1.0)
        for x in beside:
            whole = whole + x * x
        return whole * limit - total

    def row_guards(self) -> list[Scalar]:
        """That the rows are independent; where they never are, there is nothing to expect."""
        if self.closure.deficient:
            return []
        least = [self.arith.const(DEPENDENT * weight) for weight in self.closure.weights]
        return [d - limit for d, limit in zip(self._factors.D, least, strict=True)]

    def transmission_guards(self) -> list[Scalar]:
        """That the other rates follow from the independent ones."""
        return self._dependence.pivots(self._dependent_columns, SINGULAR) if self._dependent else []
