"""Forced simulation in the paper: open-loop torques of a motion follow the motion only for a while."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from redyn.reproduce.check import ABOUT, about, first_crossing, shown, statement, within
from redyn.reproduce.falls import POSITION, whole
from redyn.reproduce.item import Array, Curve, Item, Load, Numbers, Panel, Result, joint_panels, series, together
from redyn.reproduce.repairs import magnitudes_of_inertia
from redyn.reproduce.torques import PAPER, STANFORD_2003_STOP, T, scene, verified_torques
from redyn.robot import Robot
from redyn.simulation import Run, simulate
from redyn.simulation.controllers import feedforward
from redyn.trajectory import Motion, cycloidal

TOLERANCE = 1e-6  # that of the paper
LEFT = 1e-3  # rad or m: error at which we call the path left; the paper shows curves only
VISIBLE = 1e-2  # and an error that is visible in a figure
TABLED = "torques every 10 ms"  # interpolated linearly; the paper integrates in steps of that length
HOW = (
    f'We call the path left at an error of {LEFT:g} rad or m; "about" allows {ABOUT:.0%}. Both are our choice, since '
    "the paper shows curves only."
)


def forced(robot: Robot, motion: Motion, method: str, tolerance: float = TOLERANCE, table: float | None = None) -> Run:
    """The torques of the desired motion at time t, independent of the state; from a table if its spacing is given."""
    start, still, _ = motion(0.0)
    if table is None:
        push = feedforward(robot, motion)
    else:
        knots = np.linspace(0.0, T, round(T / table) + 1)
        push = knots, robot.inverse_dynamics(*motion(knots))
    # Only the tolerance determines the steps: our default limit of 0.1 s would make these runs more accurate.
    return whole(simulate(robot, start, still, T, push, method, step=T, rtol=tolerance, atol=tolerance, sample=0.01))


def leaves(run: Run, desired: Array, error: float = LEFT) -> float | None:
    """When the error first exceeds a threshold."""
    return first_crossing(run.t, np.abs(run.q - desired).max(axis=1) - error)


def _run(robot: Robot, stop: Sequence[float], claimed: float, methods: Sequence[str], beside: Sequence[str]) -> Result:
    """`methods` are those whose instant the paper states; those `beside` show how it depends on the integrator."""
    motion = cycloidal(robot.initial, stop, T)
    runs = {method: forced(robot, motion, method) for method in (*methods, *beside)}
    runs[TABLED] = forced(robot, motion, "rkf45", table=0.01)
    t = runs[TABLED].t
    desired = motion(t)[0]
    left = {label: leaves(run, desired) for label, run in runs.items()}
    tight = leaves(forced(robot, motion, "dopri5", 1e-12), desired)
    instants = {**left, "tolerance 1e-12 (dopri5)": tight}
    checks = [verified_torques(robot, motion, robot.name)]
    for method in methods:
        others = {label: when for label, when in instants.items() if label != method}
        beyond = leaves(runs[method], desired, VISIBLE)
        checks.append(
            about(
                f"{method} with tolerance {TOLERANCE:.0e} leaves the path about {claimed:g} s after the start",
                left[method],
                claimed,
                f"an error of {VISIBLE:g} is reached {shown(beyond)}",
                _depends(others, claimed),
            )
        )
    last = max(T if left[method] is None else left[method] or 0.0 for method in methods)
    checks.append(
        statement(
            "the error grows with the integration error: a tight tolerance stays on the path longer",
            tight is None or tight > last,
            f"with tolerance 1e-12 (dopri5) it leaves {shown(tight)}",
        )
    )
    curves = {"desired": desired, **{label: run.q for label, run in runs.items()}}
    instants_left = {label: when for label, when in left.items() if when is not None}
    marks = dict.fromkeys(robot.joint_names, instants_left)
    panels = [
        replace(panel, limits=around(desired[:, i]))
        for i, panel in enumerate(joint_panels(robot, t, curves, POSITION, marks))
    ]
    return Result(checks, [series(t, robot.joint_names, "", **curves)], panels)


def _depends(instants: dict[str, float | None], claimed: float) -> str:
    """Why the instant may differ: other integrations of the same motion leave earlier and later than the paper's."""
    times = [T if when is None else when for when in instants.values()]
    if not min(times) < claimed < max(times):
        return ""
    listed = ", ".join(f"{label} {shown(when)}" for label, when in instants.items())
    return f"the instant depends on integration errors, which the paper does not state, and not on the robot: {listed}"


def around(values: Array) -> tuple[float, float]:
    """Limits of an axis that shows these values and the divergence of others."""
    low, high = float(values.min()), float(values.max())
    margin = max(0.6 * (high - low), 0.02)
    return low - margin, high + margin


def _both_robots(load: Load) -> Result:
    """The paper integrates the Stanford arm by two formulas, the PUMA by Runge-Kutta-Fehlberg only."""
    parts = {
        "stanford-2003": _run(load("stanford-2003"), STANFORD_2003_STOP, 2.5, ("rkf45", "abm"), ()),
        "puma-2003": _run(load("puma-2003"), [np.pi] * 6, 6.0, ("rkf45",), ("abm",)),
    }
    return replace(together(parts, [magnitudes_of_inertia(load)]), notes=[HOW])


def _end_effector(load: Load) -> Result:
    robot = load("stanford-2003")
    motion = cycloidal(robot.initial, STANFORD_2003_STOP, T)
    run = forced(robot, motion, "rkf45")
    q = motion(run.t)[0]
    desired = robot.forward_kinematics(q)[:, :3, 3]
    off = np.linalg.norm(run.path - desired, axis=1)
    joints_leave = leaves(run, q)
    before = run.t < (T if joints_leave is None else joints_leave)
    tip_leaves = first_crossing(run.t, off - LEFT)
    checks = [
        verified_torques(robot, motion, robot.name),
        within(
            "end-effector position (m) until the joints leave their path",
            float(off[before].max()),
            2 * LEFT,
            "the desired path",
            against="text",
        ),
        about("the end effector then leaves its path, as the joints do about 2.5 s after the start", tip_leaves, 2.5),
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
    Item("paper-fig-6", "Forced motion: where the integrations diverge", PAPER + "Fig. 6", _both_robots),
    Item("paper-fig-7", "Forced motion: path of the Stanford arm's end effector", PAPER + "Fig. 7", _end_effector),
]
