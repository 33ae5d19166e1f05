"""The step of the state-space notes, with a fixed step: q + h v + h^2/2 a and v + h a.

The h^2/2 term makes one step's position exact to second order; over many steps the velocities leave it at order one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from redyn.kernels.compiled import inlined
from redyn.simulation.derivative import rates_of_q
from redyn.simulation.system import System

Array = NDArray[np.float64]

ORDER, STAGES = 1, 2


@inlined
def step(system: System, h: float, y: Array, k: Array, y_new: Array) -> None:
    """From y to y_new after h, with k[0] = f(t, y) given; k[1] is scratch memory."""
    nq = system.rows.shape[1]
    for i in range(nq, len(y)):
        y_new[i] = y[i] + h / 2 * k[0, i]  # the mean velocity of the step carries the h^2/2 term
    rates_of_q(system, y[:nq], y_new[nq:], k[1])
    for i in range(nq):
        y_new[i] = y[i] + h * k[1, i]
    for i in range(nq, len(y)):
        y_new[i] = y[i] + h * k[0, i]
