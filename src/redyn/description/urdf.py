"""Robots from URDF: chains and trees of every joint of the format, and spherical ones.

Tags and attributes that redyn has no use for are ignored. What is odd but common in public files (bodies that cannot
exist, mimic joints, limits the wrong way round) is a warning; what leaves no robot is an error with its line.
"""

from __future__ import annotations

import re
import warnings
from typing import Any

import numpy as np
from pydantic import ValidationError

from redyn.description.checks import complete, unphysical_links
from redyn.description.placement import rpy_rotation
from redyn.description.schema import SEVERAL, WORLD, LinkDescription, RobotDescription
from redyn.description.urdf_shapes import colours, shapes
from redyn.description.xml_file import Element
from redyn.errors import DescriptionError, RedynWarning

_MOVING = {
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
    "fixed": "fixed",
    "floating": "free",
    "planar": "planar",
    "spherical": "spherical",
    "ball": "spherical",
}
_INERTIA = ("rotorInertia", "rotor_inertia", "drake:rotor_inertia")
_REDUCTION = ("mechanicalReduction", "mechanical_reduction", "drake:gear_ratio")


def parse_urdf(robot: Element) -> RobotDescription:
    """A robot from the <robot> element of a URDF file."""
    if robot.tag != "robot":
        raise DescriptionError(robot.file, f"expected a <robot> element, got <{robot.tag[:60]}>")
    links = _by_name(robot.all("link"))
    joints = _by_name(robot.all("joint"))
    carried = _carried(links, joints)
    _check_tree(robot, links, carried)
    notes = _Notes()
    armature = _armature(robot, joints, notes)
    palette = colours(robot)
    described: list[LinkDescription] = []
    elements: list[Element] = []
    for name, link in links.items():
        if name == WORLD and name not in carried:
            continue  # the fixed world itself
        fields: dict[str, Any] = {"name": name, **_inertial(link), **shapes(link, palette)}
        if name in carried:
            fields |= _placed(*carried[name], joints, armature, notes)
            if fields["joint"]["type"] != "fixed":
                fields.setdefault("mass", 0.0)
        else:
            fields |= {"parent": WORLD, "joint": {"type": "fixed", "name": _free_name("root", joints)}}
        elements.append(link)
        described.append(_validated(link, fields))
    if not described:
        raise robot.error("no link but the world")
    title = robot.attributes.get("name", "").strip()[:200] or robot.file
    try:
        description = RobotDescription(name=title, source=robot.file, convention="frames", links=described)
        description = complete(description)
    except ValidationError as error:
        raise robot.error(_reason(error)) from None
    except DescriptionError as error:
        raise _with_line(error, robot, elements) from None
    return _noted(description, elements, notes)


class _Notes:
    """Oddities by kind, so that a file with forty of them warns once of each kind."""

    def __init__(self) -> None:
        self.kinds: dict[str, list[str]] = {}

    def add(self, kind: str, element: Element, what: str) -> None:
        self.kinds.setdefault(kind, []).append(f"{element.file}:{element.line}: {what}")

    def warn(self) -> None:
        for kind, found in self.kinds.items():
            more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
            warnings.warn(f"{found[0]}{more}; {kind}", RedynWarning, stacklevel=2)


def _by_name(elements: list[Element]) -> dict[str, Element]:
    named: dict[str, Element] = {}
    for element in elements:
        name = element.text("name")
        if name in named:
            raise element.error(
                f"two {element.tag}s have the same name, {name[:60]!r} (the other is in line {named[name].line})"
            )
        named[name] = element
    return named


def _carried(links: dict[str, Element], joints: dict[str, Element]) -> dict[str, tuple[Element, str]]:
    """For every link but the root: the joint that carries it, and its parent."""
    carried: dict[str, tuple[Element, str]] = {}
    for joint in joints.values():
        child = _end_of(joint, "child", links)
        if child in carried:
            raise joint.error(
                f"link {child[:60]!r} hangs on two joints (the other is in line {carried[child][0].line})"
            )
        carried[child] = joint, _end_of(joint, "parent", links)
    return carried


