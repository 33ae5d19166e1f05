"""The shape of a robot that comes without one: every link as capsules (a segment and a radius), from its joints.

A link runs from its joint, first along the joint's axis and then across, to the origin of its frame, and on to the
joints and the fixed frames that it carries. In the book's DH convention that is b along the axis and a along the common
normal. What slides in a prismatic joint is a rod of fixed length that belongs to the moving link, so that it comes out
at the back when the joint draws in. Points are in the axes of the link's own frame; link 0 is the fixed world.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, NamedTuple, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redyn.algebra import Vec3
from redyn.errors import InputError
from redyn.evaluate import normal
from redyn.model import Frame

if TYPE_CHECKING:
    from redyn.robot import Robot

Array = NDArray[np.float64]
Kind = Literal["arm", "rod", "stub"]

NOTHING = 1e-9  # m: a shorter segment is no segment
THICKNESS = 0.03  # radius of a link as a share of the robot's reach ...
SLENDER = 0.25  # ... and at most this share of a typical link, or a long chain would be a row of beads
TAPER = 0.45  # a tip is thinner than the first link by this share
ROD = 0.6  # radius of a sliding rod, of that of its link
UNIT = 0.5  # m: the reach of a robot without any extent


class Capsule(NamedTuple):
    """All points within `radius` of a segment, fixed to a link (0: the world), in the axes of that link's frame."""

    link: int
    start: Array
    end: Array
    radius: float
    kind: Kind  # rod: slides in a prismatic joint; stub: stands for a link without extent


class JointPlace(NamedTuple):
    """Where a joint is on both of its links, in the axes of their frames."""

    point: Array  # on the moving link
    axis: Array  # on the moving link, a unit vector
    socket: Array  # the same point of the link that carries it, with a prismatic joint drawn in


class _Line(NamedTuple):
    link: int
    start: Array
    end: Array
    kind: Kind


def capsules(robot: Robot, radius: ArrayLike | None = None, travel: ArrayLike | None = None) -> list[Capsule]:
    """The links of a robot as capsules, at least one for each moving link.

    `radius`: one for all or one per moving link; without it, some percent of the reach, thinner towards the tips.
    `travel`: least and greatest value of every joint, (dof, 2), which decides how long the rods of prismatic joints
    are; see the function of that name.

    >>> import redyn
    >>> [(body.link, body.kind, body.end.round(3).tolist()) for body in capsules(redyn.load("three-link"))]
    [(1, 'arm', [0.0, 0.0, 0.0]), (2, 'arm', [0.0, 0.0, 0.0]), (3, 'arm', [0.0, 0.0, 0.0])]
    """
    lines = _rigid_lines(robot)
    radii = _radii(robot, lines, radius)
    span = _travel(robot, lines, None) if travel is None else _checked_travel(robot, travel)
    lines += _rods(robot, span)
    covered = {line.link for line in lines}
    for i, link in enumerate(robot.model.links, start=1):
        if i not in covered:
            reach = np.array([0.0, 0.0, radii[i] / 4])
            lines.append(_Line(i, _point(link.anchor) - reach, _point(link.anchor) + reach, "stub"))
    lines.sort(key=lambda line: line.link)
    thin = ROD if radius is None else 1.0
    return [
        Capsule(
            line.link,
            _in_frame(robot, line.link, line.start),
            _in_frame(robot, line.link, line.end),
            float(radii[line.link]) * (thin if line.kind == "rod" else 1.0),
            line.kind,
        )
        for line in lines
    ]


def travel(robot: Robot, q: ArrayLike | None = None) -> Array:
    """Least and greatest value of every joint, (dof, 2): of the motion `q`, or as far as the robot's file knows.

    Without a motion a joint travels within its limits, or between zero and its initial value if it has none. Limits
    that are wider than the whole robot are no statement about its size and are cut.

    >>> import redyn
    >>> travel(redyn.load("stanford"))[2]
    array([0.   , 0.635])
    """
    return _travel(robot, _rigid_lines(robot), q)


