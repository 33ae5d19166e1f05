"""Loops given beside a robot file: in the call that loads it, or in a file of their own.

Such a file has the keys `loops` and `actuated` of a robot file, or those of Gepetto's example-parallel-robots:

    closed_loop: [[closedloop1_A, closedloop1_B]]     pairs of links whose frames coincide
    type: ["6d"]                                      "3d": their origins only; 6d unless given
    name_mot: [motor1, motor2]                        the joints that are driven
    joint_name: [ankle], joint_type: [SPHERICAL]      joints of another type than in the URDF
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Annotated, Literal, TypeVar, cast

from pydantic import Field, ValidationError, model_validator

from redyn.description.checks import complete
from redyn.description.meshes import outside, own_root
from redyn.description.schema import (
    MOST_LOOPS,
    JointDescription,
    LinkDescription,
    LoopDescription,
    LoopDescriptions,
    Name,
    Pair,
    RobotDescription,
    Strict,
)
from redyn.description.yaml_file import LARGEST_FILE, decoded, mapping, translated
from redyn.errors import DescriptionError, InputError, warn
from redyn.words import suggestion

Loops = Sequence[Mapping[str, object]] | str | PathLike[str] | Literal[False]

EXAMPLE = "{'between': ['link2', 'link3'], 'joint': 'revolute'}"
_AXES = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}
_KEPT = ("name", "damping", "coulomb", "smoothing", "armature")  # of a joint that gets another type

JointChange = Literal[
    "FIXED", "SPHERICAL", "UJOINT_XY", "UJOINT_XZ", "UJOINT_YX", "UJOINT_YZ", "UJOINT_ZX", "UJOINT_ZY"
]


@dataclass(frozen=True)
class Given:
    """What takes the place of what a robot file says: fields of it, and a file that needs the robot to be read."""

    fields: Mapping[str, object] = field(default_factory=dict[str, object])
    beside: Gepetto | None = None
    origin: str = ""  # the name of that file

    def changed(self, robot: RobotDescription) -> RobotDescription:
        """The robot with its loops, if the file beside it has them."""
        return robot if self.beside is None else self.beside.on(robot, self.origin)


def given_loops(
    loops: Loops | None, actuated: Sequence[str] | None, robot: Path | None = None, trusted: bool = False
) -> Given:
    """What a call gives beside a robot, which was read from the file `robot` if it is one."""
    if loops is False:
        if actuated is not None:
            raise InputError("actuated: a robot loaded with loops=False has no passive joints; leave actuated out")
        return Given({"loops": [], "actuated": None})
    if isinstance(loops, str | PathLike):
        found = _read(loops, robot, trusted)
    else:
        found = Given() if loops is None else _validated(_Own, {"loops": _listed(loops)}, "").given()
    if actuated is None:
        return found
    if isinstance(actuated, str):
        raise InputError(f"actuated: expected a list of joints, as in [{actuated!r}]")
    if found.beside is not None:
        beside = found.beside.model_copy(update={"name_mot": list(actuated)})
        return replace(found, beside=beside)
    return replace(found, fields={**found.fields, "actuated": list(actuated)})


def _listed(loops: object) -> list[object]:
    if not isinstance(loops, list | tuple):
        raise InputError(
            f"loops: expected a list such as [{EXAMPLE}], the path of a YAML file, or False, got {type(loops).__name__}"
        )
    return list(cast("Sequence[object]", loops))


class _Own(Strict):
    """Our own keys."""

    loops: LoopDescriptions
    actuated: list[Name] | None = None

    def given(self) -> Given:
        keep = self.actuated is None and self.loops  # then the robot file says what is driven
        return Given({"loops": self.loops} | ({} if keep else {"actuated": self.actuated}))


class Gepetto(Strict):
    """The keys of example-parallel-robots."""

    closed_loop: Annotated[list[Pair], Field(max_length=MOST_LOOPS)]
    type: list[Literal["3d", "3D", "6d", "6D"]] | None = None
    name_mot: list[Name] | None = None
    joint_name: list[Name] = Field(default_factory=list[str])
    joint_type: list[JointChange] = Field(default_factory=list[JointChange])

    @model_validator(mode="after")
    def _consistent(self) -> Gepetto:
        for key, entries, other, length in (
            ("type", self._kinds, "closed_loop", len(self.closed_loop)),
            ("joint_type", self.joint_type, "joint_name", len(self.joint_name)),
        ):
            if len(entries) != length:
                raise ValueError(f"{key}: expected {length} entries, as many as {other} has, got {len(entries)}")
        return self

    @property
    def _kinds(self) -> Sequence[str]:
        return self.type or ["6d"] * len(self.closed_loop)

    def on(self, robot: RobotDescription, origin: str) -> RobotDescription:
        """A robot with these loops and joint types; `origin` names the file in errors."""
        carried = {str(link.joint.name): link for link in robot.links}
        wrong = next((name for name in self.joint_name if name not in carried), None)
        if wrong is not None:
            raise DescriptionError(
                f"{origin}: joint_name", f"no joint is called {wrong!r}{suggestion(wrong, list(carried))}"
            )
        types = dict(zip(self.joint_name, self.joint_type, strict=True))
        names = {str(link.name) for link in robot.links}

        def frame(name: str) -> str:
            """A pair may name a joint, for the frame of the link that it carries."""
            return name if name in names or name not in carried else str(carried[name].name)

        loops = [
            LoopDescription(between=(frame(a), frame(b)), joint="spherical" if kind in ("3d", "3D") else "fixed")
            for (a, b), kind in zip(self.closed_loop, self._kinds, strict=True)
        ]
        links = [
            link.model_copy(update=_of_type(link.joint, types[name])) if name in types else link
            for name, link in carried.items()
        ]
        motors = self._motors(carried, origin)
        try:
            return complete(robot.model_copy(update={"links": links, "loops": loops, "actuated": motors}))
        except DescriptionError as error:
            raise DescriptionError(f"{origin}: {error.where}", error.what) from None

    def _motors(self, carried: Mapping[str, LinkDescription], origin: str) -> list[str] | None:
        """The driven joints; in these files also such as mimic others in the URDF, which have no motor of their own."""
        if self.name_mot is None:
            return None
        following = [name for name in self.name_mot if name in carried and carried[name].joint.mimic is not None]
        if following:
            more = f" (and {len(following) - 1} more)" if len(following) > 1 else ""
            warn(f"{origin}: name_mot: {following[0]!r}{more} mimics another joint and is not driven on its own")
        return [name for name in self.name_mot if name not in following]


_Keys = TypeVar("_Keys", _Own, Gepetto)


def _validated(kind: type[_Keys], data: Mapping[str, object], origin: str) -> _Keys:
    try:
        return kind.model_validate(data)
    except ValidationError as error:
        raise translated(error, origin) from None


def _read(named: str | PathLike[str], robot: Path | None, trusted: bool) -> Given:
    """A file of loops beside a robot file, in its folder or ROS package unless it is trusted."""
    if robot is None:
        raise InputError("loops: a file of loops goes with a robot file; give a list of loops instead")
    path = _located(named, robot, trusted)
    shown = str(named)[:200]
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise DescriptionError(shown, f"the file is larger than {LARGEST_FILE // 1_000_000} MB")
        text = decoded(path.read_bytes(), shown)
    except OSError as error:
        raise DescriptionError(shown, f"cannot be read: {error.strerror}") from None
    data = mapping(text, path.name, "loops: a list, and actuated: the joints that are driven")
    if "closed_loop" in data:
        return Given({"loops": [], "actuated": None}, _validated(Gepetto, data, path.name), path.name)
    return _validated(_Own, data, path.name).given()


def _located(named: str | PathLike[str], robot: Path, trusted: bool) -> Path:
    folder, shown = robot.resolve().parent, str(named)[:200]
    try:
        for start in (folder, Path.cwd()):
            path = (start / named).resolve()
            if path.is_file():
                if not trusted and not path.is_relative_to(own_root(folder)):
                    raise outside(shown)
                return path
    except (OSError, ValueError, RuntimeError):  # a name that no file can have, a loop of links
        pass
    raise DescriptionError(shown, f"loops: no such file; looked in {folder} and the current folder")


def _of_type(joint: JointDescription, kind: JointChange) -> dict[str, object]:
    """The fields of a link whose joint gets another type: universal joints turn about axes of the link's frame."""
    fields: dict[str, object] = {"axis": None, "axis2": None}
    kept = {key: getattr(joint, key) for key in _KEPT if kind != "FIXED" or key == "name"}
    if kind in ("FIXED", "SPHERICAL"):
        return fields | {"joint": JointDescription(type="fixed" if kind == "FIXED" else "spherical", **kept)}
    first, second = kind[-2:]
    return {"axis": _AXES[first], "axis2": _AXES[second], "joint": JointDescription(type="universal", **kept)}
