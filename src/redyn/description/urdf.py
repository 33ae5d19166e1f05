"""Robots from URDF: chains and trees of revolute, continuous, prismatic and fixed joints.

A small reader over the standard library's expat, which knows line numbers; entities are refused. Tags and attributes
that have nothing to do with dynamics are ignored.
"""

from __future__ import annotations

import math
import warnings
import xml.parsers.expat
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from redyn.description.checks import complete, unphysical_links
from redyn.description.placement import rpy_rotation
from redyn.description.schema import WORLD, JointDescription, LinkDescription, RobotDescription
from redyn.errors import DescriptionError, RedynWarning

_MOVING = {"revolute": "revolute", "continuous": "revolute", "prismatic": "prismatic", "fixed": "fixed"}


@dataclass
class _Element:
    tag: str
    attributes: dict[str, str]
    line: int
    children: list[_Element] = field(default_factory=list["_Element"])

    def find(self, tag: str) -> _Element | None:
        return next((child for child in self.children if child.tag == tag), None)


class _Reader:
    def __init__(self, text: str, file: str) -> None:
        self.file = file
        self.root = _Element("", {}, 0)
        self._stack = [self.root]
        parser = xml.parsers.expat.ParserCreate()
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.EntityDeclHandler = self._entity
        self._parser = parser
        try:
            parser.Parse(text, True)
        except xml.parsers.expat.ExpatError as error:
            raise DescriptionError(f"{file}:{error.lineno}", f"not valid XML: {error}") from None

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if len(self._stack) > 200:
            raise self.error(self._parser.CurrentLineNumber, "elements are nested too deeply")
        element = _Element(tag, attributes, self._parser.CurrentLineNumber)
        self._stack[-1].children.append(element)
        self._stack.append(element)

    def _end(self, tag: str) -> None:
        self._stack.pop()

    def _entity(self, *arguments: Any) -> None:
        raise self.error(self._parser.CurrentLineNumber, "entities are not allowed")

    def error(self, line: int, message: str) -> DescriptionError:
        return DescriptionError(f"{self.file}:{line}", message)

    def text(self, element: _Element, name: str) -> str:
        value = element.attributes.get(name, "").strip()
        if not value:
            raise self.error(element.line, f"<{element.tag}> needs the attribute {name!r}")
        return value

    def number(self, element: _Element, name: str, default: float | None = None) -> float:
        if default is not None and name not in element.attributes:
            return default
        return self.numbers(element, name, 1)[0]

    def numbers(self, element: _Element, name: str, count: int) -> list[float]:
        text = self.text(element, name)
        try:
            values = [float(word) for word in text.split()]
        except ValueError:
            values = []
        if len(values) != count or not all(map(math.isfinite, values)):
            what = "a finite number" if count == 1 else f"{count} finite numbers"
            raise self.error(element.line, f"<{element.tag} {name}=...>: expected {what}, got {text[:60]!r}")
        return values

    def origin(self, element: _Element) -> tuple[list[float], list[float]]:
        """xyz and rpy of an element's <origin>; zeros where it has none."""
        origin = element.find("origin")
        if origin is None:
            return [0.0] * 3, [0.0] * 3
        xyz = self.numbers(origin, "xyz", 3) if "xyz" in origin.attributes else [0.0] * 3
        rpy = self.numbers(origin, "rpy", 3) if "rpy" in origin.attributes else [0.0] * 3
        return xyz, rpy


def parse_urdf(text: str, file: str) -> RobotDescription:
    """A robot from the text of a URDF file."""
    reader = _Reader(text, file)
    robot = reader.root.find("robot")
    if robot is None:
        raise DescriptionError(file, "expected a <robot> element")
    links = {reader.text(e, "name"): e for e in robot.children if e.tag == "link"}
    joints = [e for e in robot.children if e.tag == "joint"]
    if sum(e.tag == "link" for e in robot.children) != len(links):
        raise reader.error(robot.line, "two links have the same name")
    carried: dict[str, _Element] = {}
    for joint in joints:
        child = _end_of(reader, joint, "child", links)
        if child in carried:
            raise reader.error(
                joint.line, f"link {child!r} hangs on two joints (the other is in line {carried[child].line})"
            )
        carried[child] = joint
    roots = [name for name in links if name not in carried]
    if len(roots) != 1:
        listed = ", ".join(roots) or "none: the joints form a loop"
        raise reader.error(robot.line, f"expected one root link, got {listed}")
    described = [
        _link(reader, name, links[name], carried.get(name), links)
        for name in links
        if name != WORLD or carried.get(name)
    ]
    description = RobotDescription(
        name=robot.attributes.get("name") or file, source=file, convention="frames", links=described
    )
    description = complete(description)
    odd = [f"{where}: {why}" for where, why in unphysical_links(description)]
    if odd:
        warnings.warn(
            f"{file}: {odd[0]}" + (f" (and {len(odd) - 1} more)" if len(odd) > 1 else ""), RedynWarning, stacklevel=2
        )
        description = description.model_copy(update={"unphysical": "as given in the URDF"})
    return description


