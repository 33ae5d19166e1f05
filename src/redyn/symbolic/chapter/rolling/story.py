"""A derivation of the equations of a robot on wheels."""

from __future__ import annotations

from collections.abc import Callable

from redyn.symbolic.chapter.blocks import Array, Chapter, Code, word
from redyn.symbolic.chapter.rolling import ending, opening, rates, reduced
from redyn.symbolic.chapter.rolling.setting import RollingSetting, example
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
    chapter.add(Code(_setup(at)))
    for count, section in enumerate(SECTIONS, start=1):
        section(chapter, at)
        done(count)
    return chapter


def _setup(at: RollingSetting) -> str:
    """The first cell of a notebook, with the robot itself, so that it is self-contained."""
    eqs = at.eqs
    source = eqs.free or eqs.robot
    lines = [
        "import numpy as np",
        "import yaml",
        "import redyn",
        "",
        f"robot = redyn.load(yaml.safe_load({source.to_yaml()!r}), allow_unphysical=True)",
        f"eqs = redyn.derive({', '.join(['robot', *(f'{name}={value!r}' for name, value in eqs.options.items())])})",
    ]
    pairs = (("q", at.at.q), ("u", at.at.u), ("u_dot", at.at.u_dot))
    lines += [f"{name} = np.array({v.tolist()!r})" for name, v in pairs]
    return "\n".join(lines)
