"""The classic Runge-Kutta method of order four, with a fixed step."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from redyn.simulation.compiled import inlined
from redyn.simulation.system import System, derivative

Array = NDArray[np.float64]

ORDER, STAGES = 4, 4


@inlined
def step(system: System, t: float, h: float, y: Array, k: Array, y_new: Array) -> bool:
    """From y at t to y_new at t + h, with k[0] = f(t, y) given; whether all is finite."""
    size = len(y)
    for i in range(size):
        y_new[i] = y[i] + h / 2 * k[0, i]
    fine = derivative(system, t + h / 2, y_new, k[1])
    for i in range(size):
        y_new[i] = y[i] + h / 2 * k[1, i]
    fine = derivative(system, t + h / 2, y_new, k[2]) and fine
    for i in range(size):
        y_new[i] = y[i] + h * k[2, i]
    fine = derivative(system, t + h, y_new, k[3]) and fine
    for i in range(size):
        y_new[i] = y[i] + h / 6 * (k[0, i] + 2 * (k[1, i] + k[2, i]) + k[3, i])
    return fine
