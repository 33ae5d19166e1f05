"""Contacts of a robot with the ground: their checks, collision shapes as contacts, and all as spheres and points."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from redyn.description.ends import frame_links
from redyn.description.ground_fields import ContactDescription
from redyn.description.placement import rpy_rotation, translation
from redyn.description.schema import LinkDescription, RobotDescription, Shape
from redyn.errors import DescriptionError, warn
from redyn.words import suggestion

RIM = 8  # points on each rim of a cylinder

Point = tuple[float, float, float]


class Sphere(NamedTuple):
    """A sphere, or a point where its radius is 0, in the frame of a link."""

    name: str
    link: str
    at: Point
    radius: float


def checked_contacts(robot: RobotDescription, links: list[LinkDescription]) -> list[ContactDescription]:
    """The contacts of a robot with collision shapes written out; `links` have all their names."""
    named, frames = {str(link.name): link for link in links}, frame_links(links)
    found: list[ContactDescription] = []
    for k, contact in enumerate(robot.contacts):
        where = f"contacts[{k}]"
        if contact.link is not None and contact.link not in frames:
            raise DescriptionError(where, f"no link is called {contact.link!r}{suggestion(contact.link, list(frames))}")
        if not contact.collision:
            found.append(contact)
            continue
        made = _of_shapes([named[frames[contact.link]]] if contact.link else links)
        if not made:
            whose = f"link {contact.link!r} has" if contact.link else "the links have"
            raise DescriptionError(
                where,
                f"{whose} no collision shape that is a sphere, a box, a capsule or a cylinder; list contacts such as "
                "{link: foot, radius: 0.02}",
            )
        found += made
    return found


def _of_shapes(links: Sequence[LinkDescription]) -> list[ContactDescription]:
    """The collision shapes of links as contacts; others than these are left out, with a warning."""
    found: list[ContactDescription] = []
    left: list[str] = []
    for link in links:
        for shape in link.collision:
            fields = _fields(shape)
            if fields is None:
                left.append(f"the {shape.type} of link {link.name!r}")
            else:
                found.append(ContactDescription.model_validate({"link": link.name, **fields}))
    if left and found:
        more = f" (and {len(left) - 1} more)" if len(left) > 1 else ""
        warn(f"contacts: {left[0]}{more} cannot touch the ground: list points of it as contacts where it should")
    return found


def _fields(shape: Shape) -> dict[str, object] | None:
    if shape.type == "sphere":
        return {"radius": shape.radius, "at": shape.xyz}
    if shape.type == "box":
        return {"box": shape.size, "at": shape.xyz, "rpy": shape.rpy}
    if shape.type == "capsule":
        if not shape.length:
            return {"radius": shape.radius, "at": shape.xyz}
        return {"capsule": shape.length, "radius": shape.radius, "at": shape.xyz, "rpy": shape.rpy}
    if shape.type == "cylinder":
        turn = [2 * math.pi * k / RIM for k in range(RIM)]
        r, half = shape.radius or 0.0, (shape.length or 0.0) / 2
        rim = [(r * math.cos(a), r * math.sin(a), z) for z in (-half, half) for a in turn]
        return {"points": _placed(rim, shape.xyz, shape.rpy)}
    return None


def _placed(points: Sequence[Point], xyz: Sequence[float], rpy: Sequence[float]) -> list[Point]:
    """Points of a shape in the frame of its link."""
    T = translation(*xyz) @ rpy_rotation(*rpy)
    rows = np.array(points) @ T[:3, :3].T + T[:3, 3]
    return [(float(x), float(y), float(z)) for x, y, z in rows]


def spheres(contacts: Sequence[ContactDescription]) -> list[Sphere]:
    """All contacts as spheres and points, with names that differ.

    >>> box = ContactDescription(link="block", box=(0.2, 0.1, 0.1))
    >>> [(s.name, s.at) for s in spheres([box])][:2]
    [('block.1', (-0.1, -0.05, -0.05)), ('block.2', (-0.1, -0.05, 0.05))]
    """
    found: list[Sphere] = []
    for contact in contacts:
        places = _centres(contact)
        for k, at in enumerate(places, start=1):
            name = contact.name or str(contact.link)
            found.append(
                Sphere(f"{name}.{k}" if len(places) > 1 else name, str(contact.link), at, contact.radius or 0.0)
            )
    return _distinct(found)


def _centres(contact: ContactDescription) -> list[Point]:
    if contact.box is not None:
        corners = [(x, y, z) for x, y, z in itertools.product(*((-side / 2, side / 2) for side in contact.box))]
        return _placed(corners, contact.at, contact.rpy)
    if contact.capsule is not None:
        half = contact.capsule / 2
        return _placed([(0.0, 0.0, -half), (0.0, 0.0, half)], contact.at, contact.rpy)
    if contact.points is not None:
        return _placed(contact.points, contact.at, (0.0, 0.0, 0.0))
    return [contact.at]


def _distinct(found: list[Sphere]) -> list[Sphere]:
    taken: dict[str, int] = {}
    result: list[Sphere] = []
    for sphere in found:
        taken[sphere.name] = taken.get(sphere.name, 0) + 1
        number = taken[sphere.name]
        result.append(sphere if number == 1 else sphere._replace(name=f"{sphere.name} ({number})"))
    return result
