"""Free fall: Figs. 9.16-9.19 and Exercise 9.12 of the book, Fig. 4 of the paper."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import numpy as np

from redyn.reproduce.check import Check, about, first_crossing, near, shown, statement, within
from redyn.reproduce.closed_forms import masses_and_lengths, rods, three_link
from redyn.reproduce.item import Array, Item, Load, Repair, Result, joint_panels, series, together
from redyn.reproduce.repairs import inertia_of_link_6, magnitudes_of_inertia
from redyn.reproduce.torques import BOOK, PAPER, scene
from redyn.reproduce.verified import verified
from redyn.robot import External, Robot
from redyn.simulation import Run, simulate

Controller = Callable[[float, Array, Array], Array]
Marks = Mapping[str, Mapping[str, float]]
POSITION = ("rad", "m")


def whole(run: Run) -> Run:
    """The run; if Ctrl-C ended it, the item cannot be rebuilt from what there is."""
    if run.interrupted:
        raise KeyboardInterrupt
    return run


def fall(robot: Robot, duration: float) -> Run:
    """From the initial values of the table, at rest, without torque; a hundred samples per second as in the book."""
    still = np.zeros(robot.dof)
    return whole(simulate(robot, robot.initial, still, duration, method="rkf45", rtol=1e-11, atol=1e-12, sample=0.01))


def fall_checks(robot: Robot, run: Run) -> list[Check]:
    """Compares with reference states of other programs, and checks the energy."""
    entry = verified("free_fall", robot.name)
    rows = [round(t / 0.01) for t in entry["t"]]
    exchanged = max(1.0, float(np.ptp(run.energy.kinetic)))
    drift = float(np.abs(run.energy.balance).max()) / exchanged
    when = " and ".join(", ".join(f"{t:g}" for t in entry["t"]).rsplit(", ", 1))
    return [
        near(f"positions at {when} s", run.q[rows], entry["q"], 1e-6),
        within("energy, relative to the energy exchanged", drift, 1e-8, "its initial value plus the work done"),
    ]


def fall_result(
    robot: Robot,
    run: Run,
    checks: Sequence[Check],
    repairs: Sequence[Repair] = (),
    marks: Marks | None = None,
    plotted: float = 2.0,
) -> Result:
    until = round(plotted / 0.01) + 1
    return Result(
        [*fall_checks(robot, run), *checks],
        [series(run.t, robot.joint_names, q=run.q, qd=run.qd, qdd=run.qdd)],
        joint_panels(robot, run.t[:until], {"redyn": run.q[:until]}, POSITION, marks),
        scenes=[scene(robot, run.q[:101], "the first second")],
        repairs=repairs,
    )


def _three_link(load: Load) -> Result:
    robot = load("three-link")
    run = fall(robot, 2.0)
    early = run.q[1:21, 0]
    downwards = statement(
        "joint 1 first rotates in the negative direction",
        (early < 0).all(),
        f"between {early.min():.2g} and {early.max():.2g} rad in the first 0.2 s",
    )
    return fall_result(robot, run, [downwards])


def turns_positive(robot: Robot, run: Run) -> Check:
    """The texts say that joint 2 of the PUMA rotates positively, because of a_3."""
    links = [link.model_copy(update={"a": 0.0}) if i == 2 else link for i, link in enumerate(robot.description.links)]
    without = Robot(robot.description.model_copy(update={"links": links}))
    start, still = robot.initial, np.zeros(robot.dof)
    given, straight = (float(x.forward_dynamics(start, still, still)[1]) for x in (robot, without))
    reason = f", with a3 = 0 by {straight:+.3f}, so a3 is not the reason, contrary to the text"
    early = run.q[1:31, 1]
    return statement(
        "joint 2 first rotates in the positive direction",
        (early > 0).all(),
        f"between {early.min():.2g} and {early.max():.2g} rad in the first 0.3 s; it starts by {given:+.3f} rad/s²"
        f"{reason if straight > 0 else ''}",
    )


def _puma(load: Load) -> Result:
    robot = load("puma")
    run = fall(robot, 2.0)
    return fall_result(robot, run, [turns_positive(robot, run)])


def _stanford(load: Load) -> Result:
    robot = load("stanford")
    run = fall(robot, 10.0)
    turned = first_crossing(run.t, -np.pi - run.q[:, 1])
    close = first_crossing(run.t, 0.1 - np.pi - run.q[:, 1])
    slid = run.q[[50, 100], 2]
    claim = about(
        "joint 2 has rotated by 90° about 1 s after the start, and joint 3 then slides out",
        turned,
        1.0,
        f"within 0.1 rad of that {shown(close)}; joint 3 is at {slid[0]:.2f} m after 0.5 s and at {slid[1]:.2f} m "
        "after 1 s",
        "joint 3 slides out much earlier, and joint 2 only creeps towards 180°",
    )
    marks = {} if close is None else {robot.joint_names[1]: {"near 180°": close}}
    return fall_result(robot, run, [claim], marks=marks)


def _kuka(load: Load) -> Result:
    robot = load("kuka-kr5")
    run = fall(robot, 2.0)
    return fall_result(robot, run, [], [inertia_of_link_6(load)])


def _by_explicit_equations(load: Load) -> Result:
    """Exercise 9.12 asks for (9.42) and MATLAB's ODE45, which is the Dormand-Prince formula."""
    robot = load("three-link")
    exact = rods(robot)
    sizes = masses_and_lengths(robot)
    run, table = fall(exact, 2.0), fall(robot, 2.0)
    reference, ode45 = (_explicit_fall(sizes, run.t, *how) for how in (("DOP853", 1e-12), ("RK45", 1e-6)))
    rounding = float(np.abs(table.q - run.q).max())
    checks = [
        near("positions", run.q, reference, 1e-6, "(9.42), integrated by SciPy to 1e-12", against="printed"),
        near("positions", run.q, ode45, 5e-3, "(9.42), integrated by Dormand-Prince to 1e-6", against="printed"),
        near("positions", run.q, table.q, 2e-2, "those of Fig. 9.16, from Table 9.2"),
    ]
    panels = joint_panels(robot, run.t, {"redyn": run.q, "(9.42), ODE45": ode45}, POSITION)
    note = (
        f"The rounded inertia of link 2 in Table 9.2 changes the joint angles by up to {rounding:.1e} rad within 2 s: "
        "the fall is chaotic, and a comparison at much later times is meaningless."
    )
    return Result(checks, [series(run.t, robot.joint_names, q=run.q, ode45=ode45)], panels, notes=[note])


