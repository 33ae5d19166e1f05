"""Recognises files written in xacro, the macro language of ROS, and says how to convert them to URDF."""

from __future__ import annotations

import re
from pathlib import PurePath

from redyn.description.notes import Notes
from redyn.description.xml_file import Element
from redyn.errors import DescriptionError

SUFFIX = ".xacro"
EXPANDED = " (expanded)"  # ends the name of a file in messages about what it expands to
_NAMESPACE = "xacro"  # end of the namespace URI
_LANGUAGE = {"macro", "include", "property", "arg", "if", "unless", "insert_block", "call", "element", "attribute"}
_SUBSTITUTIONS = ("${", "$(")
_READ = ("link", "joint")  # elements whose attributes matter


def unexpanded(file: str, why: str) -> DescriptionError:
    """The error for a file that must be expanded by xacro first; `why` is the evidence."""
    name = PurePath(re.sub(r":\d+$", "", file)).name
    stem = re.sub(r"(\.urdf)?\.xacro$", "", name, flags=re.IGNORECASE)
    target = f"{stem}.urdf" if stem != name else f"expanded-{name}"
    own = "" if stem != name else f", or name it {PurePath(name).stem}.urdf.xacro"
    return DescriptionError(
        file,
        f"this is a xacro file, not a URDF ({why}); run `xacro {name} > {target}` and load {target}{own}; with xacro "
        "installed, redyn expands files called .xacro itself: pip install 'redyn[xacro]'",
    )


def check_expanded(robot: Element, notes: Notes) -> None:
    """An error for a file written in xacro; a note if expansion has left a few macros."""
    prefixes = ("xacro:", *(f"{prefix}:" for prefix in _prefixes(robot)))
    empty = not robot.all("link")
    for element in robot.walk():
        if element.tag.startswith(prefixes):
            word = element.tag.partition(":")[2]
            if word in _LANGUAGE or empty:
                raise unexpanded(f"{element.file}:{element.line}", f"<{element.tag[:60]}>")
            notes.add("left out: xacro has not expanded it", element, f"<{element.tag[:60]}>")
    for holder in robot.children:
        for element in holder.walk() if holder.tag in _READ else ():
            for name, value in element.attributes.items():
                if any(mark in value for mark in _SUBSTITUTIONS):
                    why = f'<{element.tag[:60]} {name[:60]}="{value[:60]}">'
                    raise unexpanded(f"{element.file}:{element.line}", why)


def empty_hint(robot: Element) -> str:
    """A hint for a robot without links in a file from xacro."""
    if _prefixes(robot) or robot.file.endswith(EXPANDED):
        return "; a xacro file that only defines macros expands to nothing: load the file that calls them"
    return ""


def _prefixes(robot: Element) -> list[str]:
    """The namespace prefix of xacro, as declared by the root element."""
    return [
        name.removeprefix("xmlns:")
        for name, value in robot.attributes.items()
        if name.startswith("xmlns:") and value.rstrip("/").endswith(_NAMESPACE)
    ]
