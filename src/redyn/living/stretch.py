"""How the drawn shape of a robot follows its lengths.

Points of a link's shape, in the axes of its frame, are affine in the lengths of a robot file, since axes keep their
directions. So a page is sent one vector for each point and length, and poses come from its own kinematics. Meshes keep
their size and move with the frame that they are fixed to.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redyn.robot.free import FreeRobot

Array = NDArray[np.float64]
Path = tuple[str | int, ...]

STEP = 1 / 64  # of a length: exact in binary, and too small for a shape of other parts
LEAST = 1e-7  # of a slope that counts


def points(scene: dict[str, Any]) -> dict[Path, Array]:
    """Every point of a scene that may depend on lengths, by its place in that dict."""
    found: dict[Path, Any] = {}
    for i, link in enumerate(scene["links"]):
        found["links", i, "com"] = link["com"]
        for k, solid in enumerate(link["solids"]):
            found["links", i, "solids", k, "start"] = solid["start"]
            found["links", i, "solids", k, "end"] = solid["end"]
    for i, joint in enumerate(scene["joints"]):
        for part in ("point", "drum", "socket"):
            found["joints", i, part] = joint[part]
    for i, frame in enumerate(scene["frames"]):
        found["frames", i, "position"] = frame["position"]
    for i, shape in enumerate(scene["shapes"]["placed"]):
        found["shapes", "placed", i, "position"] = shape["position"]
    for i, mount in enumerate(scene["view"]["mounts"]):
        found["view", "mounts", i, "top"] = mount["top"]
    return {path: np.array(point, dtype=np.float64) for path, point in found.items()}


def stretches(
    robot: FreeRobot, lengths: list[int], drawn: Callable[[FreeRobot], dict[str, Any]]
) -> list[dict[str, Any]]:
    """For each of these parameters, the points that it moves: [{parameter, moves: [[path, by], ...]}, ...].

    `drawn(robot)` is its scene; `by` the displacement in m per m.
    """
    nominal, before = robot.nominal_parameters, points(drawn(robot))
    found: list[dict[str, Any]] = []
    for k in lengths:
        step = STEP * (abs(float(nominal[k])) or 1.0)
        changed = nominal.copy()
        changed[k] += step
        after = points(drawn(robot.at(changed)))
        slopes = {path: (after[path] - before[path]) / step for path in before if path in after}
        moves = [[list(path), slope.tolist()] for path, slope in slopes.items() if np.abs(slope).max() > LEAST]
        found.append({"parameter": k, "moves": moves})
    return found
