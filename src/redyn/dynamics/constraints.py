"""The rows of loops: how far each is open, how fast, with which acceleration, and the forces that keep it closed.

All of it is in the axes of the first frame A and at the origin of the second frame B of a loop, whatever the tree
between them. With w and v the rates of B's axes and origin relative to A, a row is n . w or n . v for some direction n
in A's axes; its multiplier is a moment along n or a force along n at B's origin, on B and, with the other sign, on A.

Poses are taken from the nearest link that carries both frames: what is below it moves them alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from redyn.algebra import Arithmetic, Mat3, Pose, Propagation, Scalar, Twist, Vec3, Wrench
from redyn.dynamics.inverse import LinkState
from redyn.dynamics.kinematics import motion_vectors, zero_vector
from redyn.model import ACROSS, ALONG, GEAR, Frame, Loop, Model


@dataclass(slots=True)
class Push:
    """The generalised force of a unit multiplier: torques at joints and wrenches on links, by link number."""

    torques: dict[int, Scalar] = field(default_factory=dict[int, Scalar])
    wrenches: dict[int, Wrench] = field(default_factory=dict[int, Wrench])


@dataclass(slots=True)
class Motion:
    """Of B relative to A, in A's axes: angular and linear rate, or their derivatives."""

    ang: Vec3
    lin: Vec3


