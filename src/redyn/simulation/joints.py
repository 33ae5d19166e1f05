"""The joints of robots whose links bend or whose gears give, as controllers see them: some rates no actuator drives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redyn.arrays import real_array
from redyn.errors import InputError
from redyn.robot import Robot
from redyn.words import counted

Array = NDArray[np.float64]
ReferenceMotion = Callable[[Any], tuple[Array, Array, Array]]


class Joints:
    """The driven joints of a robot with flexible links or elastic gears; of such a gear, the motor."""

    def __init__(self, robot: Robot, call: str) -> None:
        model = robot.model
        if model.loops or model.contacts:
            raise InputError(f"{call}: of robots with flexible links, only trees are supported")
        self.robot, self.call = robot, call
        self.rates = [i for i in range(robot.dof) if i not in set(model.undriven)]
        if not all(model.driven[i].joint.single for i in self.rates):
            raise InputError(f"{call}: {robot.name} bends and has joints of several degrees of freedom; split them")
        self.places = [model.starts[i] for i in self.rates]
        self.count = len(self.rates)

    def spread(self, values: Array) -> Array:
        """Torques of the joints as entries of tau, zero at the others."""
        tau = np.zeros((*values.shape[:-1], self.robot.dof))
        tau[..., self.rates] = values
        return tau

    def rates_of_all(self, values: Array) -> Array:
        """Rates of the joints as entries of qd: both sides of a gear turn alike, and modes are at rest."""
        qd = self.spread(values)
        for i, link in enumerate(self.robot.model.links):
            if link.joint.motor:
                qd[..., i] = qd[..., link.joint.motor - 1]
        return qd

    def per_joint(self, name: str, value: ArrayLike) -> Array:
        """A gain: one number, one per joint, or one per rate, of which those of the joints count."""
        given = real_array(value)
        if given.shape == (self.robot.dof,) and self.robot.dof != self.count:
            given = given[self.rates]
        if given.shape not in ((), (self.count,)) or not np.isfinite(given).all():
            raise InputError(f"{name}: expected one number, or one for each of {counted(self.count, 'joint')}")
        return np.broadcast_to(given, (self.count,))

    def target(self, value: ArrayLike) -> Array:
        """Joint values: one number each, or a whole q."""
        given = real_array(value)
        if given.ndim == 0:
            given = np.full(self.count, float(given))
        if given.shape == (self.robot.nq,) and self.robot.nq != self.count:
            given = given[self.places]
        if given.shape != (self.count,) or not np.isfinite(given).all():
            raise InputError(f"target: expected {counted(self.count, 'number')}, one per joint, or a whole q")
        return given

    def configuration(self, target: Array) -> Array:
        """A whole q with the joints there, links straight, both sides of gears together, and a base where it begins."""
        q = self.robot.neutral()
        base = len(self.robot.model.floating)
        if base:
            size = self.robot.model.starts[base] if base < self.robot.dof else self.robot.nq
            q[:size] = self.robot.initial[:size]
        q[self.places] = target
        places = self.robot.model.starts
        for i, link in enumerate(self.robot.model.links):
            if link.joint.motor:
                q[places[i]] = q[places[link.joint.motor - 1]]
        return q

    def reference(self, motion: ReferenceMotion) -> ReferenceMotion:
        """A motion of the joints alone, given that or one of all coordinates."""
        try:
            counts = tuple(real_array(x).size for x in motion(0.0))
        except (TypeError, ValueError):
            raise InputError(
                "motion: expected a motion of redyn.trajectory, or a function of t giving q, qd, qdd"
            ) from None
        if counts == (self.count,) * 3:
            return motion
        whole = (self.robot.nq, self.robot.dof, self.robot.dof)
        if counts != whole:
            raise InputError(
                f"motion: gives q, qd and qdd of length {counts[0]}, {counts[1]} and {counts[2]}; expected "
                f"{self.count} each, one per joint of {self.robot.name}, or {whole[0]}, {whole[1]} and {whole[2]}"
            )

        def of_joints(t: Any) -> tuple[Array, Array, Array]:
            q, qd, qdd = (np.asarray(x) for x in motion(t))
            return q[..., self.places], qd[..., self.rates], qdd[..., self.rates]

        return of_joints


def gives(robot: Robot) -> bool:
    """Whether a robot has rates without actuators because links bend or gears give."""
    return robot.model.gives
