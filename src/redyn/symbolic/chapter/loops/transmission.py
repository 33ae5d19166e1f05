"""The transmission: all rates and accelerations from the independent ones."""

from __future__ import annotations

from redyn.symbolic.chapter.blocks import (
    Block,
    Chapter,
    Code,
    Equation,
    Heading,
    Table,
    Text,
    fits,
    formula,
    matrix,
    number,
    pair,
    summed,
    weighted,
)
from redyn.symbolic.chapter.loops.references import CHAUDHARY, SAHA
from redyn.symbolic.chapter.loops.setting import LoopSetting
from redyn.symbolic.loops.blocks import Block as Solved
from redyn.symbolic.loops.quantities import LoopEquations
from redyn.symbolic.notation import Expr, Typesetter, symbol

_write = Typesetter().write
_FEW = 4  # columns with all digits


def transmission(chapter: Chapter, at: LoopSetting) -> None:
    u, p = (", ".join(at.rates()[i] for i in rates) for rates in (at.independent, at.dependent))
    whose = "those of the actuated joints" if at.directly_driven else "as many as the mobility"
    chapter.add(
        Heading("Transmission: all rates from the independent ones"),
        Text(
            f"The independent rates $\\b{{u}}$ are {whose}: {u}. The others, $\\dot{{\\g{{theta}}}}_p$, follow: {p}. "
            "With $\\b{J}_u$ and $\\b{J}_p$ the columns of $\\b{J}$ of both, $\\b{J}\\dot{\\g{theta}} = \\b{0}$ is"
        ),
        Equation((r"\b{J}_{p} \dot{\g{theta}}_{p} = -\b{J}_{u} \b{u}",)),
        Text("a linear system for them. Its solution, with a row of ones and zeros for each independent rate, is"),
        Equation((r"\dot{\g{theta}} = \b{G} \b{u}, \quad \b{J} \b{G} = \b{O}",)),
        Text(
            f"$\\b{{G}}$ continues the natural orthogonal complement: $\\b{{t}} = \\b{{N}}_l \\b{{N}}_d \\b{{G}} "
            f"\\b{{u}}$, {SAHA}, from (9.6a). Accelerations are"
        ),
        Equation(
            (
                r"\ddot{\g{theta}} = \b{G} \dot{\b{u}} + \g{nu}, \quad \g{nu} = \dot{\b{G}} \b{u}, \quad "
                r"\b{J}_{p} \g{nu}_{p} = \g{Gamma}",
            )
        ),
    )
    if at.solved is not None:
        _closed(chapter, at, at.solved)
    elif at.closure.deficient:
        chapter.add(
            Text(
                "There are more rows than dependent rates, and they are dependent in a way that changes with the "
                "position: the system is solved by least squares, which are exact here."
            )
        )
    chapter.add(
        _table(at),
        Code("robot.transmission(q)"),
        *([Code(_comparison(at))] if at.solved is not None else []),
    )


def _comparison(at: LoopSetting) -> str:
    assert at.eqs is not None
    if at.eqs.contradictions or at.eqs.valueless:
        return "eqs.transmission"
    return "np.allclose(eqs.evaluate('transmission', q), robot.transmission(q))"


def _closed(chapter: Chapter, at: LoopSetting, loops: LoopEquations) -> None:
    blocks = loops.solution.solved
    if len(blocks) > 1:
        chapter.add(
            Text(
                "The system decouples: its parts can be solved one after the other, each with the rates that are known "
                f"before it, {CHAUDHARY}."
            )
        )
    for block in blocks:
        chapter.add(*_heading(block), *_elements(at, block), *_determinant(at, block))
        chapter.add(*_shares(at, block), *_biases(at, block))


def _heading(block: Solved) -> list[Block]:
    if not block.number:
        return []
    which = " and ".join(str(k + 1) for k in block.loops)
    title = f"Loop {which}" if len(block.loops) == 1 else f"Loops {which}"
    if not block.plain:
        title += ", along its outer link" if len(block.lines) == 1 else ", across their outer links"
    return [Heading(title, 2)]


