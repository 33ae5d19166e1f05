"""The search of inverse kinematics: damped least squares from many starts, compiled by Numba.

Each try is Levenberg-Marquardt on half the squared norm of the pose error, with damping in proportion to it (Chan and
Lawrence 1988) and adapted by whether steps succeed. Joint limits are kept by projection: a joint at its limit that is
pulled beyond it is left out of the step, and a step that crosses a limit ends there.

The kernels of pose and Jacobian are given by the addresses of their machine code, so that this is compiled once for all
robots.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from redyn.kernels.compiled import allocating, call_kernel, compiled, copy

Array = NDArray[np.float64]

ITERATIONS = 60  # of one try
FLOOR = 1e-12  # least damping, relative to the mean square of the Jacobian's columns: redundant robots need some
EASE, STIFFEN, STIFFEST = 0.25, 4.0, 1e9  # factors of the damping after success and failure; its end of a try
STUCK = 0.05  # a try that reduces the squared error by less than this share ...
PATIENCE = 3  # ... this many times in a row is at a minimum that is no solution


class Space(NamedTuple):
    """The search space: every array has an entry per joint, in the order of q."""

    joints: NDArray[np.int64]  # those that move the frame
    lower: Array  # limits of the search: infinite for a joint whose limits allow a full turn
    upper: Array
    least: Array  # limits of the result
    greatest: Array
    bottom: Array  # tries begin between these
    top: Array
    turn: Array  # 2 pi for a joint that turns, 0 for one that slides
    home: Array  # start of the first try; of angles that differ by whole turns the nearest to it is taken


@allocating
def rotation_log(R: Array, S: Array, e: Array) -> float:
    """e[:3], the rotation that takes S to R, as axis times angle in world axes; returns the angle, pi included."""
    D = np.empty((3, 3))
    for i in range(3):
        for j in range(3):
            D[i, j] = R[i, 0] * S[j, 0] + R[i, 1] * S[j, 1] + R[i, 2] * S[j, 2]
    e[0], e[1], e[2] = (D[2, 1] - D[1, 2]) / 2, (D[0, 2] - D[2, 0]) / 2, (D[1, 0] - D[0, 1]) / 2
    sine, cosine = np.sqrt(e[0] ** 2 + e[1] ** 2 + e[2] ** 2), (D[0, 0] + D[1, 1] + D[2, 2] - 1) / 2
    angle = np.arctan2(sine, cosine)
    if cosine > -0.5:
        factor = angle / sine if sine > 1e-150 else 1.0
        for i in range(3):
            e[i] *= factor
        return angle
    k = 0  # the symmetric part is cos I + (1 - cos) u u^T: its longest column has the axis u
    for i in range(1, 3):
        if D[i, i] > D[k, k]:
            k = i
    u = np.empty(3)
    for i in range(3):
        u[i] = (D[i, k] + D[k, i]) / 2 - (cosine if i == k else 0.0)
    length = np.sqrt(u[0] ** 2 + u[1] ** 2 + u[2] ** 2)
    if u[0] * e[0] + u[1] * e[1] + u[2] * e[2] < 0:
        length = -length
    for i in range(3):
        e[i] = u[i] / length * angle
    return angle


@compiled
def pose_error(pose: Array, T: Array, mask: Array, e: Array) -> float:
    """e, the error of T, rotation first, zero where masked out; returns half its squared norm."""
    rotation_log(pose, T, e)
    half = 0.0
    for i in range(3):
        e[3 + i] = pose[i, 3] - T[i, 3]
    for i in range(6):
        e[i] *= mask[i]
        half += e[i] * e[i] / 2
    return half


@compiled
def _turn_rows(J: Array, e: Array) -> None:
    """The angular rows of a Jacobian become those of the rotation vector e: J_r^-1(e) = I + [e]/2 + k [e][e]."""
    angle = np.sqrt(e[0] ** 2 + e[1] ** 2 + e[2] ** 2)
    k = 1 / 12 if angle < 1e-4 else 1 / angle**2 - 1 / (2 * angle * np.tan(angle / 2))
    for j in range(J.shape[1]):
        x, y, z = J[0, j], J[1, j], J[2, j]
        a, b, c = e[1] * z - e[2] * y, e[2] * x - e[0] * z, e[0] * y - e[1] * x
        J[0, j] += a / 2 + k * (e[1] * c - e[2] * b)
        J[1, j] += b / 2 + k * (e[2] * a - e[0] * c)
        J[2, j] += c / 2 + k * (e[0] * b - e[1] * a)


@compiled
def _solve(A: Array, x: Array, n: int) -> None:
    """x becomes A^-1 x; A, positive definite, is overwritten with its Cholesky factor."""
    for j in range(n):
        for k in range(j):
            for i in range(j, n):
                A[i, j] -= A[i, k] * A[j, k]
        pivot = np.sqrt(max(A[j, j], 1e-300))
        for i in range(j, n):
            A[i, j] /= pivot
    for i in range(n):
        for k in range(i):
            x[i] -= A[i, k] * x[k]
        x[i] /= A[i, i]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            x[i] -= A[k, i] * x[k]
        x[i] /= A[i, i]


@allocating
def _step(J: Array, e: Array, half: float, factor: float, mask: Array, space: Space, q: Array, new: Array) -> None:
    """new, the joint values that a damped step from q leads to."""
    n = len(space.joints)
    A, x = np.zeros((n, n)), np.zeros(n)
    trace = 0.0
    for a in range(n):
        i = space.joints[a]
        for r in range(6):
            x[a] += J[r, i] * e[r]
        for b in range(a + 1):
            k = space.joints[b]
            for r in range(6):
                A[a, b] += J[r, i] * J[r, k] * mask[r]
        trace += A[a, a]
    damping = factor * half + FLOOR * trace / n + 1e-200
    for a in range(n):
        i = space.joints[a]
        A[a, a] += damping
        if (q[i] <= space.lower[i] and x[a] < 0) or (q[i] >= space.upper[i] and x[a] > 0):
            x[a] = 0.0
            for b in range(n):
                A[max(a, b), min(a, b)] = 1.0 if a == b else 0.0
    _solve(A, x, n)
    for i in range(len(q)):
        new[i] = q[i]
    for a in range(n):
        i = space.joints[a]
        new[i] = min(max(q[i] + x[a], space.lower[i]), space.upper[i])


@compiled
def _settle(q: Array, space: Space) -> bool:
    """Add whole turns that bring angles near home and within the limits; whether q is within the limits then."""
    for i in space.joints:
        turn = space.turn[i]
        if turn > 0:
            q[i] += turn * np.round((space.home[i] - q[i]) / turn)
            if q[i] > space.greatest[i]:
                q[i] -= turn * np.ceil((q[i] - space.greatest[i]) / turn)
            elif q[i] < space.least[i]:
                q[i] += turn * np.ceil((space.least[i] - q[i]) / turn)
        if not space.least[i] <= q[i] <= space.greatest[i]:
            return False
    return True


@compiled
def _known(q: Array, found: Array, count: int, apart: float, space: Space) -> bool:
    """Whether q is one of the solutions found so far, up to whole turns."""
    for k in range(count):
        largest = 0.0
        for i in space.joints:
            gap = float(q[i] - found[k, i])
            if space.turn[i] > 0:
                gap -= space.turn[i] * np.round(gap / space.turn[i])
            largest = max(largest, abs(gap))
        if largest < apart:
            return True
    return False


@compiled
def _distances(e: Array) -> tuple[float, float]:
    """The angle and the distance that remain."""
    return np.sqrt(e[0] ** 2 + e[1] ** 2 + e[2] ** 2), np.sqrt(e[3] ** 2 + e[4] ** 2 + e[5] ** 2)


@allocating
def search(
    kernels: NDArray[np.int64],  # addresses: pose, Jacobian
    poses: Array,  # (N, 4, 4)
    starts: Array,  # (M, dof): where each try begins, 0 ... 1 from bottom to top; the first begins at home
    space: Space,
    mask: Array,  # (6,), ones and zeros
    tolerance: float,
    apart: float,  # solutions nearer to each other than this are one
    found: Array,  # (N, K, dof): out, at most K solutions of each pose
    errors: Array,  # (N, K): out, the larger of the angle and the distance that remain
    counts: NDArray[np.int64],  # (N,): out, how many there are
    closest: Array,  # (N, dof + 2): out, the best try: q, then the angle and the distance that remain
) -> None:
    """For every pose, try one start after another until there are K solutions."""
    dof = starts.shape[1]
    q, new, T, J, e, e_new = (
        np.empty(dof),
        np.empty(dof),
        np.empty((4, 4)),
        np.empty((6, dof)),
        np.empty(6),
        np.empty(6),
    )
    at_q, at_new = np.array([q.ctypes.data]), np.array([new.ctypes.data])
    at_T, at_J = np.array([T.ctypes.data]), np.array([J.ctypes.data])
    for p in range(len(poses)):
        pose, count, least = poses[p], 0, np.inf
        for s in range(len(starts)):
            copy(space.home, q)
            if s > 0:
                for i in space.joints:
                    q[i] = space.bottom[i] + starts[s, i] * (space.top[i] - space.bottom[i])
            call_kernel(kernels[0], at_q.ctypes.data, at_T.ctypes.data)
            half, factor, slow = pose_error(pose, T, mask, e), 1.0, 0
            turn, way = _distances(e)
            for _ in range(ITERATIONS):
                if max(turn, way) <= tolerance or slow >= PATIENCE or factor > STIFFEST:
                    break
                call_kernel(kernels[1], at_q.ctypes.data, at_J.ctypes.data)
                _turn_rows(J, e)
                while factor <= STIFFEST:
                    _step(J, e, half, factor, mask, space, q, new)
                    call_kernel(kernels[0], at_new.ctypes.data, at_T.ctypes.data)
                    half_new = pose_error(pose, T, mask, e_new)
                    if half_new < half:
                        slow = slow + 1 if half_new > (1 - STUCK) * half else 0
                        copy(new, q)
                        copy(e_new, e)
                        half, factor = half_new, factor * EASE
                        turn, way = _distances(e)
                        break
                    factor *= STIFFEN
            if half < least:
                least = half
                copy(q, closest[p])
                closest[p, dof], closest[p, dof + 1] = turn, way
            if max(turn, way) <= tolerance and _settle(q, space) and not _known(q, found[p], count, apart, space):
                copy(q, found[p, count])
                errors[p, count] = max(turn, way)
                count += 1
                if count == found.shape[1]:
                    break
        counts[p] = count
