"""The equations of a small robot: LaTeX to copy, and MathML, which browsers render without a network."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from redyn.description import RobotDescription
from redyn.robot import Robot

MOST_JOINTS = 3


class Entry(NamedTuple):
    """One typeset element."""

    latex: str
    mathml: str


class Formula(NamedTuple):
    """A matrix or a column of them."""

    rows: list[list[Entry]]

    def latex(self) -> str:
        body = r" \\ ".join(" & ".join(entry.latex for entry in row) for row in self.rows)
        return rf"\begin{{bmatrix}} {body} \end{{bmatrix}}"


class Formulas(NamedTuple):
    """Of the equations of motion: mass matrix, Coriolis matrix and gravity."""

    mass: Formula
    coriolis: Formula
    gravity: Formula


def derive(report: Callable[[float, str], None], description: RobotDescription) -> Formulas:
    """The closed forms of a robot of at most three joints, its constants as symbols; with loops, those of its tree."""
    from latex2mathml.converter import convert  # pyright: ignore[reportMissingTypeStubs, reportUnknownVariableType]

    from redyn.symbolic import equations as closed_forms

    equations = closed_forms.derive(Robot(description).tree)
    n = equations.dof

    def entry(name: str, row: int, column: int | None) -> Entry:
        latex = equations.latex(name, row, column)
        return Entry(latex, convert(latex))

    def square(name: str) -> Formula:
        return Formula([[entry(name, i, j) for j in range(1, n + 1)] for i in range(1, n + 1)])

    report(0.1, "deriving the mass matrix")
    mass = square("mass_matrix")
    report(0.4, "deriving the Coriolis matrix")
    coriolis = square("coriolis_matrix")
    report(0.8, "deriving gravity")
    return Formulas(mass, coriolis, Formula([[entry("gravity_torque", i, None)] for i in range(1, n + 1)]))
