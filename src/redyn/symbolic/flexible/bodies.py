"""A robot with links that bend or gears that give, its constants symbols, in the axes of its model.

Joint i has the variable theta_i, or b_i where it slides; behind an elastic gear its motor has theta_mi. The elastic
coordinates of a beam are e_1, e_2 ... and its constants have the letters of `redyn.model.beam`:

    L, m_b, S_b, J_b        length; mass and the integrals of x dm and x^2 dm; I_b, of the polar moment per length
    phi_k, dphi_k, H_kl     phi, phi' and H at the tip; psi_k the angle of a mode in torsion
    S_k, W_k, G_kl          the integrals of phi_k dm, x phi_k dm and phi_k phi_l dm
    P_kl, R_kl              of H_kl dm and x H_kl dm, by which a bent beam is shorter
    T_k, TT_kl              of psi_k dI and psi_k psi_l dI, of modes in torsion
    K_k, D_k                stiffness and damping of a mode

The bodies at the two ends of a beam have the subscripts h (hub, at the root) and p (payload, at the tip). Where several
links bend, the number of the joint that carries the beam is added: e_2_1, L_2, m_b2, I_h2zz.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from redyn.algebra import MassMatrix, Rotation, RotationX, RotationZ, Sym3, Vec3
from redyn.description.schema import RobotDescription
from redyn.errors import InputError
from redyn.model import Beam, Model
from redyn.symbolic.bodies import (
    Body,
    SymbolicRobot,
    Triple,
    angle_parameter,
    gravity_constants,
    inertia_constants,
    joint_constants,
    link_numbers,
    turning,
)
from redyn.symbolic.from_model import from_model
from redyn.symbolic.notation import Expr, sp, symbol
from redyn.symbolic.parameters import Parameters

_NOISE = 1e-12  # relative; smaller values are rounding errors of zero
_SNAPPED = 1e-8  # sines of rotations that are smaller are zero
_ZERO: Triple = (sp.Integer(0),) * 3
_NO_MASS: dict[str, Any] = {"mass": sp.Integer(0), "centre": _ZERO, "inertia": (sp.Integer(0),) * 6}


@dataclass(frozen=True)
class Labels:
    """Subscripts of the links of a model and of its beams."""

    joints: list[str]  # of every link, the number of its joint; m1 of a motor, and of a mode nothing
    bodies: list[str]  # of every link, as a body
    beams: dict[int, str]  # of the first link of a beam, from 0; empty where there is one beam


def flexible_robot(robot: RobotDescription, model: Model, take: Parameters, rods: bool | None) -> SymbolicRobot:
    """The robot with the constants given by `take`."""
    if rods:
        raise InputError("rods: links that bend and links behind elastic gears keep their own constants; use where=")
    if model.loops:
        raise InputError(
            "symbolic equations of robots with closed loops support rigid links and gears only: derive the equations "
            "of robot.rigid()"
        )
    labels = labelled(model)
    bodies: list[Body] = []
    for row in model.steps:
        link = model.links[row[0]]
        if link.beam is not None:
            bodies += _modes(model, row, link.beam, labels, take)
        elif link.joint.turns_motor:
            bodies.append(_motor(model, row[0], labels, take))
        else:
            bodies.append(_with_gear(model, row[0], labels, take))
    tip_link, tip = _tip(model, labels, take)
    if tip is not None and not any(link.parent == tip_link for link in model.links):
        bodies[tip_link - 1] = replace(bodies[tip_link - 1], end=tip)
    gravity = gravity_constants(model, take)
    take.check_all_known()
    q, qd, qdd = (_coordinates(model, labels, accent) for accent in ("", "dot", "ddot"))
    return SymbolicRobot(robot.name, tuple(bodies), gravity, tip, tip_link, q, qd, qdd, False, ())


def labelled(model: Model) -> Labels:
    """Joints are numbered as in the file; the ends of a beam are h and p."""
    joints: list[str] = []
    count = 0
    for link in model.links:
        own = link.joint.kind != "mode"
        count += own and not link.joint.motor  # a motor and the link behind it are one joint
        joints.append("" if not own else f"m{count}" if link.joint.turns_motor else str(count))
    carriers = {i: model.links[i].parent for i, _ in model.beams}
    apart = len(set(carriers.values())) == len(carriers) and 0 not in carriers.values()
    named = {i: joints[carrier - 1] if apart else str(k) for k, (i, carrier) in enumerate(carriers.items(), start=1)}
    beams = named if len(named) > 1 else dict.fromkeys(named, "")
    bodies = list(joints)
    for i, beam in model.beams:
        if apart:
            bodies[carriers[i] - 1] = f"h{beams[i]}"
        bodies[i : i + beam.modes] = [f"p{beams[i]}"] * beam.modes
    return Labels(joints, bodies, beams)


def _coordinates(model: Model, labels: Labels, accent: str) -> list[Expr]:
    middle = f"_{accent}" if accent else ""
    found: list[Expr] = []
    for row in model.steps:
        link = model.links[row[0]]
        if link.beam is None:
            letter = "theta" if link.joint.kind == "revolute" else "b"
            found.append(symbol(f"{letter}{middle}_{labels.joints[row[0]]}"))
        else:
            found += [symbol(f"e{middle}_{mode_name(labels.beams[row[0]], k)}") for k in range(1, len(row) + 1)]
    return found


def mode_name(label: str, *indices: int) -> str:
    """The subscript of a constant of modes: 1, 12, and behind the number of its beam 2_1, 2_12."""
    joined = "".join(map(str, indices)) if max(indices) < 10 else "_".join(map(str, indices))
    return f"{label}_{joined}" if label else joined


# --- rigid bodies and gears -------------------------------------------------------------------------------------------


def _with_gear(model: Model, i: int, labels: Labels, take: Parameters) -> Body:
    """Link i of the model, from 0."""
    joint, name = model.links[i].joint, labels.joints[i]
    body = from_model(model, i + 1, take, labels.bodies, name)
    if not joint.motor:
        return body
    k = take.take(f"k_g{name}", _float(joint.gear_stiffness))
    d = take.take(f"damping_g{name}", _float(joint.gear_damping))
    return replace(body, motor=joint.motor, gear_stiffness=k, gear_damping=d)


def _motor(model: Model, i: int, labels: Labels, take: Parameters) -> Body:
    """It sits where its joint does, and has an inertia about it alone."""
    own = model.links[i]
    link = next(k for k, other in enumerate(model.links) if other.joint.motor == i + 1)
    placed = from_model(model, link + 1, take, labels.bodies, labels.joints[link])
    return replace(placed, name=own.name, **_NO_MASS, **joint_constants(own, labels.joints[i], take))


def _tip(model: Model, labels: Labels, take: Parameters) -> tuple[int, Triple | None]:
    """The end effector: its link, and its origin in that link's axes."""
    frame = None if model.end_effector is None else model.frames[model.end_effector]
    if frame is None or frame.link == 0:
        return 0, None
    o = cleaned([_float(x) for x in frame.pose.o.components()], 1e-3)
    name = labels.bodies[frame.link - 1]
    rigid = model.links[frame.link - 1].joint.kind != "mode"
    names = [f"a_{name}" if rigid and axis == "x" else f"p_{name}{axis}" for axis in "xyz"]
    return frame.link, cast(Triple, tuple(take.take(n, x) for n, x in zip(names, o, strict=True)))


