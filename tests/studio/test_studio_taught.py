"""Taught points in the studio: from the list to the motion, its torques, its Python and its limits."""

import json
import pickle

import numpy as np
import pytest

import redyn
from redyn.errors import InputError
from redyn.studio import keep, takeaway, work
from redyn.studio.opening import open_source
from redyn.studio.plans import KINDS
from redyn.studio.state import State

HOME = [0.1, -0.6, 0.4, 0.5, 0.9, 0.2]
AWAY = [0.5, -0.4, 0.3, 0.5, 0.9, 0.2]


@pytest.fixture
def state():
    made = State.first("puma")
    made.motion.kind = "taught"
    for q in (HOME, AWAY):
        made.motion.taught.teach(made.robot, np.array(q))
    yield made
    made.close()


def below(state, depth=0.1):
    """The joint values at which the end effector is below that of HOME."""
    pose = state.robot.forward_kinematics(HOME)
    pose[2, 3] -= depth
    return state.robot.inverse_kinematics_all(pose, start=HOME).solutions[0]


def test_the_list_becomes_a_motion(state):
    assert KINDS["taught"] == "Taught points"
    form = state.motion.taught
    form.teach(state.robot, below(state))
    form.move(2, -1)
    form.points[1].leg, form.points[1].dwell = "line", "0.5"
    form.points[2].leg, form.points[2].duration = "cycloidal", "2"
    found = state.run_inverse()
    points = [
        HOME,
        redyn.trajectory.Point(q=below(state), leg="line", dwell=0.5),
        redyn.trajectory.Point(q=AWAY, leg="cycloidal", duration=2.0),
    ]
    motion = redyn.trajectory.taught(state.robot, points)
    assert found.t[-1] == pytest.approx(motion.duration)
    q, qd, qdd = motion(found.t)
    np.testing.assert_allclose(found.q, q, atol=1e-9)
    np.testing.assert_allclose(found.tau, state.robot.inverse_dynamics(q, qd, qdd), atol=1e-6)
    line = found.path[found.t < motion.instants[1]]
    assert np.ptp(line[:, :2], axis=0).max() < 1e-9


def test_teaching_replaces_and_goes_back(state):
    form = state.motion.taught
    state.q = np.array(AWAY) + 0.1
    form.teach(state.robot, state.q, 0)
    state.reset()
    state.go_to_point(0)
    np.testing.assert_array_equal(state.q, np.array(AWAY) + 0.1)
    form.points[0].q[0] = "30 deg"
    state.go_to_point(0)
    assert state.q[0] == np.radians(30)
    before = list(form.points)
    form.move(0, -1)
    assert form.points == before


def test_a_circle_needs_its_third_point(state):
    form = state.motion.taught
    form.points[1].q = form.points[0].q
    form.teach(state.robot, below(state))
    form.points.pop(1)
    form.points[1].leg = "circle"
    with pytest.raises(InputError, match="point 2: a circle passes a third point"):
        state.inverse_order()
    form.teach_via(state.robot, below(state, 0.05), 1)
    x, y, z = (float(part) for part in form.points[1].via.split(","))
    form.points[1].via = f"{x + 0.05}, {y}, {z}"
    found = state.run_inverse()
    middle = found.path.mean(axis=0)
    assert middle[0] > found.path[0, 0] + 0.01
    form.points[1].via = "1, 2"
    with pytest.raises(InputError, match="point 2, via: expected three numbers"):
        state.inverse_order()


@pytest.mark.parametrize(
    ("at", "name", "text", "said"),
    [
        (1, "dwell", "-1", "point 2, dwell: expected a number from 0"),
        (1, "duration", "soon", "point 2, time: expected a number"),
        (1, "blend", "1 x", "point 2, blend: "),
        (1, "leg", "hop", "point 2: expected one of quintic"),
        (1, "duration", "4000", "point 2, time: expected a number from 0 to 3600"),
    ],
)
def test_errors_name_the_point_and_the_field(state, at, name, text, said):
    setattr(state.motion.taught.points[at], name, text)
    with pytest.raises(InputError, match=said):
        state.inverse_order()
    assert getattr(state.motion.taught.points[at], name) == text


def test_errors_of_the_whole_list(state):
    form = state.motion.taught
    form.points[1].q[2] = "x"
    with pytest.raises(InputError, match="point 2 of joint3: expected"):
        state.inverse_order()
    form.points[1].q = [*form.points[0].q[:5], "0.2 + 2*pi"]
    form.points[1].leg = "line"
    with pytest.raises(InputError, match=r"point 2: the line ends with joint6 at 0.2, .*or choose another leg"):
        state.inverse_order()
    form.points[1].leg = "quintic"
    for what in ("speed", "acceleration"):
        setattr(form, what, "1, 2")
        with pytest.raises(InputError, match=f"{what}: expected one positive number, or 6 of them"):
            state.inverse_order()
        setattr(form, what, "")
    form.points.pop()
    with pytest.raises(InputError, match="at least twice"):
        state.inverse_order()


