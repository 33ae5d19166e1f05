"""A derivation of the equations of a robot on wheels."""

from __future__ import annotations

from collections.abc import Callable

from redyn.symbolic.chapter.blocks import Array, Chapter, Code, word
from redyn.symbolic.chapter.rolling import ending, opening, rates, reduced
from redyn.symbolic.chapter.rolling.setting import RollingSetting, example
from redyn.symbolic.chapter.setup import setup_cell
from redyn.symbolic.rolling.equations import RollingEquations
from redyn.words import counted

SECTIONS: tuple[Callable[[Chapter, RollingSetting], None], ...] = (
    opening.robot,
    opening.constants,
    rates.rows,
    rates.independent,
    reduced.tree,
    reduced.equation,
    reduced.forces,
    ending.remarks,
    ending.numbers,
    ending.agreement,
    ending.references,
)


def rolling_example(
    eqs: RollingEquations,
    q: Array | None = None,
    qd: Array | None = None,
    qdd: Array | None = None,
    done: Callable[[int], None] = lambda count: None,
) -> Chapter:
    """All sections, at a given or a generic state: q of the tree, qd and qdd of the independent rates."""
    at = RollingSetting(eqs, example(eqs.robot, q, qd, qdd))
    chapter = Chapter(
        f"Equations of motion: {word(eqs.name)}",
        f"Rolling without slip by the natural orthogonal complement ({counted(eqs.robot.dof, 'independent rate')})",
    )
    vectors = {"q": at.at.q, "u": at.at.u, "u_dot": at.at.u_dot}
    chapter.add(Code(setup_cell(eqs, eqs.free or eqs.robot, vectors)))
    for count, section in enumerate(SECTIONS, start=1):
        section(chapter, at)
        done(count)
    return chapter
