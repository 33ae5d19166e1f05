"""The robot, its coordinates, and how a link that bends moves."""

from __future__ import annotations

from redyn.symbolic.chapter.blocks import Block, Chapter, Equation, Heading, Table, Text, word
from redyn.symbolic.chapter.flexible import sketch
from redyn.symbolic.chapter.flexible.references import LINKS, MODES, STIFFENING, spong
from redyn.symbolic.chapter.flexible.setting import FlexibleSetting, Placed
from redyn.symbolic.notation import Expr, Typesetter, sp
from redyn.words import counted

_write = Typesetter().write


def robot(chapter: Chapter, at: FlexibleSetting) -> None:
    eqs = at.eqs
    bends = f"{counted(len(at.beams), 'link')} that bend{'s' * (len(at.beams) == 1)}" if at.beams else ""
    gives = f"{counted(len(at.gears), 'elastic gear')}" if at.gears else ""
    what = " and ".join(filter(None, (bends, gives)))
    chapter.add(
        Heading("The robot and its coordinates"),
        Text(f"The robot {word(eqs.name)} has {what}, and {counted(eqs.dof, 'coordinate')} in all."),
    )
    if at.robot.description.source:
        chapter.add(Text(f"Source: {word(at.robot.description.source)}."))
    rows = [
        (f"${_write(x)}$", word(name), _meaning(at, i), "yes" if link.joint.actuated else "")
        for i, (x, name, link) in enumerate(zip(eqs.q, at.robot.velocity_names, at.robot.model.links, strict=True))
    ]
    chapter.add(
        sketch.robot(at),
        Table(("coordinate", "name", "meaning", "actuated"), tuple(rows), "The coordinates $\\b{q}$."),
    )
    angles = [x for x, body in zip(eqs.q, at.bodies, strict=True) if body.kind == "revolute"]
    if angles:
        number = str(angles[-1]).removeprefix("theta_")
        chapter.add(
            Text(
                f"Abbreviations: $c_{{{number}}} = \\cos {_write(angles[-1])}$, $s_{{{number}}}$ its sine; of several "
                "numbers, of the sum of the angles. Elements that are not listed are zero."
            )
        )


def _meaning(at: FlexibleSetting, i: int) -> str:
    link = at.robot.model.links[i]
    if link.joint.kind == "mode":
        part = link.joint.part.rstrip("0123456789")
        bent = {"y": "bending along $y$", "z": "bending along $z$", "twist": "torsion"}[part]
        return f"amplitude of a mode, {bent} of {word(_beam_of(at, i))}"
    if link.joint.turns_motor:
        return f"angle of the motor, as seen behind the gear of {word(link.joint.name)}"
    moves = "angle" if link.joint.kind == "revolute" else "position"
    return f"{moves} of the joint" + (", beyond its gear" if link.joint.motor else "")


def _beam_of(at: FlexibleSetting, i: int) -> str:
    return next(str(b.numbers.name) for b in at.beams if b.first <= i < b.first + b.numbers.modes)


def bending(chapter: Chapter, at: FlexibleSetting) -> None:
    """The displacement of a particle, of the tip, and the foreshortening."""
    if not at.beams:
        return
    chapter.add(
        Heading("How a link bends"),
        Text(
            "A flexible link is a slender beam along $x$ of its root, clamped at its joint; what it carries sits on "
            "its tip $P$. By the method of assumed modes the displacement of the centre line is a sum of given shapes "
            f"times amplitudes $e_k(t)$, the elastic coordinates {LINKS}, {MODES}:"
        ),
        Equation(_displacements(at)),
        Text(
            "A beam that bends does not become longer, so its points move inwards as well. To second order in the "
            "amplitudes this foreshortening is"
        ),
        Equation(
            (
                r"u_x(x, t) = -\frac{1}{2} \int_0^x \left( (u_y')^2 + (u_z')^2 \right) d\xi = "
                r"-\frac{1}{2} \sum_{k,l} H_{kl}(x) e_k e_l, \quad H_{kl}(x) = \int_0^x \phi_k' \phi_l' \, d\xi",
            )
        ),
        Text(
            "with $H_{kl} = 0$ for modes that bend along different axes. Small as it is, it must be kept: multiplied "
            f"by large axial forces, of rotation or of weight, it is a stiffness {STIFFENING}. A particle of the "
            "centre line is at"
        ),
        Equation((r"\b{r}(x) = \left[ x + u_x, \; u_y, \; u_z \right]^{T}",)),
        Text("in the axes of the root, and its velocity there, if the root moves with $\\b{v}_0$ and $\\g{omega}$, is"),
        Equation((r"\b{v}(x) = \b{v}_0 + \g{omega} \times \b{r} + \dot{\b{r}}",)),
        *(block for b in at.beams for block in _tip(at, b)),
    )


