"""Robots from SDF, the format of Gazebo: one model with links and joints, loops included.

Supported are versions 1.4 and later. A joint to a link that another one carries already, the later of the two in the
file, closes a loop, and a gearbox is a gear between two others. Models inside models, and those that are included from
the folder of the file or from folders of Gazebo's models beside it, become parts of the one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from redyn.description.notes import Notes
from redyn.description.poses import origin
from redyn.description.schema import WORLD, LinkDescription, RobotDescription
from redyn.description.sdf_bodies import inertial, shapes
from redyn.description.sdf_frames import Frames, is_true
from redyn.description.sdf_joints import Joints
from redyn.description.sdf_nested import Place, flattened, included, version_of
from redyn.description.sdf_words import check_words
from redyn.description.tree import Tree, spanning_tree
from redyn.description.urdf_bodies import check_masses
from redyn.description.xml_file import Element
from redyn.description.xml_robot import Found, built, check_root, free_name, note_cuts, valid_link
from redyn.errors import DescriptionError

NOWHERE = Place(None)
_Found = tuple[Element, Element | None, tuple[int, int], Place]  # a model, its world, its version, its file


def parse_sdf(root: Element, extra: Mapping[str, object] | None = None, place: Place = NOWHERE) -> RobotDescription:
    """A robot from the <sdf> element of a file, with fields `extra` that the format has not; `place`: its folder."""
    version = version_of(root)
    notes = Notes()
    model, world, version, place = _model(root, version, place, notes)
    model, version = flattened(model, version, place)
    check_words(model, notes)
    frames = Frames(model, version)
    if not frames.links:
        raise model.error("no links; expected <link name=...> elements")
    if WORLD in frames.links:
        raise frames.links[WORLD].error(f"link {WORLD!r} is the fixed world; choose another name")
    joints = Joints(frames, notes)
    tree = spanning_tree(joints.in_order(), WORLD)
    roots = [name for name in frames.links if name not in tree.carried]
    grounded = any(ends.parent == WORLD for ends in tree.carried.values())
    check_root(model, [WORLD, *roots] if grounded else roots, tree)
    elements: list[Element] = []
    described = _described(frames, joints, tree, notes, elements)
    given = dict(extra or {})
    found: list[Found] = [] if "loops" in given else joints.loops(model, tree)
    note_cuts(frames.joints, tree, notes, "loops" not in given, joints.lost_by_cut)
    given.setdefault("loops", [item.loop for item in found])
    check_masses(model, described, elements, notes)
    fields: dict[str, Any] = {"convention": "frames", "links": described, **_gravity(world), **given}
    title = model.attributes.get("name", "").strip()[:200] or root.file
    return built(model, {"name": title, "source": root.file, **fields}, elements, found, notes, "SDF")


def _model(root: Element, version: tuple[int, int], place: Place, notes: Notes) -> _Found:
    """The model of a file, the world that it is in, and the version and place of the file that has it.

    Of a world with several, the only one with joints; what it stands on is left out.
    """
    worlds = root.all("world")
    models: list[_Found] = [(model, None, version, place) for model in root.all("model")]
    models += [(model, world, version, place) for world in worlds for model in world.all("model")]
    included_ones = [(element, None) for element in root.all("include")]
    included_ones += [(element, world) for world in worlds for element in world.all("include")]
    why = ""
    if not any(_moves(model) for model, *_ in models):
        for element, world in included_ones:
            try:
                model, own, there = included(element, place)
            except DescriptionError as error:
                notes.add("left out", element, f"<include>: {error.what}")
                why = f"; <include>: {error.what}"
            else:
                models.append((model, world, own, there))
    else:
        for element, _ in included_ones:
            notes.add("left out", element, "<include>")
    chosen = [item for item in models if _moves(item[0])] if len(models) > 1 else models
    if len(chosen) != 1:
        names = ", ".join(repr(model.attributes.get("name", "")[:60]) for model, *_ in models[:12]) or "none"
        raise root.error(f"expected one <model>, got {names}{why}")
    for model, *_ in models:
        if model is not chosen[0][0]:
            notes.add("left out", model, f"model {model.attributes.get('name', '')[:60]!r}, which has no joints")
    model = chosen[0][0]
    if is_true(model.content_of("static")):
        notes.add("ignored", model, "<static>: the joints of the model move")
    return chosen[0]


def _moves(model: Element) -> bool:
    """Whether a model is a robot: something in it has a joint, or may have, and it is not static."""
    return any(child.tag in ("joint", "model", "include") for child in model.children) and not is_true(
        model.content_of("static")
    )


def _gravity(world: Element | None) -> dict[str, Any]:
    holder = world
    if world is not None and world.find("gravity") is None:
        holder = world.find("physics")  # up to version 1.5
    gravity = None if holder is None else holder.find("gravity")
    return {} if gravity is None else {"gravity": gravity.content_numbers(3)}


def _described(
    frames: Frames, joints: Joints, tree: Tree, notes: Notes, elements: list[Element]
) -> list[LinkDescription]:
    """The links with the joints that carry them, then the frames; `elements` gets the element of each."""
    described: list[LinkDescription] = []

    def add(element: Element, fields: dict[str, Any]) -> None:
        described.append(valid_link(element, fields))
        elements.append(element)

    for name, link in frames.links.items():
        body = inertial(link, frames, notes) | shapes(link, frames, notes)
        if name in tree.carried:
            for fields in joints.links(tree.carried[name], body):
                add(link, fields)
        else:
            fixed = {"type": "fixed", "name": free_name("root", frames.joints)}
            add(link, {"name": name, "parent": WORLD, "joint": fixed, **origin(frames.link(name)), **body})
    for name, frame in frames.frames.items():
        carrier = frames.carrier(frame, name)
        there = np.linalg.inv(frames.link(carrier)) @ frames.frame(name)
        fixed = {"type": "fixed", "name": free_name(f"{name}_frame", frames.joints)}
        add(frame, {"name": name, "parent": carrier, "joint": fixed, **origin(there)})
    return described
