"""All inverse solutions: each is one, the one that made the pose is among them, and there are no others."""

from functools import cache

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import redyn
from known_robots import arm, axes_arm, dh_arm, two_link
from random_robots import on_floats
from redyn.kinematics import inverse_kinematics_batch
from redyn.kinematics.closed_form import closed_form

RIGHT = np.pi / 2
UR10 = [
    (0, RIGHT, 0.1273),
    (-0.612, 0, 0),
    (-0.5723, 0, 0),
    (0, RIGHT, 0.163941),
    (0, -RIGHT, 0.1157),
    (0, 0, 0.0922),
]
KR = [(0.18, -RIGHT, 0.4), (0.6, 0, 0), (0.12, -RIGHT, 0), (0, RIGHT, 0.62), (0, -RIGHT, 0), (0, 0, 0.115)]
CRAIG_PUMA = [(0, 0, 0), (0, -RIGHT, 0), (0.432, 0, 0.149), (0.02, -RIGHT, 0.433), (0, RIGHT, 0), (0, -RIGHT, 0.1)]


@cache
def robot_of(name):
    made = {"ur10": lambda: dh_arm(UR10), "kr": lambda: dh_arm(KR), "craig": lambda: dh_arm(CRAIG_PUMA, "modified-dh")}
    if name in made:
        robot = made[name]()
        return robot, robot.frame_name()
    if name == "ur5":
        return arm(name)
    robot = redyn.load(name)
    return robot, robot.frame_name()


MOST = {"puma": 8, "puma-2003": 8, "craig": 8, "stanford": 8, "kuka-kr5": 8, "kr": 8, "ur5": 8, "ur10": 8}
angles = st.lists(st.floats(-3, 3), min_size=6, max_size=6).map(np.array)


def errors(robot, solutions, pose, link):
    there = robot.forward_kinematics(solutions, link)
    turns = Rotation.from_matrix(pose[:3, :3] @ there[:, :3, :3].transpose(0, 2, 1)).magnitude()
    return np.maximum(turns, np.linalg.norm(there[:, :3, 3] - pose[:3, 3], axis=1))


def apart(robot, a, b):
    turning = [link.joint.kind == "revolute" for link in robot.model.driven]
    return np.abs(np.where(turning, np.angle(np.exp(1j * (a - b))), a - b)).max(axis=-1)


def recovered(robot, link, q):
    """All solutions of the pose at q, after the tests that all of them have to pass."""
    pose = robot.forward_kinematics(q, link)
    found = robot.inverse_kinematics_all(pose, link)
    assert found.exact
    assert len(found), found.reason
    assert errors(robot, found.solutions, pose, link).max() < 1e-10
    assert found.residuals.max() < 1e-10
    for i, one in enumerate(found.solutions):
        assert (apart(robot, found.solutions[i + 1 :], one) > 1e-5).all()
    return found


@pytest.mark.parametrize("name", MOST)
@settings(max_examples=20)
@given(q=angles)
def test_known_arms(name, q):
    robot, link = robot_of(name)
    sigma = np.linalg.svd(robot.jacobian(q, link), compute_uv=False)
    assume(sigma[-1] > 1e-4)  # elsewhere the solutions of a pose are ill-conditioned, or a joint is free
    found = recovered(robot, link, q)
    assert apart(robot, found.solutions, q).min() < 1e-6
    assert len(found) <= MOST[name]
    assert len(found) % 2 == 0
    assert found.free == ((),) * len(found)


