"""Joints that close loops: what a file must say of them, and where their two frames are."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from redyn.description.beams import beam_length
from redyn.description.ends import ROOT, TIP, end_frames, frame_links
from redyn.description.placement import (
    Z_AXIS,
    joint_motion,
    link_at_tip,
    placement,
    rotation,
    rpy_rotation,
    translation,
    unit_axis,
)
from redyn.description.poses import rpy_angles, vector
from redyn.description.schema import (
    SEVERAL,
    WORLD,
    Convention,
    LinkDescription,
    LoopDescription,
    PlacedFrame,
    RobotDescription,
)
from redyn.description.ties import is_single, rules
from redyn.errors import DescriptionError
from redyn.words import suggestion

Array = NDArray[np.float64]


def checked_loops(robot: RobotDescription, links: list[LinkDescription]) -> list[LoopDescription]:
    """The loops with names, each between things that exist; `links` have all their names."""
    parts, joints = rigid_parts(links, robot.convention), {str(link.joint.name): link for link in links}
    named: list[LoopDescription] = []
    seen: dict[str, int] = {}
    given = {loop.name for loop in robot.loops}
    for k, loop in enumerate(robot.loops):
        name = loop.name or f"loop{k + 1}"
        while loop.name is None and name in given:
            name += "_"
        if name in seen:
            raise DescriptionError(
                f"loops[{k}].name", f"{name!r} is already used by loops[{seen[name]}]; names must differ"
            )
        seen[name] = k
        wrong = _wrong_joints(loop, joints) if loop.joint == "gear" else _wrong_links(loop, parts)
        if wrong:
            raise DescriptionError(f"loops[{k}].between", f"loop {name!r}: {wrong}")
        named.append(loop.model_copy(update={"name": name}))
    _check_actuated(robot, links)
    return named


def _wrong_links(loop: LoopDescription, parts: Mapping[str, str]) -> str:
    """Why a loop cannot be between its links; empty if it can."""
    for end in loop.between:
        if end not in parts:
            return f"no link is called {end!r}{suggestion(end, list(parts))}"
    first, second = loop.between
    if first == second:
        return f"it connects link {first!r} with itself; name two different links"
    if parts[first] == parts[second]:
        return (
            f"links {first!r} and {second!r} are fixed to each other, so that nothing moves between them; name links "
            "with a moving joint between them, or leave the loop out"
        )
    return ""


def _wrong_joints(loop: LoopDescription, joints: Mapping[str, LinkDescription]) -> str:
    """Why a gear cannot be between its joints; empty if it can."""
    for end in loop.between:
        if end not in joints:
            single = [name for name, link in joints.items() if is_single(link)]
            return f"a gear is between two joints, and no joint is called {end!r}{suggestion(end, single)}"
        if not is_single(joints[end]):
            return f"joint {end!r} is {joints[end].joint.type}; a gear needs two joints with one coordinate each"
    first, second = loop.between
    return f"it connects joint {first!r} with itself; name two different joints" if first == second else ""


def rigid_parts(links: list[LinkDescription], convention: Convention = "frames") -> dict[str, str]:
    """For every frame and the world: the frame, or the world, that it is fixed to; itself if it moves.

    What a flexible link carries is fixed to its tip.
    """
    owner, named = frame_links(links), {str(link.name): link for link in links}
    parts = {WORLD: WORLD}

    def mount(frame: str) -> str:
        """The frame to which that is fixed which has this parent."""
        link = named.get(frame)
        return frame if link is None or link.flexible is None else f"{frame}.{TIP}"

    def place(link: LinkDescription) -> None:
        name = str(link.name)
        root = name if link.joint.type != "fixed" else parts[mount(str(link.parent))]
        if link.flexible is not None:
            tip = f"{name}.{TIP}" if any(link.flexible.modes) else root
            parts[f"{name}.{ROOT}"], parts[f"{name}.{TIP}"] = root, tip
            root = root if link_at_tip(link, convention) is None else tip
        parts[name] = root

    for link in links:
        path, at = list[LinkDescription](), str(link.name)
        while at not in parts:
            path.append(named[at])
            parent = str(named[at].parent)
            at = parent if parent == WORLD else owner[parent]
        for item in reversed(path):
            place(item)
    return parts


def _check_actuated(robot: RobotDescription, links: list[LinkDescription]) -> None:
    joints = {str(link.joint.name): link.joint for link in links}
    moving = [name for name, joint in joints.items() if joint.type != "fixed"]
    if robot.actuated is None:
        if robot.loops:
            first = moving[0] if moving else "joint1"
            raise DescriptionError(
                "actuated",
                f"missing; a robot with loops has to say which joints are driven: actuated: [{first}] in a robot file, "
                f"or load(..., actuated=[{first!r}]), [] if none is; the others are passive. load(..., loops=False) "
                "leaves the loops out",
            )
        return
    if not (robot.loops or robot.rolling):
        raise DescriptionError("actuated", "only robots with loops or wheels have passive joints; leave actuated out")
    seen: set[str] = set()
    for k, name in enumerate(robot.actuated):
        wrong = ""
        if name not in joints:
            wrong = f"no moving joint is called {name!r}{suggestion(name, moving)}"
        elif joints[name].type == "fixed":
            wrong = f"joint {name!r} is fixed and cannot be driven; leave it out"
        elif joints[name].mimic is not None:
            wrong = f"joint {name!r} mimics another; name the one that it mimics"
        elif name in seen:
            wrong = f"joint {name!r} is named twice"
        if wrong:
            raise DescriptionError(f"actuated[{k}]", wrong)
        seen.add(name)


def loop_frames(robot: RobotDescription) -> list[tuple[Array, Array]]:
    """The frames of every loop's joint in those of its two links: z is the axis of the joint. Of a gear, the links'."""
    poses = initial_poses(robot) if any(loop.from_initial_pose for loop in robot.loops) else {}
    return [_frames(loop, poses) for loop in robot.loops]


def _frames(loop: LoopDescription, poses: Mapping[str, Array]) -> tuple[Array, Array]:
    if loop.frames is not None:
        first, second = (translation(*f.xyz) @ rpy_rotation(*f.rpy) for f in loop.frames)
        return first, second
    turned = to_axis(loop.axis)
    first = translation(*(loop.at or (0.0, 0.0, 0.0))) @ turned
    if loop.from_initial_pose:
        return first, np.linalg.inv(poses[loop.between[1]]) @ poses[loop.between[0]] @ first
    return first, translation(*(loop.meets or (0.0, 0.0, 0.0))) @ turned


def with_frames(robot: RobotDescription) -> list[LoopDescription]:
    """The loops with frames that no longer depend on the initial pose."""
    return [
        loop.model_copy(update={"at": None, "axis": None, "frames": (placed(first), placed(second))})
        if loop.from_initial_pose
        else loop
        for loop, (first, second) in zip(robot.loops, loop_frames(robot), strict=True)
    ]


def placed(T: Array) -> PlacedFrame:
    return PlacedFrame(xyz=vector(T[:3, 3]), rpy=rpy_angles(T[:3, :3]))


def pose_notes(robot: RobotDescription) -> tuple[str, ...]:
    """What is to be said of loops with one point only: the other is taken from the initial pose."""
    names = [str(loop.name) for loop in robot.loops if loop.from_initial_pose]
    if not names:
        return ()
    more = f" (and {len(names) - 1} more)" if len(names) > 1 else ""
    return (f"loop {names[0]!r}{more} gives `at` and not `meets`; its second frame is taken from the initial pose",)


def initial_poses(robot: RobotDescription) -> dict[str, Array]:
    """Where every link frame is in the initial pose, the world's included; flexible links are straight."""
    found = {WORLD: np.eye(4)}
    owner = {WORLD: WORLD, **frame_links(robot.links)}
    carried: dict[str, list[LinkDescription]] = {}
    for link in robot.links:
        carried.setdefault(owner[str(link.parent)], []).append(link)
    starts = {str(link.joint.name): (link.joint.initial or link.joint.neutral)[0] for link in robot.links}
    ties = rules(robot.links)
    waiting = [WORLD]
    while waiting:
        parent = waiting.pop()
        for link in carried.get(parent, []):
            tie = ties.get(str(link.joint.name)) if link.joint.initial is None else None
            values = link.joint.initial or link.joint.neutral if tie is None else (tie.at(starts[tie.leader]),)
            found[str(link.name)] = found[str(link.parent)] @ _pose(link, robot, values)
            if link.flexible is not None:
                found |= zip(end_frames(link), _ends(link, robot, found[str(link.name)]), strict=True)
            waiting.append(str(link.name))
    return found


