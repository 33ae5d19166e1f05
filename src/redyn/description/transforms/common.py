"""What the transforms share: fresh names, and the check of what came out."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from redyn.description.checks import check_moves, complete
from redyn.description.schema import RobotDescription
from redyn.errors import DescriptionError, InputError

LONGEST_NAME = 200  # characters, as the schema has it


def link_names(robot: RobotDescription) -> set[str]:
    return {str(link.name) for link in robot.links}


def joint_names(robot: RobotDescription) -> set[str]:
    return {str(link.joint.name) for link in robot.links}


def fresh(name: str, taken: Collection[str]) -> str:
    """The name itself if nobody has it, else with the first number that makes it new.

    >>> fresh("payload", {"payload", "payload2"})
    'payload3'
    """
    if name not in taken:
        return name
    number = 2
    while f"{name}{number}" in taken:
        number += 1
    return f"{name}{number}"


def changed(robot: RobotDescription, call: str, **fields: Any) -> RobotDescription:
    """The robot with these fields, checked anew; what is wrong is the fault of the call."""
    try:
        result = complete(robot.model_copy(update=fields))
        check_moves(result)
        return result
    except DescriptionError as error:
        raise InputError(f"{call}: {error}") from None
