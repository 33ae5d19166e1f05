"""Building blocks of a worked example, independent of the output format (page, paper or notebook).

Text contains formulas between dollar signs. Text from a robot's file passes through `word`, so that it is never
parsed as a formula; each writer escapes the characters that are special in its format.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from redyn.symbolic.notation import Expr, Typesetter, lines, seen_length, sp

Array = NDArray[np.float64]
WIDTH = 74  # letters of a line
DOLLAR = "\ue000"  # a literal dollar sign


@dataclass(frozen=True)
class Heading:
    text: str
    level: int = 1


@dataclass(frozen=True)
class Text:
    text: str


@dataclass(frozen=True)
class Equation:
    """One formula; `rows` are its lines, `number` is the book's."""

    rows: tuple[str, ...]
    number: str = ""


@dataclass(frozen=True)
class Table:
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    caption: str = ""


@dataclass(frozen=True)
class Note:
    """A note on the source: an erratum and its effect here."""

    title: str
    text: str


@dataclass(frozen=True)
class Columns:
    """Derivations side by side: title and blocks of each."""

    columns: tuple[tuple[str, tuple[Block, ...]], ...]


@dataclass(frozen=True)
class Fold:
    """Collapsible content."""

    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Stroke:
    """A line of a drawing, through points in the plane."""

    points: tuple[tuple[float, float], ...]
    kind: str  # link, slide, curve, axis, joint, gravity, force, arc, guide, length


@dataclass(frozen=True)
class Mark:
    """A point of a drawing; a label (LaTeX) is a separate mark, centred at its point."""

    at: tuple[float, float]
    kind: str  # revolute, prismatic, cut, centre, label
    label: str = ""


@dataclass(frozen=True)
class Drawing:
    strokes: tuple[Stroke, ...]
    marks: tuple[Mark, ...]
    caption: str


@dataclass(frozen=True)
class Code:
    """A cell of a notebook; the page and the paper leave it out."""

    source: str


Block = Heading | Text | Equation | Table | Note | Columns | Fold | Drawing | Code


@dataclass
class Chapter:
    title: str
    subtitle: str
    blocks: list[Block] = field(default_factory=list[Block])

    def add(self, *blocks: Block) -> None:
        self.blocks += blocks


def spelled(latex: str) -> str:
    r"""Formulas in this package write \b{M} for a bold letter and \g{theta} for a bold Greek one.

    >>> print(spelled(r"\b{M}_i \g{theta}"))
    \mathbf{M}_i \boldsymbol{\theta}
    """
    return re.sub(r"\\g\{(\w+)\}", r"\\boldsymbol{\\\1}", re.sub(r"\\b\{", r"\\mathbf{", latex))


def word(text: str) -> str:
    """Text from a robot's file, on one line and without formulas; the writers turn DOLLAR back into a dollar sign."""
    return "".join(c for c in " ".join(text.split()) if c.isprintable()).replace("$", DOLLAR)


def pair(i: int, j: int) -> str:
    """Two indices as a subscript."""
    return f"{i}{j}" if max(i, j) < 10 else f"{i},{j}"


def formula(left: str, expression: Expr, number: str = "", width: int = WIDTH) -> Equation:
    """`left = expression`, broken if it is long; a long fraction is written as N / D."""
    above, below = sp.fraction(expression)
    if not below.is_Number and seen_length(f"{left} = {Typesetter().write(expression)}") > width:
        rows = [*_indented(rf"{left} = N / D, \quad N", above, width), *_indented("D", below, width)]
    else:
        rows = _indented(left, expression, width)
    return Equation(tuple(rows), number)


def summed(left: str, total: Expr, width: int = WIDTH) -> Equation:
    """`left = total`, broken between the terms of the sum; fractions are not taken apart."""
    writer = Typesetter()
    if not total.is_Add or any(seen_length(writer.write(term)) > width for term in total.args):
        return formula(left, total, width=width)
    rows: list[str] = []
    line = f"{left} ="
    for k, term in enumerate(writer.ordered_terms(total)):
        negative = term.could_extract_minus_sign()
        text = writer.write(-term if negative else term)
        text = f"- {text}" if negative else f"+ {text}" if k else text
        if k and seen_length(line) + seen_length(text) > width:
            rows.append(line)
            line = rf"\qquad {{}} {text}"
        else:
            line = f"{line} {text}"
    return Equation((*rows, line))


