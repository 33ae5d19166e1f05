"""Forward dynamics: U D U^T, the inverse, the state space, and the recursions traced with numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from redyn.symbolic.chapter.blocks import (
    Chapter,
    Code,
    Equation,
    Heading,
    Note,
    Table,
    Text,
    formula,
    number,
    number_matrix,
    number_vector,
)
from redyn.symbolic.chapter.errata import damping_sign, solving_psi
from redyn.symbolic.chapter.setting import Setting, total_operations
from redyn.symbolic.equations import latex

Array = NDArray[np.float64]
_READABLE = 220  # operations of U, D and the inverse together


def factors(chapter: Chapter, at: Setting) -> None:
    eqs = at.eqs
    chapter.add(
        Heading("Accelerations: the factors of the inertia matrix"),
        Text(
            "To solve for $\\ddot{\\g{theta}}$, the inertia matrix is split from its last row upwards, which "
            "follows the arm from tip to base and needs articulated bodies only:"
        ),
        Equation(
            (r"\b{I} = \b{U} \b{D} \b{U}^{T}, \quad \b{D} = \mathrm{diag}(\hat{m}_1, \ldots, \hat{m}_n)",),
            "(9.38)",
        ),
        Equation(
            (
                r"\hat{\g{psi}}_i = \hat{\b{M}}_i \b{p}_i, \quad \hat{m}_i = \b{p}_i^{T} \hat{\g{psi}}_i, "
                r"\quad \g{psi}_i = \hat{\g{psi}}_i / \hat{m}_i",
            ),
            "(9.39c)",
        ),
        Equation(
            (
                r"\hat{\b{M}}_{i-1} = \b{M}_{i-1} + \b{B}_{i,i-1}^{T} (\hat{\b{M}}_i - \hat{\g{psi}}_i "
                r"\g{psi}_i^{T}) \b{B}_{i,i-1}",
            ),
            "(9.39d)",
        ),
    )
    if not at.forward_possible:
        chapter.add(
            Note("A joint without inertia", "One $\\hat{m}_i$ is zero here: this robot has no forward dynamics.")
        )
        return
    if at.short:
        U, D = eqs.udu
        for i in range(at.n, 0, -1):
            chapter.add(formula(rf"\hat{{m}}_{{{i}}}", D[i - 1], "(9.39c)"))
        for i in range(1, at.n):
            for k in range(i + 1, at.n + 1):
                left = rf"u_{{{i}{k}}} = \b{{p}}_{{{i}}}^{{T}} \b{{B}}_{{{k}{i}}}^{{T}} \g{{psi}}_{{{k}}}"
                chapter.add(formula(left, U[i - 1, k - 1]))
        chapter.add(Code("U, D = eqs.udu\nD"))
        inverse = eqs.inverse_mass_matrix
        if total_operations(list(inverse)) <= _READABLE:
            chapter.add(
                Text("and the inverse of the inertia matrix has the elements"),
                *(
                    formula(rf"(\b{{I}}^{{-1}})_{{{i + 1}{j + 1}}}", inverse[i, j])
                    for i in range(at.n)
                    for j in range(i + 1)
                ),
            )
    chapter.add(
        Text("At the state of the example:"),
        Equation(
            (rf"\b{{U}} = {number_matrix(at.view.U)}, \quad \b{{D}} = \mathrm{{diag}} {number_vector(at.view.D)}",)
        ),
    )


def state_space(chapter: Chapter, at: Setting) -> None:
    if not at.short or not at.forward_possible:
        return
    space = at.eqs.state_space
    force = r" + \b{B} \b{f}" if space.B is not None else ""
    minus = r" - \b{B} \b{f}" if space.B is not None else ""
    chapter.add(
        Heading("State space, continuous and in steps"),
        Text(
            "For control and simulation the equations are written for the state $(\\dot{\\b{q}}, \\b{q})$, with "
            "$\\b{M}$ for the inertia matrix, $\\b{V}$ for the terms in the rates (friction included) and $\\b{G}$ "
            "for gravity:"
        ),
        Equation(
            (
                rf"\g{{tau}} = \b{{M}}\ddot{{\b{{q}}}} + \b{{V}} + \b{{G}}{force}",
                rf"\ddot{{\b{{q}}}} = \b{{M}}^{{-1}}(\g{{tau}} - \b{{V}} - \b{{G}}{minus})",
            )
        ),
    )
    if space.B is not None:
        chapter.add(
            Text("where $\\b{f}$ is the force that the end effector exerts on its surroundings, in ground axes, and"),
            Equation((rf"\b{{B}} = {latex(space.B)}",)),
        )
    chapter.add(
        Text("A step of size $h$ keeps the second-order term of the positions:"),
        Equation((rf"{_state('t+1')} = {latex(space.A)} {_state('t')} + {latex(space.B_h)} \ddot{{\b{{q}}}}_{{t}}",)),
        Code("eqs.state_space.step"),
    )
    note = damping_sign(at)
    if note:
        chapter.add(note)


def _state(when: str) -> str:
    return rf"\begin{{bmatrix}} \dot{{\b{{q}}}}_{{{when}}} \\ \b{{q}}_{{{when}}} \end{{bmatrix}}"


def traced(chapter: Chapter, at: Setting) -> None:
    """(9.32), (9.33) and (9.39)-(9.41) with numbers, link by link."""
    view, n = at.view, at.n
    rates = [tuple(["$" + number(float(x)) + "$" for x in v]) for v in (at.q, at.qd, at.qdd)]
    header = ("", *(f"joint {i}" for i in range(1, n + 1)))
    chapter.add(
        Heading("The recursions with numbers"),
        Text("At this state, in SI units and radians,"),
        Table(header, (("$q$", *rates[0]), (r"$\dot{q}$", *rates[1]), (r"$\ddot{q}$", *rates[2])), "The state."),
        Text(
            "the forward recursion carries twists and their rates outward. Gravity enters as an acceleration "
            "$-\\b{g}$ of the ground (9.35):"
        ),
        Equation(
            (
                r"\b{t}_i = \b{B}_{ij} \b{t}_j + \b{p}_i \dot{\theta}_i, \quad \dot{\b{t}}_i = "
                r"\b{B}_{ij} \dot{\b{t}}_j + \dot{\b{B}}_{ij} \b{t}_j + \b{p}_i \ddot{\theta}_i + "
                r"\g{Omega}_i \b{p}_i \dot{\theta}_i",
            ),
            "(9.32)",
        ),
    )
    lift = np.concatenate([np.zeros(3), -view.gravity])
    for i in range(1, n + 1):
        rate = view.t_dot[6 * i - 6 : 6 * i] + lift
        chapter.add(
            Equation(
                (
                    rf"\b{{t}}_{{{i}}} = {number_vector(view.t_i(i))}",
                    rf"\dot{{\b{{t}}}}_{{{i}}} = {number_vector(rate)}",
                )
            )
        )
    w = view.w - view.w_gravity
    w_tilde = view.N_l.T @ w
    chapter.add(
        Text("The backward recursion gathers wrenches inward and projects each on its joint:"),
        Equation(
            (
                r"\b{w}_i = \b{M}_i \dot{\b{t}}_i + \b{W}_i \b{M}_i \b{t}_i, \quad \tilde{\b{w}}_i = "
                r"\b{w}_i + \b{B}_{i+1,i}^{T} \tilde{\b{w}}_{i+1}, \quad \tau_i = \b{p}_i^{T} \tilde{\b{w}}_i",
            ),
            "(9.33)",
        ),
    )
    for i in range(n, 0, -1):
        part = slice(6 * i - 6, 6 * i)
        chapter.add(
            Equation(
                (
                    rf"\b{{w}}_{{{i}}} = {number_vector(w[part])}",
                    rf"\tilde{{\b{{w}}}}_{{{i}}} = {number_vector(w_tilde[part])}",
                    rf"\tau_{{{i}}} = \b{{p}}_{{{i}}}^{{T}} \tilde{{\b{{w}}}}_{{{i}}} = "
                    rf"{number(float(at.torque[i - 1]))}",
                )
            )
        )
    chapter.add(Code("robot.inverse_dynamics(q, qd, qdd)"))
    if at.forward_possible:
        _solve(chapter, at)


def _solve(chapter: Chapter, at: Setting) -> None:
    view = at.view
    phi = view.GIM @ at.qdd
    phi_hat, phi_tilde = inward(at, phi)
    right, printed = outward(at, phi_tilde, view.psi), outward(at, phi_tilde, view.psi_hat)
    rows = [
        (f"${name}$", *(f"${number(float(x))}$" for x in values))
        for name, values in (
            (r"\varphi_i", phi),
            (r"\hat{\varphi}_i", phi_hat),
            (r"\hat{m}_i", view.m_hat),
            (r"\tilde{\varphi}_i", phi_tilde),
            (r"\ddot{\theta}_i", right),
        )
    ]
    chapter.add(
        Text(
            "And back again. With $\\g{varphi} = \\g{tau} - \\b{h} - \\g{gamma}$ given, one pass inward and one "
            "outward solve $\\b{U}\\b{D}\\b{U}^T \\ddot{\\g{theta}} = \\g{varphi}$:"
        ),
        Equation(
            (
                r"\hat{\varphi}_i = \varphi_i - \b{p}_i^{T} \g{eta}_{i,i+1}, \quad \g{eta}_i = "
                r"\g{psi}_i \hat{\varphi}_i + \g{eta}_{i,i+1}, \quad \tilde{\varphi}_i = \hat{\varphi}_i / \hat{m}_i",
            ),
            "(9.39a, b), (9.40)",
        ),
        Equation(
            (
                r"\ddot{\theta}_i = \tilde{\varphi}_i - \g{psi}_i^{T} \g{mu}_{i,i-1}, \quad \g{mu}_i = "
                r"\b{p}_i \ddot{\theta}_i + \g{mu}_{i,i-1}",
            ),
            "(9.41)",
        ),
    )
    note = solving_psi(right, printed)
    if note:
        chapter.add(note)
    header = ("", *(f"joint {i}" for i in range(1, at.n + 1)))
    chapter.add(
        Table(header, tuple(rows), "The accelerations of the table above come back."),
        Code("robot.forward_dynamics(q, qd, robot.inverse_dynamics(q, qd, qdd))"),
    )


def inward(at: Setting, phi: Array) -> tuple[Array, Array]:
    view, n = at.view, at.n
    eta = np.zeros((n, 6))  # what the children hand on
    phi_hat, phi_tilde = np.zeros(n), np.zeros(n)
    for i in range(n, 0, -1):
        k = i - 1
        phi_hat[k] = phi[k] - view.p[k] @ eta[k]  # (9.39a)
        phi_tilde[k] = phi_hat[k] / view.m_hat[k]  # (9.40)
        j = int(view.parent[k])
        if j:
            eta[j - 1] += view.B(i, j).T @ (view.psi[k] * phi_hat[k] + eta[k])  # (9.39b)
    return phi_hat, phi_tilde


def outward(at: Setting, phi_tilde: Array, psi: Array) -> Array:
    view, n = at.view, at.n
    mu, found = np.zeros((n, 6)), np.zeros(n)
    for i in range(1, n + 1):
        k, j = i - 1, int(view.parent[i - 1])
        arriving = view.B(i, j) @ mu[j - 1] if j else np.zeros(6)
        found[k] = phi_tilde[k] - psi[k] @ arriving  # (9.41a)
        mu[k] = view.p[k] * found[k] + arriving  # (9.41b)
    return found
