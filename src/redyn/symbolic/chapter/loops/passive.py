"""The passive joint variables of the closed mechanism, in closed form where there is one."""

from __future__ import annotations

from redyn.symbolic.chapter.blocks import WIDTH, Block, Chapter, Code, Equation, Heading, Text, formula, word
from redyn.symbolic.chapter.loops.setting import LoopSetting
from redyn.symbolic.loops.passive import Dyad, First
from redyn.symbolic.notation import Typesetter, seen_length, sp

_write = Typesetter().write


def passive(chapter: Chapter, at: LoopSetting) -> None:
    chapter.add(Heading("The passive joints of the closed mechanism"))
    dyads = None if at.solved is None else at.solved.dyads
    if dyads is None:
        chapter.add(
            Text(
                "No closed form of the passive joint variables was found here. They come from Newton's method on "
                "$\\g{phi} = \\b{0}$, from a known position in small steps, so that the branch stays the same: "
                "robot.complete(q_a) for given actuated joints, robot.assemble(q) from any position near a closed one."
            ),
            Code("robot.complete(q[[robot.joint_names.index(name) for name in robot.actuated]], near=q).q"),
        )
        return
    chapter.add(
        Text(
            "The equations above contain passive joint variables. In a closed position they follow from the "
            "independent ones, loop after loop. Every loop has two solutions, two ways to assemble it, which meet "
            "where the determinant is zero; $\\sigma = \\pm 1$ tells them apart. To stay on one, or to close a "
            "position that is nearly closed, redyn uses Newton's method instead (robot.complete, robot.assemble)."
        )
    )
    for dyad in dyads:
        chapter.add(*_loop(at, dyad, several=len(dyads) > 1))
    chapter.add(*_freudenstein(at, dyads), Code("eqs.loops.dyads"))


def _loop(at: LoopSetting, dyad: Dyad, several: bool) -> list[Block]:
    x, y = _names(at, dyad)
    found: list[Block] = (
        [Heading(f"Loop {dyad.loop + 1} ({word(at.model_loops[dyad.loop].name)})", 2)] if several else []
    )
    found += [Text(_how(at, dyad, x, y)), *_equation(at, dyad.first), *_solution(at, dyad, x)]
    second = dyad.second
    if second.slide is not None:
        return [*found, Text(f"Then ${y}$ follows:"), formula(y, second.slide)]
    less = "" if second.zero == 0 else f" - {_write(second.zero)}"
    arguments = rf"\mathrm{{atan2}} \left( {_write(second.sine)}, \; {_write(second.cosine)} \right){less}"
    if seen_length(f"{y} = {arguments}") <= WIDTH:
        return [*found, Text(f"Then ${y}$ follows:"), Equation((f"{y} = {arguments}",))]
    return [
        *found,
        Text(f"Then ${y}$ follows:"),
        formula("Y", second.sine),
        formula("X", second.cosine),
        Equation((rf"{y} = \mathrm{{atan2}} \left( Y, X \right){less}",)),
    ]


def _names(at: LoopSetting, dyad: Dyad) -> tuple[str, str]:
    assert at.eqs is not None
    return _write(at.eqs.q[dyad.first.joint]), _write(at.eqs.q[dyad.second.joint])


def _how(at: LoopSetting, dyad: Dyad, x: str, y: str) -> str:
    model, first, second = at.robot.model, dyad.first.joint + 1, dyad.second.joint + 1
    if dyad.second.slide is not None:
        return f"Across the slide ${y}$ the polygon of the links closes without it:"
    if dyad.first.slides:
        return (
            f"The link of ${y}$ has a known length, whatever its direction. The square of that length eliminates ${y}$:"
        )
    if first in model.path(second) or second in model.path(first):
        return (
            f"The two passive joints follow each other, so that the pin and they form a triangle. The square of the "
            f"vector that turns with ${y}$ eliminates ${y}$; what is left is the law of cosines for ${x}$:"
        )
    return (
        f"The pin lies on a circle about joint {first} and on one about joint {second}, whose centres are known: it is "
        f"one of the two points where they meet. The second circle eliminates ${y}$:"
    )


def _equation(at: LoopSetting, first: First) -> list[Block]:
    """The equation that is left, for x."""
    assert at.eqs is not None
    q = at.eqs.q[first.joint]
    if first.slides:
        line = rf"{_write(q)}^{{2}} + 2 B {_write(q)} + C = 0"
        return [Equation((line,)), formula("B", first.B), formula("C", first.C)]
    cosine, sine = (_write(f(q + first.zero)) for f in (sp.cos, sp.sin))
    if first.B == 0:
        return [formula(cosine, first.C / first.A)]
    line = f"A {cosine} + B {sine} = C"
    return [Equation((line,)), formula("A", first.A), formula("B", first.B), formula("C", first.C)]


def _solution(at: LoopSetting, dyad: Dyad, x: str) -> list[Block]:
    first = dyad.first
    less = "" if first.zero == 0 else f" - {_write(first.zero)}"
    if first.slides:
        rows = (rf"{x} = -B + \sigma \sqrt{{B^{{2}} - C}}",)
        if seen_length(_write(first.square)) + seen_length(_write(first.B)) < WIDTH - 20:
            rows = (rf"{x} = {_write(-first.B)} + \sigma \sqrt{{{_write(first.square)}}}",)
    elif first.B == 0:
        inside = _write(first.C / first.A)
        rows = (rf"{x} = \sigma \arccos \left( {inside} \right){less}",)
    else:
        rows = (
            rf"{x} = \mathrm{{atan2}} \left( B, A \right) + \sigma \arccos \left( C / \sqrt{{A^{{2}} + B^{{2}}}} "
            rf"\right){less}",
        )
    return [Equation(rows), Text(_branch(at, dyad))]


def _branch(at: LoopSetting, dyad: Dyad) -> str:
    """Which sign the initial position has."""
    assert at.eqs is not None
    values = {**at.eqs.values, **dict(zip(at.eqs.q, at.robot.initial, strict=True))}
    expression = dyad.first.branch
    missing = expression.free_symbols - values.keys()
    sign = f"$\\sigma$ is the sign of ${_write(expression)}$"
    if missing or at.eqs.contradictions:
        return f"{sign}."
    value = float(sp.N(expression.subs(values)))
    size = sum(abs(float(sp.N(term.subs(values)))) for term in sp.Add.make_args(sp.expand(expression)))
    if abs(value) < 1e-9 * max(size, 1e-12):
        return f"{sign}; in the initial position of the robot both solutions meet."
    return f"{sign}; in the initial position of the robot $\\sigma = {'1' if value > 0 else '-1'}$."


def _freudenstein(at: LoopSetting, dyads: list[Dyad]) -> list[Block]:
    """The relation of input and output of a planar four-bar linkage."""
    if at.solved is None or len(dyads) != 1 or len(at.independent) != 1:
        return []
    bodies, (block,) = at.solved.closed.robot.bodies, at.solved.solution.solved
    if len(bodies) != 3 or any(body.kind != "revolute" for body in bodies):
        return []
    for way in at.solved.passive.ways(block):
        joints = (way.first.joint, *at.independent)
        if way.first.B != 0 and all(bodies[j].parent == 0 for j in joints):
            _, y = _names(at, way)
            q = at.solved.closed.robot.q[way.first.joint]
            return [
                Text(
                    f"If ${y}$ is eliminated instead, what is left relates the two links that turn about the ground: "
                    "Freudenstein's equation,"
                ),
                formula(_write(way.first.A * sp.cos(q) + way.first.B * sp.sin(q)), way.first.C),
            ]
    return []
