"""A shape for robots without geometry: every link as capsules (a segment and a radius), derived from its joints.

A link runs from its joint, first along the joint axis and then across, to the origin of its frame, and on to the joints
and fixed frames that it carries, joints that close loops included. In the book's DH convention that is b along the axis
and a along the common normal. A prismatic joint has a rod of fixed length that belongs to the moving link, so that it
comes out at the back when the joint retracts. Points are in the axes of the link's own frame; link 0 is the world.
A flexible link is a row of capsules that belongs to the body at its tip; see bending.py for where they are while it is
bent.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redyn.algebra import Vec3
from redyn.arrays import real_array
from redyn.description.ends import ROOT, TIP
from redyn.errors import InputError
from redyn.evaluate import normal
from redyn.kinematics.poses import matrix, vector
from redyn.kinematics.robot_like import RobotLike
from redyn.model import Link

Array = NDArray[np.float64]
Kind = Literal["arm", "rod", "stub", "beam"]

LOOSE = ("free", "planar")  # joints with no fixed point or axis to draw a link from
BENDS = "mode"  # kind of a body at the tip of a flexible link, which no joint holds
PIECES = 8  # capsules along a flexible link
SHORTEST = 1e-9  # m: shorter segments are left out
THICKNESS = 0.03  # radius of a link as a share of the robot's reach ...
SLENDER = 0.25  # ... and at most this share of a typical link's length, or long chains would look like beads
TAPER = 0.45  # a tip is thinner than the first link by this share
ROD = 0.6  # radius of a sliding rod, as a share of its link's
SLENDER_BEAMS = 0.7  # radii of a robot with flexible links, as a share of what they would be without,
SLIM = 0.75  # and of its flexible links beyond that
UNIT = 0.5  # m: the reach of a robot without dimensions


class Capsule(NamedTuple):
    """All points within `radius` of a segment, fixed to a link (0: the world), in the axes of that link's frame."""

    link: int
    start: Array
    end: Array
    radius: float
    kind: Kind  # rod: slides in a prismatic joint; stub: marks a link without dimensions; beam: piece of one that bends
    piece: tuple[int, int] | None = None  # of a beam: its number among those of the model, and which piece of it


class JointPlace(NamedTuple):
    """Where a joint is on both of its links, in the axes of their frames."""

    point: Array  # on the moving link
    axis: Array  # on the moving link, a unit vector
    socket: Array  # the same point on the link that carries it, with a prismatic joint at zero


class _Line(NamedTuple):
    link: int
    start: Array
    end: Array
    kind: Kind
    piece: tuple[int, int] | None = None


class Body(NamedTuple):
    """A moving body as it is drawn. Bodies are counted from 1; 0 is the world."""

    number: int
    parent: int
    link: Link  # of the model
    socket: Vec3  # where its joint sits, in the axes of the parent's link
    kind: str  # of the user's joint, or BENDS
    velocity: (
        int  # index of its joint's first velocity, which gives its colour; joints tied to others and modes come last
    )


def bodies(robot: RobotLike) -> list[Body]:
    """The moving bodies, in the order of `link_names`."""
    kinds = {str(link.joint.name): link.joint.type for link in robot.description.links}
    found: list[Body] = []
    first: Link | None = None
    numbers = body_numbers(robot)
    rates = sorted((*robot.model.located, *robot.model.links), key=lambda link: link.joint.kind == BENDS)
    velocities = [(link.joint.kind == BENDS, link.joint.name) for link in rates]
    for link in robot.model.links:
        first = first or link
        if not link.virtual:
            bends = link.joint.kind == BENDS
            kind, velocity = BENDS if bends else kinds[link.joint.name], velocities.index((bends, link.joint.name))
            found.append(Body(len(found) + 1, numbers[first.parent], link, first.socket, kind, velocity))
            first = None
    return found


def body_numbers(robot: RobotLike) -> list[int]:
    """For the world and every link of the model, the number of its body."""
    numbers, count = [0], 1
    for link in robot.model.links:
        numbers.append(count)
        count += not link.virtual
    return numbers


