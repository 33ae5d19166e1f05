"""Builds a symbolic robot from the rows of a DH table, or from the numbers of its model."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, Literal, cast

from redyn.description.schema import JointDescription, LinkDescription, RobotDescription
from redyn.errors import InputError
from redyn.model import Link, Model
from redyn.robot import Robot
from redyn.symbolic.bodies import (
    Body,
    SymbolicRobot,
    Triple,
    Turning,
    angle_parameter,
    gravity_constants,
    inertia_constants,
    joint_constants,
    not_idle,
    turned,
    turned_tensor,
    turning,
)
from redyn.symbolic.flexible.bodies import flexible_robot
from redyn.symbolic.from_model import from_model, numbered, subscript_before
from redyn.symbolic.loops.frames import point, symbolic_loops, with_ends
from redyn.symbolic.notation import joint_symbols, sp
from redyn.symbolic.parameters import Parameters
from redyn.symbolic.rolling.bodies import rolling_robot
from redyn.symbolic.rows import Coordinates, coordinates, has_rows, joint_numbers, row_bodies, supported

Centres = Literal["d", "r"]
_NOISE = 1e-12  # relative; smaller values are rounding errors of zero


def symbolic_robot(
    robot: RobotDescription, model: Model, parameters: Parameters, centres: Centres, rods: bool | None
) -> SymbolicRobot:
    """The robot with the constants given by `parameters`."""
    if model.contacts:
        return rolling_robot(robot, model, parameters)
    for joint in _without_symbols(robot)[:1]:
        what = "revolute and prismatic joints only" if _plain(robot) else "no helical joints"
        reason = f"joint {joint.name!r} is {joint.type}: symbolic equations support {what}"
        numbers = "; `redyn equations` derives the loops of this robot with numbers" if robot.loops else ""
        if model.flexible:
            numbers = "; lock it (robot.lock), or use the robot's own functions, which need no closed form"
        raise InputError(reason + numbers)
    if model.reduction is not None:
        raise InputError(
            "symbolic equations do not support coupled joints; load the robot without mimic='couple', so that joints "
            "that mimic others move independently"
        )
    if model.flexible or any(link.joint.motor for link in model.links):
        return flexible_robot(robot, model, parameters, rods)
    rows = _table(robot, model)
    is_rods = _are_rods(robot, rows) if rods is None else rods
    if rods and (rows is None or robot.convention != "dh"):
        raise InputError("rods: the length of a link is its a of the book's DH table; use where={...} for this robot")
    if is_rods and rows is not None:
        for i in range(1, len(rows) + 1):
            m, a = (parameters.take(f"{k}_{i}", x or 0.0) for k, x in (("m", rows[i - 1].mass), ("a", rows[i - 1].a)))
            for axis in "xyz":
                half = a / 2 if axis == "x" else sp.Integer(0)
                parameters.suggest(f"{centres}_{i}{axis}", half)
            for entry in ("xx", "xy", "xz", "yy", "yz", "zz"):
                moment = m * a**2 / 12 if entry in ("yy", "zz") else sp.Integer(0)
                parameters.suggest(f"I_{i}{entry}", moment)
    if rows is None:
        several = has_rows(model)
        bodies = (
            row_bodies(model, parameters)
            if several
            else [from_model(model, i, parameters) for i in range(1, model.dof + 1)]
        )
    else:
        build = _from_dh if robot.convention == "dh" else _from_modified_dh
        bodies = [build(model, rows, i, parameters, centres) for i in range(1, model.dof + 1)]
    table = robot.convention if rows is not None else None
    loops = symbolic_loops(model, bodies, table, parameters)
    with_ends(bodies, loops)
    tip_link, tip = _tip(model, bodies, table, parameters)
    gravity = gravity_constants(model, parameters)
    parameters.check_all_known()
    q, qd, qdd = _coordinates(robot, model)
    return SymbolicRobot(robot.name, tuple(bodies), gravity, tip, tip_link, q, qd, qdd, rows is not None, loops)


def unnamed_joints(robot: Robot) -> list[str]:
    """Joints that have no symbol: those with several variables, and screws."""
    return [str(joint.name) for joint in _without_symbols(robot.description)]


def _without_symbols(robot: RobotDescription) -> list[JointDescription]:
    plain = _plain(robot)
    return [link.joint for link in robot.links if not supported(link.joint.type, plain)]


def _plain(robot: RobotDescription) -> bool:
    """Whether only joints with one coordinate are supported: with closed loops, links that bend, gears that give."""
    return bool(robot.loops) or any(link.flexible or link.joint.elastic for link in robot.links)


def _coordinates(robot: RobotDescription, model: Model) -> Coordinates:
    if has_rows(model):
        return coordinates(model, {str(link.joint.name): link.joint.type for link in robot.links})
    letters = ["theta" if link.joint.kind == "revolute" else "b" for link in model.links]
    return Coordinates(*(joint_symbols(letters, accent) for accent in ("", "dot", "ddot")))


def _table(robot: RobotDescription, model: Model) -> list[LinkDescription] | None:
    """The rows of the moving links, if the table describes them completely: nothing lumped, no fixed frames between."""
    if robot.convention not in ("dh", "modified-dh"):
        return None
    if has_rows(model):
        return None
    fixed = {link.name for link in robot.links if link.joint.type == "fixed"}
    if any(link.parent in fixed or (link.joint.type == "fixed" and (link.mass or 0.0) != 0.0) for link in robot.links):
        return None
    by_name = {link.name: link for link in robot.links}
    return [by_name[link.name] for link in model.links]


def _are_rods(robot: RobotDescription, rows: list[LinkDescription] | None) -> bool:
    """Whether every link is a uniform slender rod along its x."""
    if rows is None or robot.convention != "dh":
        return False

    def near(value: float, wanted: float) -> bool:
        return abs(value - wanted) <= 1e-9 * abs(wanted)

    for row in rows:
        a, m = row.a or 0.0, row.mass or 0.0
        r = row.r if row.com is None else tuple(-x for x in row.com)
        inertia = row.inertia or (0.0,) * 6
        spin = m * a * a / 12
        wanted = (0.0, 0.0, 0.0, spin, 0.0, spin)
        if row.joint.type != "revolute" or (row.b or 0.0) != 0.0 or a * m == 0.0:
            return False
        if not all(near(x, w) for x, w in zip(r or (0.0,) * 3, (a / 2, 0.0, 0.0), strict=True)):
            return False
        if not all(near(x, w) for x, w in zip(inertia, wanted, strict=True)):
            return False
    return True


def _far_end(take: Parameters, row: LinkDescription, i: int) -> tuple[Triple, Turning]:
    """O_{i+1} of a DH row in link axes, and the rotation to frame i+1."""
    revolute = row.joint.type == "revolute"
    b = take.take(f"b_{i}", row.b or 0.0) if revolute else sp.Integer(0)
    alpha = turning("x", angle_parameter(take, f"alpha_{i}", row.alpha or 0.0))
    return (take.take(f"a_{i}", row.a or 0.0), sp.Integer(0), b), alpha


def _row(link: Link, row: LinkDescription, i: int, take: Parameters) -> dict[str, Any]:
    """What both conventions take from a row."""
    return {
        "name": link.name,
        "parent": link.parent,
        "kind": link.joint.kind,
        "zero": take.take(f"beta_{i}", row.joint.offset),
        "quarters": 0,
        "mass": take.take(f"m_{i}", row.mass or 0.0),
    }


def _from_dh(model: Model, rows: list[LinkDescription], i: int, take: Parameters, centres: Centres) -> Body:
    """Frame i+1 is at the far end: Rz(theta_i) Tz(b_i) Tx(a_i) Rx(alpha_i); r_i runs from C_i to it."""
    link, row = model.links[i - 1], rows[i - 1]
    offset: Triple = (sp.Integer(0),) * 3
    turns: list[Turning] = []
    if link.parent:
        offset, alpha_before = _far_end(take, rows[link.parent - 1], link.parent)
        turns.append(alpha_before)
    if row.joint.type == "prismatic":
        turns.append(turning("z", angle_parameter(take, f"theta_{i}", row.theta or 0.0)))
    end, alpha = _far_end(take, row, i)
    r = row.r if row.com is None else tuple(-x for x in row.com)
    r = r or (0.0, 0.0, 0.0)
    if centres == "r":
        symbols = [take.take(f"r_{i}{k}", x) for k, x in zip("xyz", r, strict=True)]
        back = turned([alpha], symbols)
        centre = cast(Triple, tuple(sp.expand(e - x) for e, x in zip(end, back, strict=True)))
    else:
        c, s = math.cos(row.alpha or 0.0), math.sin(row.alpha or 0.0)
        if alpha.cosine.is_Integer and alpha.sine.is_Integer:
            c, s = float(alpha.cosine), float(alpha.sine)
        along = (row.b or 0.0) if row.joint.type == "revolute" else 0.0
        d = ((row.a or 0.0) - r[0], -(c * r[1] - s * r[2]), along - (s * r[1] + c * r[2]))
        size = max(abs(x) for x in (*r, row.a or 0.0, along))
        d = tuple(0.0 if abs(x) < _NOISE * size else x for x in d)
        centre = cast(Triple, tuple(take.take(f"d_{i}{k}", x) for k, x in zip("xyz", d, strict=True)))
    return Body(
        **_row(link, row, i, take),
        offset=offset,
        turns=not_idle(turns),
        centre=centre,
        inertia=turned_tensor([alpha], inertia_constants(take, i, row.inertia or (0.0,) * 6)),
        end=end,
        end_twist=alpha.angle,
        **joint_constants(link, i, take),
    )


def _from_modified_dh(model: Model, rows: list[LinkDescription], i: int, take: Parameters, centres: Centres) -> Body:
    """Frame i is on the joint: Rx(alpha_{i-1}) Tx(a_{i-1}) Rz(theta_i) Tz(d_i); the book's b_i for Craig's d_i."""
    link, row = model.links[i - 1], rows[i - 1]
    names = numbered(model)
    before = subscript_before(model, i, names)
    alpha = turning("x", angle_parameter(take, f"alpha_{before}", row.alpha or 0.0))
    a = take.take(f"a_{before}", row.a or 0.0)
    turns, b = [alpha], sp.Integer(0)
    if row.joint.type == "revolute":
        b = take.take(f"b_{i}", row.d or 0.0)
    else:
        turns.append(turning("z", angle_parameter(take, f"theta_{i}", row.theta or 0.0)))
    offset: Triple = (a, sp.expand(-alpha.sine * b), sp.expand(alpha.cosine * b))
    com = row.com if row.com is not None else tuple(-x for x in row.r or (0.0,) * 3)
    sign = -1 if centres == "r" else 1
    symbols = [sign * take.take(f"{centres}_{i}{k}", sign * x) for k, x in zip("xyz", com, strict=True)]
    children = [k for k, other in enumerate(model.links, start=1) if other.parent == i]
    end: Triple = (sp.Integer(0),) * 3
    if children:
        after = subscript_before(model, children[0], names)
        end = (take.take(f"a_{after}", rows[children[0] - 1].a or 0.0), end[1], end[2])
    return Body(
        **_row(link, row, i, take),
        offset=offset,
        turns=not_idle(turns),
        centre=cast(Triple, tuple(symbols)),
        inertia=tuple(inertia_constants(take, i, row.inertia or (0.0,) * 6)),
        end=end,
        end_twist=sp.Integer(0),
        **joint_constants(link, i, take),
    )


def _tip(model: Model, bodies: list[Body], tabled: str | None, take: Parameters) -> tuple[int, Triple | None]:
    """The end effector: its link, and its origin in that link's axes, where a force may act."""
    if model.end_effector is None or model.frames[model.end_effector].link == 0:
        return 0, None
    frame = model.frames[model.end_effector]
    name, number = model.links[frame.link - 1].name, frame.link
    body, own = bodies[number - 1], model.frames[name].pose
    o = frame.pose.o
    if tabled:  # there the axes are the user's own, up to the last rotation of a row
        o = own.R.T @ (o - own.o)
    label = int(joint_numbers(model)[number - 1])
    tip = point(take, label, [float(cast(float, x)) for x in o.components()], tabled is not None, "p_")
    if tabled == "dh":
        row_end = turned([turning("x", body.end_twist)], tip)
        tip = cast(Triple, tuple(a + b for a, b in zip(body.end, row_end, strict=True)))
    if not any(k.parent == number for k in model.links):
        bodies[number - 1] = replace(body, end=tip)
    return number, tip
