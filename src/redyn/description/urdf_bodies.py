"""The <inertial> elements of a URDF. Missing values are zero, with a warning."""

from __future__ import annotations

from typing import Any

import numpy as np

from redyn.description.notes import Notes
from redyn.description.placement import rpy_rotation
from redyn.description.schema import LinkDescription
from redyn.description.urdf_words import MIRRORED, TENSOR
from redyn.description.xml_file import Element

ZERO = "taken as zero"
_PLACES = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))


def inertial(link: Element, notes: Notes) -> dict[str, Any]:
    """Mass, mass centre and inertia in the axes of the link."""
    element = link.find("inertial")
    if element is None:
        return {}
    name = link.attributes["name"]
    mass = _mass(element, name, notes)
    xyz, rpy = element.origin()
    tensor = np.zeros((3, 3))
    inertia = element.find("inertia")
    if inertia is None:
        if mass:
            notes.add("taken as a point mass", element, f"link {name!r} has a mass and no <inertia>")
    else:
        for (i, j), value in zip(_PLACES, _entries(inertia, name, notes), strict=True):
            tensor[i, j] = tensor[j, i] = value
    if any(rpy):
        R = rpy_rotation(*rpy)[:3, :3]
        tensor = R @ tensor @ R.T
    return {"mass": mass, "com": xyz, "inertia": tuple(float(tensor[i, j]) for i, j in _PLACES)}


def _mass(element: Element, name: str, notes: Notes) -> float:
    mass = element.find("mass")
    if mass is None or "value" not in mass.attributes:
        what = "<inertial> has no <mass>" if mass is None else "<mass> has no value"
        notes.add(ZERO, mass or element, f"link {name!r}: {what}")
        return 0.0
    return mass.number("value")


def _entries(inertia: Element, name: str, notes: Notes) -> list[float]:
    """ixx ixy ixz iyy iyz izz; the lower half of the tensor is used if only that is given."""
    given = {key: inertia.number(key) for key in (*TENSOR, *MIRRORED) if key in inertia.attributes}
    for other, key in MIRRORED.items():
        if other in given and given.setdefault(key, given[other]) != given[other]:
            what = f"link {name!r}: {key} is {given[key]:g} and {other} is {given[other]:g}"
            notes.add("the tensor is not symmetric; its upper half is used", inertia, what)
    missing = [key for key in TENSOR if key not in given]
    if missing:
        notes.add(ZERO, inertia, f"<inertia> of link {name!r} lacks {', '.join(missing)}")
    return [given.get(key, 0.0) for key in TENSOR]


def check_masses(robot: Element, links: list[LinkDescription], elements: list[Element], notes: Notes) -> None:
    """Notes massless moving links, and joints that move no mass."""
    if not any(_has_inertia(link) for link in links):
        what = "no link has mass or inertia (<inertial> is missing or zero everywhere)"
        notes.add("every torque is zero and no acceleration is determined", robot, what)
        return
    heavy = {str(link.name) for link in links if _has_inertia(link)}
    parents = {str(link.name): str(link.parent) for link in links}
    carrying: set[str] = set()  # links that have or carry inertia
    for name in heavy:
        while name in parents and name not in carrying:
            carrying.add(name)
            name = parents[name]
    for link, element in zip(links, elements, strict=True):
        if link.joint.type == "fixed":
            continue
        if link.name not in carrying and not link.joint.armature:
            what = f"joint {link.joint.name!r} moves no mass: link {link.name!r} and its descendants have none"
            notes.add("its torque is zero and its acceleration is not determined", element, what)
        elif element.find("inertial") is None and not _has_inertia(link):
            notes.add("taken as massless", element, f"link {link.name!r} moves and has no <inertial>")


def _has_inertia(link: LinkDescription) -> bool:
    return bool(link.mass) or any(link.inertia or ())
