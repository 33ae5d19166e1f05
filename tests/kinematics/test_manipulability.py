"""Manipulability, transforms between frames, and the workspace."""

import numpy as np
import pytest

import redyn
from known_robots import arm, two_link
from redyn.kinematics import section


def test_a_planar_arm():
    """Textbook: the index of two links is a1 a2 |sin q2|; along z it cannot move."""
    robot = two_link()
    q = np.random.default_rng(0).uniform(-3, 3, (20, 2))
    at = robot.manipulability(q)
    np.testing.assert_allclose(np.prod(at.translation.radii[:, :2], axis=1), np.abs(np.sin(q[:, 1])), atol=1e-12)
    np.testing.assert_allclose(at.translation.radii[:, 2], 0, atol=1e-12)
    np.testing.assert_allclose(at.translation.volume, 0, atol=1e-12)
    np.testing.assert_allclose(at.rotation.radii, [[np.sqrt(2), 0, 0]] * 20, atol=1e-12)
    assert at.index.shape == at.regularity.shape == (20,)
    assert at.translation.axes.shape == (20, 3, 3)


def test_radii_and_axes_are_those_of_unit_rates():
    robot = redyn.load("puma")
    q = robot.random(1)
    at, J = robot.manipulability(q), robot.jacobian(q)
    for ellipsoid, rows in ((at.rotation, J[:3]), (at.translation, J[3:])):
        again = ellipsoid.axes @ np.diag(ellipsoid.radii**2) @ ellipsoid.axes.T
        np.testing.assert_allclose(again, rows @ rows.T, atol=1e-12)
        assert 0 <= ellipsoid.roundness <= 1
    assert at.index == pytest.approx(abs(np.linalg.det(J)))
    assert at.translation.volume == pytest.approx(np.sqrt(np.linalg.det(J[3:] @ J[3:].T)))


@pytest.mark.parametrize(
    ("name", "q", "what"),
    [
        ("puma", [0.1, -0.6, 0.4, 0.5, 0.0, 0.2], "wrist: joint4, joint6"),
        ("puma", [0.1, -0.6, -np.pi / 2 + np.arctan2(0.02, 0.432), 0.5, 0.9, 0.2], "elbow: "),
        ("ur5", [0.3, -1.0, 1.2, 0.4, 0.0, 0.7], "wrist: "),
        ("ur5", [0.3, -1.0, 0.0, 0.4, 0.9, 0.7], "elbow: "),
    ],
)
def test_singular_positions_have_names(name, q, what):
    robot, link = arm(name)
    at = robot.manipulability(q, link)
    assert at.regularity < 1e-6
    assert at.singular[0].startswith(what)


def test_a_singular_shoulder():
    """The centre of the wrist is as near to the first axis as the offset of the shoulder lets it be."""
    robot = redyn.load("puma")
    q = np.array([0.0, -0.6, 0.4, 0.5, 0.9, 0.2])
    x, _, z = robot.forward_kinematics(q, "link4")[:3, 3]
    q[1] += np.arctan2(-x, z)
    at = robot.manipulability(q)
    assert at.regularity < 1e-12
    assert at.singular[0].startswith("shoulder: joint1")


def test_loops():
    robot = redyn.load("3-rrr")
    at = robot.manipulability(robot.initial)
    assert 0 < at.regularity <= 1
    assert at.translation.radii[1] > 0


def test_regularity_grows_with_the_distance():
    robot = redyn.load("puma")
    q = np.tile([0.1, -0.6, 0.4, 0.5, 0.0, 0.2], (4, 1))
    q[:, 4] = [0.0, 0.01, 0.1, 0.5]
    at = robot.manipulability(q)
    assert (np.diff(at.regularity) > 0).all()
    assert at.regularity.max() <= 1
    assert at.singular[0]


def test_transform():
    robot = redyn.load("puma")
    q = np.array([robot.random(k) for k in range(5)])
    T = robot.transform(q, "link6", seen_from="link2")
    np.testing.assert_allclose(
        robot.forward_kinematics(q, "link2") @ T, robot.forward_kinematics(q, "link6"), atol=1e-14
    )
    np.testing.assert_allclose(T @ robot.transform(q, "link2", "link6"), np.tile(np.eye(4), (5, 1, 1)), atol=1e-14)
    np.testing.assert_allclose(robot.transform(q[0]), robot.forward_kinematics(q[0]), atol=1e-15)
    np.testing.assert_allclose(robot.transform(q[0], 3, 3), np.eye(4), atol=1e-15)
    with pytest.raises(redyn.InputError, match="has no frame"):
        robot.transform(q, "link6", "hand")


def test_workspace_keeps_the_limits():
    robot = two_link(limits=[0.0, 1.0])
    found = robot.workspace(samples=4000)
    assert (found.q >= 0).all()
    assert (found.q <= 1).all()
    np.testing.assert_allclose(robot.forward_kinematics(found.q)[:, :3, 3], found.points, atol=1e-15)
    assert found.reach[0] == pytest.approx(2 * np.cos(0.5), abs=1e-2)
    assert found.reach[1] == pytest.approx(2.0, abs=1e-2)
    assert found.box.shape == (2, 3)
    np.testing.assert_array_equal(robot.workspace(samples=10).points, robot.workspace(samples=10).points)


def test_sections():
    robot = redyn.load("puma")
    found = robot.workspace(samples=20_000)
    assert 0.85 < found.reach[1] < 0.95
    for normal, own in (([0, 0, 2], [0, 1]), ([0, -1, 0], [0, 2]), ([1, 0, 0], [1, 2])):
        flat, numbers = section(found.points, [0, 0, 0.1], normal, 0.02)
        assert len(flat) == len(numbers) > 50
        np.testing.assert_allclose(flat, (found.points[numbers] - [0, 0, 0.1])[:, own], atol=1e-12)
        assert (np.abs((found.points[numbers] - [0, 0, 0.1]) @ normal) <= 0.02).all()
    for bad in (([0, 0], [0, 0, 1], 0.1), ([0, 0, 0], [0, 0, 0], 0.1), ([0, 0, 0], [0, 0, 1], 0.0)):
        with pytest.raises(redyn.InputError, match="expected"):
            section(found.points, *bad)


def test_of_links_that_bend():
    """Straight links: what the joints do is what they do in the rigid robot, and nothing reaches further."""
    robot = redyn.load("flexible-two-link")
    rigid = robot.rigid()
    q = np.array([0.3, 0.0, 0.0, 0.9, 0.0, 0.0])
    bent, straight = robot.manipulability(q), rigid.manipulability(q[[0, 3]])
    np.testing.assert_allclose(bent.translation.radii, straight.translation.radii, atol=1e-12)
    assert bent.index == pytest.approx(straight.index)
    found = robot.workspace(samples=200)
    assert found.reach[1] < 1.01
    assert np.abs(found.q[:, 1]).max() < 0.1
    for name in ("flexible-two-link", "elastic-joint-arm"):
        with pytest.raises(redyn.RedynError, match=r"many shapes reach a pose; robot\.rigid\(\)"):
            redyn.load(name).inverse_kinematics(np.eye(4))
