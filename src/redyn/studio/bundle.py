"""A session as one file, or as a link: all that the user has entered, without results, which can be computed again.

The file is a zip of `redyn-session.json`, of what was uploaded for the session, and of the pinned runs. It is read like
any upload, in a separate process. A link holds the same JSON, compressed, after its `#`, which browsers do not send to
servers, and no pinned runs.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from redyn.errors import InputError
from redyn.studio import keep, pins, uploads
from redyn.studio.entries import entries
from redyn.studio.pins import Board
from redyn.studio.state import State, mesh_files
from redyn.studio.uploads import UploadError, safe_name
from redyn.studio.work import csv_text

WORK = "redyn-session.json"  # first in the archive
FORMAT, VERSION = "redyn session", 1
FILES = ("robot", "motion", "torque")  # kinds of uploads
PIN = "pin-"  # followed by the key of a pinned run
SUFFIXES = (*uploads.KEPT, ".json", ".csv", ".zip")
LONGEST = 30_000  # characters of a link
LINK = "#work="
_POSITION = ("tab", "before", "ran", "angles")  # what is looked at, which nobody misses


def mark(state: State) -> str:
    """Changes when there is something new to save."""
    return mark_of(keep.snapshot(state))


def mark_of(snapshot: dict[str, Any]) -> str:
    """The same of work that has been taken down already."""
    work = {key: value for key, value in snapshot.items() if key not in _POSITION}
    return hashlib.sha256(json.dumps(work, sort_keys=True, default=str).encode()).hexdigest()


# --- a file ------------------------------------------------------------------------------------------------------


def save(state: State) -> tuple[str, bytes]:
    """Name and content."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as packed:
        work = {"format": FORMAT, "version": VERSION, "work": keep.snapshot(state)}
        packed.writestr(WORK, json.dumps(work, indent=1))
        for name, data in _files(state):
            packed.writestr(name, data)
    return f"{safe_name(state.robot.name)}-session.zip", content.getvalue()


def _files(state: State) -> Iterator[tuple[str, bytes]]:
    """What was uploaded, by the names in the archive."""
    own, robot, origin = entries(state.robot), state.robot, state.origin
    if state.meshes is not None and origin.folder is not None and (file := origin.folder / origin.archive).is_file():
        yield f"robot/{safe_name(origin.archive)}", file.read_bytes()
    samples, torques = state.motion.samples, state.run.table
    if state.motion.kind == "csv" and samples is not None:
        found = {"q": samples.q, "qd": samples.qd, "qdd": samples.qdd}
        columns = {
            f"{kind}_{name}": values[:, k]
            for kind, values in found.items()
            if values is not None
            for k, name in enumerate(own.names(robot))
        }
        yield f"motion/{safe_name(samples.name)}", csv_text({"t": samples.t, **columns}).encode()
    if state.run.drive == "csv" and torques is not None:
        columns = {f"tau_{name}": torques.q[:, k] for k, name in enumerate(own.torque_names(robot))}
        yield f"torque/{safe_name(torques.name)}", csv_text({"t": torques.t, **columns}).encode()
    for pin in state.board.pins:
        yield f"{PIN}{pin.key}/run.json", pins.packed(pin.trace).encode()


def is_session(path: Path) -> bool:
    """Whether a file looks like one, by its first bytes."""
    with path.open("rb") as file:
        head = file.read(30 + len(WORK))
    return head.startswith(b"PK\x03\x04") and head[30:] == WORK.encode()


def unpack(path: Path) -> tuple[Any, dict[str, str]]:
    """The work, and by kind the uploads as paths in the folder of the file. It is not trusted."""
    folder = uploads.unpack(path, SUFFIXES)
    file = folder / WORK
    if not file.is_file():
        raise UploadError(f"{path.name}: not a session of the studio: it contains no {WORK}")
    try:
        found = keep.read(file)
    except InputError as error:
        raise UploadError(f"{path.name}: the session is damaged: {error}") from None
    given = cast("dict[str, Any]", found) if isinstance(found, dict) else {}
    version = given.get("version")
    if given.get("format") != FORMAT or not isinstance(version, int) or "work" not in given:
        raise UploadError(f"{path.name}: not a session of the studio")
    if version > VERSION:
        raise UploadError(f"{path.name}: saved by a newer redyn; update this one to open it")
    kinds = [*FILES, *sorted(x.name for x in folder.glob(f"{PIN}*"))[: pins.MOST]]
    files = {kind: next((x for x in sorted((folder / kind).glob("*")) if x.is_file()), None) for kind in kinds}
    return given["work"], {kind: x.relative_to(path.parent).as_posix() for kind, x in files.items() if x is not None}


# --- a link ------------------------------------------------------------------------------------------------------


def link(state: State) -> str:
    """What follows the address of the studio."""
    if state.meshes is not None and mesh_files(state.robot.description):
        raise InputError("the uploaded meshes do not fit into a link; save the session as a file instead")
    if state.motion.kind == "csv" or state.run.drive == "csv":
        raise InputError("an uploaded CSV file does not fit into a link; save the session as a file instead")
    work = {**keep.snapshot(state), "uploaded": False}
    work["board"] = Board().snapshot()  # pinned runs are too large
    packed = base64.urlsafe_b64encode(zlib.compress(json.dumps(work).encode(), 9)).decode("ascii")
    if len(packed) > LONGEST:
        raise InputError(
            f"this work is too large for a link ({len(packed):,} characters); save the session as a file instead"
        )
    return LINK + packed.rstrip("=")
