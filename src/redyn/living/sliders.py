"""The numbers of a robot that a page leaves open, each with the range of its slider."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from redyn.description.parameters import DRIVES, LENGTHS, Parameter, free_parameters
from redyn.kinematics.shape import reach
from redyn.model.build import ordered
from redyn.robot import Robot
from redyn.robot.free import FreeRobot

Array = NDArray[np.float64]

MANY = 12  # joints; of a robot with more, lengths and damping stay as they are
DAMPED = ("revolute", "prismatic", "helical")
NONE = 1e-9  # m: shorter lengths are zeros of the file, and stay so
MASSES, LENGTHS_SHOWN, MOST = (0.1, 3.0), (0.4, 2.0), 25.0  # ranges, as shares of the nominal value; m/s^2
SLOWING = 6.0  # rad/s: damping up to this, times the inertia that the joint moves


class Slider(NamedTuple):
    """A free parameter as the page shows it."""

    name: str
    group: str
    unit: str
    low: float
    high: float


def freed(robot: Robot) -> FreeRobot:
    """The robot with the numbers left open that a page has sliders for; one that has such already keeps them.

    >>> import redyn
    >>> freed(redyn.load("one-link")).parameter_names
    ('link1.mass', 'link1.a', 'joint1.damping', 'gravity.x', 'gravity.y', 'gravity.z', 'payload.m')
    """
    if isinstance(robot, FreeRobot):
        return robot
    description = robot.description
    links = ordered(description.links)
    bending = [link.flexible for link in links if link.flexible is not None]
    names: list[str] = []
    if not any(beam.load.kind == "carried" for beam in bending):  # these modes are computed with the masses
        names += [f"{link.name}.mass" for link in links if link.mass and robot.model.frames[str(link.name)].link]
    moving = [link for link in links if link.joint.type != "fixed"]
    if robot.dof <= MANY:
        if not (bending or description.loops or description.rolling):  # decided when these are loaded
            patterns = [f"*.{field}" for field in LENGTHS[description.convention]]
            ends = {*(str(link.name) for link in moving), robot.model.end_effector}
            found = free_parameters(description, patterns, links)
            names += [length.name for length in found if abs(length.nominal) > NONE and length.link in ends]
        if robot.to_data()["friction"]:
            names += [f"{link.joint.name}.damping" for link in moving if link.joint.type in DAMPED]
    carries = ["payload.m"] if robot.model.end_effector is not None else []
    return robot.free(*names, "gravity", *carries)


def sliders(robot: FreeRobot) -> list[Slider]:
    """In the order of the parameters."""
    joints = joint_inertias(robot)
    scales = {"mass": robot.total_mass, "reach": reach(robot)}
    names = [str(name) for name in robot.parameter_names]
    parameters = free_parameters(robot.description, names, ordered(robot.description.links))
    nominal = dict(zip(names, robot.nominal_parameters.tolist(), strict=True))
    kinds = {str(link.joint.name): link.joint.type for link in robot.description.links}
    return [_slider(p, nominal[p.name], scales, joints, kinds) for p in parameters]


def joint_inertias(robot: FreeRobot) -> dict[str, float]:
    """By the names of joints, the most that each moves with the others locked, over some positions: the diagonal of M.

    Of the tree, if loops are closed or wheels roll.
    """
    rng, tree = np.random.default_rng(0), robot.tree
    states = np.array([robot.initial, *(tree.random(rng) for _ in range(50))])
    most = tree.mass_matrix(states).diagonal(axis1=1, axis2=2).max(axis=0)
    found: dict[str, float] = {}
    for link, inertia in zip(tree.model.driven, most.tolist(), strict=True):
        name = link.joint.name
        if link.joint.kind != "mode":
            found[name] = max(inertia, found.get(name, 0.0))
    return found


def _slider(
    p: Parameter, nominal: float, scales: dict[str, float], joints: dict[str, float], kinds: dict[str, str]
) -> Slider:
    whole, size = scales["mass"], scales["reach"]
    turns = kinds.get(p.owner) != "prismatic"
    if p.group == "gravity":
        return Slider(p.name, "Gravity", "m/s²", -MOST, MOST)
    if p.group == "payload":
        return _payload(p, whole, size)
    if p.group == "length":
        return Slider(p.name, "Lengths", "m", *_around(nominal, LENGTHS_SHOWN, size / 4))
    if p.field in DRIVES:
        own = joints.get(p.owner, max(joints.values(), default=1.0))  # one that follows another has none of its own
        most = own * {"damping": SLOWING, "coulomb": 10.0, "armature": 1.0, "stiffness": 50.0}[p.field]
        units = {"damping": ("Nms/rad", "Ns/m"), "armature": ("kg m²", "kg"), "stiffness": ("Nm/rad", "N/m")}
        unit = units.get(p.field, ("Nm", "N"))[0 if turns else 1]
        groups = {"damping": "Damping", "coulomb": "Coulomb friction", "armature": "Armature", "stiffness": "Springs"}
        return Slider(p.name, groups[p.field], unit, 0.0, rounded(max(most, 3 * nominal)))
    if p.field == "mass":
        low, high = (MASSES[0] * nominal, MASSES[1] * nominal) if nominal > 0.0 else (0.0, whole / 4)
        return Slider(p.name, "Masses", "kg", rounded(low), rounded(high))
    if p.field == "inertia":
        most = rounded(max(3 * abs(nominal), 0.01 * whole * size**2))
        return Slider(p.name, "Inertias", "kg m²", 0.0 if p.component in (0, 3, 5) else -most, most)
    return Slider(p.name, "Mass centres", "m", *_around(nominal, (-1.0, 2.0), size / 4))


def _payload(p: Parameter, whole: float, size: float) -> Slider:
    if p.component == 0:
        return Slider(p.name, "Payload", "kg", 0.0, rounded(whole / 5))
    if p.component < 4:
        return Slider(p.name, "Payload", "kg m", -rounded(whole * size / 20), rounded(whole * size / 20))
    most = rounded(whole * size**2 / 100)
    return Slider(p.name, "Payload", "kg m²", 0.0 if p.component in (4, 6, 9) else -most, most)


def _around(nominal: float, shares: tuple[float, float], otherwise: float) -> tuple[float, float]:
    if abs(nominal) <= NONE:
        return -rounded(otherwise), rounded(otherwise)
    low, high = sorted(rounded(share * nominal) for share in shares)
    return low, high


def rounded(x: float) -> float:
    """To two digits, so that ends of ranges read well."""
    return float(f"{x:.2g}")


def slider_data(robot: FreeRobot) -> list[dict[str, Any]]:
    """For JSON, each with a name short enough for a phone."""
    start = shared_start([*robot.joint_names, *robot.link_names])
    return [{**slider._asdict(), "short": slider.name.removeprefix(start)} for slider in sliders(robot)]


def shared_start(names: Sequence[str]) -> str:
    """The word before a separator that all names begin with, if there is one.

    >>> shared_start(["panda_joint1", "panda_finger"]), shared_start(["joint1", "joint2"])
    ('panda_', '')
    """
    first = str(names[0])
    ends = [k + 1 for k, letter in enumerate(first) if letter in "_-/ "]
    return next((first[:k] for k in reversed(ends) if all(str(name).startswith(first[:k]) for name in names)), "")
