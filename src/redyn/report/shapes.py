"""What a robot's file gives its links to look like: boxes, cylinders, capsules, spheres, ellipsoids and meshes.

Every shape rides on a moving link, those of fixed links too. Files that several links share are sent once. A mesh that
is missing or damaged is warned of, and its link is drawn from the model, as is a link with mass but without shapes.
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
from redyn.kinematics.shape import frame_offset, reach
from redyn.progress import Progress
from redyn.report.mesh_file import GRID, Part, creased, read_mesh, snapped
from redyn.robot import Robot

Array = NDArray[np.float64]

TRIANGLES = 250_000  # of all the files of a robot; more are simplified until they fit in this
FINE = 1 / 4000  # of the robot's reach: the first detail to go then, some half pixel on a screen
GROW = 1.4  # and so much more each time that they do not fit yet
DIRECTIONS = 200  # in which a shape's outermost points are kept


class Meshes(NamedTuple):
    """Meshes that were read before, by the names that the robot's shapes give their files."""

    parts: Mapping[str, Sequence[Part]]
    note: str = ""  # whether they were simplified


@dataclass
class Look:
    """The shapes of a robot, ready for the viewer."""

    meshes: list[list[Part]] = field(default_factory=list[list[Part]])
    files: dict[str, int] = field(default_factory=dict[str, int])  # the mesh of each file that a shape names
    placed: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    modelled: list[int] = field(default_factory=list[int])  # links that are drawn from the model all the same
    outline: list[tuple[int, Array]] = field(default_factory=list[tuple[int, Array]])  # link, outermost points
    note: str = ""

    def data(self) -> dict[str, Any]:
        """For JSON."""
        meshes = [[_packed(creased(part)) for part in parts] for parts in self.meshes]
        return {"meshes": meshes, "placed": self.placed, "modelled": self.modelled, "note": self.note}


def look(robot: Robot, meshes: Meshes | None = None) -> Look:
    """All the shapes that can be drawn. Where a link has no `visual`, its `collision` stands in.

    `meshes`: those of a robot whose files are not to be opened here, since others sent them.

    >>> import redyn
    >>> arm = {"name": "stick", "joint": "revolute", "mass": 1, "com": [0, 0, 0.5], "inertia": [0, 0, 0]}
    >>> arm["visual"] = [{"type": "box", "size": [0.1, 0.1, 1], "xyz": [0, 0, 0.5], "colour": [1, 0.5, 0, 1]}]
    >>> shapes = look(redyn.load({"name": "one", "convention": "frames", "links": [arm]}))
    >>> shapes.placed[0]["kind"], shapes.placed[0]["link"], shapes.placed[0]["colour"]
    ('box', 1, '#ff8000')
    """
    found = Look(note="" if meshes is None else meshes.note)
    places: dict[Hashable, int] = {}
    failed: list[str] = []
    odd: set[int] = set()
    shapes = [(str(link.name), shape) for link in robot.description.links for shape in link.visual or link.collision]
    with Progress("reading meshes", len(shapes)) as bar:
        for k, (name, shape) in enumerate(shapes):
            bar.show(k)
            if shape.colour is not None and shape.colour[3] <= 0.0:
                continue  # how MJCF hides a geom
            link, pose = frame_offset(robot, name)
            pose = pose @ translation(*shape.xyz) @ rpy_rotation(*shape.rpy)
            try:
                solid = _mesh(robot, shape, found, places, meshes) if shape.type == "mesh" else _simple(shape)
            except RedynError as error:
                failed.append(str(error))
                odd.add(link)
                continue
            found.placed.append({"link": link, **_place(pose), **_colour(shape), **solid})
    if failed:
        more = f" (and {len(failed) - 1} more)" if len(failed) > 1 else ""
        text = f"{robot.name}: {failed[0]}{more}; such links are drawn from the model"
        warnings.warn(text, RedynWarning, stacklevel=2)
    if found.placed:
        drawn = {solid["link"] for solid in found.placed}
        heavy = {i for i, mass in enumerate(robot.parameters[::10], start=1) if mass > 0.0} | {0}
        found.modelled = sorted(odd | (heavy - drawn))
        _simplify(found, reach(robot))
        _outline(found)
    return found


def _mesh(
    robot: Robot, shape: Shape, found: Look, places: dict[Hashable, int], meshes: Meshes | None
) -> dict[str, Any]:
    name = shape.file or ""
    if meshes is None:
        path = mesh_path(robot.description, shape)
        place, read = path, partial(read_mesh, path)
    elif name in meshes.parts:
        parts = meshes.parts[name]
        place, read = id(parts), partial(tuple[Part, ...], parts)  # several names may lead to one file
    else:
        raise DescriptionError(name[:200], "no such mesh")
    if place not in places:
        found.meshes.append(list(read()))
        places[place] = len(found.meshes) - 1
    found.files[name] = places[place]
    return {"kind": "mesh", "mesh": places[place], "scale": list(shape.scale or (1.0, 1.0, 1.0))}


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
    from scipy.spatial.transform import Rotation  # pyright: ignore[reportMissingTypeStubs]  # heavy: where it is used

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
    """Merge detail, the smallest first and the same size everywhere, until all triangles fit."""
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
    """Directions all around, evenly, by the golden angle; none is along an axis."""
    k = np.arange(count) + 0.5
    z, turn = 1 - 2 * k / count, k * np.pi * (3 - np.sqrt(5.0))
    across = np.sqrt(1 - z**2)
    return np.stack([across * np.cos(turn), across * np.sin(turn), z], axis=1)


def _packed(part: Part) -> dict[str, Any]:
    """Vertices as 16-bit steps from a corner, faces in the fewest bytes; little endian, base64."""
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
