"""Manipulability: how well a frame can be moved from a position, in which directions, and how near it is to singular.

Unit joint rates move the frame within an ellipsoid, whose axes are the left singular vectors of the Jacobian and whose
radii are the singular values (Yoshikawa 1985). Translation and rotation have different units, hence two of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redyn.kinematics.closed_form import ClosedForm, closed_form
from redyn.kinematics.linear import rank
from redyn.kinematics.robot_like import LinkName, RobotLike

Array = NDArray[np.float64]

SAMPLES = 500  # positions that say what is usual
ROUNDING = 1e-6  # a factor of a determinant below which the other factors are not told from rounding
NEARBY = 0.1  # a regularity below which the singularity is named


class Ellipsoid(NamedTuple):
    """Of velocities at unit joint rates, in world axes: (3,) and (3, 3), or with N in front."""

    radii: Array  # singular values, largest first
    axes: Array  # unit vectors, one per column

    @property
    def volume(self) -> Array:
        """Yoshikawa's index: the product of the radii."""
        return np.prod(self.radii, axis=-1)

    @property
    def roundness(self) -> Array:
        """The least radius as a share of the largest: 1 if all directions are alike."""
        return self.radii[..., -1] / np.maximum(self.radii[..., 0], 1e-300)


@dataclass(frozen=True)
class Manipulability:
    """See `manipulability`. Arrays of one state, or with N in front."""

    index: (
        Array  # sqrt(det J J^T): the product of the singular values of the Jacobian; those that are always zero apart
    )
    translation: Ellipsoid
    rotation: Ellipsoid
    regularity: Array  # 0 (singular) to 1 (as regular as the arm can be)
    singular: tuple[str, ...]  # for each state, what it is near to; empty if it is regular


def manipulability(robot: RobotLike, q: ArrayLike, link: LinkName = None) -> Manipulability:
    """How well a frame (the end effector) can be moved from a position q; where loops are closed, by independent rates.

    Where links bend, by the joints alone: elastic coordinates stay as they are.

    `regularity` is the least singular value of the Jacobian, with lengths as shares of the arm's size, beside the
    greatest that it has at 500 random positions. Below 0.1, `singular` says what is near to singular: "wrist",
    "elbow" or "shoulder" if the arm has a spherical wrist or three parallel axes in a row, and which joints move
    against each other without moving the frame.

    >>> import redyn
    >>> robot = redyn.load("puma")
    >>> at = manipulability(robot, [0.1, -0.6, 0.4, 0.5, 0.9, 0.2])
    >>> at.translation.radii.round(3), bool(at.regularity > 0.1), at.singular
    (array([0.558, 0.425, 0.283]), True, ('',))
    >>> manipulability(robot, [0.1, -0.6, 0.4, 0.5, 0.0, 0.2]).singular
    ('wrist: joint4, joint6',)
    """
    frame = robot.frame_name(link)
    values = robot.configuration("q", q)
    states = np.atleast_2d(values)
    J = _jacobian(robot, states, frame)
    usual = _usual(robot, frame)
    _, sigma, vt = np.linalg.svd(J * usual.units[:, None])
    least = sigma[:, usual.rank - 1] if usual.rank else np.zeros(len(states))
    regularity = np.clip(least / max(usual.best, 1e-300), 0.0, 1.0)
    plain = np.linalg.svd(J, compute_uv=False)[:, : usual.rank]
    names = tuple(
        _named(robot, frame, q_k, v_k[usual.rank - 1]) if share < NEARBY else ""
        for q_k, v_k, share in zip(states, vt, regularity.tolist(), strict=True)
    )
    index, translation, rotation = np.prod(plain, axis=1), _ellipsoid(J[:, 3:]), _ellipsoid(J[:, :3])
    if values.ndim == 1:
        one, other = (Ellipsoid(*(x[0] for x in ellipsoid)) for ellipsoid in (translation, rotation))
        return Manipulability(index[0], one, other, regularity[0], names)
    return Manipulability(index, translation, rotation, regularity, names)


