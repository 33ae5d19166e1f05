"""A small still picture of a robot in its initial state, as SVG: a few kilobytes, nothing compiled.

Links are capsules and joints are drums in the colours of the viewer, seen from where it looks. Flexible links are bent
a little. Shapes of the robot's file are drawn as the silhouettes of their convex hulls. Pieces are painted from the
back to the front.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple
from xml.sax.saxutils import escape

import numpy as np
from numpy.typing import NDArray

from redyn.dynamics.task import Task
from redyn.evaluate import uncompiled
from redyn.kinematics import Capsule, capsules, place
from redyn.kinematics.bending import bends, bent_lines
from redyn.kinematics.shape import BENDS, LOOSE, JointPlace, bodies, joint_places
from redyn.report.colours import joint_colour
from redyn.report.rolling import standing_in, wheels
from redyn.report.scene import view
from redyn.report.shapes import Look, look
from redyn.robot import Robot

Array = NDArray[np.float64]

WIDTH, HEIGHT, MARGIN = 240, 180, 12  # units of the picture
LINK, EDGE, STAND, FLOOR, TYRE = "#dfe5ec", "#52606d", "#aab4bf", "#eef1f5", "#3d444b"
SIDES = 14  # of a circle
DRUM = 1.3  # radius of a joint, relative to its links
MANY = 20  # shapes
BENT = 0.14  # deflection of a flexible link, as a share of its length
SMALLEST = 2.2  # radius of a link in the picture, so that slender ones can be seen


class _Piece(NamedTuple):
    depth: float  # towards the viewer
    element: str


class _Camera(NamedTuple):
    """An orthographic view: rows of `axes` are right, up and towards the viewer."""

    axes: Array
    centre: Array
    scale: float

    def project(self, points: Array) -> tuple[Array, float]:
        """Positions in the picture, (N, 2), and how near the nearest is."""
        seen = (points - self.centre) @ self.axes.T * self.scale
        flat = np.stack([WIDTH / 2 + seen[:, 0], HEIGHT / 2 - seen[:, 1]], axis=1)
        return flat, float(seen[:, 2].mean())


def thumbnail(robot: Robot) -> str:
    """The text of an SVG picture.

    >>> import redyn
    >>> picture = thumbnail(redyn.load("puma"))
    >>> picture[:4], len(picture) < 10_000
    ('<svg', True)
    """
    shapes, joints, appearance = capsules(robot), joint_places(robot), look(robot)
    q = _bent(robot, {solid["beam"] for solid in appearance.placed if "beam" in solid})
    poses = _poses(robot, q)
    lines = bent_lines(bends(robot), q, poses)
    above = None if lines is None else lines[None]
    stage = view(robot, shapes, joints, poses[None], appearance, _tracks(robot, poses), above)
    camera = _camera(stage)
    modelled = set(appearance.modelled) if appearance.placed else set(range(len(poses)))
    rolling = [wheel for wheel in wheels(robot) if wheel["kind"] != "blade" and wheel["link"] in modelled]
    modelled -= {wheel["link"] for wheel in rolling}
    pieces = [
        *_links([shape for shape in shapes if shape.link in modelled and shape.piece is None], poses, camera),
        *_beams([shape for shape in shapes if shape.link in modelled and shape.piece is not None], lines, camera),
        *_hulls(appearance, poses, camera),
        *_wheels(rolling, poses, camera),
    ]
    if not appearance.meshes:
        pieces += _drums(robot, shapes, joints, poses, camera)
    if not appearance.placed:
        pieces += _mounts(stage, camera)
    pieces.sort(key=lambda piece: piece.depth)
    floor = "" if stage["planar"] else _floor(stage, camera)
    drawn = "".join(piece.element for piece in pieces)
    title = escape(robot.description.title or robot.name)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img"><title>{title}</title>'
        f'{floor}<g stroke="{EDGE}" stroke-width="1" stroke-linejoin="round" stroke-linecap="round">{drawn}</g></svg>'
    )


def _bent(robot: Robot, dressed: set[int]) -> Array:
    """The initial configuration, with flexible links bent downwards a little, to tell them from rigid ones.

    `dressed`: those with shapes, by their numbers, which stay straight: hulls do not bend.
    """
    q = robot.initial
    poses = _poses(robot, q)
    for k, bend in enumerate(bends(robot)):
        if not bend.beam.bending or k in dressed:
            continue
        axes = poses[bend.root, :3, :3] @ bend.root_pose[:3, :3]
        down = float(axes[:, 1 if bend.beam.along_y else 2] @ robot.gravity)
        tip = BENT * float(bend.line.x[-1]) / float(bend.beam.tip[0])  # pyright: ignore[reportArgumentType]
        q[bend.places[0]] = -tip if down < -1e-9 else tip
    return q


def _poses(robot: Robot, q: Array) -> Array:
    """Of the world and of every moving link, (L + 1, 4, 4)."""
    tree = robot.tree.model if robot.model.contacts else robot.model
    still = np.zeros((1, tree.dof))
    moving = uncompiled.run(tree, Task("link_motion"), [q[None], still, still], lambda *_: ())[0]
    return np.concatenate([np.eye(4)[None], moving.reshape(-1, 4, 4)])


def _tracks(robot: Robot, poses: Array) -> Array:
    """Where wheels touch the floor, (1, wheels, 3)."""
    contacts = robot.model.contacts
    if not contacts:
        return np.zeros((1, 0, 3))
    task = Task("rolling_points", guarded=False)
    points = uncompiled.run(robot.model, task, [robot.initial[None]], lambda *_: ())[0]
    centres = poses[[robot.link_names.index(contact.name) + 1 for contact in contacts], :3, 3]
    return standing_in(points.reshape(1, -1, 3), centres[None])


def _camera(stage: dict[str, Any]) -> _Camera:
    towards, up = np.array(stage["from"], dtype=np.float64), np.array(stage["up"], dtype=np.float64)
    right = np.cross(up, towards)
    right /= np.linalg.norm(right)
    axes = np.stack([right, np.cross(towards, right), towards])
    seen = np.array(stage["points"], dtype=np.float64) @ axes.T
    low, high = seen.min(axis=0), seen.max(axis=0)
    room = np.array([WIDTH, HEIGHT]) - 2 * MARGIN
    thick = 2 * float(stage["thickness"])
    scale = float((room / np.maximum((high - low)[:2] + thick, 1e-9)).min())
    return _Camera(axes, axes.T @ ((low + high) / 2), scale)


def _links(shapes: list[Capsule], poses: Array, camera: _Camera) -> Iterator[_Piece]:
    if not shapes:
        return
    for shape, ends in zip(shapes, place(shapes, poses), strict=True):
        colour = STAND if shape.link == 0 else LINK
        yield _rod(ends, shape.radius, colour, camera)


def _beams(pieces: list[Capsule], lines: Array | None, camera: _Camera) -> Iterator[_Piece]:
    """Flexible links, each as one bent line."""
    for number, radius in {shape.piece[0]: shape.radius for shape in pieces if shape.piece is not None}.items():
        assert lines is not None
        flat, _ = camera.project(lines[number])
        depth = min(camera.project(end[None])[1] for end in lines[number][[0, -1]])  # joints at both ends in front
        width = 2 * max(radius * camera.scale, SMALLEST)
        path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in flat)
        line = f'<path d="{path}" fill="none" stroke'
        yield _Piece(depth, f'{line}-width="{width + 1.6:.1f}"/>{line}="{LINK}" stroke-width="{width:.1f}"/>')


def _rod(ends: Array, radius: float, colour: str, camera: _Camera) -> _Piece:
    """A thick line with round ends, and a thin edge around it."""
    flat, depth = camera.project(ends)
    (x, y), (u, v) = flat
    width = 2 * max(radius * camera.scale, SMALLEST)
    line = f'<path d="M{x:.1f} {y:.1f}L{u:.1f} {v:.1f}" stroke'
    return _Piece(depth, f'{line}-width="{width + 1.6:.1f}"/>{line}="{colour}" stroke-width="{width:.1f}"/>')


def _drums(
    robot: Robot, shapes: list[Capsule], joints: list[JointPlace], poses: Array, camera: _Camera
) -> Iterator[_Piece]:
    """Joints: cylinders about their axes, balls where there is no single axis."""
    thickness = {shape.link: shape.radius for shape in shapes if shape.kind != "rod"}
    rolling = {wheel["link"] for wheel in wheels(robot)}
    for body, joint in zip(bodies(robot), joints, strict=True):
        if body.kind in (*LOOSE, BENDS) or body.number in rolling:
            continue
        pose = poses[body.number]
        point, axis = pose[:3, :3] @ joint.point + pose[:3, 3], pose[:3, :3] @ joint.axis
        radius = DRUM * max(thickness.get(body.number, 0.0), thickness.get(body.parent, 0.0), SMALLEST / camera.scale)
        colour = joint_colour(body.velocity)
        if body.kind in ("spherical", "universal"):
            flat, depth = camera.project(point[None])
            (x, y), r = flat[0], radius * camera.scale
            yield _Piece(depth + r, f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r:.1f}" fill="{colour}"/>')
            continue
        axis = axis if axis @ camera.axes[2] > 0 else -axis
        front = _ring(point + radius * axis, axis, radius)
        flat, depth = camera.project(np.concatenate([front, _ring(point - radius * axis, axis, radius)]))
        side = f'<path d="{_outline(_hull(flat))}" fill="{colour}"/>'
        cap = f'<path d="{_outline(flat[:SIDES])}" fill="{colour}" stroke="#fff" stroke-opacity=".5"/>'
        yield _Piece(depth + radius * camera.scale, side + cap)


def _wheels(rolling: list[dict[str, Any]], poses: Array, camera: _Camera) -> Iterator[_Piece]:
    """Tyres with rims in the colours of their joints; disks have no tyre."""
    for wheel in rolling:
        R, o = poses[wheel["link"], :3, :3], poses[wheel["link"], :3, 3]
        centre, axis = R @ np.array(wheel["centre"]) + o, R @ np.array(wheel["axis"])
        axis = axis if axis @ camera.axes[2] > 0 else -axis
        front, back = (centre + side * wheel["width"] / 2 * axis for side in (1, -1))
        rings = [_ring(point, axis, wheel["radius"]) for point in (front, back)]
        flat, depth = camera.project(np.concatenate(rings))
        tyre = wheel["colour"] if wheel["kind"] == "disk" else TYRE
        rim, _ = camera.project(_ring(front, axis, 0.66 * wheel["radius"]))
        side = f'<path d="{_outline(_hull(flat))}" fill="{tyre}"/>'
        yield _Piece(depth, side + f'<path d="{_outline(rim)}" fill="{wheel["colour"]}"/>')


def _mounts(stage: dict[str, Any], camera: _Camera) -> Iterator[_Piece]:
    for mount in stage["mounts"]:
        ends = np.array([mount["top"], mount["bottom"]])
        piece = _rod(ends, float(mount["radius"]), STAND, camera)
        yield piece._replace(depth=-np.inf)


def _hulls(appearance: Look, poses: Array, camera: _Camera) -> Iterator[_Piece]:
    """The silhouette of every shape in the robot's file, coarser if there are many."""
    digits = 1 if len(appearance.placed) < MANY else 0
    for (link, points), solid in zip(appearance.outline, appearance.placed, strict=True):
        flat, depth = camera.project(points @ poses[link, :3, :3].T + poses[link, :3, 3])
        outline = _outline(_hull(flat.round(digits)), digits)
        yield _Piece(depth, f'<path d="{outline}" fill="{solid["colour"] or LINK}"/>')


