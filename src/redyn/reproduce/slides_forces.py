"""The slides on generalised forces and coordinates: J^T f, the arm on a moving base, kinematics of Example 2."""

# ruff: noqa: RUF001  signs of mathematics, as the page shows them
from __future__ import annotations

from typing import Any

import numpy as np

from redyn.report.colours import FAINT, FORCE, joint_colour
from redyn.reproduce.check import near
from redyn.reproduce.diagram import Arrow, Diagram, Line, Point, arc
from redyn.reproduce.item import Array, Item, Load, Numbers, Repair, Result, Scene, tidy
from redyn.reproduce.slides_motion import SLIDES
from redyn.reproduce.verified import verified
from redyn.robot import External, Robot, load

TIGHT = 1e-12
TIP_FORCE = np.array([3.0, -2.0])  # N


def tip_jacobian(l1: float, l2: float, q: Array) -> Array:
    """dx/dq of the tip of the two-link arm."""
    s1, c1, s12, c12 = np.sin(q[0]), np.cos(q[0]), np.sin(q.sum()), np.cos(q.sum())
    return np.array([[-l1 * s1 - l2 * s12, -l2 * s12], [l1 * c1 + l2 * c12, l2 * c12]])


def _generalised_force(load: Load) -> Result:
    e = verified("lagrange-two-link")
    robot = load("lagrange-two-link")
    q, qd, qdd = (np.array(e[k]) for k in ("q", "qd", "qdd"))
    J = tip_jacobian(e["l1"], e["l2"], q)
    tip = robot.frame_names[-1]
    wrench: External = {tip: np.array([0, 0, 0, *TIP_FORCE, 0])}
    arm = robot.inverse_dynamics(q, qd, qdd, external=wrench) - robot.inverse_dynamics(q, qd, qdd)
    ours = robot.jacobian(q, tip)[3:5]
    right, printed = J.T @ TIP_FORCE, J @ TIP_FORCE
    delta = 1e-6
    work = [float(TIP_FORCE @ (_tip(e, q + delta * x) - _tip(e, q - delta * x))) / (2 * delta) for x in np.eye(2)]
    checks = [
        near("J(q)", J, ours, TIGHT, "the Jacobian of the robot", against="printed"),
        near("generalised force Jᵀ f", right, -arm, TIGHT, "what inverse dynamics needs less", against="printed"),
        near("Jᵀ f", right, work, 1e-8, "work per small displacement, ∂(δW)/∂(δq)"),
    ]
    off = float(np.abs(right - printed).max())
    repair = Repair(
        "(J f)ᵀ δq is (Jᵀ f)ᵀ δq", off > 1e-6, f"as printed it is off by {off:.2g} Nm, and needs a square J at all"
    )
    rows: list[list[object]] = [
        ["Jᵀ f", *right.tolist()],
        ["as printed: J f", *printed.tolist()],
        ["redyn", *(-arm).tolist()],
    ]
    return Result(
        checks,
        [Numbers(["generalised force", "joint 1 (Nm)", "joint 2 (Nm)"], rows)],
        diagrams=[_pulled(e, q)],
        repairs=[repair],
        notes=[f"The slides have letters only; here f = ({TIP_FORCE[0]:g}, {TIP_FORCE[1]:g}) N acts on the tip."],
    )


def _tip(e: dict[str, Any], q: Array) -> Array:
    l1, l2 = e["l1"], e["l2"]
    return np.array([l1 * np.cos(q[0]) + l2 * np.cos(q.sum()), l1 * np.sin(q[0]) + l2 * np.sin(q.sum())])


def _pulled(e: dict[str, Any], q: Array) -> Diagram:
    B, tip = e["l1"] * np.array([np.cos(q[0]), np.sin(q[0])]), _tip(e, q)
    O, size = np.zeros(2), e["l1"]
    lines = [
        Line(np.array([[0, 0], [0.6 * size, 0]]), FAINT, 1.0, dashed=True),
        Line(np.stack([B, B + 0.35 * B]), FAINT, 1.0, dashed=True),
        Line(np.stack([O, B]), joint_colour(0), 14.0, strength=0.35),
        Line(np.stack([B, tip]), joint_colour(1), 14.0, strength=0.35),
    ]
    (one, first), (two, second) = (
        arc(O, 0.3 * size, 0.0, float(q[0]), "$\\theta_1$"),
        arc(B, 0.25 * size, float(q[0]), float(q.sum()), "$\\theta_2$"),
    )
    force = Arrow(tip, tip + 0.09 * TIP_FORCE, "$\\mathbf{f}$", FORCE, at_tip=True)
    return Diagram("a force on the tip", [*lines, one, two], [force], [Point(O, ""), Point(B, "")], [first, second])


