"""Closure of the loops: phi = 0, its Jacobian J, and Gamma with J theta_ddot = Gamma."""

from __future__ import annotations

import numpy as np

from redyn.symbolic.chapter.blocks import (
    Block,
    Chapter,
    Code,
    Equation,
    Heading,
    Note,
    Text,
    fits,
    formula,
    matrix,
    number_matrix,
    number_vector,
    pair,
)
from redyn.symbolic.chapter.loops.setting import LoopSetting
from redyn.symbolic.loops.quantities import LoopEquations
from redyn.words import counted

_WIDEST = 8  # columns of a matrix of numbers


def closure(chapter: Chapter, at: LoopSetting) -> None:
    chapter.add(Heading("Closure: the conditions on the joint variables"))
    loops = at.loops
    if loops is None:
        chapter.add(*_closure_in_words(at))
        return
    chapter.add(Text("A loop is closed if the frames of its cut joint meet: $\\g{phi}(\\g{theta}) = \\b{0}$."))
    for k in range(len(at.model_loops)):
        rows = [(i, row) for i, row in enumerate(loops.closure.rows) if row.loop == k]
        if rows:
            chapter.add(Text(_what(at, k, [row.name for _, row in rows])))
            chapter.add(*(formula(rf"\phi_{{{i + 1}}}", loops.phi[i]) for i, _ in rows))
    chapter.add(
        Text(
            "These hold at closed positions only: any other $\\g{theta}$ belongs to the tree with its cuts open, not "
            "to the mechanism. The robot has the same rows in the axes of $A$ (robot.loop_error); where loops are "
            "closed, both are zero."
        ),
        Code("eqs.loops.phi"),
        Code("robot.loop_error(q)"),
    )


def _what(at: LoopSetting, k: int, names: list[str]) -> str:
    loop, title = at.model_loops[k], f"Loop {k + 1}"
    if all(name.startswith("v") for name in names):
        letters = [f"${name[1]}$" for name in names]
        along = " and ".join([", ".join(letters[:-1]), letters[-1]] if len(letters) > 1 else letters)
        if loop.meets:
            where = at.axes(k)
            kind = "the polygon of its links, " if where != "$A$" else ""
            return f"{title}: from the origin of $A$ to that of $B$, {kind}along {along} of {where}:"
    return f"{title}, row by row ({', '.join(names)}) in the axes of {at.axes(k)}:"


def _closure_in_words(at: LoopSetting) -> list[Block]:
    """Where the formulas would be too long, or the joints have no single variable."""
    held = all(loop.meets for loop in at.model_loops)
    point = r"\g{phi}_k = \b{R}_A^{T} (\b{p}_B - \b{p}_A)"
    found: list[Block] = [
        Text(
            "A loop is closed if the frames of its cut joint meet: $\\g{phi} = \\b{0}$. With $\\b{p}$ the origin and "
            "$\\b{R}$ the axes of a frame in the ground, the components of the distance are"
        )
    ]
    if held:
        found.append(Equation((point,)))
    turning = any(row < 3 for loop in at.model_loops for row in loop.rows)
    if turning:
        found.append(
            Text(
                "and those of the direction of the axis, $x$ and $y$ of $\\b{R}_A^T \\b{z}_B$, which is to be "
                "$[0, 0, 1]^T$."
            )
        )
    found.append(
        Text(
            f"Written out over the joint variables, the {counted(len(at.closure.rows), 'row')} would fill pages; the "
            "robot computes them by recursion (robot.loop_error). Open positions are those of the tree, not of the "
            "mechanism."
        )
    )
    return found


def rates(chapter: Chapter, at: LoopSetting) -> None:
    """J and Gamma."""
    chapter.add(
        Heading("Rates and accelerations that keep the loops closed"),
        Text(
            "If the loops stay closed, the derivatives of $\\g{phi}$ are zero as well. The first is linear in the "
            "rates,"
        ),
        Equation(
            (r"\dot{\g{phi}} = \b{J} \dot{\g{theta}} = \b{0}, \quad \b{J} = \partial \g{phi} / \partial \g{theta}",)
        ),
    )
    loops = at.loops
    if loops is not None:
        chapter.add(*_jacobian(loops))
    chapter.add(
        Text("and the second linear in the accelerations,"),
        Equation(
            (
                r"\ddot{\g{phi}} = \b{J} \ddot{\g{theta}} + \dot{\b{J}} \dot{\g{theta}} = \b{0}",
                r"\b{J} \ddot{\g{theta}} = \g{Gamma}, \quad \g{Gamma} = -\dot{\b{J}} \dot{\g{theta}}",
            )
        ),
    )
    if loops is not None:
        chapter.add(*(formula(rf"\Gamma_{{{i + 1}}}", x) for i, x in enumerate(loops.gamma)))
        chapter.add(
            Text(
                "$\\b{J}$ and $\\g{Gamma}$ are derivatives of the $\\g{phi}$ above at every $\\g{theta}$. Where the "
                "loops are closed, $\\b{J}$ of the robot has the same rows in the axes of $A$."
            ),
            Code("eqs.loops.J, eqs.loops.gamma"),
        )
    else:
        chapter.add(
            Text(
                "Row by row, $\\b{J}$ is found without differentiation: a unit force along a row of the cut joint, on "
                "$B$ and the other way on $A$, is carried to the ground like any other wrench, and $\\b{p}_i^T$ of "
                "what arrives at joint $i$ is the element of that row and joint (9.33)."
            )
        )
    chapter.add(*_numbers(at))


def _jacobian(loops: LoopEquations) -> list[Block]:
    entries = [list(loops.J.row(i)) for i in range(loops.J.rows)]
    if fits(entries):
        return [Equation((rf"\b{{J}} = {matrix(entries)}",))]
    found: list[Block] = [Text("with the elements (those that are not listed are zero)")]
    for i, row in enumerate(entries):
        found += [formula(rf"J_{{{pair(i + 1, j + 1)}}}", x) for j, x in enumerate(row) if x != 0]
    return found


def _gamma(at: LoopSetting) -> tuple[str, ...]:
    """In one line, or loop by loop."""
    if len(at.gamma) <= _WIDEST:
        return (rf"\g{{Gamma}} = {number_vector(at.gamma)}",)
    owner = np.array([at.model_loops.index(at.robot.model.rows[k][0]) for k in at.closure.rows])
    loops = range(len(at.model_loops))
    return tuple(
        rf"\g{{Gamma}}_{{{k + 1}}} = {number_vector(at.gamma[owner == k])}" for k in loops if (owner == k).any()
    )


def _numbers(at: LoopSetting) -> list[Block]:
    rows, columns = at.J.shape
    axes = " (in the axes of $A$)" if at.own_rows else ""
    found: list[Block] = [Text(f"At the state of the example{axes}:")]
    if columns <= _WIDEST:
        found.append(Equation((rf"\b{{J}} = {number_matrix(at.J)}",)))
    else:
        rank = np.linalg.matrix_rank(at.J, tol=1e-9)
        found = [Text(f"At the state of the example $\\b{{J}}$, {rows} by {columns}, has rank {rank}, and{axes}")]
    found.append(Equation(_gamma(at)))
    if at.closure.deficient:
        found.append(
            Note(
                "Dependent rows",
                f"The {rows} rows have rank {at.closure.rank} at every closed position. Which of them depend on the "
                "others changes with the position, so that none can be left out.",
            )
        )
    return [*found, Code("robot.loop_jacobian(q)")]
