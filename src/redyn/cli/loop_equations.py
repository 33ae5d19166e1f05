"""redyn equations on the terminal, for robots with closed loops."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from redyn.symbolic.chapter.loops.setting import LoopSetting
from redyn.symbolic.loops.states import example
from redyn.symbolic.notation import Expr, Typesetter, operations, symbol
from redyn.words import counted

if TYPE_CHECKING:
    from redyn.robot import Robot
    from redyn.symbolic.chapter.blocks import Array
    from redyn.symbolic.equations import Equations
    from redyn.symbolic.loops.quantities import LoopEquations

Lines = list[tuple[str, Expr]]

_TREE = ("mass_matrix", "coriolis_matrix", "gravity_torque", "spring_torque", "friction_torque")
_PAGE = 130  # operations of an element that is written out


def show(robot: Robot, eqs: Equations | None, state: list[Array | None], as_json: bool) -> None:
    """Prints the equations, and the numbers at a state if one is given or there are no symbols."""
    at = LoopSetting(robot, example(robot, *state), eqs)
    values = _values(at) if eqs is None or any(v is not None for v in state) else {}
    sections = {title: lines for title, lines in _sections(at) if lines}
    if as_json:
        print(json.dumps(_as_json(at, sections, values)))
        return
    print(_title(at))
    write = Typesetter(latex=False).write
    for title, lines in sections.items():
        print(f"\n{title}")
        for name, expression in lines:
            print(f"{name} = {write(expression)}")
    if eqs is None:
        print("\nsymbolic equations support revolute and prismatic joints only: of this robot there are numbers")
    if values:
        print("\nat this state (SI units, radians):")
        for name, value in values.items():
            print(f"{name} = {_text(np.array(value), len(name) + 4)}")
    if eqs is not None:
        from redyn.cli.equations import legend

        if abbreviations := legend(eqs):
            print(f"\n{abbreviations}")


def _title(at: LoopSetting) -> str:
    robot = at.robot
    loops = ", ".join(f"{loop.name} ({loop.joint}, {' to '.join(loop.between)})" for loop in robot.loops)
    return (
        f"{robot.name}: {robot.size}, {counted(len(robot.loops), 'loop')}, mobility {robot.mobility}\n"
        f"cut: {loops}\nindependent rates u: {', '.join(robot.independent)}"
    )


def _sections(at: LoopSetting) -> Iterator[tuple[str, Lines]]:
    eqs, loops = at.eqs, at.loops
    if eqs is None:
        return
    assert at.tree is not None
    if at.tree.short:
        yield "the tree: mass_matrix qdd + coriolis_matrix qd + ... = tau + J^T lambda", _tree(eqs)
    else:
        steps = eqs.steps("inverse_dynamics")
        size = f"{counted(len(steps.assignments), 'step')}, {counted(steps.operations, 'operation')}"
        named = [(str(name), e) for name, e in steps.assignments]
        named += [(f"tau_{i}", e) for i, e in enumerate(steps.outputs[0], start=1)]
        yield f"inverse dynamics with closed loops, in {size}", named
    if loops is not None:
        yield "closure: phi = 0, J qd = 0, J qdd = Gamma", _closure(loops)
    if at.solved is not None:
        yield "transmission: qd = G u, qdd = G u_dot + nu", _transmission(at, at.solved)
    if at.written is not None:
        yield "reduced equation: reduced_mass_matrix u_dot + ... = G^T tau", _reduced(at, at.written)
    if at.solved is not None and at.solved.dyads:
        yield "passive joints of closed positions; sigma is 1 or -1", _passive(at, at.solved)


def _tree(eqs: Equations) -> Lines:
    found: Lines = []
    for name in _TREE:
        quantity = eqs.quantity(name)
        for i in range(quantity.rows if any(quantity) or name not in _TREE[2:] else 0):
            if not name.endswith("matrix"):
                found.append((f"{name}[{i + 1}]", quantity[i]))
                continue
            found += [(f"{name}[{i + 1},{j + 1}]", quantity[i, j]) for j in range(quantity.cols) if quantity[i, j] != 0]
    return found


def _closure(loops: LoopEquations) -> Lines:
    found: Lines = [(f"phi_{i + 1}", x) for i, x in enumerate(loops.phi)]
    for i in range(loops.J.rows):
        found += [(_name("J", i, j), loops.J[i, j]) for j in range(loops.J.cols) if loops.J[i, j] != 0]
    return found + [(f"Gamma_{i + 1}", x) for i, x in enumerate(loops.gamma)]


def _name(letter: str, i: int, j: int) -> str:
    return f"{letter}_{i + 1}{'_' if max(i, j) >= 9 else ''}{j + 1}"


def _transmission(at: LoopSetting, loops: LoopEquations) -> Lines:
    from redyn.symbolic.chapter.blocks import weighted

    assert at.eqs is not None
    qd, found = at.eqs.qd, list[tuple[str, Expr]]()
    for block in loops.solution.solved:
        found += [(str(name), x) for name, x in block.named.items()]
        if len(block.lines) > 1:
            found.append((str(block.letter), block.determinant))
        direct = set(block.known) <= set(at.independent)
        for i in block.unknown:
            shares = [(block.share(i, j), qd[j]) for j in block.known]
            if direct:
                found += [(_name("G", i, j), share) for (share, _), j in zip(shares, block.known, strict=True)]
            else:
                found.append((str(qd[i]), weighted(shares)))
            right = [(block.coefficient(i, row), symbol(f"Gamma_{row + 1}")) for row in block.rows]
            before = [(block.share(i, k), symbol(f"nu_{k + 1}")) for k in block.known if k not in at.independent]
            found.append((f"nu_{i + 1}", weighted([*right, *before])))
    return found


def _reduced(at: LoopSetting, loops: LoopEquations) -> Lines:
    assert at.eqs is not None
    columns, found = range(len(at.independent)), list[tuple[str, Expr]]()
    for a in columns:
        for b in columns[a:]:
            name = f"reduced_mass_matrix[{a + 1},{b + 1}]"
            found.append((name, at.inertia(loops, a, b)))
            if loops.short and operations(at.eqs.reduced_mass_matrix[a, b]) <= _PAGE:
                found.append((name, at.eqs.reduced_mass_matrix[a, b]))
    if len(columns) == 1:
        (j,) = at.independent
        found += [(f"G'{_name('G', i, j)[1:]}", symbol(f"nu_{i + 1}") / at.eqs.qd[j] ** 2) for i in at.dependent]
        found.append(("reduced_coriolis_vector[1]", at.half_slope(loops) * at.eqs.qd[j] ** 2))
    if at.robot.gravity.any():
        found += [(f"reduced_gravity_torque[{a + 1}]", at.weight(loops, a)) for a in columns]
    return found


def _passive(at: LoopSetting, loops: LoopEquations) -> Lines:
    assert at.eqs is not None
    q, found = at.eqs.q, list[tuple[str, Expr]]()
    for dyad in loops.dyads or []:
        for part in (dyad.first, dyad.second):
            found.append((str(q[part.joint]), part.solution))
    return found


def _values(at: LoopSetting) -> dict[str, Any]:
    """The state and the numbers there, as plain lists."""
    found = {
        "q": at.state.q,
        "qd": at.state.qd,
        "qdd": at.state.qdd,
        "J": at.J,
        "Gamma": at.gamma,
        "G": at.G,
        "nu": at.nu,
        "reduced_mass_matrix": at.reduced_mass_matrix,
        "tau": at.tau,
    }
    if not at.closure.deficient:
        found["lambda"] = at.multipliers
    return {name: (value + 0.0).tolist() for name, value in found.items()}


def _text(value: Array, indent: int) -> str:
    """Rounding errors of zero are shown as 0."""
    rounding = 1e-12 * float(np.abs(value).max(initial=0.0))
    rows = [", ".join(f"{x if abs(x) > rounding else 0.0:.6g}" for x in row) for row in np.atleast_2d(value)]
    if value.ndim == 1:
        return f"[{rows[0]}]"
    return f"[{(',' + chr(10) + ' ' * indent).join(f'[{row}]' for row in rows)}]"


def _as_json(at: LoopSetting, sections: dict[str, Lines], values: dict[str, Any]) -> dict[str, Any]:
    text, latex = Typesetter(latex=False).write, Typesetter().write
    keys = {"the tree": "tree", "inverse": "steps", "closure": "closure", "transmission": "transmission"}
    keys |= {"reduced": "reduced", "passive": "passive"}
    found: dict[str, Any] = {"robot": at.robot.name, "mobility": at.robot.mobility, "independent": at.robot.independent}
    if at.loops is not None:
        found["rows"] = at.loops.names
    for title, lines in sections.items():
        key = next(short for start, short in keys.items() if title.startswith(start))
        found[key] = [{"name": name, "text": text(e), "latex": latex(e)} for name, e in lines]
    return found | ({"values": values} if values else {})
