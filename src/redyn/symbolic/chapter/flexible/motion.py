"""Energies, the mass matrix and the equations of motion."""

from __future__ import annotations

from redyn.symbolic.chapter.blocks import (
    Block,
    Chapter,
    Code,
    Equation,
    Fold,
    Heading,
    Table,
    Text,
    number,
    pair,
    summed,
)
from redyn.symbolic.chapter.flexible.references import spong
from redyn.symbolic.chapter.flexible.setting import FlexibleSetting
from redyn.symbolic.notation import Expr, Typesetter, sp, symbol_latex
from redyn.words import counted

_write = Typesetter().write
_MEANING = {
    "m": "mass",
    "d": "mass centre along {axis}",
    "I": "moment of inertia about {axis}, at the mass centre",
    "g": "gravity",
    "a": "length along x",
    "k": "stiffness",
    "armature": "inertia of the rotor",
    "damping": "damping",
}
_TITLES = {
    "coriolis_vector": "Centrifugal and Coriolis terms",
    "gravity_torque": "Weight",
    "spring_torque": "Strain and springs",
    "friction_torque": "Damping and friction",
}


def energies(chapter: Chapter, at: FlexibleSetting) -> None:
    if not at.beams:
        return
    chapter.add(
        Heading("Energies"),
        Text(
            "The kinetic energy of a beam is the integral of $\\b{v}^T \\b{v} / 2$ over its particles. Kept to second "
            "order in the amplitudes and their rates, it is"
        ),
        Equation(
            (
                r"T_b = \frac{1}{2} \b{t}^T \b{M}(\b{e}) \b{t} + \sum_k \dot{e}_k \b{t}^T \b{c}_k(\b{e}) + "
                r"\frac{1}{2} \sum_{k,l} G_{kl} \dot{e}_k \dot{e}_l",
            )
        ),
        Text(
            "with $\\b{t} = [\\g{omega}; \\b{v}_0]$ the twist of the root, $\\b{M}$ the mass matrix of the bent beam "
            "taken as rigid, and $\\b{c}_k$ the momentum of a unit rate of mode $k$. What the tip carries is a rigid "
            "body on it, without approximation. The strain of bending and torsion, and the weight, store"
        ),
        Equation((r"U = \frac{1}{2} \sum_k K_k e_k^2 - \b{g}^T \int \b{r} \, dm - \ldots",)),
    )
    if at.short:
        chapter.add(
            Text("Here, with all bodies,"),
            summed("T", at.shown("kinetic_energy")[0]),
            summed("U", at.shown("potential_energy")[0]),
            Code("eqs.kinetic_energy, eqs.potential_energy"),
        )


def equations(chapter: Chapter, at: FlexibleSetting) -> None:
    left = " + ".join([r"\b{M}(\b{q}) \ddot{\b{q}}", *(letter for _, letter in at.present)])
    idle = "" if all(link.joint.actuated for link in at.robot.model.links) else _idle(at)
    chapter.add(
        Heading("The equations of motion"),
        Text(
            "The recursions that give the robot's numbers, run over symbols, give each term in closed form. "
            "Christoffel's symbols are not needed for it; Lagrange's equations serve as a check, below."
        ),
        Equation((rf"{left} = \g{{tau}}",)),
        *([Text(idle)] if idle else []),
    )
    if not at.short:
        chapter.add(*_steps(at))
        return
    n, M = at.eqs.dof, at.shown("mass_matrix")
    chapter.add(Heading("Mass matrix", 2))
    places = [(i, j) for i in range(n) for j in range(i, n) if M[n * i + j] != 0]
    chapter.add(
        *(summed(f"M_{{{pair(i + 1, j + 1)}}}", M[n * i + j]) for i, j in places),
        Text("and the same below the diagonal: $\\b{M}$ is symmetric."),
        Code("eqs.mass_matrix"),
    )
    for name, letter in at.present:
        column = at.shown(name)
        chapter.add(
            Heading(_TITLES[name], 2),
            *(summed(rf"{letter[3:-1]}_{{{i}}}", x) for i, x in enumerate(column, start=1) if x != 0),
            Code(f"eqs.{name}"),
        )
    chapter.add(*_constants(at))


def _idle(at: FlexibleSetting) -> str:
    modes = "modes" if at.beams else ""
    links = "links beyond elastic gears" if at.gears else ""
    what = " and ".join(filter(None, (modes, links)))
    return f"No actuator acts on {what}: their rows of $\\g{{tau}}$ are zero."


