"""The last sections: agreement with the robot, and operation counts."""

from __future__ import annotations

import numpy as np

from redyn.symbolic.chapter.blocks import Chapter, Code, Heading, Table, Text, number
from redyn.symbolic.chapter.loops.setting import LoopSetting
from redyn.symbolic.loops.check import compare_numbers

_KERNELS = {
    "inverse_dynamics": "inverse dynamics, $\\g{tau}_a$",
    "forward_dynamics": "forward dynamics, $\\ddot{\\g{theta}}$",
    "transmission": "transmission, $\\b{G}$",
    "reduced_mass_matrix": "reduced inertia, $\\bar{\\b{I}}$",
    "loop_jacobian": "all rows of $\\b{J}$",
}
_OF_TREE = {"inverse_dynamics": "inverse dynamics of the tree", "mass_matrix": "inertia matrix of the tree, $\\b{I}$"}


def state(chapter: Chapter, at: LoopSetting) -> None:
    """The state of the example."""
    single = len(at.state.q) == at.robot.dof
    shown = at.state if single else at.state[1:]
    names = at.variables() if single else at.rates()
    rows = [(name, *(f"${number(float(v[i]))}$" for v in shown)) for i, name in enumerate(names)]
    q = "" if single else f" Its joint variables are {', '.join(f'${number(float(x))}$' for x in at.state.q)}."
    chapter.add(
        Heading("The state of the example"),
        Text(
            f"All numbers of this page are at one closed state, in SI units and radians.{q} The passive joints follow "
            "from the others (robot.complete); the rates and accelerations keep the loops closed."
        ),
        Table(("", *(("variable",) if single else ()), "rate", "acceleration"), tuple(rows), "The state."),
    )


def agreement(chapter: Chapter, at: LoopSetting) -> None:
    if at.eqs is None:
        what = "The numbers of this page are related; this was tried at random closed states."
        found = compare_numbers(at.robot, 3, np.random.default_rng(0))
    else:
        what = (
            "Everything that is printed here was evaluated at random states and compared with the recursions of the "
            "robot; what depends on closed loops, at random closed states."
        )
        found = list(at.eqs.check(points=3).comparisons)
    table = Table(("compared", "result"), tuple(_verdict(str(c)) for c in found), "Agreement.")
    chapter.add(Heading("Agreement with the robot"), Text(what), table)
    if at.eqs is not None:
        chapter.add(Code("print(eqs.check())"))


_SPELLED = {
    "H_dot/2 + S": r"$\tfrac{1}{2}\dot{\b{H}} + \b{S}$",
    "phi, J and gamma": r"$\g{phi}$, $\b{J}$ and $\g{Gamma}$",
    "G and its rate": r"$\b{G}$ and $\g{nu}$",
    "over G": r"over $\b{G}$",
    "J G and zero": r"$\b{J}\b{G}$ and zero",
    "J times the accelerations and gamma": r"$\b{J}\ddot{\g{theta}}$ and $\g{Gamma}$",
    "G^T M G": r"$\b{G}^T\b{I}\b{G}$",
    "G^T of": r"$\b{G}^T$ of",
}


def _verdict(line: str) -> tuple[str, str]:
    what, verdict = line.split(": ", 1)
    for plain, formula in _SPELLED.items():
        what = what.replace(plain, formula)
    return what, verdict


def counts(chapter: Chapter, at: LoopSetting) -> None:
    rows: list[tuple[str, ...]] = []
    for robot, names in ((at.robot, _KERNELS), (at.robot.tree, _OF_TREE)):
        for name, title in names.items():
            found = robot.operation_count(name)
            rows.append((title, str(found.multiplications), str(found.additions)))
    chapter.add(
        Heading("Operations"),
        Text(
            "The recursions of this robot with closed loops, with its numbers folded in, as redyn compiles them. "
            "Divisions count as multiplications, subtractions as additions; sines, cosines and square roots are not "
            "counted. Compiled code also tests whether the loops are closed, which is included."
        ),
        Table(("recursion", "multiplications", "additions"), tuple(rows), "Operations of the compiled recursions."),
        Code("robot.operation_count('inverse_dynamics')"),
    )
