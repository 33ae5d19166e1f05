"""A survey of a URDF: every fault is reported, and what can be read is read.

The loader (redyn.description.urdf) stops at the first fault that prevents a robot; here reading goes on.
"""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from redyn.description.notes import Notes
from redyn.description.numbers import LARGEST
from redyn.description.placement import rpy_rotation, translation
from redyn.description.units import like_degrees
from redyn.description.urdf_joints import rotor_inertias
from redyn.description.urdf_shapes import colours, shapes
from redyn.description.urdf_words import RADIANS, TENSOR, check_words
from redyn.description.xml_file import Element
from redyn.errors import DescriptionError
from redyn.verify.doctor.finding import Finding, Part, Repair, Severity
from redyn.verify.doctor.survey import Body, Hinge, Survey
from redyn.words import suggestion

Array = NDArray[np.float64]

KINDS = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar", "spherical", "ball")
_PLACES = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
_LINE = re.compile(r".*?:(\d+): (.*)", re.DOTALL)
_NAMED = re.compile(r"\b(link|joint) '([^']+)'")


def survey_urdf(robot: Element, folder: Path | None, trusted: bool) -> Survey:
    """What the <robot> element of a file says."""
    title = robot.attributes.get("name", "").strip()[:200]
    survey = Survey(title or robot.file, robot.file, "URDF", {}, {}, folder, trusted)
    notes = Notes()
    if not title:
        what = "the robot has no name"
        survey.findings.append(Finding("robot-unnamed", "warning", "robot", "", "name", what, line=robot.line))
    palette = colours(robot, notes)
    for name, element in _named(robot, "link", survey).items():
        body = _Reader(survey, "link", name).body(element)
        found = shapes(element, palette, notes)
        body.visual, body.collision = found.get("visual", []), found.get("collision", [])
        survey.bodies[name] = body
    joints = _named(robot, "joint", survey)
    for name, element in joints.items():
        hinge = _Reader(survey, "joint", name).hinge(element)
        if hinge is not None:
            survey.hinges[name] = hinge
    survey.loops = sum(len(robot.all(tag)) for tag in ("loop", "coupling", "constraint", "gear"))
    _add_armature(robot, joints, survey, notes)
    _transmissions(robot, survey)
    check_words(robot, notes)
    survey.findings += said(notes)
    return survey


def _named(robot: Element, tag: Part, survey: Survey) -> dict[str, Element]:
    """Elements with names of their own; of two with the same name, the first."""
    found: dict[str, Element] = {}
    for element in robot.all(tag):
        name = element.attributes.get("name", "").strip()
        if not name:
            what = f"a <{tag}> without a name"
            survey.findings.append(Finding(f"{tag}-unnamed", "error", tag, "", "name", what, line=element.line))
        elif name in found:
            what = f"two {tag}s are called {name!r}; the other is in line {found[name].line}"
            right = "names must differ; what refers to this name is ambiguous"
            survey.findings.append(
                Finding("duplicate-name", "error", tag, name, "name", what, right, line=element.line)
            )
        else:
            found[name] = element
    return found


def said(notes: Notes) -> list[Finding]:
    """The loader's own notes as findings."""
    found: list[Finding] = []
    for kind, texts in notes.kinds.items():
        for text in texts if kind != RADIANS else ():  # angles have checks of their own
            match = _LINE.fullmatch(text)
            line, what = (int(match[1]), match[2]) if match else (None, text)
            named = _NAMED.search(what)
            part: Part = "file" if named is None else "link" if named[1] == "link" else "joint"
            name = "" if named is None else named[2]
            found.append(Finding("file-note", "warning", part, name, "", what, kind, line))
    return found


def _transmissions(robot: Element, survey: Survey) -> None:
    """Names of transmissions and of their actuators that are used twice, for which Drake refuses the file."""
    for tag, found in (
        ("transmission", robot.all("transmission")),
        ("actuator", [actuator for item in robot.all("transmission") for actuator in item.all("actuator")]),
    ):
        seen: dict[str, Element] = {}
        again: list[tuple[str, Element]] = []
        for element in found:
            name = element.attributes.get("name", "").strip()
            if name and name in seen:
                again.append((name, element))
            seen.setdefault(name, element)
        if again:
            name, element = again[0]
            more = f" (and {len(again) - 1} more names)" if len(again) > 1 else ""
            what = f"two {tag}s are called {name!r}; the other is in line {seen[name].line}{more}"
            right = "names must differ: Drake and others refuse the file"
            survey.findings.append(Finding("transmission", "warning", "robot", "", tag, what, right, element.line))


