"""redyn equations on the terminal, for links that bend and gears that give."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from redyn.symbolic.chapter.flexible.setting import FlexibleSetting, flexible_state
from redyn.symbolic.notation import Expr, Typesetter, sp
from redyn.words import counted

if TYPE_CHECKING:
    from redyn.symbolic.chapter.blocks import Array
    from redyn.symbolic.equations import Equations


def setting(eqs: Equations, state: list[Array | None]) -> FlexibleSetting:
    return FlexibleSetting(eqs, *flexible_state(eqs, *state))


def show(at: FlexibleSetting) -> bool:
    """Prints the equations with abbreviations for the tip of each beam; whether angles of joints appear."""
    eqs, write = at.eqs, Typesetter(latex=False).write
    names = ", ".join(f"{x} ({name})" for x, name in zip(eqs.q, eqs.robot.velocity_names, strict=True))
    terms = " + ".join(["mass_matrix qdd", *(name for name, _ in at.present)])
    print(f"{eqs.name}: {counted(eqs.dof, 'coordinate')}: {names}\n{terms} = tau\n")
    n, matrix = eqs.dof, at.shown("mass_matrix")
    entries = [(f"mass_matrix[{i + 1},{j + 1}]", matrix[n * i + j]) for i in range(n) for j in range(i, n)]
    columns = {name: at.shown(name) for name, _ in at.present}
    shown = [x for _, x in entries] + [x for column in columns.values() for x in column]
    abbreviations = eqs.tips.used(shown)
    for name, value in abbreviations:
        print(f"{name} = {write(value)}")
    print(end="\n" if abbreviations else "")
    _print([(name, x) for name, x in entries if x != 0])
    for name, column in columns.items():
        _print([(f"{name}[{i}]", x) for i, x in enumerate(column, start=1) if x != 0])
    zero = any(x == 0 for x in shown)
    print(
        "Elements below the diagonal are those above it" + ("; others that are not listed are zero." if zero else ".")
    )
    if at.beams:
        print("phi_k, dphi_k, H_kl: shapes at the tip; S, W, G, P, R: integrals over the beam (see the worked example)")
    return any(x.has(sp.sin, sp.cos) for x in shown)


def _print(entries: list[tuple[str, Expr]]) -> None:
    write = Typesetter(latex=False).write
    for name, x in entries:
        print(f"{name} = {write(x)}")
    print()


def plain(at: FlexibleSetting) -> dict[str, Any]:
    """The state and the numbers there, as lists."""
    return {name: (value + 0.0).tolist() for name, value in at.values().items()}
