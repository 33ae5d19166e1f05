"""Inverse kinematics: what it finds is a solution, it finds what there is, and it says why where there is nothing."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import redyn
from known_robots import ARMS, arm, two_link
from random_robots import on_floats, random_tree
from redyn.kinematics import inverse_kinematics_batch
from redyn.kinematics.search import rotation_log

POSITION = [False, False, False, True, True, True]


def positions(robot, count, seed=0):
    rng = np.random.default_rng(seed)
    return np.array([robot.random(rng) for _ in range(count)])


def distance(robot, q, pose, link=None):
    """The larger of metres and radians between where q brings the frame and a pose."""
    there = robot.forward_kinematics(q, link)
    turn = Rotation.from_matrix(pose[:3, :3] @ there[:3, :3].T).magnitude()
    return max(turn, np.linalg.norm(pose[:3, 3] - there[:3, 3]))


@pytest.mark.parametrize("name", ARMS)
def test_random_poses(name):
    robot, link = arm(name)
    poses = robot.forward_kinematics(positions(robot, 100), link)
    results = inverse_kinematics_batch(robot, poses, link)
    solved = [(found[0], pose) for found, pose in zip(results, poses, strict=True) if found]
    assert len(solved) >= 99
    for solution, pose in solved:
        assert distance(robot, solution.q, pose, link) < 1e-9
        assert solution.error < 1e-10
        assert (solution.q >= robot.limits[:, 0]).all()
        assert (solution.q <= robot.limits[:, 1]).all()


@settings(max_examples=16)
@given(seed=st.integers(0, 10**6), n=st.integers(1, 8))
def test_random_robots(seed, n):
    """Poses of any serial robot are found again, whatever its joints."""
    robot = redyn.load(random_tree(seed, n, serial=True, fixed=0.0))
    pose = robot.forward_kinematics(robot.random(seed))
    found = robot.inverse_kinematics(pose, count=1)
    assert found, found.reason
    assert distance(robot, found[0].q, pose) < 1e-9


def test_all_eight_of_a_wrist_partitioned_arm():
    robot = redyn.load("puma")
    q = np.array([0.1, -0.6, 0.4, 0.5, 0.9, 0.2])
    found = robot.inverse_kinematics(robot.forward_kinematics(q), start=q)
    assert len(found) == 8
    np.testing.assert_allclose(found[0].q, q, atol=1e-9)
    away = [np.linalg.norm(solution.q - q) for solution in found]
    assert away == sorted(away)
    for i, one in enumerate(found):
        for other in found[i + 1 :]:
            assert np.abs(np.angle(np.exp(1j * (one.q - other.q)))).max() > 1e-3


def test_start_is_kept_and_its_turns_too():
    """A start that is a solution comes first, whole turns and all; joints beside the path stay where they are."""
    robot = redyn.load("puma")
    q = np.array([0.1, 6.0, 0.4, -9.0, 0.9, 20.0])
    np.testing.assert_allclose(robot.inverse_kinematics(robot.forward_kinematics(q), start=q)[0].q, q, atol=1e-9)
    panda, link = arm("panda")
    q = panda.random(3)
    for solution in panda.inverse_kinematics(panda.forward_kinematics(q, link), link, start=q):
        np.testing.assert_array_equal(solution.q[7:], q[7:])


def test_same_seed_same_answer():
    robot, link = arm("panda")
    pose = robot.forward_kinematics(robot.random(5), link)
    first, again, other = (robot.inverse_kinematics(pose, link, seed=seed) for seed in (0, 0, 1))
    np.testing.assert_array_equal([s.q for s in first], [s.q for s in again])
    assert not np.array_equal([s.q for s in first], [s.q for s in other])


def test_threads_and_batches_agree():
    robot, link = arm("ur5")
    poses = robot.forward_kinematics(positions(robot, 40), link)
    one, two = (inverse_kinematics_batch(robot, poses, link, threads=threads) for threads in (1, 2))
    np.testing.assert_array_equal([found[0].q for found in one], [found[0].q for found in two])
    np.testing.assert_array_equal(one[7][0].q, robot.inverse_kinematics(poses[7], link, count=1)[0].q)
    assert inverse_kinematics_batch(robot, np.empty((0, 4, 4)), link) == []


def test_without_kernels():
    robot = on_floats(redyn.load("puma"))
    pose = robot.forward_kinematics([0.1, -0.6, 0.4, 0.5, 0.9, 0.2])
    found = robot.inverse_kinematics(pose, count=1)
    assert distance(robot, found[0].q, pose) < 1e-9


def test_limits():
    """The elbow may bend one way only; the other solution appears when limits are ignored."""
    robot = two_link(limits=[0.0, 2.0])
    pose = robot.forward_kinematics([0.3, 0.8])
    within = robot.inverse_kinematics(pose, mask=POSITION)
    np.testing.assert_allclose([s.q for s in within], [[0.3, 0.8]], atol=1e-8)
    assert len(robot.inverse_kinematics(pose, mask=POSITION, limits=False)) == 2
    pose = robot.forward_kinematics([-0.5, 0.2])
    nothing = robot.inverse_kinematics(pose)
    assert not nothing
    assert "joint limits; beyond those of" in nothing.reason
    assert "joint limits" in repr(nothing)


def test_solution_on_a_limit():
    robot = two_link(limits=[0.0, 2.0])
    for q in ([0.0, 1.0], [2.0, 0.7], [0.5, 2.0], [0.0, 2.0]):
        found = robot.inverse_kinematics(robot.forward_kinematics(q))
        np.testing.assert_allclose(found[0].q, q, atol=1e-8)


def test_out_of_reach():
    robot, link = arm("ur5")
    pose = np.eye(4)
    pose[:3, 3] = 2.0, 0.0, 0.3
    found = robot.inverse_kinematics(pose, link)
    assert found == []
    assert "beyond the reach of" in found.reason
    planar = redyn.load("two-link")
    pose = planar.forward_kinematics([0.3, 0.4])
    pose[2, 3] = 0.25
    assert "the best came within 0.25 m" in planar.inverse_kinematics(pose).reason


def test_position_of_three_joints():
    robot = redyn.load("three-link")
    planar = [False, False, True, True, True, False]
    for q in positions(robot, 20):
        pose = robot.forward_kinematics(q)
        found = robot.inverse_kinematics(pose, mask=planar, start=q)
        assert len(found) == 2 or abs(np.sin(q[1])) < 0.05
        assert distance(robot, found[0].q, pose) < 1e-9
    arm3, link = arm("puma")[0], "link3"
    for q in positions(arm3, 20):
        point = np.eye(4)
        point[:3, 3] = arm3.forward_kinematics(q, link)[:3, 3]
        found = arm3.inverse_kinematics(point, link, mask=POSITION)
        assert found
        np.testing.assert_allclose(arm3.forward_kinematics(found[0].q, link)[:3, 3], point[:3, 3], atol=1e-9)


@given(st.tuples(*[st.floats(-1, 1)] * 3), st.floats(0, 1), st.integers(0, 10**6))
def test_rotation_log(axis, share, seed):
    length = np.linalg.norm(axis)
    unit = np.array(axis) / length if length > 1e-3 else np.array([0.0, 0.0, 1.0])
    R, e = Rotation.random(random_state=seed).as_matrix(), np.empty(6)
    for angle in (share * np.pi, np.pi - 1e-9 * share, np.pi, 1e-9 * share, 0.0):
        turned = Rotation.from_rotvec(angle * unit).as_matrix() @ R
        assert abs(rotation_log(turned, R, e) - angle) < 1e-7
        np.testing.assert_allclose(Rotation.from_rotvec(e[:3]).as_matrix() @ R, turned, atol=1e-13)


def bad_pose(change):
    pose = np.eye(4)
    change(pose)
    return pose


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"pose": np.eye(3)}, r"pose: expected a 4x4 pose, got shape \(3, 3\)"),
        ({"pose": "home"}, "pose: expected a 4x4 pose, got str"),
        ({"pose": np.eye(4)[None]}, "inverse_kinematics_batch"),
        ({"pose": bad_pose(lambda p: p.__setitem__((0, 3), np.nan))}, "pose: expected finite numbers"),
        ({"pose": bad_pose(lambda p: p.__setitem__((0, 0), np.inf))}, "pose: expected finite numbers"),
        ({"pose": bad_pose(lambda p: p.__setitem__((0, 0), 1.1))}, "pose: its 3x3 block is no rotation"),
        ({"pose": np.diag([1.0, 1.0, -1.0, 1.0])}, "no rotation"),
        ({"pose": np.eye(4).T + np.eye(4)[3][:, None] * 0.1}, "the last row must be"),
        ({"start": [0.0, 0.0]}, "start: expected 6 numbers"),
        ({"start": np.zeros((2, 6))}, "start: expected one position"),
        ({"start": [0, 0, 0, 0, 0, np.nan]}, "start: expected finite"),
        ({"mask": [True] * 3}, "mask: expected six booleans"),
        ({"mask": [False] * 6}, "mask: expected six booleans"),
        ({"tolerance": 0.0}, "tolerance: expected"),
        ({"count": 0}, "count: expected a whole number from 1"),
        ({"tries": 1.5}, "tries: expected a whole number"),
        ({"seed": -1}, "seed: expected a whole number from 0"),
        ({"link": 0}, "no joint of puma moves the frame"),
        ({"link": "hand"}, "has no frame 'hand'"),
    ],
)
def test_mistakes(arguments, message):
    robot = redyn.load("puma")
    with pytest.raises(redyn.InputError, match=message):
        robot.inverse_kinematics(**({"pose": np.eye(4)} | arguments))


def test_mistake_in_a_batch_names_the_pose():
    poses = np.tile(np.eye(4), (3, 1, 1))
    poses[2, 0, 1] = 0.5
    with pytest.raises(redyn.InputError, match=r"poses\[2\]: its 3x3 block"):
        inverse_kinematics_batch(redyn.load("puma"), poses)


def test_a_rounded_pose_is_taken_for_the_nearest_rotation():
    robot = redyn.load("puma")
    pose = robot.forward_kinematics([0.1, -0.6, 0.4, 0.5, 0.9, 0.2]).round(7)
    found = robot.inverse_kinematics(pose)
    assert found
    assert distance(robot, found[0].q, pose) < 1e-6
