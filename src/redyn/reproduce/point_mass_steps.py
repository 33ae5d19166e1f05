"""The state-space note step by step: its outward and inward iterations (13)-(15), and the slips of (1), (4), (13)."""

# ruff: noqa: RUF001  signs of mathematics, as the page shows them
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from redyn.report.colours import FAINT, FORCE, INK, joint_colour
from redyn.reproduce.check import near
from redyn.reproduce.diagram import Arrow, Diagram, Line, Point, arc
from redyn.reproduce.item import Array, Item, Load, Numbers, Repair, Result, tidy
from redyn.reproduce.verified import verified
from redyn.robot import External, Robot, load

TIGHT = 1e-12
THDD = 0.7  # rad/s^2, of the state at which everything is evaluated
Z = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True)
class Steps:
    """Vectors of the note in the axes of link 1."""

    v_dot_c: Array
    F: Array
    f: Array
    n: Array


def steps(e: dict[str, Any], squared: bool = True) -> Steps:
    """(13)-(15); as printed, (13) has -l theta_dot where -l theta_dot^2 must stand."""
    m, l, g, th, thd = (e[k] for k in ("m", "l", "g", "theta", "thetadot"))
    c, s = np.cos(th), np.sin(th)
    inwards = -l * (thd**2 if squared else thd)
    v_dot_c = np.array([inwards - g * s, l * THDD - g * c, 0.0])  # (13)
    F = m * v_dot_c
    tip = np.array([c * e["fx"] + s * e["fy"], c * e["fy"] - s * e["fx"], 0.0])  # 0f2 in link axes
    f = tip + F  # (14)
    P = np.array([l, 0.0, 0.0])
    n = np.cross(P, F) + np.cross(P, tip)  # (15)
    return Steps(v_dot_c, F, f, n)


def two_masses(m: float, l: float) -> Robot:
    """Two such links in a row: there the slip of (1), invisible for one link, changes the torques."""
    link = {"joint": "revolute", "rpy": [0, 0, 0], "axis": [0, 0, 1], "mass": m, "com": [l, 0, 0]}
    still = {"xx": 0, "yy": 0, "zz": 0}
    links = [{**link, "xyz": [l * k, 0, 0], "inertia": still} for k in range(2)]
    return load({"name": "two-point-masses", "convention": "frames", "gravity": [0, 9.81, 0], "links": links})


def outward_and_inward(e: dict[str, Any], q: Array, qd: Array, qdd: Array, literal: bool) -> Array:
    """(1) and (2) for two such links; `literal` keeps w x (w_dot x P) of (1), which is w x (w x P)."""
    m, l = e["m"], e["l"]
    P = np.array([l, 0.0, 0.0])
    w, w_dot, v_dot, rotation = np.zeros(3), np.zeros(3), np.array([0.0, -e["g"], 0.0]), np.eye(3)
    forces: list[Array] = []
    turns: list[Array] = []
    offset = np.zeros(3)
    for th, thd, thdd in zip(q, qd, qdd, strict=True):
        inner = w_dot if literal else w
        v_dot = np.cross(w_dot, offset) + np.cross(w, np.cross(inner, offset)) + v_dot
        c, s = np.cos(th), np.sin(th)
        rotation = np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]])
        w, w_dot, v_dot = rotation @ w, rotation @ w_dot, rotation @ v_dot
        w_dot = w_dot + np.cross(w, thd * Z) + thdd * Z
        w = w + thd * Z
        forces.append(m * (np.cross(w_dot, P) + np.cross(w, np.cross(w, P)) + v_dot))
        turns.append(rotation)
        offset = P
    tau = np.zeros(2)
    f, n = np.zeros(3), np.zeros(3)
    for i in (1, 0):
        R = turns[i + 1].T if i == 0 else np.eye(3)
        n = R @ n + np.cross(P, forces[i]) + np.cross(P, R @ f)
        f = R @ f + forces[i]
        tau[i] = n[2]
    return tau


