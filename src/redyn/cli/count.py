"""redyn count: operations of the kernels, beside the published tables."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Annotated

import typer
from rich.table import Table

from redyn.cli.options import ROBOT_HELP, Unphysical, wide_console

Formula = Callable[[int], float]

# Multiplications and additions for n revolute joints. Walker and Orin's additions are Saha 2003's (233n/6).
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


def count(
    robot: Annotated[str, typer.Argument(help=ROBOT_HELP + " Or chain-N: a general robot of N revolute joints.")],
    as_json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
    allow_unphysical: Unphysical = False,
) -> None:
    """Multiplications and additions of the graphs that run, beside the published tables.

    Those are Tables 9.1 and 9.6 of the book and Table I of the paper. Divisions count as multiplications, subtractions
    as additions; sines and cosines are not counted. The published counts are for a general robot of n revolute joints,
    and so is the formula; zeros and right angles of a real one save more.

    Example: redyn count puma        Example: redyn count chain-6
    """
    from redyn.robot import chain, load

    name, _, length = robot.partition("-")
    general = name == "chain" and length.isdigit()
    loaded = chain(int(length), seed=1) if general else load(robot, allow_unphysical=allow_unphysical)
    n = loaded.dof
    counts = {
        name: loaded.operation_count(name)
        for name in (
            "inverse_dynamics",
            "solve",
            "forward_dynamics",
            "mass_matrix",
            "coriolis_matrix_mci",
            "gravity_torque",
        )
    }
    formulas = {name: _formula(name) for name in ("inverse_dynamics", "solve", "forward_dynamics")}
    if as_json:
        print(
            json.dumps(
                {
                    "robot": loaded.name,
                    "dof": n,
                    "counts": {k: v._asdict() for k, v in counts.items()},
                    "formulas": formulas,
                }
            )
        )
        return
    console = wide_console()
    console.print(f"[bold]{loaded.name}[/], {n} joints: operations of the kernels")
    table = Table(
        "algorithm", "multiplications", "additions", "general robot of n joints", box=None, header_style="bold"
    )
    for name, found in counts.items():
        table.add_row(name, str(found.multiplications), str(found.additions), formulas.get(name, ""))
    console.print(table)
    for title, published, name in (
        (f"Inverse dynamics, Table 9.1, n = {n}", INVERSE, "inverse_dynamics"),
        (f"Forward dynamics with phi given, Table 9.6 and Table I of Saha (2003), n = {n}", FORWARD, "solve"),
    ):
        console.print(f"\n[bold]{title}[/]")
        rows = Table("", "multiplications", "additions", box=None, header_style="bold")
        rows.add_row("redyn, this robot", str(counts[name].multiplications), str(counts[name].additions))
        for author, (multiplications, additions) in published.items():
            rows.add_row(author, f"{multiplications(n):.0f}", f"{additions(n):.0f}")
        console.print(rows)


def _formula(name: str) -> str:
    """What the counts of general robots follow: taken from two lengths and checked on a third."""
    from redyn.robot import chain

    shorter, longer, check = (chain(n, seed=1).operation_count(name) for n in (6, 7, 9))
    parts: list[str] = []
    for a, b, c, letter in zip(shorter, longer, check, "MA", strict=True):
        slope = b - a
        rest = a - 6 * slope
        assert c == 9 * slope + rest, "the counts of general robots are not linear in n"
        parts.append(f"{slope}n {'-' if rest < 0 else '+'} {abs(rest)} {letter}")
    return ", ".join(parts)
