"""Support: the area that the feet on the ground span, within which the ground's force must act."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from redyn.trajectory.gait import Gait, Schedule
from redyn.trajectory.motion import Array

DIRECTIONS = 72  # in which the distance from the edge is looked at
MIXTURES = 21  # of the steady and the safest course, in either direction


class Support(NamedTuple):
    """The convex area between the feet that stand, at N instants."""

    directions: Array  # (D, 3), along the ground
    farthest: Array  # (N, D), how far it reaches in each

    def room(self, points: Array) -> float:
        """The smallest distance of points, (N, 3), from its edge; negative if one is outside."""
        return float((self.farthest - points @ self.directions.T).min())


def support_of(places: Array, corners: Sequence[Array], standing: Array, forward: Array, sideways: Array) -> Support:
    """Of feet at `places`, (N, feet, 3), each with corners, (C, 3), from there in world axes."""
    points = np.concatenate([places[:, k, None] + corner for k, corner in enumerate(corners)], axis=1)
    on = np.repeat(standing, [len(corner) for corner in corners], axis=1)
    angle = np.linspace(0.0, 2 * np.pi, DIRECTIONS, endpoint=False)
    directions = np.outer(np.cos(angle), forward) + np.outer(np.sin(angle), sideways)
    return Support(directions, np.where(on[..., None], points @ directions.T, -np.inf).max(axis=1))


class Wish(NamedTuple):
    """Where the ground's force should act, (N, 3), and how far from the edge it has to stay."""

    points: Array
    room: float


def steadiest(
    support: Support, gait: Gait, t: Array, places: Array, plan: Schedule, axes: tuple[Array, Array], margin: float
) -> Wish:
    """As steady as the ground's force can act while it keeps away from the edge.

    The middle of the feet that carry is the safest point, but moves from side to side; its mean over a period is
    steady, but may lie outside of them. Of all mixtures of the two, ahead and aside, the steadiest is taken that keeps
    a part (`margin`) of the distance from the edge that the middle has.
    """
    middle = np.einsum("nk,nki->ni", plan.load, places)
    steady = _mean(_mean(middle, t, gait.period), t, gait.period)
    ahead, aside = ((middle - steady) @ axis for axis in axes)

    def mixed(a: float, b: float) -> Array:
        return steady + np.outer(a * ahead, axes[0]) + np.outer(b * aside, axes[1])

    parts = np.linspace(0.0, 1.0, MIXTURES)
    mixtures = [(float(a), float(b)) for a in parts for b in parts]
    rooms = np.array([support.room(mixed(a, b)) for a, b in mixtures])
    costs = np.array([a * a * ahead @ ahead + b * b * aside @ aside for a, b in mixtures])
    most = float(rooms[-1])
    enough = margin * most if most > 0.0 else most
    best = int(np.where(rooms >= enough - 1e-12, costs, np.inf).argmin())
    return Wish(mixed(*mixtures[best]), enough)


def _mean(points: Array, t: Array, period: float) -> Array:
    """The mean over a period about every instant; before the start and after the end it rests."""
    width = max(1, round(period / float(t[1] - t[0])) // 2)
    padded = np.pad(points, ((width + 1, width), (0, 0)), mode="edge")
    sums = np.cumsum(padded, axis=0)
    return (sums[2 * width + 1 :] - sums[: -2 * width - 1]) / (2 * width + 1)
