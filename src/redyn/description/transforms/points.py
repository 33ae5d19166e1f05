"""Points of links as frames of their own."""

from __future__ import annotations

import math
from collections.abc import Sequence

from redyn.description.schema import JointDescription, LinkDescription, RobotDescription
from redyn.description.transforms.common import changed, fresh, joint_names, link_names, parent_for


def with_points(
    robot: RobotDescription, points: Sequence[tuple[str, Sequence[float]]], name: str = "point"
) -> tuple[RobotDescription, list[str]]:
    """The robot with a frame without mass at each point, given by a link and coordinates in its frame; and their names.

    Their axes are arbitrary: a DH table has no frame without a turn at most points.

    >>> from redyn.description import read
    >>> robot, names = with_points(read("two-link"), [("link2", (-0.5, 0.1, 0.0))])
    >>> names, robot.links[-1].parent
    (['point1'], 'link2')
    """
    links, taken, joints = list(robot.links), link_names(robot), joint_names(robot)
    names: list[str] = []
    for k, (link, (x, y, z)) in enumerate(points):
        if robot.convention == "dh":  # Rz(theta) Tz(b) Tx(a)
            place = {"theta": math.atan2(y, x), "b": z, "a": math.hypot(x, y), "alpha": 0.0}
        elif robot.convention == "modified-dh":  # Rx(alpha) Tx(a) Tz(d)
            place = {"alpha": math.atan2(-y, z), "a": x, "theta": 0.0, "d": math.hypot(y, z)}
        else:
            place = {"xyz": (x, y, z)}
        own = fresh(f"{name}{k + 1}", taken)
        joint = JointDescription(type="fixed", name=fresh(f"{own}_mount", joints))
        taken.add(own)
        joints.add(str(joint.name))
        carried = {"name": own, "parent": parent_for(robot, link), "joint": joint, **place}
        links.append(LinkDescription.model_validate(carried))
        names.append(own)
    return changed(robot, "with_points", links=links), names
