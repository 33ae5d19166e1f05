"""Forced simulation in the paper: the torques of a motion, fed back without control, lose the motion after a while."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from redyn.reproduce.falls import POSITION, first_time, shown
from redyn.reproduce.item import Array, Check, Curve, Item, Load, Numbers, Panel, Result, joint_panels, series, together
from redyn.reproduce.repairs import magnitudes_of_inertia
from redyn.reproduce.torques import PAPER, STANFORD_2003_STOP, T, scene, verified_torques
from redyn.robot import Robot
from redyn.simulation import Run, simulate
from redyn.simulation.controllers import feedforward
from redyn.trajectory import Motion, cycloidal

TOLERANCE = 1e-6  # that of the paper
LEFT = 1e-3  # rad or m off the desired motion: it is left
TABLED = "torques every 10 ms"  # linear between; the paper integrates in steps of that length
ABOUT = 1.5  # s
HOW = (
    f"Left means {LEFT:g} rad or m off, and about means within {ABOUT:g} s; both are our choice, for the paper shows "
    "curves only."
)


def forced(robot: Robot, motion: Motion, method: str, tolerance: float = TOLERANCE, table: float | None = None) -> Run:
    """The torques that the desired motion needs at time t, whatever the state; from a table if its spacing is given."""
    start, still, _ = motion(0.0)
    if table is None:
        push = feedforward(robot, motion)
    else:
        knots = np.linspace(0.0, T, round(T / table) + 1)
        push = knots, robot.inverse_dynamics(*motion(knots))
    # The tolerance alone decides the steps: our usual limit of 0.1 s would make these runs more exact than it asks.
    return simulate(robot, start, still, T, push, method, step=T, rtol=tolerance, atol=tolerance, sample=0.01)


def leaves(run: Run, desired: Array) -> float | None:
    return first_time(run.t, np.abs(run.q - desired).max(axis=1) > LEFT)


def _run(robot: Robot, stop: Sequence[float], claimed: float, methods: Sequence[str]) -> Result:
    motion = cycloidal(robot.initial, stop, T)
    runs = {method: forced(robot, motion, method) for method in methods}
    runs[TABLED] = forced(robot, motion, "rkf45", table=0.01)
    t = runs[TABLED].t
    desired = motion(t)[0]
    left = {label: when for label, run in runs.items() if (when := leaves(run, desired)) is not None}
    tight = leaves(forced(robot, motion, "dopri5", 1e-12), desired)
    checks = [verified_torques(robot, motion, robot.name)]
    checks += [_instant(method, left.get(method), left.get(TABLED), claimed) for method in methods]
    longer = tight is None or tight > max((left.get(method, T) for method in methods), default=T)
    checks.append(
        Check(
            "it leaves by growing error: a tight integration stays longer",
            longer,
            f"dopri5 with 1e-12: {shown(tight)}",
        )
    )
    curves = {"desired": desired, **{label: run.q for label, run in runs.items()}}
    marks = dict.fromkeys(robot.joint_names, left)
    panels = [
        replace(panel, limits=around(desired[:, i]))
        for i, panel in enumerate(joint_panels(robot, t, curves, POSITION, marks))
    ]
    return Result(checks, [series(t, robot.joint_names, "", **curves)], panels, notes=[HOW])


def _instant(method: str, when: float | None, tabled: float | None, claimed: float) -> Check:
    """The paper's instant. It is no property of the robot, which a second way to feed the torques shows."""
    between = when is not None and tabled is not None and min(when, tabled) <= claimed <= max(when, tabled)
    return Check(
        f"{method} with tolerance {TOLERANCE:.0e} leaves the motion about {claimed:g} s after the start",
        when is not None and abs(when - claimed) <= ABOUT,
        f"{LEFT:g} off {shown(when)}, and {shown(tabled)} with {TABLED}",
        "the instant follows from the errors of the integration, which the paper does not state, and not from the "
        "robot; neither run gives the printed one"
        if between
        else "",
    )


def around(values: Array) -> tuple[float, float]:
    """Limits of an axis that shows these values and how others leave them."""
    low, high = float(values.min()), float(values.max())
    room = max(0.6 * (high - low), 0.02)
    return low - room, high + room


def _both_robots(load: Load) -> Result:
    parts = {
        "stanford-2003": _run(load("stanford-2003"), STANFORD_2003_STOP, 2.5, ("rkf45", "abm")),
        "puma-2003": _run(load("puma-2003"), [np.pi] * 6, 6.0, ("rkf45", "abm")),
    }
    return together(parts, [magnitudes_of_inertia(load)])


def _end_effector(load: Load) -> Result:
    robot = load("stanford-2003")
    motion = cycloidal(robot.initial, STANFORD_2003_STOP, T)
    run = forced(robot, motion, "rkf45")
    q = motion(run.t)[0]
    desired = robot.forward_kinematics(q)[:, :3, 3]
    off = np.linalg.norm(run.path - desired, axis=1)
    joints_leave = leaves(run, q)
    before = run.t < (T if joints_leave is None else joints_leave)
    tip_leaves = first_time(run.t, off > LEFT)
    checks = [
        verified_torques(robot, motion, robot.name),
        Check(
            "the end effector follows the desired path until the joints leave it",
            bool((off[before] <= 2 * LEFT).all()),
            f"off by {off[before].max():.1e} m at most; more than {LEFT:g} m {shown(tip_leaves)}",
        ),
        Check(
            "and then leaves it, as the joints do about 2.5 s after the start",
            tip_leaves is not None and abs(tip_leaves - 2.5) <= ABOUT,
            f"{shown(tip_leaves)}",
        ),
    ]
    marks = {} if tip_leaves is None else {"leaves": tip_leaves}
    panels = [
        Panel(
            f"{axis} (m)",
            run.t,
            [Curve("desired", desired[:, k]), Curve("rkf45", run.path[:, k], dashed=True)],
            marks,
            limits=around(desired[:, k]),
        )
        for k, axis in enumerate("XYZ")
    ]
    header = ["t", *(f"{what}_{axis}" for what in ("desired", "rkf45") for axis in "xyz")]
    rows = np.column_stack([run.t, desired, run.path]).tolist()
    return Result(checks, [Numbers(header, rows)], panels, scenes=[scene(robot, q, "the desired motion")], notes=[HOW])


ITEMS = [
    Item("paper-fig-6", "Forced motion: where the integrators lose it", PAPER + "Fig. 6", _both_robots),
    Item("paper-fig-7", "Forced motion: path of the Stanford arm's end effector", PAPER + "Fig. 7", _end_effector),
]