def _displacements(at: FlexibleSetting) -> tuple[str, ...]:
    counts = [(b.numbers.along_y, b.numbers.along_z, b.numbers.torsion) for b in at.beams]
    rows: list[str] = []
    if any(y for y, _, _ in counts):
        rows.append(r"u_y(x, t) = \sum_k \phi_k(x) e_k(t)")
    if any(z for _, z, _ in counts):
        rows.append(r"u_z(x, t) = \sum_k \phi_k(x) e_k(t)")
    if any(t for _, _, t in counts):
        rows.append(r"\chi(x, t) = \sum_k \psi_k(x) e_k(t) \quad \text{(angle of twist)}")
    return tuple(rows)


def _tip(at: FlexibleSetting, b: Placed) -> list[Block]:
    """Its place, its turn, and the abbreviations that formulas use."""
    which = f" of {word(str(b.numbers.name))}" if len(at.beams) > 1 else ""
    suffix = f"p{b.label}"
    names = [f"x_{suffix}", f"y_{suffix}", f"z_{suffix}", f"delta_{suffix}", f"epsilon_{suffix}", f"chi_{suffix}"]
    own = at.eqs.tips.definitions if at.short else {}
    by_name = {str(name): (name, value) for name, value in own.items()}
    found = [by_name[name] for name in names if name in by_name]
    if not found:
        return []
    leans = [(name, value) for name, value in own.items() if str(name).startswith("sigma") and _belongs(value, at, b)]
    turns = _turns(b)
    places = ", ".join(f"${_write(name)}$" for name, _ in found if str(name)[0] in "xyz")
    blocks: list[Block] = [
        Text(
            f"At the tip{which}, constants without an argument are values at $x = L$: $\\phi_k = \\phi_k(L)$, "
            f"$\\phi_k' = \\phi_k'(L)$, $H_{{kl}} = H_{{kl}}(L)$. It is at {places} in the axes of the root, and its "
            f"axes are turned by {turns}:"
        ),
        *(Equation((f"{_write(name)} = {_write(value)}",)) for name, value in found),
    ]
    if leans:
        rates = "$\\dot{x}_p = -\\sum_k \\sigma_k \\dot{e}_k$"
        blocks += [
            Text(
                "A unit rate of mode $k$ moves the tip across the beam by $\\phi_k$ and inwards by $\\sigma_k$, so "
                f"that {rates}, with"
            ),
            *(Equation((f"{_write(name)} = {_write(value)}",)) for name, value in leans),
        ]
    return blocks


def _belongs(value: Expr, at: FlexibleSetting, b: Placed) -> bool:
    return bool(sp.sympify(value).free_symbols & set(at.eqs.q[b.row]))


def _turns(b: Placed) -> str:
    beam, suffix = b.numbers, f"p{b.label}"
    parts = [
        rf"\b{{R}}_z(\delta_{{{suffix}}})" * bool(beam.along_y),
        rf"\b{{R}}_y(-\epsilon_{{{suffix}}})" * bool(beam.along_z),
        rf"\b{{R}}_x(\chi_{{{suffix}}})" * bool(beam.torsion),
    ]
    return "$" + " ".join(filter(None, parts)) + "$"


def gears(chapter: Chapter, at: FlexibleSetting) -> None:
    """Motor and link of an elastic gear."""
    if not at.gears:
        return
    rows = [
        rf"\kappa_{{{i}}} = {_write(body.gear_stiffness)} \left( {_write(q)} - {_write(m)} \right)"
        for i, (q, m, body) in enumerate(
            ((at.eqs.q[link], at.eqs.q[motor], body) for link, motor, body in at.gears), start=1
        )
    ]
    chapter.add(
        Heading("Gears that give"),
        Text(
            "A joint with an elastic gear has two coordinates: the angle of its motor, measured behind the reduction, "
            "and that of its link. A spring between them carries the torque; its motor has the inertia "
            "$\\mathit{armature}$, as the link feels it. The rotor's motion with the link that carries it is left out, "
            f"as in Spong's model {spong(bool(at.beams))}, which is accurate for large reductions."
        ),
        Equation(tuple(rows)),
    )
