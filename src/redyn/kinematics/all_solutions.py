"""All joint positions that bring a frame to a pose: in closed form where the arm has one, else by search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redyn.kinematics.closed_form import Branch, ClosedForm, closed_form
from redyn.kinematics.inverse import inverse_kinematics
from redyn.kinematics.linear import pseudo_inverse
from redyn.kinematics.poses import twists
from redyn.kinematics.query import Query, checked_poses, checked_query
from redyn.kinematics.robot_like import LinkName, RobotLike
from redyn.kinematics.subproblems import NEAR

Array = NDArray[np.float64]

APART = 1e-5  # rad and m: closed-form solutions that differ by less in every joint count as one
STEPS = 8  # of Newton's method at most; one or two do, unless the pose is singular
EXACT = 1e-13  # m and rad: below is rounding
MOST, TRIES = 32, 400  # solutions and starts of a search


@dataclass(frozen=True)
class AllSolutions:
    """The ways in which a robot reaches a pose: those within the joint limits first, then nearest to the start.

    `exact` says that there are no more than these: they come from a closed form. `free` names, for each solution, the
    joints that a singular pose leaves free: they may be moved, if the others are adjusted. `how` says in words where
    the solutions come from, and `reason` why there are none, or none within the limits.
    """

    solutions: Array  # (k, nq)
    residuals: Array  # (k,), the larger of metres and radians
    within: NDArray[np.bool_]  # (k,), the joint limits
    free: tuple[tuple[str, ...], ...]
    exact: bool
    how: str
    reason: str = ""

    def __len__(self) -> int:
        return len(self.solutions)

    @property
    def allowed(self) -> Array:
        """Those within the joint limits, (k, nq)."""
        return self.solutions[self.within]


def inverse_kinematics_all(
    robot: RobotLike,
    pose: ArrayLike,
    link: LinkName = None,
    start: ArrayLike | None = None,
    *,
    mask: ArrayLike | None = None,
    tolerance: float = 1e-10,
    seed: int = 0,
) -> AllSolutions:
    """All joint positions that bring a frame to a 4x4 pose, whether the joint limits allow them or not.

    Arms of six joints with a spherical wrist, or with three parallel axes in a row, are solved in closed form (see
    closed_form.py), whatever the convention of their file; each solution is refined by Newton's method and verified.
    Of other robots solutions are searched for, and there may be more. The same goes for a `mask`, six booleans that
    select the parts of the pose that count, as in `inverse_kinematics`.

    Angles are, of those that differ by whole turns, within the limits if possible and nearest to `start` (by default
    the robot's initial position); free joints stay at the start.

    >>> import redyn
    >>> robot = redyn.load("puma")
    >>> found = inverse_kinematics_all(robot, robot.forward_kinematics([0.1, -0.6, 0.4, 0.5, 0.9, 0.2]))
    >>> len(found), found.exact, found.how
    (8, True, 'closed form: the axes of joint4, joint5, joint6 meet in a point')
    >>> found.solutions[0].round(9).tolist(), bool(found.residuals.max() < 1e-12)
    ([0.1, -0.6, 0.4, 0.5, 0.9, 0.2], True)
    >>> inverse_kinematics_all(robot, robot.forward_kinematics([0.1, -0.6, 0.4, 0.5, 0.0, 0.2])).free[0]
    ('joint4', 'joint6')
    """
    target = checked_poses(pose, "pose", 2)
    query = checked_query(robot, link, start, mask, False, tolerance, MOST, TRIES, seed)
    arm = closed_form(robot, query.frame) if query.mask.all() else None
    if arm is not None:
        near = query.start[list(arm.joints)]
        q, residuals, free = _refined(query, arm, target, arm.solve(target, near))
        if len(q):
            return _sorted(query, q, residuals, free, True, _words(robot, arm), "")
        missed = arm.missed(target) if arm.family == "wrist" else 0.0
        if missed > NEAR * arm.size:
            reason = f"the point where the axes of {_names(robot, arm)} meet is {missed:.4g} m out of reach"
            return _sorted(query, q, residuals, free, True, _words(robot, arm), reason)
    return _searched(query, target, arm)


def _searched(query: Query, pose: Array, arm: ClosedForm | None) -> AllSolutions:
    """By the search from many starts; few of them if the closed form has found nothing."""
    count, tries = (MOST, TRIES) if arm is None else (1, TRIES // 8)
    robot = query.robot
    found = inverse_kinematics(
        robot,
        pose,
        query.frame,
        query.start,
        mask=query.mask,
        limits=False,
        tolerance=query.tolerance,
        count=count,
        tries=tries,
        seed=query.seed,
    )
    q = np.array([solution.q for solution in found]).reshape(-1, len(query.start))
    residuals = np.array([solution.error for solution in found])
    free: list[tuple[str, ...]] = [()] * len(found)
    moving = len(robot.model.moved_by(robot.model.frames[query.frame].link)) if not robot.model.loops else 0
    if arm is not None and not found:
        attitude = f"the point where the axes of {_names(robot, arm)} meet is within reach, but not the attitude: "
        reason = f"{attitude if arm.family == 'wrist' else ''}{found.reason}"
        return _sorted(query, q, residuals, free, True, _words(robot, arm), reason)
    more = "these are some of infinitely many" if moving > query.mask.sum() else "there may be more"
    how = f"found by search from {tries} starts: {more}"
    return _sorted(query, q, residuals, free, False, how, found.reason)


def _names(robot: RobotLike, arm: ClosedForm) -> str:
    return ", ".join(robot.model.driven[arm.joints[i]].joint.label for i in arm.three)


def _words(robot: RobotLike, arm: ClosedForm) -> str:
    return f"closed form: the axes of {_names(robot, arm)} " + (
        "meet in a point" if arm.family == "wrist" else "are parallel"
    )


def _refined(
    query: Query, arm: ClosedForm, pose: Array, branches: Sequence[Branch]
) -> tuple[Array, Array, list[tuple[str, ...]]]:
    """Solutions that stand the test, each once; their residuals, and their free joints by name."""
    joints = list(arm.joints)
    q = np.tile(query.start, (len(branches), 1))
    if len(branches):
        q[:, joints] = [branch.q for branch in branches]
    q, residuals = _corrected(query, joints, pose, q)
    turning = [k for k, line in zip(joints, arm.lines, strict=True) if not line.slides]
    kept: list[int] = []
    for i in np.argsort(residuals, kind="stable").tolist():
        if residuals[i] <= query.tolerance and all(_apart(q[i] - q[k], turning) > APART for k in kept):
            kept.append(i)
    labels = [query.robot.model.driven[k].joint.label for k in joints]
    return q[kept], residuals[kept], [tuple(labels[k] for k in branches[i].free) for i in kept]


def _apart(difference: Array, turning: list[int]) -> float:
    rest = difference.copy()
    rest[turning] = np.angle(np.exp(1j * rest[turning]))
    return float(np.abs(rest).max())


def _corrected(query: Query, joints: list[int], pose: Array, q: Array) -> tuple[Array, Array]:
    """By Newton's method; a step that makes things worse is not taken."""
    errors = _errors(query, pose, q)
    left = _size(errors)
    for _ in range(STEPS):
        if (left < EXACT).all():
            break
        J = query.robot.jacobian(q, query.frame)[:, :, joints]
        step = np.einsum("nij,nj->ni", pseudo_inverse(J, 1e-10), errors)
        step *= np.minimum(1.0, 0.1 / np.maximum(np.abs(step).max(axis=1, initial=0.0), 1e-300))[:, None]
        ahead = q.copy()
        ahead[:, joints] += step
        errors_ahead = _errors(query, pose, ahead)
        better = _size(errors_ahead) < left
        if not better.any():
            break
        q = np.where(better[:, None], ahead, q)
        errors = np.where(better[:, None], errors_ahead, errors)
        left = _size(errors)
    return q, left


def _errors(query: Query, pose: Array, q: Array) -> Array:
    """From where the frame is to the pose, as small twists: (k, 6)."""
    return twists(query.robot.forward_kinematics(q, query.frame), pose) if len(q) else np.empty((0, 6))


def _size(errors: Array) -> Array:
    return np.maximum(np.linalg.norm(errors[:, :3], axis=1), np.linalg.norm(errors[:, 3:], axis=1))


def _sorted(
    query: Query, q: Array, residuals: Array, free: list[tuple[str, ...]], exact: bool, how: str, reason: str
) -> AllSolutions:
    """With whole turns chosen, and in order."""
    robot = query.robot
    if robot.model.loops or robot.model.nq != robot.dof:
        return AllSolutions(q, residuals, np.ones(len(q), dtype=bool), tuple(free), exact, how, reason)
    q = placed(robot, q, query.start)
    inside = (q >= robot.limits[:, 0] - 1e-9) & (q <= robot.limits[:, 1] + 1e-9)
    within: NDArray[np.bool_] = np.logical_and.reduce(inside, axis=1)
    order = np.lexsort((np.linalg.norm(q - query.start, axis=1), ~within))
    ranks: list[int] = order.tolist()
    if len(q) and not within.any():
        i = ranks[0]
        k = int((~inside[i]).argmax())
        name, (low, high) = robot.model.driven[k].joint.label, robot.limits[k]
        reason = (
            f"no solution is within the joint limits: the nearest needs {name} at {q[i, k]:.4g}, "
            f"beyond {low:.4g} to {high:.4g}"
        )
    return AllSolutions(q[order], residuals[order], within[order], tuple(free[i] for i in ranks), exact, how, reason)


def placed(robot: RobotLike, q: Array, near: Array) -> Array:
    """Angles, (k, dof), changed by whole turns: within the limits if possible, and then as near as possible."""
    turning = np.array([link.joint.kind == "revolute" for link in robot.model.driven])
    turns = np.where(turning, np.round((near - q) / (2 * np.pi)), 0.0)
    lower, upper = robot.limits.T
    with np.errstate(invalid="ignore"):
        least = np.ceil((lower - 1e-9 - q) / (2 * np.pi))
        most = np.floor((upper + 1e-9 - q) / (2 * np.pi))
    possible = turning & (least <= most)
    return q + 2 * np.pi * np.where(possible, np.clip(turns, least, most), turns)
