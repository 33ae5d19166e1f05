"""Shared by the transforms: fresh names, and validation of the result."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from redyn.description.checks import check_moves, complete
from redyn.description.ends import end_frames
from redyn.description.placement import link_at_tip
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


def parent_for(robot: RobotDescription, frame: str) -> str:
    """The parent of a link that is to be fixed in a frame: of a flexible link whose frame is at its root, that end."""
    link = next((link for link in robot.links if link.name == frame), None)
    if link is None or link.flexible is None or link_at_tip(link, robot.convention) is not None:
        return frame
    return end_frames(link)[0]


def changed(robot: RobotDescription, call: str, **fields: Any) -> RobotDescription:
    """The robot with these fields, validated again; errors are reported as errors of the call."""
    try:
        result = complete(robot.model_copy(update=fields))
        check_moves(result)
        return result
    except DescriptionError as error:
        raise InputError(f"{call}: {error}") from None
