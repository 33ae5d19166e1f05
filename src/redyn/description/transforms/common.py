"""Shared by the transforms: fresh names, and validation of the result."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from redyn.description.checks import check_moves, complete
from redyn.description.schema import RobotDescription
from redyn.errors import DescriptionError, InputError

LONGEST_NAME = 200  # characters, as in the schema


def link_names(robot: RobotDescription) -> set[str]:
    return {str(link.name) for link in robot.links}


def joint_names(robot: RobotDescription) -> set[str]:
    return {str(link.joint.name) for link in robot.links}


def fresh(name: str, taken: Collection[str]) -> str:
    """The name itself if it is free, else with the first number that makes it unique.

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
    """The robot with these fields, validated again; errors are reported as errors of the call."""
    try:
        result = complete(robot.model_copy(update=fields))
        check_moves(result)
        return result
    except DescriptionError as error:
        raise InputError(f"{call}: {error}") from None
