"""The Newton-Euler derivation, and a comparison of all three."""

from __future__ import annotations

from redyn.symbolic.chapter.blocks import (
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
)
from redyn.symbolic.chapter.errata import free_body_reaction
from redyn.symbolic.chapter.setting import Context
from redyn.symbolic.check import lagrange_at
from redyn.symbolic.newton_euler import newton_euler
from redyn.symbolic.notation import Typesetter
from redyn.symbolic.point import Point

_write = Typesetter().write


def by_newton_euler(chapter: Chapter, at: Context) -> None:
    force, moment, arm = (
        (r"\b{f}_{i+1}", r"\b{n}_{i+1}", r"\b{r}_i \times \b{f}_{i+1}")
        if at.serial
        else (
            r"\sum_{k \in \xi_i} \b{f}_k",
            r"\sum_{k \in \xi_i} \b{n}_k",
            r"\sum_{k \in \xi_i} \b{r}_{i,k} \times \b{f}_k",
        )
    )
    weight = r" + m_i \b{g}" if at.heavy else ""
    loads = "its weight, the wrench" if at.heavy else "the wrench"
    five = "" if at.eqs.symbolic.turning_rows else " five"
    chapter.add(
        Heading("Derivation by the Newton-Euler equations"),
        Text(
            f"Every link is a free body. Link $i$ is loaded by {loads} of its parent at $O_i$ (force $\\b{{f}}_i$, "
            f"moment $\\b{{n}}_i$), and the reaction of {'the next link' if at.serial else 'its children'}:"
        ),
        Equation((rf"m_i \b{{a}}_{{C_i}} = \b{{f}}_i - {force}{weight}",), "(9.1b)"),
        Equation(
            (
                r"\b{I}_i \dot{\g{omega}}_i + \g{omega}_i \times \b{I}_i \g{omega}_i = "
                rf"\b{{n}}_i - {moment} - \b{{d}}_i \times \b{{f}}_i - {arm}",
            ),
            "(9.1a)",
        ),
        Text(
            f"The motion is computed outward, the forces inward. {_what_drives(at)} The other{five} components are "
            "carried by the bearings."
        ),
    )
    note = free_body_reaction(at)
    if note:
        chapter.add(note)
    if at.short:
        row: list[int] = []  # the links of a joint with several rates
        for i, link in enumerate(at.eqs.newton_euler, start=1):
            row.append(i)
            if at.bodies[i - 1].virtual:
                continue
            chapter.add(Heading(f"Free body of link {i}, in its own axes", 2))
            shown: list[Block] = []
            for name, v in (
                (r"\g{omega}_{%d}", link.omega),
                (r"\b{a}_{C_{%d}}", link.acceleration),
                (r"\b{f}_{%d}", link.force),
            ):
                shown += column(name % i, list(v))
            for k in row:
                along = r"\b{n}" if at.bodies[k - 1].kind == "revolute" else r"\b{f}"
                total = at.eqs.newton_euler[k - 1].tau + at.eqs.friction_torque[k - 1]
                shown.append(formula(rf"\tau_{{{k}}} = (\,{along}_{{{k}}})_z{at.drive(k)}", total))
            chapter.add(*shown)
            row = []
        chapter.add(Code("eqs.newton_euler[-1].force, eqs.newton_euler[-1].tau"))


def _what_drives(at: Context) -> str:
    """Which component the actuator supplies, and what it supplies in addition."""
    mixed = "$\\b{n}_i$ (revolute) or $\\b{f}_i$ (prismatic)"
    loads = mixed if at.revolute and at.prismatic else "$\\b{n}_i$" if at.revolute else "$\\b{f}_i$"
    beside = ["the torque of its rotor"] * bool(at.geared) + ["that of its spring $\\kappa_i$"] * at.sprung
    beside += ["friction $f_i$"] * at.frictional
    more = f", and {' and '.join(beside)}" if beside else ""
    return f"The actuator supplies the component of {loads} along the joint axis{more}."


def numbers_by_three(at: Context) -> tuple[list[float], list[float]]:
    """The torques at the state by Newton-Euler and by Lagrange, each over numbers; friction is the same law in both."""
    arith = Point(at.eqs.values)
    q, qd, qdd = (v.tolist() for v in (at.q, at.qd, at.qdd))
    cut = [b.tau for b in newton_euler(at.symbolic, q, qd, qdd, arith.const, arith.sincos)]
    energetic = lagrange_at(at.symbolic, arith, q).torque(qd, qdd)
    by_cut, by_energy = ([float(x + f) for x, f in zip(v, at.friction, strict=True)] for v in (cut, energetic))
    return by_cut, by_energy


def side_by_side(chapter: Chapter, at: Context) -> None:
    cut, energetic = numbers_by_three(at)
    drive = at.drive_in_general
    projected = [rf"\tau_i = \b{{e}}_i^{{T}} \b{{n}}_i{drive}"] if at.revolute else []
    projected += [rf"\tau_i = \b{{e}}_i^{{T}} \b{{f}}_i{drive}"] if at.prismatic else []
    friction = r" + \b{f}" if at.frictional else ""
    chapter.add(
        Heading("Comparison of the three derivations"),
        Columns(
            (
                (
                    "DeNOC",
                    (
                        Text("Starts from the six equations of every free link."),
                        Equation((r"\b{t} = \b{N}_l \b{N}_d \dot{\g{theta}}",), "(9.6a)"),
                        Equation((r"\b{N}^{T} \b{w}^{C} = \b{0}",), "(9.9b)"),
                        Equation((r"\b{N}^{T}(\b{M}\dot{\b{t}} + \b{W}\b{M}\b{t}) = \b{N}^{T} \b{w}^{E}",)),
                        Text(
                            "Projection eliminates constraint wrenches; every element is $\\b{p}_i^T(\\cdot)\\b{p}_j$."
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
                        *(Equation((row,)) for row in projected),
                        Text("Constraint forces are computed link by link, and one component of each is used."),
                    ),
                ),
                (
                    "Lagrange",
                    (
                        Text("Starts from two scalars."),
                        Equation((r"K = \tfrac{1}{2} \dot{\b{q}}^{T} \b{H} \dot{\b{q}}",)),
                        Equation((r"\b{C} = \tfrac{1}{2}\dot{\b{H}} + \b{S}",)),
                        Equation(
                            (
                                r"\g{tau} = \b{H}\ddot{\b{q}} + \b{C}\dot{\b{q}} + \partial U / \partial \b{q}"
                                f"{friction}",
                            )
                        ),
                        Text("Constraint forces never appear; partial derivatives are needed instead."),
                    ),
                ),
            )
        ),
    )
    rows = [
        (f"$\\tau_{{{i + 1}}}$", *(f"${number(float(x[i]))}$" for x in (at.torque, cut, energetic)))
        for i in range(at.n)
    ]
    chapter.add(
        Table(("", "DeNOC", "Newton-Euler", "Lagrange"), tuple(rows), "Torques at the state of the example."),
        agreement_table(at),
        Code("print(eqs.check())"),
    )


def agreement_table(at: Context) -> Table:
    rows = tuple(_verdict(str(c)) for c in at.eqs.check(points=3).comparisons)
    return Table(("compared", "result"), rows, "Agreement of the derivations.")


def _verdict(line: str) -> tuple[str, str]:
    what, verdict = line.split(": ", 1)
    return what.replace("H_dot/2 + S", r"$\tfrac{1}{2}\dot{\b{H}} + \b{S}$"), verdict
