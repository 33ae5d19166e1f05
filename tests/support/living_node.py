"""Modules of a living page in Node: the robot's own, and those that know nothing of a page."""

import importlib.resources

import numpy as np

from node import run
from redyn.living.coordinates import layout
from redyn.living.module import module

SET_UP = """
import { createMotion } from "./motion.js";
import * as robot from "./robot.js";
const make = (start = given.start, p = robot.nominal_parameters) =>
  createMotion(robot.operations, given.layout, Float64Array.from(p), start);
const energy = ({ state: { q, qd }, parameters: p }) => robot.kinetic_energy(q, qd, p) + robot.potential_energy(q, p);
"""


def in_node(folder, robot, script, ground=None, **given):
    """What the script prints; `start` is (q, qd), by default at rest at the initial position."""
    here = importlib.resources.files("redyn.living")
    for name in ("motion", "share", "posing", "pull"):
        (folder / f"{name}.js").write_text(here.joinpath(f"{name}.js").read_text("utf-8"))
    (folder / "robot.js").write_text(module(robot))
    q, qd = given.pop("start", (robot.initial, np.zeros(robot.dof)))
    made = {**layout(robot, np.array(q)), "ground": None if ground is None else ground.numbers.tolist()}
    return run(
        folder, SET_UP + script, {"start": {"q": list(q), "qd": list(qd), "control": "free"}, "layout": made, **given}
    )