BASE_MASS, BASE_INERTIA, ARM_MASS, ARM_LENGTH, MOUNT = 8.0, 0.6, 2.0, 0.7, 0.3


def mobile_arm() -> Robot:
    """A body that moves in the plane, q = (x, y, phi), and carries one link, theta."""
    rod = ARM_MASS * ARM_LENGTH**2 / 12
    links: list[dict[str, Any]] = [
        {
            "name": "base",
            "joint": "planar",
            "xyz": [0, 0, 0],
            "rpy": [0, 0, 0],
            "axis": [0, 0, 1],
            "mass": BASE_MASS,
            "com": [0, 0, 0],
            "inertia": {"xx": BASE_INERTIA / 2, "yy": BASE_INERTIA / 2, "zz": BASE_INERTIA},
        },
        {
            "name": "arm",
            "joint": "revolute",
            "xyz": [MOUNT, 0, 0],
            "rpy": [0, 0, 0],
            "axis": [0, 0, 1],
            "mass": ARM_MASS,
            "com": [ARM_LENGTH / 2, 0, 0],
            "inertia": {"xx": 0, "yy": rod, "zz": rod},
        },
    ]
    return load({"name": "mobile-arm", "convention": "frames", "gravity": [0, 0, -9.81], "links": links})


def mobile_energy(q: Array, rates: Array) -> float:
    """K of the slides' formula, with x and y of the base in ground axes."""
    _, _, phi, theta = q
    x_dot, y_dot, phi_dot, theta_dot = rates
    turn = phi_dot + theta_dot
    at = phi + theta
    v = [
        x_dot - MOUNT * np.sin(phi) * phi_dot - ARM_LENGTH / 2 * np.sin(at) * turn,
        y_dot + MOUNT * np.cos(phi) * phi_dot + ARM_LENGTH / 2 * np.cos(at) * turn,
    ]
    base = BASE_MASS * (x_dot**2 + y_dot**2) + BASE_INERTIA * phi_dot**2
    return float(0.5 * (base + ARM_MASS * (v[0] ** 2 + v[1] ** 2) + ARM_MASS * ARM_LENGTH**2 / 12 * turn**2))


def _mobile_arm(_: Load) -> Result:
    robot = mobile_arm()
    rng = np.random.default_rng(2)
    worst = 0.0
    for _k in range(5):
        q, rates = rng.uniform(-1, 1, 4), rng.uniform(-1, 1, 4)
        worst = max(worst, abs(mobile_energy(q, rates) - float(robot.kinetic_energy(q, rates))))
    q = np.array([0.2, 0.1, 0.4, 0.7])
    eye = np.eye(4)
    K = [[mobile_energy(q, eye[i] + eye[j]) for j in range(4)] for i in range(4)]
    H = np.array([[K[i][j] - K[i][i] / 4 - K[j][j] / 4 for j in range(4)] for i in range(4)])
    checks = [
        near("degrees of freedom", robot.dof, 4, 0.0, "the slide", against="printed"),
        near("kinetic energy at 5 states", worst, 0.0, TIGHT, "K of the two bodies by hand"),
        near("inertia matrix", robot.mass_matrix(q), H, TIGHT, "the second derivatives of K"),
    ]
    rows: list[list[object]] = [[name, *row] for name, row in zip(("x", "y", "φ", "θ"), H.tolist(), strict=True)]
    note = (
        f"The slide has letters only: a base of {BASE_MASS:g} kg and {BASE_INERTIA:g} kg m², a rod of {ARM_MASS:g} kg "
        f"and {ARM_LENGTH:g} m, mounted {MOUNT:g} m ahead of the base's mass centre."
    )
    return Result(checks, [Numbers(["", "x", "y", "φ", "θ"], rows)], diagrams=[_plan(q)], notes=[note])


