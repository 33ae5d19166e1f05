"""Adams-Bashforth-Moulton, predictor-corrector with a variable step: AB4 predicts, AM5 corrects.

The polynomial through the past derivatives is integrated over the step whatever their distances, so the step may change
at any time. One evaluation after the prediction and one after the correction (PECE): two a step. The difference
between the correctors of order five and four measures the error; the better one goes on. Runge-Kutta-Fehlberg starts.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from redyn.kernels.compiled import allocating, compiled, copy
from redyn.simulation.derivative import evaluate
from redyn.simulation.system import System

Array = NDArray[np.float64]

ORDER, STAGES = 5, 1
PAST = 4  # derivatives that the predictor looks at

# Gauss's three points and weights on (0, 1): exact up to the fifth power.
POINTS = np.array([0.5 - np.sqrt(0.15), 0.5, 0.5 + np.sqrt(0.15)])
WEIGHTS = np.array([5 / 18, 8 / 18, 5 / 18])


@compiled
def integral_weights(nodes: Array, t: float, h: float, out: Array) -> None:
    """out[j] with sum(out[j] f(nodes[j])) the integral of the polynomial through those values from t to t + h."""
    count = len(nodes)
    for j in range(count):
        out[j] = 0.0
        for g in range(3):
            x = t + POINTS[g] * h
            basis = 1.0
            for m in range(count):
                if m != j:
                    basis *= (x - nodes[m]) / (nodes[j] - nodes[m])
            out[j] += h * WEIGHTS[g] * basis


@compiled
def remember(times: Array, rates: Array, t: float, f: Array) -> None:
    """Put f at t in front of the past; the oldest is forgotten."""
    for j in range(PAST - 1, 0, -1):
        times[j] = times[j - 1]
        copy(rates[j - 1], rates[j])
    times[0] = t
    copy(f, rates[0])


@allocating
def step(system: System, t: float, h: float, y: Array, times: Array, rates: Array, y_new: Array, error: Array) -> bool:
    """From y at t to y_new at t + h; `times` and `rates` hold the past, the present first. Whether all is finite."""
    size = len(y)
    weights = np.empty(PAST + 1)
    integral_weights(times, t, h, weights)
    for i in range(size):
        y_new[i] = y[i]
        for j in range(PAST):
            y_new[i] += weights[j] * rates[j, i]
    ahead = np.empty(size)
    finite = evaluate(system, t + h, y_new, ahead)
    nodes = np.empty(PAST + 1)
    nodes[0] = t + h
    copy(times, nodes[1:])
    lower = np.zeros(PAST + 1)
    integral_weights(nodes[:PAST], t, h, lower)
    integral_weights(nodes, t, h, weights)
    for i in range(size):
        total, difference = weights[0] * ahead[i], (weights[0] - lower[0]) * ahead[i]
        for j in range(PAST):
            total += weights[j + 1] * rates[j, i]
            difference += (weights[j + 1] - lower[j + 1]) * rates[j, i]
        y_new[i] = y[i] + total
        error[i] = difference
    return finite
