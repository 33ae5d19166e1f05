"""The classic Runge-Kutta method of order four, with a fixed step."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from redyn.kernels.compiled import inlined
from redyn.kernels.runge_kutta import REACH, WEIGHT
from redyn.simulation.derivative import derivative
from redyn.simulation.system import System

Array = NDArray[np.float64]

ORDER, STAGES = 4, 4


@inlined
def step(system: System, t: float, h: float, y: Array, k: Array, y_new: Array) -> bool:
    """From y at t to y_new at t + h, with k[0] = f(t, y) given; whether all is finite."""
    finite = True
    for j in range(1, STAGES):
        far = REACH[j] * h
        for i in range(len(y)):
            y_new[i] = y[i] + far * k[j - 1, i]
        finite = derivative(system, t + far, y_new, k[j]) and finite
    for i in range(len(y)):
        y_new[i] = y[i] + h * (WEIGHT[0] * k[0, i] + WEIGHT[1] * k[1, i] + WEIGHT[2] * k[2, i] + WEIGHT[3] * k[3, i])
    return finite