def _end_of(joint: Element, tag: str, links: dict[str, Element]) -> str:
    end = joint.find(tag)
    if end is None:
        raise joint.error(f"<joint> needs a <{tag} link=...>")
    name = end.text("link")
    if name not in links:
        raise end.error(f"no link is called {name[:60]!r}")
    return name


def _check_tree(robot: Element, links: dict[str, Element], carried: dict[str, tuple[Element, str]]) -> None:
    if not links:
        raise robot.error("no links; expected <link name=...> elements")
    grounded = {name for name in links if name not in carried}
    roots = sorted(grounded, key=lambda name: links[name].line)
    for name in links:
        path: dict[str, None] = {}  # in order, and quick to search
        at = name
        while at not in grounded:
            if at in path:
                loop = [*list(path)[list(path).index(at) :], at]
                shown = " -> ".join(loop if len(loop) <= 12 else [*loop[:11], "...", at])
                raise carried[at][0].error(f"the joints form a loop, each link carried by the next: {shown}")
            path[at] = None
            at = carried[at][1]
        grounded.update(path)
    if len(roots) != 1:
        listed = ", ".join(roots[:12]) + (f" and {len(roots) - 12} more" if len(roots) > 12 else "")
        raise robot.error(f"expected one root link, got {listed}; join them with fixed joints")


def _free_name(name: str, taken: dict[str, Element]) -> str:
    while name in taken:
        name += "_"
    return name


def _placed(
    joint: Element, parent: str, joints: dict[str, Element], armature: dict[str, float], notes: _Notes
) -> dict[str, Any]:
    """Parent, joint and place of a link."""
    kind, name = joint.text("type"), joint.text("name")
    if kind not in _MOVING:
        raise joint.error(
            f"joint type {kind[:60]!r} is not supported (joint {name[:60]!r}); the types are {', '.join(_MOVING)}"
        )
    xyz, rpy = joint.origin()
    placed: dict[str, Any] = {"parent": parent, "xyz": xyz, "rpy": rpy}
    drive: dict[str, Any] = {}
    if kind in ("revolute", "continuous", "prismatic", "planar"):
        axis = joint.find("axis")
        placed["axis"] = (1.0, 0.0, 0.0) if axis is None else axis.numbers("xyz", 3)
        if not any(placed["axis"]):
            raise (axis or joint).error("the axis is zero; expected a direction such as 0 0 1")
    if kind != "fixed":
        drive = _drive(joint, kind, joints, notes)
        if armature.get(name):
            drive["armature"] = armature[name]
    return placed | {"joint": {"type": _MOVING[kind], "name": name, **drive}}


def _drive(joint: Element, kind: str, joints: dict[str, Element], notes: _Notes) -> dict[str, Any]:
    """Friction, limits and what the joint follows."""
    fields: dict[str, Any] = {}
    name = joint.text("name")
    dynamics, limit, mimic = joint.find("dynamics"), joint.find("limit"), joint.find("mimic")
    if dynamics is not None:
        for attribute, field in (("damping", "damping"), ("friction", "coulomb")):
            value = dynamics.number(attribute, 0.0)
            if value < 0:
                notes.add("taken as zero", dynamics, f"{attribute} of joint {name!r} is negative ({value:g})")
            elif value > 0:
                fields[field] = value
    if _MOVING[kind] in SEVERAL:
        return fields  # limits and leaders are of single numbers
    if limit is not None:
        lower, upper = limit.number("lower", 0.0), limit.number("upper", 0.0)
        if lower > upper and kind != "continuous":
            notes.add("left out", limit, f"limits of joint {name!r} are the wrong way round ({lower:g}, {upper:g})")
        elif kind != "continuous" and (lower, upper) != (0.0, 0.0):
            fields["limits"] = (lower, upper)
        for attribute, field in (("velocity", "speed_limit"), ("effort", "effort_limit")):
            value = limit.number(attribute, 0.0)
            if value > 0:
                fields[field] = value
    if mimic is not None:
        leader = mimic.text("joint")
        if leader in joints:
            factor, offset = mimic.number("multiplier", 1.0), mimic.number("offset", 0.0)
            fields["mimic"] = {"joint": leader, "multiplier": factor, "offset": offset}
        else:
            notes.add("taken as independent", mimic, f"joint {name!r} mimics {leader[:60]!r}, which does not exist")
    return fields


