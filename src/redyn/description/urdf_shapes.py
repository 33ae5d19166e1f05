"""The <visual> and <collision> elements of a URDF, recorded for a viewer; meshes stay unread."""

from __future__ import annotations

from typing import Any

from redyn.description.xml_file import Element

Colours = dict[str, tuple[float, ...]]


def colours(robot: Element) -> Colours:
    """The named materials of a file: those beside the links, and those that a link defines for all."""
    named: Colours = {}
    visuals = (visual for link in robot.all("link") for visual in link.all("visual"))
    for holder in (robot, *visuals):
        for material in holder.all("material"):
            colour = material.find("color")
            name = material.attributes.get("name", "").strip()
            if name and colour is not None:
                named.setdefault(name, colour.numbers("rgba", 4))
    return named


def shapes(link: Element, palette: Colours) -> dict[str, list[dict[str, Any]]]:
    """The fields `visual` and `collision` of a link, where it has them."""
    found: dict[str, list[dict[str, Any]]] = {}
    for tag in ("visual", "collision"):
        for element in link.all(tag):
            solid = _solid(element)
            if solid is None:
                continue
            solid["xyz"], solid["rpy"] = element.origin()
            colour = _colour(element, palette)
            if colour is not None:
                solid["colour"] = colour
            found.setdefault(tag, []).append(solid)
    return found


def _solid(element: Element) -> dict[str, Any] | None:
    """Kind and measures; None for a geometry that is empty or of a kind unknown here."""
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
                mesh: dict[str, Any] = {"type": "mesh", "file": solid.text("filename")}
                if "scale" in solid.attributes:
                    mesh["scale"] = solid.numbers("scale", 3)
                return mesh
            case _:
                continue
    return None


def _colour(element: Element, palette: Colours) -> tuple[float, ...] | None:
    material = element.find("material")
    if material is None:
        return None
    own = material.find("color")
    if own is not None:
        return own.numbers("rgba", 4)
    return palette.get(material.attributes.get("name", "").strip())
