"""Motions of robots with closed loops: of the actuated joints, along lines, circles and screws."""

import numpy as np
import pytest

import redyn
from mechanisms import GOLDEN, mechanism
from random_robots import close
from redyn import trajectory


def check(robot, motion):
    """Loops stay closed, and rates and accelerations are derivatives."""
    t, h = np.linspace(0.0, motion.duration, 13)[1:-1], 1e-5
    q, qd, qdd = motion(t)
    assert np.abs(robot.loop_error(q)).max() < 1e-11
    ahead, behind = motion(t + h), motion(t - h)
    apart = np.array([robot.difference(a, b) for a, b in zip(behind[0], ahead[0], strict=True)])
    close(apart / (2 * h), qd, tolerance=1e-7)
    close((ahead[1] - behind[1]) / (2 * h), qdd, tolerance=1e-6)
    robot.inverse_dynamics(q, qd, qdd)  # refuses what does not keep loops closed
    return q


@pytest.mark.parametrize("make", [trajectory.cycloidal, trajectory.quintic, trajectory.cubic, trajectory.trapezoidal])
def test_laws_of_the_actuated_joints(make):
    robot = redyn.load("five-bar")
    goal = robot.complete(robot.initial[[0, 2]] + [0.2, -0.1]).q
    motion = make(robot.initial, goal, 2.0, robot=robot)
    if make is not trajectory.trapezoidal:  # whose acceleration jumps
        check(robot, motion)
    close(motion(0.0)[0], robot.initial)
    close(motion(2.0)[0], goal, tolerance=1e-9)


def test_a_whole_turn():
    robot = redyn.load("four-bar")
    motion = trajectory.cycloidal(robot.initial, robot.initial + np.array([2 * np.pi, 0, 0]), 3.0, robot=robot)
    check(robot, motion)
    close(np.cos(motion(3.0)[0]), np.cos(robot.initial), tolerance=1e-9)


def test_redysims_circle():
    """Its 3-RRR around a circle of 0.108 m at 4 rad/s, in golden numbers."""
    robot = mechanism("3-RRR")
    rows = GOLDEN["inverse_along_motions"]["3-RRR on ReDySim's circle"]
    start = np.array(rows[0]["q"])
    tip = robot.forward_kinematics(start, "platform")[:3, 3]
    speed = robot.jacobian(start, "platform")[3:] @ rows[0]["qd"]
    radius = np.linalg.norm(speed) / 4.0
    motion = trajectory.circle(
        robot, tip - [radius, 0, 0], np.pi / 2, link="platform", start=start, law="steady", position_only=False
    )
    for row in rows:
        q, qd, qdd = motion(row["t"])
        close(qd, row["qd"], tolerance=1e-6)
        close(qdd, row["qdd"], tolerance=1e-5)
        driven = list(robot.model.closure.driven)
        close(robot.inverse_dynamics(q, qd, qdd)[driven], row["torque"], tolerance=1e-5)


def test_a_line_and_a_circle():
    robot = redyn.load("five-bar")
    pose = robot.forward_kinematics(robot.initial)
    other = pose.copy()
    other[:3, 3] += [0.05, -0.05, 0.0]
    line = trajectory.line(robot, pose, other, 1.0, position_only=True)
    q = check(robot, line)
    path = robot.forward_kinematics(q)[:, :3, 3] - pose[:3, 3]
    close(path[:, 0], -path[:, 1], tolerance=1e-9)
    around = trajectory.circle(robot, pose[:3, 3] + [0.03, 0, 0], 1.0)
    tips = robot.forward_kinematics(check(robot, around))[:, :3, 3]
    close(np.linalg.norm(tips - pose[:3, 3] - [0.03, 0, 0], axis=1), np.full(11, 0.03), tolerance=1e-9)


