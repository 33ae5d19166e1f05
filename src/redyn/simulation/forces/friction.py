"""Friction of joints, elastic gears and links that bend: part of the forward dynamics; its power is computed here."""

from __future__ import annotations

import math
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from redyn.dynamics.laws.friction import friction
from redyn.kernels.compiled import merged
from redyn.simulation.forces.element import Act, Element, Given
from redyn.simulation.forces.rates import rates_of_links
from redyn.simulation.system import System

Array = NDArray[np.float64]

_law = cast(Any, merged(friction))  # of floats here, with the square root of floats
# Of each joint with friction: the row and place of the rate that moves it, its own per unit of that; the same of the
# motor that it turns against in an elastic gear, or zeros; three constants.
WIDTH = 9
STILL = (0.0, 0.0, 0.0)


def _constants(given: Given) -> Array:
    model = given.robot.model
    block: list[float] = []
    rates = rates_of_links(model)
    for link, rate in zip(model.links, rates, strict=True):
        joint = link.joint
        if joint.damping or joint.coulomb:
            block += [*rate, *STILL, *(cast(float, x) for x in (joint.damping, joint.coulomb, joint.smoothing))]
        if joint.motor and joint.gear_damping:
            row, place, factor = rates[joint.motor - 1]
            block += [*rate, row, place, -factor, cast(float, joint.gear_damping), 0.0, 1.0]
    return np.array(block, dtype=np.float64)


def _act(number: int) -> Act:
    @merged
    def act(system: System, t: float) -> float:
        constants, power = system.constants, 0.0
        for at in range(int(constants[number]), int(constants[number + 1]), WIDTH):
            rate = constants[at + 2] * system.rows[int(constants[at]), int(constants[at + 1])]
            if constants[at + 5] != 0.0:
                rate += constants[at + 5] * system.rows[int(constants[at + 3]), int(constants[at + 4])]
            if constants[at + 7] == 0.0:  # spares a square root
                power -= constants[at + 6] * rate * rate
            else:
                power -= _law(rate, constants[at + 6], constants[at + 7], constants[at + 8], math.sqrt) * rate
        return power

    return act


FRICTION = Element("friction", _constants, known=True, act=_act)
