"""Gaits and the walks that are made of them."""

import numpy as np
import pytest

import redyn
from redyn.simulation.walking import CRAWL, STEPPING, TRIPOD, standing
from redyn.trajectory import body_shift, redysim_trot, walk
from redyn.trajectory.gait import gait_of, schedule
from redyn.trajectory.walk import pressure_points


@pytest.fixture(scope="module")
def hexapod():
    return redyn.load("hexapod")


@pytest.fixture(scope="module", params=["quadruped", "biped", "hexapod"])
def planned(request):
    """A robot, its gait, and a walk of two strides."""
    robot = redyn.load(request.param)
    gait = {"quadruped": CRAWL, "biped": STEPPING, "hexapod": TRIPOD}[request.param]
    if request.param == "quadruped":
        return robot, gait, walk(robot, gait, 2, direction=[0, 0, 1], start=standing(robot))
    return robot, gait, walk(robot, gait, 2)


def test_feet_go_where_the_gait_says(planned):
    robot, gait, motion = planned
    t = np.linspace(0.0, motion.duration, 2001)
    places, rotations = motion.legs.places(motion(t)[0])
    up, flying = motion.legs.up, motion.swinging(t)
    start, end = places[0], places[-1]
    heights = (places - start) @ up
    np.testing.assert_allclose(heights.max(axis=0), gait["lift"], atol=1e-4)
    assert heights.min() > -1e-6
    forward = np.array([0, 0, 1]) if robot.name == "quadruped" else np.array([1, 0, 0])
    np.testing.assert_allclose(end - start, np.broadcast_to(2 * gait["stride"] * forward, end.shape), atol=1e-9)
    standing_still = ~(flying[1:] | flying[:-1])
    assert np.linalg.norm(np.diff(places, axis=0), axis=2)[standing_still].max() < 1e-6  # of splines between knots
    if robot.name == "biped":  # legs of six joints keep the feet level
        assert np.abs(rotations - rotations[0]).max() < 1e-5


def test_groups_take_turns(planned):
    _, gait, motion = planned
    t = np.linspace(0.0, motion.duration, 4001)
    flying = motion.swinging(t)
    groups = [[group] if isinstance(group, str) else group for group in gait["order"]]
    in_air = np.stack([flying[:, [motion.feet.index(name) for name in group]].any(axis=1) for group in groups], axis=1)
    assert in_air.sum(axis=1).max() == 1
    middle = (t > motion.swings[len(motion.feet)].start) & (t < motion.swings[-len(motion.feet)].stop)
    part = flying[middle].mean()
    assert part == pytest.approx(1 - gait["duty"], abs=0.07)


def test_the_motion_is_its_own_derivative(planned):
    """A single time and many give the same; rates and accelerations are those of the positions, base included."""
    robot, _, motion = planned
    t, h = 1.7321, 1e-5
    q, qd, qdd = motion(t)
    for single, row in zip((q, qd, qdd), motion(np.array([t])), strict=True):
        np.testing.assert_allclose(single, row[0], rtol=0, atol=1e-11)
    before, after = motion(t - h), motion(t + h)
    np.testing.assert_allclose(robot.difference(before[0], after[0]) / (2 * h), qd, atol=1e-5)
    np.testing.assert_allclose((after[1] - before[1]) / (2 * h), qdd, atol=1e-2)


def test_the_force_of_the_ground_acts_where_it_was_planned(planned):
    """By the inverse dynamics of the whole robot; momentum says the same, by differences."""
    robot, _, motion = planned
    t = np.linspace(0.5, motion.duration - 0.5, 301)
    height = float((motion.legs.places(motion(t[:1])[0])[0][0].mean(axis=0)) @ motion.legs.up)
    found = pressure_points(motion, t, height)
    assert np.abs(found - motion.pressure(t)[0]).max() < 0.005
    k, h = 120, 1e-4
    (q0, v0, _), (q1, v1, _) = motion(t[k] - h), motion(t[k] + h)
    rate = (robot.momentum(q1, v1) - robot.momentum(q0, v0)) / (2 * h)
    q = motion(t[k])[0]
    weight = robot.total_mass * robot.gravity
    force = rate[3:] - weight
    moment = rate[:3] - np.cross(robot.com(q), weight) - np.cross(found[k], force)
    level = moment - (moment @ motion.legs.up) * motion.legs.up
    assert np.abs(level).max() < 1e-3 * robot.total_mass * 9.81


