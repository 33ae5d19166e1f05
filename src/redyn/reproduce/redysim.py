"""ReDySim's mechanisms with closed loops: inverse dynamics of its four-bar linkage and of its 3-RRR robot.

ReDySim (fixed base, version 2) comes with the lengths, masses and motions of both, but with no torques. The reference
torques below are of three independent computations that agree to 1e-14: multipliers on the tree, maximal coordinates
from scratch, and Pinocchio's constrained dynamics ("inverse_along_motions" of tests/data/closed_golden.json).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from redyn.report.html import Plot, write_html
from redyn.reproduce.check import Check, near, within
from redyn.reproduce.item import Array, Curve, Item, Load, Panel, Repair, Result, series
from redyn.reproduce.torques import returns, scene
from redyn.robot import Robot
from redyn.trajectory import circle

SOURCE = "ReDySim, fixed base, version 2, "

# --- the four-bar linkage -----------------------------------------------------------------------------------------

SPEED = 45 * 2 * np.pi / 60  # rad/s: trajectory.m has 45 rpm
EIGHTHS = np.arange(9) * np.pi / 4  # crank angles of the reference
CRANK_TORQUES = [
    2.655978811780734,
    0.9048519620676378,
    -0.7354122331002877,
    -2.3243216369761726,
    -2.3468190239106153,
    -1.0148700608812047,
    0.5574926637657808,
    2.317421944979022,
    2.6559788117807357,
]
FOUR_BAR_START = np.radians([0.0, 145.54, 130.54])  # initials.m of forward dynamics
FOUR_BAR_GAP = 0.02610239750795451  # m, "redysim_defects" of the same file

# --- the 3-RRR robot ----------------------------------------------------------------------------------------------

CENTRE = np.array([0.3, 0.1 * np.sqrt(3), 0.0])  # of the circle, for the platform's first corner
RADIUS = 0.1875 / np.sqrt(3)
TURNING = 4.0  # rad/s
INSTANTS = [0.0, 0.25, 0.5, 1.0, 1.5]
CIRCLE_TORQUES = [
    [4.5359209153947555, -9.605783247563163, 27.522131868074855],
    [1.6800579184194095, -14.965974554521596, 14.275010617961078],
    [-6.11338725042455, -26.430673342298874, 18.644539646027148],
    [-18.192629426960796, -32.41754190303939, 40.412325540053565],
    [2.494718337028568, -11.438860244652984, 30.998691129728567],
]
RRR_START = np.array([1.0467, 5.4206, -2.5357, 4.1883, -2.0939, 5.7637, -0.9869])  # initials.m of forward dynamics
RRR_GAP = 0.0077948387151119975  # m, the largest component of the gaps of both loops, as above


def _four_bar(load: Load) -> Result:
    robot = load("four-bar")
    reference = robot.complete(EIGHTHS[:, None], [SPEED])
    angles = np.linspace(0.0, 2 * np.pi, 361)
    turn = robot.complete(angles[:, None], [SPEED])
    t, torque = angles / SPEED, robot.inverse_dynamics(*turn)
    crank = torque[:, 0]
    gap = float(np.linalg.norm(robot.loop_error(FOUR_BAR_START)))
    checks = [
        near("crank torque at 9 angles", robot.inverse_dynamics(*reference)[:, 0], CRANK_TORQUES, 1e-11),
        within("mean of the crank torque over a turn (Nm)", abs(float(crank[:-1].mean())), 1e-12, "zero"),
        returns(robot, *turn, torque),
        near("gap of ReDySim's own start of forward dynamics (m)", gap, FOUR_BAR_GAP, 1e-12),
    ]
    panel = Panel("crank torque (Nm)", np.degrees(angles), [Curve("redyn", crank)], x_label="crank angle (deg)")
    return Result(
        checks,
        [series(t, robot.joint_names, q=turn.q, qd=turn.qd, qdd=turn.qdd, tau=torque)],
        panels=[panel],
        scenes=[scene(robot, turn.q, "a turn of the crank")],
        repairs=[_closed(robot, FOUR_BAR_START, "initials.m, with the output at 145.54° (130.54° closes it),")],
        notes=[
            "A linkage without friction gives back over a turn what it takes: the mean torque is zero.",
            "ReDySim prints no torques: those at nine angles are of three other programs, which agree to 1e-14.",
        ],
        animation=lambda path, force: _page(path, robot, t, turn.q, torque, "Four-bar linkage at 45 rpm", force),
    )


def _parallel_robot(load: Load) -> Result:
    robot = load("3-rrr")
    start = np.eye(4)
    start[:3, 3] = CENTRE + np.array([RADIUS, 0.0, 0.0])
    begin = robot.inverse_kinematics(start, link="platform", start=robot.initial)[0].q
    duration = 2 * np.pi / TURNING
    motion = circle(robot, CENTRE, duration, link="platform", start=begin, law="steady", position_only=False)
    t = np.linspace(0.0, duration, 201)
    q, qd, qdd = motion(t)
    torque, driven = robot.inverse_dynamics(q, qd, qdd), robot.driven_rates
    found = robot.inverse_dynamics(*motion(INSTANTS))[:, driven]
    gap = float(np.abs(robot.loop_error(RRR_START)).max())
    checks = [
        near("torques at 5 instants", found, CIRCLE_TORQUES, 1e-11),
        _mean_power(qd, torque),
        returns(robot, q, qd, qdd, torque),
        near("largest gap of ReDySim's own start of forward dynamics (m)", gap, RRR_GAP, 1e-12),
    ]
    panels = [Panel(f"{robot.velocity_names[i]} (Nm)", t, [Curve("redyn", torque[:, i])]) for i in driven]
    return Result(
        checks,
        [series(t, robot.joint_names, q=q, qd=qd, qdd=qdd, tau=torque)],
        panels=panels,
        scenes=[scene(robot, q, "the platform on its circle")],
        repairs=[_closed(robot, RRR_START, "initials.m")],
        notes=[
            "The circle of 0.10825 m about (0.3, 0.17321) is that of the platform's first corner at 4 rad/s, with its "
            "attitude kept.",
            "ReDySim prints no torques: those at five instants are of three other programs, which agree to 1e-14.",
        ],
        animation=lambda path, force: _page(path, robot, t, q, torque, "3-RRR robot on its circle", force),
    )


def _mean_power(qd: Array, torque: Array) -> Check:
    """Over a closed path the actuators do no work; the mean over equal steps of a period is exact to rounding."""
    power = np.einsum("ni,ni->n", torque, qd)[:-1]
    return within("mean power over the circle (W)", abs(float(power.mean())), 1e-10, "zero")


def _closed(robot: Robot, start: Array, where: str) -> Repair:
    """What ReDySim starts its forward dynamics from."""
    gaps = np.linalg.norm(robot.loop_error(start).reshape(len(robot.loops), -1), axis=1) * 1e3
    wide = " and ".join(f"{gap:.1f}" for gap in gaps)
    which = "loop" if len(gaps) == 1 else "loops"
    return Repair(
        f"loops are closed before the motion, unlike in ReDySim's forward dynamics of the {robot.name}",
        bool(gaps.max() > 1e-3),
        f"its {where} leaves the {which} open by {wide} mm",
    )


def _page(path: Path, robot: Robot, t: Array, q: Array, torque: Array, title: str, force: bool) -> object:
    driven: Sequence[int] = robot.driven_rates
    names = [robot.velocity_names[i] for i in driven]
    return write_html(path, robot, t, q, [Plot("torques", "Nm", names, torque[:, driven])], title=title, force=force)


ITEMS = [
    Item("four-bar", "Crank torque of a four-bar linkage at 45 rpm", SOURCE + "Fourbar Mechanism", _four_bar),
    Item("3-rrr", "Torques of a 3-RRR robot on a circle", SOURCE + "3-RRR Parallel robot", _parallel_robot),
]
