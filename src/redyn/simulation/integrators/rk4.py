"""The classic Runge-Kutta method of order four, with a fixed step."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from redyn.kernels.compiled import inlined
from redyn.simulation.system import System, derivative

Array = NDArray[np.float64]

ORDER, STAGES = 4, 4

REACH = (0.5, 0.5, 1.0)  # of the second, third and fourth stage


@inlined
def step(system: System, t: float, h: float, y: Array, k: Array, y_new: Array) -> bool:
    """From y at t to y_new at t + h, with k[0] = f(t, y) given; whether all is finite."""
    fine = True
    for j in range(3):
        far = REACH[j] * h
        for i in range(len(y)):
            y_new[i] = y[i] + far * k[j, i]
        fine = derivative(system, t + far, y_new, k[j + 1]) and fine
    for i in range(len(y)):
        y_new[i] = y[i] + h / 6 * (k[0, i] + 2 * (k[1, i] + k[2, i]) + k[3, i])
    return fine
