"""Shapes of the links in a robot's file: boxes, cylinders, capsules, spheres, ellipsoids and meshes.

Every shape is attached to a moving link, those of fixed links too; those of a flexible link bend with it, and are given
as they are while it is straight, on the body at its tip. Files that several links share are sent once. A missing or
damaged mesh gives a warning, and its link is drawn from the model, as is a link with mass but no shapes.
"""

from __future__ import annotations

import base64
import warnings
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from redyn.description.meshes import mesh_path
from redyn.description.placement import rpy_rotation, translation
from redyn.description.schema import Shape
from redyn.errors import DescriptionError, RedynError, RedynWarning
from redyn.kinematics.bending import Bend, bends
from redyn.kinematics.shape import frame_offset, reach
from redyn.progress import Progress
from redyn.report.mesh_file import GRID, Part, creased, read_mesh, snapped
from redyn.robot import Robot

Array = NDArray[np.float64]

TRIANGLES = 250_000  # of all files of a robot; larger meshes are simplified to this number
FINE = 1 / 4000  # relative to the robot's reach: first size of merged details, about half a pixel on a screen
GROW = 1.4  # growth of that size until they fit
DIRECTIONS = 200  # directions in which a shape's outermost points are kept


class Meshes(NamedTuple):
    """Meshes already read, by the file names in the robot's shapes."""

    parts: Mapping[str, Sequence[Part]]
    note: str = ""  # whether they were simplified


@dataclass
class Look:
    """The shapes of a robot, ready for the viewer."""

    meshes: list[list[Part]] = field(default_factory=list[list[Part]])
    files: dict[str, int] = field(default_factory=dict[str, int])  # mesh by file name
    placed: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    modelled: list[int] = field(default_factory=list[int])  # links that are still drawn from the model
    outline: list[tuple[int, Array]] = field(default_factory=list[tuple[int, Array]])  # link, outermost points
    note: str = ""

    def data(self) -> dict[str, Any]:
        """For JSON."""
        meshes = [[_packed(creased(part)) for part in parts] for parts in self.meshes]
        return {"meshes": meshes, "placed": self.placed, "modelled": self.modelled, "note": self.note}


def look(robot: Robot, meshes: Meshes | None = None) -> Look:
    """All the shapes that can be drawn. If a link has no `visual`, its `collision` is used.

    `meshes`: those of a robot whose files are untrusted and must not be opened here.

    >>> import redyn
    >>> arm = {"name": "stick", "joint": "revolute", "mass": 1, "com": [0, 0, 0.5], "inertia": [0, 0, 0]}
    >>> arm["visual"] = [{"type": "box", "size": [0.1, 0.1, 1], "xyz": [0, 0, 0.5], "colour": [1, 0.5, 0, 1]}]
    >>> shapes = look(redyn.load({"name": "one", "convention": "frames", "links": [arm]}))
    >>> shapes.placed[0]["kind"], shapes.placed[0]["link"], shapes.placed[0]["colour"]
    ('box', 1, '#ff8000')
    """
    found = Look(note="" if meshes is None else meshes.note)
    indices: dict[Hashable, int] = {}
    failed: list[str] = []
    odd: set[int] = set()
    shapes = [(str(link.name), shape) for link in robot.description.links for shape in link.visual or link.collision]
    flexible = {bend.beam.name: (k, bend) for k, bend in enumerate(bends(robot))}
    with Progress("reading meshes", len(shapes)) as bar:
        for k, (name, shape) in enumerate(shapes):
            bar.show(k)
            if shape.colour is not None and shape.colour[3] <= 0.0:
                continue  # MJCF hides geoms this way
            link, pose = frame_offset(robot, name)
            bent: dict[str, Any] = {}
            if name in flexible:
                bent["beam"], bend = flexible[name]
                link, pose = bend.tip, _on_tip(bend, link, pose)
            pose = pose @ translation(*shape.xyz) @ rpy_rotation(*shape.rpy)
            try:
                solid = _mesh(robot, shape, found, indices, meshes) if shape.type == "mesh" else _simple(shape)
            except RedynError as error:
                failed.append(str(error))
                odd.add(link)
                continue
            found.placed.append({"link": link, **_place(pose), **_colour(shape), **solid, **bent})
    if failed:
        more = f" (and {len(failed) - 1} more)" if len(failed) > 1 else ""
        text = f"{robot.name}: {failed[0]}{more}; such links are drawn from the model"
        warnings.warn(text, RedynWarning, stacklevel=2)
    if found.placed:
        drawn = {solid["link"] for solid in found.placed}
        heavy = {
            i
            for i, mass in enumerate(np.array(robot.model.parameters(), dtype=np.float64)[::10], start=1)
            if mass > 0.0
        } | {0}
        heavy |= {body for bend in bends(robot) for body in (bend.root, bend.tip)}
        found.modelled = sorted(odd | (heavy - drawn))
        _simplify(found, reach(robot))
        _outline(found)
    return found


def _on_tip(bend: Bend, body: int, pose: Array) -> Array:
    """A pose on one of the ends of a flexible link, seen from the body at its tip while it is straight."""
    if body == bend.tip:
        return pose
    back = translation(-float(bend.line.x[-1]), 0.0, 0.0)
    return bend.tip_pose @ back @ np.linalg.inv(bend.root_pose) @ pose


