"""The slides on particles: ball and wedge, system of particles, and the massless link with two particles."""

# ruff: noqa: RUF001  signs of mathematics, as the page shows them
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from redyn.report.colours import FAINT, INK, joint_colour
from redyn.reproduce.check import near
from redyn.reproduce.diagram import Arrow, Diagram, Line, Point
from redyn.reproduce.item import Array, Item, Load, Numbers, Repair, Result, tidy
from redyn.reproduce.slides_motion import SLIDES
from redyn.robot import Robot, load

G = 9.81
BALL, WEDGE, SLOPE = 0.5, 2.0, np.radians(30.0)  # kg, kg, rad: the slides have letters only
M1, M2, L1, L2, TILT = 1.5, 0.8, 0.4, 0.9, 0.5  # the massless link: kg, m, rad


def ball_and_wedge() -> Array:
    """x_b'', y_b'', x_w'', a_b/w and N from the slides' equations (1)-(5), as one linear system."""
    c, s = np.cos(SLOPE), np.sin(SLOPE)
    left = np.array(
        [
            [BALL, 0, 0, 0, -s],  # (1)
            [0, BALL, 0, 0, -c],  # (2)
            [0, 0, WEDGE, 0, s],  # (3)
            [1, 0, -1, -c, 0],  # (4)
            [0, 1, 0, s, 0],  # (5)
        ]
    )
    return np.linalg.solve(left, np.array([0.0, -BALL * G, 0.0, 0.0, 0.0]))


def wedge_robot() -> Robot:
    """Two prismatic joints: the wedge along X, the ball along its slope."""
    still = {"xx": 0, "yy": 0, "zz": 0}
    links: list[dict[str, Any]] = [
        {"joint": "prismatic", "xyz": [0, 0, 0], "rpy": [0, 0, 0], "axis": [1, 0, 0], "mass": WEDGE, "com": [0, 0, 0]},
        {
            "joint": "prismatic",
            "xyz": [0, 0, 0],
            "rpy": [0, 0, 0],
            "axis": [float(np.cos(SLOPE)), float(-np.sin(SLOPE)), 0],
            "mass": BALL,
            "com": [0, 0, 0],
        },
    ]
    described = {"name": "ball-and-wedge", "convention": "frames", "gravity": [0, -G, 0]}
    return load({**described, "links": [{**link, "inertia": still} for link in links]})


def massless_link(theta: float, weighted: bool) -> float:
    """The angular acceleration of the slides; as printed it lacks g."""
    moment = (M1 * L1 - M2 * L2) * np.cos(theta)
    return float(moment * (G if weighted else 1.0) / (M1 * L1**2 + M2 * L2**2))


def balance() -> Robot:
    """A link without mass that turns about O, with m_1 on one side and m_2 on the other."""
    steiner = M1 * M2 / (M1 + M2) * (L1 + L2) ** 2
    link = {
        "joint": "revolute",
        "xyz": [0, 0, 0],
        "rpy": [0, 0, 0],
        "axis": [0, 0, 1],
        "mass": M1 + M2,
        "com": [(M2 * L2 - M1 * L1) / (M1 + M2), 0, 0],
        "inertia": {"xx": 0, "yy": steiner, "zz": steiner},
    }
    return load({"name": "massless-link", "convention": "frames", "gravity": [0, -G, 0], "links": [link]})


def _ball_and_wedge(_: Load) -> Result:
    x_b, y_b, x_w, relative, N = ball_and_wedge()
    robot = wedge_robot()
    rest = np.zeros(2)
    qdd = robot.forward_dynamics(rest, rest, rest)
    wrench = robot.joint_wrenches(rest, rest, qdd)[1]  # of the wedge on the ball, in the ball's axes
    closed = BALL * G * np.sin(SLOPE) * np.cos(SLOPE) / (WEDGE + BALL * np.sin(SLOPE) ** 2)
    checks = [
        near("acceleration of the wedge", qdd[0], x_w, 1e-12, "equations (1)-(5)", against="printed"),
        near("acceleration of the ball on it", qdd[1], relative, 1e-12, "equations (1)-(5)", against="printed"),
        near("normal force", float(np.linalg.norm(wrench[3:])), N, 1e-12, "equations (1)-(5)", against="printed"),
        near("acceleration of the wedge", x_w, -closed, 1e-12, "its closed form m₁ g s c / (m₂ + m₁ s²)"),
        near("momentum along X: m₁ ẍ_b + m₂ ẍ_w", BALL * x_b + WEDGE * x_w, 0.0, 1e-12, "zero: no external force"),
    ]
    rows: list[list[object]] = [
        [name, float(value), unit]
        for name, value, unit in (
            ("ball, x", x_b, "m/s²"),
            ("ball, y", y_b, "m/s²"),
            ("wedge, x", x_w, "m/s²"),
            ("ball on the wedge", relative, "m/s²"),
            ("N", N, "N"),
        )
    ]
    note = f"The slides have letters only: m₁ = {BALL:g} kg, m₂ = {WEDGE:g} kg, θ = {np.degrees(SLOPE):.0f}°."
    return Result(checks, [Numbers(["quantity", "value", "unit"], rows)], diagrams=_free_bodies(N), notes=[note])


