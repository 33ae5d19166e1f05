"""The assignment's MATLAB listing, line by line, with its slips, and drawings of its three robots."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from redyn.reproduce.assignment import ROBOTS
from redyn.reproduce.check import near, statement, within
from redyn.reproduce.item import Array, Item, Load, Numbers, Repair, Result, Scene, tidy
from redyn.reproduce.verified import verified
from redyn.robot import External, Robot

ASSIGNMENT = "Robot Dynamics and Control, second assignment, "
PUSH = np.array([5.0, -3.0, 2.0])  # N, in base axes


@dataclass(frozen=True)
class Table:
    """The listing's struct: static rotation, position in the previous frame, mass centre, mass and inertia."""

    ang: Array
    pos: Array
    cm: Array
    m: Array
    I: Array
    revolute: list[bool]


def _rx(angle: float) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[1, 0, 0], [0, c, -s], [0, s, c]])


def _ry(angle: float) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])


def _rz(angle: float) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])


def _table(
    ang: list[Array], length: list[float], cm: list[float], m: list[float], I: list[list[float]], kinds: str
) -> Table:
    along = np.array([1.0, 0.0, 0.0])
    starts = [0.0, *length[:-1]]
    return Table(
        np.stack(ang),
        np.array([x * along for x in starts]),
        np.array([x * along for x in cm]),
        np.array(m),
        np.stack([np.diag(x) for x in I]),
        [kind == "r" for kind in kinds],
    )


one = np.eye(3)
TABLES = {  # from the assignment's own tables, independent of the library
    "ex1": _table([one, one], [1, 0.8], [0.5, 0.4], [22, 19], [[0.4] * 3, [0.3] * 3], "rr"),
    "ex2": _table([one, _ry(np.pi / 2)], [1, 0], [0.5, 0], [10, 6], [[0.4] * 3, [0.3] * 3], "rp"),
    "ex3": _table(
        [one, _rx(np.pi / 2), one],
        [1, 0.8, 0.35],
        [0.5, 0.4, 0.175],
        [20, 20, 6],
        [[0.2, 0.2, 0.8], [0.2, 0.2, 0.8], [0.08, 0.08, 0.1]],
        "rrr",
    ),
}
GRAVITY = {"ex1": [0, -9.81, 0], "ex2": [0, -9.81, 0], "ex3": [0, 0, -9.81]}


def listing(
    robot: Table,
    q: Array,
    qd: Array,
    qdd: Array,
    g: Array,
    F_ext: Array | None = None,
    cross_missing: bool = False,
    everywhere: bool = True,
) -> Array:
    """NewtEuler of the assignment.

    `cross_missing` leaves out the term that the listing writes without `cross`; `everywhere` subtracts F_ext at the
    mass centre of every link as the listing does, else only of the last one.
    """
    n, z = len(robot.m), np.array([0.0, 0.0, 1.0])
    push = np.zeros(3) if F_ext is None else F_ext
    R_tot, before = np.zeros((n, 3, 3)), np.eye(3)
    r, w, wd, vd = np.zeros((n + 1, 3)), np.zeros((n, 3)), np.zeros((n, 3)), np.zeros((n, 3))
    w_before, wd_before, vd_before = np.zeros(3), np.zeros(3), np.zeros(3)
    for i in range(n):
        R_tot[i] = before @ robot.ang[i] @ (_rz(q[i]) if robot.revolute[i] else np.eye(3))
        r[i] = before @ robot.pos[i]  # the listing lacks the transpose of this row
        axis = R_tot[i] @ z
        swing = np.cross(w_before, np.cross(w_before, r[i]))
        if robot.revolute[i]:
            w[i] = w_before + axis * qd[i]
            wd[i] = wd_before + np.cross(w_before, axis) * qd[i] + axis * qdd[i]
            vd[i] = vd_before + np.cross(wd_before, r[i]) + swing
        else:
            r[i] += axis * q[i]
            w[i], wd[i] = w_before, wd_before
            swing = np.cross(w_before, np.cross(w_before, r[i]))
            turned = np.zeros(3) if cross_missing else np.cross(wd_before, r[i])
            vd[i] = vd_before + turned + swing + 2 * np.cross(w_before, axis) * qd[i] + axis * qdd[i]
        before, w_before, wd_before, vd_before = R_tot[i], w[i], wd[i], vd[i]
    F, M, tau = np.zeros(3), np.zeros(3), np.zeros(n)
    for i in reversed(range(n)):
        c = R_tot[i] @ robot.cm[i]
        D = robot.m[i] * (vd[i] + np.cross(wd[i], c) + np.cross(w[i], np.cross(w[i], c)))
        I = R_tot[i] @ robot.I[i] @ R_tot[i].T
        outer = F
        F = outer - robot.m[i] * g - (push if everywhere or i == n - 1 else 0.0) + D
        M = M - np.cross(-c, F) + np.cross(r[i + 1] - c, outer) + I @ wd[i] + np.cross(w[i], I @ w[i])
        tau[i] = (M if robot.revolute[i] else F) @ (R_tot[i] @ z)
    return tau


class State(NamedTuple):
    q: Array
    qd: Array
    qdd: Array


def state(key: str) -> State:
    """A configuration of the assignment."""
    entry = verified("newton-euler", key)
    return State(*(np.array(entry[name], dtype=np.float64) for name in State._fields))


