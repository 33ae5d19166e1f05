"""Controllers of robots on wheels: they park, follow a path, and move the tip of an arm while they drive.

Each is a published law for the velocity of the base, a loop around the independent rates that makes them follow it, and
the robot's own inverse dynamics, which turns the accelerations that are asked for into torques.

>>> import redyn
>>> robot = redyn.load("differential-drive")
>>> run = redyn.simulate(robot, robot.initial, [0, 0], 15.0, torque=redyn.control.park(robot, [1.0, 0.5, 0.0]))
>>> bool(abs(run.q[-1, :3] - [1.0, 0.5, 0.0]).max() < 1e-3)
True
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redyn.arrays import real_array
from redyn.errors import InputError
from redyn.kinematics.robot_like import LinkName
from redyn.robot import Robot
from redyn.simulation.arguments import one_row, positive
from redyn.words import counted

Array = NDArray[np.float64]
ReferenceMotion = Callable[[Any], tuple[Array, Array, Array]]  # t to positions, rates and accelerations
Torque = Callable[[float, Array, Array], Array]

_PLANAR = ["x", "y", "angle"]
_SLOW = 1e-6  # m/s, below which a path has no heading of its own
_AHEAD = 1e-3  # s, how far it is looked for one then
_STEP = 1e-4  # s, of differences of a path
_CREEP = 1e-3  # m/s, below which a wheel is not steered: where it stands, its direction means nothing
_CLOSE = 1e-3  # m, from a goal, within which a steered robot stops: it would have to shunt
_TINY = 1e-9


def park(
    robot: Robot,
    goal: ArrayLike,
    gains: tuple[float, float, float] = (0.8, 2.0, 1.6),
    speed: float = 0.6,
    rate: float = 15.0,
) -> Torque:
    """Drive a differential drive or a car to a pose of its base, x, y and heading, and stop there.

    The law of Aicardi, Casalino, Bicchi and Balestrino (1995): with the distance e to the goal, the angle alpha from
    the heading to the line to the goal, and theta of that line to the heading of the goal, `gains` g, k, h give

        v = g e cos(alpha),    omega = k alpha + g cos(alpha) sin(alpha) (alpha + h theta) / alpha.

    Where the goal is behind, it backs up while it turns. `speed` limits v in m/s, omega being slowed alike, so that the
    path stays. `rate`, in 1/s, is how fast the wheels follow.
    """
    aim = one_row("goal", goal, 3, "x, y and heading")
    g, k, h = (positive("gains", x) for x in gains)
    base, fastest = _unicycle(robot, rate), positive("speed", speed, "m/s")

    def torque(t: float, q: Array, qd: Array) -> Array:
        del t
        x, y, heading = base.pose(q)
        ahead, left = _turned(aim[:2] - [x, y], -aim[2])
        distance, facing = float(np.hypot(ahead, left)), _wrapped(heading - aim[2])
        theta = float(np.arctan2(left, ahead))
        alpha = _wrapped(theta - facing)
        v = g * distance * float(np.cos(alpha))
        omega = k * alpha + g * float(np.cos(alpha) * np.sinc(alpha / np.pi)) * (alpha + h * theta)
        slower = min(1.0, fastest / max(abs(v), _TINY))
        if base.steer is not None:
            slower *= distance**2 / (distance**2 + _CLOSE**2)
        return base.torque(q, qd, v * slower, omega * slower)

    return torque


def follow_path(
    robot: Robot, path: ReferenceMotion, gains: tuple[float, float, float] = (2.0, 8.0, 4.0), rate: float = 15.0
) -> Torque:
    """Drive a differential drive or a car along a path in time, such as a spline of x and y.

    The law of Kanayama, Kimura, Miyazaki and Noguchi (1990): with the errors ahead, to the left and of the heading in
    the axes of the robot, and v_r, omega_r of the path, `gains` K_x, K_y and K_theta give

        v = v_r cos(theta_e) + K_x x_e,    omega = omega_r + v_r (K_y y_e + K_theta sin(theta_e)).

    It follows paths that go ahead. `rate`, in 1/s, is how fast the wheels follow.

    >>> import numpy as np, redyn
    >>> robot = redyn.load("differential-drive")
    >>> path = redyn.trajectory.spline([0, 2, 4], [[0, 0], [1, 0.3], [2, 0]], ends="natural")
    >>> law = redyn.control.follow_path(robot, path)
    >>> run = redyn.simulate(robot, robot.initial, [0, 0], 4.0, torque=law)
    >>> bool(np.abs(run.q[-1, :2] - [2, 0]).max() < 0.01)
    True
    """
    kx, ky, kt = (positive("gains", x) for x in gains)
    base, reference = _unicycle(robot, rate), _Path(path)

    def torque(t: float, q: Array, qd: Array) -> Array:
        x, y, heading = base.pose(q)
        at = reference(t)
        x_e, y_e = _turned(at.place - [x, y], -heading)
        turn = _wrapped(at.heading - heading)
        v = at.v * float(np.cos(turn)) + kx * x_e
        omega = at.omega + at.v * (ky * y_e + kt * float(np.sin(turn)))
        return base.torque(q, qd, v, omega, at.v_dot, at.omega_dot)

    return torque


def follow_pose(robot: Robot, motion: ReferenceMotion, kp: float = 25.0, kd: float = 10.0) -> Torque:
    """Move a platform on Mecanum or omni wheels along x, y and heading in time, each as it likes.

    Its base can move in every direction, so that its dynamics is cancelled and errors e of x, y and heading decay as
    e-ddot + kd e-dot + kp e = 0; torques of more wheels than needed are the least ones. Its independent rates must be
    those of the base: base.x, base.y and base.angle.
    """
    first = _base(robot)
    if list(_rolling(robot).independent) != [first, first + 1, first + 2] or _rolling(robot).turned is not None:
        raise InputError(
            f"{robot.name}: follow_pose moves platforms whose independent rates are x, y and angle of the base, not "
            f"{', '.join(robot.velocity_names)}"
        )
    _check_motion("motion", motion, 3, "x, y and heading")
    p, d = positive("kp", kp), positive("kd", kd)

    def torque(t: float, q: Array, qd: Array) -> Array:
        wanted, rate, acceleration = (np.asarray(x, dtype=np.float64) for x in motion(t))
        error = wanted - q[first : first + 3]
        return robot.inverse_dynamics(q, qd, acceleration + d * (rate - qd) + p * error)

    return torque


def follow_tip(
    robot: Robot,
    motion: ReferenceMotion,
    link: LinkName = None,
    base: Callable[[float, Array, Array], Array] | None = None,
    kp: float = 25.0,
    kd: float = 10.0,
) -> Torque:
    """Move the origin of a frame, the end effector unless `link` names another, along x, y and z in time.

    Errors decay as e-ddot + kd e-dot + kp e = 0 (resolved acceleration, Luh, Walker and Paul 1980). What the robot can
    do besides is left to `base`, a function of t, q and qd that gives wanted accelerations of the independent rates,
    such as `drive(robot, ...)`: as much of them as does not move the frame. Without it rates are damped.
    """
    name = robot.frame_name(link)
    _check_motion("motion", motion, 3, "x, y and z")
    p, d = positive("kp", kp), positive("kd", kd)

    def torque(t: float, q: Array, qd: Array) -> Array:
        wanted, rate, acceleration = (np.asarray(x, dtype=np.float64) for x in motion(t))
        J, place = robot.jacobian(q, name)[3:], robot.forward_kinematics(q, name)[:3, 3]
        asked = acceleration + d * (rate - J @ qd) + p * (wanted - place)
        asked = asked - robot.jacobian_rate(q, qd, name)[3:] @ qd
        free = -d * qd if base is None else base(t, q, qd)
        u_dot = free + np.linalg.lstsq(J, asked - J @ free, rcond=1e-6)[0]
        return robot.inverse_dynamics(q, qd, u_dot)

    return torque


def drive(
    robot: Robot, v: float, omega: float = 0.0, rate: float = 5.0, posture: ArrayLike | None = None
) -> Callable[[float, Array, Array], Array]:
    """Accelerations that bring the base to a speed v ahead and a rate of turning omega: for `base` of `follow_tip`.

    Joints of an arm are drawn to their values in `posture`, a configuration, the initial one unless given.
    """
    base = _unicycle(robot, rate, arm=True)
    rest = robot.initial if posture is None else robot.configuration("posture", posture)
    soft = base.rate / 5  # 1/s: arms give way to the base

    def accelerations(t: float, q: Array, qd: Array) -> Array:
        del t
        asked = -2 * soft * qd + soft**2 * (rest - q)[base.places]
        asked[base.wheels] = base.accelerations(q, qd, v, omega, 0.0, 0.0)[base.wheels]
        return asked

    return accelerations


# --- bases that have a heading ----------------------------------------------------------------------------------------


class _Rolls(Protocol):
    """What is asked of `redyn.model.Rolling`."""

    @property
    def independent(self) -> tuple[int, ...]: ...
    @property
    def turned(self) -> int | None: ...


def _rolling(robot: Robot) -> _Rolls:
    from redyn.model import Rolling

    reduction = robot.model.reduction
    if not isinstance(reduction, Rolling):
        raise InputError(f"{robot.name} has no wheels that roll; see `rolling` in docs/wheels.md")
    return reduction


def _base(robot: Robot) -> int:
    """The first of the three coordinates of a planar base."""
    _rolling(robot)
    parts = [link.joint.part for link in robot.model.links[:3]]
    if parts != _PLANAR:
        raise InputError(f"{robot.name} has no planar base, whose x, y and heading could be driven")
    return 0


@dataclass(frozen=True)
class _Unicycle:
    """A base that moves ahead and turns: how its independent rates follow from v and omega, and a loop around them."""

    robot: Robot
    rate: float
    wheels: list[int]  # which of the independent rates move it
    places: list[int]  # of the independent rates in q
    steer: int | None  # which of these is a steered wheel's
    radius: float = 0.0  # of the steered and driven wheel
    length: float = 0.0  # from the base to it

    def pose(self, q: Array) -> tuple[float, float, float]:
        return float(q[0]), float(q[1]), float(q[2])

    def torque(self, q: Array, qd: Array, v: float, omega: float, v_dot: float = 0.0, omega_dot: float = 0.0) -> Array:
        return self.robot.inverse_dynamics(q, qd, self.accelerations(q, qd, v, omega, v_dot, omega_dot))

    def accelerations(self, q: Array, qd: Array, v: float, omega: float, v_dot: float, omega_dot: float) -> Array:
        asked = np.zeros(self.robot.dof)
        if self.steer is None:
            W = _twists(self.robot, q)[[0, 2]][:, self.wheels]
            wanted, feed = (np.linalg.solve(W, x) for x in ([v, omega], [v_dot, omega_dot]))
            asked[self.wheels] = feed + self.rate * (wanted - qd[self.wheels])
            return asked
        # The steered wheel turns towards the velocity that it should have, (v, omega length), the shorter way round,
        # and spins as fast as it points there.
        (spin,) = (k for k in self.wheels if k != self.steer)
        angle = float(q[self.places[self.steer]])
        wheel = np.array([v, omega * self.length])
        along, across = _turned(wheel, -angle)
        size = float(np.hypot(along, across))
        off = float(np.arctan2(across if along >= 0 else -across, abs(along))) * size / (size + _CREEP)
        asked[self.steer] = self.rate**2 * off - 2 * self.rate * qd[self.steer]
        asked[spin] = self.rate * (along / self.radius - qd[spin]) + v_dot / self.radius
        return asked


def _unicycle(robot: Robot, rate: float, arm: bool = False) -> _Unicycle:
    """The base of a robot; an error, which says why, where it is not one that moves ahead and turns."""
    fast = positive("rate", rate, "1/s")
    first = _base(robot)
    rolling = _rolling(robot)
    wheels = [k for k, i in enumerate(rolling.independent) if _moves_base(robot, k) or _steers(robot, i, first)]
    places = [robot.coordinate_names.index(robot.model.links[i].joint.label) for i in rolling.independent]
    if len(wheels) != 2 or (len(wheels) != robot.dof and not arm):
        raise InputError(
            f"{robot.name}: this law drives bases by two wheels, or by one that is steered; independent are "
            f"{', '.join(robot.velocity_names)}"
        )
    at = robot.initial
    W = _twists(robot, at)[:, wheels]
    if np.abs(W[1]).max() > _TINY:
        raise InputError(f"{robot.name}: the origin of its base moves sideways; put it on the axle that is not steered")
    if abs(np.linalg.det(W[[0, 2]])) > _TINY:
        return _Unicycle(robot, fast, wheels, places, None)
    steer = next(k for k in wheels if _steers(robot, rolling.independent[k], first))
    spin = next(k for k in wheels if k != steer)
    straight, across = at.copy(), at.copy()
    straight[places[steer]], across[places[steer]] = 0.0, np.pi / 2
    radius = float(_twists(robot, straight)[0, spin])
    turning = float(_twists(robot, across)[2, spin])
    if abs(radius) < _TINY or abs(turning) < _TINY:
        raise InputError(
            f"{robot.name}: its driven wheel does not point ahead where {robot.velocity_names[steer]} is 0"
        )
    return _Unicycle(robot, fast, wheels, places, steer, radius, radius / turning)


def _twists(robot: Robot, q: Array) -> Array:
    """(3, dof): the velocity of the base ahead, to the left, and its rate of turning, for unit independent rates."""
    S = robot.rates(np.broadcast_to(q, (robot.dof, len(q))), np.eye(robot.dof))[:, :3].T
    c, s = np.cos(q[2]), np.sin(q[2])
    return np.array([c * S[0] + s * S[1], c * S[1] - s * S[0], S[2]])


def _moves_base(robot: Robot, k: int) -> bool:
    rng = np.random.default_rng(0)
    return any(float(np.abs(_twists(robot, robot.random(rng))[:, k]).max()) > _TINY for _ in range(3))


def _steers(robot: Robot, link: int, base: int) -> bool:
    """Whether a joint turns a wheel about the vertical, and does not move the base by itself."""
    del base
    carriers = {contact.carrier for contact in robot.model.contacts if contact.spin}
    return link + 1 in carriers and link >= len(_PLANAR)


# --- paths ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Along:
    """A path at one time."""

    place: Array
    heading: float
    v: float
    omega: float
    v_dot: float
    omega_dot: float


class _Path:
    """Heading, speed and turning of a motion of x and y."""

    def __init__(self, motion: ReferenceMotion) -> None:
        _check_motion("path", motion, 2, "x and y")
        self._motion = motion

    def __call__(self, t: float) -> _Along:
        place, rate, acceleration = (np.asarray(x, dtype=np.float64) for x in self._motion(t))
        v, omega = self._turning(rate, acceleration)
        if v < _SLOW:  # it starts, stops or waits here
            later, before = (np.asarray(self._motion(max(t + h, 0.0))[0]) for h in (_AHEAD, -_AHEAD))
            ahead = later - before
            return _Along(place, float(np.arctan2(ahead[1], ahead[0])), v, 0.0, float(np.hypot(*acceleration)), 0.0)
        after, before = (self._turning(*map(np.asarray, self._motion(max(t + h, 0.0))[1:])) for h in (_STEP, -_STEP))
        slope = (after[1] - before[1]) / (t + _STEP - max(t - _STEP, 0.0))
        v_dot = float(rate @ acceleration) / v
        return _Along(place, float(np.arctan2(rate[1], rate[0])), v, omega, v_dot, slope)

    def _turning(self, rate: Array, acceleration: Array) -> tuple[float, float]:
        v = float(np.hypot(*rate))
        return v, float(rate[0] * acceleration[1] - rate[1] * acceleration[0]) / v**2 if v > _SLOW else 0.0


def _check_motion(name: str, motion: ReferenceMotion, count: int, meaning: str) -> None:
    try:
        sizes = [real_array(x).size for x in motion(0.0)]
    except (TypeError, ValueError):
        raise InputError(f"{name}: expected a motion of redyn.trajectory, or a function of t giving it") from None
    if sizes != [count] * 3:
        raise InputError(
            f"{name}: expected {meaning}, their rates and accelerations, {counted(count, 'number')} each, got {sizes}"
        )


def _turned(v: Array, angle: float) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c * v[0] - s * v[1], s * v[0] + c * v[1]])


def _wrapped(angle: float) -> float:
    """Between -pi and pi."""
    return float((angle + np.pi) % (2 * np.pi) - np.pi)
