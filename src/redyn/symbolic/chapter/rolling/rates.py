"""Rolling conditions, the independent rates, S and gamma."""

from __future__ import annotations

from typing import Any

from redyn.symbolic.chapter.blocks import (
    Block,
    Chapter,
    Code,
    Equation,
    Heading,
    Text,
    fits,
    formula,
    matrix,
    pair,
    word,
)
from redyn.symbolic.chapter.rolling.setting import RollingSetting, latex_of
from redyn.symbolic.notation import lines, sp

_ALONG = {
    "heading": "along its heading",
    "lateral": "across its heading",
    "vertical": "along the normal of the ground",
    "roller": "along the axis of the roller that touches the ground",
}


def rows(chapter: Chapter, at: RollingSetting) -> None:
    eqs = at.eqs
    chapter.add(
        Heading("Rolling without slip"),
        Text(
            "The point of a wheel that touches the ground is at rest. A row is the velocity of that point in one "
            "direction: along the heading of the wheel (which moves ahead if it spins forwards), across it to the left, "
            "or along the normal. A wheel with rollers is held along the axis of the roller alone, a blade across it."
        ),
    )
    qd = sp.Matrix(eqs.qd)
    for i, (wheel, row) in enumerate(at.rows):
        first, *rest = lines(
            f"\\left(\\b{{A}} \\dot{{\\b{{q}}}}\\right)_{{{i + 1}}}", (eqs.constraints.row(i) * qd)[0], 68
        )
        *before, last = [first, *(rf"\qquad {{}} {line}" for line in rest)]
        chapter.add(Text(f"{word(wheel)}, {_ALONG[row]}:"), Equation((*before, f"{last} = 0")))
    for idle, why in ((True, "zero at every configuration"), (False, "constant combinations of these")):
        names = [f"{word(wheel)} {row}" for wheel, row in at.left_out(idle)]
        if names:
            chapter.add(Text(f"Rows that are left out, being {why}: {', '.join(names)}."))
    chapter.add(Text("Together:"), *whole("A", eqs.constraints, r"\b{A} \dot{\b{q}} = \b{0}"), Code("eqs.constraints"))


def independent(chapter: Chapter, at: RollingSetting) -> None:
    eqs = at.eqs
    u = ", ".join(f"${latex_of(x)}$" for x in eqs.u)
    forms = eqs.rolling
    others = ", ".join(f"${latex_of(eqs.q[i])}$" for i in forms.dependent)
    own = " (of $x$ and $y$ in the axes of the base)" if eqs.symbolic.body_rates else ""
    chapter.add(
        Heading("Independent rates"),
        Text(
            f"The rows determine as many rates as there are rows. Independent are $\\b{{u}}$ = {u}; those of {others}"
            f"{own} follow, by the inverse of the columns $\\b{{A}}_D$ of $\\b{{A}}$ that belong to them:"
        ),
        Equation((r"\dot{\b{q}} = \b{S} \b{u}, \quad \b{A} \b{S} = \b{O}, \quad \b{S}_D = -\b{A}_D^{-1} \b{A}_I",)),
        *whole("S", eqs.transmission),
        formula(r"\det \b{A}_D", forms.delta),
    )
    if forms.constant:
        chapter.add(Text("The determinant is constant, so that this choice is singular at no configuration."))
    else:
        chapter.add(Text("Where this determinant is zero, the choice is singular: choose other independent rates."))
    chapter.add(
        Code("eqs.transmission"),
        Text("Accelerations follow by another derivative,"),
        Equation((r"\ddot{\b{q}} = \b{S} \dot{\b{u}} + \g{gamma}, \quad \g{gamma} = \dot{\b{S}} \b{u}",)),
    )
    drift = [(x, g) for x, g in zip(eqs.q, eqs.transmission_rate, strict=True) if g != 0]
    if drift:
        chapter.add(*(formula(rf"\gamma_{{{latex_of(x)}}}", g) for x, g in drift))
        if len(drift) < eqs.dof:
            chapter.add(Text("The other elements of $\\g{gamma}$ are zero."))
    else:
        chapter.add(Text("Here $\\b{S}$ is constant and $\\g{gamma}$ zero."))
    chapter.add(Code("eqs.transmission_rate"))


def whole(letter: str, found: Any, how: str = "") -> list[Block]:
    """A matrix in one piece if it fits, else its elements that are not zero."""
    entries = [list(found.row(i)) for i in range(found.rows)]
    said = f", \\quad {how}" if how else ""
    if fits(entries):
        return [Equation((rf"\b{{{letter}}} = {matrix(entries)}{said}",))]
    made: list[Block] = [Equation((how,))] if how else []
    made.append(Text("with the elements (those that are not listed are zero)"))
    for i, row in enumerate(entries):
        made += [formula(f"{letter}_{{{pair(i + 1, j + 1)}}}", x) for j, x in enumerate(row) if x != 0]
    return made
