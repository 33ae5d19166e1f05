"""Dormand-Prince 5(4): the method behind ode45.

Seven stages, of which the last is the first of the next step; the fifth-order result goes on. Coefficients: J. R.
Dormand and P. J. Prince, Journal of Computational and Applied Mathematics 6 (1980), 19-26.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from redyn.kernels.compiled import compiled
from redyn.simulation.derivative import evaluate
from redyn.simulation.system import System

Array = NDArray[np.float64]

ORDER, STAGES = 5, 7

C = np.array([0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1, 1])
A = np.array(
    [
        [0, 0, 0, 0, 0, 0, 0],
        [1 / 5, 0, 0, 0, 0, 0, 0],
        [3 / 40, 9 / 40, 0, 0, 0, 0, 0],
        [44 / 45, -56 / 15, 32 / 9, 0, 0, 0, 0],
        [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729, 0, 0, 0],
        [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656, 0, 0],
        [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84, 0],
    ]
)
FOURTH = np.array([5179 / 57600, 0, 7571 / 16695, 393 / 640, -92097 / 339200, 187 / 2100, 1 / 40])
ERROR = A[6] - FOURTH  # the last row of A is the fifth-order result


@compiled
def step(system: System, t: float, h: float, y: Array, k: Array, y_new: Array, error: Array) -> bool:
    """From y at t to y_new at t + h, with k[0] = f(t, y) given; k[6] becomes f at the end. Whether all is finite."""
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
            A[6, 0] * k[0, i] + A[6, 2] * k[2, i] + A[6, 3] * k[3, i] + A[6, 4] * k[4, i] + A[6, 5] * k[5, i]
        )
    finite = evaluate(system, t + C[6] * h, y_new, k[6]) and finite
    for i in range(len(y)):
        error[i] = h * (
            ERROR[0] * k[0, i]
            + ERROR[2] * k[2, i]
            + ERROR[3] * k[3, i]
            + ERROR[4] * k[4, i]
            + ERROR[5] * k[5, i]
            + ERROR[6] * k[6, i]
        )
    return finite
