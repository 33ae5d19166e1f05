"""Loops in a URDF, which the format itself does not have.

<loop>, <coupling>    of URDF+ (Chignoli et al. 2024, arXiv 2411.19753), with joint types of our own
<constraint>          as proposed to urdfdom (pull request 264)
<gear>                our own: any gear between two joints
<joint>               a second one to the same link, or one that leads back to the root: cut there
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redyn.description.loops import placed, rigid_parts, to_axis, turned_to
from redyn.description.notes import Notes
from redyn.description.placement import X_AXIS, Y_AXIS, rpy_rotation, translation
from redyn.description.schema import LinkDescription, PlacedFrame
from redyn.description.tree import Ends, Tree
from redyn.description.urdf_joints import moving_kind
from redyn.description.xml_file import Element
from redyn.description.xml_robot import Found, check_count, shown, valid_loop
from redyn.words import suggestion

Array = NDArray[np.float64]

_LOOPS = ("revolute", "continuous", "prismatic", "planar", "fixed", "spherical", "cylindrical", "universal", "distance")
_CONSTRAINTS = {"link": "fixed", **dict.fromkeys(("revolute", "prismatic", "universal", "spherical"))}
_WITHOUT_AXIS = ("fixed", "spherical", "universal", "distance")
_DEFAULT_AXIS = (1.0, 0.0, 0.0)


def loops(robot: Element, links: list[LinkDescription], joints: Mapping[str, Element], tree: Tree) -> list[Found]:
    """The loops of a URDF, in the order of the kinds above."""
    elements = [element for tag in ("loop", "coupling", "constraint", "gear") for element in robot.all(tag)]
    check_count(robot, len(elements) + len(tree.cuts))
    found = [_loop(element) for element in robot.all("loop")]
    found += _couplings(robot.all("coupling"), links)
    found += [_constraint(element) for element in robot.all("constraint")]
    found += [_gear(element) for element in robot.all("gear")]
    found += [_cut(joints[ends.joint], ends) for ends in tree.cuts if lost_by_cut(joints[ends.joint]) is not None]
    return found


def lost_by_cut(joint: Element) -> str | None:
    """What a joint that closes a loop cannot have; None if it closes none, since it restricts nothing."""
    if joint.text("type") == "floating":
        return None
    dynamics = joint.find("dynamics")
    friction = dynamics is not None and any(dynamics.number(key, 0.0) for key in ("damping", "friction"))
    return " and ".join(["friction"] * friction + ["mimicry"] * (joint.find("mimic") is not None))


def driven(robot: Element, joints: Mapping[str, Element], tree: Tree, notes: Notes) -> list[str] | None:
    """The joints that are driven, in the order of the file; None where it does not say so clearly.

    `independent` of URDF+ says which coordinates are independent: those are driven, by the usual choice. Elsewhere
    transmissions and the command interfaces of ros2_control say so, if all the joints that they name can be driven.
    """
    cut = {ends.joint for ends in tree.cuts}
    able = [
        name
        for name, joint in joints.items()
        if name not in cut and joint.text("type") not in ("fixed", "floating") and joint.find("mimic") is None
    ]
    said = [joint for joint in joints.values() if "independent" in joint.attributes]
    if said:
        notes.add("taken as the joints that are driven", said[0], "joints that are independent")
        return [name for name in able if joints[name].attributes.get("independent", "true").lower() == "true"]
    holders = [holder for holder in robot.all("transmission") if holder.find("actuator") is not None]
    ends = [end for holder in holders for end in holder.all("joint")]
    for control in robot.all("ros2_control"):
        ends += [end for end in control.all("joint") if end.find("command_interface") is not None]
    named = {end.attributes.get("name", "").strip() for end in ends}
    return [name for name in able if name in named] if named and named <= set(able) else None


def _loop(element: Element) -> Found:
    kind = element.text("type")
    if kind not in _LOOPS:
        raise element.error(f"{shown(element)}: type {kind[:60]!r} is unknown{suggestion(kind, _LOOPS)}")
    first, second = _end(element, "predecessor"), _end(element, "successor", "sucessor")
    axis = None if kind in _WITHOUT_AXIS else _axis(element, "axis")
    frames = tuple(_frame(*end.origin(), to_axis(axis)) for end in (first, second))
    fields: dict[str, Any] = {
        "between": (_link(first), _link(second)),
        "joint": "revolute" if kind == "continuous" else kind,
    }
    if kind == "distance":
        length = element.find("length")
        fields["length"] = None if length is None else length.number("value")
    return valid_loop(element, fields | {"frames": frames})


def _couplings(elements: list[Element], links: list[LinkDescription]) -> Iterator[Found]:
    """Gears of the joints that carry two links: the rate of the second is the ratio times that of the first.

    In URDF+ these are sums of the rates from the nearest common ancestor on; one joint each is supported.
    """
    parts = rigid_parts(links) if elements else {}
    carriers = {str(link.name): link for link in links}
    for element in elements:
        gears: list[LinkDescription] = []
        for end in (_end(element, "predecessor"), _end(element, "successor", "sucessor")):
            link = _link(end)
            if link not in parts:
                raise end.error(f"{shown(element)}: no link is called {link[:60]!r}{suggestion(link, list(parts))}")
            gears += [carriers[parts[link]]] if parts[link] in carriers else []
        if len(gears) < 2 or len({parts[str(link.parent)] for link in gears}) > 1:
            raise element.error(
                f"{shown(element)}: a coupling is supported between links that one moving joint each connects to a "
                "common link; load(..., loops=False) leaves the loops out"
            )
        ratio = element.find("ratio")
        numbers = (0.0, 1.0 if ratio is None else ratio.number("value"))
        ends = tuple(link.joint.name for link in gears)
        yield valid_loop(element, {"between": ends, "joint": "gear", "coefficients": numbers})


def _constraint(element: Element) -> Found:
    kind = element.text("type").lower()
    if kind not in _CONSTRAINTS:
        raise element.error(f"{shown(element)}: type {kind[:60]!r} is unknown{suggestion(kind, list(_CONSTRAINTS))}")
    first, second = _end(element, "parent"), _end(element, "child")
    turns = _turns(element, kind)
    frames = tuple(
        _frame(*element.origin(tag), turn) for tag, turn in zip(("parent_origin", "child_origin"), turns, strict=True)
    )
    fields = {"between": (_link(first), _link(second)), "joint": _CONSTRAINTS[kind] or kind, "frames": frames}
    return valid_loop(element, fields)


def _turns(element: Element, kind: str) -> tuple[Array, Array]:
    """What turns the frames of a <constraint> so that they are those of the joint."""
    if kind in ("link", "spherical"):
        return np.eye(4), np.eye(4)
    own = element.find("child_axis") is not None
    first = _axis(element, "parent_axis")
    second = _axis(element, "child_axis") if own else first
    if kind == "universal":
        if not own or element.find("parent_axis") is None:
            raise element.error(f"{shown(element)}: a universal joint needs <parent_axis> and <child_axis>")
        return turned_to(X_AXIS, first), turned_to(Y_AXIS, second)
    if kind == "prismatic" and np.abs(to_axis(first) - to_axis(second)).max() > 1e-9:
        raise element.error(
            f"{shown(element)}: the axes of a prismatic joint differ, which leaves its angle open; give equal ones, "
            "and turn the frames by rpy"
        )
    return to_axis(first), to_axis(second)


def _gear(element: Element) -> Found:
    numbers = tuple(element.numbers("coefficients", len(element.text("coefficients").split())))
    ends = element.text("first"), element.text("second")
    return valid_loop(element, {"between": ends, "joint": "gear", "coefficients": numbers})


def _cut(joint: Element, ends: Ends) -> Found:
    """A joint whose child has another place in the tree; there its frame is on the joint."""
    kind = moving_kind(joint)
    turn = to_axis(None if kind in _WITHOUT_AXIS else _axis(joint, "axis"))
    frames = _frame(*joint.origin(), turn), _frame((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), turn)
    return valid_loop(joint, {"between": (ends.parent, ends.child), "joint": kind, "frames": frames})


def _end(element: Element, tag: str, misspelt: str = "") -> Element:
    """An end of a loop; one exporter writes <sucessor>."""
    end = element.find(tag) or element.find(misspelt)
    if end is None:
        raise element.error(f"{shown(element)} needs a <{tag} link=...>")
    return end


def _link(end: Element) -> str:
    """The link that an end is on; one exporter calls the attribute `name`."""
    return end.text("name" if "link" not in end.attributes and "name" in end.attributes else "link")


def _axis(element: Element, tag: str) -> tuple[float, float, float]:
    axis = element.find(tag)
    x, y, z = _DEFAULT_AXIS if axis is None else axis.numbers("xyz", 3)
    if not any((x, y, z)):
        raise (axis or element).error(f"{shown(element)}: the axis is zero; expected a direction such as 0 0 1")
    return x, y, z


def _frame(xyz: Any, rpy: Any, turn: Array) -> PlacedFrame:
    """A frame of a URDF, turned; with its own numbers where nothing turns."""
    if np.array_equal(turn, np.eye(4)):
        return PlacedFrame(xyz=xyz, rpy=rpy)
    return placed(translation(*xyz) @ rpy_rotation(*rpy) @ turn)
