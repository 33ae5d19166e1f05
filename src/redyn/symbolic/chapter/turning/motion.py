"""Inertia, convective and gravity terms, Lagrange's equations in rates that are no derivatives, and numbers."""

from __future__ import annotations

from redyn.symbolic.chapter.blocks import (
    Block,
    Chapter,
    Code,
    Equation,
    Heading,
    Table,
    Text,
    formula,
    number,
    number_matrix,
    number_vector,
    pair,
)
from redyn.symbolic.chapter.others import agreement_table, numbers_by_three
from redyn.symbolic.chapter.setting import Array, Context
from redyn.symbolic.notation import Typesetter, symbol_latex

_write = Typesetter().write


def inertia(chapter: Chapter, at: Context) -> None:
    eqs, n = at.eqs, at.n
    chapter.add(
        Heading("The generalized inertia matrix"),
        Text(
            "Composite bodies are gathered from the tips to the base (9.11d) and projected on the joints. Where the "
            "base of the robot turns about a point or is free, the matrix does not depend on its attitude: the rates "
            "are in the axes of its link."
        ),
        Equation(
            (r"i_{ij} = \b{p}_i^{T} \tilde{\b{M}}_i \b{B}_{ij} \b{p}_j, \quad \b{I} = \b{N}^{T} \b{M} \b{N}",),
            "(9.15b)",
        ),
    )
    if at.short:
        chapter.add(
            *(
                formula(
                    rf"i_{{{pair(i, j)}}}" + (rf" = i_{{{pair(j, i)}}}" if i != j else ""),
                    eqs.mass_matrix[i - 1, j - 1],
                )
                for i in range(1, n + 1)
                for j in range(1, i + 1)
                if eqs.mass_matrix[i - 1, j - 1] != 0
            ),
            Code("eqs.mass_matrix"),
            Code(at.comparison("mass_matrix", "q")),
        )
    else:
        chapter.add(
            Text("At the state of the example:"),
            Equation((rf"\b{{I}} = {number_matrix(at.run('mass_matrix', at.q).reshape(n, n))}",)),
        )


def vectors(chapter: Chapter, at: Context) -> None:
    eqs = at.eqs
    chapter.add(
        Heading("Convective vector and gravity" if at.heavy else "Convective vector"),
        Text(
            "The convective terms $\\b{h}$ are the torques of a motion with constant rates, without gravity (9.18b): "
            "Euler's $\\g{omega} \\times \\b{I} \\g{omega}$ and what the carried links add."
            + (" To hold the robot still, the actuators must supply $\\g{gamma}$ (9.21b)." if at.heavy else "")
        ),
    )
    known = [("h", "coriolis_vector", at.qd), *([("gamma", "gravity_torque", None)] if at.heavy else [])]
    for letter, name, rates in known:
        if at.short:
            found = eqs.quantity(name)
            rows = [formula(symbol_latex(f"{letter}_{i + 1}"), x) for i, x in enumerate(found) if x != 0]
            chapter.add(*(rows or [Text(f"Here ${'h_i' if letter == 'h' else symbol_latex('gamma_i')}$ is zero.")]))
            chapter.add(Code(at.comparison(name, "q, qd" if rates is not None else "q")))
        else:
            values = at.run(name, *((at.q,) if rates is None else (at.q, rates)))
            bold = r"\b{h}" if letter == "h" else r"\g{gamma}"
            chapter.add(Equation((f"{bold} = {number_vector(values)}",)))


