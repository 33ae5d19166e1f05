"""The kinematics of the studio: all solutions of a pose, what is said of them, and what is kept."""

import json
from base64 import b64decode

import numpy as np
import pytest

from redyn.errors import InputError
from redyn.studio import keep, takeaway
from redyn.studio.opening import open_source
from redyn.studio.reaching import abilities, cloud, reach, transform
from redyn.studio.state import State


@pytest.fixture
def state():
    made = State.first("puma")
    made.q = np.array([0.1, -0.6, 0.4, 0.5, 0.9, 0.2])
    made.pose.begin(made.robot, made.q)
    yield made
    made.close()


def solved(state):
    state.reached = reach(lambda part, note: None, state.reach_order())
    return state.reached


def test_the_fields_start_with_the_present_pose_and_go_there_and_back(state):
    pose = state.robot.forward_kinematics(state.q)
    np.testing.assert_allclose(state.pose.pose(), pose, atol=1e-11)
    state.pose.way = "matrix"
    np.testing.assert_allclose(state.pose.pose(), pose, atol=1e-11)
    found = solved(state)
    assert len(found.found) == len(found.rows(state.robot)) == len(found.ghosts(state.robot)) == 8
    assert found.sentence == "8 solutions, closed form: the axes of joint4, joint5, joint6 meet in a point."
    assert found.at(state.q) == 0
    state.go_to(3)
    assert found.at(state.q) == 3
    np.testing.assert_allclose(state.robot.forward_kinematics(state.q), pose, atol=1e-9)
    with pytest.raises(InputError, match="the list has changed"):
        state.go_to(8)


def test_six_numbers_and_the_matrix_follow_each_other(state):
    state.pose.numbers = ["0.3", "1/10", "0.2", "90 deg", "0", "-pi/2"]
    state.pose.follow()
    assert state.pose.matrix[0] == ["0", "0", "-1", "0.3"]
    state.pose.way = "matrix"
    state.pose.matrix = [["1", "0", "0", "0.4"], ["0", "0.7071", "-0.7071", "0"], ["0", "0.7071", "0.7071", "0.1"]]
    state.pose.follow()
    np.testing.assert_allclose(state.pose.pose()[:3, :3] @ state.pose.pose()[:3, :3].T, np.eye(3), atol=1e-15)
    assert state.pose.numbers == ["0.4", "0", "0.1", "pi/4", "0", "0"]


@pytest.mark.parametrize(
    ("way", "at", "text", "said"),
    [
        ("rpy", 0, "abc", "x: expected a number"),
        ("rpy", 2, " ", "z: empty"),
        ("rpy", 1, "2e6", "y: expected a number up to"),
        ("rpy", 1, "90 deg", "y: "),
        ("matrix", 0, "2", "not those of a rotation"),
        ("matrix", 3, "", "row 1, column 4: empty"),
    ],
)
def test_a_pose_that_is_none_says_where_and_nothing_is_lost(state, way, at, text, said):
    before = [list(row) for row in state.pose.matrix]
    state.pose.way = way
    (state.pose.numbers if way == "rpy" else state.pose.matrix[0])[at] = text
    state.pose.follow()
    with pytest.raises(InputError, match=said):
        state.reach_order()
    if way == "rpy":
        assert state.pose.matrix == before


def test_out_of_reach_and_out_of_the_limits_are_said(state):
    state.pose.numbers[0] = "3"
    found = solved(state)
    assert found.sentence.startswith("Not reachable: the point where the axes")
    assert found.rows(state.robot) == found.ghosts(state.robot) == []
    assert found.at(state.q) == -1
    state.open(open_source("franka-panda"))
    state.pose.begin(state.robot, state.q)
    found = solved(state)
    assert "these are some of infinitely many" in found.sentence
    assert "within the joint limits" in found.sentence
    beyond = [row for row in found.rows(state.robot) if not row["within"]]
    assert beyond
    assert all(row["note"].startswith("beyond limits: joint") for row in beyond)


def test_a_singular_pose_says_which_joints_are_free(state):
    state.q = np.array([0.1, -0.6, 0.4, 0.5, 0.0, 0.2])
    state.pose.use(state.robot, state.q)
    assert "free: joint4, joint6" in [row["note"] for row in solved(state).rows(state.robot)]
    now = abilities(state.robot, state.q, state.pose.frame)
    assert now.singular == "wrist: joint4, joint6"
    assert now.share < 0.01


def test_an_arm_of_two_joints_reaches_positions(state):
    state.open(open_source("two-link"))
    state.q = np.array([0.3, 0.8])
    state.pose.begin(state.robot, state.q)
    assert state.pose.counts == "position"
    found = solved(state)
    assert len(found.found) == 2
    assert found.sentence == "2 solutions, found by search from 400 starts: there may be more."


