"""The first sections: the arm, its frames and tables, and the vectors of its links."""

from __future__ import annotations

from redyn.robot import Robot
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
    pair,
    vector,
    word,
)
from redyn.symbolic.chapter.setting import Context
from redyn.symbolic.chapter.sketch import sketch
from redyn.symbolic.closed import parallel_runs
from redyn.symbolic.notation import Expr, Typesetter, rate_sum, short_angle, sp, symbol_latex
from redyn.words import counted

_write = Typesetter().write


def notation(chapter: Chapter, at: Context) -> None:
    """The abbreviations in use."""
    parts: list[str] = []
    angles = [(i, angle) for i, angle in at.eqs.symbolic.angles if short_angle(angle)]
    if angles:
        _, angle = angles[0]
        parts += [
            rf"${_write(f(angle))} = {name}{_write(angle)}$" for f, name in ((sp.cos, r"\cos"), (sp.sin, r"\sin"))
        ]
    numbered = {i for i, _ in angles}
    turning = [i for i, _ in at.eqs.symbolic.angles]
    runs = [[turning[place] for place in run] for run in parallel_runs(at.eqs.symbolic)]
    parallel = next((run for run in runs if len(run) > 1 and {*run[:2]} <= numbered), None)
    if parallel:
        i, k = parallel[:2]
        (first, second), rates = (dict(angles)[x] for x in (i, k)), at.eqs.qd[i] + at.eqs.qd[k]
        parts.append(rf"${_write(sp.sin(first + second))} = \sin({_write(first)} + {_write(second)})$")
        if rate_sum(rates):
            parts.append(rf"${_write(rates)} = {_write(at.eqs.qd[i])} + {_write(at.eqs.qd[k])}$")
    abbreviations = f"Abbreviations: {', '.join(parts)}. " if parts else ""
    slides = (
        "In general formulas $\\theta_i$ is the joint variable, which is $b_i$ for a prismatic joint. "
        if at.prismatic
        else ""
    )
    chapter.add(
        Text(
            f"{abbreviations}A dot is a time derivative, $\\b{{a}} \\times \\b{{1}}$ the matrix of a cross product, "
            f"$\\b{{1}}$ and $\\b{{O}}$ the identity and the zero matrix. {slides}Elements that are not listed are "
            "zero. Numbers such as (9.15b) are those of the equations in S. K. Saha's chapter on recursive robot "
            "dynamics."
        )
    )


def arm(chapter: Chapter, at: Context) -> None:
    chapter.add(Heading("The arm and its frames" if at.serial else "The robot and its frames"))
    chapter.add(Text(f"The robot {word(at.eqs.robot.name)} is {_structure(at)}"), *_family(at), *_rows(at), sketch(at))
    remarks(chapter, at)
    chapter.add(*_tables(at))


def spanning_tree(chapter: Chapter, at: Context) -> None:
    """The frames of what is left of a robot whose loops were cut."""
    chapter.add(Heading("The spanning tree and its frames"))
    chapter.add(Text(f"With its loops cut the robot is {_structure(at)}"), *_family(at), *_tables(at))


def _structure(at: Context) -> str:
    kinds = "".join("R" if b.kind == "revolute" else "P" for b in at.bodies)
    shape = "planar " if at.planar else "spatial " if at.n > 1 else ""
    chain = "serial chain" if at.serial else "tree"
    moves = " or ".join([*["rotates about"] * bool(at.revolute), *["slides along"] * bool(at.prismatic)])
    onward = (
        "$\\b{r}_i$ from $C_i$ to $O_{i+1}$, the joint of the next link or, for the last link, the end effector"
        if at.serial
        else "$\\b{r}_{i,k}$ from $C_i$ to $O_k$, the joint of its child $k$"
    )
    return (
        f"a {shape}{chain} of {counted(at.n, 'moving link')} ({kinds}), each carried by one joint. Link 0 is the "
        f"ground. Joint $i$ {moves} the unit vector $\\b{{e}}_i$ through $O_i$; $C_i$ is the mass centre of link $i$, "
        f"$\\b{{d}}_i$ runs from $O_i$ to $C_i$ and {onward}."
    )


def _family(at: Context) -> list[Block]:
    if at.serial:
        return []
    children = [(i, at.children(i)) for i in range(at.n + 1)]
    sets = ", ".join(rf"$\xi_{{{i}}} = \{{{', '.join(map(str, c))}\}}$" for i, c in children if c)
    return [
        Text(
            "Where the book continues from link $i$ to link $i+1$, a tree continues to every child of link $i$. "
            f"The children of link $i$ form the set $\\xi_i$: {sets}; the other links have "
            "none. Link $j$ carries link $i$ if it is link $i$ or lies between link $i$ and the ground; "
            "$\\b{B}_{ij}$ is zero unless it does."
        )
    ]


