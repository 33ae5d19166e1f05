"""Bodies by the numbers of the model, which are DH parameters as well: a, b and alpha before each joint."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, cast

from redyn.algebra import RotationX, RotationZ
from redyn.model import Model
from redyn.symbolic.bodies import (
    Body,
    Triple,
    Turning,
    angle_parameter,
    inertia_constants,
    joint_constants,
    link_numbers,
    not_idle,
    turning,
)
from redyn.symbolic.notation import Expr, sp
from redyn.symbolic.parameters import Parameters, exact

_RIGHT = 1e-8  # angles nearer to a right angle are one
_NOISE = 1e-12  # relative; smaller values are rounding errors of zero


def from_model(
    model: Model,
    i: int,
    take: Parameters,
    labels: Sequence[str] | None = None,
    joint: str | None = None,
    inner: bool = False,
) -> Body:
    """Link i of the model. `labels` are the subscripts of all links, `joint` that of its joint; else their numbers.

    `inner`: a further part of the joint of the link below, at the same place; its rotations are numbers.
    """
    names = labels or numbered(model)
    link, own = model.links[i - 1], names[i - 1]
    of_joint = own if joint is None else joint
    j, before = link.joint, subscript_before(model, i, names)
    turns: list[Turning] = []
    for turn in j.rotations if not j.continues else ():
        # Joints with other rotations are refused.
        x_turn, turn = isinstance(turn, RotationX), cast("RotationX | RotationZ", turn)
        angle = math.atan2(_float(turn.s), _float(turn.c))
        if inner:
            turns.append(turning("x" if x_turn else "z", _right(angle)))
            continue
        last = len(j.rotations) == len(turns) + 1
        name = f"alpha_{before}" if x_turn else f"theta_{of_joint}" if last else f"gamma_{before}"
        turns.append(turning("x" if x_turn else "z", angle_parameter(take, name, angle)))
    massless = link.virtual and not j.turns_motor
    m, com, inertia = link_numbers(link)
    children = [k for k in _carried(model, i) if model.links[k - 1].joint.kind != "mode"]
    zeros: Triple = (sp.Integer(0),) * 3
    end = _offset(model, children[0], names, take) if children and not massless else zeros
    return Body(
        name=link.name,
        parent=link.parent,
        kind=j.kind,
        offset=zeros if inner else _offset(model, i, names, take),
        turns=not_idle(turns),
        zero=take.take(f"beta_{of_joint}", _float(j.zero)) if j.single else sp.Integer(0),
        quarters=j.quarters,
        mass=sp.Integer(0) if massless else take.take(f"m_{own}", m),
        centre=zeros if massless else _triple(take, f"d_{own}", com),
        inertia=(sp.Integer(0),) * 6 if massless else tuple(inertia_constants(take, own, inertia)),
        end=end,
        end_twist=sp.Integer(0),
        **joint_constants(link, of_joint, take),
    )


def numbered(model: Model) -> list[str]:
    """The numbers of the links."""
    return [str(k) for k in range(1, model.n + 1)]


def subscript_before(model: Model, i: int, names: Sequence[str]) -> str:
    """Subscript of the geometry before joint i: its parent's, and its own if the parent has several children."""
    parent = model.links[i - 1].parent
    below = names[parent - 1] if parent else "0"
    return below if _carried(model, parent)[0] == i else f"{below}_{names[i - 1]}"


def _carried(model: Model, parent: int) -> list[int]:
    """The children of a link; motors of elastic gears sit where the joints do that they drive."""
    links = enumerate(model.links, start=1)
    return [k for k, link in links if link.parent == parent and not link.joint.turns_motor]


def _offset(model: Model, i: int, names: Sequence[str], take: Parameters) -> Triple:
    """To joint i along x, y, z of its parent; the letter b is available unless it is the parent's variable."""
    before, parent = subscript_before(model, i, names), model.links[i - 1].parent
    slides = parent and model.links[parent - 1].joint.kind == "prismatic"
    letters = f"a_{before}", f"p_{before}y", f"p_{before}z" if slides else f"b_{before}"
    numbers = [_float(x) for x in model.links[i - 1].joint.offset.components()]
    size = max(1e-3, *map(abs, numbers))
    values = [0.0 if abs(x) < _NOISE * size else x for x in numbers]
    return cast(Triple, tuple(take.take(n, x) for n, x in zip(letters, values, strict=True)))


def _triple(take: Parameters, name: str, values: Sequence[float]) -> Triple:
    return cast(Triple, tuple(take.take(f"{name}{k}", x) for k, x in zip("xyz", values, strict=True)))


def _right(angle: float) -> Expr:
    """A multiple of pi/2, or the number."""
    quarters = round(angle / (math.pi / 2))
    return sp.Rational(quarters, 2) * sp.pi if abs(angle - quarters * (math.pi / 2)) < _RIGHT else exact(angle)


def _float(value: Any) -> float:
    return float(value)
