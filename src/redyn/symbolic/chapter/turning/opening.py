"""The robot, its coordinates and rates, and how these are related."""

from __future__ import annotations

from redyn.symbolic.chapter.blocks import Block, Chapter, Code, Equation, Heading, Table, Text, formula, word
from redyn.symbolic.chapter.opening import inertia_tables, remarks
from redyn.symbolic.chapter.setting import Context
from redyn.symbolic.chapter.sketch import sketch
from redyn.symbolic.notation import Expr, Typesetter
from redyn.words import counted

_write = Typesetter().write
_MEANING = {
    "spherical": "unit quaternion $x, y, z, w$; angular velocity in the axes of the link",
    "free": "position, then a unit quaternion; angular velocity, then velocity of the origin, in the axes of the link",
    "planar": "position in its plane, and the angle",
}


def robot(chapter: Chapter, at: Context) -> None:
    bodies = sum(not body.virtual for body in at.bodies)
    chapter.add(
        Text(
            "A dot is a time derivative, $\\b{1}$ the identity matrix. Elements that are not listed are zero. Numbers "
            "such as (9.15b) are those of the equations in S. K. Saha's chapter on recursive robot dynamics."
        ),
        Heading("The robot"),
        Text(
            f"The robot {word(at.eqs.robot.name)} has {counted(bodies, 'moving link')} and {at.n} degrees of freedom. "
            "A joint that turns about a point is a row of joints, one per rate: the unit vectors $\\b{e}_i$ of its "
            "angular rates are the axes of the link that it carries, and so are those of its velocities. Of the links "
            "of such a row the last alone has mass. Constants have the numbers of the joints in the file."
        ),
        sketch(at),
    )
    remarks(chapter, at)
    chapter.add(*inertia_tables(at))


def _listed(symbols: list[Expr]) -> str:
    return ", ".join(f"${_write(x)}$" for x in symbols)


def _rows(at: Context) -> list[tuple[str, ...]]:
    """Per joint of the file: its coordinates, rates and their meaning."""
    eqs, model = at.eqs, at.eqs.robot.model
    types = {str(link.joint.name): link.joint.type for link in eqs.robot.description.links}
    own = eqs.symbolic.split(eqs.q)
    names = list(dict.fromkeys(link.joint.name for link in model.links))
    rows: list[tuple[str, ...]] = []
    for name in names:
        links = [i for i, link in enumerate(model.links) if link.joint.name == name]
        q = [x for i in links for x in own[i]]
        said = _MEANING.get(types[name], "the joint variable")
        rows.append((word(name), types[name], _listed(q), _listed([eqs.qd[i] for i in links]), said))
    return rows


def coordinates(chapter: Chapter, at: Context) -> None:
    eqs = at.eqs
    header = ("joint", "type", "coordinates", "rates", "meaning")
    chapter.add(
        Heading("Coordinates and rates"),
        Table(header, tuple(_rows(at)), "The coordinates $\\b{q}$ and the rates, in their order."),
        Text(
            "Quaternions have no singular attitude. Their four numbers are not independent,"
            if len(eqs.symbolic.quaternions) > 1
            else "A quaternion has no singular attitude. Its four numbers are not independent,"
        ),
        *(Equation((" + ".join(f"{_write(x)}^{{2}}" for x in four) + " = 1",)) for four in eqs.symbolic.quaternions),
        Text(
            "and $w^2$ is written as $1 - x^2 - y^2 - z^2$ in all formulas, so that equal ones are written alike. The "
            "rates are no derivatives of coordinates; those follow from them:"
        ),
        *_coordinate_rates(at),
        Code("eqs.coordinate_rates"),
    )


def _coordinate_rates(at: Context) -> list[Block]:
    eqs = at.eqs
    found: list[Block] = []
    own = [list(x) for x in eqs.symbolic.split(eqs.q)]
    turning = {x for four in own if len(four) > 1 for x in four}
    for x, rate in zip(eqs.q, eqs.coordinate_rates, strict=True):
        if x in turning:
            found.append(formula(rf"\frac{{d}}{{dt}} {_write(x)}", rate))
    return found
