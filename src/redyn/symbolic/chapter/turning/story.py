"""A worked example whose attitudes are quaternions."""

from __future__ import annotations

from collections.abc import Callable

from redyn.symbolic.chapter import convective, kinematics, others
from redyn.symbolic.chapter.blocks import Chapter, Code, word
from redyn.symbolic.chapter.setting import Array, Context, example_state
from redyn.symbolic.chapter.setup import setup_cell
from redyn.symbolic.chapter.turning import motion, opening
from redyn.symbolic.equations import Equations

SECTIONS: tuple[Callable[[Chapter, Context], None], ...] = (
    opening.robot,
    opening.coordinates,
    kinematics.kinematics,
    motion.inertia,
    motion.vectors,
    convective.motion,
    motion.by_lagrange,
    others.by_newton_euler,
    motion.compared,
    motion.numbers,
)


def turning_example(
    eqs: Equations, q: Array | None, qd: Array | None, qdd: Array | None, done: Callable[[int], None]
) -> Chapter:
    """All sections, at a given or a generic state; q holds unit quaternions."""
    at = Context(eqs, *example_state(eqs, q, qd, qdd))
    chapter = Chapter(
        f"Equations of motion: {word(eqs.name)}",
        f"Attitudes by quaternions, rates in the axes of the links ({eqs.dof} degrees of freedom)",
    )
    chapter.add(Code(setup_cell(eqs, eqs.robot, {"q": at.q, "qd": at.qd, "qdd": at.qdd})))
    for count, section in enumerate(SECTIONS, start=1):
        section(chapter, at)
        done(count)
    return chapter
