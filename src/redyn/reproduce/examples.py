"""Examples 9.1 to 9.3: the one-link arm, the same by the steps of the MuPAD script, and the two-link arm."""

# ruff: noqa: RUF001  signs of mathematics, as the page shows them
from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from redyn.report.colours import FAINT, INK, joint_colour
from redyn.reproduce.check import Check, near
from redyn.reproduce.closed_forms import masses_and_lengths
from redyn.reproduce.diagram import AXES, Arrow, Diagram, Line, Point, arc, plane
from redyn.reproduce.item import Array, Item, Load, Numbers, Repair, Result
from redyn.reproduce.torques import BOOK

TIGHT = 1e-12
G = 9.81


def rod_tensor(m: float, a: float, theta: float, printed: bool = False) -> Array:
    """[I]_1 of a rod along X_2 (9.23d); the book prints c^2, sc, s^2 in the wrong places."""
    c, s = np.cos(theta), np.sin(theta)
    block = [[c * c, s * c], [s * c, s * s]] if printed else [[s * s, -s * c], [-s * c, c * c]]
    return m * a**2 / 12 * np.array([[*block[0], 0], [*block[1], 0], [0, 0, 1]])


def _one_link(load: Load) -> Result:
    robot = load("one-link")
    ([m], [a]) = masses_and_lengths(robot)
    theta, thd, thdd = 0.7, 1.3, -0.4
    view = robot.denoc([theta], [thd], [thdd])
    c, s = np.cos(theta), np.sin(theta)
    tau = float(robot.inverse_dynamics([theta], [thd], [thdd])[0])
    right, printed = rod_tensor(m, a, theta), rod_tensor(m, a, theta, printed=True)
    e, d = np.array([0, 0, 1.0]), a / 2 * np.array([c, s, 0])
    f = np.array([m * G, 0, 0])
    checks = [
        near("N = p (9.22)", view.N[:, 0], view.p[0], TIGHT, "p", against="printed"),
        near("e, d (9.23b)", [view.e[0], view.d[0]], [e, d], TIGHT, "the page", against="printed"),
        near("[I]_1 (9.23d), corrected", view.I_i[0], right, TIGHT, "Q [I]_2 Qᵀ", against="printed"),
        near("I = m a²/3 (9.23f)", float(view.GIM[0, 0]), m * a**2 / 3, TIGHT, "the page", against="printed"),
        near("C = 0 (9.24a)", float(view.MCI[0, 0]), 0.0, TIGHT, "the page", against="printed"),
        near(
            "pᵀ w of the weight (9.24c)",
            float(np.cross(e, d) @ f),
            -m * G * a * s / 2,
            TIGHT,
            "the page",
            against="printed",
        ),
        near(
            "τ = m a² θ̈/3 + m g a s/2",
            tau,
            m * a**2 * thdd / 3 + m * G * a * s / 2,
            TIGHT,
            "inverse dynamics",
            against="printed",
        ),
    ]
    off = float(np.abs(right - printed).max())
    repair = Repair(
        "(9.23d) has s², -sc, c² in place of c², sc, s²",
        off > 1e-6,
        f"as printed it is off by {off:.2g} kg m² at θ = {theta:g}; the element about Z, the only one used, is right",
    )
    rows: list[list[object]] = [
        ["I", m * a**2 / 3, float(view.GIM[0, 0])],
        ["C", 0.0, float(view.MCI[0, 0])],
        ["τ", m * a**2 * thdd / 3 + m * G * a * s / 2, tau],
    ]
    note = "Gravity acts along +X, as (9.24d) has it, unlike in the later examples; unit mass and length."
    return Result(
        checks,
        [Numbers(["quantity", "page", "redyn"], rows)],
        diagrams=[_arm(view.O, view.C, view.r, [theta], np.array([1.0, 0.0]))],
        repairs=[repair],
        notes=[note],
    )