def _free_bodies(N: float) -> list[Diagram]:
    """The wedge with the ball, and the free-body diagrams of both; forces to scale."""
    run, rise = 1.0, np.tan(SLOPE)
    corners = np.array([[0, 0], [run, 0], [0, rise], [0, 0]])
    on = np.array([0.45 * run, 0.55 * rise])
    normal = np.array([np.sin(SLOPE), np.cos(SLOPE)])
    ball, scale = on + 0.09 * normal, 0.09
    ring = np.linspace(0, 2 * np.pi, 60)
    circle = 0.09 * np.stack([np.cos(ring), np.sin(ring)], axis=1)
    blue, red = joint_colour(0), joint_colour(1)
    ground = Line(np.array([[-0.3, 0.0], [1.3, 0.0]]), FAINT, 1.0)
    whole = Diagram(
        "ball on a wedge",
        [ground, Line(corners, blue, 2.0), Line(ball + circle, red, 2.0)],
        [],
        [],
        [
            Point(ball, "$m_1$", red, offset=(-6, -4)),
            Point(np.array([0.2, 0.12]), "$m_2$", blue),
            Point(np.array([0.72, 0.02]), "θ", INK, offset=(6, 3)),
        ],
    )
    weight = BALL * G
    ball_alone = Diagram(
        "forces on the ball",
        [Line(circle, red, 2.0)],
        [
            Arrow(np.zeros(2), scale * N * normal, "$N$", red, at_tip=True),
            Arrow(np.zeros(2), np.array([0, -scale * weight]), "$m_1 g$", INK, at_tip=True),
        ],
    )
    wedge_alone = Diagram(
        "forces on the wedge along X and from the ball",
        [Line(corners, blue, 2.0), ground],
        [Arrow(on + scale * N * normal, on, "$N$", red, offset=(10, 8))],
        [Point(on, "", red)],
    )
    return [whole, ball_alone, wedge_alone]


def _massless_link(_: Load) -> Result:
    robot = balance()
    found = float(robot.forward_dynamics([TILT], [0.0], [0.0])[0])
    right, printed = massless_link(TILT, True), massless_link(TILT, False)
    rate = robot.momentum([TILT], [2.0])  # angular about the world origin, which is O
    H = (M1 * L1**2 + M2 * L2**2) * 2.0
    checks = [
        near("ω̇ with g", found, right, 1e-12, "the slide's formula", against="printed"),
        near("H_O = (m₁ l₁² + m₂ l₂²) ω", float(rate[2]), H, 1e-12, "the momentum of the robot", against="printed"),
        _principle(robot),
    ]
    repair = Repair(
        "the last line of the massless link has a factor g",
        abs(found - printed) > 1e-6,
        f"as printed it gives {printed:.4f} instead of {right:.4f} rad/s²",
    )
    rows: list[list[object]] = [
        ["with g", right, found, right - found],
        ["as printed", printed, found, printed - found],
    ]
    note = (
        f"Letters only in the slides: m₁ = {M1:g} kg, m₂ = {M2:g} kg, l₁ = {L1:g} m, l₂ = {L2:g} m, θ = {TILT:g} rad."
    )
    return Result(
        checks,
        [Numbers(["formula", "value (rad/s²)", "redyn", "difference"], rows)],
        diagrams=[_lever()],
        repairs=[repair],
        notes=[note],
    )


def _principle(robot: Robot) -> Any:
    """The rate of H_O by differences along the motion equals the moment of the weights."""
    qdd, rate, step = float(robot.forward_dynamics([TILT], [2.0], [0.0])[0]), 2.0, 1e-5
    H = [float(robot.momentum([TILT + rate * t + qdd * t * t / 2], [rate + qdd * t])[2]) for t in (-step, step)]
    moment = (M1 * L1 - M2 * L2) * G * np.cos(TILT)
    return near("Ḣ_O", (H[1] - H[0]) / (2 * step), moment, 1e-7, "the moment of the weights about O", against="printed")


