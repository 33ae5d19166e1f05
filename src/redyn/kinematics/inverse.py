"""Numerical inverse kinematics: the joint values that bring a frame to a pose, on any robot.

search.py has the method. Here its solutions are sorted, and explained if there are none.
"""

from __future__ import annotations

import ctypes
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, cast
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redyn.dynamics.task import Task
from redyn.evaluate import Evaluator
from redyn.evaluate.threads import cores, run_slices
from redyn.kinematics.poses import vector
from redyn.kinematics.query import Query, checked_poses, checked_query, whole
from redyn.kinematics.robot_like import LinkName, RobotLike

if TYPE_CHECKING:
    from redyn.kinematics.search import Space

Array = NDArray[np.float64]

APART = 1e-4  # rad and m: solutions that differ by less in every joint count as one
POSES_PER_THREAD = 32
_KERNEL = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)


class _Setup(NamedTuple):
    """What the search needs of a robot and frame."""

    space: Space
    kernels: NDArray[np.int64]  # addresses
    callbacks: list[Any]  # kept alive as long as their addresses are used


_setups: WeakKeyDictionary[RobotLike, dict[tuple[str, bool], _Setup]] = WeakKeyDictionary()


class Solution(NamedTuple):
    """Joint values and the pose error that remains: the larger of metres and radians."""

    q: Array
    error: float


class Solutions(list[Solution]):
    """What was found, nearest to the start first. If it is empty, `reason` says why."""

    reason: str = ""

    def __repr__(self) -> str:
        return super().__repr__() if self else f"<no solution: {self.reason}>"


def inverse_kinematics(
    robot: RobotLike,
    pose: ArrayLike,
    link: LinkName = None,
    start: ArrayLike | None = None,
    *,
    mask: ArrayLike | None = None,
    limits: bool = True,
    tolerance: float = 1e-10,
    count: int = 8,
    tries: int = 100,
    seed: int = 0,
) -> Solutions:
    """At most `count` joint positions that bring a frame to a 4x4 pose, different from each other, nearest first.

    Nearest means to `start` (by default the robot's initial position), where the first try begins; the others begin at
    random, and the same `seed` gives the same starts. Joints that do not move the frame stay at the start. Angles are
    within the joint limits and, of those that differ by whole turns, nearest to the start; `limits=False` ignores the
    limits. A redundant robot has infinitely many solutions, of which these are some.

    `mask`, six booleans, selects the parts of the pose that count, in the order of the Jacobian's rows: rotations about
    x, y, z of the world, then x, y, z. The error of a solution is at most `tolerance` metres and radians.

    >>> import redyn
    >>> robot = redyn.load("two-link")
    >>> pose = robot.forward_kinematics([0.3, 0.5])
    >>> inverse_kinematics(robot, pose)[0].q.round(9)
    array([0.3, 0.5])
    >>> position = [False, False, False, True, True, True]
    >>> [s.q.round(4).tolist() for s in inverse_kinematics(robot, pose, mask=position)]
    [[0.3, 0.5], [0.8, -0.5]]
    >>> pose[0, 3] += 2.0
    >>> inverse_kinematics(robot, pose).reason
    'the pose is 3.79 m from the first joint, 1.79 m beyond the reach of 2 m'
    """
    target = checked_poses(pose, "pose", 2)[None]
    if robot.model.loops:
        return _solve_closed(checked_query(robot, link, start, mask, limits, tolerance, count, tries, seed), target[0])
    return _solve(checked_query(robot, link, start, mask, limits, tolerance, count, tries, seed), target, threads=1)[0]


