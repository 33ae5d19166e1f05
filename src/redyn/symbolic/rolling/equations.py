"""What the equations of a robot on wheels have beside those of its tree."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redyn.errors import InputError
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
        """The independent rates, entries of qd."""
        return [self.qd[i] for i in self.rolling.independent]

    @property
    def u_dot(self) -> list[Expr]:
        return [self.qdd[i] for i in self.rolling.independent]

    @property
    def constraints(self) -> Matrix:
        """A with A qd = 0: a row per condition that counts, see `rolling.row_names`."""
        return self.rolling.A

    @property
    def transmission(self) -> Matrix:
        """S with qd = S u."""
        return self.rolling.S

    @property
    def transmission_rate(self) -> Matrix:
        """gamma = S_dot u, in the independent rates."""
        return self.rolling.gamma

    @property
    def reduced_mass_matrix(self) -> Matrix:
        """S^T M S."""
        return self.rolling.mass_matrix

    @property
    def reduced_coriolis_vector(self) -> Matrix:
        """S^T (M gamma + C qd), in the independent rates."""
        return self.rolling.coriolis_vector

    @property
    def reduced_gravity_torque(self) -> Matrix:
        """S^T of the tree's."""
        return self.rolling.gravity_torque

    @property
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
        driven = list(self.rolling.rolling.driven)
        return sp.ImmutableMatrix(self.transmission.extract(driven, list(range(self.transmission.cols))).T)

    @cached_property
    def multipliers(self) -> Matrix:
        """lambda of the rows: forces of the ground on the wheels, in f = M qdd + h - tau of the tree (f_x, f_y, ...)."""
        return self.rolling.multipliers(self.rolling.forces)

    # --- use -----------------------------------------------------------------------------------------------------

    def check(self, points: int = 5, seed: int = 0) -> Agreement:
        """Whether the three derivations of the tree agree, and its reduced equations with the robot's numbers."""
        from redyn.symbolic.rolling.check import check

        return check(self, points, seed)

    def quantity(self, name: str) -> Any:
        """A quantity by its name."""
        known = (*QUANTITIES, *ROLLING_QUANTITIES)
        if name not in known:
            raise InputError(f"expected one of {', '.join(known)}, got {name!r}")
        return getattr(self, name)

    def latex(self, name: str | None = None, row: int | None = None, column: int | None = None) -> str:
        """LaTeX of a quantity or an entry; without a name, of the reduced equation of motion."""
        if name is not None:
            return super().latex(name, row, column)
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
    ) -> Array:
        """A quantity at a state; qd and qdd are of all joints of the tree, or the independent ones alone.

        >>> import redyn
        >>> redyn.derive("differential-drive").evaluate("transmission_rate", [0, 0, 0, 0, 0], [1, 2])[:3]
        array([0.   , 0.024, 0.   ])
        """
        rate, acceleration = (None if x is None else np.asarray(x, dtype=np.float64) for x in (qd, qdd))
        count = len(self.rolling.independent)
        if rate is not None and rate.shape == (count,) != (self.dof,):
            rate = super().evaluate("transmission", q, values=values) @ rate
        if acceleration is not None and acceleration.shape == (count,) != (self.dof,):
            if rate is None:
                raise InputError("qdd: give qd as well; the accelerations of all joints depend on it")
            drift = super().evaluate("transmission_rate", q, rate, values=values)
            acceleration = super().evaluate("transmission", q, values=values) @ acceleration + np.ravel(drift)
        found = super().evaluate(name, q, rate, acceleration, values)
        return cast(Array, np.squeeze(found, -1)) if name in ROLLING_COLUMNS and found.ndim == 2 else found

