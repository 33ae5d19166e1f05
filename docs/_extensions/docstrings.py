"""Docstrings of redyn as reStructuredText: they are plain text with `names`, indented columns and doctests."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx


SPECIAL = re.compile(r"([*|\\]|(?<=\w)_(?!\w))")
ENTRY = re.compile(r"([\w*][\w*, =.]*): (.*)")  # kp, kd: one number, or one for each direction


def restructured(lines: list[str]) -> list[str]:
    """Indented paragraphs become literal, those of `name: meaning` lists; special signs mean themselves.

    >>> restructured(["x* of `a*b`:", "", "    a  b", "", "kp, kd: gains,", "    positive", "", ">>> 2 * 3", "6"])
    ['x\\\\* of `a*b`:', '', '::', '', '    a  b', '', '* ``kp, kd``: gains,', '  positive', '', '>>> 2 * 3', '6']
    """
    made: list[str] = []
    for paragraph in "\n".join(lines).strip("\n").split("\n\n"):
        made += [*_paragraph(paragraph.split("\n")), ""]
    return made[:-1]


def _paragraph(lines: list[str]) -> list[str]:
    first = next((k for k, line in enumerate(lines) if line.startswith(">>>")), None)
    if first is not None:
        return [*([*_paragraph(lines[:first]), ""] if first else []), *lines[first:]]
    indented = [line.startswith("    ") for line in lines]
    if all(indented):
        return ["::", "", *lines]
    entries = [ENTRY.fullmatch(line) for line in lines]
    if entries[0] and all(entry or inside for entry, inside in zip(entries, indented, strict=True)) and len(lines) > 1:
        return [
            f"* ``{entry[1]}``: {_plain(entry[2])}" if entry else "  " + _plain(line.strip())
            for line, entry in zip(lines, entries, strict=True)
        ]
    return [_plain(line) for line in lines]


def _plain(line: str) -> str:
    """Of a line of text, with what stands between backticks as it is."""
    parts = re.split(r"(`[^`]*`)", line)
    return "".join(part if k % 2 else SPECIAL.sub(r"\\\1", part) for k, part in enumerate(parts))


def _process(app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    text = "\n".join(lines)
    if (text.startswith("Alias for field number") or "tuple() -> empty tuple" in text) or what == "module":
        lines.clear() if what != "module" else None
    lines[:] = restructured(lines)


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("autodoc-process-docstring", _process)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
