"""redyn equations on the terminal, for robots on wheels."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from redyn.symbolic.chapter.rolling.setting import RollingSetting, example
from redyn.symbolic.notation import Expr, Typesetter
from redyn.words import counted

if TYPE_CHECKING:
    from redyn.symbolic.chapter.blocks import Array
    from redyn.symbolic.rolling.equations import RollingEquations

Lines = list[tuple[str, Expr]]


def show(eqs: RollingEquations, state: list[Array | None], as_json: bool) -> None:
    """Prints the equations, and the numbers at a state if one is given."""
    at = RollingSetting(eqs, example(eqs.robot, *state))
    values = _values(at) if any(v is not None for v in state) else {}
    sections = {title: lines for title, lines in _sections(at).items() if lines}
    if as_json:
        text, latex = Typesetter(latex=False).write, Typesetter().write
        found: dict[str, Any] = {"robot": eqs.name, "rows": eqs.rolling.row_names, "u": [str(x) for x in eqs.u]}
        for title, lines in sections.items():
            found[title.partition(":")[0]] = [{"name": n, "text": text(e), "latex": latex(e)} for n, e in lines]
        print(json.dumps(found | ({"values": values} if values else {})))
        return
    coordinates = ", ".join(map(str, eqs.q))
    print(f"{eqs.name}: {counted(eqs.dof, 'coordinate')} ({coordinates}), {counted(len(eqs.u), 'independent rate')}")
    print(f"independent rates u: {', '.join(map(str, eqs.u))} ({', '.join(eqs.robot.velocity_names)})")
    if eqs.free is not None:
        print("a free disk by its centre x, y, z and Euler's angles: R = Rz(psi) Rx(theta) Rz(phi)")
    write = Typesetter(latex=False).write
    for title, lines in sections.items():
        print(f"\n{title}")
        for name, expression in lines:
            print(f"{name} = {write(expression)}")
    if values:
        print("\nat this state (SI units, radians):")
        for name, value in values.items():
            print(f"{name} = {np.array2string(np.array(value), separator=', ', precision=6, suppress_small=True)}")


def _sections(at: RollingSetting) -> dict[str, Lines]:
    eqs = at.eqs
    rows = ", ".join(f"{i + 1} {name}" for i, name in enumerate(eqs.rolling.row_names))
    found: dict[str, Lines] = {
        f"rolling: A qd = 0; rows {rows}": _matrix("A", eqs.constraints),
        "rates: qd = S u, qdd = S u_dot + gamma": [
            *_matrix("S", eqs.transmission),
            *((f"gamma_{x}", g) for x, g in zip(eqs.q, eqs.transmission_rate, strict=True) if g != 0),
        ],
    }
    if at.small:
        reduced: Lines = _matrix("reduced_mass_matrix", eqs.reduced_mass_matrix)
        for name in ("coriolis_vector", "gravity_torque", "spring_torque", "friction_torque"):
            column = eqs.quantity(f"reduced_{name}")
            reduced += [(f"reduced_{name}[{i + 1}]", x) for i, x in enumerate(column) if x != 0]
        reduced += _matrix("actuation", eqs.actuation)
        title = "reduced equation: reduced_mass_matrix u_dot + reduced_coriolis_vector + ... = S^T tau = actuation tau"
        found[title] = reduced
    forces = [(f"lambda_{i + 1}", x) for i, x in enumerate(eqs.multipliers)]
    found["forces of the ground: one per row, f = M qdd + h + ... - tau of the tree"] = forces
    return found


def _matrix(name: str, found: Any) -> Lines:
    """Elements that are not zero."""
    places = [(i, j) for i in range(found.rows) for j in range(found.cols) if found[i, j] != 0]
    short = len(name) == 1
    return [(f"{name}_{i + 1}{j + 1}" if short else f"{name}[{i + 1},{j + 1}]", found[i, j]) for i, j in places]


def _values(at: RollingSetting) -> dict[str, Any]:
    s = at.at
    found = {
        "q": s.q,
        "u": s.u,
        "u_dot": s.u_dot,
        "qd": s.qd,
        "qdd": s.qdd,
        "A": s.A,
        "S": s.S,
        "gamma": s.gamma,
        "reduced_mass_matrix": at.robot.mass_matrix(s.q),
        "tau": at.tau,
        "lambda": at.multipliers,
    }
    return {name: (value + 0.0).tolist() for name, value in found.items()}