def _jacobian(robot: RobotLike, q: Array, frame: str) -> Array:
    """Of the independent rates: all of them, unless loops are closed; modes are no joints, and count as zero."""
    J = robot.jacobian(q, frame)
    if robot.model.flexible:
        J = np.where([link.joint.kind == "mode" for link in robot.model.driven], 0.0, J)
    return J @ robot.transmission(q) if robot.model.loops else J


def _ellipsoid(J: Array) -> Ellipsoid:
    axes, radii, _ = np.linalg.svd(J)
    short = 3 - radii.shape[-1]
    return Ellipsoid(np.pad(radii, ((0, 0), (0, short))) if short > 0 else radii, axes)


class _Usual(NamedTuple):
    """Of a robot and frame: the rank of its Jacobian, the units that make its rows comparable, and the best value."""

    rank: int
    units: Array
    best: float


_known: WeakKeyDictionary[RobotLike, dict[str, _Usual]] = WeakKeyDictionary()


def _usual(robot: RobotLike, frame: str) -> _Usual:
    known = _known.setdefault(robot, {})
    if frame not in known:
        rng = np.random.default_rng(0)
        J = _jacobian(robot, np.array([robot.random(rng) for _ in range(SAMPLES)]), frame)
        levers = np.linalg.norm(J[:, 3:], axis=1)[np.linalg.norm(J[:, :3], axis=1) > 0.5]
        size = float(levers.max(initial=0.0)) or 1.0
        units = np.array([1.0] * 3 + [1 / size] * 3)
        full = max(rank(k) for k in J[:16])
        sigma = np.linalg.svd(J * units[:, None], compute_uv=False)
        known[frame] = _Usual(full, units, float(sigma[:, full - 1].max()) if full else 0.0)
    return known[frame]


def _named(robot: RobotLike, frame: str, q: Array, combination: Array) -> str:
    """What is singular, and the joints whose rates cancel."""
    share = np.abs(combination) / max(float(np.abs(combination).max()), 1e-300)
    labels = [link.joint.label for link in robot.model.driven]
    if robot.model.closure is not None:
        labels = [labels[i] for i in robot.model.closure.independent]
    joints = ", ".join(label for label, x in zip(labels, share, strict=True) if x > 0.1)
    arm = closed_form(robot, frame)
    part = "" if arm is None else _part(robot, frame, arm, q)
    return f"{part}: {joints}" if part else joints


def _part(robot: RobotLike, frame: str, arm: ClosedForm, q: Array) -> str:
    """Of an arm with its wrist, or its parallel axes, in the usual place: the factor of det J that is least.

    With a wrist, det J is that of its three axes times that of the first three columns at its centre. Of these, the
    second and third are parallel if the arm is stretched or folded (elbow); otherwise the first is in their plane
    (shoulder). With parallel axes 2, 3 and 4 the factors are: axis 6 is parallel to them (wrist), they are in one plane
    (elbow), and the rest.
    """
    if (arm.family, arm.first) not in (("wrist", 3), ("parallel", 1)):
        return ""
    J, pose = robot.jacobian(q, frame)[:, arm.joints], robot.forward_kinematics(q, frame)
    axes, size = J[:3].T, arm.size
    if arm.family == "wrist":
        wrist = abs(float(np.linalg.det(axes[3:])))
        at_home = arm.home[:3, :3].T @ (arm.centre - arm.home[:3, 3])
        columns = (J[3:].T + np.cross(axes, pose[:3, :3] @ at_home))[:3]
        elbow = float(np.linalg.norm(np.cross(columns[1], columns[2]))) / size**2
        rest = abs(float(np.linalg.det(columns))) / size**3
        known = elbow
    else:
        points = np.cross(axes, J[3:].T)[1:4]
        one, other = np.cross(axes[1], points[1] - points[0]), np.cross(axes[1], points[2] - points[0])
        wrist = float(np.linalg.norm(np.cross(axes[3], axes[5])))
        elbow = float(np.linalg.norm(np.cross(one, other))) / size**2
        rest = abs(float(np.linalg.det(J))) / size**3
        known = wrist * elbow
    shares = {"wrist": wrist, "elbow": elbow, "shoulder": rest / known if known > ROUNDING else 1.0}
    return min(shares, key=lambda name: shares[name])
