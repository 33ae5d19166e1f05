"""External wrenches on frames of the robot, constant or functions of time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from redyn.kernels.compiled import call_law, merged
from redyn.simulation.forces.element import Act, Element, Given
from redyn.simulation.system import Q_AT, TWIST, V_AT, WRENCH, WRENCH_LAW, WRENCHES_AT, System

Array = NDArray[np.float64]


def _constants(given: Given) -> Array:
    """The numbers of the frames on which they act."""
    return np.arange(len(given.external), dtype=np.float64)


def _act(number: int) -> Act:
    @merged
    def act(system: System, t: float) -> float:
        law, q, v = system.addresses[WRENCH_LAW], system.addresses[Q_AT], system.addresses[V_AT]
        wrenches, power = system.addresses[WRENCHES_AT], 0.0
        if law != 0:
            call_law(law, t, q, v, wrenches)
        for at in range(int(system.constants[number]), int(system.constants[number + 1])):
            k = int(system.constants[at])
            for i in range(6):
                power += system.frames[WRENCH, k, i] * system.frames[TWIST, k, i]
        return power

    return act


EXTERNAL = Element("external", _constants, known=False, act=_act)
