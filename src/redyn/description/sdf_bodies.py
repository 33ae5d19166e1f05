"""The <inertial>, <visual> and <collision> elements of SDF.

A link without <inertial> has the mass and inertia that the format gives it: 1 kg and 1 kg m^2.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from pydantic import ValidationError

from redyn.description.notes import Notes
from redyn.description.poses import origin, vector
from redyn.description.schema import Shape
from redyn.description.sdf_frames import Frames, is_true
from redyn.description.urdf_words import TENSOR
from redyn.description.xml_file import Element
from redyn.errors import DescriptionError

DEFAULT = "1 kg and 1 kg m^2, the defaults of the format"
_PLACES = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))


def inertial(link: Element, frames: Frames, notes: Notes) -> dict[str, Any]:
    """Mass, mass centre and inertia in the axes of the link."""
    name, element = link.text("name"), link.find("inertial")
    if element is None:
        notes.add(f"taken as {DEFAULT}", link, f"link {name!r} has no <inertial>")
        return {"mass": 1.0, "com": (0.0, 0.0, 0.0), "inertia": (1.0, 0.0, 0.0, 1.0, 0.0, 1.0)}
    if is_true(element.attributes.get("auto", "")):
        raise element.error(f"link {name[:60]!r}: <inertial auto=...>, inertia from shapes, is not supported")
    inertia = element.find("inertia")
    tensor = np.eye(3)
    if inertia is None or element.find("mass") is None:
        what = "<mass>" if inertia is not None else "<inertia>"
        notes.add(f"taken from {DEFAULT}", element, f"<inertial> of link {name!r} has no {what}")
    for key, (i, j) in zip(TENSOR, _PLACES, strict=True):
        tensor[i, j] = tensor[j, i] = float(i == j) if inertia is None else inertia.number_of(key, float(i == j))
    T = frames.local(element, name)
    tensor = T[:3, :3] @ tensor @ T[:3, :3].T
    numbers = tuple(float(tensor[i, j]) for i, j in _PLACES)
    return {"mass": element.number_of("mass", 1.0), "com": vector(T[:3, 3]), "inertia": numbers}


def shapes(link: Element, frames: Frames, notes: Notes) -> dict[str, list[Shape]]:
    """The fields `visual` and `collision` of a link. An error in a shape gives a warning, and it is left out."""
    found: dict[str, list[Shape]] = {}
    name = link.text("name")
    for tag in ("visual", "collision"):
        for element in link.all(tag):
            try:
                solid = _solid(element)
                if solid is not None:
                    solid |= origin(frames.local(element, name)) | _colour(element)
                    found.setdefault(tag, []).append(Shape(**solid))
            except DescriptionError as error:
                notes.add("that shape is left out", element, f"<{tag}> of link {name!r}: {error.what}")
            except ValidationError as error:
                what = error.errors(include_url=False)[0]["msg"].removeprefix("Value error, ")
                notes.add("that shape is left out", element, f"<{tag}> of link {name!r}: {what}")
    return found


def _solid(element: Element) -> dict[str, Any] | None:
    """Type and dimensions of a shape; None for one that redyn does not draw, such as a plane."""
    geometry = element.find("geometry")
    for solid in geometry.children if geometry is not None else ():
        match solid.tag:
            case "box":
                return {"type": "box", "size": _numbers(solid, "size")}
            case "cylinder" | "capsule":
                size = {key: _numbers(solid, key, 1)[0] for key in ("radius", "length")}
                return {"type": solid.tag, **size}
            case "sphere":
                return {"type": "sphere", "radius": _numbers(solid, "radius", 1)[0]}
            case "ellipsoid":
                return {"type": "ellipsoid", "size": tuple(2 * radius for radius in _numbers(solid, "radii"))}
            case "mesh":
                scale = {} if solid.find("scale") is None else {"scale": _numbers(solid, "scale")}
                return {"type": "mesh", "file": solid.content_of("uri"), **scale}
            case _:
                continue
    return None


def _numbers(solid: Element, tag: str, count: int = 3) -> tuple[float, ...]:
    child = solid.find(tag)
    if child is None:
        raise solid.error(f"<{solid.tag}> needs <{tag}>")
    return child.content_numbers(count)


def _colour(element: Element) -> dict[str, Any]:
    material = element.find("material")
    diffuse = None if material is None else material.find("diffuse")
    if diffuse is None:
        return {}
    numbers = diffuse.content_numbers(len(diffuse.content.split()))
    return {"colour": (*numbers, 1.0)[:4]}
