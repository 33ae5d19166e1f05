"""Legs: the feet of a robot with a free base, and the joint values that bring them where they should be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redyn.description.contacts import spheres
from redyn.errors import InputError
from redyn.kinematics.free_flying import BASE, require_free_base
from redyn.words import counted

if TYPE_CHECKING:
    from redyn.robot import Robot

Array = NDArray[np.float64]

POSITION = 7  # where the joints begin in q
CLOSE = 1e-10  # m and rad: what the inverse kinematics may be off
LONGEST_TURN = 0.3  # rad that a joint moves in one iteration


@dataclass(frozen=True)
class Foot:
    """A point of a link that stands on the ground."""

    name: str  # of the link
    corners: Array  # (C, 3), in the axes of the link
    rates: tuple[int, ...]  # of the joints between the base and the link
    rows: tuple[
        int, ...
    ]  # of its motion that its joints determine: all six of a leg with six joints, else its position

    @property
    def point(self) -> Array:
        """The middle of its corners."""
        return np.asarray(self.corners.mean(axis=0))


@dataclass(frozen=True)
class Legs:
    """A robot and its feet."""

    robot: Robot
    feet: tuple[Foot, ...]
    up: Array  # in world axes: against gravity

    @property
    def names(self) -> list[str]:
        return [foot.name for foot in self.feet]

    def places(self, q: Array) -> tuple[Array, Array]:
        """Positions, (N, feet, 3), and rotations, (N, feet, 3, 3), of the feet."""
        poses = np.stack([self.robot.forward_kinematics(q, foot.name) for foot in self.feet], axis=-3)
        points = np.stack([foot.point for foot in self.feet])
        R = poses[..., :3, :3]
        return poses[..., :3, 3] + np.einsum("...ij,...j->...i", R, points), R

    def reach(self, q: Array, places: Array, rotations: Array) -> Array:
        """q with joints such that feet are at these places, (N, feet, 3), and as they were turned; the base stays.

        By Newton's method for all instants at once, from the joints in q.
        """
        q = q.copy()
        for _ in range(60):
            worst = 0.0
            for k, foot in enumerate(self.feet):
                error, J = self._error(q, foot, places[:, k], rotations[k])
                worst = max(worst, float(np.abs(error).max()))
                step = _solved(J, error)
                step *= np.minimum(1.0, LONGEST_TURN / np.maximum(np.abs(step).max(axis=1, keepdims=True), 1e-12))
                q[:, [POSITION - BASE + i for i in foot.rates]] += step
            if worst < CLOSE:
                return q
        raise self._unreachable(q, places, rotations)

    def _error(self, q: Array, foot: Foot, place: Array, rotation: Array) -> tuple[Array, Array]:
        """Of a foot: what is missing, (N, rows), and the Jacobian of its joints, (N, rows, rates)."""
        pose = self.robot.forward_kinematics(q, foot.name)
        J = self.robot.jacobian(q, foot.name)[:, :, list(foot.rates)]
        R = pose[:, :3, :3]
        arm = R @ foot.point
        lever = np.cross(J[:, :3].swapaxes(1, 2), arm[:, None]).swapaxes(1, 2)
        missing = rotation @ R.swapaxes(1, 2)
        turn = (
            np.stack(
                [
                    missing[:, 2, 1] - missing[:, 1, 2],
                    missing[:, 0, 2] - missing[:, 2, 0],
                    missing[:, 1, 0] - missing[:, 0, 1],
                ],
                axis=1,
            )
            / 2
        )
        whole = np.concatenate([turn, place - pose[:, :3, 3] - arm], axis=1)
        rows = list(foot.rows)
        return whole[:, rows], np.concatenate([J[:, :3], J[:, 3:] + lever], axis=1)[:, rows]

    def _unreachable(self, q: Array, places: Array, rotations: Array) -> InputError:
        off = [np.abs(self._error(q, foot, places[:, k], rotations[k])[0]).max() for k, foot in enumerate(self.feet)]
        k = int(np.argmax(off))
        return InputError(
            f"{self.feet[k].name} cannot be where the motion wants it: it misses by {off[k]:.3g} m or rad; make "
            "strides shorter, lift less, or start with the legs more bent"
        )


def _solved(J: Array, error: Array) -> Array:
    """Least squares with little damping, so that a stretched leg does not jump."""
    wide = J.swapaxes(1, 2)
    square = wide @ J + 1e-12 * np.eye(J.shape[2])
    return np.asarray(np.linalg.solve(square, wide @ error[:, :, None]), dtype=np.float64)[:, :, 0]


def legs_of(robot: Robot, feet: Mapping[str, ArrayLike] | Sequence[str] | None = None) -> Legs:
    """The legs of a robot.

    feet: links, or {link: its corners, in its axes}; None: the links with contacts in the file, except the base.
    """
    require_free_base(robot)
    weight = np.linalg.norm(robot.gravity)
    if weight == 0.0:
        raise InputError(f"{robot.name} has no gravity, and feet stand against it; give `gravity` in its file")
    chosen = _corners(robot, feet)
    found: list[Foot] = []
    for name, corners in chosen.items():
        rates = tuple(i for i in robot.model.moved_by(robot.model.frames[robot.frame_name(name)].link) if i >= BASE)
        if len(rates) < 3:
            raise InputError(
                f"{name} has {counted(len(rates), 'joint')} between the base and itself; a leg has at least three"
            )
        found.append(Foot(name, corners, rates, tuple(range(6)) if len(rates) >= 6 else (3, 4, 5)))
    if len(found) < 2:
        raise InputError(f"{robot.name}: expected at least two feet, got {len(found)}")
    for k, a in enumerate(found):
        for b in found[:k]:
            shared = [robot.velocity_names[i] for i in a.rates if i in b.rates]
            if shared:
                raise InputError(f"{b.name} and {a.name} share {', '.join(shared)}; legs need joints of their own")
    return Legs(robot, tuple(found), -robot.gravity / weight)


def _corners(robot: Robot, feet: Mapping[str, ArrayLike] | Sequence[str] | None) -> dict[str, Array]:
    if isinstance(feet, Mapping):
        return {str(name): np.atleast_2d(np.asarray(point, dtype=np.float64)) for name, point in feet.items()}
    if feet is not None:
        return {str(name): np.zeros((1, 3)) for name in feet}
    base = robot.link_names[0]
    corners: dict[str, list[tuple[float, float, float]]] = {}
    for sphere in spheres(robot.description.contacts):
        if sphere.link != base:
            corners.setdefault(sphere.link, []).append(sphere.at)
    if not corners:
        raise InputError(f"feet: {robot.name} has no contacts on its legs; name the links that are its feet")
    return {name: np.array(points) for name, points in corners.items()}
