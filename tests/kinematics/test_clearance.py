"""Segments, capsules and the room between links."""

import itertools
import sys

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings
from scipy.optimize import minimize

import redyn
from random_robots import ARMS
from redyn.kinematics import capsules, clearance, link_poses, place, segment_distance, travel
from redyn.kinematics.shape import BENDS, LOOSE, bodies, frame_offset, joint_places, mass_centres
from redyn.trajectory import cycloidal

STANFORD_STOP = [np.pi / 3, -5 * np.pi / 6, 0.735, np.pi / 3, 5 * np.pi / 6, 5 * np.pi / 6]

coordinates = st.floats(-2, 2, width=32)
points = st.tuples(coordinates, coordinates, coordinates).map(np.array)


def by_minimisation(a, b, c, d):
    """The least distance, from every corner of the square of parameters and its middle."""

    def square(x):
        gap = (a + x[0] * (b - a)) - (c + x[1] * (d - c))
        return gap @ gap

    starts = [*itertools.product((0.0, 1.0), repeat=2), (0.5, 0.5)]
    found = [minimize(square, s, bounds=[(0, 1), (0, 1)], options={"ftol": 1e-16, "gtol": 1e-12}) for s in starts]
    return np.sqrt(min(f.fun for f in found))


@settings(max_examples=50)
@given(points, points, points, points)
def test_segments_against_minimisation(a, b, c, d):
    found, expected = segment_distance(a, b, c, d), by_minimisation(a, b, c, d)
    assert abs(found - expected) < 2e-5  # the square is what the minimiser resolves to 1e-10
    assert found <= expected + 1e-12  # never beaten


@given(points, points, points, st.floats(-2, 2), st.floats(0, 1e-7))
def test_nearly_parallel_segments(a, along, aside, stretch, tilt):
    """A sampled minimum is an upper bound that comes close; parallel and nearly parallel segments respect it."""
    b, c = a + along, a + aside
    d = c + stretch * along + tilt * np.array([1.0, -0.5, 0.3])
    s = np.linspace(0, 1, 201)[:, None, None]
    t = np.linspace(0, 1, 201)[None, :, None]
    sampled = np.linalg.norm((a + s * (b - a)) - (c + t * (d - c)), axis=-1).min()
    found = segment_distance(a, b, c, d)
    step = (np.linalg.norm(b - a) + np.linalg.norm(d - c)) / 200
    assert found <= sampled + 1e-12
    assert found >= sampled - step


@pytest.mark.parametrize(
    ("segments", "expected"),
    [
        (((0, 0, 0), (1, 0, 0), (0.5, -1, 0.25), (0.5, 1, 0.25)), 0.25),  # skew, over the middles
        (((0, 0, 0), (1, 0, 0), (0.5, 1, 0), (0.5, 3, 0)), 1.0),  # an end over a middle
        (((0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)), 1.0),  # parallel, side by side
        (((0, 0, 0), (1, 0, 0), (3, 0, 0), (4, 0, 0)), 2.0),  # on one line
        (((0, 0, 0), (1, 0, 0), (0.5, 0, 0), (4, 0, 0)), 0.0),  # on one line, overlapping
        (((0, 0, 0), (0, 0, 0), (0, 3, 4), (0, 3, 4)), 5.0),  # two points
        (((0, 0, 0), (0, 0, 0), (-1, 2, 0), (1, 2, 0)), 2.0),  # a point and a segment
    ],
)
def test_known_segments(segments, expected):
    a, b, c, d = (np.array(x, dtype=float) for x in segments)
    assert segment_distance(a, b, c, d) == pytest.approx(expected, abs=1e-15)
    assert segment_distance(c, d, a, b) == pytest.approx(expected, abs=1e-15)
    assert segment_distance(b, a, d, c) == pytest.approx(expected, abs=1e-15)


