"""The <joint> elements of SDF: in the tree, as the cuts of loops, and gearboxes between two others."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redyn.description.loops import placed, turned_to
from redyn.description.notes import Notes
from redyn.description.placement import Z_AXIS
from redyn.description.poses import origin, vector
from redyn.description.schema import SEVERAL, WORLD
from redyn.description.sdf_frames import Frames, is_true
from redyn.description.tree import Ends, Tree
from redyn.description.xml_file import Element
from redyn.description.xml_robot import Found, check_count, free_name, shown, valid_loop
from redyn.words import suggestion

Array = NDArray[np.float64]

GEARBOX = "gearbox"
_KINDS = {
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
    "ball": "spherical",
    "universal": "universal",
    "revolute2": "universal",
    "fixed": "fixed",
    "screw": "helical",
}
_NO_LIMIT = 1e15  # SDF writes 1e16 where there is no limit
_TOUCHING = 1e-12  # m
_TURNING = ("revolute", "helical")
_LEFT_OUT = "left out"


class Joints:
    """All joints of a model, with their places."""

    def __init__(self, frames: Frames, notes: Notes) -> None:
        self.frames, self.notes = frames, notes
        self.ends: dict[str, Ends] = {}
        for name, joint in frames.joints.items():
            parent, child = (frames.carrier(joint, _end(joint, tag)) for tag in ("parent", "child"))
            if parent == child:
                raise joint.error(f"joint {name[:60]!r} connects link {child[:60]!r} with itself")
            self.ends[name] = Ends(name, parent, child)

    def kind(self, joint: Element) -> str:
        kind, name = joint.text("type"), joint.text("name")
        if kind not in _KINDS:
            raise joint.error(
                f"joint type {kind[:60]!r} is not supported (joint {name[:60]!r}){suggestion(kind, [*_KINDS, GEARBOX])}"
            )
        return _KINDS[kind]

    def in_order(self) -> Iterator[Ends]:
        """The joints that may carry links: those that must be cut come last."""
        able = [ends for name, ends in self.ends.items() if self.frames.joints[name].text("type") != GEARBOX]
        return iter(sorted(able, key=lambda ends: _must_be_cut(self.frames.joints[ends.joint])))

    def links(self, ends: Ends, body: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """The fields of the link that a joint carries, and before it those of one on the joint, if it is elsewhere."""
        joint, kind = self.frames.joints[ends.joint], self.kind(self.frames.joints[ends.joint])
        X, at = self.frames.link(ends.child), self.frames.joint(ends.joint)
        axes = [self.frames.axis(joint, tag) for tag in _axes(kind)]
        offset = X[:3, 3] - at[:3, 3]
        if kind in _TURNING:
            offset = offset - axes[0] * (offset @ axes[0])
        on_joint = kind in ("fixed", "prismatic") or float(np.linalg.norm(offset)) < _TOUCHING
        moving = X.copy()
        if not on_joint:
            moving[:3, 3] = at[:3, 3]
        there = np.linalg.inv(self.frames.link(ends.parent)) @ moving
        link: dict[str, Any] = {"parent": ends.parent, **origin(there), "joint": self._joint(joint, kind)}
        for field, axis in zip(("axis", "axis2"), axes, strict=False):
            link[field] = vector(moving[:3, :3].T @ axis)
        if on_joint:
            yield link | {"name": ends.child} | body
            return
        carrier = free_name(f"{ends.joint}_link", self.frames.links | self.frames.frames)
        yield link | {"name": carrier, "mass": 0.0}
        fixed = {"type": "fixed", "name": free_name(f"{ends.child}_fixed", self.frames.joints)}
        yield {"name": ends.child, "parent": carrier, "joint": fixed, **origin(np.linalg.inv(moving) @ X), **body}

    def _joint(self, joint: Element, kind: str) -> dict[str, Any]:
        fields: dict[str, Any] = {"type": kind, "name": joint.text("name")}
        if kind == "helical":
            fields["pitch"] = _pitch(joint)
        drives = [self._drive(joint, joint.find(tag), kind) for tag in _axes(kind)]
        if kind != "universal":
            return fields | (drives[0] if drives else {})
        if drives[0] != drives[1]:
            self.notes.add(_LEFT_OUT, joint, f"friction of joint {joint.text('name')!r}, whose axes differ in it")
            return fields
        return fields | drives[0]

    def _drive(self, joint: Element, axis: Element | None, kind: str) -> dict[str, Any]:
        """Friction, spring, limits and mimic rule of one axis."""
        if axis is None:
            return {}
        fields: dict[str, Any] = {}
        dynamics, several = axis.find("dynamics"), kind in SEVERAL
        for tag, field in (("damping", "damping"), ("friction", "coulomb"), ("spring_stiffness", "stiffness")):
            value = 0.0 if dynamics is None else dynamics.number_of(tag, 0.0)
            if value < 0 or (value and several and field == "stiffness"):
                why = "is negative" if value < 0 else f"is not supported at a {kind} joint"
                self.notes.add(_LEFT_OUT, dynamics or axis, f"<{tag}> of joint {joint.text('name')!r} {why}")
            elif value:
                fields[field] = value
        if "stiffness" in fields and dynamics is not None:
            fields["rest"] = dynamics.number_of("spring_reference", 0.0)
        if not several:
            fields |= self._held(joint, axis)
        return fields

    def _held(self, joint: Element, axis: Element) -> dict[str, Any]:
        """Limits and mimic rule."""
        fields: dict[str, Any] = {}
        limit, mimic = axis.find("limit"), axis.find("mimic")
        if limit is not None:
            lower, upper = (_limit(limit, tag) for tag in ("lower", "upper"))
            if lower is not None and upper is not None and joint.text("type") != "continuous":
                if lower > upper:
                    self.notes.add(_LEFT_OUT, limit, f"limits of joint {joint.text('name')!r} are swapped")
                else:
                    fields["limits"] = (lower, upper)
            for tag, field in (("velocity", "speed_limit"), ("effort", "effort_limit")):
                value = _limit(limit, tag)
                if value is not None and value > 0:
                    fields[field] = value
        if mimic is not None:
            leader, factor = mimic.text("joint"), mimic.number_of("multiplier", 1.0)
            if mimic.attributes.get("axis", "axis") != "axis":
                self.notes.add("taken as independent", mimic, f"joint {joint.text('name')!r} mimics a second axis")
            else:
                offset = mimic.number_of("offset", 0.0) - factor * mimic.number_of("reference", 0.0)
                fields["mimic"] = {"joint": leader, "multiplier": factor, "offset": offset}
        return fields

    def loops(self, model: Element, tree: Tree) -> list[Found]:
        gears = [joint for joint in self.frames.joints.values() if joint.text("type") == GEARBOX]
        check_count(model, len(gears) + len(tree.cuts))
        return [*(self._gear(joint, tree) for joint in gears), *(self._cut(ends) for ends in tree.cuts)]

    def _cut(self, ends: Ends) -> Found:
        """A joint that closes a loop: where it is with all joints at zero."""
        joint = self.frames.joints[ends.joint]
        kind = self.kind(joint)
        if kind == "helical":
            raise joint.error(f"{shown(joint)}: a screw cannot close a loop; put another joint of the loop last")
        T = np.eye(4)
        axes = [self.frames.axis(joint, tag) for tag in _axes(kind)]
        if kind == "universal":
            first, second = axes
            if abs(first @ second) > 1e-6:
                raise joint.error(
                    f"{shown(joint)}: the axes of a universal joint that closes a loop must be orthogonal"
                )
            T[:3, :3] = np.column_stack([first, second, np.cross(first, second)])
        elif axes:
            T = turned_to(Z_AXIS, vector(axes[0]))
        T[:3, 3] = self.frames.joint(ends.joint)[:3, 3]
        frames = tuple(placed(np.linalg.inv(self.frames.link(end)) @ T) for end in (ends.parent, ends.child))
        return valid_loop(joint, {"between": (ends.parent, ends.child), "joint": kind, "frames": frames})

    def _gear(self, joint: Element, tree: Tree) -> Found:
        """theta2 = -ratio theta1, from the reference body to the parent about axis, and to the child about axis2."""
        name, ratio = joint.text("name"), joint.number_of("gearbox_ratio", 1.0)
        reference = joint.content_of("gearbox_reference_body")
        if not reference:
            raise joint.error(f"{shown(joint)}: a gearbox needs <gearbox_reference_body>")
        base = self.frames.carrier(joint, reference)
        second = "axis2" if joint.find("axis2") is not None else "axis"
        (first, sense1), (other, sense2) = (
            self._meshing(joint, base, link, axis, tree)
            for link, axis in ((self.ends[name].parent, "axis"), (self.ends[name].child, second))
        )
        numbers = (0.0, -ratio * sense1 * sense2)
        return valid_loop(joint, {"between": (first, other), "joint": "gear", "coefficients": numbers})

    def _meshing(self, gearbox: Element, base: str, link: str, axis: str, tree: Tree) -> tuple[str, float]:
        """The joint between a gearbox's reference body and one of its links, and the sense of the angle in it."""
        for ends, sense in ((tree.carried.get(link), 1.0), (tree.carried.get(base), -1.0)):
            if ends is None or {ends.parent, ends.child} != {base, link}:
                continue
            joint = self.frames.joints[ends.joint]
            if self.kind(joint) != "revolute":
                continue
            along = float(self.frames.axis(joint, "axis") @ self.frames.axis(gearbox, axis))
            if abs(abs(along) - 1.0) > 1e-3:
                raise gearbox.error(f"{shown(gearbox)}: <{axis}> is not that of joint {ends.joint[:60]!r}")
            return ends.joint, math.copysign(sense, sense * along)
        raise gearbox.error(
            f"{shown(gearbox)}: no revolute joint of the tree connects link {link[:60]!r} with the reference body, "
            f"{base[:60]!r}"
        )

    def lost_by_cut(self, joint: Element) -> str:
        """What a joint that closes a loop cannot have."""
        lost: list[str] = []
        for axis in (joint.find("axis"), joint.find("axis2")):
            dynamics = None if axis is None else axis.find("dynamics")
            for tags, what in ((("damping", "friction"), "friction"), (("spring_stiffness",), "the spring")):
                if dynamics is not None and any(dynamics.number_of(tag, 0.0) for tag in tags):
                    lost.append(what)
        return " and ".join(dict.fromkeys(lost))


