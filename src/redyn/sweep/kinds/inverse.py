"""Torques along a motion, for robots and motions that vary."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redyn import trajectory
from redyn.errors import InputError
from redyn.robot import FreeRobot, Robot
from redyn.sweep.kinds.common import LEAST, Output, Results, block_of, chosen, columns_of, labelled, series
from redyn.sweep.plan import Inverse, Spec
from redyn.sweep.sampling import Sampler, Samples

Array = NDArray[np.float64]

OUTPUTS = {
    "peak_torque": "the largest magnitude over the motion, of each actuator",
    "rms_torque": "the root of the mean square",
    "peak_power": "the largest magnitude of torque times rate",
    "work": "what each actuator puts in, its power integrated by the trapezoidal rule",
    "torque_series": "at every instant",
}
USUAL = ("peak_torque",)
MOTIONS: dict[str, Callable[..., trajectory.Motion]] = {
    "cycloidal": trajectory.cycloidal,
    "cubic": trajectory.cubic,
    "quintic": trajectory.quintic,
    "trapezoidal": trajectory.trapezoidal,
}


class InverseRunner:
    """Blocks of samples times instants."""

    def __init__(self, plan: Spec, given: Inverse, robot: Robot, sampler: Sampler) -> None:
        self._robot, self._points = robot, given.points
        self._wanted = chosen(plan.outputs, OUTPUTS, "inverse", USUAL)
        names = robot.torque_names
        if {"peak_power", "work"} & set(self._wanted) and len(names) != robot.dof:
            raise InputError("outputs: peak_power and work are for robots with an actuator at every rate")
        self._columns = {
            name: series(name, names, given.points) if name == "torque_series" else labelled(name, names)
            for name in self._wanted
        }
        self.outputs: list[Output] = [output for name in self._wanted for output in self._columns[name]]
        t = np.linspace(0.0, given.duration, given.points)
        self._step = given.duration / (given.points - 1)
        law = MOTIONS[given.motion]
        self._moves = any(column.vector in ("q", "stop") for v in sampler.variations for column in v.columns)
        plain = robot.nq == robot.dof and not robot.model.loops and not robot.model.contacts
        if self._moves and not plain:
            raise InputError("vary: ends of motions vary for robots without loops, wheels and quaternions only")
        if self._moves:  # all joints move by one law
            shape = law([0.0], [1.0], given.duration)(t)
            self._law = tuple(a[:, 0].copy() for a in shape)
        else:
            ends: dict[str, Any] = {} if plain else {"robot": robot}
            start, stop = sampler.base["q"], sampler.base["stop"]
            self._states = law(start, stop, given.duration, **ends)(t)
        free = len(robot.parameter_names) if isinstance(robot, FreeRobot) else 0
        self.block = block_of(given.points * (robot.nq + 3 * robot.dof + free))

    def run(self, samples: Samples) -> Results:
        count, K, robot = len(samples), self._points, self._robot
        if self._moves:
            start, way = samples.vectors["q"][:, None], (samples.vectors["stop"] - samples.vectors["q"])[:, None]
            s, s_dot, s_ddot = (a[None, :, None] for a in self._law)
            states = start + way * s, way * s_dot, way * s_ddot
        else:
            states = tuple(np.broadcast_to(a, (count, *a.shape)) for a in self._states)
        rows = [np.ascontiguousarray(a).reshape(count * K, -1) for a in states]
        keywords: dict[str, Any] = {}
        if samples.parameters is not None:
            keywords["parameters"] = np.repeat(samples.parameters, K, axis=0)
        if len(rows[0]) < LEAST:
            rows = [np.concatenate([a] * LEAST) for a in rows]
            keywords = {name: np.concatenate([a] * LEAST) for name, a in keywords.items()}
        torque = robot.inverse_dynamics(rows[0], rows[1], rows[2], threads=1, **keywords)[: count * K].reshape(
            count, K, -1
        )
        rates = rows[1][: count * K].reshape(count, K, -1)
        values: dict[str, Array] = {}
        for name in self._wanted:
            values |= columns_of(self._columns[name], self._of(name, torque, rates))
        return Results(values)

    def _of(self, name: str, torque: Array, rates: Array) -> Array:
        if name == "peak_torque":
            return np.abs(torque).max(axis=1)
        if name == "peak_power":
            return np.abs(torque * rates).max(axis=1)
        if name == "torque_series":
            return torque.transpose(0, 2, 1)
        # Sums over time go instant by instant: in which order NumPy adds depends on the shape of the array.
        total = np.zeros((len(torque), torque.shape[2]))
        last = self._points - 1
        for k in range(self._points):
            row = torque[:, k]
            if name == "rms_torque":
                total = total + row * row
            else:
                total = total + (0.5 if k in (0, last) else 1.0) * (row * rates[:, k])
        return np.sqrt(total / self._points) if name == "rms_torque" else total * self._step
