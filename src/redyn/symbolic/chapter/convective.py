"""Convective inertia terms element by element, gravity, and the assembled equations of motion."""

from __future__ import annotations

from redyn.symbolic.chapter.blocks import (
    Block,
    Chapter,
    Code,
    Equation,
    Fold,
    Heading,
    Text,
    column,
    formula,
    number,
    number_matrix,
    number_vector,
    pair,
)
from redyn.symbolic.chapter.book import gravity_tag, mci_tag, vci_tag
from redyn.symbolic.chapter.errata import mci_index, omega_claim, prismatic_rate
from redyn.symbolic.chapter.setting import Context
from redyn.symbolic.notation import Typesetter, symbol_latex
from redyn.words import counted

_write = Typesetter().write


def mci(chapter: Chapter, at: Context) -> None:
    chapter.add(
        Heading("The matrix of convective inertia terms"),
        Text(
            "The rates enter twice: through $\\dot{\\b{N}}$ and through the gyroscopic $\\b{W}\\b{M}$. Together "
            "they are $\\b{C} = \\b{N}^T(\\b{M}\\dot{\\b{N}} + \\b{W}\\b{M}\\b{N})$ (9.16a), element by element"
        ),
        Equation(_elements(at), "(9.16k)"),
        Text(
            f"where {_recursion(at)}, $\\tilde{{\\b{{M}}}}'_i$ is composed from $\\b{{M}}'_i = \\b{{W}}_i \\b{{M}}_i$ "
            "as $\\tilde{\\b{M}}_i$ is from $\\b{M}_i$ (9.16j), and $\\g{Omega}_i$ has $\\g{omega}_i \\times \\b{1}$ "
            "twice on its diagonal."
        ),
    )
    chapter.add(*_propagation_rates(at))
    for note in (mci_index(at), prismatic_rate(at), omega_claim(at)):
        if note:
            chapter.add(note)
    for i in range(at.n, 0, -1):
        for j in range(at.n, 0, -1):
            if at.view.carries(j, i) or at.view.carries(i, j):
                left, tag = _mci_left(at, i, j), mci_tag(at, i, j)
                if at.short:
                    chapter.add(formula(left, at.eqs.coriolis_matrix[i - 1, j - 1], tag))
                else:
                    chapter.add(Equation((f"{left} = {number(at.view.mci_element(i, j))}",), tag))
    if not at.short:
        return
    chapter.add(
        Text("At the state of the example the matrix is"),
        Equation((rf"\b{{C}} = {number_matrix(at.view.MCI)}",)),
        Code("eqs.coriolis_matrix"),
        Code(at.comparison("coriolis_matrix", "q, qd")),
    )
    if not at.planar and at.eqs.christoffel_matrix != at.eqs.coriolis_matrix:
        chapter.add(
            Text(
                "For a spatial robot this is not the matrix of Christoffel symbols, although both give the same "
                "$\\b{C}\\dot{\\g{theta}}$ and a skew-symmetric $\\dot{\\b{I}} - 2\\b{C}$: compare "
                "$\\b{C}\\dot{\\g{theta}}$, not $\\b{C}$, with other programs."
            )
        )


def _propagation_rates(at: Context) -> list[Block]:
    """B_dot, by the rates of the vectors between mass centres."""
    pairs = [(i, body.parent) for i, body in enumerate(at.bodies, start=1) if body.parent]
    if not pairs:
        return []
    found: list[Block] = [
        Text("The rate of $\\b{B}_{ij}$ has that of $\\b{c}_{ij}$, the velocity of $C_j$ less that of $C_i$:"),
        Equation(
            (
                r"\dot{\b{B}}_{ij} = \begin{bmatrix} \b{O} & \b{O} \\ "
                r"\dot{\b{c}}_{ij} \times \b{1} & \b{O} \end{bmatrix}",
            ),
            "(9.16d)",
        ),
    ]
    for i, j in pairs:
        name = rf"\dot{{\b{{c}}}}_{{{pair(i, j)}}}"
        if at.short:
            found += column(name, at.c_dot(i, j))
        else:
            found.append(Equation((f"{name} = {number_vector(at.view.t_i(j)[3:] - at.view.t_i(i)[3:])}",)))
    return found


