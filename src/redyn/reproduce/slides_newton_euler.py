"""The slides' two-link arm by Newton and Euler: R_x and R_y in ground axes, as printed and corrected."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from redyn.report.colours import FAINT, INK, joint_colour
from redyn.reproduce.check import near
from redyn.reproduce.diagram import Arrow, Diagram, Line, Point
from redyn.reproduce.item import Array, Item, Load, Numbers, Repair, Result
from redyn.reproduce.slides_motion import SLIDES
from redyn.reproduce.verified import verified

TIGHT = 1e-12


@dataclass(frozen=True)
class Slips:
    """Which of the slides' misprints are kept."""

    reaction: bool = False  # (1) lacks -tau_2
    moment: bool = False  # (4) has +R_y l2/2 c12
    centre: bool = False  # the y component of a_C2 has -l1 (...)
    tangent: bool = False  # the y component of a_Bt has theta_dot instead of theta_ddot


RIGHT = Slips()


@dataclass(frozen=True)
class Forces:
    a_C2: Array
    R: Array
    tau: Array


def eliminate(e: dict[str, Any], slips: Slips = RIGHT) -> Forces:
    """R_x, R_y from (2) and (3), then tau_2 from (4) and tau_1 from (1)."""
    m1, m2, l1, l2, g, I_o1, I_c2 = (e[k] for k in ("m1", "m2", "l1", "l2", "g", "I_o1", "I_c2"))
    (q1, q2), (w1, w2), (a1, a2) = e["q"], e["qd"], e["qdd"]
    c1, s1, c12, s12 = np.cos(q1), np.sin(q1), np.cos(q1 + q2), np.sin(q1 + q2)
    w, a = w1 + w2, a1 + a2
    along_y = (w1 if slips.tangent else a1) * c1 - w1**2 * s1
    a_C2 = np.array(
        [
            -l1 * (a1 * s1 + w1**2 * c1) - l2 / 2 * (a * s12 + w**2 * c12),
            (-l1 if slips.centre else l1) * along_y + l2 / 2 * (a * c12 - w**2 * s12),
        ]
    )
    R = m2 * a_C2 + [0.0, m2 * g]  # (2), (3)
    sign = 1.0 if slips.moment else -1.0
    tau_2 = I_c2 * a - l2 / 2 * (R[0] * s12 + sign * R[1] * c12)  # (4)
    tau_1 = I_o1 * a1 + m1 * g * l1 / 2 * c1 + R[1] * l1 * c1 - R[0] * l1 * s1  # (1)
    return Forces(a_C2, R, np.array([tau_1 + (0.0 if slips.reaction else tau_2), tau_2]))


def _two_link(load: Load) -> Result:
    e = verified("lagrange-two-link")
    robot = load("lagrange-two-link")
    q, qd, qdd = (np.array(e[k]) for k in ("q", "qd", "qdd"))
    tau = robot.inverse_dynamics(q, qd, qdd)
    motion, view = robot.link_motion(q, qd, qdd), robot.denoc(q, qd, qdd)
    reaction = motion.pose[1, :3, :3] @ robot.joint_wrenches(q, qd, qdd)[1, 3:]  # to ground axes
    right = eliminate(e)
    checks = [
        near("a_C2", right.a_C2, view.t_dot[9:11], TIGHT, "the twist rate of link 2", against="printed"),
        near("R_x, R_y by (2), (3)", right.R, reaction[:2], TIGHT, "the force in joint 2", against="printed"),
        near("τ_2 by (4), corrected", right.tau[1], tau[1], TIGHT, "inverse dynamics", against="printed"),
        near("τ_1 by (1), corrected", right.tau[0], tau[0], TIGHT, "inverse dynamics", against="printed"),
        near("τ", right.tau, e["tau"], 1e-9),
    ]
    slips = {
        "(1) subtracts the reaction τ_2 of the second actuator": Slips(reaction=True),
        "(4) has -l2/2 R_y c12": Slips(moment=True),
        "the y component of a_C2 has +l1": Slips(centre=True),
        "the y component of a_Bt has θ̈_1 instead of θ̇_1": Slips(tangent=True),
    }
    repairs: list[Repair] = []
    rows: list[list[object]] = [["corrected", *right.R.tolist(), *right.tau.tolist(), 0.0]]
    for what, slip in slips.items():
        wrong = eliminate(e, slip)
        off = float(np.abs(wrong.tau - tau).max())
        repairs.append(Repair(what, off > 1e-6, f"as printed the torques are off by up to {off:.2g} Nm"))
        rows.append([f"as printed: {what}", *wrong.R.tolist(), *wrong.tau.tolist(), off])
    header = ["equations", "R_x (N)", "R_y (N)", "τ_1 (Nm)", "τ_2 (Nm)", "largest error (Nm)"]
    return Result(
        checks,
        [Numbers(header, rows)],
        diagrams=_free_bodies(q, right.R),
        repairs=repairs,
        notes=["The slides have letters only; the values are those of the two-link arm of the library."],
    )


def _free_bodies(q: Array, R: Array) -> list[Diagram]:
    l1 = l2 = 1.0
    B = l1 * np.array([np.cos(q[0]), np.sin(q[0])])
    along = np.array([np.cos(q[0] + q[1]), np.sin(q[0] + q[1])])
    tip, C1, C2, O = B + l2 * along, B / 2, B + l2 / 2 * along, np.zeros(2)
    down = np.array([0.0, -0.4])
    blue, red = joint_colour(0), joint_colour(1)

    def reaction(sign: float) -> list[Arrow]:
        x, y = (sign * 0.4 * np.sign(R) * axis for axis in np.eye(2))  # not to scale
        return [
            Arrow(B, B + x, "$R_x$", red, at_tip=True, offset=(2, 6)),
            Arrow(B, B + y, "$R_y$", red, at_tip=True, offset=(5, -2)),
        ]

    def turned(centre: Array, radius: float, start: float, stop: float) -> Line:
        angles = np.linspace(start, stop, 30)
        return Line(centre + radius * np.stack([np.cos(angles), np.sin(angles)], axis=1), INK, 1.3)

    ground = Line(np.array([[-0.15, 0.0], [0.15, 0.0]]), FAINT, 2.0)
    first = Diagram(
        "link 1",
        [
            Line(np.stack([O, B]), blue, 15.0, strength=0.35),
            ground,
            turned(O, 0.17, 0.9, 3.6),
            turned(B, 0.17, 1.2, 3.9),
        ],
        [Arrow(C1, C1 + down, "$m_1 g$", INK, at_tip=True), *reaction(-1.0)],
        [Point(O, "O", offset=(6, -14)), Point(B, "B", red, offset=(-16, -20))],
        [Point(np.array([-0.12, 0.2]), "$\\tau_1$"), Point(B + np.array([-0.2, 0.22]), "$-\\tau_2$", red)],
    )
    second = Diagram(
        "link 2",
        [Line(np.stack([B, tip]), red, 15.0, strength=0.35), turned(B, 0.17, 0.9, 3.6)],
        [Arrow(C2, C2 + down, "$m_2 g$", INK, at_tip=True), *reaction(1.0)],
        [Point(B, "B", offset=(-16, -20)), Point(C2, "$C_2$", red, offset=(6, 6))],
        [Point(B + np.array([-0.22, 0.2]), "$\\tau_2$")],
    )
    return [first, second]


ITEMS = [
    Item(
        "slides-newton-euler",
        "The two-link arm by Newton and Euler",
        SLIDES + "Newton's and Euler's Equation, Example",
        _two_link,
    )
]
