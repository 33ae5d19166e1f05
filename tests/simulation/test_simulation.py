"""Simulation: whether it can be trusted, what drives it, how it ends."""

import subprocess
import sys

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import solve_ivp

import redyn
from known_robots import explicit_three_link, three_rods
from random_robots import ARMS, EXAMPLES, FLEXIBLE, LOOPS, MOBILE, on_floats, random_tree

FALLS = {
    "arm3": "three-link",
    "puma": "puma",
    "stanford": "stanford",
    "kuka": "kuka-kr5",
    "stanford001": "stanford-2003",
    "puma001_abs": "puma-2003",
}
OTHERS = (*EXAMPLES, *LOOPS, *ARMS, *MOBILE, *FLEXIBLE)
USABLE = [name for name in redyn.library() if not name.endswith("-printed") and name not in OTHERS]


def exchanged(energy):
    return max(np.ptp(energy.kinetic), np.ptp(energy.potential))


# --- trust ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["rkf45", "dopri5", "abm"])
@pytest.mark.parametrize("name", FALLS)
def test_free_falls_of_the_seeds(golden, name, method):
    """Examples 9.8-9.11 and the paper's free falls, against numbers that two other programs agree on."""
    robot = redyn.load(FALLS[name])
    falls = golden[name].get("free_fall") or golden[name]["free_fall_regularised"]
    duration = falls["rows"][-1]["t"]
    run = redyn.simulate(robot, robot.initial, robot.neutral(), duration, method=method, rtol=1e-11, atol=1e-12)
    for row in falls["rows"]:
        k = round(row["t"] / 0.01)
        assert run.t[k] == pytest.approx(row["t"], abs=1e-12)
        np.testing.assert_allclose(run.q[k], row["q"], rtol=0, atol=1e-7)
        np.testing.assert_allclose(run.qd[k], row["qd"], rtol=0, atol=1e-6)


@pytest.mark.parametrize("name", USABLE)
def test_energy_of_ten_seconds_is_kept(name):
    robot = redyn.load(name, friction=False)
    start = robot.initial + 0.3
    run = redyn.simulate(robot, start, robot.neutral() + 0.1, 10.0, rtol=1e-10, atol=1e-12)
    energy = run.energy
    assert np.abs(energy.balance).max() < 1e-8 * exchanged(energy)
    assert not energy.friction.any()


def test_momentum_of_a_sliding_base_is_kept():
    """Nothing pushes along the rail, so the momentum along it stays what it was."""
    rail = {"name": "cart", "axis": [1, 0, 0], "joint": {"type": "prismatic"}, "mass": 3.0, "com": [0, 0, 0.1]}
    rail |= {"inertia": {"xx": 0.1, "yy": 0.1, "zz": 0.1}}
    arm = random_tree(5, 4, friction=False, serial=True, fixed=0, prismatic=0.4)
    data = {"name": "on-rails", "convention": "frames", "gravity": [0, 0, -9.81], "links": [rail, *arm["links"]]}
    for link in data["links"]:
        link["joint"]["armature"] = 0.0
    robot = redyn.load(data)
    rng = np.random.default_rng(3)
    q, qd = rng.uniform(-1, 1, (2, robot.dof))
    run = redyn.simulate(robot, q, qd, 3.0, rtol=1e-11, atol=1e-12)
    along = robot.momentum(run.q, run.qd)[:, 3]
    assert np.abs(along - along[0]).max() < 1e-9 * max(1.0, np.abs(run.qd).max())
    assert np.ptp(run.qd[:, 0]) > 0.5  # the base does move to and fro


@pytest.mark.parametrize("method", ["dopri5", "abm", "radau", "lsoda", "rk4"])
def test_integrators_agree_within_their_tolerances(method):
    robot = redyn.load("puma")
    reference = redyn.simulate(robot, robot.initial, robot.neutral(), 2.0, rtol=1e-12, atol=1e-13)
    run = redyn.simulate(robot, robot.initial, robot.neutral(), 2.0, method=method, rtol=1e-9, atol=1e-11)
    assert np.abs(run.q - reference.q).max() < 1e-6
    assert np.abs(run.qd - reference.qd).max() < 1e-5
    if method != "rk4":
        loose = redyn.simulate(robot, robot.initial, robot.neutral(), 2.0, method=method, rtol=1e-5, atol=1e-7)
        assert loose.evaluations < run.evaluations
        assert np.abs(loose.q - reference.q).max() > np.abs(run.q - reference.q).max()


