"""Exported functions: algorithms of a robot as programs, with the names and shapes of their arguments and results."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from redyn.dynamics.catalogue import CATALOGUE, DRIVEN, LOOP_ALGORITHMS, ROLLING_ALGORITHMS, SHORT
from redyn.dynamics.driven import undriven_rates
from redyn.dynamics.task import Task
from redyn.errors import InputError
from redyn.kernels.program import Count, Program
from redyn.kernels.trace import trace
from redyn.kinematics.loops import State, closure_of
from redyn.model import GroundForm
from redyn.robot import Robot
from redyn.symbolic.loops.states import random_state

Array = NDArray[np.float64]
Real = Literal["double", "float"]

TOLERANCE: dict[Real, float] = {
    "double": 1e-11,
    "float": 2e-5,
}  # relative to the larger of 1 and the largest entry; times the condition number of M


class Argument:
    """An input or output array: its identifier, shape and meaning."""

    def __init__(self, name: str, shape: tuple[int, ...]) -> None:
        self.name, self.shape = name, shape
        self.width = int(np.prod(shape, dtype=int))


@dataclass(frozen=True)
class Function:
    """An algorithm of a robot, ready for export."""

    name: str
    task: Task
    program: Program
    inputs: tuple[Argument, ...]
    outputs: tuple[Argument, ...]

    @property
    def count(self) -> Count:
        return self.program.count()


def functions(
    robot: Robot,
    what: Iterable[str] | str,
    *,
    link: str | None = None,
    gravity: bool = False,
    payload: bool = False,
    external: Sequence[str] = (),
    ground: GroundForm | None = None,
    tick: Callable[[str], None] = lambda _: None,
) -> list[Function]:
    """The algorithms named by `what`, full or short names (a list, or text with commas), each once.

    `gravity`, `payload`, `external` (names of frames) and the numbers of a `ground` become arguments of those that
    depend on them.
    """
    wanted = what.split(",") if isinstance(what, str) else what
    names = list(dict.fromkeys(_algorithm(name.strip()) for name in wanted if name.strip()))
    if not names:
        raise InputError(f"what: name at least one of {', '.join([*SHORT, *CATALOGUE])}")
    frames = tuple(dict.fromkeys(robot.frame_name(name) for name in external))
    made: list[Function] = []
    for name in names:
        _check_loops(robot, name)
        tick(name)
        made.append(_function(robot, name, link, gravity, payload, frames, ground))
    return made


def _check_loops(robot: Robot, name: str) -> None:
    if name == DRIVEN.name:
        undriven_rates(robot.model)
    if name in ROLLING_ALGORITHMS and not robot.model.contacts:
        raise InputError(f"what: {name} is for robots on wheels; {robot.name} has none")
    if name not in LOOP_ALGORITHMS:
        return
    if not robot.loops:
        raise InputError(f"what: {name} is for robots with closed loops; {robot.name} has none")
    if name == "loop_multipliers" and closure_of(robot).deficient:
        raise InputError(
            f"what: {name}: the rows of {robot.name} are dependent in every position, so that no row has a multiplier "
            "of its own"
        )


def _algorithm(name: str) -> str:
    full = SHORT.get(name, name)
    if full not in CATALOGUE:
        known = [*SHORT, *CATALOGUE]
        close = difflib.get_close_matches(name, known, 1)
        hint = f"did you mean {close[0]!r}?" if close else f"they are {', '.join(known)}"
        raise InputError(f"what: no algorithm is called {name!r}; {hint}")
    return full


def _function(
    robot: Robot,
    name: str,
    link: str | None,
    gravity: bool,
    payload: bool,
    frames: tuple[str, ...],
    ground: GroundForm | None,
) -> Function:
    knows = CATALOGUE[name].options
    if payload and "payload" in knows and robot.model.end_effector is None:
        robot.frame_name(None)  # raises an error that says what is missing
    task = Task(
        name,
        frame=robot.frame_name(link) if "frame" in knows else None,
        gravity=gravity and "gravity" in knows,
        payload=payload and "payload" in knows,
        external=frames if "external" in knows else (),
        ground=ground if "ground" in knows else None,
    )
    if task.base.divides:
        q = robot.random(0) if robot.model.contacts else robot.neutral()  # a wheel may lie flat at zero
        robot.solve(q, np.zeros(robot.dof))  # raises an error that names a joint without inertia
    program = trace(robot.model, task).unguarded()
    given = [name for name, _ in task.inputs(robot.model)]
    inputs = [Argument(n, (w,)) for n, w in zip(unique(given), program.inputs, strict=True)]
    outputs = [Argument(output.name, output.shape(robot.model)) for output in task.entry.outputs]
    taken = {a.name for a in inputs}
    for argument in outputs:
        argument.name += "_out" if argument.name in taken else ""
    return Function(name, task, program, tuple(inputs), tuple(outputs))


def identifier(name: str, otherwise: str = "robot") -> str:
    """A valid identifier of C and Python, close to the given name.

    >>> identifier("kuka-kr5"), identifier("3R arm"), identifier("\u624b")
    ('kuka_kr5', 'robot_3R_arm', 'robot')
    """
    kept = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_")[:48].rstrip("_")
    return kept if kept[:1].isalpha() else f"{otherwise}_{kept}".rstrip("_")


def unique(names: Sequence[str]) -> list[str]:
    """Identifiers of several names, made unique by numbers."""
    result: list[str] = []
    for name in names:
        base = identifier(name, "input")
        k = 2
        made = base
        while made in result:
            made, k = f"{base}_{k}", k + 1
        result.append(made)
    return result


def about_rates(robot: Robot) -> list[str]:
    """What the caller of exported code has to know of wheels and of closed loops."""
    if robot.model.contacts:
        rates, torques = (", ".join(map(plain_text, names)) for names in (robot.velocity_names, robot.torque_names))
        return [
            f"Wheels roll without slipping. q is that of all joints; qd and qdd are of the independent rates: {rates}. "
            f"tau acts on {torques}. coordinate_rates gives the rates of q."
        ]
    if not robot.loops:
        return []
    loops = ", ".join(plain_text(str(loop.name)) for loop in robot.loops)
    rates = ", ".join(plain_text(name) for name in robot.independent)
    return [
        f"Closed loops: {loops}. Joint values, rates and accelerations must keep them closed: this code does not test "
        "it. loop_error tells how far they are open, and projection closes them.",
        f"Independent rates (columns of G): {rates}. Torques are zero at joints without actuators.",
    ]


def nominal_parameters(robot: Robot) -> Array:
    """Of a robot some of whose numbers are left open."""
    assert robot.evaluator.parameters is not None
    return robot.evaluator.parameters


def about_parameters(robot: Robot) -> list[str]:
    """What the caller of exported code has to know of numbers that are left open."""
    if robot.model.free is None:
        return []
    values = zip(robot.model.free.names, nominal_parameters(robot), strict=True)
    return [f"parameters, with nominal values: {', '.join(f'{plain_text(name)} {x:.17g}' for name, x in values)}."]


def place_of(outputs: Sequence[Argument], number: int) -> tuple[Argument, int]:
    """The array and the index of result `number` of all outputs."""
    for argument in outputs:
        if number < argument.width:
            return argument, number
        number -= argument.width
    raise AssertionError("more results than outputs")


def plain_text(text: str) -> str:
    """Text made safe for comments: it cannot end one, continue a line or cause a warning."""
    return re.sub(r"[^A-Za-z0-9 _.,:;()+=-]", "_", text)


@dataclass(frozen=True)
class Example:
    """States for a function and the results of the robot's own kernels."""

    inputs: tuple[Array, ...]
    outputs: tuple[Array, ...]
    tolerances: Array  # tolerance of each state, for doubles


