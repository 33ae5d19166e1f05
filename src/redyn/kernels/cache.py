"""Compiled code on disk, one file each, so that a new process need not trace or compile again: kernels, and loops.

The key of a kernel covers everything that it depends on: the model's constants, the task, the processor, the lane width
and the source of the packages that make kernels; for that of a loop see `loops`. A file holds a checksum, which finds
damage, not malice: so the folder must belong to the user and be closed to everyone else, or there is no cache. What is
damaged, or cannot be read or written, is compiled again; it is never an error. Pictures of robots are kept beside it in
the same way, in a folder of their own.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import stat
import sys
import tempfile
import time
import weakref
from collections.abc import Callable, Iterable, Iterator
from importlib import metadata, resources
from pathlib import Path

from redyn.kernels import machine
from redyn.kernels.lock import building

KERNELS, PICTURES = "kernels", "pictures"  # folders
MAGIC = b"redyn kernel 1\n"
MOST_ENTRIES = 2000
MOST_BYTES = 256_000_000
TEMPORARY = ".redyn-"
ABANDONED = 600.0  # s: a temporary file that is older belongs to a process that was killed while writing
_OURS = re.compile(r"[0-9a-f]{64}|\.redyn-.*")  # other files in the folder are none of our business
_OLD_LOOPS = "loops-*"  # folders of Numba's own cache, which earlier versions used
_SOURCES = ("algebra", "arithmetic", "dynamics", "kernels", "model")


_READ = os.O_RDONLY
for _flag in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"):
    _READ |= getattr(os, _flag, 0)


def folder(kind: str = KERNELS) -> Path:
    """REDYN_CACHE if set, else where this platform keeps caches."""
    chosen = os.environ.get("REDYN_CACHE")
    if chosen:
        return Path(chosen) / kind
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "redyn" / kind
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "redyn" / kind
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "redyn" / kind


def sources(packages: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    """Path and contents of every Python file of these packages of redyn, and of those within them."""
    for package in packages:
        entries = sorted(resources.files("redyn").joinpath(package).iterdir(), key=lambda entry: entry.name)
        for entry in entries:
            path = f"{package}/{entry.name}"
            if entry.is_dir():
                yield from sources([path])
            elif entry.name.endswith(".py"):
                yield path, entry.read_bytes()


def _source_digest() -> str:
    """Of the code that makes kernels."""
    digest = hashlib.sha256()
    for path, contents in sources(_SOURCES):
        digest.update(f"{path}\0".encode() + contents)
    for package in ("llvmlite", "casadi"):
        with contextlib.suppress(metadata.PackageNotFoundError):
            digest.update(metadata.version(package).encode())
    return digest.hexdigest()


# Of the code that this process runs. If the files change later, what it compiles is kept under neither name.
_SOURCE = _source_digest()


def named(*parts: object) -> str:
    """The name of an entry that depends on `parts`, which must print all that they are."""
    return hashlib.sha256(repr((parts, machine.processor(), _SOURCE)).encode()).hexdigest()


_loaded: weakref.WeakValueDictionary[str, machine.Code] = weakref.WeakValueDictionary()


def code(name: str, width: int, text: Callable[[], str]) -> machine.Code:
    """The code of that name: in this process, on disk, or built now from the LLVM module of `text`.

    Robots that are equal share their code; it goes with the last of them.
    """
    with building:
        found = _loaded.get(name)
        if found is None:
            kept = read(name)
            if kept is None:
                kept = machine.compile_module(text(), width)
                write(name, kept)
            found = _loaded[name] = machine.Code(kept, width)
        return found


def _usable(kind: str = KERNELS) -> Path | None:
    """The folder, made if need be, if it is private to this user."""
    with contextlib.suppress(OSError, RuntimeError):
        path = folder(kind)
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        if _private(os.lstat(path), stat.S_ISDIR):
            return path
    return None


def _private(status: os.stat_result, kind: Callable[[int], bool]) -> bool:
    if not kind(status.st_mode):
        return False
    if not hasattr(os, "getuid"):  # Windows: the profile folder is the user's own
        return True
    return status.st_uid == os.getuid() and not status.st_mode & 0o077


def read(name: str, kind: str = KERNELS) -> bytes | None:
    """The code of an entry; None if there is none, or it is damaged or not ours."""
    path = _usable(kind)
    if path is None:
        return None
    with contextlib.suppress(OSError):
        descriptor = os.open(path / name, _READ)
        with os.fdopen(descriptor, "rb") as file:
            if _private(os.fstat(file.fileno()), stat.S_ISREG):
                with contextlib.suppress(OSError):  # a read-only disk, or pruned meanwhile: what was read still serves
                    os.utime(path / name)  # used just now: pruning spares it
                return _unpacked(file.read(), name)
    return None


def write(name: str, code: bytes, kind: str = KERNELS) -> None:
    """Keep an entry; other processes see all of it or nothing. A cache that cannot be written is no error."""
    path = _usable(kind)
    if path is None or _source_digest() != _SOURCE:
        return
    with contextlib.suppress(OSError):
        descriptor, temporary = tempfile.mkstemp(dir=path, prefix=TEMPORARY)
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


def _entries(path: Path) -> list[tuple[Path, os.stat_result]]:
    """Our files in the folder."""
    found: list[tuple[Path, os.stat_result]] = []
    with contextlib.suppress(OSError):
        for entry in path.iterdir():
            with contextlib.suppress(OSError):  # another process may have removed it
                status = entry.lstat()
                if _OURS.fullmatch(entry.name) and stat.S_ISREG(status.st_mode):
                    found.append((entry, status))
    return found


def _prune(path: Path) -> None:
    """When there is too much, the least recently used entries go until half of what is allowed is left."""
    now, entries = time.time(), _entries(path)
    kept = [entry for entry in entries if not entry[0].name.startswith(TEMPORARY)]
    for entry, status in entries:
        if entry.name.startswith(TEMPORARY) and now - status.st_mtime > ABANDONED:
            _remove(entry)
    for old in path.glob(_OLD_LOOPS):
        shutil.rmtree(old, ignore_errors=True)
    size = sum(status.st_size for _, status in kept)
    if len(kept) <= MOST_ENTRIES and size <= MOST_BYTES:
        return
    kept.sort(key=lambda entry: entry[1].st_mtime, reverse=True)
    size = 0
    for rank, (entry, status) in enumerate(kept):
        size += status.st_size
        if rank and (rank >= MOST_ENTRIES // 2 or size > MOST_BYTES // 2):  # the newest stays in any case
            _remove(entry)


def _remove(entry: Path) -> None:
    with contextlib.suppress(OSError):  # another process was faster, or has it open (Windows)
        entry.unlink(missing_ok=True)


def summary(kind: str = KERNELS) -> tuple[int, int] | None:
    """Number of entries and their size in bytes; None where the folder is not used."""
    path = _usable(kind)
    if path is None:
        return None
    entries = _entries(path)
    return len(entries), sum(status.st_size for _, status in entries)


def clear(kind: str = KERNELS) -> int:
    """Remove every entry; their number."""
    path = _usable(kind)
    entries = [] if path is None else _entries(path)
    for entry, _ in entries:
        _remove(entry)
    if path is not None:
        for loops in path.glob(_OLD_LOOPS):
            shutil.rmtree(loops, ignore_errors=True)
    return len(entries)
