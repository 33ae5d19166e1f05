"""Calls of a robot at states that vary: any algorithm of the catalogue that is a method, and natural frequencies."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from redyn.dynamics.algorithm import Kind
from redyn.dynamics.catalogue import ALGORITHMS
from redyn.errors import InputError
from redyn.robot import FreeRobot, Robot
from redyn.sweep.kinds.common import Output, Results, block_of, chosen, padded
from redyn.sweep.plan import Call, Spec
from redyn.sweep.sampling import Samples
from redyn.words import suggestion

Array = NDArray[np.float64]

AXES = ("x", "y", "z")
FREQUENCIES = "frequencies"
STATES = ("q", "qd", "qdd", "tau")


def calls() -> list[str]:
    """Names that a specification may give."""
    named = [name for name, a in ALGORITHMS.items() if hasattr(Robot, name) and set(a.state) <= set(STATES)]
    return [*named, FREQUENCIES]


class CallRunner:
    """A kernel on whole blocks."""

    def __init__(self, plan: Spec, given: Call, robot: Robot) -> None:
        entry = ALGORITHMS[given.name]
        if given.link is not None and "frame" not in entry.options:
            raise InputError(f"run.call.link: {given.name} is not about one frame; leave it out")
        if "frame" in entry.options:
            robot.frame_name(given.link)  # says which there are
        self._name, self._state, self._robot = given.name, entry.state, robot
        self._options: dict[str, Any] = {"link": given.link} if given.link is not None else {}
        names = chosen(plan.outputs, [o.name for o in entry.outputs], f"call {given.name}", [])
        self.outputs, self._parts = list[Output](), list[tuple[int, tuple[Output, ...]]]()
        for k, output in enumerate(entry.outputs):
            if names and output.name not in names:
                continue
            shape = output.shape(robot.model)
            labels: tuple[str, ...] | list[str] = ()
            if output.kind is Kind.DRIVING and shape == (len(robot.torque_names),):
                labels = robot.torque_names
            elif shape == (robot.dof,):
                labels = robot.velocity_names
            elif shape == (3,):
                labels = AXES
            made = tuple(Output(f"{output.name}.{label}") for label in labels) or (Output(output.name, shape),)
            self.outputs += made
            self._parts.append((k, made))
        width = sum(int(np.prod(o.shape(robot.model))) for o in entry.outputs)
        self.block = block_of(
            width + 4 * robot.dof + (len(robot.parameter_names) if isinstance(robot, FreeRobot) else 0)
        )

    def run(self, samples: Samples) -> Results:
        count, values = len(samples), dict[str, Array]()
        state = [padded(samples.vectors[name]) for name in self._state]
        keywords = {} if samples.parameters is None else {"parameters": padded(samples.parameters)}
        found = getattr(self._robot, self._name)(*state, threads=1, **self._options, **keywords)
        arrays = cast("tuple[Any, ...]", found) if isinstance(found, tuple) else (found,)
        for k, outputs in self._parts:
            array: Array = np.asarray(arrays[k])[:count]
            if len(outputs) == 1 and (outputs[0].shape or array.ndim == 1):
                values[outputs[0].name] = array
            else:
                values |= {output.name: array[:, j] for j, output in enumerate(outputs)}
        return Results(values)


class FrequencyRunner:
    """Natural frequencies, robot by robot: as many as there are rates, NaN beyond those that there are."""

    block = 256

    def __init__(self, plan: Spec, given: Call, robot: Robot) -> None:
        if given.link is not None:
            raise InputError("run.call.link: frequencies are not about one frame; leave it out")
        chosen(plan.outputs, [FREQUENCIES], f"call {FREQUENCIES}", [])
        self._robot = robot
        self.outputs = [Output(f"{FREQUENCIES}.{k + 1}") for k in range(robot.dof)]

    def run(self, samples: Samples) -> Results:
        rows = np.full((len(samples), self._robot.dof), np.nan)
        for i, q in enumerate(samples.vectors["q"]):
            robot = self._robot
            if samples.parameters is not None:
                assert isinstance(robot, FreeRobot)
                robot = robot.at(samples.parameters[i])
            found = robot.frequencies(q)
            rows[i, : len(found)] = found
        return Results({output.name: rows[:, k] for k, output in enumerate(self.outputs)})


def call_runner(plan: Spec, given: Call, robot: Robot) -> CallRunner | FrequencyRunner:
    """What a specification asks for."""
    if given.name not in calls():
        raise InputError(f"run.call: a robot has no call {given.name!r}{suggestion(given.name, calls())}")
    if given.name == FREQUENCIES:
        return FrequencyRunner(plan, given, robot)
    return CallRunner(plan, given, robot)
