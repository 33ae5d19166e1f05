"""The Newton-Euler assignment: all its printed torques, with and without gravity, of three robots."""

from __future__ import annotations

import numpy as np

from redyn.reproduce.check import Check, near, within
from redyn.reproduce.item import Item, Load, Numbers, Result
from redyn.reproduce.verified import verified
from redyn.robot import Robot

ROBOTS = {"ex1": "newton-euler-rr", "ex2": "newton-euler-rp", "ex3": "newton-euler-rrr"}
HALF_A_DIGIT = 5e-5  # four decimals are printed


def _printed_torques(load: Load) -> Result:
    rows: list[list[object]] = []
    ours: list[float] = []
    theirs: list[float] = []
    for key, entry in verified("newton-euler").items():
        robot = load(ROBOTS[key.partition("_")[0]])
        for gravity, kind in ((None, "printed"), (np.zeros(3), "printed_weightless")):
            tau = robot.inverse_dynamics(entry["q"], entry["qd"], entry["qdd"], gravity=gravity)
            for link, found, printed in zip(robot.model.links, tau, entry[kind], strict=True):
                unit = "Nm" if link.joint.kind == "revolute" else "N"
                with_gravity = "yes" if gravity is None else "no"
                values = [float(found), printed, float(found) - float(printed)]
                rows.append([robot.name, key[-1], with_gravity, f"{link.joint.name} ({unit})", *values])
            ours += tau.tolist()
            theirs += map(float, entry[kind])
    worst = int(np.abs(np.subtract(ours, theirs)).argmax())
    difference = abs(ours[worst] - theirs[worst])
    where = f"{rows[worst][0]}, configuration {rows[worst][1]}"
    checks = [
        within(
            f"all {len(ours)} torques",
            difference,
            HALF_A_DIGIT,
            f"the printed values of four decimals, the largest difference in {where}",
            against="printed",
        ),
        _carried_inwards(load("newton-euler-rrr")),
    ]
    notes = [
        "The mass centres are not printed. They are taken at the middle of links with a length and at the joint of the "
        "slider; no other choice gives the printed torques.",
        "The inertia of links 1 and 2 of the third robot violates the triangle inequality; it is used as printed.",
    ]
    header = ["robot", "configuration", "gravity", "joint", "redyn", "printed", "difference"]
    return Result(checks, [Numbers(header, rows)], notes=notes)


def _carried_inwards(robot: Robot) -> Check:
    """The assignment's method: forces and moments of the links, in world axes, summed from the tip to the base."""
    entry = verified("newton-euler", "ex3_conf1")
    q, qd, qdd = entry["q"], entry["qd"], entry["qdd"]
    motion, view = robot.link_motion(q, qd, qdd), robot.denoc(q, qd, qdd)
    moment = force = np.zeros(3)
    summed = np.zeros(robot.dof)
    for i in reversed(range(robot.dof)):
        if i + 1 < robot.dof:
            moment = moment + np.cross(view.O[i + 1] - view.O[i], force)
        force = force + motion.force[i]
        moment = moment + motion.moment[i] + np.cross(view.C[i] - view.O[i], motion.force[i])
        summed[i] = view.e[i] @ moment
    weightless = robot.inverse_dynamics(q, qd, qdd, gravity=np.zeros(3))
    return near("dynamic forces and moments, summed from tip to base", summed, weightless, 1e-12, "the torques")


ITEMS = [
    Item(
        "assignment-torques",
        "Torques of three robots by recursive Newton-Euler",
        "Robot Dynamics and Control, second assignment, Exercise 2",
        _printed_torques,
    )
]
