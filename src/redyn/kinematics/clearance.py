"""Distances between the links of a robot, each modelled by capsules (see shape.py)."""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redyn.description.schema import WORLD
from redyn.errors import InputError
from redyn.kinematics.bending import bends, bent_lines
from redyn.kinematics.robot_like import RobotLike
from redyn.kinematics.shape import Capsule, bodies, capsules, joint_values, link_poses, place, travel

Array = NDArray[np.float64]

TRIALS = 200  # random configurations: two links that overlap in all of them are taken to do so by design
BLOCK = 20_000  # pairs of segments at a time, so that the arrays fit into the processor's cache
STATES = 1000  # whose poses are computed together: one by one takes long for large robots, which have no kernels


class Clearance(NamedTuple):
    """Distances between links that are not neighbours, at one state or at N."""

    distance: Array  # () or (N,): of the closest pair; negative if it overlaps, infinite if there is no pair
    pair: NDArray[np.intp]  # (2,) or (N, 2): links of the closest pair, 0 for the world; (-1, -1) if there is none
    between: Array  # (P,) or (N, P): of every pair
    pairs: tuple[tuple[str, str], ...]  # the names of the P pairs

    @property
    def touching(self) -> NDArray[np.bool_]:
        """Which pairs overlap: (P,) or (N, P)."""
        return self.between < 0

    @property
    def touched(self) -> list[tuple[str, str]]:
        """The names of the pairs that overlap at any of the states."""
        touching = np.atleast_2d(self.touching)
        return [pair for k, pair in enumerate(self.pairs) if touching[:, k].any()]


class _Bodies(NamedTuple):
    """The segments to compare, `first` with `second`, sorted by pairs of links; pair p begins at `starts[p]`."""

    shapes: list[Capsule]
    links: NDArray[np.intp]  # (P, 2)
    first: NDArray[np.intp]
    second: NDArray[np.intp]
    starts: NDArray[np.intp]


_known: WeakKeyDictionary[RobotLike, dict[bytes, _Bodies]] = WeakKeyDictionary()


def clearance(
    robot: RobotLike, q: ArrayLike, radius: ArrayLike | None = None, travel: ArrayLike | None = None
) -> Clearance:
    """The least distance between the surfaces of links, as capsules of this radius (see `capsules`).

    A link and its parent are not compared, nor are links that overlap by design: those that overlap at every one of 200
    random configurations, such as the parts of a wrist whose axes meet in a point. Robots with closed loops have no
    pairs: their links are built side by side, which capsules between joints do not show. Wheels that roll are left out:
    they are no capsules. A flexible link is a row of capsules along its bent centre line, under the name of the body at
    its tip.

    >>> import redyn
    >>> robot = redyn.load("three-link")
    >>> folded = clearance(robot, [0.0, 2.8, 2.8], radius=0.02)
    >>> folded.pairs, folded.touching, float(folded.distance) < 0
    ((('link1', 'link3'),), array([ True]), True)
    >>> clearance(robot, [[0, 0, 0], [0, 1.5, 0]], radius=0.02).distance.round(3)
    array([0.21, 0.21])
    """
    values = joint_values(robot, q)
    if not np.isfinite(values).all():
        raise InputError("q: expected finite joint values")
    bodies = _bodies(robot, radius, travel)
    between = _between(robot, bodies, np.atleast_2d(values))
    if len(bodies.links):
        closest = between.argmin(axis=1)
        distance, pair = between[np.arange(len(between)), closest], bodies.links[closest]
    else:
        distance, pair = np.full(len(between), np.inf), np.full((len(between), 2), -1)
    names = [WORLD, *robot.link_names]
    pairs = tuple((names[int(i)], names[int(j)]) for i, j in bodies.links.tolist())
    if values.ndim == 1:
        return Clearance(distance[0], pair[0], between[0], pairs)
    return Clearance(distance, pair, between, pairs)


def segment_distance(start: Array, end: Array, other_start: Array, other_end: Array) -> Array:
    """The least distance between two segments; arrays (..., 3) that broadcast.

    It is attained at an end of one of them, or by the common normal of their lines if its feet are on both. The ends
    are always tried, so parallel segments and segments of zero length need no special case.
    """
    u, v, gap = end - start, other_end - other_start, start - other_start
    uu, uv, vv = _dot(u, u), _dot(u, v), _dot(v, v)
    ug, vg = _dot(u, gap), _dot(v, gap)
    s = np.clip(_ratio(uv * vg - vv * ug, uu * vv - uv * uv), 0.0, 1.0)
    t = np.clip(_ratio(uv * s + vg, vv), 0.0, 1.0)
    inner = gap + s[..., None] * u - t[..., None] * v
    squares = [
        _dot(inner, inner),
        _square_to_segment(start, other_start, v, vv),
        _square_to_segment(end, other_start, v, vv),
        _square_to_segment(other_start, start, u, uu),
        _square_to_segment(other_end, start, u, uu),
    ]
    return np.sqrt(np.minimum.reduce(squares))


