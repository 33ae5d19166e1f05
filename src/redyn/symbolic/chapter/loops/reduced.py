"""The reduced equation of motion: as many equations as independent rates, without multipliers."""

from __future__ import annotations

from redyn.symbolic.chapter.blocks import (
    Block,
    Chapter,
    Code,
    Equation,
    Heading,
    Text,
    formula,
    number,
    number_matrix,
    number_vector,
    pair,
    summed,
)
from redyn.symbolic.chapter.loops.references import SAHA
from redyn.symbolic.chapter.loops.setting import LoopSetting
from redyn.symbolic.chapter.loops.terms import held
from redyn.symbolic.loops.quantities import LoopEquations
from redyn.symbolic.notation import Typesetter, operations, symbol

_write = Typesetter().write
_PAGE = 130  # operations of an element that is written out


def reduced(chapter: Chapter, at: LoopSetting) -> None:
    rest = " + ".join([r"\b{I} \g{nu}", r"\b{h}", *held(at)])
    driving = r"\g{tau}_{a}" if at.directly_driven else r"\b{G}_{a}^{T} \g{tau}_{a}"
    chapter.add(
        Heading("The reduced equation of motion"),
        Text(
            "Multiply the equations of the tree by $\\b{G}^T$. The multipliers vanish, because $\\b{G}^T \\b{J}^T = "
            "(\\b{J}\\b{G})^T = \\b{O}$, as the wrenches of the joints did in (9.9b), and with $\\ddot{\\g{theta}} = "
            f"\\b{{G}}\\dot{{\\b{{u}}}} + \\g{{nu}}$ one equation per independent rate is left, {SAHA}:"
        ),
        Equation(
            (
                rf"\b{{G}}^{{T}} \b{{I}} \b{{G}} \dot{{\b{{u}}}} + \b{{G}}^{{T}} ({rest}) = \b{{G}}^{{T}} \g{{tau}}",
                rf"\b{{G}}^{{T}} \g{{tau}} = {driving}",
            )
        ),
        Text(_names(at)),
        Equation(_definitions(at)),
    )
    loops = at.written
    if loops is not None:
        chapter.add(*_inertia(at, loops), *_convective(at, loops), *_gravity(at, loops), *_one_rate(at))
    if loops is not None and loops.short:
        chapter.add(Code("eqs.reduced_torque"))
    chapter.add(*_numbers(at))


def _names(at: LoopSetting) -> str:
    tail = " and $\\bar{\\g{gamma}}$ what the weights ask of the actuators" if at.robot.gravity.any() else ""
    return (
        "Passive joints supply no torque, so only those of the actuators are on the right. Call $\\bar{\\b{I}}$ the "
        f"reduced inertia, $\\bar{{\\b{{h}}}}$ the terms in the rates{tail}:"
    )


def _definitions(at: LoopSetting) -> tuple[str, ...]:
    first = r"\bar{\b{I}} = \b{G}^{T} \b{I} \b{G}, \quad \bar{\b{h}} = \b{G}^{T} (\b{I} \g{nu} + \b{h})"
    more = [rf"{_barred(term)} = \b{{G}}^{{T}} {term}" for term in held(at)]
    return (r", \quad ".join([first, *more]),)


def _barred(term: str) -> str:
    return rf"\bar{{{term}}}"


def _place(at: LoopSetting, letter: str, a: int, b: int | None = None) -> str:
    """An element, by the numbers of the independent joints; no number where there is one of them."""
    if len(at.independent) == 1:
        return rf"\bar{{{letter}}}"
    numbers = str(at.independent[a] + 1) if b is None else pair(at.independent[a] + 1, at.independent[b] + 1)
    return rf"\bar{{{letter}}}_{{{numbers}}}"


def _inertia(at: LoopSetting, loops: LoopEquations) -> list[Block]:
    assert at.eqs is not None
    single = len(at.independent) == 1
    found: list[Block] = [
        Text(
            "The reduced inertia is twice the kinetic energy at a unit rate: every link with the rates that $\\b{G}$ "
            "gives it,"
            if single
            else "The elements of the reduced inertia are"
        )
    ]
    columns = range(len(at.independent))
    written: list[Block] = []
    for a in columns:
        for b in columns[a:]:
            found.append(summed(_place(at, "I", a, b), at.inertia(loops, a, b)))
            if loops.short and operations(at.eqs.reduced_mass_matrix[a, b]) <= _PAGE:
                written.append(summed(_place(at, "I", a, b), at.eqs.reduced_mass_matrix[a, b]))
    if written:
        found += [Text("and, with $\\b{G}$ written out, in the joint variables alone"), *written]
    return [*found, Code("eqs.reduced_mass_matrix")] if written else found


