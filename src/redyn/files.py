"""Atomic output: files are written completely or not at all, and never replace a file of another kind.

The contents go to a temporary file in the same folder, are flushed to disk, and renamed to the target in one step. If
redyn is interrupted, killed or out of disk space, the old file stays. A file is replaced if it is of the kind being
written (an HTML page of redyn's by another, a CSV table by another); any other only with `force`. redyn never writes
through links or into devices.
"""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import re
import secrets
import stat
import time
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from redyn.errors import RedynError

HEAD = 65_536  # bytes of an existing file that are inspected
ABANDONED = 3600.0  # s; an older temporary file belongs to a killed process
_PICTURES = (b"\x89PNG", b"%PDF", b"%!PS", b"\xff\xd8\xff", b"RIFF", b"II*\0", b"MM\0*", b"GIF8")

written: list[Path] = []  # files of this process, so that an interrupted command can report them


@dataclass(frozen=True)
class Kind:
    """A kind of file: its description, and a test of the beginning of an existing one."""

    name: str
    fits: Callable[[bytes], bool]


def _text(head: bytes) -> str | None:
    """Decoded as UTF-8, without a truncated last character; None if it is not text."""
    if b"\0" in head:
        return None
    for cut in range(4):
        with contextlib.suppress(UnicodeDecodeError):
            return head[: len(head) - cut].decode("utf-8")
    return None


def _is_csv(head: bytes) -> bool:
    text = _text(head)
    try:
        rows = list(csv.reader(io.StringIO(text, newline=None)))[:20] if text else []  # any line endings
    except csv.Error:
        return False
    if len(head) >= HEAD:
        rows = rows[:-1]  # may be truncated
    even = len(rows) > 1 and len(rows[0]) > 1 and all(len(row) == len(rows[0]) for row in rows)
    return even and any(_is_number(cell) for row in rows[1:] for cell in row)


def _is_number(cell: str) -> bool:
    with contextlib.suppress(ValueError):
        float(cell)
        return True
    return False


def _is_picture(head: bytes) -> bool:
    return head.startswith(_PICTURES) or b"<svg" in head[:1000]


def _is_json(head: bytes) -> bool:
    text = (_text(head) or "").lstrip()
    if not text.startswith(("{", "[")):
        return False
    if len(head) >= HEAD:  # too long to read completely
        return True
    with contextlib.suppress(ValueError, RecursionError):
        json.loads(text)
        return True
    return False


def _by_redyn(start: str) -> Callable[[bytes], bool]:
    """Text that matches the pattern and mentions redyn near the top, since users write such files by hand too."""
    pattern = re.compile(start, re.IGNORECASE)

    def fits(head: bytes) -> bool:
        text = _text(head)
        return text is not None and bool(pattern.match(text.lstrip("\ufeff \t\r\n"))) and "redyn" in text

    return fits


def _is_robot(head: bytes) -> bool:
    return bool(re.search(r"^links\s*:", _text(head) or "", re.MULTILINE))


CSV = Kind("a CSV table", _is_csv)
PICTURE = Kind("a picture", _is_picture)
JSON = Kind("JSON", _is_json)
HTML = Kind("a page by redyn", _by_redyn(r"<!doctype html|<html"))
LATEX = Kind("LaTeX by redyn", _by_redyn(r"%|\\"))
NOTEBOOK = Kind("a notebook by redyn", _by_redyn(r"\{"))
SOURCE = Kind("source code by redyn", _by_redyn(r"/\*|//|\"\"\"|#"))
PACKAGE = Kind("part of a package by redyn", _by_redyn(r"<\?xml"))
URDF = Kind("a URDF", lambda head: b"<robot" in head)
ROBOT = Kind("a robot file", _is_robot)
PARQUET = Kind("a Parquet file", lambda head: head.startswith(b"PAR1"))
RUN = Kind("a saved run", lambda head: head.startswith(b"PK") and head[30:38] == b"run.json")
SCRIPT = Kind("a JavaScript bundle", lambda head: _text(head) is not None)