def link_poses(robot: Robot, q: ArrayLike) -> Array:
    """The 4x4 poses of the world (first) and of every moving link: (dof + 1, 4, 4) or (N, dof + 1, 4, 4)."""
    values = normal("q", q, robot.dof, f"{robot.dof} numbers, one per joint")
    still = np.zeros(robot.dof)
    moving = robot.link_motion(values, still, still).pose
    world = np.broadcast_to(np.eye(4), (*moving.shape[:-3], 1, 4, 4))
    return np.concatenate([world, moving], axis=-3)


def place(shapes: Sequence[Capsule], poses: Array) -> Array:
    """The ends of every capsule in the world at these link poses: (..., C, 2, 3)."""
    links = [shape.link for shape in shapes]
    ends = np.array([(shape.start, shape.end) for shape in shapes]).reshape(-1, 2, 3)
    where = poses[..., links, :, :]
    return np.einsum("...cij,ckj->...cki", where[..., :3, :3], ends) + where[..., None, :3, 3]


def joint_places(robot: Robot) -> list[JointPlace]:
    """Of every moving joint, in the order of q."""
    places: list[JointPlace] = []
    for i, link in enumerate(robot.model.links, start=1):
        R, _ = frame_axes(robot.model.frames[link.name])
        places.append(
            JointPlace(
                _in_frame(robot, i, _point(link.anchor)), R[2], _in_frame(robot, link.parent, _point(link.socket))
            )
        )
    return places


def mass_centres(robot: Robot) -> Array:
    """Of every moving link with all that is fixed to it, in the axes of its frame: (dof, 3)."""
    return np.array([_in_frame(robot, i, _point(link.com)) for i, link in enumerate(robot.model.links, start=1)])


def frame_offset(robot: Robot, name: str) -> tuple[int, Array]:
    """The link that carries a named frame, and the 4x4 pose of that frame in the axes of the link's own."""
    frame = robot.model.frames[name]
    R, origin = frame_axes(frame)
    pose = np.eye(4)
    pose[:3, 3] = _in_frame(robot, frame.link, origin)
    pose[:3, :3] = R
    if frame.link:
        own, _ = frame_axes(robot.model.frames[robot.model.links[frame.link - 1].name])
        pose[:3, :3] = own.T @ R
    return frame.link, pose


def reach(robot: Robot) -> float:
    """How far the robot extends at most, sliding apart."""
    return _reach(robot, _rigid_lines(robot))


def _rigid_lines(robot: Robot) -> list[_Line]:
    """Everything but the rods, in the model's own link axes."""
    model = robot.model
    lines: list[_Line] = []

    def add(link: int, *points: Array) -> None:
        for start, end in pairwise(points):
            if np.linalg.norm(end - start) > NOTHING:
                lines.append(_Line(link, start, end, "arm"))

    sockets = {link.name: _point(link.socket) for link in model.links}
    for i, link in enumerate(model.links, start=1):
        anchor, tip = _point(link.anchor), _point(model.frames[link.name].pose.o)
        elbow = np.array([anchor[0], anchor[1], tip[2]])  # the joint's axis is z
        add(i, anchor, elbow, tip)
    for described in robot.description.links:
        name, carrier = str(described.name), model.frames[str(described.parent)]
        add(carrier.link, _point(carrier.pose.o), sockets.get(name, _point(model.frames[name].pose.o)))
    inner = {line.link for line in lines} | {link.parent for link in model.links}
    for i, link in enumerate(model.links, start=1):
        if i not in inner:  # a tip that the file says nothing about but its mass: reach to that
            add(i, _point(link.anchor), _point(link.com))
    return lines


def _rods(robot: Robot, span: Array) -> Iterable[_Line]:
    offsets = {str(link.name): link.joint.offset for link in robot.description.links}
    for i, (link, (low, high)) in enumerate(zip(robot.model.links, span, strict=True), start=1):
        back, front = max(high + offsets[link.name], 0.0), max(-low - offsets[link.name], 0.0)
        if link.joint.kind == "prismatic" and back + front > NOTHING:
            anchor, axis = _point(link.anchor), np.array([0.0, 0.0, 1.0])
            yield _Line(i, anchor - back * axis, anchor + front * axis, "rod")