@settings(max_examples=60)
@given(
    seed=st.integers(0, 10**6),
    family=st.sampled_from(["wrist", "parallel"]),
    first=st.integers(0, 3),
    special=st.sampled_from(["skew", "meet", "parallel", "prismatic"]),
)
def test_any_arm_of_the_two_families(seed, family, first, special):
    """Wherever the three axes are in the arm, and whether others meet or are parallel or slide."""
    rng = np.random.default_rng(seed)
    points, directions = rng.uniform(-0.5, 0.5, (6, 3)), rng.normal(size=(6, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    kinds = ["revolute"] * 6
    three = slice(first, first + 3)
    if family == "wrist":
        points[three] = points[first] + 0.3 * rng.normal(size=3)[:, None] * directions[three]
        assume(np.abs(np.linalg.det(directions[three])) > 0.1)
        if special == "prismatic" and first in (0, 3):
            kinds[{0: 3, 3: 2}[first]] = "prismatic"
    else:
        directions[three] = directions[first] * rng.choice([-1.0, 1.0], 3)[:, None]
    one, other = (0, 1) if first > 1 else (4, 5)
    if special == "meet":
        points[other] = points[one]
    if special == "parallel" and family == "wrist":
        directions[other] = directions[one]
    robot = on_floats(axes_arm(points, directions, kinds))
    arm = closed_form(robot, "tool")
    assert arm is not None
    assert (arm.family, arm.first) == (family, first) or special != "skew"
    for q in rng.uniform(-3, 3, (3, 6)):
        if np.linalg.svd(robot.jacobian(q), compute_uv=False)[-1] > 1e-4:
            found = recovered(robot, None, q)
            assert apart(robot, found.solutions, q).min() < 1e-6
            assert len(found) <= 8


@pytest.mark.parametrize("kinds", ["PPP", "RPP", "PRP", "PPR", "RPR", "RRP", "PRR"])
@pytest.mark.parametrize("first", [0, 3])
@settings(max_examples=6)
@given(seed=st.integers(0, 10**6), right=st.booleans())
def test_sliding_joints_and_a_wrist(kinds, first, seed, right):
    rng = np.random.default_rng(seed)
    points, directions = rng.uniform(-0.5, 0.5, (6, 3)), rng.normal(size=(6, 3))
    if right:  # cylindrical arms, gantries and the like
        directions = np.eye(3)[[2, 0, 1, 2, 1, 0]]
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    points[first : first + 3] = points[first]
    types = [{"R": "revolute", "P": "prismatic"}[k] for k in kinds]
    robot = on_floats(
        axes_arm(points, directions, [*(["revolute"] * 3 + types if first == 0 else types + ["revolute"] * 3)])
    )
    q = rng.uniform(-1.5, 1.5, 6)
    assume(np.linalg.svd(robot.jacobian(q), compute_uv=False)[-1] > 1e-3)
    found = recovered(robot, None, q)
    assert apart(robot, found.solutions, q).min() < 1e-6


@pytest.mark.parametrize("name", ["puma", "stanford", "kr", "ur10", "ur5"])
def test_as_many_as_a_search_finds(name):
    robot, link = robot_of(name)
    for q in np.random.default_rng(3).uniform(-2, 2, (3, 6)):
        pose = robot.forward_kinematics(q, link)
        found = recovered(robot, link, q)
        (searched,) = inverse_kinematics_batch(robot, [pose], link, limits=False, count=40, tries=400)
        distances = np.array([apart(robot, found.solutions, s.q).min() for s in searched])
        assert distances.max() < 1e-5
        different = {int(apart(robot, found.solutions, s.q).argmin()) for s in searched}
        assert len(different) == len(found)


def test_the_counts_of_textbooks():
    for name in ("puma", "ur5", "ur10", "stanford"):
        robot, link = robot_of(name)
        q = np.array([0.3, -1.0, 1.2, 0.4, 0.9, 0.2]) if name != "puma" else np.array([0.1, -0.6, 0.4, 0.5, 0.9, 0.2])
        assert len(recovered(robot, link, q)) == 8


@pytest.mark.parametrize(
    ("name", "q", "free"),
    [
        ("puma", [0.3, -0.5, 0.4, 0.2, 0.0, 0.7], ("joint4", "joint6")),
        ("kr", [0.3, -0.5, 0.4, 0.2, 0.0, 0.7], ("joint4", "joint6")),
        ("stanford", [0.3, 0.8, 0.5, 0.2, 0.0, 0.7], ("joint4", "joint6")),
        ("ur5", [0.3, -1.0, 1.2, 0.4, 0.0, 0.7], ("wrist_3_joint",)),
    ],
)
def test_singular_wrists(name, q, free):
    """One solution stands for infinitely many; its free joint may be anywhere."""
    robot, link = robot_of(name)
    pose = robot.forward_kinematics(q, link)
    found = recovered(robot, link, q)
    assert free in found.free
    moved = np.array(q) + 0.4
    again = robot.inverse_kinematics_all(pose, link, moved)
    k = again.free.index(free)
    joint = robot.joint_names.index(free[0])
    assert abs(again.solutions[k, joint] - moved[joint]) < 1e-6
    assert errors(robot, again.solutions, pose, link).max() < 1e-10


@pytest.mark.parametrize("name", ["ur5", "puma", "stanford", "kr"])
def test_right_angles(name):
    """Where all angles are multiples of 45 degrees most poses are singular in some way; none is lost."""
    robot, link = robot_of(name)
    for q in np.random.default_rng(5).choice(np.arange(-3, 5) * RIGHT / 2, (60, 6)):
        recovered(robot, link, q)


def test_a_singular_shoulder():
    """The wrist's centre is on the first axis of an arm without shoulder offset: joint 1 is free."""
    robot = dh_arm([(0, -RIGHT, 0), (0.4, 0, 0), (0, -RIGHT, 0), (0, RIGHT, 0.3), (0, -RIGHT, 0), (0, 0, 0.1)])
    q = np.array([0.3, 0.0, 0.7, 0.4, 0.8, 0.1])
    x, _, z = robot.forward_kinematics([0.0, *q[1:]], "link4")[:3, 3]
    q[1] = np.arctan2(z, x) - RIGHT  # joint 2 turns the centre straight up
    assert np.abs(robot.forward_kinematics(q, "link4")[:2, 3]).max() < 1e-15
    pose = robot.forward_kinematics(q)
    found = robot.inverse_kinematics_all(pose, start=[1.1, 0, 0, 0, 0, 0])
    assert any("joint1" in free for free in found.free)
    k = next(i for i, free in enumerate(found.free) if "joint1" in free)
    assert found.solutions[k, 0] == pytest.approx(1.1, abs=1e-6)
    assert errors(robot, found.solutions, pose, None).max() < 1e-10


@pytest.mark.parametrize("name", ["puma", "kr", "ur10"])
def test_a_stretched_arm(name):
    """At the border of the workspace two solutions coincide and are given once."""
    robot, link = robot_of(name)
    elbow = {"puma": np.arctan2(0.432, 0.02) - np.pi, "kr": np.arctan2(0.62, 0.12) - np.pi, "ur10": 0.0}[name]
    candidates = [np.array([0.3, -0.5, sign * elbow + turn, 0.2, 0.7, 0.4]) for sign in (1, -1) for turn in (0, np.pi)]
    q = min(candidates, key=lambda q: np.linalg.svd(robot.jacobian(q, link), compute_uv=False)[-1])
    assert np.linalg.svd(robot.jacobian(q, link), compute_uv=False)[-1] < 1e-9
    found = recovered(robot, link, q)
    assert apart(robot, found.solutions, q).min() < 1e-4


def test_nearly_meeting_axes_are_refined():
    """Right angles written as 1.5708: the axes are parallel to 4e-6 only."""
    coarse = [(a, float(np.sign(alpha)) * 1.5708 if alpha else 0.0, b) for a, alpha, b in UR10]
    robot = dh_arm(coarse)
    rng = np.random.default_rng(0)
    for q in rng.uniform(-2, 2, (5, 6)):
        found = recovered(robot, None, q)
        assert apart(robot, found.solutions, q).min() < 1e-6


def test_out_of_reach():
    robot, link = robot_of("puma")
    pose = robot.forward_kinematics([0.3, 0.0, -RIGHT, 0.2, 0.3, 0.4])
    pose[:3, 3] *= 3.0 / np.linalg.norm(pose[:3, 3])
    found = robot.inverse_kinematics_all(pose)
    assert len(found) == 0
    assert found.solutions.shape == (0, 6)
    centre = pose[:3, 3] - 0.05 * pose[:3, 2]
    reach = np.hypot(0.149, 0.432 + np.hypot(0.02, 0.432))
    beyond = float(found.reason.split(" m out of reach")[0].split()[-1])
    assert beyond == pytest.approx(np.linalg.norm(centre) - reach, rel=1e-3)
    robot, link = robot_of("ur5")
    pose = np.eye(4)
    pose[:3, 3] = 2.0, 0.0, 0.3
    assert "beyond the reach of" in robot.inverse_kinematics_all(pose, link).reason


def test_an_attitude_that_a_wrist_cannot_take():
    """Axes 30 degrees apart turn the tool by 60 at most."""
    slant = np.pi / 6
    rows = [(0, -RIGHT, 0), (0.4, 0, 0), (0, -RIGHT, 0), (0, slant, 0.3), (0, -slant, 0), (0, 0, 0.1)]
    robot = dh_arm(rows)
    q = np.array([0.2, 0.3, 0.4, 0.5, 0.6, 0.7])
    assert apart(robot, recovered(robot, None, q).solutions, q).min() < 1e-6
    pose = robot.forward_kinematics(q, "link1")  # whose z is normal to the plane of the arm
    pose[:3, 3] = robot.forward_kinematics(q, "link4")[:3, 3] + 0.1 * pose[:3, 2]
    reason = robot.inverse_kinematics_all(pose).reason
    assert "meet is within reach, but not the attitude" in reason


def test_limits_are_told_apart():
    robot = dh_arm(KR, limits=[-2.0, 2.0])
    q = np.array([0.2, -0.5, 0.3, 0.4, 0.8, 0.1])
    found = robot.inverse_kinematics_all(robot.forward_kinematics(q))
    inside = (np.abs(found.solutions) <= 2.0).all(axis=1)
    np.testing.assert_array_equal(found.within, inside)
    assert 0 < inside.sum() < len(found)
    assert (np.diff(found.within.astype(int)) <= 0).all()
    assert len(found.allowed) == inside.sum()
    away = np.linalg.norm(found.allowed - robot.initial, axis=1)
    assert (np.diff(away) >= 0).all()
    tight = dh_arm(KR, limits=[-0.1, 0.1])
    found = tight.inverse_kinematics_all(tight.forward_kinematics(q))
    assert len(found) > 0
    assert not found.within.any()
    assert "no solution is within the joint limits: the nearest needs joint" in found.reason


def test_turns_follow_the_start():
    robot, _ = robot_of("puma")
    q = np.array([0.1, 6.0, 0.4, -9.0, 0.9, 20.0])
    np.testing.assert_allclose(
        robot.inverse_kinematics_all(robot.forward_kinematics(q), start=q).solutions[0], q, atol=1e-9
    )


def test_searched():
    """Robots without a closed form of ours, and parts of poses."""
    robot = redyn.chain(6, seed=1)
    q = robot.random(2)
    found = robot.inverse_kinematics_all(robot.forward_kinematics(q), start=q)
    assert not found.exact
    assert "there may be more" in found.how
    assert apart(robot, found.solutions, q).min() < 1e-6
    planar = two_link()
    pose = planar.forward_kinematics([0.3, 0.5])
    position = planar.inverse_kinematics_all(pose, mask=[0, 0, 0, 1, 1, 1])
    np.testing.assert_allclose(position.solutions, [[0.3, 0.5], [0.8, -0.5]], atol=1e-8)
    seven = redyn.chain(7, seed=1)
    assert "infinitely many" in seven.inverse_kinematics_all(seven.forward_kinematics(seven.random(2))).how
