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

from redyn.kinematics import capsules, link_poses, place
from redyn.kinematics.bending import bends, bent_lines
from redyn.kinematics.shape import joint_places, reach
from redyn.living.coordinates import coordinates, layout, rates, torques
from redyn.living.module import module, standing
from redyn.living.sliders import freed, slider_data
from redyn.living.start import start
from redyn.living.stretch import stretches
from redyn.report.html import packed_page
from redyn.report.scene import pose_rows, scene
from redyn.report.shapes import Meshes
from redyn.robot import Robot
from redyn.robot.free import FreeRobot
from redyn.symbolic.export.functions import identifier

Array = NDArray[np.float64]

SHARED = ("solids", "contact", "bending", "viewer", "player")
OWN = (  # each may import the previous ones
    "motion",
    "posing",
    "strips",
    "share",
    "pull",
    "tables",
    "controls",
    "panels",
    "picture",
    "living",
)
VIEWS = 24  # states over which the view extends
CLOSED = 8  # the same of closed loops, which take longer to find
REACHED = 300  # states from which the reach of the tip is found


def page(
    robot: Robot,
    path: str | Path | None = None,
    *,
    q: ArrayLike | None = None,
    qd: ArrayLike | None = None,
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

    The robot starts at `q`, by default its initial position, or aside of it where it would hang still, at rest or with
    the rates `qd`; a robot that nothing would move starts with some. `force` replaces a file that is not a page of
    redyn's.

    >>> import redyn, tempfile
    >>> redyn.page(redyn.load("two-link"), tempfile.mkdtemp() + "/arm.html").name
    'arm.html'
    """
    free = freed(robot)
    q0, qd0 = start(free, q, qd)
    code = module(free, tick)
    tick("shapes")
    data = _data(free, q0, qd0, meshes)
    here = files("redyn.living")
    own = {"robot": code.encode(), **{name: here.joinpath(f"{name}.js").read_bytes() for name in OWN}}
    style = here.joinpath("living.css").read_text("utf-8")
    target = path if path is not None else f"{identifier(robot.name)}.html"
    return packed_page(target, title or robot.name, notes, data, SHARED, own=own, style=style, force=force)


def _data(robot: FreeRobot, q: Array, qd: Array, meshes: Meshes | None) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    rows = coordinates(robot, q)
    states = np.array([q, *_views(robot, q, rows, rng, VIEWS)])
    times = np.arange(len(states), dtype=np.float64)

    def drawn(which: FreeRobot) -> dict[str, Any]:
        return scene(which, times, states, meshes=meshes)

    sliders = slider_data(robot)
    lengths = [k for k, slider in enumerate(sliders) if slider["group"] == "Lengths"]
    whole: dict[str, Any] = {**drawn(robot), "traces": [], "touching": {"pairs": [], "flags": ""}}
    ground = standing(robot)
    if ground is not None and ground.form.kind == "level":
        level = float(ground.shape[0])
        whole["view"]["floor"] |= {"level": level, "meshes": level}
    if not len(robot.model.floating):
        whole["view"]["points"] += _around(robot, _views(robot, q, rows, rng, REACHED), whole["view"])
    control = "pd" if ground is not None or _sinks(robot) else "free"
    return {
        "scene": whole,
        "rows": pose_rows(robot, q),
        "layout": {**layout(robot, q), "ground": None if ground is None else ground.numbers.tolist()},
        "coordinates": rows,
        "rates": rates(robot),
        "torques": torques(robot, q),
        "start": {"q": q.tolist(), "qd": qd.tolist(), "control": control},
        "sliders": sliders,
        "stretches": stretches(robot, lengths, drawn),
        "reach": reach(robot),
        "mass": float(robot.total_mass),
        "tip": _tip(robot),
    }


def _sinks(robot: Robot) -> bool:
    """Whether cylinders carry it, which without a torque slide out of each other: there are no stops."""
    driven = [robot.model.actuators[k].joint.kind for k in robot.driven_rates]
    return bool(robot.loops) and "prismatic" in driven


def _views(robot: FreeRobot, q: Array, rows: list[dict[str, Any]], rng: np.random.Generator, count: int) -> list[Array]:
    """Positions that the view has to show: anywhere in the ranges of joints, with a base near its start."""
    model = robot.model
    if model.loops:
        return [robot.random(rng) for _ in range(min(count, CLOSED))]
    own = {row["index"]: row for row in rows if row["kind"] == "single" and not row["mode"]}
    loose = {variable.q for variable in model.variables if variable.rate in model.floating}
    found: list[Array] = []
    for _ in range(count):
        at = q.copy()
        for variable in model.variables:
            if variable.joint.single and variable.q in own and variable.q not in loose and not model.contacts:
                at[variable.q] = rng.uniform(own[variable.q]["low"], own[variable.q]["high"])
        found.append(at)
    return found


def _around(robot: Robot, states: list[Array], view: dict[str, Any]) -> list[list[float]]:
    """Points that keep room for the robot wherever it falls: as far from its first joint as it is seen to go."""
    q = np.array(states)
    poses = link_poses(robot, q)
    ends = place(capsules(robot), poses, bent_lines(bends(robot), q, poses)).reshape(-1, 3)
    first = joint_places(robot)[0].socket
    far = float(np.linalg.norm(ends - first, axis=1).max())
    up = np.array(view["up"])
    sides = [x for x in (*np.eye(3), *-np.eye(3)) if abs(float(x @ up)) < 0.5]
    away = np.array(view["from"])
    kept = [x for x in (up, -up, *sides) if not view["planar"] or abs(float(x @ away)) < 0.5]
    return [(first + far * x).tolist() for x in kept]


def _tip(robot: Robot) -> int | None:
    """The number of the end effector among the frames of the scene."""
    tip = robot.model.end_effector
    return None if tip is None else list(robot.frame_names).index(tip)
