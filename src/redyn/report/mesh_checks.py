"""Checks of mesh files before anything is allocated: declared sizes in GLB, entities and nodes in Collada."""

from __future__ import annotations

import json
import struct
import xml.parsers.expat
from typing import Any, cast
from xml.etree import ElementTree

from redyn.errors import DescriptionError

MOST_BODIES = 100_000
OVERLAP = 4  # how often, on average, each byte of a GLB may be referenced: views and accessors may share them
ROOM = 1_000_000  # bytes that a GLB may declare in addition
MOST_CORNERS = 20_000_000  # vertices and indices of a GLB, counted per use in primitives

_COMPONENT = {5120: 1, 5121: 1, 5122: 2, 5123: 2, 5125: 4, 5126: 4}  # bytes by glTF component type
_COMPONENTS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT2": 4, "MAT3": 9, "MAT4": 16}
_HEADER = struct.Struct("<4sII")  # glTF, version, length of the file
_CHUNK = struct.Struct("<I4s")  # length, kind


def check_glb(data: bytes, name: str) -> None:
    """Refuses a GLB whose views and accessors declare much more data than the file contains.

    Readers allocate what is declared: 600 bytes can ask for gigabytes.
    """
    declared = corners = 0
    try:
        header = _glb_header(data)
        for view in _entries(header, "bufferViews"):
            declared += _amount(view["byteLength"])
        for accessor in _entries(header, "accessors"):
            size = _COMPONENT[accessor["componentType"]] * _COMPONENTS[accessor["type"]]
            declared += _amount(accessor["count"]) * size
        counts = [accessor["count"] for accessor in _entries(header, "accessors")]
        for mesh in _entries(header, "meshes"):
            for primitive in _entries(mesh, "primitives"):
                used = (primitive["attributes"].get("POSITION"), primitive.get("indices"))
                corners += sum(counts[index] for index in used if index is not None)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, RecursionError, struct.error) as error:
        raise DescriptionError(name, f"is damaged: its header cannot be read ({type(error).__name__})") from None
    if declared > OVERLAP * len(data) + ROOM:
        raise DescriptionError(name, f"declares {declared:,} bytes of data, but has only {len(data):,}")
    if corners > MOST_CORNERS:
        raise DescriptionError(name, f"draws {corners:,} vertices and indices; the limit is {MOST_CORNERS:,}")


def _glb_header(data: bytes) -> dict[str, Any]:
    """The JSON of a GLB file, which is its first chunk."""
    _HEADER.unpack_from(data)
    length, kind = _CHUNK.unpack_from(data, _HEADER.size)
    if kind != b"JSON":
        raise ValueError(kind)
    start = _HEADER.size + _CHUNK.size
    header: object = json.loads(data[start : start + length].decode("utf-8"))
    if not isinstance(header, dict):
        raise TypeError(type(header))
    return cast("dict[str, Any]", header)


def _entries(header: dict[str, Any], key: str) -> list[dict[str, Any]]:
    entries: object = header.get(key, [])
    if not isinstance(entries, list):
        raise TypeError(key)
    return cast("list[dict[str, Any]]", entries)


def _amount(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ValueError(value)
    return value


def check_collada(data: bytes, name: str) -> None:
    """No document type, hence no entities; and no tree of nodes that grows without bound."""
    parser = xml.parsers.expat.ParserCreate()
    seen: list[str] = []

    def stop(kind: str) -> Any:
        def handler(*_: object) -> None:
            seen.append(kind)
            raise StopIteration

        return handler

    parser.StartDoctypeDeclHandler, parser.StartElementHandler = stop("doctype"), stop("element")
    try:
        parser.Parse(data, True)
    except StopIteration:
        pass
    except (xml.parsers.expat.ExpatError, ValueError, LookupError) as error:
        raise DescriptionError(name, f"is damaged: {error}") from None
    if seen[:1] == ["doctype"]:
        raise DescriptionError(name, "entities are not allowed in a mesh, nor is a DOCTYPE")
    if b"instance_node" in data:
        _check_instances(data, name)


def _check_instances(data: bytes, name: str) -> None:
    """Nodes may instantiate other nodes recursively: fifty lines could make 2^50 bodies."""
    try:
        root = ElementTree.fromstring(data)  # no entities: see above
    except ElementTree.ParseError as error:
        raise DescriptionError(name, f"is damaged: {error}") from None
    tags = {element: str(element.tag).rpartition("}")[2] for element in root.iter()}
    named = {element.get("id", ""): element for element, tag in tags.items() if tag == "node"}
    memory: dict[ElementTree.Element, int] = {}

    def bodies(node: ElementTree.Element, above: tuple[ElementTree.Element, ...]) -> int:
        if node in above or len(above) > 100:
            raise DescriptionError(name, "its nodes contain each other, or are nested too deeply")
        if node not in memory:
            inner = [child for child in node if tags[child] == "node"]
            shown = [child.get("url", "").removeprefix("#") for child in node if tags[child] == "instance_node"]
            inner += [named[target] for target in shown if target in named]
            memory[node] = 1 + sum(bodies(child, (*above, node)) for child in inner)
        return memory[node]

    if sum(bodies(node, ()) for node, tag in tags.items() if tag == "node") > MOST_BODIES:
        raise DescriptionError(name, f"shows more than {MOST_BODIES:,} bodies")
