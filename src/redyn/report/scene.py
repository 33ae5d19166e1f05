"""The data that viewer.js needs to draw a robot and play a motion, as a JSON-compatible dict.

Poses are sent once, as 32-bit floats, and the browser interpolates between them. The up direction, the floor
and the viewpoint are chosen here, where the whole motion is known.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redyn.description.schema import WORLD
from redyn.errors import InputError
from redyn.evaluate import normal
from redyn.kinematics import Capsule, Clearance, capsules, clearance, link_poses, place, segment_distance, travel
from redyn.kinematics.bending import Bend, bends, bent_lines, gears
from redyn.kinematics.shape import (
    BENDS,
    LOOSE,
    JointPlace,
    bodies,
    frame_offset,
    joint_places,
    joint_values,
    loop_places,
    mass_centres,
    reach,
)
from redyn.report.bending import bending_data, elastic_values
from redyn.report.colours import joint_colour
from redyn.report.rolling import track_points, turning_centres, wheels
from redyn.report.shapes import Look, Meshes, look
from redyn.report.standing import Standing, scene_data
from redyn.robot import Robot
from redyn.words import counted

Array = NDArray[np.float64]

FRAMES = 6000  # frames sent per motion: at 30 per second, more than three minutes without interpolation
POSES = 300_000  # links times frames; robots with many links send fewer frames
OUTLINES = 100  # states at which the extent of shapes is evaluated
TRACES = 6  # tips whose path is drawn
PINS = ("revolute", "spherical", "universal", "fixed", "distance")  # loops that hold a point of a link
FROM_ASIDE, FROM_ABOVE = 20.0, 36.0  # degrees: elevation of the camera, and for robots that leave tracks
FROM_HIGH = 55.0  # for robots that bend in a horizontal plane
FLAT = 1e-6  # sine below which an angle counts as zero


class Carried(NamedTuple):
    """A body on a frame, drawn as a ball at its mass centre."""

    frame: str
    com: Sequence[float]  # in the frame's axes
    mass: float


class Pushed(NamedTuple):
    """A force on a frame at a point, drawn as an arrow while it acts."""

    frame: str
    point: Sequence[float]  # in the frame's axes
    force: Sequence[float]  # in the world's axes, N
    start: float
    stop: float


def scene(
    robot: Robot,
    t: ArrayLike,
    q: ArrayLike,
    touching: Clearance | None = None,
    radius: ArrayLike | None = None,
    meshes: Meshes | None = None,
    payload: Carried | None = None,
    pushes: Sequence[Pushed] = (),
    rates: ArrayLike | None = None,
    standing: Standing | None = None,
) -> dict[str, Any]:
    """Data for viewer.js: the robot's shape, and its motion `q` (N, nq) at the times `t` (N,).

    `touching`: the clearance at the same N states, computed if not given. `meshes`: the
    robot's, read from its files if not given. `payload` and `pushes` are drawn with it. `rates` (N, dof): of a robot
    that rolls, for its turning centre. `standing`: the ground and the contacts at the same N states.
    """
    times, values = motion(robot, t, q)
    most = int(np.clip(POSES // (len(robot.link_names) + 1), 100, FRAMES))
    keep = np.unique(np.linspace(0, len(times) - 1, most).round().astype(int))
    kept = values[keep]
    span = travel(robot, values)
    shapes = capsules(robot, radius, span)
    poses = link_poses(robot, kept)
    lines = bent_lines(bends(robot), kept, poses)
    joints = joint_places(robot)
    appearance = look(robot, meshes)
    tips = _tips(robot)
    paths = {name: _frame_path(robot, name, poses) for name in tips}
    tracks = track_points(robot, kept)
    seen = view(robot, shapes, joints, poses, appearance, tracks, lines)
    own = _own_size(robot, shapes, poses[:1], appearance)
    return {
        "name": robot.name,
        "times": pack_floats(times[keep] - times[0]),
        "poses": pack_floats(positions_and_quaternions(poses[:, 1:])),
        "links": _links(robot, shapes),
        "joints": _joints(robot, joints, poses, shapes),
        "loops": _loops(robot, shapes),
        "frames": [_frame(robot, name) for name in robot.frame_names],
        "traces": [
            {"frame": robot.frame_names.index(name), "points": pack_floats(path)} for name, path in paths.items()
        ],
        "touching": _touching(robot, touching, kept, keep, len(times), radius, span),
        "view": seen,
        "size": own,
        "moves": _travels(robot),
        "bending": bending_data(robot, kept, shapes, pack_floats, _placed),
        "rolling": None if not robot.model.contacts else _rolling(robot, kept, tracks, _at(rates, keep)),
        "standing": None if standing is None else _standing(robot, standing, times, keep, seen, own),
        "shapes": appearance.data(),
        "payload": None if payload is None else _carried(robot, payload),
        "pushes": [pushed(robot, push) for push in pushes],
    }


def _at(rates: ArrayLike | None, keep: NDArray[np.int_]) -> Array | None:
    return None if rates is None else np.atleast_2d(np.asarray(rates, dtype=np.float64))[keep]


def _travels(robot: Robot) -> int:
    """The body that a camera may follow: the first one, if it is not attached to the world; else 0."""
    first = bodies(robot)[0]
    return first.number if first.parent == 0 and first.kind in LOOSE else 0


def _own_size(robot: Robot, shapes: list[Capsule], start: Array, appearance: Look) -> float:
    """The extent of the robot itself, however far it goes."""
    points = np.concatenate([place(shapes, start).reshape(-1, 3), _outermost(appearance, start)])
    rolling = max((2 * contact.radius for contact in robot.model.contacts), default=0.0)
    return max(float(np.ptp(points, axis=0).max()), rolling, 2 * max(shape.radius for shape in shapes))


def _rolling(robot: Robot, q: Array, tracks: Array, rates: Array | None) -> dict[str, Any]:
    found = turning_centres(robot, q, rates) if rates is not None else np.full((1, 3), np.nan)
    centres = pack_floats(found) if np.isfinite(found).any() else ""  # disks have none
    tracked = [pack_floats(tracks[:, k]) for k in range(tracks.shape[1])]
    return {"wheels": wheels(robot), "tracks": tracked, "centres": centres}


def _standing(
    robot: Robot, standing: Standing, times: Array, keep: NDArray[np.int_], seen: dict[str, Any], size: float
) -> dict[str, Any]:
    """With the floor of the view at the ground."""
    points = np.array(seen["points"])
    found = scene_data(robot, standing, times, keep, (points.min(axis=0), points.max(axis=0)), size, pack_floats)
    if found["surface"] is None:
        seen["floor"] |= {"level": found["level"], "meshes": found["level"]}
    return found


def _carried(robot: Robot, payload: Carried) -> dict[str, Any]:
    link, pose = frame_offset(robot, payload.frame)
    at = pose[:3, :3] @ np.asarray(payload.com, dtype=np.float64) + pose[:3, 3]
    return {"link": link, "from": pose[:3, 3].tolist(), "position": at.tolist(), "mass": payload.mass}


def pushed(robot: Robot, push: Pushed) -> dict[str, Any]:
    """Data for viewer.js: the point is in the axes of the moving link."""
    link, pose = frame_offset(robot, push.frame)
    at = pose[:3, :3] @ np.asarray(push.point, dtype=np.float64) + pose[:3, 3]
    times = {"start": float(push.start), "stop": float(push.stop)}
    return {"link": link, "position": at.tolist(), "force": [float(x) for x in push.force], **times}


def motion(robot: Robot, t: ArrayLike, q: ArrayLike) -> tuple[Array, Array]:
    """Checked times (N,) and joint values (N, nq), N at least 1; one state may come as (nq,)."""
    values = np.atleast_2d(joint_values(robot, q))
    times = np.atleast_1d(normal("t", np.atleast_1d(t), np.size(t), "times"))
    if times.shape != (len(values),) or not len(times):
        raise InputError(f"t: expected one time per row of q, which has {len(values)}, got shape {times.shape}")
    if not (np.isfinite(times).all() and np.isfinite(values).all()):
        raise InputError("t and q: expected finite numbers")
    if (np.diff(times) <= 0).any():
        k = int((np.diff(times) <= 0).argmax())
        raise InputError(f"t: expected rising times, but t[{k + 1}] = {times[k + 1]:g} follows t[{k}] = {times[k]:g}")
    return times, values


def pose_rows(robot: Robot, q: ArrayLike) -> list[list[float]]:
    """A row for every moving link, x y z and the quaternion x y z w, and of a robot that bends its elastic coordinates.

    Data for `setPoses` and `copy` of viewer.js.
    """
    values = joint_values(robot, q)
    rows: list[list[float]] = positions_and_quaternions(link_poses(robot, values)[None, 1:])[0].tolist()
    flexible, giving = bends(robot), gears(robot)
    return [*rows, elastic_values(flexible, giving, values).tolist()] if flexible or giving else rows


def _placed(pose: Array) -> dict[str, list[float]]:
    row = positions_and_quaternions(pose[None, None])[0, 0]
    return {"position": row[:3].tolist(), "quaternion": row[3:].tolist()}


def pack_floats(values: Array) -> str:
    """As 32-bit floats, little endian, base64."""
    return base64.b64encode(np.ascontiguousarray(values, dtype="<f4").tobytes()).decode("ascii")


def positions_and_quaternions(poses: Array) -> Array:
    """x y z, then the quaternion x y z w, whose sign is continuous from frame to frame: (F, L, 7)."""
    from scipy.spatial.transform import Rotation  # pyright: ignore[reportMissingTypeStubs]  # slow to import

    shape = poses.shape[:2]
    turns: Any = Rotation.from_matrix(poses[..., :3, :3].reshape(-1, 3, 3))
    quaternions: Array = turns.as_quat().reshape(*shape, 4)
    same = (quaternions[1:] * quaternions[:-1]).sum(-1) >= 0
    signs = np.concatenate([np.ones((1, shape[1])), np.cumprod(np.where(same, 1.0, -1.0), axis=0)])
    return np.concatenate([poses[..., :3, 3], quaternions * signs[..., None]], axis=-1)


def _links(robot: Robot, shapes: list[Capsule]) -> list[dict[str, Any]]:
    """The world first, then the moving links."""
    bodies = np.array(robot.model.parameters(), dtype=np.float64)  # of rigid ones; beams are drawn by themselves
    masses = [0.0, *bodies[::10].tolist()]
    centres = [np.zeros(3), *mass_centres(robot)]
    links: list[dict[str, Any]] = []
    for i, name in enumerate([WORLD, *robot.link_names]):
        solids = [
            {"start": s.start.tolist(), "end": s.end.tolist(), "radius": s.radius, "kind": s.kind}
            for s in shapes
            if s.link == i and s.piece is None
        ]
        links.append({"name": name, "solids": solids, "mass": masses[i], "com": centres[i].tolist()})
        links[i]["ellipsoid"] = _ellipsoid(bodies[10 * i - 10 : 10 * i], centres[i]) if i else None
    return links


def _ellipsoid(ten: Array, com: Array) -> dict[str, Any] | None:
    m, (xx, xy, yy, xz, yz, zz) = float(ten[0]), ten[4:]
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return equal_ellipsoid(m, inertia - m * (com @ com * np.eye(3) - np.outer(com, com)))


def equal_ellipsoid(m: float, about_com: Array) -> dict[str, Any] | None:
    """The homogeneous ellipsoid with the same mass and inertia; None for an unphysical link."""
    if m <= 0.0:
        return None
    moments, axes = np.linalg.eigh(about_com)
    squares = 2.5 / m * (moments.sum() - 2.0 * moments)  # of the semi-axes
    if squares.min() < -1e-6 * max(float(squares.max()), 1e-12):
        return None
    turn = np.eye(4)
    turn[:3, :3] = axes * np.sign(np.linalg.det(axes))
    quaternion = positions_and_quaternions(turn[None, None])[0, 0, 3:]
    return {"radii": np.sqrt(np.maximum(squares, 0.0)).tolist(), "quaternion": quaternion.tolist()}


def _joints(robot: Robot, places: list[JointPlace], poses: Array, shapes: list[Capsule]) -> list[dict[str, Any]]:
    solids: list[list[Capsule]] = [[] for _ in range(len(places) + 1)]
    for shape in shapes:
        solids[shape.link].append(shape)
    thickness = [max((s.radius for s in own if s.kind != "rod"), default=0.0) for own in solids]
    joints: list[dict[str, Any]] = []
    for body, where in zip(bodies(robot), places, strict=True):
        i, parent = body.number, body.parent
        socket_axis = poses[0, parent, :3, :3].T @ poses[0, i, :3, :3] @ where.axis
        radius = max(thickness[i] or solids[i][0].radius, thickness[parent])
        # Joints that intersect in a point (a shoulder, a wrist) are drawn apart: each is shifted along its axis
        # on the one of its two links that extends that way.
        extent = _along(solids[i], where.point, where.axis) or _along(solids[parent], where.socket, socket_axis)
        aside = np.sign(extent) * min(abs(extent) / 2, (2.0 if parent else 1.35) * radius)
        joints.append(
            {
                "name": body.link.joint.name,
                "kind": body.kind,
                "colour": joint_colour(body.velocity),
                "link": i,
                "parent": parent,
                "point": where.point.tolist(),
                "axis": where.axis.tolist(),
                "drum": (where.point + aside * where.axis).tolist(),
                "socket": where.socket.tolist(),
                "socketAxis": socket_axis.tolist(),
                "radius": radius,
            }
        )
    return joints


def _loops(robot: Robot, shapes: list[Capsule]) -> list[dict[str, Any]]:
    """The joints that close loops: on both links, so that the viewer can show a gap."""
    thickness = {
        i: max((s.radius for s in shapes if s.link == i), default=0.0) for i in range(len(robot.link_names) + 1)
    }
    return [
        {
            "name": place.name,
            "kind": place.kind,
            "links": list(place.bodies),
            "points": [point.tolist() for point in place.points],
            "axes": [axis.tolist() for axis in place.axes],
            "radius": max(thickness[i] for i in place.bodies),
        }
        for place in loop_places(robot)
    ]


def _along(solids: list[Capsule], point: Array, axis: Array) -> float:
    """How far a link extends along an axis from a point where one of its solids ends; 0 if it goes elsewhere."""
    for solid in solids:
        for start, end in ((solid.start, solid.end), (solid.end, solid.start)):
            span = end - start
            if np.linalg.norm(start - point) < 1e-9 and abs(span @ axis) > 0.99 * np.linalg.norm(span):
                return float(span @ axis)
    return 0.0


def _frame(robot: Robot, name: str) -> dict[str, Any]:
    link, pose = frame_offset(robot, name)
    return {"name": name, "link": link, **_placed(pose)}


def _tips(robot: Robot) -> list[str]:
    """The end effector, or the tips of a tree without one."""
    if robot.model.end_effector is not None:
        return [robot.model.end_effector]
    inner = {link.parent for link in robot.description.links}
    moving = [name for name in robot.frame_names if robot.model.frames[name].link]
    rolling = {contact.name for contact in robot.model.contacts}  # these leave tracks
    tips = [name for name in moving if name not in inner and name not in rolling]
    return tips[:TRACES]


def _frame_path(robot: Robot, name: str, poses: Array) -> Array:
    link, pose = frame_offset(robot, name)
    return poses[:, link, :3, :3] @ pose[:3, 3] + poses[:, link, :3, 3]


def _touching(
    robot: Robot,
    known: Clearance | None,
    kept: Array,
    keep: NDArray[np.int_],
    count: int,
    radius: ArrayLike | None,
    span: Array,
) -> dict[str, Any]:
    """Pairs of links that ever touch, and for each frame which of them do, one byte per pair."""
    if known is None:
        found = clearance(robot, kept, radius, span)
        hits = found.touching
    else:
        found = known
        if found.between.shape != (count, len(found.pairs)):
            raise InputError(f"touching: expected a clearance of the same {counted(count, 'state')} as q")
        # A contact between two sent frames is assigned to the earlier one, so that none is lost.
        hits = np.logical_or.reduceat(found.touching, keep, axis=0) if found.pairs else found.touching[keep]
    used = [p for p in range(len(found.pairs)) if hits[:, p].any()]
    index = {name: i for i, name in enumerate([WORLD, *robot.link_names])}
    pairs = [[index[name] for name in found.pairs[p]] for p in used]
    flags = np.ascontiguousarray(hits[:, used], dtype=np.uint8)
    return {"pairs": pairs, "flags": base64.b64encode(flags.tobytes()).decode("ascii")}


def view(
    robot: Robot,
    shapes: list[Capsule],
    joints: list[JointPlace],
    poses: Array,
    appearance: Look,
    tracks: Array,
    lines: Array | None = None,
) -> dict[str, Any]:
    """Up direction, viewpoint, extent, and the floor (for planar robots a wall) with the robot's mounts.

    `tracks` (F, wheels, 3): where wheels touch the floor. `lines`: of flexible links, see `bent_lines`.
    """
    up, across = _up(robot), _plane_normal(robot, joints, poses)
    if tracks.size:
        up, across = np.array(robot.model.up.components(), dtype=np.float64), None
    ground = up if across is None else across
    ends = place(shapes, poses, lines)
    radii = np.array([shape.radius for shape in shapes])
    thick = max(float(radii.max()), *(0.1 * contact.radius for contact in robot.model.contacts), 0.0)
    feet = np.zeros((0, 3)) if tracks.size else _feet(robot, shapes, joints, ground)
    lowest = float((ends @ ground - radii[:, None]).min())
    level = (
        float((tracks @ ground).min())
        if tracks.size
        else min(float((feet @ ground).min(initial=np.inf)) - 1.5 * thick, lowest - 0.3 * thick)
    )
    mounts = [_mount(foot, ground, level, radii, ends, thick) for foot in feet]
    seen = _outermost(appearance, poses)
    held = 0 in appearance.modelled or not len(seen)  # by a mount on the floor
    tall = max((contact.radius for contact in robot.model.contacts), default=0.0) * up
    rolled = tracks.reshape(-1, 3)
    wheeled = [rolled, rolled + 2 * tall, *(rolled + sign * tall[[2, 0, 1]] for sign in (-1, 1))]
    points = np.concatenate([ends.reshape(-1, 3), seen, *wheeled, *(np.array([m["top"], m["bottom"]]) for m in mounts)])
    directions = np.array([d for d in product((-1, 0, 1), repeat=3) if any(d)], dtype=np.float64)
    outer = points[(points @ directions.T).argmax(axis=0)]
    flat = [_bends_across(bend, poses[0], up) for bend in bends(robot)]
    elevation = FROM_ABOVE if tracks.size else FROM_HIGH if flat and all(flat) else FROM_ASIDE
    return {
        "up": up.tolist(),
        "from": (_viewpoint(up, points, elevation) if across is None else across).tolist(),
        "planar": across is not None,
        "points": outer.tolist(),
        "floor": {
            "normal": ground.tolist(),
            "level": level,
            "meshes": level
            if tracks.size
            else min(float((seen @ ground).min(initial=np.inf)), level if held else np.inf),
        },
        "mounts": mounts,
        "thickness": thick,
        "reach": max(reach(robot), float(np.ptp(points, axis=0).max()) / 2),
    }


def _outermost(appearance: Look, poses: Array) -> Array:
    """Points of the shapes along the motion, in world coordinates; some hundred states suffice to find the floor."""
    some = poses[:: max(1, len(poses) // OUTLINES)]
    placed = [some[:, link, :3, :3] @ points.T + some[:, link, :3, 3:] for link, points in appearance.outline]
    return np.concatenate([np.zeros((0, 3)), *(points.transpose(0, 2, 1).reshape(-1, 3) for points in placed)])


def _feet(robot: Robot, shapes: list[Capsule], joints: list[JointPlace], ground: Array) -> Array:
    """Where the robot is mounted: at the bottom of what is fixed to the world, or at its first joints, and at pins."""
    held_by = [p for p in loop_places(robot) if p.kind in PINS]
    pins = [point for p in held_by for body, point in zip(p.bodies, p.points, strict=True) if body == 0]
    fixed = [end for shape in shapes if shape.link == 0 for end in (shape.start, shape.end)]
    if fixed:
        return np.array([min(fixed, key=lambda point: float(point @ ground)), *pins])
    loose = (*LOOSE, BENDS)
    held = [j.socket for j, b in zip(joints, bodies(robot), strict=True) if b.parent == 0 and b.kind not in loose]
    held += [bend.root_pose[:3, 3] for bend in bends(robot) if bend.root == 0]
    return np.array([*held, *pins]).reshape(-1, 3)


def _up(robot: Robot) -> Array:
    """Opposite to gravity if that is along a coordinate axis, otherwise z."""
    pull = robot.gravity
    k = int(np.abs(pull).argmax())
    rest = np.delete(np.abs(pull), k)
    if pull[k] == 0.0 or (rest > FLAT * abs(pull[k])).any():
        return np.array([0.0, 0.0, 1.0])
    return -np.sign(pull[k]) * np.eye(3)[k]


def _plane_normal(robot: Robot, joints: list[JointPlace], poses: Array) -> Array | None:
    """The normal of the robot's plane of motion, if there is one and it is vertical."""
    jointed = [body for body in bodies(robot) if body.kind != BENDS]
    axes = np.array([poses[0, body.number, :3, :3] @ joints[body.number - 1].axis for body in jointed])
    kinds = [body.kind for body in jointed]
    turning = np.array([kind == "revolute" for kind in kinds])
    if not turning.any() or not {"revolute", "prismatic"}.issuperset(kinds):
        return None
    n = axes[turning][0]
    parallel = np.linalg.norm(np.cross(axes[turning], n), axis=1) < FLAT
    within = np.abs(axes[~turning] @ n) < FLAT
    upright = abs(float(_up(robot) @ n)) < FLAT
    if not (parallel.all() and within.all() and upright and all(_bends_across(b, poses[0], n) for b in bends(robot))):
        return None
    return n if n[int(np.abs(n).argmax())] > 0 else -n


