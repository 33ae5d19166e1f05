"""Published operation counts for n revolute joints: Tables 9.1 and 9.6 of the book, Table I of the paper."""

from __future__ import annotations

from collections.abc import Callable

Formula = Callable[[int], float]
Cells = dict[int, tuple[str, str]]  # n -> multiplications and additions exactly as printed

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
    "Hollerbach (1980)": {6: ("2195M", "1719A")},
    "Luh et al. (1980)": {6: ("852M", "834A")},
    "Walker and Orin (1982)": {6: ("800M", "595A")},
    "RIDIM (Saha, 1999)": {6: ("676M", "527A")},
    "Khalil et al. (1986)": {6: ("538M", "478A")},
    "Angeles et al. (1989)": {6: ("521M", "435A")},
    "ReDySim (Shah et al., 2013)": {6: ("483M", "417A")},
    "Balafoutis et al. (1991)": {6: ("489M", "421M")},
}
TABLE_9_6: dict[str, Cells] = {
    "ReDySim (Shah et al., 2013)": {6: ("694M", "663A"), 7: ("829M", "794A"), 10: ("1234M", "1187A")},
    "Saha (2003)": {6: ("862M", "797A"), 7: ("1053M", "984A"), 10: ("1626M", "1545A")},
    "Featherstone (1983)": {6: ("996M", "871A"), 7: ("1195M", "1045A"), 10: ("1792M", "1527A")},
    "Stejskal and Valasek (1996)": {6: ("1013M", "891A"), 7: ("1239M", "1097A"), 10: ("1917M", "1715A")},
    "Brandl et al. (1988)": {6: ("1278M", "1122A"), 7: ("1528M", "1342A"), 10: ("2278M", "2002A")},
    "Walker and Orin (1982)": {6: ("633M", "480A"), 7: ("842M", "898A"), 10: ("1653M", "1209A")},
}
TABLE_I: dict[str, Cells] = {
    "Saha (2003)": {6: ("862M", "797A"), 10: ("1626M", "1545A")},
    "Featherstone (1983)": {6: ("996M", "871A"), 10: ("1792M", "1567A")},
    "Stejskal and Valasek (1996)": {6: ("1013M", "891A"), 10: ("1917M", "1715A")},
    "Brandl et al. (1988)": {6: ("1278M", "1122A"), 10: ("2278M", "2002A")},
    "Walker and Orin (1982)": {6: ("633M", "480A"), 10: ("1653M", "1209A")},
}
# Cells that differ from their formula: author, n, and the printed value.
MISPRINTS_9_1 = {("Balafoutis et al. (1991)", 6, "421M")}
MISPRINTS_9_6 = {
    ("Featherstone (1983)", 10, "1527A"),
    ("Walker and Orin (1982)", 6, "480A"),
    ("Walker and Orin (1982)", 7, "898A"),
}
MISPRINTS_I = {("Walker and Orin (1982)", 6, "480A")}
