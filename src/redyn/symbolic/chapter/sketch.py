"""A line drawing of a robot at a configuration: joints, links, mass centres, axes, gravity."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from redyn.dynamics.denoc import Denoc
from redyn.symbolic.chapter.blocks import Drawing, Mark, Stroke

Array = NDArray[np.float64]


def sketch(view: Denoc, planar: bool) -> Drawing:
    """Planar arms are seen along their axes, others from the front right and above."""
    n = view.n
    ends = [view.C[i] + view.r[i] for i in range(n)]
    size = max(0.3, float(np.abs(np.array([*view.O, *view.C, *ends])).max()))

    def flat(p: Array) -> tuple[float, float]:
        if planar:
            return float(p[0]), float(p[1])
        c, s = math.cos(math.radians(-35)), math.sin(math.radians(-35))
        x, y = c * p[0] - s * p[1], s * p[0] + c * p[1]
        return float(x), float(0.94 * p[2] + 0.34 * y)

    strokes: list[Stroke] = []
    marks: list[Mark] = []
    origin = np.zeros(3)
    for k, letter in enumerate("XY" if planar else "XYZ"):
        tip = np.eye(3)[k] * size * 0.35
        strokes.append(Stroke((flat(origin), flat(tip)), "axis"))
        marks.append(Mark(flat(tip * 1.25), "label", f"{letter}_{{1}}"))
    pull = view.gravity
    if float(np.linalg.norm(pull)) > 0:
        way = pull / np.linalg.norm(pull) * size * 0.25
        seen = np.array([flat(p) for p in (*view.O, *view.C, *ends, origin)])
        low, high = seen.min(axis=0), seen.max(axis=0)
        base = np.array([low[0] - 0.35 * size, high[1]])  # left of all that is drawn
        along = np.array(flat(way)) - np.array(flat(origin))
        strokes.append(Stroke((_pair(base), _pair(base + along)), "gravity"))
        marks.append(Mark(_pair(base - 0.4 * along), "label", "g"))
    for i in range(n):
        start, end = view.O[i], ends[i]
        path = [start, end] if view.revolute[i] else [start, view.C[i], end]
        if float(np.linalg.norm(end - start)) < 1e-9:
            path = [start, view.C[i]]
        strokes.append(Stroke(tuple(flat(p) for p in path), "link"))
        if not planar:
            strokes.append(Stroke((flat(start), flat(start + view.e[i] * size * 0.22)), "joint"))
            marks.append(Mark(flat(start + view.e[i] * size * 0.29), "label", rf"\mathbf{{e}}_{{{i + 1}}}"))
    for i in range(n):
        marks.append(Mark(flat(view.C[i]), "centre", f"C_{{{i + 1}}}"))
    for i in range(n):
        marks.append(Mark(flat(view.O[i]), "revolute" if view.revolute[i] else "prismatic", f"O_{{{i + 1}}}"))
    how = "seen along its joints" if planar else "seen from the front right and above"
    return Drawing(tuple(strokes), tuple(marks), f"The arm at the state of the numerical example, {how}.")


def _pair(p: Array) -> tuple[float, float]:
    return float(p[0]), float(p[1])
