"""Mode shapes, and the constants that follow from them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from redyn.symbolic.chapter.blocks import (
    Array,
    Block,
    Chapter,
    Equation,
    Heading,
    Table,
    Text,
    number,
    number_matrix,
    word,
)
from redyn.symbolic.chapter.flexible import sketch
from redyn.symbolic.chapter.flexible.setting import FlexibleSetting, Placed
from redyn.symbolic.notation import Typesetter, symbol_latex

_write = Typesetter().write
_VECTORS = (
    ("tip", "phi", r"\phi_k(L)"),
    ("slope", "dphi", r"\phi_k'(L)"),
    ("S", "S", r"\int \phi_k \, dm"),
    ("W", "W", r"\int x \phi_k \, dm"),
)
_TWISTED = (("twist", "psi", r"\psi_k(L)"), ("T", "T", r"\int \psi_k \, dI"))
_MATRICES = (
    ("G", r"\int \phi_k \phi_l \, dm"),
    ("H", r"\int \phi_k' \phi_l' \, dx"),
    ("P", r"\int H_{kl}(x) \, dm"),
    ("R", r"\int x H_{kl}(x) \, dm"),
)


def modes(chapter: Chapter, at: FlexibleSetting) -> None:
    if not at.beams:
        return
    chapter.add(
        Heading("Mode shapes and their constants"),
        Text(
            "The shapes are those of the clamped beam with a rigid body at its tip (mass $m_L$, first moment $S_L$ "
            "along the beam, moment of inertia $J_L$): what the tip carries in the initial configuration, unless the "
            "file says otherwise. For bending they solve"
        ),
        Equation(
            (
                r"\left( EI \, \phi'' \right)'' = \omega^2 \rho_A \, \phi, \quad \phi(0) = \phi'(0) = 0",
                r"EI \, \phi''(L) = \omega^2 \left( J_L \phi'(L) + S_L \phi(L) \right), \quad "
                r"\left( EI \, \phi'' \right)'(L) = -\omega^2 \left( m_L \phi(L) + S_L \phi'(L) \right)",
            )
        ),
        Text(
            "and are scaled so that the modal mass, the share of the load included, is the mass of the beam. They are "
            "orthogonal together with the load,"
        ),
        Equation(
            (
                r"\int \phi_k \phi_l \, dm + m_L \phi_k \phi_l + S_L (\phi_k \phi_l' + \phi_k' \phi_l) + "
                r"J_L \phi_k' \phi_l' = m_b \delta_{kl}",
            )
        ),
        Text(
            "but not by themselves: $G_{kl}$ below is diagonal only for a beam without a load. With $dm = \\rho_A \\, "
            "dx$, these constants are all that the equations of motion need to know of the shapes:"
        ),
    )
    for b in at.beams:
        if len(at.beams) > 1:
            chapter.add(Heading(word(str(b.numbers.name)), 2))
        chapter.add(*_beam(at, b))


def _beam(at: FlexibleSetting, b: Placed) -> list[Block]:
    beam, first = b.numbers, b.symbolic
    names = [rf"\phi_{{{k}}}" for k in range(1, beam.bending + 1)]
    names += [rf"\psi_{{{k}}}" for k in range(beam.bending + 1, beam.modes + 1)]
    drawing = sketch.shapes(b, names)
    blocks: list[Block] = [drawing] if drawing else []
    scalars: list[tuple[str, ...]] = [
        (f"${_write(first.length)}$", "length of the beam", _number(beam.length)),
        (f"${_write(first.M.m)}$", "its mass, $\\int dm$", _number(beam.M.m)),
        (f"${_write(first.M.h.x)}$", "first moment, $\\int x \\, dm$", _number(beam.M.h.x)),
        (
            f"${_write(first.M.S.xx + first.M.S.yy)}$",
            "second moment, $\\int x^2 \\, dm$",
            _number(_float(beam.M.S.xx) + _float(beam.M.S.yy)),
        ),
    ]
    blocks.append(Table(("constant", "meaning", "value"), tuple(scalars), "The straight beam (SI units)."))
    columns = tuple(f"$k = {k}$" for k in range(1, beam.modes + 1))
    rows = [_row(b, letter, meaning, getattr(beam, field), 0) for field, letter, meaning in _VECTORS if beam.bending]
    if beam.torsion:
        rows += [_row(b, letter, meaning, getattr(beam, field), beam.bending) for field, letter, meaning in _TWISTED]
    joints = [link.joint for link in at.robot.model.links[b.row]]
    stiff, damped = ([_float(getattr(j, name)) for j in joints] for name in ("stiffness", "damping"))
    bent = r"\int EI (\phi_k'')^2 \, dx" + r" \text{ or } \int GJ (\psi_k')^2 \, dx" * bool(beam.torsion)
    rows.append(_row(b, "K", bent, stiff, 0))
    if any(damped):
        rows.append(_row(b, "D", r"2 \zeta \sqrt{K_k G_{kk}}", damped, 0))
    masses = np.array([*[_float(beam.M.m)] * beam.bending, *[_float(beam.M.S.yy)] * beam.torsion])
    if (masses > 0.0).all():
        hertz = np.sqrt(np.array(stiff) / masses) / (2 * np.pi)
        rows.append(("", "frequency of the clamped beam with its load, Hz", *map(_number, hertz)))
    blocks.append(Table(("constant", "definition", *columns), tuple(rows), "Constants of each mode."))
    pairs = [(letter, meaning, getattr(beam, letter)) for letter, meaning in _MATRICES if beam.bending]
    if beam.torsion:
        pairs.append(("TT", r"\int \psi_k \psi_l \, dI", beam.TT))
    table = [
        (f"${symbol_latex(_named(letter, b, 'kl'))}$", f"${meaning}$", f"${number_matrix(_matrix(values))}$")
        for letter, meaning, values in pairs
    ]
    blocks.append(Table(("constant", "definition", "values"), tuple(table), "Constants of two modes each."))
    if not any(map(any, beam.H)):
        blocks.append(Text("Foreshortening is switched off in the file (stiffening: false): its constants are zero."))
    return blocks


def _named(letter: str, b: Placed, index: str) -> str:
    return f"{letter}_{b.label}_{index}" if b.label else f"{letter}_{index}"


def _row(b: Placed, letter: str, meaning: str, values: Sequence[Any], before: int) -> tuple[str, ...]:
    after = b.numbers.modes - before - len(values)
    cells = [*[""] * before, *map(_number, values), *[""] * after]
    return (f"${symbol_latex(_named(letter, b, 'k'))}$", f"${meaning}$", *cells)


def _number(value: Any) -> str:
    return f"${number(_float(value))}$"


def _matrix(rows: Any) -> Array:
    found = np.array(rows, dtype=np.float64)
    return np.where(np.abs(found) < 1e-12 * np.abs(found).max(initial=0.0), 0.0, found)


def _float(value: Any) -> float:
    return float(value)
