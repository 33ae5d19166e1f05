"""Robots without special zeros, for errata that the robots of the sources happen to hide."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from redyn.reproduce.item import Array
from redyn.robot import Robot, load


@cache
def general_chain(kinds: str, seed: int = 5) -> Robot:
    """A serial robot in general position: `kinds` has r for a revolute and p for a prismatic joint."""
    rng = np.random.default_rng(seed)
    links: list[dict[str, Any]] = []
    for kind in kinds:
        mass = float(rng.uniform(0.5, 3))
        spread = rng.uniform(-0.3, 0.3, (3, 3))
        moments = mass * (spread @ spread.T / 3 + 0.002 * np.eye(3))
        I = np.trace(moments) * np.eye(3) - moments
        links.append(
            {
                "joint": "revolute" if kind == "r" else "prismatic",
                "xyz": rng.uniform(-0.5, 0.5, 3).tolist(),
                "rpy": rng.uniform(-3, 3, 3).tolist(),
                "axis": [0, 0, 1],
                "mass": mass,
                "com": rng.uniform(-0.3, 0.3, 3).tolist(),
                "inertia": {
                    "xx": I[0, 0],
                    "xy": I[0, 1],
                    "xz": I[0, 2],
                    "yy": I[1, 1],
                    "yz": I[1, 2],
                    "zz": I[2, 2],
                },
            }
        )
    return load({"name": f"chain-{kinds}", "convention": "frames", "gravity": [0, 0, -9.81], "links": links})


def two_rods() -> Robot:
    """The first two links of Table 9.2 as slender rods: masses and lengths that are not one."""
    links: list[dict[str, Any]] = [
        {
            "joint": "revolute",
            "a": a,
            "b": 0,
            "alpha": 0,
            "mass": m,
            "r": [a / 2, 0, 0],
            "inertia": {"xx": 0, "yy": m * a * a / 12, "zz": m * a * a / 12},
        }
        for m, a in ((0.5, 0.3), (0.4, 0.25))
    ]
    return load({"name": "two-rods", "convention": "dh", "gravity": [0, -9.81, 0], "links": links})


def state(robot: Robot, seed: int = 0) -> tuple[Array, Array, Array]:
    """Positions around the initial ones, rates and accelerations, all of order one."""
    rng = np.random.default_rng(seed)
    q = robot.initial + rng.uniform(-0.8, 0.8, robot.dof)
    return q, rng.uniform(-1, 1, robot.dof), rng.uniform(-1, 1, robot.dof)
