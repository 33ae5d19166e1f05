"""Drake and the Robotics Toolbox, where they are installed: the mass matrix, gravity torques and mass centre of a URDF.

Both are asked about robots all of whose joints have one coordinate; of others, whether they take the file.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redyn.errors import RedynError
from redyn.robot import Robot
from redyn.verify.peers import joint_names

Array = NDArray[np.float64]
Answers = dict[str, Array]
Answer = Callable[[Array], Answers]


@dataclass(frozen=True)
class Other:
    """A program that reads files; `read` gives its number of degrees of freedom and its answers at redyn's q."""

    name: str
    module: str
    package: str
    formats: tuple[str, ...]
    limits: str  # of which robots it is not asked more than whether it takes the file
    read: Callable[[Path, Robot | None], tuple[int, Answer | None]]


def _single(robot: Robot | None) -> list[str] | None:
    """The joints of a robot all of whose joints have one coordinate, in redyn's order."""
    if robot is None or robot.loops or robot.nq != robot.dof:
        return None
    names = joint_names(robot)
    return names if len(names) == robot.dof else None


def _order(program: str, theirs: Sequence[str], ours: Sequence[str]) -> list[int]:
    """For each of our joints, its index among theirs."""
    if sorted(theirs) != sorted(ours):
        raise RedynError(f"{program} has the joints {', '.join(theirs)}, redyn {', '.join(ours)}")
    return [theirs.index(name) for name in ours]


def _drake(file: Path, robot: Robot | None) -> tuple[int, Answer | None]:
    plants: Any = importlib.import_module("pydrake.multibody.plant")
    parsing: Any = importlib.import_module("pydrake.multibody.parsing")
    plant = plants.MultibodyPlant(0.0)  # without a scene, so that shapes are not read
    instance, *_ = parsing.Parser(plant).AddModels(str(file))
    names = _single(robot)
    if names is None or robot is None:
        plant.Finalize()
        return int(plant.num_velocities()), None
    root = plant.get_body(next(iter(plant.GetBodyIndices(instance))))
    if root.name() != "world" and not any(joint.child_body() == root for joint in _joints(plant)):
        plant.WeldFrames(plant.world_frame(), root.body_frame())
    plant.mutable_gravity_field().set_gravity_vector(robot.gravity)
    plant.Finalize()
    single = [joint for joint in _joints(plant) if joint.num_velocities() == 1]
    moving = {str(joint.name()): int(joint.velocity_start()) for joint in single}
    theirs = sorted(moving, key=lambda name: moving[name])
    order = _order("Drake", theirs, [name.rpartition("::")[2] for name in names])  # models of SDF have their own
    context = plant.CreateDefaultContext()

    def answer(q: Array) -> Answers:
        positions = np.empty(len(q))
        positions[order] = q
        plant.SetPositions(context, positions)
        M = plant.CalcMassMatrix(context)[np.ix_(order, order)]
        armature = np.array([float(link.joint.armature) for link in robot.model.driven])  # pyright: ignore[reportArgumentType]
        gravity = -plant.CalcGravityGeneralizedForces(context)[order]
        return {"mass_matrix": M + np.diag(armature - _reflected(plant, order)), "gravity_torque": gravity}

    return int(plant.num_velocities()), answer


def _parents(robot: Robot) -> list[int]:
    return [link.parent for link in robot.model.links]


def _joints(plant: Any) -> list[Any]:
    return [plant.get_joint(index) for index in plant.GetJointIndices()]


def _reflected(plant: Any, order: list[int]) -> Array:
    """The rotor inertia that Drake has read itself, for each of our joints."""
    felt = np.zeros(plant.num_velocities())
    for index in plant.GetJointActuatorIndices():
        actuator = plant.get_joint_actuator(index)
        felt[actuator.joint().velocity_start()] = actuator.default_rotor_inertia() * actuator.default_gear_ratio() ** 2
    return felt[order]


def _toolbox(file: Path, robot: Robot | None) -> tuple[int, Answer | None]:
    rtb: Any = importlib.import_module("roboticstoolbox")
    theirs = rtb.Robot.URDF(str(file.resolve()))
    names = _single(robot)
    if names is None or robot is None or len(set(_parents(robot))) < robot.dof:
        return int(theirs.n), None
    links = sorted((link for link in theirs.links if link.isjoint), key=lambda link: link.jindex)
    order = _order("The Robotics Toolbox", [str(link._joint_name or link.name) for link in links], names)
    # Its sign of gravity has changed between versions; that of its own default tells.
    gravity = np.asarray(robot.gravity) * -np.sign(float(np.asarray(theirs.gravity).ravel()[2]))

    def answer(q: Array) -> Answers:
        at = np.empty(len(q))
        at[order] = q
        zero = np.zeros(len(q))
        hold = np.asarray(theirs.rne(at, zero, zero, gravity=gravity)).ravel()
        columns = [np.asarray(theirs.rne(at, zero, unit, gravity=0 * gravity)).ravel() for unit in np.eye(len(q))]
        return {"gravity_torque": hold[order], "mass_matrix": np.array(columns).T[np.ix_(order, order)]}

    return int(theirs.n), answer


SINGLE = "numbers are compared if all joints have one coordinate"
SERIAL = "numbers are compared if the robot is serial and all joints have one coordinate"  # its rne of trees differs
OTHERS = (
    Other("Drake", "pydrake", "drake", (".urdf", ".sdf", ".xml"), SINGLE, _drake),
    Other("Robotics Toolbox", "roboticstoolbox", "roboticstoolbox-python", (".urdf",), SERIAL, _toolbox),
)
