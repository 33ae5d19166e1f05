"""Robots that roll, as the viewer draws them: wheels that turn, their tracks, and the centre of the turn."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redyn.dynamics.task import Task
from redyn.kinematics.shape import body_numbers, frame_offset, joint_places, reach
from redyn.model import Contact
from redyn.report.colours import joint_colour
from redyn.robot import Robot

Array = NDArray[np.float64]

WIDTHS = {"wheel": 0.36, "roller": 0.6, "disk": 0.07}  # of what is drawn, as a share of its radius
FAR = 12.0  # times the robot's reach: a turning centre beyond counts as going straight
STILL = 1e-6  # rad/s: a base that turns more slowly has no turning centre


def wheels(robot: Robot) -> list[dict[str, Any]]:
    """Data for viewer.js of every wheel, disk and blade, in the axes of the link that it turns with."""
    found: list[dict[str, Any]] = []
    for contact in robot.model.contacts:
        link, centre, axes = _seat(robot, contact)
        cosine, sine = contact.roller
        found.append(
            {
                "name": contact.name,
                "kind": contact.kind,
                "link": link,
                "centre": centre.tolist(),
                "axis": axes[:, 2].tolist(),
                "heading": axes[:, 0].tolist(),
                "radius": contact.radius,
                "width": WIDTHS.get(contact.kind, 0.0) * contact.radius,
                "roller": float(np.arctan2(sine, cosine)),
                "colour": joint_colour(_colour_index(robot, contact)),
            }
        )
    return found


def _seat(robot: Robot, contact: Contact) -> tuple[int, Array, Array]:
    """Link, centre and axes of a contact: z is the axle of what rolls; a blade lies along x, with z up."""
    link, pose = frame_offset(robot, contact.name)
    if not contact.spin:
        return link, pose[:3, 3], pose[:3, :3]
    place = joint_places(robot)[link - 1]
    aside: Array = np.cross(place.axis, np.eye(3)[int(np.abs(place.axis).argmin())]).astype(np.float64)
    x: Array = aside / np.linalg.norm(aside)
    return link, place.point, np.stack([x, np.cross(place.axis, x), place.axis], axis=1)


def _colour_index(robot: Robot, contact: Contact) -> int:
    """As the joint of the wheel; of a body that rolls as a whole, its own joint."""
    model = robot.model
    names = [link.joint.name for link in (*model.driven, *model.links)]
    return names.index(model.links[(contact.spin or contact.carrier) - 1].joint.name)


def track_points(robot: Robot, q: Array) -> Array:
    """Where wheels touch the ground at the states `q` (N, nq), in the order of the file: (N, wheels, 3).

    Also where rates are singular. A disk that lies flat touches it everywhere; its centre stands for all points then.
    """
    contacts = robot.model.contacts
    if not contacts:
        return np.zeros((len(q), 0, 3))
    points = robot.evaluator(Task("rolling_points", guarded=False), [q], check=False)[0]
    return standing_in(points, np.stack([robot.tree.forward_kinematics(q, c.name)[:, :3, 3] for c in contacts], axis=1))


def standing_in(points: Array, centres: Array) -> Array:
    """The points, and the centres where these are no numbers."""
    return np.where(np.isfinite(points), points, centres)


def turning_centres(robot: Robot, q: ArrayLike, qd: ArrayLike) -> Array:
    """The centre about which the base turns, on the ground: (N, 3); NaN where it goes straight, is at rest or leans.

    With the angular velocity w about the normal z of the ground and the velocity v of any point p of the base, it is at
    p + z x v / w.
    """
    states, rates = np.atleast_2d(q), np.atleast_2d(qd)
    base = _base(robot)
    none = np.full((len(states), 3), np.nan)
    if base is None:
        return none
    twist = np.einsum("nij,nj->ni", robot.jacobian(states, base), rates)
    z = np.array(robot.model.up.components(), dtype=np.float64)
    p = robot.forward_kinematics(states, base)[:, :3, 3]
    w, v = twist[:, :3] @ z, twist[:, 3:]
    across = np.cross(z, v)
    near = np.linalg.norm(across, axis=1) < FAR * reach(robot) * np.abs(w)
    turning = near & (np.abs(w) > STILL)
    centre = p + across / np.where(turning, w, 1.0)[:, None]
    level = (track_points(robot, states) @ z).min(axis=1)
    centre += (level - centre @ z)[:, None] * z
    return np.where(turning[:, None], centre, none)


def _base(robot: Robot) -> str | None:
    """The link that carries all wheels; None for disks, which lean."""
    model = robot.model
    if not model.contacts or any(contact.kind == "disk" for contact in model.contacts):
        return None
    paths = [model.path(contact.carrier) for contact in model.contacts]
    shared = [i for i in paths[0] if all(i in path for path in paths)]
    return robot.link_names[body_numbers(robot)[shared[0]] - 1] if shared else None
