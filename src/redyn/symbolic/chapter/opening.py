"""The first sections: the arm, its frames and tables, and the vectors of its links."""

from __future__ import annotations

from redyn.symbolic.bodies import Body
from redyn.symbolic.chapter.blocks import (
    Block,
    Chapter,
    Equation,
    Heading,
    Note,
    Table,
    Text,
    column,
    matrix,
    number,
    number_vector,
    vector,
    word,
)
from redyn.symbolic.chapter.setting import Setting
from redyn.symbolic.chapter.sketch import sketch
from redyn.symbolic.notation import Expr, Typesetter, sp, symbol_latex

_write = Typesetter().write


def arm(chapter: Chapter, at: Setting) -> None:
    eqs, robot = at.eqs, at.eqs.robot
    bodies = eqs.symbolic.bodies
    kinds = "".join("R" if b.kind == "revolute" else "P" for b in bodies)
    shape = "planar" if at.planar else "spatial"
    chain = "chain" if at.serial else "tree"
    chapter.add(
        Heading("The arm and its frames"),
        Text(
            f"The robot {word(robot.name)} is a {shape} {chain} of {at.n} moving link{'s' * (at.n > 1)} ({kinds}), "
            "each carried by one joint. Link 0 is the ground. Joint $i$ turns about or slides along the unit "
            f"vector $\\b{{e}}_i$ through "
            "$O_i$; $C_i$ is the mass centre of link $i$, $\\b{d}_i$ runs from $O_i$ to $C_i$ and $\\b{r}_i$ from "
            "$C_i$ on to $O_{i+1}$, the joint of the next link."
        ),
        sketch(at.view, at.planar),
    )
    source = robot.description.source
    if source:
        chapter.add(Text(f"The numbers are those of {word(source)}."))
    for defect in robot.description.defects:
        chapter.add(Note("About the source", word(defect[:1].upper() + defect[1:])))
    chapter.add(*_tables(at))


def _cell(e: Expr) -> str:
    return f"${_write(e)}$"


