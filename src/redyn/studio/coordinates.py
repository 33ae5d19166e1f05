"""How the entries of q and qd are shown: their units and colours, and the numbers that sliders move.

Where q holds quaternions it has more entries than qd. There the sliders move the rotation vector (axis times angle) and
the position of a free joint.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from redyn.errors import InputError
from redyn.model import POSE_SIZE, QUATERNION_SIZE
from redyn.model.configuration import spans
from redyn.report import plots
from redyn.report.colours import joint_colour
from redyn.report.plots import turning
from redyn.robot import Robot

Array = NDArray[np.float64]

WIDE = 10.0  # the range of a mode's slider, beside how far links bend in random configurations
_PLAIN = {"wx": "rotation x", "wy": "rotation y", "wz": "rotation z", "vx": "x", "vy": "y", "vz": "z"}


def units(robot: Robot, angular: str, linear: str) -> str:
    """The unit of a quantity with one entry per velocity; both, with a comma, for mixed joints.

    >>> import redyn
    >>> units(redyn.load("stanford"), "Nm", "N"), units(redyn.load("puma"), "Nm", "N")
    ('Nm, N', 'Nm')
    """
    return plots.units(robot, angular, linear, ", ")


def coordinate_units(robot: Robot) -> list[str]:
    """Unit of each entry of q: rad, m, or empty for quaternions."""
    found: list[str] = []
    for link, turns in zip(robot.model.located, turning(robot, "coordinates"), strict=True):
        count = link.joint.coordinates
        own = ["rad" if turns else "m"] if count == 1 else ["m"] * (count - QUATERNION_SIZE) + [""] * QUATERNION_SIZE
        found += own if count else []
    return found


def velocity_units(robot: Robot, angular: str, linear: str) -> list[str]:
    """Unit of a quantity with one entry per velocity, entry by entry."""
    return [angular if turns else linear for turns in turning(robot)]


def torque_units(robot: Robot) -> list[str]:
    """Of each entry of tau."""
    return ["Nm" if turns else "N" for turns in turning(robot, "actuators")]


def velocity_heads(robot: Robot) -> list[dict[str, str]]:
    """Name and colour of each entry of qd, and of tau unless wheels roll."""
    return [_head(robot, name) for name in robot.velocity_names]


def torque_heads(robot: Robot) -> list[dict[str, str]]:
    """Name and colour of each entry of tau."""
    return [_head(robot, name) for name in robot.torque_names]


def _head(robot: Robot, label: str) -> dict[str, str]:
    return {"name": label, "colour": joint_colour(plots.colour_numbers(robot)[label])}


def coordinate_heads(robot: Robot) -> list[dict[str, str]]:
    """Name and colour of each entry of q."""
    colours = plots.coordinate_colours(robot)
    return [{"name": name, "colour": colour} for name, colour in zip(robot.coordinate_names, colours, strict=True)]


def unit_quaternions(where: str, robot: Robot, values: tuple[float, ...]) -> tuple[float, ...]:
    """The configuration with normalised quaternions: users may type `0, 0, 1, 1` for `0, 0, 0.7071, 0.7071`."""
    q = np.array(values)
    for start in robot.model.quaternions:
        own = q[start : start + QUATERNION_SIZE]
        length = float(np.linalg.norm(own))
        if not 1e-6 < length < 1e6:
            name = robot.coordinate_names[start].rpartition(".")[0]
            raise InputError(f"{where} of {name}: qx, qy, qz, qw cannot all be zero or huge; 0, 0, 0, 1 is no rotation")
        if abs(length - 1.0) > 1e-12:
            own /= length
    return tuple(q.tolist())


# --- sliders -----------------------------------------------------------------------------------------------------


def slider_values(robot: Robot, q: Array) -> Array:
    """One number per direction of q, which is one per velocity unless wheels roll; quaternions as rotation vectors."""
    values = robot.difference(robot.neutral(), q)
    for i, j in _free(robot):
        values[j + 3 : j + 6] = q[i : i + 3]
    return values


def slid(robot: Robot, q: Array, slider: int, value: float) -> Array:
    """The configuration with one slider moved; the link beyond an elastic gear goes with its motor."""
    values = slider_values(robot, q)
    for i, link in enumerate(robot.model.located):
        if link.joint.motor and robot.model.links[link.joint.motor - 1] is robot.model.located[slider]:
            values[i] += value - values[slider]
    values[slider] = value
    moved = robot.integrate(robot.neutral(), values)
    for i, j in _free(robot):
        moved[i : i + 3] = values[j + 3 : j + 6]
    return moved


def sliders(robot: Robot) -> list[dict[str, Any]]:
    """Options of jog.js; without limits, half a turn each way, or a metre from the initial position.

    Modes of flexible links move as far as these may bend.
    """
    made: list[dict[str, Any]] = []
    starts, widest = slider_values(robot, robot.initial), spans(robot.model)
    limits, turns = robot.limits, turning(robot, "coordinates")
    for j, (link, (low, high)) in enumerate(zip(robot.model.located, limits, strict=True)):
        span, start = np.pi if turns[j] else 1.0, float(starts[j])
        if link.joint.kind == "mode":
            span = WIDE * float(widest[j])
        limited = bool(np.isfinite(low) or np.isfinite(high))
        low = float(low) if np.isfinite(low) else min(-span, start - span)
        high = float(high) if np.isfinite(high) else max(span, start + span)
        part = link.joint.part
        name = f"{link.joint.name}.{_PLAIN.get(part, part)}" if part else link.joint.name
        ends = {"low": low, "high": high, "limited": limited}
        made.append(
            {
                **_head(robot, link.joint.label),
                "name": name,
                **ends,
                "turns": turns[j],
                "bends": link.joint.kind == "mode",
                "value": start,
                "passive": False,
            }
        )
    return made


def _free(robot: Robot) -> list[tuple[int, int]]:
    """First index of each free joint in q, and among the sliders."""
    return [(v.q, v.rate) for v in robot.model.variables if v.size == POSE_SIZE]