def test_segments_broadcast():
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(2, 5, 1, 3))
    c, d = rng.normal(size=(2, 4, 3))
    table = segment_distance(a, b, c, d)
    assert table.shape == (5, 4)
    assert table[2, 3] == segment_distance(a[2, 0], b[2, 0], c[3], d[3])


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(redyn.library()) - set(ARMS)))
def test_shapes_follow_the_frames(name):
    """Every link has a body; poses and offsets agree with forward kinematics; joints stay on their axes."""
    robot = redyn.load(name)
    shapes = capsules(robot)
    assert {shape.link for shape in shapes} >= set(range(1, len(robot.link_names) + 1))
    q = np.array([robot.random(seed) for seed in range(3)])
    poses = link_poses(robot, q)
    assert poses.shape == (3, len(robot.link_names) + 1, 4, 4)
    for frame in robot.frame_names:
        link, offset = frame_offset(robot, frame)
        np.testing.assert_allclose(poses[:, link] @ offset, robot.forward_kinematics(q, frame), atol=1e-12)
    at = {link.name: start for link, start in zip(robot.model.driven, robot.model.starts, strict=True)}
    for body, where in zip(bodies(robot), joint_places(robot), strict=True):
        i, parent = body.number, body.parent
        if body.kind in (*LOOSE, BENDS):
            continue
        point = poses[:, i, :3, :3] @ where.point + poses[:, i, :3, 3]
        socket = poses[:, parent, :3, :3] @ where.socket + poses[:, parent, :3, 3]
        axis = poses[:, i, :3, :3] @ where.axis
        slid = q[:, at[body.link.name]] if body.kind == "prismatic" else np.zeros(3)
        np.testing.assert_allclose(point, socket + slid[:, None] * axis, atol=1e-12)
    if robot.model.flexible:  # beams have mass between the bodies
        return
    masses = robot.parameters[::10]
    if masses.sum() > 0:
        centres = np.einsum("kiab,ib->kia", poses[:, 1:, :3, :3], mass_centres(robot)) + poses[:, 1:, :3, 3]
        np.testing.assert_allclose((masses[:, None] * centres).sum(1) / masses.sum(), robot.com(q), atol=1e-12)


def test_dh_links_run_along_the_axis_and_then_across():
    robot = redyn.load("kuka-kr5")
    first = [shape for shape in capsules(robot) if shape.link == 1]
    ends = place(first, link_poses(robot, robot.neutral()))
    np.testing.assert_allclose(ends, [[[0, 0, 0], [0, 0, 0.4]], [[0, 0, 0.4], [0.18, 0, 0.4]]], atol=1e-12)


def test_the_rod_of_a_prismatic_joint_has_a_fixed_length():
    robot = redyn.load("stanford")
    span = travel(robot, [[0, 0, 0.2, 0, 0, 0], [0, 0, 0.7, 0, 0, 0]])
    (rod,) = [shape for shape in capsules(robot, travel=span) if shape.kind == "rod"]
    assert rod.link == 3
    assert np.linalg.norm(rod.end - rod.start) == pytest.approx(0.7)
    out, back = (place([rod], link_poses(robot, [0, 0, q, 0, 0, 0]))[0] for q in (0.7, 0.2))
    shoulder = robot.forward_kinematics(robot.neutral(), "link2")[:3, 3]
    np.testing.assert_allclose(segment_distance(out[0], out[1], shoulder, shoulder), 0, atol=1e-12)
    assert np.linalg.norm(out[0] - shoulder) == pytest.approx(0, abs=1e-12)  # drawn out, it ends in its housing
    assert np.linalg.norm(back[0] - shoulder) == pytest.approx(0.5)  # drawn in, it comes out at the back


def test_tree_with_fixed_frames():
    """A body reaches to every joint and frame that it carries; what is fixed to the world is body 0."""
    tip = {"mass": 1, "com": [0, 0.4, 0], "inertia": [0, 0, 0]}
    robot = redyn.load(
        {
            "name": "tree",
            "convention": "frames",
            "links": [
                {"name": "stand", "parent": "world", "joint": "fixed", "xyz": [0, 0, 1]},
                {"name": "body", "parent": "stand", "joint": "revolute", "mass": 0},
                {"name": "camera", "parent": "body", "joint": "fixed", "xyz": [0.2, 0, 0]},
                {"name": "arm", "parent": "body", "joint": "revolute", "xyz": [0, 0.3, 0], **tip},
            ],
        }
    )
    found = [
        (s.link, s.kind, *s.start.round(9).tolist(), *s.end.round(9).tolist()) for s in capsules(robot, radius=0.01)
    ]
    assert found == [
        (0, "arm", 0, 0, 0, 0, 0, 1),
        (1, "arm", 0, 0, 0, 0.2, 0, 0),
        (1, "arm", 0, 0, 0, 0, 0.3, 0),
        (2, "arm", 0, 0, 0, 0, 0.4, 0),  # a tip that only its mass gives an extent
    ]
    assert clearance(robot, [0, 0], radius=0.01).pairs == (("world", "arm"),)


def test_known_clearances():
    robot = redyn.load("three-link")
    straight = clearance(robot, [0, 0, 0], radius=0.02)
    assert straight.pair.tolist() == [1, 3]
    assert float(straight.distance) == pytest.approx(0.25 - 0.04)
    folded = clearance(robot, [0.3, np.pi, 0], radius=0.02)  # link 2 lies on link 1, link 3 goes on to its joint
    assert float(folded.distance) == pytest.approx(-0.04)
    assert folded.touched == [("link1", "link3")]
    square = clearance(robot, [0, np.pi / 2, np.pi / 2], radius=[0.01, 0.02, 0.03])  # link 3 above link 1
    assert float(square.distance) == pytest.approx(0.25 - 0.04)


