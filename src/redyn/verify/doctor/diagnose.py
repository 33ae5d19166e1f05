"""The whole examination of a robot file: read it, check it, ask other programs."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any

from redyn.description import Trust, library
from redyn.description.packages import package_arguments, package_file
from redyn.description.read import is_xacro, xml_bytes, xml_name
from redyn.description.xml_file import Element, parse_xml
from redyn.errors import DescriptionError, InputError, RedynError, RedynWarning
from redyn.robot import Robot, load
from redyn.verify.doctor.checks import CHECKS
from redyn.verify.doctor.finding import Finding, Part, in_order
from redyn.verify.doctor.from_description import survey_description
from redyn.verify.doctor.from_urdf import survey_urdf
from redyn.verify.doctor.programs import Opinion, opinions
from redyn.verify.doctor.solid import Rooms
from redyn.verify.doctor.survey import Survey
from redyn.words import counted

KINDS = {"sdf": "SDF", "mujoco": "MJCF", "robot": "URDF"}
SUFFIXES = {".yaml": "YAML", ".yml": "YAML", ".urdf": "URDF", ".xacro": "URDF", ".sdf": "SDF"}
ADMITTED = ("inertia-negative", "inertia-triangle", "mass-negative", "mass-zero")  # by `unphysical` in a robot file
_LINE = re.compile(r".*?:(\d+)")
_NAMED = re.compile(r"\b(link|joint|body) '([^']+)'")
_MORE = re.compile(r" \(and \d+ more\)")


@dataclass
class Diagnosis:
    """What was found in a robot file.

    `findings` has errors first. `robot` is the robot if the file can be loaded, whatever its faults. `programs` has
    what other programs make of the file.
    """

    source: str
    name: str
    kind: str  # URDF, SDF, MJCF or YAML
    findings: list[Finding]
    robot: Robot | None = None
    programs: list[Opinion] = field(default_factory=list[Opinion])
    survey: Survey | None = None

    @property
    def errors(self) -> list[Finding]:
        return [finding for finding in self.findings if finding.severity == "error"]

    @property
    def warnings(self) -> list[Finding]:
        return [finding for finding in self.findings if finding.severity == "warning"]

    @property
    def notes(self) -> list[Finding]:
        return [finding for finding in self.findings if finding.severity == "note"]

    @property
    def healthy(self) -> bool:
        """Whether there are no errors."""
        return not self.errors

    def __repr__(self) -> str:
        found = ", ".join(
            counted(len(some), name) for some, name in ((self.errors, "error"), (self.warnings, "warning"))
        )
        return f"<Diagnosis of {self.name!r}: {found}>"

    def data(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "file": self.source,
            "robot": self.name,
            "format": self.kind,
            "loads": self.robot is not None,
            "errors": len(self.errors),
            "warnings": len(self.warnings),
            "notes": len(self.notes),
            "findings": [finding.data() for finding in self.findings],
            "programs": [opinion.data() for opinion in self.programs],
        }

    def to_json(self) -> str:
        return json.dumps(self.data(), allow_nan=False)

    def write(self, path: str | Path, force: bool = False) -> Path:
        """Writes a page that shows the robot, its ellipsoids of inertia and the findings; returns its path."""
        from redyn.verify.doctor.page import write_page

        return write_page(path, self, force)


def doctor(
    source: str | PathLike[str],
    *,
    programs: bool = True,
    ignore: Collection[str] = (),
    arguments: Mapping[str, object] | None = None,
    trust: Trust | None = None,
    tick: Callable[[str], None] = lambda _: None,
) -> Diagnosis:
    """Examines a robot file: impossible or suspicious masses, inertias, limits, joints, meshes, unconnected links.

    Files that cannot be loaded are examined as far as possible. `programs=False` does not ask other programs. `ignore`
    has codes of findings to leave out. `arguments` are those of a xacro file, `trust` as in `redyn.load`.

    >>> import redyn
    >>> redyn.doctor("puma", programs=False)
    <Diagnosis of 'puma': 0 errors, 0 warnings>
    """
    tick("reading")
    path = robot_file(source)
    shown = str(source)
    if path is not None and is_xacro(path):
        arguments = {**package_arguments(shown), **(arguments or {})}
    robot, said = _loaded(source, arguments, trust)
    survey: Survey | None = None
    kind = "YAML" if path is None else SUFFIXES.get(path.suffix.lower(), "XML")
    findings: list[Finding] = []
    data, root, problem = (None, None, None) if path is None else _root(path, arguments, trust)
    if problem is not None:
        findings.append(problem)
    elif root is not None:
        kind = KINDS.get(root.tag, kind)
    if root is not None and path is not None and root.tag == "robot":
        survey = survey_urdf(root, path.resolve().parent, trust == "files")
    elif robot is not None:
        survey = survey_description(robot.description, kind)
        if kind == "YAML":
            survey.admitted = robot.description.unphysical or ""
        findings += said
    elif problem is None:
        findings += said
    if survey is not None:
        findings += checked(survey, tick)
    if kind == "URDF" and not any(finding.severity == "error" for finding in findings):
        # The checks say all that the loader says, and more, unless it stumbles over something else.
        findings += [finding for finding in said if finding.severity != "warning"]
    findings = in_order([finding for finding in findings if finding.code not in ignore])
    name = robot.name if robot is not None else survey.name if survey is not None else Path(shown).stem
    found = Diagnosis(shown, name, kind, findings, robot, [], survey)
    if programs and problem is None:
        urdf = data if root is not None and root.tag == "robot" else None
        found.programs = opinions(path, urdf, robot, found.findings, tick)
    return found


def checked(survey: Survey, tick: Callable[[str], None] = lambda _: None) -> list[Finding]:
    """What the reader and all checks find."""
    findings, rooms = list(survey.findings), Rooms(survey, tick)
    tick("checking")
    for check in CHECKS if survey.bodies else CHECKS[:1]:
        findings += check(survey, rooms)
    if survey.admitted:
        said = f"the file admits it: {survey.admitted}"
        findings = [replace(f, severity="note", right=said) if f.code in ADMITTED else f for f in findings]
    return findings


def robot_file(source: str | PathLike[str]) -> Path | None:
    """The file of a robot; None for one of the library."""
    if isinstance(source, str):
        if source in library():
            return None
        stored = package_file(source)
        if stored is not None:
            return stored
    path = Path(source)
    if not path.is_file():
        raise InputError(f"{source}: no such file, and no robot of the library is called so")
    return path


def _loaded(
    source: str | PathLike[str], arguments: Mapping[str, object] | None, trust: Trust | None
) -> tuple[Robot | None, list[Finding]]:
    """The robot, if it can be loaded, and what the loader says."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", RedynWarning)
        robot, findings = None, list[Finding]()
        try:
            robot = _load(source, arguments, trust, findings)
        except RedynError as error:
            where = error.where if isinstance(error, DescriptionError) else ""
            what = error.what if isinstance(error, DescriptionError) else str(error)
            findings.append(_finding("not-loaded", "error", where, what))
    for item in caught:
        if isinstance(item.message, RedynWarning):
            where, _, what = _MORE.sub("", str(item.message)).partition(": ")
            findings.append(_finding("loader", "warning", where, what or where))
    return robot, findings


