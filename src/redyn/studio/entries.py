"""Which numbers of a robot's state users enter, and the whole state that follows from them.

Of a robot without loops, all of them. Where loops are closed, those of the independent joints (the driven ones, if
they determine the others); the rest is completed. If the independent rates are not those of whole joints with a number
each, as with a floating base, all are entered and the nearest closed state is taken.

Where links bend or gears give, a state has elastic coordinates as well, but motions are those of the joints alone (of
motors): see `guided`. They are planned for the robot with straight links and rigid gears: see `planned`.
"""

from __future__ import annotations

from typing import Literal, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redyn.errors import AssemblyError, InputError
from redyn.kinematics.loops import assembler
from redyn.robot import Robot
from redyn.simulation.joints import Joints
from redyn.studio.coordinates import slid, slider_values

Array = NDArray[np.float64]
Way = Literal["all", "complete", "assemble", "project", "joints"]

STRIDE = 0.1  # rad or m, between poses on the way of a slider


class Entries(NamedTuple):
    """Indices of the numbers that users enter, and the way in which the state is completed."""

    q: list[int]
    qd: list[int]
    tau: list[int]  # of the driven joints
    way: Way

    def names(self, robot: Robot) -> list[str]:
        """Of the entries of q."""
        names = robot.coordinate_names
        return [names[i] for i in self.q]

    def rate_names(self, robot: Robot) -> list[str]:
        names = robot.velocity_names
        return [names[i] for i in self.qd]

    def torque_names(self, robot: Robot) -> list[str]:
        names = robot.torque_names
        return [names[i] for i in self.tau]


def is_closed(robot: Robot) -> bool:
    """Whether it has loops, and they can be closed."""
    return robot.model.closure is not None


def why_open(robot: Robot) -> str:
    """Why a robot with loops cannot be used: they cannot be closed, or nothing moves where they are; or nothing."""
    if robot.model.loops and robot.model.closure is None:
        return robot.notes[-1]
    if is_closed(robot) and not robot.model.mobility:
        return "its loops leave nothing that could move (mobility 0); take one away, or use a joint that holds less"
    return ""


def entries(robot: Robot) -> Entries:
    closure = robot.model.closure
    every = Entries(list(range(robot.nq)), list(range(robot.dof)), robot.driven_rates, "all")
    if closure is None:
        return every
    free = set(closure.independent)
    own = [variable for variable in robot.model.variables if variable.rate in free]
    names = {variable.joint.name for variable in own}
    whole = {variable.rate for variable in robot.model.variables if variable.joint.name in names}
    if len(own) != len(free) or not all(variable.joint.single for variable in own) or whole != free:
        return every._replace(way="project")
    way: Way = "complete" if sorted(free) == robot.driven_rates else "assemble"
    return every._replace(q=[variable.q for variable in own], qd=[variable.rate for variable in own], way=way)


def why_undriven(robot: Robot) -> str:
    """Why no motion of the joints of a robot whose links bend or whose gears give can be planned; empty if one can."""
    if not robot.model.gives:
        return ""
    try:
        joints = Joints(robot, "motion")
    except InputError:
        what = "loops" if robot.model.loops else "wheels" if robot.model.contacts else "joints of several axes"
        bends = "links that bend" if robot.model.flexible else "elastic gears"
        return f"{robot.name} has {bends} and {what}, and its joints cannot be driven along a motion"
    return "" if joints.count else f"{robot.name} has no joint that could be driven along a motion"


def guided(robot: Robot) -> Entries:
    """The numbers of a motion: as `entries`, but where links bend or gears give, those of the joints (of motors)."""
    if not robot.model.gives or why_undriven(robot):
        return entries(robot)
    joints = Joints(robot, "motion")
    return Entries(joints.places, joints.rates, joints.rates, "joints")


_rigid: WeakKeyDictionary[Robot, Robot] = WeakKeyDictionary()