def test_exercise_9_12_an_independent_simulation():
    """(9.42) integrated by SciPy from the typed-in equations."""
    m, a = (0.5, 0.4, 0.3), (0.3, 0.25, 0.22)

    def rate(t, y):
        GIM, MCI, pull = explicit_three_link(y[:3], y[3:], m, a, 9.81)
        return np.concatenate([y[3:], np.linalg.solve(GIM, pull - MCI @ y[3:])])

    t = np.linspace(0, 2, 201)
    theirs = solve_ivp(rate, (0, 2), np.zeros(6), method="DOP853", t_eval=t, rtol=1e-12, atol=1e-12).y.T
    ours = redyn.simulate(three_rods(m, a), np.zeros(3), np.zeros(3), 2.0, rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(ours.q, theirs[:, :3], rtol=0, atol=1e-7)
    np.testing.assert_allclose(ours.qd, theirs[:, 3:], rtol=0, atol=1e-5)


@pytest.mark.parametrize("name", ["three-link", "puma-2003", "stanford-2003"])
def test_order_n_and_cholesky_along_the_paper_runs(name):
    """The same motion, and neither needs more steps than the other (the book's question of smoothness)."""
    robot = redyn.load(name)
    runs = [
        redyn.simulate(robot, robot.initial, robot.neutral(), 2.0, dynamics=way, rtol=1e-9, atol=1e-11)
        for way in ("recursive", "cholesky")
    ]
    assert np.abs(runs[0].q - runs[1].q).max() < 1e-6
    assert abs(runs[0].steps - runs[1].steps) <= 0.02 * runs[0].steps
    bends = [np.abs(np.diff(run.qdd, 2, axis=0)).max() for run in runs]
    assert bends[0] == pytest.approx(bends[1], rel=1e-3)


@pytest.mark.slow
@settings(max_examples=10)
@given(st.integers(0, 10**6), st.integers(1, 5))
def test_energy_balance_of_random_robots(seed, n):
    """With friction, armature, torque and other gravity: what goes in is what comes out."""
    robot = redyn.load(random_tree(seed, n))
    q, qd, tau = np.random.default_rng(seed).uniform(-1, 1, (3, robot.dof))
    run = redyn.simulate(robot, q, qd, 0.5, torque=tau, gravity=[1.0, -2.0, 3.0], rtol=1e-10, atol=1e-12)
    assert np.abs(run.energy.balance).max() < 1e-8 * max(1.0, exchanged(run.energy))
    np.testing.assert_allclose(run.qdd, robot.forward_dynamics(run.q, run.qd, run.tau, gravity=[1.0, -2.0, 3.0]))


@pytest.mark.slow
@settings(max_examples=6)
@given(st.integers(0, 10**6), st.integers(1, 4))
def test_energy_balance_with_a_push_and_a_payload(seed, n):
    robot = redyn.load(random_tree(seed, n, serial=True, fixed=0))
    rng = np.random.default_rng(seed)
    q, qd, tau = rng.uniform(-1, 1, (3, robot.dof))
    run = redyn.simulate(
        robot,
        q,
        qd,
        0.5,
        torque=tau,
        external={robot.link_names[-1]: lambda t: [0.1, 0.2 * t, -0.3, np.sin(5 * t), 0.5, 0.2]},
        payload=[0.5, 0.05, 0.0, 0.02, 0.02, 0, 0.03, 0, 0, 0.02],
        gravity=[1.0, -2.0, 3.0],
        rtol=1e-10,
        atol=1e-12,
        sample=0.002,
    )
    assert np.abs(run.energy.balance).max() < 1e-8 * max(1.0, exchanged(run.energy))
    wrenches = {robot.link_names[-1]: run.wrenches[robot.link_names[-1]]}
    qdd = robot.forward_dynamics(run.q, run.qd, run.tau, wrenches, run.conditions.payload, [1.0, -2.0, 3.0])
    np.testing.assert_allclose(run.qdd, qdd, rtol=1e-9, atol=1e-9)


def test_without_kernels_the_same():
    robot = redyn.load("three-link")
    slow = on_floats(redyn.load("three-link"))
    args = ([0.1, 0.2, -0.3], [0, 1, 0], 0.3)
    fast_run, slow_run = (redyn.simulate(r, *args, rtol=1e-9) for r in (robot, slow))
    np.testing.assert_allclose(slow_run.q, fast_run.q, rtol=0, atol=1e-10)


# --- what drives it -------------------------------------------------------------------------------------------


def test_torques_of_every_form_give_one_motion():
    robot = redyn.load("puma")
    tau = np.array([1.0, -60.0, 2.0, 0.1, 0.2, -0.05])

    @numba.njit
    def compiled(t, q, qd):
        return np.array([1.0, -60.0, 2.0, 0.1, 0.2, -0.05])

    forms = [tau, np.tile(tau, (7, 1)), ([0.0, 5.0], [tau, tau]), lambda t, q, qd: tau, compiled, list(tau)]
    runs = [redyn.simulate(robot, robot.initial, robot.neutral(), 0.5, torque=form) for form in forms]
    for run in runs:
        np.testing.assert_allclose(run.q, runs[0].q, rtol=0, atol=1e-9)
        np.testing.assert_allclose(run.tau, np.tile(tau, (51, 1)), rtol=0, atol=1e-13)


def test_sampled_torque_is_interpolated():
    robot = redyn.load("one-link")
    run = redyn.simulate(robot, [0.0], [0.0], 1.0, torque=([0.0, 0.5, 1.0], [[0.0], [2.0], [-2.0]]), sample=0.25)
    np.testing.assert_allclose(run.tau[:, 0], [0, 1, 2, 0, -2], atol=1e-12)


def test_numba_law_of_the_state():
    robot = redyn.load("two-link")

    @numba.njit
    def compiled(t, q, qd):
        return -2.0 * qd - 5.0 * q + t

    args = ([0.4, -0.3], [0, 0], 1.0)
    one = redyn.simulate(robot, *args, torque=compiled)
    other = redyn.simulate(robot, *args, torque=compiled.py_func)
    np.testing.assert_array_equal(one.q, other.q)


@pytest.mark.slow
def test_controllers_reach_their_goals():
    robot = redyn.load("puma")
    goal = np.array([0.5, -0.4, 0.3, 0.2, -0.5, 1.0])
    zero = robot.neutral()
    rest = redyn.simulate(robot, zero, zero, 8.0, torque=redyn.control.pd_gravity(robot, goal, 80, 25))
    assert np.abs(rest.q[-1] - goal).max() < 1e-3
    motion = redyn.trajectory.cycloidal(zero, goal, 2.0)
    wanted = motion(np.linspace(0, 2, 201))[0]
    off = zero + 0.05
    for law, bound in (
        (redyn.control.computed_torque(robot, motion, 100, 20), 1e-6),
        (redyn.control.feedforward_pd(robot, motion, 100, 20), 1e-2),
    ):
        run = redyn.simulate(robot, off, zero, 2.0, torque=law)
        error = np.abs(run.q - wanted).max(axis=1)
        assert error[0] == pytest.approx(0.05)
        assert error[-1] < bound
    exact = redyn.simulate(robot, off, zero, 2.0, torque=redyn.control.computed_torque(robot, motion, 100, 20))
    # e-ddot + 20 e-dot + 100 e = 0 from e = 0.05 at rest, whatever the robot
    rate = motion(0.0)[1]
    t = exact.t
    np.testing.assert_allclose(exact.q[:, 0] - wanted[:, 0], 0.05 * (1 + 10 * t) * np.exp(-10 * t), atol=1e-7)
    assert not rate.any()
    ideal = redyn.simulate(robot, zero, zero, 1.0, torque=redyn.control.feedforward(robot, motion), rtol=1e-10)
    assert np.abs(ideal.q - wanted[:101]).max() < 1e-6


def pendulum(axis, gravity, **joint):
    link = {"name": "a", "axis": axis, "mass": 1.0, "com": [0.5, 0, 0]}
    link |= {"inertia": {"xx": 0.01, "yy": 0.1, "zz": 0.1}, "joint": {"type": "revolute"} | joint}
    return redyn.load({"name": "pendulum", "convention": "frames", "gravity": gravity, "links": [link]})


def test_stops_hold_the_limits():
    robot = pendulum([0, 1, 0], [0, 0, -9.81], limits=[-1.0, 0.5])
    free = redyn.simulate(robot, [0.0], [0.0], 3.0)
    assert free.q.max() > 1.0
    run = redyn.simulate(robot, [0.0], [0.0], 3.0, stops=True)
    assert run.q.max() < 0.6
    assert abs(run.q[-1, 0] - 0.5) < 0.02  # at rest on the stop
    assert np.abs(run.energy.balance).max() < 1e-5
    assert run.energy.stops[-1] < -0.1
    hard = redyn.simulate(robot, [0.0], [0.0], 3.0, stops=redyn.Stops(stiffness=1e6, damping=50))
    assert hard.q.max() < run.q.max()
    with pytest.raises(redyn.InputError, match="no joint limits"):
        redyn.simulate(redyn.load("puma"), np.zeros(6), np.zeros(6), 1.0, stops=True)
    with pytest.raises(redyn.InputError, match=r"stops\.stiffness"):
        redyn.simulate(robot, [0.0], [0.0], 1.0, stops=redyn.Stops(stiffness=-1))


def test_events_end_the_run_where_they_happen():
    robot = redyn.load("one-link")

    def at_bottom(t, q, qd):
        return q[0] - 0.1

    compiled = numba.njit(at_bottom)
    ends = []
    for event in (at_bottom, compiled):
        run = redyn.simulate(robot, [1.0], [0.0], 5.0, events=[lambda t, q, qd: 1.0, event], rtol=1e-10)
        assert run.event == 1
        assert run.q[-1, 0] == pytest.approx(0.1, abs=1e-9)
        assert run.t[-1] < 5.0
        assert "event 1" in run.ending
        ends.append(run.t[-1])
        assert (np.diff(run.t) > 0).all()
    assert ends[0] == ends[1]
    late = redyn.simulate(robot, [1.0], [0.0], 5.0, sample=[ends[0], 4.0])
    assert late.q[0, 0] == pytest.approx(0.1, abs=1e-7)

    def upwards(t, q, qd):
        return q[0] - 0.1

    upwards.direction = 1.0
    other = redyn.simulate(robot, [1.0], [0.0], 5.0, events=upwards, rtol=1e-10)
    assert other.t[-1] > ends[0] + 0.1
    assert other.qd[-1, 0] > 0


def test_a_push_that_depends_on_time():
    robot = redyn.load("three-link")
    tip = robot.link_names[-1]

    @numba.njit
    def compiled(t):
        return np.array([0.0, 0.0, 0.0, np.sin(t), 0.2, 0.0])

    runs = [
        redyn.simulate(robot, [0.1, 0.2, 0.3], [0, 0, 0], 1.0, external={tip: law})
        for law in (compiled, compiled.py_func)
    ]
    np.testing.assert_array_equal(runs[0].q, runs[1].q)
    constant = redyn.simulate(robot, [0.1, 0.2, 0.3], [0, 0, 0], 1.0, external={tip: [0, 0, 0, 0, 0.2, 0]})
    assert np.abs(constant.q - runs[0].q).max() > 1e-3


def test_payload_is_a_heavier_last_link():
    data = random_tree(3, 3, serial=True, fixed=0, friction=False)
    robot = redyn.load(data)
    q, qd = np.full(3, 0.2), np.zeros(3)
    loaded = redyn.simulate(robot, q, qd, 0.5, payload=[1.0, 0.1, 0, 0, 0.05, 0, 0.05, 0, 0, 0.05])
    assert np.abs(loaded.q - redyn.simulate(robot, q, qd, 0.5).q).max() > 1e-3
    assert np.abs(loaded.energy.balance).max() < 1e-5


# --- how it ends ----------------------------------------------------------------------------------------------


def test_divergence_says_when_and_why_and_keeps_what_there_is():
    robot = redyn.load("one-link")

    @numba.njit
    def runaway(t, q, qd):
        return 5.0 * qd**3 + 1.0

    with pytest.raises(
        redyn.SimulationError, match=r"t = [\d.]+ s: step fell below 1e-12; the motion diverges"
    ) as seen:
        redyn.simulate(robot, [0.0], [1.0], 10.0, torque=runaway)
    run = seen.value.run
    assert 0 < run.t[-1] < 10
    assert np.isfinite(run.q).all()
    assert len(run.t) == len(run.q) == len(run.tau)
    for method in ("rk4", "euler"):
        with pytest.raises(redyn.SimulationError, match="no longer finite"):
            redyn.simulate(robot, [0.0], [1.0], 10.0, torque=runaway, method=method)
    with pytest.raises(redyn.SimulationError, match="diverges"):
        redyn.simulate(robot, [0.0], [1.0], 10.0, torque=runaway, method="lsoda")


def test_stiff_damping_is_for_radau():
    robot = pendulum([0, 0, 1], [0, -9.81, 0], damping=1e5)
    stiff = redyn.simulate(robot, [0.3], [5.0], 2.0, method="radau", rtol=1e-6)
    plain = redyn.simulate(robot, [0.3], [5.0], 2.0, method="rkf45", rtol=1e-6)
    assert stiff.evaluations < plain.evaluations / 20
    np.testing.assert_allclose(stiff.q[1:], plain.q[1:], atol=1e-5)


def test_what_a_torque_function_raises_comes_out():
    robot = redyn.load("two-link")

    def fails(t, q, qd):
        if t > 0.3:
            raise ZeroDivisionError("mine")
        return [0, 0]

    with pytest.raises(ZeroDivisionError, match="mine") as seen:
        redyn.simulate(robot, [0, 0], [0, 0], 1.0, torque=fails)
    assert "while simulating two-link" in seen.value.__notes__[0]
    assert 0.29 < seen.value.run.t[-1] <= 0.3
    for wrong, message in (
        (lambda t, q, qd: [0], "expected 2 finite numbers"),
        (lambda t, q, qd: [0, np.nan], "nan"),
        (lambda t, q, qd: "ab", "expected 2 finite numbers"),
    ):
        with pytest.raises(redyn.InputError, match=message):
            redyn.simulate(robot, [0, 0], [0, 0], 1.0, torque=wrong)


@pytest.mark.slow
def test_numba_functions_that_fail_say_why():
    """Nothing can be raised through machine code: the run stops there and asks again in Python."""
    robot = redyn.load("two-link")

    @numba.njit
    def raises(t, q, qd):
        if t > 0.3:
            raise ValueError("mine")
        return np.zeros(2)

    @numba.njit
    def shrinks(t, q, qd):
        return np.zeros(2) if t < 0.3 else np.zeros(1)

    @numba.njit
    def event(t, q, qd):
        if t > 0.3:
            raise ValueError("mine")
        return 1.0

    for method in ("rkf45", "rk4"):
        with pytest.raises(ValueError, match="mine") as seen:
            redyn.simulate(robot, [0, 0], [0, 0], 1.0, torque=raises, method=method)
        assert seen.value.run.t[-1] == pytest.approx(0.3, abs=2e-3)
        with pytest.raises(redyn.InputError, match=r"expected 2 numbers, got shape \(1,\)"):
            redyn.simulate(robot, [0, 0], [0, 0], 1.0, torque=shrinks, method=method)
    with pytest.raises(ValueError, match="mine"):
        redyn.simulate(robot, [0, 0], [0, 0], 1.0, events=event)


def test_numbers_that_are_not_finite_are_named_by_their_source():
    robot = redyn.load("two-link")
    late = numba.njit(lambda t: np.full(6, 1.0 if t < 0.3 else np.inf))
    for how, message in (
        ({"torque": lambda t, q, qd: [0, 1 if t < 0.3 else np.nan]}, r"torque\(t, q, qd\): expected finite.* t = 0\.3"),
        ({"external": {"link2": late}}, r"external\['link2'\]"),
        ({"events": lambda t, q, qd: 1.0 if t < 0.3 else np.nan}, r"events\[0\]"),
    ):
        with pytest.raises(redyn.InputError, match=message) as seen:
            redyn.simulate(robot, [0, 0], [0, 0], 1.0, **how)
        assert 0.2 < seen.value.run.t[-1] < 0.31


def test_a_law_may_write_to_its_arguments():
    robot = redyn.load("two-link")

    @numba.njit
    def writes(t, q, qd):
        q[0], qd[0] = 7.0, 9.0
        return np.array([1.0, 0.5])

    clean = redyn.simulate(robot, [0.1, 0.2], [0, 0], 1.0, torque=[1.0, 0.5])
    for law in (writes, writes.py_func):
        run = redyn.simulate(robot, [0.1, 0.2], [0, 0], 1.0, torque=law)
        np.testing.assert_allclose(run.q, clean.q, atol=1e-10)


def test_numba_that_compiled_code_cannot_call_runs_in_python():
    robot = redyn.load("one-link")

    @numba.njit
    def scalar(t, q, qd):
        return 0.5 * t

    with pytest.warns(redyn.RedynWarning, match="runs in Python"):
        run = redyn.simulate(robot, [0.0], [0.0], 0.2, torque=scalar)
    np.testing.assert_allclose(run.tau[:, 0], 0.5 * run.t, atol=1e-12)


def test_a_jump_in_the_torque_is_no_divergence():
    robot = redyn.load("kuka-kr5")
    hold = robot.gravity_torque(robot.initial)

    def law(t, q, qd):
        return hold + (t > 0.1) * np.array([0, 0, 0, 0, 0, 1.0])

    for method in ("rkf45", "dopri5", "abm"):
        run = redyn.simulate(robot, robot.initial, robot.neutral(), 0.11, torque=law, method=method)
        assert run.qd[-1, 5] > 100


def test_short_pushes_are_not_passed_over():
    robot = pendulum([0, 0, 1], [0, 0, 0])

    def law(t, q, qd):
        return [1e-3 * (5 < t < 5.2)]

    runs = [redyn.simulate(robot, [0.0], [0.0], 10.0, torque=law, method=m) for m in ("rkf45", "radau", "lsoda")]
    for run in runs[1:]:
        assert run.q[-1, 0] == pytest.approx(runs[0].q[-1, 0], rel=1e-2)


@pytest.mark.slow
def test_radau_looks_ahead_no_further_than_it_can():
    robot = redyn.load("stanford-2003")
    state = (robot.initial, robot.neutral(), 1.0)
    radau = redyn.simulate(robot, *state, torque=np.full(6, 5.0), method="radau")
    plain = redyn.simulate(robot, *state, torque=np.full(6, 5.0))
    np.testing.assert_allclose(radau.q[:20], plain.q[:20], rtol=1e-4, atol=1e-4)  # later every error grows quickly
    for method in ("radau", "rkf45"):
        with pytest.raises(redyn.RedynError):
            redyn.simulate(redyn.load("two-link"), [0.1, 0.2], [1e150, 1], 1.0, method=method)


def test_balance_counts_from_the_first_sample():
    robot = redyn.load("two-link")
    run = redyn.simulate(robot, [0.1, 0.2], [0, 0], 2.0, torque=[5.0, 1.0], sample=[1.0, 1.5, 2.0])
    assert np.abs(run.energy.balance).max() < 1e-5


def test_the_work_of_a_push_does_not_depend_on_the_samples():
    robot = redyn.load("kuka-kr5")

    def push(t):
        return [0, 0, 0, 20 * np.sin(3 * t), 5, 0]

    for sample in (0.01, 0.5, [0.0, 2.0]):
        run = redyn.simulate(robot, robot.initial, robot.neutral(), 2.0, external={"link6": push}, sample=sample)
        assert np.abs(run.energy.balance).max() < 1e-5 * 200
        assert abs(run.energy.external[-1]) > 1


def test_many_fixed_steps_end_at_the_end():
    robot = redyn.load("one-link")
    count = 2_000_003
    run = redyn.simulate(robot, [0.1], [0.0], 2000.0, method="euler", step=2000.0 / count, sample=1000.0)
    assert run.steps == count
    assert np.isfinite(run.q).all()


def test_an_interrupt_returns_what_there_is():
    robot = redyn.load("two-link")

    def interrupted(t, q, qd):
        if t > 0.5:
            raise KeyboardInterrupt
        return [0.5, t]

    run = redyn.simulate(robot, [0, 0], [0, 0], 1.0, torque=interrupted)
    assert "interrupted" in run.ending
    assert 0.4 < run.t[-1] <= 0.51
    np.testing.assert_allclose(run.tau[:-1], np.column_stack([np.full(len(run.t), 0.5), run.t])[:-1])
    np.testing.assert_allclose(run.qdd, robot.forward_dynamics(run.q, run.qd, run.tau))


PRESSED = """
import os, signal, sys, threading, time
import redyn

call, duration = sys.argv[1:]
robot = redyn.load("two-link")
redyn.simulate(robot, [0.1, 0], [0, 0], 0.1)  # what is compiled once is compiled now
redyn.simulate_batch(robot, [[0.1, 0]] * 64, [0, 0], 0.1)
under_way = threading.Event()

def progress(part):
    under_way.set()

def press():
    under_way.wait()
    time.sleep(0.2)  # so that it comes in the middle of something
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=press, daemon=True).start()
run = eval(call)
assert "interrupted" in run.ending and len(run.t) > 1 and run.t[-1] < float(duration) / 2, run.ending
print("kept", len(run.t))
"""
CALLS = {
    "simulate": ("redyn.simulate(robot, [0.1, 0], [0, 0], 1e6, sample=1e2, progress=progress)", "1e6"),
    "event": (
        "redyn.simulate(robot, [0.1, 0], [0, 0], 1e6, sample=1e2, progress=progress, events=lambda t, q, qd: 1.0)",
        "1e6",
    ),
    "simulate_batch": (
        "redyn.simulate_batch(robot, [[0.1, 0]] * 64, [0, 0], 1e4, sample=1.0, progress=progress)",
        "1e4",
    ),
}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="sends a signal")
@pytest.mark.parametrize("how", CALLS)
def test_ctrl_c_during_a_compiled_run(how):
    done = subprocess.run([sys.executable, "-c", PRESSED, *CALLS[how]], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    assert "kept" in done.stdout


LOOP = """
import signal, sys, time
import redyn
from redyn.simulation import interrupts

{setting}
robot, endings, done = redyn.load("two-link"), [], set()

def torque(t, q, qd):  # where Ctrl-C is pressed
    if t > 0.005 and len(endings) in {pressed} and len(endings) not in done:
        done.add(len(endings))
        signal.raise_signal(signal.SIGINT)
    return [0.0, 0.0]

try:
    for _ in range(6):
        {pause}
        run = {call}
        endings.append(run.ending)
except KeyboardInterrupt as error:
    print("left", len(endings), hasattr(error, "run"))
print("interrupted", sum("interrupted" in ending for ending in endings), "of", len(endings))
"""
ONE = "redyn.simulate(robot, [0.1, 0], [0, 0], 0.01, torque=torque)"
MANY = "redyn.simulate_batch(robot, [[0.1, 0]], [0, 0], 0.01, torque=lambda t, q, qd: torque(t, q[0], qd[0]))"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("call", "pressed", "setting", "pause", "expected"),
    [
        (ONE, (1,), "", "", "interrupted 1 of 6"),
        (ONE, (1, 3), "", "", "left 3 True\ninterrupted 1 of 3"),
        (MANY, (1,), "", "", "interrupted 1 of 6"),
        (MANY, (1, 3), "", "", "left 3 False\ninterrupted 1 of 3"),
        # At a prompt: once the user has seen what came back, Ctrl-C is a first one again.
        (ONE, (1, 3), "sys.ps1 = '>>> '", "interrupts._Earlier.over -= 60", "interrupted 2 of 6"),
        (ONE, (1, 3), "sys.ps1 = '>>> '; interrupts.PAUSE = 600.0", "", "left 3 True\ninterrupted 1 of 3"),
    ],
)
def test_a_loop_of_runs_can_be_left(call, pressed, setting, pause, expected):
    code = LOOP.format(call=call, pressed=pressed, setting=setting, pause=pause or "pass")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600)
    assert done.stdout.strip() == expected, done.stderr


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"method": "leapfrog"}, "rkf45, dopri5"),
        ({"duration": 0}, "duration: expected a positive"),
        ({"duration": float("nan")}, "duration"),
        ({"rtol": -1}, "rtol"),
        ({"step": 0}, "step"),
        ({"sample": 0}, "sample"),
        ({"sample": [0.5, 0.2]}, "increasing"),
        ({"sample": [0.5, 2.0]}, "between 0 and the duration"),
        ({"sample": 1e-9}, "more than"),
        ({"q": [0, 0, 0]}, "q: expected 2 numbers"),
        ({"q": [0, np.inf]}, r"q\[1\] is inf"),
        ({"q": [[0, 0], [1, 1]]}, "simulate_batch"),
        ({"qd": "no"}, "qd"),
        ({"torque": [1, 2, 3]}, "torque: expected 2 numbers"),
        ({"torque": [[1, np.nan], [0, 0]]}, r"torque\[0, 1\] is nan"),
        ({"torque": ([0, 0], [[1, 2], [3, 4]])}, "increasing times"),
        ({"external": {"nobody": [0] * 6}}, "no frame 'nobody'"),
        ({"external": {"link2": [0] * 5}}, "wrench"),
        ({"external": [1, 2]}, "external"),
        ({"dynamics": "magic"}, "recursive"),
        ({"payload": [1, 2]}, "payload"),
        ({"events": 5}, r"events\[0\]: expected a function"),
        ({"events": [lambda t, q, qd: t > 0.5]}, "passes zero"),
        ({"events": [lambda t, q, qd: None]}, "expected a number"),
        ({"torque": (1, [[1, 2], [3]])}, "torque"),
        ({"sample": [[0, 1], [1]]}, "sample"),
        ({"gravity": [0, 0]}, "gravity"),
    ],
)
def test_bad_input_is_named(change, message):
    arguments = {"q": [0, 0], "qd": [0, 0], "duration": 1.0} | change
    with pytest.raises(redyn.InputError, match=message):
        redyn.simulate(redyn.load("two-link"), **arguments)


