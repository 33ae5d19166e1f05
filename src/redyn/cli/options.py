"""Arguments that several commands share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
import typer
from numpy.typing import NDArray
from rich.console import Console

from redyn.errors import InputError, warn

if TYPE_CHECKING:
    from redyn.robot import Robot

Trust = Literal["files"]  # as in redyn.description, which takes its time to import
ROBOT_HELP = "A library name (see `redyn list`) or a robot file."
Floating = Annotated[bool, typer.Option(help="Set the robot free from the world, on a free joint.")]
Unphysical = Annotated[bool, typer.Option(help="Load a robot whose inertia no real body can have.")]


def _trusted(text: str) -> Trust:
    if text != "files":
        raise InputError(f"--trust: expected files, got {text!r}")
    return "files"


Trusted = Annotated[
    Trust | None,
    typer.Option(parser=_trusted, metavar="files", help="Let the robot file read meshes and includes of any folder."),
]


def wide_console() -> Console:
    """For tables that would rather run on than be cut where the output is no terminal."""
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=160)


def numbers(name: str, text: str, count: int) -> NDArray[np.float64]:
    """`0, pi/2, 90 deg` as an array; a single number stands for all joints."""
    from redyn.description.numbers import parse_angle

    parts = _parts(text)
    try:
        values = [parse_angle(part.strip()) for part in parts]
    except ValueError as error:
        raise InputError(f"{name}: {error}") from None
    if len(values) == 1:
        values = values * count
    if len(values) != count:
        raise InputError(f"{name}: expected {count} numbers, separated by commas, or one for all; got {len(values)}")
    return np.array(values)


def positions(name: str, text: str, robot: Robot) -> NDArray[np.float64]:
    """`numbers` for the joint values of a robot, with a hint where one looks like degrees."""
    from redyn.description.units import like_degrees, turning_coordinates, unit_given

    values = numbers(name, text, robot.nq)
    joints = {str(link.joint.name): link.joint for link in robot.description.links}
    turning = [turns for joint in robot.joint_names for turns in turning_coordinates(joints[joint])]
    parts = _parts(text)
    for value, part, turns in zip(values, parts * (len(values) // len(parts)), turning, strict=True):
        if turns and like_degrees(value) and not unit_given(part):
            warn(
                f"{name}: {value:g} is read in radians; write {value:g} deg if degrees are meant, {value:g} rad if not"
            )
            break
    return values


def _parts(text: str) -> list[str]:
    """The text of each number."""
    return text.split(",") if "," in text else _words(text)


def _words(text: str) -> list[str]:
    """Split at spaces, keeping `90 deg` together."""
    words: list[str] = []
    for word in text.split():
        if word in ("deg", "rad") and words:
            words[-1] += f" {word}"
        else:
            words.append(word)
    return words or [""]