def _bends_across(bend: Bend, poses: Array, normal: Array) -> bool:
    """Whether a flexible link stays in a plane with this normal, in which it lies."""
    beam, axes = bend.beam, poses[bend.root, :3, :3] @ bend.root_pose[:3, :3]
    if beam.torsion or (beam.along_y and beam.along_z):
        return False
    return bool(np.linalg.norm(np.cross(axes[:, 2 if beam.along_y else 1], normal)) < FLAT)


def _viewpoint(up: Array, points: Array, elevation: float) -> Array:
    """From above and the side: perpendicular to the widest direction of the motion, rotated a little."""
    flat = points - points.mean(axis=0)
    flat = flat - np.outer(flat @ up, up)
    _, spread, rows = np.linalg.svd(flat[:: max(1, len(flat) // 4000)], full_matrices=False)
    side = np.roll(up, 1)  # another axis than up
    widest = rows[0] if spread[0] > 1e-9 else np.cross(side, up)
    across = np.cross(up, widest)
    across = across if across @ (np.roll(up, 1) - 0.8 * np.roll(up, 2)) > 0 else -across
    turn = np.radians(28.0)
    level = np.cos(turn) * across + np.sin(turn) * np.cross(up, across)
    height = np.radians(elevation)
    return np.cos(height) * level + np.sin(height) * up


def _mount(foot: Array, ground: Array, level: float, radii: Array, ends: Array, thick: float) -> dict[str, Any]:
    """A column from the floor to the mounting point; a short one if the robot would swing through it."""
    bottom = foot - (float(foot @ ground) - level) * ground
    below = foot - 4 * thick * ground
    if (below - bottom) @ ground > 0:
        gap = segment_distance(ends[..., 0, :], ends[..., 1, :], below, bottom) - radii
        if float(gap.min()) < 1.5 * thick:
            bottom = foot - 1.5 * thick * ground
    return {"top": foot.tolist(), "bottom": bottom.tolist(), "radius": 1.3 * thick}
