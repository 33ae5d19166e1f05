"""Runge-Kutta methods with fixed steps, as data for all that step with them.

The classic one of order four: stage j is evaluated at the start of the step plus REACH[j] h times the rate of the stage
before; the step is the mean of the four rates with the weights WEIGHT.

The one of Chebyshev, of order two, for quick decay, such as that of friction of the ground: its four stages follow real
eigenvalues down to -9.8 / h, where the classic ones end at -2.8 / h. Stage j leads from y_j, whose rate is f_j, to

    y_{j+1} = c0 y_0 + c1 y_j + c2 y_{j-1} + h (c3 f_j + c4 f_0),    row j of CHEBYSHEV being c0 ... c4.

B. P. Sommeijer, L. F. Shampine and J. G. Verwer, Journal of Computational and Applied Mathematics 88 (1998), 315-326.
"""

from __future__ import annotations

from typing import Literal

Method = Literal["rk4", "rkc"]

REACH, WEIGHT = (0.0, 0.5, 0.5, 1.0), (1 / 6, 1 / 3, 1 / 3, 1 / 6)
STAGES, DAMPING = 4, 2 / 13  # of Chebyshev's method


def _chebyshev(stages: int, damping: float) -> tuple[tuple[float, ...], ...]:
    w0 = 1 + damping / stages**2
    T, first, second = [1.0, w0], [0.0, 1.0], [0.0, 0.0]  # Chebyshev's polynomials at w0, and their derivatives
    for j in range(2, stages + 1):
        T.append(2 * w0 * T[j - 1] - T[j - 2])
        first.append(2 * T[j - 1] + 2 * w0 * first[j - 1] - first[j - 2])
        second.append(4 * first[j - 1] + 2 * w0 * second[j - 1] - second[j - 2])
    w1 = first[stages] / second[stages]
    b = [second[max(j, 2)] / first[max(j, 2)] ** 2 for j in range(stages + 1)]
    rows = [(0.0, 1.0, 0.0, b[1] * w1, 0.0)]
    for j in range(2, stages + 1):
        mu, nu, rate = 2 * b[j] * w0 / b[j - 1], -b[j] / b[j - 2], 2 * b[j] * w1 / b[j - 1]
        rows.append((1 - mu - nu, mu, nu, rate, -(1 - b[j - 1] * T[j - 1]) * rate))
    return tuple(rows)


CHEBYSHEV = _chebyshev(STAGES, DAMPING)
