"""The <visual> and <collision> elements of a URDF, recorded for a viewer; meshes are not read here.

An error here affects the picture and not the robot: it gives a warning, and that shape or colour is left out.
"""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from redyn.description.notes import Notes
from redyn.description.schema import Shape
from redyn.description.xml_file import Element
from redyn.errors import DescriptionError

Colours = dict[str, tuple[float, ...]]

SHAPE = "that shape is left out"
COLOUR = "that colour is left out"


def colours(robot: Element, notes: Notes) -> Colours:
    """The named materials of a file: global ones, and those defined in a link."""
    named: Colours = {}
    for material in robot.all("material"):
        _define(material, named, notes)
    for link in robot.all("link"):
        for visual in link.all("visual"):
            for material in visual.all("material"):
                _define(material, named, None)  # noted when the visual is read
    return named


def _define(material: Element, named: Colours, notes: Notes | None) -> None:
    name, colour = material.attributes.get("name", "").strip(), material.find("color")
    if name and name not in named and colour is not None:
        rgba = _rgba(colour, notes)
        if rgba is not None:
            named[name] = rgba


def _rgba(colour: Element, notes: Notes | None) -> tuple[float, ...] | None:
    try:
        return colour.numbers("rgba", 4)
    except DescriptionError as error:
        if notes is not None:
            notes.add(COLOUR, colour, error.what)
        return None


def shapes(link: Element, palette: Colours, notes: Notes) -> dict[str, list[Shape]]:
    """The fields `visual` and `collision` of a link, if it has them."""
    found: dict[str, list[Shape]] = {}
    for tag in ("visual", "collision"):
        for element in link.all(tag):
            try:
                solid = _solid(element, notes)
                solid["xyz"], solid["rpy"] = element.origin()
                shape = Shape(**solid, colour=_colour(element, palette, notes))  # pyright: ignore[reportArgumentType]
            except DescriptionError as error:
                notes.add(SHAPE, element, f"<{tag}> of link {link.attributes['name']!r}: {error.what}")
            except ValidationError as error:
                problem = error.errors(include_url=False)[0]
                what = f"{'.'.join(map(str, problem['loc']))}: {problem['msg'].removeprefix('Value error, ')}"
                notes.add(SHAPE, element, f"<{tag}> of link {link.attributes['name']!r}: {what}")
            else:
                found.setdefault(tag, []).append(shape)
    return found


def _solid(element: Element, notes: Notes) -> dict[str, Any]:
    """Type and dimensions of a shape."""
    geometry = element.find("geometry")
    for solid in geometry.children if geometry is not None else ():
        match solid.tag:
            case "box":
                return {"type": "box", "size": solid.numbers("size", 3)}
            case "cylinder" | "capsule":
                return {"type": solid.tag, "radius": solid.number("radius"), "length": solid.number("length")}
            case "sphere":
                return {"type": "sphere", "radius": solid.number("radius")}
            case "mesh":
                return _mesh(solid, notes)
            case _:
                continue
    tags = ", ".join(f"<{solid.tag[:60]}>" for solid in geometry.children[:3]) if geometry is not None else ""
    raise element.error(f"expected a box, cylinder, capsule, sphere or mesh in <geometry>, got {tags or 'nothing'}")


def _mesh(solid: Element, notes: Notes) -> dict[str, Any]:
    mesh: dict[str, Any] = {"type": "mesh", "file": solid.text("filename")}
    if "scale" in solid.attributes:
        alone = len(solid.attributes["scale"].split()) == 1
        scale = solid.numbers("scale", 1 if alone else 3)
        if alone:
            notes.add("used for all three axes", solid, f"<mesh scale=...>: expected 3 numbers, got {scale[0]:g}")
        mesh["scale"] = scale * 3 if alone else scale
    return mesh


def _colour(element: Element, palette: Colours, notes: Notes) -> tuple[float, ...] | None:
    material = element.find("material")
    if material is None:
        return None
    own = material.find("color")
    if own is not None:
        return _rgba(own, notes)
    return palette.get(material.attributes.get("name", "").strip())