def mupad() -> dict[str, Any]:
    """The steps of Fig. 9.4 in SymPy, by the names of the script; `right` is h with Omega and with the rate."""
    sp: Any = import_module("sympy")
    th, thd, thdd, m, a, g, ta = sp.symbols("theta theta_dot theta_ddot m a g tau")
    e = sp.Matrix([0, 0, 1])
    d = sp.Matrix([a / 2 * sp.cos(th), a / 2 * sp.sin(th), 0])
    p = sp.Matrix([*e, *e.cross(d)])
    Q = sp.Matrix([[sp.cos(th), -sp.sin(th), 0], [sp.sin(th), sp.cos(th), 0], [0, 0, 1]])
    Ipp = Q * sp.diag(0, m * a**2 / 12, m * a**2 / 12) * Q.T
    M = sp.diag(Ipp, m * sp.eye(3))
    omx1 = sp.Matrix([[0, -thd, 0], [thd, 0, 0], [0, 0, 0]])
    W, Omega = sp.diag(omx1, sp.zeros(3)), sp.diag(omx1, omx1)
    w = sp.Matrix([0, 0, ta, m * g, 0, 0])
    iner = sp.simplify((p.T * M * p)[0])
    h = sp.simplify((p.T * (M * W + W * M) * p)[0])
    right = sp.simplify((p.T * (M * Omega + W * M) * p)[0]) * thd
    tau = sp.simplify((p.T * w)[0])
    symbols = {"th": th, "thd": thd, "thdd": thdd, "m": m, "a": a, "g": g, "tau": ta}
    return {"p": p, "iner": iner, "h": h, "right": right, "tau": tau, "eq": iner * thdd + h - tau, "symbols": symbols}


def _script(load: Load) -> Result:
    sp: Any = import_module("sympy")
    found = mupad()
    s = found["symbols"]
    robot = load("one-link")
    ([m], [a]) = masses_and_lengths(robot)
    values = {s["m"]: m, s["a"]: a, s["g"]: G, s["th"]: 0.7, s["thd"]: 1.3, s["thdd"]: -0.4}
    needed = float(sp.solve(found["eq"], s["tau"])[0].subs(values))
    ours = float(robot.inverse_dynamics([0.7], [1.3], [-0.4])[0])
    page = {
        "iner": s["m"] * s["a"] ** 2 / 3,
        "h": sp.Integer(0),
        "tau": s["tau"] - s["a"] * s["g"] * s["m"] * sp.sin(s["th"]) / 2,
    }
    checks = [
        *(
            Check(f"{name}, symbolically", sp.simplify(found[name] - printed) == 0, f"{found[name]}", against="printed")
            for name, printed in page.items()
        ),
        near("τ of the final equation", needed, ours, TIGHT, "inverse dynamics", against="printed"),
        slip_on_six_links(load),
    ]
    rows: list[list[object]] = [[name, str(found[name])] for name in ("iner", "h", "right", "tau", "eq")]
    notes = [
        "The script computes h = pᵀ (M W + W M) p and adds h itself; (9.16a) is C = pᵀ (M Ω + W M) p, and the equation "
        "needs C θ̇. Both are zero for one link, so the result is right; the script must not be reused for more links.",
        "`redyn equations one-link --notebook` writes a notebook with the same steps.",
    ]
    return Result(checks, [Numbers(["name in the script", "value"], rows)], notes=notes)


def with_W(view: Any) -> Array:
    """C with W in place of Omega, as the script would give it for more links."""
    return view.N.T @ (view.M @ (view.N_l_dot @ view.N_d + view.N_l @ view.W @ view.N_d) + view.W @ view.M @ view.N)


def slip_on_six_links(load: Load) -> Check:
    robot = load("puma")
    rng = np.random.default_rng(6)
    q, qd = rng.uniform(-1, 1, 6), rng.uniform(-1, 1, 6)
    view = robot.denoc(q, qd)
    off = float(np.abs((with_W(view) - view.MCI) @ qd).max())
    right = robot.coriolis_vector(q, qd)
    difference = float(np.abs(view.VCI - right).max())
    return Check(
        "C with Ω instead of the script's W, on the PUMA",
        difference < 1e-11 and off > 1e-6,
        f"within {difference:.0e} Nm of the recursion; with W the torques are off by up to {off:.2g} Nm",
    )


