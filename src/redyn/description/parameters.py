"""Numbers of a robot file that are left open: by name, in order, and put back into a description.

A name is that of a link or a joint and a field of the file, `link2.mass`, `link3.com`, `joint2.damping`, perhaps with a
component, `link3.com.x`; patterns such as `*.inertia` stand for all that match. `gravity` and `payload` are of no link.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Literal

from redyn.description.schema import LinkDescription, RobotDescription
from redyn.errors import InputError
from redyn.words import suggestion

Group = Literal["inertia", "drive", "length", "gravity", "payload"]

AXES = ("x", "y", "z")
TENSOR = ("xx", "xy", "xz", "yy", "yz", "zz")
PAYLOAD = ("m", "mx", "my", "mz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz")
INERTIAL: dict[str, tuple[str, ...]] = {"mass": ("",), "com": AXES, "r": AXES, "inertia": TENSOR}
DRIVES = ("damping", "coulomb", "armature", "stiffness")
LENGTHS: dict[str, dict[str, tuple[str, ...]]] = {
    "dh": {"a": ("",), "b": ("",)},
    "modified-dh": {"a": ("",), "d": ("",)},
    "frames": {"xyz": AXES},
}


@dataclass(frozen=True, slots=True)
class Parameter:
    """One number that is left open."""

    group: Group
    link: str  # whose field it is, or whose joint's; "" of gravity and of the payload
    owner: str  # as it is named: the link, or its joint
    field: str
    component: int  # of a field with several numbers
    nominal: float

    @property
    def name(self) -> str:
        part = _components(self.field)[self.component]
        whole = f"{self.owner}.{self.field}" if self.owner else self.field
        return f"{whole}.{part}" if part else whole


def _components(field: str) -> tuple[str, ...]:
    if field == "gravity":
        return AXES
    if field == "payload":
        return PAYLOAD
    if field == "xyz":
        return AXES
    return INERTIAL.get(field, ("",))


def free_parameters(robot: RobotDescription, names: Iterable[str], links: Sequence[LinkDescription]) -> list[Parameter]:
    """The numbers that are named, each once: in the order of `links`, then in that of the names.

    >>> from redyn.description import read
    >>> robot = read("two-link")
    >>> [p.name for p in free_parameters(robot, ["*.mass", "link1.com", "gravity.y"], robot.links)]
    ['link1.mass', 'link1.com.x', 'link1.com.y', 'link1.com.z', 'link2.mass', 'gravity.y']
    """
    given = [names] if isinstance(names, str) else list(names)
    if not given:
        raise InputError("free: name at least one parameter, such as 'link2.mass' or '*.inertia'")
    found: dict[str, tuple[int, int, Parameter]] = {}
    for order, name in enumerate(given):
        if not isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InputError(f"free: expected names such as 'link2.mass', got {name!r}")
        for place, parameter in _named(robot, name, links):
            found.setdefault(parameter.name, (place, order, parameter))
    chosen = [parameter for _, _, parameter in sorted(found.values(), key=lambda item: item[:2])]
    for parameter in chosen:
        other = f"{parameter.owner}.com"
        if parameter.field == "r" and any(p.name.startswith(f"{other}.") for p in chosen):
            raise InputError(f"free: {parameter.owner}.r is the same as {other} with the other sign; name one of them")
    return chosen


def _named(robot: RobotDescription, name: str, links: Sequence[LinkDescription]) -> list[tuple[int, Parameter]]:
    """What a name stands for, each with the number of its link."""
    whole, parts = _split(name, robot)
    last = len(links)
    if whole == "gravity":
        every = [Parameter("gravity", "", "", "gravity", k, x) for k, x in enumerate(robot.gravity)]
        return [(last, p) for p in every if parts in ("", AXES[p.component])]
    if whole == "payload":
        every = [Parameter("payload", "", "", "payload", k, 0.0) for k in range(len(PAYLOAD))]
        return [(last, p) for p in every if parts in ("", PAYLOAD[p.component])]
    owner, _, field = whole.rpartition(".")
    lengths, pattern = LENGTHS[robot.convention], "*" in owner
    found: list[tuple[int, Parameter]] = []
    for i, link in enumerate(links):
        for group, title in (("", str(link.name)), ("drive", str(link.joint.name))):
            if not fnmatchcase(title, owner):
                continue
            if field in DRIVES and (group == "drive" or not pattern):
                if link.joint.type != "fixed":
                    value = float(getattr(link.joint, field))
                    found.append((i, Parameter("drive", str(link.name), str(link.joint.name), field, 0, value)))
            elif field in INERTIAL and not group:
                if link.mass is not None or not pattern:
                    found += [(i, Parameter("inertia", title, title, field, k, x)) for k, x in _inertial(link, field)]
            elif field in lengths and not group:
                values = _lengths(link, field)
                found += [(i, Parameter("length", title, title, field, k, x)) for k, x in enumerate(values)]
    found = [item for item in found if parts in ("", _components(field)[item[1].component])]
    if not found:
        raise InputError(f"free: {_why_not(robot, name, owner, field, links)}")
    return found


def _split(name: str, robot: RobotDescription) -> tuple[str, str]:
    """A name without the component behind it, and that."""
    fields = {*INERTIAL, *DRIVES, *LENGTHS[robot.convention], "gravity", "payload"}
    head, _, tail = name.rpartition(".")
    if head.rpartition(".")[2] in fields and tail in (*AXES, *TENSOR, *PAYLOAD):
        return head, tail
    return name, ""


def _inertial(link: LinkDescription, field: str) -> list[tuple[int, float]]:
    if field == "mass":
        return [(0, link.mass or 0.0)]
    if field == "inertia":
        return list(enumerate(link.inertia or (0.0,) * 6))
    centre = link.com if link.com is not None else tuple(-x for x in link.r or (0.0, 0.0, 0.0))
    return [(k, x if field == "com" else 0.0 - x) for k, x in enumerate(centre)]


def _lengths(link: LinkDescription, field: str) -> tuple[float, ...]:
    """Those that are constant: b of a prismatic joint, and d, are its variable."""
    if field in ("b", "d") and link.joint.type == "prismatic":
        return ()
    value = getattr(link, field)
    if field == "xyz":
        return value or (0.0, 0.0, 0.0)
    return (float(value or 0.0),)


def _why_not(robot: RobotDescription, name: str, owner: str, field: str, links: Sequence[LinkDescription]) -> str:
    fields = [*INERTIAL, *DRIVES, *LENGTHS[robot.convention]]
    if not owner or field not in fields:
        return (
            f"{name!r} is no parameter; they are gravity, payload, and of links and joints {', '.join(fields)}, as in "
            "'link2.mass' or '*.inertia'"
        )
    names = [str(link.joint.name if field in DRIVES else link.name) for link in links]
    return f"nothing that {name!r} stands for can be left open{suggestion(owner, names)}"


def with_parameters(
    robot: RobotDescription, parameters: Sequence[Parameter], values: Sequence[float]
) -> RobotDescription:
    """The robot with these numbers. The payload is no part of a description: it must not be among them."""
    links = {str(link.name): link for link in robot.links}
    gravity = list(robot.gravity)
    for parameter, value in zip(parameters, values, strict=True):
        if parameter.group == "gravity":
            gravity[parameter.component] = float(value)
        elif parameter.group != "payload":
            links[parameter.link] = _changed(links[parameter.link], parameter, float(value))
    changed = [links[str(link.name)] for link in robot.links]
    return robot.model_copy(update={"links": changed, "gravity": tuple(gravity)})


def _changed(link: LinkDescription, parameter: Parameter, value: float) -> LinkDescription:
    field, k = parameter.field, parameter.component
    if parameter.group == "drive":
        return link.model_copy(update={"joint": link.joint.model_copy(update={field: value})})
    if field in ("com", "r"):
        centre = list(link.com if link.com is not None else tuple(-x for x in link.r or (0.0, 0.0, 0.0)))
        centre[k] = value if field == "com" else -value
        return link.model_copy(update={"com": tuple(centre), "r": None, "mass": link.mass or 0.0})
    update: dict[str, Any] = {field: value}
    if field == "inertia":
        update = {field: _replaced(link.inertia or (0.0,) * 6, k, value), "mass": link.mass or 0.0}
    if field == "xyz":
        update = {field: _replaced(link.xyz or (0.0, 0.0, 0.0), k, value)}
    return link.model_copy(update=update)


def _replaced(values: tuple[float, ...], k: int, value: float) -> tuple[float, ...]:
    return (*values[:k], value, *values[k + 1 :])