def _lever() -> Diagram:
    along = np.array([np.cos(TILT), np.sin(TILT)])
    one, two = -L1 * along, L2 * along
    pull, beside = 0.035, np.array([0.06, -0.1])
    return Diagram(
        "massless link with two particles",
        [
            Line(np.stack([one, two]), joint_colour(0), 3.0),
            Line(np.array([[0, 0], [0.75, 0]]), FAINT, 1.0, dashed=True),
        ],
        [
            Arrow(one, one - [0, pull * M1 * G], "$m_1 g$", INK, at_tip=True),
            Arrow(two, two - [0, pull * M2 * G], "$m_2 g$", INK, at_tip=True),
            Arrow(beside, one + beside, "$l_1$", FAINT, double=True, offset=(2, -14)),
            Arrow(-beside, two - beside, "$l_2$", FAINT, double=True, offset=(-16, 6)),
        ],
        [
            Point(one, "$m_1$", offset=(-24, 4)),
            Point(two, "$m_2$", offset=(6, 6)),
            Point(np.zeros(2), "O", offset=(4, -14)),
        ],
        [Point(np.array([0.3, 0.05]), "θ", INK, offset=(0, 0))],
    )


def _system_of_particles(load: Load) -> Result:
    """The links of the three-link arm as a system: sums over bodies against the momentum of the whole."""
    robot = load("three-link")
    q, qd, qdd = np.array([0.4, -0.9, 0.5]), np.array([1.1, -0.4, 0.8]), np.array([-0.5, 0.9, 1.2])
    view = robot.denoc(q, qd, qdd)
    v, a = (x.reshape(-1, 6)[:, 3:] for x in (view.t, view.t_dot))
    M = float(view.m.sum())
    centre = view.m @ view.C / M
    L, L_dot = view.m @ v, view.m @ a
    base = robot.joint_wrenches(q, qd, qdd)[0]  # link 1 axes
    turned = robot.link_motion(q, qd, qdd).pose[0, :3, :3] @ base[3:]
    external = turned + M * np.array(robot.gravity)
    H = sum(
        (np.cross(view.C[i], view.m[i] * v[i]) + view.I_i[i] @ view.omega[i] for i in range(robot.dof)), np.zeros(3)
    )
    momentum = robot.momentum(q, qd)
    step = 1e-5
    ahead, behind = (robot.momentum(q + qd * t + qdd * t * t / 2, qd + qdd * t) for t in (step, -step))
    rates = (ahead - behind) / (2 * step)
    rods = [0.5 * 0.15, 0.4 * 0.125, 0.3 * 0.11]  # m times half a length, Table 9.2
    lengths, masses = [0.3, 0.25], [0.5, 0.4, 0.3]
    angles = np.cumsum(q)
    moment = sum(
        (
            rods[i] * np.exp(1j * angles[i])
            + masses[i] * sum((lengths[j] * np.exp(1j * angles[j]) for j in range(i)), 0j)
            for i in range(3)
        ),
        0j,
    )
    checks = [
        near("r_c = Σ m r / Σ m", robot.com(q), centre, 1e-12, "the sum over the links", against="printed"),
        near("r_c", centre[:2], [moment.real / 1.2, moment.imag / 1.2], 1e-12, "Table 9.2 by hand"),
        near("L = Σ m v", momentum[3:], L, 1e-12, "the sum over the links", against="printed"),
        near("M a_c = Σ f", L_dot, external, 1e-12, "reaction of the base plus weights", against="printed"),
        near("H_O = Σ r × m v + I ω", momentum[:3], H, 1e-12, "the sum over the links", against="printed"),
        near("L̇", rates[3:], L_dot, 1e-7, "differences of the momentum"),
        near(
            "Ḣ_O = M_O",
            rates[:3],
            robot.link_motion(q, qd, qdd).pose[0, :3, :3] @ base[:3] + np.cross(centre, M * np.array(robot.gravity)),
            1e-7,
            "moment of the base plus moment of the weights",
            against="printed",
        ),
    ]
    rows: list[list[object]] = [
        [name, *tidy(x)]
        for name, x in (("r_c (m)", centre), ("L (kg m/s)", L), ("M a_c (N)", L_dot), ("H_O (kg m²/s)", H))
    ]
    return Result(
        checks, [Numbers(["quantity", "x", "y", "z"], rows)], diagrams=[_centre(view.O, view.C, view.r, centre)]
    )


def _centre(O: Array, C: Array, r: Array, centre: Array) -> Diagram:
    ends = [*O[1:], C[-1] + r[-1]]
    bars: Sequence[Line] = [
        Line(np.stack([O[i, :2], ends[i][:2]]), joint_colour(i), 14.0, strength=0.35) for i in range(len(O))
    ]
    dots = [Point(C[i, :2], f"$C_{i + 1}$", joint_colour(i)) for i in range(len(O))]
    return Diagram("mass centres of the links and of the arm", bars, [], [*dots, Point(centre[:2], "C", marker="s")])


ITEMS = [
    Item("slides-ball-and-wedge", "Ball on a wedge", SLIDES + "Newton's Laws, Example", _ball_and_wedge),
    Item(
        "slides-particles",
        "System of particles: mass centre, momentum",
        SLIDES + "Dynamics of a System of Particles",
        _system_of_particles,
    ),
    Item(
        "slides-massless-link",
        "Massless link with two particles",
        SLIDES + "Angular Momentum of a System of Particles, Example",
        _massless_link,
    ),
]
