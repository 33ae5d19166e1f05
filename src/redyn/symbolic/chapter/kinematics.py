"""Poses of the links, the Jacobian and the velocity of the end effector."""

from __future__ import annotations

from collections.abc import Sequence

from redyn.symbolic.chapter.blocks import (
    Block,
    Chapter,
    Code,
    Equation,
    Fold,
    Heading,
    Text,
    column,
    fits,
    formula,
    matrix,
    number_matrix,
    pair,
    word,
)
from redyn.symbolic.chapter.setting import Context
from redyn.symbolic.notation import Expr

_LINEAR, _ANGULAR = r"\b{J}_{v}", r"\b{J}_{\omega}"


def kinematics(chapter: Chapter, at: Context) -> None:
    eqs = at.eqs
    where = (
        "the frame of link $i$ is the book's frame $i+1$, at its far end"
        if eqs.symbolic.tabled and eqs.robot.description.convention == "dh"
        else "the axes of link $i$ are on its joint"
    )
    chapter.add(
        Heading("Forward kinematics and the Jacobian"),
        Text(
            "The matrix $\\b{T}_{ji}$ takes coordinates in the frame of link $i$ to that of link $j$; "
            f"{where}. Others write $^{{j}}\\b{{T}}_{{i}}$. From each link to the next:"
        ),
    )
    for i in _moving(at):
        chapter.add(*_written(_name(at, i), _name(at, i), eqs.link_transform(i).tolist()))
    later = [i for i in _moving(at) if _before(at, i)]
    if later:
        chapter.add(Text("Their products are the poses of the links in the ground:"))
        chapter.add(*_products(at, later))
    tip = eqs.robot.model.end_effector
    if tip is None or eqs.symbolic.tip_link == 0:
        chapter.add(Code(f"eqs.forward_kinematics({eqs.symbolic.bodies[-1].name!r})"))
        return
    chapter.add(*_end_effector(at, tip))


def _moving(at: Context) -> list[int]:
    """Links that are bodies; the parts of a joint with several rates are passed over."""
    return [i for i, body in enumerate(at.bodies, start=1) if not body.virtual]


def _before(at: Context, i: int) -> int:
    j = at.bodies[i - 1].parent
    while j and at.bodies[j - 1].virtual:
        j = at.bodies[j - 1].parent
    return j


def _name(at: Context, i: int) -> str:
    return rf"\b{{T}}_{{{pair(_before(at, i), i)}}}"


def _products(at: Context, links: Sequence[int]) -> list[Block]:
    found: list[Block] = []
    for i in links:
        j = _before(at, i)
        left = rf"\b{{T}}_{{{pair(0, i)}}} = \b{{T}}_{{{pair(0, j)}}} {_name(at, i)}"
        if at.short:
            found += _written(left, rf"\b{{T}}_{{{pair(0, i)}}}", at.eqs.link_pose(i).tolist())
        else:
            found.append(Equation((f"{left} = {number_matrix(at.link_pose(i))}",)))
    if at.short:
        return found
    note = "At the state of the example; `eqs.forward_kinematics(link)` writes any of them out."
    return [Fold(f"Poses of the links at the state of the example ({len(found)})", (Text(note), *found))]


def _written(left: str, name: str, entries: Sequence[Sequence[Expr]]) -> list[Block]:
    """A matrix in one formula, or the entries of its last column and its rotation one by one."""
    if fits(entries):
        return [Equation((f"{left} = {matrix(entries)}",))]
    found: list[Block] = [Equation((left,))] if "=" in left else []
    for a, row in enumerate(entries, start=1):
        for b, entry in enumerate(row, start=1):
            if entry != 0 and not entry.is_Number:
                found.append(formula(rf"\left({name}\right)_{{{pair(a, b)}}}", entry))
    return found


def _end_effector(at: Context, tip: str) -> list[Block]:
    eqs = at.eqs
    found: list[Block] = []
    last = eqs.symbolic.tip_link
    same = eqs.robot.model.links[last - 1].name == tip and eqs.symbolic.tabled
    which = f"{word(tip)}, the frame of link {last}" if same else word(tip)
    found.append(
        Text(
            f"The end effector $E$ is {which}. Its twist, the angular velocity and the velocity of its origin in the "
            f"axes of the ground, is $\\b{{J}} \\dot{{\\g{{theta}}}}$. {_columns(at)}"
        )
    )
    if not at.short:
        found += [
            Equation((rf"\b{{T}}_{{0E}} = {number_matrix(at.tip_pose)}",)),
            Equation((rf"\b{{J}} = {number_matrix(at.tip_jacobian)}",)),
            Text("at the state of the example."),
        ]
        return [*found, *_cells(at)]
    if not same and eqs.forward_kinematics() != eqs.link_pose(last):
        found += _written(r"\b{T}_{0E}", r"\b{T}_{0E}", eqs.forward_kinematics().tolist())
    J = eqs.jacobian().tolist()
    stacked = rf"\b{{J}} = \begin{{bmatrix}} {_ANGULAR} \\ {_LINEAR} \end{{bmatrix}}"
    found.append(Equation((stacked,)))
    found += _written(_ANGULAR, _ANGULAR, J[:3]) + _written(_LINEAR, _LINEAR, J[3:])
    velocity = list(eqs.velocity())[3:]
    found += [*column(r"\b{v}_{E}", velocity), Text("and the square of its speed is")]
    found.append(formula(r"V_{E}^{2} = \b{v}_{E}^{T} \b{v}_{E}", eqs.speed_squared()))
    return [*found, *_cells(at)]


def _columns(at: Context) -> str:
    turns = (
        "The column of a revolute joint is $[\\b{e}_i; \\, \\b{e}_i \\times (\\b{o}_E - \\b{o}_i)]$, with "
        "$\\b{o}_i$ a point of its axis"
    )
    slides = "that of a prismatic one $[\\b{0}; \\, \\b{e}_i]$"
    if not at.prismatic:
        return f"{turns}:"
    return f"{turns}, and {slides}:" if at.revolute else "Every column is $[\\b{0}; \\, \\b{e}_i]$:"


def _cells(at: Context) -> list[Block]:
    return [Code("eqs.forward_kinematics()"), Code("eqs.jacobian()"), Code(at.comparison("jacobian", "q"))]
