"""Labelled figures of the sources: coupled bodies, the three-link arm, and Denavit and Hartenberg's parameters."""

# ruff: noqa: RUF001  signs of mathematics, as the page shows them
from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from redyn.report.colours import FAINT, INK, PATH, joint_colour
from redyn.reproduce.check import Check, near, statement, within
from redyn.reproduce.diagram import AXES, Arrow, Diagram, Line, Point, arc, plane, space, turn
from redyn.reproduce.item import Array, Item, Load, Numbers, Repair, Result, tidy
from redyn.reproduce.pictures import TABLES, frames
from redyn.reproduce.torques import BOOK, PAPER
from redyn.robot import Robot, load


def three_bodies() -> Robot:
    """Three bodies in a plane whose mass centres lie beside the lines between their joints."""
    sizes = ((1.0, [0.45, 0.22]), (1.1, [0.55, -0.24]), (0.9, [0.4, 0.2]))
    links: list[dict[str, Any]] = [
        {"joint": "revolute", "a": a, "b": 0, "alpha": 0, "mass": 1, "r": [*r, 0], "inertia": [0.1, 0.1, 0.1]}
        for a, r in sizes
    ]
    return load({"name": "three-bodies", "convention": "dh", "gravity": [0, -9.81, 0], "links": links})


def _coupled(_: Load) -> Result:
    robot = three_bodies()
    q = np.array([0.9, -0.75, -0.55])
    view = robot.denoc(q, [0.5, -0.3, 0.8])
    neighbours = [view.c(i, i - 1) for i in (2, 3)]
    printed = [-view.d[i - 1] - view.r[i - 2] for i in (2, 3)]
    far, wrong = view.c(3, 1), -view.d[2] - view.r[0]
    chained = view.B(3, 2) @ view.B(2, 1)
    off = float(np.abs(far - wrong).max())
    w, v = view.omega, view.t.reshape(-1, 6)[:, 3:]
    speed = v[0] + np.cross(w[0], view.r[0]) + np.cross(w[1], view.d[1])
    checks = [
        near("c_ij = -d_i - r_j of neighbours", neighbours, printed, 1e-12, "C_j - C_i", against="printed"),
        near("(9.4b), velocity of C_2", speed, v[1], 1e-12, "N θ̇", against="printed"),
        near("(9.5a), B_32 B_21", chained, view.B(3, 1), 1e-12, "B_31 with c_31 = C_1 - C_3", against="printed"),
    ]
    repair = Repair(
        "c_ij is C_j - C_i for links that are not neighbours",
        off > 1e-6,
        f"-d_3 - r_1 differs from it by up to {off:.2g} m here",
    )
    rows: list[list[object]] = [
        [name, *tidy(x)]
        for name, x in (
            *((f"d_{i}", view.d[i - 1]) for i in (1, 2, 3)),
            *((f"r_{i}", view.r[i - 1]) for i in (1, 2, 3)),
            ("c_21", view.c(2, 1)),
            ("c_32", view.c(3, 2)),
            ("c_31", far),
        )
    ]
    return Result(
        checks,
        [Numbers(["vector (m)", "x", "y", "z"], rows)],
        diagrams=[_chain(view.O, view.C, view.r), _vectors(view.O, view.C, view.r)],
        repairs=[repair],
    )


def _outline(start: Array, end: Array, centre: Array) -> Array:
    """A closed smooth curve around two joints and a mass centre."""
    middle = (start + end + centre) / 3
    along = (end - start) / np.linalg.norm(end - start)
    across = np.array([-along[1], along[0]])
    reach = [np.abs((x - middle) @ axis).max() for axis in (along, across) for x in (np.stack([start, end, centre]),)]
    angles = np.linspace(0, 2 * np.pi, 90)
    a, b = reach[0] + 0.12, reach[1] + 0.2
    return middle + a * np.cos(angles)[:, None] * along + b * np.sin(angles)[:, None] * across


def _ends(O: Array, C: Array, r: Array) -> list[tuple[Array, Array, Array]]:
    return [(plane(O[i]), plane(C[i] + r[i]), plane(C[i])) for i in range(len(O))]


