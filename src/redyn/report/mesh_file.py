"""One mesh file as triangles that a browser can draw: read by trimesh, snapped to a grid, split along its edges.

Coordinates are in metres as in the file: Collada's unit is applied, its up axis and that of GLB are not,
because URDFs are written for RViz and Gazebo, which ignore them too, and many public files state a wrong one.
Textures are not read. Files are untrusted, so only the file and the materials (.mtl) in its folder are opened.
"""

from __future__ import annotations

import importlib
import io
import logging
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from redyn.errors import DescriptionError, MissingExtraError
from redyn.report.mesh_checks import check_collada, check_glb

Array = NDArray[np.float64]
Faces = NDArray[np.int64]

_SILENT = logging.NullHandler()
FORMATS = ("stl", "dae", "obj", "glb")
LARGEST_FILE = 200_000_000  # bytes
MOST_TRIANGLES = 5_000_000  # of one file, counting every instance of its bodies
GRID = 65_535  # grid steps along the longest side: 16 bits
CREASE = np.cos(np.radians(35.0))  # sharper edges are shaded flat, others smoothly
DEFAULT_COLOUR = (102, 102, 102, 255)  # trimesh's default for files without colour


class Part(NamedTuple):
    """Triangles of one colour (red, green, blue from 0 to 1; None if the file gives none)."""

    vertices: Array
    faces: Faces
    colour: tuple[float, float, float] | None


def read_mesh(path: Path) -> tuple[Part, ...]:
    """The triangles of a file, one part per colour. A changed file is read again."""
    try:
        state = path.stat()
    except OSError as error:
        raise DescriptionError(path.name, f"cannot be read: {error.strerror}") from None
    return _read(path, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=128)
def _read(path: Path, _changed: int, size: int) -> tuple[Part, ...]:
    kind = path.suffix.lower().removeprefix(".")
    if kind not in FORMATS:
        raise DescriptionError(path.name, f"expected a mesh in {', '.join(FORMATS)}, got .{kind[:20]}")
    if size > LARGEST_FILE:
        raise DescriptionError(path.name, f"has {size / 1e6:.0f} MB; the limit is {LARGEST_FILE / 1e6:.0f} MB")
    try:
        data = path.read_bytes()
    except OSError as error:
        raise DescriptionError(path.name, f"cannot be read: {error.strerror}") from None
    check = {"dae": check_collada, "glb": check_glb}.get(kind)
    if check is not None:
        check(data, path.name)
    groups: dict[tuple[float, float, float] | None, list[Array]] = {}
    for colour, corners in _triangles(data, kind, path):
        groups.setdefault(colour, []).append(corners)
    parts = [_merged(np.concatenate(corners), colour) for colour, corners in groups.items()]
    if not any(len(part.faces) for part in parts):
        raise DescriptionError(path.name, "contains no triangles")
    return tuple(part for part in parts if len(part.faces))


def _triangles(data: bytes, kind: str, path: Path) -> list[tuple[tuple[float, float, float] | None, Array]]:
    """Colour and corners (F, 3, 3) of every body in the file, in metres."""
    try:
        trimesh: Any = importlib.import_module("trimesh")
        logging.getLogger("trimesh").addHandler(_SILENT)  # it logs textures that are missing, which are not read
        if kind == "dae":
            importlib.import_module("collada")
    except ImportError as error:
        package = {"collada": "pycollada"}.get(str(error.name), str(error.name))
        raise MissingExtraError(package, "ui", "Drawing a mesh") from None
    try:
        scene = trimesh.load_scene(io.BytesIO(data), file_type=kind, process=False, resolver=_Materials(path))
        shown = [(scene.geometry[name], T) for T, name in map(scene.graph.get, scene.graph.nodes_geometry)]
        solids = [(solid, T) for solid, T in shown if hasattr(solid, "faces")]
        if sum(len(solid.faces) for solid, _ in solids) > MOST_TRIANGLES:
            raise DescriptionError(path.name, f"has more than {MOST_TRIANGLES:,} triangles")
        found: list[tuple[tuple[float, float, float] | None, Array]] = []
        for solid, T in solids:
            corners = np.asarray(solid.vertices, dtype=np.float64)[np.asarray(solid.faces)]
            corners = _metres(solid) * (corners @ T[:3, :3].T + T[:3, 3])
            if not np.isfinite(corners).all():
                raise DescriptionError(path.name, "a coordinate is not a finite number")
            found.append((_colour(solid), corners))
    except DescriptionError:
        raise
    except Exception as error:  # any exception of a parser on an untrusted file: it cannot be drawn
        reason = " ".join(str(error).split())[:120]
        raise DescriptionError(path.name, f"is damaged: {reason or type(error).__name__}") from None
    return found