def _axes(kind: str) -> tuple[str, ...]:
    if kind in ("fixed", "spherical"):
        return ()
    return ("axis", "axis2") if kind == "universal" else ("axis",)


def _end(joint: Element, tag: str) -> str:
    """The name of the parent or child of a joint."""
    end = joint.find(tag)
    name = "" if end is None else end.content.strip() or end.content_of("link")
    if not name:
        raise joint.error(f"{shown(joint)} needs a <{tag}>")
    return WORLD if name == "world" else name


def _pitch(joint: Element) -> float:
    """Metres per radian, along a right-handed thread."""
    if joint.find("screw_thread_pitch") is not None:
        return joint.number_of("screw_thread_pitch", 0.0) / math.tau  # metres per turn
    old = joint.number_of("thread_pitch", 0.0)  # radians per metre, of a left-handed thread
    if not old:
        raise joint.error(f"{shown(joint)}: a screw needs <screw_thread_pitch>, in metres per turn")
    return -1.0 / old


def _limit(limit: Element, tag: str) -> float | None:
    text = limit.content_of(tag).lower().lstrip("+-")
    if text in ("", "inf", "infinity"):
        return None
    value = limit.number_of(tag, 0.0)
    return None if abs(value) > _NO_LIMIT else value


def _must_be_cut(joint: Element) -> bool:
    """Simbody's own way to say where a loop is cut."""
    physics = joint.find("physics")
    simbody = None if physics is None else physics.find("simbody")
    return simbody is not None and is_true(simbody.content_of("must_be_loop_joint"))