def _mesh(
    robot: Robot, shape: Shape, found: Look, indices: dict[Hashable, int], meshes: Meshes | None
) -> dict[str, Any]:
    name = shape.file or ""
    if meshes is None:
        path = mesh_path(robot.description, shape)
        key, read = path, partial(read_mesh, path)
    elif name in meshes.parts:
        parts = meshes.parts[name]
        key, read = id(parts), partial(tuple[Part, ...], parts)  # several names may refer to one file
    else:
        raise DescriptionError(name[:200], "no such mesh")
    if key not in indices:
        found.meshes.append(list(read()))
        indices[key] = len(found.meshes) - 1
    found.files[name] = indices[key]
    return {"kind": "mesh", "mesh": indices[key], "scale": list(shape.scale or (1.0, 1.0, 1.0))}


def _simple(shape: Shape) -> dict[str, Any]:
    """As a solid of unit size and its scale: a box of side 1, a ball of radius 1; round ones along z."""
    r, length = shape.radius or 0.0, shape.length or 0.0
    match shape.type:
        case "sphere":
            return {"kind": "ellipsoid", "scale": [r, r, r]}
        case "ellipsoid":
            return {"kind": "ellipsoid", "scale": [side / 2 for side in shape.size or (0.0, 0.0, 0.0)]}
        case "cylinder":
            return {"kind": "cylinder", "scale": [r, r, length]}
        case "capsule":
            return {"kind": "capsule", "scale": [1.0, 1.0, 1.0], "radius": r, "length": length}
        case _:
            return {"kind": "box", "scale": list(shape.size or (0.0, 0.0, 0.0))}


def _place(pose: Array) -> dict[str, list[float]]:
    from scipy.spatial.transform import Rotation  # pyright: ignore[reportMissingTypeStubs]  # slow to import

    turn: Any = Rotation.from_matrix(pose[:3, :3])
    return {"position": pose[:3, 3].tolist(), "quaternion": turn.as_quat().tolist()}


def _colour(shape: Shape) -> dict[str, Any]:
    if shape.colour is None:
        return {"colour": None, "opacity": 1.0}
    *rgb, alpha = np.clip(shape.colour, 0.0, 1.0)
    return {"colour": _hex(rgb), "opacity": float(alpha)}


def _hex(rgb: Any) -> str:
    return "#" + "".join(f"{round(float(x) * 255):02x}" for x in rgb)


def _simplify(found: Look, size: float) -> None:
    """Merges details of the same size in all meshes, the smallest first, until all triangles fit."""
    before = count = _triangles(found)
    cell = FINE * size
    scales = {solid["mesh"]: float(np.abs(solid["scale"]).max()) for solid in found.placed if solid["kind"] == "mesh"}
    while count > TRIANGLES:
        for k, parts in enumerate(found.meshes):
            smaller = [snapped(part, cell / (scales[k] or 1.0)) for part in parts]
            found.meshes[k] = [part for part in smaller if len(part.faces)]
        count = _triangles(found)
        cell *= GROW
    if count < before:
        found.note = f"meshes simplified from {before:,} to {count:,} triangles"


def _triangles(found: Look) -> int:
    return sum(len(part.faces) for parts in found.meshes for part in parts)


def _outline(found: Look) -> None:
    """The outermost points of every shape, on the axes of its link."""
    from scipy.spatial.transform import Rotation  # pyright: ignore[reportMissingTypeStubs]

    directions = _sphere(DIRECTIONS)
    clouds = [np.concatenate([part.vertices for part in parts] or [np.zeros((1, 3))]) for parts in found.meshes]
    hulls = [points[np.unique((points @ directions.T).argmax(axis=0))] for points in clouds]
    corners = np.array(list(product((-0.5, 0.5), repeat=3)))
    ring = np.array([(np.cos(a), np.sin(a), z) for a in np.linspace(0, 2 * np.pi, 48) for z in (-0.5, 0.5)])
    for solid in found.placed:
        kind: str = solid["kind"]
        points = {"box": corners, "cylinder": ring}.get(kind, directions)
        if kind == "mesh":
            points = hulls[int(solid["mesh"])]
        elif kind == "capsule":
            points = float(solid["radius"]) * directions
            points[:, 2] += np.copysign(solid["length"] / 2, points[:, 2])
        turn: Any = Rotation.from_quat(solid["quaternion"])
        scaled = points * np.array(solid["scale"], dtype=np.float64)
        found.outline.append((int(solid["link"]), scaled @ turn.as_matrix().T + np.array(solid["position"])))


def _sphere(count: int) -> Array:
    """Directions spread evenly by the golden angle; none is along an axis."""
    k = np.arange(count) + 0.5
    z, turn = 1 - 2 * k / count, k * np.pi * (3 - np.sqrt(5.0))
    across = np.sqrt(1 - z**2)
    return np.stack([across * np.cos(turn), across * np.sin(turn), z], axis=1)


def _packed(part: Part) -> dict[str, Any]:
    """Vertices as 16-bit steps from a corner, faces as the smallest integer type; little endian, base64."""
    low = part.vertices.min(axis=0)
    step = max(float(np.ptp(part.vertices, axis=0).max()) / GRID, 1e-12)
    steps = ((part.vertices - low) / step + 0.5).astype(np.int64)
    return {
        "colour": None if part.colour is None else _hex(part.colour),
        "low": low.tolist(),
        "step": step,
        "steps": _text(steps, "<u2"),
        "faces": _text(part.faces, "<u2" if len(part.vertices) <= GRID else "<u4"),
        "triangles": len(part.faces),
    }


def _text(values: NDArray[Any], kind: str) -> str:
    return base64.b64encode(np.ascontiguousarray(values, dtype=kind).tobytes()).decode("ascii")
