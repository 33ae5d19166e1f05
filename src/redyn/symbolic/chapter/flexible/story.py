"""A derivation of the equations of a robot with links that bend or gears that give."""

from __future__ import annotations

from collections.abc import Callable

from redyn.symbolic.chapter.blocks import Array, Chapter, Code, word
from redyn.symbolic.chapter.flexible import ending, motion, opening, remarks, shapes
from redyn.symbolic.chapter.flexible.setting import FlexibleSetting, flexible_state
from redyn.symbolic.chapter.setup import setup_cell
from redyn.symbolic.equations import Equations
from redyn.words import counted

SECTIONS: tuple[Callable[[Chapter, FlexibleSetting], None], ...] = (
    opening.robot,
    opening.gears,
    opening.bending,
    shapes.modes,
    motion.energies,
    motion.equations,
    motion.spong_form,
    remarks.special,
    ending.numbers,
    ending.agreement,
    ending.references,
)


def flexible_example(
    eqs: Equations,
    q: Array | None = None,
    qd: Array | None = None,
    qdd: Array | None = None,
    done: Callable[[int], None] = lambda count: None,
) -> Chapter:
    """All sections, at a given or a generic state."""
    at = FlexibleSetting(eqs, *flexible_state(eqs, q, qd, qdd))
    how = "Flexible links by assumed modes" if at.beams else "Elastic gears"
    chapter = Chapter(f"Equations of motion: {word(eqs.name)}", f"{how} ({counted(eqs.dof, 'coordinate')})")
    chapter.add(Code(setup_cell(eqs, eqs.robot, {"q": at.q, "qd": at.qd, "qdd": at.qdd})))
    for count, section in enumerate(SECTIONS, start=1):
        section(chapter, at)
        done(count)
    return chapter
