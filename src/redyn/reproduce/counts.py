"""Operation counts: Tables 9.1 and 9.6 of the book and Table I of the paper, compared with redyn's own kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from redyn.reproduce.check import Check, statement
from redyn.reproduce.item import Bars, Curve, Item, Load, Numbers, Panel, Repair, Result
from redyn.reproduce.published import (
    FORWARD,
    INVERSE,
    MISPRINTS_9_1,
    MISPRINTS_9_6,
    MISPRINTS_I,
    TABLE_9_1,
    TABLE_9_6,
    TABLE_I,
    Cells,
    Formula,
    walker_orin_additions_in_the_book,
)
from redyn.robot import chain
from redyn.words import counted

CHOLESKY = "Walker and Orin (1982)"
RIDIM, REDYSIM = "RIDIM (Saha, 1999)", "ReDySim (Shah et al., 2013)"
INVERSE_OWN = {"redyn": "inverse_dynamics"}
FORWARD_OWN = {"redyn, φ given": "solve", "redyn, full forward dynamics": "forward_dynamics"}
GIVEN = (
    "The published counts of forward dynamics take φ = τ - h as given and exclude its cost; so does "
    "redyn's first row. Its second row is the full forward dynamics, φ included."
)
RULES = (
    "Divisions count as multiplications, subtractions as additions; sines and cosines are not counted. redyn's are "
    "counted in the compiled graph, for a robot without special zeros."
)
Formulas = dict[str, tuple[Formula, Formula]]
Misprint = tuple[str, int, str]  # author, n, what is printed


def own_counts(algorithm: str, lengths: Sequence[int]) -> dict[int, tuple[int, int]]:
    """Counts for general robots without special zeros, like the published ones."""
    counts = {n: chain(n, seed=1).operation_count(algorithm) for n in lengths}
    return {n: (count.multiplications, count.additions) for n, count in counts.items()}


def misprints(table: dict[str, Cells], formulas: Formulas) -> dict[Misprint, str]:
    """Cells that differ from their row's formula, with its value."""
    return {
        (author, n, cell): f"{formula(n):.0f}{letter}"
        for author, cells in table.items()
        for n, printed in cells.items()
        for cell, formula, letter in zip(printed, formulas[author], "MA", strict=True)
        if cell[-1] != letter or abs(int(cell[:-1]) - formula(n)) > 0.5  # the cubic ones are rounded
    }


def overtakes(one: tuple[Formula, Formula], other: tuple[Formula, Formula], multiplications_only: bool) -> int:
    """The smallest n from which one algorithm needs fewer operations than the other."""
    parts = 1 if multiplications_only else 2
    cheaper = [sum(f(n) for f in one[:parts]) < sum(f(n) for f in other[:parts]) for n in range(1, 60)]
    return max((n for n, yes in enumerate(cheaper, start=1) if not yes), default=0) + 1


def crossover(author: str, claimed: int) -> Check:
    """From how many joints on the recursion is cheaper than the O(n^3) algorithm."""
    pair = FORWARD[author], FORWARD[CHOLESKY]
    multiplications, all_together = (overtakes(*pair, only) for only in (True, False))
    return statement(
        f"{author} is cheaper than O(n³) from n = {claimed} on",
        all_together <= claimed,
        f"from n = {all_together} on in all operations, from n = {multiplications} in multiplications",
        "the claim counts multiplications only" if multiplications <= claimed < all_together else "",
    )


def table_result(
    table: dict[str, Cells],
    formulas: Formulas,
    known: set[Misprint],
    own: dict[str, str],
    claims: Sequence[Check],
    repairs: Sequence[Repair] = (),
) -> Result:
    """`own` are redyn's rows: their names, and the algorithm of each."""
    lengths = list(next(iter(table.values())))
    n = lengths[0]
    ours = {name: own_counts(algorithm, lengths) for name, algorithm in own.items()}
    wrong = misprints(table, formulas)
    total = 2 * len(lengths) * len(table)
    follow = Check(
        f"the printed cells follow from their formulas, except for {counted(len(known), 'misprint')}",
        set(wrong) == known,  # another would be a misprint of ours
        f"{total - len(wrong)} of {total} cells do",
        against="printed",
    )
    listed = ", ".join(f"{right} instead of {cell} for {author}, n = {k}" for (author, k, cell), right in wrong.items())
    corrected = Repair("misprinted cells are corrected", bool(wrong), f"their formulas give {listed}")
    header = ["algorithm", *(f"{what}, n = {k}" for k in lengths for what in ("multiplications", "additions"))]
    rows: list[list[object]] = [[f"{name}, counted", *(x for k in lengths for x in ours[name][k])] for name in own]
    for author in table:
        rows.append([f"{author}, printed", *(x for k in lengths for x in table[author][k])])
        rows.append([f"{author}, formula", *(round(f(k)) for k in lengths for f in formulas[author])])
    best = min(
        (author for author in table if author != CHOLESKY or formulas is INVERSE), key=lambda a: _total(formulas, a, n)
    )
    notes = [
        *(
            f"{name}: {counts[n][0]}M {counts[n][1]}A for n = {n}, {sum(counts[n])} in total."
            for name, counts in ours.items()
        ),
        f"The best recursion of the table is {best} with {_total(formulas, best, n):.0f} in total.",
    ]
    heights = {
        what: [*(formulas[author][k](n) for author in table), *(float(counts[n][k]) for counts in ours.values())]
        for k, what in enumerate(("multiplications", "additions"))
    }
    return Result(
        [follow, *claims],
        [Numbers(header, rows)],
        bars=[Bars(f"operations for n = {n}", [*table, *own], heights, list(own))],
        repairs=[corrected, *repairs],
        notes=[*notes, *([GIVEN] if formulas is FORWARD else []), RULES],
    )


