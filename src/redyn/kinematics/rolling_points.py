"""Where wheels, disks and blades touch the ground: at hub - r e, with e as in `redyn.dynamics.rolling`."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redyn.kinematics.poses import matrix, vector
from redyn.kinematics.robot_like import RobotLike
from redyn.kinematics.shape import body_numbers, link_poses

Array = NDArray[np.float64]


def rolling_points(robot: RobotLike, q: ArrayLike) -> dict[str, Array]:
    """By link, (3,) or (N, 3), in the world."""
    return points_at(robot, link_poses(robot, q))


def points_at(robot: RobotLike, poses: Array) -> dict[str, Array]:
    """The same at the poses of the world and all moving links, (..., L + 1, 4, 4)."""
    model, numbers = robot.model, body_numbers(robot)
    z = vector(model.up)
    found: dict[str, Array] = {}
    for contact in model.contacts:
        body = numbers[contact.carrier]
        axes = np.linalg.inv(matrix(model.frames[robot.link_names[body - 1]].pose)) if body else np.eye(4)
        T = poses[..., body, :, :] @ axes  # of the model's own axes of the carrier
        R, o = T[..., :3, :3], T[..., :3, 3]
        a = R @ vector(contact.axle)
        across = z - a * (a @ z)[..., None]
        e = across / np.linalg.norm(across, axis=-1, keepdims=True) if contact.radius else np.zeros(3)
        found[contact.name] = o + R @ vector(contact.hub) - contact.radius * e
    return found