def inverse_kinematics_batch(
    robot: RobotLike,
    poses: ArrayLike,
    link: LinkName = None,
    start: ArrayLike | None = None,
    *,
    mask: ArrayLike | None = None,
    limits: bool = True,
    tolerance: float = 1e-10,
    count: int = 1,
    tries: int = 100,
    seed: int = 0,
    threads: int | None = None,
) -> list[Solutions]:
    """`inverse_kinematics` of each of N poses, (N, 4, 4), on several threads; one solution each by default.

    >>> import redyn
    >>> robot = redyn.load("puma")
    >>> q = np.random.default_rng(1).uniform(-2, 2, (20, 6))
    >>> found = inverse_kinematics_batch(robot, robot.forward_kinematics(q))
    >>> [len(solutions) for solutions in found] == [1] * 20
    True
    """
    targets = checked_poses(poses, "poses", 3)
    if robot.model.loops:
        query = checked_query(robot, link, start, mask, limits, tolerance, count, tries, seed)
        return [_solve_closed(query, target) for target in targets]
    threads = min(cores(), len(targets) // POSES_PER_THREAD) if threads is None else whole("threads", threads, 1)
    return _solve(checked_query(robot, link, start, mask, limits, tolerance, count, tries, seed), targets, threads)


def _solve_closed(query: Query, pose: Array) -> Solutions:
    """Where loops are closed: frame and loops are brought together at once."""
    from redyn.kinematics.closed_inverse import search

    found, reason = search(query, pose)
    solutions = Solutions(Solution(q, error) for q, error in found)
    solutions.reason = reason
    return solutions


def _solve(query: Query, poses: Array, threads: int) -> list[Solutions]:
    found, errors, counts, closest = _search(query, poses, threads)
    joints = _setup(query).space.joints
    results: list[Solutions] = []
    for k, number in enumerate(counts.tolist()):
        solutions = Solutions(Solution(found[k, i].copy(), float(errors[k, i])) for i in range(number))
        if number > 1:
            solutions.sort(key=lambda solution: float(np.linalg.norm((solution.q - query.start)[joints])))
        if not number:
            solutions.reason = _why(query, poses[k], closest[k, -2:])
        results.append(solutions)
    return results


def _search(query: Query, poses: Array, threads: int) -> tuple[Array, Array, NDArray[np.int64], Array]:
    """Run the compiled search on slices of the poses."""
    from redyn.kinematics.search import search  # Numba takes a while to import

    N, dof, setup = len(poses), query.robot.dof, _setup(query)
    space = setup.space._replace(home=query.start)
    starts = _starts(query.seed, query.tries, dof)
    counts = np.zeros(N, dtype=np.int64)
    found, errors, closest = np.zeros((N, query.count, dof)), np.zeros((N, query.count)), np.zeros((N, dof + 2))

    def work(inputs: list[Array], outputs: list[Array]) -> bool:
        search(setup.kernels, inputs[0], starts, space, query.mask, query.tolerance, APART, *cast(Any, outputs))
        return True

    run_slices(work, [poses], cast("list[Array]", [found, errors, counts, closest]), max(1, threads))
    return found, errors, counts, closest


@lru_cache(maxsize=32)
def _starts(seed: int, count: int, dof: int) -> Array:
    """Points of the unit cube, one for each try."""
    return np.random.default_rng(seed).random((count, dof))


def _setup(query: Query) -> _Setup:
    """Prepared once for a robot and frame."""
    known = _setups.setdefault(query.robot, {})
    key = query.frame, query.limits
    if key not in known:
        known[key] = _prepared(query)
    return known[key]


def _prepared(query: Query) -> _Setup:
    from redyn.kinematics.search import Space

    robot = query.robot
    turn = np.array([2 * np.pi if link.joint.kind == "revolute" else 0.0 for link in robot.model.driven])
    least, greatest = robot.limits.T.copy() if query.limits else np.full((2, robot.dof), [[-np.inf], [np.inf]])
    full_turn = (turn > 0) & (greatest - least >= turn)
    lower, upper = np.where(full_turn, -np.inf, least), np.where(full_turn, np.inf, greatest)
    widest = np.where(turn > 0, np.pi, 1.0)
    bottom = np.where(np.isfinite(least), least, np.minimum(-widest, greatest - 2 * widest))
    top = np.where(np.isfinite(greatest), greatest, np.maximum(widest, bottom + 2 * widest))
    joints = np.array(robot.model.moved_by(robot.model.frames[query.frame].link), dtype=np.int64)
    space = Space(joints, lower, upper, least, greatest, bottom, top, turn, query.start)
    tasks = [Task(name, frame=query.frame) for name in ("forward_kinematics", "jacobian")]
    addresses = [robot.evaluator.address(task) for task in tasks]
    callbacks = [
        _in_python(robot.evaluator, task) for task, address in zip(tasks, addresses, strict=True) if not address
    ]
    for callback in callbacks:
        addresses[addresses.index(None)] = ctypes.cast(callback, ctypes.c_void_p).value
    return _Setup(space, np.array(addresses, dtype=np.int64), callbacks)


def _in_python(evaluator: Evaluator, task: Task) -> Any:
    """A callback into Python, for robots without a kernel: long ones, or where nothing can be compiled."""
    size = int(np.prod(task.shapes(evaluator.model)[0]))
    table = ctypes.POINTER(ctypes.POINTER(ctypes.c_double))

    def call(inputs: int, outputs: int, count: int) -> int:
        del count
        q = np.ctypeslib.as_array(ctypes.cast(inputs, table)[0], (evaluator.model.dof,))
        out = np.ctypeslib.as_array(ctypes.cast(outputs, table)[0], (size,))
        out[:] = evaluator(task, [q], check=False)[0].reshape(-1)
        return 0

    return _KERNEL(call)


def _why(query: Query, pose: Array, left: Array) -> str:
    """Why there is no solution: out of reach, only beyond the joint limits, or how close the best try came."""
    base, reach = _reach(query)
    distance = float(np.linalg.norm(pose[:3, 3] - base))
    if query.mask[3:].all() and distance > reach:
        beyond = f"{distance - reach:.4g} m beyond the reach of {reach:.4g} m"
        return f"the pose is {distance:.4g} m from the first joint, {beyond}"
    if query.limits and np.isfinite(query.robot.limits).any():
        found, _, counts, _ = _search(replace(query, limits=False, count=1), pose[None], 1)
        if counts[0]:
            outside = (found[0, 0] < query.robot.limits[:, 0]) | (found[0, 0] > query.robot.limits[:, 1])
            driven = query.robot.model.driven
            names = ", ".join(link.joint.label for link, out in zip(driven, outside, strict=True) if out)
            return (
                f"none of {query.tries} tries found one within the joint limits; beyond those of {names} there is one"
            )
    turn, way = left
    return f"none of {query.tries} tries succeeded; the best came within {way:.3g} m and {turn:.3g} rad"


def _reach(query: Query) -> tuple[Array, float]:
    """The position of the first joint, and the greatest distance of the frame from it."""
    model, path = query.robot.model, query.path
    limits = dict(zip((link.name for link in model.driven), query.robot.limits, strict=True))
    reach = float(np.linalg.norm(vector(model.frames[query.frame].pose.o)))
    for k, i in enumerate(path):
        link = model.links[i - 1]
        joint = link.joint
        if joint.kind != "revolute":
            known = query.limits and joint.kind == "prismatic" and link.name in limits
            reach += float(np.abs(limits[link.name] + cast(float, joint.zero)).max()) if known else np.inf
        if k:
            reach += float(np.linalg.norm(vector(joint.offset)))
    return vector(model.links[path[0] - 1].joint.offset), reach
