"""The kinematics panel, without a user interface: a pose to reach and all joint positions that reach it, what a frame
can do at the current pose, and where it can go."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from redyn.description import RobotDescription
from redyn.description.numbers import parse_angle, parse_number
from redyn.description.placement import rpy_rotation
from redyn.description.poses import rpy_angles
from redyn.description.schema import WORLD
from redyn.errors import InputError
from redyn.kinematics import section
from redyn.kinematics.all_solutions import AllSolutions
from redyn.kinematics.manipulability import Manipulability
from redyn.report.plots import turning
from redyn.report.scene import pack_floats, pose_rows, positions_and_quaternions
from redyn.robot import Robot
from redyn.studio.cells import number_text
from redyn.studio.entries import entries, is_closed, planned
from redyn.studio.limits import position_range
from redyn.studio.units import RADIANS, Angles
from redyn.words import counted

Array = NDArray[np.float64]

WAYS = {"rpy": "xyz and rpy", "matrix": "matrix"}
COUNTS = {"pose": "whole pose", "position": "position only"}
NAMES = ("x", "y", "z", "roll", "pitch", "yaw")
UNITS = ("m",) * 3 + ("rad",) * 3
ROWS = ("row1", "row2", "row3")
PLANES = {"": "whole cloud", "xz": "section x, z", "yz": "section y, z", "xy": "section x, y"}
NORMALS = {"xz": (0.0, -1.0, 0.0), "yz": (1.0, 0.0, 0.0), "xy": (0.0, 0.0, 1.0)}
DIGITS = 12  # of a pose in its fields
SKEW = 1e-2  # how far a typed matrix may be from a rotation; the nearest one is taken
SAME = 1e-6  # rad and m: the pose shown is a solution
POINTS, CLOSED_POINTS = 40_000, 200  # of a cloud; of a robot with loops, each of which takes a while
SLAB = 0.03  # thickness of a section, as a share of the cloud's size


@dataclass
class PoseForm:
    """What is typed in the kinematics panel: the pose as six numbers and as a matrix, which follow each other."""

    frame: str = ""
    way: str = "rpy"
    counts: str = ""
    numbers: list[str] = field(default_factory=list[str])
    matrix: list[list[str]] = field(default_factory=list[list[str]])  # three rows of four
    of: str = ""  # the transform of this frame
    seen_from: str = WORLD
    plane: str = ""
    ghosts: bool = True
    handle: bool = True
    ellipsoid: bool = True

    def fit(self, robot: Robot) -> None:
        """Default values for a new robot, without a pose: see `begin`."""
        self.frame = robot.model.end_effector or robot.frame_names[-1]
        self.of, self.seen_from = self.frame, WORLD
        self.counts, self.numbers, self.matrix = "", [], []

    def refit(self, robot: Robot) -> None:
        """Keeps what still fits the robot."""
        if {self.frame, self.of, self.seen_from} - {WORLD, *robot.frame_names}:
            self.fit(robot)

    def begin(self, robot: Robot, q: Array) -> None:
        """Begins with the present pose if there is none yet."""
        if not self.numbers:
            self.counts = "position" if _only_positions(robot, self.frame) else "pose"
            self.use(robot, q)

    def use(self, robot: Robot, q: Array) -> None:
        """Takes the pose of the frame at these joint values."""
        pose = robot.forward_kinematics(q, self.frame)
        self._show_numbers(pose)
        self._show_matrix(pose)

    def follow(self) -> None:
        """Makes the fields that are not shown those of the ones that are, if these are right."""
        try:
            pose = self.pose()
        except InputError:
            return
        if self.way == "rpy":
            self._show_matrix(pose)
        else:
            self._show_numbers(pose)

    def _show_numbers(self, pose: Array) -> None:
        values = (*pose[:3, 3], *rpy_angles(pose[:3, :3]))
        self.numbers = [_text(float(x), k >= 3) for k, x in enumerate(values)]

    def _show_matrix(self, pose: Array) -> None:
        self.matrix = [[_text(float(x)) for x in row] for row in pose[:3]]

    def pose(self) -> Array:
        """The 4x4 pose that is typed; errors name the field."""
        if self.way == "rpy":
            parse = (parse_number,) * 3 + (parse_angle,) * 3
            values = [_value(*each) for each in zip(NAMES, self.numbers, parse, strict=True)]
            pose = rpy_rotation(*values[3:])
            pose[:3, 3] = values[:3]
            return pose
        pose = np.eye(4)
        for i, row in enumerate(self.matrix):
            for j, text in enumerate(row):
                pose[i, j] = _value(f"matrix, row {i + 1}, column {j + 1}", text)
        return _proper(pose)

    def order(self, robot: Robot, q: Array) -> ReachOrder:
        """Arguments of `reach`."""
        if why := unsolved(robot):
            raise InputError(why)
        return ReachOrder(robot.description, self.pose(), self.frame, q.copy(), self.counts)


def unsolved(robot: Robot) -> str:
    """Why there is no inverse kinematics of a robot; empty if there is."""
    if robot.model.contacts:
        return f"No inverse kinematics: {robot.name} is on wheels, which are not solved for. Move it with the sliders."
    if robot.model.gives:
        what = "links bend" if robot.model.flexible else "gears give"
        return (
            f"No inverse kinematics: {what} in {robot.name}, so many shapes reach a pose. Move it with the sliders; in "
            "Python, robot.rigid() has solutions."
        )
    if robot.nq == robot.dof or is_closed(robot):
        return ""
    return (
        f"No inverse kinematics: {robot.name} has joints with quaternions, such as a floating base, which are not "
        "solved for. Move it with the sliders."
    )


def _text(x: float, angle: bool = False) -> str:
    return number_text(x, True) if angle else number_text(round(x, DIGITS) + 0.0)


def _value(where: str, text: str, parse: Callable[[str], float] = parse_number) -> float:
    try:
        value = parse(text.strip() or "nothing")
    except ValueError as error:
        raise InputError(f"{where}: {error if text.strip() else 'empty; write a number'}") from None
    if abs(value) > 1e6:
        raise InputError(f"{where}: expected a number up to 1e6, got {text.strip()}")
    return value


def _proper(pose: Array) -> Array:
    """With the nearest rotation: matrices are typed with a few digits."""
    R = pose[:3, :3]
    u, _, v = np.linalg.svd(R)
    nearest = u @ v
    if np.linalg.det(nearest) < 0 or np.abs(R - nearest).max() > SKEW:
        raise InputError(
            "matrix: its first three columns are not those of a rotation: they must be perpendicular to each other, of "
            "length 1, and right-handed"
        )
    pose[:3, :3] = nearest
    return pose


def _only_positions(robot: Robot, frame: str) -> bool:
    """Whether the joints have nothing left once the position is given, as for a planar arm with two of them."""
    if unsolved(robot) or robot.model.loops or robot.dof > 3:
        return False
    somewhere = robot.initial + 0.3 * np.arange(1, robot.dof + 1)
    return int(np.linalg.matrix_rank(robot.jacobian(somewhere, frame)[3:], 1e-6)) == robot.dof


FULL, POSITION = np.ones(6, dtype=bool), np.array([False, False, False, True, True, True])
NEAR = 1.0  # rad and m: a joint that moves further has jumped
PARTS = (1.0, 0.5, 0.2, 0.05)  # of the way to a place that cannot be reached
FAR = "The frame can go no further that way."


def drawn_to(robot: Robot, q: Array, frame: str, place: Array) -> tuple[Array, str]:
    """Joint values that bring a frame to a place without a jump, its attitude kept if possible; else part of the way.

    The text says if it is only part of it.
    """
    here = robot.forward_kinematics(q, frame)
    for part in PARTS:
        wanted = here.copy()
        wanted[:3, 3] += part * (place - here[:3, 3])
        for mask in (FULL, POSITION):
            found = robot.inverse_kinematics(wanted, frame, q, mask=mask, tolerance=1e-8, count=1, tries=1)
            if found and np.abs(robot.difference(q, found[0].q)).max() < NEAR:
                return found[0].q, "" if part == 1.0 else FAR
    return q, FAR


# --- all solutions -----------------------------------------------------------------------------------------------


class ReachOrder(NamedTuple):
    """A pose to reach, as plain data."""

    robot: RobotDescription
    pose: Array
    frame: str
    start: Array
    counts: str


def reach(report: Callable[[float, str], None], order: ReachOrder) -> Reached:
    """All joint positions that bring the frame to the pose."""
    report(0.0, "solving")
    mask = None if order.counts == "pose" else [False] * 3 + [True] * 3
    return Reached(order, Robot(order.robot).inverse_kinematics_all(order.pose, order.frame, order.start, mask=mask))


class Reached(NamedTuple):
    """A pose and the joint positions that reach it."""

    order: ReachOrder
    found: AllSolutions

    @property
    def sentence(self) -> str:
        """How many there are, where they come from, and why there are none."""
        found = self.found
        if not len(found):
            return f"Not reachable: {found.reason}"
        inside = int(found.within.sum())
        count = f"{counted(len(found), 'solution')}, {found.how}"
        if inside == len(found):
            return f"{count}."
        limits = f"{inside or 'none'} within the joint limits"
        return f"{count}; {limits}{f': {found.reason}' if found.reason and not inside else ''}."

    def rows(self, robot: Robot, angles: Angles = RADIANS) -> list[dict[str, Any]]:
        """Data for solutions.js: joint values as text, and what is to be said of each."""
        at, turns, bounds = entries(robot).q, _turning_coordinates(robot), position_range(robot)
        names = robot.coordinate_names
        rows: list[dict[str, Any]] = []
        for q, within, free in zip(self.found.solutions, self.found.within, self.found.free, strict=True):
            beyond = [names[i] for i in np.flatnonzero(bounds.beyond(q[None])[0])]
            said = [f"free: {', '.join(free)}"] if free else []
            said += [] if within else [f"beyond limits: {', '.join(beyond)}"]
            values = [_shown(q[i], turns[i], angles) for i in at]
            rows.append({"values": values, "note": "; ".join(said), "within": bool(within)})
        return rows

    def ghosts(self, robot: Robot) -> list[list[list[float]]]:
        """Poses of the moving links for each solution, as the viewer wants them."""
        if not len(self.found):
            return []
        rows = (pose_rows(robot, q) for q in self.found.solutions)
        return [[[round(x, 6) for x in row] for row in each] for each in rows]

    def at(self, q: Array) -> int:
        """Which solution these joint values are; -1: none."""
        if not len(self.found):
            return -1
        apart = np.abs(self.found.solutions - q).max(axis=1)
        return int(apart.argmin()) if apart.min() < SAME else -1


def _shown(x: float, turns: bool, angles: Angles) -> str:
    if turns:
        return f"{_rounded(x * angles.factor, angles.digits)}{angles.sign}"
    return f"{_rounded(x, 3)} m"


def _rounded(x: float, digits: int) -> str:
    return f"{round(float(x), digits) + 0.0:.{digits}f}"  # no -0.0


def _turning_coordinates(robot: Robot) -> list[bool]:
    """For each entry of q, whether it is an angle."""
    turns = turning(robot, "coordinates")
    found = [False] * robot.nq
    for variable in robot.model.variables:
        if variable.joint.single:
            found[variable.q] = turns[variable.rate]
    return found


# --- at the current pose -----------------------------------------------------------------------------------------


def _noiseless(x: float) -> float:
    return 0.0 if abs(x) < 1e-9 else float(x)


class Abilities(NamedTuple):
    """Of a frame at a pose. `measures` is None for robots with loops."""

    jacobian: Array
    measures: Manipulability | None

    @property
    def sentence(self) -> str:
        at = self.measures
        if at is None:
            return (
                "Manipulability is not computed for robots with loops; the bar below the sliders shows how near they "
                "are to singular."
            )
        along, about = (", ".join(f"{_noiseless(x):.3g}" for x in part.radii) for part in (at.translation, at.rotation))
        return (
            f"Manipulability {_noiseless(float(at.index)):.3g}. Half axes of the ellipsoid at unit joint rates: "
            f"{along} m/s; of that of rotation: {about} rad/s."
        )

    @property
    def share(self) -> float | None:
        """How far the pose is from a singular one, 0 to 1."""
        return None if self.measures is None else float(self.measures.regularity)

    @property
    def singular(self) -> str:
        """What is nearly singular."""
        return "" if self.measures is None else self.measures.singular[0]

    def ellipsoid(self, centre: Array) -> dict[str, Any] | None:
        """That of velocities at unit joint rates, for the viewer."""
        if self.measures is None:
            return None
        radii, axes = self.measures.translation.radii, self.measures.translation.axes.copy()
        axes[:, 2] *= np.sign(np.linalg.det(axes))
        turn = np.eye(4)
        turn[:3, :3] = axes
        quaternion = positions_and_quaternions(turn[None, None])[0, 0, 3:]
        return {"centre": centre.tolist(), "radii": radii.tolist(), "quaternion": quaternion.tolist()}


def abilities(robot: Robot, q: Array, frame: str) -> Abilities:
    """The first call for a robot and frame takes a fraction of a second; for robots with loops it would be a minute."""
    closed = bool(robot.model.loops)
    return Abilities(robot.jacobian(q, frame), None if closed else robot.manipulability(q, frame))


def transform(robot: Robot, q: Array, of: str, seen_from: str) -> Array:
    """The 4x4 pose of a frame in the axes of another; either may be the world."""
    there, here = (0 if name == WORLD else name for name in (of, seen_from))
    return robot.transform(q, there, here)


# --- where the frame can go --------------------------------------------------------------------------------------


class CloudOrder(NamedTuple):
    robot: RobotDescription
    frame: str


class Cloud(NamedTuple):
    """Points that a frame reaches."""

    order: CloudOrder
    points: Array
    base: Array
    reach: tuple[float, float]

    @property
    def sentence(self) -> str:
        least, most = self.reach
        box = [f"{name} from {low:.3g} to {high:.3g}" for name, low, high in zip("xyz", *self._box, strict=True)]
        return (
            f"{len(self.points):,} random positions within the joint limits: {', '.join(box)} m; from {least:.3g} to "
            f"{most:.3g} m away from the first joint."
        )

    @property
    def _box(self) -> tuple[Array, Array]:
        return self.points.min(axis=0), self.points.max(axis=0)

    def data(self, plane: str) -> dict[str, Any]:
        """For the viewer: the whole cloud, or a slab of it about a plane through the first joint."""
        points = self.points
        if plane in NORMALS:
            size = max(float(np.ptp(points, axis=0).max()), 1e-6)
            points = points[section(points, self.base, NORMALS[plane], SLAB * size)[1]]
        return {"points": pack_floats(points), "flat": plane in NORMALS}


def cloud(report: Callable[[float, str], None], order: CloudOrder) -> Cloud:
    report(0.0, "computing the workspace")
    robot = planned(Robot(order.robot))
    slow = bool(robot.model.loops)
    found = robot.workspace(order.frame, samples=CLOSED_POINTS if slow else POINTS)
    return Cloud(order, found.points, found.base, found.reach)