def _chain(O: Array, C: Array, r: Array) -> Diagram:
    """Fig. 9.1: the manipulator, and composite body i, all links from i to n as one."""
    bodies = _ends(O, C, r)
    lines = [Line(_outline(*body), joint_colour(k), 1.6) for k, body in enumerate(bodies)]
    around = np.concatenate([_outline(*body) for body in bodies[1:]])
    middle = around.mean(axis=0)
    reach = 1.12 * np.abs(around - middle).max(axis=0)
    angles = np.linspace(0, 2 * np.pi, 120)
    ring = middle + reach * np.stack([np.cos(angles), np.sin(angles)], axis=1) * 1.12
    dots = [Point(start, f"joint {k + 1}", INK, offset=(4, -16)) for k, (start, _, _) in enumerate(bodies)]
    names = [Point(centre, f"#{k + 1}", joint_colour(k)) for k, (_, _, centre) in enumerate(bodies)]
    ground = Line(np.array([[-0.35, 0.0], [0.35, 0.0]]), FAINT, 3.0)
    note = Point(middle - np.array([0, reach[1] * 1.08]), "composite body 2", PATH, offset=(-40, -16))
    return Diagram(
        "serial manipulator (n = 3)", [*lines, ground, Line(ring, PATH, 1.2, dashed=True)], [], dots, [*names, note]
    )


def _vectors(O: Array, C: Array, r: Array) -> Diagram:
    """Fig. 9.2: d_i from the joint to the mass centre, r_i from there to the next joint, c_ij from C_i to C_j."""
    bodies = _ends(O, C, r)[:3]
    lines = [Line(_outline(*body), FAINT, 1.0) for body in bodies]
    arrows: list[Arrow] = []
    names = ("j", "i", "k")
    for k, (start, end, centre) in enumerate(bodies):
        colour = joint_colour(k)
        arrows += [
            Arrow(start, centre, f"$\\mathbf{{d}}_{names[k]}$", colour, offset=(2, 6)),
            Arrow(centre, end, f"$\\mathbf{{r}}_{names[k]}$", colour, offset=(2, 6)),
        ]
    centres = [body[2] for body in bodies]
    arrows += [
        Arrow(centres[1], centres[0], "$\\mathbf{c}_{ij}$", INK, offset=(8, -10)),
        Arrow(centres[2], centres[1], "$\\mathbf{c}_{ki}$", INK, offset=(-22, -14)),
    ]
    dots = [Point(c, f"$C_{names[k]}$", INK, offset=(6, -14)) for k, c in enumerate(centres)]
    axes = [
        Point(
            start,
            f"$O_{names[k]}$, $\\mathbf{{e}}_{names[k]}$ ⊙",
            joint_colour(k),
            offset=((-18, -20), (-58, 4), (2, 16))[k],
        )
        for k, (start, _, _) in enumerate(bodies)
    ]
    return Diagram("three coupled bodies; the axes e point at the reader", lines, arrows, [*dots, *axes])


