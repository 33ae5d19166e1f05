"""H. Wang, Robot Dynamics (lecture slides)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from redyn.reproduce.errata.erratum import Erratum, Finding, Measure, compared, number, said
from redyn.reproduce.item import Array, Load
from redyn.reproduce.lagrange import pointing_terms, two_link_terms
from redyn.reproduce.slides_forces import TIP_FORCE, tip_jacobian
from redyn.reproduce.slides_newton_euler import Slips, eliminate
from redyn.reproduce.slides_particles import TILT, balance, massless_link
from redyn.reproduce.verified import verified
from redyn.robot import External

INVERSE = "inverse dynamics of the same arm, and Lagrange's equations in symbols (`redyn equations lagrange-two-link`)"
STATE = ("q", "qd", "qdd")


def _pointing(coriolis: bool) -> Measure:
    def measure(load: Load) -> Sequence[Finding]:
        e = verified("lagrange-pointing")
        robot, terms = load("lagrange-pointing"), pointing_terms(e)
        q, qd = (np.array(e[k]) for k in STATE[:2])
        m, l, s = e["m2"], e["l2"], np.sin(2 * q[1])
        if coriolis:
            printed = terms["C"].copy()
            printed[0] = 0.5 * m * l**2 * s * qd[0] * qd[1]
            return [compared("pan-tilt arm", printed, terms["C"], robot.coriolis_vector(q, qd), "Nm")]
        printed = terms["H"].copy()
        printed[1, 1] = m * l
        return [compared("pan-tilt arm", printed, terms["H"], robot.mass_matrix(q), "kg m²")]

    return measure


def _newton_euler(slips: Slips) -> Measure:
    def measure(load: Load) -> Sequence[Finding]:
        e = verified("lagrange-two-link")
        tau = load("lagrange-two-link").inverse_dynamics(*(e[k] for k in STATE))
        return [compared("two-link arm", eliminate(e, slips).tau, eliminate(e).tau, tau, "Nm")]

    return measure


def _regressor(load: Load) -> Sequence[Finding]:
    e = verified("lagrange-two-link")
    terms = two_link_terms(e)
    tau = load("lagrange-two-link").inverse_dynamics(*(e[k] for k in STATE))
    return [compared("two-link arm", terms["printed regressor"], terms["regressor"], tau, "Nm")]


def _gravity(_: Load) -> Sequence[Finding]:
    found = float(balance().forward_dynamics([TILT], [0.0], [0.0])[0])
    return [
        compared("masses of 1.5 and 0.8 kg", massless_link(TILT, False), massless_link(TILT, True), found, "rad/s²")
    ]


def _transposed(load: Load) -> Sequence[Finding]:
    e = verified("lagrange-two-link")
    robot, q = load("lagrange-two-link"), np.array(e["q"])
    rest = np.zeros(2)
    wrench: External = {robot.frame_names[-1]: np.array([0, 0, 0, *TIP_FORCE, 0])}
    needed = robot.inverse_dynamics(q, rest, rest) - robot.inverse_dynamics(q, rest, rest, external=wrench)
    J = tip_jacobian(e["l1"], e["l2"], q)
    return [compared("two-link arm, 3.6 N", J @ TIP_FORCE, J.T @ TIP_FORCE, needed, "Nm")]


def _mass_centre(load: Load) -> Sequence[Finding]:
    """a_C2 of the two-link arm with r_1 instead of r_2, which differ if the lengths do."""
    e = verified("lagrange-two-link")
    robot = load("lagrange-two-link")
    view = robot.denoc(*(np.array(e[k]) for k in STATE))
    w, alpha = view.omega[1], view.t_dot[6:9]
    joint = view.t_dot[9:12] - np.cross(alpha, view.d[1]) - np.cross(w, np.cross(w, view.d[1]))

    def centre(r: Array) -> Array:
        return np.asarray(joint + np.cross(alpha, r) + np.cross(w, np.cross(w, r)), dtype=np.float64)

    return [compared("two-link arm", centre(view.d[0]), centre(view.d[1]), view.t_dot[9:12], "m/s² in $a_{C_2}$")]


def _twice(load: Load) -> Sequence[Finding]:
    """Gravity in (7), and again as an acceleration of the base."""
    e: dict[str, Any] = verified("lagrange-two-link")
    robot = load("lagrange-two-link")
    q = np.array(e["q"])
    once = robot.gravity_torque(q)
    twice = robot.gravity_torque(q, gravity=2 * np.array(robot.gravity))
    return [said(f"with both, the two-link arm needs {number(float(np.abs(twice - once).max()))} Nm too much", True)]


ERRATA = [
    Erratum(
        "Example 2, step 6, Coriolis term of row 1",
        "wrong numbers",
        "$+0.5\\,m_2 l_2^2 \\sin 2\\theta_2\\,\\dot\\theta_1\\dot\\theta_2$",
        "$-m_2 l_2^2 \\sin 2\\theta_2\\,\\dot\\theta_1\\dot\\theta_2$",
        "Coriolis terms by recursion",
        _pointing(True),
    ),
    Erratum(
        "Example 2, step 6, inertia matrix",
        "wrong numbers",
        "$m_2 l_2$ in the corner",
        "$m_2 l_2^2$",
        "the inertia matrix by recursion",
        _pointing(False),
    ),
    Erratum(
        "two-link arm by Newton and Euler, (1)",
        "wrong numbers",
        "$I_O\\ddot\\theta_1 = \\tau_1 - \\ldots$",
        "$\\tau_1 - \\tau_2 - \\ldots$: the second actuator reacts on link 1",
        INVERSE,
        _newton_euler(Slips(reaction=True)),
    ),
    Erratum(
        "two-link arm by Newton and Euler, (4)",
        "wrong numbers",
        "$+\\frac{l_2}{2} R_y c_{12}$",
        "$-\\frac{l_2}{2} R_y c_{12}$",
        INVERSE,
        _newton_euler(Slips(moment=True)),
    ),
    Erratum(
        "two-link arm by Newton and Euler, $a_{C_2,y}$",
        "wrong numbers",
        "$-l_1(\\ddot\\theta_1 c_1 - \\dot\\theta_1^2 s_1)$",
        "$+l_1(\\ddot\\theta_1 c_1 - \\dot\\theta_1^2 s_1)$",
        INVERSE,
        _newton_euler(Slips(centre=True)),
    ),
    Erratum(
        "two-link arm by Newton and Euler, $a_{Bt,y}$",
        "wrong numbers",
        "$l_1\\dot\\theta_1 c_1$",
        "$l_1\\ddot\\theta_1 c_1$",
        INVERSE,
        _newton_euler(Slips(tangent=True)),
    ),
    Erratum(
        "linear parameterization, $Y_{23}$",
        "wrong numbers",
        "$c_2\\ddot\\theta_1 + s_1\\dot\\theta_1^2$",
        "$c_2\\ddot\\theta_1 + s_2\\dot\\theta_1^2$",
        INVERSE,
        _regressor,
    ),
    Erratum(
        "massless link with two particles",
        "wrong numbers",
        "$\\dot\\omega = \\frac{(m_1 l_1 - m_2 l_2)\\cos\\theta}{m_1 l_1^2 + m_2 l_2^2}$",
        "with a factor $g$ in the numerator",
        "forward dynamics of such a body (`redyn reproduce slides-massless-link`)",
        _gravity,
    ),
    Erratum(
        "generalized force",
        "wrong in some cases",
        "$(J(\\mathbf{q})\\mathbf{f})^T \\delta\\mathbf{q}$",
        "$(J^T(\\mathbf{q})\\mathbf{f})^T \\delta\\mathbf{q}$, as in Example 2",
        "inverse dynamics with and without the force",
        _transposed,
    ),
    Erratum(
        "Forward Equations, (4)",
        "wrong in some cases",
        "$\\mathbf{r}_{i-1}$, twice",
        "$\\mathbf{r}_i$, as in (5) of the slide before",
        "twist rates by recursion",
        _mass_centre,
    ),
    Erratum("linear parameterization, $\\beta_4$", "slip", "$(0.5 m_1 + m_2)\\,l$", "$(0.5 m_1 + m_2)\\,l_1$"),
    Erratum("Forward Equations", "slip", "numbers (3) and (4)", "(4) and (5) of the slide before"),
]
OPEN = [
    Erratum(
        "(7) and the initial conditions",
        "wrong in some cases",
        "gravity in (7), and $\\mathbf{a}_0 = \\mathbf{0}$",
        "consistent; do not set $\\mathbf{a}_0 = -\\mathbf{g}$ as well",
        "",
        _twice,
    )
]
