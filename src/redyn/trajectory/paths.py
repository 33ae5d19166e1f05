"""Paths of a frame: poses as functions of s = 0 ... 1, with their twists per s, angular part first, in world axes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike

from redyn.errors import InputError
from redyn.trajectory.motion import Array, row

Law = Literal["quintic", "cycloidal", "steady"]


class Path(Protocol):
    """Where a frame is to be."""

    def poses(self, s: Array) -> Array:
        """(N, 4, 4) at N values of s."""
        ...

    def twists(self, s: Array) -> Array:
        """(N, 6): how the frame moves per s, at its origin."""
        ...

    def twist_rates(self, s: Array) -> Array:
        """(N, 6): their derivatives by s."""
        ...


@dataclass(frozen=True)
class Segment:
    """From `first` to `last`, 4x4 poses, in a straight line with the shortest rotation, about one axis."""

    first: Array
    last: Array
    V: Array  # the twist, which is constant

    @staticmethod
    def between(first: Array, last: Array) -> Segment:
        turn = rotations().from_matrix(last[:3, :3] @ first[:3, :3].T).as_rotvec()
        return Segment(first, last, np.concatenate([turn, last[:3, 3] - first[:3, 3]]))

    def poses(self, s: Array) -> Array:
        poses = np.tile(np.eye(4), (len(s), 1, 1))
        poses[:, :3, :3] = rotations().from_rotvec(s[:, None] * self.V[:3]).as_matrix() @ self.first[:3, :3]
        poses[:, :3, 3] = self.first[:3, 3] + s[:, None] * self.V[3:]
        return poses

    def twists(self, s: Array) -> Array:
        return np.tile(self.V, (len(s), 1))

    def twist_rates(self, s: Array) -> Array:
        return np.zeros((len(s), 6))


@dataclass(frozen=True)
class Screw:
    """From `first` about an axis by an angle, and along it by `advance`; the frame may keep its attitude."""

    first: Array
    centre: Array  # a point of the axis
    axis: Array  # a unit vector
    angle: float
    advance: float
    turns: bool  # whether the frame turns along

    def _arms(self, s: Array) -> tuple[Array, Array]:
        """The rotations, (N, 3, 3), and what they make of the way from the centre, (N, 3)."""
        R = np.asarray(rotations().from_rotvec(s[:, None] * (self.angle * self.axis)).as_matrix(), dtype=np.float64)
        return R, R @ (self.first[:3, 3] - self.centre)

    def poses(self, s: Array) -> Array:
        R, arms = self._arms(s)
        poses = np.tile(np.eye(4), (len(s), 1, 1))
        poses[:, :3, :3] = R @ self.first[:3, :3] if self.turns else self.first[:3, :3]
        poses[:, :3, 3] = self.centre + arms + (s * self.advance)[:, None] * self.axis
        return poses

    def twists(self, s: Array) -> Array:
        _, arms = self._arms(s)
        turning = self.angle * self.axis
        moving = np.cross(turning, arms) + self.advance * self.axis
        return np.hstack([np.tile(turning if self.turns else np.zeros(3), (len(s), 1)), moving])

    def twist_rates(self, s: Array) -> Array:
        _, arms = self._arms(s)
        turning = self.angle * self.axis
        return np.hstack([np.zeros((len(s), 3)), np.cross(turning, np.cross(turning, arms))])


@dataclass(frozen=True)
class Arc:
    """From `first` to `last`, 4x4 poses, along the circle through a third point, with the shortest rotation."""

    attitude: Segment  # whose rotation it has
    centre: Array
    turn: Array  # axis times angle, by which the position turns about the centre

    @staticmethod
    def through(kind: str, first: Array, via: Array, last: Array) -> Arc:
        """The circle through the positions of two poses and a point between them."""
        a, b = via - first[:3, 3], last[:3, 3] - first[:3, 3]
        normal = np.cross(a, b)
        square = float(normal @ normal)
        if square < 1e-12 * float(a @ a) * float(b @ b) or not square:
            raise InputError(f"{kind}: the three points of the arc are on one line, or two of them are the same")
        arm = (np.cross(normal, a) * (b @ b) + np.cross(b, normal) * (a @ a)) / (2 * square)  # to the centre
        axis = normal / np.sqrt(square)
        out, back = -arm, b - arm
        angle = float(np.arctan2(np.cross(out, back) @ axis, out @ back)) % (2 * np.pi)
        return Arc(Segment.between(first, last), first[:3, 3] + arm, angle * axis)

    def _arms(self, s: Array) -> Array:
        out = self.attitude.first[:3, 3] - self.centre
        return np.asarray(rotations().from_rotvec(s[:, None] * self.turn).apply(out), dtype=np.float64)

    def poses(self, s: Array) -> Array:
        poses = self.attitude.poses(s)
        poses[:, :3, 3] = self.centre + self._arms(s)
        return poses

    def twists(self, s: Array) -> Array:
        V = self.attitude.twists(s)
        V[:, 3:] = np.cross(self.turn, self._arms(s))
        return V

    def twist_rates(self, s: Array) -> Array:
        rates = np.zeros((len(s), 6))
        rates[:, 3:] = np.cross(self.turn, np.cross(self.turn, self._arms(s)))
        return rates


def checked_screw(
    kind: str, first: Array, centre: ArrayLike, axis: ArrayLike, angle: float, advance: float, turns: bool
) -> Screw:
    """A screw from a pose, whose arguments have been checked."""
    point, along = row(kind, "centre", centre, 3), row(kind, "axis", axis, 3)
    length = float(np.linalg.norm(along))
    if not 1e-9 < length < 1e9:
        raise InputError(f"{kind}: axis must be a direction such as [0, 0, 1], got {along.tolist()}")
    by, forth = (float(row(kind, name, [x], 1)[0]) for name, x in (("angle", angle), ("advance", advance)))
    return Screw(first, point, along / length, by, forth, turns)


def rotations() -> Any:
    from scipy.spatial.transform import Rotation  # pyright: ignore[reportMissingTypeStubs]

    return Rotation