def _elements(at: Context) -> tuple[str, str]:
    """(9.16k) for a chain, or with sums over children for a tree."""
    outer = r"\b{B}_{j+1,i}^{T} \tilde{\b{H}}_{j+1,j}"
    first, second = r"i \le j", "i > j"
    if not at.serial:
        outer = r"\sum_{k \in \xi_j} \b{B}_{ki}^{T} \tilde{\b{H}}_{kj}"
        first = r"\text{if link } i \text{ carries link } j"
        second = r"\text{if link } j \text{ carries link } i \ne j"
    return (
        rf"c_{{ij}} = \b{{p}}_i^{{T}} \bigl[ {outer} + \b{{B}}_{{ji}}^{{T}} "
        rf"(\tilde{{\b{{M}}}}_j \g{{Omega}}_j + \tilde{{\b{{M}}}}'_j) \bigr] \b{{p}}_j, \quad {first}",
        r"c_{ij} = \b{p}_i^{T} \bigl[ \tilde{\b{H}}_{ij} + \tilde{\b{M}}_i \b{B}_{ij} \g{Omega}_j "
        rf"+ \tilde{{\b{{M}}}}'_i \b{{B}}_{{ij}} \bigr] \b{{p}}_j, \quad {second}",
    )


def _recursion(at: Context) -> str:
    outer = (
        r"\b{B}_{i+1,i}^{T} \tilde{\b{H}}_{i+1,i}"
        if at.serial
        else r"\sum_{k \in \xi_i} \b{B}_{ki}^{T} \tilde{\b{H}}_{ki}"
    )
    return rf"$\tilde{{\b{{H}}}}_{{ij}} = \tilde{{\b{{M}}}}_i \dot{{\b{{B}}}}_{{ij}} + {outer}$"


def _mci_left(at: Context, i: int, j: int) -> str:
    p_i, p_j = rf"\b{{p}}_{{{i}}}^{{T}}", rf"\b{{p}}_{{{j}}}"
    if at.view.carries(i, j):
        outer = "".join(
            rf"\b{{B}}_{{{pair(k, i)}}}^{{T}} \tilde{{\b{{H}}}}_{{{pair(k, j)}}} + " for k in at.children(j)
        )
        inner = rf"\tilde{{\b{{M}}}}_{{{j}}} \g{{Omega}}_{{{j}}} + \tilde{{\b{{M}}}}'_{{{j}}}"
        inner = outer + (inner if i == j else rf"\b{{B}}_{{{pair(j, i)}}}^{{T}} ({inner})")
    else:
        B = rf"\b{{B}}_{{{pair(i, j)}}}"
        inner = (
            rf"\tilde{{\b{{H}}}}_{{{pair(i, j)}}} + \tilde{{\b{{M}}}}_{{{i}}} {B} \g{{Omega}}_{{{j}}} "
            rf"+ \tilde{{\b{{M}}}}'_{{{i}}} {B}"
        )
    return rf"c_{{{pair(i, j)}}} = {p_i} \bigl[ {inner} \bigr] {p_j}"


