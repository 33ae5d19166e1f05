"""Remarks on known robots, the numbers at a state, and what was compared."""

from __future__ import annotations

from redyn.symbolic.chapter.agreement import table_of_agreement
from redyn.symbolic.chapter.blocks import (
    Block,
    Chapter,
    Code,
    Equation,
    Heading,
    Text,
    formula,
    number_matrix,
    number_vector,
)
from redyn.symbolic.chapter.rolling.references import ANGELES, CHAPLYGIN, REFERENCES
from redyn.symbolic.chapter.rolling.setting import RollingSetting
from redyn.symbolic.notation import sp, symbol

_WIDEST = 8  # columns of a matrix of numbers


def remarks(chapter: Chapter, at: RollingSetting) -> None:
    """What is known of the disk, of the sleigh and of two wheels on an axle."""
    found = [*_steady(at), *_sleigh(at), *_axle(at)]
    if found:
        chapter.add(Heading("What it means"), *found)


def _steady(at: RollingSetting) -> list[Block]:
    """Rolling in a circle at a constant lean."""
    if at.eqs.free is None:
        return []
    eqs = at.eqs
    psi, theta, _ = eqs.u
    still = {theta: sp.Integer(0)}
    held = (eqs.reduced_coriolis_vector[1] + eqs.reduced_gravity_torque[1]).xreplace(still)
    rate = symbol("psi_dot")
    assert psi == rate
    return [
        Text(
            "A disk rolls in a circle at a constant lean if $\\dot{\\psi}$ and $\\dot{\\phi}$ are constant and the "
            "second row holds with $\\dot{\\theta} = \\ddot{\\theta} = 0$ and no torque:"
        ),
        formula("0", held),
    ]


def _sleigh(at: RollingSetting) -> list[Block]:
    contacts = at.robot.model.contacts
    if [contact.kind for contact in contacts] != ["blade"] or at.eqs.dof != 3 or not at.eqs.symbolic.body_rates:
        return []
    return [
        Text(
            f"This is Chaplygin's sleigh {CHAPLYGIN}. Without torques, its speed grows until the mass centre leads and "
            "it runs straight, although nothing dissipates energy: with $k^2 = (I_{zz} + m d_x^2) / m$ and a constant "
            "$c$, $c^2 = v_x^2 + k^2 \\dot{\\psi}^2$,"
        ),
        Equation(
            (
                r"v_x = c \tanh(t_0 + d_x c t / k^2), \quad \dot{\psi} = \frac{c}{k \cosh(t_0 + d_x c t / k^2)}",
                r"t_0 = \operatorname{artanh}(v_x(0) / c)",
            )
        ),
    ]


def _axle(at: RollingSetting) -> list[Block]:
    """Speed and turning of two wheels on one axle."""
    eqs = at.eqs
    spins = [i for i, x in enumerate(eqs.q) if str(x).startswith("phi")]
    if [contact.kind for contact in at.robot.model.contacts] != ["wheel", "wheel"] or eqs.rolling.independent != spins:
        return []
    turn = (eqs.transmission.row(2) * sp.Matrix(eqs.u))[0]
    ahead = (eqs.transmission.row(0) * sp.Matrix(eqs.u))[0].xreplace({sp.cos(eqs.q[2]): sp.Integer(1)})
    return [
        Text("Of the middle of the axle, the speed ahead and the rate of turning are"),
        formula("v", sp.factor(ahead)),
        formula(r"\omega", sp.factor(turn)),
    ]


def numbers(chapter: Chapter, at: RollingSetting) -> None:
    s, robot = at.at, at.robot
    chapter.add(
        Heading("At one state"),
        Equation(
            (
                rf"\b{{q}} = {number_vector(s.q)}",
                rf"\b{{u}} = {number_vector(s.u)}, \quad \dot{{\b{{u}}}} = {number_vector(s.u_dot)}",
            )
        ),
        Text("The rates of all joints, and what the robot's compiled functions give (SI units):"),
        Equation((rf"\dot{{\b{{q}}}} = \b{{S}} \b{{u}} = {number_vector(s.qd)}",)),
        Equation((rf"\ddot{{\b{{q}}}} = \b{{S}} \dot{{\b{{u}}}} + \g{{gamma}} = {number_vector(s.qdd)}",)),
    )
    if s.A.shape[1] <= _WIDEST:
        chapter.add(Equation((rf"\b{{A}} = {number_matrix(s.A)}",)), Equation((rf"\b{{S}} = {number_matrix(s.S)}",)))
    chapter.add(
        Equation((rf"\bar{{\b{{M}}}} = {number_matrix(robot.mass_matrix(s.q))}",)),
        Equation((rf"\g{{tau}}_a = {number_vector(at.tau)}",)),
        Equation((rf"\g{{lambda}} = {number_vector(at.multipliers)}",)),
        Code("eqs.evaluate('reduced_torque', q, u, u_dot)"),
    )


def agreement(chapter: Chapter, at: RollingSetting) -> None:
    """How the formulas were compared with the compiled functions."""
    how = "Three derivations of the tree, and all that is printed here, against the robot's compiled functions:"
    table_of_agreement(chapter, at.eqs, how)


def references(chapter: Chapter, at: RollingSetting) -> None:
    cited = REFERENCES if _sleigh(at) else REFERENCES[:2]
    chapter.add(
        Heading("References"),
        Text(f"The complement itself is due to Angeles and Lee {ANGELES}."),
        *(Text(reference) for reference in cited),
    )
