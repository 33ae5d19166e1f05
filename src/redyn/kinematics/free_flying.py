"""Free-flying robots: the base reacts to the motion of the joints so that momentum is conserved.

The first six rows of the mass matrix give the momentum of the whole robot, about the origin and in the axes of the
base: M_b base + M_bm rates. Without external forces it is constant (zero for a robot that started at rest), and the
velocity of the base follows from the joint rates. Substituted into the Jacobian of a frame, it gives the generalized
Jacobian of Umetani and Yoshida, which maps joint rates alone and depends on masses as well as lengths.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redyn.description.schema import WORLD
from redyn.errors import InputError
from redyn.evaluate import normal
from redyn.kinematics.robot_like import LinkName, RobotLike
from redyn.words import counted

Array = NDArray[np.float64]

BASE = 6  # velocities of a free joint


def base_velocity(robot: RobotLike, q: ArrayLike, rates: ArrayLike, momentum: ArrayLike | None = None) -> Array:
    """Angular and linear velocity of the base, in its own axes, that results from joint rates: (6,) or (N, 6).

    `momentum` is that of the whole robot as in `Robot.momentum`: angular about the world's origin, then linear, in
    world axes; zero by default.

    >>> import redyn
    >>> robot = redyn.load("dual-arm-satellite")
    >>> base_velocity(robot, robot.neutral(), [1, 0, 0, 0, 0, 0]).round(3)
    array([ 0.   ,  0.   , -0.099,  0.   , -0.016,  0.   ])
    """
    require_free_base(robot)
    moving = normal(
        "rates", rates, robot.dof - BASE, f"{counted(robot.dof - BASE, 'number')}, one per joint after the base"
    )
    M = robot.mass_matrix(q)
    wanted = -np.einsum("...ij,...j->...i", M[..., :BASE, BASE:], moving)
    if momentum is not None:
        wanted = wanted + _at_base(robot, q, normal("momentum", momentum, 6, "a momentum, angular then linear"))
    return np.asarray(np.linalg.solve(M[..., :BASE, :BASE], wanted[..., None]), dtype=np.float64)[..., 0]


def generalized_jacobian(robot: RobotLike, q: ArrayLike, link: LinkName = None) -> Array:
    """6 x (dof - 6): a frame's twist from the joint rates alone, at zero momentum; rows as in `jacobian`."""
    require_free_base(robot)
    M, J = robot.mass_matrix(q), robot.jacobian(q, link)
    base = np.linalg.solve(M[..., :BASE, :BASE], M[..., :BASE, BASE:])
    return J[..., BASE:] - J[..., :BASE] @ base


def _at_base(robot: RobotLike, q: ArrayLike, momentum: Array) -> Array:
    """A momentum about the world's origin, in world axes, transformed to the base."""
    pose = robot.forward_kinematics(q, 1)
    R, o = pose[..., :3, :3], pose[..., :3, 3]
    angular, linear = momentum[..., :3], momentum[..., 3:]
    parts = (angular - np.cross(o, linear), linear)
    return np.concatenate([np.einsum("...ji,...j->...i", R, part) for part in parts], axis=-1)


def require_free_base(robot: RobotLike) -> None:
    links = robot.description.links
    free = [link for link in links if link.joint.type == "free" and link.parent == WORLD]
    others = [link for link in links if link.parent == WORLD and link.joint.type != "free"]
    if len(free) != 1 or others or robot.link_names[0] != free[0].name:
        raise InputError(
            f"{robot.description.name} has no floating base: expected one free joint between it and the world; "
            "load it with floating_base=True"
        )