def _add_armature(robot: Element, joints: dict[str, Element], survey: Survey, notes: Notes) -> None:
    try:
        felt = rotor_inertias(robot, joints, (), notes)
    except DescriptionError as error:
        line = int(error.where.rpartition(":")[2]) if error.where.rpartition(":")[2].isdigit() else None
        survey.findings.append(Finding("transmission", "error", "robot", "", "transmission", error.what, line=line))
        return
    for name, value in felt.items():
        if name in survey.hinges:
            survey.hinges[name].armature = value


class _Reader:
    """Reads one link or joint."""

    def __init__(self, survey: Survey, part: Part, name: str) -> None:
        self.survey, self.name = survey, name
        self.part: Part = part

    def say(
        self, code: str, severity: Severity, field: str, what: str, right: str, at: Element, *repairs: Repair
    ) -> None:
        found = Finding(code, severity, self.part, self.name, field, what, right, at.line, repairs)
        self.survey.findings.append(found)

    def numbers(
        self, element: Element, attribute: str, default: tuple[float, ...], field: str, required: bool = False
    ) -> tuple[float, ...] | None:
        """The numbers of an attribute; None and a finding if they cannot be read."""
        text = element.attributes.get(attribute)
        if text is None or (not text.strip() and not required):
            if required:
                what = f"<{element.tag}> has no {attribute}"
                self.say("missing-value", "error", field, what, f"write {attribute}=...", element)
                return None
            return default
        values: list[float] = []
        for word in text.split():
            try:
                values.append(float(word))
            except ValueError:
                values.append(math.nan)
        if len(values) != len(default) or not all(abs(value) <= LARGEST for value in values):
            count = "a finite number" if len(default) == 1 else f"{len(default)} finite numbers"
            what = f"<{element.tag} {attribute}=...> is {text[:60]!r}"
            self.say("not-a-number", "error", field, what, f"expected {count}", element)
            return None
        return tuple(values)

    def number(self, element: Element, attribute: str, field: str, required: bool = False) -> float | None:
        found = self.numbers(element, attribute, (0.0,), field, required)
        return None if found is None else found[0]

    def pose(self, element: Element, field: str) -> Array | None:
        """The child <origin>."""
        origin = element.find("origin")
        if origin is None:
            return np.eye(4)
        zero = (0.0, 0.0, 0.0)
        xyz, rpy = self.numbers(origin, "xyz", zero, f"{field}.xyz"), self.numbers(origin, "rpy", zero, f"{field}.rpy")
        if rpy is not None and any(like_degrees(angle) for angle in rpy):
            text = " ".join(f"{math.radians(angle):.9g}" for angle in rpy)
            what = f"an angle of {max(rpy, key=abs):g} rad is more than a turn"
            path = (*field.split(".")[:-1], "origin")
            repair = Repair(self.part, self.name, path, {"rpy": text}, "convert rpy from degrees")  # pyright: ignore[reportArgumentType]
            self.say("angle-degrees", "warning", f"{field}.rpy", what, f"in radians: {text}", origin, repair)
        return None if xyz is None or rpy is None else translation(*xyz) @ rpy_rotation(*rpy)

    def body(self, link: Element) -> Body:
        body = Body(self.name, link.line)
        element = link.find("inertial")
        if element is None:
            return body
        body.inertial, body.lines["com"] = True, element.line
        pose = self.pose(element, "inertial.origin")
        if pose is not None:
            body.com, body.turn = pose[:3, 3].copy(), pose[:3, :3].copy()
        mass, inertia = element.find("mass"), element.find("inertia")
        if mass is None:
            right = "write <mass value=.../>, in kg; urdfdom refuses the file"
            self.say("missing-value", "error", "mass", "<inertial> has no <mass>", right, element)
        else:
            body.lines["mass"] = mass.line
            body.mass = self.number(mass, "value", "mass", required=True)
        if inertia is None:
            right = "write <inertia ixx=... ixy=... .../>, in kg m^2 about the mass centre; urdfdom refuses the file"
            self.say("missing-value", "error", "inertia", "<inertial> has no <inertia>", right, element)
        else:
            body.lines["inertia"] = inertia.line
            body.given = self.tensor(inertia)
        return body

    def tensor(self, inertia: Element) -> Array | None:
        tensor, whole = np.zeros((3, 3)), True
        for key, (i, j) in zip(TENSOR, _PLACES, strict=True):
            value = self.number(inertia, key, f"inertia.{key}", required=True)
            whole = whole and value is not None
            tensor[i, j] = tensor[j, i] = value or 0.0
        return tensor if whole else None

    def hinge(self, joint: Element) -> Hinge | None:
        kind = joint.attributes.get("type", "").strip()
        if kind not in KINDS:
            what = f"the joint type is {kind[:60]!r}" if kind else "the joint has no type"
            self.say("joint-type", "error", "type", what, f"the types are {', '.join(KINDS)}", joint)
            kind = "fixed"
        ends = [self.end(joint, tag) for tag in ("parent", "child")]
        if ends[0] is None or ends[1] is None:
            return None
        if ends[0] == ends[1]:
            what = f"the joint connects link {ends[0]!r} with itself"
            self.say("joint-self", "error", "child", what, "parent and child must be two links", joint)
            return None
        pose = self.pose(joint, "origin")
        hinge = Hinge(self.name, kind, ends[0], ends[1], np.eye(4) if pose is None else pose, joint.line)
        hinge.lines |= {child.tag: child.line for child in reversed(joint.children)}
        if hinge.single or kind == "planar":
            hinge.axis = self.axis(joint)
        self.drive(joint, hinge)
        return hinge

    def end(self, joint: Element, tag: str) -> str | None:
        element = joint.find(tag)
        name = "" if element is None else element.attributes.get("link", "").strip()
        if element is None or not name:
            self.say("joint-end", "error", tag, f"the joint has no {tag}", f"write <{tag} link=.../>", element or joint)
            return None
        if name not in self.survey.bodies:
            hint = suggestion(name, list(self.survey.bodies)).removeprefix("; ")
            self.say("joint-end", "error", tag, f"the {tag} is {name[:60]!r}, and no link is called so", hint, element)
            return None
        return name

    def axis(self, joint: Element) -> Array | None:
        """A unit vector."""
        element = joint.find("axis")
        explicit = Repair("joint", self.name, ("axis",), {"xyz": "1 0 0"}, "write the axis 1 0 0 explicitly")
        if element is None or "xyz" not in element.attributes:
            right = "the format then means 1 0 0 (x); if the axis is z, which most tools draw, write 0 0 1"
            self.say("axis-missing", "warning", "axis", "the joint has no axis", right, element or joint, explicit)
            return np.array([1.0, 0.0, 0.0])
        values = self.numbers(element, "xyz", (1.0, 0.0, 0.0), "axis")
        if values is None:
            return None
        length = float(np.linalg.norm(values))
        if length < 1e-6:
            self.say("axis-zero", "error", "axis", "the axis is zero", "expected a direction such as 0 0 1", element)
            return None
        unit = np.array(values) / length
        if abs(length - 1.0) > 1e-3:
            text = " ".join(f"{x:.9g}" for x in unit)
            what = f"the axis {element.attributes['xyz'].strip()} has length {length:.4g}"
            repair = Repair("joint", self.name, ("axis",), {"xyz": text}, f"normalise the axis to {text}")
            right = f"a unit vector, {text}; programs that do not normalise it scale the joint"
            self.say("axis-not-unit", "warning", "axis", what, right, element, repair)
        return unit

    def drive(self, joint: Element, hinge: Hinge) -> None:
        limit, dynamics, mimic = (joint.find(tag) for tag in ("limit", "dynamics", "mimic"))
        if limit is not None:
            hinge.limited = True
            for field in ("lower", "upper", "effort", "velocity"):
                if field in limit.attributes:
                    setattr(hinge, field, self.number(limit, field, f"limit.{field}"))
        if dynamics is not None:
            for field in ("damping", "friction"):
                if field in dynamics.attributes:
                    setattr(hinge, field, self.number(dynamics, field, f"dynamics.{field}"))
        if mimic is not None:
            hinge.mimic = mimic.attributes.get("joint", "").strip()
            for field in ("multiplier", "offset"):
                self.number(mimic, field, f"mimic.{field}")