def _end_of(reader: _Reader, joint: _Element, tag: str, links: dict[str, _Element]) -> str:
    end = joint.find(tag)
    if end is None:
        raise reader.error(joint.line, f"<joint> needs a <{tag} link=...>")
    name = reader.text(end, "link")
    if name not in links:
        raise reader.error(end.line, f"no link is called {name!r}")
    return name


def _link(
    reader: _Reader, name: str, link: _Element, joint: _Element | None, links: dict[str, _Element]
) -> LinkDescription:
    fields: dict[str, Any] = {"name": name, **_inertial(reader, link)}
    if joint is None:
        return LinkDescription(**fields, parent=WORLD, joint=JointDescription(type="fixed"))
    kind = reader.text(joint, "type")
    if kind not in _MOVING:
        known = ", ".join(_MOVING)
        raise reader.error(joint.line, f"joint type {kind!r} is not supported; the types are {known}")
    xyz, rpy = reader.origin(joint)
    moving = _MOVING[kind]
    if moving != "fixed":
        fields.setdefault("mass", 0.0)
        axis = joint.find("axis")
        fields["axis"] = (1.0, 0.0, 0.0) if axis is None else tuple(reader.numbers(axis, "xyz", 3))
        if not any(fields["axis"]):
            raise reader.error((axis or joint).line, "the axis is zero; expected a direction such as 0 0 1")
    described = JointDescription(type=moving, name=reader.text(joint, "name"), **_drive(reader, joint, kind))  # pyright: ignore[reportArgumentType]
    fields |= {"xyz": xyz, "rpy": rpy, "parent": _end_of(reader, joint, "parent", links)}
    return LinkDescription(**fields, joint=described)


def _drive(reader: _Reader, joint: _Element, kind: str) -> dict[str, Any]:
    """Friction and limits."""
    if kind == "fixed":
        return {}
    fields: dict[str, Any] = {}
    dynamics, limit = joint.find("dynamics"), joint.find("limit")
    if dynamics is not None:
        fields["damping"] = max(0.0, reader.number(dynamics, "damping", 0.0))
        fields["coulomb"] = max(0.0, reader.number(dynamics, "friction", 0.0))
    if limit is not None:
        lower, upper = reader.number(limit, "lower", 0.0), reader.number(limit, "upper", 0.0)
        if kind != "continuous" and lower <= upper and (lower, upper) != (0.0, 0.0):
            fields["limits"] = (lower, upper)
        for attribute, name in (("velocity", "speed_limit"), ("effort", "effort_limit")):
            if reader.number(limit, attribute, 0.0) > 0:
                fields[name] = reader.number(limit, attribute)
    return fields


def _inertial(reader: _Reader, link: _Element) -> dict[str, Any]:
    """Mass, mass centre and inertia, turned into the axes of the link."""
    inertial = link.find("inertial")
    if inertial is None:
        return {}
    mass_element, inertia = inertial.find("mass"), inertial.find("inertia")
    mass = 0.0 if mass_element is None else reader.number(mass_element, "value")
    xyz, rpy = reader.origin(inertial)
    tensor = np.zeros((3, 3))
    if inertia is not None:
        for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)):
            tensor[i, j] = tensor[j, i] = reader.number(inertia, f"i{'xyz'[i]}{'xyz'[j]}", 0.0)
    if any(rpy):
        R = rpy_rotation(*rpy)[:3, :3]
        tensor = R @ tensor @ R.T
    flat = tuple(float(tensor[i, j]) for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)))
    return {"mass": mass, "com": tuple(xyz), "inertia": flat}
