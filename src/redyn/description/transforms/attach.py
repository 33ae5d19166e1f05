"""Attaches one robot to another."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redyn.arrays import real_array
from redyn.description.placement import rpy_rotation, translation
from redyn.description.poses import origin
from redyn.description.schema import WORLD, Convention, JointDescription, LinkDescription, RobotDescription
from redyn.description.transforms import rolling
from redyn.description.transforms.common import LONGEST_NAME, changed, fresh, joint_names, link_names, parent_for
from redyn.description.transforms.contacts import renamed
from redyn.description.transforms.frames import as_frames
from redyn.description.transforms.loops import joined
from redyn.description.transforms.screws import normal_step, screw, split
from redyn.description.units import like_degrees
from redyn.errors import InputError, warn

Array = NDArray[np.float64]

SKEWED = 1e-6  # tolerance of a rotation matrix written with few digits
EXACT = 1e-12  # largest error of DH rows that represent a pose


def pose_matrix(pose: ArrayLike | tuple[ArrayLike, ArrayLike] | None) -> Array:
    """A 4x4 matrix from a matrix, from (xyz, rpy), or from None: the identity.

    >>> pose_matrix(([0, 0, 0.1], [0, 0, 0]))[2]
    array([0. , 0. , 1. , 0.1])
    """
    if pose is None:
        return np.eye(4)
    meaning = "a 4x4 matrix or (xyz, rpy), three numbers each"
    try:
        T = real_array(pose).copy()
    except (TypeError, ValueError):
        raise InputError(f"pose: expected {meaning}") from None
    if T.shape not in ((4, 4), (2, 3)):
        raise InputError(f"pose: expected {meaning}, got shape {T.shape}")
    if not np.isfinite(T).all():
        raise InputError("pose: expected finite numbers")
    if T.shape == (2, 3):
        for angle in filter(like_degrees, T[1]):
            warn(f"pose: {angle:g} is taken as radians; for degrees give numpy.radians of the angles")
            break
        return translation(*T[0]) @ rpy_rotation(*T[1])
    R = T[:3, :3]
    if abs(T[3] - (0, 0, 0, 1)).max() > SKEWED or abs(R @ R.T - np.eye(3)).max() > SKEWED or np.linalg.det(R) < 0:
        raise InputError("pose: the 4x4 matrix is not a pose: expected a right-handed rotation and a last row 0 0 0 1")
    U, _, V = np.linalg.svd(R)
    T[:3, :3], T[3] = U @ V, (0, 0, 0, 1)
    return T


def attach(robot: RobotDescription, other: RobotDescription, link: str, pose: Array) -> RobotDescription:
    """`robot` with the world of `other` placed at `pose` in the frame of `link`.

    That frame is a fixed link, `<other>_base`. If a name of `other` is taken, all its names get the prefix
    `<other>_`. Gravity is that of `robot`; the end effector is that of `other` if `link` was that of `robot`. The
    convention is kept if both have the same and it can represent the pose, else it is `frames`.

    Loops of `other` to its world become loops to that fixed link. If only one robot has loops, all moving joints of the
    other that mimic none are driven, but for free ones.

    >>> from redyn.description import read
    >>> both = attach(read("two-link"), read("one-link"), "link2", np.eye(4))
    >>> [link.name for link in both.links]
    ['link1', 'link2', 'one-link_base', 'one-link_link1']
    """
    rows = _rows(pose, robot.convention) if robot.convention == other.convention else None
    if rows is None:
        robot, other = as_frames(robot), as_frames(other)
        rows = [origin(pose)]
    links, joints = link_names(robot), joint_names(robot)
    prefix = _prefix(other, links, joints)
    base_links = links | {prefix + name for name in link_names(other)}
    base_joints = joints | {prefix + name for name in joint_names(other)}
    mount: list[LinkDescription] = []
    carrier = parent_for(robot, link)
    for i, row in enumerate(rows):
        ending = "base" if i == len(rows) - 1 else "mount"
        name = fresh(f"{prefix or _short(other.name)}{ending}", base_links)
        joint = JointDescription(type="fixed", name=fresh(f"{name}_joint", base_joints))
        mount.append(LinkDescription(name=name, parent=carrier, joint=joint, **row))
        base_links.add(name)
        base_joints.add(str(joint.name))
        carrier = name
    place, drawn = _meshes(robot, other)
    carried = [_renamed(item, prefix, carrier) for item in drawn]
    tip = robot.end_effector
    if link == tip:
        tip = prefix + other.end_effector if other.end_effector else None
    both = changed(
        robot,
        "attach",
        name=f"{robot.name}+{other.name}"[:LONGEST_NAME],
        links=[*robot.links, *mount, *carried],
        end_effector=tip,
        unphysical=robot.unphysical or other.unphysical,
        defects=[*robot.defects, *other.defects],
        ground=robot.ground or other.ground,
        contacts=[*robot.contacts, *renamed(other, prefix)],
        **(joined(robot, other, prefix, carrier) if robot.loops or other.loops else {}),
        **rolling.joined(robot, other, prefix),
    )
    return both if place.folder is None else both.placed_in(place.folder, place.trusted)


def _meshes(robot: RobotDescription, other: RobotDescription) -> tuple[RobotDescription, list[LinkDescription]]:
    """The robot whose folder has the meshes, and the links of `other`, without meshes if those are elsewhere."""
    same = (other.folder, other.trusted) == (robot.folder, robot.trusted)
    if same or not any(map(_has_mesh, other.links)):
        return robot, other.links
    if not any(map(_has_mesh, robot.links)):
        return other, other.links
    warn(f"attach: the meshes of {other.name!r} are left out: those of {robot.name!r} are in another folder")
    return robot, [_without_meshes(link) for link in other.links]


def _has_mesh(link: LinkDescription) -> bool:
    return any(shape.type == "mesh" for shape in (*link.visual, *link.collision))


def _without_meshes(link: LinkDescription) -> LinkDescription:
    kept = {key: [s for s in getattr(link, key) if s.type != "mesh"] for key in ("visual", "collision")}
    return link.model_copy(update=kept)


def _short(name: str) -> str:
    return f"{name[: LONGEST_NAME // 2]}_"


def _prefix(other: RobotDescription, links: set[str], joints: set[str]) -> str:
    """A prefix for the names of `other` that avoids collisions; empty if none is needed."""
    own_links, own_joints = link_names(other), joint_names(other)
    prefix, number = "", 1
    while any(prefix + name in links for name in own_links) or any(prefix + name in joints for name in own_joints):
        prefix = _short(other.name if number == 1 else f"{other.name[: LONGEST_NAME // 3]}{number}")
        number += 1
    longest = max(map(len, own_links | own_joints))
    if len(prefix) + longest > LONGEST_NAME:
        raise InputError(f"attach: a name of {other.name!r} would be longer than {LONGEST_NAME} characters")
    return prefix


def _renamed(link: LinkDescription, prefix: str, base: str) -> LinkDescription:
    fields: dict[str, object] = {"name": f"{prefix}{link.name}", "joint": _renamed_joint(link.joint, prefix)}
    fields["parent"] = base if link.parent == WORLD else f"{prefix}{link.parent}"
    return link.model_copy(update=fields)


def _renamed_joint(joint: JointDescription, prefix: str) -> JointDescription:
    mimic = joint.mimic and joint.mimic.model_copy(update={"joint": prefix + joint.mimic.joint})
    return joint.model_copy(update={"name": f"{prefix}{joint.name}", "mimic": mimic})


def _rows(pose: Array, convention: Convention) -> list[dict[str, Any]] | None:
    """The geometry of one or two fixed links that lead to the pose; None if DH rows would lose digits."""
    if convention == "frames":
        return [origin(pose)]
    found = split(pose).settled(turn=True) if convention == "dh" else split(pose)
    first, last = screw(found.theta, found.b), screw(found.rest_theta, found.rest_b)
    if np.abs(first @ normal_step(found.a, found.alpha) @ last - pose).max() > EXACT:
        return None
    one = {"theta": found.theta, "along": found.b}
    two = {"theta": found.rest_theta, "along": found.rest_b}
    normal = {"a": found.a, "alpha": found.alpha}
    nothing = {"a": 0.0, "alpha": 0.0}
    rows = [one | normal, two | nothing] if convention == "dh" else [one | nothing, two | normal]
    along = "b" if convention == "dh" else "d"
    kept = [row for row in rows if any(row.values())] or rows[:1]
    return [{along if key == "along" else key: value for key, value in row.items()} for row in kept]
