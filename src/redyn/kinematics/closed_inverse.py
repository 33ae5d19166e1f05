"""Inverse kinematics of robots with closed loops: the pose of a frame is six more rows beside those of the loops."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from redyn.dynamics.task import Task
from redyn.kinematics.assembly import Assembler, Evaluate
from redyn.kinematics.loops import assembler, closure_of
from redyn.kinematics.poses import twists
from redyn.kinematics.query import Query
from redyn.model import Model, configuration

Array = NDArray[np.float64]

APART = 1e-4  # rad and m: solutions that differ by less in every joint count as one
TRIES = 20  # starts, each of which closes its loops first


class PoseAssembler(Assembler):
    """Closes loops and brings a frame to a pose."""

    def __init__(
        self, model: Model, evaluate: Evaluate, rows: list[int], frame: str, pose: Array, mask: NDArray[np.bool_]
    ) -> None:
        super().__init__(model, evaluate, rows)
        self._at, self._pose, self._mask = frame, pose, mask

    def jacobian(self, q: Array) -> Array:
        moved = self.evaluate(Task("jacobian", frame=self._at), [q])[0][:, self._mask]
        return np.concatenate([super().jacobian(q), -moved], axis=1)

    def residual(self, q: Array) -> Array:
        return np.concatenate([super().residual(q), self.apart(q)], axis=1)

    def apart(self, q: Array) -> Array:
        """From the frame to the pose, as a small twist: (N, rows of the mask)."""
        return twists(self.evaluate(Task("forward_kinematics", frame=self._at), [q])[0], self._pose)[:, self._mask]


def search(query: Query, pose: Array) -> tuple[list[tuple[Array, float]], str]:
    """Configurations and their errors, nearest to the start first; and why there is none, where that is so."""
    robot, mask = query.robot, query.mask.astype(bool)
    closure = closure_of(robot)
    plain = assembler(robot)
    solver = PoseAssembler(robot.model, plain.evaluate, list(closure.rows), query.frame, pose, mask)
    generator = np.random.default_rng(query.seed)
    found: list[tuple[Array, float]] = []
    nearest, closest = np.inf, query.start
    for k in range(min(query.tries, TRIES)):
        begin = query.start if k == 0 else robot.random(generator)
        (q,), (gap,) = solver.close(begin[None])
        if gap < nearest:
            nearest, closest = float(gap), q
        if gap > max(query.tolerance, 1e-12) or (query.limits and _beyond(query, q)):
            continue
        if all(_distance(query, q, other) > APART for other, _ in found):
            found.append((q, float(np.abs(solver.apart(q[None])).max(initial=0.0))))
        if len(found) >= query.count:
            break
    found.sort(key=lambda item: _distance(query, item[0], query.start))
    if found:
        return found, ""
    off = np.abs(solver.apart(closest[None])[0]).max(initial=0.0)
    within = " within the joint limits" if query.limits else ""
    return (
        [],
        f"no closed configuration{within} was found that brings {query.frame!r} there; the nearest is off by {off:.3g}",
    )


def _beyond(query: Query, q: Array) -> bool:
    limits = query.robot.limits
    for variable in query.robot.model.variables:
        if variable.joint.single:
            low, high = limits[variable.rate]
            if not low - 1e-9 <= q[variable.q] <= high + 1e-9:
                return True
    return False


def _distance(query: Query, a: Array, b: Array) -> float:
    return float(np.abs(configuration.difference(query.robot.model, b[None], a[None])).max())
