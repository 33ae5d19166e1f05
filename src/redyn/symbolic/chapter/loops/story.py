"""A complete worked example of a robot with closed loops."""

from __future__ import annotations

from collections.abc import Callable

from redyn.robot import Robot
from redyn.symbolic.chapter import convective, inertia, opening
from redyn.symbolic.chapter.blocks import Chapter, Code, word
from redyn.symbolic.chapter.loops import (
    closure,
    cut,
    ending,
    multipliers,
    passive,
    reduced,
    references,
    transmission,
    tree,
)
from redyn.symbolic.chapter.loops.setting import LoopSetting
from redyn.symbolic.chapter.setting import Array, Context
from redyn.symbolic.equations import Equations
from redyn.symbolic.loops.states import example
from redyn.words import counted

Section = Callable[[Chapter, LoopSetting], None]


def _tree(section: Callable[[Chapter, Context], None], written_out: bool = False) -> Section:
    """A section on the tree, if there are symbols for it; those that are `written_out` only if it is small."""

    def add(chapter: Chapter, at: LoopSetting) -> None:
        if at.tree is not None and (at.tree.short or not written_out):
            section(chapter, at.tree)

    return add


SECTIONS: tuple[Section, ...] = (
    _tree(opening.notation),
    cut.mechanism,
    cut.conditions,
    _tree(opening.spanning_tree),
    _tree(opening.vectors, written_out=True),
    _tree(inertia.masses, written_out=True),
    _tree(inertia.gim, written_out=True),
    _tree(convective.mci, written_out=True),
    _tree(convective.vci, written_out=True),
    _tree(convective.motion),
    tree.tree,
    ending.state,
    closure.closure,
    closure.rates,
    multipliers.with_multipliers,
    transmission.transmission,
    reduced.reduced,
    multipliers.inverse,
    passive.passive,
    ending.agreement,
    ending.counts,
    references.references,
)


def loop_example(
    robot: Robot,
    eqs: Equations | None,
    q: Array | None = None,
    qd: Array | None = None,
    qdd: Array | None = None,
    done: Callable[[int], None] = lambda count: None,
) -> Chapter:
    """All sections, at a given or a generic closed state. Without equations it has numbers where these have symbols."""
    at = LoopSetting(robot, example(robot, q, qd, qdd), eqs)
    loops = counted(len(robot.loops), "closed loop")
    chapter = Chapter(
        f"Equations of motion: {word(robot.name)}",
        f"A derivation by the DeNOC method for {counted(len(robot.link_names), 'moving link')} with {loops} and "
        f"mobility {robot.mobility}",
    )
    chapter.add(Code(setup(robot, eqs, at)))
    for count, section in enumerate(SECTIONS, start=1):
        section(chapter, at)
        done(count)
    return chapter


def setup(robot: Robot, eqs: Equations | None, at: LoopSetting) -> str:
    """The first cell of a notebook, with the robot itself, so that it is self-contained."""
    lines = ["import numpy as np", "import yaml", "import redyn", ""]
    lines.append(f"robot = redyn.load(yaml.safe_load({robot.to_yaml()!r}), allow_unphysical=True)")
    if eqs is not None:
        options = ", ".join(["robot", *(f"{name}={value!r}" for name, value in eqs.options.items())])
        lines.append(f"eqs = redyn.derive({options})")
    lines += [f"{name} = np.array({v.tolist()!r})" for name, v in zip(("q", "qd", "qdd"), at.state, strict=True)]
    return "\n".join(lines)