# --- beams ------------------------------------------------------------------------------------------------------------


def _modes(model: Model, row: range, beam: Beam, labels: Labels, take: Parameters) -> list[Body]:
    """The links of a beam's modes: the first has the beam, the last the body at its tip."""
    label = labels.beams[row[0]]
    found: list[Body] = []
    symbolic = symbolic_beam(beam, label, take)
    for k, i in enumerate(row, start=1):
        link = model.links[i]
        m, com, inertia = link_numbers(link)
        tip = labels.bodies[i]
        masses: dict[str, Any] = _NO_MASS
        if not link.virtual:
            d = tuple(take.take(f"d_{tip}{axis}", x) for axis, x in zip("xyz", com, strict=True))
            masses = {
                "mass": take.take(f"m_{tip}", m),
                "centre": d,
                "inertia": tuple(inertia_constants(take, tip, inertia)),
            }
        name = mode_name(label, k)
        found.append(
            Body(
                name=link.name,
                parent=link.parent,
                kind="mode",
                offset=_ZERO,
                turns=(),
                zero=sp.Integer(0),
                quarters=0,
                **masses,
                end=_ZERO,
                end_twist=sp.Integer(0),
                armature=sp.Integer(0),
                damping=take.take(f"D_{name}", _float(link.joint.damping)),
                coulomb=sp.Integer(0),
                smoothing=sp.Integer(0),
                stiffness=take.take(f"K_{name}", _float(link.joint.stiffness)),
                rest=sp.Integer(0),
                beam=symbolic if k == 1 else None,
            )
        )
    return found


