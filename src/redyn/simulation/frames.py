"""Controllers of a frame: operational-space control and impedance, as callables torque(t, q, qd).

A target is a 4x4 pose, or a function of time giving a pose, its twist and the rate of the twist (angular first, world
axes), as `frame_motion` makes them from a motion of the joints. Errors of attitude are rotation vectors.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redyn.arrays import real_array
from redyn.errors import InputError
from redyn.kinematics.operational import chosen_rows
from redyn.kinematics.poses import twists
from redyn.kinematics.query import checked_poses
from redyn.kinematics.robot_like import LinkName
from redyn.robot import Robot
from redyn.simulation.arguments import per_joint
from redyn.simulation.joints import ReferenceMotion
from redyn.words import counted

Array = NDArray[np.float64]
Torque = Callable[[float, Array, Array], Array]
FrameMotion = Callable[[Any], tuple[Array, Array, Array]]  # pose, twist and rate of the twist
Target = ArrayLike | FrameMotion


def frame_motion(robot: Robot, motion: ReferenceMotion, link: LinkName = None) -> FrameMotion:
    """How a frame moves while the joints move as `motion` says: a function of t giving pose, twist and twist rate.

    >>> import redyn
    >>> robot = redyn.load("two-link")
    >>> target = redyn.control.frame_motion(robot, redyn.trajectory.cycloidal([0, 0], [1, -1], 2.0))
    >>> target(2.0)[0][:2, 3].round(3)
    array([1.54 , 0.841])
    """
    frame = robot.frame_name(link)

    def at(t: Any) -> tuple[Array, Array, Array]:
        q, qd, qdd = (np.asarray(x) for x in motion(t))
        J, rate = robot.jacobian(q, frame), robot.jacobian_rate(q, qd, frame)
        moving = np.einsum("...ij,...j->...i", J, qd)
        faster = np.einsum("...ij,...j->...i", J, qdd) + np.einsum("...ij,...j->...i", rate, qd)
        return robot.forward_kinematics(q, frame), moving, faster

    return at


@dataclass(frozen=True)
class _Posture:
    """What the joints do in the null space: springs and dampers towards a configuration, as accelerations."""

    q: Array
    kp: Array
    kd: Array

    def __call__(self, q: Array, qd: Array) -> Array:
        return self.kp * (self.q - q) - self.kd * qd


@dataclass(frozen=True)
class _Frame:
    """The frame that is controlled, in which directions, and where it should be."""

    robot: Robot
    name: str
    mask: ArrayLike | None
    rows: list[int]
    target: FrameMotion
    posture: _Posture

    def state(self, t: float, q: Array, qd: Array) -> tuple[Array, Array, Array, Array]:
        """Error, error rate, wanted acceleration and what the rates alone make of it, each in the chosen directions."""
        pose, twist, rate = self.target(t)
        error = twists(self.robot.forward_kinematics(q, self.name)[None], pose)[0]
        moving = self.robot.jacobian(q, self.name) @ qd
        drift = self.robot.jacobian_rate(q, qd, self.name) @ qd
        return error[self.rows], (twist - moving)[self.rows], rate[self.rows], drift[self.rows]


def _frame(
    call: str,
    robot: Robot,
    target: Target,
    link: LinkName,
    mask: ArrayLike | None,
    posture: ArrayLike | None,
    gains: tuple[ArrayLike, ArrayLike],
) -> _Frame:
    model = robot.model
    if model.loops or model.contacts or model.undriven or robot.nq != robot.dof:
        raise InputError(f"{call}: {robot.name}: every joint must have one coordinate and its own actuator")
    name, frame = robot.named_frame(link)
    if not frame.link:
        raise InputError(f"{call}: link: {name!r} is fixed to the world")
    goal = robot.initial if posture is None else robot.configuration("posture", posture)
    if goal.shape != (robot.dof,):
        raise InputError(f"{call}: posture: expected {counted(robot.dof, 'number')}, got shape {goal.shape}")
    kp, kd = (per_joint(f"posture_{x}", g, robot.dof) for x, g in zip(("kp", "kd"), gains, strict=True))
    return _Frame(robot, name, mask, chosen_rows(mask), _target(target), _Posture(goal, kp, kd))


def _target(target: Target) -> FrameMotion:
    if not callable(target):
        pose, still = checked_poses(target, "target", 2), np.zeros(6)
        return lambda t: (pose, still, still)
    try:
        shapes = [real_array(x).shape for x in target(0.0)]
    except (TypeError, ValueError):
        shapes = []
    if shapes != [(4, 4), (6,), (6,)]:
        raise InputError(
            "target: expected a 4x4 pose, or a function of t giving a pose, a twist and its rate, such as "
            f"redyn.control.frame_motion makes; at t = 0 it gives arrays of shapes {shapes}"
        )
    return target


def operational_space(
    robot: Robot,
    target: Target,
    kp: ArrayLike,
    kd: ArrayLike,
    link: LinkName = None,
    mask: ArrayLike | None = None,
    posture: ArrayLike | None = None,
    posture_kp: ArrayLike = 0.0,
    posture_kd: ArrayLike = 2.0,
    gravity: ArrayLike | None = None,
) -> Torque:
    """Computed torque in the space of a frame: its error decays as e-ddot + kd e-dot + kp e = 0 (Khatib 1987).

    target: a 4x4 pose, or a function of time as `frame_motion` makes.
    kp, kd: one number, or one for each direction that counts.
    mask: which directions count, six booleans: turns about x, y, z, then x, y, z.
    posture: joints that the frame leaves free are drawn to this configuration (the initial one unless given) by
        accelerations posture_kp (posture - q) - posture_kd qd, projected so that the frame does not feel them.

    SingularError where the frame cannot be moved in all directions that count.

    >>> import redyn
    >>> robot = redyn.load("puma")
    >>> target = robot.forward_kinematics([0.3, -0.8, 0.4, 0.2, 0.5, 0.1])
    >>> law = redyn.control.operational_space(robot, target, kp=100, kd=20)
    >>> run = redyn.simulate(robot, [0.2, -0.7, 0.5, 0.1, 0.6, 0.0], [0] * 6, 1.5, torque=law)
    >>> bool(abs(robot.forward_kinematics(run.q[-1]) - target).max() < 1e-4)
    True
    """
    frame = _frame("operational_space", robot, target, link, mask, posture, (posture_kp, posture_kd))
    p, d = (_per_direction(name, x, len(frame.rows)) for name, x in (("kp", kp), ("kd", kd)))

    def torque(t: float, q: Array, qd: Array) -> Array:
        error, rate, wanted, drift = frame.state(t, q, qd)
        space = robot.operational_space(q, frame.name, frame.mask)
        asked = space.inverse @ (wanted + d * rate + p * error - drift) + space.null_space @ frame.posture(q, qd)
        return robot.inverse_dynamics(q, qd, asked, gravity=gravity)

    return torque


def impedance(
    robot: Robot,
    target: Target,
    stiffness: ArrayLike,
    damping: ArrayLike,
    link: LinkName = None,
    mask: ArrayLike | None = None,
    posture: ArrayLike | None = None,
    posture_kp: ArrayLike = 0.0,
    posture_kd: ArrayLike = 2.0,
    gravity: ArrayLike | None = None,
) -> Torque:
    """A frame that answers forces as a spring and a damper do: Lambda e-ddot + D e-dot + K e = -F (Hogan 1985).

    Lambda is the inertia that the frame has, which is left as it is, so that no force has to be measured. A constant
    force F displaces the frame by F / K. The rest is as in `operational_space`.

    stiffness, damping: one number, or one for each direction that counts: Nm/rad, then N/m; Nms/rad, then Ns/m.

    >>> import numpy as np, redyn
    >>> robot = redyn.load("two-link")
    >>> start, plane = [0.4, 1.0], [0, 0, 0, 1, 1, 0]
    >>> law = redyn.control.impedance(robot, robot.forward_kinematics(start), 200, 60, mask=plane)
    >>> run = redyn.simulate(robot, start, [0, 0], 4.0, torque=law, external={"link2": [0, 0, 0, 10.0, 0, 0]})
    >>> (run.path[-1] - run.path[0]).round(4)
    array([0.05, 0.  , 0.  ])
    """
    frame = _frame("impedance", robot, target, link, mask, posture, (posture_kp, posture_kd))
    k, d = (_per_direction(name, x, len(frame.rows)) for name, x in (("stiffness", stiffness), ("damping", damping)))

    def torque(t: float, q: Array, qd: Array) -> Array:
        error, rate, wanted, drift = frame.state(t, q, qd)
        space = robot.operational_space(q, frame.name, frame.mask)
        asked = space.inverse @ (wanted - drift) + space.null_space @ frame.posture(q, qd)
        known = robot.inverse_dynamics(q, qd, asked, gravity=gravity)
        return known + space.jacobian.T @ (k * error + d * rate)

    return torque


def _per_direction(name: str, value: ArrayLike, count: int) -> Array:
    try:
        row = np.array(np.broadcast_to(real_array(value), (count,)))
    except (TypeError, ValueError):
        raise InputError(f"{name}: expected a number, or {count}, one for each direction that counts") from None
    if not np.isfinite(row).all() or (row < 0).any():
        raise InputError(f"{name}: expected finite numbers, none negative, got {value!r}")
    return row