def by_lagrange(chapter: Chapter, at: Context) -> None:
    """With the products of momenta and rates that rates have which are no derivatives."""
    eqs = at.eqs
    free = any(moves for _, moves in eqs.symbolic.turning_rows)
    chapter.add(
        Heading("Derivation by Lagrange's equations"),
        Text(
            "Lagrange's equations hold for derivatives of coordinates. For $\\g{omega}$ in the axes of a link they "
            "become Euler's: the momentum $\\b{P} = \\partial L / \\partial \\g{omega}$ is a vector of components in "
            "axes that turn, and $\\partial L / \\partial \\g{phi}$ is the derivative of $L$ along a rotation about "
            "these axes,"
        ),
        Equation((_euler(free),)),
    )
    if free:
        chapter.add(
            Text(
                "and for the velocity $\\b{v}$ of a free link, with $\\b{p} = \\partial L / \\partial \\b{v}$, "
                "Kirchhoff's"
            ),
            Equation(
                (
                    r"\dot{\b{p}} + \g{omega} \times \b{p} - \frac{\partial L}{\partial \b{x}} = \b{f}, "
                    r"\quad L = K - U",
                )
            ),
        )
    if not at.short:
        chapter.add(Text("For this robot they are compared with the other derivations in numbers, below."))
        return
    found = eqs.lagrange
    chapter.add(
        Text("The energies are"),
        formula("K", found.kinetic_energy),
        formula("U", found.potential_energy),
        Text("and their derivatives by the rates, the momenta:"),
        *(
            formula(rf"\frac{{\partial L}}{{\partial {_write(rate)}}}", found.momentum[i])
            for i, rate in enumerate(eqs.qd)
        ),
    )
    slopes = [(i, x) for i, x in enumerate(found.slope) if x != 0]
    if slopes:
        chapter.add(
            Text("Their derivatives along a unit of rate $i$ alone, $\\partial_i L$, are"),
            *(formula(rf"\partial_{{{i + 1}}} L", x) for i, x in slopes),
        )
    chapter.add(
        Text("With these the equations above are"),
        *(formula(rf"\tau_{{{i + 1}}}", found.torque[i] + eqs.friction_torque[i]) for i in range(at.n)),
        Code("eqs.lagrange.momentum, eqs.lagrange.slope, eqs.lagrange.torque"),
    )


def _euler(free: bool) -> str:
    more = r" + \b{v} \times \b{p}" if free else ""
    return (
        rf"\dot{{\b{{P}}}} + \g{{omega}} \times \b{{P}}{more} - \frac{{\partial L}}{{\partial \g{{phi}}}} = \b{{n}}"
        + ("" if free else r", \quad L = K - U")
    )


def compared(chapter: Chapter, at: Context) -> None:
    cut, energetic = numbers_by_three(at)
    rows = [
        (f"$\\tau_{{{i + 1}}}$", *(f"${number(float(x[i]))}$" for x in (at.torque, cut, energetic)))
        for i in range(at.n)
    ]
    chapter.add(
        Heading("Comparison of the three derivations"),
        Table(("", "DeNOC", "Newton-Euler", "Lagrange"), tuple(rows), "Torques at the state of the example."),
        agreement_table(at),
        Code("print(eqs.check())"),
    )


def numbers(chapter: Chapter, at: Context) -> None:
    """The state and the equation of motion there."""

    def listed(symbols: list[object], values: Array) -> Block:
        cells = [f"${_write(s)} = {number(float(x))}$" for s, x in zip(symbols, values, strict=True)]
        return Text(", ".join(cells) + ".")

    eqs, n = at.eqs, at.n
    chapter.add(
        Heading("Numbers at the state of the example"),
        Text("In SI units,"),
        listed(eqs.q, at.q),
        listed(eqs.qd, at.qd),
        listed(eqs.qdd, at.qdd),
        Equation(
            (
                rf"\b{{I}} = {number_matrix(at.run('mass_matrix', at.q).reshape(n, n))}",
                rf"\b{{h}} = {number_vector(at.run('coriolis_vector', at.q, at.qd))}",
                rf"\g{{gamma}} = {number_vector(at.run('gravity_torque', at.q))}",
                rf"\g{{tau}} = {number_vector(at.torque)}",
            )
        ),
        Code("robot.inverse_dynamics(q, qd, qdd)"),
    )
