"""The context of the sections on loops: the robot at a closed state, and its equations where there are symbols for it.

All numbers are the robot's own. Rows are those of the formulas where formulas are printed, else those of the robot, in
the axes of A.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from redyn.kinematics.loops import State, closure_of
from redyn.model import Closure, Loop
from redyn.robot import Robot
from redyn.symbolic.chapter.blocks import pair, word
from redyn.symbolic.chapter.setting import Context
from redyn.symbolic.equations import Equations, numeric
from redyn.symbolic.loops.quantities import LoopEquations
from redyn.symbolic.loops.states import gamma
from redyn.symbolic.notation import Expr, sp, symbol, symbol_latex

Array = NDArray[np.float64]

_STATES = 5  # at which rows are looked at where there are no symbols


@dataclass
class LoopSetting:
    robot: Robot
    state: State
    eqs: Equations | None  # None: its joints have no symbols, and there are numbers only

    # --- symbols ----------------------------------------------------------------------------------------------------

    @cached_property
    def tree(self) -> Context | None:
        return None if self.eqs is None else Context(self.eqs, *self.state)

    @property
    def loops(self) -> LoopEquations | None:
        """The closure in symbols, where it is worth printing."""
        return self.eqs.loops if self.eqs is not None and self.eqs.loops.readable else None

    @property
    def solved(self) -> LoopEquations | None:
        """The same where G has a closed form."""
        loops = self.loops
        return loops if loops is not None and loops.solution.blocks is not None else None

    @property
    def written(self) -> LoopEquations | None:
        """The same where the reduced equation is worth writing over the elements of G."""
        return self.solved if self.solved is not None and self.solved.small else None

    def element(self, letter: str, i: int, j: int) -> Expr:
        """The symbol of an element of a matrix, by joint numbers from 0."""
        return symbol(f"{letter}_{pair(i + 1, j + 1).replace(',', '_')}")

    def column(self, a: int) -> dict[Expr, Expr]:
        """The rates as elements of a column of G."""
        assert self.eqs is not None
        j = self.independent[a]
        return {
            qd: sp.Integer(i == j) if i in self.independent else self.element("G", i, j)
            for i, qd in enumerate(self.eqs.qd)
        }

    def slopes(self) -> dict[Expr, Expr]:
        """The accelerations as derivatives of the only column of G by the independent joint variable."""
        assert self.eqs is not None
        (j,) = self.independent
        return {qdd: sp.Integer(0) if i == j else self.element("G'", i, j) for i, qdd in enumerate(self.eqs.qdd)}

    def inertia(self, loops: LoopEquations, a: int, b: int) -> Expr:
        """An element of the reduced inertia over the elements of G."""
        assert self.eqs is not None
        columns = self.column(a), self.column(b)
        second = {qdd: columns[1][qd] for qd, qdd in zip(self.eqs.qd, self.eqs.qdd, strict=True)}
        return loops.inertia_form(a, b).xreplace(columns[0]).xreplace(second)

    def half_slope(self, loops: LoopEquations) -> Expr:
        """Of the reduced inertia of one independent rate, likewise."""
        return loops.slope_form().xreplace(self.slopes()).xreplace(self.column(0))

    def weight(self, loops: LoopEquations, a: int) -> Expr:
        """What the weights ask of an actuator, likewise."""
        return loops.weight_form().xreplace(self.column(a))

    # --- words ------------------------------------------------------------------------------------------------------

    @cached_property
    def closure(self) -> Closure:
        return closure_of(self.robot)

    @cached_property
    def idle(self) -> list[list[int]]:
        """Rows of each loop that are zero whatever the tree does."""
        if self.eqs is not None:
            return [self.eqs.loops.closure.idle(k) for k in range(len(self.model_loops))]
        rng, found, place = np.random.default_rng(0), list[list[int]](), 0
        J = np.array([self.robot.loop_jacobian(self.robot.random(rng)) for _ in range(_STATES)])
        for loop in self.model_loops:
            largest = np.abs(J[:, place : place + len(loop.rows)]).max(axis=(0, 2))
            found.append([row for row, x in zip(loop.rows, largest, strict=True) if x < 1e-9])
            place += len(loop.rows)
        return found

    @property
    def independent(self) -> list[int]:
        return list(self.closure.independent)

    @property
    def dependent(self) -> list[int]:
        return self.closure.dependent(self.robot.dof)

    @property
    def driven(self) -> list[int]:
        return list(self.closure.driven)

    @property
    def directly_driven(self) -> bool:
        """Whether the independent rates are those with actuators."""
        return self.driven == self.independent

    def named_link(self, link: int) -> str:
        if not link:
            return "the ground"
        name = word(self.robot.model.links[link - 1].name)
        return f"link {link} ({name})" if self.eqs is not None else name

    def axes(self, loop: int) -> str:
        """The axes in which the rows of a loop are printed."""
        if self.loops is None:
            return "$A$"
        carrier = next((row.axes for row in self.loops.closure.rows if row.loop == loop), "A")
        return self.named_link(carrier) if isinstance(carrier, int) else "$A$"

    def rates(self) -> list[str]:
        """Every rate as a formula, or by its name."""
        return self._symbols(None if self.eqs is None else self.eqs.qd)

    def variables(self) -> list[str]:
        """Every joint variable, likewise."""
        return self._symbols(None if self.eqs is None else self.eqs.q)

    def _symbols(self, symbols: list[Expr] | None) -> list[str]:
        if symbols is None:
            return [word(name) for name in self.robot.velocity_names]
        return [f"${symbol_latex(s.name)}$" for s in symbols]

    @property
    def model_loops(self) -> tuple[Loop, ...]:
        return self.robot.model.loops

    # --- numbers ----------------------------------------------------------------------------------------------------

    @property
    def own_rows(self) -> bool:
        """Whether the rows are the robot's, in the axes of A."""
        return self.eqs is None or self.loops is None or bool(self.eqs.contradictions or self.eqs.valueless)

    def _rows(self, name: str) -> Array:
        assert self.eqs is not None
        assert self.loops is not None
        symbols = [*self.eqs.values, *self.eqs.q, *self.eqs.qd]
        return numeric(getattr(self.loops, name), symbols)(*self.eqs.values.values(), *self.state.q, *self.state.qd)

    @cached_property
    def J(self) -> Array:
        return self.robot.loop_jacobian(self.state.q)[list(self.closure.rows)] if self.own_rows else self._rows("J")

    @cached_property
    def gamma(self) -> Array:
        if self.own_rows:
            return gamma(self.robot, self.state.q, self.state.qd)[list(self.closure.rows)]
        return self._rows("gamma")[:, 0]

    @cached_property
    def G(self) -> Array:
        return self.robot.transmission(self.state.q)

    @cached_property
    def nu(self) -> Array:
        return self.state.qdd - self.G @ self.state.qdd[self.independent]

    @cached_property
    def M(self) -> Array:
        return self.robot.mass_matrix(self.state.q)

    @cached_property
    def reduced_mass_matrix(self) -> Array:
        return self.robot.mass_matrix(self.state.q, reduced=True)

    @cached_property
    def tau_tree(self) -> Array:
        """What the tree would need at every joint."""
        return self.robot.inverse_dynamics(*self.state, loops=False)

    @cached_property
    def tau(self) -> Array:
        return self.robot.inverse_dynamics(*self.state)

    @cached_property
    def multipliers(self) -> Array:
        """lambda with J^T lambda = tau_tree - tau; unique where the rows are independent."""
        found = np.linalg.lstsq(self.J.T, self.tau_tree - self.tau, rcond=1e-9)[0]
        return np.asarray(found, dtype=np.float64)

    @cached_property
    def held(self) -> Array:
        """Gravity and springs of the tree."""
        q = self.state.q
        return self.robot.gravity_torque(q, loops=False) + self.robot.tree.spring_torque(q)

    @cached_property
    def convective(self) -> Array:
        """Terms of the tree in the rates: C qd, and friction."""
        q, qd = self.state.q, self.state.qd
        return self.robot.tree.coriolis_vector(q, qd) + self.robot.tree.friction_torque(qd)
