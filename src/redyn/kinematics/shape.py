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
from redyn.arrays import real_array
from redyn.errors import InputError
from redyn.evaluate import normal
from redyn.model import Frame, Link

if TYPE_CHECKING:
    from redyn.robot import Robot

Array = NDArray[np.float64]
Kind = Literal["arm", "rod", "stub"]

LOOSE = ("free", "planar")  # joints that hold their link nowhere
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


class Body(NamedTuple):
    """A moving body as it is drawn. Bodies are counted from 1; 0 is the world."""

    number: int
    parent: int
    link: Link  # of the model
    socket: Vec3  # where its joint sits, in the axes of the parent's link
    kind: str  # of the user's joint
    velocity: int  # the first of its joint, whose colour it has; a joint that is tied to another counts after them all


def bodies(robot: Robot) -> list[Body]:
    """The moving bodies, in the order of `link_names`."""
    kinds = {str(link.name): link.joint.type for link in robot.description.links}
    found: list[Body] = []
    first: Link | None = None
    numbers = body_numbers(robot)
    velocities = [link.joint.name for link in (*robot.model.driven, *robot.model.links)]
    for link in robot.model.links:
        first = first or link
        if not link.virtual:
            velocity = velocities.index(link.joint.name)
            found.append(Body(len(found) + 1, numbers[first.parent], link, first.socket, kinds[link.name], velocity))
            first = None
    return found


def body_numbers(robot: Robot) -> list[int]:
    """For the world and every link of the model, the number of its body."""
    numbers, count = [0], 1
    for link in robot.model.links:
        numbers.append(count)
        count += not link.virtual
    return numbers


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
    for body in bodies(robot):
        if body.number not in covered:
            reach, anchor = np.array([0.0, 0.0, radii[body.number] / 4]), _point(body.link.anchor)
            lines.append(_Line(body.number, anchor - reach, anchor + reach, "stub"))
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
    """The 4x4 poses of the world (first) and of every moving link: (L + 1, 4, 4) or (N, L + 1, 4, 4)."""
    values = joint_values(robot, q)
    still = np.zeros(robot.dof)
    moving = robot.link_motion(values, still, still).pose
    world = np.broadcast_to(np.eye(4), (*moving.shape[:-3], 1, 4, 4))
    return np.concatenate([world, moving], axis=-3)


def joint_values(robot: Robot, q: ArrayLike) -> Array:
    """Checked: (nq,) or (N, nq)."""
    return robot.configuration("q", q)


def place(shapes: Sequence[Capsule], poses: Array) -> Array:
    """The ends of every capsule in the world at these link poses: (..., C, 2, 3)."""
    links = [shape.link for shape in shapes]
    ends = np.array([(shape.start, shape.end) for shape in shapes]).reshape(-1, 2, 3)
    where = poses[..., links, :, :]
    return np.einsum("...cij,ckj->...cki", where[..., :3, :3], ends) + where[..., None, :3, 3]


def joint_places(robot: Robot) -> list[JointPlace]:
    """Of every moving joint, in the order of q."""
    places: list[JointPlace] = []
    for body in bodies(robot):
        R, _ = frame_axes(robot.model.frames[body.link.name])
        anchor, socket = _point(body.link.anchor), _point(body.socket)
        places.append(JointPlace(_in_frame(robot, body.number, anchor), R[2], _in_frame(robot, body.parent, socket)))
    return places


def mass_centres(robot: Robot) -> Array:
    """Of every moving link with all that is fixed to it, in the axes of its frame: (L, 3)."""
    return np.array([_in_frame(robot, body.number, _point(body.link.com)) for body in bodies(robot)])


def frame_offset(robot: Robot, name: str) -> tuple[int, Array]:
    """The link that carries a named frame, and the 4x4 pose of that frame in the axes of the link's own."""
    frame = robot.model.frames[name]
    R, origin = frame_axes(frame)
    pose, number = np.eye(4), body_numbers(robot)[frame.link]
    pose[:3, 3] = _in_frame(robot, number, origin)
    pose[:3, :3] = R
    if number:
        own, _ = frame_axes(robot.model.frames[robot.link_names[number - 1]])
        pose[:3, :3] = own.T @ R
    return number, pose


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

    moving, numbers = bodies(robot), body_numbers(robot)
    sockets = {body.link.name: _point(body.socket) for body in moving}
    for body in moving:
        anchor, tip = _point(body.link.anchor), _point(model.frames[body.link.name].pose.o)
        elbow = np.array([anchor[0], anchor[1], tip[2]])  # the joint's axis is z
        add(body.number, anchor, elbow, tip)
    for described in robot.description.links:
        name, carrier = str(described.name), model.frames[str(described.parent)]
        if described.joint.type not in LOOSE:
            end = sockets.get(name, _point(model.frames[name].pose.o))
            add(numbers[carrier.link], _point(carrier.pose.o), end)
    inner = {line.link for line in lines} | {body.parent for body in moving}
    for body in moving:
        if body.number not in inner:  # a tip that the file says nothing about but its mass: reach to that
            add(body.number, _point(body.link.anchor), _point(body.link.com))
    return lines


