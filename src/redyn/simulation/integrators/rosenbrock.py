"""Rodas5P, a linearly implicit Runge-Kutta method of order five for stiff robots: L-stable, stiffly accurate.

Eight stages, each a linear system with the same matrix, 1 / (h gamma) - df/dy; no iteration. The last stage measures
the error. Coefficients: G. Steinebach, "Construction of Rosenbrock-Wanner method Rodas5P and numerical benchmarks
within the Julia Differential Equations package", BIT Numerical Mathematics 63 (2023), in the form of Hairer and
Wanner II, IV.7.

The matrix comes from central differences of f as a whole, so that it holds whatever acts on the robot. Works have no
effect on the motion: they follow stage by stage.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from redyn.kernels.compiled import compiled
from redyn.simulation.derivative import evaluate
from redyn.simulation.system import System

Array = NDArray[np.float64]

ORDER, STAGES = 5, 8
GAMMA = 0.21193756319429014
_A6 = [-7.502846399306121, 2.561846144803919, -11.627539656261098, -0.18268767659942256, 0.030198172008377946]
# Stage i is taken at y + sum A[i, j] k_j; the end of the step is the last of these with k_8 added.
A = np.array(
    [
        [0, 0, 0, 0, 0, 0, 0],
        [3.0, 0, 0, 0, 0, 0, 0],
        [2.849394379747939, 0.45842242204463923, 0, 0, 0, 0, 0],
        [-6.954028509809101, 2.489845061869568, -10.358996098473584, 0, 0, 0, 0],
        [2.8029986275628964, 0.5072464736228206, -0.3988312541770524, -0.04721187230404641, 0, 0, 0],
        [*_A6, 0, 0],
        [*_A6, 1, 0],
        [*_A6, 1, 1],
    ]
)
C = np.array(
    [
        [0, 0, 0, 0, 0, 0, 0],
        [-14.155112264123755, 0, 0, 0, 0, 0, 0],
        [-17.97296035885952, -2.859693295451294, 0, 0, 0, 0, 0],
        [147.12150275711716, -1.41221402718213, 71.68940251302358, 0, 0, 0, 0],
        [165.43517024871676, -0.4592823456491126, 42.90938336958603, -5.961986721573306, 0, 0, 0],
        [
            24.854864614690072,
            -3.0009227002832186,
            47.4931110020768,
            5.5814197821558125,
            -0.6610691825249471,
            0,
            0,
        ],
        [
            30.91273214028599,
            -3.1208243349937974,
            77.79954646070892,
            34.28646028294783,
            -19.097331116725623,
            -28.087943162872662,
            0,
        ],
        [
            37.80277123390563,
            -3.2571969029072276,
            112.26918849496327,
            66.9347231244047,
            -40.06618937091002,
            -54.66780262877968,
            -9.48861652309627,
        ],
    ]
)
PLACE = np.array([0, 0.6358126895828704, 0.4095798393397535, 0.9769306725060716, 0.4288403609558664, 1, 1, 1])
SLOPE = np.array(
    [0.21193756319429014, -0.42387512638858027, -0.3384627126235924, 1.8046452872882734, 2.325825639765069, 0, 0, 0]
)
SHIFT = 6e-6  # of a coordinate, for central differences: about the cube root of rounding
AHEAD = 1e-4  # of the step, for the derivative by time


@compiled
def slopes(system: System, t: float, y: Array, m: int, left: Array, right: Array, J: Array) -> bool:
    """J = df/dy by the first m entries of y, a column each; whether all is finite."""
    finite = True
    for j in range(m):
        kept, shift = y[j], SHIFT * max(1.0, abs(y[j]))
        y[j] = kept + shift
        wide = y[j]
        finite = evaluate(system, t, y, right) and finite
        y[j] = kept - shift
        wide -= y[j]
        finite = evaluate(system, t, y, left) and finite
        y[j] = kept
        for i in range(len(y)):
            J[i, j] = (right[i] - left[i]) / wide
    return finite


@compiled
def decompose(LU: Array, order: Array, m: int) -> bool:
    """LU = P A in place, with row exchanges noted in `order`; whether A is regular."""
    for k in range(m):
        best = k
        for i in range(k + 1, m):
            if abs(LU[i, k]) > abs(LU[best, k]):
                best = i
        order[k] = best
        if best != k:
            for j in range(m):
                LU[k, j], LU[best, j] = LU[best, j], LU[k, j]
        pivot = LU[k, k]
        if pivot == 0.0 or not np.isfinite(pivot):
            return False
        for i in range(k + 1, m):
            LU[i, k] /= pivot
            factor = LU[i, k]
            if factor != 0.0:
                for j in range(k + 1, m):
                    LU[i, j] -= factor * LU[k, j]
    return True


@compiled
def substitute(LU: Array, order: Array, m: int, b: Array) -> None:
    """b = A^-1 b, in place."""
    for k in range(m):
        other = int(order[k])
        if other != k:
            b[k], b[other] = b[other], b[k]
    for i in range(1, m):
        total = b[i]
        for j in range(i):
            total -= LU[i, j] * b[j]
        b[i] = total
    for i in range(m - 1, -1, -1):
        total = b[i]
        for j in range(i + 1, m):
            total -= LU[i, j] * b[j]
        b[i] = total / LU[i, i]


@compiled
def step(
    system: System,
    t: float,
    h: float,
    y: Array,
    f: Array,
    k: Array,
    y_new: Array,
    error: Array,
    drift: Array,
    matrix: Array,
    m: int,
) -> bool:
    """From y at t, where the rate is f, to y_new at t + h; whether all is finite.

    `matrix` has room for df/dy, its decomposition below, and a row for the order of that; `drift` for df/dt.
    """
    size = len(y)
    J, LU, order = matrix[:size], matrix[size : size + m], matrix[size + m]
    finite = slopes(system, t, y, m, k[6], k[7], J)
    ahead = AHEAD * h
    finite = evaluate(system, t + ahead, y, drift) and finite
    for i in range(size):
        drift[i] = (drift[i] - f[i]) / ahead
    diagonal = 1.0 / (h * GAMMA)
    for i in range(m):
        for j in range(m):
            LU[i, j] = -J[i, j]
        LU[i, i] += diagonal
    if not finite or not decompose(LU, order, m):
        return False
    for s in range(STAGES):
        for i in range(size):
            total = y[i]
            for j in range(s):
                total += A[s, j] * k[j, i]
            y_new[i] = total
        if s > 0:
            finite = evaluate(system, t + PLACE[s] * h, y_new, k[s]) and finite
        else:
            for i in range(size):
                k[0, i] = f[i]
        for i in range(size):
            total = 0.0
            for j in range(s):
                total += C[s, j] * k[j, i]
            k[s, i] += total / h + h * SLOPE[s] * drift[i]
        substitute(LU, order, m, k[s])
        for i in range(m, size):  # works
            total = k[s, i]
            for j in range(m):
                total += J[i, j] * k[s, j]
            k[s, i] = total / diagonal
    for i in range(size):
        y_new[i] += k[STAGES - 1, i]
        error[i] = k[STAGES - 1, i]
    return finite
