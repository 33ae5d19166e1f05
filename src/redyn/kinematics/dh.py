"""Denavit-Hartenberg parameters of any serial chain, from its joint axes at the zero configuration.

With every joint on z of its own axes, the pose of a frame is C_0 J_1(q_1) C_1 J_2(q_2) ... J_n(q_n) C_n: constants C
and motions J about or along z. Each constant is split into a row of the table and a screw about the z that follows it,
which commutes with that joint's motion and so moves on into the next constant. What is left of the first constant is
the base; of the last, the tool.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redyn.algebra import Mat3, Pose, Vec3
from redyn.arithmetic import Floats
from redyn.description.placement import Z_AXIS, motion, translation
from redyn.description.transforms.screws import Screws, normal_step, screw, split
from redyn.errors import InputError
from redyn.evaluate import normal
from redyn.kinematics.poses import matrix
from redyn.model import JointKind, Model
from redyn.words import counted

Array = NDArray[np.float64]


class DHRow(NamedTuple):
    """One joint: the joint variable is added to `theta` (revolute) or `d` (prismatic).

    In the book's form a and alpha lead to the next joint, in Craig's they come from the previous one. The book writes b
    for d.
    """

    joint: str
    kind: JointKind
    theta: float
    d: float
    a: float
    alpha: float
    choice: str | None  # what the axes leave undetermined, and what was chosen


@dataclass(frozen=True)
class DHTable:
    """Frame = base, then the rows in turn, then tool.

    modified=False: a row is Rz(theta) Tz(d) Tx(a) Rx(alpha); modified=True: Rx(alpha) Tx(a) Rz(theta) Tz(d).
    """

    frame: str
    modified: bool
    base: Array
    rows: tuple[DHRow, ...]
    tool: Array

    def forward_kinematics(self, q: ArrayLike) -> Array:
        """The 4x4 pose of the frame, rebuilt from the table; q holds the joints of the rows."""
        values = normal("q", q, len(self.rows), f"{counted(len(self.rows), 'number')}, one per row")
        if values.ndim != 1:
            raise InputError("q: the table takes one configuration at a time")
        T = self.base
        for row, value in zip(self.rows, values, strict=True):
            along = screw(row.theta, row.d) @ motion(row.kind, Z_AXIS, float(value))
            across = normal_step(row.a, row.alpha)
            T = T @ (across @ along if self.modified else along @ across)
        return T @ self.tool

    def to_data(self) -> dict[str, Any]:
        """Plain data, as for JSON."""
        return {
            "convention": "modified-dh" if self.modified else "dh",
            "frame": self.frame,
            "base": self.base.tolist(),
            "rows": [row._asdict() for row in self.rows],
            "tool": self.tool.tolist(),
        }


def dh_parameters(model: Model, frame: str, modified: bool = False) -> DHTable:
    """The DH table of the joints from the world to a frame.

    >>> import redyn
    >>> table = dh_parameters(redyn.load("puma").model, "link6")
    >>> [round(row.a, 4) for row in table.rows]
    [0.0, 0.432, 0.02, 0.0, 0.0, 0.0]
    """
    path = model.path(model.frames[frame].link)[::-1]
    if not path:
        raise InputError(f"dh: {frame!r} is fixed to the world; name a frame that joints move")
    for link in (model.links[i - 1] for i in path):
        if link.joint.kind == "mode":
            raise InputError(f"dh: link {link.joint.name!r} bends; robot.rigid() has a DH table, of straight links")
        if link.joint.motor:
            continue  # turns as its joint does, whatever its gear
        if link.virtual or link.joint.part or link.joint.kind == "helical":
            raise InputError(f"dh: joint {link.joint.name!r} is neither revolute nor prismatic, so it has no DH row")
    names = [model.links[i - 1].joint.name for i in path]
    kinds: list[JointKind] = [model.links[i - 1].joint.kind for i in path]
    steps: list[Screws] = []
    rest = np.eye(4)
    for i, constant in enumerate(_constants(model, path, frame)):
        found = split(rest @ constant)
        if i > 0:  # the base leaves what is free to the first joint
            found = found.settled(turn=i == len(path))
        steps.append(found)
        rest = screw(found.rest_theta, found.rest_b)
    first, last = steps[0], steps[-1]
    base = screw(first.theta, first.b) @ (np.eye(4) if modified else normal_step(first.a, first.alpha))
    tool = normal_step(last.a, last.alpha) @ rest if modified else rest
    rows = tuple(
        DHRow(name, kind, at.theta, at.b, across.a, across.alpha, _choice(names, kinds, i, at))
        for i, (name, kind, at, across) in enumerate(
            zip(names, kinds, steps[1:], steps[:-1] if modified else steps[1:], strict=True)
        )
    )
    return DHTable(frame, modified, base, rows, tool)


def _constants(model: Model, path: Sequence[int], frame: str) -> list[Array]:
    """C_0 ... C_n: from the axes of each joint, at zero, to those of the next, and from the last to the frame."""
    identity = Pose(Mat3(Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0)), Vec3(0.0, 0.0, 0.0))
    constants: list[Array] = []
    back = np.eye(4)
    for link in (model.links[i - 1] for i in path):
        # The origin on the axis is where the file has it, which is where parallel axes get their normal.
        here = cast(float, link.anchor.z)
        at_zero = matrix(link.joint.propagation([0.0], Floats()).place(identity))
        constants.append(back @ at_zero @ translation(0.0, 0.0, here))
        back = translation(0.0, 0.0, -here)
    return [*constants, back @ matrix(model.frames[frame].pose)]


def _choice(names: Sequence[str], kinds: Sequence[str], i: int, found: Screws) -> str | None:
    """What the axis of joint i and the next one leave undetermined."""
    following = names[i + 1] if i + 1 < len(names) else "z of the frame"
    lines, notes = found.lines, list[str]()
    if lines == "parallel":
        notes.append(f"parallel to {following}: any common normal would do, taken where the file puts it")
    elif lines == "coincident":
        notes.append(f"on one line with {following}: the split of theta and d between them is free")
    elif lines == "nearly parallel":
        notes.append(f"nearly parallel to {following}: small errors of either axis move the common normal far")
    if kinds[i] == "prismatic":
        notes.append("slides: only the direction of its axis matters")
    return "; ".join(notes) or None
