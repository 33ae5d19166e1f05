"""Friction of the joints. It is part of the forward dynamics; its power is computed here."""

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
# Of each joint with friction: the row and place of the rate that moves it, its own per unit of that, three constants.
WIDTH = 6


def _constants(given: Given) -> Array:
    model = given.robot.model
    block: list[float] = []
    for link, (row, place, factor) in zip(model.links, rates_of_links(model), strict=True):
        joint = link.joint
        if joint.damping or joint.coulomb:
            law = (joint.damping, joint.coulomb, joint.smoothing)
            block += [row, place, factor, *(cast(float, x) for x in law)]
    return np.array(block, dtype=np.float64)


def _act(number: int) -> Act:
    @merged
    def act(system: System, t: float) -> float:
        constants, power = system.constants, 0.0
        for at in range(int(constants[number]), int(constants[number + 1]), WIDTH):
            rate = constants[at + 2] * system.rows[int(constants[at]), int(constants[at + 1])]
            if constants[at + 4] == 0.0:  # spares a square root
                power -= constants[at + 3] * rate * rate
            else:
                power -= _law(rate, constants[at + 3], constants[at + 4], constants[at + 5], math.sqrt) * rate
        return power

    return act


FRICTION = Element("friction", _constants, known=True, act=_act)
