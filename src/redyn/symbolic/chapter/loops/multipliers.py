"""What the cut joints carry: the equations of motion with multipliers, and inverse dynamics."""

from __future__ import annotations

from redyn.model import ALONG, GEAR
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
    weighted,
    word,
)
from redyn.symbolic.chapter.loops.references import CHAUDHARY, KHAN
from redyn.symbolic.chapter.loops.setting import LoopSetting
from redyn.symbolic.chapter.loops.terms import forces, tree_terms
from redyn.symbolic.loops.closure import LINEAR
from redyn.symbolic.notation import Expr, Typesetter, seen_length, sp, symbol

_write = Typesetter().write
_SHORT = 160  # letters of a multiplier that is printed


def with_multipliers(chapter: Chapter, at: LoopSetting) -> None:
    left = tree_terms(at)
    known = forces(at)
    chapter.add(
        Heading("Equations of motion with the cut joints as wrenches"),
        Text(
            "The cut joint exerts a wrench on $B$ and the opposite one on $A$: a multiplier $\\lambda_k$ for every "
            f"row, which acts along it. {_unit(at)} On the tree these are external wrenches like any other (9.8), "
            f"{CHAUDHARY}. Projected on the joints they give $\\b{{J}}^T \\g{{lambda}}$, the transpose of what relates "
            "the rates, because $\\g{lambda}^T \\b{J} \\dot{\\g{theta}}$ is their power. In a closed motion it is "
            "zero: like the wrenches of the other joints (9.9b), they do no work. Thus"
        ),
        Equation((rf"{left} = \g{{tau}} + \b{{J}}^{{T}} \g{{lambda}}", r"\b{J} \ddot{\g{theta}} = \g{Gamma}")),
        Text(
            f"For given torques these are as many linear equations as there are accelerations and multipliers. With "
            f"$\\g{{varphi}} = {known}$, the accelerations of the first line put into the second give the multipliers,"
        ),
        Equation(
            (
                r"(\b{J} \b{I}^{-1} \b{J}^{T}) \g{lambda} = \g{Gamma} - \b{J} \b{I}^{-1} \g{varphi}",
                r"\ddot{\g{theta}} = \b{I}^{-1} (\g{varphi} + \b{J}^{T} \g{lambda})",
            )
        ),
        Text(
            "No matrix is inverted for it: with $\\b{I} = \\b{U}\\b{D}\\b{U}^T$ (9.38), $\\b{Y} = \\b{U}^{-1}\\b{J}^T$ "
            "is one pass inward (9.39a), (9.39b) per row, $\\b{J}\\b{I}^{-1}\\b{J}^T = \\b{Y}^T\\b{D}^{-1}\\b{Y}$, and "
            "one pass outward (9.41a) ends it."
        ),
    )


def _unit(at: LoopSetting) -> str:
    rows = [at.robot.model.rows[k][1] for k in at.closure.rows]
    if any(row not in LINEAR for row in rows):
        more = " For a distance it is the force over the distance." * (ALONG in rows)
        more += " For a gear it is the torque on the second joint." * (GEAR in rows)
        return f"It is a force along a row of translation and a moment about one of rotation, on $B$.{more}"
    axes = {at.axes(k) for k in range(len(at.model_loops))}
    where = f", in the axes of {axes.pop()}" if len(axes) == 1 else ""
    return f"Here they are the components of the force that $A$ exerts on $B$ at the joint{where}."


def inverse(chapter: Chapter, at: LoopSetting) -> None:
    left = tree_terms(at)
    chapter.add(
        Heading("Inverse dynamics: what the actuators supply"),
        Text(
            "For a given motion that keeps the loops closed, let $\\g{tau}^t$ be the torques that the tree alone would "
            "need at all of its joints, from the recursion (9.32), (9.33):"
        ),
        Equation((rf"\g{{tau}}^{{t}} = {left}, \quad \g{{tau}} = \g{{tau}}^{{t}} - \b{{J}}^{{T}} \g{{lambda}}",)),
    )
    if at.directly_driven and not at.closure.deficient:
        chapter.add(
            Text(
                f"Passive joints carry nothing, $\\g{{tau}}_p = \\b{{0}}$. This determines the multipliers, "
                f"{CHAUDHARY}, {KHAN}, and then the torques of the actuators:"
            ),
            Equation(
                (
                    r"\b{J}_{p}^{T} \g{lambda} = \g{tau}^{t}_{p}, \quad "
                    r"\g{tau}_{a} = \g{tau}^{t}_{a} - \b{J}_{u}^{T} \g{lambda}",
                )
            ),
            *_closed(at),
            Text("Without the multipliers, the same torques are"),
            Equation((r"\g{tau}_{a} = \b{G}^{T} \g{tau}^{t}",)),
        )
    else:
        chapter.add(
            Text(
                "With $\\b{G}_a$ the rows of $\\b{G}$ of the joints with actuators, their torques do the work of those "
                "of the tree:"
            ),
            Equation((r"\b{G}_{a}^{T} \g{tau}_{a} = \b{G}^{T} \g{tau}^{t}",)),
            Text(_how_many(at)),
        )
    chapter.add(*_table(at))


def _how_many(at: LoopSetting) -> str:
    driven, mobility = len(at.driven), at.robot.mobility
    if driven > mobility:
        return f"{driven} actuators for {mobility} independent rates: of all solutions, the shortest is taken."
    if driven < mobility:
        return f"{driven} actuators for {mobility} independent rates: only some motions can be driven."
    return "There are as many actuators as independent rates."


def _closed(at: LoopSetting) -> list[Block]:
    """lambda over the torques of the tree."""
    if at.solved is None:
        return []
    names = [symbol(f"tau^t_{i}") for i in range(1, at.robot.dof + 1)]
    found = [_collected(x, names) for x in at.solved.solution.multipliers(names)]
    if any(seen_length(_write(x)) > _SHORT for x in found):
        return []
    return [*(formula(rf"\lambda_{{{i + 1}}}", x) for i, x in enumerate(found)), Code("eqs.multipliers")]


def _collected(total: Expr, names: list[Expr]) -> Expr:
    """Over the torques: one fraction."""
    return weighted([(sp.diff(total, name), name) for name in names if total.has(name)])


def _by_loop(at: LoopSetting) -> tuple[tuple[str, ...], ...]:
    owner = [at.robot.model.rows[k][0].name for k in at.closure.rows]
    found: dict[str, list[str]] = {}
    for i, (name, value) in enumerate(zip(owner, at.multipliers, strict=True), start=1):
        found.setdefault(name, []).append(rf"$\lambda_{{{i}}} = {number(float(value))}$")
    return tuple((word(name), ", ".join(cells)) for name, cells in found.items())


def _table(at: LoopSetting) -> list[Block]:
    rows = [
        (word(name), f"${number(float(tree))}$", f"${number(float(tau))}$" if i in at.driven else "passive")
        for i, (name, tree, tau) in enumerate(zip(at.robot.velocity_names, at.tau_tree, at.tau, strict=True))
    ]
    axes = "in the axes of $A$" if at.own_rows else "along the rows of $\\g{phi}$"
    found: list[Block] = [
        Table(
            ("joint", r"$\tau^{t}_{i}$", r"$\tau_{i}$"),
            tuple(rows),
            "Torques (or forces) at the state of the example, of the tree alone and with its loops closed.",
        )
    ]
    if not at.closure.deficient:
        found.append(Table(("loop", "multipliers"), _by_loop(at), f"What the cut joints carry, {axes}."))
    return [*found, Code("robot.inverse_dynamics(q, qd, qdd)")]
