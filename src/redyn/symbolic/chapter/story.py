"""A worked example from beginning to end."""

from __future__ import annotations

from redyn.symbolic.chapter import convective, counts, inertia, opening, others, solving
from redyn.symbolic.chapter.blocks import Chapter, Code, word
from redyn.symbolic.chapter.errata import rod_inertia
from redyn.symbolic.chapter.setting import Array, Setting, default_state
from redyn.symbolic.equations import Equations


def worked_example(
    eqs: Equations, q: Array | None = None, qd: Array | None = None, qdd: Array | None = None
) -> Chapter:
    """Every section, at a given state or one without accidents."""
    revolute = [body.kind == "revolute" for body in eqs.symbolic.bodies]
    defaults = default_state(eqs.dof, revolute)
    state = [given if given is not None else chosen for given, chosen in zip((q, qd, qdd), defaults, strict=True)]
    at = Setting(eqs, *state)
    n = eqs.dof
    chapter = Chapter(
        f"Equations of motion: {word(eqs.name)}",
        f"A derivation by the DeNOC method, with Newton-Euler and Lagrange beside it ({n} joint{'s' * (n > 1)})",
    )
    chapter.add(Code(_setup(eqs, at)))
    others.notation(chapter, at)
    opening.arm(chapter, at)
    opening.vectors(chapter, at)
    inertia.masses(chapter, at)
    note = rod_inertia(at)
    if note:
        chapter.add(note)
    inertia.gim(chapter, at)
    convective.mci(chapter, at)
    convective.vci(chapter, at)
    convective.motion(chapter, at)
    others.by_lagrange(chapter, at)
    others.by_newton_euler(chapter, at)
    others.side_by_side(chapter, at)
    solving.factors(chapter, at)
    solving.state_space(chapter, at)
    solving.traced(chapter, at)
    counts.counts(chapter, at)
    return chapter


def _setup(eqs: Equations, at: Setting) -> str:
    """The first cell of a notebook: the robot itself, so that it runs anywhere."""
    lines = [
        "import numpy as np",
        "import yaml",
        "import redyn",
        "",
        f"robot = redyn.load(yaml.safe_load({eqs.robot.to_yaml()!r}), allow_unphysical=True)",
        f"eqs = redyn.derive({', '.join(['robot', *(f'{name}={value!r}' for name, value in eqs.options.items())])})",
    ]
    lines += [f"{name} = np.array({v.tolist()!r})" for name, v in (("q", at.q), ("qd", at.qd), ("qdd", at.qdd))]
    return "\n".join(lines)