def _travel(robot: Robot, lines: list[_Line], q: ArrayLike | None) -> Array:
    start = robot.initial
    if q is None:
        rigid = _reach(robot, lines)
        low, high = np.where(np.isfinite(robot.limits.T), robot.limits.T, [np.minimum(start, 0), np.maximum(start, 0)])
        return np.stack([np.maximum(low, -rigid), np.minimum(high, rigid)], axis=1)
    values = np.atleast_2d(normal("q", q, robot.dof, f"{robot.dof} numbers, one per joint"))
    return np.stack([values.min(axis=0, initial=0.0), values.max(axis=0, initial=0.0)], axis=1)


def _checked_travel(robot: Robot, given: ArrayLike) -> Array:
    span = normal("travel", given, 2, "least and greatest value of every joint")
    if span.shape != (robot.dof, 2) or not np.isfinite(span).all() or (span[:, 0] > span[:, 1]).any():
        raise InputError(f"travel: expected ({robot.dof}, 2) finite numbers, least and greatest value of every joint")
    return span


def _extents(robot: Robot, lines: list[_Line]) -> Array:
    """How far each body reaches from its joint; the world comes first, from its origin."""
    anchors = [np.zeros(3), *(_point(link.anchor) for link in robot.model.links)]
    far = np.zeros(robot.dof + 1)
    for line in lines:
        for point in (line.start, line.end):
            far[line.link] = max(far[line.link], float(np.linalg.norm(point - anchors[line.link])))
    return far


def _reach(robot: Robot, lines: list[_Line]) -> float:
    far = _extents(robot, lines)
    for i, link in enumerate(robot.model.links, start=1):
        far[i] += far[link.parent] if link.parent else 0.0
    whole = float(far[1:].max())
    if whole > NOTHING:
        return whole
    slides = [abs(x) for x in robot.initial if x] + [abs(float(x)) for x in robot.limits.flat if np.isfinite(x)]
    return min(max(slides, default=UNIT), 10.0) or UNIT


def _radii(robot: Robot, lines: list[_Line], given: ArrayLike | None) -> Array:
    """Of the world and of every moving link."""
    if given is not None:
        try:
            radii = np.broadcast_to(np.asarray(given, dtype=np.float64), (robot.dof,))
        except (ValueError, TypeError):
            raise InputError(f"radius: expected one positive number or {robot.dof}, one per moving link") from None
        if not np.isfinite(radii).all() or (radii <= 0).any():
            raise InputError("radius: expected positive finite numbers, in metres")
        return np.concatenate([radii[:1], radii])
    rank = np.zeros(robot.dof + 1)
    for i, link in enumerate(robot.model.links, start=1):
        rank[i] = rank[link.parent] + 1
    extents = _extents(robot, lines)[1:]
    extents = extents[extents > NOTHING]
    thick = THICKNESS * _reach(robot, lines)
    if len(extents):
        thick = min(thick, SLENDER * float(np.median(extents)))
    return thick * (1 - TAPER * np.maximum(rank - 1, 0) / max(rank.max() - 1, 1))


def _point(v: Vec3) -> Array:
    return np.array(v.components(), dtype=np.float64)


def frame_axes(frame: Frame) -> tuple[Array, Array]:
    """Rotation and origin of a named frame in the model's axes of the link that carries it."""
    rows = (frame.pose.R.x, frame.pose.R.y, frame.pose.R.z)
    return np.array([cast("tuple[float, ...]", row.components()) for row in rows]), _point(frame.pose.o)


def _in_frame(robot: Robot, link: int, point: Array) -> Array:
    if link == 0:
        return point
    R, origin = frame_axes(robot.model.frames[robot.model.links[link - 1].name])
    return R.T @ (point - origin)
