"""Lagrange's derivation in six steps, and the structure of its result."""

from __future__ import annotations

from redyn.symbolic.chapter.blocks import (
    WIDTH,
    Chapter,
    Code,
    Equation,
    Heading,
    Table,
    Text,
    formula,
    pair,
    seen_width,
)
from redyn.symbolic.chapter.setting import Context
from redyn.symbolic.notation import Typesetter

_write = Typesetter().write


def by_lagrange(chapter: Chapter, at: Context) -> None:
    if not at.short:
        return
    applied = r"\tau_i - f_i" if at.frictional else r"\tau_i"
    chapter.add(
        Heading("Derivation by Lagrange's equations"),
        Text(
            "Start from the energies instead. Constraint forces never appear; the price is differentiation of "
            "positions and energies:"
        ),
        Equation(
            (
                r"\frac{d}{dt} \frac{\partial L}{\partial \dot{q}_i} - \frac{\partial L}{\partial q_i} = "
                rf"{applied}, \quad L = K - U",
            )
        ),
    )
    _steps(chapter, at)
    _structure(chapter, at)


def _steps(chapter: Chapter, at: Context) -> None:
    eqs, found = at.eqs, at.eqs.lagrange
    q, qd = [_write(x) for x in eqs.q], [_write(x) for x in eqs.qd]
    torques = ", ".join(f"$\\tau_{{{i}}}$" for i in range(1, at.n + 1))
    friction = ", and the friction $f_i$ of the joints, against the motion" if at.frictional else ""
    chapter.add(
        Heading("Step 1: generalized coordinates", 2),
        Text(f"They are the joint variables, {', '.join(f'${x}$' for x in q)}."),
        Heading("Step 2: forces that do work and have no potential", 2),
        Text(f"Those of the actuators, {torques}{friction}. Bearings do no work{_potentials(at)}."),
        Heading("Step 3: the energies", 2),
        formula("K", found.kinetic_energy),
        formula("U", found.potential_energy),
        Heading("Step 4: the partial derivatives", 2),
    )
    for i in range(at.n):
        by_rate = rf"\frac{{\partial L}}{{\partial {qd[i]}}}"
        chapter.add(
            formula(by_rate, found.momentum[i]),
            formula(rf"\frac{{d}}{{dt}} {by_rate}", found.momentum_rate[i]),
            formula(rf"\frac{{\partial L}}{{\partial {q[i]}}}", found.slope[i]),
        )
    forces = [
        f"F_{{{i}}} = \\tau_{{{i}}}" + f" - f_{{{i}}}" * (eqs.friction_torque[i - 1] != 0) for i in range(1, at.n + 1)
    ]
    chapter.add(
        Heading("Step 5: the generalized forces", 2),
        Text("Each actuator does the work $\\tau_i \\, \\delta q_i$, so that"),
        Equation((r", \quad ".join(forces),)),
        Heading("Step 6: Lagrange's equation", 2),
        Text(
            "The derivatives of step 4, the second less the third, are equal to the forces of step 5"
            + (", with friction on the other side:" if at.frictional else ":")
        ),
        *(formula(rf"\tau_{{{i + 1}}}", found.torque[i] + eqs.friction_torque[i]) for i in range(at.n)),
        Code("eqs.lagrange.momentum, eqs.lagrange.momentum_rate, eqs.lagrange.slope"),
    )


def _potentials(at: Context) -> str:
    known = ["weights"] * at.heavy + ["springs"] * at.sprung
    return f", and {' and '.join(known)} have a potential" if known else ""


def _structure(chapter: Chapter, at: Context) -> None:
    found = at.eqs.lagrange
    chapter.add(
        Heading("Centrifugal and Coriolis terms", 2),
        Text(
            "The kinetic energy is $K = \\tfrac{1}{2} \\dot{\\b{q}}^T \\b{H} \\dot{\\b{q}}$, where $\\b{H}$ is the "
            "inertia matrix found above. The derivatives of $\\b{H}$ give two kinds of terms: those with the square "
            "of one rate are centrifugal, those with the product of two are Coriolis."
        ),
    )
    rows: list[tuple[str, ...]] = []
    for i in range(at.n):
        rows.append((str(i + 1), f"${_write(found.centrifugal[i])}$", f"${_write(found.coriolis[i])}$"))
    if max(seen_width(row[1:]) for row in rows) <= WIDTH:
        chapter.add(Table(("joint", "centrifugal", "Coriolis"), tuple(rows), "Centrifugal and Coriolis terms."))
    else:
        for i in range(at.n):
            chapter.add(
                formula(rf"\text{{centrifugal}}_{{{i + 1}}}", found.centrifugal[i]),
                formula(rf"\text{{Coriolis}}_{{{i + 1}}}", found.coriolis[i]),
            )
    work = r"\g{tau}" + r" - \g{gamma}" * at.heavy + r" - \g{kappa}" * at.sprung + r" - \b{f}" * at.frictional
    work = work if work == r"\g{tau}" else f"({work})"
    halves = any(x != 0 for x in found.half_H_dot) or any(x != 0 for x in found.S)
    chapter.add(
        Text(
            "As a matrix times the rates they are $\\b{C}\\dot{\\b{q}}$. Here $\\b{C}$ consists of Christoffel "
            "symbols: $\\b{C} = \\tfrac{1}{2}\\dot{\\b{H}} + \\b{S}$ with skew-symmetric $\\b{S}$, so that "
            "$\\dot{\\b{q}}^T(\\dot{\\b{H}} - 2\\b{C})\\dot{\\b{q}} = 0$ and the kinetic energy changes by"
        ),
        Equation((rf"\dot{{K}} = \dot{{\b{{q}}}}^{{T}} {work}",)),
        Text(f"The other terms do no work. {_elements_of_C(halves)}"),
    )
    for i in range(at.n):
        for j in range(i + 1):
            if found.half_H_dot[i, j] != 0:
                chapter.add(formula(rf"\tfrac{{1}}{{2}} \dot{{H}}_{{{pair(i + 1, j + 1)}}}", found.half_H_dot[i, j]))
    for i in range(at.n):
        for j in range(i):
            if found.S[i, j] != 0:
                left = rf"S_{{{pair(i + 1, j + 1)}}} = -S_{{{pair(j + 1, i + 1)}}}"
                chapter.add(formula(left, found.S[i, j]))
    chapter.add(Code("eqs.lagrange.half_H_dot, eqs.lagrange.S"))


def _elements_of_C(some: bool) -> str:
    if some:
        return "The nonzero elements (of the symmetric $\\dot{\\b{H}}$, each once):"
    return "Here both $\\dot{\\b{H}}$ and $\\b{S}$ are zero."
