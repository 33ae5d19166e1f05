"""Robots from URDF: chains, trees and loops with all joint types of the format, and spherical joints.

Common defects of public files (unphysical or massless bodies, mimic joints, swapped limits, unknown attributes, errors
in shapes) give warnings; what prevents a robot from being built is an error with its line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import ValidationError

from redyn.description.checks import complete, unphysical_links
from redyn.description.notes import Notes
from redyn.description.schema import WORLD, LinkDescription, RobotDescription
from redyn.description.tree import Ends, Tree, spanning_tree
from redyn.description.urdf_bodies import check_masses, inertial
from redyn.description.urdf_joints import Joints
from redyn.description.urdf_loops import Found, driven, loops, note_cuts
from redyn.description.urdf_shapes import colours, shapes
from redyn.description.urdf_words import check_words
from redyn.description.xacro import check_expanded, empty_hint
from redyn.description.xml_file import Element
from redyn.description.yaml_file import translated
from redyn.errors import DescriptionError


def parse_urdf(robot: Element, extra: Mapping[str, object] | None = None) -> RobotDescription:
    """A robot from the <robot> element of a URDF file, with fields `extra` that the format has not."""
    if robot.tag != "robot":
        raise DescriptionError(robot.file, f"expected a <robot> element, got <{robot.tag[:60]}>")
    notes = Notes()
    check_expanded(robot, notes)
    links = _by_name(robot.all("link"))
    joints = _by_name(robot.all("joint"))
    tree = spanning_tree(_ends(links, joints), WORLD)
    _check_root(robot, links, tree)
    check_words(robot, notes)
    elements = [element for name, element in links.items() if name != WORLD]  # the fixed world itself
    described = _described(robot, elements, joints, tree, notes)
    if not described:
        raise robot.error("no link but the world")
    given = dict(extra or {})
    found = [] if "loops" in given else loops(robot, described, joints, tree)
    note_cuts(joints, tree, notes, "loops" not in given)
    given.setdefault("loops", [item.loop for item in found])
    if given["loops"] and "actuated" not in given:
        given["actuated"] = driven(robot, joints, tree, notes)
    title = robot.attributes.get("name", "").strip()[:200] or robot.file
    try:
        fields = {"name": title, "source": robot.file, "convention": "frames", "links": described, **given}
        description = complete(RobotDescription.model_validate(fields))
    except ValidationError as error:
        raise translated(error, robot.file) from None
    except DescriptionError as error:
        raise _with_line(error, robot, elements, found) from None
    check_masses(robot, described, elements, notes)
    return _noted(description, elements, notes)


def _described(
    robot: Element, elements: list[Element], joints: dict[str, Element], tree: Tree, notes: Notes
) -> list[LinkDescription]:
    """The links with the joints that carry them."""
    moves = Joints(robot, joints, {ends.joint for ends in tree.cuts}, notes)
    palette = colours(robot, notes)
    described: list[LinkDescription] = []
    for link in elements:
        name = link.text("name")
        fields: dict[str, Any] = {"name": name, **inertial(link, notes), **shapes(link, palette, notes)}
        if name in tree.carried:
            fields |= moves.placed(joints[tree.carried[name].joint], tree.carried[name].parent)
            if fields["joint"]["type"] != "fixed":
                fields.setdefault("mass", 0.0)
        else:
            fields |= {"parent": WORLD, "joint": {"type": "fixed", "name": _free_name("root", joints)}}
        described.append(_validated(link, fields))
    return described


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


def _ends(links: dict[str, Element], joints: dict[str, Element]) -> Iterator[Ends]:
    for name, joint in joints.items():
        child, parent = _end_of(joint, "child", links), _end_of(joint, "parent", links)
        if child == parent:
            raise joint.error(f"joint {name[:60]!r} connects link {child[:60]!r} with itself")
        yield Ends(name, parent, child)


def _end_of(joint: Element, tag: str, links: dict[str, Element]) -> str:
    end = joint.find(tag)
    if end is None:
        raise joint.error(f"<joint> needs a <{tag} link=...>")
    name = end.text("link")
    if name not in links:
        raise end.error(f"no link is called {name[:60]!r}")
    return name


def _check_root(robot: Element, links: dict[str, Element], tree: Tree) -> None:
    if not links:
        raise robot.error(f"no links; expected <link name=...> elements{empty_hint(robot)}")
    roots = [name for name in links if name not in tree.carried]
    if len(roots) != 1:
        if any(ends.child == WORLD for ends in tree.cuts):
            raise links[WORLD].error(f"link {WORLD!r} is the fixed world, which no joint carries; choose another name")
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
        problem = error.errors(include_url=False)[0]
        where = ".".join(str(step) for step in problem["loc"])
        raise link.error(f"{where}: {problem['msg'].removeprefix('Value error, ')}") from None


def _place(where: str, elements: list[Element]) -> tuple[Element, str] | None:
    """The element for `links[3].mass`, and the field."""
    match = re.fullmatch(r"links\[(\d+)\]\.(.*)", where)
    return (elements[int(match[1])], match[2]) if match else None


def _with_line(
    error: DescriptionError, robot: Element, elements: list[Element], found: list[Found]
) -> DescriptionError:
    """The same error, with a line number instead of the index of the link or loop."""
    place = _place(error.where, elements)
    if place is not None:
        link, field = place
        return link.error(f"link {link.attributes['name'][:60]!r}, {field}: {error.what}")
    match = re.match(r"loops\[(\d+)\]", error.where)
    if match and found:
        return found[int(match[1])].element.error(error.what)
    cut = found[-1].element if found and found[-1].element.tag == "joint" else None
    hint = f" (joint {cut.text('name')[:60]!r}, line {cut.line}, closes a loop)" if cut is not None else ""
    return DescriptionError(f"{robot.file}: {error.where}", f"{error.what}{hint}")


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
