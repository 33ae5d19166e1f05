"""A rigid body fixed to a link."""

from __future__ import annotations

from pydantic import ValidationError

from redyn.description.checks import unphysical_links
from redyn.description.schema import JointDescription, LinkDescription, RobotDescription
from redyn.description.transforms.common import changed, fresh, joint_names, link_names, parent_for
from redyn.errors import InputError


def with_payload(robot: RobotDescription, link: str, mass: object, com: object, inertia: object) -> RobotDescription:
    """The robot with one more fixed link, called `payload`, whose frame is that of `link`.

    `com` is in the axes of `link`, `inertia` about that point, in any form of a robot file. To keep the end effector,
    it must be named in the description.

    >>> from redyn.description import read
    >>> with_payload(read("puma"), "link6", 2.0, [0, 0, 0.1], [0.01, 0.01, 0.02]).links[-1].mass
    2.0
    """
    along = "b" if robot.convention == "dh" else "d"
    still = {} if robot.convention == "frames" else dict.fromkeys(("a", along, "alpha", "theta"), 0.0)
    joint = JointDescription(type="fixed", name=fresh("payload_mount", joint_names(robot)))
    name = fresh("payload", link_names(robot))
    fields = {
        "name": name,
        "parent": parent_for(robot, link),
        "joint": joint,
        "mass": mass,
        "com": com,
        "inertia": inertia,
        **still,
    }
    try:
        body = LinkDescription.model_validate(fields)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        message = str(problem["msg"]).removeprefix("Value error, ")
        raise InputError(f"with_payload: {problem['loc'][0]}: {message}") from None
    for field, value in (("mass", body.mass), ("com", body.com), ("inertia", body.inertia)):
        if value is None:
            raise InputError(f"with_payload: {field}: missing")
    alone = robot.model_copy(update={"links": [body]})
    for where, why in unphysical_links(alone):
        raise InputError(f"with_payload: {where.partition('.')[2]}: {why}")
    return changed(robot, "with_payload", links=[*robot.links, body])
