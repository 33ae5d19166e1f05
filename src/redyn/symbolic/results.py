"""Result types of the derivations."""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

from redyn.symbolic.closed import ClosedForms
from redyn.symbolic.newton_euler import FreeBody
from redyn.symbolic.notation import Expr

Matrix = Any  # a SymPy matrix


class Lagrangian(NamedTuple):
    """The same equations from the energies: tau = H qdd + centrifugal + coriolis + gravity, C = half_H_dot + S.

    `gravity` is the derivative of the potential energy, to which springs belong.
    """

    H: Matrix
    kinetic_energy: Expr
    potential_energy: Expr
    centrifugal: Matrix
    coriolis: Matrix
    gravity: Matrix
    half_H_dot: Matrix
    S: Matrix
    torque: Matrix
    momentum: Matrix  # dL/dqd
    momentum_rate: Matrix  # d/dt of it
    slope: Matrix  # dL/dq; of joints about a point along their rates


class CutLink:
    """Free body of one link in the Newton-Euler derivation; vectors in link axes, force and moment at the joint."""

    def __init__(self, body: FreeBody, closed: ClosedForms) -> None:
        self._body, self._closed = body, closed

    def _column(self, values: list[Any]) -> Matrix:
        return self._closed.written([[p] for p in values])

    @cached_property
    def omega(self) -> Matrix:
        return self._column(self._body.omega)

    @cached_property
    def omega_dot(self) -> Matrix:
        return self._column(self._body.omega_dot)

    @cached_property
    def acceleration(self) -> Matrix:
        """Of the mass centre."""
        return self._column(self._body.acceleration)

    @cached_property
    def inertia_force(self) -> Matrix:
        """m a"""
        return self._column(self._body.inertia_force)

    @cached_property
    def inertia_moment(self) -> Matrix:
        """I omega_dot + omega x I omega"""
        return self._column(self._body.inertia_moment)

    @cached_property
    def weight(self) -> Matrix:
        return self._column(self._body.weight)

    @cached_property
    def force(self) -> Matrix:
        """Exerted by the parent, at the joint."""
        return self._column(self._body.force)

    @cached_property
    def moment(self) -> Matrix:
        return self._column(self._body.moment)

    @cached_property
    def tau(self) -> Expr:
        """Supplied by the actuator."""
        return self._closed.write_torque(self._body.tau)


class LinearForm(NamedTuple):
    """tau = regressor * parameters, without friction and springs; the regressor depends on the motion only."""

    regressor: Matrix
    parameters: Matrix


class StateSpace(NamedTuple):
    """tau = M qdd + V + G + B f and its state-space form for (qd, q), after the note's Eqs. (3)-(6).

    V holds Coriolis, centrifugal and friction terms, G gravity and springs; f is the force that the end effector exerts
    on its surroundings, in world axes. `step` is the discrete form: a second-order Taylor step of size h.
    """

    M: Matrix
    V: Matrix
    G: Matrix
    B: Matrix | None
    f: Matrix | None
    acceleration: Matrix  # (4)
    rate: Matrix  # d/dt of (qd, q)
    A: Matrix  # the two matrices of (6), in h
    B_h: Matrix
    step: Matrix  # (6)
