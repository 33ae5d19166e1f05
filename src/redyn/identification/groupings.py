"""Groupings of base parameters in the symbols of a DH table: `Izz1 + a2² m2` instead of `Izz1 + 0.49 m2`.

Where all angles of a table are right ones, the coefficients are polynomials of its lengths, of degree two at most and
with simple factors. They are found from robots whose lengths were changed at random, and hold for every one of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations_with_replacement
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from redyn.arithmetic import Arrays
from redyn.description import RobotDescription
from redyn.dynamics.algorithm import Conditions
from redyn.dynamics.catalogue import ALGORITHMS
from redyn.dynamics.drives import with_drive_columns
from redyn.identification.base import BaseParameters
from redyn.model import build

Array = NDArray[np.float64]
Place = tuple[int, str]  # a link of the file and a field of its row

FIELDS = {"dh": ("a", "b"), "modified-dh": ("a", "d"), "frames": ()}
CLOSE = 1e-7


def symbolic_groupings(base: BaseParameters, seed: int = 0) -> list[str]:
    """The base parameters as sums in the lengths of the robot's DH table, numbered by its rows.

    Coefficients that are no simple polynomials of lengths, and those of robots without a DH table, stay numbers.

    >>> import redyn
    >>> from redyn.identification import base_parameters
    >>> symbolic_groupings(base_parameters(redyn.load("lagrange-two-link")))
    ['mx1 + a2 m2', 'my1', 'Izz1 + a2² m2', 'mx2', 'my2', 'Izz2']
    """
    description = base.robot.description
    places = [
        (i, field)
        for i, link in enumerate(description.links)
        for field in FIELDS.get(description.convention, ())
        if getattr(link, field)
    ]
    terms = _terms([f"{field}{i + 1}" for i, field in places])
    rng = np.random.default_rng(seed)
    lengths = np.array([getattr(description.links[i], field) for i, field in places])
    drawn = lengths * rng.uniform(0.6, 1.6, (len(terms) + 8, len(lengths)))
    matrices = [_matrix(base, _with_lengths(description, places, row), seed) for row in drawn] if places else []
    if not matrices or any(matrix is None for matrix in matrices):
        return base.groupings
    values = np.stack([np.prod(drawn[:, list(term)], axis=1) for term, _ in terms], axis=1)
    stacked = np.array(matrices)
    texts: list[str] = []
    for r, kept in enumerate(base.columns):
        shared: dict[str, list[str]] = {}  # parameters with the same coefficient
        for k in np.flatnonzero(base.matrix[r]):
            if k != kept:
                factor = _polynomial(values, stacked[:, r, k], terms) or _number(float(base.matrix[r, k]))
                shared.setdefault(factor, []).append(base.names[k])
        texts.append(base.names[int(kept)] + "".join(_term(factor, names) for factor, names in shared.items()))
    return texts


def _terms(names: Sequence[str]) -> list[tuple[tuple[int, ...], str]]:
    """1, every length, and every product of two: which lengths, and how it is written."""
    terms: list[tuple[tuple[int, ...], str]] = [((), "")]
    terms += [((i,), name) for i, name in enumerate(names)]
    for i, j in combinations_with_replacement(range(len(names)), 2):
        terms.append(((i, j), f"{names[i]}²" if i == j else f"{names[i]} {names[j]}"))
    return terms


def _with_lengths(description: RobotDescription, places: Sequence[Place], lengths: Array) -> RobotDescription:
    links = list(description.links)
    for (i, field), value in zip(places, lengths, strict=True):
        links[i] = links[i].model_copy(update={field: float(value)})
    return description.model_copy(update={"links": links})


def _matrix(base: BaseParameters, description: RobotDescription, seed: int) -> Array | None:
    """`base.matrix` of a robot with other lengths; None if other parameters would have to be kept."""
    model, arith = build(description).over(Arrays()), Arrays()
    rng = np.random.default_rng(seed)
    states = max(20, 2 * len(base.names) // model.dof)
    q, qd, qdd = rng.uniform(-3, 3, (3, states, model.dof))
    columns = [list(x.T) for x in (q, qd, qdd)]
    flat = ALGORITHMS["regressor"].run(model, arith, cast(Any, columns), Conditions())[0]
    Y = np.stack([np.broadcast_to(np.asarray(y, dtype=np.float64), states) for y in cast(Any, flat)], axis=1)
    Y = with_drive_columns(model, Y.reshape(states, model.dof, -1), q, qd, qdd, base.friction, base.armature)
    Y = Y.reshape(-1, len(base.names))
    kept = Y[:, base.columns]
    found = np.asarray(np.linalg.lstsq(kept, Y, rcond=1e-11)[0], dtype=np.float64)
    left = np.abs(kept @ found - Y).max()
    return found if left < 1e-7 * np.abs(Y).max() else None


def _polynomial(values: Array, coefficients: Array, terms: list[tuple[tuple[int, ...], str]]) -> str | None:
    """A coefficient over all drawn lengths as a signed sum of terms in multiples of one half; None if it is not."""
    size = np.abs(values).max(axis=0)
    scaled = np.asarray(np.linalg.lstsq(values / size, coefficients, rcond=None)[0], dtype=np.float64)
    halves = np.asarray(np.rint(2 * scaled / size), dtype=np.float64) / 2
    if np.abs(values @ halves - coefficients).max() > CLOSE * max(1.0, float(np.abs(coefficients).max())):
        return None
    parts = [(float(factor), name) for factor, (_, name) in zip(halves, terms, strict=True) if factor]
    flip = all(factor < 0 for factor, _ in parts)
    text = ""
    for factor, name in parts:
        minus = (factor < 0) != flip
        number = "" if abs(factor) == 1 and name else f"{abs(factor):g}"
        text += (" - " if minus else " + ") if text else ("-" if minus else "")
        text += " ".join(part for part in (number, name) if part)
    text = f"({text})" if len(parts) > 1 else text
    return f"{'-' if flip else '+'} {text}" if text else None


def _number(value: float) -> str:
    return f"{'-' if value < 0 else '+'} {abs(value):.6g}"


def _term(factor: str, names: list[str]) -> str:
    """Further terms of a grouping, with their common coefficient in front."""
    sign, text = factor[0], factor[2:]
    sum_of_names = " + ".join(names)
    if len(names) == 1:
        return f" {sign} {'' if text == '1' else text + ' '}{sum_of_names}"
    if text == "1":
        return "".join(f" {sign} {name}" for name in names)
    return f" {sign} {text} ({sum_of_names})"