def _rows(at: Context) -> list[Block]:
    """Joints with several rates: which links stand for each."""
    if not any(body.virtual for body in at.bodies):
        return []
    types = {str(link.joint.name): link.joint.type for link in at.eqs.robot.description.links}
    rows: dict[str, list[int]] = {}
    for i, link in enumerate(at.eqs.robot.model.links, start=1):
        rows.setdefault(link.joint.name, []).append(i)
    said = [
        f"The {types[name]} joint {word(name)} is a row of {counted(len(row), 'joint')}, one per rate, with the links "
        f"{row[0]} to {row[-1]}, of which the last alone has mass."
        for name, row in rows.items()
        if len(row) > 1
    ]
    numbering = "Constants and coordinates have the numbers of the joints in the file."
    return [Text(" ".join([*said, numbering]))]


def remarks(chapter: Chapter, at: Context) -> None:
    """Where the robot is from, and which numbers the example has."""
    source(chapter, at.eqs.robot)
    if at.eqs.contradictions:
        names = ", ".join(f"${symbol_latex(name)}$" for name in at.eqs.contradictions)
        chapter.add(
            Note(
                "Values other than the robot's",
                f"The values of {names} differ from those in the robot's file; the numbers of this "
                "example follow the formulas.",
            )
        )
    if at.eqs.valueless:
        names = ", ".join(f"${symbol_latex(name)}$" for name in at.eqs.valueless)
        chapter.add(
            Note(
                "Symbols without a value",
                f"The robot's file determines no value for {names}; the numbers of this example are the robot's own.",
            )
        )


def source(chapter: Chapter, robot: Robot) -> None:
    if robot.description.source:
        chapter.add(Text(f"Source: {_sentence(word(robot.description.source))}"))
    for defect in robot.description.defects:
        chapter.add(Note("About the source", _sentence(word(defect))))


def _sentence(text: str) -> str:
    return text if text.endswith(".") else f"{text}."


def _cell(e: Expr) -> str:
    return f"${_write(e)}$"


def _tables(at: Context) -> list[Block]:
    eqs, description = at.eqs, at.eqs.robot.description
    if eqs.symbolic.tabled and description.convention == "dh":
        variable = " or ".join(
            [*["$\\theta_i$ (revolute)"] * bool(at.revolute), *["$b_i$ (prismatic)"] * bool(at.prismatic)]
        )
        how = (
            "The frames follow the book's Denavit-Hartenberg convention: frame $i+1$ is at the far end of link "
            "$i$, reached from the frame of joint $i$ by a rotation $\\theta_i$ about and a translation $b_i$ along "
            "its $Z$, then a translation $a_i$ along and a rotation $\\alpha_i$ about the new $X$. The joint variable "
            f"is {variable}."
        )
        header = ("link", *(() if at.serial else ("parent",)), "$b_i$", r"$\theta_i$", "$a_i$", r"$\alpha_i$")
        rows = [_dh_row(at, i, b, eqs.q[i - 1]) for i, b in enumerate(at.bodies, start=1)]
    else:
        moves = " or ".join([*["rotates about"] * bool(at.revolute), *["slides along"] * bool(at.prismatic)])
        how = (
            "Each link has its axes at its own joint, with $z$ along it. From the axes of the parent the joint is "
            f"reached by a translation and constant rotations about $x$ and $z$; the joint itself {moves} $z$."
        )
        header = ("link", "parent", "offset to the joint", "constant rotations", "variable")
        rows = [_frame_row(i, b, eqs.q[i - 1]) for i, b in enumerate(at.bodies, start=1)]
    return [Text(how), Table(header, tuple(rows), "Geometry."), *inertia_tables(at)]


