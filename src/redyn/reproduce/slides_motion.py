"""The slides on motion: rotation about a fixed axis, of a vector and of a frame, and general motion of a body."""

# ruff: noqa: RUF001  signs of mathematics, as the page shows them
from __future__ import annotations

import numpy as np

from redyn.reproduce.check import near
from redyn.reproduce.item import Array, Curve, Item, Load, Numbers, Panel, Result, Scene, tidy
from redyn.robot import Robot

SLIDES = "H. Wang, Robot Dynamics (slides), "
STEP = 1e-5  # s, of the central differences


def _spinning(load: Load) -> tuple[Robot, Array, Array, Array]:
    """The pointing arm with only its first joint turning: its tip moves on a circle about Z."""
    robot = load("lagrange-pointing")
    return robot, np.array([0.3, 0.7]), np.array([1.4, 0.0]), np.array([-0.8, 0.0])


def _moved(robot: Robot, q: Array, qd: Array, qdd: Array, t: float, frame: str | int) -> Array:
    """The pose of a frame a time t later, at constant joint accelerations."""
    return robot.forward_kinematics(q + qd * t + qdd * t * t / 2, frame)


def _differences(robot: Robot, q: Array, qd: Array, qdd: Array, frame: str | int) -> tuple[Array, Array]:
    """First and second differences of the pose: independent of every formula for velocities."""
    before, now, after = (_moved(robot, q, qd, qdd, t, frame) for t in (-STEP, 0.0, STEP))
    return (after - before) / (2 * STEP), (after - 2 * now + before) / STEP**2


def _fixed_axis(load: Load) -> Result:
    robot, q, qd, qdd = _spinning(load)
    tip = robot.forward_kinematics(q, "tip")[:3, 3]
    axis = np.array([0.0, 0.0, 1.0])
    w, alpha = axis * qd[0], axis * qdd[0]
    r = tip - axis * (axis @ tip)  # from the nearest point of the axis
    v, a_t, a_n = np.cross(w, tip), np.cross(alpha, tip), np.cross(w, np.cross(w, tip))
    rate, second = _differences(robot, q, qd, qdd, "tip")
    twist = robot.jacobian(q, "tip") @ qd
    twist_rate = robot.jacobian(q, "tip") @ qdd + robot.jacobian_rate(q, qd, "tip") @ qd
    l = float(robot.description.links[1].com[0]) if robot.description.links[1].com else 0.0
    size = np.hypot(qdd[0], qd[0] ** 2) * l * np.cos(q[1])
    checks = [
        near("v = ω × r_p", v, twist[3:], 1e-12, "the Jacobian times the rates", against="printed"),
        near("v = ω × r, with r from the axis", np.cross(w, r), v, 1e-12, "v = ω × r_p", against="printed"),
        near("a = α × r_p + ω × (ω × r_p)", a_t + a_n, twist_rate[3:], 1e-12, "J q̈ + J̇ q̇", against="printed"),
        near("a_n = -ω² r", a_n, -(qd[0] ** 2) * r, 1e-12, "ω × (ω × r_p)", against="printed"),
        near(
            "|a| = √(a_t² + a_n²)", float(np.linalg.norm(a_t + a_n)), size, 1e-12, "the length of a", against="printed"
        ),
        near("v", v, rate[:3, 3], 1e-8, "differences of positions"),
        near("a", a_t + a_n, second[:3, 3], 1e-4, "second differences of positions"),
    ]
    angles = np.linspace(0.0, 2 * np.pi, 121)
    circle = np.stack([robot.forward_kinematics([x, q[1]], "tip")[:3, 3] for x in angles])
    rows: list[list[object]] = [
        [name, *tidy(x), float(np.linalg.norm(x))] for name, x in (("r", r), ("v", v), ("a_t", a_t), ("a_n", a_n))
    ]
    return Result(
        checks,
        [Numbers(["vector", "x", "y", "z", "length"], rows)],
        scenes=[Scene("the tip moves on a circle about Z", robot, q[None], circle)],
        notes=["Joint 1 turns and joint 2 does not: point P is the tip of the arm of Example 2."],
    )


def _turning_frame(load: Load) -> Result:
    """Rotation of a vector and of a frame, and general motion: any link of any robot; here the PUMA's."""
    robot = load("puma")
    rng = np.random.default_rng(3)
    q, qd, qdd = (rng.uniform(-1, 1, robot.dof) for _ in range(3))
    link = robot.frame_names[-1]
    pose = robot.forward_kinematics(q, link)
    twist = robot.jacobian(q, link) @ qd
    twist_rate = robot.jacobian(q, link) @ qdd + robot.jacobian_rate(q, qd, link) @ qd
    w, v, alpha, a = twist[:3], twist[3:], twist_rate[:3], twist_rate[3:]
    R = pose[:3, :3]
    R_dot = np.cross(w, R, axisb=0, axisc=0)
    rate, second = _differences(robot, q, qd, qdd, link)
    r = R @ np.array([0.1, -0.2, 0.3])  # from the origin A of the frame to a point B of the body
    body = np.array([0.1, -0.2, 0.3, 1.0])
    v_B, a_B = v + np.cross(w, r), a + np.cross(alpha, r) + np.cross(w, np.cross(w, r))
    checks = [
        near("Ṙ = ω × R, column by column", R_dot, rate[:3, :3], 1e-8, "differences of R", against="printed"),
        near("Ṙ Rᵀ + R Ṙᵀ", R_dot @ R.T + R @ R_dot.T, np.zeros((3, 3)), 1e-12, "zero: ω × 1 is skew"),
        near("v_B = v_A + ω × r", v_B, (rate @ body)[:3], 1e-8, "differences of positions", against="printed"),
        near(
            "a_B = a_A + α × r + ω × (ω × r)",
            a_B,
            (second @ body)[:3],
            1e-4,
            "second differences of positions",
            against="printed",
        ),
        near("v_A, with the printed DH table", v, _by_table(q, qd), 1e-7, "differences of the table's products"),
    ]
    rows: list[list[object]] = [
        [f"{axis}_B", *(float(x) for x in R[:, k]), *(float(x) for x in R_dot[:, k])] for k, axis in enumerate("ijk")
    ]
    times = np.linspace(0.0, 0.5, 51)
    drift = [
        float(np.abs(_moved(robot, q, qd, 0 * qdd, t, link)[:3, :3] - (R + t * R_dot)).max()) for t in times.tolist()
    ]
    panel = Panel("largest element of R(t) - (R + t ω × R)", times, [Curve("difference", np.array(drift))])
    return Result(
        checks,
        [Numbers(["axis", "x", "y", "z", "rate x", "rate y", "rate z"], rows)],
        panels=[panel],
        scenes=[Scene("a frame of the PUMA turns", robot, q[None], frames=True)],
    )


def _by_table(q: Array, qd: Array) -> Array:
    """The velocity of the last origin, from Table 9.3 alone."""
    from redyn.reproduce.pictures import dh_product

    before, after = (dh_product("puma", q + t * qd)[-1, :3, 3] for t in (-STEP, STEP))
    return (after - before) / (2 * STEP)


ITEMS = [
    Item("slides-fixed-axis", "Rotation about a fixed axis", SLIDES + "Rotation about a Fixed Axis", _fixed_axis),
    Item(
        "slides-rotation",
        "Rotating vectors and frames, and general motion",
        SLIDES + "Rotation of a Vector, Rotation of a Frame, General Motion",
        _turning_frame,
    ),
]
