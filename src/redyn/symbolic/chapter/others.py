"""The same equations by Lagrange and by Newton-Euler, and the three side by side."""

from __future__ import annotations

from redyn.symbolic.chapter.blocks import (
    WIDTH,
    Block,
    Chapter,
    Code,
    Columns,
    Equation,
    Heading,
    Table,
    Text,
    column,
    formula,
    number,
    seen_width,
)
from redyn.symbolic.chapter.errata import free_body_reaction
from redyn.symbolic.chapter.setting import Setting
from redyn.symbolic.check import Point, lagrange_at
from redyn.symbolic.newton_euler import newton_euler
from redyn.symbolic.notation import Typesetter

_write = Typesetter().write


def by_lagrange(chapter: Chapter, at: Setting) -> None:
    if not at.short:
        return
    found = at.eqs.lagrange
    chapter.add(
        Heading("The same by Lagrange"),
        Text(
            "Start from the energies instead. Velocities come from differentiating positions, forces of constraint "
            "never appear, and the price is differentiation:"
        ),
        Equation(
            (
                r"\frac{d}{dt} \frac{\partial L}{\partial \dot{q}_i} - \frac{\partial L}{\partial q_i} = \tau_i, "
                r"\quad L = K - U",
            )
        ),
        formula("K", found.kinetic_energy),
        formula("U", found.potential_energy),
        Text(
            "Twice the kinetic energy is $\\dot{\\b{q}}^T \\b{H} \\dot{\\b{q}}$, and its $\\b{H}$ is the inertia "
            "matrix found above. What the derivatives of $\\b{H}$ give falls into two kinds: terms with the square "
            "of one rate are centrifugal, terms with the product of two are Coriolis."
        ),
    )
    rows: list[tuple[str, ...]] = []
    for i in range(at.n):
        rows.append((str(i + 1), f"${_write(found.centrifugal[i])}$", f"${_write(found.coriolis[i])}$"))
    if max(seen_width(row[1:]) for row in rows) <= WIDTH:
        chapter.add(Table(("joint", "centrifugal", "Coriolis"), tuple(rows), "Terms in the rates, told apart."))
    else:
        for i in range(at.n):
            chapter.add(
                formula(rf"\text{{centrifugal}}_{{{i + 1}}}", found.centrifugal[i]),
                formula(rf"\text{{Coriolis}}_{{{i + 1}}}", found.coriolis[i]),
            )
    chapter.add(
        Text(
            "As a matrix times the rates they are $\\b{C} = \\tfrac{1}{2}\\dot{\\b{H}} + \\b{S}$ with a skew "
            "$\\b{S}$, which does no work; the kinetic energy changes by what the torques do alone. The elements "
            "that are not zero, each half of $\\dot{\\b{H}}$ once:"
        )
    )
    for i in range(at.n):
        for j in range(i + 1):
            if found.half_H_dot[i, j] != 0:
                chapter.add(formula(rf"\tfrac{{1}}{{2}} \dot{{H}}_{{{i + 1}{j + 1}}}", found.half_H_dot[i, j]))
    for i in range(at.n):
        for j in range(i):
            if found.S[i, j] != 0:
                chapter.add(formula(rf"S_{{{i + 1}{j + 1}}} = -S_{{{j + 1}{i + 1}}}", found.S[i, j]))
    chapter.add(Code("eqs.lagrange.half_H_dot, eqs.lagrange.S"))


def by_newton_euler(chapter: Chapter, at: Setting) -> None:
    chapter.add(
        Heading("The same by Newton and Euler, link by link"),
        Text(
            "Cut every joint. On link $i$, in its own axes, act its weight, what its parent exerts at $O_i$ (force "
            "$\\b{f}_i$, moment $\\b{n}_i$), and the opposite of what its children are given:"
        ),
        Equation(
            (
                r"m_i \b{a}_{C_i} = \b{f}_i - \b{f}_{i+1} + m_i \b{g}",
                r"\b{I}_i \dot{\g{omega}}_i + \g{omega}_i \times \b{I}_i \g{omega}_i = "
                r"\b{n}_i - \b{n}_{i+1} - \b{d}_i \times \b{f}_i - \b{r}_i \times \b{f}_{i+1}",
            ),
            "(9.1)",
        ),
        Text(
            "The motion is found outward, the forces inward; the torque is the component of $\\b{n}_i$ (for a "
            "sliding joint, of $\\b{f}_i$) along the joint, and the other five are what the bearings carry."
        ),
    )
    note = free_body_reaction(at)
    if note:
        chapter.add(note)
    if at.short:
        for i, link in enumerate(at.eqs.newton_euler, start=1):
            chapter.add(Heading(f"Link {i}, cut free", 2))
            shown: list[Block] = []
            for name, v in (
                (r"\g{omega}_{%d}", link.omega),
                (r"\b{a}_{C_%d}", link.acceleration),
                (r"\b{f}_{%d}", link.force),
            ):
                shown += column(name % i, list(v))
            along = r"\b{n}" if at.eqs.symbolic.bodies[i - 1].kind == "revolute" else r"\b{f}"
            shown.append(formula(rf"\tau_{{{i}}} = ({along}_{{{i}}})_z", link.tau))
            chapter.add(*shown)
        chapter.add(Code("eqs.newton_euler[-1].force, eqs.newton_euler[-1].tau"))