def capsules(robot: RobotLike, radius: ArrayLike | None = None, travel: ArrayLike | None = None) -> list[Capsule]:
    """The links of a robot as capsules, at least one for each moving link.

    `radius`: one for all or one per moving link; by default a few percent of the reach, thinner towards the tips.
    `travel`: least and greatest value of every joint, (dof, 2), with wheels of the whole tree, which determines
    the length of the rods of prismatic joints; see the function of that name.

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
            reach, anchor = np.array([0.0, 0.0, radii[body.number] / 4]), vector(body.link.anchor)
            lines.append(_Line(body.number, anchor - reach, anchor + reach, "stub"))
    lines.sort(key=lambda line: line.link)
    thin = {"rod": ROD, "beam": SLIM} if radius is None else {}
    return [
        Capsule(
            line.link,
            _in_frame(robot, line.link, line.start),
            _in_frame(robot, line.link, line.end),
            float(radii[line.link]) * thin.get(line.kind, 1.0),
            line.kind,
            line.piece,
        )
        for line in lines
    ]


def travel(robot: RobotLike, q: ArrayLike | None = None) -> Array:
    """Least and greatest value of every joint, (dof, 2): over the motion `q`, or from the robot's file.

    Without a motion these are the joint's limits, or zero and its initial value if it has none. Limits wider than the
    whole robot say nothing about its size and are cut to it. With wheels, of every joint of the tree.

    >>> import redyn
    >>> travel(redyn.load("stanford"))[2]
    array([0.   , 0.635])
    """
    return _travel(robot, _rigid_lines(robot), q)


def link_poses(robot: RobotLike, q: ArrayLike) -> Array:
    """The 4x4 poses of the world (first) and of every moving link: (L + 1, 4, 4) or (N, L + 1, 4, 4)."""
    values = joint_values(robot, q)
    tree = robot.tree if robot.model.contacts else robot  # poses do not ask which rates are independent
    still = np.zeros(tree.dof)
    moving, *_ = tree.link_motion(values, still, still)
    world = np.broadcast_to(np.eye(4), (*moving.shape[:-3], 1, 4, 4))
    return np.concatenate([world, moving], axis=-3)


def joint_values(robot: RobotLike, q: ArrayLike) -> Array:
    """Checked: (nq,) or (N, nq)."""
    return robot.configuration("q", q)


def place(shapes: Sequence[Capsule], poses: Array, lines: Array | None = None) -> Array:
    """The ends of every capsule in the world at these link poses: (..., C, 2, 3).

    `lines` (..., beams, PIECES + 1, 3): where flexible links are, see `bent_lines`; without it they are straight.
    """
    links = [shape.link for shape in shapes]
    ends = np.array([(shape.start, shape.end) for shape in shapes]).reshape(-1, 2, 3)
    where = poses[..., links, :, :]
    placed = np.einsum("...cij,ckj->...cki", where[..., :3, :3], ends) + where[..., None, :3, 3]
    if lines is not None:
        for k, shape in enumerate(shapes):
            if shape.piece is not None:
                beam, piece = shape.piece
                placed[..., k, :, :] = lines[..., beam, piece : piece + 2, :]
    return placed


def joint_places(robot: RobotLike) -> list[JointPlace]:
    """Of every moving body's joint, in the order of `link_names`."""
    places: list[JointPlace] = []
    for body in bodies(robot):
        anchor, socket = vector(body.link.anchor), vector(body.socket)
        axis = _frame(robot, body.number)[2, :3]
        places.append(JointPlace(_in_frame(robot, body.number, anchor), axis, _in_frame(robot, body.parent, socket)))
    return places


def mass_centres(robot: RobotLike) -> Array:
    """The mass centre of every moving link with all that is fixed to it, in the axes of its frame: (L, 3)."""
    return np.array([_in_frame(robot, body.number, vector(body.link.com)) for body in bodies(robot)])


def frame_offset(robot: RobotLike, name: str) -> tuple[int, Array]:
    """The link that carries a named frame, and the 4x4 pose of that frame in the axes of the link's own."""
    frame = robot.model.frames[name]
    number, pose = body_numbers(robot)[frame.link], matrix(frame.pose)
    pose[:3, 3] = _in_frame(robot, number, pose[:3, 3])
    pose[:3, :3] = _frame(robot, number)[:3, :3].T @ pose[:3, :3]
    return number, pose


