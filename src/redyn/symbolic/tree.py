"""The equations of motion of a tree as SymPy expressions."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from redyn.arithmetic.symbols import Symbols
from redyn.dynamics import reduced
from redyn.dynamics.algorithm import Algorithm, Conditions
from redyn.dynamics.catalogue import ALGORITHMS, LOOP_ALGORITHMS
from redyn.dynamics.passive import friction_torque
from redyn.errors import InputError
from redyn.robot import Robot
from redyn.symbolic.bodies import SymbolicRobot, symbolic_model
from redyn.symbolic.closed import ClosedForms
from redyn.symbolic.flexible.tips import TipForms
from redyn.symbolic.linear import linear_form
from redyn.symbolic.naming import Names, Steps, needed
from redyn.symbolic.notation import Expr, sp, symbol
from redyn.symbolic.parameters import Parameters
from redyn.symbolic.results import CutLink, Lagrangian, LinearForm, Matrix, StateSpace
from redyn.symbolic.tables import Centres, symbolic_robot
from redyn.words import counted

Array = NDArray[np.float64]

# name -> (recursion, shape of its output)
CLOSED: dict[str, tuple[str, Literal["matrix", "vector", "scalar"]]] = {
    "mass_matrix": ("mass_matrix", "matrix"),
    "coriolis_matrix": ("coriolis_matrix_mci", "matrix"),
    "christoffel_matrix": ("coriolis_matrix_christoffel", "matrix"),
    "coriolis_vector": ("coriolis_vector", "vector"),
    "gravity_torque": ("gravity_torque", "vector"),
    "spring_torque": ("spring_torque", "vector"),
    "kinetic_energy": ("kinetic_energy", "scalar"),
    "potential_energy": ("potential_energy", "scalar"),
}


MOST_MINORS = 4  # joints; determinants of larger mass matrices are too long
MOST_FLEXIBLE = 7  # coordinates of a robot whose links bend; polynomials in amplitudes grow faster than others
_RECURSIONS = {"coriolis_matrix": "coriolis_matrix_mci", "christoffel_matrix": "coriolis_matrix_christoffel"}


class TreeEquations:
    """Of the robot, or, where it has loops, of the tree that is left when they are cut."""

    def __init__(self, robot: Robot, parameters: Parameters, centres: Centres, rods: bool | None) -> None:
        self.robot = robot
        self.free: Robot | None = None  # the robot itself, where single joints stand in the place of a free one
        self.symbolic = symbolic_robot(robot.description, robot.model, parameters, centres, rods)
        self._centres: Centres = centres
        self.parameters: dict[str, Expr] = dict(parameters.expressions)
        self.known: dict[str, float] = dict(parameters.known)  # the robot's value of each
        self.options: dict[str, Any] = {}  # the options of `derive`
        self.expand = False  # whether formulas are multiplied out
        self._parameters = parameters
        self.q, self.qd, self.qdd = self.symbolic.q, self.symbolic.qd, self.symbolic.qdd
        self.tau = [symbol(f"tau_{i}") for i in range(1, self.dof + 1)]
        self._made: dict[str, Any] = {}
        self._functions: dict[tuple[Any, ...], Callable[..., Array]] = {}

    def __repr__(self) -> str:
        what = "coordinate" if self.symbolic.flexible or self.symbolic.geared else "joint"
        size = counted(self.dof, what)
        if any(body.virtual for body in self.symbolic.bodies) and what == "joint":
            size = f"{self.dof} degrees of freedom"
        return f"<Equations of {self.name!r}: {size}, {counted(len(self.values), 'constant')}>"

    @property
    def name(self) -> str:
        return self.robot.name

    @property
    def dof(self) -> int:
        return self.symbolic.dof

    @cached_property
    def values(self) -> dict[Expr, float]:
        """The robot's value of every symbol."""
        return self._parameters.values()

    @cached_property
    def contradictions(self) -> list[str]:
        """Parameters whose replacement (`rods`, `where`) has another value than the robot's."""
        return self._parameters.contradictions()

    @cached_property
    def valueless(self) -> list[str]:
        """Symbols introduced by `where` whose values the robot's numbers do not determine."""
        letters = set[Expr]().union(*(e.free_symbols for e in self.parameters.values()))
        return sorted(str(s) for s in letters - self.values.keys())

    @cached_property
    def closed(self) -> ClosedForms:
        """The polynomials behind the formulas."""
        if self.symbolic.flexible and self.dof > MOST_FLEXIBLE:
            raise InputError(
                f"closed forms of {counted(self.dof, 'coordinate')} of a robot whose links bend are too long; "
                "steps('inverse_dynamics') gives named intermediates, and robot.rigid() has shorter ones"
            )
        return ClosedForms(self.symbolic, self.robot.model, self.expand)

    @cached_property
    def tips(self) -> TipForms:
        """Shorter forms of links that bend, with names for where their tips are."""
        return TipForms(self.closed.robot, self.robot.model)

    def with_numbers(self) -> SymbolicRobot:
        """The same links and axes with the robot's own numbers for all constants."""
        return symbolic_robot(self.robot.description, self.robot.model, Parameters(True, None), self._centres, False)

    # --- the equations of motion ---------------------------------------------------------------------------------

    @property
    def mass_matrix(self) -> Matrix:
        """The GIM (9.15)."""
        return self._closed("mass_matrix")

    @property
    def coriolis_matrix(self) -> Matrix:
        """The book's MCI (9.16); where links bend, Christoffel's."""
        return self._closed("coriolis_matrix")

    @property
    def christoffel_matrix(self) -> Matrix:
        """C in terms of Christoffel symbols; equal to the MCI for planar arms."""
        return self._closed("christoffel_matrix")

    @property
    def coriolis_vector(self) -> Matrix:
        """The VCI h = C qd (9.19)."""
        return self._closed("coriolis_vector")

    @property
    def gravity_torque(self) -> Matrix:
        """What the actuators must supply to hold the robot still."""
        return self._closed("gravity_torque")

    @property
    def spring_torque(self) -> Matrix:
        """What the actuators must supply to hold the joint springs: k_i (q_i - rest_i)."""
        return self._closed("spring_torque")

    @property
    def kinetic_energy(self) -> Expr:
        return self._closed("kinetic_energy")

    @property
    def potential_energy(self) -> Expr:
        """Zero with the mass centre at the world's origin and all springs at rest."""
        return self._closed("potential_energy")

    def _closed(self, name: str) -> Any:
        if name not in self._made:
            recursion, shape = CLOSED[name]
            if shape == "matrix":
                self._made[name] = self.closed.written(self.closed.matrix(recursion))
            elif shape == "vector":
                self._made[name] = self.closed.written([[p] for p in self.closed.run(recursion)])
            else:
                self._made[name] = self.closed.write(self.closed.run(recursion)[0])
        return self._made[name]

    @cached_property
    def friction_torque(self) -> Matrix:
        """Viscous friction, and Coulomb friction smoothed at zero speed; of modes and elastic gears, their damping."""
        model = symbolic_model(self.robot.model, self.symbolic)
        return sp.ImmutableMatrix(friction_torque(model, Symbols(), self.qd))

    @cached_property
    def torque(self) -> Matrix:
        """tau of a motion: mass_matrix qdd + coriolis_vector + gravity_torque + spring_torque + friction_torque."""
        moving = self.mass_matrix * sp.Matrix(self.qdd) + self.coriolis_vector
        return moving + self.gravity_torque + self.spring_torque + self.friction_torque

    # --- factors and inverse -------------------------------------------------------------------------------------

    @property
    def udu(self) -> tuple[Matrix, Matrix]:
        """U and the column of D with mass_matrix = U diag(D) U^T (9.38), through trailing minors of the mass matrix."""
        return self.U, self.D

    @cached_property
    def _minors(self) -> list[Expr]:
        """Delta_k, the determinant of rows and columns k to n; the last is 1."""
        n = self.dof
        if n > MOST_MINORS:
            raise InputError(f"the closed forms of U and D are too long for {n} joints; use steps('udu')")
        return [self.closed.minor(range(k, n), range(k, n)) for k in range(n)] + [sp.Integer(1)]

    @cached_property
    def U(self) -> Matrix:
        """Unit upper triangular: u_ik is the minor of rows i, k+1..n and columns k..n over Delta_k."""
        n, minors = self.dof, self._minors

        def entry(i: int, k: int) -> Expr:
            if i >= k:
                return sp.Integer(int(i == k))
            return self.closed.minor([i, *range(k + 1, n)], range(k, n)) / minors[k]

        return sp.ImmutableMatrix(n, n, entry)

    @cached_property
    def D(self) -> Matrix:
        """The m_hat_i of (9.39c): ratios of neighbouring trailing minors."""
        return sp.ImmutableMatrix([a / b for a, b in zip(self._minors, self._minors[1:], strict=False)])

    @cached_property
    def inverse_mass_matrix(self) -> Matrix:
        """The adjoint over the determinant."""
        n, determinant = self.dof, self._minors[0]

        def entry(i: int, j: int) -> Expr:
            i, j = max(i, j), min(i, j)
            rows, columns = [k for k in range(n) if k != j], [k for k in range(n) if k != i]
            return (-1) ** (i + j) * self.closed.minor(rows, columns) / determinant

        return sp.ImmutableMatrix(n, n, entry)

    # --- state space ---------------------------------------------------------------------------------------------

    @cached_property
    def state_space(self) -> StateSpace:
        """Continuous and discrete state-space form."""
        if self.robot.model.loops:
            raise InputError(
                f"state_space: the loops of {self.name} are closed; `reduced_torque` is its equation of motion"
            )
        if self.symbolic.turning_rows:
            raise InputError(
                "state_space: the rates of joints that turn about a point are no derivatives of q; simulate the robot, "
                "or use `inverse_mass_matrix` and `coordinate_rates`"
            )
        n = self.dof
        f = B = None
        G = self.gravity_torque + self.spring_torque
        effort = sp.Matrix(self.tau) - self.coriolis_vector - self.friction_torque - G
        if self.symbolic.tip is not None:
            J = self.closed.matrix("jacobian")[3:]
            B = self.closed.written([list(column) for column in zip(*J, strict=True)])
            f = sp.ImmutableMatrix([symbol(f"f_{axis}") for axis in "xyz"])
            effort = effort - B * f
        acceleration = sp.ImmutableMatrix(self.inverse_mass_matrix * effort)
        h, one, zero = symbol("h"), sp.eye(n), sp.zeros(n, n)
        qd, q = sp.Matrix(self.qd), sp.Matrix(self.q)
        A = sp.ImmutableMatrix(sp.Matrix.vstack(sp.Matrix.hstack(one, zero), sp.Matrix.hstack(h * one, one)))
        B_h = sp.ImmutableMatrix(sp.Matrix.vstack(h * one, h**2 / 2 * one))
        return StateSpace(
            M=self.mass_matrix,
            V=self.coriolis_vector + self.friction_torque,
            G=G,
            B=B,
            f=f,
            acceleration=acceleration,
            rate=sp.ImmutableMatrix(sp.Matrix.vstack(acceleration, qd)),
            A=A,
            B_h=B_h,
            step=sp.ImmutableMatrix(A * sp.Matrix.vstack(qd, q) + B_h * acceleration),
        )

    @cached_property
    def linear(self) -> LinearForm:
        """tau = Y(q, qd, qdd) beta, with the fewest beta that suffice for all values of the constants and lengths.

        If the lengths are known, some of these depend on others: `redyn.identification.base_parameters`.

        >>> import redyn
        >>> form = redyn.derive("lagrange-two-link").linear
        >>> form.parameters[4], form.regressor[1, 4]
        (d_2x*m_2, g*cos(theta_1 + theta_2))
        """
        if self.symbolic.flexible:
            raise InputError(
                "linear: torques of links that bend are no linear function of constants; robot.rigid() has a regressor"
            )
        return linear_form(self.closed)

    # --- independent derivations ---------------------------------------------------------------------------------

    @cached_property
    def lagrange(self) -> Lagrangian:
        """From the energies, with separate centrifugal and Coriolis terms; C = H_dot/2 + S. Without friction."""
        found = self.closed.lagrange()
        (qd, qdd) = self.closed.state(("qd", "qdd"))
        write, half = self.closed.written, found.half

        def column(values: list[Any]) -> Matrix:
            return write([[p] for p in values])

        energy = sum(
            (half * qd[i] * found.H[i][j] * qd[j] for i in range(self.dof) for j in range(self.dof)), half - half
        )
        return Lagrangian(
            H=write(found.H),
            kinetic_energy=self.closed.write(energy),
            potential_energy=self.closed.write(found.U),
            centrifugal=column(found.centrifugal(qd)),
            coriolis=column(found.coriolis(qd)),
            gravity=column(found.forces),
            half_H_dot=write([[half * x for x in row] for row in found.H_dot(qd)]),
            S=write(found.S(qd)),
            torque=sp.ImmutableMatrix([self.closed.write_torque(p) for p in found.torque(qd, qdd)]),
            momentum=column(found.momentum(qd)),
            momentum_rate=sp.ImmutableMatrix([self.closed.write_torque(p) for p in found.momentum_rate(qd, qdd)]),
            slope=sp.ImmutableMatrix([self.closed.write_torque(p) for p in found.slope(qd)]),
        )

    @cached_property
    def newton_euler(self) -> list[CutLink]:
        """The free body of every link, with the force and moment that its parent exerts on it; without friction."""
        if self.symbolic.flexible:
            raise InputError(
                "newton_euler: a link that bends is no rigid body; `lagrange` is the independent derivation, and "
                "robot.rigid() has free bodies"
            )
        return [CutLink(body, self.closed) for body in self.closed.free_bodies()]

    # --- named intermediates -------------------------------------------------------------------------------------

    def steps(self, name: str, loops: bool = True) -> Steps:
        """A recursion as a list of named intermediates, for robots with many joints.

        `name` is one of the robot's methods that take q, qd, qdd, tau or phi, such as "inverse_dynamics" or "udu".
        Loops are closed unless `loops=False`; robots that have some know "transmission", "loop_jacobian" ... as well.

        >>> import redyn
        >>> steps = redyn.derive("puma").steps("inverse_dynamics")
        >>> len(steps.assignments) < 200
        True
        """
        algorithm = self._algorithm(name, loops)
        names = Names()
        vectors = {"q": self.q, "qd": self.qd, "qdd": self.qdd, "tau": self.tau}
        vectors["phi"] = [symbol(f"phi_{i}") for i in range(1, self.dof + 1)]
        model = symbolic_model(self.robot.model, self.symbolic).over(names)
        columns = [[names.const(x) for x in vectors[k]] for k in algorithm.state]
        run = partial(reduced.run, algorithm) if loops else algorithm.run
        found = run(model, names, columns, Conditions())[: len(algorithm.outputs)]  # guards are left out
        outputs = [[cast(Any, x).expression for x in out] for out in found]
        lines, flat = needed(names.assignments, [e for out in outputs for e in out])
        shaped: list[Matrix] = []
        for out, kind in zip(outputs, algorithm.outputs, strict=True):
            part, flat = flat[: len(out)], flat[len(out) :]
            shape = kind.shape(self.robot.model)
            shaped.append(sp.ImmutableMatrix(*(shape if len(shape) == 2 else (len(out), 1)), part))
        inputs = tuple(x for k in algorithm.state for x in vectors[k])
        return Steps(name, inputs, lines, tuple(shaped))

    def _algorithm(self, name: str, loops: bool) -> Algorithm:
        every = {**ALGORITHMS, **(LOOP_ALGORITHMS if loops and self.robot.model.loops else {})}
        known = {
            k: a
            for k, a in every.items()
            if "frame" not in a.options and set(a.state) <= {"q", "qd", "qdd", "tau", "phi"}
        }
        found = known.get(_RECURSIONS.get(name, name))
        if found is None:
            raise InputError(f"steps: expected one of {', '.join(known)}, got {name!r}")
        return found