def _square_to_segment(point: Array, start: Array, along: Array, square: Array) -> Array:
    gap = point - start
    s = np.clip(_ratio(_dot(gap, along), square), 0.0, 1.0)
    rest = gap - s[..., None] * along
    return _dot(rest, rest)


def _dot(a: Array, b: Array) -> Array:
    return np.einsum("...i,...i->...", a, b)


def _ratio(a: Array, b: Array) -> Array:
    """a / b, and 0 where b is 0."""
    return np.divide(a, b, out=np.zeros(np.broadcast_shapes(a.shape, b.shape)), where=b > 0)


def _between(robot: RobotLike, bodies: _Bodies, q: Array) -> Array:
    """The distance of every pair at every state, (N, P)."""
    count = len(bodies.first)
    if not count or not len(q):
        return np.empty((len(q), len(bodies.links)))
    radii = np.array([shape.radius for shape in bodies.shapes])
    thickness = radii[bodies.first] + radii[bodies.second]
    block = max(1, BLOCK // count)
    between = np.empty((len(q), len(bodies.links)))
    flexible = bends(robot)
    for begin in range(0, len(q), STATES):
        states = q[begin : begin + STATES]
        poses = link_poses(robot, states)
        placed = place(bodies.shapes, poses, bent_lines(flexible, states, poses))
        for k in range(0, len(placed), block):
            ends = placed[k : k + block]
            one, other = ends[:, bodies.first], ends[:, bodies.second]
            gaps = segment_distance(one[..., 0, :], one[..., 1, :], other[..., 0, :], other[..., 1, :]) - thickness
            between[begin + k : begin + k + len(ends)] = np.minimum.reduceat(gaps, bodies.starts, axis=1)
    return between


def _bodies(robot: RobotLike, radius: ArrayLike | None, span: ArrayLike | None) -> _Bodies:
    """The pairs to compare, found once for a robot and its shape."""
    shapes = capsules(robot, radius, span)
    key = np.array([(*shape.start, *shape.end, shape.radius) for shape in shapes]).tobytes()
    known = _known.setdefault(robot, {})
    if key not in known:
        parents = [body.parent for body in bodies(robot)]
        wheels = {robot.link_names.index(c.name) + 1 for c in robot.model.contacts if c.name in robot.link_names}
        occupied = [] if robot.model.loops else sorted({shape.link for shape in shapes} - wheels)
        apart = [(i, j) for i, j in combinations(occupied, 2) if parents[j - 1] != i]
        if apart:  # random configurations take seconds where loops are closed
            widest = _between(robot, _all_pairs(shapes, apart), _trials(robot)).max(axis=0, initial=-np.inf)
            apart = [pair for pair, gap in zip(apart, widest, strict=True) if gap >= 0]
        known[key] = _all_pairs(shapes, apart)
    return known[key]


def _all_pairs(shapes: list[Capsule], links: list[tuple[int, int]]) -> _Bodies:
    of: dict[int, list[int]] = {}
    for k, shape in enumerate(shapes):
        of.setdefault(shape.link, []).append(k)
    first: list[int] = []
    second: list[int] = []
    starts: list[int] = []
    for i, j in links:
        starts.append(len(first))
        for a in of[i]:
            first += [a] * len(of[j])
            second += of[j]
    index = np.intp
    table = np.array(links, dtype=index).reshape(-1, 2)
    return _Bodies(shapes, table, np.array(first, index), np.array(second, index), np.array(starts, index))


def _trials(robot: RobotLike) -> Array:
    """The same random configurations at every call: any rotation, prismatic joints within their travel, no bending."""
    rng = np.random.default_rng(0)
    q = np.array([robot.random(rng) for _ in range(TRIALS)])
    span = travel(robot)
    q[:, [place for bend in bends(robot) for place in bend.places]] = 0.0
    for variable in robot.model.variables:
        if variable.joint.kind == "prismatic" and variable.joint.single:
            low, high = span[variable.rate]
            q[:, variable.q] = low + (high - low) * rng.random(TRIALS)
    return q