def weighted(pairs: Sequence[tuple[Expr, Expr]]) -> Expr:
    """A sum of coefficients times symbols as one fraction, with few minus signs."""
    parts = [(*sp.fraction(coefficient), name) for coefficient, name in pairs if coefficient != 0]
    below = _common_multiple([bottom for _, bottom, _ in parts])
    terms: list[tuple[bool, Expr]] = []
    for top, bottom, name in parts:
        negative = top.could_extract_minus_sign()
        terms.append((negative, sp.Mul(-top if negative else top, below / bottom, name)))
    if all(negative for negative, _ in terms):
        return -(sp.Add(*(term for _, term in terms)) / below)
    return sp.Add(*(-term if negative else term for negative, term in terms)) / below


def _common_multiple(bottoms: Sequence[Expr]) -> Expr:
    """The least product that every denominator divides, factor by factor."""
    powers: dict[Expr, Expr] = {}
    for bottom in bottoms:
        for base, power in bottom.as_powers_dict().items():
            powers[base] = max(powers.get(base, sp.Integer(0)), power)
    return sp.Mul(*(base**power for base, power in powers.items()))


def _indented(left: str, expression: Expr, width: int) -> list[str]:
    first, *rest = lines(left, expression, width)
    return [first, *(rf"\qquad {{}} {row}" for row in rest)]


def vector(expressions: Sequence[Expr]) -> str:
    """A column vector, written as a transposed row."""
    write = Typesetter().write
    return _transposed([write(e) for e in expressions])


def _transposed(entries: Sequence[str]) -> str:
    return r"\left[ " + r", \; ".join(entries) + r" \right]^{T}"


def column(name: str, expressions: Sequence[Expr], number: str = "", how: str = "") -> list[Equation]:
    """A vector in one line if it fits, else each nonzero component; `how` is the formula it results from."""
    whole = f"{name} = {how} = {vector(expressions)}" if how else f"{name} = {vector(expressions)}"
    if seen_length(whole) <= WIDTH:
        return [Equation((whole,), number)]
    first = [Equation((f"{name} = {how}",))] if how else []
    return first + [
        formula(rf"\left({name}\right)_{{{axis}}}", e, number)
        for axis, e in zip("xyz", expressions, strict=True)
        if e != 0
    ]


def fits(entries: Sequence[Sequence[Expr]]) -> bool:
    """Whether a matrix is narrow enough for a line."""
    write = Typesetter().write
    widths = [max(seen_length(write(row[k])) for row in entries) for k in range(len(entries[0]))]
    return sum(widths) + 3 * len(widths) <= WIDTH


def matrix(entries: Sequence[Sequence[Expr]]) -> str:
    write = Typesetter().write
    rows = [" & ".join(write(e) for e in row) for row in entries]
    return r"\begin{bmatrix} " + r" \\ ".join(rows) + r" \end{bmatrix}"


def number(value: float, digits: int = 5) -> str:
    """A few digits, and no negative zero."""
    if abs(value) < 1e-12:
        return "0"
    text = f"{value:.{digits}g}"
    if "e" in text:
        base, power = text.split("e")
        return rf"{base} \times 10^{{{int(power)}}}"
    return text


def number_list(values: Array) -> str:
    return r"\left( " + r", \; ".join(number(float(x)) for x in values) + r" \right)"


def number_vector(values: Array) -> str:
    return _transposed([number(float(x)) for x in values])


def number_matrix(values: Array) -> str:
    rows = [" & ".join(number(float(x)) for x in row) for row in values]
    return r"\begin{bmatrix} " + r" \\ ".join(rows) + r" \end{bmatrix}"


def seen_width(cells: Sequence[str]) -> int:
    """Of a row of formulas."""
    return sum(seen_length(cell.strip("$")) for cell in cells)