def test_limits_are_kept_or_shown_in_red(state):
    form = state.motion.taught
    form.speed, form.acceleration = "0.2", "1, 1, 1, 1, 1, 1"
    found = state.run_inverse()
    assert not found.beyond
    assert np.abs(found.qd).max() <= 0.2 * (1 + 1e-9)
    form.points[1].duration = "0.5"
    found = state.run_inverse()
    said = " ".join(found.beyond)
    assert "its speed limit of 0.2 rad/s" in said
    assert "its acceleration limit of 1 rad/s²" in said
    plots = work.inverse_plots(found)
    assert plots["qd"].beyond.any()
    assert plots["qdd"].beyond.any()


def test_blends_by_time_and_by_distance(state):
    form = state.motion.taught
    form.teach(state.robot, np.array(HOME))
    whole = state.run_inverse().t[-1]
    for text in ("0.2 s", "0.05", "0.05 m"):
        form.points[1].blend = text
        assert state.run_inverse().t[-1] < whole


def test_python_report_and_control_repeat_it(state):
    form = state.motion.taught
    form.speed, form.points[1].leg = "0.5", "spline"
    found = state.run_inverse()
    space = {}
    exec(takeaway.python(state), space)
    np.testing.assert_allclose(space["tau"], found.tau, atol=1e-9)
    assert "taught points in" in takeaway.report(state)[1].decode()
    state.run.drive, state.run.duration = "computed", "0.1"
    order = pickle.loads(pickle.dumps(state.forward_order()))
    assert order.plan.motion.taught == found.plan.taught


def test_the_list_is_kept_with_its_mistakes(state):
    form = state.motion.taught
    form.points[1].leg, form.points[1].dwell, form.speed = "line", "a while", "2"
    kept = json.loads(json.dumps(keep.snapshot(state)))
    other = State.first("two-link")
    keep.restore(other, kept)
    assert (other.motion.taught, other.motion.kind) == (form, "taught")
    kept["motion"]["taught"]["points"][0]["q"] = ["1"]
    kept["motion"]["taught"]["points"][1]["leg"] = "hop"
    keep.restore(other, kept)
    assert [point.leg for point in other.motion.taught.points] == ["quintic"]
    kept["motion"]["taught"] = {"points": 3}
    with pytest.raises(InputError, match="cannot be read"):
        keep.restore(other, kept)
    other.close()


def test_an_edit_of_the_robot_keeps_the_list_and_another_robot_does_not(state):
    state.editor.set_cell(1, "a", "0.5")
    state.follow_editor()
    assert (len(state.motion.taught.points), state.motion.kind) == (2, "taught")
    state.editor.set_cell(0, "theta", "0.1")
    state.follow_editor()
    assert (len(state.motion.taught.points), state.motion.kind) == (2, "taught")
    state.open(open_source("four-bar"))
    assert (state.motion.taught.points, state.motion.kind) == ([], "cycloidal")
    state.motion.kind = "taught"
    with pytest.raises(InputError, match="Robots with loops"):
        state.inverse_order()
    with pytest.raises(InputError, match="Robots with loops"):
        state.motion.taught.teach(state.robot, state.q)


def on_a_line(state):
    """Two points, the second below the first, reached by a line."""
    form = state.motion.taught
    form.points[0].q = [repr(float(x)) for x in HOME]
    form.points[1].q = [repr(float(x)) for x in below(state)]
    form.points[1].leg = "line"
    return form


def test_limits_of_the_tip_are_kept_or_shown_in_red(state):
    form = on_a_line(state)
    assert form.has_paths
    free = state.run_inverse()
    assert free.tip is None
    form.tip_speed, form.tip_acceleration, form.tip_angular_speed = "0.02", "1", "20 deg"
    slow = state.run_inverse()
    assert slow.t[-1] > 1.5 * free.t[-1]
    speed = np.linalg.norm(np.gradient(slow.path, slow.t, axis=0), axis=1)
    assert speed.max() == pytest.approx(0.02, rel=1e-2)
    assert not slow.beyond
    assert work.inverse_plots(slow)["path"].beyond is None
    form.points[1].duration = "0.5"
    quick = state.run_inverse()
    said = " ".join(quick.beyond)
    assert "the end effector exceeds its speed limit of 0.02 m/s from" in said
    assert work.inverse_plots(quick)["path"].beyond.any()
    form.points[1].leg = "quintic"  # not by a path: no limit of the tip
    assert not form.has_paths
    assert "the end effector" not in " ".join(state.run_inverse().beyond)


def test_limits_of_the_tip_are_repeated_in_python_and_kept(state):
    form = on_a_line(state)
    form.tip_speed, form.tip_angular_speed = "1/20", "30 deg"
    found = state.run_inverse()
    assert found.plan.taught.tip == {"tip_speed": 0.05, "tip_angular_speed": np.pi / 6}
    space = {}
    exec(takeaway.python(state), space)
    np.testing.assert_allclose(space["tau"], found.tau, atol=1e-9)
    kept = json.loads(json.dumps(keep.snapshot(state)))
    other = State.first("two-link")
    keep.restore(other, kept)
    assert other.motion.taught == form
    for name in ("tip_speed", "tip_acceleration", "tip_angular_speed"):
        del kept["motion"]["taught"][name]  # of an earlier version
    keep.restore(other, kept)
    assert other.motion.taught.tip_speed == ""
    other.close()
    for text in ("0", "-1", "fast", "1, 2"):
        form.tip_speed = text
        with pytest.raises(InputError, match="tip speed: expected"):
            state.inverse_order()
