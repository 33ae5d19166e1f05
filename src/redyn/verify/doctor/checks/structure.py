"""How links and joints hang together."""

from __future__ import annotations

from collections.abc import Iterator

from redyn.verify.doctor.finding import Finding
from redyn.verify.doctor.solid import Rooms
from redyn.verify.doctor.survey import Survey
from redyn.words import counted


def structure(survey: Survey, _: Rooms) -> Iterator[Finding]:
    """One root, one joint above every other link, something that moves."""
    if not survey.bodies:
        semantic = ".srdf" in survey.file
        right = (
            "an SRDF has groups of joints, not the robot: examine its URDF" if semantic else "expected <link name=...>"
        )
        yield Finding("no-links", "error", "robot", "", "link", "the file has no links", right)
        return
    if survey.kind == "URDF":
        yield from _cuts(survey)
        yield from _roots(survey)
    if not any(survey.moving()):
        right = "such a robot is one rigid body; it moves if it is loaded with a floating base"
        yield Finding("nothing-moves", "warning", "robot", "", "joint", "no joint moves", right)


def _cuts(survey: Survey) -> Iterator[Finding]:
    for ends in survey.tree.cuts:
        line = survey.hinges[ends.joint].line
        if ends.child in survey.tree.carried:
            other = survey.tree.carried[ends.child].joint
            what = f"link {ends.child!r} is the child of joint {other!r} already"
            right = "a link has one parent; urdfdom refuses the file (redyn closes a loop by this joint)"
            yield Finding("two-parents", "error", "joint", ends.joint, "child", what, right, line)
        else:
            what = f"joints lead from link {ends.child!r} to {ends.parent!r} and back: a cycle"
            right = "one link of a robot, its root, has no parent"
            yield Finding("cycle", "error", "joint", ends.joint, "child", what, right, line)


def _roots(survey: Survey) -> Iterator[Finding]:
    main, *others = survey.roots
    for name in others:
        count = len(survey.carried_by(name)) - 1
        carried = f", and carries {counted(count, 'link')}" if count else ""
        what = f"no joint connects the link with the root, {main!r}{carried}"
        right = "a robot has one root: join them, or remove the link"
        yield Finding("unreachable", "error", "link", name, "", what, right, survey.bodies[name].line)
    if survey.bodies[main].massive and any(survey.moving()):
        what = "the root link has mass; fixed to the world it has no effect, and KDL leaves it out with a warning"
        right = "if the base is to move, load it with a floating base"
        yield Finding("root-mass", "note", "link", main, "inertial", what, right, survey.bodies[main].line)
