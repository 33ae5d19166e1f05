"""What the sections on flexible robots share: the equations, a state, and the numbers there."""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple, cast

import numpy as np

from redyn.arithmetic import Floats
from redyn.dynamics.algorithm import Conditions
from redyn.dynamics.catalogue import ALGORITHMS
from redyn.model import Beam, Model
from redyn.symbolic.bodies import Body
from redyn.symbolic.chapter.blocks import Array
from redyn.symbolic.chapter.setting import TERMS, default_state, example_model
from redyn.symbolic.equations import Equations
from redyn.symbolic.flexible.bodies import labelled
from redyn.symbolic.notation import Expr

MOST = 7  # coordinates; up to here closed forms may be printed
# name -> (of `Equations`, recursion, letter)
PARTS = (
    ("coriolis_vector", r"\b{h}"),
    ("gravity_torque", r"\b{g}"),
    ("spring_torque", r"\b{k}"),
    ("friction_torque", r"\b{d}"),
)


class Placed(NamedTuple):
    """A beam with symbols, the same with the robot's numbers, and where it stands among the coordinates."""

    first: int  # its first coordinate, from 0
    symbolic: Beam
    numbers: Beam
    label: str  # empty where it is the only one

    @property
    def row(self) -> slice:
        return slice(self.first, self.first + self.symbolic.modes)


class FlexibleSetting:
    """One robot, one state."""

    def __init__(self, eqs: Equations, q: Array, qd: Array, qdd: Array) -> None:
        self.eqs, self.q, self.qd, self.qdd = eqs, q, qd, qdd
        self.robot = eqs.robot

    @property
    def bodies(self) -> tuple[Body, ...]:
        return self.eqs.symbolic.bodies

    @cached_property
    def beams(self) -> list[Placed]:
        names = labelled(self.robot.model).beams
        found = enumerate(self.bodies)
        own = dict(self.robot.model.beams)
        return [Placed(i, body.beam, own[i], names[i]) for i, body in found if body.beam is not None]

    @property
    def gears(self) -> list[tuple[int, int, Body]]:
        return self.eqs.symbolic.geared

    @cached_property
    def short(self) -> bool:
        """Whether closed forms are worth printing."""
        return self.eqs.dof <= MOST and self.eqs.tips.terms <= TERMS

    def shown(self, name: str) -> list[Expr]:
        """A column, or a matrix row by row, with abbreviations."""
        if name == "friction_torque":
            return list(self.eqs.friction_torque)
        return self.eqs.tips.entries(name)

    @cached_property
    def present(self) -> list[tuple[str, str]]:
        """The terms beside the inertia that are not zero, with their letters."""
        q, qd, qdd = (np.linspace(start, 1.0, self.eqs.dof) for start in (0.3, 0.4, 0.5))
        generic = FlexibleSetting(self.eqs, q, qd, qdd)
        return [(name, letter) for name, letter in PARTS if generic.number(name).any()]

    # --- numbers ---------------------------------------------------------------------------------------------------

    @cached_property
    def model(self) -> Model:
        """That of the formulas, or the robot's own if a symbol has no value."""
        return example_model(self.eqs, self.eqs.with_numbers() if self.eqs.valueless else self.eqs.symbolic)

    def number(self, name: str) -> Array:
        """A quantity at the state."""
        algorithm = ALGORITHMS[name]
        vectors = {"q": self.q, "qd": self.qd, "qdd": self.qdd}
        state = [cast("list[float]", vectors[k].tolist()) for k in algorithm.state]
        found: Any = algorithm.run(self.model, Floats(), state, Conditions())[0]
        flat = np.array(found, dtype=np.float64)
        return flat.reshape(self.eqs.dof, -1) if name.endswith("matrix") else flat

    def values(self) -> dict[str, Array]:
        """The state, and everything printed about it."""
        names = ("mass_matrix", *(name for name, _ in PARTS))
        found = {"q": self.q, "qd": self.qd, "qdd": self.qdd, **{name: self.number(name) for name in names}}
        return found | {"tau": self.number("inverse_dynamics")}


def flexible_state(eqs: Equations, q: Array | None, qd: Array | None, qdd: Array | None) -> tuple[Array, Array, Array]:
    """The given parts of a state; else a generic one: links slightly bent, gears slightly twisted."""
    bodies, model = eqs.symbolic.bodies, eqs.robot.model
    motors = {motor for _, motor, _ in eqs.symbolic.geared}
    places = [i for i, body in enumerate(bodies) if body.kind != "mode" and i not in motors]
    generic = default_state([bodies[i].kind == "revolute" for i in places])
    chosen = tuple(np.zeros(eqs.dof) for _ in range(3))
    for whole, part in zip(chosen, generic, strict=True):
        whole[places] = part
    for first, beam in model.beams:
        spans = np.array([float(f"{x:.1g}") for x in beam.spans])
        for whole, factor in zip(chosen, (1.0, 5.0, -50.0), strict=True):
            whole[first : first + beam.modes] = factor * spans
    for i, motor, _ in eqs.symbolic.geared:
        for whole in chosen:
            whole[motor] = whole[i]
        chosen[0][motor] += 0.02
    first, second, third = (a if a is not None else b for a, b in zip((q, qd, qdd), chosen, strict=True))
    return first, second, third
