"""Warnings about a file, collected by kind, so that forty of one kind give one warning."""

from __future__ import annotations

from redyn.description.xml_file import Element
from redyn.errors import warn


class Notes:
    def __init__(self) -> None:
        self.kinds: dict[str, list[str]] = {}

    def add(self, kind: str, element: Element, what: str) -> None:
        """`kind` is what was done about it; notes of the same kind are merged into one sentence."""
        self.kinds.setdefault(kind, []).append(f"{element.file}:{element.line}: {what}")

    def warn(self) -> None:
        for kind, found in self.kinds.items():
            more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
            warn(f"{found[0]}{more}; {kind}")
