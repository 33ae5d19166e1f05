"""Motions of robots with closed loops: some of their rows are guided, the others follow from the loops.

Guides are the actuated joints, or the pose of a frame. With the rows J of guide and loops, stacked,

    residual(q, t) = 0,        J qd = rates(t),        J qdd = accelerations(t, q, qd).

The motion is followed once, in small steps, so that it stays on its branch; at any time it is then found from the
nearest of these by Newton's method.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from redyn.dynamics.task import Task
from redyn.errors import InputError
from redyn.kinematics.linear import pseudo_inverse
from redyn.kinematics.loops import actuated_slots, assembler
from redyn.kinematics.poses import twists
from redyn.trajectory.motion import Array, Motion
from redyn.trajectory.paths import Path

if TYPE_CHECKING:
    from redyn.robot import Robot

EXACT = 1e-12  # m and rad
STEPS = 12  # of Newton's method
LONGEST = 0.1  # rad or m, by which a joint moves between two instants that are followed
FIRST, MOST = 64, 4096  # instants that are followed: begins with few
SINGULAR = 1e-6  # smallest share of a singular value


class Guide(Protocol):
    """What is asked of a robot over time. Arrays have a row per state."""

    @property
    def duration(self) -> float: ...

    def residual(self, q: Array, t: Array) -> Array: ...

    def jacobian(self, q: Array) -> Array: ...

    def rates(self, t: Array) -> Array: ...

    def accelerations(self, q: Array, qd: Array, t: Array) -> Array:
        """What J qdd has to be."""
        ...


@dataclass(frozen=True)
class JointGuide:
    """The actuated joints move as `law` says, whose columns are in the order of qd."""

    robot: Robot
    law: Motion
    coordinates: list[int]  # of q
    velocities: list[int]  # of qd

    @property
    def duration(self) -> float:
        return self.law.duration

    def residual(self, q: Array, t: Array) -> Array:
        return self.law(t)[0] - q[:, self.coordinates]

    def jacobian(self, q: Array) -> Array:
        return np.tile(np.eye(self.robot.dof)[self.velocities], (len(q), 1, 1))

    def rates(self, t: Array) -> Array:
        return self.law(t)[1]

    def accelerations(self, q: Array, qd: Array, t: Array) -> Array:
        del q, qd
        return self.law(t)[2]


@dataclass(frozen=True)
class PoseGuide:
    """A frame moves along a path, in the selected rows of its twist; `clock` gives s over time."""

    robot: Robot
    frame: str
    path: Path
    rows: NDArray[np.bool_]
    clock: Motion

    @property
    def duration(self) -> float:
        return self.clock.duration

    def residual(self, q: Array, t: Array) -> Array:
        wanted = self.path.poses(self.clock(t)[0][:, 0])
        return twists(self.robot.forward_kinematics(q, self.frame), wanted)[:, self.rows]

    def jacobian(self, q: Array) -> Array:
        return self.robot.jacobian(q, self.frame)[:, self.rows]

    def rates(self, t: Array) -> Array:
        s, s_rate, _ = self.clock(t)
        return (self.path.twists(s[:, 0]) * s_rate)[:, self.rows]

    def accelerations(self, q: Array, qd: Array, t: Array) -> Array:
        s, s_rate, s_rate_rate = self.clock(t)
        wanted = self.path.twist_rates(s[:, 0]) * s_rate**2 + self.path.twists(s[:, 0]) * s_rate_rate
        drift = np.einsum("nij,nj->ni", self.robot.jacobian_rate(q, qd, self.frame), qd)
        return (wanted - drift)[:, self.rows]


@dataclass(frozen=True)
class Guided(Motion):
    """See the module. `instants` are the times that were followed, `places` the configurations then."""

    robot: Robot
    guide: Guide
    instants: Array
    places: Array

    @property
    def dof(self) -> int:
        return self.robot.dof

    def _within(self, t: Array) -> tuple[Array, Array, Array]:
        if not len(t):
            return np.empty((0, self.robot.nq)), np.empty((0, self.dof)), np.empty((0, self.dof))
        nearest = np.abs(self.instants - t[:, None]).argmin(axis=1)
        q, left = _corrected(self.robot, self.guide, self.places[nearest], t)
        if left.max(initial=0.0) > 1e3 * EXACT:
            raise InputError(f"the motion cannot be found again at t = {t[int(left.argmax())]:.4g} s")
        return (q, *_derivatives(self.robot, self.guide, q, t))


def guided(kind: str, robot: Robot, guide: Guide, start: Array) -> Guided:
    """The motion from a configuration near `start`; an InputError that says when it cannot go on."""
    instants, places = [0.0], _begun(kind, robot, guide, start)
    step = guide.duration / FIRST
    while instants[-1] < guide.duration:
        if len(instants) > MOST or step < 1e-7 * guide.duration:
            raise InputError(f"{kind}: {_lost(robot, guide, places[-1], instants[-1])}")
        now = np.array([instants[-1]])
        after = min(instants[-1] + step, guide.duration)
        if guide.duration - after < 1e-9 * guide.duration:
            after = guide.duration
        qd, _ = _derivatives(robot, guide, places[-1][None], now)
        ahead = robot.integrate(places[-1], qd[0] * (after - instants[-1]))
        there, left = _corrected(robot, guide, ahead[None], np.array([after]))
        moved = np.abs(robot.difference(places[-1], there[0])).max()
        off = np.abs(robot.difference(ahead, there[0])).max()
        if left[0] > 1e3 * EXACT or moved > LONGEST or off > 0.2 * moved + 1e-6:
            step /= 2
            continue
        instants.append(after)
        places.append(there[0])
        step = min(1.5 * step, guide.duration / FIRST)
    _refuse_crossing(kind, robot, guide, np.array(places), np.array(instants))
    return Guided(guide.duration, robot, guide, np.array(instants), np.array(places))


def _begun(kind: str, robot: Robot, guide: Guide, start: Array) -> list[Array]:
    q, left = _corrected(robot, guide, start[None], np.zeros(1))
    if left[0] > 1e3 * EXACT:
        raise InputError(f"{kind}: no closed configuration near the start goes with the beginning of the motion")
    J = _stacked(robot, guide, q)[0]
    values = np.linalg.svd(J, compute_uv=False)
    if len(J) < robot.dof or np.sum(values > SINGULAR * values[0]) < robot.dof:
        free = robot.dof - int(np.sum(values > SINGULAR * values[0]))
        raise InputError(
            f"{kind}: the motion does not determine all joints of {robot.name}: {free} of its {robot.mobility} "
            "independent rates stay free, or it starts at a singular position"
        )
    return [q[0]]


def _stacked(robot: Robot, guide: Guide, q: Array) -> Array:
    return np.concatenate([guide.jacobian(q), assembler(robot).jacobian(q)], axis=1)


def _corrected(robot: Robot, guide: Guide, q: Array, t: Array) -> tuple[Array, Array]:
    """By Newton's method from q; and what is left."""
    solver, left = assembler(robot), np.zeros(len(q))
    for _ in range(STEPS):
        residual = np.concatenate([guide.residual(q, t), -solver.residual(q)], axis=1)
        left = np.abs(residual).max(axis=1, initial=0.0)
        if (left < EXACT).all():
            break
        step = np.einsum("nij,nj->ni", pseudo_inverse(_stacked(robot, guide, q), SINGULAR), residual)
        longest = np.abs(step).max(axis=1, initial=0.0)
        step *= np.minimum(1.0, 1.0 / np.maximum(longest, 1e-300))[:, None]
        q = robot.integrate(q, step)
    return q, left


