"""Andrews' squeezer: seven bodies in a plane, driven fast against a spring, to the published state at t = 0.03 s.

The problem `andrews` of the Test Set for IVP Solvers (F. Mazzia and C. Magherini; after E. Hairer and G. Wanner,
Solving Ordinary Differential Equations II). Its reference is good to about nine digits: independent programs agree with
each other to 1e-11 and differ from it by 1.4e-9 in the angles and 5e-8 in the rates.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from redyn.report.html import Plot, write_html
from redyn.reproduce.check import Check, near, within
from redyn.reproduce.falls import whole
from redyn.reproduce.item import Array, Item, Load, Numbers, Result, joint_panels, series
from redyn.reproduce.torques import scene
from redyn.robot import Robot
from redyn.simulation import Run, simulate

DURATION = 0.03  # s
DRIVE = 0.033  # Nm on K1
# A spring from the point (SD, -SC) of K3, which turns about (XB, YB), to the ground at (XC, YC).
STIFFNESS, REST = 4530.0, 0.07785  # N/m, m
XB, YB, XC, YC, SC, SD = -0.03635, 0.03273, 0.014, 0.072, 0.018, 0.02

# By the angle, in the order of the test set: the joint of the library's robot, the angle and its rate as published.
PUBLISHED = {
    "beta": ("K1", "15.81077119629904", "1139.920302151208"),
    "theta": ("K2", "-15.75637105984298", "-1424.379294994111"),
    "gamma": ("K3", "0.04082224013073101", "11.03291221937134"),
    "phi": ("K4", "-0.5347301163226948", "19.29337464421385"),
    "delta": ("K5", "0.5244099658805303", "0.5735699284790808"),
    "omega": ("K6", "0.5347301163226948", "-19.29337464421385"),
    "epsilon": ("K7", "1.048080741042263", "0.3231791658026955"),
}
START = ("14222.443919954114", "-10666.832939965585")  # accelerations of beta and theta at t = 0; the others are zero
# The same run by another program, from "simulations" of tests/data/closed_golden.json: the joints K1, K2, K3, K5, K4,
# K7 and K6 after 0.01, 0.02 and 0.03 s.
COMPUTED = {
    0.01: [2.1601131315315545, -1.883364231107084, 0.15851675800122747, 0.5251547747977295, -0.32864107517466723,
           1.0684272046324006, 0.32864107517467966],
    0.02: [8.184905889661742, -7.890505363730533, 0.2095369133846865, 0.5225369171559952, -0.23832559659586905,
           1.0862751085998745, 0.23832559659588448],
    0.03: [15.810771195153634, -15.756371058411759, 0.04082224011965568, 0.5244099658799577, -0.5347301163420571,
           1.048080741041928, 0.5347301163420796],
}  # fmt: skip


def spring_and_drive(robot: Robot) -> Any:
    """The torques at all joints as a compiled function of time and state."""
    from numba import njit

    n, driven, sprung = robot.dof, robot.joint_names.index("K1"), robot.joint_names.index("K3")

    def torque(t: float, q: Array, qd: Array) -> Array:
        tau = np.zeros(n)
        tau[driven] = DRIVE
        c, s = np.cos(q[sprung]), np.sin(q[sprung])
        x, y = SD * c + SC * s, SD * s - SC * c  # the end of the spring, from the joint of K3
        along_x, along_y = x + XB - XC, y + YB - YC
        length = np.sqrt(along_x**2 + along_y**2)
        force = -STIFFNESS * (length - REST) / length
        tau[sprung] = force * (x * along_y - y * along_x)
        return tau

    return njit(torque)  # pyright: ignore[reportUnknownVariableType]


def _squeezed(load: Load) -> Result:
    robot = load("andrews")
    law, still = spring_and_drive(robot), np.zeros(robot.dof)
    order = [robot.joint_names.index(joint) for joint, _, _ in PUBLISHED.values()]
    first = robot.forward_dynamics(robot.initial, still, law(0.0, robot.initial, still))[order]
    run = whole(simulate(robot, robot.initial, still, DURATION, torque=law, method="dopri5", rtol=1e-12, sample=1e-4))
    wanted = [*map(float, START), *[0.0] * 5]
    checks = [
        near("accelerations at the start", first, wanted, 1e-12, "the published ones", against="printed"),
        *_published(run.q[-1, order], run.qd[-1, order]),
        *_computed(run),
    ]
    plots = [Plot("angles", "rad", robot.joint_names, run.q), Plot("rates", "rad/s", robot.joint_names, run.qd)]

    def animation(path: Path, force: bool) -> object:
        slow = 100.0  # or it is over before it is seen
        title = f"Andrews' squeezer, slowed down {slow:.0f} times"
        return write_html(path, robot, run.t * slow, run.q, plots, title=title, force=force)

    return Result(
        checks,
        [_table(run.q[-1, order], run.qd[-1, order]), series(run.t, robot.joint_names, "run", q=run.q, qd=run.qd)],
        panels=joint_panels(robot, run.t, {"redyn": run.q}, ("rad", "m")),
        scenes=[scene(robot, run.q[: int((run.q[:, 0] < 2 * np.pi).sum())], "the first turn of K1")],
        notes=[
            "The published digits are good to about nine places: three other programs agree with each other to 1e-11 "
            "and differ from them by 1.4e-9 in the angles and 5e-8 in the rates, as we do.",
            "phi and omega are the angles of K4 and K6 relative to K5 and K7, theta that of K2 relative to K1.",
        ],
        animation=animation,
    )


def _published(q: Array, qd: Array) -> list[Check]:
    """At the end, against the digits of the test set."""
    angles, rates = (np.array([float(row[k]) for row in PUBLISHED.values()]) for k in (1, 2))
    off, slow = float(np.abs(q - angles).max()), float(np.abs(qd / rates - 1.0).max())
    return [
        within("angles at 0.03 s (rad)", off, 5e-9, "the published ones", against="printed"),
        within("rates at 0.03 s, each relative to itself", slow, 1e-7, "the published ones", against="printed"),
    ]


def _computed(run: Run) -> list[Check]:
    """Along the run, against another program, and the identities of mechanics."""
    rows = [int(np.abs(run.t - t).argmin()) for t in COMPUTED]
    balance = float(np.abs(run.energy.balance).max()) / float(run.energy.kinetic.max())
    return [
        near("angles at 0.01, 0.02 and 0.03 s", run.q[rows], list(COMPUTED.values()), 1e-11),
        within("energy, relative to the largest kinetic one", balance, 1e-11, "the work of drive and spring"),
        within("loops (m)", float(np.abs(run.loop_error).max()), 1e-14, "being closed"),
    ]


def _table(q: Array, qd: Array) -> Numbers:
    """The published digits beside ours."""
    rows = [
        [angle, joint, position, f"{q[k]:.13f}", rate, f"{qd[k]:.10f}"]
        for k, (angle, (joint, position, rate)) in enumerate(PUBLISHED.items())
    ]
    return Numbers(["angle", "joint", "q published", "q by redyn", "rate published", "rate by redyn"], rows)


ITEMS = [
    Item(
        "andrews",
        "Andrews' squeezer",
        "Test Set for IVP Solvers, problem andrews (after Hairer and Wanner)",
        _squeezed,
    )
]
