"""Convective inertia terms element by element, gravity, and the equations of motion put together."""

from __future__ import annotations

from redyn.symbolic.chapter.blocks import (
    Block,
    Chapter,
    Code,
    Equation,
    Fold,
    Heading,
    Text,
    formula,
    number,
    number_matrix,
    number_vector,
)
from redyn.symbolic.chapter.errata import mci_index, omega_claim, prismatic_rate
from redyn.symbolic.chapter.setting import Setting
from redyn.symbolic.notation import Typesetter, symbol_latex

_write = Typesetter().write


def mci(chapter: Chapter, at: Setting) -> None:
    chapter.add(
        Heading("The matrix of convective inertia terms"),
        Text(
            "The rates enter twice: through $\\dot{\\b{N}}$ and through the gyroscopic $\\b{W}\\b{M}$. Together "
            "they are $\\b{C} = \\b{N}^T(\\b{M}\\dot{\\b{N}} + \\b{W}\\b{M}\\b{N})$ (9.16a), element by element"
        ),
        Equation(
            (
                r"c_{ij} = \b{p}_i^{T} \bigl[ \b{B}_{j+1,i}^{T} \tilde{\b{H}}_{j+1,j} + \b{B}_{ji}^{T} "
                r"(\tilde{\b{M}}_j \g{Omega}_j + \tilde{\b{M}}'_j) \bigr] \b{p}_j, \quad i \le j",
                r"c_{ij} = \b{p}_i^{T} \bigl[ \tilde{\b{H}}_{ij} + \tilde{\b{M}}_i \b{B}_{ij} \g{Omega}_j "
                r"+ \tilde{\b{M}}'_i \b{B}_{ij} \bigr] \b{p}_j, \quad i > j",
            ),
            "(9.16k)",
        ),
        Text(
            "where $\\tilde{\\b{H}}_{ij} = \\tilde{\\b{M}}_i \\dot{\\b{B}}_{ij} + \\b{B}_{i+1,i}^T "
            "\\tilde{\\b{H}}_{i+1,i}$, $\\b{M}'_i = \\b{W}_i \\b{M}_i$ is gathered like $\\tilde{\\b{M}}_i$ "
            "(9.16j), and $\\g{Omega}_i$ has $\\g{omega}_i \\times \\b{1}$ twice on its diagonal."
        ),
    )
    for note in (mci_index(at), prismatic_rate(at), omega_claim(at)):
        if note:
            chapter.add(note)
    for i in range(at.n, 0, -1):
        for j in range(at.n, 0, -1):
            if at.view.carries(j, i) or at.view.carries(i, j):
                left = _mci_left(at, i, j) if at.serial else f"c_{{{i},{j}}}"
                if at.short:
                    chapter.add(formula(left, at.eqs.coriolis_matrix[i - 1, j - 1], "(9.16k)"))
                else:
                    chapter.add(Equation((f"{left} = {number(at.view.mci_element(i, j))}",), "(9.16k)"))
    if not at.short:
        return
    chapter.add(
        Text("At the state of the example the matrix is"),
        Equation((rf"\b{{C}} = {number_matrix(at.view.MCI)}",)),
        Code("eqs.coriolis_matrix"),
        Code("np.allclose(eqs.evaluate('coriolis_matrix', q, qd), robot.coriolis_matrix(q, qd))"),
    )
    if not at.planar and at.eqs.christoffel_matrix != at.eqs.coriolis_matrix:
        chapter.add(
            Text(
                "For a spatial arm this is not the matrix made of Christoffel's symbols, although both give the "
                "same $\\b{C}\\dot{\\g{theta}}$ and a skew $\\dot{\\b{I}} - 2\\b{C}$: never compare $\\b{C}$ itself "
                "between programs."
            )
        )


def _mci_left(at: Setting, i: int, j: int) -> str:
    p_i, p_j = rf"\b{{p}}_{{{i}}}^{{T}}", rf"\b{{p}}_{{{j}}}"
    if i <= j:
        head = "" if j == at.n else rf"\b{{B}}_{{{j + 1}{i}}}^{{T}} \tilde{{\b{{H}}}}_{{{j + 1}{j}}} + "
        B = "" if i == j else rf"\b{{B}}_{{{j}{i}}}^{{T}} "
        inner = rf"{head}{B}(\tilde{{\b{{M}}}}_{{{j}}} \g{{Omega}}_{{{j}}} + \tilde{{\b{{M}}}}'_{{{j}}})"
    else:
        inner = (
            rf"\tilde{{\b{{H}}}}_{{{i}{j}}} + \tilde{{\b{{M}}}}_{{{i}}} \b{{B}}_{{{i}{j}}} "
            rf"\g{{Omega}}_{{{j}}} + \tilde{{\b{{M}}}}'_{{{i}}} \b{{B}}_{{{i}{j}}}"
        )
    return rf"c_{{{i}{j}}} = {p_i} \bigl[ {inner} \bigr] {p_j}"


