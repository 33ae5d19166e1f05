"""The matrices N_l, N_d and N of the whole robot, as blocks and written out."""

from __future__ import annotations

from redyn.symbolic.chapter.blocks import (
    Block,
    Chapter,
    Code,
    Equation,
    Heading,
    Text,
    fits,
    matrix,
    number_matrix,
    pair,
    vector,
)
from redyn.symbolic.chapter.setting import Context
from redyn.symbolic.notation import seen_length
from redyn.words import counted

TALLEST = 3  # links; with more, the numbers of N fill a page
WIDEST = 8  # links; wider block matrices do not fit on a page
_LONG = 90  # letters of a line with six entries


def complement(chapter: Chapter, at: Context) -> None:
    chapter.add(
        Heading("The decoupled natural orthogonal complement"),
        Text("The twists of all links in one column are a linear function of the joint rates,"),
        Equation((r"\b{t} = \b{N} \dot{\g{theta}}, \quad \b{N} = \b{N}_l \b{N}_d",), "(9.6a)"),
    )
    if at.n > WIDEST:
        chapter.add(
            Text(
                f"For {counted(at.n, 'link')} $\\b{{N}}_l$ is a matrix of size ${6 * at.n} \\times {6 * at.n}$, with "
                "$\\b{B}_{ij}$ in block $i, j$ if link $j$ carries link $i$; "
                "`robot.denoc(q).N_l` has them."
            )
        )
        return
    links = range(1, at.n + 1)
    identity = [[_block(at, i, j) for j in links] for i in links]
    diagonal = [[rf"\b{{p}}_{{{i}}}" if i == j else r"\b{0}" for j in links] for i in links]
    chapter.add(
        Text("where the first depends on where the mass centres are and the second on the joints:"),
        Equation((rf"\b{{N}}_l = {_blocks(identity)}, \quad \b{{N}}_d = {_blocks(diagonal)}",), "(9.6b)")
        if at.n <= 4
        else Equation((rf"\b{{N}}_l = {_blocks(identity)}", rf"\b{{N}}_d = {_blocks(diagonal)}"), "(9.6b)"),
        Text("Their product has the motion of each link for a unit rate of each joint:"),
        Equation((rf"\b{{N}} = {_blocks([[_motion(at, i, j) for j in links] for i in links])}",), "(9.6a)"),
    )
    if at.short:
        chapter.add(Heading("Entries for this robot", 2), *_entries(at))
    if at.n <= TALLEST:
        size = rf"${6 * at.n} \times {at.n}$"
        whole = Equation((rf"\b{{N}} = {number_matrix(at.view.N)}",))
        chapter.add(Text(f"At the state of the example $\\b{{N}}$ is of size {size}:"), whole)
    if at.eqs.robot.model.simple:  # otherwise the robot has no dense view
        chapter.add(Code("robot.denoc(q, qd, qdd).N.round(4)"))


def _block(at: Context, i: int, j: int) -> str:
    if i == j:
        return r"\b{1}"
    return rf"\b{{B}}_{{{pair(i, j)}}}" if at.view.carries(j, i) else r"\b{O}"


def _motion(at: Context, i: int, j: int) -> str:
    if i == j:
        return rf"\b{{p}}_{{{i}}}"
    return rf"\b{{B}}_{{{pair(i, j)}}} \b{{p}}_{{{j}}}" if at.view.carries(j, i) else r"\b{0}"


def _blocks(rows: list[list[str]]) -> str:
    return r"\begin{bmatrix} " + r" \\ ".join(" & ".join(row) for row in rows) + r" \end{bmatrix}"


def _entries(at: Context) -> list[Block]:
    """The lower left blocks of N_l, and the columns of N, link by link."""
    found: list[Block] = []
    links = range(1, at.n + 1)
    below = [(i, j) for i in links for j in links if i != j and at.view.carries(j, i)]
    if below:
        found.append(
            Text(
                "Each $\\b{B}_{ij}$ has identity matrices on its diagonal and below them $\\b{c}_{ij} \\times \\b{1}$ "
                "with $\\b{c}_{ij}$ from $C_i$ to $C_j$:"
            )
        )
    for i, j in below:
        x, y, z = at.c(i, j)
        rows = [[x - x, -z, y], [z, x - x, -x], [-y, x, x - x]]
        left = rf"\b{{c}}_{{{pair(i, j)}}} \times \b{{1}}"
        if fits(rows):
            found.append(Equation((f"{left} = {matrix(rows)}",)))
        else:
            found.append(Equation((rf"\b{{c}}_{{{pair(i, j)}}} = {vector((x, y, z))}",)))
    found.append(Text("The columns of $\\b{N}$, each an angular velocity and the velocity of a mass centre:"))
    for j in links:
        for i in links:
            if at.view.carries(j, i):
                entries = at.motion(i, j)
                whole = f"{_motion(at, i, j)} = {vector(entries)}"
                found += (
                    [Equation((whole,))]
                    if seen_length(whole) <= _LONG
                    else [Equation((f"{_motion(at, i, j)} = {_stacked(entries)}",))]
                )
    return found


def _stacked(entries: list[object]) -> str:
    return matrix([[entry] for entry in entries])