def _three_link(load: Load) -> Result:
    robot = load("three-link")
    q = np.array([0.6, 0.55, -0.9])
    view = robot.denoc(q)
    ends = [view.O[0], view.O[1], view.O[2], view.C[2] + view.r[2]]
    lengths = [float(np.linalg.norm(b - a)) for a, b in pairwise(ends)]
    table = [a for a, *_ in TABLES["three-link"]]
    along = [np.arctan2(*(b - a)[1::-1]) for a, b in pairwise(ends)]
    checks = [
        near("lengths a_i", lengths, table, 1e-12, "Table 9.2", against="printed"),
        near("angles θ_i between the links", np.diff([0.0, *along]), q, 1e-12, "the joint positions"),
    ]
    points = [plane(x) for x in ends]
    lines: list[Line] = []
    texts: list[Point] = []
    arrows: list[Arrow] = []
    for k in range(3):
        start, end = points[k], points[k + 1]
        unit = (end - start) / np.linalg.norm(end - start)
        before = (
            np.array([1.0, 0.0]) if k == 0 else (points[k] - points[k - 1]) / np.linalg.norm(points[k] - points[k - 1])
        )
        lines += [
            Line(np.stack([start, end]), joint_colour(k), 13.0, strength=0.35),
            Line(np.stack([start, start + 0.13 * before]), FAINT, 1.0, dashed=True),
        ]
        first = float(np.arctan2(before[1], before[0]))
        line, label = arc(start, 0.065, first, first + float(q[k]), f"$\\theta_{k + 1}$", reach=1.3)
        lines.append(line)
        side = np.array([-unit[1], unit[0]])
        arrows.append(
            Arrow(start + 0.045 * side, end + 0.045 * side, f"$a_{k + 1}$", FAINT, offset=(-4, 6), double=True)
        )
        texts.append(label)
        arrows.append(Arrow(end, end + 0.09 * unit, f"$X_{k + 2}$", AXES[0], at_tip=True, offset=(4, -4)))
        texts.append(Point(plane(view.C[k]), f"$C_{k + 1}$", joint_colour(k), offset=(10, -14) if k != 1 else (10, 6)))
    arrows += [
        Arrow(np.zeros(2), np.array([0.3, 0]), "$X_1$", AXES[0], at_tip=True),
        Arrow(np.zeros(2), np.array([0, 0.3]), "$Y_1$", AXES[1], at_tip=True),
        Arrow(np.array([0.62, 0.12]), np.array([0.62, 0.0]), "$\\mathbf{g}$", INK, at_tip=True),
    ]
    dots = [Point(x, "") for x in points[:3]] + [
        Point(plane(c), "", joint_colour(k), marker="s") for k, c in enumerate(view.C)
    ]
    rows: list[list[object]] = [[f"a_{k + 1} (m)", lengths[k], table[k]] for k in range(3)]
    drawn = Diagram("angles, lengths and frames", lines, arrows, dots, texts)
    return Result(checks, [Numbers(["length", "redyn", "Table 9.2"], rows)], diagrams=[drawn])


def parameters_by_the_rules(robot: Robot, q: Array) -> Array:
    """a, b, alpha, theta of every pair of frames by rules 3-6, from the poses of the frames alone."""
    poses = np.concatenate([np.eye(4)[None], frames(robot, q)])
    found: list[list[float]] = []
    for one, two in pairwise(poses):
        z, z_next, x, x_next = one[:3, 2], two[:3, 2], one[:3, 0], two[:3, 0]
        between = two[:3, 3] - one[:3, 3]
        found.append(
            [
                float(between @ x_next),  # 3: distance of Z_i and Z_{i+1} along X_{i+1}
                float(between @ z),  # 4: where X_{i+1} meets Z_i
                float(np.arctan2(np.cross(z, z_next) @ x_next, z @ z_next)),  # 5: about X_{i+1}
                float(np.arctan2(np.cross(x, x_next) @ z, x @ x_next)),  # 6: about Z_i
            ]
        )
    return np.array(found)


def _dh_rules(load: Load) -> Result:
    checks: list[Check] = []
    rows: list[list[object]] = []
    for name in ("stanford-2003", "puma-2003"):
        robot = load(name)
        q = robot.initial
        found, table = parameters_by_the_rules(robot, q), TABLES[name]
        wanted = np.array([[*(value if x is None else x for x in row)] for row, value in zip(table, q, strict=True)])
        apart = np.abs(found - wanted)
        apart[:, 2:] = np.abs((found - wanted)[:, 2:] + np.pi) % (2 * np.pi) - np.pi
        checks.append(
            within(f"{name}, a b α θ by rules 3-6", float(np.abs(apart).max()), 1e-12, "Table II", against="printed")
        )
        rows.extend([name, str(k + 1), *tidy(row)] for k, row in enumerate(found))
    puma = load("puma-2003")
    poses = np.concatenate([np.eye(4)[None], frames(puma, puma.initial)])
    gap = float(np.linalg.norm(poses[4, :3, 3] - poses[3, :3, 3]))
    crossing = abs(float((poses[4, :3, 3] - poses[3, :3, 3]) @ np.cross(poses[3, :3, 2], poses[4, :3, 2])))
    checks.append(
        statement(
            "rule 2: if Z_i-1 and Z_i intersect, O_i coincides with O_i-1",
            gap < 1e-9 or crossing > 1e-9,
            f"Z_4 and Z_5 of the PUMA intersect, and O_5 is {gap:.3f} m from O_4",
            "O_i is the point of intersection; it coincides with O_i-1 only if b_i-1 is zero",
        )
    )
    header = ["robot", "i", "a (m)", "b (m)", "α (rad)", "θ (rad)"]
    notes = [
        "Rule 1: Z_i is the axis of joint i, in either direction. Rule 2: X_i runs along the common normal from Z_i-1 "
        "to Z_i; of parallel axes there are many, and any may be chosen. Rules 3 to 6: the figure. Frame n+1 is free.",
        "Rule 3 calls a_i nonnegative; that holds if X_i+1 points from Z_i to Z_i+1.",
    ]
    return Result(checks, [Numbers(header, rows)], diagrams=[_dh_figure()], notes=notes)