def symbolic_beam(beam: Beam, label: str, take: Parameters) -> Beam:
    """The beam with symbols for its constants. What is the same for every uniform beam is written so."""
    L, m = take.take(f"L_{label}" if label else "L", _float(beam.length)), take.take(f"m_b{label}", _float(beam.M.m))
    first, across = _float(beam.M.h.x), _float(beam.M.S.yy)
    second = _float(beam.M.S.xx) + across
    mass, length = _float(beam.M.m), _float(beam.length)
    if _near(first, mass * length / 2) and _near(second, mass * length**2 / 3):
        take.suggest(f"S_b{label}", m * L / 2)
        take.suggest(f"J_b{label}", m * L**2 / 3)
    S, J = take.take(f"S_b{label}", first), take.take(f"J_b{label}", second)
    half = take.take(f"I_b{label}", 2 * across) / 2
    zero = sp.Integer(0)

    def vector(letter: str, values: Sequence[Any], start: int = 1) -> tuple[Expr, ...]:
        numbers = cleaned([_float(x) for x in values])
        return tuple(take.take(f"{letter}_{mode_name(label, k)}", x) for k, x in enumerate(numbers, start))

    def matrix(letter: str, rows: Sequence[Sequence[Any]], start: int = 1) -> tuple[tuple[Expr, ...], ...]:
        size = len(rows)
        flat = iter(cleaned([_float(x) for row in rows for x in row]))
        names = [[mode_name(label, *sorted((k + start, l + start))) for l in range(size)] for k in range(size)]
        return tuple(tuple(take.take(f"{letter}_{name}", next(flat)) for name in row) for row in names)

    for k, row in enumerate(beam.G, start=1):
        if _near(_float(row[k - 1]), mass):  # the modes of a beam without a load have its mass
            take.suggest(f"G_{mode_name(label, k, k)}", m)
    turning_first = beam.bending + 1
    return replace(
        beam,
        length=L,
        offset=Vec3(*_placed(beam, label, take)),
        rotations=_turned(beam, label, take),
        M=MassMatrix(m, Vec3(S, zero, zero), Sym3(J - half, zero, zero, half, zero, half)),
        tip=vector("phi", beam.tip),
        slope=vector("dphi", beam.slope),
        S=vector("S", beam.S),
        W=vector("W", beam.W),
        G=matrix("G", beam.G),
        P=matrix("P", beam.P),
        R=matrix("R", beam.R),
        H=matrix("H", beam.H),
        twist=vector("psi", beam.twist, turning_first),
        T=vector("T", beam.T, turning_first),
        TT=matrix("TT", beam.TT, turning_first),
    )


def _placed(beam: Beam, label: str, take: Parameters) -> Triple:
    o = cleaned([_float(x) for x in beam.offset.components()], 1e-3)
    return cast(Triple, tuple(take.take(f"p_b{label}{axis}", x) for axis, x in zip("xyz", o, strict=True)))


def _turned(beam: Beam, label: str, take: Parameters) -> tuple[Rotation, ...]:
    """From the axes of the carrier to those of the root, Rz(gamma) Rx(alpha) Rz(beta)."""
    columns = [Vec3(*(float(i == k) for i in range(3))) for k in range(3)]
    for turn in reversed(beam.rotations):
        columns = [turn.to_parent(v) for v in columns]
    x, y, z = ([_float(entry) for entry in v.components()] for v in columns)
    across = math.hypot(z[0], z[1])
    if across > _SNAPPED:
        angles = math.atan2(z[0], -z[1]), math.atan2(across, z[2]), math.atan2(x[2], y[2])
    else:
        angles = math.atan2(x[1], x[0]), 0.0 if z[2] > 0 else math.pi, 0.0
    found: list[Rotation] = []
    for letter, axis, angle in zip(("gamma", "alpha", "beta"), "zxz", angles, strict=True):
        turn = turning("x" if axis == "x" else "z", angle_parameter(take, f"{letter}_b{label}", angle))
        if (turn.cosine, turn.sine) != (1, 0):
            found.append((RotationX if axis == "x" else RotationZ)(turn.cosine, turn.sine))
    return tuple(found)


def cleaned(values: Sequence[float], least: float = 0.0) -> list[float]:
    """Without the rounding errors of zero."""
    size = max([least, *map(abs, values)])
    return [0.0 if abs(x) < _NOISE * size else x for x in values]


def _near(value: float, wanted: float) -> bool:
    return abs(value - wanted) <= _NOISE * abs(wanted)


def _float(value: Any) -> float:
    return float(value)
