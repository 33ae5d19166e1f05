"""A robot on wheels with symbolic constants, in the axes of its file.

A planar base has the coordinates x, y and psi, and in its own axes the velocity v_x, v_y; wheels turn by phi, other
joints by theta or slide by s. Constants that are equal share a symbol, and so do equal wheels, as in a textbook:
otherwise the inertia would depend on the angles of wheels that are round.

    R            radius of a wheel                     m_w, I_w, I_wt   of a wheel: mass, inertia about its axle, across
    l, b, h      where a joint sits, along x, y, z     m_1, d_1x, I_1zz ... of the other links, in the axes of the file
    alpha        from the heading to a roller's axis   m, I, ...        where one link alone has mass
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, cast

import numpy as np
from numpy.typing import NDArray

from redyn.algebra import Vec3
from redyn.description.placement import rpy_rotation, steps, unit_axis
from redyn.description.schema import VELOCITIES, WORLD, LinkDescription, RobotDescription
from redyn.errors import InputError
from redyn.model import Contact, Link, Model, Rolling
from redyn.symbolic.bodies import (
    Body,
    SymbolicRobot,
    Triple,
    Turning,
    angle_parameter,
    gravity_constants,
    inertia_constants,
    joint_constants,
    link_numbers,
    not_idle,
    turned,
    turned_tensor,
    turning,
)
from redyn.symbolic.notation import Expr, sp, symbol
from redyn.symbolic.parameters import Parameters

Array = NDArray[np.float64]

SUPPORTED = ("revolute", "prismatic", "planar", "fixed")
OWN_LETTERS = ("x", "y", "z", "psi", "theta", "phi")  # joints with such a name have it as their coordinate
_ALIKE = 1e-9  # relative difference of numbers that share a symbol
_PLANAR = {"x": "x", "y": "y", "angle": "psi"}


def rolling_robot(robot: RobotDescription, model: Model, take: Parameters) -> SymbolicRobot:
    """The robot with the constants given by `take`; InputError, which says why, where it has no closed form."""
    if model.flexible or any(link.joint.motor for link in model.links):
        raise InputError(
            "symbolic equations of robots on wheels support rigid links and gears only: derive the equations of "
            "robot.rigid()"
        )
    _check(robot)
    described = {str(link.joint.name): link for link in robot.links}
    carried = [described[link.joint.name] for link in model.links]
    shared = _Shared(take)
    wheels = {contact.wheel for contact in robot.rolling if contact.wheel is not None}
    numbers = {str(link.name): i for i, link in enumerate(_unique(carried), start=1)}
    suffixes = _wheel_suffixes(model, carried, wheels)
    alone = sum(float(cast(float, link.M.m)) > 0.0 for link in model.links) == 1  # its constants need no number
    bodies: list[Body] = []
    own: list[list[Turning]] = []  # of each body: from the axes of its file to those with z along the joint
    for link, row in zip(model.links, carried, strict=True):
        axis = _axis_turns(row, _axis(link, row))
        first = link.parent == 0 or model.links[link.parent - 1].joint.name != link.joint.name
        before = own[link.parent - 1] if link.parent else []
        xyz, rpy = _mount(robot, row) if first else (np.zeros(3), np.zeros(3))
        offset = cast(Triple, tuple(shared.length(letter, x) for letter, x in zip("lbh", xyz, strict=True)))
        number = numbers[str(row.name)]
        turns = [*_inverse(before), *_rpy_turns(take, number, rpy), *axis]
        suffix = suffixes.get(str(row.name), str(number))
        only = "" if alone and link.M.m else suffix
        massive = not link.virtual
        bodies.append(
            Body(
                name=link.name,
                parent=link.parent,
                kind=link.joint.kind,
                offset=turned(_inverse(before), offset),
                turns=not_idle(turns),
                zero=take.take(f"beta_{number}", row.joint.offset),
                quarters=0,
                **(_masses(model, link, row, axis, only, take, row.name in wheels) if massive else _NOTHING),
                end=_ZERO,
                end_twist=sp.Integer(0),
                **joint_constants(link, suffix, take),
            )
        )
        own.append(axis)
    contacts = tuple(
        _contact(contact, model, bodies, own, shared, take, rolling.roller)
        for contact, rolling in zip(model.contacts, robot.rolling, strict=True)
    )
    gravity = gravity_constants(model, take)
    take.check_all_known()
    q, qd, qdd = _coordinates(model, carried, wheels)
    own_rates = tuple(symbol(f"v_{axis}") for axis in "xy") if _in_own_axes(model) else ()
    return SymbolicRobot(robot.name, tuple(bodies), gravity, None, 0, q, qd, qdd, False, (), contacts, own_rates)


def _in_own_axes(model: Model) -> bool:
    """Whether the velocity of the base is taken in its own axes."""
    return isinstance(model.reduction, Rolling) and model.reduction.turned is not None


_ZERO: Triple = (sp.Integer(0),) * 3
_NOTHING = {"mass": sp.Integer(0), "centre": _ZERO, "inertia": (sp.Integer(0),) * 6}


def _check(robot: RobotDescription) -> None:
    for link in robot.links:
        if link.joint.type not in SUPPORTED:
            cure = "; of bodies that move freely, a disk alone has symbolic equations" * (link.joint.type == "free")
            raise InputError(
                f"joint {link.joint.name!r} is {link.joint.type}: symbolic equations of robots on wheels support "
                f"planar, revolute and prismatic joints only{cure}"
            )
    if robot.convention != "frames":
        raise InputError("symbolic equations of robots on wheels need a file in the convention frames")


def _unique(rows: Sequence[LinkDescription]) -> list[LinkDescription]:
    found: list[LinkDescription] = []
    for row in rows:
        if not any(row is other for other in found):
            found.append(row)
    return found


# --- geometry ---------------------------------------------------------------------------------------------------------


def _axis(link: Link, row: LinkDescription) -> Array:
    """The axis of a joint, or of one of its motions, in the axes of the file."""
    if row.joint.type != "planar":
        return unit_axis(row.axis)
    parts = [f"{row.joint.name}.{part}" for part in VELOCITIES["planar"]]
    return steps(row)[parts.index(link.joint.label)][1]


def _axis_turns(row: LinkDescription, axis: Array) -> list[Turning]:
    """From the axes of a frame to some with z along this axis."""
    k = int(np.argmax(np.abs(axis)))
    if abs(abs(float(axis[k])) - 1.0) > _ALIKE:
        raise InputError(
            f"joint {row.joint.name!r}: symbolic equations of robots on wheels need axes along x, y or z of the frame; "
            "turn the frame by rpy"
        )
    right, sign = sp.pi / 2, 1 if axis[k] > 0 else -1
    if k == 2:
        return [] if sign > 0 else [turning("x", sp.pi)]
    return [turning("x", -sign * right)] if k == 1 else [turning("z", sign * right), turning("x", right)]


def _inverse(turns: Sequence[Turning]) -> list[Turning]:
    return [replace(t, angle=-t.angle, sine=-t.sine) for t in reversed(turns)]


def _mount(robot: RobotDescription, row: LinkDescription) -> tuple[Array, Array]:
    """xyz and rpy of a joint in the frame of the moving link that carries it, across fixed links."""
    by_name = {str(link.name): link for link in robot.links}
    T = _pose(row)
    parent = str(row.parent or WORLD)
    while parent != WORLD and by_name[parent].joint.type == "fixed":
        T = _pose(by_name[parent]) @ T
        parent = str(by_name[parent].parent or WORLD)
    R = T[:3, :3]
    pitch = math.atan2(-R[2, 0], math.hypot(R[0, 0], R[1, 0]))
    return T[:3, 3], np.array([math.atan2(R[2, 1], R[2, 2]), pitch, math.atan2(R[1, 0], R[0, 0])])


def _pose(row: LinkDescription) -> Array:
    T = rpy_rotation(*(row.rpy or (0.0, 0.0, 0.0)))
    T[:3, 3] = row.xyz or (0.0, 0.0, 0.0)
    return T


def _rpy_turns(take: Parameters, number: int, rpy: Array) -> list[Turning]:
    """Rz(yaw) Ry(pitch) Rx(roll), each angle with a name unless it is right."""
    roll, pitch, yaw = (float(x) for x in rpy)
    right = sp.pi / 2
    found: list[Turning] = []
    parts: tuple[tuple[str, float, Literal["x", "z"], bool], ...] = (
        ("gamma", yaw, "z", False),
        ("pitch", pitch, "x", True),
        ("alpha", roll, "x", False),
    )
    for name, angle, axis, about_y in parts:
        if abs(angle) < _ALIKE:
            continue
        turn = turning(axis, angle_parameter(take, f"{name}_{number}", angle))
        found += [turning("z", right), turn, turning("z", -right)] if about_y else [turn]
    return found


# --- constants --------------------------------------------------------------------------------------------------------


class _Shared:
    """Symbols for magnitudes: equal ones share one, and a letter that stands alone has no number."""

    def __init__(self, take: Parameters) -> None:
        self._take = take
        self._known: dict[str, list[float]] = {}

    def length(self, letter: str, value: float) -> Expr:
        size = abs(float(value))
        if size < 1e-12:
            return sp.Integer(0)
        known = self._known.setdefault(letter, [])
        place = next((k for k, x in enumerate(known) if abs(x - size) < _ALIKE * size), len(known))
        if place == len(known):
            known.append(size)
        found = self._take.take(letter if place == 0 else f"{letter}_{place + 1}", size)
        return found if value > 0 else -found


@dataclass(frozen=True)
class _Round:
    """A wheel as far as it matters: mass, inertia about the axle and across it."""

    mass: float
    about: float
    across: float

    def like(self, other: _Round) -> bool:
        pairs = ((self.mass, other.mass), (self.about, other.about), (self.across, other.across))
        return all(abs(a - b) <= _ALIKE * max(abs(a), abs(b)) for a, b in pairs)


def _wheel_suffixes(model: Model, carried: Sequence[LinkDescription], wheels: set[str]) -> dict[str, str]:
    """Of the round wheels, by link: `w`, and another one for wheels that differ."""
    kinds: list[_Round] = []
    found: dict[str, int] = {}
    for link, row in zip(model.links, carried, strict=True):
        shape = _round(model, link, row) if row.name in wheels else None
        if shape is None:
            continue
        place = next((k for k, kind in enumerate(kinds) if kind.like(shape)), len(kinds))
        if place == len(kinds):
            kinds.append(shape)
        found[str(row.name)] = place
    return {name: "w" if place == 0 else f"w{place + 1}" for name, place in found.items()}


def _round(model: Model, link: Link, row: LinkDescription) -> _Round | None:
    """None where a wheel is not balanced: its mass centre and inertia then turn with it."""
    mass, centre, inertia = _numbers(model, link, row)
    axis = unit_axis(row.axis)
    k = int(np.argmax(np.abs(axis)))
    about, (a, b) = inertia[k, k], (inertia[i, i] for i in range(3) if i != k)
    off = float(np.abs(inertia - np.diag(np.diag(inertia))).max())
    size = max(float(np.abs(inertia).max()), 1e-300)
    if max(off, abs(a - b)) > _ALIKE * size or float(np.abs(np.cross(axis, centre)).max()) > 1e-12:
        return None
    return _Round(mass, float(about), float(a)) if float(abs(axis @ centre)) < 1e-12 else None


def _numbers(model: Model, link: Link, row: LinkDescription) -> tuple[float, Array, Array]:
    """Mass, mass centre and inertia about it in the axes of the file, fixed links included."""
    mass, centre, (xx, xy, xz, yy, yz, zz) = link_numbers(link)
    pose = model.frames[str(row.name)].pose
    R = np.array([list(v.components()) for v in (pose.R.x, pose.R.y, pose.R.z)], dtype=np.float64)
    o = np.array(pose.o.components(), dtype=np.float64)
    inertia = R.T @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R
    inertia[np.abs(inertia) < 1e-12 * max(float(np.abs(inertia).max()), 1e-300)] = 0.0
    at = R.T @ (np.array(centre) - o)
    at[np.abs(at) < 1e-12] = 0.0
    return mass, at, inertia


def _masses(
    model: Model, link: Link, row: LinkDescription, axis: Sequence[Turning], suffix: str, take: Parameters, wheel: bool
) -> dict[str, object]:
    """Mass, mass centre and inertia in the axes with z along the joint."""
    mass, centre, inertia = _numbers(model, link, row)
    back = _inverse(axis)
    m = take.take(f"m_{suffix}" if suffix else "m", mass)
    shape = _round(model, link, row) if wheel else None
    if shape is not None:
        about = take.take(f"I_{suffix}" if suffix else "I", shape.about)
        across = take.take(f"I_{suffix}t", shape.across)
        none = sp.Integer(0)
        return {"mass": m, "centre": _ZERO, "inertia": (across, none, none, across, none, about)}
    d = [take.take(f"d_{suffix}{k}", float(x)) for k, x in zip("xyz", centre, strict=True)]
    six = [float(inertia[i, j]) for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))]
    tensor = turned_tensor(back, inertia_constants(take, suffix, six))
    return {"mass": m, "centre": turned(back, d), "inertia": tensor}


def _contact(
    contact: Contact,
    model: Model,
    bodies: Sequence[Body],
    own: Sequence[Sequence[Turning]],
    shared: _Shared,
    take: Parameters,
    angle: float | None,
) -> Contact:
    """In the axes of the symbolic links."""
    if contact.spin:
        wheel = bodies[contact.spin - 1]
        hub, axle = wheel.offset, turned(wheel.turns, (sp.Integer(0), sp.Integer(0), sp.Integer(1)))
    else:
        if model.frames[contact.name].link != contact.carrier or model.links[contact.carrier - 1].name != contact.name:
            raise InputError(f"{contact.kind} {contact.name!r}: symbolic equations need it on a link that moves")
        across = (0, 0, 1) if contact.kind == "disk" else (0, 1, 0)
        hub = _ZERO
        axle = turned(_inverse(own[contact.carrier - 1]), cast(Triple, tuple(sp.Integer(x) for x in across)))
    roller = (sp.Integer(1), sp.Integer(0))
    if angle:
        name = "alpha" if "alpha" not in take.expressions or abs(abs(angle) - take.known["alpha"]) < _ALIKE else ""
        turn = turning("z", angle_parameter(take, name or f"alpha_{contact.name}", abs(angle)))
        roller = (turn.cosine, turn.sine if angle > 0 else -turn.sine)
    radius = shared.length("R", contact.radius) if contact.radius else sp.Integer(0)
    return replace(contact, hub=Vec3(*hub), axle=Vec3(*axle), radius=radius, roller=cast("tuple[float, float]", roller))


# --- coordinates ------------------------------------------------------------------------------------------------------


def _coordinates(
    model: Model, carried: Sequence[LinkDescription], wheels: set[str]
) -> tuple[list[Expr], list[Expr], list[Expr]]:
    """q, qd and qdd; several of a letter are numbered."""
    letters: list[str] = []
    for link, row in zip(model.links, carried, strict=True):
        if row.joint.type == "planar":
            letters.append(_PLANAR[link.joint.label.rpartition(".")[2]])
        elif row.joint.name in OWN_LETTERS:
            letters.append(str(row.joint.name))
        elif row.joint.type == "prismatic":
            letters.append("s")
        else:
            letters.append("phi" if row.name in wheels else "theta")
    numbers = [f"_{letters[: i + 1].count(x)}" if letters.count(x) > 1 else "" for i, x in enumerate(letters)]
    accents = ("", "_dot", "_ddot")
    q, qd, qdd = (
        [symbol(f"{x}{accent}{number}") for x, number in zip(letters, numbers, strict=True)] for accent in accents
    )
    return q, qd, qdd
