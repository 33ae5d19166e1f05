"""Answers, computed by the engine: nothing is typed in twice."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from redyn.errors import InputError
from redyn.exercises.formula import Formula, Values, parse_formula
from redyn.exercises.schema import (
    ByComputation,
    ByDerivation,
    ByPath,
    BySimulation,
    QuestionData,
    formulas,
)
from redyn.robot import Robot
from redyn.words import counted, suggestion

Array = NDArray[np.float64]

MOST_JOINTS = 4  # of a robot whose equations are derived
MOST_ENTRIES = 10_000
SAMPLES = 2001  # of a simulation, between which the motion is interpolated
TIGHT = 1e-10  # tolerance of the simulation


METHODS: dict[str, tuple[str, ...]] = {  # what may be computed, and the state that it takes
    "inverse_dynamics": ("q", "qd", "qdd"),
    "forward_dynamics": ("q", "qd", "tau"),
    "mass_matrix": ("q",),
    "inverse_mass_matrix": ("q",),
    "coriolis_matrix": ("q", "qd"),
    "coriolis_vector": ("q", "qd"),
    "gravity_torque": ("q",),
    "friction_torque": ("qd",),
    "spring_torque": ("q",),
    "kinetic_energy": ("q", "qd"),
    "potential_energy": ("q",),
    "forward_kinematics": ("q",),
    "position": ("q",),  # of the end effector
    "jacobian": ("q",),
    "com": ("q",),
    "momentum": ("q", "qd"),
    "U": ("q",),
    "D": ("q",),
    "N": ("q",),
    "N_l": ("q",),
    "N_d": ("q",),
    "M": ("q",),
}
_DENSE = ("N", "N_l", "N_d", "M")  # of `Robot.denoc`


@dataclass(frozen=True)
class Expected:
    """What is expected of an answer: an array of formulas, which are numbers if there are no symbols."""

    shape: tuple[int, ...]
    formulas: list[Formula]

    def __call__(self, values: Values, points: int = 1) -> Array:
        """(entries, points)"""
        return np.array([np.broadcast_to(formula(values), points) for formula in self.formulas])

    def text(self, unit: str = "") -> str:
        entries = [formula.text for formula in self.formulas]
        behind = f" {unit}" if unit else ""
        if not self.shape:
            return entries[0] + behind
        if len(self.shape) == 1:
            return f"[{', '.join(entries)}]{behind}"
        width = self.shape[1]
        rows = [", ".join(entries[k : k + width]) for k in range(0, len(entries), width)]
        return "[" + ",\n ".join(f"[{row}]" for row in rows) + "]" + behind


def expected(question: QuestionData, robot: Robot | None) -> Expected:
    """The answer of a question of kind value or formula."""
    answer = question.answer
    if isinstance(answer, ByDerivation):
        return _derived(_needed(robot), answer, list(question.symbols))
    if isinstance(answer, ByComputation):
        return _numbers(_entry(_computed(_needed(robot), answer), answer.entry, "entry"))
    if isinstance(answer, ByPath | BySimulation):
        return _numbers(_reduced(OverTime(_needed(robot), answer), answer))
    return Expected(*formulas(cast(Any, answer).formula, list(question.symbols)))


def _needed(robot: Robot | None) -> Robot:
    if robot is None:
        raise InputError("this answer needs a robot")
    return robot


def _computed(robot: Robot, answer: ByComputation) -> Array:
    if answer.compute not in METHODS:
        raise InputError(f"compute: unknown method {answer.compute[:40]!r}{suggestion(answer.compute, list(METHODS))}")
    state = METHODS[answer.compute]
    given = {"q": answer.q, "qd": answer.qd, "qdd": answer.qdd, "tau": answer.tau}
    for name, values in given.items():
        if (values is None) == (name in state):
            verb = "needs" if values is None else "does not take"
            raise InputError(f"compute: {answer.compute} {verb} {name}")
    found = _called(robot, answer.compute, [np.array(given[name]) for name in state])
    array = np.asarray(found, dtype=np.float64)
    return array[:, 0] if array.ndim == 2 and array.shape[1] == 1 < len(array) else array


def _called(robot: Robot, name: str, values: list[Array]) -> Any:
    if name in _DENSE:
        return getattr(robot.denoc(values[0]), name)
    if name in ("U", "D"):
        return robot.udu(values[0])["UD".index(name)]
    if name == "position":
        return robot.forward_kinematics(values[0])[:3, 3]
    return getattr(robot, name)(*values)


def _entry(values: Array, entry: list[int] | None, what: str) -> Array:
    """One entry of an array, or all of it; positions count from 1."""
    if entry is None:
        return values
    if len(entry) != values.ndim or not all(1 <= k <= size for k, size in zip(entry, values.shape, strict=True)):
        size = " x ".join(map(str, values.shape)) or "a single number"
        raise InputError(f"{what}: {entry} is no entry, counted from 1, of an array of size {size}")
    return values[tuple(k - 1 for k in entry)]


def _numbers(values: Array) -> Expected:
    if values.size > MOST_ENTRIES:
        raise InputError(f"an answer has {values.size:,} entries; the limit is {MOST_ENTRIES:,}")
    flat = cast("list[float]", (values.ravel() + 0.0).tolist())
    return Expected(values.shape, [Formula(f"{value:.6g}", (value,)) for value in flat])


def _derived(robot: Robot, answer: ByDerivation, symbols: list[str]) -> Expected:
    from redyn.symbolic.equations import QUANTITIES, derive

    if robot.dof > MOST_JOINTS:
        raise InputError(f"derive: the robot has {counted(robot.dof, 'joint')}; formulas are asked of at most four")
    if answer.derive not in QUANTITIES:
        raise InputError(f"derive: unknown quantity {answer.derive[:40]!r}{suggestion(answer.derive, QUANTITIES)}")
    equations = derive(robot, numbers=answer.numbers, where=answer.where, rods=answer.rods)
    shape = getattr(equations.quantity(answer.derive), "shape", ())
    width = shape[1] if shape else 1
    column = bool(shape) and width == 1 and (answer.entry is None or len(answer.entry) == 1)
    places = np.arange(int(np.prod(shape)), dtype=np.float64).reshape(shape[:1] if column else shape)
    chosen = _entry(places, answer.entry, "entry").astype(int)
    texts = [
        equations.text(answer.derive, *((k // width + 1, k % width + 1) if shape else ()))
        for k in chosen.ravel().tolist()
    ]
    return Expected(chosen.shape, [parse_formula(text, symbols) for text in texts])


class OverTime:
    """A motion that the engine computes: rows of q, qd, qdd or tau at any times."""

    def __init__(self, robot: Robot, answer: ByPath | BySimulation) -> None:
        self.robot, self.answer = robot, answer
        self.columns = answer.columns

    @property
    def duration(self) -> float:
        return (self.answer.along if isinstance(self.answer, ByPath) else self.answer.simulate).duration

    def __call__(self, t: Array) -> Array:
        """(N, columns)"""
        if isinstance(self.answer, BySimulation):
            return self._simulated(t)
        q, qd, qdd = self._motion(t)
        if self.columns == "tau":
            return self.robot.inverse_dynamics(q, qd, qdd)
        return {"q": q, "qd": qd, "qdd": qdd}[self.columns]

    @cached_property
    def _motion(self) -> Any:
        from redyn import trajectory

        path = cast(ByPath, self.answer).along
        return getattr(trajectory, path.law)(path.start, path.stop, path.duration, robot=self.robot)

    @cached_property
    def _simulated(self) -> Any:
        """Cubic between close samples, from the values and their rates."""
        from scipy import interpolate  # pyright: ignore[reportMissingTypeStubs]

        from redyn.simulation import simulate

        release = cast(BySimulation, self.answer).simulate
        robot = self.robot
        if robot.nq != robot.dof:
            raise InputError("simulate: joints with quaternions are not supported in exercises")
        qd = np.zeros(robot.dof) if release.qd is None else np.array(release.qd)
        torque = None if release.tau is None else np.array(release.tau)
        run = simulate(
            robot,
            release.q,
            qd,
            release.duration,
            torque=torque,
            rtol=TIGHT,
            sample=np.linspace(0.0, release.duration, SAMPLES),
            progress=False,
        )
        values = {"q": run.q, "qd": run.qd, "qdd": run.qdd}[self.columns]
        if self.columns == "qdd":
            return interpolate.CubicSpline(run.t, values)
        return interpolate.CubicHermiteSpline(run.t, values, run.qd if self.columns == "q" else run.qdd)


def _reduced(motion: OverTime, answer: ByPath | BySimulation) -> Array:
    """One number per joint, or that of one joint."""
    duration = motion.duration
    if answer.at is not None:
        if not 0.0 <= answer.at <= duration:
            raise InputError(f"at: expected a time from 0 to {duration:g} s, got {answer.at:g}")
        values = motion(np.array([answer.at]))[0]
    else:
        rows = motion(np.linspace(0.0, duration, SAMPLES))
        values = {
            "peak": np.abs(rows).max(axis=0),
            "rms": np.sqrt((rows**2).mean(axis=0)),
            "final": rows[-1],
        }[str(answer.take)]
    return _entry(values, None if answer.joint is None else [answer.joint], "joint")
