"""Names for joints of several degrees of freedom, each of which is a row of bodies, one per rate.

Joints are numbered as in the file, and so are the constants of the links that they carry. A letter that several joints
would have is followed by the number of the joint.

    planar          x, y, phi              rates x_dot, y_dot, phi_dot
    cylindrical     theta_i, b_i           universal   theta_ia, theta_ib
    spherical       q_x, q_y, q_z, q_w     a unit quaternion; rates omega_x, omega_y, omega_z in the axes of the child
    free            x, y, z and q_x ...    rates omega_x ... and v_x, v_y, v_z of the child's origin, in its own axes

Rates of a quaternion joint are not derivatives of coordinates; the derivatives are E(q) qd, with E linear in them.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import NamedTuple

from redyn.description.schema import SEVERAL
from redyn.model import Link, Model
from redyn.symbolic.bodies import Body
from redyn.symbolic.from_model import from_model
from redyn.symbolic.notation import Expr, symbol
from redyn.symbolic.parameters import Parameters

_ABOUT_POINT = ("q_x", "q_y", "q_z", "q_w")
_PARTS = {"angle": "phi", "first": "theta_{}a", "second": "theta_{}b"}  # others are called x, y ... in the model too
_AXES = {"wx": "omega_x", "wy": "omega_y", "wz": "omega_z", "vx": "v_x", "vy": "v_y", "vz": "v_z"}


class Coordinates(NamedTuple):
    q: list[Expr]
    qd: list[Expr]
    qdd: list[Expr]


def has_rows(model: Model) -> bool:
    return any(link.joint.part for link in model.links)


def joint_numbers(model: Model) -> list[str]:
    """Of every link, the number of the joint in the file that moves it."""
    order = {name: str(k) for k, name in enumerate(dict.fromkeys(link.joint.name for link in model.links), start=1)}
    return [order[link.joint.name] for link in model.links]


def row_bodies(model: Model, take: Parameters) -> list[Body]:
    """The bodies of a robot with such joints; all of a row but the last are without mass."""
    labels = joint_numbers(model)
    found: list[Body] = []
    for i, link in enumerate(model.links, start=1):
        body = from_model(model, i, take, labels, inner=_inner(model, link))
        found.append(replace(body, coordinates=link.joint.coordinates, virtual=link.virtual))
    return found


def _inner(model: Model, link: Link) -> bool:
    """Whether the link before it belongs to the same joint."""
    return bool(link.parent and model.links[link.parent - 1].joint.name == link.joint.name)


def coordinates(model: Model, kinds: dict[str, str]) -> Coordinates:
    """The symbols of q, qd and qdd; `kinds` are the types of the joints by name."""
    q: list[tuple[str, str]] = []  # letters, and the number of the joint
    rates: list[tuple[str, str]] = []
    for link, number in zip(model.links, joint_numbers(model), strict=True):
        joint = link.joint
        if joint.single:
            letter = _letter(link, kinds[joint.name], number)
            q.append((letter, number))
            rates.append((letter, number))
            continue
        if not joint.continues:
            position = ("x", "y", "z") if joint.coordinates > len(_ABOUT_POINT) else ()
            q += [(letter, number) for letter in (*position, *_ABOUT_POINT)]
        rates.append((_AXES[joint.part], number))
    several = {letter for letter, count in Counter(letter for letter, _ in q).items() if count > 1}
    shared = {letter for letter, count in Counter(letter for letter, _ in rates).items() if count > 1}

    def named(letter: str, number: str, among: set[str], accent: str) -> Expr:
        head, _, tail = letter.partition("_")
        tail = f"{number}{tail}" if letter in among else tail
        return symbol("_".join(part for part in (head, accent, tail) if part))

    def rate(letter: str, number: str, accents: tuple[str, str]) -> Expr:
        return named(letter, number, shared, accents[letter in _AXES.values()])

    return Coordinates(
        [named(*x, several, "") for x in q],
        [rate(*x, ("dot", "")) for x in rates],
        [rate(*x, ("ddot", "dot")) for x in rates],
    )


def _letter(link: Link, kind: str, number: str) -> str:
    joint = link.joint
    if kind == "planar":
        return _PARTS.get(joint.part, joint.part)
    if kind == "universal":
        return _PARTS[joint.part].format(number)
    return f"theta_{number}" if joint.kind == "revolute" else f"b_{number}"


def supported(kind: str, closed: bool) -> bool:
    """Whether joints of this type have symbolic equations; in closed loops and beside links that bend fewer have."""
    return kind in ("revolute", "prismatic", "fixed") or (kind in SEVERAL and not closed)