def vci(chapter: Chapter, at: Setting) -> None:
    eqs = at.eqs
    chapter.add(
        Heading("Convective vector and gravity"),
        Text(
            "The product $\\b{h} = \\b{C}\\dot{\\g{theta}}$ needs no matrix: with $\\b{t}'_i$ the twist rate while "
            "$\\ddot{\\g{theta}} = \\b{0}$, it is one pass from the tip,"
        ),
        Equation(
            (
                r"h_i = \b{p}_i^{T} \tilde{\b{w}}'_i, \quad \tilde{\b{w}}'_i = \b{w}'_i + "
                r"\b{B}_{i+1,i}^{T} \tilde{\b{w}}'_{i+1}, \quad \b{w}'_i = \b{M}_i \b{t}'_i + \b{M}'_i \b{t}_i",
            ),
            "(9.18b), (9.19b)",
        ),
    )
    if at.short:
        for i in range(at.n, 0, -1):
            left = rf"h_{{{i}}} = \b{{p}}_{{{i}}}^{{T}} \tilde{{\b{{w}}}}'_{{{i}}}"
            chapter.add(formula(left, eqs.coriolis_vector[i - 1], "(9.19b)"))
    chapter.add(
        Text(
            "Weights are external wrenches, and $\\b{N}^T$ projects them on the joints (9.21). What the actuators "
            "must supply to hold still is the opposite,"
        ),
        Equation((r"\gamma_i = -\b{p}_i^{T} \tilde{\b{w}}^{g}_i",), "(9.21b)"),
    )
    if at.short:
        for i in range(1, at.n + 1):
            chapter.add(formula(rf"\gamma_{{{i}}}", eqs.gravity_torque[i - 1]))
        chapter.add(Code("eqs.gravity_torque"))
    else:
        chapter.add(Equation((rf"\g{{gamma}} = {number_vector(eqs.robot.gravity_torque(at.q))}",)))


def motion(chapter: Chapter, at: Setting) -> None:
    """The equations of motion, or the steps that compute them."""
    eqs = at.eqs
    frictional = any(body.damping != 0 or body.coulomb != 0 for body in eqs.symbolic.bodies)
    friction = r" + \b{f}(\dot{\g{theta}})" if frictional else ""
    chapter.add(
        Heading("The equations of motion"),
        Equation(
            (
                r"\b{I} \ddot{\g{theta}} + \b{C} \dot{\g{theta}} + \g{gamma}"
                rf"{friction} = \g{{tau}}",
            ),
            "(9.10a)",
        ),
    )
    if frictional:
        rows = [rf"f_{{{i}}} = {_write(eqs.friction_torque[i - 1])}" for i in range(1, at.n + 1)]
        chapter.add(
            Text("Friction opposes the motion; the actuators supply it, so that it stands here with a plus sign."),
            Equation(tuple(rows)),
        )
    if at.short:
        chapter.add(Text("Written out:"))
        for i in range(1, at.n + 1):
            total = eqs.torque[i - 1]
            chapter.add(formula(symbol_latex(f"tau_{i}"), total))
        chapter.add(Code("eqs.torque"))
        return
    steps = eqs.steps("inverse_dynamics")
    lines = steps.latex()
    blocks: list[Block] = [Equation((line,)) for line in lines[: len(steps.assignments)]]
    blocks += [Equation((rf"\tau_{{{i}}} = {_write(e)}",)) for i, e in enumerate(steps.outputs[0], start=1)]
    chapter.add(
        Text(
            f"The closed form of these {at.n} joints would fill many pages and tell nothing. The recursion itself, "
            f"run over symbols with every intermediate named, is {len(steps.assignments)} short lines and "
            f"{steps.operations} operations; each line "
            "uses only those above it."
        ),
        Fold(f"The {len(blocks)} lines of the inverse dynamics", tuple(blocks)),
        Code("steps = eqs.steps('inverse_dynamics')\nlen(steps.assignments), steps.operations"),
    )
