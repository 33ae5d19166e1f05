"""The equations of motion of a robot as SymPy expressions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redyn.description import Source
from redyn.dynamics.algorithm import Conditions
from redyn.dynamics.catalogue import ALGORITHMS
from redyn.dynamics.laws.friction import friction
from redyn.errors import InputError
from redyn.robot import Robot, load
from redyn.symbolic.bodies import SymbolicRobot, symbolic_model
from redyn.symbolic.closed import ClosedForms
from redyn.symbolic.linear import linear_form
from redyn.symbolic.naming import Names, Steps, needed
from redyn.symbolic.notation import Expr, Typesetter, sp, symbol
from redyn.symbolic.parameters import Parameters
from redyn.symbolic.results import CutLink, Lagrangian, LinearForm, Matrix, StateSpace
from redyn.symbolic.tables import Centres, symbolic_robot
from redyn.words import counted

if TYPE_CHECKING:
    from redyn.symbolic.check import Agreement

Array = NDArray[np.float64]


def derive(
    robot: Robot | Source,
    *,
    numbers: bool | str | Collection[str] = (),
    where: Mapping[str, Any] | None = None,
    rods: bool | None = None,
    centres: Centres = "d",
) -> Equations:
    """The equations of motion of a robot in closed form, by the same recursions that give its numbers.

    Constants are symbols (m_1, a_1, alpha_1, d_1x for the mass centre seen from the joint, I_1zz, g, ...); zeros and
    right angles of the robot are kept. `numbers` selects constants that become numbers: True for all, or groups
    (geometry, mass, centre, inertia, gravity, friction, armature, springs), letters or single names. `where` replaces a
    constant by a number or an expression. `rods` makes every link a slender rod, as in the book's examples; the default
    is to do so if the robot's numbers are those of rods. `centres="r"` uses the book's r_i, from the mass centre to the
    far end, instead of d_i.

    >>> import redyn
    >>> eqs = redyn.derive("two-link")
    >>> eqs.coriolis_matrix[0, 1]
    -a_1*a_2*m_2*(theta_dot_1 + theta_dot_2)*sin(theta_2)/2
    >>> print(eqs.text("gravity_torque", 2))
    1/2*m_2*g*a_2*c12
    >>> print(eqs.latex("gravity_torque", 2))
    \\frac{1}{2} m_{2} g a_{2} c_{12}
    >>> redyn.derive("two-link", numbers=["mass", "geometry"]).mass_matrix[1, 1]
    1/3
    """
    loaded = robot if isinstance(robot, Robot) else load(robot)
    if centres not in ("d", "r"):
        raise InputError(f"centres: expected 'd' or 'r', got {centres!r}")
    first = Parameters(numbers, where)
    symbolic_robot(loaded.description, loaded.model, first, centres, rods)
    eqs = Equations(loaded, Parameters(numbers, where, first.known), centres, rods)
    chosen = {
        "numbers": numbers if isinstance(numbers, bool | str) else list(numbers),
        "rods": rods,
        "centres": centres,
    }
    chosen |= {"where": {name: str(value) for name, value in (where or {}).items()}}
    defaults: dict[str, Any] = {"numbers": [], "rods": None, "centres": "d", "where": {}}
    eqs.options = {name: value for name, value in chosen.items() if value != defaults[name]}
    return eqs


# name -> (recursion, shape of its output)
_CLOSED: dict[str, tuple[str, Literal["matrix", "vector", "scalar"]]] = {
    "mass_matrix": ("mass_matrix", "matrix"),
    "coriolis_matrix": ("coriolis_matrix_mci", "matrix"),
    "christoffel_matrix": ("coriolis_matrix_christoffel", "matrix"),
    "coriolis_vector": ("coriolis_vector", "vector"),
    "gravity_torque": ("gravity_torque", "vector"),
    "spring_torque": ("spring_torque", "vector"),
    "kinetic_energy": ("kinetic_energy", "scalar"),
    "potential_energy": ("potential_energy", "scalar"),
}
_COLUMNS = ("coriolis_vector", "gravity_torque", "spring_torque", "friction_torque", "torque", "D")
QUANTITIES = (*_CLOSED, "friction_torque", "torque", "U", "D", "inverse_mass_matrix")


class Equations:
    """See `derive`. Every quantity is a SymPy expression or matrix, computed on first use."""

    def __init__(self, robot: Robot, parameters: Parameters, centres: Centres, rods: bool | None) -> None:
        self.robot = robot
        self.symbolic = symbolic_robot(robot.description, robot.model, parameters, centres, rods)
        self._centres: Centres = centres
        self.parameters: dict[str, Expr] = dict(parameters.expressions)
        self.known: dict[str, float] = dict(parameters.known)  # the robot's value of each
        self.options: dict[str, Any] = {}  # the options of `derive`
        self._parameters = parameters
        self.q, self.qd, self.qdd = self.symbolic.q, self.symbolic.qd, self.symbolic.qdd
        self.tau = [symbol(f"tau_{i}") for i in range(1, self.dof + 1)]
        self._made: dict[str, Any] = {}
        self._functions: dict[tuple[Any, ...], Callable[..., Array]] = {}

    def __repr__(self) -> str:
        return f"<Equations of {self.name!r}: {counted(self.dof, 'joint')}, {counted(len(self.values), 'constant')}>"

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
        return ClosedForms(self.symbolic, self.robot.model)

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
        """The book's MCI (9.16)."""
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
            recursion, shape = _CLOSED[name]
            if shape == "matrix":
                self._made[name] = self.closed.written(self.closed.matrix(recursion))
            elif shape == "vector":
                self._made[name] = self.closed.written([[p] for p in self.closed.run(recursion)])
            else:
                self._made[name] = self.closed.write(self.closed.run(recursion)[0])
        return self._made[name]

    @cached_property
    def friction_torque(self) -> Matrix:
        """Viscous friction, and Coulomb friction smoothed at zero speed."""
        rows: list[list[Expr]] = []
        for body, qd in zip(self.symbolic.bodies, self.qd, strict=True):
            rows.append([friction(qd, body.damping, body.coulomb, body.smoothing, sp.sqrt)])
        return sp.ImmutableMatrix(rows)

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
        if n > 4:
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
        )

    @cached_property
    def newton_euler(self) -> list[CutLink]:
        """The free body of every link, with the force and moment that its parent exerts on it; without friction."""
        return [CutLink(body, self.closed) for body in self.closed.free_bodies()]

    def check(self, points: int = 5, seed: int = 0) -> Agreement:
        """Whether DeNOC, Newton-Euler, Lagrange and the robot's own numbers agree.

        >>> import redyn
        >>> print(redyn.derive("two-link").check())
        DeNOC and Newton-Euler: equal, symbolically
        DeNOC and Lagrange: equal, symbolically
        mass matrix and Lagrange's H: equal, symbolically
        Christoffel matrix and H_dot/2 + S: equal, symbolically
        the equations and the robot's numbers: equal at 5 random states
        """
        from redyn.symbolic.check import check

        return check(self, points, seed)

    # --- named intermediates -------------------------------------------------------------------------------------

    def steps(self, name: str) -> Steps:
        """A recursion as a list of named intermediates, for robots with many joints.

        `name` is one of the robot's methods that take q, qd, qdd, tau or phi, such as "inverse_dynamics" or "udu".

        >>> import redyn
        >>> steps = redyn.derive("puma").steps("inverse_dynamics")
        >>> len(steps.assignments) < 200
        True
        """
        wanted = {"coriolis_matrix": "coriolis_matrix_mci", "christoffel_matrix": "coriolis_matrix_christoffel"}.get(
            name, name
        )
        algorithm = ALGORITHMS.get(wanted)
        if (
            algorithm is None
            or not set(algorithm.state) <= {"q", "qd", "qdd", "tau", "phi"}
            or "frame" in algorithm.options
        ):
            known = [k for k, a in ALGORITHMS.items() if "frame" not in a.options]
            raise InputError(f"steps: expected one of {', '.join(known)}, got {name!r}")
        names = Names()
        vectors = {"q": self.q, "qd": self.qd, "qdd": self.qdd, "tau": self.tau}
        vectors["phi"] = [symbol(f"phi_{i}") for i in range(1, self.dof + 1)]
        model = symbolic_model(self.robot.model, self.symbolic).over(names)
        columns = [[names.const(x) for x in vectors[k]] for k in algorithm.state]
        outputs = [[cast(Any, x).expression for x in out] for out in algorithm.run(model, names, columns, Conditions())]
        lines, flat = needed(names.assignments, [e for out in outputs for e in out])
        shaped: list[Matrix] = []
        for out in outputs:
            part, flat = flat[: len(out)], flat[len(out) :]
            square = len(out) == self.dof**2 and self.dof > 1
            shaped.append(sp.ImmutableMatrix(self.dof if square else len(out), self.dof if square else 1, part))
        inputs = tuple(x for k in algorithm.state for x in vectors[k])
        return Steps(name, inputs, lines, tuple(shaped))

    # --- use -----------------------------------------------------------------------------------------------------

    def quantity(self, name: str) -> Any:
        """A quantity by its name."""
        if name not in QUANTITIES:
            raise InputError(f"expected one of {', '.join(QUANTITIES)}, got {name!r}")
        return getattr(self, name)

    def _entry(self, name: str, row: int | None, column: int | None) -> Any:
        found = self.quantity(name)
        if row is None:
            if column is not None:
                raise InputError("column: give the row as well; both count from 1")
            return found
        shape = getattr(found, "shape", (1, 1))
        for what, value, size in (("row", row, shape[0]), ("column", column or 1, shape[1])):
            if not 1 <= value <= size:
                raise InputError(f"{what}: {name} has {size}, counted from 1; got {value}")
        return found[row - 1, (column or 1) - 1] if hasattr(found, "shape") else found

    def latex(self, name: str | None = None, row: int | None = None, column: int | None = None) -> str:
        """LaTeX of a quantity, or of one entry counted from 1; without a name, of the equations of motion.

        >>> import redyn
        >>> print(redyn.derive("two-link").latex("mass_matrix", 2, 1))
        \\frac{1}{6} m_{2} a_{2} \\left(2 a_{2} + 3 a_{1} c_{2}\\right)
        """
        if name is not None:
            return latex(self._entry(name, row, column))
        rates = [latex(sp.Matrix(v)) for v in (self.qdd, self.qd, self.tau)]
        parts = f"{self.latex('mass_matrix')} {rates[0]} + {self.latex('coriolis_matrix')} {rates[1]}"
        for more in ("gravity_torque", "spring_torque", "friction_torque"):
            if any(self.quantity(more)):
                parts += f" + {self.latex(more)}"
        return f"{parts} = {rates[2]}"

    def text(self, name: str, row: int | None = None, column: int | None = None) -> str:
        """The same as plain text: c23 for cos(theta_2 + theta_3), theta_dot_12 for theta_dot_1 + theta_dot_2."""
        found, writer = self._entry(name, row, column), Typesetter(latex=False)
        if not hasattr(found, "shape"):
            return writer.write(found)
        rows = [[writer.write(found[i, j]) for j in range(found.shape[1])] for i in range(found.shape[0])]
        return "[" + ",\n ".join("[" + ", ".join(row) + "]" for row in rows) + "]"

    def evaluate(
        self,
        name: str,
        q: ArrayLike,
        qd: ArrayLike | None = None,
        qdd: ArrayLike | None = None,
        values: Mapping[str, float] | None = None,
    ) -> Array:
        """A quantity at a state; `values` gives other numbers to some constants.

        >>> import redyn
        >>> redyn.derive("two-link").evaluate("gravity_torque", [0, 0])
        array([19.62 ,  4.905])
        """
        found = self.quantity(name)
        numbers: dict[Expr, float] = dict(self.values)
        for key, value in (values or {}).items():
            numbers[symbol(key)] = float(value)
        for symbols, given in ((self.q, q), (self.qd, qd), (self.qdd, qdd)):
            if given is not None:
                row = np.asarray(given, dtype=np.float64)
                if row.shape != (self.dof,):
                    raise InputError(f"expected {counted(self.dof, 'number')}, one per joint, got shape {row.shape}")
                numbers |= dict(zip(symbols, cast("list[float]", row.tolist()), strict=True))
        missing = sorted(str(s) for s in found.free_symbols - numbers.keys())
        if missing:
            raise InputError(f"{name}: no value for {', '.join(missing)}")
        key = (name, *numbers)
        if key not in self._functions:
            self._functions[key] = numeric(found, list(numbers))
        result = self._functions[key](*numbers.values())
        return np.squeeze(result, -1) if name in _COLUMNS else result


def numeric(found: Any, symbols: list[Expr]) -> Callable[..., Array]:
    """A function of the symbols' values that returns an array of the same shape."""
    shape = getattr(found, "shape", ())
    flat = list(found) if shape else [found]
    run = sp.lambdify(symbols, flat, "math", cse=True)
    return lambda *values: np.array([float(x) for x in run(*values)]).reshape(shape)


def latex(expression: Any) -> str:
    """LaTeX of an expression or a matrix."""
    writer = Typesetter()
    if not hasattr(expression, "shape"):
        return writer.write(expression)
    rows, columns = expression.shape
    lines = [" & ".join(writer.write(expression[i, j]) for j in range(columns)) for i in range(rows)]
    return r"\begin{bmatrix} " + r" \\ ".join(lines) + r" \end{bmatrix}"
