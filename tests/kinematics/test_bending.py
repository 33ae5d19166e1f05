"""Flexible links as they are drawn, and as they keep clear of others: bent centre lines, tips, exaggeration."""

import numpy as np
import pytest

import redyn
from redyn.kinematics import capsules, clearance, link_poses, place
from redyn.kinematics.bending import bends, bent_lines, exaggerated, gears
from redyn.kinematics.shape import PIECES

FLEXIBLE = ("flexible-beam", "spin-up", "flexible-two-link", "flexible-space-arm")


def bent(name, size=0.05, count=4):
    robot = redyn.load(name)
    rng = np.random.default_rng(3)
    q = np.tile(robot.initial, (count, 1))
    for bend in bends(robot):
        q[:, bend.places] = size * rng.normal(size=(count, len(bend.places)))
    return robot, q


@pytest.mark.parametrize("name", FLEXIBLE)
def test_capsules_follow_the_bent_links(name):
    robot, q = bent(name)
    poses = link_poses(robot, q)
    lines = bent_lines(bends(robot), q, poses)
    shapes = capsules(robot)
    ends = place(shapes, poses, lines)
    for k, (_, beam) in enumerate(robot.model.beams):
        np.testing.assert_allclose(lines[:, k], robot.shape(q, beam.name, PIECES + 1), atol=1e-12)
        pieces = [i for i, shape in enumerate(shapes) if shape.piece is not None and shape.piece[0] == k]
        tip = robot.forward_kinematics(q, f"{beam.name}.tip")[:, :3, 3]
        np.testing.assert_allclose(ends[:, pieces[-1], 1], tip, atol=1e-12)
        np.testing.assert_allclose(ends[:, pieces[:-1], 1], ends[:, pieces[1:], 0], atol=1e-15)


@pytest.mark.parametrize("name", FLEXIBLE)
def test_straight_links_need_no_lines(name):
    robot = redyn.load(name)
    poses, shapes = link_poses(robot, robot.initial), capsules(robot)
    lines = bent_lines(bends(robot), robot.initial, poses)
    np.testing.assert_allclose(place(shapes, poses), place(shapes, poses, lines), atol=1e-12)


def test_a_link_bends_out_of_the_way():
    """A post stands where a straight beam would go through it."""
    beam = {"length": 1, "rho_A": 1, "EI": 1, "modes": [1, 0, 0]}
    post = {"mass": 1, "com": [0, 0, 0.2], "inertia": [0.1, 0.1, 0.1]}
    links = [
        {"name": "post", "joint": "revolute", "xyz": [0.9, 0, 0], **post},
        {"name": "hub", "parent": "world", "joint": "revolute", "xyz": [0, 0, 0.1], **post},
        {"name": "beam", "parent": "hub", "joint": "revolute", "flexible": beam},
    ]
    robot = redyn.load({"name": "posts", "convention": "frames", "links": links})
    pair = ("post", "beam.tip")
    found = clearance(robot, [[0, 0, 0, 0], [0, 0, 0, 0.3]], radius=0.02)
    assert found.touching[:, found.pairs.index(pair)].tolist() == [True, False]


def test_exaggeration_leaves_joints_alone():
    robot, q = bent("flexible-two-link")
    ten = exaggerated(robot, q, 10.0)
    np.testing.assert_allclose(ten[:, [1, 2, 4, 5]], 10 * q[:, [1, 2, 4, 5]], rtol=1e-14)
    np.testing.assert_array_equal(ten[:, [0, 3]], q[:, [0, 3]])
    np.testing.assert_array_equal(exaggerated(robot, q, 1.0), q)


def test_gears_give():
    robot = redyn.load("elastic-joint-arm")
    assert [(gear.name, gear.body, gear.motor, gear.link) for gear in gears(robot)] == [
        ("joint1", 1, 0, 1),
        ("joint2", 2, 2, 3),
    ]
    np.testing.assert_allclose(exaggerated(robot, [0.5, 0.51, 1.0, 0.98], 10), [0.5, 0.6, 1.0, 0.8], atol=1e-12)


def test_a_beam_without_modes_is_drawn():
    beam = {"length": 1, "rho_A": 1, "EI": 1, "modes": [0, 0, 0]}
    arm = {"name": "arm", "joint": "revolute", "axis": [0, 1, 0], "flexible": beam}
    robot = redyn.load({"name": "stiff", "convention": "frames", "links": [arm]})
    (shape,) = capsules(robot)
    np.testing.assert_allclose([shape.start, shape.end], [[0, 0, 0], [1, 0, 0]], atol=1e-12)
