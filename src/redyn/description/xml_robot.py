"""What robots from URDF and SDF have in common: names, lines in errors and warnings, joints that are cut."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from pydantic import ValidationError

from redyn.description.checks import complete, unphysical_links
from redyn.description.notes import Notes
from redyn.description.schema import MOST_LOOPS, LinkDescription, LoopDescription, RobotDescription
from redyn.description.tree import Tree
from redyn.description.xml_file import Element
from redyn.description.yaml_file import translated
from redyn.errors import DescriptionError


class Found(NamedTuple):
    """A loop and the element that says so."""

    loop: LoopDescription
    element: Element


def by_name(elements: list[Element]) -> dict[str, Element]:
    named: dict[str, Element] = {}
    for element in elements:
        name = element.text("name")
        if name in named:
            raise element.error(
                f"two {element.tag}s have the same name, {name[:60]!r} (the other is in line {named[name].line})"
            )
        named[name] = element
    return named


def free_name(name: str, taken: Mapping[str, object]) -> str:
    while name in taken:
        name += "_"
    return name


def check_root(model: Element, roots: list[str], tree: Tree) -> None:
    """An error unless there is one root."""
    if len(roots) == 1:
        return
    listed = ", ".join(roots[:12]) + (f" and {len(roots) - 12} more" if len(roots) > 12 else "")
    apart = next((ends for ends in tree.cuts[:100] if tree.root(ends.parent) != tree.root(ends.child)), None)
    hint = "" if apart is None else f", or exchange parent and child of joint {apart.joint[:60]!r}"
    raise model.error(f"expected one root link, got {listed}; join them with fixed joints{hint}")


def check_count(model: Element, loops: int) -> None:
    """An error for more loops than a robot may have, before time is spent on them."""
    if loops > MOST_LOOPS:
        raise model.error(f"expected at most {MOST_LOOPS:,} loops, got {loops:,}")


def valid_link(element: Element, fields: dict[str, Any]) -> LinkDescription:
    try:
        return LinkDescription(**fields)
    except ValidationError as error:
        raise element.error(_reason(error)) from None


def valid_loop(element: Element, fields: dict[str, Any]) -> Found:
    try:
        return Found(LoopDescription(name=element.attributes.get("name", "").strip() or None, **fields), element)
    except ValidationError as error:
        raise element.error(f"{shown(element)}: {_reason(error)}") from None


def _reason(error: ValidationError) -> str:
    problem = error.errors(include_url=False)[0]
    where = "".join(f"{step}." for step in problem["loc"]).removesuffix(".")
    message = problem["msg"].removeprefix("Value error, ")
    return f"{where}: {message}" if where else message


def shown(element: Element) -> str:
    return f"<{element.tag}> {element.attributes.get('name', '')[:60]!r}"


def note_cuts(
    joints: Mapping[str, Element], tree: Tree, notes: Notes, used: bool, lost: Callable[[Element], str | None]
) -> None:
    """Says which joints are cut, and what they lose by it; `used`: they are loops of the robot.

    `lost` gives the names of what is left out of a joint, and None for one that restricts nothing.
    """
    for ends in tree.cuts:
        joint, name, child = joints[ends.joint], ends.joint[:60], ends.child[:60]
        if ends.child in tree.carried:
            other = tree.carried[ends.child].joint
            why = f"link {child!r} is carried by joint {other[:60]!r} (line {joints[other].line})"
        else:
            why = f"link {child!r} carries its parent {ends.parent[:60]!r}"
        without = lost(joint)
        taken = used and without is not None
        notes.add("it closes a loop" if taken else "left out", joint, f"joint {name!r}: {why}")
        if taken and without:
            notes.add("left out, since it closes a loop", joint, f"{without} of joint {name!r}")


def built(
    model: Element, fields: dict[str, Any], elements: list[Element], found: list[Found], notes: Notes, kind: str
) -> RobotDescription:
    """The robot with these fields, checked; issues warnings. `elements` are those of its links.

    A robot with unphysical bodies is marked as such.
    """
    try:
        description = complete(RobotDescription.model_validate(fields))
    except ValidationError as error:
        raise translated(error, model.file) from None
    except DescriptionError as error:
        raise _with_line(error, model, elements, found) from None
    notes.warn()
    odd = Notes()
    for where, why in unphysical_links(description):
        element, _ = _place(where, elements) or (model, "")
        odd.add("the numbers are used as they are", element, f"link {element.attributes.get('name', '')!r}: {why}")
    odd.warn()
    return description.model_copy(update={"unphysical": f"as given in the {kind}"}) if odd.kinds else description


def _place(where: str, elements: list[Element]) -> tuple[Element, str] | None:
    """The element for `links[3].mass`, and the field."""
    match = re.fullmatch(r"links\[(\d+)\]\.(.*)", where)
    return (elements[int(match[1])], match[2]) if match else None


def _with_line(
    error: DescriptionError, model: Element, elements: list[Element], found: list[Found]
) -> DescriptionError:
    """The same error, with a line number instead of the index of the link or loop."""
    place = _place(error.where, elements)
    if place is not None:
        link, field = place
        return link.error(f"{link.tag} {link.attributes['name'][:60]!r}, {field}: {error.what}")
    match = re.match(r"loops\[(\d+)\]", error.where)
    if match and found:
        return found[int(match[1])].element.error(error.what)
    cut = found[-1].element if found and found[-1].element.tag == "joint" else None
    hint = f" (joint {cut.text('name')[:60]!r}, line {cut.line}, closes a loop)" if cut is not None else ""
    return DescriptionError(f"{model.file}: {error.where}", f"{error.what}{hint}")