def check(path: str | Path, kind: Kind, force: bool = False) -> None:
    """Raise unless a file of that kind may be written there; `force` also replaces files of other kinds."""
    target = Path(path)
    if not target.name:
        raise RedynError(f"{path}: expected the name of a file")
    try:
        status = target.lstat()
    except FileNotFoundError:
        if not target.absolute().parent.is_dir():
            raise RedynError(f"{path}: there is no folder {target.absolute().parent}") from None
        return
    except OSError as error:
        raise RedynError(f"{path}: cannot be written: {error.strerror}") from None
    if stat.S_ISLNK(status.st_mode):
        raise RedynError(f"{path}: is a link, which redyn does not write through; name the file itself")
    if stat.S_ISDIR(status.st_mode):
        raise RedynError(f"{path}: is a folder; expected the name of a file")
    if not stat.S_ISREG(status.st_mode):
        raise RedynError(f"{path}: is not a regular file; expected the name of one")
    if force:
        return
    if not status.st_mode & 0o222:
        raise RedynError(f"{path}: is read-only; --force (in Python force=True) replaces it")
    try:
        with target.open("rb") as file:
            head = file.read(HEAD)
    except OSError as error:
        raise RedynError(f"{path}: exists and cannot be read: {error.strerror}; not replaced") from None
    if head and not kind.fits(head):
        raise RedynError(f"{path}: exists and is not {kind.name}; --force (in Python force=True) replaces it")


def check_all(targets: Iterable[tuple[str, Path | None, Kind]], force: bool = False) -> None:
    """Checks before a long computation that every output file can be written, and that no two options name the same."""
    seen: dict[Path, str] = {}
    for option, path, kind in targets:
        if path is None:
            continue
        check(path, kind, force)
        place = path.absolute().parent.resolve() / path.name  # however the path is spelled
        if place in seen:
            raise RedynError(f"{option} and {seen[place]}: both name {path}")
        seen[place] = option


@contextlib.contextmanager
def writing(path: str | Path, kind: Kind, force: bool = False, tidy: bool = True) -> Generator[BinaryIO]:
    """A file to write to, which is renamed to its target on success and removed on failure.

    `tidy` looks through the folder for what killed processes left of the same target, and notes the file in `written`:
    not for one of thousands.

    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp()) / "table.csv"
    >>> with writing(place, CSV) as file:
    ...     _ = file.write(b"t,q\\n0,1\\n")
    >>> place.read_text()
    't,q\\n0,1\\n'
    """
    check(path, kind, force)
    target = Path(path)
    if tidy:
        remove_abandoned(target.absolute().parent, target)
    temporary = target.with_name(f"{_prefix(target)}{secrets.token_hex(4)}.part")
    try:
        flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)
        descriptor = os.open(temporary, flags, 0o666)  # minus the user's umask
        try:
            with os.fdopen(descriptor, "wb") as file:
                _like_the_old_one(target, file.fileno())
                yield file
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(target)
            _flush_folder(target.absolute().parent)
        except BaseException:
            with contextlib.suppress(OSError):
                temporary.unlink()
            raise
    except OSError as error:
        raise RedynError(f"{path}: cannot be written: {error.strerror or error}") from None
    if tidy:
        written.append(target)


def write(path: str | Path, content: str | bytes, kind: Kind, force: bool = False) -> Path:
    """Writes text (UTF-8, line endings unchanged) or bytes to a file and returns its path."""
    with writing(path, kind, force) as file:
        file.write(content.encode("utf-8") if isinstance(content, str) else content)
    return Path(path)


def write_csv(path: str | Path, header: Sequence[str], rows: Iterable[Iterable[object]], force: bool = False) -> Path:
    """Writes a table with a header; numbers in full precision."""
    with writing(path, CSV, force) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="")
        writer = csv.writer(text)
        writer.writerow(header)
        writer.writerows(rows)
        text.detach()  # flushed; the file itself stays open
    return Path(path)


def folder(path: str | Path) -> Path:
    """A folder to write into, created if missing."""
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise RedynError(f"{path}: exists and is not a folder") from None
    except OSError as error:
        raise RedynError(f"{path}: cannot be created: {error.strerror}") from None
    return Path(path)


def _prefix(target: Path) -> str:
    return f".{target.name[:60]}."


def remove_abandoned(place: Path, target: Path | None = None) -> None:
    """Removes temporary files left by killed processes from a folder: those of one target, or all of them."""
    start = r"\..*\." if target is None else re.escape(_prefix(target))
    with contextlib.suppress(OSError):
        pattern = re.compile(start + r"[0-9a-f]{8}\.part")
        for entry in place.iterdir():
            if pattern.fullmatch(entry.name) and time.time() - entry.lstat().st_mtime > ABANDONED:
                entry.unlink()


def _flush_folder(place: Path) -> None:
    """Makes a new name survive a loss of power, where the system lets folders be opened."""
    with contextlib.suppress(OSError):
        descriptor = os.open(place, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _like_the_old_one(target: Path, descriptor: int) -> None:
    """Keeps owner and permissions of the replaced file, as far as this user may set them."""
    with contextlib.suppress(OSError, AttributeError):  # nothing to replace, or Windows
        old = target.stat()
        with contextlib.suppress(OSError):
            os.fchown(descriptor, old.st_uid, old.st_gid)
        os.fchmod(descriptor, stat.S_IMODE(old.st_mode))
