"""Inverse kinematics by numbers: the joint values that bring a frame to a pose, on any robot.

See search.py for the method. Here what was found is sorted or, if nothing was, explained.
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
from redyn.kernels.call import cores, run_slices
from redyn.kinematics.wish import Wish, checked_poses, checked_wish, whole

if TYPE_CHECKING:
    from redyn.kinematics.search import Space
    from redyn.robot import LinkName, Robot

Array = NDArray[np.float64]

APART = 1e-4  # rad and m: solutions nearer to each other than this in every joint are one
POSES_PER_THREAD = 32
_KERNEL = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)


class _Ground(NamedTuple):
    space: Space
    kernels: NDArray[np.int64]
    callbacks: list[Any]  # what must live as long as the addresses are used


_grounds: WeakKeyDictionary[Robot, dict[tuple[str, bool], _Ground]] = WeakKeyDictionary()


class Solution(NamedTuple):
    """Joint values, and how far they leave the frame from the pose: the larger of metres and radians."""

    q: Array
    error: float


class Solutions(list[Solution]):
    """What was found, nearest to the start first. If it is empty, `reason` says why."""

    reason: str = ""

    def __repr__(self) -> str:
        return super().__repr__() if self else f"<no solution: {self.reason}>"


def inverse_kinematics(
    robot: Robot,
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

    Nearest to `start`, from where the first try begins (without it, from the robot's initial position); the others
    begin anywhere, always the same places for the same `seed`. Joints that do not move the frame stay at the start.
    Angles are given within the joint limits, whole turns as near to the start as they allow; `limits=False` ignores
    the limits. A redundant robot has solutions without end; these are some of them.

    `mask`, six booleans, picks the parts of the pose that count, as in the rows of the Jacobian: turns about x, y, z of
    the world, then its x, y, z. A solution leaves at most `tolerance` metres and radians.

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
    return _solve(checked_wish(robot, link, start, mask, limits, tolerance, count, tries, seed), target, threads=1)[0]


def inverse_kinematics_batch(
    robot: Robot,
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
    """`inverse_kinematics` of each of N poses, (N, 4, 4), on several threads; one solution each unless told.

    >>> import redyn
    >>> robot = redyn.load("puma")
    >>> q = np.random.default_rng(1).uniform(-2, 2, (20, 6))
    >>> found = inverse_kinematics_batch(robot, robot.forward_kinematics(q))
    >>> [len(solutions) for solutions in found] == [1] * 20
    True
    """
    targets = checked_poses(poses, "poses", 3)
    threads = min(cores(), len(targets) // POSES_PER_THREAD) if threads is None else whole("threads", threads, 1)
    return _solve(checked_wish(robot, link, start, mask, limits, tolerance, count, tries, seed), targets, threads)


def _solve(wish: Wish, poses: Array, threads: int) -> list[Solutions]:
    found, errors, counts, closest = _search(wish, poses, threads)
    joints = _ground(wish).space.joints
    results: list[Solutions] = []
    for k, number in enumerate(counts.tolist()):
        solutions = Solutions(Solution(found[k, i].copy(), float(errors[k, i])) for i in range(number))
        if number > 1:
            solutions.sort(key=lambda solution: float(np.linalg.norm((solution.q - wish.start)[joints])))
        if not number:
            solutions.reason = _why(wish, poses[k], closest[k, -2:])
        results.append(solutions)
    return results


def _search(wish: Wish, poses: Array, threads: int) -> tuple[Array, Array, NDArray[np.int64], Array]:
    """Run the compiled search on slices of the poses."""
    from redyn.kinematics.search import search  # Numba takes a while to import

    N, dof, ground = len(poses), wish.robot.dof, _ground(wish)
    space = ground.space._replace(home=wish.start)
    places = _places(wish.seed, wish.tries, dof)
    counts = np.zeros(N, dtype=np.int64)
    found, errors, closest = np.zeros((N, wish.count, dof)), np.zeros((N, wish.count)), np.zeros((N, dof + 2))

    def work(inputs: list[Array], outputs: list[Array]) -> bool:
        search(ground.kernels, inputs[0], places, space, wish.mask, wish.tolerance, APART, *cast(Any, outputs))
        return True

    run_slices(work, [poses], cast("list[Array]", [found, errors, counts, closest]), max(1, threads))
    return found, errors, counts, closest


@lru_cache(maxsize=32)
def _places(seed: int, count: int, dof: int) -> Array:
    """Points of the unit cube, one for each try."""
    return np.random.default_rng(seed).random((count, dof))


def _ground(wish: Wish) -> _Ground:
    """What the search needs to know of the robot, gathered once."""
    known = _grounds.setdefault(wish.robot, {})
    key = wish.frame, wish.limits
    if key not in known:
        known[key] = _gathered(wish)
    return known[key]


def _gathered(wish: Wish) -> _Ground:
    from redyn.kinematics.search import Space

    robot = wish.robot
    turn = np.array([2 * np.pi if link.joint.kind == "revolute" else 0.0 for link in robot.model.driven])
    least, greatest = robot.limits.T.copy() if wish.limits else np.full((2, robot.dof), [[-np.inf], [np.inf]])
    round_and_round = (turn > 0) & (greatest - least >= turn)
    lower, upper = np.where(round_and_round, -np.inf, least), np.where(round_and_round, np.inf, greatest)
    widest = np.where(turn > 0, np.pi, 1.0)
    bottom = np.where(np.isfinite(least), least, np.minimum(-widest, greatest - 2 * widest))
    top = np.where(np.isfinite(greatest), greatest, np.maximum(widest, bottom + 2 * widest))
    ties = robot.model.ties
    joints = np.array(list(dict.fromkeys(ties[i - 1].free for i in wish.path)), dtype=np.int64)
    space = Space(joints, lower, upper, least, greatest, bottom, top, turn, wish.start)
    tasks = [Task(name, frame=wish.frame) for name in ("forward_kinematics", "jacobian")]
    addresses = [robot.evaluator.address(task) for task in tasks]
    callbacks = [
        _in_python(robot.evaluator, task) for task, address in zip(tasks, addresses, strict=True) if not address
    ]
    for callback in callbacks:
        addresses[addresses.index(None)] = ctypes.cast(callback, ctypes.c_void_p).value
    return _Ground(space, np.array(addresses, dtype=np.int64), callbacks)


def _in_python(evaluator: Evaluator, task: Task) -> Any:
    """A kernel that Python answers, for robots without one: long ones, or where nothing may be compiled."""
    size = int(np.prod(task.shapes(evaluator.model)[0]))
    table = ctypes.POINTER(ctypes.POINTER(ctypes.c_double))

    def call(inputs: int, outputs: int, count: int) -> int:
        del count
        q = np.ctypeslib.as_array(ctypes.cast(inputs, table)[0], (evaluator.model.dof,))
        out = np.ctypeslib.as_array(ctypes.cast(outputs, table)[0], (size,))
        out[:] = evaluator(task, [q], check=False)[0].reshape(-1)
        return 0

    return _KERNEL(call)


def _why(wish: Wish, pose: Array, left: Array) -> str:
    """Why there is no solution: too far, only beyond the limits, or how close the best try came."""
    base, reach = _reach(wish)
    distance = float(np.linalg.norm(pose[:3, 3] - base))
    if wish.mask[3:].all() and distance > reach:
        beyond = f"{distance - reach:.4g} m beyond the reach of {reach:.4g} m"
        return f"the pose is {distance:.4g} m from the first joint, {beyond}"
    if wish.limits and np.isfinite(wish.robot.limits).any():
        found, _, counts, _ = _search(replace(wish, limits=False, count=1), pose[None], 1)
        if counts[0]:
            outside = (found[0, 0] < wish.robot.limits[:, 0]) | (found[0, 0] > wish.robot.limits[:, 1])
            names = ", ".join(name for name, out in zip(wish.robot.velocity_names, outside, strict=True) if out)
            return f"none of {wish.tries} tries found one within the joint limits; beyond those of {names} there is one"
    turn, way = left
    return f"none of {wish.tries} tries succeeded; the best came within {way:.3g} m and {turn:.3g} rad"


def _reach(wish: Wish) -> tuple[Array, float]:
    """Where the first joint is, and how far from there the frame can be at most."""
    model, path = wish.robot.model, wish.path
    limits = dict(zip((link.name for link in model.driven), wish.robot.limits, strict=True))
    reach = float(np.linalg.norm(np.array(model.frames[wish.frame].pose.o.components(), dtype=np.float64)))
    for k, i in enumerate(path):
        link = model.links[i - 1]
        joint = link.joint
        if joint.kind != "revolute":
            known = wish.limits and joint.kind == "prismatic" and link.name in limits
            reach += float(np.abs(limits[link.name] + cast(float, joint.zero)).max()) if known else np.inf
        if k:
            reach += float(np.linalg.norm(np.array(joint.offset.components(), dtype=np.float64)))
    return np.array(model.links[path[0] - 1].joint.offset.components(), dtype=np.float64), reach
