"""The equations of a small robot as formulas: LaTeX to copy and MathML, which browsers typeset without a network."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple, cast

import sympy  # pyright: ignore[reportMissingTypeStubs]

from redyn.arithmetic import symbols
from redyn.description import RobotDescription
from redyn.dynamics import convective, inertia, inverse
from redyn.errors import MissingExtraError
from redyn.robot import Robot

MOST_JOINTS = 3
DIGITS = 5

_sympy = cast(Any, sympy)


class Entry(NamedTuple):
    """One element, typeset."""

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


def derive(tell: Callable[[float, str], None], description: RobotDescription) -> Formulas:
    """The closed forms of a robot of at most three joints, in its own numbers."""
    model, arith = Robot(description).model, symbols.Symbols()
    n = model.dof
    q = [_sympy.Symbol(f"q_{i}", real=True) for i in range(1, n + 1)]
    qd = [_sympy.Symbol(rf"\dot{{q}}_{i}", real=True) for i in range(1, n + 1)]
    tell(0.1, "deriving the mass matrix")
    M = inertia.mass_matrix(model, arith, q)
    mass = _typeset([[M[i][j] for j in range(n)] for i in range(n)])
    tell(0.4, "deriving the Coriolis matrix")
    C = convective.coriolis_matrix(model, arith, q, qd)
    coriolis = _typeset([[C[i][j] for j in range(n)] for i in range(n)])
    tell(0.8, "deriving gravity")
    gravity = _typeset([[entry] for entry in inverse.gravity_torque(model, arith, q)])
    return Formulas(mass, coriolis, gravity)


def _typeset(rows: list[list[Any]]) -> Formula:
    return Formula([[_entry(_simple(entry)) for entry in row] for row in rows])


def _simple(expression: Any) -> Any:
    """The shortest of a few forms, with decimals instead of fractions."""
    expanded = _sympy.expand(expression)
    forms = [expanded, _sympy.trigsimp(expanded), _sympy.expand(_sympy.fu(expanded))]
    short = min(forms, key=_sympy.count_ops)
    decimals = {x: _sympy.Float(float(x), DIGITS) for x in short.atoms(_sympy.Rational) if not x.is_Integer}
    return short.xreplace(decimals)


def _entry(expression: Any) -> Entry:
    latex = _sympy.latex(expression, fold_short_frac=True, full_prec=False, mul_symbol=None)
    latex = latex.replace(r"\left(", "(").replace(r"\right)", ")").replace(" )", ")")
    latex = re.sub(r"\d+\.\d+", lambda match: f"{float(match[0]):.{DIGITS}g}", latex)
    latex = re.sub(r"(?<![\d.^_{])1 (?=[\\q(])", "", latex)  # 1 cos q is cos q
    return Entry(latex, mathml(latex))


def mathml(latex: str) -> str:
    """A <math> element."""
    try:
        from latex2mathml.converter import convert  # pyright: ignore[reportMissingTypeStubs, reportUnknownVariableType]
    except ImportError:
        raise MissingExtraError("latex2mathml", "ui", "Typesetting equations") from None
    return convert(latex)
