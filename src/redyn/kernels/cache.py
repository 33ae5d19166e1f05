"""Compiled kernels on disk, one file each, so that a new process need not trace or compile again.

The key covers everything that the code depends on: the model's constants, the task, the processor, the lane width and
the source of the packages that make kernels. A file holds a checksum, which finds damage, not malice: so the folder
must belong to the user and be closed to everyone else, or there is no cache.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import stat
import sys
import tempfile
from importlib import metadata, resources
from pathlib import Path

from redyn.kernels.machine import processor

MAGIC = b"redyn kernel 1\n"
MOST_ENTRIES = 2000
_SOURCES = ("algebra", "arithmetic", "dynamics", "kernels", "model")


def folder() -> Path:
    """REDYN_CACHE if set, else where this platform keeps caches."""
    chosen = os.environ.get("REDYN_CACHE")
    if chosen:
        return Path(chosen)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "redyn" / "kernels"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "redyn" / "kernels"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "redyn" / "kernels"


@functools.cache
def _source_digest() -> str:
    """Of the code that makes kernels: edited code never meets a stale kernel."""
    digest = hashlib.sha256()
    root = resources.files("redyn")
    for package in _SOURCES:
        for entry in sorted((root / package).iterdir(), key=lambda e: e.name):
            if entry.name.endswith(".py"):
                digest.update(f"{package}/{entry.name}\0".encode())
                digest.update(entry.read_bytes())
    digest.update(metadata.version("llvmlite").encode())
    return digest.hexdigest()


def named(*parts: object) -> str:
    """The name of an entry that depends on `parts`, which must print all that they are."""
    return hashlib.sha256(repr((parts, processor(), _source_digest())).encode()).hexdigest()


def _usable() -> Path | None:
    """The folder, made if need be, if it is private to this user."""
    with contextlib.suppress(OSError, RuntimeError):
        path = folder()
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        if _private(os.lstat(path), stat.S_ISDIR):
            return path
    return None


def _private(status: os.stat_result, kind: object) -> bool:
    if not callable(kind) or not kind(status.st_mode):
        return False
    if not hasattr(os, "getuid"):  # Windows: the profile folder is the user's own
        return True
    return status.st_uid == os.getuid() and not status.st_mode & 0o077


def read(name: str) -> bytes | None:
    """The code of an entry; None if there is none, or it is damaged or not ours."""
    path = _usable()
    if path is None:
        return None
    with contextlib.suppress(OSError):
        descriptor = os.open(path / name, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0))
        with os.fdopen(descriptor, "rb") as file:
            if _private(os.fstat(file.fileno()), stat.S_ISREG):
                return _unpacked(file.read(), name)
    return None


def write(name: str, code: bytes) -> None:
    """Keep an entry; other processes see all of it or nothing. A cache that cannot be written is no error."""
    path = _usable()
    if path is None:
        return
    with contextlib.suppress(OSError):
        descriptor, temporary = tempfile.mkstemp(dir=path, prefix=".")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(_packed(code, name))
            Path(temporary).replace(path / name)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
        _prune(path)


def _packed(code: bytes, name: str) -> bytes:
    return MAGIC + hashlib.sha256(name.encode() + code).digest() + code


def _unpacked(data: bytes, name: str) -> bytes | None:
    head, code = data[: len(MAGIC) + 32], data[len(MAGIC) + 32 :]
    return code if code and head == MAGIC + hashlib.sha256(name.encode() + code).digest() else None


def _entries(path: Path) -> list[Path]:
    return [entry for entry in path.iterdir() if entry.is_file() and not entry.is_symlink()]


def _prune(path: Path) -> None:
    """The older half goes when there are too many."""
    entries = _entries(path)
    if len(entries) > MOST_ENTRIES:
        entries.sort(key=lambda entry: entry.stat().st_mtime)
        for entry in entries[: len(entries) // 2]:
            entry.unlink(missing_ok=True)


def summary() -> tuple[int, int]:
    """Number of entries and their size in bytes."""
    path = folder()
    entries = _entries(path) if path.is_dir() else []
    return len(entries), sum(entry.stat().st_size for entry in entries)


def clear() -> int:
    """Remove every entry; their number."""
    path = folder()
    entries = _entries(path) if path.is_dir() else []
    for entry in entries:
        entry.unlink(missing_ok=True)
    return len(entries)
