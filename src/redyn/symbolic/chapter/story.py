"""A complete worked example."""

from __future__ import annotations

from collections.abc import Callable

from redyn.symbolic.chapter import (
    complement,
    convective,
    counts,
    inertia,
    kinematics,
    lagrange,
    opening,
    others,
    solving,
)
from redyn.symbolic.chapter.blocks import Chapter, Code, word
from redyn.symbolic.chapter.flexible.story import flexible_example
from redyn.symbolic.chapter.loops.story import loop_example
from redyn.symbolic.chapter.rolling.story import rolling_example
from redyn.symbolic.chapter.setting import Array, Context, example_state
from redyn.symbolic.chapter.setup import setup_cell
from redyn.symbolic.chapter.turning.story import turning_example
from redyn.symbolic.equations import Equations
from redyn.symbolic.rolling.equations import RollingEquations
from redyn.words import counted

SECTIONS: tuple[Callable[[Chapter, Context], None], ...] = (
    opening.notation,
    opening.arm,
    kinematics.kinematics,
    opening.vectors,
    complement.complement,
    inertia.masses,
    inertia.gim,
    convective.mci,
    convective.vci,
    convective.motion,
    lagrange.by_lagrange,
    others.by_newton_euler,
    others.side_by_side,
    solving.factors,
    solving.state_space,
    solving.traced,
    counts.counts,
)


def size(eqs: Equations) -> str:
    rows = any(body.virtual for body in eqs.symbolic.bodies)
    return f"{eqs.dof} degrees of freedom" if rows else counted(eqs.dof, "joint")


def worked_example(
    eqs: Equations,
    q: Array | None = None,
    qd: Array | None = None,
    qdd: Array | None = None,
    done: Callable[[int], None] = lambda count: None,
) -> Chapter:
    """All sections, at a given or a generic state; `done` is called with the number of finished sections.

    Of a robot with loops the state is of all joints or of the actuated ones; of one on wheels, q is of all joints, qd
    and qdd are independent rates.
    """
    if isinstance(eqs, RollingEquations):
        return rolling_example(eqs, q, qd, qdd, done)
    if eqs.robot.model.loops:
        return loop_example(eqs.robot, eqs, q, qd, qdd, done)
    if eqs.symbolic.flexible or eqs.symbolic.geared:
        return flexible_example(eqs, q, qd, qdd, done)
    if eqs.symbolic.turning_rows:
        return turning_example(eqs, q, qd, qdd, done)
    at = Context(eqs, *example_state(eqs, q, qd, qdd))
    beside = "Newton-Euler and Lagrange" if at.short else "Newton-Euler"
    chapter = Chapter(
        f"Equations of motion: {word(eqs.name)}",
        f"A derivation by the DeNOC method, compared with {beside} ({size(eqs)})",
    )
    chapter.add(Code(setup_cell(eqs, eqs.robot, {"q": at.q, "qd": at.qd, "qdd": at.qdd})))
    for count, section in enumerate(SECTIONS, start=1):
        section(chapter, at)
        done(count)
    return chapter
