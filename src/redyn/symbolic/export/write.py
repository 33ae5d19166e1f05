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
    for name in texts:
        files.check(place / name, files.SOURCE, force)
    return [files.write(place / name, text, files.SOURCE, force) for name, text in texts.items()]
