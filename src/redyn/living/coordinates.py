"""What q, qd and tau of a robot are, as a page shows them: names, units, ranges, and what goes with what."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from redyn.dynamics.task import Task
from redyn.kinematics import link_poses
from redyn.kinematics.bending import bends, gears
from redyn.kinematics.shape import body_numbers, joint_places, reach
from redyn.living.sliders import rounded, shared_start
from redyn.model import configuration
from redyn.model.joint import Joint
from redyn.model.model import Variable
from redyn.report.colours import joint_colour
from redyn.robot.free import FreeRobot

Array = NDArray[np.float64]

ANGLES = ("roll", "pitch", "yaw")  # in which a page shows quaternions; its state has the quaternions themselves
FASTEST = 10.0  # rad/s, and reaches per second: ranges of rates
BENT = 2.0  # times what `random` bends links by: range of elastic coordinates
FEET = 4  # on which a robot stands, at most
FIRM = 6.0  # times what they carry: joints of legs are held so that weights bend them by little
PUSHED = 4.0  # rad/s^2 times reaches: torques up to those that weights need, or that accelerate by so much


def layout(robot: FreeRobot, start: Array) -> dict[str, Any]:
    """For motion.js: how q, qd and tau are made, and which of them follow from others."""
    model = robot.model
    closure = model.closure
    plain = not model.contacts and not model.quaternions
    return {
        "plain": plain,  # q-dot is qd
        "quaternions": model.quaternions,
        "closed": bool(model.loops),
        "rows": len(model.rows),
        "rolling": bool(model.contacts),
        "independent": list(range(robot.dof)) if closure is None else list(closure.independent),
        "posed": [link.joint.kind != "mode" for link in model.driven],  # modes are not moved by hand
        "actuators": actuators(robot, start),
        "movers": [model.moved_by(number) for number in model.bodies],
        "elastic": {
            "modes": [place for bend in bends(robot) for place in bend.places],
            "gears": [[gear.motor, gear.link] for gear in gears(robot)],
        },
    }


def coordinates(robot: FreeRobot, start: Array) -> list[dict[str, Any]]:
    """A row for each number of q, three for each quaternion; `index` says where in q."""
    found: list[dict[str, Any]] = []
    widest, size, shared = configuration.spans(robot.model), reach(robot), _shared(robot)
    for variable in robot.model.variables:
        joint, i = variable.joint, variable.q
        common: dict[str, Any] = {
            "colour": joint_colour(variable.rate),
            "rate": variable.rate,
            "mode": joint.kind == "mode",
        }
        if joint.single:
            low, high, limited = _range(robot, variable, float(start[i]), float(widest[variable.rate]), size)
            wraps = turns(joint) and not limited and joint.kind != "mode"
            found.append(
                {
                    **_named(joint.label, shared),
                    **common,
                    "kind": "single",
                    "index": i,
                    "unit": "rad" if turns(joint) else "m",
                    "low": low,
                    "high": high,
                    "limited": limited,
                    "wraps": wraps,
                }
            )
            continue
        if variable.has_position:
            for k, axis in enumerate("xyz"):
                at = float(start[i + k])
                row: dict[str, Any] = {
                    "kind": "single",
                    "index": i + k,
                    "unit": "m",
                    "low": at - 2 * size,
                    "high": at + 2 * size,
                }
                row |= {"colour": joint_colour(variable.rate + 3 + k), "rate": None}
                found.append({**_named(f"{joint.name}.{axis}", shared), **common, **row, **FREELY})
        for axis, name in enumerate(ANGLES):
            row: dict[str, Any] = {"kind": "turn", "index": variable.quaternion.start, "axis": axis, "unit": "rad"}
            half = np.pi / 2 if name == "pitch" else np.pi
            row |= {"low": -half, "high": half, "colour": joint_colour(variable.rate + axis), "rate": None}
            found.append({**_named(f"{joint.name}.{name}", shared), **common, **row, **FREELY})
    return found


FREELY = {"limited": False, "wraps": False}


def rates(robot: FreeRobot) -> list[dict[str, Any]]:
    """A row for each entry of qd."""
    size, shared = reach(robot), _shared(robot)
    return [
        {
            **_named(link.joint.label, shared),
            "unit": "rad/s" if turns(link.joint) else "m/s",
            "force": "Nm" if turns(link.joint) else "N",
            "colour": joint_colour(k),
            "mode": link.joint.kind == "mode",
            "high": rounded(FASTEST * (1.0 if turns(link.joint) else size)),
        }
        for k, link in enumerate(robot.model.driven)
    ]


def torques(robot: FreeRobot, start: Array) -> list[dict[str, Any]]:
    """A row for each entry of tau, with the range of its slider."""
    shared, size = _shared(robot), reach(robot)
    weights = np.abs(robot.gravity_torque(start))
    found: list[dict[str, Any]] = []
    places = {label: k for k, label in enumerate(robot.velocity_names)}
    for k, (link, own) in enumerate(zip(robot.model.actuators, actuators(robot, start), strict=True)):
        most = PUSHED * own["inertia"] * (1.0 if turns(link.joint) else size)
        found.append(
            {
                **_named(link.joint.label, shared),
                "unit": "Nm" if turns(link.joint) else "N",
                "colour": joint_colour(places.get(link.joint.label, k)),
                "actuated": own["actuated"],
                "high": rounded(max(most, 2 * float(weights[k]), 1e-6)),
            }
        )
    return found


def actuators(robot: FreeRobot, start: Array) -> list[dict[str, Any]]:
    """For each entry of tau: whether it is driven, where its joint is in q, and the inertia that it moves."""
    model = robot.model
    places = {variable.joint.label: variable.q for variable in model.variables if variable.joint.single}
    driven = set(robot.driven_rates)
    if not model.contacts:
        driven -= set(model.floating)
    inertias = _inertias(robot, start, places)
    return [
        {"actuated": k in driven, "place": places.get(link.joint.label), "inertia": float(inertias[k])}
        for k, link in enumerate(model.actuators)
    ]


def _inertias(robot: FreeRobot, start: Array, places: dict[str, int]) -> Array:
    """What each actuator moves: the largest diagonal entry of M over some positions, with the others locked.

    Where rates depend on others, the torque for a unit acceleration of its joint at the start. An elastic gear counts
    as rigid.
    """
    model = robot.model
    if not model.contacts and not model.loops:
        rng = np.random.default_rng(0)
        states = np.array([robot.initial, *(robot.random(rng) for _ in range(50))])
        found = robot.mass_matrix(states).diagonal(axis1=1, axis2=2).max(axis=0)
        for link, k in zip(model.driven, range(robot.dof), strict=True):
            if link.joint.motor:
                found[link.joint.motor - 1] += found[k]
        return found + _carried(robot, start)
    count, still = len(model.actuators), np.zeros(robot.dof)
    freely = robot.forward_dynamics(start, still, np.zeros(count))
    found = np.ones(count)
    for k, link in enumerate(model.actuators):
        torque = np.zeros(count)
        torque[k] = 1.0
        faster = robot.forward_dynamics(start, still, torque) - freely
        (moved,) = robot.evaluator(Task("coordinate_rates"), [start, faster])
        place = places.get(link.joint.label)
        response = float(np.asarray(moved).ravel()[place]) if place is not None else float(np.abs(faster).max())
        found[k] = 1.0 / response if response > 1e-9 else robot.total_mass * reach(robot) ** 2
    return found


def _carried(robot: FreeRobot, start: Array) -> Array:
    """What joints of legs lift as well: the robot's mass, shared by its feet, over their distance from the joint."""
    model = robot.model
    found = np.zeros(robot.dof)
    if not model.contact_points:
        return found
    poses, numbers = link_poses(robot, start), body_numbers(robot)
    feet = robot.contact_states(start, np.zeros(robot.dof), ground=True).points
    places = [pose @ [*joint.point, 1.0] for pose, joint in zip(poses[1:], joint_places(robot), strict=True)]
    for foot, contact in zip(feet, model.contact_points, strict=True):
        for i in model.path(contact.link):
            lever = float(np.linalg.norm(foot - places[numbers[i] - 1][:3]))
            for k in model.moved_by(i)[-1:]:
                found[k] = max(found[k], FIRM * robot.total_mass / min(len(feet), FEET) * lever**2)
    return found


def turns(joint: Joint) -> bool:
    """Whether its coordinate is an angle; of modes, whether they are of torsion."""
    return joint.part.startswith("twist") if joint.kind == "mode" else joint.kind != "prismatic"


def _range(robot: FreeRobot, variable: Variable, start: float, widest: float, size: float) -> tuple[float, float, bool]:
    """The range of a slider: the joint's limits, or a turn, or the robot's reach."""
    joint = variable.joint
    if joint.kind == "mode":
        return -BENT * widest, BENT * widest, False
    lowest, highest = robot.limits[variable.rate]
    half = np.pi if turns(joint) else size
    loose = variable.rate in robot.model.floating and not turns(joint)
    low = float(lowest) if np.isfinite(lowest) else -half + (start if loose else 0.0)
    high = float(highest) if np.isfinite(highest) else half + (start if loose else 0.0)
    return min(low, start), max(high, start), bool(np.isfinite([lowest, highest]).any())


def _named(name: str, shared: str) -> dict[str, str]:
    return {"name": name, "short": name.removeprefix(shared)}


def _shared(robot: FreeRobot) -> str:
    return shared_start([*robot.joint_names, *robot.link_names])
