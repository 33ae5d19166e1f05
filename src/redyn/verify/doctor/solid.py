"""The room that the shapes of a link take, and the inertia that they would have if they were solid."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from redyn.description.meshes import find_mesh
from redyn.description.placement import rpy_rotation, translation
from redyn.description.schema import Shape
from redyn.errors import DescriptionError, MissingExtraError
from redyn.verify.doctor.survey import Body, Survey

Array = NDArray[np.float64]

ROUND = 24  # points around a cylinder


class Solid(NamedTuple):
    """A body of uniform density 1: its bounds, volume, centre, and the integral of x x^T about that."""

    low: Array
    high: Array
    volume: float
    centre: Array
    second: Array

    @property
    def size(self) -> Array:
        return self.high - self.low

    @property
    def diagonal(self) -> float:
        return float(np.linalg.norm(self.size))

    def inertia(self, mass: float) -> Array:
        """About its centre, for a mass."""
        S = self.second * (mass / self.volume)
        return np.trace(S) * np.eye(3) - S

    def moved(self, T: Array) -> Solid:
        """In another frame; bounds are those of the turned box."""
        R, corners = T[:3, :3], np.array(list(product(*zip(self.low, self.high, strict=True))))
        points = corners @ R.T + T[:3, 3]
        return Solid(
            points.min(axis=0), points.max(axis=0), self.volume, R @ self.centre + T[:3, 3], R @ self.second @ R.T
        )


def joined(solids: list[Solid]) -> Solid | None:
    """Several solids as one; where they overlap, they count twice."""
    if not solids:
        return None
    volume = sum(solid.volume for solid in solids)
    low, high = np.min([s.low for s in solids], axis=0), np.max([s.high for s in solids], axis=0)
    if volume <= 0.0:
        return Solid(low, high, 0.0, (low + high) / 2, np.zeros((3, 3)))
    centre = np.sum([s.volume * s.centre for s in solids], axis=0) / volume
    second = np.sum([s.second + s.volume * np.outer(s.centre - centre, s.centre - centre) for s in solids], axis=0)
    return Solid(low, high, volume, centre, second)


def hull(points: Array) -> Solid:
    """The convex hull of points."""
    low, high = points.min(axis=0), points.max(axis=0)
    flat = Solid(low, high, 0.0, (low + high) / 2, np.zeros((3, 3)))
    if len(points) < 4 or float((high - low).min()) <= 1e-9 * float((high - low).max()):
        return flat
    spatial: Any = import_module("scipy.spatial")  # slow to import
    try:
        found = spatial.ConvexHull(points)
    except spatial.QhullError:
        return flat
    middle = points[found.vertices].mean(axis=0)
    corners = points[found.simplices] - middle  # tetrahedra from the middle to every face
    volumes = np.abs(np.einsum("ni,ni->n", corners[:, 0], np.cross(corners[:, 1], corners[:, 2]))) / 6.0
    sums = corners.sum(axis=1)
    # Of a tetrahedron with a corner at zero: V/20 (sum of a a^T + s s^T), s the sum of its corners.
    second = np.einsum("n,nki,nkj->ij", volumes / 20.0, corners, corners)
    second += np.einsum("n,ni,nj->ij", volumes / 20.0, sums, sums)
    volume = float(volumes.sum())
    offset = (volumes[:, None] * sums / 4.0).sum(axis=0) / volume
    return Solid(low, high, volume, middle + offset, second - volume * np.outer(offset, offset))


@lru_cache(maxsize=256)
def _mesh(path: Path, _changed: int) -> Array:
    """The outermost points of a mesh file: those of its hull."""
    from redyn.report.mesh_file import read_mesh

    points = np.concatenate([part.vertices for part in read_mesh(path)])
    spatial: Any = import_module("scipy.spatial")
    try:
        return points[spatial.ConvexHull(points).vertices]
    except (spatial.QhullError, ValueError):
        return points


def mesh_points(path: Path) -> Array:
    return _mesh(path, path.stat().st_mtime_ns)


def shape_solid(shape: Shape, survey: Survey) -> Solid:
    """A shape in the frame of its link; a DescriptionError if its mesh is not to be had."""
    if shape.type == "mesh":
        path = find_mesh(shape.file or "", survey.folder, survey.trusted)
        points = mesh_points(path) * np.array(shape.scale or (1.0, 1.0, 1.0))
    else:
        points = _points(shape)
    T = translation(*shape.xyz) @ rpy_rotation(*shape.rpy)
    return hull(points @ T[:3, :3].T + T[:3, 3])


def _points(shape: Shape) -> Array:
    """Of a simple shape, with nearly its own volume and inertia."""
    r, h = shape.radius or 0.0, (shape.length or 0.0) / 2
    if shape.type == "box":
        return np.array(list(product((-0.5, 0.5), repeat=3))) * np.array(shape.size)
    turns = np.arange(ROUND) * (2 * np.pi / ROUND)
    swell = (turns[1] / np.sin(turns[1])) ** 0.5  # the polygon has the area of the circle
    ring = swell * np.stack([np.cos(turns), np.sin(turns), np.zeros(ROUND)], axis=1)
    if shape.type == "cylinder":
        return np.concatenate([r * ring + (0.0, 0.0, z) for z in (-h, h)])
    tilts = np.linspace(-np.pi / 2, np.pi / 2, ROUND // 2 + 1)
    ball = np.concatenate([ring * (np.cos(a), np.cos(a), 0.0) + (0.0, 0.0, np.sin(a)) for a in tilts])
    if shape.type == "ellipsoid":
        return ball * np.array(shape.size) / 2
    return r * ball + np.sign(np.round(ball, 9)) * (0.0, 0.0, h)  # a sphere or capsule


class Rooms:
    """The solids of all links, read once; `failed` has what was wrong with meshes."""

    def __init__(self, survey: Survey, tick: Callable[[str], None] = lambda _: None) -> None:
        self.survey = survey
        self.failed: list[tuple[Body, str, Shape, DescriptionError]] = []
        self.missing: MissingExtraError | None = None
        self.own: dict[str, Solid | None] = {}
        self.shapes: dict[str, list[tuple[Shape, Solid]]] = {}
        for body in survey.bodies.values():
            tick(f"shapes of {body.name}")
            visual, collision = (list(self._solids(body, tag)) for tag in ("visual", "collision"))
            self.shapes[body.name] = [*visual, *collision]
            solid = joined([solid for _, solid in visual]) or joined([solid for _, solid in collision])
            every = joined([solid for _, solid in self.shapes[body.name]])
            if solid is not None and every is not None:
                solid = solid._replace(low=every.low, high=every.high)
            self.own[body.name] = solid

    def _solids(self, body: Body, tag: str) -> Iterator[tuple[Shape, Solid]]:
        for shape in body.visual if tag == "visual" else body.collision:
            try:
                yield shape, shape_solid(shape, self.survey)
            except MissingExtraError as error:
                self.missing = error
            except DescriptionError as error:
                self.failed.append((body, tag, shape, error))

    def group(self, link: str) -> Solid | None:
        """The room of all links that are fixed to a link, in its frame."""
        poses, back = self.survey.poses, np.linalg.inv(self.survey.poses[link])
        near = [(name, self.own[name]) for name in self.survey.group_of[link]]
        return joined([solid.moved(back @ poses[name]) for name, solid in near if solid is not None])
