"""Examples of robots with legs on the ground: walking, dropped, pushed and standing up, as `redyn walk` shows them.

>>> from redyn.simulation.walking import EXAMPLES
>>> list(EXAMPLES)
['trot', 'crawl', 'biped', 'hexapod', 'drop', 'push', 'stand']
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from redyn.errors import InputError
from redyn.robot import Robot, load
from redyn.simulation.controllers import ReferenceMotion, legged
from redyn.simulation.pushes import Push
from redyn.simulation.result import Run
from redyn.simulation.run import simulate
from redyn.trajectory import Steps, body_shift, redysim_trot, walk
from redyn.trajectory.trot import HEIGHT, LINK

Array = NDArray[np.float64]

KP, KD = 400.0, 40.0  # 1/s^2 and 1/s: errors of joints decay in a tenth of a second
ACCURACY = 1e-5  # rtol; what a walk does hardly depends on it

CRAWL = {
    "period": 2.0,
    "duty": 0.8,
    "stride": 0.24,
    "lift": 0.06,
    "order": ["left-hind-foot", "left-fore-foot", "right-hind-foot", "right-fore-foot"],
}
STEPPING = {"period": 1.6, "duty": 0.65, "stride": 0.4, "lift": 0.05, "order": ["right-foot", "left-foot"]}
TRIPOD = {
    "period": 1.0,
    "duty": 0.6,
    "stride": 0.16,
    "lift": 0.04,
    "order": [
        ["left-front-foot", "right-middle-foot", "left-rear-foot"],
        ["right-front-foot", "left-middle-foot", "right-rear-foot"],
    ],
}
FIRM = {"law": "smooth", "slip": 0.01}  # ground for the quadruped; its own file has the soft one of ReDySim
SOFT_LEGS = 2000.0, 80.0  # kp and kd of legs that give way
HOLDING = [-np.pi / 2, np.arccos(HEIGHT / (2 * LINK)), -2 * np.arccos(HEIGHT / (2 * LINK))]


@dataclass(frozen=True)
class Example:
    """A robot, what it does, and the run in which it does it."""

    title: str
    robot: str
    simulate: Callable[[Robot], Run]


class Walked(NamedTuple):
    """What a run on the ground came to."""

    distance: float  # m, of the base along the ground, from start to end
    height: tuple[float, float]  # m, lowest and highest of the base over where it began
    tilt: float  # rad, the largest turn of the base about a level axis
    slide: float  # m, the farthest that a foot slid from where it had been set down until it was lifted
    depth: float  # m, the deepest that anything sank into the ground
    touched: int  # how many times a contact was set down for more than 0.1 s


def measure(run: Run) -> Walked:
    """What a run on the ground came to: see `Walked`."""
    contacts, robot = run.ground_contacts, run.robot
    if contacts is None:
        raise InputError("the run has no ground: simulate(..., ground=True)")
    up = -robot.gravity / np.linalg.norm(robot.gravity)
    base = robot.forward_kinematics(run.q, robot.link_names[0])
    moved = base[:, :3, 3] - base[0, :3, 3]
    level = moved - np.outer(moved @ up, up)
    upright = np.einsum("nij,j->ni", base[:, :3, :3] @ base[0, :3, :3].T, up) @ up
    slides: list[float] = []
    for k in range(len(contacts.names)):
        loaded = (contacts.forces[:, k] * contacts.normals[:, k]).sum(axis=1) > 0.0
        edges = np.flatnonzero(np.diff(np.concatenate([[False], loaded, [False]]))).reshape(-1, 2)
        for first, last in edges:
            if run.t[last - 1] - run.t[first] > 0.1:
                slides.append(float(np.linalg.norm(contacts.points[last - 1, k] - contacts.points[first, k])))
    return Walked(
        float(np.linalg.norm(level[-1])),
        (float((moved @ up).min()), float((moved @ up).max())),
        float(np.arccos(np.clip(upright, -1.0, 1.0)).max()),
        max(slides, default=0.0),
        float(max(-contacts.gaps.min(), 0.0)),
        len(slides),
    )


def follow(robot: Robot, motion: Steps, ground: Any = True, **options: Any) -> Run:
    """A planned motion followed by computed torque of the joints, from where it begins."""
    q, qd, _ = motion(0.0)
    return simulate(
        robot, q, qd, motion.duration, legged(robot, motion, KP, KD, ground), ground=ground, rtol=ACCURACY, **options
    )


def standing(robot: Robot) -> Array:
    """The quadruped with its feet below its hips."""
    q = robot.initial
    q[:3], q[7:] = (0.0, HEIGHT, 0.0), HOLDING * 4
    return q


def hold(q: Array, rates: int) -> ReferenceMotion:
    """A motion that stays."""
    still = np.zeros(rates)
    return lambda t: (q, still, still)


def _trot(robot: Robot) -> Run:
    q, qd, _ = redysim_trot(0.0)
    return simulate(robot, q, qd, 4.0, legged(robot, redysim_trot, 49.0, 14.0), ground=True, rtol=ACCURACY)


def _crawl(robot: Robot) -> Run:
    return follow(robot, walk(robot, CRAWL, 3, direction=[0, 0, 1], start=standing(robot), margin=0.3), FIRM)


def _biped(robot: Robot) -> Run:
    return follow(robot, walk(robot, STEPPING, 3, margin=1.0))


def _hexapod(robot: Robot) -> Run:
    return follow(robot, walk(robot, TRIPOD, 4))


def _touching_trunk(robot: Robot) -> dict[str, Any]:
    """The firm ground, which the trunk may touch as well."""
    feet = [contact.model_dump(exclude_unset=True) for contact in robot.description.contacts]
    return {**FIRM, "contacts": [*feet, {"link": "trunk", "box": [0.5, 0.06, 1.0]}]}


def _drop(robot: Robot) -> Run:
    q = standing(robot)
    soft = legged(robot, hold(q, robot.dof), *SOFT_LEGS, ground=None)
    fallen = q.copy()
    fallen[1] += 0.3
    return simulate(robot, fallen, np.zeros(robot.dof), 2.5, soft, ground=_touching_trunk(robot), rtol=ACCURACY)


def _push(robot: Robot) -> Run:
    q, ground = standing(robot), _touching_trunk(robot)
    torque = legged(robot, hold(q, robot.dof), KP, KD, ground)
    push = Push("trunk", force=[120.0, 0.0, 0.0], start=0.5, duration=0.1)
    return simulate(robot, q, np.zeros(robot.dof), 2.5, torque, ground=ground, pushes=push, rtol=ACCURACY)


def _stand(robot: Robot) -> Run:
    lowered = body_shift(robot, standing(robot), [0, -0.35, 0], 1.0)
    lying = lowered(1.0)[0]
    return follow(robot, body_shift(robot, lying, [0, 0.35, 0], 2.0), _touching_trunk(robot))


EXAMPLES = {
    "trot": Example("ReDySim's quadruped in its trot, on its soft ground", "quadruped", _trot),
    "crawl": Example("The quadruped walks, one foot at a time", "quadruped", _crawl),
    "biped": Example("The biped walks on flat feet", "biped", _biped),
    "hexapod": Example("The hexapod walks on three feet at a time", "hexapod", _hexapod),
    "drop": Example("The quadruped is dropped from 0.3 m, with legs that give way", "quadruped", _drop),
    "push": Example("The quadruped is pushed from the side: 120 N for 0.1 s", "quadruped", _push),
    "stand": Example("The quadruped stands up", "quadruped", _stand),
}


def example(name: str) -> Run:
    """Simulate an example: see `EXAMPLES`."""
    chosen = EXAMPLES[name]
    return chosen.simulate(load(chosen.robot))
