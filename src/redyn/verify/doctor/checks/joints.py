"""Limits, drives and mimic rules of joints."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterator

from redyn.description.ties import in_rings
from redyn.description.units import LARGEST_LIMIT, like_degrees_of_limit
from redyn.verify.doctor.estimate import number
from redyn.verify.doctor.finding import Finding, Repair, Severity
from redyn.verify.doctor.solid import Rooms
from redyn.verify.doctor.survey import Hinge, Survey
from redyn.words import suggestion

LONG = 20.0  # m: a longer slide is probably in millimetres
FAST = 100.0  # rad/s: a faster joint is probably in degrees a second, or has no limit


def limits(survey: Survey, _: Rooms) -> Iterator[Finding]:
    """Ranges of joints."""
    for hinge in survey.hinges.values():
        if not hinge.single:
            continue
        line = hinge.line_of("limit")

        def say(
            code: str, severity: Severity, field: str, what: str, right: str, *repairs: Repair,
            name: str = hinge.name, at: int | None = line,
        ) -> Finding:  # fmt: skip
            return Finding(code, severity, "joint", name, field, what, right, at, repairs)

        if hinge.kind == "continuous":
            if hinge.lower is not None or hinge.upper is not None:
                repair = Repair("joint", hinge.name, ("limit",), {"lower": None, "upper": None}, "drop the bounds")
                what = "a continuous joint has no bounds, but the file gives some"
                right = "they are ignored; make it revolute if they are meant"
                if survey.kind == "URDF" and (hinge.lower or hinge.upper):
                    yield say("limit-continuous", "warning", "limit", what, right, repair)
            continue
        if survey.kind == "URDF" and not hinge.limited and hinge.mimic is None:
            right = f"a {hinge.kind} joint needs <limit lower= upper= effort= velocity=>; urdfdom refuses the file"
            yield say("limit-missing", "error", "limit", "the joint has no limits", right)
            continue
        if not hinge.limited:
            continue
        lower, upper = hinge.lower or 0.0, hinge.upper or 0.0
        bounds = {"lower": number(upper), "upper": number(lower)}
        if lower > upper:
            what = f"the lower limit, {lower:g}, is above the upper one, {upper:g}"
            repair = Repair("joint", hinge.name, ("limit",), bounds, "exchange the limits")
            yield say("limit-swapped", "error", "limit.lower", what, f"{upper:g} to {lower:g}?", repair)
        elif lower == upper:
            what = f"both limits are {lower:g}: the joint cannot move"
            right = "give its range, or make it fixed (or continuous)"
            yield say("limit-range", "warning", "limit", what, right)
        elif not lower <= 0.0 <= upper and max(abs(lower), abs(upper)) < 1e4:
            what = f"zero is outside the limits, {lower:g} to {upper:g}"
            yield say("limit-zero", "note", "limit", what, "programs that start at zero start beyond a limit")
        if hinge.kind == "revolute" and any(like_degrees_of_limit(x) for x in (lower, upper)):
            in_radians = {key: number(math.radians(x)) for key, x in (("lower", lower), ("upper", upper))}
            what = f"the limits {lower:g} and {upper:g} look like degrees"
            right = f"in radians: {in_radians['lower']} and {in_radians['upper']}"
            repair = Repair("joint", hinge.name, ("limit",), in_radians, "convert the limits from degrees")
            yield say("limit-degrees", "warning", "limit", what, right, repair)
        if hinge.kind == "prismatic" and LONG < max(abs(lower), abs(upper)) < 1e5:
            in_metres = {key: number(x / 1000) for key, x in (("lower", lower), ("upper", upper))}
            what = f"the limits {lower:g} and {upper:g} m look like millimetres"
            repair = Repair("joint", hinge.name, ("limit",), in_metres, "convert the limits from millimetres")
            yield say("limit-millimetres", "warning", "limit", what, "in metres, divide by 1000", repair)


def drives(survey: Survey, _: Rooms) -> Iterator[Finding]:
    """Effort, speed, damping and friction."""
    for hinge in survey.moving():
        yield from _drive(survey, hinge)


def _drive(survey: Survey, hinge: Hinge) -> Iterator[Finding]:
    for field, value in (("effort", hinge.effort), ("velocity", hinge.velocity)):
        if value is None:
            if survey.kind == "URDF" and hinge.limited and hinge.single:
                what = f"<limit> has no {field}"
                right = f"urdfdom refuses a <limit> without {field}"
                yield Finding(
                    "limit-effort", "error", "joint", hinge.name, f"limit.{field}", what, right, hinge.line_of("limit")
                )
            continue
        if value < 0.0:
            severity, what = "error", f"the {field} limit is negative ({value:g})"
        elif value == 0.0 and hinge.single and hinge.mimic is None:
            severity, what = "warning", f"the {field} limit is zero: controllers that keep to it never move the joint"
        elif field == "velocity" and hinge.turns and FAST < value <= LARGEST_LIMIT and float(value).is_integer():
            severity, what = "warning", f"a velocity limit of {value:g} rad/s is {value / math.tau:.0f} turns a second"
        else:
            continue
        right = {"effort": "in N m, or N", "velocity": "in rad/s, or m/s; degrees times pi/180"}[field]
        yield Finding(
            "limit-effort", severity, "joint", hinge.name, f"limit.{field}", what, right, hinge.line_of("limit")
        )  # fmt: skip
    for field, value in (("damping", hinge.damping), ("friction", hinge.friction)):
        if value is not None and value < 0.0:
            what, line = f"{field} is negative ({value:g}): the joint would gain energy", hinge.line_of("dynamics")
            repair = Repair("joint", hinge.name, ("dynamics",), {field: number(-value)}, "drop the sign")
            place, right = f"dynamics.{field}", f"{-value:g}, or 0"
            yield Finding("damping-negative", "error", "joint", hinge.name, place, what, right, line, (repair,))


def _meant(name: str, names: list[str]) -> str:
    return suggestion(name, names).removeprefix("; ")


def mimics(survey: Survey, _: Rooms) -> Iterator[Finding]:
    """Joints that follow others."""
    leaders = {h.name: h.mimic for h in survey.hinges.values() if h.mimic is not None}
    rings = in_rings({name: leader for name, leader in leaders.items() if leader})
    for name, leader in leaders.items():
        hinge, wrong, hint = survey.hinges[name], "", "name a joint that moves on its own"
        followed = survey.hinges.get(leader)
        if not leader:
            wrong = "<mimic> names no joint"
        elif followed is None:
            wrong = f"it mimics {leader!r}, and no joint is called so"
            alike = [h.name for h in survey.moving() if h.name.endswith(leader) and h.name != name]
            near = difflib.get_close_matches(name, alike, 1, 0.0)
            hint = f"did you mean {near[0]!r}?" if near else _meant(leader, [h.name for h in survey.moving()])
        elif name in rings:
            wrong = f"it mimics {leader!r}, which mimics it in turn"
        elif not followed.single:
            wrong = f"it mimics {leader!r}, which is {followed.kind}"
        if wrong:
            repair = Repair("joint", name, ("mimic",), {}, "remove <mimic>: the joint is independent", remove=True)
            yield Finding(
                "mimic", "error", "joint", name, "mimic.joint", wrong, hint, hinge.line_of("mimic"), (repair,)
            )
        elif followed is not None and followed.mimic is not None:
            what = f"it mimics {leader!r}, which mimics {followed.mimic!r}"
            right = "several programs do not follow chains: name the independent joint"
            yield Finding("mimic-chain", "warning", "joint", name, "mimic.joint", what, right, hinge.line_of("mimic"))