def _derivatives(robot: Robot, guide: Guide, q: Array, t: Array) -> tuple[Array, Array]:
    """qd and qdd."""
    solver = assembler(robot)
    inverse = pseudo_inverse(_stacked(robot, guide, q), SINGULAR)
    count = len(solver.rows)
    qd = np.einsum("nij,nj->ni", inverse, np.hstack([guide.rates(t), np.zeros((len(q), count))]))
    bias = -robot.evaluator(Task("loop_accelerations"), [q, qd, np.zeros_like(qd)])[0][:, solver.rows]
    qdd = np.einsum("nij,nj->ni", inverse, np.hstack([guide.accelerations(q, qd, t), bias]))
    return qd, qdd


def _refuse_crossing(kind: str, robot: Robot, guide: Guide, q: Array, t: Array) -> None:
    """An error if the stacked rows change their orientation between two instants: a singularity lies between them."""
    J = _stacked(robot, guide, q)
    change = pseudo_inverse(J[:-1], SINGULAR) @ J[1:]
    crossed = np.linalg.det(change) <= 0
    if crossed.any():
        raise InputError(f"{kind}: it meets a singular position at t = {t[int(crossed.argmax())]:.4g} s")


def _lost(robot: Robot, guide: Guide, q: Array, t: float) -> str:
    """Why a motion cannot be followed beyond a time."""
    J, now = _stacked(robot, guide, q[None])[0], np.array([min(t + 1e-3 * guide.duration, guide.duration)])
    wanted = np.concatenate([guide.rates(now)[0], np.zeros(len(J) - guide.rates(now).shape[1])])
    missing = wanted - J @ (pseudo_inverse(J, SINGULAR) @ wanted)
    if np.abs(missing).max(initial=0.0) > 1e-6 * max(float(np.abs(wanted).max(initial=0.0)), 1e-12):
        return (
            f"the frame cannot move in that direction at t = {t:.4g} s with all that is asked of its attitude; "
            "try position_only=True"
        )
    values = np.linalg.svd(J, compute_uv=False)
    if values[robot.dof - 1] < 1e-2 * values[0]:
        return f"it meets a singular position, or the end of its reach, at t = {t:.4g} s"
    return f"the joints cannot follow beyond t = {t:.4g} s"


def completed(kind: str, robot: Robot, law: Motion, start: Array) -> Guided:
    """The motion of all joints, from a law for the actuated ones."""
    coordinates, velocities = actuated_slots(robot)
    if len(velocities) != law.dof:
        raise InputError(f"{kind}: expected a law for {len(velocities)} actuated joints, got one for {law.dof}")
    return guided(kind, robot, JointGuide(robot, law, coordinates, velocities), start)
