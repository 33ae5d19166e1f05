"""Appendix B of the paper: elimination, articulated bodies and the Kalman filter are the same recursion."""

from __future__ import annotations

from typing import Any

import numpy as np

from redyn.dynamics.denoc import Denoc
from redyn.reproduce.check import Check, near
from redyn.reproduce.item import Array, Curve, Item, Load, Numbers, Panel, Result
from redyn.reproduce.torques import PAPER
from redyn.robot import Robot, load

LONG = 24  # links of the chain of equal rods


def conditional(view: Denoc, i: int) -> Array:
    """Covariance of x_i given y_{i+1} ... y_n, by the formula for normal variables, without any recursion.

    The noise w_k has covariance M_k, x_i is the sum of B_ki^T w_k over the links beyond, and y_i = p_i^T x_i.
    """
    rows = slice(6 * i - 6, 6 * i)
    among = view.M_tilde[rows, rows]  # the covariance of all x is N_l^T M N_l
    with_y = view.M_tilde[rows] @ view.N_d[:, i:]
    y = view.N_d[:, i:].T @ view.M_tilde @ view.N_d[:, i:]
    return among - with_y @ np.linalg.solve(y, with_y.T) if i < view.n else among


def filtered(view: Denoc, y: Array) -> tuple[Array, Array, Array, Array]:
    """A textbook Kalman filter from the tip to the base: P before each measurement, gains, variances, innovations.

    The update is Joseph's form, which differs from (28) in its arithmetic.
    """
    n = view.n
    P, x = np.zeros((6, 6)), np.zeros(6)
    kept, gains, variances, innovations = np.zeros((n, 6, 6)), np.zeros((n, 6)), np.zeros(n), np.zeros(n)
    for i in range(n, 0, -1):
        if i < n:
            step = view.B(i + 1, i).T
            x, P = step @ x, step @ P @ step.T
        P = P + view.M_i[i - 1]  # predict
        p = view.p[i - 1]
        kept[i - 1], variances[i - 1] = P, p @ P @ p
        gain = P @ p / variances[i - 1]
        innovations[i - 1] = y[i - 1] - p @ x
        x = x + gain * innovations[i - 1]
        left = np.eye(6) - np.outer(gain, p)
        P = left @ P @ left.T  # update, without noise of measurement
        gains[i - 1] = gain
    return kept, gains, variances, innovations


def riccati(view: Denoc, i: int) -> Array:
    """M_i + B^T [P - P p (p^T P p)^-1 p^T P] B with P of link i+1: the discrete Riccati equation."""
    P, p, B = view.M_hat_i[i], view.p[i], view.B(i + 1, i)
    return view.M_i[i - 1] + B.T @ (P - np.outer(P @ p, p @ P) / (p @ P @ p)) @ B


def rods_in_a_row(n: int) -> Robot:
    """Equal rods of 1 kg and 1 m in a plane."""
    link: dict[str, Any] = {"joint": "revolute", "a": 1, "b": 0, "alpha": 0, "mass": 1, "r": [0.5, 0, 0]}
    rod = {"yy": 1 / 12, "zz": 1 / 12, "xx": 0}
    links = [{**link, "inertia": rod} for _ in range(n)]
    return load({"name": "rods", "convention": "dh", "gravity": [0, -9.81, 0], "links": links})


def _correspondence(load: Load) -> Result:
    checks: list[Check] = []
    rows: list[list[object]] = []
    rng = np.random.default_rng(4)
    for name in ("puma", "stanford-2003"):
        robot = load(name)
        q, phi = rng.uniform(-1, 1, robot.dof), rng.uniform(-5, 5, robot.dof)
        view = robot.denoc(q)
        n = view.n
        P, gains, variances, innovations = filtered(view, phi)
        batch = np.stack([conditional(view, i) for i in range(1, n + 1)])
        equation = np.stack([riccati(view, i) for i in range(1, n)])
        scale = 1e-11
        U, D = robot.udu(q)
        checks += [
            near(f"{name}: P_i, errors of the estimate", P, view.M_hat_i, scale, "the articulated-body inertias M^_i"),
            near(f"{name}: P_i without recursion", batch, view.M_hat_i, scale, "M^_i"),
            near(f"{name}: M^_i in the Riccati equation", equation, view.M_hat_i[:-1], scale, "M^_i"),
            near(f"{name}: Kalman gains", gains, view.psi, scale, "ψ_i"),
            near(f"{name}: variances of the innovations", variances, D, scale, "m^_i, the diagonal D of U D Uᵀ"),
            near(f"{name}: innovations of the measurements φ", innovations, np.linalg.solve(U, phi), 1e-10, "U⁻¹ φ"),
            near(
                f"{name}: covariance of the measurements", view.GIM, robot.mass_matrix(q), scale, "the inertia matrix"
            ),
        ]
        rows.extend(
            [name, str(i + 1), float(view.m_hat[i]), float(variances[i]), float(view.GIM[i, i])] for i in range(n)
        )
    notes = [
        "Read the inertia matrix as a covariance: noise of covariance M_i enters at link i, Bᵀ carries it towards the "
        "base, and joint i measures p_iᵀ x_i exactly. A Kalman filter from tip to base then has the covariances M^_i, "
        "the gains ψ_i and innovations of variance m^_i; what it does to φ is the elimination U⁻¹ φ.",
        "The paper states the correspondence and cites Rodriguez (1987) for it; here both sides are computed.",
    ]
    header = ["robot", "joint", "m^_i", "variance of the innovation", "i_ii, all joints beyond locked"]
    return Result(checks, [Numbers(header, rows)], panels=[_saturation()], notes=notes)


def _saturation() -> Panel:
    """Along equal rods, articulated inertias approach a fixed point of the Riccati equation; composite ones grow."""
    view = rods_in_a_row(LONG).denoc(np.full(LONG, 0.1))
    links = np.arange(1.0, LONG + 1)
    curves = [Curve("m^_i, joints beyond free", view.m_hat), Curve("i_ii, joints beyond locked", np.diag(view.GIM))]
    bound = 2.2 * float(view.m_hat.max())
    return Panel(
        f"inertia about joint i of {LONG} equal rods (kg m²)", links, curves, x_label="joint", limits=(0, bound)
    )


ITEMS = [
    Item("paper-appendix-b", "Elimination and the Kalman filter", PAPER + "Appendix B, (19)-(28)", _correspondence)
]
