"""The Newton-Euler assignment: slips of its listing and of its data."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from redyn.reproduce.assignment_listing import GRAVITY, PUSH, TABLES, listing, pushed, state
from redyn.reproduce.errata.erratum import Erratum, Finding, compared, number, said
from redyn.reproduce.item import Load


def _cross(load: Load) -> Sequence[Finding]:
    at, g = state("ex2_conf2"), np.array(GRAVITY["ex2"])
    wrong = listing(TABLES["ex2"], *at, g=g, cross_missing=True)
    right = listing(TABLES["ex2"], *at, g=g)
    found = compared(
        "robot 2, if the term is dropped", wrong, right, load("newton-euler-rp").inverse_dynamics(*at), "Nm"
    )
    return [said(f"the listing does not run; {found.effect}", found.wrong, found.right)]


def _everywhere(load: Load) -> Sequence[Finding]:
    at, g = state("ex3_conf1"), np.array(GRAVITY["ex3"])
    every = listing(TABLES["ex3"], *at, g=g, F_ext=PUSH)
    once = listing(TABLES["ex3"], *at, g=g, F_ext=PUSH, everywhere=False)
    reference = pushed(load("newton-euler-rrr"), "ex3_conf1", 2)
    return [compared(f"robot 3, {number(float(np.linalg.norm(PUSH)))} N", every, once, reference, "Nm")]


def _triangle(load: Load) -> Sequence[Finding]:
    a, b, c = np.linalg.eigvalsh(TABLES["ex3"].I[0]).tolist()
    text = f"no body has these moments: {number(c)} exceeds the sum of the others by {number(c - a - b)} kg m²"
    return [said(text, c > a + b, bool(load("newton-euler-rrr").dof == 3))]


ERRATA = [
    Erratum(
        "1.2.2, linear acceleration",
        "wrong numbers",
        "`(wd_i_0(:,i-1), r(:,i))`",
        "`cross(wd_i_0(:,i-1), r(:,i))`",
        "the printed torques and redyn's recursions (`redyn reproduce assignment-listing`)",
        _cross,
    ),
    Erratum(
        "1.3.3, total force and moment",
        "wrong numbers",
        "`- F_ext` and `- M_ext` for every link, at its mass centre",
        "once, at the point where they act",
        "`external=` of redyn",
        _everywhere,
    ),
    Erratum(
        "Ex. 3, moments of inertia",
        "wrong in some cases",
        "diag(0.2, 0.2, 0.8) of links 1 and 2",
        "unknown: it violates the triangle inequality, and the printed torques were computed with it",
        "",
        _triangle,
    ),
    Erratum("1.2.2, 1.3.1", "slip", "`robot.R.pos(i,:)`, `robot.R.cm(i,:)`", "with a transpose, as in 1.2.1"),
    Erratum("1.3.2", "slip", "`robot.R.Izz`", "`robot.R.I`, the name in the struct"),
    Erratum("1.2.1", "slip", "`r(:,i)` is the absolute position", "the position relative to the previous joint"),
]