def _dh_figure() -> Diagram:
    """Two frames with a, b, alpha and theta, drawn from T = Rz(theta) Tz(b) Tx(a) Rx(alpha)."""
    a, b, alpha, theta = 1.2, 0.9, 0.7, 0.9
    z, x = np.array([0, 0, 1.0]), np.array([1.0, 0, 0])
    x_next = np.array([np.cos(theta), np.sin(theta), 0.0])
    O, foot = np.zeros(3), b * z
    O_next = foot + a * x_next
    z_next = np.cos(alpha) * z + np.sin(alpha) * np.cross(x_next, z)
    lines = [
        Line(space(np.stack([O - 0.5 * z, O + 2.0 * z])), FAINT, 1.0, dashed=True),
        Line(space(np.stack([O_next - 0.7 * z_next, O_next + 1.4 * z_next])), FAINT, 1.0, dashed=True),
        Line(space(np.stack([foot, foot + 0.8 * x])), FAINT, 1.0, dashed=True),
        Line(space(np.stack([O_next, O_next + 0.8 * z])), FAINT, 1.0, dashed=True),
        Line(space(turn(foot, z, x, theta, 0.55)), PATH, 1.4),
        Line(space(turn(O_next, x_next, z, alpha, 0.55)), PATH, 1.4),
    ]
    arrows = [
        Arrow(space(O), space(0.7 * z), "$Z_i$", AXES[2], at_tip=True, offset=(-24, -4)),
        Arrow(space(O), space(0.7 * x), "$X_i$", AXES[0], at_tip=True, offset=(2, -14)),
        Arrow(space(O_next), space(O_next + 0.7 * z_next), "$Z_{i+1}$", AXES[2], at_tip=True, offset=(6, -6)),
        Arrow(space(O_next), space(O_next + 0.7 * x_next), "$X_{i+1}$", AXES[0], at_tip=True),
        Arrow(space(foot), space(O_next), "$a_i$", INK, offset=(14, 10), double=True),
        Arrow(space(O - 0.25 * x), space(foot - 0.25 * x), "$b_i$", INK, offset=(-20, -4), double=True),
    ]
    at_theta = turn(foot, z, x, theta / 2, 0.72)[-1]
    at_alpha = turn(O_next, x_next, z, alpha / 2, 0.68)[-1]
    texts = [
        Point(space(at_theta), "$\\theta_i$", PATH, offset=(-4, -6)),
        Point(space(at_alpha), "$\\alpha_i$", PATH, offset=(-5, 0)),
    ]
    dots = [Point(space(O), "$O_i$", offset=(6, -16)), Point(space(O_next), "$O_{i+1}$", offset=(8, -16))]
    return Diagram("Denavit and Hartenberg's parameters", lines, arrows, dots, texts)


ITEMS = [
    Item("fig-9.2", "Coupled bodies and their vectors", BOOK + "Figs. 9.1, 9.2; Saha (2003), Figs. 1, 2", _coupled),
    Item("fig-9.6", "Angles and lengths of the three-link arm", BOOK + "Fig. 9.6, Table 9.2", _three_link),
    Item("paper-fig-8", "Denavit and Hartenberg's parameters", PAPER + "Appendix A, Fig. 8", _dh_rules),
]
