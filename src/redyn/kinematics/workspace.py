"""The points that a frame can reach, as a cloud, and sections of it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redyn.arrays import real_array
from redyn.errors import InputError
from redyn.kinematics.poses import vector
from redyn.kinematics.query import whole
from redyn.kinematics.robot_like import LinkName, RobotLike
from redyn.kinematics.shape import travel
from redyn.model.configuration import spans

Array = NDArray[np.float64]


class Workspace(NamedTuple):
    """Points that a frame reaches, in the world, and the joint positions that take it there."""

    points: Array  # (N, 3)
    q: Array  # (N, nq)
    base: Array  # (3,), the origin of the first joint
    reach: tuple[float, float]  # least and greatest distance of a point from the base

    @property
    def box(self) -> Array:
        """Least and greatest x, y, z: (2, 3)."""
        return np.array([self.points.min(axis=0), self.points.max(axis=0)])


def workspace(robot: RobotLike, link: LinkName = None, samples: int = 20_000, seed: int = 0) -> Workspace:
    """Random positions of a frame (the end effector) with all joints within their limits.

    Joints without limits turn all round, or slide between zero and their initial value; flexible links bend a little.
    Of robots with loops or quaternions the positions are those of `robot.random`.

    >>> import redyn
    >>> found = workspace(redyn.load("two-link"), samples=5000)
    >>> found.points.shape, [round(x, 1) for x in found.reach]
    ((5000, 3), [0.0, 2.0])
    """
    count = whole("samples", samples, 1)
    frame = robot.frame_name(link)
    rng = np.random.default_rng(whole("seed", seed, 0))
    if robot.model.loops or robot.model.nq != robot.dof:
        q = np.array([robot.random(rng) for _ in range(count)])
    else:
        lower, upper = _ranges(robot).T
        q = lower + (upper - lower) * rng.random((count, robot.dof))
    points = robot.forward_kinematics(q, frame)[:, :3, 3].copy()
    base = _base(robot, frame)
    distances = np.linalg.norm(points - base, axis=1)
    return Workspace(points, q, base, (float(distances.min()), float(distances.max())))


def section(points: ArrayLike, point: ArrayLike, normal: ArrayLike, thickness: float) -> tuple[Array, NDArray[np.intp]]:
    """The points of a cloud within a slab about a plane: as (K, 2) coordinates in the plane, and their numbers, (K,).

    The plane goes through `point`. Its second coordinate is the world's z as far as it can be: a vertical plane shows
    the height; of a horizontal plane the coordinates are x and y.

    >>> cloud = [[1.0, 0.01, 0.5], [0.3, 2.0, 0.1]]
    >>> section(cloud, [0, 0, 0], [0, -1, 0], 0.1)[0].tolist()
    [[1.0, 0.5]]
    """
    cloud = real_array(points)
    if cloud.ndim != 2 or cloud.shape[1] != 3:
        raise InputError(f"points: expected rows of x, y, z, got shape {cloud.shape}")
    origin, direction = real_array(point), real_array(normal)
    length = float(np.linalg.norm(direction))
    if origin.shape != (3,) or direction.shape != (3,) or not 1e-9 < length < np.inf:
        raise InputError("point and normal: expected three numbers each, the normal not zero")
    if not thickness > 0:
        raise InputError(f"thickness: expected a positive number of metres, got {thickness!r}")
    n = direction / length
    upright = np.array([0.0, 0.0, 1.0]) if abs(n[2]) < 1 - 1e-9 else np.array([0.0, 1.0, 0.0])
    up = upright - (upright @ n) * n
    up /= np.linalg.norm(up)
    offsets = cloud - origin
    inside = np.flatnonzero(np.abs(offsets @ n) <= thickness / 2)
    return offsets[inside] @ np.stack([np.cross(up, n), up], axis=1), inside


def _ranges(robot: RobotLike) -> Array:
    """Least and greatest value of every joint, (dof, 2)."""
    turning = np.array([link.joint.kind != "prismatic" for link in robot.model.located])
    unlimited = np.where(turning[:, None], [-np.pi, np.pi], travel(robot))
    bending = np.array([link.joint.kind == "mode" for link in robot.model.located])
    unlimited[bending] = spans(robot.model)[bending, None] * np.array([-1.0, 1.0])
    return np.where(np.isfinite(robot.limits).all(axis=1, keepdims=True), robot.limits, unlimited)


def _base(robot: RobotLike, frame: str) -> Array:
    path = robot.model.path(robot.model.frames[frame].link)
    return vector(robot.model.links[path[-1] - 1].joint.offset) if path else np.zeros(3)