def _elements(at: LoopSetting, block: Solved) -> list[Block]:
    """The coefficients of a system that is not multiplied out."""
    if not block.named:
        return []
    assert at.loops is not None
    loose = [other.unknown[0] for other in at.loops.solution.solved if not other.plain and len(other.lines) == 1]
    rates = ", ".join(at.rates()[i] for i in loose)
    why = (
        f"Each of {rates} occurs in one loop only, and moves its outer link. The component of the loop across that "
        "link is free of it: one equation is left of every such loop,"
        if loose
        else "With a letter for each coefficient, the equations are"
    )
    assert at.eqs is not None
    rows: dict[int, list[str]] = {}
    for (row, joint), name in block.places.items():
        rows.setdefault(row, []).append(f"{_write(name)} {_write(at.eqs.qd[joint])}")
    lines = tuple(f"{' + '.join(terms)} = 0" for terms in rows.values())
    return [Text(why), Equation(lines), Text("with"), *(formula(_write(k), x) for k, x in block.named.items())]


def _determinant(at: LoopSetting, block: Solved) -> list[Block]:
    if len(block.lines) == 1:
        return []
    rates = ", ".join(at.rates()[i] for i in block.unknown)
    left = r"\det \b{J}_{p}" if not block.number else _write(block.letter)
    found: list[Block] = [
        Text(f"The determinant of the coefficients of {rates} is"),
        formula(left, block.determinant),
        Text("Where it is zero, these rates do not follow from the others: the mechanism is at a dead point."),
    ]
    if block.number or not block.expanded:
        return found
    inverse = [[block.coefficient(u, i) for i in block.rows] for u in block.unknown]
    return [*found, Equation((rf"\b{{J}}_{{p}}^{{-1}} = {matrix(inverse)}",))] if fits(inverse) else found


def _shares(at: LoopSetting, block: Solved) -> list[Block]:
    """Elements of G, or the rates themselves where some rates in them are not independent."""
    found: list[Block] = []
    assert at.eqs is not None
    direct = set(block.known) <= set(at.independent)
    for i in block.unknown:
        shares = {j: block.share(i, j) for j in block.known}
        if direct:
            found += [formula(rf"G_{{{pair(i + 1, j + 1)}}}", x) for j, x in shares.items()]
        else:
            found.append(_solved(block, at.eqs.qd[i], [(x, at.eqs.qd[j]) for j, x in shares.items()]))
    return found


def _solved(block: Solved, left: Expr, pairs: list[tuple[Expr, Expr]]) -> Equation:
    """A sum over known rates; of a single equation, with its coefficient on the left."""
    if len(block.lines) > 1:
        return formula(_write(left), weighted(pairs))
    return summed(_write(block.determinant * left), weighted([(block.determinant * x, y) for x, y in pairs]))


def _biases(at: LoopSetting, block: Solved) -> list[Block]:
    """nu over Gamma, and over the nu of blocks before."""
    before = [k for k in block.known if k not in at.independent]
    found: list[Block] = []
    for i in block.unknown:
        right = [(block.coefficient(i, row), symbol(f"Gamma_{row + 1}")) for row in block.rows]
        more = [(block.share(i, k), symbol(f"nu_{k + 1}")) for k in before]
        found.append(_solved(block, symbol(f"nu_{i + 1}"), [*right, *more]))
    return found


def _table(at: LoopSetting) -> Table:
    names, digits = at.rates(), 5 if len(at.independent) <= _FEW else 3
    header = ("", *(f"per {names[j]}" for j in at.independent), r"$\g{nu}$")
    rows = tuple(
        (names[i], *(f"${number(float(x), digits)}$" for x in (*at.G[i], at.nu[i]))) for i in range(at.robot.dof)
    )
    return Table(header, rows, "$\\b{G}$ and $\\g{nu}$ at the state of the example.")