def _armature(robot: Element, joints: dict[str, Element], notes: _Notes) -> dict[str, float]:
    """What each joint feels of its rotor: the square of the reduction times the rotor's inertia."""
    felt: dict[str, float] = {}
    for transmission in robot.all("transmission"):
        driven = [name for end in transmission.all("joint") if (name := end.attributes.get("name", "").strip())]
        actuators = transmission.all("actuator")
        total = 0.0
        for holder in [transmission, *actuators]:
            inertia = _value(holder, _INERTIA)
            if inertia is None:
                continue
            reduction = _value(holder, _REDUCTION)
            if reduction is None:
                reduction = _value(transmission, _REDUCTION)
            total += inertia * (1.0 if reduction is None else reduction) ** 2
        if total == 0.0:
            continue
        if len(driven) != 1 or len(actuators) > 1:
            notes.add("its rotor inertia is left out", transmission, "a transmission of several joints or actuators")
        elif driven[0] not in joints:
            raise transmission.error(f"no joint is called {driven[0][:60]!r}")
        elif total < 0:
            raise transmission.error(f"the rotor inertia of joint {driven[0]!r} is negative ({total:g})")
        else:
            felt[driven[0]] = felt.get(driven[0], 0.0) + total
    return felt


def _value(holder: Element, tags: tuple[str, ...]) -> float | None:
    """The number in the first of the tags: <tag>5</tag> or <tag value="5"/>."""
    for tag in tags:
        found = holder.find(tag)
        if found is not None:
            return found.number("value") if "value" in found.attributes else found.content_number()
    return None


def _inertial(link: Element) -> dict[str, Any]:
    """Mass, mass centre and inertia, turned into the axes of the link."""
    inertial = link.find("inertial")
    if inertial is None:
        return {}
    mass_element, inertia = inertial.find("mass"), inertial.find("inertia")
    mass = 0.0 if mass_element is None else mass_element.number("value")
    xyz, rpy = inertial.origin()
    tensor = np.zeros((3, 3))
    if inertia is not None:
        for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)):
            tensor[i, j] = tensor[j, i] = inertia.number(f"i{'xyz'[i]}{'xyz'[j]}", 0.0)
    if any(rpy):
        R = rpy_rotation(*rpy)[:3, :3]
        tensor = R @ tensor @ R.T
    flat = tuple(float(tensor[i, j]) for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)))
    return {"mass": mass, "com": xyz, "inertia": flat}


def _validated(link: Element, fields: dict[str, Any]) -> LinkDescription:
    try:
        return LinkDescription(**fields)
    except ValidationError as error:
        raise link.error(_reason(error)) from None


def _reason(error: ValidationError) -> str:
    problem = error.errors(include_url=False)[0]
    where = ".".join(str(step) for step in problem["loc"])
    return f"{where}: {problem['msg'].removeprefix('Value error, ')}"


def _place(where: str, elements: list[Element]) -> tuple[Element, str] | None:
    """The element behind `links[3].mass`, and the field."""
    match = re.fullmatch(r"links\[(\d+)\]\.(.*)", where)
    return (elements[int(match[1])], match[2]) if match else None


def _with_line(error: DescriptionError, robot: Element, elements: list[Element]) -> DescriptionError:
    """The same complaint, placed by line instead of by the number of the link."""
    message = str(error).removeprefix(f"{error.where}: ")
    place = _place(error.where, elements)
    if place is None:
        return robot.error(message)
    link, field = place
    return link.error(f"link {link.attributes['name'][:60]!r}, {field}: {message}")


def _noted(description: RobotDescription, elements: list[Element], notes: _Notes) -> RobotDescription:
    """Warns of what is odd; a robot of impossible bodies says so itself from here on."""
    notes.warn()
    odd = _Notes()
    for where, why in unphysical_links(description):
        place = _place(where, elements)
        assert place is not None  # unphysical_links names links only
        odd.add("results follow the numbers as they are", place[0], f"link {place[0].attributes['name']!r}: {why}")
    odd.warn()
    return description.model_copy(update={"unphysical": "as given in the URDF"}) if odd.kinds else description