def test_what_depends_on_the_pose(state):
    now = abilities(state.robot, state.q, "link6")
    at = state.robot.manipulability(state.q)
    np.testing.assert_array_equal(now.jacobian, state.robot.jacobian(state.q))
    assert now.share == float(at.regularity)
    assert now.sentence.startswith(f"Manipulability {float(at.index):.3g}")
    drawn = now.ellipsoid(np.zeros(3))
    assert drawn["radii"] == at.translation.radii.tolist()
    T = transform(state.robot, state.q, "link6", "world")
    np.testing.assert_array_equal(T, state.robot.forward_kinematics(state.q))
    np.testing.assert_allclose(transform(state.robot, state.q, "world", "link6") @ T, np.eye(4), atol=1e-15)


def test_robots_with_loops_and_floating_bases(state):
    state.open(open_source("four-bar"))
    state.pose.begin(state.robot, state.q)
    assert solved(state).at(state.q) == 0
    now = abilities(state.robot, state.q, state.pose.frame)
    assert (now.share, now.ellipsoid(np.zeros(3))) == (None, None)
    assert "robots with loops" in now.sentence
    state.open(open_source("dual-arm-satellite"))
    state.pose.begin(state.robot, state.q)
    with pytest.raises(InputError, match="such as a floating base"):
        state.reach_order()
    assert abilities(state.robot, state.q, state.pose.frame).share is not None


def test_the_frame_follows_what_drags_it(state):
    before, q = state.robot.forward_kinematics(state.q), state.q
    place = before[:3, 3] + [0.02, -0.01, 0.03]
    assert state.drag(place) == ""
    pose = state.robot.forward_kinematics(state.q)
    np.testing.assert_allclose(pose[:3, 3], place, atol=1e-7)
    np.testing.assert_allclose(pose[:3, :3], before[:3, :3], atol=1e-7)
    assert np.abs(state.q - q).max() < 0.3
    assert state.drag(np.array([9.0, 0.0, 0.0])) == "The frame can go no further that way."
    with pytest.raises(InputError, match="three numbers"):
        state.drag(np.array([np.nan, 0.0, 0.0]))
    state.open(open_source("two-link"))
    state.pose.begin(state.robot, state.q)
    state.q = np.array([0.3, 0.8])
    assert state.drag(np.array([1.2, 1.1, 0.0])) == ""
    np.testing.assert_allclose(state.robot.forward_kinematics(state.q)[:2, 3], [1.2, 1.1], atol=1e-7)


def test_solutions_of_another_robot_or_pose_are_not_shown(state):
    solved(state)
    state.cloud = cloud(lambda part, note: None, state.cloud_order())
    state.editor.set_cell(1, "a", "0.5")
    state.follow_editor()
    assert state.reached is state.cloud is None
    assert state.pose.numbers, "what was typed stays"
    state.editor.set_cell(1, "a", "x")
    with pytest.raises(InputError, match="the tables contain an error"):
        state.reach_order()
    state.open(open_source("two-link"))
    assert (state.pose.frame, state.pose.numbers) == ("link2", [])


def test_the_workspace_and_its_sections(state):
    found = cloud(lambda part, note: None, state.cloud_order())
    assert found.points.shape == (40_000, 3)
    assert found.sentence.startswith("40,000 random positions within the joint limits: x from")
    whole, part = (np.frombuffer(b64decode(found.data(plane)["points"]), "<f4").reshape(-1, 3) for plane in ("", "xz"))
    assert 100 < len(part) < len(whole) == 40_000
    assert np.ptp(part[:, 1]) < 0.05 * np.ptp(whole[:, 1])


def test_the_form_is_kept_and_what_does_not_fit_is_left_out(state):
    state.pose.numbers[0], state.pose.way, state.pose.ghosts = "0.25 +", "matrix", False
    state.pose.seen_from, state.tab = "link3", "kinematics"
    kept = json.loads(json.dumps(keep.snapshot(state)))
    other = State.first("two-link")
    keep.restore(other, kept)
    assert other.pose == state.pose
    assert (other.tab, other.playing) == ("kinematics", "inverse")
    kept["pose"] |= {"frame": "nothing", "way": "words", "numbers": ["1"], "before": "equations"}
    keep.restore(other, kept)
    assert (other.pose.frame, other.pose.way, other.pose.numbers) == ("link6", "rpy", [])
    for wrong in ({**kept, "pose": {"way": []}}, {**kept, "pose": {**kept["pose"], "matrix": 3}}):
        with pytest.raises(InputError, match="cannot be read"):
            keep.restore(other, wrong)
    del kept["pose"]  # saved before there was one
    keep.restore(other, kept)
    assert other.pose.numbers == []
    other.close()


def test_equations_and_kinematics_play_the_motion_of_the_tab_before(state):
    for tab in ("forward", "equations", "kinematics"):
        state.choose(tab)
    assert state.playing == "forward"


@pytest.mark.parametrize("name", ["puma", "two-link", "four-bar", "dual-arm-satellite"])
def test_python_repeats_what_is_shown(name, capsys):
    state = State.first(name)
    state.choose("kinematics")
    exec(takeaway.python(state), {})
    printed = capsys.readouterr().out
    assert "Jacobian" in printed
    assert ("solutions" in takeaway.python(state)) == (name != "dual-arm-satellite")
    state.close()