def _two_link(load: Load) -> Result:
    robot = load("two-link")
    (m1, m2), (a1, a2) = masses_and_lengths(robot)
    q, qd = np.array([0.4, 0.9]), np.array([0.8, -1.1])
    view = robot.denoc(q, qd)
    c2, s2 = np.cos(q[1]), np.sin(q[1])
    half = m2 * a1 * a2 * s2 / 2
    c = view.c(2, 1)
    page = {
        "i_22 (9.27a)": (view.GIM[1, 1], m2 * a2**2 / 3),
        "i_21 (9.27d)": (view.GIM[1, 0], m2 * a2**2 / 3 + m2 * a1 * a2 * c2 / 2),
        "i_11 (9.29)": (view.GIM[0, 0], (m1 * a1**2 + m2 * a2**2) / 3 + m2 * a1**2 + m2 * a1 * a2 * c2),
        "c_22 (9.30a)": (view.MCI[1, 1], 0.0),
        "c_21 (9.30b)": (view.MCI[1, 0], half * qd[0]),
        "c_12 (9.30c)": (view.MCI[0, 1], -half * (qd[0] + qd[1])),
        "c_11 (9.30d)": (view.MCI[0, 0], -half * qd[1]),
        "h_2 (9.31a)": (view.VCI[1], half * qd[0] ** 2),
        "h_1 (9.31b)": (view.VCI[0], -2 * half * (qd[1] / 2 + qd[0]) * qd[1]),
    }
    checks = [
        *(near(what, float(x), float(y), TIGHT, "the page", against="printed") for what, (x, y) in page.items()),
        near(
            "m~_1, δ~_1 (9.28b)",
            [*view.delta_tilde[0], view.m_tilde[0]],
            [*(m2 * c), m1 + m2],
            TIGHT,
            "the page",
            against="printed",
        ),
        near("inertia matrix", robot.mass_matrix(q), view.GIM, TIGHT, "redyn's recursion"),
    ]
    from redyn.symbolic.chapter import printed

    middle, term = printed.corner_of_two_links(view), printed.planar_term(view)
    repairs = [
        Repair(
            "the middle of (9.29) has the terms in δ~_1",
            abs(middle - float(view.GIM[0, 0])) > 1e-6,
            f"as printed it is {middle:.4f} instead of {view.GIM[0, 0]:.4f} kg m²; the final expression is right",
        ),
        Repair(
            "p_iᵀ B_jiᵀ M~_j Ω_j p_j does not vanish for planar arms",
            abs(term) > 1e-6,
            f"for i = 1, j = 2 it is {term:.4f}, which is c_12 itself",
        ),
    ]
    rows: list[list[object]] = [[what, float(y), float(x)] for what, (x, y) in page.items()]
    note = "(9.28b) has -c_21 × (δ~_1 × 1); the book's further factor m_2 is invisible here, with m_2 = 1 kg."
    return Result(
        checks,
        [Numbers(["element", "page", "redyn"], rows)],
        diagrams=[_arm(view.O, view.C, view.r, q.tolist(), np.array([0.0, -1.0]))],
        repairs=repairs,
        notes=[note],
    )


def _arm(O: Array, C: Array, r: Array, q: list[float], down: Array) -> Diagram:
    """Figs. 9.3 and 9.5: angles, mass centres and gravity."""
    lines, texts, dots = list[Line](), list[Point](), list[Point]()
    before = 0.0
    for k, angle in enumerate(q):
        start, end = plane(O[k]), plane(C[k] + r[k])
        ray = 0.42 * np.array([np.cos(before), np.sin(before)])
        line, label = arc(start, 0.24, before, before + angle, f"$\\theta_{k + 1}$" if len(q) > 1 else "$\\theta$")
        lines += [
            Line(np.stack([start, end]), joint_colour(k), 14.0, strength=0.35),
            Line(np.stack([start, start + ray]), FAINT, 1.0, dashed=True),
            line,
        ]
        texts.append(label)
        number = f"_{k + 1}" if len(q) > 1 else ""
        dots += [Point(start, ""), Point(plane(C[k]), f"$C{number}$", joint_colour(k), marker="s")]
        texts.append(Point((start + end) / 2, f"$a{number}$", joint_colour(k), offset=(-16, 16)))
        before += angle
    corner = np.array([1.05, -0.02]) if len(q) == 1 else np.array([1.5, 0.35])
    arrows = [
        Arrow(np.zeros(2), np.array([0.8, 0]), "$X_1$", AXES[0], at_tip=True),
        Arrow(np.zeros(2), np.array([0, 0.8]), "$Y_1$", AXES[1], at_tip=True),
        Arrow(corner, corner + 0.25 * down, "$\\mathbf{g}$", INK, at_tip=True),
    ]
    return Diagram("angles, mass centres and gravity", lines, arrows, dots, texts)


ITEMS = [
    Item("example-9.1", "Equation of motion of the one-link arm", BOOK + "Example 9.1, Fig. 9.3", _one_link),
    Item("example-9.2", "The one-link arm by the steps of the script", BOOK + "Example 9.2, Fig. 9.4", _script),
    Item("example-9.3", "Inertia and convective terms of the two-link arm", BOOK + "Example 9.3, Fig. 9.5", _two_link),
]