def _explicit_fall(sizes: tuple[list[float], list[float]], t: Array, method: str, tolerance: float) -> Array:
    from scipy import integrate  # pyright: ignore[reportMissingTypeStubs]

    def rates(_: float, state: Array) -> Array:
        q, qd = state[:3], state[3:]
        return np.concatenate([qd, three_link(*sizes, q, qd).acceleration(qd, np.zeros(3))])

    span = (0.0, float(t[-1]))
    found = cast(Any, integrate).solve_ivp(rates, span, np.zeros(6), method, t, rtol=tolerance, atol=tolerance)
    return found.y[:3].T


def half_coriolis(robot: Robot, slide: int) -> Controller:
    """Torques that cancel half of the Coriolis force of a prismatic joint, as (9.16d) does as printed.

    The book's rate of d lacks e b_dot, so every link beyond the prismatic joint lacks the acceleration omega x e b_dot.
    """
    outer = range(slide, robot.dof)
    parts = robot.parameters.reshape(-1, 10)[:, :4]  # m, mc in link axes
    still = np.zeros(robot.dof)

    def torque(t: float, q: Array, qd: Array) -> Array:
        motion = robot.link_motion(q, qd, still)
        missing = np.cross(motion.twist[slide, :3], motion.pose[slide - 1, :3, 2]) * qd[slide]
        wrenches: External = {
            link + 1: np.concatenate(
                [np.cross(motion.pose[link, :3, :3] @ parts[link, 1:], missing), parts[link, 0] * missing]
            )
            for link in outer
        }
        return robot.inverse_dynamics(q, still, still) - robot.inverse_dynamics(q, still, still, external=wrenches)

    return torque


def _paper(load: Load) -> Result:
    stanford, puma = load("stanford-2003"), load("puma-2003")
    run, puma_run = fall(stanford, 10.0), fall(puma, 10.0)
    crossing = first_crossing(run.t, -run.q[:, 1])
    at = run.q[[50, 100], 1]
    law = half_coriolis(stanford, slide=2)
    less = whole(simulate(stanford, stanford.initial, np.zeros(6), 1.0, law, rtol=1e-7, atol=1e-9))
    half = first_crossing(less.t, -less.q[:, 1])
    claim = statement(
        "joint 2 passes zero a little after 0.5 s (0.5 to 0.6 s)",
        crossing is not None and 0.5 <= crossing <= 0.6,
        f"{shown(crossing)}; it is at {at[0]:.2f} rad after 0.5 s and at {at[1]:.2f} rad after 1 s",
        f"with half of the Coriolis force of the prismatic joint, as in the printed (9.16d), it would be "
        f"{shown(half)}: the published curve seems to contain that error"
        if half is not None and crossing is not None and half < crossing / 2
        else "",
    )
    marks = {} if crossing is None else {stanford.joint_names[1]: {"zero": crossing}}
    parts = {
        "stanford-2003": fall_result(stanford, run, [claim], marks=marks, plotted=10.0),
        "puma-2003": fall_result(puma, puma_run, [turns_positive(puma, puma_run)], plotted=10.0),
    }
    return together(parts, [magnitudes_of_inertia(load)])


ITEMS = [
    Item("fig-9.16", "Free fall of the three-link arm", BOOK + "Fig. 9.16, Example 9.8", _three_link),
    Item("fig-9.17", "Free fall of the PUMA", BOOK + "Fig. 9.17, Example 9.9", _puma),
    Item("fig-9.18", "Free fall of the Stanford arm", BOOK + "Fig. 9.18, Example 9.10", _stanford),
    Item("fig-9.19", "Free fall of the KUKA KR-5", BOOK + "Fig. 9.19, Example 9.11", _kuka),
    Item(
        "exercise-9.12",
        "The free fall again, by the explicit equations",
        BOOK + "Exercise 9.12",
        _by_explicit_equations,
    ),
    Item("paper-fig-4", "Free fall of the Stanford arm and the PUMA", PAPER + "Fig. 4", _paper),
]
