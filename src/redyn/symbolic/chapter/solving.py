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
    number_list,
    number_matrix,
    number_vector,
    pair,
)
from redyn.symbolic.chapter.errata import damping_sign, solving_psi
from redyn.symbolic.chapter.setting import SHORT, Context, total_operations
from redyn.symbolic.equations import latex

Array = NDArray[np.float64]
_READABLE = 220  # operations of U, D and the inverse together


def factors(chapter: Chapter, at: Context) -> None:
    eqs = at.eqs
    rotor = r" + \mathit{armature}_i" if at.geared else ""
    gathered = (
        r"\b{B}_{i+1,i}^{T} (\hat{\b{M}}_{i+1} - \hat{\g{psi}}_{i+1} \g{psi}_{i+1}^{T}) \b{B}_{i+1,i}"
        if at.serial
        else r"\sum_{k \in \xi_i} \b{B}_{ki}^{T} (\hat{\b{M}}_k - \hat{\g{psi}}_k \g{psi}_k^{T}) \b{B}_{ki}"
    )
    chapter.add(
        Heading("Accelerations: the factors of the inertia matrix"),
        Text(
            "To solve for $\\ddot{\\g{theta}}$, the inertia matrix is factored from its last row upwards, "
            "$\\b{I} = \\b{U} \\b{D} \\b{U}^T$ with $\\b{D} = \\mathrm{diag}(\\hat{m}_1, \\ldots, \\hat{m}_n)$ and "
            f"ones on the diagonal of $\\b{{U}}$. This goes from {'the tip' if at.serial else 'the tips'} to the base "
            "and needs articulated bodies only:"
        ),
        Equation(
            (
                rf"\hat{{\g{{psi}}}}_i = \hat{{\b{{M}}}}_i \b{{p}}_i, \quad "
                rf"\hat{{m}}_i = \b{{p}}_i^{{T}} \hat{{\g{{psi}}}}_i{rotor}, "
                r"\quad \g{psi}_i = \hat{\g{psi}}_i / \hat{m}_i",
            ),
            "(9.39c)",
        ),
        Equation((rf"\hat{{\b{{M}}}}_i = \b{{M}}_i + {gathered}",), "(9.39d)"),
    )
    if not at.forward_possible:
        chapter.add(
            Note(
                "A joint without inertia",
                "One $\\hat{m}_i$ is zero here: forward dynamics is not determined.",
            )
        )
        return
    if at.short and at.n <= SHORT:
        U, D = eqs.udu
        for i in range(at.n, 0, -1):
            chapter.add(formula(rf"\hat{{m}}_{{{i}}}", D[i - 1], "(9.39c)"))
        for i in range(1, at.n):
            for k in range(i + 1, at.n + 1):
                if at.view.carries(i, k):
                    ik, ki = pair(i, k), pair(k, i)
                    left = rf"u_{{{ik}}} = \b{{p}}_{{{i}}}^{{T}} \b{{B}}_{{{ki}}}^{{T}} \g{{psi}}_{{{k}}}"
                    chapter.add(formula(left, U[i - 1, k - 1]))
        chapter.add(Code("U, D = eqs.udu\nD"))
        inverse = eqs.inverse_mass_matrix
        if total_operations(list(inverse)) <= _READABLE:
            chapter.add(
                Text("and the inverse of the inertia matrix has the elements"),
                *(
                    formula(rf"(\b{{I}}^{{-1}})_{{{pair(i + 1, j + 1)}}}", inverse[i, j])
                    for i in range(at.n)
                    for j in range(i + 1)
                ),
            )
    chapter.add(
        Text("At the state of the example:"),
        Equation(
            (
                rf"\b{{U}} = {number_matrix(at.view.U)}",
                rf"\b{{D}} = \mathrm{{diag}} {number_list(at.view.D)}",
            )
        ),
    )


