"""Special cases: small deflections, and rotation at a constant speed."""

from __future__ import annotations

import numpy as np

from redyn.symbolic.chapter.blocks import Array, Block, Chapter, Heading, Table, Text, formula, number, summed
from redyn.symbolic.chapter.flexible.references import STIFFENING
from redyn.symbolic.chapter.flexible.setting import FlexibleSetting
from redyn.symbolic.notation import Expr, Typesetter, sp

_write = Typesetter().write


def special(chapter: Chapter, at: FlexibleSetting) -> None:
    if not at.beams or not at.short:
        return
    chapter.add(Heading("Special cases"), *_small(at), *_spinning(at))


def _straight(at: FlexibleSetting, expression: Expr) -> Expr:
    """With no deflection."""
    e = {x: sp.Integer(0) for b in at.beams for x in at.eqs.q[b.row]}
    closed = at.eqs.closed
    return closed.write(closed.arith.element(sp.sympify(expression).xreplace(e)))


def _small(at: FlexibleSetting) -> list[Block]:
    """Linear in the amplitudes, at slow rates."""
    eqs = at.eqs
    n, lines = eqs.dof, list[Block]()
    for i in range(n):
        inertia = [_straight(at, eqs.mass_matrix[i, j]) * eqs.qdd[j] for j in range(n)]
        parts = [*inertia, _straight(at, eqs.gravity_torque[i]), eqs.spring_torque[i], eqs.friction_torque[i]]
        kept = [x for x in parts if x != 0]
        acts = at.robot.model.links[i].joint.actuated
        lines.append(
            summed(_write(eqs.tau[i]) if acts else "0", sp.Add(*kept, evaluate=False) if len(kept) > 1 else kept[0])
        )
    weighs = "gravity_torque" in dict(at.present)
    heavy = "; how weight changes the stiffness is left out here as well" if weighs else ""
    return [
        Heading("Small deflections", 2),
        Text(
            f"For small amplitudes and slow rotation, terms of second order in amplitudes and rates vanish{heavy}. The "
            "equations of textbooks on vibration are left:"
        ),
        *lines,
        *_orthogonal(at),
        *_frequencies(at),
    ]


def _orthogonal(at: FlexibleSetting) -> list[Block]:
    """Of one beam whose shapes are those with its own payload."""
    (b, *others), eqs = at.beams, at.eqs
    if others or b.numbers.torsion or eqs.contradictions or eqs.valueless:
        return []
    q = np.array(at.q)
    q[b.row] = 0.0
    own = at.robot.mass_matrix(q)[b.row, b.row] / float(np.float64(b.numbers.M.m))  # pyright: ignore[reportArgumentType]
    if not np.allclose(own, np.eye(len(own)), rtol=0, atol=1e-9):
        return []
    damping = " + D_k \\dot{e}_k" if "friction_torque" in dict(at.present) else ""
    return [
        Text(
            "By orthogonality the inertia of a mode is $m_b$, and modes share none: with the joint locked and no "
            f"weight, they are oscillators of their own, $m_b \\ddot{{e}}_k{damping} + K_k e_k = 0$."
        )
    ]


def _frequencies(at: FlexibleSetting) -> list[Block]:
    q = np.array(at.q)
    for b in at.beams:
        q[b.row] = 0.0
    names = at.robot.joint_names
    free = at.robot.vibration(q).frequencies / (2 * np.pi)
    locked = at.robot.vibration(q, names).frequencies / (2 * np.pi) if names else free
    if not len(free) and not len(locked):
        return []
    rows = [("joints locked", ", ".join(f"${number(float(x))}$" for x in locked))] if names else []
    rows.append(("joints free", ", ".join(f"${number(float(x))}$" for x in free) or "none"))
    return [
        Text(
            "Inertia couples the modes to the joint: an arm that is free to turn vibrates at higher frequencies than a "
            "clamped one, because its root moves against its tip."
            if len(names) == 1
            else "Inertia couples the modes to the joints, so that frequencies depend on which of them are held."
        ),
        Table(
            ("", "natural frequencies, Hz"),
            tuple(rows),
            f"At the joint angles of the example, straight{', weight included' if at.robot.gravity.any() else ''}.",
        ),
    ]


def _spinning(at: FlexibleSetting) -> list[Block]:
    """The stiffness of one beam on one revolute joint that turns at a constant rate."""
    eqs = at.eqs
    joints = [i for i, body in enumerate(at.bodies) if body.kind != "mode"]
    if len(at.beams) != 1 or len(joints) != 1 or at.bodies[joints[0]].kind != "revolute":
        return []
    rate, (b,) = eqs.qd[joints[0]], at.beams
    modes = range(b.first, b.first + b.symbolic.bending)
    still = {x: sp.Integer(0) for x in eqs.qd if x != rate}
    lines: list[Block] = []
    soft = np.zeros((len(modes), len(modes)))
    values = dict(eqs.values)
    rows = (*b.symbolic.H, *b.symbolic.P, *b.symbolic.R)
    shortened = {x for row in rows for x in row if isinstance(x, sp.Symbol)}
    for i in modes:
        for j in modes:
            slope = _straight(at, sp.expand(eqs.coriolis_vector[i].xreplace(still)).diff(eqs.q[j]))
            share = sp.expand(slope / rate**2)
            without = share.xreplace(dict.fromkeys(shortened, sp.Integer(0)))
            if not (share.free_symbols - values.keys()):
                soft[i - b.first, j - b.first] = float(without.xreplace(values))
            if i <= j and share != 0:
                stiff = at.bodies[i].stiffness if i == j else sp.Integer(0)
                name = f"K^{{*}}_{{{i - b.first + 1}{j - b.first + 1}}}"
                lines.append(
                    formula(name, sp.Add(stiff, share * rate**2, evaluate=False) if stiff != 0 else share * rate**2)
                )
    if not lines:
        return []
    return [
        Heading("Rotation at a constant speed", 2),
        Text(
            "While the joint turns at a constant rate, the terms in its square that are linear in the amplitudes act "
            "as a stiffness. With that of the beam it is"
        ),
        *lines,
        *_lost(at, soft),
    ]


def _lost(at: FlexibleSetting, soft: Array) -> list[Block]:
    """The speed at which a model without foreshortening would have no stiffness."""
    (b,) = at.beams
    stiffness = np.array([link.joint.stiffness for link in at.robot.model.links[b.row]], dtype=np.float64)
    falling = float(np.linalg.eigvals(-soft / stiffness[: len(soft), None]).real.max()) if len(soft) else 0.0
    if falling <= 0.0:
        return []
    speed = f"$\\dot{{\\theta}} = {number(falling**-0.5)}$ rad/s"
    if any(map(any, b.numbers.H)):
        said = (
            "$R_{kl}$ and $H_{kl}$, from the foreshortening, stiffen the beam; the others are the centrifugal force on "
            "what is displaced, and soften it. Without foreshortening the sum would cease to be positive definite at "
            f"{speed}, and a beam that is spun up would appear to fly apart {STIFFENING}."
        )
    else:
        said = (
            "Without foreshortening, as in this file, the sum loses its positive definiteness at "
            f"{speed}: faster rotation cannot be computed with this model."
        )
    return [Text(said)]