def inertia_tables(at: Context) -> list[Block]:
    """Masses, mass centres and inertia tensors, and the values of all constants."""
    eqs = at.eqs
    own = eqs.symbolic.split(eqs.q)
    inertial: list[tuple[str, ...]] = []
    for i, b in enumerate(at.bodies, start=1):
        if b.virtual:
            continue
        xx, xy, xz, yy, yz, zz = b.inertia
        tensor = matrix([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        x, y, z = b.centre
        slides = b.kind == "prismatic" and b.single
        d = (x, y, z + own[i - 1][0] + b.zero if slides else z)
        inertial.append((str(i), _cell(b.mass), f"${vector(d)}$", f"${tensor}$"))
    axes = "$z$ along its joint, $x$ along the common normal to the next joint"
    if eqs.symbolic.turning_rows:
        axes = "those of the file for a joint that turns about a point, else $z$ along the joint"
    blocks: list[Block] = [
        Text(f"The mass centre and the inertia tensor about it, in the axes of the link: {axes}."),
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


def _dh_row(at: Context, i: int, b: Body, variable: Expr) -> tuple[str, ...]:
    theta = next((t.angle for t in b.turns if t.axis == "z"), sp.Integer(0))
    if b.kind == "revolute":
        along, turn = _cell(b.end[2]), _cell(variable + b.zero)
    else:
        along, turn = _cell(variable + b.zero), f"${angle(theta)}$"
    parent = () if at.serial else (str(b.parent),)
    return (str(i), *parent, along, turn, _cell(b.end[0]), f"${angle(b.end_twist)}$")


def angle(value: Expr) -> str:
    """Angles, with multiples of pi/2 written as such."""
    if value.has(sp.pi) and not value.free_symbols:
        quarter = value / sp.pi
        text = r"\pi" if abs(quarter.p) == 1 else rf"{abs(quarter.p)}\pi"
        sign = "-" if quarter < 0 else ""
        return sign + (text if quarter.q == 1 else rf"{text}/{quarter.q}")
    return _write(value)


def _frame_row(i: int, b: Body, variable: Expr) -> tuple[str, ...]:
    turns = ", ".join(rf"$R_{t.axis}({angle(t.angle)})$" for t in b.turns) or "none"
    quarters = ("", r" + \pi/2", r" + \pi", r" - \pi/2")[b.quarters]
    return (str(i), str(b.parent), f"${vector(b.offset)}$", turns, f"${_write(variable + b.zero)}{quarters}$")


def vectors(chapter: Chapter, at: Context) -> None:
    """e_i, d_i, r_i, c_ij, B_ij and p_i."""
    chapter.add(
        Heading("Vectors, twist propagation and joint motion"),
        Text(
            "All vectors are expressed in the axes of the ground. The twist of link $i$ consists of its angular "
            "velocity and the velocity of its mass centre; it follows from that of its parent, link $j$, by"
        ),
        Equation((r"\b{t}_i = \b{B}_{ij} \b{t}_j + \b{p}_i \dot{\theta}_i",), "(9.4c)"),
    )
    joints: list[str] = []
    if at.revolute:
        joints.append(r"\b{p}_i = \begin{bmatrix} \b{e}_i \\ \b{e}_i \times \b{d}_i \end{bmatrix}")
    propagation = r"\b{B}_{ij} = \begin{bmatrix} \b{1} & \b{O} \\ \b{c}_{ij} \times \b{1} & \b{1} \end{bmatrix}"
    chapter.add(Equation((r", \quad ".join([propagation, *joints]),), "(9.4d)"))
    if at.prismatic:
        which = "For a prismatic joint" if at.revolute else "and"
        chapter.add(
            Text(which),
            Equation((r"\b{p}_i = \begin{bmatrix} \b{0} \\ \b{e}_i \end{bmatrix}",), "(9.5b)"),
        )
    for i, body in enumerate(at.bodies, start=1):
        chapter.add(Heading(f"Link {i}", 2), *_link_vectors(at, i), *_propagation(at, i, body))


def _onward(at: Context, i: int) -> list[tuple[str, int | None]]:
    """The vectors r from C_i: their subscripts, and the child that each leads to."""
    children = at.children(i)
    if not at.serial:
        return [(f"{i},{k}", k) for k in children]
    return [(str(i), children[0] if children else None)]


def _link_vectors(at: Context, i: int) -> list[Equation]:
    e, d = rf"\b{{e}}_{{{i}}}", rf"\b{{d}}_{{{i}}}"
    onward = [(rf"\b{{r}}_{{{subscript}}}", k) for subscript, k in _onward(at, i)]
    if at.short:
        found = [*column(e, at.e(i)), *column(d, at.d(i))]
        return found + [equation for name, k in onward for equation in column(name, at.r(i, k))]
    k = i - 1
    first = rf"{e} = {number_vector(at.view.e[k])}, \quad {d} = {number_vector(at.view.d[k])}"
    return [Equation((first, *(f"{name} = {number_vector(at.r_number(i, child))}" for name, child in onward)))]


def _propagation(at: Context, i: int, body: Body) -> list[Equation]:
    j = body.parent
    found: list[Equation] = []
    if j:
        name = rf"\b{{c}}_{{{pair(i, j)}}}"
        how = rf"-\b{{d}}_{{{i}}} - \b{{r}}_{{{j if at.serial else f'{j},{i}'}}}"
        if at.short:
            c = [sp.Add(-a, -b) for a, b in zip(at.d(i), at.r(j, i), strict=True)]
            found += column(name, c, how=how)
        else:
            found.append(Equation((f"{name} = {how} = {number_vector(at.view.c(i, j))}",)))
    if body.kind == "revolute" and at.short:
        found += column(rf"\b{{e}}_{{{i}}} \times \b{{d}}_{{{i}}}", at.e_cross_d(i))
    p = rf"\b{{p}}_{{{i}}} = {number_vector(at.view.p[i - 1])} \quad \text{{at the state of the example}}"
    return [*found, Equation((p,))]