def state_space(chapter: Chapter, at: Context) -> None:
    if not at.short or not at.forward_possible or at.n > SHORT:
        return
    space = at.eqs.state_space
    force = r" + \b{B} \b{f}_e" if space.B is not None else ""
    minus = r" - \b{B} \b{f}_e" if space.B is not None else ""
    rates = r"\b{C}\dot{\b{q}} + \b{f}(\dot{\b{q}})" if at.frictional else r"\b{C}\dot{\b{q}}"
    friction = ", friction included" if at.frictional else ""
    weight, less = (r" + \b{G}", r" - \b{G}") if at.heavy or at.sprung else ("", "")
    terms = {r"\g{gamma}": ("gravity", at.heavy), r"\g{kappa}": ("the springs", at.sprung)}
    held = {term: name for term, (name, present) in terms.items() if present}
    gravity = f" and $\\b{{G}} = {' + '.join(held)}$ for {' and '.join(held.values())}" if held else ""
    chapter.add(
        Heading("State space, continuous and discrete"),
        Text(
            "For control and simulation the equations are written for the state $(\\dot{\\b{q}}, \\b{q})$, with "
            f"$\\b{{M}}$ for the inertia matrix, $\\b{{V}} = {rates}$ for the terms in the rates{friction}{gravity}:"
        ),
        Equation(
            (
                rf"\g{{tau}} = \b{{M}}\ddot{{\b{{q}}}} + \b{{V}}{weight}{force}",
                rf"\ddot{{\b{{q}}}} = \b{{M}}^{{-1}}(\g{{tau}} - \b{{V}}{less}{minus})",
            )
        ),
    )
    if space.B is not None:
        chapter.add(
            Text("where $\\b{f}_e$ is the force that the end effector exerts on its surroundings, in ground axes, and"),
            Equation((rf"\b{{B}} = {latex(space.B)}",)),
        )
    step = rf"{_state('t+1')} = {latex(space.A)} \, {_state('t')} + {latex(space.B_h)} \, \ddot{{\b{{q}}}}_{{t}}"
    chapter.add(
        Text("A step of size $h$ keeps the second-order term of the positions:"),
        Equation((step,)),
        Code("eqs.state_space.step"),
    )
    note = damping_sign(at)
    if note:
        chapter.add(note)


def _state(when: str) -> str:
    return rf"\begin{{bmatrix}} \dot{{\b{{q}}}}_{{{when}}} \\ \b{{q}}_{{{when}}} \end{{bmatrix}}"


