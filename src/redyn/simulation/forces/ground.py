"""The ground. Under the smooth law on smooth shapes it is part of the forward dynamics, and a kernel gives its power.

ReDySim's law and grids of heights have branches: a kernel tells how contacts are placed and move, the law is applied
here, and the forward dynamics takes the wrenches as inputs.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from redyn.evaluate.ground import Ground
from redyn.evaluate.pressing import MOTION, STATE, WRENCH, force, press_on_grid, write_wrench
from redyn.kernels.compiled import call_kernel, compiled, merged
from redyn.simulation.forces.element import Act, Element, Given
from redyn.simulation.system import GROUND, GROUND_INPUTS, GROUND_OUTPUTS, System

Array = NDArray[np.float64]

# How the force is found: the kernel gives its power; it gives gaps, normals and velocities; it gives motions alone.
POWER, STATES, GRID = range(3)
HEAD = 2  # constants before the radii: how, and how many contacts


def way(ground: Ground) -> int:
    if ground.compiled:
        return POWER
    return STATES if ground.grid is None else GRID


def room(ground: Ground) -> int:
    """Numbers of memory: what the kernel gives, the states of contacts (by rows where the law is here), wrenches."""
    count = len(ground.names)
    return 1 if ground.compiled else count * (STATE + STATE + WRENCH)


def _constants(given: Given) -> Array:
    ground = given.ground
    if ground is None:
        return np.zeros(0)
    return np.concatenate([[way(ground), len(ground.names)], ground.radii, ground.block])


@compiled
def press(system: System, first: int) -> float:
    """Apply the law at the contacts that the kernel has found; returns its power."""
    how, count, memory, power = int(system.constants[first]), int(system.constants[first + 1]), system.ground, 0.0
    block, states, wrenches = first + HEAD + count, count * STATE, 2 * count * STATE
    for k in range(count):
        radius, at = system.constants[first + HEAD + k], states + k * STATE
        if how == GRID:
            press_on_grid(system.constants, block, radius, memory, k * MOTION, memory, at)
        else:
            n, v = 6 * count + 3 * k, 9 * count + 3 * k
            normal, velocity = (memory[n], memory[n + 1], memory[n + 2]), (memory[v], memory[v + 1], memory[v + 2])
            f = force(system.constants, block, memory[12 * count + k], normal, velocity)
            for i in range(3):
                memory[at + 3 + i], memory[at + 6 + i], memory[at + 9 + i] = f[i], normal[i], velocity[i]
        power += write_wrench(memory, at, radius, memory, wrenches + k * WRENCH)
    return power


def _act(number: int) -> Act:
    @merged
    def act(system: System, t: float) -> float:
        addresses, first, power = system.addresses, int(system.constants[number]), 0.0
        if addresses[GROUND] != 0:
            call_kernel(addresses[GROUND], addresses[GROUND_INPUTS], addresses[GROUND_OUTPUTS])
            power = system.ground[0] if int(system.constants[first]) == POWER else press(system, first)
        return power

    return act


GROUND_ELEMENT = Element("ground", _constants, known=False, act=_act)