def _load(
    source: str | PathLike[str], arguments: Mapping[str, object] | None, trust: Trust | None, findings: list[Finding]
) -> Robot:
    """The robot; of a file with loops or without joints, as redyn can have it."""
    try:
        return load(source, exact=True, allow_unphysical=True, trust=trust, arguments=arguments)
    except DescriptionError as error:
        if error.where.endswith("actuated"):
            findings.append(Finding("loops", "note", "robot", "", "actuated", "a file with loops: " + error.what))
            return load(source, exact=True, allow_unphysical=True, trust=trust, arguments=arguments, actuated=[])
        if error.what.startswith("no joint moves"):
            return load(source, exact=True, allow_unphysical=True, trust=trust, arguments=arguments, floating_base=True)
        raise


def _finding(code: str, severity: Any, where: str, what: str) -> Finding:
    match, named = _LINE.match(where), _NAMED.search(what)
    part: Part = "file"
    name = ""
    if named is not None:
        part, name = ("joint" if named[1] == "joint" else "link"), named[2]
    return Finding(code, severity, part, name, "" if match else where, what, "", int(match[1]) if match else None)


def _root(
    path: Path, arguments: Mapping[str, object] | None, trust: Trust | None
) -> tuple[bytes | None, Element | None, Finding | None]:
    """The contents of an XML file and its root element, or why there is none."""
    try:
        data = xml_bytes(path, arguments, trust == "files")
        return data, (None if data is None else parse_xml(data, xml_name(path))), None
    except DescriptionError as error:
        return None, None, _finding("not-read", "error", error.where, error.what)
