"""Mass matrices of links and composite bodies, and the generalized inertia matrix element by element."""

from __future__ import annotations

from redyn.symbolic.chapter.blocks import (
    Chapter,
    Code,
    Equation,
    Heading,
    Text,
    column,
    fits,
    formula,
    matrix,
    number,
    number_matrix,
    number_vector,
    pair,
)
from redyn.symbolic.chapter.book import composite_tag, gim_tag
from redyn.symbolic.chapter.errata import composite_inertia, composite_sum, corner_of_two_links, rod_inertia
from redyn.symbolic.chapter.setting import Context
from redyn.symbolic.notation import Typesetter

_write = Typesetter().write


def masses(chapter: Chapter, at: Context) -> None:
    gathered = (
        r"\b{B}_{i+1,i}^{T} \tilde{\b{M}}_{i+1} \b{B}_{i+1,i}"
        if at.serial
        else r"\sum_{k \in \xi_i} \b{B}_{ki}^{T} \tilde{\b{M}}_k \b{B}_{ki}"
    )
    from_tip = "the tip" if at.serial else "the tips"
    chapter.add(
        Heading("Mass matrices"),
        Text(
            "The Newton-Euler equations of one free link, six scalar equations, are $\\b{M}_i \\dot{\\b{t}}_i + "
            "\\b{W}_i \\b{M}_i \\b{t}_i = \\b{w}_i$ (9.2a), with"
        ),
        Equation(
            (
                r"\b{M}_i = \begin{bmatrix} \b{I}_i & \b{O} \\ \b{O} & m_i \b{1} \end{bmatrix}, \quad "
                r"\b{W}_i = \begin{bmatrix} \g{omega}_i \times \b{1} & \b{O} \\ \b{O} & \b{O} "
                r"\end{bmatrix}",
            ),
            "(9.2b)",
        ),
        Text(
            "Lock the joints beyond link $i$: the link and all it carries form one rigid body, the composite body "
            f"$i$. Its mass matrix is accumulated from {from_tip} to the base,"
        ),
        Equation(
            (
                rf"\tilde{{\b{{M}}}}_i = \b{{M}}_i + {gathered} "
                r"= \begin{bmatrix} \tilde{\b{I}}_i & -\tilde{\g{delta}}_i \times \b{1} \\ "
                r"\tilde{\g{delta}}_i \times \b{1} & \tilde{m}_i \b{1} \end{bmatrix}",
            ),
            "(9.11d), (9.12c)",
        ),
    )
    for note in (composite_sum(at), composite_inertia(at), rod_inertia(at)):
        if note:
            chapter.add(note)
    if at.short:
        chapter.add(Text("For this robot, about $C_i$ in the axes of link $i$:"))
        for i in range(at.n, 0, -1):
            _closed_composite(chapter, at, i)
        return
    chapter.add(Text("At the state of the example, about $C_i$ in the axes of the ground:"))
    for i in range(at.n, 0, -1):
        k = i - 1
        chapter.add(
            Equation(
                (
                    rf"\tilde{{m}}_{{{i}}} = {number(float(at.view.m_tilde[k]))}, \quad "
                    rf"\tilde{{\g{{delta}}}}_{{{i}}} = {number_vector(at.view.delta_tilde[k])}",
                    rf"\tilde{{\b{{I}}}}_{{{i}}} = {number_matrix(at.view.I_tilde[k])}",
                ),
                "(9.14)",
            )
        )


def _closed_composite(chapter: Chapter, at: Context, i: int) -> None:
    m, delta, I = at.composite(i)
    chapter.add(
        formula(rf"\tilde{{m}}_{{{i}}}", m, composite_tag(at, i, "a")),
        *column(rf"\tilde{{\g{{delta}}}}_{{{i}}}", delta, composite_tag(at, i, "b")),
    )
    tag = composite_tag(at, i, "c")
    if fits(I):
        chapter.add(Equation((rf"\tilde{{\b{{I}}}}_{{{i}}} = {matrix(I)}",), tag))
        return
    for a, b in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)):
        if I[a][b] != 0:
            chapter.add(formula(rf"\tilde{{I}}_{{{i},{'xyz'[a]}{'xyz'[b]}}}", I[a][b], tag))


def gim(chapter: Chapter, at: Context) -> None:
    carried = "" if at.serial else " They are zero where neither link carries the other."
    whole = r"\b{N}^T \b{M} \b{N}" if at.geared else r"\b{I} = \b{N}^T \b{M} \b{N}"
    chapter.add(
        Heading("The generalized inertia matrix"),
        Text(
            "With all twists in one column, $\\b{t} = \\b{N}_l \\b{N}_d \\dot{\\g{theta}}$ (9.6a). Multiplying the "
            "free links' equations by $\\b{N}^T$ eliminates every constraint wrench, and the coefficient of "
            f"$\\ddot{{\\g{{theta}}}}$ is ${whole}$ (9.11a). Its elements need only composite bodies, from the last "
            f"joint to the first.{carried}"
        ),
        Equation(
            (r"i_{ij} = \b{p}_i^{T} \tilde{\b{M}}_i \b{B}_{ij} \b{p}_j, \quad i = n, \ldots, 1; \ j = i, \ldots, 1",),
            "(9.15b)",
        ),
    )
    if at.geared:
        chapter.add(
            Text("The rotor of an actuator moves with its joint only and adds its armature to the diagonal:"),
            Equation((r"i_{ii} = \b{p}_i^{T} \tilde{\b{M}}_i \b{p}_i + \mathit{armature}_i",)),
        )
    for i in range(at.n, 0, -1):
        for j in range(i, 0, -1):
            if not at.view.carries(j, i):
                continue
            B = "" if i == j else rf" \b{{B}}_{{{pair(i, j)}}}"
            left = rf"i_{{{pair(i, j)}}} = \b{{p}}_{{{i}}}^{{T}} \tilde{{\b{{M}}}}_{{{i}}}{B} \b{{p}}_{{{j}}}"
            if i == j and i in at.geared:
                left += f" + {_write(at.bodies[i - 1].armature)}"
            if at.short:
                chapter.add(formula(left, at.eqs.mass_matrix[i - 1, j - 1], gim_tag(at, i, j)))
            else:
                chapter.add(Equation((f"{left} = {number(at.view.gim_element(i, j))}",), gim_tag(at, i, j)))
    note = corner_of_two_links(at)
    if note:
        chapter.add(note)
    if at.short:
        chapter.add(
            Text("At the state of the example the matrix is"),
            Equation((rf"\b{{I}} = {number_matrix(at.view.GIM)}",)),
            Code("eqs.mass_matrix"),
            Code(at.comparison("mass_matrix", "q")),
        )
