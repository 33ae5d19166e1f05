"""The site can be read without a network: no page loads anything from elsewhere."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx

LOADED = re.compile(
    rb"""<(?:script|img|iframe|source|video|audio|embed)\b[^>]*?\bsrc(?:set)?=["'](?:https?:)?//[^"']+"""
    rb"""|<link\b(?=[^>]*\brel=["'](?:stylesheet|preload|icon|preconnect))[^>]*?\bhref=["'](?:https?:)?//[^"']+"""
    rb"""|(?:@import\s+|url\()["']?(?:https?:)?//[^"')]+"""
)


def loads(text: bytes) -> list[str]:
    """What a page or a style sheet would fetch from elsewhere.

    >>> loads(b'<a href="https://a.org">a</a> <script async src="https://b.org/b.js"></script>')
    ['<script async src="https://b.org/b.js']
    """
    return [found.decode() for found in LOADED.findall(text)]


def _check(app: Sphinx, error: Exception | None) -> None:
    from sphinx.errors import ExtensionError

    if error is not None or app.builder.name != "html":
        return
    found = [
        f"{path.relative_to(app.outdir)}: {what}"
        for path in sorted(Path(app.outdir).rglob("*"))
        if path.suffix in (".html", ".css")
        for what in loads(path.read_bytes())
    ]
    if found:
        raise ExtensionError("pages that need a network:\n" + "\n".join(found))


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("build-finished", _check, priority=800)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
