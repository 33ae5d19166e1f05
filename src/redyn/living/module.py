"""The dynamics of a page as a JavaScript module: what it shows, and what its motion, drawing and dragging need."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from redyn.evaluate.ground import Ground
from redyn.robot.free import FreeRobot
from redyn.symbolic.export.functions import Example, Function, examples, functions
from redyn.symbolic.export.javascript import javascript
from redyn.symbolic.loops.states import random_state

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
CLOSED = ("transmission", "projection", "completion", "loop_error")  # of robots with closed loops
STANDING = "forward_dynamics_on_ground"
FEET, SINK = 4, 4e-3  # m, by which a robot sinks in that stands on so many feet
SLIP, DAMPED = 0.05, 0.3  # m/s, at which friction is full; of the motion up and down
STATES = 3  # at which each function is compared with the library


def module(robot: FreeRobot, tick: Callable[[str], None] = lambda _: None) -> str:
    """The text of the module: the exported functions of a robot, as `redyn export --lang js` writes them."""
    made = functions(robot, names(robot), tick=tick)
    tick("expected results")
    rng = np.random.default_rng(0)
    closed = [random_state(robot, rng) for _ in range(STATES)] if robot.loops else []
    known = [examples(robot, function, count=STATES, closed=closed) for function in made]
    tick("link_motion")
    [whole] = functions(robot, "link_motion")
    example = examples(robot, whole, count=STATES, closed=closed)
    for name, inputs, outputs in (("link_poses", ["q"], 1), ("link_twists", ["q", "qd"], 2)):
        part, of_part = _part(whole, example, name, inputs, outputs)
        made.append(part)
        known.append(of_part)
    ground = standing(robot)
    if ground is not None:
        tick(STANDING)
        [whole] = functions(robot, "forward_dynamics", ground=ground.form)
        made.append(replace(whole, name=STANDING))
        known.append(examples(robot, whole, count=STATES, ground=ground.numbers))
    return javascript(robot, made, known)


def standing(robot: FreeRobot) -> Ground | None:
    """The ground below a robot with contacts; None without, or if its height is given on a grid.

    It is soft, so that motions can be integrated in real time: the smooth law, with numbers from the robot's weight.
    """
    if not robot.model.contact_points or robot.model.contacts:
        return None
    weight = max(robot.total_mass * float(np.linalg.norm(robot.gravity)), 1e-6)
    given = {"law": "smooth", "stiffness": weight / (FEET * SINK), "slip": SLIP}
    ground = robot.ground({**given, "dissipation": DAMPED / math.sqrt(SINK)})
    return ground if ground.compiled else None


def names(robot: FreeRobot) -> list[str]:
    """The algorithms of the catalogue that a page has; `link_motion` is there in parts."""
    model = robot.model
    other = {"coriolis_matrix_mci": "coriolis_matrix_christoffel"} if model.flexible else {}  # of the book: rigid links
    found = [
        other.get(name, name) for name in SHOWN if not (model.contacts and name == "friction_torque")
    ]  # it depends on q there
    found += ["forward_kinematics"] if model.end_effector is not None else []
    found += ["coordinate_rates"] if model.contacts or model.quaternions else []
    found += ["solve"] if model.contacts else []
    return [*found, *(CLOSED if model.loops else ())]


def _part(
    whole: Function, example: Example, name: str, wanted: Sequence[str], outputs: int
) -> tuple[Function, Example]:
    """The first results of a function, which need only some of its inputs."""
    kept = [k for k, a in enumerate(whole.inputs) if a.name in (*wanted, "parameters")]
    program = whole.program.leading(outputs)
    ops = tuple(op._replace(a=kept.index(op.a)) if op.name == "input" else op for op in program.ops)
    narrow = replace(program, inputs=tuple(program.inputs[k] for k in kept), ops=ops)
    inputs, results = tuple(whole.inputs[k] for k in kept), whole.outputs[:outputs]
    found = example.outputs[:outputs]
    scales = np.maximum(1.0, np.max([np.abs(out).max(axis=1, initial=0.0) for out in found], axis=0))
    part = replace(whole, name=name, program=narrow, inputs=inputs, outputs=results)
    return part, Example(tuple(example.inputs[k] for k in kept), found, scales)
