"""The loops and the driven joints of robots that are locked, cut out or joined."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from redyn.description.loops import initial_poses, loop_frames, rigid_parts, with_frames
from redyn.description.schema import WORLD, LinkDescription, LoopDescription, RobotDescription
from redyn.description.transforms.common import fresh
from redyn.errors import InputError, warn

Array = NDArray[np.float64]
Fields = dict[str, object]

CLOSED = 1e-6  # m, or sine of an angle: a loop of locked joints may be open by as much


def fields(loops: Sequence[LoopDescription], actuated: Sequence[str] | None) -> Fields:
    """Of a description; a robot without loops does not say what is driven."""
    return {"loops": list(loops), "actuated": list(actuated or ()) if loops else None}


def locked(robot: RobotDescription, links: list[LinkDescription], joints: Collection[str]) -> Fields:
    """With these joints locked, which gives these links.

    Loops between links that are then fixed to each other are left out if they are closed, and so are gears of locked
    joints.
    """
    fixed = with_frames(robot)
    parts = rigid_parts(links, robot.convention)
    still = robot.model_copy(update={"links": links, "loops": fixed})
    poses, kept = initial_poses(still), list[LoopDescription]()
    for loop, frames in zip(fixed, loop_frames(still), strict=True):
        first, second = loop.between
        if loop.joint == "gear":
            kept += [] if first in joints else [loop]
        elif parts[first] != parts[second]:
            kept.append(loop)
        else:
            _check_closed(loop, frames, poses)
    return fields(kept, [name for name in robot.actuated or () if name not in joints])


def _check_closed(loop: LoopDescription, frames: tuple[Array, Array], poses: Mapping[str, Array]) -> None:
    A, B = (poses[end] @ frame for end, frame in zip(loop.between, frames, strict=True))
    gap = _gap(loop, np.linalg.inv(A) @ B)
    if gap > CLOSED:
        raise InputError(
            f"lock: loop {loop.name!r} would stay open by {gap:.3g} (m, or sine of an angle): links "
            f"{loop.between[0]!r} and {loop.between[1]!r} are then fixed to each other; lock its joints where it is "
            "closed, see robot.assemble"
        )


def _gap(loop: LoopDescription, T: Array) -> float:
    """How far the second frame, which is at T in the first, is from where the joint lets it be."""
    p, R = T[:3, 3], T[:3, :3]
    tilt, turn = R[:, 2] - np.array([0.0, 0.0, 1.0]), (R - np.eye(3)).ravel()
    errors = {
        "revolute": (*p, *tilt),
        "prismatic": (*p[:2], *turn),
        "cylindrical": (*p[:2], *tilt),
        "planar": (p[2], *tilt),
        "spherical": (*p,),
        "universal": (*p, R[0, 1]),
        "fixed": (*p, *turn),
        "distance": (float(np.linalg.norm(p)) - (loop.length or 0.0),),
    }[loop.joint]
    return float(np.abs(errors).max())


def inside(robot: RobotDescription, kept: Collection[str], moving: Collection[str], base: str) -> Fields:
    """Of a part, whose world is the frame of `base`: loops that leave it are left out, with a warning."""
    loops: list[LoopDescription] = []
    for loop in with_frames(robot):
        if loop.joint == "gear":
            ends, known = loop.between, moving
        else:
            ends = tuple(WORLD if end == base else end for end in loop.between)
            known = {*kept, WORLD} if base in loop.between else kept
        if set(ends) <= set(known):
            loops.append(loop.model_copy(update={"between": ends}))
        else:
            away = next(end for end in ends if end not in known)
            warn(f"subtree: loop {loop.name!r} is left out: {away!r} is not part of it")
    return fields(loops, [name for name in robot.actuated or () if name in moving])


def on_base(robot: RobotDescription, base: str) -> list[LoopDescription]:
    """The loops with `base` in place of the world, whose frame it has."""
    return [loop if loop.joint == "gear" else _renamed(loop, "", base) for loop in robot.loops]


def joined(robot: RobotDescription, other: RobotDescription, prefix: str, base: str) -> Fields:
    """Of both robots, where the names of `other` get a prefix and its world is the link `base`."""
    names = {str(loop.name) for loop in robot.loops}
    loops = list(robot.loops)
    for loop in other.loops:
        name = fresh(f"{prefix}{loop.name}", names)
        names.add(name)
        loops.append(_renamed(loop, prefix, base).model_copy(update={"name": name}))
    return fields(loops, [*_driven(robot), *(prefix + name for name in _driven(other))])


def _renamed(loop: LoopDescription, prefix: str, base: str) -> LoopDescription:
    gear = loop.joint == "gear"
    ends = tuple(base if end == WORLD and not gear else prefix + end for end in loop.between)
    return loop.model_copy(update={"between": ends})


def _driven(robot: RobotDescription) -> list[str]:
    """The joints with actuators: all that can have one, where a robot without loops does not say."""
    if robot.actuated is not None:
        return robot.actuated
    joints = [link.joint for link in robot.links]
    return [str(joint.name) for joint in joints if joint.type not in ("fixed", "free") and joint.mimic is None]
