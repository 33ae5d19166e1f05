"""The Lagrange slides: their closed forms of a two-link and a pointing arm, term by term, as printed and corrected."""

from __future__ import annotations

from typing import Any

import numpy as np

from redyn.reproduce.check import COMPUTATION, Check, near
from redyn.reproduce.item import Array, Item, Load, Numbers, Repair, Result
from redyn.reproduce.verified import verified

TIGHT = 1e-12


def two_link_terms(e: dict[str, Any]) -> dict[str, Array]:
    """Example 1: H, C as a vector and in its split, G, and the torques by the linear parametrisation."""
    m1, m2, l1, l2, g, I_o1, I_c2 = (e[k] for k in ("m1", "m2", "l1", "l2", "g", "I_o1", "I_c2"))
    (q1, q2), (w1, w2), (a1, a2) = e["q"], e["qd"], e["qdd"]
    c1, c2, s2, c12 = np.cos(q1), np.cos(q2), np.sin(q2), np.cos(q1 + q2)
    corner = 0.25 * m2 * l2**2 + I_c2
    side = corner + 0.5 * m2 * l1 * l2 * c2
    H = np.array([[I_o1 + m2 * l1**2 + corner + m2 * l1 * l2 * c2, side], [side, corner]])
    x = m2 * l1 * l2 * s2
    C = np.array([-x * (w1 + 0.5 * w2) * w2, 0.5 * x * w1**2])
    half_H_dot = 0.5 * np.array([[-x * w2, -0.5 * x * w2], [-0.5 * x * w2, 0.0]])
    S = 0.5 * x * (w1 + 0.5 * w2) * np.array([[0.0, -1.0], [1.0, 0.0]])
    G = np.array([(0.5 * m1 + m2) * l1 * g * c1 + 0.5 * m2 * l2 * g * c12, 0.5 * m2 * l2 * g * c12])
    beta = [I_o1 + m2 * l1**2 + corner, corner, 0.5 * m2 * l1 * l2, (0.5 * m1 + m2) * l1, 0.5 * m2 * l2]
    top = [a1, a2, c2 * (2 * a1 + a2) - 2 * s2 * (w1 + 0.5 * w2) * w2, g * c1, g * c12]
    corrected, printed = ([0.0, a1 + a2, c2 * a1 + s * w1**2, 0.0, g * c12] for s in (s2, np.sin(q1)))
    return {
        "H": H,
        "C": C,
        "split": half_H_dot + S,
        "G": G,
        "tau": H @ [a1, a2] + C + G,
        "regressor": np.array([top, corrected]) @ beta,
        "printed regressor": np.array([top, printed]) @ beta,
    }


def pointing_terms(e: dict[str, Any]) -> dict[str, Array]:
    """Example 2: inertia, Coriolis and gravity terms, and the torques with the two terms as they are printed."""
    m, l, g, I_1 = e["m2"], e["l2"], e["g"], e["I1"]
    q2, (w1, w2), qdd = e["q"][1], e["qd"], np.array(e["qdd"])
    c, s = np.cos(q2), np.sin(2 * q2)
    first = I_1 + m * l**2 * c**2
    gravity = np.array([0.0, m * g * l * c])
    second_row = 0.5 * m * l**2 * s * w1**2
    printed = np.array([first, m * l]) * qdd + [0.5 * m * l**2 * s * w1 * w2, second_row] + gravity
    return {
        "H": np.diag([first, m * l**2]),
        "C": np.array([-m * l**2 * s * w1 * w2, second_row]),
        "G": gravity,
        "printed tau": printed,
    }


def _slides(load: Load) -> Result:
    checks: list[Check] = []
    rows: list[list[object]] = []
    e = verified("lagrange-two-link")
    arm, terms = load("lagrange-two-link"), two_link_terms(e)
    q, qd, qdd = e["q"], e["qd"], e["qdd"]
    tau = arm.inverse_dynamics(q, qd, qdd)
    for what, ours, theirs in (
        ("inertia matrix H", arm.mass_matrix(q), terms["H"]),
        ("Coriolis terms C", arm.coriolis_vector(q, qd), terms["C"]),
        ("Ḣ/2 + S, element by element", arm.coriolis_matrix(q, qd), terms["split"]),
        ("gravity terms G", arm.gravity_torque(q), terms["G"]),
        ("torques", tau, terms["tau"]),
        ("torques by the regressor, s1 corrected to s2", tau, terms["regressor"]),
    ):
        checks.append(near(f"Example 1, {what}", ours, theirs, TIGHT, "the slides", against="printed"))
        rows += _rows("lagrange-two-link", what, ours, theirs)
    checks.append(near("Example 1, torques", tau, e["tau"], 1e-9))
    sign = Repair(
        "s1 in the second row of the regressor is read as s2",
        not near("", tau, terms["printed regressor"], 1e-6).holds,
        f"as printed the torque is off by {np.abs(tau - terms['printed regressor']).max():.2g} Nm",
    )

    e = verified("lagrange-pointing")
    arm, terms = load("lagrange-pointing"), pointing_terms(e)
    q, qd, qdd = e["q"], e["qd"], e["qdd"]
    tau = arm.inverse_dynamics(q, qd, qdd)
    for what, ours, theirs in (
        ("inertia matrix, m2 l2² in the corner", arm.mass_matrix(q), terms["H"]),
        ("Coriolis terms, the first corrected", arm.coriolis_vector(q, qd), terms["C"]),
        ("gravity terms", arm.gravity_torque(q), terms["G"]),
    ):
        checks.append(near(f"Example 2, {what}", ours, theirs, 1e-9, "the slides", against="printed"))
        rows += _rows("lagrange-pointing", what, ours, theirs)
    correct = np.array(e["tau_correct"])
    checks.append(near("Example 2, torques", tau, correct, 1e-9))
    rows += _rows("lagrange-pointing", f"torques of {COMPUTATION}", tau, correct)
    rows += _rows("lagrange-pointing", "torques with the terms as printed", tau, terms["printed tau"])
    corner = Repair(
        "Example 2 needs m2 l2² instead of m2 l2 in the inertia matrix and -m2 l2² sin 2θ2 instead of "
        "+0.5 m2 l2² sin 2θ2 in the first Coriolis term",
        not near("", tau, terms["printed tau"], 1e-6).holds,
        f"as printed the torques are off by up to {np.abs(tau - terms['printed tau']).max():.2g} Nm",
    )
    header = ["robot", "term", "element", "redyn", "closed form", "difference"]
    return Result(checks, [Numbers(header, rows)], repairs=[sign, corner])


def _rows(robot: str, what: str, ours: Array, theirs: Array) -> list[list[object]]:
    return [
        [robot, what, " ".join(str(i + 1) for i in index), float(ours[index]), float(x), float(ours[index] - x)]
        for index, x in np.ndenumerate(theirs)
    ]


ITEMS = [
    Item(
        "slides-lagrange",
        "Equations of motion by Lagrange",
        "H. Wang, Robot Dynamics (slides), Examples 1 and 2",
        _slides,
    )
]
