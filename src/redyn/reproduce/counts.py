"""Operation counts: Tables 9.1 and 9.6 of the book and Table I of the paper, beside those of redyn's own kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from redyn.reproduce.item import Bars, Check, Curve, Item, Load, Numbers, Panel, Repair, Result
from redyn.reproduce.published import (
    FORWARD,
    INVERSE,
    TABLE_9_1,
    TABLE_9_6,
    TABLE_I,
    Cells,
    Formula,
    walker_orin_additions_in_the_book,
)
from redyn.robot import chain

OURS = "redyn"
CHOLESKY = "Walker and Orin (1982)"
RULES = (
    "Divisions count as multiplications, subtractions as additions; sines and cosines are not counted. Ours are "
    "counted in the graph that runs, for a robot without convenient zeros."
)
Formulas = dict[str, tuple[Formula, Formula]]


def own_counts(algorithm: str, lengths: Sequence[int]) -> dict[int, tuple[int, int]]:
    """Of general robots without convenient zeros, as the published ones are."""
    counts = {n: chain(n, seed=1).operation_count(algorithm) for n in lengths}
    return {n: (count.multiplications, count.additions) for n, count in counts.items()}


def misprints(table: dict[str, Cells], formulas: Formulas) -> list[str]:
    """Cells that are not what their row's formula gives."""
    return [
        f"{value}{letter} of {author} for n = {n} is {formula(n):.0f}{letter}"
        for author, cells in table.items()
        for n, printed in cells.items()
        for value, formula, letter in zip(printed, formulas[author], "MA", strict=True)
        if abs(value - formula(n)) > 0.5  # the cubic ones are rounded
    ]


def overtakes(one: tuple[Formula, Formula], other: tuple[Formula, Formula], multiplications_only: bool) -> int:
    """The least n from which one algorithm needs fewer operations than the other."""
    parts = 1 if multiplications_only else 2
    cheaper = [sum(f(n) for f in one[:parts]) < sum(f(n) for f in other[:parts]) for n in range(1, 60)]
    return max((n for n, yes in enumerate(cheaper, start=1) if not yes), default=0) + 1


def crossover(author: str, claimed: int) -> Check:
    """From how many joints on the recursion is cheaper than order n^3."""
    pair = FORWARD[author], FORWARD[CHOLESKY]
    multiplications, all_together = (overtakes(*pair, only) for only in (True, False))
    return Check(
        f"{author} is cheaper than order n³ from n = {claimed} on",
        all_together <= claimed,
        f"from n = {all_together} on in all operations, from n = {multiplications} in multiplications",
        "the claim counts multiplications only" if multiplications <= claimed < all_together else "",
    )


def table_result(
    table: dict[str, Cells], formulas: Formulas, algorithm: str, claims: Sequence[Check], repairs: Sequence[Repair] = ()
) -> Result:
    lengths = list(next(iter(table.values())))
    n = lengths[0]
    own = own_counts(algorithm, lengths)
    wrong = misprints(table, formulas)
    cells = 2 * len(lengths) * len(table)
    follow = Check(
        "the printed cells follow from the formulas",
        len(wrong) <= cells // 6,  # more would be no misprints but a formula misread
        f"{cells - len(wrong)} of {cells}",
    )
    mended = Repair("misprinted cells are mended", bool(wrong), f"by the formulas beside them, {', '.join(wrong)}")
    header = ["algorithm", *(f"{what}, n = {n}" for n in lengths for what in ("multiplications", "additions"))]
    rows: list[list[object]] = [[f"{OURS}, counted", *(x for n in lengths for x in own[n])]]
    for author in table:
        rows.append([f"{author}, printed", *(x for n in lengths for x in table[author][n])])
        rows.append([f"{author}, formula", *(round(f(n)) for n in lengths for f in formulas[author])])
    recursive = min(
        sum(f(n) for f in formulas[author]) for author in table if formulas[author] is not FORWARD[CHOLESKY]
    )
    ours = (
        f"redyn: {own[n][0]}M {own[n][1]}A for n = {n}, {sum(own[n])} in all; the best recursion of the table: "
        f"{recursive:.0f}."
    )
    heights = {
        what: [*(formulas[author][k](n) for author in table), float(own[n][k])]
        for k, what in enumerate(("multiplications", "additions"))
    }
    return Result(
        [follow, *claims],
        [Numbers(header, rows)],
        bars=[Bars(f"operations for n = {n}", [*table, OURS], heights, OURS)],
        repairs=[mended, *repairs],
        notes=[ours, RULES],
    )


def growth(table: dict[str, Cells]) -> Panel:
    """All operations of forward dynamics over the number of joints."""
    lengths = np.arange(2, 16)
    own = own_counts("solve", (6, 7))  # linear in n, as `redyn count` checks
    slope = sum(own[7]) - sum(own[6])
    curves = [
        Curve(author, np.array([sum(f(int(n)) for f in FORWARD[author]) for n in lengths]), dashed=author == CHOLESKY)
        for author in table
    ]
    ours = Curve(OURS, np.array([sum(own[6]) + slope * (n - 6.0) for n in lengths]))
    return Panel("all operations", lengths.astype(np.float64), [ours, *curves], x_label="joints")


def _table_9_1(load: Load) -> Result:
    totals = sorted(INVERSE, key=lambda author: sum(f(6) for f in INVERSE[author]))
    place = totals.index("ReDySim (Shah et al., 2013)") + 1
    claim = Check("the book's algorithm is one of the best", place <= 3, f"place {place} of {len(totals)} for n = 6")
    result = table_result(TABLE_9_1, INVERSE, "inverse_dynamics", [claim])
    return replace(result, notes=[*result.notes, "The last cell is printed 421M; additions are meant."])


def _table_9_6(load: Load) -> Result:
    printed, meant = walker_orin_additions_in_the_book(10), FORWARD[CHOLESKY][1](10)
    cell = TABLE_9_6[CHOLESKY][10][1]
    formula = Repair(
        "Walker and Orin's additions take 233n/6 as in the paper",
        abs(printed - cell) > 0.5 >= abs(meant - cell),
        f"233n/3 gives {printed:.0f} for n = 10 where the table itself has {cell}",
    )
    claims = [crossover("ReDySim (Shah et al., 2013)", 7)]
    return _with_growth(table_result(TABLE_9_6, FORWARD, "solve", claims, [formula]), TABLE_9_6)


def _paper_table(load: Load) -> Result:
    recursions = [author for author in TABLE_I if author != CHOLESKY]
    fewest = min(recursions, key=lambda author: FORWARD[author][0](6))
    claims = [
        Check(
            "it needs the fewest multiplications of the order n algorithms",
            fewest == "Saha (2003)",
            f"{fewest}: {FORWARD[fewest][0](6):.0f}M for n = 6",
        ),
        crossover("Saha (2003)", 10),
    ]
    return _with_growth(table_result(TABLE_I, FORWARD, "solve", claims), TABLE_I)


def _with_growth(result: Result, table: dict[str, Cells]) -> Result:
    return replace(result, panels=[growth(table)])


ITEMS = [
    Item("table-9.1", "Operations of inverse dynamics", "Saha, chapter 9, Table 9.1", _table_9_1),
    Item("table-9.6", "Operations of forward dynamics", "Saha, chapter 9, Table 9.6", _table_9_6),
    Item("paper-table-1", "Operations of forward dynamics in the paper", "Saha (2003), Table I", _paper_table),
]
