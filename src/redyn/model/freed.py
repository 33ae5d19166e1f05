"""From a description with numbers left open to a model of which they are inputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from redyn.algebra import Mat3, Vec3
from redyn.description.parameters import Parameter, with_parameters
from redyn.description.schema import LinkDescription, RobotDescription
from redyn.errors import InputError
from redyn.model.build import Built, built
from redyn.model.frames import snapped
from redyn.model.free import Free, Lumped, Part, Place, Value
from redyn.model.joint import Joint
from redyn.model.model import Model

Array = NDArray[np.float64]

NOISE = 1e-13  # of a slope: rounding where a zero belongs


def freed(robot: RobotDescription, parameters: Sequence[Parameter], friction: bool, exact: bool, couple: bool) -> Model:
    """The model of a robot whose parameters are inputs."""
    _refuse(robot, parameters)
    base = built(robot, friction, exact, couple)
    _refuse_carried(robot, parameters, base)
    numbers = {p.name: k for k, p in enumerate(parameters)}
    lengths = [k for k, p in enumerate(parameters) if p.group == "length"]
    bends = _Slopes.of(robot, parameters, lengths, base, couple)
    model = base.model
    free = Free(
        tuple(numbers),
        tuple(p.nominal for p in parameters),
        bodies=_bodies(base, parameters, bends, exact),
        drives=tuple(_drives(parameters, model, friction)),
        gravity=_gravity(robot, parameters),
        offsets=bends.places("offset", [link.joint.offset for link in model.links]),
        anchors=bends.places("anchor", [link.anchor for link in model.links]),
        sockets=bends.places("socket", [link.socket for link in model.links]),
        frames=tuple(
            (name, place)
            for (_, place), name in zip(
                bends.all_places("frame", [frame.pose.o for frame in model.frames.values()]), model.frames, strict=True
            )
            if place.slopes
        ),
        points=bends.places("point", [point.at for point in model.contact_points]),
    )
    return replace(model, free=free)


def _refuse(robot: RobotDescription, parameters: Sequence[Parameter]) -> None:
    """What cannot be left open: what is decided once, when a robot is loaded, depends on it."""
    lengths = [p for p in parameters if p.group == "length"]
    if lengths and (robot.loops or robot.rolling):
        what = "closed loops" if robot.loops else "wheels"
        raise InputError(
            f"free: {lengths[0].name}: lengths of a robot with {what} cannot be left open, since its rates are chosen "
            "when it is loaded; masses, drives and gravity can"
        )
    if lengths and any(link.flexible is not None for link in robot.links):
        raise InputError(f"free: {lengths[0].name}: lengths of a robot with flexible links cannot be left open")


def _refuse_carried(robot: RobotDescription, parameters: Sequence[Parameter], base: Built) -> None:
    """Masses at and beyond the tip of a beam whose mode shapes are computed with them."""
    shaped = {str(link.name) for link in robot.links if link.flexible and link.flexible.load.kind == "carried"}
    links, masses = base.model.links, {p.link: p.name for p in reversed(parameters) if p.group == "inertia"}
    beams = {first + k: beam.name for first, beam in base.model.beams for k in range(beam.modes)}
    for i, parts in enumerate(base.parts):
        names = [masses[str(part.name)] for _, part in parts if str(part.name) in masses]
        at = i + 1
        while names and at:
            beam = beams.get(at - 1)
            if beam in shaped:
                raise InputError(
                    f"free: {names[0]}: the mode shapes of {beam!r} are computed with the masses that it carries; "
                    "give its load as numbers, or `load: none`"
                )
            at = links[at - 1].parent


def _gravity(robot: RobotDescription, parameters: Sequence[Parameter]) -> tuple[Value, Value, Value] | None:
    numbers = {p.component: k for k, p in enumerate(parameters) if p.group == "gravity"}
    if not numbers:
        return None
    x, y, z = (Value(g, numbers.get(k)) for k, g in enumerate(robot.gravity))
    return x, y, z


def _drives(parameters: Sequence[Parameter], model: Model, friction: bool) -> list[tuple[int, str, int]]:
    found: list[tuple[int, str, int]] = []
    for k, parameter in enumerate(parameters):
        if parameter.group != "drive":
            continue
        if not friction and parameter.field in ("damping", "coulomb"):
            continue
        found += [
            (i, parameter.field, k)
            for i, link in enumerate(model.links)
            if link.joint.name == parameter.owner and link.joint.kind != "mode" and _acts(link.joint, parameter.field)
        ]
    return found


def _acts(joint: Joint, field: str) -> bool:
    """Behind an elastic gear, armature and friction are the motor's, springs the link's."""
    return not joint.turns_motor if field == "stiffness" else not joint.motor


class _Slopes(NamedTuple):
    """How places of a model change with lengths: by differences of models, which are exact, since all is affine."""

    lengths: list[int]
    nominal: list[float]
    changes: list[dict[str, list[Array]]]  # of every length, by what it is a place of

    @staticmethod
    def of(
        robot: RobotDescription, parameters: Sequence[Parameter], lengths: list[int], base: Built, couple: bool
    ) -> _Slopes:
        if not lengths:
            return _Slopes([], [], [])
        before = _places(built(robot, True, True, couple, base.seats))
        changes: list[dict[str, list[Array]]] = []
        for k in lengths:
            p = parameters[k]
            after = _places(built(with_parameters(robot, [p], [p.nominal + 1.0]), True, True, couple, base.seats))
            changes.append({kind: [b - a for a, b in zip(before[kind], after[kind], strict=True)] for kind in before})
        return _Slopes(lengths, [parameters[k].nominal for k in lengths], changes)

    def all_places(self, kind: str, values: Sequence[Vec3]) -> list[tuple[int, Place]]:
        return [(i, self.place(kind, i, value)) for i, value in enumerate(values)]

    def places(self, kind: str, values: Sequence[Vec3]) -> tuple[tuple[int, Place], ...]:
        """Those that move at all."""
        return tuple(item for item in self.all_places(kind, values) if item[1].slopes)

    def place(self, kind: str, i: int, value: Vec3) -> Place:
        constant = np.array(value.components(), dtype=np.float64)
        slopes: list[tuple[int, Vec3]] = []
        for k, nominal, change in zip(self.lengths, self.nominal, self.changes, strict=True):
            slope = np.where(np.abs(change[kind][i]) < NOISE, 0.0, change[kind][i])
            if slope.any():
                constant = constant - nominal * slope
                slopes.append((k, _vec(slope)))
        return Place(_vec(constant) if slopes else value, tuple(slopes))


def _places(found: Built) -> dict[str, list[Array]]:
    model = found.model

    def array(v: Vec3) -> Array:
        return np.array(v.components(), dtype=np.float64)

    every: dict[str, Callable[[], list[Array]]] = {
        "offset": lambda: [array(link.joint.offset) for link in model.links],
        "anchor": lambda: [array(link.anchor) for link in model.links],
        "socket": lambda: [array(link.socket) for link in model.links],
        "frame": lambda: [array(frame.pose.o) for frame in model.frames.values()],
        "point": lambda: [array(point.at) for point in model.contact_points],
        "part": lambda: [pose[:3, 3] for parts in found.parts for pose, _ in parts],
    }
    return {kind: read() for kind, read in every.items()}


def _bodies(base: Built, parameters: Sequence[Parameter], bends: _Slopes, exact: bool) -> tuple[Lumped, ...]:
    """The links some of whose parts have parameters, or are moved by lengths, or carry the payload."""
    model = base.model
    own: dict[tuple[str, str, int], int] = {
        (p.link, p.field, p.component): k for k, p in enumerate(parameters) if p.group == "inertia"
    }
    payload = {p.component: k for k, p in enumerate(parameters) if p.group == "payload"}
    carrier = -1
    if payload:
        if model.end_effector is None:
            raise InputError(f"free: payload: {model.name} has several tips; give end_effector in its file")
        carrier = model.frames[model.end_effector].link - 1
        if carrier < 0:
            raise InputError("free: payload: the end effector is fixed to the world")
    found: list[Lumped] = []
    number = 0
    for i, parts in enumerate(base.parts):
        made: list[Part] = []
        open_ = False
        for pose, part in parts:
            o, R = pose[:3, 3], pose[:3, :3]
            if not exact:
                o, R = np.where(np.abs(o) < NOISE, 0.0, o), snapped(R)
            place = bends.place("part", number, _vec(o))
            number += 1
            made.append(_part(part, own, _mat(R), place))
            open_ = open_ or bool(place.slopes) or any(key[0] == part.name for key in own)
        if i == carrier:
            assert model.end_effector is not None
            names = list(model.frames)
            frame = model.frames[model.end_effector]
            at = bends.place("frame", names.index(model.end_effector), frame.pose.o)
            ten = tuple(Value(0.0, payload.get(k)) for k in range(10))
            found.append(Lumped(i, tuple(made), ten, frame.pose.R, at))
        elif open_:
            found.append(Lumped(i, tuple(made)))
    return tuple(found)


def _part(part: LinkDescription, own: dict[tuple[str, str, int], int], R: Mat3, place: Place) -> Part:
    name = part.name or ""
    reversed_ = any(key[:2] == (name, "r") for key in own)
    centre = part.com if part.com is not None else tuple(-x for x in part.r or (0.0, 0.0, 0.0))
    sign = -1.0 if reversed_ else 1.0
    field = "r" if reversed_ else "com"
    x, y, z = (Value(sign * c, own.get((name, field, k))) for k, c in enumerate(centre))
    inertia = tuple(Value(v, own.get((name, "inertia", k))) for k, v in enumerate(part.inertia or (0.0,) * 6))
    return Part(Value(part.mass or 0.0, own.get((name, "mass", 0))), (x, y, z), sign, inertia, R, place)


def _vec(v: Array) -> Vec3:
    return Vec3(float(v[0]), float(v[1]), float(v[2]))


def _mat(R: Array) -> Mat3:
    return Mat3(_vec(R[0]), _vec(R[1]), _vec(R[2]))
