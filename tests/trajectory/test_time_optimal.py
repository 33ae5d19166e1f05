"""Time-optimal timing: closed solutions, a convex program on the same grid, limits along the whole motion."""

import numpy as np
import pytest

import redyn
from redyn.trajectory import time_optimal
from redyn.trajectory.time_optimal import _Along

POINTS = np.array([[0, -0.5, 0.3, 0, 0.2, 0], [0.5, -0.8, 0.6, 0.4, 0.1, 0.3], [1, -0.3, 0.1, 0.2, -0.4, 0.5]])
TORQUE = np.array([80.0, 120.0, 60.0, 10.0, 10.0, 5.0])


def weightless():
    robot = redyn.load("one-link")
    return redyn.load({**robot.to_data()["description"], "gravity": [0, 0, 0]})


def test_bang_bang_of_one_joint():
    """Full torque forwards and backwards: T = 2 sqrt(I angle / tau)."""
    robot = weightless()
    inertia = robot.mass_matrix([0.0])[0, 0]
    motion = time_optimal(robot, [[0.0], [2.0]], torque=5.0)
    assert motion.duration == pytest.approx(2 * np.sqrt(inertia * 2.0 / 5.0), rel=1e-9)
    q, qd, _ = motion(motion.duration / 2)
    np.testing.assert_allclose([q[0], qd[0]], [1.0, np.sqrt(2 * 5.0 / inertia)], rtol=1e-9)


def test_trapezoid_of_one_joint():
    """Limits of speed v and acceleration a: T = D / v + v / a."""
    motion = time_optimal(weightless(), [[0.0], [2.0]], speed=1.0, acceleration=4.0, grid=1000)
    assert motion.duration == pytest.approx(2.0 + 0.25, rel=1e-5)
    assert np.abs(motion(motion.duration)[0] - 2.0).max() < 1e-9


@pytest.fixture(scope="module")
def arm():
    return redyn.load("puma")


@pytest.fixture(scope="module")
def fast(arm):
    return time_optimal(arm, POINTS, TORQUE, speed=2.0, acceleration=40.0, grid=300)


def test_limits_hold_and_one_of_them_is_always_reached(arm, fast):
    t = np.linspace(0.0, fast.duration, 5003)[1:-1]
    q, qd, qdd = fast(t)
    tau = arm.inverse_dynamics(q, qd, qdd)
    shares = np.hstack([tau / TORQUE, qd / 2.0, qdd / 40.0])
    assert np.abs(shares).max() < 1.0011
    most = np.abs(shares).max(axis=1)
    assert np.median(most) > 0.995
    assert (most > 0.95).mean() > 0.99  # but for the instants at which the limit that is reached changes
    slower, used = fast.use()
    assert used.shape == (len(slower), 18)
    assert fast.violations(arm) == []


def test_the_path_is_kept(arm, fast):
    q0, qd0, _ = fast(0.0)
    q1, qd1, _ = fast(fast.duration)
    np.testing.assert_allclose([q0, q1], POINTS[[0, -1]], atol=1e-9)
    np.testing.assert_allclose([qd0, qd1], np.zeros((2, 6)), atol=1e-6)
    passed = np.interp(np.linalg.norm(POINTS[1] - POINTS[0]), fast.s, fast.instants)
    np.testing.assert_allclose(fast(passed)[0], POINTS[1], atol=1e-6)
    t = np.linspace(0.01, fast.duration - 0.01, 40)
    step = 1e-6
    np.testing.assert_allclose((fast(t + step)[0] - fast(t - step)[0]) / (2 * step), fast(t)[1], atol=1e-4)


