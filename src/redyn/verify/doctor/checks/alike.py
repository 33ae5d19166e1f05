"""Links that should differ and do not, and links that should not and do."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from redyn.verify.doctor.estimate import estimate
from redyn.verify.doctor.finding import Finding
from redyn.verify.doctor.solid import Rooms
from redyn.verify.doctor.survey import Body, Hinge, Survey
from redyn.words import counted

Array = NDArray[np.float64]

SAME = 1e-9
LIGHTEST = 0.02  # kg: the inertia of lighter links has no effect
LONG = 1.6  # ratio of principal moments beyond which a shape is no ball
DIFFERENT = 0.05  # of a value, between left and right
# Left, then right, as names have them.
_SIDES = (("left", "right"), ("Left", "Right"), ("LEFT", "RIGHT"), ("l", "r"), ("L", "R"), ("fl", "fr"), ("FL", "FR"))
_SIDES += (("LF", "RF"), ("LH", "RH"), ("rl", "rr"), ("RL", "RR"), ("lf", "rf"), ("lh", "rh"), ("bl", "br"))


def placeholders(survey: Survey, rooms: Rooms) -> Iterator[Finding]:
    """The same inertia on many links, whatever their masses and shapes."""
    bodies = [b for b in survey.bodies.values() if b.given is not None and b.given.any() and b.mass]
    named: dict[tuple[float, ...], list[Body]] = {}
    for body in bodies:
        assert body.given is not None
        named.setdefault(tuple(float(x) for x in body.given.ravel()), []).append(body)
    for tensor, group in named.items():
        I = np.array(tensor).reshape(3, 3)
        if len(group) < 3 or 2 * len(group) < len(bodies) or not _differ(group, rooms):
            continue
        shown = f"ixx {I[0, 0]:g}, iyy {I[1, 1]:g}, izz {I[2, 2]:g}"
        what = f"{counted(len(group), 'link')} of {len(bodies)} have the same inertia ({shown}): a placeholder"
        right = "give each link its own, from its shape and mass"
        for body in group:
            solid = rooms.own[body.name]
            repairs = ()
            if solid is not None and solid.volume > 0.0 and body.mass and body.mass > 0.0:
                repairs = estimate(body.name, body.mass, solid, "inertia of a solid of its shapes and mass", body)
            line = body.line_of("inertia")
            yield Finding("inertia-placeholder", "warning", "link", body.name, "inertia", what, right, line, repairs)
    yield from _balls(bodies, rooms)
    for body in bodies:
        assert body.given is not None
        unit = bool(np.allclose(body.given, np.eye(3) * body.given[0, 0], atol=SAME))
        if unit and body.given[0, 0] in (1.0, 100.0, 10.0) and body.mass is not None and body.mass < 20.0:
            what = f"the inertia is {body.given[0, 0]:g} kg m^2 about every axis at {body.mass:g} kg: a placeholder"
            right = "a body of this mass and inertia is metres wide"
            line = body.line_of("inertia")
            yield Finding("inertia-placeholder", "warning", "link", body.name, "inertia", what, right, line)


def _balls(bodies: list[Body], rooms: Rooms) -> Iterator[Finding]:
    """The same moment about every axis, of links that are no balls."""
    for body in bodies:
        assert body.given is not None
        solid = rooms.own[body.name]
        ball = bool((body.given == np.eye(3) * body.given[0, 0]).all())
        if not ball or solid is None or solid.volume <= 0.0 or not body.mass or body.mass < LIGHTEST:
            continue
        low, _, high = np.linalg.eigvalsh(solid.inertia(body.mass))
        if high > LONG * low:
            what = f"{body.given[0, 0]:g} kg m^2 about every axis, but its shapes are no ball: a placeholder?"
            right = f"a solid of its shapes would have from {low:.3g} to {high:.3g} kg m^2"
            repairs = estimate(body.name, body.mass, solid, "inertia of a solid of its shapes and mass", body)
            line = body.line_of("inertia")
            yield Finding("inertia-placeholder", "warning", "link", body.name, "inertia", what, right, line, repairs)


def _differ(group: list[Body], rooms: Rooms) -> bool:
    """Whether masses or shapes differ, so that the inertias cannot be the same."""
    masses = [body.mass or 0.0 for body in group]
    if max(masses) > 1.05 * min(masses):
        return True
    sizes = [solid.diagonal for body in group if (solid := rooms.own[body.name]) is not None]
    return not sizes or max(sizes) > 1.2 * min(sizes)


def symmetry(survey: Survey, _: Rooms) -> Iterator[Finding]:
    """Left and right limbs: masses, moments, sizes, limits."""
    bodies, hinges = survey.bodies, survey.hinges
    for left, right in _pairs(list(bodies)):
        if not _one_carries_the_other(survey, left, right):
            yield from _bodies(bodies[left], bodies[right])
    for left, right in _pairs(list(hinges)):
        if not _one_carries_the_other(survey, hinges[left].child, hinges[right].child):
            yield from _joints(hinges[left], hinges[right])


def _one_carries_the_other(survey: Survey, one: str, other: str) -> bool:
    """Then they are no sides: in S, L, U, R, B, T, a common way to name the axes of an arm, L and R are not."""
    return other in survey.carried_by(one) or one in survey.carried_by(other)


def _pairs(names: list[str]) -> Iterator[tuple[str, str]]:
    """Names that differ in a side alone.

    >>> list(_pairs(["base", "left_arm", "right_arm", "leg_l", "leg_r", "LF_HAA", "RF_HAA", "roll", "lroll"]))
    [('left_arm', 'right_arm'), ('leg_l', 'leg_r'), ('LF_HAA', 'RF_HAA')]
    """
    every = set(names)
    for name in names:
        parts = re.split(r"(_|-|\.|/|(?<=[a-z])(?=[A-Z])|(?<=\D)(?=\d)|(?<=\d)(?=\D))", name)
        for one, other in _SIDES:
            if one in parts:
                mirrored = "".join(other if part == one else part for part in parts)
                if mirrored != name and mirrored in every:
                    yield name, mirrored
                    break
        else:
            match = re.match(r"(left|Left|l_|L_)(.*)", name)
            swap = {"left": "right", "Left": "Right", "l_": "r_", "L_": "R_"}
            if match and (mirrored := swap[match[1]] + match[2]) in every:
                yield name, mirrored


def _bodies(left: Body, right: Body) -> Iterator[Finding]:
    def finding(field: str, what: str) -> Finding:
        hint = f"compare {left.name!r} (line {left.line}) and {right.name!r}; one of them may be a slip"
        return Finding("asymmetry", "warning", "link", right.name, field, what, hint, right.line_of(field))

    if left.inertial != right.inertial:
        bare, other = (left, right) if right.inertial else (right, left)
        yield finding("inertial", f"{other.name!r} has an <inertial>, and {bare.name!r} has none")
        return
    if left.mass is None or right.mass is None:
        return
    if _apart(left.mass, right.mass):
        yield finding("mass", f"{right.mass:g} kg, and {left.mass:g} kg of {left.name!r} on the other side")
        return
    if left.given is not None and right.given is not None:
        one, two = (np.linalg.eigvalsh(b.given) for b in (left, right) if b.given is not None)
        if float(np.abs(one - two).max()) > 2 * DIFFERENT * float(np.abs([one, two]).max()):
            shown = " and ".join("(" + ", ".join(f"{x:.3g}" for x in m) + ")" for m in (two, one))
            yield finding("inertia", f"principal moments {shown}, the latter of {left.name!r} on the other side")
    if left.com is not None and right.com is not None:
        apart = np.abs(np.sort(np.abs(left.com)) - np.sort(np.abs(right.com)))
        if float(apart.max()) > max(4 * DIFFERENT * float(np.abs([left.com, right.com]).max()), 5e-3):
            shown = " and ".join(" ".join(f"{x:.4g}" for x in b.com) for b in (right, left) if b.com is not None)
            yield finding("com", f"mass centres {shown}, the latter of {left.name!r} on the other side")


def _joints(left: Hinge, right: Hinge) -> Iterator[Finding]:
    def finding(field: str, what: str) -> Finding:
        hint = f"compare {left.name!r} (line {left.line}) and {right.name!r}; one of them may be a slip"
        return Finding("asymmetry", "warning", "joint", right.name, field, what, hint, right.line_of("limit"))

    if left.kind != right.kind:
        yield finding("type", f"{right.kind}, and {left.kind} of {left.name!r} on the other side")
        return
    for field in ("effort", "velocity"):
        one, two = getattr(left, field), getattr(right, field)
        if one is not None and two is not None and _apart(one, two):
            yield finding(f"limit.{field}", f"{two:g}, and {one:g} of {left.name!r} on the other side")
    if None in (left.lower, left.upper, right.lower, right.upper):
        return
    one, two = np.array([left.lower, left.upper]), np.array([right.lower, right.upper])
    wide = max(float(np.ptp(one)), float(np.ptp(two)), 1e-6)
    if min(float(np.abs(one - two).max()), float(np.abs(one + two[::-1]).max())) > 0.1 * wide:
        shown = f"{two[0]:g} to {two[1]:g}, and {one[0]:g} to {one[1]:g} of {left.name!r} on the other side"
        yield finding("limit", shown)
    o, p = left.pose[:3, 3], right.pose[:3, 3]
    apart = float(np.abs(np.sort(np.abs(o)) - np.sort(np.abs(p))).max())
    if apart > max(0.1 * float(np.abs([o, p]).max()), 5e-3):
        shown = " and ".join(" ".join(f"{x:.4g}" for x in v) for v in (p, o))
        yield finding("origin.xyz", f"{shown}, the latter of {left.name!r} on the other side")


def _apart(one: float, two: float) -> bool:
    return abs(one - two) > DIFFERENT * max(abs(one), abs(two))