def vci(chapter: Chapter, at: Context) -> None:
    eqs = at.eqs
    outer = (
        r"\b{B}_{i+1,i}^{T} \tilde{\b{w}}'_{i+1}"
        if at.serial
        else r"\sum_{k \in \xi_i} \b{B}_{ki}^{T} \tilde{\b{w}}'_k"
    )
    chapter.add(
        Heading("Convective vector and gravity" if at.heavy else "Convective vector"),
        Text(
            "The product $\\b{h} = \\b{C}\\dot{\\g{theta}}$ needs no matrix: with $\\b{t}'_i$ the twist rate for "
            f"$\\ddot{{\\g{{theta}}}} = \\b{{0}}$, it is one pass from the {'tip' if at.serial else 'tips'},"
        ),
        Equation(
            (
                r"h_i = \b{p}_i^{T} \tilde{\b{w}}'_i, \quad "
                rf"\tilde{{\b{{w}}}}'_i = \b{{w}}'_i + {outer}, \quad "
                r"\b{w}'_i = \b{M}_i \b{t}'_i + \b{M}'_i \b{t}_i",
            ),
            "(9.18b), (9.19b)",
        ),
    )
    if at.short:
        for i in range(at.n, 0, -1):
            left = rf"h_{{{i}}} = \b{{p}}_{{{i}}}^{{T}} \tilde{{\b{{w}}}}'_{{{i}}}"
            chapter.add(formula(left, eqs.coriolis_vector[i - 1], vci_tag(at, i)))
    else:
        chapter.add(Equation((rf"\b{{h}} = {number_vector(at.view.VCI)}",)))
    if not at.heavy:
        return
    chapter.add(
        Text(
            "Weights are external wrenches $\\b{w}^g_i$ (9.8), accumulated like $\\b{w}'_i$ and projected on the "
            "joints. To hold the robot still, the actuators must supply the opposite,"
        ),
        Equation((r"\gamma_i = -\b{p}_i^{T} \tilde{\b{w}}^{g}_i",), "(9.21b)"),
    )
    if at.short:
        for i in range(1, at.n + 1):
            chapter.add(formula(rf"\gamma_{{{i}}}", eqs.gravity_torque[i - 1], gravity_tag(at)))
        chapter.add(Code("eqs.gravity_torque"))
    else:
        chapter.add(Equation((rf"\g{{gamma}} = {number_vector(at.gravity_torque)}",)))


def motion(chapter: Chapter, at: Context) -> None:
    """The equations of motion, or named steps if they are too long."""
    eqs = at.eqs
    gravity = r" + \g{gamma}" if at.heavy else ""
    springs = r" + \g{kappa}(\g{theta})" if at.sprung else ""
    friction = r" + \b{f}(\dot{\g{theta}})" if at.frictional else ""
    chapter.add(
        Heading("The equations of motion of the tree" if at.looped else "The equations of motion"),
        Equation(
            (rf"\b{{I}} \ddot{{\g{{theta}}}} + \b{{C}} \dot{{\g{{theta}}}}{gravity}{springs}{friction} = \g{{tau}}",),
            "(9.42a)" if at.heavy else "(9.10a)",
        ),
    )
    if at.heavy:
        chapter.add(Text("where the $\\g{tau}^g$ of (9.42a) is the torque of the weights, $-\\g{gamma}$."))
    if at.sprung:
        rows = [
            rf"\kappa_{{{i}}} = {_write(eqs.spring_torque[i - 1])}"
            for i, body in enumerate(at.bodies, start=1)
            if body.stiffness != 0
        ]
        chapter.add(
            Text("Springs pull back to where they are at rest; the actuators hold them:"), Equation(tuple(rows))
        )
    if at.frictional:
        rows = [rf"f_{{{i}}} = {_write(eqs.friction_torque[i - 1])}" for i in range(1, at.n + 1)]
        chapter.add(
            Text("Friction opposes the motion, so the actuators must supply it and it appears with a plus sign:"),
            Equation(tuple(rows)),
        )
    if at.short:
        chapter.add(Text("Written out:"))
        for i in range(1, at.n + 1):
            chapter.add(formula(symbol_latex(f"tau_{i}"), eqs.torque[i - 1]))
        chapter.add(Code("eqs.torque"))
        return
    steps = eqs.steps("inverse_dynamics", loops=False)
    lines = steps.latex()
    blocks: list[Block] = [Equation((line,)) for line in lines[: len(steps.assignments)]]
    blocks += [Equation((rf"\tau_{{{i}}} = {_write(e)}",)) for i, e in enumerate(steps.outputs[0], start=1)]
    chapter.add(
        Text(
            f"The closed form for {counted(at.n, 'joint')} would fill many pages. The recursion itself, run over "
            f"symbols with every intermediate result named, is {counted(len(steps.assignments), 'short line')} and "
            f"{counted(steps.operations, 'operation')}; each line uses only those above it."
        ),
        Fold(f"The {counted(len(steps.assignments), 'line')} of the inverse dynamics, and the torques", tuple(blocks)),
        Code("steps = eqs.steps('inverse_dynamics', loops=False)\nlen(steps.assignments), steps.operations"),
    )
