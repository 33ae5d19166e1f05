"""A line drawing of a robot at a configuration: joints, links, mass centres, axes, angles, lengths, gravity."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from redyn.symbolic.chapter.annotations import annotated
from redyn.symbolic.chapter.blocks import Drawing, Mark, Stroke
from redyn.symbolic.chapter.labels import placed
from redyn.symbolic.chapter.setting import Context

Array = NDArray[np.float64]
Flat = Callable[[Array], tuple[float, float]]  # a point of the drawing
_ALIGNED = 1e-9
_ON_TOP = ("prismatic", "revolute", "cut", "centre")  # where joints coincide, the larger symbol is drawn first
_SAME = 1e-6  # relative to the drawing's size; closer points coincide


def sketch(at: Context) -> Drawing:
    """Draws the robot: planar ones seen along the normal of their plane, others from the front right and above."""
    view, n = at.view, at.n
    ends = {i: [at.r_number(i, k) + view.C[i - 1] for k in at.children(i) or [None]] for i in range(1, n + 1)}
    for link, _, point in at.cut_points:
        if link:
            ends[link].append(point)
    size = float(np.abs(np.array([*view.O, *view.C, *(p for tips in ends.values() for p in tips)])).max()) or 0.3
    axes, how = seen_along(at)
    origin = np.zeros(3)

    def flat(p: Array) -> tuple[float, float]:
        x, y = axes @ p
        return float(x), float(y)

    strokes: list[Stroke] = []
    marks: list[Mark] = []
    labels: list[Mark] = []
    for i in range(1, n + 1):
        strokes += _link(at, i, ends[i], flat)
    for k, letter in enumerate("XYZ"):
        way = np.eye(3)[k] * size * 0.35
        if float(np.linalg.norm(axes @ way)) > _SAME * size:
            strokes.append(Stroke((flat(origin), flat(way)), "axis"))
            labels.append(Mark(flat(way), "label", f"{letter}_{{1}}"))
    for i in range(1, n + 1):
        tip = view.O[i - 1] + view.e[i - 1] * size * 0.22
        if float(np.linalg.norm(axes @ view.e[i - 1])) > 1e-3:
            strokes.append(Stroke((flat(view.O[i - 1]), flat(tip)), "joint"))
            labels.append(Mark(flat(tip), "label", rf"\mathbf{{e}}_{{{i}}}"))
    for i in range(1, n + 1):
        if not at.bodies[i - 1].virtual:
            marks.append(Mark(flat(view.C[i - 1]), "centre"))
        marks.append(Mark(flat(view.O[i - 1]), "revolute" if view.revolute[i - 1] else "prismatic"))
    marks += [Mark(flat(point), "cut") for _, _, point in at.cut_points]
    massive = [i for i in range(1, n + 1) if not at.bodies[i - 1].virtual]
    named = [("O", i, view.O[i - 1]) for i in range(1, n + 1)] + [("C", i, view.C[i - 1]) for i in massive]
    named += [("P", k, point) for k, point in {k: point for _, k, point in at.cut_points}.items()]
    more, notes = annotated(at, axes, size, flat)
    strokes += more
    labels += notes
    labels += _together([(f"{letter}_{{{i}}}", flat(p)) for letter, i, p in named], _SAME * size)
    falls = at.heavy and float(np.linalg.norm(axes @ view.gravity)) > 1e-3 * float(np.linalg.norm(view.gravity))
    if falls:
        way = view.gravity / np.linalg.norm(view.gravity) * size * 0.25
        seen = np.array([p for s in strokes for p in s.points])
        base = np.array([seen[:, 0].min() - 0.3 * size, seen[:, 1].max()])  # left of the drawing
        tip = base + axes @ way
        strokes.append(Stroke((_pair(base), _pair(tip)), "gravity"))
        labels.append(Mark(_pair((base + tip) / 2), "label", r"\mathbf{g}"))
    what = "mechanism" if at.looped else "arm" if at.serial else "robot"
    cut = "; dashed: the joints that are cut" if at.looped else ""
    if at.heavy and not falls:
        cut += "; gravity is normal to its plane"
    if any(stroke.kind == "force" for stroke in more):
        cut += "; $\\b{f}_e$ is the force that the end effector exerts"
    return Drawing(
        tuple(strokes),
        (*sorted(marks, key=lambda m: _ON_TOP.index(m.kind)), *placed(labels, strokes, marks)),
        f"The {what} at the state of the numerical example, {how}{cut}.",
    )


def seen_along(at: Context) -> tuple[Array, str]:
    """The two axes of the drawing as rows, and a description of the view."""
    if at.normal is not None:
        k = int(np.abs(at.normal).argmax())
        if abs(float(at.normal[k])) > 1 - _ALIGNED:
            right, up = ((1, 2), (0, 2), (0, 1))[k]
            return np.eye(3)[[right, up]], f"seen along its revolute joint{'s' * (len(at.revolute) > 1)}"
    c, s = math.cos(math.radians(-35)), math.sin(math.radians(-35))
    return np.array([[c, -s, 0.0], [0.34 * s, 0.34 * c, 0.94]]), "seen from the front right and above"


def _link(at: Context, i: int, ends: list[Array], flat: Flat) -> list[Stroke]:
    """Lines of a link from its joint to its children's; a sliding link passes through its mass centre."""
    view = at.view
    start, centre = view.O[i - 1], view.C[i - 1]
    slides = not view.revolute[i - 1]
    kind = "slide" if slides else "link"
    found: list[Stroke] = []
    for end in ends:
        path = [start, centre, end] if slides else [start, end]
        if float(np.linalg.norm(end - start)) < 1e-9:
            path = [start, centre]
        found.append(Stroke(tuple(flat(p) for p in path), kind))
    return found


def _together(names: list[tuple[str, tuple[float, float]]], near: float) -> list[Mark]:
    """One label for what coincides: `O_1, O_2`."""
    groups: list[tuple[tuple[float, float], list[str]]] = []
    for name, p in names:
        group = next((g for g in groups if math.dist(g[0], p) < near), None)
        if group is None:
            groups.append((p, [name]))
        else:
            group[1].append(name)
    return [Mark(p, "label", ", ".join(parts)) for p, parts in groups]


def _pair(p: Array) -> tuple[float, float]:
    return float(p[0]), float(p[1])
