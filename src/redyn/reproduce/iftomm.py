"""Two problems of the IFToMM library of multibody benchmarks: A02 becomes singular, A04 is overconstrained.

The library asks that the mechanical energy stays as it is, and plots the path of one point; it prints no numbers. The
reference numbers are "exact_n_four_bar" and "simulations" of tests/data/closed_golden.json: the exact solution of A02,
and for A04 two programs that agree to 2e-12.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import numpy as np

from redyn.errors import SingularError
from redyn.report.html import Plot, write_html
from redyn.reproduce.check import Check, near, statement, within
from redyn.reproduce.falls import whole
from redyn.reproduce.item import Array, Curve, Item, Load, Numbers, Panel, Result
from redyn.reproduce.torques import scene
from redyn.robot import Robot
from redyn.robot import load as load_robot
from redyn.simulation import Run, simulate

SOURCE = "IFToMM library of multibody benchmark problems, "
DURATION = 10.0  # s, of both
G = 9.81

# --- A02: N four-bar windows side by side, N = 2 ------------------------------------------------------------------

UPRIGHT = np.pi / 2
TIMES = [0.5, 1.0, 2.0, 5.0, 10.0]
ANGLES = [0.8019776992396422, -1.7670744763102644, -4.770237034517078, -15.083557159849764, -30.17980086018323]
FLAT = np.array([0.0, 0.0, -np.pi, np.pi, -np.pi])


def two_four_bars() -> Robot:
    """Bars of 1 m and 1 kg: three that turn about the ground, and two that connect their upper ends."""
    bar = {"mass": 1.0, "com": [0.5, 0.0, 0.0], "inertia": {"xx": 1e-4, "yy": 1 / 12, "zz": 1 / 12}}

    def link(name: str, parent: str, along: float, initial: float) -> dict[str, Any]:
        joint = {"type": "revolute", "name": name, "initial": initial}
        return {"name": name, "parent": parent, "joint": joint, "xyz": [along, 0.0, 0.0], **bar}

    def ground(number: int) -> dict[str, Any]:
        ends = {"between": ["world", f"up{number}"], "at": [float(number), 0, 0], "meets": [1, 0, 0]}
        return {"name": f"A{number}", "joint": "revolute", **ends}

    links = [
        link("up0", "world", 0.0, UPRIGHT),
        link("top1", "up0", 1.0, -UPRIGHT),
        link("up1", "top1", 1.0, -UPRIGHT),  # from its upper end down to the ground
        link("top2", "up1", 0.0, UPRIGHT),
        link("up2", "top2", 1.0, -UPRIGHT),
    ]
    data = {"name": "two-four-bars", "convention": "frames", "gravity": [0, -G, 0], "end_effector": "top1"}
    return load_robot(data | {"links": links, "loops": [ground(1), ground(2)], "actuated": ["up0"]})


def pendulum(t: Array) -> Array:
    """The exact angle of the upright bars, which stay parallel: I theta'' = -W cos(theta).

    They start upright with 1 m/s at their ends and turn over, so that the angle is an elliptic amplitude.
    """
    from scipy import special  # pyright: ignore[reportMissingTypeStubs]

    functions = cast(Any, special)
    inertia, weight = 3 / 3 + 2, G * (3 / 2 + 2)  # three bars turn, two are carried around
    energy = inertia / 2 + 2 * weight  # above that of the lowest position at rest
    m, pace = 2 * weight / energy, np.sqrt(energy / (2 * inertia))
    amplitude = functions.ellipj(functions.ellipk(m) - pace * t, m)[3]
    return 2 * amplitude - UPRIGHT


def _windows(load: Load) -> Result:
    del load  # the library does not have it
    robot = two_four_bars()
    qd = robot.transmission(robot.initial) @ [-1.0]
    run = whole(simulate(robot, robot.initial, qd, DURATION, rtol=1e-12))
    exact = pendulum(run.t)
    rows = [round(t / 0.01) for t in TIMES]
    flat = np.flatnonzero(np.diff(np.floor(exact / np.pi)))  # the samples before which the bars lie flat
    checks = [
        near("angle at 5 instants (rad)", exact[rows], ANGLES, 1e-12, "an independent solution, by elliptic functions"),
        within("angle (rad), all of 10 s", float(np.abs(run.q[:, 0] - exact).max()), 1e-7, "the exact pendulum"),
        _kept(run, 1e-7),
        _more_mobile(robot),
    ]
    panels = [
        Panel("angle of the upright bars (rad)", run.t, [Curve("redyn", run.q[:, 0]), Curve("exact", exact, True)]),
        Panel("difference (1e-9 rad)", run.t, [Curve("redyn", (run.q[:, 0] - exact) * 1e9)]),
    ]
    table = np.column_stack([run.t, run.q[:, 0], exact, run.energy.balance])
    return Result(
        checks,
        [Numbers(["t", "angle", "exact", "energy_error"], table.tolist())],
        panels=panels,
        scenes=[scene(robot, run.q[:71], "until the bars lie flat")],
        notes=[
            f"The bars lie flat {len(flat)} times in 10 s. A state at which they do is refused, since it does not "
            "determine the accelerations; a run passes through.",
        ],
        animation=lambda path, force: _page(path, run, "Two four-bar windows (A02)", force),
    )


def _more_mobile(robot: Robot) -> Check:
    """What the problem is about: the flat position has more degrees of freedom."""
    still = np.zeros(robot.dof)
    try:
        robot.forward_dynamics(FLAT, still, still)
        refused = False
    except SingularError:
        refused = True
    ranks = [int(np.linalg.matrix_rank(robot.loop_jacobian(q), 1e-9)) for q in (robot.initial, FLAT)]
    before, there = (robot.dof - rank for rank in ranks)
    return statement(
        "degrees of freedom increase from 1 to N + 1 where the bars lie flat",
        (before, there) == (1, 3) and refused,
        f"{before} elsewhere, {there} there; a state there {'is' if refused else 'is not'} refused",
    )


# --- A04: Bricard's mechanism -------------------------------------------------------------------------------------

P3_TIMES = [1.0, 2.0, 5.0]
P3 = [
    [0.2744813192649724, -0.8867079387347221, -0.46233000268728025],
    [-0.7781353730333584, -0.9803526834432671, -0.19725267061711807],
    [0.9999327423024253, -0.9999999977383531, -6.72554357755967e-05],
]


def _bricard(load: Load) -> Result:
    robot = load("bricard")
    runs = {
        method: whole(simulate(robot, robot.initial, np.zeros(robot.dof), DURATION, method=method, rtol=1e-12))
        for method in ("abm", "rkf45", "dopri5")
    }
    run = runs["abm"]
    lost = {method: float(np.abs(other.energy.balance).max()) for method, other in runs.items()}
    rows = [round(t / 0.01) for t in P3_TIMES]
    bodies, joints = robot.dof, robot.dof + 1
    counted = 6 * bodies - 5 * joints
    checks = [
        near("point P3 at 1, 2 and 5 s (m)", run.path[rows], P3, 1e-10),
        _kept(run, 1e-10),
        statement(
            "Grübler's formula gives no degree of freedom, but the mechanism has one",
            (counted, robot.mobility) == (0, 1),
            f"6 * {bodies} - 5 * {joints} = {counted}; the rows of its loop leave {robot.mobility}",
        ),
    ]
    panels = [Panel(f"P3, {axis} (m)", run.t, [Curve("redyn", run.path[:, k])]) for k, axis in enumerate("xyz")]
    panels.append(Panel("energy error (1e-12 J)", run.t, [Curve("redyn", run.energy.balance * 1e12)]))
    table = np.column_stack([run.t, run.path, run.energy.balance])
    return Result(
        checks,
        [Numbers(["t", "P3_x", "P3_y", "P3_z", "energy_error"], table.tolist())],
        panels=panels,
        scenes=[scene(robot, run.q[:101], "the first second")],
        notes=[
            "Of the 5 rows of the pin that closes the loop, 4 are independent, at each position other ones.",
            "The run is by abm, which keeps the energy best: at the same rtol of 1e-12 rkf45 loses up to "
            f"{lost['rkf45']:.1e} J and dopri5 {lost['dopri5']:.1e} J.",
        ],
        animation=lambda path, force: _page(path, run, "Bricard's mechanism (A04)", force),
    )


def _kept(run: Run, tolerance: float) -> Check:
    """What the library judges programs by."""
    drift = float(np.abs(run.energy.balance).max())
    what = f"mechanical energy (J) over 10 s by {run.method}"
    return within(what, drift, tolerance, "its initial value", against="text")


def _page(path: Path, run: Run, title: str, force: bool) -> object:
    plots = [Plot("joint positions", "rad", run.robot.joint_names, run.q)]
    return write_html(path, run.robot, run.t, run.q, plots, title=title, force=force)


ITEMS = [
    Item("two-four-bars", "Two four-bar windows through their singular position", SOURCE + "A02, N = 2", _windows),
    Item("bricard", "Bricard's mechanism", SOURCE + "A04", _bricard),
]