class Cut:
    """A loop at one configuration.

    With `closed`, B's origin is taken to be on A's where the joint holds it there: exact for closed states, and
    otherwise off by as little as the loop is open. What that spares is a third of the work.
    """

    def __init__(
        self,
        model: Model,
        arith: Arithmetic,
        B: Sequence[Propagation],
        loop: Loop,
        q: Sequence[Sequence[Scalar]],
        closed: bool,
    ) -> None:
        self.loop, self.arith, self._q = loop, arith, q
        self._model, self._B = model, B
        self._at_rest = closed and loop.meets
        self.zero = zero_vector(arith)

    # --- geometry ---------------------------------------------------------------------------------------------

    @cached_property
    def carrier(self) -> int:
        """The last link on the way to both frames."""
        path = self._model.path(self.loop.B.link)
        return next((i for i in self._model.path(self.loop.A.link) if i in path), 0)

    def _placed(self, link: int) -> Pose | None:
        """The pose of a link's axes in the carrier's; None for the carrier itself."""
        zero, one = self.arith.const(0.0), self.arith.const(1.0)
        if link == self.carrier:
            return None
        path = self._model.path(link)
        if self.carrier:
            path = path[: path.index(self.carrier)]
        pose = Pose(Mat3(Vec3(one, zero, zero), Vec3(zero, one, zero), Vec3(zero, zero, one)), self.zero)
        for i in reversed(path):
            pose = self._B[i - 1].place(pose)
        return pose

    @cached_property
    def _link_A(self) -> Pose | None:
        return self._placed(self.loop.A.link)

    @cached_property
    def _link_B(self) -> Pose | None:
        return self._placed(self.loop.B.link)

    @cached_property
    def _axes_A(self) -> Mat3:
        """A's axes in the carrier's: a column each."""
        own = self.loop.A.pose.R
        return own if self._link_A is None else self._link_A.R.times(own)

    @cached_property
    def to_link_B(self) -> Mat3:
        """From A's axes to those of the link of B."""
        return self._axes_A if self._link_B is None else self._link_B.R.T.times(self._axes_A)

    @cached_property
    def axes(self) -> Mat3:
        """B's axes in A's: a column each."""
        return self.to_link_B.T.times(self.loop.B.pose.R)

    @cached_property
    def gap(self) -> Vec3:
        """From A's origin to B's, in the carrier's axes."""
        ends = [
            frame.pose.o if link is None else link.R @ frame.pose.o + link.o
            for frame, link in ((self.loop.A, self._link_A), (self.loop.B, self._link_B))
        ]
        return ends[1] - ends[0]

    @cached_property
    def d(self) -> Vec3:
        """From A's origin to B's, in A's axes."""
        return self._axes_A.T @ self.gap

    @cached_property
    def across(self) -> Vec3:
        """n of a universal joint: with y the second axis, x . y is to be zero, and its rate is w . (y x x)."""
        y = self.axes.T.y
        return Vec3(self.arith.const(0.0), y.z, -y.y)

    # --- how far it is open -----------------------------------------------------------------------------------

    def error(self) -> list[Scalar]:
        """phi, row by row: 0 when the loop is closed; radians (as sines) and metres."""
        return [self._error(row) for row in self.loop.rows]

    def _error(self, row: int) -> Scalar:
        if row == GEAR:
            first, second = self._joint_values
            return second - _polynomial(self.loop.numbers, first, self.arith)
        if row == ALONG:
            (length,) = self.loop.numbers
            return (self.d.dot(self.d) / length - length) * self.arith.const(0.5)
        if row == ACROSS:
            return self.axes.x.y
        if row >= 3:
            return self.d.components()[row - 3]
        if 2 not in self.loop.rows:  # B's z in A's axes is to be A's own
            z = self.axes.T.z
            return -z.y if row == 0 else z.x
        R = self.axes  # all axes are to be A's
        twice = (R.z.y - R.y.z, R.x.z - R.z.x, R.y.x - R.x.y)[row]
        return twice * self.arith.const(0.5)

    @property
    def _joint_values(self) -> tuple[Scalar, Scalar]:
        """q of the two joints of a gear."""
        return self._q[self.loop.A.link - 1][0], self._q[self.loop.B.link - 1][0]

    # --- rates and accelerations -------------------------------------------------------------------------------

    def motion(self, t: Sequence[Twist]) -> Motion:
        """The rates of B relative to A."""
        A, B = _at_frame(self.loop.A, t[self.loop.A.link]), _at_frame(self.loop.B, t[self.loop.B.link])
        w_A, v_A = self._from_A(A.ang), self._from_A(A.lin)
        w, v = self._from_B(B.ang) - w_A, self._from_B(B.lin) - v_A
        return Motion(w, v if self._at_rest else v - w_A.cross(self.d))

    def rates(self, t: Sequence[Twist], qd: Sequence[Scalar]) -> list[Scalar]:
        """J qd."""
        if self.loop.kind == "gear":
            first, _ = self._joint_values
            slope = _slope(self.loop.numbers, first, self.arith)
            return [qd[self.loop.B.link - 1] - slope * qd[self.loop.A.link - 1]]
        motion = self.motion(t)
        return [self._component(row, motion) for row in self.loop.rows]

    def accelerations(self, states: Sequence[LinkState], qd: Sequence[Scalar], qdd: Sequence[Scalar]) -> list[Scalar]:
        """J qdd - gamma: with qdd = 0, minus gamma."""
        loop = self.loop
        if loop.kind == "gear":
            first, _ = self._joint_values
            a, b = loop.A.link - 1, loop.B.link - 1
            slope, bend = _slope(loop.numbers, first, self.arith), _bend(loop.numbers, first, self.arith)
            return [qdd[b] - slope * qdd[a] - bend * (qd[a] * qd[a])]
        A, B = states[loop.A.link], states[loop.B.link]
        w_A, alpha_A = self._from_A(A.t.ang), self._from_A(A.t_dot.ang)
        w = self._from_B(B.t.ang) - w_A
        alpha = self._from_B(B.t_dot.ang) - alpha_A - w_A.cross(w)
        a = self._from_B(B.t_dot.lin + B.A @ loop.B.pose.o) - self._from_A(A.t_dot.lin + A.A @ loop.A.pose.o)
        if not self._at_rest:
            v = self.motion([state.t for state in states]).lin
            twice = self.arith.const(2.0)
            a = a - alpha_A.cross(self.d) - w_A.cross(w_A.cross(self.d)) - w_A.cross(v) * twice
        rows: list[Scalar] = []
        for row in loop.rows:
            value = self._component(row, Motion(alpha, a))
            if row == ALONG:  # d . v / length changes with d as well
                v = self.motion([state.t for state in states]).lin
                value = value + v.dot(v) / loop.numbers[0]
            if row == ACROSS:  # and w . (y x x) with y
                y_dot = w.cross(self.axes.T.y)
                value = value + w.y * y_dot.z - w.z * y_dot.y
            rows.append(value)
        return rows

    def _component(self, row: int, motion: Motion) -> Scalar:
        if row == ALONG:
            return self.d.dot(motion.lin) / self.loop.numbers[0]
        if row == ACROSS:
            return self.across.dot(motion.ang)
        return (*motion.ang.components(), *motion.lin.components())[row]

    def _from_A(self, v: Vec3) -> Vec3:
        """From the axes of A's link to A's."""
        return self.loop.A.pose.R.T @ v

    def _from_B(self, v: Vec3) -> Vec3:
        """From the axes of B's link to A's."""
        return self.to_link_B.T @ v

    # --- forces -------------------------------------------------------------------------------------------------

    def push(self, row: int) -> Push:
        """What a unit multiplier of a row does to the links of B and, the other way, of A."""
        loop = self.loop
        if row == GEAR:
            slope = _slope(loop.numbers, self._joint_values[0], self.arith)
            return Push(torques={loop.A.link: -slope, loop.B.link: self.arith.const(1.0)})
        n_A, n_B = self._direction(row)
        if row < 3 or row == ACROSS:
            on_A, on_B = Wrench(-n_A, self.zero), Wrench(n_B, self.zero)
        else:
            at_A = loop.A.pose.o
            if not (self._at_rest or row == ALONG):  # a force along d may as well act at A
                at_A = at_A + loop.A.pose.R @ self.d
            on_A, on_B = Wrench(-at_A.cross(n_A), -n_A), Wrench(loop.B.pose.o.cross(n_B), n_B)
        return Push(wrenches={link: w for link, w in ((loop.A.link, on_A), (loop.B.link, on_B)) if link})

    def _direction(self, row: int) -> tuple[Vec3, Vec3]:
        """n of a row in the axes of the link of A and of B."""
        if row in (ALONG, ACROSS):
            n = self.d * (1 / self.loop.numbers[0]) if row == ALONG else self.across
            return self.loop.A.pose.R @ n, self.to_link_B @ n
        own, other = self.loop.A.pose.R.T, self.to_link_B.T
        return ((own.x, other.x), (own.y, other.y), (own.z, other.z))[row % 3]


