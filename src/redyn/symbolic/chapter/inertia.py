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
)
from redyn.symbolic.chapter.errata import composite_inertia, composite_sum, rod_inertia
from redyn.symbolic.chapter.setting import Setting


def masses(chapter: Chapter, at: Setting) -> None:
    chapter.add(
        Heading("Mass matrices"),
        Text(
            "Newton's and Euler's equations of one free link, six scalars in all, are $\\b{M}_i \\dot{\\b{t}}_i + "
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
            "Freeze the joints beyond link $i$: what it carries is then one rigid body with it, the composite body "
            "$i$. Its mass matrix is gathered from the tip to the base,"
        ),
        Equation(
            (
                r"\tilde{\b{M}}_i = \b{M}_i + \b{B}_{i+1,i}^{T} \tilde{\b{M}}_{i+1} \b{B}_{i+1,i} "
                r"= \begin{bmatrix} \tilde{\b{I}}_i & -\tilde{\g{delta}}_i \times \b{1} \\ "
                r"\tilde{\g{delta}}_i \times \b{1} & \tilde{m}_i \b{1} \end{bmatrix}",
            ),
            "(9.11d), (9.12c)",
        ),
    )
    for note in (composite_sum(at), composite_inertia(at), rod_inertia(at)):
        if note:
            chapter.add(note)
    chapter.add(Text("For this arm, about $C_i$ and in the axes of link $i$:"))
    for i in range(at.n, 0, -1):
        if at.short:
            m, delta, I = at.composite(i)
            chapter.add(
                formula(rf"\tilde{{m}}_{{{i}}}", m, "(9.14a)"),
                *column(rf"\tilde{{\g{{delta}}}}_{{{i}}}", delta, "(9.14b)"),
            )
            if fits(I):
                chapter.add(Equation((rf"\tilde{{\b{{I}}}}_{{{i}}} = {matrix(I)}",), "(9.14c)"))
            else:
                for a, b in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)):
                    if I[a][b] != 0:
                        name = rf"\tilde{{I}}_{{{i},{'xyz'[a]}{'xyz'[b]}}}"
                        chapter.add(formula(name, I[a][b], "(9.14c)"))
        else:
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
    if not at.short:
        chapter.add(Text("These are numbers in ground axes at the state of the example."))


def gim(chapter: Chapter, at: Setting) -> None:
    chapter.add(
        Heading("The generalized inertia matrix"),
        Text(
            "With all twists in one column, $\\b{t} = \\b{N}_l \\b{N}_d \\dot{\\g{theta}}$ (9.6). Multiplying the "
            "free links' equations by $\\b{N}^T$ removes every constraint wrench, and what stands before "
            "$\\ddot{\\g{theta}}$ is $\\b{I} = \\b{N}^T \\b{M} \\b{N}$. Its elements need only composite bodies, "
            "from the last joint to the first:"
        ),
        Equation(
            (r"i_{ij} = \b{p}_i^{T} \tilde{\b{M}}_i \b{B}_{ij} \b{p}_j, \quad i = n, \ldots, 1; \ j = i, \ldots, 1",),
            "(9.15b)",
        ),
    )
    if any(body.armature != 0 for body in at.eqs.symbolic.bodies):
        chapter.add(Text("The rotor of an actuator turns with its joint alone and adds its armature to the diagonal."))
    for i in range(at.n, 0, -1):
        for j in range(i, 0, -1):
            if not at.view.carries(j, i):
                continue
            B = "" if i == j else rf" \b{{B}}_{{{_pair(i, j)}}}"
            left = rf"i_{{{_pair(i, j)}}} = \b{{p}}_{{{i}}}^{{T}} \tilde{{\b{{M}}}}_{{{i}}}{B} \b{{p}}_{{{j}}}"
            if at.short:
                chapter.add(formula(left, at.eqs.mass_matrix[i - 1, j - 1], "(9.15b)"))
            else:
                chapter.add(Equation((f"{left} = {number(at.view.gim_element(i, j))}",), "(9.15b)"))
    if at.short:
        chapter.add(
            Text("At the state of the example the matrix is"),
            Equation((rf"\b{{I}} = {number_matrix(at.view.GIM)}",)),
            Code("eqs.mass_matrix"),
            Code("np.allclose(eqs.evaluate('mass_matrix', q), robot.mass_matrix(q))"),
        )


def _pair(i: int, j: int) -> str:
    return f"{i}{j}" if max(i, j) < 10 else f"{i},{j}"
