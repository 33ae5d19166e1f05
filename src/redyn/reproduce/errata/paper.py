"""Saha (2003), Simulation of Industrial Manipulators Based on the UDU^T Decomposition of Inertia Matrix."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from redyn.reproduce.counts import CHOLESKY, misprints, overtakes
from redyn.reproduce.errata.erratum import Erratum, Finding, Measure, compared, number, said
from redyn.reproduce.item import Array, Load
from redyn.reproduce.link_frames import STEPS, Slips, in_link_frames, total
from redyn.reproduce.pictures import frames
from redyn.reproduce.published import FORWARD, TABLE_I
from redyn.reproduce.samples import state

IN_LINK_FRAMES = "section 3 as it stands against `robot.solve` (`redyn reproduce paper-section-3`)"


def _negative(load: Load) -> Sequence[Finding]:
    printed, repaired = load("puma-2003-printed"), load("puma-2003")
    lowest = float(np.linalg.eigvalsh(printed.mass_matrix(printed.neutral())).min())
    rng = np.random.default_rng(0)
    q = rng.uniform(-np.pi, np.pi, (200, 6))
    indefinite = int((np.linalg.eigvalsh(printed.mass_matrix(q)).min(axis=1) < 0).sum())
    definite = bool((np.linalg.eigvalsh(repaired.mass_matrix(q)) > 0).all())
    text = (
        f"the inertia matrix is indefinite at {indefinite} of 200 random states (eigenvalue {number(lowest)} at rest)"
    )
    return [said(text, indefinite == 200, definite)]


def _no_end_points(load: Load) -> Sequence[Finding]:
    end = float(0.5 * (2 * np.pi - np.sin(2 * np.pi)))
    text = f"every joint, the slide too, ends at {number(end)}; the text wants 60° and 0.1 m of the Stanford arm"
    return [said(text, abs(end - np.pi / 3) > 1e-6, abs(end - np.pi) < 1e-12)]


def _slip(slips: Slips) -> Measure:
    def measure(load: Load) -> Sequence[Finding]:
        robot = load("puma")
        q, _, _ = state(robot)
        phi = np.linspace(-3, 4, 6)
        wrong, right = (in_link_frames(robot, q, phi, x).qdd for x in (slips, Slips()))
        return [compared("PUMA", wrong, right, robot.solve(q, phi), "rad/s²")]

    return measure


def _phi(load: Load) -> Sequence[Finding]:
    robot = load("puma")
    q, qd, _ = state(robot)
    tau = np.linspace(-3, 4, 6)
    h = robot.inverse_dynamics(q, qd, np.zeros(6))

    def solved(first: Array) -> Array:
        return robot.solve(q, first)

    return [compared("PUMA", solved(tau), solved(tau - h), robot.forward_dynamics(q, qd, tau), "rad/s²")]


def _braces(_: Load) -> Sequence[Finding]:
    M, A = total("M"), total("A")
    text = (
        f"the braces add up to {M[0]}n - {-M[1]} multiplications and {A[0]}n - {-A[1]} additions: {M[0] * 6 + M[1]} "
        "instead of 862 multiplications for n = 6"
    )
    return [said(text, M == (192, -284), A == (187, -325))]


def _links_of_a4b(_: Load) -> Sequence[Finding]:
    step = next(step for step in STEPS if step.name == "A.4b")
    text = f"the brace is {step.M[0]}M {step.A[0]}A short"
    return [said(text, step.M == (12, -36) and step.A == (12, -36))]


def _cells(_: Load) -> Sequence[Finding]:
    wrong = misprints(TABLE_I, FORWARD)
    text = "; ".join(f"{author}, n = {n}: {cell} must be {right}" for (author, n, cell), right in wrong.items())
    return [said(text, bool(wrong))]


def _from_ten(_: Load) -> Sequence[Finding]:
    M, every = (overtakes(FORWARD["Saha (2003)"], FORWARD[CHOLESKY], only) for only in (True, False))
    return [said(f"from n = {M} on in multiplications, from n = {every} on in all operations", every > 10, M == 10)]


def _far_out(load: Load) -> Sequence[Finding]:
    robot = load("stanford-2003")
    view = robot.denoc(robot.initial)
    reach = float(np.linalg.norm(view.C[3] - view.O[3]))
    end = float(np.linalg.norm(view.O[4] - view.O[3]))
    return [said(f"$C_4$ is {number(reach)} m from joint 4, beyond joint 5 at {number(end)} m", reach > end)]


def _link_three(load: Load) -> Sequence[Finding]:
    views = [robot.denoc(robot.initial) for robot in (load("puma-2003"), load("puma"))]
    beside, with_plus = (abs(float(view.d[2][0])) for view in views)  # X_3 is along the world's X here
    text = f"$C_3$ is {number(beside)} m beside joint 3, with the book's sign {number(with_plus)} m"
    return [said(text, beside > with_plus + 1e-6)]


def _rule_two(load: Load) -> Sequence[Finding]:
    robot = load("puma-2003")
    poses = frames(robot, robot.initial)
    gap = float(np.linalg.norm(poses[3, :3, 3] - poses[2, :3, 3]))
    apart = float((poses[3, :3, 3] - poses[2, :3, 3]) @ np.cross(poses[2, :3, 2], poses[3, :3, 2]))
    return [
        said(
            f"PUMA: $Z_4$ and $Z_5$ intersect, and $O_5$ is {number(gap)} m from $O_4$", gap > 1e-6, abs(apart) < 1e-12
        )
    ]


ERRATA = [
    Erratum(
        "Table II(ii)",
        "wrong numbers",
        "negative $I_{yy}$ of links 1, 4 and $I_{zz}$ of links 3, 5",
        "their magnitudes, which are those of Table 9.3 of the book",
        "eigenvalues of the inertia matrix",
        _negative,
    ),
    Erratum(
        "(18)",
        "wrong numbers",
        "$\\frac{1}{2}\\left[\\frac{2\\pi}{T}t - \\sin\\frac{2\\pi}{T}t\\right]$ for every joint",
        "(9.36) and (9.37) of the book, with $\\theta_i(0)$ and $\\theta_i(T)$; (18) is the case 0 to $\\pi$",
        "its value at $t = T$",
        _no_end_points,
    ),
    Erratum(
        "section 3, C.3",
        "wrong numbers",
        "$\\boldsymbol{\\mu}_{i,i-1(b)} = \\boldsymbol{\\mu}_{i-1(t)} + \\ldots$",
        "$\\boldsymbol{\\mu}_{i-1(b)} + \\mathbf{c}_{i,i-1} \\times \\boldsymbol{\\mu}_{i-1(t)}$",
        IN_LINK_FRAMES,
        _slip(Slips(top_for_bottom=True)),
    ),
    Erratum(
        "section 3, A.3(b)",
        "wrong numbers",
        "$\\hat{\\mathbf{I}}_i = \\hat{\\mathbf{I}}_{i+1,i+1} + (\\,)$",
        "add $\\mathbf{I}_i$, the inertia of the link itself",
        IN_LINK_FRAMES,
        _slip(Slips(no_inertia=True)),
    ),
    Erratum(
        "section 3, A.1",
        "wrong numbers",
        "$[\\mathbf{d}_i]_{i+1} = [\\mathbf{a}_i]_{i+1} - \\mathbf{Q}_i [\\mathbf{r}_i]_{i+1}$",
        "$[\\mathbf{d}_i]_{i} = [\\mathbf{a}_i]_{i} - \\mathbf{Q}_i [\\mathbf{r}_i]_{i+1}$",
        IN_LINK_FRAMES,
        _slip(Slips(frame=True)),
    ),
    Erratum(
        "(12)",
        "wrong in some cases",
        "$\\hat\\tau_i = \\tau_i - \\ldots$, $\\hat\\tau_n = \\tau_n$",
        "$\\phi_i$, $\\phi_n$, with "
        "$\\boldsymbol{\\phi} = \\boldsymbol{\\tau} - \\mathbf{C}\\dot{\\boldsymbol{\\theta}}$, as in A.10",
        "forward dynamics at a moving state",
        _phi,
    ),
    Erratum("section 3, A.7", "slip", "$\\mathbf{H}_{ii}$", "$\\mathbf{F}_{ii}$ of (16)"),
    Erratum(
        "section 3, inputs",
        "slip",
        "constants of a prismatic pair: $a_i$, $b_i$, $\\theta_i$",
        "$a_i$, $\\alpha_i$, $\\theta_i$; $b_i$ is its variable",
    ),
    Erratum(
        "section 3 and Table I",
        "wrong in some cases",
        "$191n - 284$ multiplications",
        "$192n - 284$ by its own steps",
        "the sum of all braces (`redyn reproduce paper-section-3`)",
        _braces,
    ),
    Erratum(
        "section 3, A.4(b)",
        "wrong in some cases",
        "12M 12A for $n - 3$ links",
        "for the $n - 2$ links $i = n-1, \\ldots, 2$",
        "its own range of $i$",
        _links_of_a4b,
    ),
    Erratum("Table I", "wrong numbers", "480A for Walker and Orin, $n = 6$", "475A", "its own formula", _cells),
    Erratum(
        "section 1",
        "wrong in some cases",
        "advantage from $n \\ge 10$ on",
        "that counts multiplications only",
        "the formulas of Table I (`redyn reproduce paper-table-1`)",
        _from_ten,
    ),
    Erratum(
        "Table II(i), link 4",
        "wrong in some cases",
        "$\\alpha_4 = 90°$ and $r_{4,y} = -0.1$",
        "one of the signs is suspect: the mass centre should be inside the link",
        "",
        _far_out,
    ),
    Erratum(
        "Table II(ii), link 3",
        "wrong in some cases",
        "$r_{3,x} = -0.02$",
        "probably $+0.02$, as in Table 9.3 of the book",
        "",
        _link_three,
    ),
    Erratum(
        "Appendix A, rule 2",
        "wrong in some cases",
        "if $Z_{i-1}$ and $Z_i$ intersect, $O_i$ coincides with $O_{i-1}$",
        "$O_i$ is the point of intersection; it is $O_{i-1}$ only if $b_{i-1} = 0$",
        "the frames of its own Table II",
        _rule_two,
    ),
]
