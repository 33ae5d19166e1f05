"""Files of one export, written together."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from pathlib import Path

from redyn.errors import RedynError


def wrapped(text: str, width: int = 100) -> list[str]:
    """Lines of a comment."""
    return textwrap.wrap(text, width, subsequent_indent="  ")


def write_files(folder: str | Path, texts: Mapping[str, str]) -> list[Path]:
    """Write texts by file name into a folder, which is made if it is not there."""
    place = Path(folder)
    written: list[Path] = []
    try:
        place.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            (place / name).write_text(text, "ascii", newline="\n")
            written.append(place / name)
    except OSError as error:
        raise RedynError(f"{error.filename or place}: cannot be written: {error.strerror}") from None
    return written
