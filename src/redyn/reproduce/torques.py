"""Inverse dynamics: the book's Figs. 9.7, 9.8, 9.11, 9.13, 9.15 and Exercises 9.11, 9.14, 9.15; Fig. 5 of the paper."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from redyn.errors import SingularError
from redyn.kinematics import clearance, travel
from redyn.reproduce.check import Check, near, statement
from redyn.reproduce.closed_forms import masses_and_lengths, rods, three_link, two_link
from redyn.reproduce.item import Array, Curve, Item, Load, Panel, Result, Scene, joint_panels, series, together
from redyn.reproduce.repairs import magnitudes_of_inertia
from redyn.reproduce.verified import verified
from redyn.robot import Robot
from redyn.trajectory import Motion, cycloidal
from redyn.words import counted

T = 10.0
TIMES = np.linspace(0.0, T, 1001)
TORQUE = ("Nm", "N")
BOOK = "Saha, chapter 9, "
PAPER = "Saha (2003), "
STANFORD_STOP = [np.pi / 3, -5 * np.pi / 6, 0.735, np.pi / 3, 5 * np.pi / 6, 5 * np.pi / 6]
STANFORD_2003_STOP = [np.pi / 3, np.pi / 3, 0.1, np.pi / 3, np.pi / 3, np.pi / 3]


def scene(robot: Robot, q: Array, title: str = "the motion", states: int = 6) -> Scene:
    """The robot at some of its states, and the path of its end effector at all of them."""
    shown = np.linspace(0, len(q) - 1, states).round().astype(int)
    return Scene(title, robot, q[shown], robot.forward_kinematics(q)[:, :3, 3])


def verified_torques(robot: Robot, motion: Motion, key: str) -> Check:
    entry = verified("torques", key)
    found = robot.inverse_dynamics(*motion(entry["t"]))
    return near(f"torques at {counted(len(entry['t']), 'instant')}", found, entry["tau"], 1e-9)


def returns(robot: Robot, q: Array, qd: Array, qdd: Array, tau: Array) -> Check:
    """Forward dynamics returns the accelerations."""
    what = "accelerations by forward dynamics of these torques"
    try:
        back = robot.forward_dynamics(q, qd, tau)
    except SingularError as error:
        return Check(what, False, str(error))
    worst = float(np.linalg.cond(robot.mass_matrix(q[:: len(q) // 10])).max())
    return near(what, back, qdd, 1e-13 * worst, "those of the motion")


def apart(robot: Robot, q: Array) -> Check:
    """The book chose some motions so that links do not collide."""
    gaps = clearance(robot, q, travel=travel(robot, q))
    found = f"never closer than {float(gaps.distance.min()) * 1e3:.0f} mm, with links as capsules"
    touched = ", ".join(f"{a} and {b}" for a, b in gaps.touched)
    return statement(
        "links do not collide",
        not touched,
        f"{touched} collide as capsules" if touched else found,
        "the capsules are our assumption; the book does not print the shapes of the links" if touched else "",
    )


def torque_result(robot: Robot, motion: Motion, checks: Sequence[Check], notes: Sequence[str] = ()) -> Result:
    q, qd, qdd = motion(TIMES)
    tau = robot.inverse_dynamics(q, qd, qdd)
    return Result(
        checks,
        [series(TIMES, robot.joint_names, q=q, qd=qd, qdd=qdd, tau=tau)],
        panels=joint_panels(robot, TIMES, {"redyn": tau}, TORQUE),
        scenes=[scene(robot, q)],
        notes=notes,
    )


def _joint_trajectory(load: Load) -> Result:
    robot = load("three-link")
    motion = cycloidal(robot.initial, [np.pi] * 3, T)
    entry = verified("motion", "three-link")
    units = {"q": "positions (rad)", "qd": "rates (rad/s)", "qdd": "accelerations (rad/s²)"}
    found = dict(zip(units, motion(entry["t"]), strict=True))
    checks = [
        near(f"{units[kind].split()[0]} at {counted(len(entry['t']), 'instant')}", found[kind], entry[kind], 1e-12)
        for kind in units
    ]
    resting = np.stack([x for t in (0.0, T) for x in motion(t)[1:]])
    checks.append(near("rates and accelerations at both ends", resting, np.zeros_like(resting), 1e-12, "zero"))
    values = dict(zip(units, motion(TIMES), strict=True))
    panels = [Panel(units[kind], TIMES, [Curve("all three joints", values[kind][:, 0])]) for kind in units]
    return Result(checks, [series(TIMES, robot.joint_names, "", **values)], panels)


def _three_link(load: Load) -> Result:
    robot = load("three-link")
    motion = cycloidal(robot.initial, [np.pi] * 3, T)
    q, qd, qdd = motion(TIMES)
    tau = robot.inverse_dynamics(q, qd, qdd)
    explicit = three_link(*masses_and_lengths(robot), q, qd).torque(qd, qdd)
    checks = [
        verified_torques(robot, motion, "three-link"),
        near("torques along the motion", tau, explicit, 1e-5, "the explicit equations (9.42)"),
        returns(robot, q, qd, qdd, tau),
    ]
    rounded = (
        "Table 9.2 rounds the inertia of link 2 to 0.00208; (9.42) means m a²/12, so they differ in the sixth digit."
    )
    return torque_result(robot, motion, checks, [rounded])


def _spatial(name: str, stop: Sequence[float], load: Load, clear: bool = False, solves: bool = True) -> Result:
    robot = load(name)
    motion = cycloidal(robot.initial, stop, T)
    q, qd, qdd = motion(TIMES)
    checks = [verified_torques(robot, motion, name)]
    if solves:
        checks.append(returns(robot, q, qd, qdd, robot.inverse_dynamics(q, qd, qdd)))
    if clear:
        checks.append(apart(robot, q))
    return torque_result(robot, motion, checks, robot.description.defects)


def _explicit(load: Load) -> Result:
    robot = load("three-link")
    exact = rods(robot)
    motion = cycloidal(robot.initial, [np.pi] * 3, T)
    q, qd, qdd = motion(TIMES)
    terms = three_link(*masses_and_lengths(robot), q, qd)
    tau = terms.torque(qd, qdd)
    entry = verified("torques", "exercise-9.11")
    at = motion(entry["t"])
    at_terms = three_link(*masses_and_lengths(robot), at[0], at[1])
    checks = [
        near("torques by (9.42) at 7 instants", at_terms.torque(at[1], at[2]), entry["tau"], 1e-9),
        *(
            near(what, ours, theirs, 1e-12, "the recursion", against="printed")
            for what, ours, theirs in (
                ("(9.42b), element by element", terms.inertia, exact.mass_matrix(q)),
                ("(9.42c), element by element", terms.coriolis, exact.coriolis_matrix(q, qd)),
                ("(9.42d)", terms.gravity, exact.gravity_torque(q)),
            )
        ),
        near("torques by (9.42)", tau, robot.inverse_dynamics(q, qd, qdd), 1e-5, "those of Fig. 9.8, from Table 9.2"),
    ]
    by_recursion = exact.inverse_dynamics(q, qd, qdd)
    panels = joint_panels(robot, TIMES, {"recursion": by_recursion, "(9.42)": tau}, TORQUE)
    return Result(checks, [series(TIMES, robot.joint_names, q=q, explicit=tau, recursive=by_recursion)], panels)


def _two_link(load: Load) -> Result:
    robot = load("two-link")
    motion = cycloidal(robot.initial, [np.pi] * 2, T)
    q, qd, qdd = motion(TIMES)
    explicit = two_link(*masses_and_lengths(robot), q, qd).torque(qd, qdd)
    tau = robot.inverse_dynamics(q, qd, qdd)
    checks = [
        near("torques", tau, explicit, 1e-12, "(9.27), (9.29), (9.30) with the weights", against="printed"),
        returns(robot, q, qd, qdd, tau),
    ]
    note = "The book gives no numbers for this arm: unit masses and lengths, slender rods, the motion of Example 9.4."
    return torque_result(robot, motion, checks, [note])


def _quarter_turn(load: Load) -> Result:
    robot = load("three-link")
    motion = cycloidal(robot.initial, [np.pi / 2] * 3, T)
    q, qd, qdd = motion(TIMES)
    checks = [
        verified_torques(robot, motion, "exercise-9.15"),
        returns(robot, q, qd, qdd, robot.inverse_dynamics(q, qd, qdd)),
    ]
    return torque_result(robot, motion, checks, ["(9.43) prints the final rates at 0 instead of T."])


def _paper_torques(load: Load) -> Result:
    stops = {"stanford-2003": STANFORD_2003_STOP, "puma-2003": [np.pi] * 6}
    return together({name: _spatial(name, stop, load) for name, stop in stops.items()}, [magnitudes_of_inertia(load)])


ITEMS = [
    Item("fig-9.7", "Joint trajectory of the three-link arm", BOOK + "Fig. 9.7, Eq. (9.36)", _joint_trajectory),
    Item("fig-9.8", "Joint torques of the three-link arm", BOOK + "Fig. 9.8, Example 9.4", _three_link),
    Item(
        "fig-9.11", "Joint torques of the PUMA", BOOK + "Fig. 9.11, Example 9.5", partial(_spatial, "puma", [np.pi] * 6)
    ),
    Item(
        "fig-9.13",
        "Joint torques and force of the Stanford arm",
        BOOK + "Fig. 9.13, Example 9.6",
        partial(_spatial, "stanford", STANFORD_STOP, clear=True),
    ),
    Item(
        "fig-9.15",
        "Joint torques of the KUKA KR-5",
        BOOK + "Fig. 9.15, Example 9.7",
        partial(_spatial, "kuka-kr5-printed", [np.pi / 3] * 6, clear=True, solves=False),
    ),
    Item("exercise-9.11", "Torques by the explicit equations (9.42)", BOOK + "Exercise 9.11", _explicit),
    Item("exercise-9.14", "Joint torques of the two-link arm", BOOK + "Exercise 9.14", _two_link),
    Item("exercise-9.15", "Torques of the three-link arm for a rotation by 90°", BOOK + "Exercise 9.15", _quarter_turn),
    Item("paper-fig-5", "Joint torques of the Stanford arm and the PUMA", PAPER + "Fig. 5", _paper_torques),
]
