"""A robot whose base nobody holds: moving its joints moves its base, so that the momentum stays.

The first six rows of the mass matrix give the momentum of the whole robot, in the axes and at the origin of the base:
M_b base + M_bm rates. Where nothing pushes it that is a constant, zero for a robot that was at rest, and the base's
velocity follows from the joint rates. With it the Jacobian of any frame becomes the generalized one, of joint rates
alone, which knows masses as well as lengths.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redyn.description.schema import WORLD
from redyn.errors import InputError
from redyn.evaluate import normal
from redyn.words import counted

if TYPE_CHECKING:
    from redyn.robot import LinkName, Robot

Array = NDArray[np.float64]

BASE = 6  # velocities of a free joint


def base_velocity(robot: Robot, q: ArrayLike, rates: ArrayLike, momentum: ArrayLike | None = None) -> Array:
    """Angular and linear velocity of the base, in its own axes, that goes with these joint rates: (6,) or (N, 6).

    `momentum` is that of the whole robot as `Robot.momentum` has it, angular about the world's origin, then linear, in
    world axes; without it the robot floats at rest but for its joints.

    >>> import redyn
    >>> robot = redyn.load("dual-arm-satellite")
    >>> base_velocity(robot, robot.neutral(), [1, 0, 0, 0, 0, 0]).round(3)
    array([ 0.   ,  0.   , -0.099,  0.   , -0.016,  0.   ])
    """
    _require_free_base(robot)
    moving = normal(
        "rates", rates, robot.dof - BASE, f"{counted(robot.dof - BASE, 'number')}, one per joint after the base"
    )
    M = robot.mass_matrix(q)
    wanted = -np.einsum("...ij,...j->...i", M[..., :BASE, BASE:], moving)
    if momentum is not None:
        wanted = wanted + _at_base(robot, q, normal("momentum", momentum, 6, "a momentum, angular then linear"))
    return np.asarray(np.linalg.solve(M[..., :BASE, :BASE], wanted[..., None]), dtype=np.float64)[..., 0]


def generalized_jacobian(robot: Robot, q: ArrayLike, link: LinkName = None) -> Array:
    """6 x (dof - 6): the frame's twist from the joint rates of a robot that floats at rest; rows as in `jacobian`."""
    _require_free_base(robot)
    M, J = robot.mass_matrix(q), robot.jacobian(q, link)
    base = np.linalg.solve(M[..., :BASE, :BASE], M[..., :BASE, BASE:])
    return J[..., BASE:] - J[..., :BASE] @ base


def _at_base(robot: Robot, q: ArrayLike, momentum: Array) -> Array:
    """A momentum about the world's origin, in its axes, brought to the base."""
    pose = robot.forward_kinematics(q, 1)
    R, o = pose[..., :3, :3], pose[..., :3, 3]
    angular, linear = momentum[..., :3], momentum[..., 3:]
    parts = (angular - np.cross(o, linear), linear)
    return np.concatenate([np.einsum("...ji,...j->...i", R, part) for part in parts], axis=-1)


def _require_free_base(robot: Robot) -> None:
    links = robot.description.links
    free = [link for link in links if link.joint.type == "free" and link.parent == WORLD]
    others = [link for link in links if link.parent == WORLD and link.joint.type != "free"]
    if len(free) != 1 or others or robot.link_names[0] != free[0].name:
        raise InputError(
            f"{robot.name} has no floating base: expected one free joint between it and the world; "
            "load it with floating_base=True"
        )
