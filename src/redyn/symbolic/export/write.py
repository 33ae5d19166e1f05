"""Files of one export, written together."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from pathlib import Path

from redyn import files


def wrapped(text: str, width: int = 100) -> list[str]:
    """Lines of a comment."""
    return textwrap.wrap(text, width, subsequent_indent="  ")


def write_files(folder: str | Path, texts: Mapping[str, str], force: bool = False) -> list[Path]:
    """Write texts by file name into a folder, which is created if missing; either all are written or none."""
    place = files.folder(folder)
    for parent in {(place / name).parent for name in texts}:
        files.folder(parent)
    kinds = {name: files.PACKAGE if name.endswith(".xml") else files.SOURCE for name in texts}
    for name, kind in kinds.items():
        files.check(place / name, kind, force)
    return [files.write(place / name, text, kinds[name], force) for name, text in texts.items()]
