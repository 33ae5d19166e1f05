"""The folder of a sweep: `spec.json`, and in `shards/` one Parquet file per finished shard.

Files are written under a temporary name, flushed to disk and renamed: one that is there is complete, and is the
checkpoint. Whoever is killed leaves nothing but a temporary file that nobody reads.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from redyn import files
from redyn.errors import RedynError, warn
from redyn.sweep.plan import Spec
from redyn.sweep.shard import facts, pyarrow
from redyn.words import counted

FORMAT = 1
SPEC, SHARDS = "spec.json", "shards"
MAGIC = b"PAR1"  # at both ends of a Parquet file
_NAME = re.compile(r"(\d{8,15})\.parquet")


@dataclass(frozen=True)
class Status:
    """How much of a sweep is done."""

    folder: Path
    shards: int
    done: int
    samples: int
    samples_done: int
    size: int  # bytes

    @property
    def complete(self) -> bool:
        return self.done == self.shards

    def __str__(self) -> str:
        return (
            f"{self.folder}: {self.done} of {counted(self.shards, 'shard')}, "
            f"{self.samples_done} of {counted(self.samples, 'sample')}, {self.size / 1e6:.1f} MB"
            f"{', complete' if self.complete else ''}"
        )


class Folder:
    """Where the results of one specification are."""

    def __init__(self, path: Path, plan: Spec, made_with: dict[str, str]) -> None:
        self.path, self.plan, self.made_with = path, plan, made_with

    @classmethod
    def opened(cls, path: str | Path) -> Folder:
        """An existing one."""
        place = Path(path)
        try:
            data = json.loads((place / SPEC).read_text("utf-8"))
            if data.get("format") != FORMAT:
                raise RedynError(f"{place / SPEC}: of format {data.get('format')!r}, this version reads {FORMAT}")
            plan = Spec.model_validate(data["spec"])  # its robot was read when the sweep began
        except FileNotFoundError:
            raise RedynError(f"{place}: no sweep, there is no {SPEC}") from None
        except OSError as error:
            raise RedynError(f"{place / SPEC}: cannot be read: {error.strerror}") from None
        except (ValueError, KeyError, AttributeError):
            raise RedynError(f"{place / SPEC}: not a file that a sweep wrote") from None
        if plan.hash != data.get("hash"):
            raise RedynError(f"{place / SPEC}: its hash does not fit what it holds; was it edited?")
        return cls(place, plan, data.get("made_with", {}))

    @classmethod
    def made(cls, path: str | Path, plan: Spec) -> Folder:
        """A new one, or one that holds this sweep already; several processes may come at once."""
        place = files.folder(path)
        if not (place / SPEC).exists():
            # Another process may be at the same point: its files are temporary ones, or these two.
            others = [e.name for e in place.iterdir() if not e.name.startswith(".") and e.name not in (SPEC, SHARDS)]
            if others:
                raise RedynError(f"{place}: is not empty and holds no sweep ({others[0]}); name a new folder")
            _create(place / SPEC, _spec_text(plan))
        found = cls.opened(place)
        if found.plan.hash != plan.hash:
            raise RedynError(f"{place}: holds another sweep, {_difference(found.plan, plan)}; name another folder")
        files.folder(place / SHARDS)
        files.remove_abandoned(place / SHARDS)
        now = facts()
        changed = [name for name, value in found.made_with.items() if now.get(name, value) != value]
        if changed:
            what = ", ".join(f"{n.removeprefix('redyn.')} {now[n]} instead of {found.made_with[n]}" for n in changed)
            warn(f"{place}: was begun with other versions: {what}; results may differ in their last digits")
        return found

    def file(self, k: int) -> Path:
        return self.path / SHARDS / f"{k:08d}.parquet"

    def finished(self) -> list[int]:
        """The shards whose files are there and whole."""
        return sorted(k for k, entry in self._entries() if _is_whole(entry))

    def missing(self) -> list[int]:
        """The shards that are still to be computed."""
        done = set(self.finished())
        return [k for k in range(self.plan.shards) if k not in done]

    def _entries(self) -> Iterator[tuple[int, Path]]:
        try:
            entries = list(os.scandir(self.path / SHARDS))
        except FileNotFoundError:
            return
        except OSError as error:
            raise RedynError(f"{self.path / SHARDS}: cannot be read: {error.strerror}") from None
        for entry in entries:
            match = _NAME.fullmatch(entry.name)
            if match and int(match[1]) < self.plan.shards:
                yield int(match[1]), Path(entry.path)

    def status(self) -> Status:
        done, size, samples = 0, 0, 0
        for k, entry in self._entries():
            with contextlib.suppress(OSError):
                size += entry.stat().st_size
                done, samples = done + 1, samples + len(self.plan.rows(k))
        return Status(self.path, self.plan.shards, done, self.plan.samples, samples, size)

    def write(self, k: int, content: bytes) -> None:
        """A shard, whole or not at all."""
        with files.writing(self.file(k), files.PARQUET, force=True, tidy=False) as file:
            file.write(content)


def encoded(table: Any) -> bytes:
    """A table as a Parquet file in memory; equal tables give equal bytes."""
    arrow = pyarrow()
    import pyarrow.parquet as parquet  # pyright: ignore[reportMissingImports, reportMissingTypeStubs]

    sink = arrow.BufferOutputStream()
    # Floats of random samples do not compress; dictionaries only cost time.
    cast(Any, parquet).write_table(table, sink, compression="zstd", compression_level=1, use_dictionary=False)
    return sink.getvalue().to_pybytes()


def _is_whole(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            file.seek(-len(MAGIC), os.SEEK_END)
            return file.read() == MAGIC
    except OSError:
        return False


def _spec_text(plan: Spec) -> str:
    data = {"format": FORMAT, "hash": plan.hash, "made_with": facts(), "spec": plan.to_data()}
    return json.dumps(data, indent=1, allow_nan=False) + "\n"


def _create(path: Path, text: str) -> None:
    """A file that is not there yet; if another process makes it at the same time, that one stays."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        files.write(temporary, text, files.JSON)
        try:
            os.link(temporary, path)
        except FileExistsError:
            pass
        except OSError:  # a file system without links
            temporary.replace(path)
    except OSError as error:
        raise RedynError(f"{path}: cannot be written: {error.strerror}") from None
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()


def _difference(old: Spec, new: Spec) -> str:
    a, b = old.to_data(), new.to_data()
    keys = [key for key in {**a, **b} if a.get(key) != b.get(key)]
    return f"which differs in {', '.join(keys)}" if keys else "written by another version"
