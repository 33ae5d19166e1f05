"""The book, chapter 9: equations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from redyn.dynamics.denoc import Denoc, cross
from redyn.reproduce.errata.erratum import Erratum, Finding, compared, largest, number, said
from redyn.reproduce.examples import rod_tensor, with_W
from redyn.reproduce.item import Array, Load
from redyn.reproduce.samples import general_chain, state, two_rods
from redyn.reproduce.torques import STANFORD_STOP, T
from redyn.reproduce.twists import worst
from redyn.robot import External, Robot
from redyn.symbolic.chapter import printed
from redyn.trajectory import cycloidal

RECURSION = "redyn's recursions"
NAMES = {"puma": "PUMA", "stanford": "Stanford arm", "kuka-kr5": "KUKA KR-5", "three-link": "three-link arm"}


def _views(load: Load, *names: str) -> list[tuple[str, Robot, Denoc]]:
    found: list[tuple[str, Robot, Denoc]] = []
    for name in names:
        robot = load(name)
        found.append((NAMES[name], robot, robot.denoc(*state(robot))))
    return found


def literal_torques(view: Denoc, sliding: bool) -> Array:
    """(9.32)-(9.35) as they stand, with the rates of r and d of (9.16d); `sliding` adds e b_dot to that of d."""
    n, g = view.n, view.gravity
    t, t_dot = np.zeros((n + 1, 6)), np.zeros((n + 1, 6))
    t_dot[0, 3:] = -g  # (9.35)
    for i in range(1, n + 1):
        p, qd = view.p[i - 1], view.qd[i - 1]
        turned = view.Omega_i[i - 1] @ p * qd
        B, B_dot = np.eye(6), np.zeros((6, 6))
        if i > 1:
            r, d = view.O[i - 1] - view.C[i - 2], view.d[i - 1]
            d_dot = np.cross(view.omega[i - 1], d)
            if sliding and not view.revolute[i - 1]:
                d_dot = d_dot + view.e[i - 1] * qd
            B[3:, :3] = -cross(r + d)
            B_dot[3:, :3] = -cross(np.cross(view.omega[i - 2], r) + d_dot)  # (9.16d)
        t[i] = B @ t[i - 1] + p * qd  # (9.32)
        t_dot[i] = B @ t_dot[i - 1] + B_dot @ t[i - 1] + p * view.qdd[i - 1] + turned  # (9.32)
        if i == 1:
            t_dot[1] = p * view.qdd[0] + turned + t_dot[0]  # (9.32a), (9.35)
    tau, w = np.zeros(n), np.zeros(6)
    for i in range(n, 0, -1):
        w = (
            view.M_i[i - 1] @ t_dot[i]
            + view.W_i[i - 1] @ view.M_i[i - 1] @ t[i]
            + (view.B(i + 1, i).T @ w if i < n else 0.0)
        )  # (9.33)
        tau[i - 1] = view.p[i - 1] @ w
    return tau


def _sliding(load: Load) -> Sequence[Finding]:
    found: list[Finding] = []
    for on, robot in (("a general chain RRPRR", general_chain("rrprr")), ("Stanford arm", load("stanford"))):
        q, qd, qdd = state(robot, 1)
        view = robot.denoc(q, qd, qdd)
        tau = robot.inverse_dynamics(q, qd, qdd)
        off, right = literal_torques(view, sliding=False), literal_torques(view, sliding=True)
        one = compared(on, off, right, tau, "Nm (N)")
        alike = largest(tau - off, printed.lost_torque(view)) < 1e-9  # the note of the worked examples
        found.append(said(one.effect, one.wrong, one.right and alike))
    robot = load("stanford")
    motion = cycloidal(robot.initial, STANFORD_STOP, T)
    lost = [float(np.abs(printed.lost_torque(robot.denoc(*motion(float(t))))).max()) for t in np.linspace(0.0, T, 21)]
    found.append(said(f"slow motion of Example 9.6: up to {number(max(lost))} Nm, easy to miss", max(lost) > 1e-6))
    return found


def solved(view: Denoc, phi: Array, hat: bool) -> Array:
    """(9.39)-(9.41) as they stand; `hat` keeps psi_hat in (9.41a)."""
    n = view.n
    phi_hat, eta = np.zeros(n), np.zeros(6)
    for i in range(n, 0, -1):
        phi_hat[i - 1] = phi[i - 1] - view.p[i - 1] @ eta
        eta = eta + view.psi[i - 1] * phi_hat[i - 1]
        eta = view.B(i, i - 1).T @ eta if i > 1 else eta
    qdd, mu = np.zeros(n), np.zeros(6)
    for i in range(1, n + 1):
        mu = view.B(i, i - 1) @ mu if i > 1 else mu
        along = view.psi_hat[i - 1] if hat else view.psi[i - 1]
        qdd[i - 1] = phi_hat[i - 1] / view.m_hat[i - 1] - along @ mu  # (9.40), (9.41a)
        mu = mu + view.p[i - 1] * qdd[i - 1]
    return qdd


def _psi(load: Load) -> Sequence[Finding]:
    found: list[Finding] = []
    for on, robot, view in _views(load, "puma", "stanford"):
        phi = np.linspace(-3, 4, robot.dof)
        ours = robot.solve(view.q, phi)
        found.append(compared(on, solved(view, phi, True), solved(view, phi, False), ours, "rad/s²"))
    return found


def _mci(load: Load) -> Sequence[Finding]:
    found: list[Finding] = []
    for on, robot, view in _views(load, "puma", "stanford", "three-link"):
        n = view.n
        C = [[view.mci_element(i, j) for j in range(1, n + 1)] for i in range(1, n + 1)]
        wrong, right = printed.mci(view), robot.coriolis_matrix(view.q, view.qd)
        finding = compared(on, wrong, C, right, "in C")
        torque = largest(wrong @ view.qd, right @ view.qd)
        found.append(said(f"{finding.effect}, {number(torque)} Nm in the torques", finding.wrong, finding.right))
    return found


def _each(load: Load, names: Sequence[str], one: Callable[[Denoc], tuple[Any, Any, Any]], unit: str) -> list[Finding]:
    """`one` gives the printed value, the corrected one and the reference."""
    return [compared(on, *one(view), unit) for on, _, view in _views(load, *names)]


def _composite_sum(load: Load) -> Sequence[Finding]:
    def one(view: Denoc) -> tuple[Array, Array, Array]:
        single = view.M_i[0] + sum(
            (view.B(k, 1).T @ view.M_i[k - 1] @ view.B(k, 1) for k in range(2, view.n + 1)), np.zeros((6, 6))
        )
        return printed.composite_sum(view), single, view.M_tilde[:6, :6]

    return _each(load, ("puma", "stanford"), one, "in $\\tilde{\\mathbf{M}}_1$")


def _composite_inertia(load: Load) -> Sequence[Finding]:
    def one(view: Denoc) -> tuple[Array, Array, Array]:
        return printed.composite_inertia(view)[0], view.I_tilde[0], view.M_tilde[:3, :3]

    return _each(load, ("puma", "stanford"), one, "kg m²")


def _two_rods() -> Denoc:
    return two_rods().denoc([0.4, 0.9], [0.8, -1.1])


def _twice_the_mass(_: Load) -> Sequence[Finding]:
    view = _two_rods()
    c, delta = cross(view.c(2, 1)), cross(view.delta_tilde[0])
    base = view.I_i[0] + view.I_i[1]
    return [compared("two rods", base - view.m[1] * c @ delta, base - c @ delta, view.M_tilde[:3, :3], "kg m²")]


def _middle(_: Load) -> Sequence[Finding]:
    view = _two_rods()
    e, d, delta = view.e[0], view.d[0], view.delta_tilde[0]
    arm = np.cross(e, d)
    whole = float(e @ view.I_tilde[0] @ e + view.m_tilde[0] * d @ d + 2 * arm @ np.cross(delta, e))
    found = compared("two rods", printed.corner_of_two_links(view), whole, view.GIM[0, 0], "kg m²")
    return [said(f"{found.effect} of {number(float(view.GIM[0, 0]))}", found.wrong, found.right)]


def _planar(_: Load) -> Sequence[Finding]:
    view = _two_rods()
    term, c_12 = printed.planar_term(view), float(view.MCI[0, 1])
    text = f"two rods: it is {number(term)}, and $c_{{12}}$ is {number(c_12)}, the same"
    return [said(text, abs(term) > 1e-6, abs(term - c_12) < 1e-12)]


def _not_symmetric(load: Load) -> Sequence[Finding]:
    found: list[Finding] = []
    for on, _, view in _views(load, "puma", "stanford"):
        M_e, n = view.M_tilde_e, view.n
        asymmetry = largest(M_e, M_e.T)
        upper = max(
            largest(view.B(j, i).T @ view.M_tilde_prime_i[j - 1], M_e[6 * i - 6 : 6 * i, 6 * j - 6 : 6 * j])
            for i in range(1, n + 1)
            for j in range(i, n + 1)
        )
        found.append(said(f"{on}: differs from its transpose by {number(asymmetry)}", asymmetry > 1e-6, upper < 1e-11))
    return found


def _corner(load: Load) -> Sequence[Finding]:
    def one(view: Denoc) -> tuple[Array, Array, Array]:
        return view.M_tilde_i[0], view.M_tilde_i[-1], view.M_tilde[-6:, -6:]

    return _each(load, ("puma",), one, "in that block")


def _far_links(load: Load) -> Sequence[Finding]:
    def one(view: Denoc) -> tuple[Array, Array, Array]:
        chained = view.B(3, 2) @ view.B(2, 1)
        wrong = np.eye(6)
        wrong[3:, :3] = cross(-view.d[2] - view.r[0])
        return wrong, view.B(3, 1), chained

    return _each(load, ("puma", "three-link"), one, "m in $\\mathbf{B}_{31}$")


def _slide(_: Load) -> Sequence[Finding]:
    robot = general_chain("rrprr")
    view = robot.denoc(*state(robot))
    off = worst(view, printed=True)
    text = (
        f"a general chain RRPRR: velocities off by up to {number(off)} m/s; none on the Stanford arm, whose "
        "$\\mathbf{d}_3$ is parallel to $\\mathbf{e}_3$"
    )
    return [said(text, off > 1e-6, worst(view) < 1e-12)]


def _rod(_: Load) -> Sequence[Finding]:
    Q = np.array([[np.cos(0.7), -np.sin(0.7), 0], [np.sin(0.7), np.cos(0.7), 0], [0, 0, 1]])
    exact = Q @ np.diag([0, 1 / 12, 1 / 12]) @ Q.T
    found = compared("a rod of 1 kg and 1 m", rod_tensor(1, 1, 0.7, True), rod_tensor(1, 1, 0.7), exact, "kg m²")
    return [said(f"{found.effect}; the element about Z, the only one used, is right", found.wrong, found.right)]


def _script(load: Load) -> Sequence[Finding]:
    def one(view: Denoc) -> tuple[Array, Array, Array]:
        return with_W(view) @ view.qd, view.VCI, load("puma").coriolis_vector(view.q, view.qd)

    (found,) = _each(load, ("puma",), one, "Nm with W")
    return [said(f"zero for one link; {found.effect} if reused for more", found.wrong, found.right)]


def _tip_wrench(load: Load) -> Sequence[Finding]:
    robot = load("puma")
    q, qd, qdd = state(robot)
    view = robot.denoc(q, qd, qdd)
    n, f = np.array([0.3, -0.2, 0.5]), np.array([4.0, -3.0, 2.0])
    tip: External = {robot.frame_names[-1]: np.concatenate([n, f])}
    reference = robot.inverse_dynamics(q, qd, qdd, external=tip)

    def torques(moment: Array) -> Array:
        return view.tau - view.N[-6:].T @ np.concatenate([moment, f])

    return [compared("PUMA, 5.4 N at the tip", torques(n), torques(n + np.cross(view.r[-1], f)), reference, "Nm")]


ERRATA = [
    Erratum(
        "(9.16d) and its text, used in (9.32)",
        "wrong numbers",
        "$\\dot{\\mathbf{d}}_{i+1} = \\boldsymbol{\\omega}_{i+1} \\times \\mathbf{d}_{i+1}$ for every joint",
        "add $\\mathbf{e}_{i+1}\\,\\dot b_{i+1}$ if joint $i+1$ is prismatic; without it half of the Coriolis "
        "acceleration is missing",
        f"(9.32)-(9.35) as they stand against {RECURSION}",
        _sliding,
    ),
    Erratum(
        "(9.41a)",
        "wrong numbers",
        "$\\ddot\\theta_i = \\tilde\\phi_i - \\hat{\\boldsymbol{\\Psi}}_i^T \\tilde{\\boldsymbol{\\mu}}_{i,i-1}$",
        "$\\ddot\\theta_i = \\tilde\\phi_i - \\boldsymbol{\\Psi}_i^T \\tilde{\\boldsymbol{\\mu}}_{i,i-1}$, "
        "as (14) of the 2003 paper",
        f"(9.39)-(9.41) as they stand against {RECURSION}",
        _psi,
    ),
    Erratum(
        "(9.16k), $i \\le j$",
        "wrong numbers",
        "$\\mathbf{B}_{j+1,i}^T \\tilde{\\mathbf{H}}_{j+1,i}$",
        "$\\mathbf{B}_{j+1,i}^T \\tilde{\\mathbf{H}}_{j+1,j}$, as in (9.16e) and (9.30c)",
        f"element by element against $\\mathbf{{C}}$ of {RECURSION}",
        _mci,
    ),
    Erratum(
        "(9.11c)",
        "wrong numbers",
        "$\\sum_k \\mathbf{B}_{ki}^T \\tilde{\\mathbf{M}}_k \\mathbf{B}_{ki}$",
        "$\\sum_k \\mathbf{B}_{ki}^T \\mathbf{M}_k \\mathbf{B}_{ki}$; the recursive (9.11d) is right",
        "the first block of $\\mathbf{N}_l^T \\mathbf{M} \\mathbf{N}_l$",
        _composite_sum,
    ),
    Erratum(
        "(9.14c), last term",
        "wrong numbers",
        "$\\mathbf{c}_{i+1,i} \\times (\\tilde{\\boldsymbol{\\delta}}_{i+1} \\times \\mathbf{1})$",
        "$\\mathbf{c}_{i+1,i} \\times (\\tilde{\\boldsymbol{\\delta}}_{i} \\times \\mathbf{1})$, as in (9.13c)",
        "the upper left block of $\\mathbf{N}_l^T \\mathbf{M} \\mathbf{N}_l$",
        _composite_inertia,
    ),
    Erratum(
        "(9.28b)",
        "wrong numbers",
        "$-m_2\\,\\mathbf{c}_{21} \\times (\\tilde{\\boldsymbol{\\delta}}_1 \\times \\mathbf{1})$",
        "$-\\mathbf{c}_{21} \\times (\\tilde{\\boldsymbol{\\delta}}_1 \\times \\mathbf{1})$: "
        "$\\tilde{\\boldsymbol{\\delta}}_1$ contains $m_2$ already",
        "the upper left block of $\\mathbf{N}_l^T \\mathbf{M} \\mathbf{N}_l$",
        _twice_the_mass,
    ),
    Erratum(
        "(9.29), middle",
        "wrong in some cases",
        "$\\mathbf{e}_1^T \\tilde{\\mathbf{I}}_1 \\mathbf{e}_1 + \\tilde m_1 \\mathbf{d}_1^T \\mathbf{d}_1$",
        "add $2\\,(\\mathbf{e}_1 \\times \\mathbf{d}_1)^T (\\tilde{\\boldsymbol{\\delta}}_1 \\times \\mathbf{e}_1)$; "
        "the final expression is right",
        "$\\mathbf{N}^T \\mathbf{M} \\mathbf{N}$",
        _middle,
    ),
    Erratum(
        "end of 9.2.2, after (9.30d)",
        "wrong in some cases",
        "planar robots: $\\boldsymbol{\\Omega}\\mathbf{N}_d = \\mathbf{0}$ and "
        "$\\mathbf{p}_i^T \\mathbf{B}_{ji}^T \\tilde{\\mathbf{M}}_j \\boldsymbol{\\Omega}_j \\mathbf{p}_j = 0$",
        "neither: the axes are constant, $\\mathbf{e}_i \\times \\mathbf{d}_i$ is not; for $i = 1$, $j = 2$ "
        "this term is $c_{12}$ itself",
        "$c_{12}$ of (9.30c), which is right",
        _planar,
    ),
    Erratum(
        "(9.16i)",
        "wrong in some cases",
        "$\\tilde{\\mathbf{M}}_e$ is symmetric",
        "it is not: above the diagonal stands $\\mathbf{B}_{ji}^T \\tilde{\\mathbf{M}}'_j$",
        "$\\mathbf{N}_l^T \\mathbf{W} \\mathbf{M} \\mathbf{N}_l$, block by block",
        _not_symmetric,
    ),
    Erratum(
        "(9.16f)",
        "wrong in some cases",
        "block $(n, n)$ is $\\tilde{\\mathbf{M}}_1$",
        "$\\tilde{\\mathbf{M}}_n$",
        "the last block of $\\mathbf{N}_l^T \\mathbf{M} \\mathbf{N}_l$",
        _corner,
    ),
    Erratum(
        "after (9.4d)",
        "wrong in some cases",
        "$\\mathbf{c}_{ij} = -\\mathbf{d}_i - \\mathbf{r}_j$",
        "only for $j = i - 1$; for any pair $\\mathbf{c}_{ij}$ runs from $C_i$ to $C_j$",
        "$\\mathbf{B}_{32}\\mathbf{B}_{21}$, by (9.5a)",
        _far_links,
    ),
    Erratum(
        "(9.7c)",
        "wrong in some cases",
        "$\\mathbf{p}_i^d = [\\mathbf{0};\\ \\mathbf{e}_i \\times \\mathbf{d}_i]$",
        "$\\mathbf{0}$ if joint $i$ is prismatic",
        "twists at $O_i$ and $C_i$ from Jacobians (`redyn reproduce eq-9.7`)",
        _slide,
    ),
    Erratum(
        "(9.23d)",
        "wrong in some cases",
        "$\\begin{bmatrix} c^2 & sc \\\\ sc & s^2 \\end{bmatrix}$",
        "$\\begin{bmatrix} s^2 & -sc \\\\ -sc & c^2 \\end{bmatrix}$: a rod along X has no inertia about X",
        "$\\mathbf{Q}[\\mathbf{I}]_2\\mathbf{Q}^T$",
        _rod,
    ),
    Erratum(
        "Fig. 9.4 (script)",
        "wrong in some cases",
        "`h:=pT*(M*W+W*M)*p`, and `eq` adds `h`",
        "$\\mathbf{p}^T(\\mathbf{M}\\boldsymbol{\\Omega} + \\mathbf{W}\\mathbf{M})\\mathbf{p}\\,\\dot\\theta$ "
        "by (9.16a)",
        f"Coriolis torques of {RECURSION}",
        _script,
    ),
    Erratum(
        "(9.34)",
        "wrong in some cases",
        "$\\mathbf{w}_n^N$, the wrench on the end effector",
        "its moment must be taken about $C_n$: $\\mathbf{n} + \\mathbf{r}_n \\times \\mathbf{f}$",
        f"the torques of {RECURSION}, with the wrench at the tip",
        _tip_wrench,
    ),
    Erratum("text before (9.39c)", "slip", "$\\boldsymbol{\\Psi}_i$ is a $6 \\times 6$ matrix", "a 6-vector"),
    Erratum(
        "text after (9.10b)",
        "slip",
        "$\\mathbf{t}'$ is the twist rate while $\\dot{\\boldsymbol{\\theta}} = \\mathbf{0}$",
        "while $\\ddot{\\boldsymbol{\\theta}} = \\mathbf{0}$, as after (9.17)",
    ),
    Erratum("text after (9.13c)", "slip", "mass centre of link $i-1$, $C_{i-1}$", "of link $n-1$, $C_{n-1}$"),
    Erratum("(9.43)", "slip", "final rates at time 0", "at time $T$"),
]
