"""Meshes prepared by the reader process, as a file of plain arrays: the server and its workers open no other."""

from __future__ import annotations

import json
import zipfile
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from redyn.errors import RedynError
from redyn.report.mesh_file import Part
from redyn.report.shapes import Look, Meshes

LARGEST = 60_000_000  # bytes: shapes.TRIANGLES triangles with a margin
NONE = Meshes({})


def save_meshes(path: Path, look: Look) -> None:
    """Saves the (simplified) meshes of a robot along with those of other robots in the same folder."""
    earlier: Meshes = load_meshes(path) or NONE
    kept = {name: parts for name, parts in earlier.parts.items() if name not in look.files}
    distinct = list({id(parts): parts for parts in kept.values()}.values())
    if sum(part.vertices.size + part.faces.size for parts in distinct for part in parts) * 4 > LARGEST / 2:
        kept, distinct = {}, []
    meshes = [*look.meshes, *distinct]
    indices = {id(parts): len(look.meshes) + k for k, parts in enumerate(distinct)}
    arrays: dict[str, Any] = {}
    for i, parts in enumerate(meshes):
        for j, part in enumerate(parts):
            arrays[f"vertices_{i}_{j}"] = part.vertices.astype(np.float32)
            arrays[f"faces_{i}_{j}"] = part.faces.astype(np.int32)
    index = {
        "files": look.files | {name: indices[id(parts)] for name, parts in kept.items()},
        "colours": [[part.colour for part in parts] for parts in meshes],
        "note": look.note,
    }
    np.savez(path, index=np.frombuffer(json.dumps(index).encode(), dtype=np.uint8), **arrays)


def load_meshes(path: Path | None) -> Meshes | None:
    """Loads what `save_meshes` wrote, without trusting its contents. None stays None: read the robot's own files."""
    if path is None:
        return None
    try:
        return _load(path, path.stat().st_mtime_ns)
    except FileNotFoundError:
        return NONE  # the upload has been removed
    except (OSError, ValueError, KeyError, TypeError, zipfile.BadZipFile):
        raise RedynError("the meshes of this robot are no longer available; upload it again") from None


@lru_cache(maxsize=8)
def _load(path: Path, _changed: int) -> Meshes:
    with zipfile.ZipFile(path) as packed:
        if sum(entry.file_size for entry in packed.infolist()) > LARGEST:
            raise ValueError("too large")
    with np.load(path, allow_pickle=False) as arrays:
        index = json.loads(arrays["index"].tobytes())
        meshes = [
            tuple(
                Part(
                    arrays[f"vertices_{i}_{j}"].astype(np.float64).reshape(-1, 3),
                    arrays[f"faces_{i}_{j}"].astype(np.int64).reshape(-1, 3),
                    None if colour is None else (float(colour[0]), float(colour[1]), float(colour[2])),
                )
                for j, colour in enumerate(colours)
            )
            for i, colours in enumerate(index["colours"])
        ]
    for parts in meshes:
        for part in parts:
            if not np.isfinite(part.vertices).all() or part.faces.min() < 0 or part.faces.max() >= len(part.vertices):
                raise ValueError("not a mesh")
    return Meshes({str(name): meshes[int(k)] for name, k in index["files"].items()}, str(index["note"])[:200])