def _floor(stage: dict[str, Any], camera: _Camera) -> str:
    """A disc under the robot."""
    floor = stage["floor"]
    normal, points = np.array(floor["normal"], dtype=np.float64), np.array(stage["points"], dtype=np.float64)
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    middle = middle + normal * (float(floor["level"]) - float(middle @ normal))
    flat, _ = camera.project(_ring(middle, normal, 0.42 * WIDTH / camera.scale))
    return f'<path d="{_outline(flat)}" fill="{FLOOR}"/>'


def _ring(centre: Array, axis: Array, radius: float) -> Array:
    across = np.cross(axis, np.eye(3)[int(np.abs(axis).argmin())])
    across = across / np.linalg.norm(across)
    turn: Array = np.linspace(0.0, 2 * np.pi, SIDES, endpoint=False)
    return centre + radius * (np.outer(np.cos(turn), across) + np.outer(np.sin(turn), np.cross(axis, across)))


def _hull(points: Array) -> Array:
    """The convex hull in the plane, by Andrew's monotone chain."""
    ordered = sorted({(round(float(x), 1), round(float(y), 1)) for x, y in points})
    if len(ordered) < 3:
        return np.array(ordered)

    def chain(run: list[tuple[float, float]]) -> list[tuple[float, float]]:
        kept: list[tuple[float, float]] = []
        for x, y in run:
            while len(kept) > 1 and _left(kept[-2], kept[-1], (x, y)) <= 0:
                kept.pop()
            kept.append((x, y))
        return kept[:-1]

    return np.array(chain(ordered) + chain(ordered[::-1]))


def _left(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _outline(points: Array, digits: int = 1) -> str:
    return "M" + "L".join(f"{x:.{digits}f} {y:.{digits}f}" for x, y in points) + "Z"
