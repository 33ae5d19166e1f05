"""Published operation counts for n revolute joints: Tables 9.1 and 9.6 of the book, Table I of the paper."""

from __future__ import annotations

from collections.abc import Callable

Formula = Callable[[int], float]
Cells = dict[int, tuple[int, int]]  # by n: multiplications and additions, as printed

# Multiplications and additions. Walker and Orin's additions are Saha 2003's (233n/6).
INVERSE: dict[str, tuple[Formula, Formula]] = {
    "Hollerbach (1980)": (lambda n: 412 * n - 277, lambda n: 320 * n - 201),
    "Luh et al. (1980)": (lambda n: 150 * n - 48, lambda n: 131 * n + 48),
    "Walker and Orin (1982)": (lambda n: 137 * n - 22, lambda n: 101 * n - 11),
    "RIDIM (Saha, 1999)": (lambda n: 120 * n - 44, lambda n: 97 * n - 55),
    "Khalil et al. (1986)": (lambda n: 105 * n - 92, lambda n: 94 * n - 86),
    "Angeles et al. (1989)": (lambda n: 105 * n - 109, lambda n: 90 * n - 105),
    "ReDySim (Shah et al., 2013)": (lambda n: 94 * n - 81, lambda n: 82 * n - 75),
    "Balafoutis et al. (1991)": (lambda n: 93 * n - 69, lambda n: 81 * n - 65),
}  # Table 9.1
FORWARD: dict[str, tuple[Formula, Formula]] = {
    "ReDySim (Shah et al., 2013)": (lambda n: 135 * n - 116, lambda n: 131 * n - 123),
    "Saha (2003)": (lambda n: 191 * n - 284, lambda n: 187 * n - 325),
    "Featherstone (1983)": (lambda n: 199 * n - 198, lambda n: 174 * n - 173),
    "Stejskal and Valasek (1996)": (lambda n: 226 * n - 343, lambda n: 206 * n - 345),
    "Brandl et al. (1988)": (lambda n: 250 * n - 222, lambda n: 220 * n - 198),
    "Walker and Orin (1982)": (
        lambda n: n**3 / 6 + 23 * n**2 / 2 + 115 * n / 3 - 47,
        lambda n: n**3 / 6 + 7 * n**2 + 233 * n / 6 - 46,
    ),
}  # Table 9.6 and Table I of Saha (2003): phi is given


def walker_orin_additions_in_the_book(n: int) -> float:
    """As Table 9.6 prints them."""
    return n**3 / 6 + 7 * n**2 + 233 * n / 3 - 46


TABLE_9_1: dict[str, Cells] = {
    "Hollerbach (1980)": {6: (2195, 1719)},
    "Luh et al. (1980)": {6: (852, 834)},
    "Walker and Orin (1982)": {6: (800, 595)},
    "RIDIM (Saha, 1999)": {6: (676, 527)},
    "Khalil et al. (1986)": {6: (538, 478)},
    "Angeles et al. (1989)": {6: (521, 435)},
    "ReDySim (Shah et al., 2013)": {6: (483, 417)},
    "Balafoutis et al. (1991)": {6: (489, 421)},
}
TABLE_9_6: dict[str, Cells] = {
    "ReDySim (Shah et al., 2013)": {6: (694, 663), 7: (829, 794), 10: (1234, 1187)},
    "Saha (2003)": {6: (862, 797), 7: (1053, 984), 10: (1626, 1545)},
    "Featherstone (1983)": {6: (996, 871), 7: (1195, 1045), 10: (1792, 1527)},
    "Stejskal and Valasek (1996)": {6: (1013, 891), 7: (1239, 1097), 10: (1917, 1715)},
    "Brandl et al. (1988)": {6: (1278, 1122), 7: (1528, 1342), 10: (2278, 2002)},
    "Walker and Orin (1982)": {6: (633, 480), 7: (842, 898), 10: (1653, 1209)},
}
TABLE_I: dict[str, Cells] = {
    "Saha (2003)": {6: (862, 797), 10: (1626, 1545)},
    "Featherstone (1983)": {6: (996, 871), 10: (1792, 1567)},
    "Stejskal and Valasek (1996)": {6: (1013, 891), 10: (1917, 1715)},
    "Brandl et al. (1988)": {6: (1278, 1122), 10: (2278, 2002)},
    "Walker and Orin (1982)": {6: (633, 480), 10: (1653, 1209)},
}
