"""A new loop, closed in the pose that is shown: the end of the last link is pinned to the ground where it stands.

What the pin leaves mobile decides which joints are driven. A pose in which the links lie in one line is refused: closed
there, the robot could not move, or not be told how to.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from redyn.description import RobotDescription
from redyn.description.loops import initial_poses, loop_frames
from redyn.description.placement import rpy_rotation, translation
from redyn.description.schema import WORLD, LinkDescription
from redyn.description.transforms.frames import origin
from redyn.errors import InputError
from redyn.kinematics.linear import null_space, rank
from redyn.robot import Robot
from redyn.studio import loop_rows
from redyn.studio.cells import Row, number_text, numbers
from redyn.studio.table import VARIABLE, YES, Draft, read

Array = NDArray[np.float64]

STUCK = 1e-3  # rad or m: a robot that comes no further cannot move
SHARE = 0.02  # of a joint in the motion, below which it cannot drive it from here
DIGITS = 12  # of a point, in metres: closed within rounding, without that of zeros

STRETCHED = (
    "closed in this pose the robot could not move: its links are stretched out, or folded, in one line (a singular "
    "position). Turn a joint by some 30 degrees with its slider first, then press + Loop again"
)
RIGID = (
    "closed here nothing could move. A pin takes two motions from a planar robot, so it needs at least three links: "
    "add a link first"
)


class Closing(NamedTuple):
    """A row of the table of loops, and what comes with it."""

    loop: Row
    initial: dict[int, Row]  # cells of the links: the pose becomes the initial one
    driven: list[str]  # joints
    tip: str | None  # the end effector, if it is to be another one
    note: str

    def applied(self, draft: Draft) -> Draft:
        """The tables with this loop."""
        rows = [
            {**row, **self.initial.get(i, {}), "driven": YES if draft.joint_name(i) in self.driven else ""}
            for i, row in enumerate(draft.rows)
        ]
        robot = draft.robot if self.tip is None else {**draft.robot, "end_effector": self.tip}
        return replace(draft, robot=robot, rows=tuple(rows), loops=(*draft.loops, self.loop))


def closing(draft: Draft, robot: Robot, q: Array) -> Closing:
    """Pins the last link to the ground where it stands at q; `robot` is that of the tables."""
    description = robot.description
    name = _loose_end(draft, robot)
    if any({row["first"], row["second"]} == {name, WORLD} for row in draft.loops):
        raise InputError(f"{name} is pinned to the ground already. A new loop closes the end of another link: add one")
    link = next(link for link in description.links if link.name == name)
    row = {**dict.fromkeys(loop_rows.LOOP, ""), "name": loop_rows.free_name(draft.loops), "joint": "revolute"}
    row |= {"first": name, "second": WORLD}
    place, point = _placed(link, description.convention, robot, q)
    new = Closing(row | place, _initial(draft, robot, q), [], None, "")
    found = read(new.applied(draft))
    if isinstance(found, list):
        raise InputError(found[0].reason)
    closed = Robot(found)
    driven, remark = _driving(closed, draft)
    at_end = robot.model.end_effector == name and link.parent != WORLD  # which is at rest now
    where = ", ".join(f"{x:.4g}" for x in point)
    note = f"{name} is pinned to the ground where it stands, at {where} m. Driven: {', '.join(driven)}.{remark}"
    return new._replace(driven=driven, tip=link.parent if at_end else None, note=note)


def _loose_end(draft: Draft, robot: Robot) -> str:
    """The last link that carries no other, if possible one without a loop."""
    carriers = {row["parent"] for row in draft.rows}
    tied = {row[end] for row in draft.loops for end in loop_rows.ENDS}
    moving = [row["name"] for row in draft.rows if robot.model.frames[row["name"]].link]
    tips = [name for name in moving if name not in carriers]
    return next((name for name in reversed(tips) if name not in tied), tips[-1])


def _placed(link: LinkDescription, convention: str, robot: Robot, q: Array) -> tuple[Row, list[float]]:
    """Where the pin is on the link and on the ground: cells of the loop, and the point of the ground."""
    T = robot.forward_kinematics(q, str(link.name))
    end = np.zeros(3) if convention == "dh" or link.joint.type == "fixed" else _far_end(link)
    point: list[float] = (np.round(T[:3, :3] @ end + T[:3, 3], DIGITS) + 0.0).tolist()
    at = ", ".join(number_text(x) for x in end.tolist())
    if T[2, 2] > 1 - 1e-12:  # both see the axis as z
        return {"at": at, "meets": ", ".join(number_text(x) for x in point)}, point
    ground = {"xyz": point, "rpy": [float(x) for x in origin(T).get("rpy") or (0.0, 0.0, 0.0)]}
    return {"frame1": loop_rows.frame_text({"xyz": end.tolist()}), "frame2": loop_rows.frame_text(ground)}, point


def _far_end(link: LinkDescription) -> Array:
    """Of a link whose frame is on its joint: as far beyond the mass centre as the joint is before it."""
    centre = link.com if link.com is not None else tuple(-x for x in link.r or (0.0, 0.0, 0.0))
    return 2 * np.array(centre) + 0.0


def _initial(draft: Draft, robot: Robot, q: Array) -> dict[int, Row]:
    """Cells that make q the initial pose; those that say so already stay."""
    values: dict[str, list[float]] = {}
    for variable in robot.model.variables:
        values.setdefault(variable.joint.name, []).extend(q[variable.q : variable.q + variable.size].tolist())
    cells: dict[int, Row] = {}
    for i, link in enumerate(robot.description.links):
        joint = link.joint
        own = values.get(str(joint.name))
        if own is None or tuple(own) == tuple(joint.initial or joint.neutral):
            continue
        angle = joint.type != "prismatic"
        column = VARIABLE.get(draft.convention, {}).get(joint.type, "initial")
        cells[i] = {column: ", ".join(number_text(x, angle and len(own) == 1) for x in own)}
    return cells


def _driving(robot: Robot, draft: Draft) -> tuple[list[str], str]:
    """Joints that determine the motion, those driven before and then the first ones; and a remark.

    InputError if nothing can move in this pose, or not in a determined way.
    """
    if robot.model.closure is None:
        raise InputError("; ".join(robot.notes))
    here = robot.loop_jacobian(robot.initial)
    free = null_space(here)
    if not free.shape[1]:
        raise InputError(RIGID)
    far = max(np.abs(robot.difference(robot.initial, robot.random(seed))).max() for seed in range(4))
    if far < STUCK or rank(here) < robot.model.closure.rank:
        raise InputError(STRETCHED)
    drivable = [i for i, rest in enumerate(draft.rest) if "mimic" not in rest.get("joint", {})]
    names = [draft.joint_name(i) for i in sorted(drivable, key=lambda i: not draft.rows[i]["driven"])]
    names = [name for name in names if name in robot.joint_names]
    rates = {name: [i for i, link in enumerate(robot.model.driven) if link.joint.name == name] for name in names}
    chosen: list[str] = []
    passed: list[str] = []
    for name in names:
        rows = [i for other in (*chosen, name) for i in rates[other]]
        if len(rows) > free.shape[1]:
            continue
        if np.linalg.svd(free[rows], compute_uv=False)[-1] > SHARE:
            chosen.append(name)
        elif len(chosen) < free.shape[1] and not passed:
            passed.append(name)
    told = [name for name in passed if name == names[0]]
    remark = f" {told[0]} could not drive it from this pose, a dead centre." if told else ""
    return [name for name in robot.joint_names if name in chosen], remark


def distance(description: RobotDescription, name: str) -> float | None:
    """From one point of a loop to the other in the initial pose; None if that is not known, or nothing."""
    found = dict(zip((loop.name for loop in description.loops), loop_frames(description), strict=True))
    loop = next((loop for loop in description.loops if loop.name == name), None)
    if loop is None or loop.joint == "gear":
        return None
    poses = initial_poses(description)
    first, second = (poses[link] @ frame for link, frame in zip(loop.between, found[name], strict=True))
    apart = round(float(np.linalg.norm(first[:3, 3] - second[:3, 3])), 9)
    return apart or None


def carried_over(description: RobotDescription, row: Row, column: str, link: str) -> Row:
    """Cells of a loop whose end `column` becomes another link: the joint stays where it is in the initial pose."""
    poses = initial_poses(description)
    point = {"first": "at", "second": "meets"}[column]
    frame = {"first": "frame1", "second": "frame2"}[column]
    text = row[frame] or row[point]
    try:
        given = loop_rows.frame_numbers(text, 6) if row[frame] else numbers(text, count=3)
        move = np.linalg.inv(poses[link]) @ poses[row[column]]
    except (ValueError, KeyError):  # no numbers, or no such link
        return {}
    if given is None:
        return {}
    if not row[frame]:
        return {point: _point_text(move[:3, :3] @ given + move[:3, 3])}
    placed = origin(move @ translation(*given[:3]) @ rpy_rotation(*given[3:]))
    return {frame: loop_rows.frame_text({key: [float(x) for x in placed.get(key) or (0.0,) * 3] for key in placed})}


def _point_text(point: Array) -> str:
    rounded: list[float] = (np.round(point, 12) + 0.0).tolist()
    return ", ".join(number_text(x) for x in rounded)
