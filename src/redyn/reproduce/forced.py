"""Forced simulation in the paper: open-loop torques of a motion follow the motion only for a while."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np

from redyn.reproduce.check import ABOUT, about, first_crossing, near, shown, statement, within
from redyn.reproduce.closed_forms import masses_and_lengths, rods, three_link
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
ARM = 4.0  # s of the three-link arm: by then every integration has left the path
VISIBLE = 1e-2  # and an error that is visible in a figure
TABLED = "torques every 10 ms"  # interpolated linearly; the paper integrates in steps of that length
HOW = (
    f'We call the path left at an error of {LEFT:g} rad or m; "about" allows {ABOUT:.0%}. Both are our choice, since '
    "the paper shows curves only."
)


def forced(
    robot: Robot,
    motion: Motion,
    method: str,
    tolerance: float = TOLERANCE,
    table: float | None = None,
    duration: float = T,
) -> Run:
    """The torques of the desired motion at time t, independent of the state; from a table if its spacing is given."""
    start, still, _ = motion(0.0)
    if table is None:
        push = feedforward(robot, motion)
    else:
        knots = np.linspace(0.0, T, round(T / table) + 1)
        push = knots, robot.inverse_dynamics(*motion(knots))
    # Only the tolerance determines the steps: our default limit of 0.1 s would make these runs more accurate.
    return whole(
        simulate(
            robot, start, still, duration, push, method, step=duration, rtol=tolerance, atol=tolerance, sample=0.01
        )
    )


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


def _three_link(load: Load) -> Result:
    """Section 4 of the paper: the planar arm, by the recursion and by explicit equations, which "exactly match"."""
    robot = load("three-link")
    exact, sizes = rods(robot), masses_and_lengths(robot)
    motion = cycloidal(robot.initial, [np.pi] * 3, T)
    run = forced(exact, motion, "rkf45", duration=ARM)
    t, desired = run.t, motion(run.t)[0]
    explicit = _explicit(sizes, motion, t)
    tight = forced(exact, motion, "dopri5", 1e-12, duration=ARM)
    rng = np.random.default_rng(0)
    q, qd, tau = (rng.uniform(-2, 2, (50, 3)) for _ in range(3))
    direct = three_link(*sizes, q, qd).acceleration(qd, tau)
    worst = float(np.linalg.cond(exact.mass_matrix(q)).max())
    apart = first_crossing(t, np.abs(run.q - explicit).max(axis=1) - LEFT)
    left = {"rkf45": leaves(run, desired), "tolerance 1e-12 (dopri5)": leaves(tight, desired)}
    left["explicit equations, Dormand-Prince"] = first_crossing(t, np.abs(explicit - desired).max(axis=1) - LEFT)
    together_until = min(ARM if x is None else x for x in left.values())
    before = t < together_until
    same = float(np.abs(run.q - explicit)[before].max())
    checks = [
        verified_torques(robot, motion, "three-link"),
        near(
            "accelerations at 50 states",
            exact.forward_dynamics(q, qd, tau),
            direct,
            1e-13 * worst,
            "the explicit equations (9.42)",
            against="printed",
        ),
        within("positions until the first of them leaves the path", same, 2 * LEFT, "those by the explicit equations"),
        statement(
            f"forced motions by the recursion and by explicit equations exactly match ({LEFT:g} rad for {ARM:g} s)",
            apart is None,
            f"they differ by {LEFT:g} rad {shown(apart)}; the desired path is left "
            + ", ".join(f"by {label} {shown(when)}" for label, when in left.items()),
            "the motion is unstable: any two integrations of it diverge, even if the equations are the same; the "
            "accelerations themselves match",
        ),
    ]
    curves = {"desired": desired, "recursion, rkf45": run.q, "explicit equations, Dormand-Prince": explicit}
    curves["recursion, tolerance 1e-12"] = tight.q
    panels = [
        replace(panel, limits=around(desired[:, i])) for i, panel in enumerate(joint_panels(robot, t, curves, POSITION))
    ]
    named = {"desired": desired, "rkf45": run.q, "explicit": explicit, "tight": tight.q}
    return Result(checks, [series(t, robot.joint_names, "", **named)], panels, notes=[HOW])


def _explicit(sizes: tuple[list[float], list[float]], motion: Motion, t: Array) -> Array:
    """(9.42) integrated by SciPy's Dormand-Prince at the paper's tolerance, with the torques of the motion."""
    from scipy import integrate  # pyright: ignore[reportMissingTypeStubs]

    def rates(time: float, state: Array) -> Array:
        q, qd, qdd = motion(time)
        tau = three_link(*sizes, q, qd).torque(qd, qdd)
        return np.concatenate([state[3:], three_link(*sizes, state[:3], state[3:]).acceleration(state[3:], tau)])

    found = cast(Any, integrate).solve_ivp(rates, (0.0, ARM), np.zeros(6), "RK45", t, rtol=TOLERANCE, atol=TOLERANCE)
    return found.y[:3].T


ITEMS = [
    Item("paper-section-4", "Forced motion of the three-link arm", PAPER + "section 4", _three_link),
    Item("paper-fig-6", "Forced motion: where the integrations diverge", PAPER + "Fig. 6", _both_robots),
    Item("paper-fig-7", "Forced motion: path of the Stanford arm's end effector", PAPER + "Fig. 7", _end_effector),
]