def cuts(
    model: Model, arith: Arithmetic, B: Sequence[Propagation], q: Sequence[Scalar], closed: bool = False
) -> list[Cut]:
    """The loops of a model at the whole q of its tree."""
    own = model.split(q)
    return [Cut(model, arith, B, loop, own, closed) for loop in model.loops]


def jacobian_row(model: Model, arith: Arithmetic, B: Sequence[Propagation], push: Push, carrier: int) -> list[Scalar]:
    """One row of J: the torque of every joint against which a unit multiplier does work; zero from the carrier down."""
    row: list[Scalar] = [arith.const(0.0)] * model.n
    p = motion_vectors(model, B)
    for link, torque in push.torques.items():
        row[link - 1] = row[link - 1] + torque
    for link, wrench in push.wrenches.items():
        w = wrench
        for i in model.path(link):
            if i == carrier:
                break
            row[i - 1] = row[i - 1] + p[i - 1].dot(w)
            w = B[i - 1].T @ w
    return row


def combined(pushes: Sequence[tuple[Push, Scalar]]) -> Push:
    """Several, each times its multiplier, as one."""
    whole = Push()
    for push, factor in pushes:
        for link, torque in push.torques.items():
            whole.torques[link] = whole.torques[link] + torque * factor if link in whole.torques else torque * factor
        for link, wrench in push.wrenches.items():
            scaled = wrench * factor
            whole.wrenches[link] = whole.wrenches[link] + scaled if link in whole.wrenches else scaled
    return whole


def _at_frame(frame: Frame, t: Twist) -> Twist:
    """The twist of a frame, in the axes of the link that carries it."""
    return Twist(t.ang, t.lin + t.ang.cross(frame.pose.o))


def _polynomial(coefficients: Sequence[Scalar], x: Scalar, arith: Arithmetic) -> Scalar:
    total = arith.const(0.0)
    for c in reversed(coefficients):
        total = total * x + c
    return total


def _slope(coefficients: Sequence[Scalar], x: Scalar, arith: Arithmetic) -> Scalar:
    return _polynomial([c * arith.const(float(k)) for k, c in enumerate(coefficients)][1:], x, arith)


def _bend(coefficients: Sequence[Scalar], x: Scalar, arith: Arithmetic) -> Scalar:
    """The second derivative."""
    return _polynomial([c * arith.const(float(k * (k - 1))) for k, c in enumerate(coefficients)][2:], x, arith)