def _plan(q: Array) -> Diagram:
    x, y, phi, theta = q.tolist()
    R = np.array([[np.cos(phi), -np.sin(phi)], [np.sin(phi), np.cos(phi)]])
    corners = np.array([[-0.35, -0.2], [0.35, -0.2], [0.35, 0.2], [-0.35, 0.2], [-0.35, -0.2]])
    centre = np.array([x, y])
    joint = centre + R @ [MOUNT, 0]
    tip = joint + ARM_LENGTH * np.array([np.cos(phi + theta), np.sin(phi + theta)])
    (one, first), (two, second) = (
        arc(centre, 0.18, 0.0, phi, "$\\phi$"),
        arc(joint, 0.22, phi, phi + theta, "$\\theta$"),
    )
    return Diagram(
        "generalised coordinates x, y, φ, θ",
        [
            Line(centre + corners @ R.T, joint_colour(0), 2.0),
            Line(np.stack([joint, tip]), joint_colour(1), 12.0, strength=0.35),
            Line(np.stack([centre, centre + np.array([0.45, 0])]), FAINT, 1.0, dashed=True),
            Line(np.stack([centre, joint + R @ [0.35, 0]]), FAINT, 1.0, dashed=True),
            one,
            two,
        ],
        [
            Arrow(np.array([-0.4, -0.4]), np.array([0.0, -0.4]), "X", FAINT, at_tip=True),
            Arrow(np.array([-0.4, -0.4]), np.array([-0.4, 0.0]), "Y", FAINT, at_tip=True),
        ],
        [Point(centre, "(x, y)", offset=(-18, -16)), Point(joint, "")],
        [first, second],
    )


def pointing_kinematics(l2: float, q: Array) -> tuple[list[Array], Array]:
    """0T1, 0T2, 0T3 and J(q) of Example 2, as the slides write them."""
    c1, s1, c2, s2 = np.cos(q[0]), np.sin(q[0]), np.cos(q[1]), np.sin(q[1])
    T1 = np.array([[c1, -s1, 0, 0], [s1, c1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
    T2 = np.array([[c1 * c2, -c1 * s2, s1, 0], [s1 * c2, -s1 * s2, -c1, 0], [s2, c2, 0, 0], [0, 0, 0, 1]])
    T3 = T2.copy()
    T3[:3, 3] = l2 * T2[:3, 0]
    J = l2 * np.array([[-s1 * c2, -c1 * s2], [c1 * c2, -s1 * s2], [0, c2]])
    return [T1, T2, T3], J


def _example_2(load: Load) -> Result:
    e = verified("lagrange-pointing")
    robot = load("lagrange-pointing")
    q, qd = np.array(e["q"]), np.array(e["qd"])
    poses, J = pointing_kinematics(e["l2"], q)
    ours = [robot.forward_kinematics(q, name) for name in robot.frame_names]
    v = robot.jacobian(q, "tip")[3:] @ qd
    squared = e["l2"] ** 2 * (np.cos(q[1]) ** 2 * qd[0] ** 2 + qd[1] ** 2)
    f = np.array([1.0, -2.0, 0.5])
    wrench: External = {"tip": np.array([0, 0, 0, *f])}
    rest = np.zeros(2)
    needed = robot.inverse_dynamics(q, rest, rest) - robot.inverse_dynamics(q, rest, rest, external=wrench)
    checks = [
        *(
            near(f"⁰T{k + 1}", mine, theirs, TIGHT, "the slide", against="printed")
            for k, (mine, theirs) in enumerate(zip(ours, poses, strict=True))
        ),
        near("V²", float(v @ v), squared, TIGHT, "l₂² c₂² θ̇₁² + l₂² θ̇₂²", against="printed"),
        near("J(q)", robot.jacobian(q, "tip")[3:], J, TIGHT, "the slide", against="printed"),
        near("Jᵀ f", needed, J.T @ f, TIGHT, "the slide", against="printed"),
    ]
    rows: list[list[object]] = [
        [f"⁰T{k + 1}, row {i + 1}", *tidy(row)] for k, pose in enumerate(ours) for i, row in enumerate(pose[:3])
    ]
    rows.extend([f"J, row {i + 1}", *tidy(row), "", ""] for i, row in enumerate(J))
    return Result(
        checks,
        [Numbers(["matrix", "1", "2", "3", "4"], rows)],
        scenes=[Scene("frames, x red, y green, z blue", robot, q[None], frames=True)],
        notes=["The DH table of the slide is Craig's: T = Rx(α) Tx(a) Rz(θ) Tz(d), with α and a of the previous row."],
    )


ITEMS = [
    Item(
        "slides-generalised-force", "Generalised force of a tip force", SLIDES + "Generalized Force", _generalised_force
    ),
    Item("slides-mobile-arm", "An arm on a moving base", SLIDES + "Generalized coordinates, Examples", _mobile_arm),
    Item("slides-kinematics", "Kinematics of the pointing arm", SLIDES + "Example 2", _example_2),
]