class _Materials:
    """The only other files that a mesh may open: the .mtl files in its own folder."""

    def __init__(self, mesh: Path) -> None:
        self.folder = mesh.parent

    def get(self, name: str) -> bytes:
        path = (self.folder / Path(name.strip().replace("\\", "/")).name).resolve()
        if path.suffix.lower() != ".mtl" or path.parent != self.folder.resolve():
            raise FileNotFoundError(name)
        with path.open("rb") as file:
            return file.read(10_000_000)

    __getitem__ = get


def _metres(solid: Any) -> float:
    """The length unit of the file in metres; trimesh gives `0.01 * meters`."""
    factor, times, _ = str(solid.metadata.get("units") or "").partition("*")
    return float(factor) if times else 1.0


def _colour(solid: Any) -> tuple[float, float, float] | None:
    visual = solid.visual
    if not visual.defined:
        return None
    main = visual.material.main_color if visual.kind == "texture" else visual.main_color
    rgba = tuple(int(x) for x in main)
    return None if rgba == DEFAULT_COLOUR else (rgba[0] / 255, rgba[1] / 255, rgba[2] / 255)


def _merged(corners: Array, colour: tuple[float, float, float] | None) -> Part:
    """Merges coincident corners into one vertex."""
    return snapped(Part(corners.reshape(-1, 3), np.arange(3 * len(corners)).reshape(-1, 3), colour), 0.0)


def snapped(part: Part, cell: float) -> Part:
    """Merges vertices in the same grid cell at their mean; collapsed and repeated triangles are removed."""
    if not len(part.faces):
        return part
    low, high = part.vertices.min(axis=0), part.vertices.max(axis=0)
    cell = max(cell, float((high - low).max()) / GRID, 1e-12)
    cells = ((part.vertices - low) / cell + 0.5).astype(np.int64)
    _, vertex_of = np.unique(cells @ np.array([1 << 42, 1 << 21, 1]), return_inverse=True)
    count = np.bincount(vertex_of)
    vertices = np.stack([np.bincount(vertex_of, part.vertices[:, k]) / count for k in range(3)], axis=1)
    faces = vertex_of[part.faces]
    a, b, c = faces.T
    faces = faces[(a != b) & (b != c) & (c != a)]
    turned = np.sort(faces, axis=1)
    order = np.lexsort(turned.T)
    repeated = (turned[order[1:]] == turned[order[:-1]]).all(axis=1)
    return Part(vertices, np.delete(faces, order[1:][repeated], axis=0), part.colour)


def creased(part: Part) -> Part:
    """Duplicates vertices along sharp edges, so that vertex normals shade edges flat and curves smoothly."""
    sparse: Any = importlib.import_module("scipy.sparse")  # slow to import
    csgraph: Any = importlib.import_module("scipy.sparse.csgraph")
    faces, count = part.faces, len(part.faces)
    a, b, c = (part.vertices[faces[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
    # Every triangle has three corners and three edges; edge e starts at corner e and ends at the next one.
    edges = np.arange(3 * count)
    ends = edges - edges % 3 + (edges + 1) % 3
    start, end = faces.ravel(), faces.ravel()[ends]
    forward = start < end
    low, high = np.where(forward, edges, ends), np.where(forward, ends, edges)  # corners at its lower, higher vertex
    key = np.minimum(start, end) * len(part.vertices) + np.maximum(start, end)
    order = np.argsort(key, kind="stable")
    one, other = order[:-1], order[1:]
    flat = (normals[one // 3] * normals[other // 3]).sum(axis=1) > CREASE
    joined = (key[one] == key[other]) & flat
    one, other = one[joined], other[joined]
    links = (np.concatenate([low[one], high[one]]), np.concatenate([low[other], high[other]]))
    graph = sparse.coo_matrix((np.ones(len(links[0]), dtype=bool), links), shape=(3 * count, 3 * count))
    labels: Faces = csgraph.connected_components(graph, directed=False)[1].astype(np.int64)
    _, first = np.unique(labels, return_index=True)
    return Part(part.vertices[faces.ravel()[first]], labels.reshape(-1, 3), part.colour)
