"""Arguments that several commands share."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Literal, TypeVar

import numpy as np
import typer
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from redyn.errors import InputError, warn
from redyn.words import counted

if TYPE_CHECKING:
    from redyn.robot import Robot
    from redyn.simulation.joints import Joints

Word = TypeVar("Word", bound=str)
Trust = Literal["files"]  # as in redyn.description, which is slow to import
ROBOT_HELP = "A library name (see `redyn list`) or a robot file."
Floating = Annotated[bool, typer.Option(help="Put the robot on a free joint (floating base).")]
Force = Annotated[bool, typer.Option("--force", help="Replace existing files even if they are of another kind.")]
Actuated = Annotated[
    str | None, typer.Option(help="The joints that are driven, as `a, b`, of a file with loops that does not say so.")
]
Payload = Annotated[
    str | None,
    typer.Option(
        metavar="MASS,...",
        help="A body on the end effector: `2.5`, with its mass centre in the end effector's frame `2.5, 0, 0, 0.1`, "
        "or also with its inertia about that point, xx, xy, xz, yy, yz, zz.",
    ),
]
Unphysical = Annotated[bool, typer.Option(help="Load a robot with physically impossible inertia.")]


def plain_console(*, stderr: bool = False, width: int | None = None, soft_wrap: bool = False) -> Console:
    """Prints text literally: names of robots and joints may look like Rich markup (`arm[left]`, `[/]`, `:ring:`)."""
    return Console(highlight=False, markup=False, emoji=False, stderr=stderr, width=width, soft_wrap=soft_wrap)


def trusting(word: Word) -> Callable[[str], Word]:
    """What reads --trust where it takes this word alone: the oldest Typer that is admitted knows no Literal."""

    def read(text: str) -> Word:
        if text != word:
            raise InputError(f"--trust: expected {word}, got {text!r}")
        return word

    return read


Trusted = Annotated[
    Trust | None,
    typer.Option(
        parser=trusting("files"), metavar="files", help="Let the robot file read meshes and includes from any folder."
    ),
]


Loops = Annotated[
    str | None, typer.Option(metavar="FILE", help="A YAML file of loops beside the robot file; none: without loops.")
]


def arguments_of(given: list[str] | None) -> dict[str, str] | None:
    """`name=value` as a mapping."""
    found: dict[str, str] = {}
    for text in given or []:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise InputError(f"--arg: expected NAME=VALUE, got {text!r}")
        found[name.strip()] = value.strip()
    return found or None


def listed(names: str | None) -> list[str] | None:
    """`a, b` as a list."""
    return None if names is None else [name.strip() for name in names.split(",") if name.strip()]


def wide_console() -> Console:
    """A console that does not truncate tables if the output is not a terminal."""
    console = plain_console()
    return console if console.is_terminal else plain_console(width=160)


def bold(text: str, rest: str = "") -> Text:
    """A text in bold, followed by plain text."""
    return Text.assemble((text, "bold"), rest)


def progress_bar() -> Progress:
    """A progress bar on standard error."""
    columns = TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    return Progress(*columns, console=plain_console(stderr=True), transient=True)


@contextmanager
def working(what: str) -> Generator[Callable[[str], None]]:
    """A status line on standard error; yields a function that changes its text."""
    with plain_console(stderr=True).status(Text(what)) as status:
        yield lambda text: status.update(Text(text))


def numbers(name: str, text: str, count: int) -> NDArray[np.float64]:
    """`0, pi/2, 90 deg` as an array; a single number applies to all joints."""
    from redyn.description.numbers import parse_angle

    parts = _parts(text)
    try:
        values = [parse_angle(part.strip()) for part in parts]
    except ValueError as error:
        raise InputError(f"{name}: {error}") from None
    if len(values) == 1:
        values = values * count
    if len(values) != count:
        wanted = counted(count, "number") + (", separated by commas, or one for all" if count > 1 else "")
        raise InputError(f"{name}: expected {wanted}, got {len(values)}")
    return np.array(values)


def with_payload(robot: Robot, text: str | None) -> Robot:
    """The robot with the body of --payload, if there is one."""
    if text is None:
        return robot
    count = len(_parts(text))
    if count not in (1, 4, 10):
        raise InputError(
            f"--payload: expected a mass, or also a centre x, y, z, or also six moments of inertia, got {count}"
        )
    values = numbers("--payload", text, count)
    centre = values[1:4] if count > 1 else np.zeros(3)
    return robot.with_payload(float(values[0]), centre, values[4:] if count > 4 else np.zeros(6))


def loop_numbers(name: str, text: str, robot: Robot) -> NDArray[np.float64]:
    """`numbers` for the actuated joints of a robot with loops, or for all of its joints."""
    every = robot.nq if name == "q" else robot.dof
    driven = len(robot.driven_rates)
    given = len(_parts(text))
    if given not in (1, driven, every):
        raise InputError(
            f"{name}: expected {counted(driven, 'number')} for the actuated joints ({', '.join(robot.actuated)}), or "
            f"{every} for all joints, got {given}"
        )
    return numbers(name, text, every if given == every else driven)


def positions(name: str, text: str, robot: Robot) -> NDArray[np.float64]:
    """`numbers` for the joint values of a robot, with a hint where one looks like degrees.

    Where loops are closed, those of the actuated joints are enough.
    """
    from redyn.description.units import like_degrees, turning_coordinates, unit_given

    chosen, parts = robot.joint_names, _parts(text)
    giving = _giving(robot)
    if giving is not None:
        if _whole(name, text, giving, robot.nq):
            return numbers(name, text, robot.nq)
        chosen = [robot.model.driven[i].joint.name for i in giving.rates]
    joints = {str(link.joint.name): link.joint for link in robot.description.links}
    if robot.loops and len(parts) != robot.nq:
        chosen = robot.actuated
    turning = [turns for joint in chosen for turns in turning_coordinates(joints[joint])]
    values = numbers(name, text, len(turning))
    for value, part, turns in zip(values, parts * (len(values) // len(parts)), turning, strict=True):
        if turns and like_degrees(value) and not unit_given(part):
            warn(f"{name}: {value:g} is taken as radians; write {value:g} deg for degrees, or {value:g} rad to confirm")
            break
    if giving is not None:
        return giving.configuration(values)
    return values if len(values) == robot.nq else robot.complete(values).q


def _giving(robot: Robot) -> Joints | None:
    """The driven joints of a robot whose links bend or whose gears give, for which a file of numbers is enough."""
    from redyn.simulation.joints import Joints, gives

    return Joints(robot, "q") if gives(robot) and not (robot.loops or robot.model.contacts) else None


def of_joints(name: str, text: str, robot: Robot) -> NDArray[np.float64] | None:
    """`numbers` for the driven joints of a robot that bends, as entries of all rates; None for other robots."""
    giving = _giving(robot)
    if giving is None:
        return None
    if _whole(name, text, giving, robot.dof):
        return numbers(name, text, robot.dof)
    return giving.spread(numbers(name, text, giving.count))


def _whole(name: str, text: str, giving: Joints, every: int) -> bool:
    """Whether there are numbers for all coordinates, not for the joints alone; an error if for neither."""
    given, joints = len(_parts(text)), [giving.robot.model.driven[i].joint.name for i in giving.rates]
    if given not in (1, giving.count, every):
        raise InputError(
            f"{name}: expected {counted(giving.count, 'number')} for the joints ({', '.join(joints)}), or {every} with "
            f"elastic coordinates, got {given}"
        )
    return given == every != giving.count


def rates(name: str, text: str, robot: Robot, q: NDArray[np.float64]) -> NDArray[np.float64]:
    """`numbers` for the joint rates at a configuration; where loops are closed, those of the actuated joints do.

    Where links bend, those of the joints do as well.
    """
    giving = _giving(robot)
    if giving is not None:
        if _whole(name, text, giving, robot.dof):
            return numbers(name, text, robot.dof)
        return giving.rates_of_all(numbers(name, text, giving.count))
    if not robot.loops or len(_parts(text)) == robot.dof != 1:
        return numbers(name, text, robot.dof)
    if _zero(name, text):
        return np.zeros(robot.dof)  # at rest, however few joints are driven
    return robot.complete(_driven(robot, q), numbers(name, text, len(robot.driven_rates)), near=q).qd


def accelerations(
    name: str, text: str, robot: Robot, q: NDArray[np.float64], qd: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The same for accelerations."""
    giving = of_joints(name, text, robot)
    if giving is not None:
        return giving
    if not robot.loops or len(_parts(text)) == robot.dof != 1:
        return numbers(name, text, robot.dof)
    if _zero(name, text) and not qd.any():
        return np.zeros(robot.dof)
    given = numbers(name, text, len(robot.driven_rates))
    return robot.complete(_driven(robot, q), qd[robot.driven_rates], given, near=q).qdd


def torques(name: str, text: str, robot: Robot) -> NDArray[np.float64]:
    """`numbers` for the torques of all joints; where loops are closed, those of the actuated ones do."""
    giving = of_joints(name, text, robot)
    if giving is not None:
        return giving
    if not robot.loops or len(_parts(text)) == robot.dof != 1:
        return numbers(name, text, len(robot.torque_names))
    whole = np.zeros(robot.dof)
    whole[robot.driven_rates] = numbers(name, text, len(robot.driven_rates))
    return whole


def _zero(name: str, text: str) -> bool:
    """Whether that is `0`, for all joints."""
    return len(_parts(text)) == 1 and not numbers(name, text, 1).any()


def _driven(robot: Robot, q: NDArray[np.float64]) -> NDArray[np.float64]:
    """The values of the actuated joints."""
    from redyn.kinematics.loops import actuated_slots

    return q[actuated_slots(robot)[0]]


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