def _rods(robot: Robot, span: Array) -> Iterable[_Line]:
    offsets = {str(link.name): link.joint.offset for link in robot.description.links}
    ranges = {link.name: ends for link, ends in zip(robot.model.driven, span, strict=True)}
    for body in bodies(robot):
        link, (low, high) = body.link, ranges.get(body.link.name, (0.0, 0.0))
        back, front = max(high + offsets[link.name], 0.0), max(-low - offsets[link.name], 0.0)
        if body.kind == "prismatic" and back + front > NOTHING:
            anchor, axis = _point(link.anchor), np.array([0.0, 0.0, 1.0])
            yield _Line(body.number, anchor - back * axis, anchor + front * axis, "rod")


def _travel(robot: Robot, lines: list[_Line], q: ArrayLike | None) -> Array:
    start = _single(robot, robot.initial)
    if q is None:
        rigid = _reach(robot, lines)
        low, high = np.where(np.isfinite(robot.limits.T), robot.limits.T, [np.minimum(start, 0), np.maximum(start, 0)])
        return np.stack([np.maximum(low, -rigid), np.minimum(high, rigid)], axis=1)
    values = _single(robot, np.atleast_2d(joint_values(robot, q)))
    return np.stack([values.min(axis=0, initial=0.0), values.max(axis=0, initial=0.0)], axis=1)


def _single(robot: Robot, q: Array) -> Array:
    """The values of joints that have one, a column per velocity; zeros for the others."""
    values = np.zeros((*q.shape[:-1], robot.dof))
    for j, (link, start) in enumerate(zip(robot.model.driven, robot.model.starts, strict=True)):
        if link.joint.coordinates == 1:
            values[..., j] = q[..., start]
    return values


def _checked_travel(robot: Robot, given: ArrayLike) -> Array:
    span = normal("travel", given, 2, "least and greatest value of every joint")
    if span.shape != (robot.dof, 2) or not np.isfinite(span).all() or (span[:, 0] > span[:, 1]).any():
        raise InputError(f"travel: expected ({robot.dof}, 2) finite numbers, least and greatest value of every joint")
    return span


def _extents(robot: Robot, lines: list[_Line]) -> Array:
    """How far each body reaches from its joint; the world comes first, from its origin."""
    anchors = [np.zeros(3), *(_point(body.link.anchor) for body in bodies(robot))]
    far = np.zeros(len(anchors))
    for line in lines:
        for point in (line.start, line.end):
            far[line.link] = max(far[line.link], float(np.linalg.norm(point - anchors[line.link])))
    return far


def _reach(robot: Robot, lines: list[_Line]) -> float:
    far = _extents(robot, lines)
    for body in bodies(robot):
        far[body.number] += far[body.parent] if body.parent else 0.0
    whole = float(far[1:].max())
    if whole > NOTHING:
        return whole
    slides = [abs(x) for x in robot.initial if x] + [abs(float(x)) for x in robot.limits.flat if np.isfinite(x)]
    return min(max(slides, default=UNIT), 10.0) or UNIT


def _radii(robot: Robot, lines: list[_Line], given: ArrayLike | None) -> Array:
    """Of the world and of every moving link."""
    moving = bodies(robot)
    count = len(moving)
    if given is not None:
        try:
            radii = np.broadcast_to(real_array(given), (count,))
        except (ValueError, TypeError):
            raise InputError(f"radius: expected one positive number or {count}, one per moving link") from None
        if not np.isfinite(radii).all() or (radii <= 0).any():
            raise InputError("radius: expected positive finite numbers, in metres")
        return np.concatenate([radii[:1], radii])
    rank = np.zeros(count + 1)
    for body in moving:
        rank[body.number] = rank[body.parent] + 1
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


def _in_frame(robot: Robot, body: int, point: Array) -> Array:
    if body == 0:
        return point
    R, origin = frame_axes(robot.model.frames[robot.link_names[body - 1]])
    return R.T @ (point - origin)