def pushed(robot: Robot, key: str, link: int | None) -> Array:
    """Torques with the push at the mass centre of one link, or of all."""
    at = state(key)
    view = robot.denoc(at.q, at.qd, at.qdd)
    external: External = {
        name: np.concatenate([np.cross(view.C[i] - robot.forward_kinematics(at.q, name)[:3, 3], PUSH), PUSH])
        for i, name in enumerate(robot.link_names)
        if link is None or link == i
    }
    return robot.inverse_dynamics(at.q, at.qd, at.qdd, external=external)


def _listing(load: Load) -> Result:
    rows: list[list[object]] = []
    worst = 0.0
    printed: list[float] = []
    literal: list[float] = []
    for key in verified("newton-euler"):
        name = key.partition("_")[0]
        robot, at, g = load(ROBOTS[name]), state(key), np.array(GRAVITY[name])
        tau = listing(TABLES[name], *at, g=g)
        ours = robot.inverse_dynamics(*at)
        worst = max(worst, float(np.abs(tau - ours).max()))
        printed += map(float, verified("newton-euler", key, "printed"))
        literal += tau.tolist()
        rows.extend(
            [robot.name, key[-1], str(i + 1), float(x), float(y)]
            for i, (x, y) in enumerate(zip(tau, ours, strict=True))
        )
    slider = state("ex2_conf2")
    lost = listing(TABLES["ex2"], *slider, g=np.array(GRAVITY["ex2"]), cross_missing=True)
    kept = listing(TABLES["ex2"], *slider, g=np.array(GRAVITY["ex2"]))
    arm, at, g = load("newton-euler-rrr"), state("ex3_conf1"), np.array(GRAVITY["ex3"])
    every = listing(TABLES["ex3"], *at, g=g, F_ext=PUSH)
    once = listing(TABLES["ex3"], *at, g=g, F_ext=PUSH, everywhere=False)
    gravity = arm.gravity_torque(at.q)
    checks = [
        within("torques of the corrected listing", worst, 1e-11, "redyn's recursion"),
        near("the same", literal, printed, 5e-5 / max(map(abs, printed)), "the printed values", against="printed"),
        near("F_ext once, at the last mass centre", once, pushed(arm, "ex3_conf1", 2), 1e-12, "external= of redyn"),
        near("F_ext as listed: on every link", every, pushed(arm, "ex3_conf1", None), 1e-12, "external= of redyn"),
        statement(
            "τ_1 of the third robot is the same with and without gravity",
            abs(float(gravity[0])) < 1e-12,
            f"the weights need {abs(float(gravity[0])):.0e} Nm about joint 1, whose axis is vertical: forces parallel "
            "to an axis have no moment about it",
        ),
    ]
    repairs = [
        Repair(
            "the acceleration of a prismatic joint has cross(wd, r) where the listing has (wd, r)",
            float(np.abs(lost - kept).max()) > 1e-6,
            f"without it the torques of the second robot are off by up to {np.abs(lost - kept).max():.2g} Nm",
        ),
        Repair(
            "F_ext is subtracted once instead of for every link",
            float(np.abs(every - once).max()) > 1e-6,
            f"as listed a force of {np.linalg.norm(PUSH):.2g} N changes the torques of the third robot by up to "
            f"{np.abs(every - once).max():.2g} Nm too much",
        ),
    ]
    notes = [
        "Slips without numbers: robot.R.pos(i,:) and robot.R.cm(i,:) lack the transpose in two lines, the inertia is "
        "called I in the struct and Izz in the code, and r(:,i) is the position relative to the previous joint.",
        "M_ext is subtracted for every link too.",
        "Signs: with gravity the second torque of robot 1 in configuration 2 is negative although the joint "
        "accelerates positively, because the weight alone would accelerate it more.",
    ]
    header = ["robot", "configuration", "joint", "listing, corrected", "redyn"]
    return Result(checks, [Numbers(header, rows)], repairs=repairs, notes=notes)


def _figures(load: Load) -> Result:
    shown = {"ex1_conf1": "Fig. 2, configuration 1", "ex1_conf2": "Fig. 2, configuration 2",
             "ex2_conf1": "Fig. 3, configuration 1", "ex2_conf2": "Fig. 3, configuration 2",
             "ex3_conf1": "Fig. 4"}  # fmt: skip
    scenes: list[Scene] = []
    rows: list[list[object]] = []
    differences: list[float] = []
    for key, title in shown.items():
        name = key.partition("_")[0]
        robot, at, table = load(ROBOTS[name]), state(key), TABLES[name]
        scenes.append(Scene(title, robot, at.q[None], frames=True))
        view = robot.denoc(at.q, at.qd, at.qdd)
        place, turn = np.zeros(3), np.eye(3)
        for i in range(len(table.m)):
            place = place + turn @ table.pos[i]
            turn = turn @ table.ang[i] @ (_rz(at.q[i]) if table.revolute[i] else np.eye(3))
            place = place if table.revolute[i] else place + turn[:, 2] * at.q[i]
            centre = place + turn @ table.cm[i]
            differences.append(float(np.abs(view.C[i] - centre).max()))
            rows.append([title, robot.name, str(i + 1), *tidy(centre)])
    checks = [within("mass centres (m)", max(differences), 1e-12, "products of the assignment's tables")]
    header = ["figure", "robot", "link", "mass centre x", "y", "z"]
    return Result(checks, [Numbers(header, rows)], scenes=scenes)


ITEMS = [
    Item("assignment-figures", "The robots of the assignment", ASSIGNMENT + "Figs. 2-4", _figures),
    Item("assignment-listing", "The assignment's listing and its slips", ASSIGNMENT + "Exercise 1", _listing),
]