def test_robots_without_pairs():
    robot = redyn.load("two-link")
    none = clearance(robot, np.zeros((4, 2)))
    assert none.pairs == ()
    assert np.isposinf(none.distance).all()
    assert none.pair.tolist() == [[-1, -1]] * 4
    assert none.touching.shape == (4, 0)
    assert none.touched == []
    assert clearance(robot, [0, 0]).distance.shape == ()


@pytest.mark.parametrize("name", ["puma", "stanford", "kuka-kr5"])
def test_batch_equals_single(name):
    robot = redyn.load(name)
    q = np.array([robot.random(seed) for seed in range(40)])
    batch = clearance(robot, q)
    assert batch.distance.shape == (40,)
    assert batch.touching.shape == (40, len(batch.pairs))
    np.testing.assert_array_equal(batch.between.min(axis=1), batch.distance)
    for k in range(0, 40, 13):
        one = clearance(robot, q[k])
        assert one.pairs == batch.pairs
        np.testing.assert_allclose(one.between, batch.between[k], atol=1e-14)
        assert one.pair.tolist() == batch.pair[k].tolist()
    nothing = clearance(robot, np.empty((0, robot.dof)))
    assert nothing.distance.shape == (0,)
    assert nothing.pair.shape == (0, 2)
    assert nothing.touched == []


def test_neighbours_and_what_is_joined_by_design_are_left_out():
    robot = redyn.load("kuka-kr5")
    pairs = clearance(robot, robot.neutral()).pairs
    assert ("link4", "link6") not in pairs  # the wrist's axes meet in a point
    assert not {(f"link{i}", f"link{i + 1}") for i in range(1, 6)} & set(pairs)
    assert {("link1", "link4"), ("link2", "link6"), ("link3", "link5")} <= set(pairs)


def test_motions_of_the_book():
    t = np.linspace(0, 10, 401)
    for name, stop in (("stanford", STANFORD_STOP), ("kuka-kr5", [np.pi / 3] * 6)):
        robot = redyn.load(name)
        q, _, _ = cycloidal(robot.initial, stop, 10.0)(t)
        assert clearance(robot, q, travel=travel(robot, q)).distance.min() > 0.05
    # The PUMA's forearm comes down on the upper arm when joint 3 passes 90 degrees: b4 = a2 and a3 is only 2 cm.
    robot = redyn.load("puma")
    q, _, _ = cycloidal(robot.initial, [np.pi] * 6, 10.0)(t)
    found = clearance(robot, q)
    assert set(found.touched) == {("link2", "link5"), ("link2", "link6")}
    touching = q[found.touching.any(axis=1), 2]
    assert np.radians(80) < touching.min() < np.pi / 2 < touching.max() < np.radians(105)


def test_the_kuka_can_hit_itself():
    robot = redyn.load("kuka-kr5")
    found = clearance(robot, np.array([robot.random(seed) for seed in range(200)]))
    assert 0 < found.touching.any(axis=1).sum() < 200


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0, 0],), r"q: expected 3 numbers, one per joint"),
        (([0, 0, np.nan],), r"q: expected finite"),
        (([0, 0, 0], -1), r"radius: expected positive"),
        (([0, 0, 0], [1, 2]), r"radius: expected one positive number or 3"),
        (([0, 0, 0], "thick"), r"radius: expected one positive number or 3"),
        (([0, 0, 0], None, [0, 1]), r"travel: expected \(3, 2\)"),
        (([0, 0, 0], None, [[1, 0]] * 3), r"travel: expected \(3, 2\)"),
    ],
)
def test_bad_input(arguments, message):
    with pytest.raises(redyn.RedynError, match=message):
        clearance(redyn.load("three-link"), *arguments)


def test_poses_of_many_states_are_computed_together(monkeypatch):
    """Whatever the number of pairs that are compared at a time; one by one takes long without kernels."""
    robot = redyn.load("kuka-kr5")
    q = np.array([robot.random(np.random.default_rng(k)) for k in range(25)])
    expected = clearance(robot, q).between
    asked, module = [], sys.modules["redyn.kinematics.clearance"]
    poses = module.link_poses
    monkeypatch.setattr(module, "link_poses", lambda robot, q: asked.append(len(q)) or poses(robot, q))
    monkeypatch.setattr(module, "BLOCK", 1)
    monkeypatch.setattr(module, "STATES", 10)
    np.testing.assert_array_equal(clearance(robot, q).between, expected)
    assert asked == [10, 10, 5]