def traced(chapter: Chapter, at: Context) -> None:
    """(9.32), (9.33) and (9.39)-(9.41) with numbers, link by link."""
    view, n = at.view, at.n
    rates = [tuple(["$" + number(float(x)) + "$" for x in v]) for v in (at.q, at.qd, at.qdd)]
    header = ("", *(f"joint {i}" for i in range(1, n + 1)))
    weight = (
        " Gravity enters as an acceleration of the ground, $\\dot{\\b{t}}_0 = [\\b{0}; -\\b{g}]$ (9.35)."
        if at.heavy
        else ""
    )
    chapter.add(
        Heading("The recursions with numbers"),
        Text("At this state, in SI units and radians,"),
        Table(header, (("$q$", *rates[0]), (r"$\dot{q}$", *rates[1]), (r"$\ddot{q}$", *rates[2])), "The state."),
        Text(f"the forward recursion carries twists and their rates outward, from parent $j$ to link $i$.{weight}"),
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
    outer = (
        r"\b{B}_{i+1,i}^{T} \tilde{\b{w}}_{i+1}" if at.serial else r"\sum_{k \in \xi_i} \b{B}_{ki}^{T} \tilde{\b{w}}_k"
    )
    chapter.add(
        Text("The backward recursion accumulates wrenches inward and projects each on its joint:"),
        Equation(
            (
                rf"\b{{w}}_i = \b{{M}}_i \dot{{\b{{t}}}}_i + \b{{W}}_i \b{{M}}_i \b{{t}}_i, \quad "
                rf"\tilde{{\b{{w}}}}_i = \b{{w}}_i + {outer}, \quad \tau_i = \b{{p}}_i^{{T}} \tilde{{\b{{w}}}}_i"
                rf"{at.drive_in_general}",
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
                    rf"\tau_{{{i}}} = \b{{p}}_{{{i}}}^{{T}} \tilde{{\b{{w}}}}_{{{i}}}{at.drive(i)} = "
                    rf"{number(float(at.torque[i - 1]))}",
                )
            )
        )
    chapter.add(Code("robot.inverse_dynamics(q, qd, qdd)"))
    if at.forward_possible:
        _solve(chapter, at)


def _solve(chapter: Chapter, at: Context) -> None:
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
    known = r"\g{tau} - \b{h}" + r" - \g{gamma}" * at.heavy + r" - \g{kappa}" * at.sprung + r" - \b{f}" * at.frictional
    if at.serial:
        arriving = r"\g{eta}_{i,i+1}", r"\g{mu}_{i,i-1}"
        handed = (
            r"\g{eta}_{i,i+1} = \b{B}_{i+1,i}^{T} \g{eta}_{i+1}",
            r"\g{mu}_{i,i-1} = \b{B}_{i,i-1} \g{mu}_{i-1}",
        )
    else:
        arriving = r"\bar{\g{eta}}_i", r"\bar{\g{mu}}_i"
        handed = (
            r"\bar{\g{eta}}_i = \sum_{k \in \xi_i} \b{B}_{ki}^{T} \g{eta}_k",
            r"\bar{\g{mu}}_i = \b{B}_{ij} \g{mu}_j",
        )
    inner, outer = arriving
    chapter.add(
        Text(
            f"Forward dynamics is the inverse problem. With $\\g{{varphi}} = {known}$ given, one pass inward and one "
            "outward solve $\\b{U}\\b{D}\\b{U}^T \\ddot{\\g{theta}} = \\g{varphi}$ (9.38):"
        ),
        Equation(
            (
                rf"{handed[0]}, \quad \hat{{\varphi}}_i = \varphi_i - \b{{p}}_i^{{T}} {inner}",
                rf"\g{{eta}}_i = \g{{psi}}_i \hat{{\varphi}}_i + {inner}, \quad "
                r"\tilde{\varphi}_i = \hat{\varphi}_i / \hat{m}_i",
            ),
            "(9.39a), (9.39b), (9.40)",
        ),
        Equation(
            (
                rf"{handed[1]}, \quad \ddot{{\theta}}_i = \tilde{{\varphi}}_i - \g{{psi}}_i^{{T}} {outer}, \quad "
                rf"\g{{mu}}_i = \b{{p}}_i \ddot{{\theta}}_i + {outer}",
            ),
            "(9.41a), (9.41b)",
        ),
    )
    note = solving_psi(right, printed)
    if note:
        chapter.add(note)
    header = ("", *(f"joint {i}" for i in range(1, at.n + 1)))
    chapter.add(
        Table(header, tuple(rows), "These are the accelerations of the table above."),
        Code("robot.forward_dynamics(q, qd, robot.inverse_dynamics(q, qd, qdd))"),
    )


def inward(at: Context, phi: Array) -> tuple[Array, Array]:
    view, n = at.view, at.n
    eta = np.zeros((n, 6))  # accumulated from the children
    phi_hat, phi_tilde = np.zeros(n), np.zeros(n)
    for i in range(n, 0, -1):
        k = i - 1
        phi_hat[k] = phi[k] - view.p[k] @ eta[k]  # (9.39a)
        phi_tilde[k] = phi_hat[k] / view.m_hat[k]  # (9.40)
        j = int(view.parent[k])
        if j:
            eta[j - 1] += view.B(i, j).T @ (view.psi[k] * phi_hat[k] + eta[k])  # (9.39b)
    return phi_hat, phi_tilde


def outward(at: Context, phi_tilde: Array, psi: Array) -> Array:
    view, n = at.view, at.n
    mu, found = np.zeros((n, 6)), np.zeros(n)
    for i in range(1, n + 1):
        k, j = i - 1, int(view.parent[i - 1])
        arriving = view.B(i, j) @ mu[j - 1] if j else np.zeros(6)
        found[k] = phi_tilde[k] - psi[k] @ arriving  # (9.41a)
        mu[k] = view.p[k] * found[k] + arriving  # (9.41b)
    return found
