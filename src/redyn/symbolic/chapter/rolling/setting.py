"""What the sections on wheels share: the equations and the numbers at one state."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from redyn.errors import InputError
from redyn.model.rolling import CONTACT_ROW_NAMES
from redyn.robot import Robot
from redyn.symbolic.chapter.blocks import Array
from redyn.symbolic.notation import Expr, symbol, symbol_latex
from redyn.symbolic.rolling.check import RollingState, multipliers, state
from redyn.symbolic.rolling.equations import RollingEquations
from redyn.words import counted

_ANGLE, _RATES, _ACCELERATIONS = np.pi / 6, (1.0, -0.5, 0.8), (0.5, 1.5, -1.0)


class RollingSetting:
    """One robot, one state."""

    def __init__(self, eqs: RollingEquations, at: RollingState) -> None:
        self.eqs, self.at, self.robot = eqs, at, eqs.robot

    @property
    def q(self) -> list[Expr]:
        return self.eqs.q

    @cached_property
    def rows(self) -> list[tuple[str, str]]:
        """Wheel and direction of the rows that count."""
        rolling = self.eqs.rolling.rolling
        return [(rolling.contacts[k].name, CONTACT_ROW_NAMES[row]) for k, row in rolling.rows]

    def left_out(self, idle: bool) -> list[tuple[str, str]]:
        """Those that do not count: zero whatever the configuration, or repeating others."""
        forms = self.eqs.rolling
        contacts = forms.rolling.contacts
        return [
            (contacts[k].name, CONTACT_ROW_NAMES[row])
            for (k, row), entries in forms.every_row.items()
            if (k, row) not in forms.rolling.rows and (not any(entries)) == idle
        ]

    @cached_property
    def torques(self) -> list[Expr]:
        """Of the actuators, named as the coordinate that each drives."""
        driven = self.eqs.rolling.rolling.driven
        named = dict(zip(self.eqs.rolling.independent, self.eqs.u, strict=True))
        own = {str(x): str(x)[2:] for x in self.eqs.symbolic.body_rates}
        names = [own.get(str(named.get(i, "")), str(self.q[i])) for i in driven]
        return [symbol(f"tau_{name}") for name in names]

    @cached_property
    def tau(self) -> Array:
        return self.robot.inverse_dynamics(self.at.q, self.at.u, self.at.u_dot)

    @cached_property
    def multipliers(self) -> Array:
        return multipliers(self.robot, self.at, self.tau)[0]

    @property
    def small(self) -> bool:
        """Whether all of the tree is worth writing."""
        return self.eqs.dof <= 7 and sum(map(len, self.eqs.closed.run("inverse_dynamics"))) <= 600


def latex_of(x: Expr) -> str:
    return symbol_latex(str(x))


def example(robot: Robot, q: Array | None, qd: Array | None, qdd: Array | None) -> RollingState:
    """The state that a user gives, its rates independent ones; a generic one where nothing is given."""
    kinds = [link.joint.kind for link in robot.model.links]
    generic = np.array([_ANGLE * (1 + 0.3 * i) if kind == "revolute" else 0.1 for i, kind in enumerate(kinds)])
    at = generic if q is None else robot.configuration("q", q)
    u, u_dot = (
        np.resize(np.array(default), robot.dof) if given is None else _independent(robot, name, given)
        for name, given, default in (("qd", qd, _RATES), ("qdd", qdd, _ACCELERATIONS))
    )
    return state(robot, at, u, u_dot)


def _independent(robot: Robot, name: str, given: Array) -> Array:
    if given.shape != (robot.dof,):
        raise InputError(
            f"{name}: expected {counted(robot.dof, 'number')} for the independent rates "
            f"({', '.join(robot.velocity_names)}), got {len(given)}"
        )
    return given
