"""Masses: their signs, links without any, and how far those of neighbours are apart."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from redyn.verify.doctor.finding import Finding, Repair
from redyn.verify.doctor.solid import Rooms
from redyn.verify.doctor.survey import Survey

APART = 1e4  # ratio of the masses of neighbours beyond which simulations lose their digits
LARGE = 1e-5  # m^3: shapes of smaller links are marks
OUTLIER = 200.0  # times the median mass


def masses(survey: Survey, _: Rooms) -> Iterator[Finding]:
    """Every body's own mass."""
    for body in survey.bodies.values():
        m, line = body.mass, body.line_of("mass")
        if m is None:
            continue
        if m < 0.0:
            right = f"a mass is positive, in kg; {-m:g}, if the sign is a slip"
            repair = Repair("link", body.name, ("inertial", "mass"), {"value": f"{-m:.9g}"}, "drop the sign")
            what = f"the mass is negative ({m:g} kg)"
            yield Finding("mass-negative", "error", "link", body.name, "mass", what, right, line, (repair,))
        elif m == 0.0 and body.given is not None and body.given.any():
            what = "the mass is zero, and the inertia is not"
            yield Finding("mass-zero", "error", "link", body.name, "mass", what, "no body is so; give its mass", line)
        elif m > 0.0 and body.given is not None and not body.given.any():
            fixed = not _alone(survey, body.name)
            what = f"a mass of {m:g} kg without inertia: a point"
            right = "give its inertia about the mass centre; MuJoCo and physics engines refuse a moving body without"
            severity = "note" if fixed else "warning"
            yield Finding("inertia-zero", severity, "link", body.name, "inertia", what, right, body.line_of("inertia"))


def _alone(survey: Survey, link: str) -> bool:
    """Whether a moving body has no other inertia than that of this link."""
    group = survey.group_of[link]
    if survey.fixed_to_ground(link):
        return False
    others = [survey.bodies[name] for name in group if name != link]
    return not any(other.given is not None and other.given.any() for other in others)


def moved_masses(survey: Survey, rooms: Rooms) -> Iterator[Finding]:
    """Joints that move no inertia, and moving bodies without mass."""
    if not any(body.massive for body in survey.bodies.values()):
        what = "no link has mass or inertia"
        right = "the file has the kinematics alone; give every moving link an <inertial>"
        yield Finding("no-mass", "error", "robot", "", "inertial", what, right)
        return
    carrying = {name for name in survey.bodies if any(survey.bodies[k].massive for k in survey.carried_by(name))}
    for hinge in survey.moving():
        if survey.tree.carried.get(hinge.child) is None or survey.tree.carried[hinge.child].joint != hinge.name:
            continue
        group = survey.group_of[hinge.child]
        body = survey.bodies[hinge.child]
        if any(survey.bodies[name].massive for name in group):
            if not body.inertial and (solid := rooms.own[body.name]) is not None and solid.volume > LARGE:
                what = f"the link has shapes of {solid.volume * 1000:.2g} litres and no mass; what is fixed to it has"
                right = "is its mass among those, or forgotten?"
                yield Finding("massless-link", "warning", "link", body.name, "inertial", what, right, body.line)
            continue
        if hinge.child not in carrying and not hinge.armature:
            what = f"joint {hinge.name!r} moves no inertia: this link, and all that it carries, has no mass"
            right = "forward dynamics divides by zero there: give the link mass and inertia, or fix the joint"
            yield Finding(
                "massless-tip", "error", "link", body.name, "inertial", what, right, body.line_of("mass"),
                _estimated(survey, rooms, body.name),
            )  # fmt: skip
        elif hinge.child in carrying:
            what = "the link moves and has no mass, but carries some"
            right = "MuJoCo, Gazebo and Bullet refuse or drop such a link: give it mass and inertia"
            yield Finding("massless-link", "warning", "link", body.name, "inertial", what, right, body.line_of("mass"))


def _estimated(survey: Survey, rooms: Rooms, link: str) -> tuple[Repair, ...]:
    """Mass and inertia of a link from its shapes, as if they were of plastic."""
    solid = rooms.own.get(link)
    if solid is None or solid.volume <= 0.0:
        return ()
    from redyn.verify.doctor.estimate import DENSITY, estimate

    return estimate(link, DENSITY * solid.volume, solid, f"mass and inertia of its shapes at {DENSITY:g} kg/m^3")


def balance(survey: Survey, _: Rooms) -> Iterator[Finding]:
    """Masses that are far from those of their neighbours, or of the whole robot."""
    total = {id(group): sum(abs(survey.bodies[n].mass or 0.0) for n in group) for group in survey.groups}
    moving = [m for group in survey.groups if (m := total[id(group)]) > 0.0]
    if not moving:
        return
    middle = float(np.median(moving))
    for group in survey.groups:
        m, hinge = total[id(group)], survey.hinge(group[0])
        if hinge is None or m == 0.0:
            continue
        heaviest = max(group, key=lambda name: survey.bodies[name].mass or 0.0)
        line = survey.bodies[heaviest].line_of("mass")
        above = total[id(survey.group_of[hinge.parent])]
        ratio = m / above if above > 0.0 else 1.0
        if not 1 / APART < ratio < APART:
            what = f"{m:g} kg at joint {hinge.name!r}, and {above:g} kg on the other side of it"
            right = "such a ratio makes simulations inaccurate; check the units (kg) of both"
            yield Finding("mass-ratio", "warning", "link", heaviest, "mass", what, right, line)
        elif len(moving) > 2 and m > OUTLIER * middle and m > 50.0:
            what = f"{m:g} kg is {m / middle:.0f} times the median of this robot's bodies, {middle:g} kg"
            yield Finding("mass-ratio", "warning", "link", heaviest, "mass", what, "is it in grams?", line)