def reach(robot: RobotLike) -> float:
    """The greatest extent of the robot, in metres."""
    return _reach(robot, _rigid_lines(robot))


def _rigid_lines(robot: RobotLike) -> list[_Line]:
    """Everything but the rods, in the model's own link axes."""
    model = robot.model
    lines: list[_Line] = []

    def add(link: int, *points: Array) -> None:
        for start, end in pairwise(points):
            if np.linalg.norm(end - start) > SHORTEST:
                lines.append(_Line(link, start, end, "arm"))

    moving, numbers = bodies(robot), body_numbers(robot)
    sockets = {body.link.joint.name: vector(body.socket) for body in moving if body.kind != BENDS}
    flexible = {str(link.name) for link in robot.description.links if link.flexible is not None}
    for body in moving:
        anchor, tip = vector(body.link.anchor), vector(model.frames[body.link.name].pose.o)
        elbow = np.array([anchor[0], anchor[1], tip[2]])  # the joint's axis is z
        add(body.number, anchor, elbow, tip)
    for described in robot.description.links:
        name, parent = str(described.name), str(described.parent)
        carrier = model.frames[f"{parent}.{TIP}" if parent in flexible else parent]
        grounded = not carrier.link and bool(model.loops)  # such joints stand on the ground one by one
        root = model.frames[f"{name}.{ROOT}" if name in flexible else name]
        if described.joint.type not in LOOSE and not grounded:
            end = sockets.get(str(described.joint.name), vector(root.pose.o))
            add(numbers[carrier.link], vector(carrier.pose.o), end)
        if name in flexible and model.frames[f"{name}.{TIP}"].link == root.link:  # without modes
            add(numbers[root.link], vector(root.pose.o), vector(model.frames[f"{name}.{TIP}"].pose.o))
    for number, points in loop_points(robot).items():
        if number:
            anchor = vector(moving[number - 1].link.anchor)
            add(number, anchor, *points, *([anchor] if len(points) > 1 else []))  # several make a ring: a platform
    for beam, (first, bent) in enumerate(model.beams):  # straight, in the axes of the tip
        x = np.zeros((PIECES + 1, 3))
        x[:, 0] = np.linspace(-float(bent.length), 0.0, PIECES + 1)  # pyright: ignore[reportArgumentType]
        lines += [_Line(numbers[first + 1], x[k], x[k + 1], "beam", (beam, k)) for k in range(PIECES)]
    inner = {line.link for line in lines} | {body.parent for body in moving}
    for body in moving:
        if body.number not in inner:  # a tip of which the file gives only the mass: draw it to its mass centre
            add(body.number, vector(body.link.anchor), vector(body.link.com))
    return lines


def loop_points(robot: RobotLike) -> dict[int, list[Array]]:
    """For every body, where joints that close loops sit on it, in the model's own link axes."""
    numbers, found = body_numbers(robot), dict[int, list[Array]]()
    for loop in robot.model.loops:
        if loop.kind != "gear":
            for frame in (loop.A, loop.B):
                found.setdefault(numbers[frame.link], []).append(vector(frame.pose.o))
    return found


class LoopPlace(NamedTuple):
    """Where a joint that closes a loop is on both of its links: body, point and axis, in the axes of their frames."""

    name: str
    kind: str
    bodies: tuple[int, int]
    points: tuple[Array, Array]
    axes: tuple[Array, Array]


def loop_places(robot: RobotLike) -> list[LoopPlace]:
    """Of every loop but gears, which sit nowhere."""
    numbers, found = body_numbers(robot), list[LoopPlace]()
    for loop in robot.model.loops:
        if loop.kind == "gear":
            continue
        ends: list[tuple[int, Array, Array]] = []
        for frame in (loop.A, loop.B):
            number, pose = numbers[frame.link], matrix(frame.pose)
            axes = _frame(robot, number)[:3, :3].T @ pose[:3, :3]
            ends.append((number, _in_frame(robot, number, pose[:3, 3]), axes[:, 2]))
        (a, p, z), (b, o, w) = ends
        found.append(LoopPlace(loop.name, loop.kind, (a, b), (p, o), (z, w)))
    return found


