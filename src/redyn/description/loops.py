"""Joints that close loops: what a file must say of them, and where their two frames are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from redyn.description.placement import (
    Z_AXIS,
    joint_motion,
    placement,
    rotation,
    rpy_rotation,
    translation,
    unit_axis,
)
from redyn.description.schema import SEVERAL, WORLD, LinkDescription, LoopDescription, PlacedFrame, RobotDescription
from redyn.description.ties import is_single, rules
from redyn.errors import DescriptionError, InputError
from redyn.words import suggestion

Array = NDArray[np.float64]
Loops = Sequence[Mapping[str, object]] | Literal[False]


def given_loops(loops: Loops | None, actuated: Sequence[str] | None) -> dict[str, object]:
    """The fields of a robot file that take the place of its own; none where nothing is given."""
    fields: dict[str, object] = {}
    if loops is False:
        if actuated is not None:
            raise InputError("actuated: a robot loaded with loops=False has no passive joints; leave actuated out")
        return {"loops": [], "actuated": None}
    if loops is not None:
        if isinstance(loops, str | Mapping) or not isinstance(loops, Sequence):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InputError(f"loops: expected a list such as [{EXAMPLE}], or False, got {type(loops).__name__}")
        fields["loops"] = list(loops)
    if actuated is not None:
        if isinstance(actuated, str):
            raise InputError(f"actuated: expected a list of joints, as in [{actuated!r}]")
        fields["actuated"] = list(actuated)
    return fields


EXAMPLE = "{'between': ['link2', 'link3'], 'joint': 'revolute'}"


def checked_loops(robot: RobotDescription, links: list[LinkDescription]) -> list[LoopDescription]:
    """The loops with names, each between things that exist; `links` have all their names."""
    named: list[LoopDescription] = []
    seen: dict[str, int] = {}
    for k, loop in enumerate(robot.loops):
        name = loop.name or f"loop{k + 1}"
        if name in seen:
            raise DescriptionError(f"loops[{k}].name", f"{name!r} is already used by loops[{seen[name]}]")
        seen[name] = k
        _check_ends(loop, links, f"loops[{k}].between", name)
        named.append(loop.model_copy(update={"name": name}))
    _check_actuated(robot, links)
    return named


def _check_ends(loop: LoopDescription, links: list[LinkDescription], where: str, name: str) -> None:
    gear = loop.joint == "gear"
    single = [str(link.joint.name) for link in links if is_single(link)]
    names = single if gear else [str(link.name) for link in links]
    for end in loop.between:
        if end in names or (end == WORLD and not gear):
            continue
        what = "no joint with one coordinate" if gear else "no link"
        raise DescriptionError(where, f"loop {name!r}: {what} is called {end!r}{suggestion(end, names)}")
    first, second = loop.between
    if first == second:
        raise DescriptionError(where, f"loop {name!r} connects {first!r} with itself; name two different ones")
    if not gear and _rigid(first, links) == _rigid(second, links):
        raise DescriptionError(
            where,
            f"loop {name!r}: {first!r} and {second!r} are fixed to each other, so that nothing moves between them",
        )


def _rigid(name: str, links: list[LinkDescription]) -> str:
    """The link, or the world, that a link is fixed to: itself if its joint moves."""
    by_name = {str(link.name): link for link in links}
    while name != WORLD and by_name[name].joint.type == "fixed":
        name = str(by_name[name].parent)
    return name


def _check_actuated(robot: RobotDescription, links: list[LinkDescription]) -> None:
    if robot.actuated is None:
        if robot.loops:
            raise DescriptionError(
                "actuated",
                "missing; a robot with loops has to say which joints are driven, as in actuated: [joint1]; the others "
                "are passive ([] if none is driven)",
            )
        return
    if not robot.loops:
        raise DescriptionError("actuated", "only robots with loops have passive joints; leave actuated out")
    moving = [str(link.joint.name) for link in links if link.joint.type != "fixed"]
    followers = {str(link.joint.name) for link in links if link.joint.mimic is not None}
    for k, name in enumerate(robot.actuated):
        if name not in moving:
            raise DescriptionError(f"actuated[{k}]", f"no moving joint is called {name!r}{suggestion(name, moving)}")
        if name in followers:
            raise DescriptionError(f"actuated[{k}]", f"{name!r} mimics another joint; name the one that it mimics")
        if name in robot.actuated[:k]:
            raise DescriptionError(f"actuated[{k}]", f"{name!r} is named twice")


def loop_frames(robot: RobotDescription, loop: LoopDescription) -> tuple[Array, Array]:
    """The frames of a loop's joint in those of its two links: z is the axis of the joint."""
    if loop.frames is not None:
        first, second = (translation(*f.xyz) @ rpy_rotation(*f.rpy) for f in loop.frames)
        return first, second
    turned = _to_axis(loop.axis)
    first = translation(*(loop.at or (0.0, 0.0, 0.0))) @ turned
    if loop.from_initial_pose:
        poses = initial_poses(robot)
        return first, np.linalg.inv(poses[loop.between[1]]) @ poses[loop.between[0]] @ first
    return first, translation(*(loop.meets or (0.0, 0.0, 0.0))) @ turned


def with_frames(robot: RobotDescription) -> list[LoopDescription]:
    """The loops with frames that no longer depend on the initial pose."""
    from redyn.description.transforms.frames import origin

    def placed(T: Array) -> PlacedFrame:
        return PlacedFrame(**origin(T))

    fixed: list[LoopDescription] = []
    for loop in robot.loops:
        if loop.from_initial_pose:
            first, second = loop_frames(robot, loop)
            loop = loop.model_copy(update={"at": None, "axis": None, "frames": (placed(first), placed(second))})
        fixed.append(loop)
    return fixed


def initial_poses(robot: RobotDescription) -> dict[str, Array]:
    """Where every link frame is in the initial pose, the world's included."""
    found = {WORLD: np.eye(4)}
    waiting = list(robot.links)
    leaders = {str(link.joint.name): (link.joint.initial or link.joint.neutral)[0] for link in robot.links}
    ties = rules(robot.links)
    while waiting:
        later: list[LinkDescription] = []
        for link in waiting:
            if link.parent not in found:
                later.append(link)
                continue
            joint, placed = link.joint, placement(link, robot.convention)
            values = joint.initial or joint.neutral
            tie = ties.get(str(joint.name))
            if tie is not None and joint.initial is None:
                values = (tie.at(leaders[tie.leader]),)
            if joint.type == "fixed":
                pose = placed.before @ placed.after
            elif joint.type in SEVERAL:
                pose = placed.before @ joint_motion(link, values)
            else:
                pose = placed.at(joint, values[0] + joint.offset)
            found[str(link.name)] = found[str(link.parent)] @ pose
        waiting = later
    return found


def _to_axis(axis: tuple[float, float, float] | None) -> Array:
    """The rotation that takes z to the axis by the shortest way."""
    direction = unit_axis(axis)
    across = np.cross(Z_AXIS, direction)
    sine = float(np.linalg.norm(across))
    if sine < 1e-12:
        return np.eye(4) if direction[2] > 0 else rotation(np.array([1.0, 0.0, 0.0]), np.pi)
    return rotation(across / sine, float(np.arctan2(sine, direction[2])))