def _steps(at: FlexibleSetting) -> list[Block]:
    steps = at.eqs.steps("inverse_dynamics")
    lines = steps.latex()
    blocks: list[Block] = [Equation((line,)) for line in lines[: len(steps.assignments)]]
    blocks += [Equation((rf"\tau_{{{i}}} = {_write(e)}",)) for i, e in enumerate(steps.outputs[0], start=1)]
    return [
        Text(
            f"The closed form for {counted(at.eqs.dof, 'coordinate')} would fill many pages. The recursion itself, run "
            f"over symbols with every intermediate result named, is {counted(len(steps.assignments), 'short line')} "
            f"and {counted(steps.operations, 'operation')}; each line uses only those above it."
        ),
        Fold(f"The {counted(len(steps.assignments), 'line')} of the inverse dynamics, and the torques", tuple(blocks)),
        Code("steps = eqs.steps('inverse_dynamics')\nlen(steps.assignments), steps.operations"),
    ]


def _constants(at: FlexibleSetting) -> list[Block]:
    """Those in the formulas that are no constants of a beam."""
    eqs = at.eqs
    shown = [x for name in ("mass_matrix", *(name for name, _ in at.present)) for x in at.shown(name)]
    used = set[Expr]().union(*(sp.sympify(x).free_symbols for x in shown))
    beams = ("L", "phi", "dphi", "psi", "S", "J", "W", "G", "P", "R", "H", "T", "TT", "K", "D")
    rows: list[tuple[str, ...]] = []
    for x, value in eqs.values.items():
        name = str(x)
        if x in used and name.split("_")[0] not in beams and not name.startswith("m_b"):
            rows.append((f"${symbol_latex(name)}$", _described(name), f"${number(value)}$"))
    return [Table(("constant", "meaning", "value"), tuple(rows), "The other constants (SI units).")] if rows else []


def _described(name: str) -> str:
    letter, _, index = name.partition("_")
    axis = index.lstrip("hpbmg0123456789")[:1]
    what = _MEANING.get(letter, "").format(axis=f"${axis}$" if axis else "")
    kinds = {"h": "hub, at the root of the beam", "p": "payload, at its tip", "b": "beam", "m": "motor", "g": "gear"}
    of = kinds.get(index[:1], f"link {index[:1]}" if index[:1].isdigit() else "")
    number_ = "".join(c for c in index[1:] if c.isdigit()) if index[:1] in kinds else ""
    return what + (f" ({of}{f' {number_}' if number_ else ''})" if of else "")


def spong_form(chapter: Chapter, at: FlexibleSetting) -> None:
    """The rows of links and of motors apart."""
    if not at.gears or at.beams:
        return
    eqs = at.eqs
    links, motors = [i for i, _, _ in at.gears], [m for _, m, _ in at.gears]
    theta, phi = (", ".join(_write(eqs.q[i]) for i in places) for places in (links, motors))
    has = {name for name, _ in at.present}
    weight = r" + \b{g}" * ("gravity_torque" in has)
    lossy = any(body.gear_damping != 0 for _, _, body in at.gears)
    gear = r"\b{K} (\g{theta} - \g{theta}_m)" + r" + \b{D} (\dot{\g{theta}} - \dot{\g{theta}}_m)" * lossy
    friction = r" + \b{f}(\dot{\g{theta}}_m)" * any(eqs.symbolic.bodies[m].damping != 0 for m in motors)
    chapter.add(
        Heading("Spong's form"),
        Text(
            f"With $\\g{{theta}} = ({theta})$ of the links and $\\g{{theta}}_m = ({phi})$ of the motors, the rows "
            f"separate into those of the rigid arm without its motors, and those of the motors {spong(bool(at.beams))}:"
        ),
        Equation(
            (
                rf"\b{{M}}(\g{{theta}}) \ddot{{\g{{theta}}}} + \b{{h}}{weight} + {gear} = \b{{0}}",
                rf"\b{{J}} \ddot{{\g{{theta}}}}_m{friction} - {gear.replace(' + ', ' - ')} = \g{{tau}}",
            )
        ),
        Text(
            "Inertia couples links with links only, and motors with nothing: both halves meet in the springs alone. "
            "The sum of the two rows of a joint is free of its spring. If the gear becomes stiff, "
            "$\\g{theta}_m \\rightarrow \\g{theta}$, and the sum is the equation of the rigid robot:"
        ),
        Equation(
            (
                rf"\left( \b{{M}}(\g{{theta}}) + \b{{J}} \right) \ddot{{\g{{theta}}}} + \b{{h}}{weight}"
                rf"{friction.replace('_m', '')} = \g{{tau}}",
            )
        ),
        Code("robot.rigid().mass_matrix(q[1::2])"),
    )
