"""Controllers: what a student would write on the board, as callables torque(t, q, qd).

Gains are one number for all joints or one per joint. They know the robot; give `gravity` if the run has another. Where
loops are closed, only actuated joints get a torque. Those of robots on wheels are in redyn.simulation.driving, those
of a frame in redyn.simulation.frames.

>>> import redyn
>>> robot = redyn.load("two-link")
>>> motion = redyn.trajectory.cycloidal([0, 0], [1, -1], 2.0)
>>> run = redyn.simulate(robot, [0, 0], [0, 0], 2.0, torque=redyn.control.computed_torque(robot, motion, 100, 20))
>>> bool(abs(run.q[-1] - [1, -1]).max() < 1e-6)
True
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redyn.arrays import real_array
from redyn.dynamics.task import Task, controlled
from redyn.errors import InputError
from redyn.evaluate.ground import Given as GroundGiven
from redyn.model import Rolling
from redyn.robot import Robot
from redyn.simulation.arguments import per_joint
from redyn.simulation.driving import drive, follow_path, follow_pose, follow_tip, park
from redyn.simulation.frames import frame_motion, impedance, operational_space
from redyn.simulation.joints import Joints, ReferenceMotion, gives
from redyn.words import counted

__all__ = [
    "computed_torque",
    "drive",
    "feedforward",
    "feedforward_pd",
    "follow_path",
    "follow_pose",
    "follow_tip",
    "frame_motion",
    "impedance",
    "on_joints",
    "operational_space",
    "park",
    "pd_gravity",
]

Array = NDArray[np.float64]
Torque = Callable[[float, Array, Array], Array]


def pd_gravity(
    robot: Robot, target: ArrayLike, kp: ArrayLike, kd: ArrayLike, gravity: ArrayLike | None = None
) -> Torque:
    """Springs and dampers towards a configuration, gravity and joint springs held off: comes to rest there exactly.

    Where links bend or gears give, the target is that of the joints (of motors), and what is held off is the weight of
    the robot as it sags there.
    """
    if gives(robot):
        return _pd_sagging(robot, target, kp, kd, gravity)
    goal = robot.configuration("target", _for_all(robot, target))
    if goal.ndim != 1:
        raise InputError(f"target: expected one configuration, {counted(robot.nq, 'number')}, got shape {goal.shape}")
    p, d = per_joint("kp", kp, robot.dof), per_joint("kd", kd, robot.dof)
    sprung, still = any(link.joint.stiffness for link in robot.model.links), np.zeros(robot.dof)

    def held(q: Array) -> Array | float:
        """The springs; those of joints without actuators are held through the loops."""
        if not sprung:
            return 0.0
        return robot.inverse_dynamics(q, still, still, gravity=np.zeros(3), check=False)

    drives = _drives(robot)

    def torque(t: float, q: Array, qd: Array) -> Array:
        del t
        holding = robot.gravity_torque(q, gravity, check=False) + held(q)
        return drives * (p * _error(robot, q, goal) - d * qd) + holding

    return torque


class PD:
    """Springs and dampers towards targets, see `pd`: a controller, and in `simulate_batch` part of the kernel."""

    def __init__(self, robot: Robot, target: ArrayLike, kp: ArrayLike, kd: ArrayLike) -> None:
        if isinstance(robot.model.reduction, Rolling):
            raise InputError(
                "pd: the joints of a robot on wheels do not move on their own; give a function torque(t, q, qd)"
            )
        self.robot = robot
        places = controlled(robot.model)
        self.rates = np.array([i for i, place in enumerate(places) if place is not None], dtype=np.intp)
        self.places = np.array([place for place in places if place is not None], dtype=np.intp)
        self.target = self._targets(target)
        self.kp, self.kd = (self._gains(name, value) for name, value in (("kp", kp), ("kd", kd)))

    def _targets(self, target: ArrayLike) -> Array:
        """One number per joint in the last place."""
        count, robot = len(self.rates), self.robot
        meaning = f"target: expected {counted(count, 'number')}, one per joint with one coordinate"
        try:
            rows = real_array(target)
        except (TypeError, ValueError):
            raise InputError(meaning) from None
        if rows.ndim == 0:
            rows = np.full(count, float(rows))
        if rows.ndim > 3 or rows.shape[-1] not in (count, robot.nq):
            raise InputError(
                f"{meaning}, or a whole q of {robot.nq}; rows of them for many motions, got shape {rows.shape}"
            )
        if not np.isfinite(rows).all():
            raise InputError("target: expected finite numbers")
        return np.array(rows if rows.shape[-1] == count else rows[..., self.places])

    def _gains(self, name: str, value: ArrayLike) -> Array:
        count = len(self.rates)
        given = real_array(value)
        if given.shape == (self.robot.dof,) and self.robot.dof != count:
            given = given[self.rates]
        return per_joint(name, given, count)

    def spread(self, values: Array) -> Array:
        """Numbers of the controlled joints as numbers of all actuators, zero at the others."""
        full = np.zeros((*values.shape[:-1], len(self.robot.model.actuators)))
        full[..., self.rates] = values
        return full

    def __call__(self, t: float, q: Array, qd: Array) -> Array:
        del t
        q, qd = np.asarray(q), np.asarray(qd)
        if self.target.ndim > 1:
            raise InputError("torque: targets of many motions are for simulate_batch; give one row")
        return self.spread(self.kp * (self.target - q[..., self.places]) - self.kd * qd[..., self.rates])


def pd(robot: Robot, target: ArrayLike, kp: ArrayLike, kd: ArrayLike) -> PD:
    """kp (target - q) - kd qd at every joint with one coordinate; a floating base gets nothing.

    target: one number for each of these joints, or a whole q. In `simulate_batch` also (N, joints), one row per motion,
    or (K, N, joints), where each of the K rows holds for a K-th of the time.

    >>> import redyn
    >>> robot = redyn.load("two-link", floating_base=True)
    >>> redyn.control.pd(robot, [0.5, 0.0], kp=100, kd=10)(0.0, robot.neutral(), [0.0] * 8)[6:]
    array([50.,  0.])
    """
    return PD(robot, target, kp, kd)


def computed_torque(
    robot: Robot, motion: ReferenceMotion, kp: ArrayLike, kd: ArrayLike, gravity: ArrayLike | None = None
) -> Torque:
    """The robot's own dynamics cancelled, so that errors decay as e-ddot + kd e-dot + kp e = 0.

    Where links bend or gears give, these are the errors of the joints (of motors), whose motion may be given alone:
    what has no actuator swings as it must. `on_joints` is for a law that knows the rigid robot only.
    """
    if gives(robot):
        return _driven_torque(robot, motion, kp, kd, gravity)
    p, d = per_joint("kp", kp, robot.dof), per_joint("kd", kd, robot.dof)
    _follows(robot, motion)

    closed = Task("completion", guarded=False) if robot.model.loops else None

    def torque(t: float, q: Array, qd: Array) -> Array:
        wanted, rate, acceleration = (np.asarray(x) for x in motion(t))
        asked = acceleration + d * (rate - qd) + p * _error(robot, q, wanted)
        if closed is not None:  # of the independent joints; the others do what the loops make them do
            asked = robot.evaluator(closed, [q, qd, asked], check=False)[0]
        return robot.inverse_dynamics(q, qd, asked, gravity=gravity, check=closed is None)

    return torque


def feedforward_pd(
    robot: Robot, motion: ReferenceMotion, kp: ArrayLike, kd: ArrayLike, gravity: ArrayLike | None = None
) -> Torque:
    """The torque that the wanted motion needs, and springs and dampers for what is left.

    Where links bend or gears give, it is what the rigid robot would need, and the errors are those of joints.
    """
    if gives(robot):
        joints = Joints(robot, "feedforward_pd")
        gains = joints.per_joint("kp", kp), joints.per_joint("kd", kd)
        return on_joints(robot, feedforward_pd(robot.rigid(), joints.reference(motion), *gains, gravity))
    p, d = per_joint("kp", kp, robot.dof), per_joint("kd", kd, robot.dof)
    drives = _drives(robot)
    _follows(robot, motion)

    def torque(t: float, q: Array, qd: Array) -> Array:
        wanted, rate, acceleration = (np.asarray(x) for x in motion(t))
        known = robot.inverse_dynamics(wanted, rate, acceleration, gravity=gravity)
        return known + drives * (d * (rate - qd) + p * _error(robot, q, wanted))

    return torque


def on_joints(robot: Robot, law: Torque) -> Torque:
    """A law of the rigid robot for one whose links bend or whose gears give: it sees and drives the joints (motors).

    >>> import redyn
    >>> robot = redyn.load("flexible-two-link")
    >>> motion = redyn.trajectory.cycloidal([0, 0], [1, 1], 2.0)
    >>> law = redyn.control.computed_torque(robot.rigid(), motion, 100, 20)
    >>> redyn.control.on_joints(robot, law)(0.0, robot.neutral(), [0.0] * 6)
    array([0., 0., 0., 0., 0., 0.])
    """
    joints = Joints(robot, "on_joints")

    def torque(t: float, q: Array, qd: Array) -> Array:
        return joints.spread(np.asarray(law(t, np.asarray(q)[joints.places], np.asarray(qd)[joints.rates])))

    return torque


def _driven_torque(
    robot: Robot, motion: ReferenceMotion, kp: ArrayLike, kd: ArrayLike, gravity: ArrayLike | None
) -> Torque:
    joints = Joints(robot, "computed_torque")
    p, d = joints.per_joint("kp", kp), joints.per_joint("kd", kd)
    wanted_at = joints.reference(motion)

    def torque(t: float, q: Array, qd: Array) -> Array:
        wanted, rate, acceleration = wanted_at(t)
        asked = acceleration + d * (rate - qd[joints.rates]) + p * (wanted - q[joints.places])
        return robot.driven(q, qd, asked, gravity=gravity, check=False).tau

    return torque


def _pd_sagging(robot: Robot, target: ArrayLike, kp: ArrayLike, kd: ArrayLike, gravity: ArrayLike | None) -> Torque:
    joints = Joints(robot, "pd_gravity")
    p, d, goal = joints.per_joint("kp", kp), joints.per_joint("kd", kd), joints.target(target)
    still = np.zeros(robot.dof)
    rest = robot.sag(joints.configuration(goal), gravity=gravity)
    holding = robot.inverse_dynamics(rest, still, still, gravity=gravity)[joints.rates]

    def torque(t: float, q: Array, qd: Array) -> Array:
        del t
        return joints.spread(holding + p * (goal - q[joints.places]) - d * qd[joints.rates])

    return torque


def feedforward(robot: Robot, motion: ReferenceMotion, gravity: ArrayLike | None = None) -> Torque:
    """The torque that the wanted motion needs and nothing else: errors are left to grow."""
    return feedforward_pd(robot, motion, 0.0, 0.0, gravity)


def legged(
    robot: Robot,
    motion: ReferenceMotion,
    kp: ArrayLike,
    kd: ArrayLike,
    ground: GroundGiven = True,
    gravity: ArrayLike | None = None,
) -> Torque:
    """Computed torque for the joints of a floating robot, whose base nothing drives: errors of joints decay as above.

    motion: as of `redyn.trajectory.walk`; what it says of the base is not looked at.
    kp, kd: one number for all joints after the base, or one for each.
    ground: that of the run, whose forces on the feet are taken into account; None: a robot in the air.

    The base moves as gravity, the ground and the joints make it: whether the robot walks or falls is up to the motion.
    """
    base = len(robot.model.floating)
    if not base:
        raise InputError(f"legged: {robot.name} has no floating base; use computed_torque")
    joints = robot.dof - base
    p, d = per_joint("kp", kp, joints), per_joint("kd", kd, joints)
    _follows(robot, motion)
    acting = robot.touching(ground)
    under = acting.ground(ground) if ground else None
    first = robot.nq - joints
    if not all(link.joint.single for link in robot.model.links[base:]):
        raise InputError(f"legged: {robot.name} has joints of several degrees of freedom; split them into single ones")

    def torque(t: float, q: Array, qd: Array) -> Array:
        wanted, rate, acceleration = motion(t)
        asked = acceleration[base:] + d * (rate[base:] - qd[base:]) + p * (wanted[first:] - q[first:])
        return acting.driven(q, qd, asked, gravity=gravity, ground=under, check=False).tau

    return torque


def _drives(robot: Robot) -> Array:
    """1 for rates with an actuator, 0 for the others."""
    closure = robot.model.closure
    if closure is None:
        return np.ones(robot.dof)
    return np.isin(np.arange(robot.dof), closure.driven).astype(np.float64)


def _error(robot: Robot, q: Array, wanted: Array) -> Array:
    """wanted - q; where q holds quaternions, the turn that is missing."""
    return wanted - q if robot.nq == robot.dof else robot.difference(q, wanted)


def _for_all(robot: Robot, value: ArrayLike) -> ArrayLike:
    """A single number stands for all joints, where each has one."""
    return np.full(robot.nq, value) if np.ndim(value) == 0 and robot.nq == robot.dof else value


def _follows(robot: Robot, motion: ReferenceMotion) -> None:
    try:
        q, qd, qdd = motion(0.0)
        counts = tuple(real_array(x).size for x in (q, qd, qdd))
    except (TypeError, ValueError):
        raise InputError(
            "motion: expected a motion of redyn.trajectory, or a function of t giving q, qd, qdd"
        ) from None
    expected = (robot.nq, robot.dof, robot.dof)
    if counts != expected:
        cure = "; make it for this robot, as in cycloidal(start, stop, duration, robot=robot)"
        raise InputError(
            f"motion: gives q, qd and qdd of length {counts[0]}, {counts[1]} and {counts[2]}, those of {robot.name} "
            f"have {expected[0]}, {expected[1]} and {expected[2]}{cure if robot.nq != robot.dof else ''}"
        )
    robot.configuration("motion(0)", q)
