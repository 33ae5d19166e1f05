"""The frames A and B of every loop with symbolic constants, in the axes of the symbolic links.

A point on the x axis of a link that carries no other joint is at a_i, as if the next row of a table were there; the
other coordinates of A and B of loop k are A_kx ... and B_kx ...
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

from redyn.algebra import Mat3, Pose, Vec3
from redyn.model import Frame, Loop, Model
from redyn.symbolic.bodies import Body, Triple, Turning, turned, turning
from redyn.symbolic.notation import Expr, sp
from redyn.symbolic.parameters import Parameters, exact

_NOISE = 1e-12  # relative; smaller values are rounding errors of zero


def point(take: Parameters, link: int, values: Sequence[float], tabled: bool, otherwise: str) -> Triple:
    """A point of a link, on x at `a_i` if that is free or has its value; else `otherwise` with x, y or z.

    In a table a_i leads to the user's frame, from which the point is then measured: it is never at a_i once more.
    """
    size = max(1e-3, *map(abs, values))
    x, y, z = (0.0 if abs(v) < _NOISE * size else v for v in values)
    taken = take.known.get(f"a_{link}")
    names = [f"{otherwise}{k}" for k in "xyz"]
    if link and (y, z) == (0.0, 0.0) and (taken is None or (taken == x != 0.0 and not tabled)):
        names[0] = f"a_{link}"
    return cast(Triple, tuple(take.take(name, v) for name, v in zip(names, (x, y, z), strict=True)))


def symbolic_loops(model: Model, bodies: Sequence[Body], table: str | None, take: Parameters) -> tuple[Loop, ...]:
    """`table` is the convention of the table that the bodies are from; None if they have the axes of the model."""
    found: list[Loop] = []
    for k, loop in enumerate(model.loops, start=1):
        if loop.kind == "gear":
            numbers = [take.take(f"gear_{k}{power}", _float(x)) for power, x in enumerate(loop.numbers)]
            found.append(replace(loop, numbers=tuple(numbers)))
            continue
        ends = [_frame(model, bodies, table, frame, f"{letter}_{k}", take) for frame, letter in _ends(loop)]
        numbers = [take.take(f"l_{k}", _float(x)) for x in loop.numbers]
        found.append(replace(loop, A=ends[0], B=ends[1], numbers=tuple(numbers)))
    return tuple(found)


def with_ends(bodies: list[Body], loops: Sequence[Loop]) -> None:
    """A link that carries no other joint ends where a loop holds it."""
    carrying = {body.parent for body in bodies}
    for frame in (frame for loop in loops if loop.kind != "gear" for frame, _ in _ends(loop)):
        i = frame.link
        if i and i not in carrying and not any(bodies[i - 1].end):
            bodies[i - 1] = replace(bodies[i - 1], end=cast(Triple, frame.pose.o.components()))


def _ends(loop: Loop) -> tuple[tuple[Frame, str], ...]:
    return (loop.A, "A"), (loop.B, "B")


def _frame(model: Model, bodies: Sequence[Body], table: str | None, frame: Frame, name: str, take: Parameters) -> Frame:
    R, o, link = frame.pose.R, frame.pose.o, frame.link
    if table and link:  # from the axes of the model to the user's frame, which the table places
        own = model.frames[model.links[link - 1].name].pose
        R, o = own.R.T.times(R), own.R.T @ (o - own.o)
    place = point(take, link, [_float(x) for x in o.components()], table is not None, name)
    rows = [[rotation_entry(x) for x in row.components()] for row in (R.x, R.y, R.z)]
    if table == "dh" and link:
        body = bodies[link - 1]
        far = [turning("x", body.end_twist)]
        place = cast(Triple, tuple(sp.expand(a + b) for a, b in zip(body.end, turned(far, place), strict=True)))
        rows = turned_rows(far, rows)
    return Frame(link, Pose(Mat3(*(Vec3(*row) for row in rows)), Vec3(*place)))


def turned_rows(turns: Sequence[Turning], rows: Sequence[Sequence[Expr]]) -> list[list[Expr]]:
    columns = [turned(turns, column) for column in zip(*rows, strict=True)]
    return [list(row) for row in zip(*columns, strict=True)]


def rotation_entry(value: Any) -> Expr:
    """Of a rotation; zeros and ones are exact."""
    number = _float(value)
    near = round(number)
    return sp.Integer(near) if abs(number - near) < 1e-8 else exact(number)


def _float(value: Any) -> float:
    return float(value)