def _convective(at: LoopSetting, loops: LoopEquations) -> list[Block]:
    """Of one independent rate, half the slope of the reduced inertia; else in matrices, which say as much."""
    if len(at.independent) > 1:
        return []
    assert at.eqs is not None
    (j,) = at.independent
    variable, rate = _write(at.eqs.q[j]), _write(at.eqs.qd[j])
    primes = [rf"G'_{{{pair(i + 1, j + 1)}}} = \nu_{{{i + 1}}} / {rate}^{{2}}" for i in at.dependent]
    return [
        Text(
            f"The terms in the rates are $\\bar{{h}} = \\tfrac{{1}}{{2}} \\bar{{I}}' {rate}^{{2}}$, where "
            f"$\\bar{{I}}'$ is the derivative of $\\bar{{I}}$ by ${variable}$ along the closed motion: with $G'$ the "
            f"derivatives of $\\b{{G}}$,"
        ),
        Equation((r", \quad ".join(primes),)),
        summed(r"\tfrac{1}{2} \bar{I}'", at.half_slope(loops)),
    ]


def _gravity(at: LoopSetting, loops: LoopEquations) -> list[Block]:
    if not at.robot.gravity.any():
        return []
    found: list[Block] = [Text("The weights do work at the rates of $\\b{G}$ as well:")]
    found += [formula(_place(at, r"\gamma", a), at.weight(loops, a)) for a in range(len(at.independent))]
    return found


def _one_rate(at: LoopSetting) -> list[Block]:
    """The classic form of one equation."""
    if len(at.independent) > 1:
        return []
    assert at.eqs is not None
    (j,) = at.independent
    rate, acceleration = _write(at.eqs.qd[j]), _write(at.eqs.qdd[j])
    bars = {r"\g{gamma}": r"\bar{\gamma}", r"\g{kappa}": r"\bar{\kappa}", r"\b{f}": r"\bar{f}"}
    terms = [rf"\bar{{I}} {acceleration}", rf"\tfrac{{1}}{{2}} \bar{{I}}' {rate}^{{2}}", *(bars[x] for x in held(at))]
    right = symbol(f"tau_{j + 1}") if at.directly_driven else symbol("tau")
    return [
        Text("The equation of motion of the mechanism is thus one equation,"),
        Equation((f"{' + '.join(terms)} = {_write(right)}",)),
        Text(
            "in which the passive joint variables are those of the closed mechanism at "
            f"${_write(at.eqs.q[j])}$. It is Lagrange's equation for $K = \\tfrac{{1}}{{2}} \\bar{{I}} {rate}^{{2}}$."
        ),
    ]


def _grouped(at: LoopSetting) -> str:
    """Where friction and springs are counted."""
    terms = held(at)
    parts = [r"friction in $\bar{\b{h}}$"] * (r"\b{f}" in terms)
    parts += [r"springs in $\bar{\g{gamma}}$"] * (r"\g{kappa}" in terms)
    return f" ({', '.join(parts)})" if parts else ""


def _numbers(at: LoopSetting) -> list[Block]:
    G = at.G
    h, weight = G.T @ (at.M @ at.nu + at.convective), G.T @ at.held
    tau = at.tau[at.driven]
    ending = Code("robot.mass_matrix(q, reduced=True)")
    if len(at.independent) == 1 and at.directly_driven:
        (u_dot,) = at.state.qdd[at.independent]
        terms = held(at)
        what = ["inertia times acceleration", "the terms in the rates" + " and friction" * (r"\b{f}" in terms)]
        what += ["the weights"] * (r"\g{gamma}" in terms) + ["the springs"] * (r"\g{kappa}" in terms)
        inertia, torque = number(float(at.reduced_mass_matrix[0, 0])), number(float(tau[0]))
        acceleration, *others = (_signed(float(x)) for x in (u_dot, h[0], *weight[: len(what) > 2]))
        left = " + ".join([rf"{inertia} \cdot {acceleration}", *others])
        return [
            Text(f"At the state of the example, {', '.join(what[:-1])} and {what[-1]} add up to the torque:"),
            Equation((f"{left} = {torque}",)),
            ending,
        ]
    rows = [
        rf"\bar{{\b{{I}}}} = {number_matrix(at.reduced_mass_matrix)}",
        rf"\bar{{\b{{h}}}} = {number_vector(h)}",
        *([rf"\bar{{\g{{gamma}}}} = {number_vector(weight)}"] if held(at) else []),
        rf"\g{{tau}}_{{a}} = {number_vector(tau)}",
    ]
    return [Text(f"At the state of the example{_grouped(at)}:"), Equation(tuple(rows)), ending]


def _signed(value: float) -> str:
    return f"({number(value)})" if value < 0 else number(value)
