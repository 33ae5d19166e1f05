"""Cartesian lines: the frame stays on them, the rates are the derivatives, and what cannot be followed is said."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import redyn
from known_robots import arm, two_link
from motions import is_derivative
from random_robots import random_tree
from redyn.trajectory import line

SHIFT, TURN = np.array([0.1, -0.05, 0.08]), np.array([0.3, -0.2, 0.5])
STARTS = {
    "panda": [0.2, -0.4, 0.3, -1.9, 0.1, 1.7, 0.6, 0.02, 0.01],
    "ur5": [0.3, -1.2, 1.4, -0.9, 1.2, 0.4],
    "puma": [0.1, -0.6, 0.4, 0.5, 0.9, 0.2],
    "kuka-kr5": [0.2, 0.5, -0.4, 0.5, 0.9, 0.2],
}


def moved(pose, shift=SHIFT, turn=TURN):
    """The pose after a shift and a turn about an axis through its origin, in world axes."""
    there = pose.copy()
    there[:3, :3] = Rotation.from_rotvec(turn).as_matrix() @ pose[:3, :3]
    there[:3, 3] += shift
    return there


def stays_on(robot, motion, pose0, pose1, link=None):
    """On the segment, between its ends, the turn in step with the way."""
    t = np.linspace(0, motion.duration, 57)
    poses = robot.forward_kinematics(motion(t)[0], link)
    way = pose1[:3, 3] - pose0[:3, 3]
    share = (poses[:, :3, 3] - pose0[:3, 3]) @ way / (way @ way)
    assert (np.diff(share) > 0).all()
    np.testing.assert_allclose(share[[0, -1]], [0, 1], atol=1e-9)
    np.testing.assert_allclose(poses[:, :3, 3], pose0[:3, 3] + share[:, None] * way, atol=1e-10)
    turn = Rotation.from_matrix(pose1[:3, :3] @ pose0[:3, :3].T).as_rotvec()
    wanted = Rotation.from_rotvec(share[:, None] * turn).as_matrix() @ pose0[:3, :3]
    np.testing.assert_allclose(poses[:, :3, :3], wanted, atol=1e-8)
    np.testing.assert_allclose(motion.pose(t), poses, atol=1e-10)


@pytest.mark.parametrize("law", ["quintic", "cycloidal"])
@pytest.mark.parametrize("name", STARTS)
def test_on_the_line(name, law):
    robot, link = arm(name)
    start = np.array(STARTS[name])
    pose0 = robot.forward_kinematics(start, link)
    pose1 = moved(pose0)
    motion = line(robot, pose0, pose1, 1.7, link, start, law=law)
    np.testing.assert_allclose(motion(0.0)[0], start, atol=1e-9)
    stays_on(robot, motion, pose0, pose1, link)
    is_derivative(motion, tolerance=1e-6)
    for t in (-1.0, 0.0, 1.7, 9.0):
        assert np.abs(motion(t)[1]).max() < 1e-12
    still, _, _ = motion([0.3, 0.9])
    np.testing.assert_array_equal(still[1], motion(0.9)[0])
    assert motion.pose(0.5).shape == (4, 4)
    assert motion([])[0].shape == (0, robot.dof)


@settings(max_examples=6)
@given(seed=st.integers(0, 10**6), n=st.integers(6, 8))
def test_any_robot(seed, n):
    """Short lines from regular positions of any robot that moves freely; others say why not."""
    robot = redyn.load(random_tree(seed, n, serial=True, fixed=0.0, prismatic=0.15))
    start = robot.random(seed)
    sigma = np.linalg.svd(robot.jacobian(start))[1]
    pose0 = robot.forward_kinematics(start)
    pose1 = moved(pose0, 0.1 * SHIFT, 0.1 * TURN)
    try:
        motion = line(robot, pose0, pose1, 1.0, start=start)
    except redyn.InputError:
        assert sigma[5] < 0.1, "a line that short does not get far enough to meet trouble"
        return
    stays_on(robot, motion, pose0, pose1)
    is_derivative(motion, tolerance=1e-5)


def test_a_planar_robot():
    """Full poses of a robot whose Jacobian has rank three, and positions alone."""
    robot = redyn.load("three-link")
    start = np.array([0.2, 0.7, 0.4])
    pose0 = robot.forward_kinematics(start)
    pose1 = moved(pose0, pose0[:3, :3] @ [-0.1, 0.05, 0.0], pose0[:3, :3] @ [0.0, 0.0, 0.4])
    motion = line(robot, pose0, pose1, 1.0, start=start)
    stays_on(robot, motion, pose0, pose1)
    is_derivative(motion, tolerance=1e-6)
    free = line(robot, pose0, pose1, 1.0, start=start, position_only=True)
    places = robot.forward_kinematics(free(np.linspace(0, 1, 9))[0])[:, :3, 3]
    np.testing.assert_allclose(places, free.pose(np.linspace(0, 1, 9))[:, :3, 3], atol=1e-10)
    is_derivative(free, tolerance=1e-6)
    with pytest.raises(redyn.InputError, match="leaves the workspace at 0 of the way"):
        line(robot, pose0, moved(pose0, pose0[:3, :3] @ [0.0, 0.0, 0.1], np.zeros(3)), 1.0)


def test_a_line_without_length():
    robot = redyn.load("puma")
    pose = robot.forward_kinematics(STARTS["puma"])
    q, qd, qdd = line(robot, pose, pose, 1.0, start=STARTS["puma"])(np.linspace(0, 1, 5))
    np.testing.assert_allclose(q, np.tile(STARTS["puma"], (5, 1)), atol=1e-9)
    assert not qd.any()
    assert not qdd.any()


def at(x, y):
    pose = np.eye(4)
    pose[:2, 3] = x, y
    return pose


def test_leaving_the_workspace():
    """Two links of 1 m reach 2 m, which comes at 0.75 of a way from 0.5 m to 2.5 m."""
    with pytest.raises(redyn.InputError, match=r"leaves the workspace at 0\.75 of the way: .*beyond the reach of 2 m"):
        line(two_link(), at(0.5, 0), at(2.5, 0), 1.0, position_only=True)
    with pytest.raises(redyn.InputError, match=r"cannot reach pose0: .*beyond the reach of 2 m"):
        line(two_link(), at(2.5, 0), at(0.5, 0), 1.0, position_only=True)


def test_meeting_a_singularity():
    """Both ends can be taken, but through the base two equal links must fold up at half the way."""
    with pytest.raises(redyn.InputError, match=r"meets a singularity at 0\.(49\d*|50?\d*) of the way"):
        line(two_link(), at(-1.0, 0), at(1.0, 0), 1.0, position_only=True)


def test_stepping_over_a_singularity():
    """The trace would go right through it, from knot to knot."""
    robot = redyn.load("puma")
    start = np.array([0.3, -0.8, 0.5, 0.4, 0.02, 0.3])
    pose0 = robot.forward_kinematics(start)
    # Along the motion of joint 5 alone, whose zero is the singularity of the wrist.
    pose1 = robot.forward_kinematics(start - [0, 0, 0, 0, 0.0502, 0])
    with pytest.raises(redyn.InputError, match=r"meets a singularity at 0\.(39|40?)\d* of the way"):
        line(robot, pose0, pose1, 1.0, start=start)


def test_joint_limits():
    """With the elbow one way it bends from 90 to 120 degrees and back, the other way from -90 to -120."""
    ends, bent = (at(1.0, -1.0), at(1.0, 1.0), 1.0), [-np.pi / 2, np.pi / 2]
    tight = two_link(limits=[-1.6, 2.1])
    motion = line(tight, *ends, position_only=True)
    assert motion.violations(tight) == []
    np.testing.assert_allclose(motion(0.5)[0][1], np.radians(120), atol=1e-9)
    other = line(two_link(limits=[-2.1, 1.6]), *ends, position_only=True)
    np.testing.assert_allclose(other(0.5)[0][1], np.radians(-120), atol=1e-9)
    tighter = two_link(limits=[-1.6, 1.9])
    with pytest.raises(redyn.InputError, match=r"at 0\.2\d* of the way joint2 leaves its limits, -1.6 to 1.9"):
        line(tighter, *ends, start=bent, position_only=True)
    line(tighter, *ends, start=bent, position_only=True, limits=False)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"pose0": np.eye(3)}, "pose0: expected a 4x4 pose"),
        ({"pose1": 2 * np.eye(4)}, "pose1: the last row"),
        ({"duration": 0.0}, "duration must be a positive"),
        ({"law": "linear"}, "law must be"),
        ({"start": [1.0]}, "start: expected 6 numbers"),
        ({"link": "hand"}, "has no frame 'hand'"),
    ],
)
def test_mistakes(arguments, message):
    robot = redyn.load("puma")
    pose = robot.forward_kinematics(STARTS["puma"])
    with pytest.raises(redyn.InputError, match=message):
        line(robot, **({"pose0": pose, "pose1": moved(pose), "duration": 1.0} | arguments))
