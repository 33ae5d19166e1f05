"""What a check of a robot file found, and how it may be repaired."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Severity = Literal["error", "warning", "note"]
Part = Literal["file", "robot", "link", "joint"]

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")


@dataclass(frozen=True)
class Repair:
    """A change of one element of a URDF: the attributes that it gets; None removes one.

    `path` are the tags below the <link> or <joint> of that name; elements that are missing are made. Of several
    elements of the last tag, such as meshes, those are changed whose attributes contain `where`.
    """

    part: Part  # a link or joint
    name: str
    path: tuple[str, ...]
    attributes: Mapping[str, str | None]
    does: str  # in words
    remove: bool = False  # the element itself
    where: Mapping[str, str] | None = None


@dataclass(frozen=True)
class Finding:
    """One fault of a file.

    `error`: no body or robot can be so, or programs refuse the file. `warning`: probably not what was meant. `note`:
    worth knowing.
    """

    code: str
    severity: Severity
    part: Part
    name: str  # of the link or joint; empty for the robot as a whole
    field: str  # such as `inertia` or `limit.lower`
    what: str
    right: str = ""  # what would be right
    line: int | None = None
    repairs: tuple[Repair, ...] = ()

    @property
    def where(self) -> str:
        """Link or joint, and field.

        >>> Finding("mass-negative", "error", "link", "arm", "mass", "the mass is negative").where
        'link arm, mass'
        """
        named = f"{self.part} {self.name}" if self.name else str(self.part)
        return f"{named}, {self.field}" if self.field else named

    def data(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "code": self.code,
            "severity": self.severity,
            "part": self.part,
            "name": self.name,
            "field": self.field,
            "line": self.line,
            "what": self.what,
            "right": self.right,
            "repair": "; ".join(repair.does for repair in self.repairs),
        }


def in_order(findings: list[Finding]) -> list[Finding]:
    """Errors first, then as in the file; each fault once."""
    unique = list({(f.code, f.part, f.name, f.field, f.line): f for f in reversed(findings)}.values())[::-1]
    return sorted(unique, key=lambda f: (SEVERITIES.index(f.severity), f.line or 0))
