"""Semi-implicit Euler, with a fixed step: velocities first, then positions with the new velocities.

Of order one, but the energy of a free motion stays near where it was, which that of the explicit form does not.
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
        y_new[i] = y[i] + h * k[0, i]
    rates_of_q(system, y[:nq], y_new[nq:], k[1])
    for i in range(nq):
        y_new[i] = y[i] + h * k[1, i]
