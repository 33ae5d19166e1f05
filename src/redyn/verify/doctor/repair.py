"""A corrected copy of a URDF: the repairs of its findings, and nothing else, are changed.

What a number should be is often a guess, so a comment in every link or joint that is changed says what was done. Faults
without a repair, such as two links of one name, are left.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from os import PathLike
from pathlib import Path
from xml.etree import ElementTree

from redyn import files
from redyn.description import Trust
from redyn.description.read import xml_bytes
from redyn.description.xml_file import parse_xml
from redyn.errors import InputError
from redyn.verify.doctor.diagnose import Diagnosis, checked, doctor, robot_file
from redyn.verify.doctor.finding import Finding, Repair, in_order
from redyn.verify.doctor.from_urdf import survey_urdf

PASSES = 5  # a repair may bring other faults to light


def repair(
    source: str | PathLike[str],
    target: str | PathLike[str],
    *,
    arguments: Mapping[str, object] | None = None,
    trust: Trust | None = None,
    force: bool = False,
    tick: Callable[[str], None] = lambda _: None,
) -> tuple[list[Finding], Diagnosis]:
    """Writes a corrected URDF; returns the findings that were repaired, and the diagnosis of the new file.

    Files of meshes are named as before, so the new file belongs into the folder of the old one.
    """
    target, path = Path(target), robot_file(source)
    if target.suffix.lower() != ".urdf":
        raise InputError(f"{target}: a corrected file is a URDF; give it a name that ends in .urdf")
    if path is not None and target.resolve() == path.resolve() and not force:
        raise InputError(f"{target}: this is the file itself; choose another name, or replace it with --force")
    data = None if path is None else xml_bytes(path, arguments, trust == "files")
    if path is None or data is None or parse_xml(data, path.name).tag != "robot":
        raise InputError(f"{source}: only URDF and xacro files can be repaired")
    done: list[Finding] = []
    for _ in range(PASSES):
        survey = survey_urdf(parse_xml(data, path.name), path.resolve().parent, trust == "files")
        now = _chosen(in_order(checked(survey, tick)), done)
        if not now:
            break
        data = _changed(data, now)
        done += now
    files.write(target, data, files.URDF, force)
    return done, doctor(target, trust=trust, tick=tick)


def _chosen(findings: list[Finding], done: list[Finding]) -> list[Finding]:
    """Findings with repairs that have not been done, no two of the same element, the most serious first."""
    before = {(finding.code, finding.name, finding.field) for finding in done}
    taken: set[tuple[str, str, tuple[str, ...]]] = set()
    chosen: list[Finding] = []
    for finding in findings:
        places = {(repair.part, repair.name, repair.path[:1]) for repair in finding.repairs}
        again = (finding.code, finding.name, finding.field) in before
        if places and not places & taken and finding.severity != "note" and not again:
            taken |= places
            chosen.append(finding)
    return chosen


def _changed(data: bytes, findings: list[Finding]) -> bytes:
    """The file has been read by `parse_xml`, which refuses entities, so ElementTree may parse it."""
    builder = ElementTree.TreeBuilder(insert_comments=True)
    root = ElementTree.fromstring(data, ElementTree.XMLParser(target=builder))
    for finding in findings:
        for item in finding.repairs:
            holder = next((e for e in root.findall(item.part) if e.get("name", "").strip() == item.name), None)
            if holder is not None:
                _apply(holder, item)
                _remark(holder, f" redyn doctor: {finding.code}: {item.does} ")
    text = ElementTree.tostring(root, encoding="unicode").replace(" />", "/>")  # as most files have it
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'.encode()


def _apply(holder: ElementTree.Element, item: Repair) -> None:
    *above, last = item.path
    places = [holder]
    for tag in above:
        places = [child for place in places for child in place.findall(tag)] or [_made(places[0], tag)]
    for place in places:
        found = place.findall(last)
        if item.remove:
            for child in found:
                place.remove(child)
            continue
        if not found and item.where is None:
            found = [_made(place, last)]
        for child in found:
            if item.where is not None and any(child.get(key) != value for key, value in item.where.items()):
                continue
            for key, value in item.attributes.items():
                if value is None:
                    child.attrib.pop(key, None)
                else:
                    child.set(key, value)


def _made(place: ElementTree.Element, tag: str) -> ElementTree.Element:
    child = ElementTree.SubElement(place, tag)
    child.tail = "\n"
    return child


def _remark(holder: ElementTree.Element, text: str) -> None:
    """A comment at the beginning of an element; of several repairs of one fault, one."""
    clean = text.replace("--", "- -")
    if len(holder) and holder[0].tag is ElementTree.Comment and holder[0].text == clean:
        return
    comment = ElementTree.Comment(clean)
    comment.tail = holder.text or "\n"
    holder.insert(0, comment)
