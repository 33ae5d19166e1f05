"""Controllers of robots on wheels: they arrive where they should."""

import numpy as np
import pytest

import redyn
from redyn import control

PATH = redyn.trajectory.spline([0, 2, 4], [[0, 0], [1, 0.5], [2, 0]], ends="natural")


def error(q, goal):
    off = q[:3] - goal
    return np.array([*off[:2], np.angle(np.exp(1j * off[2]))])


@pytest.mark.parametrize(("name", "near"), [("differential-drive", 1e-4), ("agv", 1e-4), ("car", 6e-3)])
@pytest.mark.parametrize("goal", [(1.0, 0.5, 0.0), (-1.0, -1.0, 1.0), (0.0, 0.5, np.pi)])
def test_parks(name, near, goal):
    """From wherever it stands, and stays there."""
    robot = redyn.load(name)
    q = robot.neutral()
    q[:3] = 0.3, -0.2, 0.7
    run = redyn.simulate(robot, q, [0, 0], 18.0, torque=control.park(robot, goal), rtol=1e-6)
    assert np.abs(error(run.q[-1], goal)).max() < near
    assert np.abs(robot.rates(run.q[-1], run.qd[-1])[:3]).max() < near


def test_parking_keeps_its_speed():
    robot = redyn.load("differential-drive")
    law = control.park(robot, [2.0, 0.0, 0.0], speed=0.25)
    run = redyn.simulate(robot, robot.neutral(), [0, 0], 4.0, torque=law, rtol=1e-6)
    rates = robot.rates(run.q, run.qd)
    assert 0.24 < np.hypot(rates[:, 0], rates[:, 1]).max() < 0.2501


@pytest.mark.parametrize(("name", "near"), [("differential-drive", 1e-3), ("car", 0.02)])
def test_follows_a_path(name, near):
    robot = redyn.load(name)
    q = robot.neutral()
    q[:3] = 0.0, 0.2, 0.3
    run = redyn.simulate(robot, q, [0, 0], 4.0, torque=control.follow_path(robot, PATH), rtol=1e-6)
    assert np.hypot(*(run.q[-1, :2] - PATH(4.0)[0])) < near


@pytest.mark.parametrize("ends", ["clamped", "natural"])
def test_a_path_that_is_followed_from_its_start_is_kept(ends):
    """Clamped, it starts and ends at rest, where the path has no heading of its own."""
    robot = redyn.load("differential-drive")
    path = redyn.trajectory.spline([0, 2, 4], [[0, 0], [1, 0.4], [2, 0]], ends=ends)
    _, rate, _ = path(1e-3)
    q, heading = robot.neutral(), float(np.arctan2(rate[1], rate[0]))
    q[2] = heading
    v = float(np.hypot(*path(0.0)[1]))
    turn = path(0.0)
    omega = (turn[1][0] * turn[2][1] - turn[1][1] * turn[2][0]) / v**2 if v > 1e-3 else 0.0
    u = np.linalg.solve([[0.05, 0.05], [-0.25, 0.25]], [v, omega])
    run = redyn.simulate(robot, q, u, 4.0, torque=control.follow_path(robot, path), rtol=1e-8)
    assert np.abs(run.q[:, :2] - path(run.t)[0]).max() < 5e-3


@pytest.mark.parametrize("name", ["mecanum", "omni"])
def test_follows_a_pose(name):
    """Errors decay as those of a damped spring, exactly: the dynamics is cancelled."""
    robot = redyn.load(name)
    motion = redyn.trajectory.cycloidal([0, 0, 0], [0.5, 1.0, 2.0], 2.0)
    q = robot.neutral()
    q[:3] = 0.1, 0.0, -0.1
    law = control.follow_pose(robot, motion, kp=25.0, kd=10.0)
    run = redyn.simulate(robot, q, [0, 0, 0], 2.0, torque=law, rtol=1e-9)
    off = motion(run.t)[0] - run.q[:, :3]
    np.testing.assert_allclose(off, off[0] * ((1 + 5 * run.t) * np.exp(-5 * run.t))[:, None], atol=1e-6)


def test_a_tip_stays_while_its_base_drives():
    robot = redyn.load("mobile-manipulator")
    place = robot.forward_kinematics(robot.initial)[:3, 3]
    still = (place, np.zeros(3), np.zeros(3))
    law = control.follow_tip(robot, lambda t: still, base=control.drive(robot, v=0.2))
    run = redyn.simulate(robot, robot.initial, np.zeros(6), 1.5, torque=law, rtol=1e-6)
    assert np.abs(run.path - place).max() < 1e-6
    assert run.q[-1, 0] > 0.2


def test_a_tip_follows_a_line():
    robot = redyn.load("mobile-manipulator")
    place = robot.forward_kinematics(robot.initial)[:3, 3]
    motion = redyn.trajectory.cycloidal(place, place + np.array([0.1, 0.2, 0.1]), 1.5)
    run = redyn.simulate(robot, robot.initial, np.zeros(6), 1.5, torque=control.follow_tip(robot, motion), rtol=1e-6)
    assert np.abs(run.path - motion(run.t)[0]).max() < 1e-5


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: control.park(redyn.load("puma"), [0, 0, 0]), "puma has no wheels that roll"),
        (lambda: control.park(redyn.load("rolling-disk"), [0, 0, 0]), "has no planar base"),
        (lambda: control.park(redyn.load("mecanum"), [0, 0, 0]), "by two wheels, or by one that is steered"),
        (lambda: control.park(redyn.load("differential-drive"), [0, 0]), "goal: expected"),
        (lambda: control.park(redyn.load("car"), [0, 0, 0], speed=0), "speed: expected a positive number"),
        (lambda: control.follow_path(redyn.load("car"), lambda t: 1.0), "path: expected a motion"),
        (lambda: control.follow_pose(redyn.load("mecanum"), PATH), "expected x, y and heading, .* 3 numbers each"),
        (lambda: control.follow_pose(redyn.load("car"), PATH), "not front_spin, steer"),
    ],
)
def test_what_cannot_be_driven(make, message):
    with pytest.raises(redyn.InputError, match=message):
        make()
