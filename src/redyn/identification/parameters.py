"""A robot with other inertial parameters, as a description that can be saved."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redyn.arrays import real_array
from redyn.description import LinkDescription
from redyn.errors import InputError
from redyn.robot import Robot

Array = NDArray[np.float64]


def with_parameters(
    robot: Robot, parameters: ArrayLike, friction: bool = False, armature: bool = False, source: str | None = None
) -> Robot:
    """A new robot with these `all_parameters`. What was on fixed links becomes part of the link that carries them.

    >>> import redyn
    >>> robot = redyn.load("two-link")
    >>> heavier = with_parameters(robot, 2 * robot.parameters)
    >>> heavier.total_mass / robot.total_mass
    2.0
    """
    values = real_array(parameters)
    expected = len(robot.all_parameters(friction, armature))
    if values.shape != (expected,) or not np.isfinite(values).all():
        raise InputError(f"parameters: expected {expected} finite numbers, got shape {values.shape}")
    n = len(robot.link_names)
    tens = dict(zip(robot.link_names, values[: 10 * n].reshape(n, 10), strict=True))
    kinds = [*(("damping", "coulomb") if friction else ()), *(("armature",) if armature else ())]
    drives = {
        link: {kind: float(values[10 * n + k * n + i]) for k, kind in enumerate(kinds)}
        for i, link in enumerate(robot.link_names)
    }
    links = [_link(robot, link, tens, drives) for link in robot.description.links]
    changes: dict[str, object] = {"links": links, "unphysical": None}
    if source is not None:
        changes |= {"source": source, "defects": []}
    return robot._like(robot.description.model_copy(update=changes))  # pyright: ignore[reportPrivateUsage]


def _link(
    robot: Robot, link: LinkDescription, tens: dict[str, Array], drives: dict[str, dict[str, float]]
) -> LinkDescription:
    name = str(link.name)
    if name in tens:
        mass, com, inertia = _about_centre(tens[name])
        joint = link.joint.model_copy(update=drives[name])
        place = {"com": None, "r": tuple(-x for x in com)} if link.r is not None else {"com": com, "r": None}
        return link.model_copy(update={"mass": mass, "inertia": inertia, "joint": joint, **place})
    if robot.model.frames[name].link and link.mass is not None:  # lumped into the link that carries it
        return link.model_copy(update={"mass": None, "com": None, "r": None, "inertia": None})
    return link


def _about_centre(ten: Array) -> tuple[float, tuple[float, ...], tuple[float, ...]]:
    """Mass, mass centre, and the inertia about it as xx xy xz yy yz zz."""
    m, xx, xy, yy, xz, yz, zz = float(ten[0]), *(float(x) for x in ten[4:])
    c = ten[1:4] / m if m != 0 else np.zeros(3)
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    tensor = tensor - m * (float(c @ c) * np.eye(3) - np.outer(c, c))
    six = tuple(float(tensor[i, j]) for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)))
    return m, tuple(float(x) for x in c), six
