"""What a drawing of a robot says beside its links: the frames, the joint angles, the lengths, a force at the tip."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from redyn.arithmetic import Floats
from redyn.dynamics.kinematics import poses, propagations
from redyn.symbolic.chapter.blocks import Mark, Stroke
from redyn.symbolic.chapter.setting import Context
from redyn.symbolic.notation import Typesetter

Array = NDArray[np.float64]
Flat = Callable[[Array], tuple[float, float]]  # a point of the drawing
Notes = tuple[list[Stroke], list[Mark]]
MOST, MOST_SPATIAL = 7, 3  # joints, in a plane and in space; a drawing with more has no room for them
_SMALL = 0.05  # of an angle, in radians, and of a length, by the size of the drawing: not drawn
_FLAT = 0.15  # a direction that is seen shorter than this is not drawn
_write = Typesetter().write


def annotated(at: Context, axes: Array, size: float, flat: Flat) -> Notes:
    """Frames, angles, lengths and the force at the tip, for robots with few joints."""
    strokes: list[Stroke] = []
    labels: list[Mark] = []
    if at.looped or at.n > (MOST if at.planar else MOST_SPATIAL):
        return strokes, labels
    rotations = _rotations(at)
    for add in (_angles, _lengths, _frames):
        more, named = add(at, axes, size, flat, rotations)
        strokes += more
        labels += named
    more, named = _force(at, size, flat)
    return [*strokes, *more], [*labels, *named]


def _rotations(at: Context) -> list[Array]:
    """The axes of every link as columns, in the world."""
    arith = Floats()
    placed = poses(at.model, arith, propagations(at.model, arith, at.q.tolist()))
    return [np.array([row.components() for row in (p.R.x, p.R.y, p.R.z)], dtype=np.float64) for p in placed]


def _seen(axes: Array, direction: Array) -> float:
    return float(np.linalg.norm(axes @ direction))


def _turned(v: Array, axis: Array, angle: float) -> Array:
    """Rodrigues' formula."""
    c, s = np.cos(angle), np.sin(angle)
    return c * v + s * np.cross(axis, v) + (1 - c) * (axis @ v) * axis


def _frames(at: Context, axes: Array, size: float, flat: Flat, rotations: list[Array]) -> Notes:
    """X and Z of the frame at the far end of each link of the book's table; in a plane, X alone."""
    strokes: list[Stroke] = []
    labels: list[Mark] = []
    if not at.eqs.symbolic.tabled or at.eqs.robot.description.convention != "dh":
        return strokes, labels
    for i in range(1, at.n + 1):
        frame = at.link_pose(i)
        for k, letter in ((0, "X"), (2, "Z")):
            way = frame[:3, k]
            carried = any(np.allclose(np.abs(way @ at.view.e[c - 1]), 1.0) for c in at.children(i)) and letter == "Z"
            if _seen(axes, way) < _FLAT or carried:  # e_{i+1} is drawn there
                continue
            start = frame[:3, 3]
            strokes.append(Stroke((flat(start), flat(start + way * size * 0.2)), "axis"))
            number = i + 1 if at.serial else f"{i}'"
            labels.append(Mark(flat(start + way * size * 0.2), "label", f"{letter}_{{{number}}}"))
    return strokes, labels


def _angles(at: Context, axes: Array, size: float, flat: Flat, rotations: list[Array]) -> Notes:
    """An arc from where X of a link is at zero to where it is, with the joint angle."""
    strokes: list[Stroke] = []
    labels: list[Mark] = []
    for i, symbol in ((k + 1, angle) for k, angle in at.eqs.symbolic.angles):
        angle = float(at.q[at.eqs.q.index(symbol)])
        if abs(angle) < _SMALL or abs(angle) > np.pi:
            continue
        axis, now, origin = at.view.e[i - 1], rotations[i][:, 0], at.view.O[i - 1]
        before = _turned(now, axis, -angle)
        if _seen(axes, before) < _FLAT and _seen(axes, now) < _FLAT:
            continue
        radius = size * 0.17
        arc = [origin + radius * _turned(before, axis, x) for x in np.linspace(0, angle, 13)]
        strokes.append(Stroke((flat(origin), flat(origin + before * size * 0.26)), "guide"))
        strokes.append(Stroke(tuple(flat(p) for p in arc), "arc"))
        labels.append(Mark(flat(arc[6]), "label", _write(symbol)))
    return strokes, labels


def _lengths(at: Context, axes: Array, size: float, flat: Flat, rotations: list[Array]) -> Notes:
    """a_i and b_i along the axes of a link, from its joint to where it ends; of a prismatic joint its variable."""
    strokes: list[Stroke] = []
    labels: list[Mark] = []
    for i, body in enumerate(at.bodies, start=1):
        R, point = rotations[i], at.view.O[i - 1]
        if body.kind == "prismatic" and body.single:
            start = at.eqs.symbolic.starts[i - 1]
            along = float(at.q[start]) + float(at.number(body.zero))
            pieces = [(R[:, 2] * along, _write(at.eqs.q[start] + body.zero))]
        else:
            pieces = []
        steps = zip((2, 0), (body.end[2], body.end[0]), strict=True) if body.end[1] == 0 else ()
        pieces += [(R[:, k] * float(at.number(x)), _write(x)) for k, x in steps if x != 0]
        for way, name in pieces:
            end = point + way
            if np.linalg.norm(way) > _SMALL * size and _seen(axes, way) > _SMALL * size:
                strokes += _dimension(flat(point), flat(end), size)
                labels.append(Mark(_beside(flat(point), flat(end), size), "label", name))
            point = end
    return strokes, labels


def _beside(start: tuple[float, float], end: tuple[float, float], size: float) -> tuple[float, float]:
    """The middle of the line of a length, to the left of it."""
    a, b = np.array(start), np.array(end)
    across = np.array([a[1] - b[1], b[0] - a[0]])
    x, y = (a + b) / 2 + across / np.linalg.norm(across) * size * 0.11
    return float(x), float(y)


def _dimension(start: tuple[float, float], end: tuple[float, float], size: float) -> list[Stroke]:
    """A line beside a link, with a tick at either end."""
    a, b = np.array(start), np.array(end)
    across = np.array([a[1] - b[1], b[0] - a[0]])
    across = across / np.linalg.norm(across) * size
    near, far = 0.04, 0.12

    def at(point: Array, reach: float) -> tuple[float, float]:
        x, y = point + across * reach
        return float(x), float(y)

    middle = (near + far) / 2 + 0.02
    ticks = [Stroke((at(p, near), at(p, far + 0.01)), "length") for p in (a, b)]
    return [*ticks, Stroke((at(a, middle), at(b, middle)), "length")]


def _force(at: Context, size: float, flat: Flat) -> Notes:
    """The force at the tip of a robot in a plane, which its state space has."""
    tip = at.eqs.symbolic.tip
    if tip is None or at.normal is None or not at.short or not at.forward_possible:
        return [], []
    end = at.tip_pose[:3, 3]
    inward = np.cross(at.normal, end - at.view.O[0])
    way = end - at.view.O[0] + inward
    length = float(np.linalg.norm(way))
    if length < _SMALL * size:
        return [], []
    arrow = end + way / length * size * 0.24
    return [Stroke((flat(end), flat(arrow)), "force")], [Mark(flat(arrow), "label", r"\mathbf{f}_{e}")]
