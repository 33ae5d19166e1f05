"""The arguments of inverse kinematics, checked."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redyn.arrays import real_array
from redyn.errors import InputError
from redyn.evaluate import normal
from redyn.kinematics.robot_like import LinkName, RobotLike
from redyn.words import counted

Array = NDArray[np.float64]

ROTATION = 1e-6  # how far R^T R may be from the identity: poses typed with seven digits are made orthogonal
ROUNDING = 1e-14
ONE, LAST_ROW = np.eye(3), np.array([0.0, 0.0, 0.0, 1.0])


@dataclass(frozen=True)
class Query:
    """The checked arguments that all poses of a call share."""

    robot: RobotLike
    frame: str
    start: Array
    mask: Array  # ones and zeros
    limits: bool
    tolerance: float
    count: int
    tries: int
    seed: int

    @property
    def path(self) -> list[int]:
        """The links that carry the frame, from the base on."""
        model = self.robot.model
        return model.path(model.frames[self.frame].link)[::-1]


def checked_query(
    robot: RobotLike,
    link: LinkName,
    start: ArrayLike | None,
    mask: ArrayLike | None,
    limits: bool,
    tolerance: float,
    count: int,
    tries: int,
    seed: int,
) -> Query:
    if robot.model.gives:
        what = "links that bend" if robot.model.flexible else "elastic gears"
        raise InputError(
            f"inverse_kinematics: {robot.model.name} has {what}, and many shapes reach a pose; robot.rigid() has "
            "straight links and rigid gears, and robot.sag(q) is where they rest"
        )
    if robot.model.nq != robot.dof and not robot.model.loops:
        held = [k.joint.name for k in robot.model.links if not (k.joint.single or k.joint.continues)]
        raise InputError(
            f"inverse_kinematics: joint {held[0]!r} has a quaternion, which is not searched for; "
            f"hold it, as in robot.lock({{{held[0]!r}: None}})"
        )
    count_q = robot.model.nq
    values = (
        robot.initial
        if start is None
        else normal("start", start, count_q, f"{counted(count_q, 'number')}, one per joint")
    )
    if values.ndim != 1:
        raise InputError(f"start: expected one position, {counted(count_q, 'number')}, got shape {values.shape}")
    if not np.isfinite(values).all():
        raise InputError("start: expected finite joint values")
    held = limits and not robot.model.loops
    values = np.clip(values, *robot.limits.T) if held else values.copy()  # Numba needs a writable array
    if not (isinstance(tolerance, float | int | np.floating) and 1e-14 <= tolerance < np.inf):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InputError(f"tolerance: expected metres and radians from 1e-14, got {tolerance!r}")
    query = Query(
        robot,
        robot.frame_name(link),
        values,
        checked_mask(mask),
        bool(limits),
        float(tolerance),
        whole("count", count, 1),
        whole("tries", tries, 1),
        whole("seed", seed, 0),
    )
    if not query.path:
        raise InputError(f"link: no joint of {robot.description.name} moves the frame {query.frame!r}")
    return query


def checked_mask(mask: ArrayLike | None) -> Array:
    """Ones for the components of a twist that count, zeros for the others; all count unless given."""
    parts = np.ones(6) if mask is None else real_array(mask)
    if parts.shape != (6,) or not set(parts.tolist()) <= {0, 1} or not parts.any():
        raise InputError(
            "mask: expected six booleans, not all false: turns about x, y, z, then x, y, z "
            f"(position alone: [0, 0, 0, 1, 1, 1]), got {mask!r}"
        )
    return parts.astype(np.float64)


def whole(name: str, value: int, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InputError(f"{name}: expected a whole number from {least}, got {value!r}")
    return int(value)


def checked_poses(value: ArrayLike, name: str, dimensions: int) -> Array:
    """(4, 4) or, with three dimensions, (N, 4, 4) rigid poses, their rotations made orthogonal to rounding."""
    meaning = "a 4x4 pose" if dimensions == 2 else "4x4 poses, (N, 4, 4)"
    try:
        poses = real_array(value).copy()
    except (TypeError, ValueError):
        raise InputError(f"{name}: expected {meaning}, got {type(value).__name__}") from None
    if poses.ndim != dimensions or poses.shape[-2:] != (4, 4):
        more = "; for many poses there is redyn.kinematics.inverse_kinematics_batch" if poses.ndim == 3 else ""
        raise InputError(f"{name}: expected {meaning}, got shape {poses.shape}{more}")
    if not np.isfinite(poses).all():
        raise _bad_pose(name, ~np.isfinite(poses).all(axis=(-1, -2)), "expected finite numbers")
    wrong_row = np.abs(poses[..., 3, :] - LAST_ROW).max(axis=-1) > ROTATION
    if wrong_row.any():
        raise _bad_pose(name, wrong_row, "the last row must be 0, 0, 0, 1")
    poses[..., 3, :] = LAST_ROW
    R = poses[..., :3, :3]
    with np.errstate(over="ignore", invalid="ignore"):
        off = np.abs(R.swapaxes(-1, -2) @ R - ONE).max(axis=(-1, -2))
        no_rotation = ~(off <= ROTATION) | (np.linalg.det(R) < 0)
    if no_rotation.any():
        message = f"its 3x3 block is no rotation; expected R^T R = 1 to {ROTATION:g} and det R = 1"
        raise _bad_pose(name, no_rotation, message)
    while off.max(initial=0.0) > ROUNDING:  # Newton's iteration for the nearest rotation, which converges quadratically
        R[...] = R @ (1.5 * ONE - 0.5 * (R.swapaxes(-1, -2) @ R))
        off = off * off
    return poses


def _bad_pose(name: str, wrong: NDArray[np.bool_] | np.bool_, message: str) -> InputError:
    where = f"{name}[{int(wrong.argmax())}]" if wrong.ndim else name
    return InputError(f"{where}: {message}")