def numbers_by_three(at: Setting) -> tuple[list[float], list[float]]:
    """The torques at the state by Newton-Euler and by Lagrange, each over numbers."""
    arith = Point(at.eqs.values)
    q, qd, qdd = (v.tolist() for v in (at.q, at.qd, at.qdd))
    cut = newton_euler(at.eqs.symbolic, q, qd, qdd, arith.const, arith.sincos)
    return [float(b.tau) for b in cut], [float(x) for x in lagrange_at(at.eqs.symbolic, arith, q).torque(qd, qdd)]


def side_by_side(chapter: Chapter, at: Setting) -> None:
    agreement = at.eqs.check(points=3)
    cut, energetic = numbers_by_three(at)
    ours = at.eqs.robot.inverse_dynamics(at.q, at.qd, at.qdd) - at.eqs.robot.friction_torque(at.qd)
    chapter.add(
        Heading("Three derivations side by side"),
        Columns(
            (
                (
                    "DeNOC",
                    (
                        Text("Starts from the six equations of every free link."),
                        Equation((r"\b{t} = \b{N}_l \b{N}_d \dot{\g{theta}}",), "(9.6)"),
                        Equation((r"\b{N}^{T} \b{w}^{C} = \b{0}",), "(9.9b)"),
                        Equation(
                            (r"\b{N}^{T}(\b{M}\dot{\b{t}} + \b{W}\b{M}\b{t}) = \g{tau}",),
                            "(9.10)",
                        ),
                        Text(
                            "Constraint wrenches vanish by projection; every element is $\\b{p}_i^T(\\cdot)\\b{p}_j$."
                        ),
                    ),
                ),
                (
                    "Newton-Euler",
                    (
                        Text("Starts from the same six equations."),
                        Equation((r"m \b{a} = \textstyle\sum \b{f}",), "(9.1b)"),
                        Equation(
                            (r"\b{I} \dot{\g{omega}} + \g{omega} \times \b{I}\g{omega} = \textstyle\sum \b{n}",),
                            "(9.1a)",
                        ),
                        Equation((r"\tau_i = \b{e}_i^{T} \b{n}_i",)),
                        Text("Constraint forces are found, link by link, and then one component of each is used."),
                    ),
                ),
                (
                    "Lagrange",
                    (
                        Text("Starts from two scalars."),
                        Equation((r"K = \tfrac{1}{2} \dot{\b{q}}^{T} \b{H} \dot{\b{q}}",)),
                        Equation((r"\b{C} = \tfrac{1}{2}\dot{\b{H}} + \b{S}",)),
                        Equation((r"\g{tau} = \b{H}\ddot{\b{q}} + \b{C}\dot{\b{q}} + \partial U / \partial \b{q}",)),
                        Text("Constraint forces never appear; their place is taken by partial derivatives."),
                    ),
                ),
            )
        ),
    )
    rows = [
        (f"$\\tau_{{{i + 1}}}$", *(f"${number(float(x[i]))}$" for x in (ours, cut, energetic))) for i in range(at.n)
    ]
    apart = ", friction apart" if any(at.eqs.friction_torque) else ""
    chapter.add(
        Table(("", "DeNOC", "Newton-Euler", "Lagrange"), tuple(rows), f"Torques at the state of the example{apart}."),
        Text("How far they agree:"),
        Table(("compared", "verdict"), tuple(_verdict(str(c)) for c in agreement.comparisons)),
        Code("print(eqs.check())"),
    )


def _verdict(line: str) -> tuple[str, str]:
    what, verdict = line.split(": ", 1)
    return what.replace("H_dot/2 + S", r"$\tfrac{1}{2}\dot{\b{H}} + \b{S}$"), verdict


def notation(chapter: Chapter, at: Setting) -> None:
    """What the short letters stand for, as far as they are used."""
    several = at.n > 1
    joined = (
        r", $s_{12} = \sin(\theta_1 + \theta_2)$, $\dot{\theta}_{12} = \dot{\theta}_1 + \dot{\theta}_2$"
        if several
        else ""
    )
    chapter.add(
        Text(
            f"Short letters: $c_1 = \\cos\\theta_1$, $s_1 = \\sin\\theta_1${joined}. A dot is a time derivative, "
            "$\\b{a} \\times \\b{1}$ the matrix of a cross product, $\\b{1}$ and $\\b{O}$ the identity and the zero "
            "matrix. Numbers such as (9.15b) are those of the equations in S. K. Saha's chapter on recursive robot "
            "dynamics."
        )
    )
