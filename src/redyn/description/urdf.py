"""Robots from URDF: chains and trees with all joint types of the format, and spherical joints.

Common defects of public files (unphysical or massless bodies, mimic joints, swapped limits, unknown attributes, errors
in shapes) give warnings; what prevents a robot from being built is an error with its line.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from redyn.description.checks import complete, unphysical_links
from redyn.description.notes import Notes
from redyn.description.schema import WORLD, LinkDescription, RobotDescription
from redyn.description.urdf_bodies import check_masses, inertial
from redyn.description.urdf_joints import Joints
from redyn.description.urdf_shapes import colours, shapes
from redyn.description.urdf_words import check_words
from redyn.description.xacro import check_expanded, empty_hint
from redyn.description.xml_file import Element
from redyn.errors import DescriptionError


def parse_urdf(robot: Element, extra: Mapping[str, object] | None = None) -> RobotDescription:
    """A robot from the <robot> element of a URDF file, with fields `extra` that the format has not."""
    if robot.tag != "robot":
        raise DescriptionError(robot.file, f"expected a <robot> element, got <{robot.tag[:60]}>")
    notes = Notes()
    check_expanded(robot, notes)
    links = _by_name(robot.all("link"))
    joints = _by_name(robot.all("joint"))
    carried = _carried(links, joints)
    _check_tree(robot, links, carried)
    check_words(robot, notes)
    moves = Joints(robot, joints, notes)
    palette = colours(robot, notes)
    described: list[LinkDescription] = []
    elements: list[Element] = []
    for name, link in links.items():
        if name == WORLD and name not in carried:
            continue  # the fixed world itself
        fields: dict[str, Any] = {"name": name, **inertial(link, notes), **shapes(link, palette, notes)}
        if name in carried:
            fields |= moves.placed(*carried[name])
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
        fields = {"name": title, "source": robot.file, "convention": "frames", "links": described, **(extra or {})}
        description = complete(RobotDescription.model_validate(fields))
    except ValidationError as error:
        raise robot.error(_reason(error)) from None
    except DescriptionError as error:
        raise _with_line(error, robot, elements) from None
    check_masses(robot, described, elements, notes)
    return _noted(description, elements, notes)


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
                f"link {child[:60]!r} is the child of two joints (the other is in line {carried[child][0].line})"
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
        raise robot.error(f"no links; expected <link name=...> elements{empty_hint(robot)}")
    grounded = {name for name in links if name not in carried}
    roots = sorted(grounded, key=lambda name: links[name].line)
    for name in links:
        path: dict[str, None] = {}  # ordered set
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
    """The element for `links[3].mass`, and the field."""
    match = re.fullmatch(r"links\[(\d+)\]\.(.*)", where)
    return (elements[int(match[1])], match[2]) if match else None


def _with_line(error: DescriptionError, robot: Element, elements: list[Element]) -> DescriptionError:
    """The same error, with a line number instead of the index of the link."""
    place = _place(error.where, elements)
    if place is None:
        return robot.error(error.what)
    link, field = place
    return link.error(f"link {link.attributes['name'][:60]!r}, {field}: {error.what}")


def _noted(description: RobotDescription, elements: list[Element], notes: Notes) -> RobotDescription:
    """Issues warnings; a robot with unphysical bodies is marked as such."""
    notes.warn()
    odd = Notes()
    for where, why in unphysical_links(description):
        place = _place(where, elements)
        assert place is not None  # unphysical_links gives links only
        odd.add("the numbers are used as they are", place[0], f"link {place[0].attributes['name']!r}: {why}")
    odd.warn()
    return description.model_copy(update={"unphysical": "as given in the URDF"}) if odd.kinds else description
