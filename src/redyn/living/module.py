"""The dynamics of a page as a JavaScript module: what it shows, and the poses of all links."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from redyn.robot.free import FreeRobot
from redyn.symbolic.export.functions import Example, Function, examples, functions
from redyn.symbolic.export.javascript import javascript

SHOWN = (
    "inverse_dynamics",
    "forward_dynamics",
    "mass_matrix",
    "coriolis_matrix_mci",
    "coriolis_vector",
    "gravity_torque",
    "friction_torque",
    "spring_torque",
    "kinetic_energy",
    "potential_energy",
)
POSES = "link_poses"


def module(robot: FreeRobot, tick: Callable[[str], None] = lambda _: None) -> str:
    """The text of the module: the exported functions of a robot, as `redyn export --lang js` writes them."""
    tip = ["forward_kinematics"] if robot.model.end_effector is not None else []
    made = functions(robot, [*SHOWN, *tip], tick=tick)
    known = [examples(robot, function, count=3) for function in made]
    poses = _poses(robot)
    return javascript(robot, [*made, poses], [*known, _examples_of_poses(robot)])


def _poses(robot: FreeRobot) -> Function:
    """The poses of `link_motion` alone, which depend neither on rates nor on accelerations."""
    [whole] = functions(robot, "link_motion")
    kept = [k for k, a in enumerate(whole.inputs) if a.name in ("q", "parameters")]
    program = whole.program.leading(1)
    ops = tuple(op._replace(a=kept.index(op.a)) if op.name == "input" else op for op in program.ops)
    narrow = replace(program, inputs=tuple(program.inputs[k] for k in kept), ops=ops)
    return replace(
        whole, name=POSES, program=narrow, inputs=tuple(whole.inputs[k] for k in kept), outputs=whole.outputs[:1]
    )


def _examples_of_poses(robot: FreeRobot, count: int = 3) -> Example:
    rng = np.random.default_rng(1)
    q = np.array([robot.random(rng) for _ in range(count)])
    nominal = robot.nominal_parameters
    parameters = nominal * rng.uniform(0.9, 1.1, (count, len(nominal)))
    still = np.zeros(robot.dof)
    poses = robot.link_motion(q, still, still, parameters=parameters).pose.reshape(count, -1)
    scales = np.maximum(1.0, np.abs(poses).max(axis=1))
    return Example((q, parameters), (poses,), scales)
