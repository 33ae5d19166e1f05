"""The tree's equations, the reduced equation of motion, and the forces of the ground."""

from __future__ import annotations

from typing import Any

from redyn.symbolic.chapter.blocks import Block, Chapter, Code, Equation, Heading, Text, formula, pair, summed, word
from redyn.symbolic.chapter.rolling.rates import whole
from redyn.symbolic.chapter.rolling.setting import RollingSetting, latex_of
from redyn.symbolic.notation import sp

_PARTS = (
    ("coriolis_vector", r"\b{h}"),
    ("gravity_torque", r"\b{g}"),
    ("spring_torque", r"\b{k}"),
    ("friction_torque", r"\b{d}"),
)


def tree(chapter: Chapter, at: RollingSetting) -> None:
    eqs = at.eqs
    present = [(name, letter) for name, letter in _PARTS if any(eqs.quantity(name))]
    left = " + ".join([r"\b{M} \ddot{\b{q}}", *(letter for _, letter in present)])
    chapter.add(
        Heading("The tree"),
        Text(
            "Lifted from the ground, the robot is a tree like any other; the recursions of the book give its inertia "
            "$\\b{M}$ and the other terms. The ground adds forces $\\g{lambda}$ along the rows:"
        ),
        Equation((rf"{left} = \g{{tau}} + \b{{A}}^T \g{{lambda}}",)),
    )
    if not at.small:
        chapter.add(Text("Its elements are too long to print here; eqs.mass_matrix and the others have them."))
        return
    chapter.add(*_upper("M", eqs.mass_matrix))
    for name, letter in present:
        column = eqs.quantity(name)
        named = zip(eqs.q, column, strict=True)
        chapter.add(*(formula(rf"{letter[3:-1]}_{{{latex_of(x)}}}", value) for x, value in named if value != 0))
    chapter.add(Text("Elements that are not listed are zero."), Code("eqs.mass_matrix, eqs.coriolis_vector"))


def equation(chapter: Chapter, at: RollingSetting) -> None:
    eqs = at.eqs
    present = [(name, letter) for name, letter in _PARTS if name != "coriolis_vector" and any(eqs.quantity(name))]
    more = "".join(f" + {letter}" for _, letter in present)
    chapter.add(
        Heading("The reduced equation of motion"),
        Text(
            "$\\b{S}^T \\b{A}^T$ is zero: forces that only keep wheels from slipping do no work. $\\b{S}^T$ times the "
            "equation of the tree is free of them, and has as many rows as there are independent rates:"
        ),
        Equation(
            (
                rf"\b{{S}}^T \b{{M}} \b{{S}} \dot{{\b{{u}}}} + \b{{S}}^T (\b{{M}} \g{{gamma}} + \b{{h}}{more})"
                r" = \b{S}^T \g{tau}",
            )
        ),
    )
    if not at.small:
        chapter.add(
            Text(
                "Its elements are too long to print; eqs.reduced_mass_matrix and eqs.reduced_coriolis_vector have them."
            )
        )
        return
    chapter.add(*_upper(r"\bar{M}", eqs.reduced_mass_matrix, "with $\\bar{\\b{M}} = \\b{S}^T \\b{M} \\b{S}$,"))
    drift = eqs.reduced_coriolis_vector
    if any(drift):
        chapter.add(Text("$\\bar{\\b{h}} = \\b{S}^T (\\b{M} \\g{gamma} + \\b{h})$,"), *_column(r"\bar{h}", drift))
    for name, letter in present:
        bar = rf"\bar{{{letter[3:-1]}}}"
        column = eqs.quantity(f"reduced_{name}")
        if any(column):
            chapter.add(Text(f"$\\bar{{{letter}}} = \\b{{S}}^T {letter}$,"), *_column(bar, column))
    chapter.add(*_right(at), Code("eqs.reduced_mass_matrix, eqs.reduced_coriolis_vector, eqs.actuation"))
    chapter.add(Text("Row by row:"), *(_line(at, i) for i in range(len(eqs.u))))


def _right(at: RollingSetting) -> list[Block]:
    """S^T tau of the actuated joints."""
    eqs, B = at.eqs, at.eqs.actuation
    joints = ", ".join(word(name) for name in at.robot.torque_names)
    if B.is_square and sp.eye(B.rows) == B.as_mutable():
        return [
            Text(f"Driven are the independent rates themselves ({joints}): $\\b{{S}}^T \\g{{tau}}$ are their torques.")
        ]
    spare = ""
    if B.cols > B.rows:
        spare = " There are more actuators than needed; inverse dynamics takes the torques of least norm."
    return [
        Text(f"Driven are {joints}, so that $\\b{{S}}^T \\g{{tau}} = \\b{{B}} \\g{{tau}}_a$ with{spare}"),
        *whole("B", eqs.actuation),
    ]


def _line(at: RollingSetting, i: int) -> Equation:
    eqs = at.eqs
    right = sp.Add(*(b * t for b, t in zip(eqs.actuation.row(i), at.torques, strict=True)))
    terms = [x * y for x, y in zip(eqs.reduced_mass_matrix.row(i), eqs.u_dot, strict=True) if x != 0]
    names = ("coriolis_vector", "gravity_torque", "spring_torque", "friction_torque")
    terms += [eqs.quantity(f"reduced_{name}")[i] for name in names]
    return summed(_write(right), sp.Add(*(x for x in terms if x != 0), evaluate=False) if len(terms) > 1 else terms[0])


def _write(x: Any) -> str:
    from redyn.symbolic.notation import Typesetter

    return Typesetter().write(x)


def _upper(letter: str, found: Any, said: str = "") -> list[Block]:
    """The elements of a symmetric matrix."""
    made: list[Block] = [Text(said)] if said else []
    for i in range(found.rows):
        columns = range(i, found.cols)
        made += [formula(f"{letter}_{{{pair(i + 1, j + 1)}}}", found[i, j]) for j in columns if found[i, j] != 0]
    return made


def _column(letter: str, found: Any) -> list[Block]:
    return [formula(f"{letter}_{{{i + 1}}}", x) for i, x in enumerate(found) if x != 0]


def forces(chapter: Chapter, at: RollingSetting) -> None:
    """The multipliers."""
    eqs = at.eqs
    names = ", ".join(f"$\\lambda_{{{i + 1}}}$ {word(wheel)} {row}" for i, (wheel, row) in enumerate(at.rows))
    chapter.add(
        Heading("Forces of the ground"),
        Text(
            "Once the motion is known, the equation of the tree gives the multipliers. A row is a velocity in one "
            "direction, so its multiplier is the force of the ground on that wheel in this direction, in newtons: "
            f"{names}. With $\\b{{f}} = \\b{{M}} \\ddot{{\\b{{q}}}} + \\b{{h}} + \\ldots - \\g{{tau}}$, what the motion "
            "needs beyond the torques, $\\b{A}_D^T \\g{lambda} = \\b{f}_D$:"
        ),
        *(formula(rf"\lambda_{{{i + 1}}}", x) for i, x in enumerate(eqs.multipliers)),
        Code("eqs.multipliers"),
    )
    if at.left_out(False):
        chapter.add(
            Text(
                "Of rows that repeat each other only the sum of the forces is determined; here it is at the row that "
                "counts, while robot.rolling_forces shares it among the wheels."
            )
        )
    if any(name == "base.x" or name.endswith(".x") for name in (link.joint.label for link in at.robot.model.links)):
        chapter.add(
            Text("A planar base is carried by its plane: how wheels share the weight is not part of this model.")
        )