MOST_NUMBERS = 20_000  # in the examples of a function
DEPENDENT = 1e4  # tolerances of robots whose rows are always dependent, beside others
OPENED = 0.01  # rad or m, by which loops are opened where a function takes open ones


def examples(
    robot: Robot,
    function: Function,
    real: Real = "double",
    count: int = 5,
    seed: int = 0,
    closed: Sequence[State] = (),
    ground: Array | None = None,
) -> Example:
    """Random states of a robot, rounded to `real`, with expected results; fewer where the results are large.

    `closed`: states of a robot with loops to begin with, so that those of several functions are searched for once.
    `ground`: its numbers, where a function takes them.
    """
    rng = np.random.default_rng(seed)
    count = max(1, min(count, MOST_NUMBERS // max(1, sum(a.width for a in function.outputs))))
    given = [*closed[:count], *([None] * (count - len(closed)))]
    states = [_state(robot, function, rng, state) for state in given]
    inputs: list[Array] = []
    for argument, (name, _) in zip(function.inputs, function.task.inputs(robot.model), strict=True):
        if name in states[0]:
            inputs.append(np.array([state[name] for state in states]))
        elif name == "payload":
            body = [0.8, 0.04, -0.03, 0.06, 0.02, 0.001, 0.018, 0.002, -0.001, 0.016]  # 0.8 kg, like a tool
            inputs.append(np.tile(body, (count, 1)))
        elif name == "ground" and ground is not None:
            inputs.append(np.tile(ground, (count, 1)))
        elif name == "parameters":
            nominal = nominal_parameters(robot)
            spread = 0.2 * np.where(nominal == 0.0, 0.1, nominal)
            inputs.append(nominal + spread * rng.uniform(0.0, 1.0, (count, argument.width)))
        else:
            inputs.append(rng.uniform(-2, 2, (count, argument.width)))
    if real == "float":
        inputs = [array.astype(np.float32).astype(np.float64) for array in inputs]
    if real == "float" and robot.loops:  # rounded numbers leave loops open, and the robot would say so
        found = function.program.interpret(inputs)
    else:
        found = robot.evaluator(function.task, inputs)
    outputs = [np.asarray(out).reshape(count, -1) for out in found]
    scales = np.maximum(1.0, np.max([np.abs(out).max(axis=1, initial=0.0) for out in outputs], axis=0))
    scales = scales * _sensitivity(robot, function, inputs)
    if function.task.base.divides:
        of_mass = (inputs[0],) if robot.model.free is None else (inputs[0], inputs[-1])
        (mass,) = robot.evaluator(Task("mass_matrix"), list(of_mass))
        scales = scales * np.linalg.cond(np.asarray(mass)).reshape(count)
    return Example(tuple(inputs), tuple(outputs), scales)


def _sensitivity(robot: Robot, function: Function, inputs: list[Array]) -> Array:
    """Of every state: how much larger than the results the numbers behind them are, where loops are closed."""
    count = len(inputs[0])
    if not robot.loops or (function.task.entry.closed is None and function.name not in LOOP_ALGORITHMS):
        return np.ones(count)
    closure = closure_of(robot)
    if closure.deficient:
        return np.full(count, DEPENDENT)
    J = robot.loop_jacobian(inputs[0])[:, list(closure.rows)][:, :, closure.dependent(robot.dof)]
    largest = np.max([np.abs(array).max(axis=1, initial=1.0) for array in inputs], axis=0)
    return np.linalg.cond(J) * largest**2  # products of rates, and levers


def _state(
    robot: Robot, function: Function, rng: np.random.Generator, closed_state: State | None = None
) -> dict[str, Array]:
    """The state vectors that depend on each other: q, and the motion of closed loops."""
    if not robot.loops:
        return {"q": robot.random(rng)}
    closed = (closed_state or random_state(robot, rng))._asdict()
    if function.name == "projection" or function.task.entry.closed is None:  # of open loops as well
        closed["q"] = robot.integrate(closed["q"], rng.normal(0.0, OPENED, robot.dof))
        closed["qd"] = closed["qd"] + rng.normal(0.0, OPENED, robot.dof)
    return closed
