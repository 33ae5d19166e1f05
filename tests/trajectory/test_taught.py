"""Taught points: every point is reached, position and rate never jump, and limits are kept."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import redyn
from known_robots import two_link
from motions import is_derivative
from redyn.simulation.controllers import computed_torque
from redyn.trajectory import Point, from_csv, taught
from redyn.trajectory.pace import tip_motion
from redyn.trajectory.paths import Arc

HOME = np.array([0.1, -0.6, 0.4, 0.5, 0.9, 0.2])
LAWS = ["cycloidal", "quintic", "cubic", "trapezoidal"]


@pytest.fixture(scope="module")
def puma():
    return redyn.load("puma")


def shifted(robot, shift, q=HOME):
    pose = robot.forward_kinematics(q)
    pose[:3, 3] += shift
    return pose


def is_continuous(motion):
    """Steps of position and rate are no longer than rate and acceleration allow, across all instants."""
    t = np.union1d(np.linspace(-0.1, motion.duration + 0.1, 4001), motion.times(2, 0.0, motion.duration))
    t = np.union1d(t, motion.times(2, 0.0, motion.duration) - 1e-9)
    q, qd, qdd = motion(t)
    step = np.diff(t)[:, None]
    assert (np.abs(np.diff(q, axis=0)) <= step * np.abs(qd).max() * 1.01 + 1e-9).all()
    assert (np.abs(np.diff(qd, axis=0)) <= step * np.abs(qdd).max() * 1.05 + 1e-8 * np.abs(qdd).max()).all()
    for end in (0.0, motion.duration):
        assert np.abs(motion(end)[1]).max() < 1e-9


def keeps(motion, speed, acceleration):
    _, qd, qdd = motion(motion.times(4001, 0.0, motion.duration))
    assert (np.abs(qd) <= speed * (1 + 1e-5)).all()
    assert (np.abs(qdd) <= acceleration * (1 + 1e-4)).all()


rows = st.lists(st.floats(-2, 2), min_size=2, max_size=2).map(np.array)
points = st.builds(
    Point,
    q=rows,
    leg=st.sampled_from(LAWS),
    blend_time=st.sampled_from([0.0, 0.0, 0.2, 5.0]),
    duration=st.sampled_from([None, None, 1.5]),
)


@settings(max_examples=25)
@given(st.lists(points, min_size=2, max_size=5))
def test_joint_laws(given_points):
    robot = two_link()
    motion = taught(robot, given_points, speed=0.7, acceleration=[1.0, 2.0])
    is_continuous(motion)
    if all(point.duration is None for point in given_points):
        keeps(motion, 0.7, np.array([1.0, 2.0]))
    np.testing.assert_allclose(motion(0.0)[0], given_points[0].q, atol=1e-12)
    np.testing.assert_allclose(motion(motion.duration)[0], given_points[-1].q, atol=1e-9)
    for point, instant in zip(given_points[1:], motion.instants[1:], strict=True):
        if not point.blend_time:
            np.testing.assert_allclose(motion(instant)[0], point.q, atol=1e-9)


@pytest.mark.parametrize("law", LAWS)
def test_a_leg_is_as_quick_as_its_limits(law):
    robot = two_link()
    motion = taught(robot, [[0, 0], Point(q=[2.0, 1.0], leg=law)], speed=0.5, acceleration=100.0)
    _, qd, _ = motion(motion.times(2001, 0.0, motion.duration))
    assert np.abs(qd).max() == pytest.approx(0.5, rel=1e-5)
    motion = taught(robot, [[0, 0], Point(q=[2.0, 1.0], leg=law)], speed=100.0, acceleration=0.5)
    _, _, qdd = motion(motion.times(2001, 0.0, motion.duration))
    assert np.abs(qdd).max() == pytest.approx(0.5, rel=1e-4)


def test_limits_of_the_file():
    robot = two_link(speed_limit=0.25)
    motion = taught(robot, [[0, 0], [1.0, 0.2]])
    keeps(motion, 0.25, 0.5)
    assert motion.violations(robot) == []
    quick = taught(robot, [[0, 0], Point(q=[1.0, 0.2], duration=0.5)])
    assert [v.quantity for v in quick.violations(robot)] == ["speed", "speed"]


def test_all_kinds_of_legs(puma):
    via = shifted(puma, [0.1, 0.1, -0.1])[:3, 3]
    given_points = [
        HOME,
        Point(pose=shifted(puma, [0, 0, -0.1]), leg="line", blend_radius=0.03),
        Point(pose=shifted(puma, [0.05, 0.1, -0.1]), leg="line"),
        Point(pose=shifted(puma, [0.1, 0, 0]), leg="circle", via=via, dwell=0.3),
        Point(q=[0.5, -0.4, 0.3, 0.5, 0.9, 0.2], leg="trapezoidal", blend_time=0.3),
        Point(q=[0.6, -0.2, 0.3, 0.5, 0.9, 0.2], leg="spline"),
        Point(q=[0.8, -0.4, 0.1, 0.2, 0.9, 0.2], leg="spline"),
        Point(pose=puma.forward_kinematics(HOME), leg="cycloidal"),
    ]
    motion = taught(puma, given_points)
    is_continuous(motion)
    is_derivative(motion)
    keeps(motion, 1.0, 2.0)
    at = puma.forward_kinematics(motion(motion.instants)[0])
    for k in (2, 3, 7):
        np.testing.assert_allclose(at[k], given_points[k].pose, atol=1e-9)
    for k in (5, 6):
        np.testing.assert_allclose(motion(motion.instants[k])[0], given_points[k].q, atol=1e-9)
    assert np.abs(motion(motion.instants[5])[1]).max() > 0.05  # passes without a stop
    still = motion(motion.instants[3] + np.array([0.0, 0.1, 0.29]))
    assert np.abs(still[1]).max() < 1e-12
    assert np.linalg.norm(at[1, :3, 3] - given_points[1].pose[:3, 3]) < 0.03
    t = np.linspace(0, motion.duration, 60)
    tau = puma.inverse_dynamics(*motion(t))
    assert np.isfinite(tau).all()


def test_a_line_is_straight_and_a_circle_round(puma):
    start, stop = puma.forward_kinematics(HOME)[:3, 3], shifted(puma, [0.1, 0.1, -0.1])
    motion = taught(puma, [HOME, Point(pose=stop, leg="line")])
    way = puma.forward_kinematics(motion(np.linspace(0, motion.duration, 40))[0])[:, :3, 3] - start
    assert np.abs(np.cross(way, stop[:3, 3] - start)).max() < 1e-10
    via = start + np.array([0.1, 0.0, 0.0])
    motion = taught(puma, [HOME, Point(pose=stop, leg="circle", via=via)])
    way = puma.forward_kinematics(motion(np.linspace(0, motion.duration, 400))[0])[:, :3, 3]
    assert np.linalg.norm(way - via, axis=1).min() < 1e-3
    a, b = via - start, stop[:3, 3] - start
    centre = start + np.linalg.lstsq(np.array([a, b, np.cross(a, b)]), [a @ a / 2, b @ b / 2, 0], rcond=None)[0]
    np.testing.assert_allclose(np.linalg.norm(way - centre, axis=1), np.linalg.norm(start - centre), atol=1e-9)


@given(st.lists(st.floats(-1, 1), min_size=6, max_size=6), st.floats(0.1, 6.0))
def test_arcs(numbers, angle):
    """Through three points of a circle of known centre, in the direction of the second."""
    axis, out = np.array(numbers[:3]), np.array(numbers[3:])
    if np.linalg.norm(np.cross(axis, out)) < 0.1:
        return
    axis /= np.linalg.norm(axis)
    out = np.cross(axis, out)
    first, last = np.eye(4), np.eye(4)
    first[:3, 3] = out
    turned = [np.cos(x) * out + np.sin(x) * np.cross(axis, out) for x in (angle / 3, angle)]
    last[:3, 3] = turned[1]
    arc = Arc.through("arc", first, turned[0], last)
    np.testing.assert_allclose(arc.centre, 0, atol=1e-9)
    np.testing.assert_allclose(arc.turn, angle * axis, atol=1e-8)
    s = np.linspace(0, 1, 7)
    ahead, behind = arc.poses(s + 1e-6)[:, :3, 3], arc.poses(s - 1e-6)[:, :3, 3]
    np.testing.assert_allclose(arc.twists(s)[:, 3:], (ahead - behind) / 2e-6, atol=1e-6)
    change = (arc.twists(s + 1e-6) - arc.twists(s - 1e-6)) / 2e-6
    np.testing.assert_allclose(arc.twist_rates(s), change, atol=1e-5)


def test_poses_take_the_nearest_branch(puma):
    for q in np.random.default_rng(0).uniform(-1, 1, (5, 6)):
        motion = taught(puma, [q + 0.05, Point(pose=puma.forward_kinematics(q))])
        np.testing.assert_allclose(motion(motion.duration)[0], q, atol=1e-9)


def test_blends_stay_within_their_radius(puma):
    corner = shifted(puma, [0, 0, -0.15])
    legs = [
        HOME,
        Point(pose=corner, leg="line", blend_radius=0.04),
        Point(pose=shifted(puma, [0.15, 0, -0.15]), leg="line"),
    ]
    sharp = [legs[0], Point(pose=corner, leg="line"), legs[2]]
    round_motion, sharp_motion = taught(puma, legs), taught(puma, sharp)
    assert round_motion.duration < sharp_motion.duration - 0.01
    tip = puma.forward_kinematics(round_motion(np.linspace(0, round_motion.duration, 800))[0])[:, :3, 3]
    start, end = puma.forward_kinematics(HOME)[:3, 3], legs[2].pose[:3, 3]
    beside = np.minimum(
        np.linalg.norm(np.cross(tip - start, [0, 0, 1]), axis=1), np.linalg.norm(np.cross(tip - end, [1, 0, 0]), axis=1)
    )
    inside = np.linalg.norm(tip - corner[:3, 3], axis=1) < 0.0401
    assert beside[~inside].max() < 1e-9  # on the lines
    assert beside[inside].max() > 1e-4


def test_a_controller_follows_it(puma):
    motion = taught(puma, [HOME, Point(q=HOME + 0.1, blend_time=0.1), HOME - 0.1])
    run = redyn.simulate(puma, HOME, np.zeros(6), motion.duration, computed_torque(puma, motion, 100.0, 20.0))
    np.testing.assert_allclose(run.q[-1], HOME - 0.1, atol=1e-5)


def test_csv(puma, tmp_path):
    motion = taught(puma, [HOME, HOME + 0.1, HOME - 0.1])
    motion.to_csv(tmp_path / "motion.csv", puma)
    again = from_csv(tmp_path / "motion.csv", puma.joint_names)
    assert again.duration == pytest.approx(motion.duration)
    t = np.linspace(0, motion.duration, 100)
    np.testing.assert_allclose(again(t)[0], motion(t)[0], atol=1e-6)
    with pytest.raises(redyn.InputError, match="sample: expected a positive"):
        motion.to_csv(tmp_path / "motion.csv", puma, sample=0.0)


@pytest.mark.parametrize(
    ("given_points", "message"),
    [
        ([HOME], "at least two points"),
        ([HOME, Point()], r"points\[1\]: expected either q or pose"),
        ([HOME, Point(q=HOME, pose=np.eye(4))], "either q or pose"),
        ([HOME, Point(q=HOME, leg="jump")], "leg must be one of cycloidal, quintic"),
        ([HOME, Point(q=HOME, leg="circle")], "via is the point"),
        ([HOME, Point(q=HOME, via=[0, 0, 0])], "via is the point"),
        ([HOME, Point(q=HOME, dwell=-1.0)], "dwell must be a number from 0"),
        ([HOME, Point(q=HOME, duration=0.0)], "duration must be a positive"),
        ([HOME, Point(q=HOME, dwell=1.0, blend_time=1.0)], "give one of dwell"),
        ([HOME, [0.0, 0.0]], r"points\[1\]\.q"),
        ([HOME, Point(pose=np.diag([1.0, 1.0, 1.0, 2.0]))], r"points\[1\]\.pose: the last row"),
        ([HOME, Point(q=-HOME, leg="line")], r"points\[1\]: "),
        ([HOME, Point(q=HOME, leg="spline")], "different points in succession"),
    ],
)
def test_mistakes(puma, given_points, message):
    with pytest.raises(redyn.InputError, match=message):
        taught(puma, given_points)


def test_out_of_reach_is_said(puma):
    with pytest.raises(redyn.InputError, match=r"points\[1\]: .* m out of reach"):
        taught(puma, [HOME, Point(pose=shifted(puma, [2.0, 0, 0]))])
    with pytest.raises(redyn.InputError, match="speed and acceleration must be positive"):
        taught(puma, [HOME, HOME + 0.1], speed=0.0)
    four_bar = redyn.load("four-bar")
    with pytest.raises(redyn.InputError, match="closed loops"):
        taught(four_bar, [four_bar.initial, four_bar.initial])


def tip(robot, motion, t):
    """Speeds of the end effector by differences of its poses, independently of Jacobians."""
    step = 1e-4
    before, here, after = (robot.forward_kinematics(motion(t + shift)[0]) for shift in (-step, 0.0, step))
    v = (after[:, :3, 3] - before[:, :3, 3]) / (2 * step)
    a = (after[:, :3, 3] - 2 * here[:, :3, 3] + before[:, :3, 3]) / step**2
    turned = np.einsum("nij,nkj->nik", after[:, :3, :3], before[:, :3, :3])
    sines = 0.5 * np.stack([turned[:, i, j] - turned[:, j, i] for i, j in ((2, 1), (0, 2), (1, 0))], axis=1)
    return (np.linalg.norm(x, axis=1).max() for x in (v, a, sines / (2 * step)))


@pytest.mark.parametrize("leg", ["line", "circle"])
@pytest.mark.parametrize(
    ("limit", "which"),
    [({"tip_speed": 0.05}, 0), ({"tip_acceleration": 0.02}, 1), ({"tip_angular_speed": 0.03}, 2)],
)
def test_limits_of_the_tip(puma, leg, limit, which):
    there = shifted(puma, [0.05, 0.1, -0.15])
    there[:3, :3] = puma.forward_kinematics(HOME + np.array([0, 0, 0, 0.1, 0.1, 0.1]))[:3, :3]
    via = shifted(puma, [0.1, 0.0, -0.1])[:3, 3] if leg == "circle" else None
    points = [HOME, Point(pose=there, leg=leg, via=via), Point(q=HOME)]
    free, held = taught(puma, points), taught(puma, points, **limit)
    assert held.legs[0].duration > 1.5 * free.legs[0].duration
    assert held.legs[1].duration == pytest.approx(free.legs[1].duration)  # a joint law has no limits of the tip
    t = np.linspace(1e-3, held.legs[0].duration - 1e-3, 2001)
    most = next(iter(limit.values()))
    assert list(tip(puma, held, t))[which] == pytest.approx(most, rel=1e-3)  # and it is as quick as it may be
    moves = tip_motion(puma, *held(t))
    np.testing.assert_allclose([x.max() for x in moves], list(tip(puma, held, t)), rtol=1e-3)
    given = taught(puma, [HOME, Point(pose=there, leg=leg, via=via, duration=0.5)], **limit)
    assert given.duration == 0.5  # as typed
    assert held.on_path(t).all()
    assert not held.on_path(np.array([held.duration])).any()


def test_a_blend_of_two_lines_keeps_the_limits_of_the_tip(puma):
    corners = [shifted(puma, shift) for shift in ([0.1, 0.0, 0.0], [0.1, 0.1, 0.0])]
    points = [HOME, Point(pose=corners[0], leg="line", blend_time=5.0), Point(pose=corners[1], leg="line")]
    motion = taught(puma, points, speed=10.0, acceleration=100.0, tip_speed=0.1, tip_acceleration=0.4)
    speed, acceleration, _ = tip(puma, motion, np.linspace(1e-3, motion.duration - 1e-3, 4001))
    assert speed <= 0.1 * (1 + 1e-3)
    assert acceleration <= 0.4 * (1 + 1e-2)
    assert motion.duration < sum(leg.duration for leg in motion.legs)


@pytest.mark.parametrize("wrong", [0.0, -1.0, np.nan, "fast", np.inf])
def test_limits_of_the_tip_must_be_positive(puma, wrong):
    with pytest.raises(redyn.RedynError, match="tip_speed must be a positive number"):
        taught(puma, [HOME, HOME + 0.1], tip_speed=wrong)
