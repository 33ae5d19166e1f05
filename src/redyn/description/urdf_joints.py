"""The <joint> and <transmission> elements of a URDF: pose, motion, limits and friction of joints, rotor inertia."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from redyn.description.notes import Notes
from redyn.description.schema import COORDINATES, SEVERAL
from redyn.description.ties import in_rings
from redyn.description.xml_file import Element

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
# Drake's own comes first: its files have it beside a <mechanicalReduction> of 1 for ROS, which Drake leaves out.
_REDUCTION = ("drake:gear_ratio", "mechanicalReduction", "mechanical_reduction")


class Joints:
    """All joints of a file, by name, with data from other elements."""

    def __init__(self, robot: Element, joints: Mapping[str, Element], cut: Collection[str], notes: Notes) -> None:
        """`cut` are the joints that close loops, which have no coordinates."""
        self.notes = notes
        self.armature = rotor_inertias(robot, joints, cut, notes)
        self.wrong_leaders = _wrong_leaders(joints, cut)

    def placed(self, joint: Element, parent: str) -> dict[str, Any]:
        """Parent, joint and pose of the child link of a joint."""
        kind, name = joint.text("type"), joint.text("name")
        moving = moving_kind(joint)
        xyz, rpy = joint.origin()
        placed: dict[str, Any] = {"parent": parent, "xyz": xyz, "rpy": rpy}
        drive: dict[str, Any] = {}
        if kind in ("revolute", "continuous", "prismatic", "planar"):
            axis = joint.find("axis")
            placed["axis"] = (1.0, 0.0, 0.0) if axis is None else axis.numbers("xyz", 3)
            if not any(placed["axis"]):
                raise (axis or joint).error("the axis is zero; expected a direction such as 0 0 1")
        if kind != "fixed":
            drive = _friction(joint, self.notes) | self._held(joint, kind)
            if self.armature.get(name):
                drive["armature"] = self.armature[name]
            if "initial" in joint.attributes:  # our own
                drive["initial"] = joint.numbers("initial", len(COORDINATES.get(moving, ("value",))))
        return placed | {"joint": {"type": moving, "name": name, **drive}}

    def _held(self, joint: Element, kind: str) -> dict[str, Any]:
        """Limits and mimic rule of joints with one coordinate."""
        name, limit, mimic = joint.text("name"), joint.find("limit"), joint.find("mimic")
        fields: dict[str, Any] = {}
        if limit is not None and _MOVING[kind] not in SEVERAL:
            lower, upper = limit.number("lower", 0.0), limit.number("upper", 0.0)
            if lower > upper and kind != "continuous":
                what = f"limits of joint {name!r} are swapped ({lower:g}, {upper:g})"
                self.notes.add("left out", limit, what)
            elif kind != "continuous" and (lower, upper) != (0.0, 0.0):
                fields["limits"] = (lower, upper)
            for attribute, field in (("velocity", "speed_limit"), ("effort", "effort_limit")):
                value = limit.number(attribute, 0.0)
                if value > 0:
                    fields[field] = value
        if mimic is not None:
            leader = mimic.text("joint")
            what = f"joint {name!r} mimics {leader[:60]!r}"
            if _MOVING[kind] in SEVERAL:
                self.notes.add("taken as independent", mimic, f"{what}, though it is {kind}")
            elif name in self.wrong_leaders:
                self.notes.add("taken as independent", mimic, f"{what}, which {self.wrong_leaders[name]}")
            else:
                factor, offset = mimic.number("multiplier", 1.0), mimic.number("offset", 0.0)
                fields["mimic"] = {"joint": leader, "multiplier": factor, "offset": offset}
        return fields


def _friction(joint: Element, notes: Notes) -> dict[str, float]:
    dynamics = joint.find("dynamics")
    fields: dict[str, float] = {}
    if dynamics is None:
        return fields
    for attribute, field in (("damping", "damping"), ("friction", "coulomb")):
        value = dynamics.number(attribute, 0.0)
        if value < 0:
            what = f"{attribute} of joint {joint.text('name')!r} is negative ({value:g})"
            notes.add("taken as zero", dynamics, what)
        elif value > 0:
            fields[field] = value
    return fields


def moving_kind(joint: Element) -> str:
    """The type of a joint, in our words."""
    kind, name = joint.text("type"), joint.text("name")
    if kind not in _MOVING:
        raise joint.error(
            f"joint type {kind[:60]!r} is not supported (joint {name[:60]!r}); the types are {', '.join(_MOVING)}"
        )
    return _MOVING[kind]


def _wrong_leaders(joints: Mapping[str, Element], cut: Collection[str]) -> dict[str, str]:
    """The joints whose mimicked joint is invalid, and why."""
    mimics = {name: mimic for name, joint in joints.items() if (mimic := joint.find("mimic")) is not None}
    leaders = {name: mimic.text("joint") for name, mimic in mimics.items()}
    rings = in_rings(leaders)
    wrong: dict[str, str] = {}
    for name, leader in leaders.items():
        if leader not in joints:
            wrong[name] = "does not exist"
            continue
        if leader in cut:
            wrong[name] = "closes a loop"
            continue
        kind = _MOVING.get(joints[leader].text("type"))
        if kind == "fixed" or kind in SEVERAL:
            wrong[name] = f"is {kind}"
        elif name in rings:
            wrong[name] = "mimics it in turn"
    return wrong


def rotor_inertias(
    robot: Element, joints: Mapping[str, Element], cut: Collection[str], notes: Notes
) -> dict[str, float]:
    """Reflected rotor inertia of each joint: the square of the reduction times the rotor's inertia."""
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
        elif driven[0] in cut:
            notes.add("its rotor inertia is left out", transmission, "a transmission of a joint that closes a loop")
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
