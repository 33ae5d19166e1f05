"""Natural modes as one HTML file: a mode is chosen from a table and played in 3D.

The browser is sent, for every mode, how each link moves relative to the one that carries it, and the rates of elastic
coordinates. So any amplitude can be shown, and tips follow by the kinematics of the dynamics (see bending.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redyn.errors import InputError
from redyn.kinematics import capsules, link_poses, place
from redyn.kinematics.bending import bends, bent_lines, gears
from redyn.kinematics.shape import bodies, reach
from redyn.report.bending import elastic_values
from redyn.report.html import packed_page
from redyn.report.scene import pack_floats, pose_rows, scene
from redyn.report.shapes import Meshes
from redyn.robot import Robot
from redyn.vibration import Vibration

Array = NDArray[np.float64]

MODULES = ("solids", "contact", "bending", "viewer", "player", "modes")
SHARE = 0.12  # displacement with which a page opens, of the robot's reach
TURN = 0.5  # rad that count as much as a displacement by the whole reach: of modes that only twist
STEP = 1e-5  # of the reach, for differences


def write_modes(
    path: str | Path,
    robot: Robot,
    vibration: Vibration,
    *,
    title: str = "",
    notes: Sequence[str] = (),
    force: bool = False,
    meshes: Meshes | None = None,
) -> Path:
    """Writes a page that shows the natural modes of a robot, see `Robot.vibration`; returns its path.

    The page plays one mode at a time, in slow motion and without damping, with an amplitude that is chosen there: modes
    have a shape but no size. `force` replaces a file that is not a page of redyn's. `meshes`: see `scene`.
    """
    if not len(vibration.frequencies):
        raise InputError(f"{robot.name} has no natural modes here: nothing drives it back to where it is")
    modes = [_mode(robot, vibration, k) for k in range(len(vibration.frequencies))]
    # The view has room for every mode as it opens.
    moved = [sign * SHARE / mode["size"] * vibration.shapes[:, k] for k, mode in enumerate(modes) for sign in (1, -1)]
    states = np.array([vibration.q, *(robot.integrate(vibration.q, v) for v in moved)])
    drawn = scene(robot, np.arange(len(states), dtype=np.float64), states, meshes=meshes)
    data: dict[str, Any] = {
        "scene": {**drawn, "traces": [], "touching": {"pairs": [], "flags": ""}},
        "parents": [body.parent for body in bodies(robot)],
        "rows": pose_rows(robot, vibration.q),
        "modes": modes,
        "share": SHARE,
        "reach": reach(robot),
    }
    return packed_page(path, title or f"{robot.name}: natural modes", notes, data, MODULES, force=force)


def _mode(robot: Robot, vibration: Vibration, k: int) -> dict[str, Any]:
    shape = vibration.shapes[:, k]
    twists = _relative_twists(robot, vibration.q, shape)
    moved, turned = _displacement(robot, vibration.q, shape), float(np.linalg.norm(twists[:, :3], axis=1).max())
    shares = sorted(vibration.share(k).items(), key=lambda item: -abs(item[1]))
    return {
        "omega": float(vibration.frequencies[k]),
        "damping": float(vibration.damping_ratios[k]),
        "twists": pack_floats(twists),
        "elastic": _elastic_rates(robot, shape),
        "moved": moved,  # of the point that moves furthest, in m for an amplitude of 1
        "turned": turned,  # rad
        "size": max(moved / reach(robot), turned * TURN, 1e-300),
        "shares": [[name, round(share, 6)] for name, share in shares if abs(share) > 5e-3],
    }


def _elastic_rates(robot: Robot, shape: Array) -> list[float]:
    """As `elastic_values`, of rates."""
    places = {start: i for i, start in enumerate(robot.model.starts)}
    coordinates = np.zeros(robot.nq)
    coordinates[list(places)] = shape[list(places.values())]
    return elastic_values(bends(robot), gears(robot), coordinates).tolist()


def _relative_twists(robot: Robot, q: Array, rates: Array) -> Array:
    """Of every moving link relative to the one that carries it, in its own axes: angular, then linear, (L, 6)."""
    still = np.zeros(robot.dof)
    motion = robot.link_motion(q, rates, still)
    omega = np.concatenate([np.zeros((1, 3)), motion.twist[:, :3]])
    v = np.concatenate([np.zeros((1, 3)), motion.twist[:, 3:]])
    poses = np.concatenate([np.eye(4)[None], motion.pose])
    parents = [body.parent for body in bodies(robot)]
    R, o = motion.pose[:, :3, :3], motion.pose[:, :3, 3]
    carried = v[parents] + np.cross(omega[parents], o - poses[parents, :3, 3])
    apart = np.stack([omega[1:] - omega[parents], v[1:] - carried], axis=1)
    return np.einsum("lji,lkj->lki", R, apart).reshape(-1, 6)


def _displacement(robot: Robot, q: Array, rates: Array) -> float:
    """How fast the point moves that moves fastest, of all links as they are drawn and of their frames."""
    step = STEP / max(float(np.abs(rates).max()), 1e-300)
    states = np.array([robot.integrate(q, sign * step * rates) for sign in (-1, 1)])
    poses, shapes = link_poses(robot, states), capsules(robot)
    ends = place(shapes, poses, bent_lines(bends(robot), states, poses)).reshape(2, -1, 3)
    points = np.concatenate([ends, poses[..., :3, 3]], axis=1)
    return float(np.linalg.norm(points[1] - points[0], axis=1).max()) / (2 * step)
