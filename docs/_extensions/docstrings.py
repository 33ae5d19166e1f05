"""Docstrings of redyn as reStructuredText: they are plain text with `names`, indented columns and doctests."""

from __future__ import annotations

import re
from typing import Any

from sphinx.application import Sphinx

SPECIAL = re.compile(r"([*|\\]|(?<=\w)_(?!\w))")


def restructured(lines: list[str]) -> list[str]:
    """Indented blocks become literal ones, and signs that mean something in reStructuredText mean themselves.

    >>> restructured(["x* of `a*b`:", "", "    a  b", "", ">>> 2 * 3", "6"])
    ['x\\\\* of `a*b`:', '', '::', '', '    a  b', '', '>>> 2 * 3', '6']
    """
    made: list[str] = []
    kind = "text"
    for k, line in enumerate(lines):
        if not line.strip():
            if kind == "doctest":
                kind = "text"
            made.append("")
            continue
        if line.startswith(">>>"):
            if kind != "doctest" and made and made[-1]:
                made.append("")
            kind = "doctest"
        elif kind != "doctest":
            indented = line.startswith("    ")
            if indented and kind == "text" and (k == 0 or not lines[k - 1].strip()):
                made += ["::", ""]
            kind = "literal" if indented else "text"
        made.append(_plain(line) if kind == "text" else line)
    return made


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
