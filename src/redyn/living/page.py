"""A robot as one HTML file in which its dynamics run: it falls, is dragged and controlled, has other masses.

The page contains the exported functions of the robot (see module.py), which give what the library gives, and needs
no network. Its own modules are beside this file; living.js puts them together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redyn.errors import InputError
from redyn.kinematics import capsules, link_poses, place
from redyn.kinematics.bending import gears
from redyn.kinematics.shape import BENDS, bodies, joint_places, joint_values, reach
from redyn.living.module import module
from redyn.living.sliders import freed, joint_inertias, shared_start, slider_data
from redyn.living.stretch import stretches
from redyn.model.joint import Joint
from redyn.report.html import packed_page
from redyn.report.scene import pose_rows, scene
from redyn.report.shapes import Meshes
from redyn.robot import Robot
from redyn.robot.free import FreeRobot
from redyn.symbolic.export.functions import identifier

Array = NDArray[np.float64]

SHARED = ("solids", "contact", "bending", "viewer", "player")
OWN = ("motion", "strips", "share", "pull", "tables", "controls", "living")  # each may import the previous ones
SINGLE = ("revolute", "prismatic", "helical")  # joints whose one number has the rate of its own
VIEWS = 24  # states over which the view extends
REACHED = 300  # states from which the reach of the tip is found
STILL = 0.02  # of the largest torque of gravity: below, nothing seems to happen when the robot is let go
ASIDE = 0.6  # rad, by which a robot that would hang still starts elsewhere


def page(
    robot: Robot,
    path: str | Path | None = None,
    *,
    q: ArrayLike | None = None,
    title: str = "",
    notes: Sequence[str] = (),
    force: bool = False,
    meshes: Meshes | None = None,
    tick: Callable[[str], None] = lambda _: None,
) -> Path:
    """Write a living page of a robot, by default NAME.html; returns its path.

    Forward and inverse dynamics run in the browser, with the operations of the library: the robot falls, can be
    dragged, is held by a controller, and has sliders for its numbers. These are masses, lengths, damping, gravity and a
    payload, or those that `robot.free(...)` left open. `window.redyn` on the page has the functions for its console.

    The robot starts at `q`, by default its initial position, or aside of it where it would hang still. Robots with one
    number per joint have living pages; not those with closed loops, wheels, coupled joints, flexible links or
    gears, floating bases, spherical, universal or planar joints. `force` replaces a file that is not a page of redyn's.

    >>> import redyn, tempfile
    >>> redyn.page(redyn.load("two-link"), tempfile.mkdtemp() + "/arm.html").name
    'arm.html'
    """
    _check(robot)
    free = freed(robot)
    code = module(free, tick)
    tick("shapes")
    data = _data(free, _start(free, q), meshes)
    here = files("redyn.living")
    own = {"robot": code.encode(), **{name: here.joinpath(f"{name}.js").read_bytes() for name in OWN}}
    style = here.joinpath("living.css").read_text("utf-8")
    target = path if path is not None else f"{identifier(robot.name)}.html"
    return packed_page(target, title or robot.name, notes, data, SHARED, own=own, style=style, force=force)


def _check(robot: Robot) -> None:
    """Raises for robots whose state is more than one number per joint."""
    why = ""
    if robot.loops:
        why = "it has closed loops"
    elif robot.model.contacts:
        why = "it rolls on wheels"
    elif robot.model.reduction is not None:
        why = "some of its joints are coupled"
    elif robot.model.flexible or any(body.kind == BENDS for body in bodies(robot)):
        why = "it has flexible links"
    elif gears(robot) or any(link.joint.turns_motor for link in robot.model.links):
        why = "it has elastic gears"
    else:
        odd = [body for body in bodies(robot) if body.kind not in SINGLE]
        if odd:
            why = f"joint {odd[0].link.joint.name!r} is {odd[0].kind}"
    if why:
        raise InputError(
            f"{robot.name} has no living page: {why}. They are for robots in which every joint is revolute, prismatic "
            "or helical; `redyn simulate ROBOT --html` shows a motion of any robot"
        )


def _start(robot: FreeRobot, q: ArrayLike | None) -> Array:
    if q is not None:
        given = joint_values(robot, q)
        if given.ndim != 1 or not np.isfinite(given).all():
            raise InputError(f"q: expected {robot.nq} finite numbers, got shape {given.shape}")
        return given
    start, rng = robot.initial, np.random.default_rng(0)
    most = np.abs(robot.gravity_torque(np.array([robot.random(rng) for _ in range(VIEWS)]))).max()
    if np.abs(robot.gravity_torque(start)).max() >= STILL * most:
        return start
    turning = np.array([body.kind != "prismatic" for body in bodies(robot)])
    return np.clip(start + ASIDE * turning, *robot.limits.T)


def _data(robot: FreeRobot, start: Array, meshes: Meshes | None) -> dict[str, Any]:
    low, high = _ranges(robot, start)
    rng = np.random.default_rng(0)
    states = np.array([start, *rng.uniform(low, high, (VIEWS, robot.nq))])
    times = np.arange(len(states), dtype=np.float64)

    def drawn(which: FreeRobot) -> dict[str, Any]:
        return scene(which, times, states, meshes=meshes)

    sliders = slider_data(robot)
    lengths = [k for k, slider in enumerate(sliders) if slider["group"] == "Lengths"]
    whole: dict[str, Any] = {**drawn(robot), "traces": [], "touching": {"pairs": [], "flags": ""}}
    whole["view"]["points"] += _around(robot, rng.uniform(low, high, (REACHED, robot.nq)), whole["view"])
    found = bodies(robot)
    turning = [body.kind != "prismatic" for body in found]
    shared = shared_start([*robot.joint_names, *robot.link_names])
    return {
        "scene": whole,
        "rows": pose_rows(robot, start),
        "parents": [body.parent for body in found],
        "joints": [
            {
                "name": name,
                "short": str(name).removeprefix(shared),
                "colour": joint["colour"],
                "turn": float(turns),
                "slide": _slide(found[k].link.joint),
                "unit": "rad" if turns else "m",
                "force": "Nm" if turns else "N",
                "limited": bool(np.isfinite(robot.limits[k]).any()),
                "low": float(low[k]),
                "high": float(high[k]),
            }
            for k, (name, joint, turns) in enumerate(zip(robot.joint_names, whole["joints"], turning, strict=True))
        ],
        "start": start.tolist(),
        "inertias": joint_inertias(robot).tolist(),
        "sliders": sliders,
        "stretches": stretches(robot, lengths, drawn),
        "reach": reach(robot),
        "mass": float(robot.total_mass),
        "tip": _tip(robot),
    }


def _around(robot: Robot, q: Array, view: dict[str, Any]) -> list[list[float]]:
    """Points that keep room for the robot wherever it falls: as far from its first joint as it is seen to go."""
    poses = link_poses(robot, q)
    ends = place(capsules(robot), poses).reshape(-1, 3)
    first = joint_places(robot)[0].socket
    far = float(np.linalg.norm(ends - first, axis=1).max())
    up = np.array(view["up"])
    sides = [x for x in (*np.eye(3), *-np.eye(3)) if abs(float(x @ up)) < 0.5]
    away = np.array(view["from"])
    kept = [x for x in (up, -up, *sides) if not view["planar"] or abs(float(x @ away)) < 0.5]
    return [(first + far * x).tolist() for x in kept]


def _slide(joint: Joint) -> float:
    """How far the joint moves its link along its axis, per unit of q."""
    return float(joint.p.lin.z)  # pyright: ignore[reportArgumentType]  # a number: nothing of a joint's motion is free


def _tip(robot: Robot) -> int | None:
    """The number of the end effector among the frames of the scene."""
    tip = robot.model.end_effector
    return None if tip is None else list(robot.frame_names).index(tip)


def _ranges(robot: Robot, start: Array) -> tuple[Array, Array]:
    """Ranges of the joints' sliders: their limits, or a turn, or the robot's reach."""
    turning = np.array([body.kind != "prismatic" for body in bodies(robot)])
    half = np.where(turning, np.pi, reach(robot))
    lowest, highest = robot.limits.T
    low = np.where(np.isfinite(lowest), lowest, -half)
    high = np.where(np.isfinite(highest), highest, half)
    return np.minimum(low, start), np.maximum(high, start)
