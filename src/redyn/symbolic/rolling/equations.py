"""What the equations of a robot on wheels have beside those of its tree."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redyn.errors import InputError
from redyn.kinematics.robot_like import LinkName
from redyn.model import Rolling
from redyn.symbolic.agreement import Agreement
from redyn.symbolic.equations import QUANTITIES, Equations, latex
from redyn.symbolic.notation import Expr, sp, symbol
from redyn.symbolic.results import Matrix
from redyn.symbolic.rolling.quantities import RollingForms

Array = NDArray[np.float64]

ROLLING_QUANTITIES = (
    "constraints",
    "transmission",
    "transmission_rate",
    "reduced_mass_matrix",
    "reduced_coriolis_vector",
    "reduced_gravity_torque",
    "reduced_spring_torque",
    "reduced_friction_torque",
    "reduced_torque",
    "actuation",
)
ROLLING_COLUMNS = tuple(name for name in ROLLING_QUANTITIES if name.endswith(("torque", "vector", "rate")))


class RollingEquations(Equations):
    """Of a robot whose wheels roll: those of its tree, and what is left of them while no wheel slips.

    u are the independent rates and A the rows of the wheels: A qd = 0, qd = S u and qdd = S u_dot + gamma.

    >>> import redyn
    >>> eqs = redyn.derive("differential-drive")
    >>> print(eqs.text("transmission", 3, 1))
    -(R)/(2*b)
    """

    @cached_property
    def rolling(self) -> RollingForms:
        """The rows of the wheels and the polynomials behind what follows from them."""
        reduction = self.robot.model.reduction
        assert isinstance(reduction, Rolling)
        return RollingForms(self.closed, reduction)

    @property
    def u(self) -> list[Expr]:
        """The independent rates: entries of qd, or v_x and v_y of a base in its own axes."""
        return self.rolling.rates(self.qd)

    @property
    def u_dot(self) -> list[Expr]:
        named = {x: symbol(str(x).replace("v_", "v_dot_")) for x in self.symbolic.body_rates}
        return [named.get(x, y) for x, y in zip(self.u, self.rolling.rates(self.qdd), strict=True)]

    @property
    def constraints(self) -> Matrix:
        """A with A qd = 0: a row per condition that counts, see `rolling.row_names`."""
        return self.rolling.A

    @cached_property
    def transmission(self) -> Matrix:
        """S with qd = S u."""
        return self.rolling.S

    @cached_property
    def transmission_rate(self) -> Matrix:
        """gamma = S_dot u, in the independent rates."""
        return self.rolling.gamma

    @cached_property
    def reduced_mass_matrix(self) -> Matrix:
        """S^T M S."""
        return self.rolling.mass_matrix

    @cached_property
    def reduced_coriolis_vector(self) -> Matrix:
        """S^T (M gamma + C qd), in the independent rates."""
        return self.rolling.coriolis_vector

    @cached_property
    def reduced_gravity_torque(self) -> Matrix:
        """S^T of the tree's."""
        return self.rolling.gravity_torque

    @cached_property
    def reduced_spring_torque(self) -> Matrix:
        return self.rolling.spring_torque

    @cached_property
    def reduced_friction_torque(self) -> Matrix:
        """S^T of the friction at all joints."""
        rates = dict(zip(self.qd, self.transmission * sp.Matrix(self.u), strict=True))
        kept = {s: x for s, x in rates.items() if s not in self.u}
        return sp.ImmutableMatrix((self.transmission.T * self.friction_torque).xreplace(kept))

    @cached_property
    def reduced_torque(self) -> Matrix:
        """The left side of the reduced equation of motion, which is equal to S^T tau."""
        found = self.reduced_mass_matrix * sp.Matrix(self.u_dot) + self.reduced_coriolis_vector
        return found + self.reduced_gravity_torque + self.reduced_spring_torque + self.reduced_friction_torque

    @cached_property
    def actuation(self) -> Matrix:
        """S^T over the actuated joints: it times their torques is S^T tau."""
        own, independent = self.symbolic.body_rates, self.rolling.independent
        rows: list[list[Expr]] = []
        for i in self.rolling.rolling.driven:
            alone = own and i in independent  # a force along v_x of the base, in its own axes
            rows.append([sp.Integer(int(i == j)) for j in independent] if alone else list(self.transmission.row(i)))
        return sp.ImmutableMatrix(rows).T

    @cached_property
    def multipliers(self) -> Matrix:
        """lambda of the rows: forces of the ground on the wheels, in f = M qdd + h - tau of the tree: f_x, f_y ..."""
        return self.rolling.multipliers(self.rolling.forces)

    # --- use -----------------------------------------------------------------------------------------------------

    def check(self, points: int = 5, seed: int = 0) -> Agreement:
        """Whether the three derivations of the tree agree, and its reduced equations with the robot's numbers."""
        from redyn.symbolic.rolling.check import check

        return check(self, points, seed)

    def quantity(self, name: str, link: LinkName = None) -> Any:
        """A quantity by its name."""
        return self._named_quantity(name, (*QUANTITIES, *ROLLING_QUANTITIES), link)

    def latex(
        self, name: str | None = None, row: int | None = None, column: int | None = None, link: LinkName = None
    ) -> str:
        """LaTeX of a quantity or an entry; without a name, of the reduced equation of motion."""
        if name is not None:
            return super().latex(name, row, column, link)
        torques = sp.Matrix([symbol(f"tau_{i}") for i in range(1, self.actuation.cols + 1)])
        parts = f"{self.latex('reduced_mass_matrix')} {latex(sp.Matrix(self.u_dot))}"
        for more in ("coriolis_vector", "gravity_torque", "spring_torque", "friction_torque"):
            if any(self.quantity(f"reduced_{more}")):
                parts += f" + {self.latex(f'reduced_{more}')}"
        return f"{parts} = {self.latex('actuation')} {latex(torques)}"

    def evaluate(
        self,
        name: str,
        q: ArrayLike,
        qd: ArrayLike | None = None,
        qdd: ArrayLike | None = None,
        values: Mapping[str, float] | None = None,
        link: LinkName = None,
    ) -> Array:
        """A quantity at a state; qd and qdd are of all joints of the tree, or the independent ones alone.

        >>> import redyn
        >>> redyn.derive("differential-drive").evaluate("transmission_rate", [0, 0, 0, 0, 0], [1, 2])[1:2].round(4)
        array([0.0375])
        """
        count = len(self.rolling.independent)
        rate, acceleration = (None if x is None else np.asarray(x, dtype=np.float64) for x in (qd, qdd))
        known = dict(values or {})
        if rate is not None:
            S = super().evaluate("transmission", q, values=values)
            if rate.shape == (count,):
                rate = S @ rate
            known |= self._named(self.u, S, rate)
        if acceleration is not None:
            if rate is None:
                raise InputError("qdd: give qd as well; the accelerations of all joints depend on it")
            S = super().evaluate("transmission", q, values=values)
            drift = np.ravel(super().evaluate("transmission_rate", q, rate, values=known))
            if acceleration.shape == (count,):
                acceleration = S @ acceleration + drift
            known |= self._named(self.u_dot, S, acceleration - drift)
        found = super().evaluate(name, q, rate, acceleration, known, link)
        return np.squeeze(found, -1) if name in ROLLING_COLUMNS and found.ndim == 2 else found

    def _named(self, symbols: list[Expr], S: Array, rates: Array) -> dict[str, float]:
        """The values of independent rates that are not entries of qd."""
        own = [k for k, x in enumerate(self.u) if x in self.symbolic.body_rates]
        found = np.linalg.lstsq(S, rates, rcond=None)[0] if rates.shape == (len(S),) else np.zeros(S.shape[1])
        return {str(symbols[k]): float(found[k]) for k in own}
