"""ReDySim's trot: the motion of the library's `quadruped`, as InvDyn/trajectory.m of its legged robots has it."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
Course = tuple[Array, Array, Array]  # a position, its rate and its acceleration

STEP = 1.0  # s
LINK = 0.3  # m: thighs and shins
HEIGHT, STRIDE, LIFT = 0.5, 0.3, 0.09  # m: of the hips, of half a stride, of the feet in the air
BACK = -0.15  # m: where the hips are at the start of a step, seen from the feet that stand
GRAVITY = 9.81


def redysim_trot(t: ArrayLike) -> tuple[Array, Array, Array]:
    """q, qd and qdd of base and joints. Two feet on a diagonal stand for a second, then the other two.

    The hips move as an inverted pendulum does over the feet that stand; the other feet follow cosines. The base is
    where the hips should be. It walks along z, y is up.

    >>> q, qd, qdd = redysim_trot(0.0)
    >>> q.shape, qd.shape, q[1:3].tolist()
    ((19,), (18,), [0.5, -0.15])
    """
    time = np.asarray(t, dtype=np.float64)
    rows = np.atleast_1d(time)
    number = np.floor(rows / STEP)
    s = rows - number * STEP
    hips = _pendulum(s)
    still = np.zeros_like(s)
    standing = _leg((-hips[0], -hips[1], -hips[2]), (still, still, still))
    turn = np.pi / STEP
    along = (-STRIDE * np.cos(turn * s), STRIDE * turn * np.sin(turn * s), STRIDE * turn**2 * np.cos(turn * s))
    above = (
        LIFT / 2 * (1 - np.cos(2 * turn * s)),
        LIFT * turn * np.sin(2 * turn * s),
        2 * LIFT * turn**2 * np.cos(2 * turn * s),
    )
    swinging = _leg((along[0] - hips[0], along[1] - hips[1], along[2] - hips[2]), above)
    odd = (number % 2 == 1)[:, None]
    found: list[Array] = []
    for k in range(3):
        a, b = np.where(odd, swinging[k], standing[k]), np.where(odd, standing[k], swinging[k])
        abduction = np.full((len(s), 1), -np.pi / 2 if k == 0 else 0.0)
        base = np.zeros((len(s), 7 if k == 0 else 6))
        if k == 0:
            base[:, 1], base[:, 2], base[:, 6] = HEIGHT, hips[0] + number * STRIDE, 1.0
        else:
            base[:, 5] = hips[k]
        found.append(np.concatenate([base, abduction, a, abduction, b, abduction, b, abduction, a], axis=1))
    q, qd, qdd = found
    return (q, qd, qdd) if time.ndim else (q[0], qd[0], qdd[0])


def _pendulum(s: Array) -> Course:
    """Of the hips, seen from the feet that stand."""
    w = np.sqrt(GRAVITY / HEIGHT)
    rate = (
        (1 + np.exp(w * STEP)) / (1 - np.exp(w * STEP)) * BACK * w
    )  # as far in front at the end as behind at the start
    grows, decays = (BACK + rate / w) / 2 * np.exp(w * s), (BACK - rate / w) / 2 * np.exp(-w * s)
    return grows + decays, w * (grows - decays), w**2 * (grows + decays)


def _leg(ahead: Course, above: Course) -> Course:
    """Swing and knee, (N, 2), of a foot that is `ahead` of its hip and `above` the ground."""
    (u, u_rate, u_rate_rate), (z, z_rate, z_rate_rate) = ahead, above
    w = HEIGHT - z
    length = np.hypot(u, w)
    knee = 2 * np.arccos(length / (2 * LINK))
    lean = np.arctan2(u, w)
    first, second = lean + knee / 2, lean - knee / 2  # of thigh and shin from the vertical
    cos, sin = np.cos([first, second]), np.sin([first, second])

    def solved(x: Array, y: Array) -> Array:
        """Rates of both angles such that LINK * (sum of sines, sum of cosines) have the rates x and y."""
        determinant = LINK * (cos[1] * sin[0] - cos[0] * sin[1])
        return np.array([-(sin[1] * x + cos[1] * y), sin[0] * x + cos[0] * y]) / determinant

    rates = solved(u_rate, -z_rate)
    bend = LINK * rates**2
    more = solved(u_rate_rate + (bend * sin).sum(axis=0), -z_rate_rate + (bend * cos).sum(axis=0))

    def joints(angles: Array) -> Array:
        return np.stack([angles[0], angles[1] - angles[0]], axis=1)

    return joints(np.array([first, second])), joints(rates), joints(more)