def _rods(robot: RobotLike, span: Array) -> Iterable[_Line]:
    offsets = {str(link.joint.name): link.joint.offset for link in robot.description.links}
    ranges = {link.name: ends for link, ends in zip(robot.model.located, span, strict=True)}
    for body in bodies(robot):
        if body.kind != "prismatic":
            continue
        link, (low, high) = body.link, ranges.get(body.link.name, (0.0, 0.0))
        offset = offsets[link.joint.name]
        back, front = max(high + offset, 0.0), max(-low - offset, 0.0)
        if back + front > SHORTEST:
            anchor, axis = vector(link.anchor), np.array([0.0, 0.0, 1.0])
            yield _Line(body.number, anchor - back * axis, anchor + front * axis, "rod")


def _travel(robot: RobotLike, lines: list[_Line], q: ArrayLike | None) -> Array:
    start = _single(robot, robot.initial)
    if q is None:
        rigid = _reach(robot, lines)
        low, high = np.where(np.isfinite(robot.limits.T), robot.limits.T, [np.minimum(start, 0), np.maximum(start, 0)])
        return np.stack([np.maximum(low, -rigid), np.minimum(high, rigid)], axis=1)
    values = _single(robot, np.atleast_2d(joint_values(robot, q)))
    return np.stack([values.min(axis=0, initial=0.0), values.max(axis=0, initial=0.0)], axis=1)


def _single(robot: RobotLike, q: Array) -> Array:
    """The values of joints that have one, a column per direction of q; zeros for the others."""
    values = np.zeros((*q.shape[:-1], robot.model.tangent))
    for variable in robot.model.variables:
        if variable.joint.single:
            values[..., variable.rate] = q[..., variable.q]
    return values


def _checked_travel(robot: RobotLike, given: ArrayLike) -> Array:
    span = normal("travel", given, 2, "least and greatest value of every joint")
    count = robot.model.tangent
    if span.shape != (count, 2) or not np.isfinite(span).all() or (span[:, 0] > span[:, 1]).any():
        raise InputError(f"travel: expected ({count}, 2) finite numbers, least and greatest value of every joint")
    return span


def _extents(robot: RobotLike, lines: list[_Line]) -> Array:
    """The greatest distance of each body's points from its joint; the world, first, from its origin."""
    anchors = [np.zeros(3), *(vector(body.link.anchor) for body in bodies(robot))]
    far = np.zeros(len(anchors))
    for line in lines:
        for point in (line.start, line.end):
            far[line.link] = max(far[line.link], float(np.linalg.norm(point - anchors[line.link])))
    return far


def _reach(robot: RobotLike, lines: list[_Line]) -> float:
    far = _extents(robot, lines)
    for body in bodies(robot):
        far[body.number] += far[body.parent] if body.parent else 0.0
    whole = float(far[1:].max())
    if whole > SHORTEST:
        return whole
    slides = [abs(x) for x in robot.initial if x] + [abs(float(x)) for x in robot.limits.flat if np.isfinite(x)]
    return min(max(slides, default=UNIT), 10.0) or UNIT


def _radii(robot: RobotLike, lines: list[_Line], given: ArrayLike | None) -> Array:
    """Radii of the world and of every moving link."""
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
        rank[body.number] = rank[body.parent] + (body.kind != BENDS)  # the tip is the same link as its root
    extents = _extents(robot, lines)[1:]
    extents = extents[extents > SHORTEST]
    thick = THICKNESS * _reach(robot, lines)
    if len(extents):
        thick = min(thick, SLENDER * float(np.median(extents)))
    if robot.model.flexible:
        thick *= SLENDER_BEAMS
    return thick * (1 - TAPER * np.maximum(rank - 1, 0) / max(rank.max() - 1, 1))


def _in_frame(robot: RobotLike, body: int, point: Array) -> Array:
    """A point of a body, from the model's axes of its link to those of its own frame."""
    T = _frame(robot, body)
    return T[:3, :3].T @ (point - T[:3, 3])


def _frame(robot: RobotLike, body: int) -> Array:
    """The frame of a body in the model's axes of its link, 4x4; the world has one pair of axes only."""
    return matrix(robot.model.frames[robot.link_names[body - 1]].pose) if body else np.eye(4)
