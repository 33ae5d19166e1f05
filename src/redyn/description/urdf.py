"""Robots from URDF: chains, trees and loops with all joint types of the format, and spherical joints.

Common defects of public files (unphysical or massless bodies, mimic joints, swapped limits, unknown attributes, errors
in shapes) give warnings; what prevents a robot from being built is an error with its line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from redyn.description.notes import Notes
from redyn.description.schema import WORLD, LinkDescription, RobotDescription
from redyn.description.tree import Ends, Tree, spanning_tree
from redyn.description.urdf_bodies import check_masses, inertial
from redyn.description.urdf_joints import Joints
from redyn.description.urdf_loops import driven, loops, lost_by_cut
from redyn.description.urdf_shapes import colours, shapes
from redyn.description.urdf_words import check_words
from redyn.description.xacro import check_expanded, empty_hint
from redyn.description.xml_file import Element
from redyn.description.xml_robot import built, by_name, check_root, free_name, note_cuts, valid_link
from redyn.errors import DescriptionError


def parse_urdf(robot: Element, extra: Mapping[str, object] | None = None) -> RobotDescription:
    """A robot from the <robot> element of a URDF file, with fields `extra` that the format has not."""
    if robot.tag != "robot":
        raise DescriptionError(robot.file, f"expected a <robot> element, got <{robot.tag[:60]}>")
    notes = Notes()
    check_expanded(robot, notes)
    links, joints = by_name(robot.all("link")), by_name(robot.all("joint"))
    tree = spanning_tree(_ends(links, joints), WORLD)
    _check_root(robot, links, tree)
    check_words(robot, notes)
    elements = [element for name, element in links.items() if name != WORLD]  # the fixed world itself
    described = _described(robot, elements, joints, tree, notes)
    if not described:
        raise robot.error("no link but the world")
    given = dict(extra or {})
    found = [] if "loops" in given else loops(robot, described, joints, tree)
    note_cuts(joints, tree, notes, "loops" not in given, lost_by_cut)
    given.setdefault("loops", [item.loop for item in found])
    if given["loops"] and "actuated" not in given:
        given["actuated"] = driven(robot, joints, tree, notes)
    check_masses(robot, described, elements, notes)
    title = robot.attributes.get("name", "").strip()[:200] or robot.file
    fields = {"name": title, "source": robot.file, "convention": "frames", "links": described, **given}
    return built(robot, fields, elements, found, notes, "URDF")


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
            fields |= {"parent": WORLD, "joint": {"type": "fixed", "name": free_name("root", joints)}}
        described.append(valid_link(link, fields))
    return described


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
    if len(roots) != 1 and any(ends.child == WORLD for ends in tree.cuts):
        raise links[WORLD].error(f"link {WORLD!r} is the fixed world, which no joint carries; choose another name")
    check_root(robot, roots, tree)