def _iterations(load: Load) -> Result:
    e = verified("point-mass")
    robot = load("point-mass")
    q, qd, qdd = [e["theta"]], [e["thetadot"]], [THDD]
    on_tip: External = {"tip": -np.array([0, 0, 0, e["fx"], e["fy"], 0.0])}
    wrench = robot.joint_wrenches(q, qd, qdd, external=on_tip)[0]
    motion = robot.link_motion(q, qd, qdd)
    R = motion.pose[0, :3, :3]
    lifted = R.T @ (motion.force[0] / e["m"] - np.array(robot.gravity))
    right, printed = steps(e), steps(e, squared=False)
    damping = e["b"] * e["thetadot"]
    tau = float(robot.inverse_dynamics(q, qd, qdd, external=on_tip)[0]) - damping
    checks = [
        near("v̇_C with -l θ̇², (13)", right.v_dot_c, lifted, TIGHT, "the mass centre's acceleration", against="printed"),
        near("f_1, (14)", right.f, wrench[3:], TIGHT, "the force in the joint", against="printed"),
        near("n_1, (15)", right.n, wrench[:3] * [1, 1, 0] + [0, 0, tau], TIGHT, "the moment there", against="printed"),
        near("(1) and (2) for two such links", *_second_link(e, False), TIGHT, "inverse dynamics", against="printed"),
    ]
    off = float(np.abs(right.f - printed.f).max())
    wrong, correct = _second_link(e, True)
    pull = np.cos(e["theta"]) * e["fy"] - np.sin(e["theta"]) * e["fx"]
    sign = float(2 * abs(pull) / (e["m"] * e["l"]))
    repairs = [
        Repair(
            "(13) has -l θ̇² instead of -l θ̇",
            off > 1e-6,
            f"as printed the force along the link is off by {off:.2g} N; the torque does not change",
        ),
        Repair(
            "the third line of (1) has ω × (ω × P) instead of ω × (ω̇ × P)",
            float(np.abs(wrong - correct).max()) > 1e-6,
            f"for two such links the torques are off by up to {np.abs(wrong - correct).max():.2g} Nm; "
            "one link does not show it",
        ),
        Repair(
            "the first line of (4) has -B f, like its second line",
            sign > 1e-6,
            f"with +B f the acceleration is off by {sign:.2g} rad/s²",
        ),
    ]
    rows: list[list[object]] = [
        [f"{name}, {how}", *tidy(x)]
        for how, all_of in (("corrected", right), ("as printed", printed))
        for name, x in vars(all_of).items()
    ]
    return Result(
        checks,
        [Numbers(["vector in link axes", "x", "y", "z"], rows)],
        diagrams=[_sketch(e)],
        repairs=repairs,
        notes=["Y points down in the note: (10) sets the base acceleration to -g Y, which is gravity along +Y."],
    )


def _second_link(e: dict[str, Any], literal: bool) -> tuple[Array, Array]:
    q, qd, qdd = np.array([0.4, 0.7]), np.array([1.2, -0.5]), np.array([0.3, 0.9])
    robot = two_masses(e["m"], e["l"])
    return outward_and_inward(e, q, qd, qdd, literal), robot.inverse_dynamics(q, qd, qdd)


def _sketch(e: dict[str, Any]) -> Diagram:
    """Fig. A with Y up on the page, as the note draws it, and the force of the arm on its environment."""
    l, th = e["l"], e["theta"]
    tip = l * np.array([np.cos(th), np.sin(th)])
    line, label = arc(np.zeros(2), 0.3 * l, 0.0, th, "$\\theta_1$")
    force = np.array([e["fx"], e["fy"]])
    size = 0.4 * l / float(np.linalg.norm(force))
    return Diagram(
        "one-link arm with a point mass and a tip force",
        [Line(np.stack([np.zeros(2), tip]), joint_colour(0), 12.0, strength=0.35), line],
        [
            Arrow(np.zeros(2), np.array([0.7 * l, 0]), "$X_0$", FAINT, at_tip=True),
            Arrow(np.zeros(2), np.array([0, 0.5 * l]), "$Y_0$", FAINT, at_tip=True),
            Arrow(tip, tip + size * force, "$\\mathbf{f}$", FORCE, at_tip=True),
            Arrow(tip, tip + np.array([0, 0.3 * l]), "$m_1 g$", INK, at_tip=True, offset=(5, -4)),
        ],
        [Point(np.zeros(2), "joint 1", offset=(-40, -14)), Point(tip, "$m_1$", offset=(-26, 6))],
        [label, Point(0.55 * tip, "$l_1$", offset=(-4, 12))],
    )


ITEMS = [
    Item(
        "note-iterations",
        "Iterations of the point mass on a link",
        "Derivation of the Equation of Motion of a Rigid-link Robot Manipulator (note), (1)-(15), Fig. A",
        _iterations,
    )
]
