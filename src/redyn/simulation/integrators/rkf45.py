"""Runge-Kutta-Fehlberg 4(5): the integrator of Saha 2003.

Six stages; the fifth-order result goes on, the fourth-order one measures the error. Coefficients: E. Fehlberg, NASA
Technical Report R-315 (1969).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from redyn.kernels.compiled import compiled
from redyn.simulation.derivative import evaluate
from redyn.simulation.system import System

Array = NDArray[np.float64]

ORDER, STAGES = 5, 6

C = np.array([0, 1 / 4, 3 / 8, 12 / 13, 1, 1 / 2])
A = np.array(
    [
        [0, 0, 0, 0, 0, 0],
        [1 / 4, 0, 0, 0, 0, 0],
        [3 / 32, 9 / 32, 0, 0, 0, 0],
        [1932 / 2197, -7200 / 2197, 7296 / 2197, 0, 0, 0],
        [439 / 216, -8, 3680 / 513, -845 / 4104, 0, 0],
        [-8 / 27, 2, -3544 / 2565, 1859 / 4104, -11 / 40, 0],
    ]
)
FIFTH = np.array([16 / 135, 0, 6656 / 12825, 28561 / 56430, -9 / 50, 2 / 55])
FOURTH = np.array([25 / 216, 0, 1408 / 2565, 2197 / 4104, -1 / 5, 0])
ERROR = FIFTH - FOURTH


@compiled
def step(system: System, t: float, h: float, y: Array, k: Array, y_new: Array, error: Array) -> bool:
    """From y at t to y_new at t + h, with k[0] = f(t, y) given; whether all is finite."""
    for i in range(len(y)):
        y_new[i] = y[i] + h * A[1, 0] * k[0, i]
    finite = evaluate(system, t + C[1] * h, y_new, k[1])
    for i in range(len(y)):
        y_new[i] = y[i] + h * (A[2, 0] * k[0, i] + A[2, 1] * k[1, i])
    finite = evaluate(system, t + C[2] * h, y_new, k[2]) and finite
    for i in range(len(y)):
        y_new[i] = y[i] + h * (A[3, 0] * k[0, i] + A[3, 1] * k[1, i] + A[3, 2] * k[2, i])
    finite = evaluate(system, t + C[3] * h, y_new, k[3]) and finite
    for i in range(len(y)):
        y_new[i] = y[i] + h * (A[4, 0] * k[0, i] + A[4, 1] * k[1, i] + A[4, 2] * k[2, i] + A[4, 3] * k[3, i])
    finite = evaluate(system, t + C[4] * h, y_new, k[4]) and finite
    for i in range(len(y)):
        y_new[i] = y[i] + h * (
            A[5, 0] * k[0, i] + A[5, 1] * k[1, i] + A[5, 2] * k[2, i] + A[5, 3] * k[3, i] + A[5, 4] * k[4, i]
        )
    finite = evaluate(system, t + C[5] * h, y_new, k[5]) and finite
    for i in range(len(y)):
        y_new[i] = y[i] + h * (
            FIFTH[0] * k[0, i] + FIFTH[2] * k[2, i] + FIFTH[3] * k[3, i] + FIFTH[4] * k[4, i] + FIFTH[5] * k[5, i]
        )
        error[i] = h * (
            ERROR[0] * k[0, i] + ERROR[2] * k[2, i] + ERROR[3] * k[3, i] + ERROR[4] * k[4, i] + ERROR[5] * k[5, i]
        )
    return finite