def test_a_circle_of_an_arm():
    """Trees go along circles and screws as well, redundant ones included."""
    robot = redyn.load("puma")
    q = np.array([0.1, -0.6, 0.4, 0.5, 0.9, 0.2])
    tip = robot.forward_kinematics(q)[:3, 3]
    motion = trajectory.circle(robot, tip + np.array([0.05, 0, 0]), 2.0, start=q)
    t = np.linspace(0, 2, 9)
    found, qd, _ = motion(t)
    poses = robot.forward_kinematics(found)
    close(np.linalg.norm(poses[:, :3, 3] - tip - [0.05, 0, 0], axis=1), np.full(9, 0.05), tolerance=1e-9)
    close(poses[:, :3, :3], np.broadcast_to(robot.forward_kinematics(q)[:3, :3], (9, 3, 3)), tolerance=1e-9)
    h = 1e-6
    close((motion(t[1:-1] + h)[0] - motion(t[1:-1] - h)[0]) / (2 * h), qd[1:-1], tolerance=1e-7)
    turned = trajectory.screw(robot, tip, 1.0, angle=0.3, advance=0.02, start=q)
    end = robot.forward_kinematics(turned(1.0)[0])
    close(end[:3, 3] - tip, [0, 0, 0.02], tolerance=1e-9)


@pytest.mark.slow
def test_a_screw_of_a_stewart_platform():
    robot = redyn.load("stewart")
    tip = robot.forward_kinematics(robot.initial)
    motion = trajectory.screw(robot, tip[:3, 3], 2.0, angle=0.3, advance=0.08)
    check(robot, motion)
    end = robot.forward_kinematics(motion(2.0)[0])
    close(end[:3, 3] - tip[:3, 3], [0, 0, 0.08], tolerance=1e-9)


def test_what_cannot_be_followed():
    robot = redyn.load("3-rrr")
    tip = robot.forward_kinematics(robot.initial)[:3, 3]
    with pytest.raises(
        redyn.InputError, match=r"circle: it meets a singular position, or the end of its reach, at t ="
    ):
        trajectory.circle(robot, tip - [0, 0.1, 0], 2.0)
    arm = redyn.load("parallelogram-arm")
    pose = arm.forward_kinematics(arm.initial)
    other = pose.copy()
    other[:3, 3] += [0.1, 0.05, -0.1]
    with pytest.raises(redyn.InputError, match="cannot move in that direction"):
        trajectory.line(arm, pose, other, 2.0)
    with pytest.raises(redyn.InputError, match="does not determine all joints"):
        trajectory.line(arm, pose, other, 2.0, position_only=True)
    with pytest.raises(redyn.InputError, match="must be zero for robots with closed loops"):
        trajectory.quintic(robot.initial, robot.initial, 1.0, start_rate=1.0, robot=robot)


def test_inverse_kinematics():
    robot = redyn.load("3-rrr")
    q = robot.random(1)
    found = robot.inverse_kinematics(robot.forward_kinematics(q), start=q)
    close(found[0].q, q, tolerance=1e-9)
    others = robot.inverse_kinematics(robot.forward_kinematics(q), count=3)
    assert all(np.abs(robot.loop_error(s.q)).max() < 1e-11 for s in others)
    far = robot.forward_kinematics(q)
    far[0, 3] += 5.0
    nothing = robot.inverse_kinematics(far, tries=3)
    assert not nothing
    assert "no closed configuration" in nothing.reason


def test_controllers():
    """A circle under computed torque, and a crank held at an angle: passive joints get nothing."""
    robot = redyn.load("3-rrr")
    tip = robot.forward_kinematics(robot.initial)[:3, 3]
    motion = trajectory.circle(robot, tip - [0.05, 0, 0], 1.0)
    passive = [i for i in range(robot.dof) if i not in robot.driven_rates]
    for law in (
        redyn.control.computed_torque(robot, motion, 100, 20),
        redyn.control.feedforward_pd(robot, motion, 200, 20),
    ):
        run = redyn.simulate(robot, robot.initial, np.zeros(robot.dof), 0.5, torque=law)
        close(run.q, motion(run.t)[0], tolerance=1e-5)
        assert not run.tau[:, passive].any()
    bar = redyn.load("four-bar")
    goal = bar.complete([0.8]).q
    run = redyn.simulate(bar, bar.initial, np.zeros(3), 2.0, torque=redyn.control.pd_gravity(bar, goal, 20, 1))
    close(run.q[-1], goal, tolerance=1e-5)