def _ends(link: LinkDescription, robot: RobotDescription, pose: Array) -> tuple[Array, Array]:
    """The frames at both ends of a straight flexible link, given that of the link."""
    along = translation(beam_length(link), 0.0, 0.0)
    at_tip = link_at_tip(link, robot.convention)
    root = pose if at_tip is None else pose @ np.linalg.inv(along @ at_tip)
    return root, root @ along


def _pose(link: LinkDescription, robot: RobotDescription, values: tuple[float, ...]) -> Array:
    """The frame of a link in its parent's, with its joint at these values."""
    place = placement(link, robot.convention)
    if link.joint.type == "fixed":
        return place.before @ place.after
    if link.joint.type in SEVERAL:
        return place.before @ joint_motion(link, values)
    return place.at(link.joint, values[0] + link.joint.offset)


def to_axis(axis: tuple[float, float, float] | None) -> Array:
    """The rotation that takes z to the axis, which is z unless given, by the shortest way."""
    return turned_to(Z_AXIS, axis or (0.0, 0.0, 1.0))


def turned_to(start: Array, axis: tuple[float, float, float]) -> Array:
    """The rotation that takes `start`, one of the coordinate axes, to another axis by the shortest way."""
    direction = unit_axis(axis)
    across, cosine = np.cross(start, direction), float(start @ direction)
    sine = float(np.linalg.norm(across))
    if sine < 1e-12:
        return np.eye(4) if cosine > 0 else rotation(np.roll(start, 1), np.pi)
    return rotation(across / sine, float(np.arctan2(sine, cosine)))
