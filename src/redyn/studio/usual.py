"""Default motions of a robot: between joint values, and circles and screws of its end effector, small enough to work.

They take a second for some robots, so they are found once per robot, where no page has to wait for it.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeVar, cast
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from redyn.errors import InputError, RedynError
from redyn.kinematics import link_poses
from redyn.kinematics.linear import null_space
from redyn.kinematics.loops import assembler
from redyn.kinematics.shape import reach
from redyn.kinematics.summary import singular_share
from redyn.robot import Robot
from redyn.studio.entries import entries, guided, is_closed, movable, moved, planned, whole_pose
from redyn.studio.plans import MotionPlan, Numbers, PathPlan, round_number

Array = NDArray[np.float64]

GENTLE = 0.5  # m/s^2 of wheels, m/s of blades
ROLLING = 2.0  # m/s of disks, rad/s of blades
NO_TORQUE = 1e-9  # Nm
SLOW, QUICK = 0.1, 10.0  # 1/s, of controllers: their poles are there
SLOWER = 0.5  # than the slowest vibration
T = TypeVar("T")

TURN, SLIDE = np.pi / 3, 0.1  # rad and m, from the start of a joint to its stop
SHARES = (1.0, 0.5, 0.25, 0.125, 0.0625, 0.03125)  # of that, and of a path, until it is feasible
RADIUS, ADVANCE, ANGLE = 0.15, 0.1, np.pi / 6  # of circles and screws; lengths beside the reach of the robot
BENT = (0.5, -0.7, 0.9, 0.6, -0.8, 0.4)  # rad, of joints whose initial pose is singular
LEAST = 1e-3  # share of a direction below which the end effector does not move in it
NEAR = 0.2  # rad or m, to other points of the curve of an end effector
INSTANTS = 9  # at which the torques of a path are tried


class UsualPath(NamedTuple):
    """A path that the robot can follow from these joint values, the numbers that users enter."""

    begin: Numbers
    path: PathPlan


_known: WeakKeyDictionary[Robot, dict[str, object]] = WeakKeyDictionary()  # by robot, what was found for it
_lock = threading.Lock()


def _once(robot: Robot, what: str, find: Callable[[], T]) -> T:
    with _lock:
        found = _known.setdefault(robot, {})
    if what not in found:
        try:
            found[what] = find()
        except RedynError as error:
            found[what] = error
    answer = found[what]
    if isinstance(answer, RedynError):
        raise answer
    return cast(T, answer)


def warm_up(robot: Robot) -> None:
    """Compiles what a page needs at once when its robot moves, and finds the default motion."""
    link_poses(robot, robot.initial)
    if robot.model.end_effector is not None:
        robot.forward_kinematics(robot.initial)
    if robot.model.gives:
        usual_gains(robot)
    if not is_closed(robot):
        return
    singular_share(robot, robot.initial)
    assembler(robot).residual(robot.initial[None])
    usual_stop(robot)
    first = movable(robot).index(True) if any(movable(robot)) else None
    if first is not None and entries(robot).way != "project":
        moved(robot, robot.initial, first, float(robot.initial[entries(robot).q[0]]))


# --- between joint values ----------------------------------------------------------------------------------------


def usual_stop(robot: Robot) -> Array:
    """Entries of q: sixty degrees or a tenth of a metre from the start, within the limits and within reach."""
    return _once(robot, "stop", lambda: _stop(robot)).copy()


def _stop(robot: Robot) -> Array:
    own = guided(robot)
    if own.way not in ("complete", "assemble"):
        return _stepped(robot, 1.0)[own.q]
    for share in SHARES:
        for sign in (1.0, -1.0):
            stop = _stepped(robot, sign * share)[own.q]
            try:
                MotionPlan("cycloidal", tuple(robot.initial[own.q]), tuple(stop), 1.0).motion(robot)
            except RedynError:
                continue
            return _clean(stop)
    return robot.initial[own.q]


def usual_torque(robot: Robot) -> list[float]:
    """Of a robot on wheels: drives it at about half a metre per second squared, on a curve where it can."""
    spins = {contact.spin: contact.radius for contact in robot.model.contacts if contact.spin}
    links = {link.name: k for k, link in enumerate(robot.model.links, start=1)}
    radii = [spins.get(links[link.name], 0.0) for link in robot.model.actuators]
    driven = max(sum(r > 0 for r in radii), 1)
    torques = [GENTLE * robot.total_mass * r / driven * (1.0 - 0.25 * (k % 2)) for k, r in enumerate(radii)]
    with contextlib.suppress(RedynError):  # arms that it carries are held
        still = np.zeros(robot.dof)
        held = robot.inverse_dynamics(robot.initial, still, still)
        torques = [drive if r else float(hold) for drive, r, hold in zip(torques, radii, held, strict=True)]
    return [float(f"{x:.2g}") if abs(x) > NO_TORQUE else 0.0 for x in torques]


def usual_rates(robot: Robot) -> list[float]:
    """Of a robot that rolls or glides without actuators at its wheels: on its way, for it would stay at rest."""
    contacts = robot.model.contacts
    if not contacts or any(contact.spin for contact in contacts):
        return [0.0] * robot.dof
    radius = max(contact.radius for contact in contacts)
    slides = [link.joint.kind == "prismatic" for link in robot.model.driven]
    rates = [GENTLE if slide else 0.0 for slide in slides]
    turns = [k for k, slide in enumerate(slides) if not slide]
    if turns:
        rates[turns[-1]] = float(f"{ROLLING / radius:.2g}") if radius else ROLLING
    return rates


def usual_gains(robot: Robot) -> tuple[float, float]:
    """kp and kd of controllers, per unit of inertia; where links bend or gears give, slower than what vibrates."""
    return _once(robot, "gains", lambda: _gains(robot))


def _gains(robot: Robot) -> tuple[float, float]:
    rate = QUICK
    if robot.model.gives and not robot.model.loops and not robot.model.contacts:
        with contextlib.suppress(RedynError):
            slowest = robot.frequencies(robot.initial, locked=robot.joint_names)[:1]
            rate = round_number(float(np.clip(SLOWER * slowest, SLOW, QUICK).min(initial=QUICK)), up=False)
    return rate**2, 2 * rate


def _stepped(robot: Robot, share: float) -> Array:
    """All joints moved, but for those with quaternions; the other way where a limit is near."""
    q, model = robot.initial, robot.model
    for variable in model.variables:
        if variable.joint.single:
            i, (low, high) = variable.q, robot.limits[variable.rate]
            step = share * {"prismatic": SLIDE, "mode": 0.0}.get(variable.joint.kind, TURN)
            q[i] = np.clip(q[i] + step if low <= q[i] + step <= high else q[i] - step, low, high)
    return q


# --- paths of the end effector -----------------------------------------------------------------------------------


def usual_path(robot: Robot, kind: str) -> UsualPath:
    """A circle or a screw; InputError if the end effector cannot do that."""
    return _once(robot, kind, lambda: _path(planned(robot), kind))


def _path(robot: Robot, kind: str) -> UsualPath:
    if robot.model.end_effector is None:
        raise InputError(f"{robot.name} has several tips: choose one as the end effector, in the tab Frame pose")
    if robot.nq != robot.dof and not is_closed(robot):
        raise InputError(
            f"{robot.name} has joints with quaternions, such as a floating base, so its end effector cannot be led "
            f"along a {kind}; choose another motion"
        )
    begins = [(begin, whole_pose(robot, begin)) for begin in _beginnings(robot)]
    trouble = ""
    for candidates in (_on_the_spot, _about_own_axes):
        for begin, q in begins:
            for paths in candidates(robot, q, kind):
                found, why = _largest(robot, kind, begin, paths)
                if found is not None:
                    return UsualPath(begin, found)
                trouble = trouble or why
    what = {"circle": "cannot move along a circle", "screw": "cannot turn about an axis"}[kind]
    one = ": it moves along one curve only" if robot.model.mobility == 1 else ""
    why = f" ({trouble})" if trouble and not one else ""
    raise InputError(
        f"{robot.model.end_effector}, the end effector of {robot.name}, {what} from the initial pose{one}{why}; choose "
        "another motion, or another end effector in the tab Frame pose"
    )


def _largest(robot: Robot, kind: str, begin: Numbers, paths: list[PathPlan]) -> tuple[PathPlan | None, str]:
    """The first of these paths, which become smaller, that the robot can follow; none if it cannot follow the last."""
    trouble = ""
    for path in (paths[-1], *paths):
        try:
            motion = MotionPlan(kind, begin, (), 1.0, path=path).motion(robot)
            robot.inverse_dynamics(*motion(np.linspace(0.0, 1.0, INSTANTS)))
        except RedynError as error:
            trouble = str(error)
            if path is paths[-1]:
                break
        else:
            if path is not paths[-1] or len(paths) == 1:
                return path, ""
            trouble = ""
    return (None, trouble) if trouble else (paths[-1], "")


def _beginnings(robot: Robot) -> Iterator[Numbers]:
    """The initial pose; for robots without loops, bent ones as well, since that is often singular."""
    own = entries(robot)
    yield tuple(robot.initial[own.q].tolist())
    if is_closed(robot) or robot.nq != robot.dof:
        return
    for sign in (1.0, -1.0):
        bent = np.resize(BENT, robot.dof) * sign
        slides = np.array([link.joint.kind == "prismatic" for link in robot.model.driven])
        q = np.clip(robot.initial + np.where(slides, 0.1, bent), robot.limits[:, 0], robot.limits[:, 1])
        yield tuple(q.tolist())


def _on_the_spot(robot: Robot, q: Array, kind: str) -> Iterator[list[PathPlan]]:
    """Circles and screws that can begin at a pose, as they become smaller."""
    tip = robot.forward_kinematics(q)[:3, 3]
    V = robot.jacobian(q) @ robot.transmission(q)
    if _is_singular(robot, V):
        return
    size = reach(robot)
    if kind == "circle":
        for axis, towards in _planes(robot, V, tip):
            radii = [round_number(share * RADIUS * size, up=False) for share in SHARES]
            yield [PathPlan(_rounded(tip + r * towards, size), _row(axis), 2 * np.pi) for r in radii]
    else:
        for axis, along in _axes(robot, V):
            steps = [(share * ANGLE, round_number(share * ADVANCE * size, up=False)) for share in SHARES]
            yield [PathPlan(_rounded(tip, size), _row(axis), turn, step if along else 0.0) for turn, step in steps]


def _about_own_axes(robot: Robot, q: Array, kind: str) -> Iterator[list[PathPlan]]:
    """Turns about the axes of links, as of the first joint of an arm; or the circle of a pin between two links."""
    tip = robot.forward_kinematics(q)[:3, 3]
    if kind == "circle" and is_closed(robot) and robot.model.mobility == 1 and entries(robot).way != "project":
        yield from _only_circle(robot, q)
    for column in (robot.jacobian(q) @ robot.transmission(q)).T:
        turn = float(np.linalg.norm(column[:3]))
        if turn > 1e-6 and np.linalg.norm(column[3:]) > 1e-6:
            axis = _clean(column[:3] / turn)
            arm = np.asarray(np.cross(axis, column[3:]), dtype=np.float64) / turn
            centre = _clean(tip + arm)
            yield [PathPlan(_row(centre), _row(axis), share * TURN) for share in SHARES]


def _only_circle(robot: Robot, q: Array) -> Iterator[list[PathPlan]]:
    """The circle through three points of the one curve that the end effector moves along."""
    slider, at = entries(robot).qd[0], entries(robot).q[0]
    try:
        near = [moved(robot, q, slider, float(q[at]) + step) for step in (-NEAR, NEAR)]
    except RedynError:
        return
    tip, *others = (robot.forward_kinematics(x)[:3, 3] for x in (q, *near))
    a, b = (other - tip for other in others)
    normal = np.cross(a, b)
    if np.linalg.norm(normal) < 1e-9 * max(float(a @ a), float(b @ b), 1e-12):
        return
    centre = tip + np.cross((a @ a) * b - (b @ b) * a, normal) / (2 * (normal @ normal))
    axis = _clean(np.abs(_nearest_axis(normal, np.zeros(3))) if _is_axis(normal) else normal / np.linalg.norm(normal))
    for sign in (1.0, -1.0):
        yield [PathPlan(_row(_clean(centre)), _row(axis), sign * share * TURN) for share in SHARES]


def _is_axis(direction: Array) -> bool:
    """Whether it is along x, y or z."""
    return int(np.sum(np.abs(direction) > 1e-9 * np.abs(direction).max())) == 1


def _is_singular(robot: Robot, V: Array) -> bool:
    """Whether an arm can move less at a pose than it usually can."""
    if is_closed(robot):
        return False
    usual = robot.jacobian(np.array([robot.random(seed) for seed in range(4)]))
    counts = [_span(matrix).shape[1] for matrix in usual]
    return _span(V).shape[1] < max(counts)


def _planes(robot: Robot, V: Array, tip: Array) -> Iterator[tuple[Array, Array]]:
    """Axes of circles that the end effector can begin, and directions to their centres."""
    ways = _span(V[3:])
    if V.shape[1] > ways.shape[1]:  # the attitude is kept
        ways = _span(V[3:] @ null_space(V[:3]))
    if ways.shape[1] < 2:
        return
    up = _up(robot)
    normals = [up, *(np.roll(up, k) for k in (1, 2))] if ways.shape[1] > 2 else [np.cross(ways[:, 0], ways[:, 1])]
    for normal in normals:
        axis = _clean(normal / np.linalg.norm(normal))
        axis = axis if axis[int(np.abs(axis).argmax())] > 0 else _clean(-axis)
        inward = -(tip - axis * (tip @ axis))
        if np.linalg.norm(inward) < 1e-3 * max(reach(robot), 1e-9):
            inward = np.cross(axis, np.roll(np.abs(axis), 1))
        inward = _nearest_axis(inward, axis)
        yield axis, inward
        yield axis, -inward


def _axes(robot: Robot, V: Array) -> Iterator[tuple[Array, bool]]:
    """Axes about which the end effector can turn on the spot, and whether it can move along them."""
    basis, up, turns = _span(V), _up(robot), _span(V[:3])
    candidates = [up, *(np.roll(up, k) for k in (1, 2))]
    if turns.shape[1] == 1:
        candidates = [_clean(turns[:, 0] * np.sign(turns[:, 0].sum() or 1.0))]

    def possible(twist: Array) -> bool:
        return float(np.linalg.norm(twist - basis @ (basis.T @ twist))) < 1e-6

    for axis in candidates:
        if possible(np.concatenate([axis, np.zeros(3)])):
            yield axis, possible(np.concatenate([np.zeros(3), axis]))


def _span(V: Array) -> Array:
    """Directions that the columns reach, orthonormal."""
    U, values, _ = np.linalg.svd(V, full_matrices=False)
    return U[:, values > max(LEAST * float(values.max(initial=0.0)), 1e-9)]


def _up(robot: Robot) -> Array:
    """The world axis nearest to the opposite of gravity; z without gravity."""
    pull = robot.gravity
    return np.abs(_nearest_axis(pull, np.zeros(3))) if pull.any() else np.array([0.0, 0.0, 1.0])


def _nearest_axis(direction: Array, across: Array) -> Array:
    """The world axis, with its sign, nearest to a direction, across another; the direction itself if none is across."""
    square = [k for k in range(3) if abs(across[k]) < 1e-9]
    if not square:
        return direction / np.linalg.norm(direction)
    k = max(square, key=lambda k: abs(direction[k]))
    return np.eye(3)[k] * (1.0 if direction[k] >= 0 else -1.0)


def _clean(values: Array) -> Array:
    """Without the rounding of zeros and ones."""
    near = np.round(values)
    return np.where(np.abs(values - near) < 1e-12, near, values) + 0.0


def _rounded(point: Array, size: float) -> Numbers:
    digits = 5 + max(0, int(np.ceil(-np.log10(max(size, 1e-9)))))
    return _row(np.round(point, digits) + 0.0)


def _row(values: Array) -> Numbers:
    return tuple(float(x) for x in values)