def _total(formulas: Formulas, author: str, n: int) -> float:
    return sum(f(n) for f in formulas[author])


def growth(table: dict[str, Cells]) -> Panel:
    """All operations of forward dynamics versus the number of joints."""
    lengths = np.arange(2, 16)
    curves: list[Curve] = []
    for name, algorithm in FORWARD_OWN.items():
        own = own_counts(algorithm, (6, 7))  # linear in n, as `redyn count` checks
        slope = sum(own[7]) - sum(own[6])
        curves.append(Curve(name, np.array([sum(own[6]) + slope * (n - 6.0) for n in lengths])))
    curves += [
        Curve(author, np.array([_total(FORWARD, author, int(n)) for n in lengths]), dashed=author == CHOLESKY)
        for author in table
    ]
    return Panel("all operations; published ones with φ given", lengths.astype(np.float64), curves, x_label="joints")


def _table_9_1(load: Load) -> Result:
    """The text calls "the above algorithm", (9.32)-(9.33), one of the best; its row is RIDIM's."""
    order = sorted(INVERSE, key=lambda author: _total(INVERSE, author, 6))
    place, refined = (order.index(author) + 1 for author in (RIDIM, REDYSIM))
    claim = statement(
        "the algorithm of (9.32)-(9.33), RIDIM's row, is one of the best (among the first three)",
        place <= 3,
        f"place {place} of {len(order)} for n = 6, with {_total(INVERSE, RIDIM, 6):.0f} operations",
        f"ReDySim, of the same method, is at place {refined} with {_total(INVERSE, REDYSIM, 6):.0f}"
        if refined <= 3
        else "",
    )
    return table_result(TABLE_9_1, INVERSE, MISPRINTS_9_1, INVERSE_OWN, [claim])


def _table_9_6(load: Load) -> Result:
    printed, meant = walker_orin_additions_in_the_book(10), FORWARD[CHOLESKY][1](10)
    cell = int(TABLE_9_6[CHOLESKY][10][1][:-1])
    formula = Repair(
        "Walker and Orin's additions use 233n/6 as in the paper",
        abs(printed - cell) > 0.5 >= abs(meant - cell),
        f"233n/3 gives {printed:.0f} for n = 10, but the table itself has {cell}",
    )
    result = table_result(TABLE_9_6, FORWARD, MISPRINTS_9_6, FORWARD_OWN, [crossover(REDYSIM, 7)], [formula])
    return replace(result, panels=[growth(TABLE_9_6)])


def _paper_table(load: Load) -> Result:
    recursions = [author for author in TABLE_I if author != CHOLESKY]
    fewest = min(recursions, key=lambda author: FORWARD[author][0](6))
    claims = [
        statement(
            "it needs the fewest multiplications of the O(n) algorithms",
            fewest == "Saha (2003)",
            f"{fewest}: {FORWARD[fewest][0](6):.0f}M for n = 6",
        ),
        crossover("Saha (2003)", 10),
    ]
    result = table_result(TABLE_I, FORWARD, MISPRINTS_I, FORWARD_OWN, claims)
    return replace(result, panels=[growth(TABLE_I)])


ITEMS = [
    Item("table-9.1", "Operations of inverse dynamics", "Saha, chapter 9, Table 9.1", _table_9_1),
    Item("table-9.6", "Operations of forward dynamics", "Saha, chapter 9, Table 9.6", _table_9_6),
    Item("paper-table-1", "Operations of forward dynamics in the paper", "Saha (2003), Table I", _paper_table),
]
