"""Opening a robot from the library, a file or an upload, with its warnings and meshes."""

from __future__ import annotations

import hashlib
import threading
import warnings
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from redyn.description import RobotDescription, from_mapping, library
from redyn.description.checks import check_moves
from redyn.description.ends import TIP, frame_links
from redyn.description.packages import PACKAGES
from redyn.description.schema import WORLD
from redyn.errors import InputError, RedynWarning
from redyn.robot import Robot, load
from redyn.studio.uploads import without_folder
from redyn.studio.usual import warm_up

MOST_VALUES = 150  # every joint value has a curve
MOST_LINKS = 2000  # fixed ones included

_warnings = threading.Lock()  # the warning filters are global


@dataclass(frozen=True)
class Origin:
    """Where a robot comes from: kept with its tables through edits, undo and redo."""

    warnings: tuple[str, ...] = ()  # from loading it
    folder: Path | None = None  # of the upload
    archive: str = ""  # in that folder, and the robots in it
    robots: tuple[str, ...] = ()
    chosen: str = ""
    package: str = ""  # its name, such as example-robot-data:ur5, if it is of an installed package


@dataclass(frozen=True, eq=False)
class Opened:
    """An opened robot, with an end effector."""

    robot: Robot
    warnings: list[str] = field(default_factory=list[str])  # from loading it
    meshes: Path | None = None  # meshes prepared by the reader; None: read the robot's own files
    archive: str = ""  # the upload, and the robots in it
    robots: list[str] = field(default_factory=list[str])
    chosen: str = ""
    package: str = ""

    @property
    def description(self) -> RobotDescription:
        return self.robot.description

    @property
    def origin(self) -> Origin:
        folder = None if self.meshes is None else self.meshes.parent
        return Origin(tuple(self.warnings), folder, self.archive, tuple(self.robots), self.chosen, self.package)


def check_size(description: RobotDescription) -> None:
    """Raises an error if the robot is too large for the studio."""
    values = sum(len(link.joint.neutral) for link in description.links if link.joint.type != "fixed")
    values += sum(sum(link.flexible.modes) for link in description.links if link.flexible is not None)
    if values > MOST_VALUES:
        raise InputError(f"{description.name} has {values} joint values; the studio shows at most {MOST_VALUES}")
    if len(description.links) > MOST_LINKS:
        count = len(description.links)
        raise InputError(f"{description.name} has {count} links; the studio shows at most {MOST_LINKS}")


def build(description: RobotDescription) -> Robot:
    """The robot, if it has moving joints and the studio can show it; with what its pages need at once."""
    robot = _built(description)
    warm_up(robot)
    return robot


def _built(description: RobotDescription) -> Robot:
    check_moves(description, "")
    check_size(description)
    return Robot(description)


def opened(description: RobotDescription, notes: list[str], compiled: bool = True) -> Opened:
    """Builds a robot from its description, with warnings; a tree without an end effector gets one.

    `compiled`: with what its pages need at once (see `usual.warm_up`).
    """
    robot = _built(description)
    # Notes on its loops are those of the robot, and go with it when its tables are edited.
    notes = [note for note in notes if not any(note.endswith(f": {own}") for own in robot.notes)]
    if robot.model.end_effector is None:
        tip = farthest_tip(description)
        robot = Robot(description.model_copy(update={"end_effector": tip}))
        notes = [*notes, f"{tip} is taken as the end effector; choose another frame in the tab Frame pose"]
    if compiled:
        warm_up(robot)
    return Opened(robot, notes)


def open_source(source: str | Path, compiled: bool = True) -> Opened:
    """A robot of the library, or a file of the user who runs the server, with its warnings."""
    from redyn.report.shapes import look

    with _warnings, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", RedynWarning)
        robot = load(source)
        if str(source) not in library():
            look(robot)  # missing or damaged meshes
    found = dict.fromkeys(str(w.message) for w in caught if issubclass(w.category, RedynWarning))
    folder = robot.description.folder
    notes = [note if folder is None else without_folder(note, folder) for note in found]
    package = str(source) if str(source).partition(":")[0] in PACKAGES else ""
    return replace(opened(robot.description, notes, compiled), package=package)


def meshes_name(place: str) -> str:
    """The file of prepared meshes in the folder of an upload, one per robot folder in it."""
    return f"meshes-{hashlib.sha256(place.encode()).hexdigest()[:12]}.npz"


def received(answer: dict[str, Any], folder: Path, archive: str) -> Opened:
    """The robot that the reader process found in an upload."""
    description = from_mapping(answer["robot"]).placed_in(folder / str(answer["place"]))
    found = opened(description, [str(note) for note in answer["notes"]])
    return replace(
        found,
        meshes=folder / meshes_name(str(answer["place"])),
        archive=archive,
        robots=[str(name) for name in answer["robots"]],
        chosen=str(answer["chosen"]),
    )


def farthest_tip(description: RobotDescription) -> str:
    """Default end effector of a tree: the leaf frame with the most joints on its path; of a beam, its tip."""
    joints: dict[str, int] = {WORLD: 0}
    left = {str(link.name): link for link in description.links}
    owner = frame_links(description.links)
    parents = {name: owner.get(str(link.parent), str(link.parent)) for name, link in left.items()}
    beams = {name for name, link in left.items() if link.flexible and description.convention != "dh"}
    while left:  # parents may come later in the file
        for name, link in list(left.items()):
            if parents[name] in joints:
                joints[name] = joints[parents[name]] + (link.joint.type != "fixed")
                del left[name]
    inner = set(parents.values())
    leaf = max((name for name in joints if name not in inner), key=lambda name: joints[name])
    return f"{leaf}.{TIP}" if leaf in beams else leaf
