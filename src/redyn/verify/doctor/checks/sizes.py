"""Sizes: joints that are far away, inertias of links without shapes, gravity."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from redyn.verify.doctor.estimate import text
from redyn.verify.doctor.finding import Finding, Repair
from redyn.verify.doctor.solid import Rooms
from redyn.verify.doctor.survey import Survey

FAR = 20.0  # times the median distance between joints
LONGEST = 3.0  # m: nearer joints are not suspicious
MILLIMETRES = 50.0  # m: the median distance of joints in a robot whose lengths are in millimetres
G = 9.81


def sizes(survey: Survey, rooms: Rooms) -> Iterator[Finding]:
    """Distances between joints, and radii of gyration of links without shapes."""
    apart = {h.name: float(np.linalg.norm(h.pose[:3, 3])) for h in survey.hinges.values()}
    some = [distance for distance in apart.values() if distance > 1e-4]
    middle = float(np.median(some)) if some else 0.0
    if middle > MILLIMETRES / 2:
        what = f"half of the joints are more than {middle:.3g} m apart: lengths look like millimetres"
        yield Finding("lengths", "error", "robot", "", "origin.xyz", what, "URDF uses metres: divide by 1000")
        return
    for name, distance in apart.items():
        if distance > LONGEST and distance > FAR * middle:
            hinge = survey.hinges[name]
            what = f"the joint is {distance:.4g} m from its parent's, and the median is {middle:.3g} m"
            shown = text(hinge.pose[:3, 3] / 1000)
            right = f"in metres, if it is in millimetres: {shown}"
            repair = Repair("joint", name, ("origin",), {"xyz": shown}, "convert the origin from millimetres")
            line = hinge.line_of("origin")
            yield Finding("joint-far", "warning", "joint", name, "origin.xyz", what, right, line, (repair,))
    yield from _gyration(survey, rooms)


def _gyration(survey: Survey, rooms: Rooms) -> Iterator[Finding]:
    """Links without shapes: their size is that between joints, and of shapes that are fixed to them."""
    for body in survey.bodies.values():
        shaped = rooms.own[body.name] is not None
        if shaped or body.mass is None or body.com is None or body.inertia is None or body.mass <= 0.0:
            continue
        around = [np.linalg.norm(h.pose[:3, 3]) for h in survey.hinges.values() if body.name in (h.parent, h.child)]
        beside = rooms.group(body.name)
        if beside is not None:
            around.append(np.linalg.norm(np.maximum(np.abs(beside.low), np.abs(beside.high))))
        if float(np.linalg.norm(body.com)) > 5.0 * max([*map(float, around), 0.1]) and survey.hinges:
            what = f"the mass centre is {np.linalg.norm(body.com):.3g} m from the link's frame, and no joint is so far"
            right = "is it in millimetres, or in the frame of the world?"
            line = body.line_of("com")
            yield Finding("com-outside", "warning", "link", body.name, "inertial.origin", what, right, line)
            continue
        size = max([*map(float, around), float(np.linalg.norm(body.com)), 0.05])
        trace = float(np.trace(body.inertia))
        if trace <= 0.0:
            continue
        gyration = (trace / 2 / body.mass) ** 0.5
        line = body.line_of("inertia")
        shown = f"the radius of gyration is {gyration:.3g} m, and joints and mass centre are within {size:.3g} m"
        if gyration > 10.0 * size:
            right = "check units: kg m^2, and kg"
            yield Finding("inertia-large", "warning", "link", body.name, "inertia", shown, right, line)
        elif gyration < 0.004 * size:
            right = "check units: kg m^2, and kg"
            yield Finding("inertia-small", "warning", "link", body.name, "inertia", shown, right, line)


def gravity(survey: Survey, _: Rooms) -> Iterator[Finding]:
    """Formats that have gravity: its size and direction."""
    if survey.gravity is None:
        return
    g = float(np.linalg.norm(survey.gravity))
    shown = " ".join(f"{x:g}" for x in survey.gravity)
    if g == 0.0:
        yield Finding("gravity", "note", "robot", "", "gravity", "there is no gravity")
    elif not 0.98 * G < g < 1.02 * G:
        yield Finding("gravity", "warning", "robot", "", "gravity", f"gravity is {shown}", "on earth, 9.81 m/s^2")
    elif survey.gravity[2] > 0.99 * g:
        yield Finding("gravity", "warning", "robot", "", "gravity", f"gravity is {shown}, upwards", "0 0 -9.81")
    elif survey.gravity[2] > -0.99 * g:
        yield Finding("gravity", "note", "robot", "", "gravity", f"gravity is {shown}, not along -z")
