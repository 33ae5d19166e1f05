"""From frame to frame by the four motions of Denavit and Hartenberg, one step each, for the page to animate."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from redyn.description.placement import X_AXIS, Z_AXIS, rotation, translation
from redyn.description.schema import WORLD
from redyn.errors import RedynError
from redyn.robot import Robot
from redyn.studio.entries import planned, straightened
from redyn.studio.units import RADIANS, Angles

Array = NDArray[np.float64]

_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


class _Row(NamedTuple):
    """One link: its initial frame and its four DH parameters, the joint variable included."""

    link: str
    start: Array
    theta: float
    along: float  # b, or d in modified tables
    a: float
    alpha: float
    variable: str  # theta, along, or empty for a fixed joint


def dh_steps(robot: Robot, q: Array, angles: Angles = RADIANS) -> list[dict[str, Any]]:
    """Four steps per link: rotation or translation, axis, initial pose, amount; of straight links and rigid gears."""
    modified, rows = _rows(planned(robot), straightened(robot, q))
    steps: list[dict[str, Any]] = []
    for i, row in enumerate(rows, start=1):
        number = str(i).translate(_SUBSCRIPTS)
        before = str(i - 1).translate(_SUBSCRIPTS) if modified else number
        slide = "d" if modified else "b"
        along = [
            ("turn", "z", row.theta, f"θ{number}", "theta"),
            ("slide", "z", row.along, f"{slide}{number}", "along"),
        ]
        across = [("slide", "x", row.a, f"a{before}", "a"), ("turn", "x", row.alpha, f"α{before}", "alpha")]
        order = [*reversed(across), *along] if modified else [*along, *across]
        pose = row.start
        for kind, axis, value, symbol, name in order:
            steps.append(
                {
                    "link": row.link,
                    "kind": kind,
                    "axis": axis,
                    "value": float(value),
                    "symbol": symbol,
                    "variable": name == row.variable,
                    "start": pose.T.ravel().tolist(),  # column-major, as in three.js
                    "text": _text(kind, axis, float(value), angles),
                    "shown": angles.brief(float(value), "rad" if kind == "turn" else "m"),
                }
            )
            direction = Z_AXIS if axis == "z" else X_AXIS
            pose = pose @ (rotation(direction, value) if kind == "turn" else translation(*(direction * value)))
    return steps


def _text(kind: str, axis: str, value: float, angles: Angles) -> str:
    if kind == "turn":
        return f"rotate about {axis} by {angles.brief(value, 'rad')}"
    return f"move along {axis} by {angles.brief(value, 'm')}"


def _rows(robot: Robot, q: Array) -> tuple[bool, list[_Row]]:
    """The file's own table where it has one, else the table of the chain that leads to the end effector."""
    description = robot.description
    if description.convention == "frames":
        return False, _worked_out(robot, q)
    values = dict(zip(robot.link_names, q, strict=True))
    modified = description.convention == "modified-dh"
    rows: list[_Row] = []
    for link in description.links:
        name, parent = str(link.name), str(link.parent)
        start = np.eye(4) if parent == WORLD else robot.forward_kinematics(q, parent)
        variable = {"revolute": "theta", "prismatic": "along"}.get(link.joint.type, "")
        moved = float(values.get(name, 0.0)) + link.joint.offset
        theta = moved if variable == "theta" else link.theta or 0.0
        along = moved if variable == "along" else (link.d if modified else link.b) or 0.0
        rows.append(_Row(name, start, theta, along, link.a or 0.0, link.alpha or 0.0, variable))
    return modified, rows


def _worked_out(robot: Robot, q: Array) -> list[_Row]:
    if robot.model.end_effector is None:
        raise RedynError(f"{robot.name} has several tips; a DH table leads to one end effector")
    table = robot.dh_parameters()
    values = {variable.joint.name: float(q[variable.q]) for variable in robot.model.variables}
    pose, rows = table.base, list[_Row]()
    for row in table.rows:
        turning = row.kind == "revolute"
        theta = row.theta + (values[row.joint] if turning else 0.0)
        along = row.d + (0.0 if turning else values[row.joint])
        rows.append(_Row(row.joint, pose, theta, along, row.a, row.alpha, "theta" if turning else "along"))
        pose = pose @ rotation(Z_AXIS, theta) @ translation(row.a, 0.0, along) @ rotation(X_AXIS, row.alpha)
    return rows
