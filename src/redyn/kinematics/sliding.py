"""Three joints that take a point to a point, where too many of them slide for the elimination in elimination.py.

Sliding joints enter linearly: what is left after their directions are projected out is an equation for the angles.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from redyn.kinematics.subproblems import FREE, NEAR, Array, Curve, Line, Triple, cross, harmonic, orbit


def point_to_point_sliding(
    lines: Sequence[Line], start: Array, goal: Array, size: float, near: Sequence[float]
) -> list[Triple]:
    """As `elimination.point_to_point`, for RPR and for two or three joints that slide.

    >>> gantry = [Line(np.zeros(3), axis, slides=True) for axis in np.eye(3)]
    >>> point_to_point_sliding(gantry, np.zeros(3), np.array([1.0, 2.0, 3.0]), 1.0, [0.0] * 3)[0].q
    (1.0, 2.0, 3.0)
    """
    turning = [k for k, line in enumerate(lines) if not line.slides]
    if len(turning) == 2:
        return _two_turn(lines, start, goal, size)
    if not turning:
        return _slid(lines, start, goal, None, 0.0, ())
    k = turning[0]
    f = _condition(lines, start, goal, k)
    free = bool(np.abs(f).max() < FREE * size)
    angles = [near[k]] if free else harmonic(f, size)
    return [triple for q in angles for triple in _slid(lines, start, goal, k, q, (k,) if free else ())]


def _condition(lines: Sequence[Line], start: Array, goal: Array, k: int) -> Array:
    """Coefficients of the equation for the angle of joint k, the only one that turns: (way) . (d1 x d2) = 0."""
    a, b, c = lines
    if k == 1:  # goal - q_a a = B(q_b)(start + q_c c)
        _, out = orbit(Line(np.zeros(3), b.direction), c.direction)
        _, lever = orbit(Line(np.zeros(3), b.direction), cross(c.direction, start - b.point))
        return out @ cross(goal - b.point, a.direction) - lever @ a.direction
    if k == 0:
        _, way = orbit(a.reversed(), goal)
        way[0] -= start
        return way @ cross(b.direction, c.direction)
    _, way = orbit(c, start)
    way[0] -= goal
    return way @ cross(a.direction, b.direction)


def _slid(
    lines: Sequence[Line], start: Array, goal: Array, k: int | None, angle: float, free: tuple[int, ...]
) -> list[Triple]:
    """The lengths of the joints that slide, given the angle of joint k, if one turns."""
    T = np.eye(4)
    columns: list[Array] = []
    for i, line in enumerate(lines):
        if i == k:
            T = T @ line.motion(angle)
        else:
            columns.append(T[:3, :3] @ line.direction)
    lengths: list[float] = np.linalg.lstsq(np.array(columns).T, goal - T[:3, :3] @ start - T[:3, 3], rcond=None)[
        0
    ].tolist()
    values = iter(lengths)
    q = [angle if i == k else next(values) for i in range(3)]
    return [Triple((q[0], q[1], q[2]), free)]


def _two_turn(lines: Sequence[Line], start: Array, goal: Array, size: float) -> list[Triple]:
    """A and C turn, B slides: seen along B, the circle of the goal about A meets that of the start about C."""
    a, b, c = lines
    across = np.linalg.svd(b.direction[None])[2][1:]  # two directions normal to B
    _, about_a = orbit(a.reversed(), goal)
    curve, about_c = orbit(c, start)
    y, k = about_a @ across.T, about_c @ across.T
    left, widths, _ = np.linalg.svd(y[1:].T)
    other = np.linalg.svd(k[1:].T, compute_uv=False)
    if widths[1] < NEAR * size:  # seen edge on: one equation for q_c alone, then one for q_a
        f = k @ left[:, 1]
        f[0] -= y[0] @ left[:, 1]
        pairs = [(q_a, q_c) for q_c in harmonic(f, size) for q_a in _meeting(y, curve.at(k, q_c), left[:, 0], size)]
    elif other[1] < NEAR * size:
        back = _two_turn([line.reversed() for line in lines[::-1]], goal, start, size)
        return [Triple((q[2], q[1], q[0]), free) for q, free in back]
    else:
        k[0] -= y[0]
        cosine, sine = np.linalg.solve(y[1:].T, k.T)  # of q_a, each by its coefficients in q_c
        roots = Curve(False).zeros(np.array([-1.0, 0.0, 0.0]), [(1.0, cosine, cosine), (1.0, sine, sine)])
        pairs = [(float(np.arctan2(curve.at(sine, q), curve.at(cosine, q))), q) for q in roots]
    found: list[Triple] = []
    for q_a, q_c in pairs:
        way = Curve(False).at(about_a, q_a) - curve.at(about_c, q_c)
        found.append(Triple((q_a, float(way @ b.direction), q_c), ()))
    return found


def _meeting(y: Array, goal: Array, direction: Array, size: float) -> list[float]:
    f = y @ direction
    f[0] -= goal @ direction
    return harmonic(f, size)
