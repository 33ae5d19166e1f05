"""Line drawings of a flexible robot at its state, and of mode shapes."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from redyn.arithmetic import Floats
from redyn.dynamics.kinematics import poses, propagations
from redyn.symbolic.chapter.blocks import Array, Drawing, Mark, Stroke
from redyn.symbolic.chapter.flexible.setting import FlexibleSetting, Placed
from redyn.symbolic.chapter.labels import placed

_LARGE = 0.15  # of the length: how far tips are bent in a drawing
_HEIGHT = 0.3  # of the length: how tall a shape is drawn
_POINTS = 41


def robot(at: FlexibleSetting) -> Drawing:
    """Planar robots seen across their plane, others from the front right and above; bending is exaggerated."""
    q, factor = _exaggerated(at)
    model = at.robot.model
    found = poses(model, Floats(), propagations(model, Floats(), list(map(float, q))))
    origins = [np.array(pose.o.components(), dtype=np.float64) for pose in found]
    lines = {str(b.numbers.name): at.robot.shape(q, str(b.numbers.name), _POINTS) for b in at.beams}
    tip = None if model.end_effector is None else at.robot.forward_kinematics(q)[:3, 3]
    everything = np.array(
        [*origins[1:], *([] if tip is None else [tip]), *(p for line in lines.values() for p in line)]
    )
    size = float(np.abs(everything).max()) or 0.3
    axes, how = _seen(everything, size)

    def flat(p: Array) -> tuple[float, float]:
        x, y = axes @ p
        return float(x), float(y)

    strokes: list[Stroke] = []
    marks: list[Mark] = []
    labels: list[Mark] = []
    for line in lines.values():
        straight = line[0] + (line[1] - line[0]) / np.linalg.norm(line[1] - line[0]) * _length(line) * 1.12
        strokes += [Stroke(tuple(map(flat, line)), "link"), Stroke((flat(line[0]), flat(straight)), "axis")]
        labels.append(Mark(flat(straight), "label", "x"))
        marks.append(Mark(flat(line[-1]), "centre"))
        labels.append(Mark(flat(line[-1]), "label", "P"))
    for i, link in enumerate(model.links, start=1):
        if link.joint.kind == "mode" or link.joint.turns_motor:
            continue
        o, number = origins[i], str(at.eqs.q[i - 1]).rpartition("_")[2]
        ends = [origins[k] for k, child in enumerate(model.links, start=1) if child.parent == i and child.beam is None]
        if not ends and tip is not None and not any(child.parent == i for child in model.links):
            ends = [tip]
        strokes += [Stroke((flat(o), flat(end)), "link") for end in ends if np.linalg.norm(end - o) > 1e-9]
        marks.append(Mark(flat(o), "revolute" if link.joint.kind == "revolute" else "prismatic"))
        labels.append(Mark(flat(o), "label", f"O_{{{number}}}"))
    for k, letter in enumerate("XYZ"):
        way = np.eye(3)[k] * size * 0.35
        if float(np.linalg.norm(axes @ way)) > 1e-6 * size:
            strokes.append(Stroke((flat(np.zeros(3)), flat(way)), "axis"))
            labels.append(Mark(flat(way), "label", letter))
    gravity = at.robot.gravity
    if float(np.linalg.norm(axes @ gravity)) > 1e-6:
        way = axes @ gravity / np.linalg.norm(gravity) * size * 0.25
        seen = np.array([p for s in strokes for p in s.points])
        base = np.array([seen[:, 0].min() - 0.3 * size, seen[:, 1].max()])
        strokes.append(Stroke((_pair(base), _pair(base + way)), "gravity"))
        labels.append(Mark(_pair(base + way / 2), "label", r"\mathbf{g}"))
    large = f"; bending is drawn {factor} times as large" if factor > 1 else ""
    caption = f"The robot at the state of the numerical example, {how}{large}."
    return Drawing(tuple(strokes), (*marks, *placed(labels, strokes, marks)), caption)


def _exaggerated(at: FlexibleSetting) -> tuple[Array, int]:
    """The state with its beams bent far enough to be seen, and by how much more."""
    q = np.array(at.q)
    most = 0.0
    for b in at.beams:
        tip = np.abs(np.array(b.numbers.tip, dtype=np.float64)) @ np.abs(q[b.row][: b.numbers.bending])
        most = max(most, float(tip) / float(np.float64(b.numbers.length)))  # pyright: ignore[reportArgumentType]
    factor = max(1, round(_LARGE / most)) if most > 0.0 else 1
    for b in at.beams:
        q[b.row] *= factor
    return q, factor


def _seen(points: Array, size: float) -> tuple[Array, str]:
    """The two axes of the drawing as rows."""
    for k, (right, up) in enumerate(((1, 2), (0, 2), (0, 1))):
        if float(np.abs(points[:, k]).max()) < 1e-9 * size:
            return np.eye(3)[[right, up]], f"seen along {'XYZ'[k]}"
    c, s = math.cos(math.radians(-35)), math.sin(math.radians(-35))
    return np.array([[c, -s, 0.0], [0.34 * s, 0.34 * c, 0.94]]), "seen from the front right and above"


def _length(line: Array) -> float:
    return float(np.linalg.norm(np.diff(line, axis=0), axis=1).sum())


def shapes(b: Placed, names: Sequence[str]) -> Drawing | None:
    """The mode shapes of a beam over its length, each scaled to the same height."""
    beam = b.numbers
    if beam.curves is None:
        return None
    L = float(np.float64(beam.length))  # pyright: ignore[reportArgumentType]
    x = np.linspace(0.0, L, _POINTS)
    rows = np.vstack(beam.curves.values(x))
    strokes = [Stroke(((0.0, 0.0), (1.12 * L, 0.0)), "axis"), Stroke(((0.0, 0.0), (0.0, 1.2 * _HEIGHT * L)), "axis")]
    labels = [Mark((1.12 * L, 0.0), "label", "x")]
    for row, name in zip(rows, names, strict=True):
        heights = row / np.abs(row).max() * _HEIGHT * L
        strokes.append(Stroke(tuple(zip(x.tolist(), heights.tolist(), strict=True)), "curve"))
        labels.append(Mark((L, float(heights[-1])), "label", name))
    caption = "The mode shapes, clamped at $x = 0$, each scaled to the same height."
    return Drawing(tuple(strokes), tuple(placed(labels, strokes, ())), caption)


def _pair(p: Array) -> tuple[float, float]:
    return float(p[0]), float(p[1])
