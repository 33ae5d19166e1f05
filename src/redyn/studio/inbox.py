"""Uploads of one browser tab: each in its own folder, read in another process, and deleted when no longer needed."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import tempfile
import time
import zipfile
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from redyn.errors import InputError
from redyn.studio.opening import Opened, received
from redyn.studio.reader import TABLE
from redyn.studio.uploads import UploadError, safe_name
from redyn.trajectory.table import Table

FOLDER = "redyn-studio-"  # prefix of the temporary folders of tabs
ABANDONED = 24 * 3600.0  # s; a live server touches its folders every few seconds
KEPT = 3  # robots whose files are kept, so that undo finds their meshes
MOST_NUMBERS = 5_000_000  # of a CSV file


class Reads(Protocol):
    """See `readers.Readers`."""

    def read(self, kind: str, folder: Path, name: str, choice: str | None = None) -> dict[str, Any]: ...


def new_folder() -> Path:
    """A folder for the uploads of one tab, inaccessible to other users."""
    return Path(tempfile.mkdtemp(prefix=FOLDER))


def remove_abandoned() -> None:
    """Removes folders of servers that were killed."""
    for path in Path(tempfile.gettempdir()).glob(f"{FOLDER}*"):
        with contextlib.suppress(OSError):
            found = path.lstat()
            own = not hasattr(os, "getuid") or found.st_uid == os.getuid()
            if own and stat.S_ISDIR(found.st_mode) and time.time() - found.st_mtime > ABANDONED:
                shutil.rmtree(path, ignore_errors=True)


def size(folder: Path) -> int:
    """Bytes of the files in a folder."""
    found = 0
    for path, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                found += os.lstat(Path(path, name)).st_size
    return found


def place(folder: Path, name: str) -> Path:
    """A new folder for one upload, so that concurrent uploads do not collide."""
    return Path(tempfile.mkdtemp(dir=folder)) / safe_name(name)


def open_robot(readers: Reads, path: Path, choice: str | None = None) -> Opened:
    """The robot of an upload, which is removed if it is refused."""
    try:
        return received(readers.read("robot", path.parent, path.name, choice), path.parent, path.name)
    except BaseException:
        if choice is None:  # otherwise another robot of this archive is in use
            shutil.rmtree(path.parent, ignore_errors=True)
        raise


def read_columns(readers: Reads, path: Path) -> Table:
    """The columns of a CSV file, which is then removed."""
    try:
        names = [str(name) for name in readers.read("table", path.parent, path.name)["table"]]
        with zipfile.ZipFile(path.parent / TABLE) as packed:
            if sum(entry.file_size for entry in packed.infolist()) > 8 * MOST_NUMBERS + 1000:
                raise UploadError(f"{path.name}: more than {MOST_NUMBERS:,} numbers")
        with np.load(path.parent / TABLE, allow_pickle=False) as arrays:
            values = np.array(arrays["values"], dtype=np.float64)
        if values.ndim != 2 or len(values) != len(names) + 1:
            raise UploadError(f"{path.name}: reading it failed")
        return Table(values[0], dict(zip(names, values[1:], strict=True)))
    except (OSError, ValueError, KeyError, zipfile.BadZipFile):
        raise UploadError(f"{path.name}: reading it failed") from None
    finally:
        shutil.rmtree(path.parent, ignore_errors=True)


def read_exercise(readers: Reads, path: Path) -> tuple[str, dict[str, Any]]:
    """The name of an exercise and its data; the file is then removed."""
    try:
        return path.stem, readers.read("exercise", path.parent, path.name)["exercise"]
    finally:
        shutil.rmtree(path.parent, ignore_errors=True)


def read_session(readers: Reads, path: Path, folder: Path) -> tuple[object, dict[str, Path]]:
    """The work of a session, and its uploads by kind, each in a folder of its own; the file is then removed."""
    try:
        found = readers.read("session", path.parent, path.name)
        files: dict[str, Path] = {}
        for kind, name in found["files"].items():
            files[kind] = place(folder, Path(str(name)).name)
            shutil.move(path.parent / str(name), files[kind])
        return found["work"], files
    finally:
        shutil.rmtree(path.parent, ignore_errors=True)


def finite(name: str, table: Table, columns: list[str]) -> np.ndarray:
    """The columns as an array; an error if one of their cells is empty."""
    found = np.stack([table.columns[column] for column in columns], axis=1)
    gaps = np.argwhere(~np.isfinite(found))
    if len(gaps):
        row, k = gaps[0]
        raise InputError(f"{name}: column {columns[k]} has no number at t = {table.times[row]:g}")
    return found


def tidy(folder: Path, used: set[Path]) -> None:
    """Removes old uploads: all but the last few folders and those in use."""
    folders = sorted((path for path in folder.iterdir() if path.is_dir()), key=lambda path: path.stat().st_mtime_ns)
    for old in folders[:-KEPT]:
        if old not in used:
            shutil.rmtree(old, ignore_errors=True)