def _tables(at: Setting) -> list[Block]:
    eqs, description = at.eqs, at.eqs.robot.description
    bodies = eqs.symbolic.bodies
    if eqs.symbolic.tabled and description.convention == "dh":
        how = (
            "The frames follow Denavit and Hartenberg in the book's way: frame $i+1$ sits at the far end of link "
            "$i$, reached from frame $i$ by a turn $\\theta_i$ about and a shift $b_i$ along $Z_i$, then a shift "
            "$a_i$ along and a turn $\\alpha_i$ about the new $X$. The variable of each row is the joint's."
        )
        header = ("link", "$b_i$", r"$\theta_i$", "$a_i$", r"$\alpha_i$")
        rows = [_dh_row(i, b, eqs.q[i - 1]) for i, b in enumerate(bodies, start=1)]
    else:
        how = (
            "Each link has its axes on its own joint, $z$ along it. From the axes of the parent the joint is "
            "reached by a shift and constant turns about $x$ and $z$; then the joint itself turns about or slides "
            "along $z$."
        )
        header = ("link", "parent", "shift to the joint", "constant turns", "variable")
        rows = [_frame_row(i, b, eqs.q[i - 1]) for i, b in enumerate(bodies, start=1)]
    blocks: list[Block] = [Text(how), Table(header, tuple(rows), "Geometry.")]
    inertial: list[tuple[str, ...]] = []
    for i, b in enumerate(bodies, start=1):
        xx, xy, xz, yy, yz, zz = b.inertia
        tensor = matrix([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        inertial.append((str(i), _cell(b.mass), f"${vector(b.centre)}$", f"${tensor}$"))
    blocks += [
        Text(
            "The mass centre and the inertia tensor about it, in the axes of the link: $z$ along its joint, $x$ "
            "along the common normal to the next one."
        ),
        Table(("link", "mass", r"$\b{d}_i$", r"$\b{I}_i$"), tuple(inertial), "Inertia."),
    ]
    values = [(symbol_latex(s.name), x) for s, x in eqs.values.items()]
    if values:
        width = 4
        cells = [f"${name} = {number(x)}$" for name, x in values]
        cells += [""] * (-len(cells) % width)
        grid = tuple(tuple(cells[k : k + width]) for k in range(0, len(cells), width))
        blocks.append(Table(("",) * width, grid, "Values of the constants in SI units, for the numerical example."))
    return blocks


def _dh_row(i: int, b: Body, variable: Expr) -> tuple[str, ...]:
    theta = next((t.angle for t in b.turns if t.axis == "z"), sp.Integer(0))
    if b.kind == "revolute":
        along, turn = b.end[2], variable + b.zero
    else:
        along, turn = variable + b.zero, theta
    return (str(i), _cell(along), _cell(turn), _cell(b.end[0]), f"${angle(b.end_twist)}$")


def angle(value: Expr) -> str:
    """pi/2 as such."""
    if value.has(sp.pi) and not value.free_symbols:
        quarter = value / sp.pi
        text = r"\pi" if abs(quarter.p) == 1 else rf"{abs(quarter.p)}\pi"
        sign = "-" if quarter < 0 else ""
        return sign + (text if quarter.q == 1 else rf"{text}/{quarter.q}")
    return _write(value)


def _frame_row(i: int, b: Body, variable: Expr) -> tuple[str, ...]:
    turns = ", ".join(rf"$R_{t.axis}({angle(t.angle)})$" for t in b.turns) or "none"
    zero = variable + b.zero
    quarters = f" + {b.quarters}\\pi/2" if b.quarters else ""
    return (str(i), str(b.parent), f"${vector(b.offset)}$", turns, f"${_write(zero)}{quarters}$")


def vectors(chapter: Chapter, at: Setting) -> None:
    """e_i, d_i, r_i, c_ij, B_ij and p_i."""
    chapter.add(
        Heading("Vectors, twist propagation and joint motion"),
        Text(
            "All vectors are written in the axes of the ground, frame 1. The twist of link $i$ holds its angular "
            "velocity and the velocity of its mass centre; it follows from that of the link below it, $j$, by"
        ),
        Equation((r"\b{t}_i = \b{B}_{ij} \b{t}_j + \b{p}_i \dot{\theta}_i",), "(9.4c)"),
        Equation(
            (
                r"\b{B}_{ij} = \begin{bmatrix} \b{1} & \b{O} \\ \b{c}_{ij} \times \b{1} & \b{1} "
                r"\end{bmatrix}, \quad \b{p}_i = \begin{bmatrix} \b{e}_i \\ \b{e}_i \times \b{d}_i "
                r"\end{bmatrix}",
            ),
            "(9.4d)",
        ),
    )
    if at.prismatic:
        chapter.add(
            Text("For a sliding joint the second becomes"),
            Equation((r"\b{p}_i = \begin{bmatrix} \b{0} \\ \b{e}_i \end{bmatrix}",), "(9.5b)"),
        )
    for i, body in enumerate(at.eqs.symbolic.bodies, start=1):
        chapter.add(Heading(f"Link {i}", 2))
        if at.short:
            e, d, r = at.e(i), at.d(i), at.r(i)
            for letter, v in (("e", e), ("d", d), ("r", r)):
                chapter.add(*column(rf"\b{{{letter}}}_{{{i}}}", v))
        else:
            k = i - 1
            chapter.add(
                Equation(
                    (
                        rf"\b{{e}}_{{{i}}} = {number_vector(at.view.e[k])}, \quad "
                        rf"\b{{d}}_{{{i}}} = {number_vector(at.view.d[k])}",
                        rf"\b{{r}}_{{{i}}} = {number_vector(at.view.r[k])}",
                    )
                )
            )
        chapter.add(*_propagation(at, i, body))


def _propagation(at: Setting, i: int, body: Body) -> list[Equation]:
    j = body.parent
    found: list[Equation] = []
    if j:
        short_way = rf"-\b{{d}}_{{{i}}} - \b{{r}}_{{{j}}}"
        if at.short and at.serial:
            c = [sp.Add(-a, -b) for a, b in zip(at.d(i), at.r(j), strict=True)]
            found += column(rf"\b{{c}}_{{{i}{j}}} = {short_way}", c)
        else:
            found.append(Equation((rf"\b{{c}}_{{{i},{j}}} = {short_way} = {number_vector(at.view.c(i, j))}",)))
    if body.kind == "revolute" and at.short:
        found += column(rf"\b{{e}}_{{{i}}} \times \b{{d}}_{{{i}}}", at.e_cross_d(i))
    p = rf"\b{{p}}_{{{i}}} = {number_vector(at.view.p[i - 1])} \quad \text{{at the state of the example}}"
    return [*found, Equation((p,))]