def test_a_joint_that_moves_no_inertia_is_named():
    robot = redyn.load("kuka-kr5-printed")
    with pytest.raises(redyn.SingularError, match="joint6"):
        redyn.simulate(robot, robot.initial, robot.neutral(), 1.0)


# --- what it leaves -------------------------------------------------------------------------------------------


def test_samples_are_uniform_from_zero_through_the_duration():
    robot = redyn.load("two-link")
    for duration, sample, count in ((1.0, np.array(0.01), 101), (0.95, 0.1, 11), (0.005, 0.01, 2), (2.0, 0.3, 8)):
        run = redyn.simulate(robot, [0, 0], [0, 0], duration, sample=sample)
        assert len(run.t) == count
        assert run.t[0] == 0
        assert run.t[-1] == duration
        np.testing.assert_allclose(np.diff(run.t), duration / (count - 1), rtol=1e-12)
        np.testing.assert_allclose(run.qdd, robot.forward_dynamics(run.q, run.qd, run.tau), rtol=1e-12)
    np.testing.assert_allclose(run.path, robot.forward_kinematics(run.q)[:, :3, 3])


def test_a_run_knows_which_links_touch_and_when():
    """Fig. 9.20: the KUKA's links pass through each other in free fall."""
    robot = redyn.load("kuka-kr5")
    run = redyn.simulate(robot, robot.initial, robot.neutral(), 1.5)
    assert run.contacts
    assert [c.start for c in run.contacts] == sorted(c.start for c in run.contacts)
    for links, start, stop in run.contacts:
        column = run.clearance.pairs.index(links)
        inside = (run.t >= start) & (run.t <= stop)
        assert (run.clearance.between[inside, column] < 0).all()
        assert "link1" in links or "link2" in links
    calm = redyn.simulate(robot, robot.initial, robot.neutral(), 0.1)
    assert calm.contacts == []


@pytest.mark.slow
def test_a_run_writes_itself(tmp_path):
    robot = redyn.load("two-link")
    run = redyn.simulate(robot, [0.3, 0], [0, 0], 0.5)
    path = run.to_csv(tmp_path / "run.csv")
    times, columns = redyn.trajectory.read_table(path)
    np.testing.assert_array_equal(times, run.t)
    np.testing.assert_array_equal(columns["q_joint1"], run.q[:, 0])
    np.testing.assert_array_equal(columns["energy_kinetic"], run.energy.kinetic)
    frame = run.to_dataframe()
    np.testing.assert_array_equal(frame["tau_joint2"], run.tau[:, 1])
    assert run.plot(tmp_path / "run.png").axes
    assert (tmp_path / "run.png").stat().st_size > 10_000
    assert run._repr_png_().startswith(b"\x89PNG")
    page = run.html(tmp_path / "run.html")
    assert page.stat().st_size < 8e6
    again = redyn.trajectory.from_csv(path, robot.joint_names)
    np.testing.assert_allclose(again(0.25)[0], run.q[25], atol=1e-12)
    with pytest.raises(redyn.RedynError, match="there is no folder"):
        run.to_csv(tmp_path / "no" / "run.csv")