def test_nothing_is_faster_by_a_convex_program():
    """The least time over all x on the same grid, by a second-order cone program that shares no code with it."""
    cp = pytest.importorskip("cvxpy")
    robot = redyn.load("puma", friction=False)
    motion = time_optimal(robot, POINTS, TORQUE, speed=2.0, acceleration=40.0, grid=100)
    s, (q, first, second) = motion.s, motion.path(motion.s)
    still = 0 * first
    c = np.hstack([robot.gravity_torque(q), still])
    a = np.hstack([robot.inverse_dynamics(q, still, first, gravity=[0, 0, 0]), first])
    b = np.hstack([robot.inverse_dynamics(q, first, second, gravity=[0, 0, 0]), second])
    limit = np.concatenate([TORQUE, np.full(6, 40.0)])
    x, ds = cp.Variable(len(s)), np.diff(s)
    u = cp.multiply(cp.diff(x), 0.5 / ds)
    rules = [x >= 0, x[0] == 0, x[-1] == 0, x <= ((2.0 / np.abs(first)) ** 2).min(axis=1)]
    for i in range(12):
        for end in (slice(0, -1), slice(1, None)):
            used = cp.multiply(a[end, i], u) + cp.multiply(b[end, i], x[end]) + c[end, i]
            rules += [used <= limit[i], used >= -limit[i]]
    rates = cp.sqrt(x)
    time = cp.sum(cp.multiply(2 * ds, cp.inv_pos(rates[1:] + rates[:-1])))
    best = cp.Problem(cp.Minimize(time), rules).solve(solver="CLARABEL")
    assert motion.duration == pytest.approx(best, rel=1e-4)


def test_faster_would_break_a_limit(arm, fast):
    """The same motion played 2% faster."""
    t = fast.use()[0]
    q, qd, qdd = fast(t)
    quick = 1.02
    tau = arm.inverse_dynamics(q, quick * qd, quick**2 * qdd)
    assert np.abs(np.hstack([tau / TORQUE, quick * qd / 2.0])).max() > 1.005


def test_a_finer_grid_changes_little(arm, fast):
    finer = time_optimal(arm, POINTS, TORQUE, speed=2.0, acceleration=40.0, grid=900)
    assert finer.duration == pytest.approx(fast.duration, rel=3e-3)


@pytest.mark.slow
def test_a_line_of_the_end_effector():
    """A motion as the path: the tip stays on the line whatever the timing."""
    robot = redyn.load("puma")
    start = robot.forward_kinematics(POINTS[0])
    stop = start.copy()
    stop[:3, 3] += [-0.1, 0.15, 0.1]
    line = redyn.trajectory.line(robot, start, stop, 1.0, start=POINTS[0], law="steady")
    motion = time_optimal(robot, line, TORQUE, grid=100)
    path = robot.forward_kinematics(motion(np.linspace(0, motion.duration, 30))[0])[:, :3, 3]
    along = (stop - start)[:3, 3] / np.linalg.norm((stop - start)[:3, 3])
    aside = path - start[:3, 3] - np.outer((path - start[:3, 3]) @ along, along)
    assert np.abs(aside).max() < 1e-9


def test_torques_of_the_grid_are_those_of_the_robot(arm):
    motion = time_optimal(arm, POINTS, TORQUE, grid=20)
    along = _Along(arm, motion.path, motion.s)
    q, first, second = motion.path(motion.s)
    for k in (3, 11):
        tau = arm.inverse_dynamics(q[k], first[k] * 1.2, first[k] * 0.7 + second[k] * 1.44)
        found = along.a[k] * 0.7 + along.b[k] * 1.44 + along.constant(k, 1.44)
        np.testing.assert_allclose(found[:6], tau, atol=1e-10)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"torque": 1.0}, r"joint2 cannot hold still at s = 0 of .*: it needs \d+.*, and its limit is 1"),
        ({}, "has no limits; give torque=, speed= or acceleration="),
        ({"torque": [1, 2]}, "torque: expected a number, or 6 numbers, one per joint"),
        ({"speed": 0}, "speed: expected limits above zero"),
        ({"speed": 1, "grid": 1}, "grid: expected a number of intervals from 2"),
        ({"speed": 1, "path": [[0] * 6]}, r"path: expected points, \(K, 6\) with K from 2"),
        ({"speed": 1, "path": [[0] * 6] * 2}, "points 0 and 1 are the same"),
        ({"speed": 1, "path": "up"}, "path: expected points"),
        ({"speed": 1, "path": redyn.trajectory.cycloidal([0] * 6, [1] * 6, 1.0)}, "it stands still at s = 0 of 1"),
        ({"speed": 1, "path": redyn.trajectory.cycloidal([0], [1], 1.0)}, "a motion of 1 joint"),
    ],
)
def test_bad_arguments(arm, arguments, message):
    with pytest.raises(redyn.InputError, match=message):
        time_optimal(arm, **{"path": POINTS, **arguments})


def test_other_robots_are_refused():
    with pytest.raises(redyn.InputError, match="an actuator of its own"):
        time_optimal(redyn.load("four-bar"), [[0, 0, 0], [1, 1, 1]], torque=1.0)