def planned(robot: Robot) -> Robot:
    """The robot for which paths are planned: where links bend or gears give, with straight links and rigid gears."""
    if not robot.model.gives:
        return robot
    if robot not in _rigid:
        _rigid[robot] = robot.rigid()
    return _rigid[robot]


def straightened(robot: Robot, q: Array) -> Array:
    """The configuration of `planned`, with the links where they are: beyond gears, not at their motors."""
    values = dict(zip(robot.coordinate_names, q.tolist(), strict=True))
    return np.array([values.get(name, values.get(f"{name}.link")) for name in planned(robot).coordinate_names])


def independent_joints(robot: Robot) -> list[str]:
    """The joints of the entries, for `Robot.assemble`."""
    return list(dict.fromkeys(robot.model.driven[i].joint.name for i in entries(robot).qd))


def whole_pose(robot: Robot, values: ArrayLike, near: Array | None = None) -> Array:
    """The configuration of a motion, from the numbers entered; on the branch of `near`, or of the initial one.

    Where links bend or gears give, it is that of the joints alone.
    """
    own, given = guided(robot), np.asarray(values, dtype=np.float64)
    if own.way in ("all", "joints"):
        return given
    if own.way == "complete":
        return robot.complete(given, near=near).q
    if own.way == "project":
        return robot.assemble(given)
    q = robot.initial if near is None else near.copy()
    q[own.q] = given
    return robot.assemble(q, fixed=independent_joints(robot))


def whole_state(robot: Robot, values: ArrayLike, rates: ArrayLike) -> tuple[Array, Array]:
    """q and qd, from the numbers entered."""
    own, given = entries(robot), np.asarray(rates, dtype=np.float64)
    if own.way == "all":
        return np.asarray(values, dtype=np.float64), given
    if own.way == "complete":
        found = robot.complete(values, given)
        return found.q, found.qd
    if own.way == "project":
        return robot.project(values, given)
    q = whole_pose(robot, values)
    return q, robot.transmission(q) @ given


def whole_torque(robot: Robot, values: ArrayLike) -> Array:
    """With zeros for the passive joints: the last axis has an entry per driven joint."""
    given = np.asarray(values, dtype=np.float64)
    tau = np.zeros((*given.shape[:-1], len(robot.torque_names)))
    tau[..., entries(robot).tau] = given
    return tau


def moved(robot: Robot, q: Array, slider: int, value: float) -> Array:
    """A closed configuration with one slider moved and the other independent joints where they are, on the same branch.

    AssemblyError where the loops do not reach.
    """
    own, solver = entries(robot), assembler(robot)
    if own.way != "project":
        values = q[own.q]
        values[own.qd.index(slider)] = value
        return solver.follow(q, values[None], own.qd, own.q)[0]
    held = list(robot.model.closure.independent) if robot.model.closure is not None else []
    begin = float(slider_values(robot, q)[slider])
    for part in np.linspace(0.0, 1.0, max(1, int(np.ceil(abs(value - begin) / STRIDE))) + 1)[1:]:
        ahead, gap = solver.close(slid(robot, q, slider, begin + part * (value - begin))[None], held)
        if gap[0] > 1e-9:
            name, apart = solver.widest(ahead[0])
            raise AssemblyError(f"loop {name!r} cannot be closed there: it stays open by {apart}")
        q = ahead[0]
    return q


def towards(robot: Robot, q: Array, slider: int, value: float) -> tuple[Array, str]:
    """The same as far as the loops reach, and why it is no further; empty if it came there."""
    begin = float(slider_values(robot, q)[slider])
    for part in np.linspace(0.0, 1.0, max(1, int(np.ceil(abs(value - begin) / STRIDE))) + 1)[1:]:
        try:
            q = moved(robot, q, slider, begin + part * (value - begin))
        except AssemblyError as error:
            return q, str(error)
    return q, ""


def movable(robot: Robot) -> list[bool]:
    """For every slider, whether it can be moved: those of independent rates, or all if there are no closed loops."""
    closure = robot.model.closure
    return [closure is None or i in closure.independent for i in range(robot.model.tangent)]
