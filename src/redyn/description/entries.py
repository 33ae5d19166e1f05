"""The gallery: what can be loaded by name, with what a list shows of each robot."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from redyn.description.beams import total_mass
from redyn.description.packages import package_robots
from redyn.description.read import library, read
from redyn.description.schema import VELOCITIES, RobotDescription
from redyn.errors import InputError
from redyn.words import suggestion


class Entry(NamedTuple):
    """A robot that `redyn.load` takes by its name.

    Robots of installed packages are listed without being read: of those, only name, title and group are known.
    """

    name: str
    title: str
    group: str
    joints: tuple[str, ...] = ()  # the types of the moving ones
    dof: int | None = None  # velocities, before loops are closed
    mobility: int | None = None  # independent ones
    loops: int = 0
    mass: float | None = None  # of the links that move, in kg
    estimated: bool = False  # whether the masses are estimates
    reach: float | None = None  # as published, in m
    source: str = ""


def gallery(group: str | None = None, search: str = "") -> list[Entry]:
    """The robots of the library, and those of example-robot-data and robot_descriptions that are on this machine.

    `group` is one of the groups; `search` is words that an entry must contain, in any of its texts.

    >>> [entry.name for entry in gallery(search="Stewart")]
    ['stewart']
    >>> [entry.mobility for entry in gallery("mechanisms", "squeezer")]
    [1]
    """
    entries = [*_library(), *map(_of_package, package_robots())]
    groups = list(dict.fromkeys(entry.group for entry in entries))
    if group is not None and group not in groups:
        raise InputError(f"group: {group!r} is not one{suggestion(group, groups)}")
    words = search.lower().split()
    return [entry for entry in entries if group in (None, entry.group) and all(word in _text(entry) for word in words)]


# In this order.
GROUPS = ("book", "industrial", "mechanisms", "wheels", "flexible", "trees", "humanoids", "legged", "lectures")


@cache
def _library() -> list[Entry]:
    return sorted((_of_library(read(name)) for name in library()), key=lambda entry: GROUPS.index(entry.group))


def _of_library(robot: RobotDescription) -> Entry:
    kinds = tuple(link.joint.type for link in robot.links if link.joint.type != "fixed")
    dof = sum(len(VELOCITIES.get(kind, ("",))) for kind in kinds)
    dof += sum(1 for link in robot.links if link.joint.elastic is not None)
    dof += sum(sum(link.flexible.modes) for link in robot.links if link.flexible is not None)
    return Entry(
        name=robot.name,
        title=robot.title or robot.name,
        group=robot.group or "",
        joints=kinds,
        dof=dof,
        mobility=_mobility(robot, dof),
        loops=len(robot.loops),
        mass=sum(map(total_mass, robot.links)),
        estimated=robot.masses == "estimated",
        reach=robot.reach.value if robot.reach else None,
        source=robot.source or "",
    )


def _mobility(robot: RobotDescription, dof: int) -> int:
    """Library mechanisms are driven by as many joints as they have motions, and those that roll name their rates."""
    if robot.rolling:
        return len(robot.independent or ())
    return len(robot.actuated or ()) if robot.loops else dof


def _of_package(name: str) -> Entry:
    package, _, robot = name.partition(":")
    return Entry(name, robot.replace("_", " "), package, source=f"the package {package}")


def _text(entry: Entry) -> str:
    return f"{entry.name} {entry.title} {entry.group} {entry.source}".lower()
