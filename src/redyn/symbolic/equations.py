"""The equations of motion of a robot as SymPy expressions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redyn.description import Source
from redyn.errors import InputError
from redyn.kinematics.robot_like import LinkName
from redyn.robot import Robot, load
from redyn.symbolic.loops.quantities import LOOP_COLUMNS, LOOP_QUANTITIES, LoopedEquations
from redyn.symbolic.moving import KINEMATIC_QUANTITIES
from redyn.symbolic.notation import Expr, Typesetter, sp, symbol
from redyn.symbolic.parameters import Parameters
from redyn.symbolic.tables import Centres, symbolic_robot
from redyn.symbolic.tree import CLOSED
from redyn.words import counted

if TYPE_CHECKING:
    from redyn.symbolic.agreement import Agreement

Array = NDArray[np.float64]


def derive(
    robot: Robot | Source,
    *,
    numbers: bool | str | Collection[str] = (),
    where: Mapping[str, Any] | None = None,
    rods: bool | None = None,
    centres: Centres = "d",
    expand: bool = False,
) -> Equations:
    """The equations of motion of a robot in closed form, by the same recursions that give its numbers.

    Constants are symbols (m_1, a_1, alpha_1, d_1x for the mass centre seen from the joint, I_1zz, g, ...); zeros and
    right angles of the robot are kept. `numbers` selects constants that become numbers: True for all, or groups
    (geometry, mass, centre, inertia, gravity, friction, armature, springs), letters or single names. `where` replaces a
    constant by a number or an expression. `rods` makes every link a slender rod, as in the book's examples; the default
    is to do so if the robot's numbers are those of rods. `centres="r"` uses the book's r_i, from the mass centre to the
    far end, instead of d_i. `expand=True` multiplies every product out, as the book prints its elements.

    Where wheels roll, the coordinates are x, y, psi of the base, phi of wheels and theta of other joints, and a disk
    that moves freely has x, y, z, psi, theta and phi: see `redyn.symbolic.rolling`.

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
    >>> print(redyn.derive("two-link", expand=True).text("mass_matrix", 1, 1))
    1/3*m_1*a_1**2 + m_2*a_1**2 + 1/3*m_2*a_2**2 + m_2*a_1*a_2*c2
    """
    loaded = robot if isinstance(robot, Robot) else load(robot)
    if loaded.model.contacts:
        from redyn.symbolic.rolling.equations import RollingEquations
        from redyn.symbolic.rolling.euler import euler_disk, is_free_disk

        given, kind = loaded, RollingEquations
        loaded = euler_disk(loaded) if is_free_disk(loaded) else loaded
    else:
        given, kind = loaded, Equations
    if centres not in ("d", "r"):
        raise InputError(f"centres: expected 'd' or 'r', got {centres!r}")
    first = Parameters(numbers, where)
    symbolic_robot(loaded.description, loaded.model, first, centres, rods)
    eqs = kind(loaded, Parameters(numbers, where, first.known), centres, rods)
    eqs.free = given if given is not loaded else None
    eqs.expand = expand
    chosen = {
        "numbers": numbers if isinstance(numbers, bool | str) else list(numbers),
        "rods": rods,
        "centres": centres,
        "expand": expand,
    }
    chosen |= {"where": {name: str(value) for name, value in (where or {}).items()}}
    defaults: dict[str, Any] = {"numbers": [], "rods": None, "centres": "d", "expand": False, "where": {}}
    eqs.options = {name: value for name, value in chosen.items() if value != defaults[name]}
    return eqs


MOST_SHOWN, LONGEST_SHOWN = 3, 8_000  # degrees of freedom, and characters of LaTeX, that a notebook shows by itself
COLUMNS = (
    *("coriolis_vector", "gravity_torque", "spring_torque", "friction_torque", "torque", "D"),
    *("velocity", "coordinate_rates"),
)
QUANTITIES = (*CLOSED, "friction_torque", "torque", "U", "D", "inverse_mass_matrix", "coordinate_rates")


class Equations(LoopedEquations):
    """See `derive`. Every quantity is a SymPy expression or matrix, computed on first use."""

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

    # --- use -----------------------------------------------------------------------------------------------------

    def quantity(self, name: str, link: LinkName = None) -> Any:
        """A quantity by its name; those of a frame, such as the Jacobian, are of `link` or the end effector."""
        known = (*QUANTITIES, *LOOP_QUANTITIES) if self.robot.model.loops else QUANTITIES
        return self._named_quantity(name, known, link)

    def _named_quantity(self, name: str, known: Sequence[str], link: LinkName) -> Any:
        if name in KINEMATIC_QUANTITIES:
            return getattr(self, name)(link)
        if name not in known:
            raise InputError(f"expected one of {', '.join((*known, *KINEMATIC_QUANTITIES))}, got {name!r}")
        if link is not None:
            raise InputError(f"link: {name} is not of one frame")
        return getattr(self, name)

    def _entry(self, name: str, row: int | None, column: int | None, link: LinkName) -> Any:
        found = self.quantity(name, link)
        if row is None:
            if column is not None:
                raise InputError("column: give the row as well; both count from 1")
            return found
        shape = getattr(found, "shape", (1, 1))
        for what, value, size in (("row", row, shape[0]), ("column", column or 1, shape[1])):
            if not 1 <= value <= size:
                raise InputError(f"{what}: {name} has {size}, counted from 1; got {value}")
        return found[row - 1, (column or 1) - 1] if hasattr(found, "shape") else found

    def latex(
        self, name: str | None = None, row: int | None = None, column: int | None = None, link: LinkName = None
    ) -> str:
        """LaTeX of a quantity, or of one entry counted from 1; without a name, of the equations of motion.

        >>> import redyn
        >>> print(redyn.derive("two-link").latex("mass_matrix", 2, 1))
        \\frac{1}{6} m_{2} a_{2} \\left(2 a_{2} + 3 a_{1} c_{2}\\right)
        """
        if name is not None:
            return latex(self._entry(name, row, column, link))
        rates = [latex(sp.Matrix(v)) for v in (self.qdd, self.qd, self.tau)]
        parts = f"{self.latex('mass_matrix')} {rates[0]} + {self.latex('coriolis_matrix')} {rates[1]}"
        for more in ("gravity_torque", "spring_torque", "friction_torque"):
            if any(self.quantity(more)):
                parts += f" + {self.latex(more)}"
        if self.robot.model.loops:
            carried = latex(sp.Matrix([symbol(f"lambda_{i}") for i in range(1, len(self.loops.names) + 1)]))
            return f"{parts} = {rates[2]} + {latex(self.loops.J.T)} {carried}"
        return f"{parts} = {rates[2]}"

    def _repr_latex_(self) -> str | None:
        """In a notebook: the equations of motion, where they are short enough to be read."""
        if self.dof > MOST_SHOWN:
            return None
        found = self.latex()
        return f"$\\displaystyle {found}$" if len(found) <= LONGEST_SHOWN else None

    def text(self, name: str, row: int | None = None, column: int | None = None, link: LinkName = None) -> str:
        """The same as plain text: c23 for cos(theta_2 + theta_3), theta_dot_12 for theta_dot_1 + theta_dot_2."""
        found, writer = self._entry(name, row, column, link), Typesetter(latex=False)
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
        link: LinkName = None,
    ) -> Array:
        """A quantity at a state; `values` gives other numbers to some constants.

        >>> import redyn
        >>> redyn.derive("two-link").evaluate("gravity_torque", [0, 0])
        array([19.62 ,  4.905])
        """
        found = self.quantity(name, link)
        numbers: dict[Expr, float] = dict(self.values)
        for key, value in (values or {}).items():
            numbers[symbol(key)] = float(value)
        for symbols, given in ((self.q, q), (self.qd, qd), (self.qdd, qdd)):
            if given is not None:
                row = np.asarray(given, dtype=np.float64)
                if row.shape != (len(symbols),):
                    each = (
                        "one per joint" if len(self.q) == self.dof else f"the values of {', '.join(map(str, symbols))}"
                    )
                    raise InputError(f"expected {counted(len(symbols), 'number')}, {each}, got shape {row.shape}")
                numbers |= dict(zip(symbols, cast("list[float]", row.tolist()), strict=True))
        missing = sorted(str(s) for s in found.free_symbols - numbers.keys())
        if missing:
            raise InputError(f"{name}: no value for {', '.join(missing)}")
        key = (name, link, *numbers)
        if key not in self._functions:
            self._functions[key] = numeric(found, list(numbers))
        result = self._functions[key](*numbers.values())
        return np.squeeze(result, -1) if name in (*COLUMNS, *LOOP_COLUMNS) else result


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
