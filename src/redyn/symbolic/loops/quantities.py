"""What the equations of a robot with closed loops have beside those of its self."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from redyn.dynamics.algorithm import Conditions
from redyn.dynamics.catalogue import LOOP_ALGORITHMS
from redyn.kinematics.loops import closure_of
from redyn.robot import Robot
from redyn.symbolic.closed import ClosedForms
from redyn.symbolic.loops.closure import LoopClosure
from redyn.symbolic.loops.passive import Dyad, Passive
from redyn.symbolic.loops.transmission import Transmission
from redyn.symbolic.moving import MovingEquations
from redyn.symbolic.notation import Expr, operations, sp
from redyn.symbolic.polynomials import Poly
from redyn.symbolic.results import Matrix
from redyn.symbolic.trigonometry import fourier

LOOP_QUANTITIES = (
    "loop_error",
    "loop_jacobian",
    "loop_gamma",
    "transmission",
    "transmission_rate",
    "reduced_mass_matrix",
    "reduced_coriolis_vector",
    "reduced_gravity_torque",
    "reduced_spring_torque",
    "reduced_friction_torque",
    "reduced_torque",
)
WAVES = 200  # terms of J, with the sines and cosines of sums of angles
TERMS = 600  # of all torques of the tree together
OPERATIONS = 100  # of G
JOINTS = 7  # of the tree
LOOP_COLUMNS = tuple(name for name in LOOP_QUANTITIES if name.endswith(("torque", "vector", "error", "gamma", "rate")))


class LoopEquations:
    """phi, J and gamma of the rows that are kept, as short as they can be written: see `LoopClosure`."""

    def __init__(self, robot: Robot, closed: ClosedForms) -> None:
        self.closed = closed
        self.closure = LoopClosure(closed, closure_of(robot))
        self.solution = Transmission(self.closure)
        self.passive = Passive(self.closure, self.solution)
        self._robot = robot

    @property
    def names(self) -> list[str]:
        """Of the rows: the loop and the motion that it forbids."""
        loops = self.closed.robot.loops
        return [f"{loops[row.loop].name}.{row.name}" for row in self.closure.rows]

    @cached_property
    def phi(self) -> Matrix:
        return self.closed.written([[row.phi] for row in self.closure.rows])

    @cached_property
    def J(self) -> Matrix:
        return self.closed.written(self.closure.J)

    @cached_property
    def gamma(self) -> Matrix:
        return self.closed.written([[p] for p in self.closure.gamma])

    @property
    def dyads(self) -> list[Dyad] | None:
        """The passive joints in closed form, loop after loop; None where there is none."""
        return self.passive.dyads

    @cached_property
    def readable(self) -> bool:
        """Whether phi, J and gamma are worth writing."""
        waves = [fourier(p, self.closed.arith) for row in self.closure.J for p in row]
        return sum(len(terms) for wave in waves for terms in wave.values()) <= WAVES

    @cached_property
    def small(self) -> bool:
        """Whether the reduced equations are worth writing over the elements of G."""
        if self.solution.blocks is None or self.closure.n > JOINTS:
            return False
        return sum(map(len, self.closed.run("inverse_dynamics"))) <= TERMS

    @cached_property
    def short(self) -> bool:
        """Whether they are worth writing out in the joint variables alone."""
        return self.small and sum(operations(x) for row in self.solution.G for x in row) <= OPERATIONS

    @property
    def driven(self) -> list[int]:
        """Rates with actuators, from 0."""
        return list(self.closure.closure.driven)

    @property
    def directly_driven(self) -> bool:
        """Whether the independent rates are those with actuators."""
        return self.driven == self.closure.independent

    # --- forms in columns of G, which stand in the place of rates -----------------------------------------------------

    def inertia_form(self, a: int, b: int) -> Expr:
        """x^T M y written over the rates for x and the accelerations for y; x^T M x over the rates where a is b."""
        M = self.closed.matrix("mass_matrix")
        x, y = self.closed.state(("qd", "qd" if a == b else "qdd"))
        return self._dot(x, [self._sum(zip(row, y, strict=True)) for row in M])

    def slope_form(self) -> Expr:
        """x^T (M y + h(x)) over rates for x and accelerations for y: half the slope of the inertia of one rate."""
        closed = self.closed
        parts = zip(*(closed.run(k) for k in ("inverse_dynamics", "gravity_torque", "spring_torque")), strict=True)
        return self._dot(closed.state(("qd",))[0], [tau - weight - spring for tau, weight, spring in parts])

    def weight_form(self) -> Expr:
        """x^T of the gravity torque over the rates for x."""
        return self._dot(self.closed.state(("qd",))[0], self.closed.run("gravity_torque"))

    def _sum(self, pairs: Iterable[tuple[Poly, Poly]]) -> Poly:
        return sum((a * b for a, b in pairs), self.closed.arith.ring.zero)

    def _dot(self, x: Sequence[Poly], y: Sequence[Poly]) -> Expr:
        return self.closed.write(self.closed.arith.reduced(self._sum(zip(x, y, strict=True))))

    def in_columns(self, form: Expr, a: int, b: int) -> Expr:
        """A form over rates and accelerations with columns a and b of G in their place."""
        robot = self.closed.robot
        for symbols, column in ((robot.qd, a), (robot.qdd, b)):
            groups = self._sums(symbols, form)
            form = form.xreplace({node: self.solution.sum(rates)[column] for node, rates in groups.items()})
            form = form.xreplace({s: row[column] for s, row in zip(symbols, self.solution.G, strict=True)})
        return form

    def _sums(self, symbols: Sequence[Expr], form: Expr) -> dict[Expr, tuple[int, ...]]:
        """The sums of rates alone that occur in a form, and which rates they are of."""
        number = {s: i for i, s in enumerate(symbols)}
        nodes = [node for node in form.atoms(sp.Add) if all(term in number for term in node.args)]
        return {node: tuple(number[term] for term in node.args) for node in nodes}


class LoopedEquations(MovingEquations):
    """Of a robot with loops. `loop_error`, `loop_jacobian` and `loop_gamma` have the rows of the robot."""

    @cached_property
    def loops(self) -> LoopEquations:
        """The closure in its shortest form, and how it is solved."""
        return LoopEquations(self.robot, self.closed)

    @cached_property
    def loop_error(self) -> Matrix:
        """phi, all rows as in `robot.loop_error`: in the axes of A, at B's origin."""
        return self._rows("loop_error", 1)

    @cached_property
    def loop_jacobian(self) -> Matrix:
        """J of these rows, as in `robot.loop_jacobian`."""
        return self._rows("loop_jacobian", len(self.q))

    @cached_property
    def loop_gamma(self) -> Matrix:
        """gamma of these rows: J qdd = gamma keeps closed loops closed."""
        return -self._rows("loop_accelerations", 1)

    def _rows(self, name: str, width: int) -> Matrix:
        closed = self.loops.closed
        algorithm, zero = LOOP_ALGORITHMS[name], closed.arith.ring.zero
        state = [[zero] * len(self.q) if k == "qdd" else closed.state((k,))[0] for k in algorithm.state]
        flat: list[Poly] = [
            closed.arith.reduced(p) for p in algorithm.run(closed.over, closed.arith, state, Conditions())[0]
        ]
        return closed.written([flat[i : i + width] for i in range(0, len(flat), width)])

    @cached_property
    def transmission(self) -> Matrix:
        """G with qd = G u, for the independent rates u."""
        return sp.ImmutableMatrix(self.loops.solution.G)

    @cached_property
    def transmission_rate(self) -> Matrix:
        """G_dot u, in all rates: qdd = G u_dot + G_dot u."""
        return sp.ImmutableMatrix([[x] for x in self.loops.solution.rates(list(self.loops.gamma))])

    @cached_property
    def reduced_mass_matrix(self) -> Matrix:
        """G^T M G."""
        loops, columns = self.loops, range(len(self.loops.closure.independent))
        rows = [[loops.in_columns(loops.inertia_form(a, b), a, b) for b in columns[a:]] for a in columns]
        return sp.ImmutableMatrix([[rows[min(a, b)][abs(a - b)] for b in columns] for a in columns])

    @cached_property
    def reduced_coriolis_vector(self) -> Matrix:
        """G^T (C qd + M G_dot u), in the independent rates: (1/2) I' u^2 where there is one."""
        return self._in_independent_rates(self.coriolis_vector + self.mass_matrix * self.transmission_rate)

    @cached_property
    def reduced_gravity_torque(self) -> Matrix:
        """G^T of the tree's gravity torque."""
        return self._in_independent_rates(self.gravity_torque)

    @cached_property
    def reduced_spring_torque(self) -> Matrix:
        return self._in_independent_rates(self.spring_torque)

    @cached_property
    def reduced_friction_torque(self) -> Matrix:
        """G^T of the friction at all joints, passive ones included."""
        return self._in_independent_rates(self.friction_torque)

    @cached_property
    def reduced_torque(self) -> Matrix:
        """The reduced equation of motion: G^T tau, which is tau of the actuators where these drive the rates u.

        >>> import redyn
        >>> redyn.derive("four-bar").reduced_torque.shape
        (1, 1)
        """
        u_dot = sp.Matrix([self.qdd[i] for i in self.loops.closure.independent])
        found = self.reduced_mass_matrix * u_dot + self.reduced_coriolis_vector + self.reduced_gravity_torque
        return found + self.reduced_spring_torque + self.reduced_friction_torque

    def _in_independent_rates(self, force: Matrix) -> Matrix:
        """G^T of a force of the tree, with the dependent rates written out."""
        independent = self.loops.closure.independent
        u = sp.Matrix([self.qd[i] for i in independent])
        rates = {
            s: x for i, (s, x) in enumerate(zip(self.qd, self.transmission * u, strict=True)) if i not in independent
        }
        return (self.transmission.T * force).xreplace(rates)

    @cached_property
    def multipliers(self) -> Matrix:
        """lambda of the rows of `loops`, in `tau`, the torques that the tree needs: J_p^T lambda = tau_p.

        Passive joints carry nothing, so the cut joints carry what the tree would need there.
        """
        return sp.ImmutableMatrix([[x] for x in self.loops.solution.multipliers(self.tau)])
