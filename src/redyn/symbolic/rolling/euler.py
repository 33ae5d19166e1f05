"""A disk on a free base as a tree of single joints: x, y, z, and Euler's angles psi, theta and phi.

Quaternions have no closed forms that one would read. In these coordinates the disk turns by psi about the vertical, leans
by theta about the heading e1 (theta is the angle of its plane to the ground, 90 deg upright), and spins by phi about its
axle e3: R = Rz(psi) Rx(theta) Rz(phi). They are singular where it lies flat, sin(theta) = 0, and so is its rolling.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from redyn.description import JointDescription
from redyn.description.schema import WORLD, LinkDescription, RollingDescription
from redyn.robot import Robot

Array = NDArray[np.float64]

_PARTS = ("x", "y", "z", "psi", "theta")
_AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (0.0, 0.0, 1.0), (1.0, 0.0, 0.0))


def is_free_disk(robot: Robot) -> bool:
    """Whether it is one free body that rolls as a disk."""
    description = robot.description
    moving = [link for link in description.links if link.joint.type != "fixed"]
    kinds = [contact.kind for contact in description.rolling]
    return kinds == ["disk"] and [link.joint.type for link in moving] == ["free"]


def euler_disk(robot: Robot) -> Robot:
    """The same disk with coordinates x, y, z, psi, theta and phi; the rates of the angles are independent."""
    description = robot.description
    (disk,) = (link for link in description.links if link.joint.type == "free")
    links: list[LinkDescription] = []
    parent = disk.parent or WORLD
    for name, axis in zip(_PARTS, _AXES, strict=True):
        joint = JointDescription(name=name, type="prismatic" if name in ("x", "y", "z") else "revolute")
        xyz, rpy = (disk.xyz, disk.rpy) if not links else (None, None)
        link = f"{disk.name}-{name}"
        links.append(LinkDescription(name=link, parent=parent, joint=joint, axis=axis, xyz=xyz, rpy=rpy))
        parent = link
    spin = JointDescription(name="phi", type="revolute")
    update = {"joint": spin, "parent": parent, "xyz": None, "rpy": None, "axis": (0.0, 0.0, 1.0)}
    links += [link.model_copy(update=update) if link is disk else link for link in description.links]
    (rolling,) = description.rolling
    return Robot(
        description.model_copy(
            update={
                "links": links,
                "rolling": [RollingDescription(wheel=disk.name, radius=rolling.radius)],
                "independent": ["psi", "theta", "phi"],
                "actuated": None,
            }
        )
    )


def free_state(q: Array, qd: Array) -> tuple[Array, Array]:
    """q and the angular velocity of the free disk, in its own axes, from Euler's angles and their rates."""
    from scipy.spatial.transform import Rotation

    psi, theta, phi = (float(x) for x in q[3:])
    turn = Rotation.from_euler("ZXZ", [psi, theta, phi])
    omega = _axes(theta, phi) @ qd[-3:]
    return np.concatenate([q[:3], turn.as_quat()]), omega


def _axes(theta: float, phi: float) -> Array:
    """Columns: the axes of psi, theta and phi in those of the disk."""
    st, ct, sf, cf = np.sin(theta), np.cos(theta), np.sin(phi), np.cos(phi)
    return np.array([[sf * st, cf, 0.0], [cf * st, -sf, 0.0], [ct, 0.0, 1.0]])


def free_accelerations(q: Array, qd: Array, qdd: Array) -> Array:
    """The rate of that angular velocity."""
    theta, phi = float(q[4]), float(q[5])
    st, ct, sf, cf = np.sin(theta), np.cos(theta), np.sin(phi), np.cos(phi)
    by_theta = np.array([[sf * ct, 0.0, 0.0], [cf * ct, 0.0, 0.0], [-st, 0.0, 0.0]])
    by_phi = np.array([[cf * st, -sf, 0.0], [-sf * st, -cf, 0.0], [0.0, 0.0, 0.0]])
    return _axes(theta, phi) @ qdd[-3:] + (by_theta * qd[-2] + by_phi * qd[-1]) @ qd[-3:]


def free_torques(q: Array, tau: Array) -> Array:
    """The moment in the axes of the disk that does the same work as torques at psi, theta and phi."""
    return np.linalg.solve(_axes(float(q[4]), float(q[5])).T, tau)