def test_the_body_is_steady_on_many_feet(hexapod):
    """Six feet leave room for a steady body: its speed hardly changes once it walks."""
    motion = walk(hexapod, TRIPOD, 4)
    t = np.linspace(1.8, motion.duration - 1.8, 200)
    speed = motion(t)[1][:, 3]
    assert speed == pytest.approx(np.full(200, TRIPOD["stride"] / TRIPOD["period"]), rel=0.15)
    assert np.abs(motion(t)[0][:, 1]).max() < 0.01


def test_loads_add_up(hexapod):
    names = redyn.trajectory.legs.legs_of(hexapod).names
    gait = gait_of(TRIPOD, names)
    t = np.linspace(0.0, 5.0, 501)
    plan = schedule(gait, gait.swings(names, 3, 0.5), len(names), t)
    np.testing.assert_allclose(plan.load.sum(axis=1), 1.0, atol=1e-12)
    assert not plan.load[plan.height > 0].any()
    assert plan.load.min() >= 0


def test_body_shift_keeps_the_feet():
    robot = redyn.load("quadruped")
    start = standing(robot)
    motion = body_shift(robot, start, [0.03, -0.2, 0.02], 1.0)
    places = motion.legs.places(motion(np.linspace(0, 1, 101))[0])[0]
    assert np.abs(places - places[0]).max() < 1e-6
    np.testing.assert_allclose(motion(1.0)[0][:3], start[:3] + np.array([0.03, -0.2, 0.02]), atol=1e-12)


def test_redysims_trot():
    """Feet that stand do not move, the others rise by 9 cm; rates are those of positions, across a change of step."""
    robot = redyn.load("quadruped")
    t = np.linspace(0.0, 0.999, 200)
    q = redysim_trot(t)[0]
    feet = redyn.trajectory.legs.legs_of(robot).places(q)[0]
    assert np.abs(feet[:, [0, 3]] - feet[0, [0, 3]]).max() < 1e-12
    assert feet[:, [1, 2], 1].max() == pytest.approx(0.09, abs=1e-4)
    h = 1e-6
    for instant in (0.3, 0.77, 1.4, 2.9):
        before, at, after = (redysim_trot(instant + k * h) for k in (-1, 0, 1))
        np.testing.assert_allclose((after[0] - before[0])[7:] / (2 * h), at[1][6:], atol=1e-8)
        np.testing.assert_allclose((after[1] - before[1]) / (2 * h), at[2], atol=1e-7)
    np.testing.assert_allclose(redysim_trot(1 - 1e-12)[0][7:], redysim_trot(1.0)[0][7:], atol=1e-9)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"duty": 0.4}, r"gait.duty: expected 0.5 to less than 1, since 2 groups of feet .* got 0.4"),
        ({"duty": "most"}, "gait.duty: expected a number, got 'most'"),
        ({"lift": 0}, "gait.lift: expected a positive number, got 0"),
        ({"order": ["left-front-foot"]}, r"gait.order: expected every foot once \(left-front-foot, left-middle-foot"),
        ({"order": 3}, "gait.order: expected groups of feet, such as"),
        ({"stride": 0.9}, r"cannot be where the motion wants it: it misses by .* make strides shorter"),
        ({"pace": 1}, "gait: 'pace' is not a field; they are period, duty, stride, lift, order"),
    ],
)
def test_bad_gaits(hexapod, change, message):
    with pytest.raises(redyn.InputError, match=message):
        walk(hexapod, TRIPOD | change, 1)


def test_bad_walks(hexapod):
    with pytest.raises(redyn.InputError, match="gait: lift is missing"):
        walk(hexapod, {key: value for key, value in TRIPOD.items() if key != "lift"}, 1)
    with pytest.raises(redyn.InputError, match="at least two groups"):
        walk(hexapod, TRIPOD | {"order": [TRIPOD["order"][0] + TRIPOD["order"][1]]}, 1)
    with pytest.raises(redyn.InputError, match=r"direction: \[0.0, 0.0, 1.0\] is not along the ground; up is"):
        walk(hexapod, TRIPOD, 1, direction=[0, 0, 1])
    with pytest.raises(redyn.InputError, match=r"strides: expected a whole number from 1, got 1\.5"):
        walk(hexapod, TRIPOD, 1.5)
    with pytest.raises(redyn.InputError, match="has no floating base"):
        walk(redyn.load("puma"), TRIPOD, 1)
    with pytest.raises(redyn.InputError, match="has no contacts on its legs; name the links that are its feet"):
        walk(redyn.load("spatial-biped"), TRIPOD, 1)
    with pytest.raises(redyn.InputError, match="left-front-foot and left-front-tibia share"):
        walk(hexapod, TRIPOD, 1, feet=["left-front-foot", "left-front-tibia"])
