"""The studio with joints of every kind, without a browser: tables, forms, sliders, runs and code to take home."""

from typing import get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import redyn
from random_robots import close, random_joints, random_motion
from redyn.description import from_mapping, library, read
from redyn.description.schema import JointType
from redyn.robot import Robot
from redyn.studio import formulas, takeaway, work
from redyn.studio.coordinates import coordinate_heads, coordinate_units, slid, slider_values, sliders
from redyn.studio.editor import Editor
from redyn.studio.entries import entries, guided
from redyn.studio.links import new_robot
from redyn.studio.opening import open_source
from redyn.studio.state import State
from redyn.studio.table import draft_of
from redyn.studio.table import read as read_draft
from studio_files import upload_motion, upload_robot

TREES = ["dual-arm-satellite", "gripper", "planar-biped", "spatial-biped"]
BODY = {"mass": 1.0, "com": [0.1, 0.0, -0.2], "inertia": [0.02, 0.03, 0.04]}
MIXED = {
    "name": "mixed",
    "convention": "frames",
    "links": [
        {"name": "a", "joint": {"name": "cardan", "type": "universal"}, "axis": [1, 0, 0], "axis2": [0, 1, 0], **BODY},
        {"name": "b", "joint": {"name": "ball", "type": "spherical"}, "xyz": [0, 0, 0.5], **BODY},
        {"name": "c", "joint": {"name": "screw", "type": "helical", "pitch": 0.02}, "xyz": [0, 0, 0.5], **BODY},
        {"name": "d", "joint": {"name": "rod", "type": "cylindrical"}, "xyz": [0.2, 0, 0], **BODY},
    ],
}
any_joints = st.builds(random_joints, seed=st.integers(0, 10**9), n=st.integers(1, 5))


def opened(name):
    """A robot of the library, or the mixed one as an upload."""
    state = State.first("two-link")
    if name == "mixed":
        upload_robot(state, "mixed.yaml", redyn.load(MIXED).to_yaml().encode())
    else:
        state.open(open_source(name))
    return state


def executed(code):
    names: dict = {}
    exec(compile(code, "studio.py", "exec"), names)
    return names


# --- tables -----------------------------------------------------------------------------------------------------


@settings(max_examples=12, deadline=None)
@given(any_joints)
def test_tables_hold_joints_of_any_kind(data):
    description = from_mapping(data)
    assert read_draft(draft_of(description)) == description


def test_any_type_can_be_chosen_and_taken_back():
    editor = Editor(new_robot("frames"))
    assert editor.add_link()
    for column, text in (("lower", "-1"), ("upper", "1"), ("offset", "0.5"), ("initial", "0.2")):
        editor.set_cell(1, column, text)
    assert not editor.problems
    for kind in get_args(JointType):
        before = editor.draft
        assert editor.set_cell(1, "joint", kind), (kind, editor.problems)
        assert editor.description.links[1].joint.type == kind
        assert ("axis2" in editor.draft.columns(), "pitch" in editor.draft.columns()) == (
            kind == "universal",
            kind == "helical",
        )
        robot = Robot(editor.description)
        assert robot.nq == len(robot.initial) == len(coordinate_heads(robot)) == len(coordinate_units(robot))
        assert editor.set_cell(1, "joint", "revolute"), (kind, editor.problems)
        while editor.draft != before:
            editor.undo()


@pytest.mark.parametrize(
    ("column", "text", "message"),
    [
        ("initial", "0, 0, 1", "initial: a free joint needs x, y, z, qx, qy, qz, qw, got 3 numbers"),
        ("initial", "0, 0, 1, 0, 0, 1, 1", "not have norm 1"),
        ("initial", "0, 0, up, 0, 0, 0, 1", "expected a number"),
        ("axis", "0, 0, 1", "a free joint has no axis"),
        ("offset", "1", "offset does not apply to a free joint"),
    ],
)
def test_a_mistake_is_at_its_cell(column, text, message):
    editor = Editor(read("spatial-biped"))
    assert not editor.set_cell(0, column, text)
    assert [(problem.row, problem.column) for problem in editor.problems] == [(0, column)]
    assert message in editor.problems[0].reason


def test_the_start_of_a_free_joint_is_one_cell():
    state = State.first("spatial-biped")
    assert state.editor.set_cell(0, "initial", "1, 2, 3, 0, 0, 0, 1")
    assert state.follow_editor()
    np.testing.assert_array_equal(state.q[:7], [1, 2, 3, 0, 0, 0, 1])
    assert state.run.q[:3] == ["1", "2", "3"]


def test_another_type_of_joint_renews_the_forms():
    """Seven revolute joints and a free one have as many numbers in q; they mean other things."""
    editor = Editor(new_robot("frames"))
    for _ in range(6):
        editor.add_link()
    state = State(editor, Robot(editor.description), np.zeros(7))
    state.motion.fit(state.robot)
    state.run.fit(state.robot)
    for _ in range(6):
        editor.remove_link(1)
    editor.set_cell(0, "joint", "free")
    assert state.follow_editor()
    assert state.run.q == ["0"] * 6 + ["1"]
    assert len(state.run.qd) == 6


# --- sliders ----------------------------------------------------------------------------------------------------


@settings(max_examples=12, deadline=None)
@given(any_joints, st.integers(0, 10**9))
def test_a_slider_moves_its_own_number(data, seed):
    robot = redyn.load(data)
    rng = np.random.default_rng(seed)
    q = robot.random(rng)
    values = slider_values(robot, q)
    if robot.nq == robot.dof:
        np.testing.assert_array_equal(values, q)
    k = int(rng.integers(robot.dof))
    values[k] *= rng.uniform(0, 1)  # a turn stays below half a turn, beyond which another vector is the shorter one
    moved = slid(robot, q, k, float(values[k]))
    close(slider_values(robot, moved), values, tolerance=1e-7)  # a turn by nearly pi is hard to measure
    assert len(sliders(robot)) == robot.dof


def test_sliders_of_a_free_joint_turn_it_where_it_is():
    state = State.first("spatial-biped")
    place = state.robot.initial[:3]
    state.jog(0, 0.3)
    state.jog(2, -0.7)
    pose = state.robot.forward_kinematics(state.q, "trunk")
    np.testing.assert_allclose(pose[:3, :3], Rotation.from_rotvec([0.3, 0.0, -0.7]).as_matrix(), atol=1e-12)
    np.testing.assert_array_equal(pose[:3, 3], place)
    state.jog(5, 2.0)
    pose = state.robot.forward_kinematics(state.q, "trunk")
    np.testing.assert_allclose(pose[:3, 3], [*place[:2], 2.0], atol=1e-12)
    names = [slider["name"] for slider in sliders(state.robot)[:6]]
    assert names == ["base.rotation x", "base.rotation y", "base.rotation z", "base.x", "base.y", "base.z"]


# --- what is computed -------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", [*TREES, "mixed"])
def test_robots_with_any_joints(name, capsys):
    """Open, jog, inverse and forward dynamics, plots, and the code of each tab."""
    state = opened(name)
    robot = state.robot
    state.motion.duration = state.run.duration = "0.5"
    for k in range(robot.dof):
        state.jog(k, 0.1)
    assert state.q.shape == (robot.nq,)
    found = state.run_inverse()
    assert {p["legend"] for p in (work.plot_data(robot, found.t, plot) for plot in work.inverse_plots(found).values())}
    assert found.wrenches.shape[1:] == (len(robot.joint_names), 6)
    np.testing.assert_array_equal(executed(takeaway.python(state))["tau"], found.tau)
    state.tab = "forward"
    state.run.torque = ["0.1"] * robot.dof
    for drive in ("none", "constant"):
        state.run.drive = drive
        done = work.forward(lambda part, note: None, state.forward_order())
        run = done.runs[0].run
        assert run.t[-1] == 0.5
        assert not done.runs[0].trouble
        plots = {key: work.plot_data(robot, run.t, plot) for key, plot in work.run_plots(run).items()}
        assert (len(plots["q"]["colours"]), len(plots["qd"]["colours"])) == (robot.nq, robot.dof)
        state.forward = done
        np.testing.assert_array_equal(executed(takeaway.python(state))["run"].q, run.q)
    state.tab = "equations"
    executed(takeaway.python(state))
    assert "mass matrix" in capsys.readouterr().out
    assert state.tip_can_jog == (robot.nq == robot.dof)
    if not state.tip_can_jog:
        with pytest.raises(redyn.RedynError, match="quaternion"):
            state.jog_tip(0, 0.01)
    state.close()


@settings(max_examples=8, deadline=None)
@given(any_joints, st.integers(0, 10**9), st.sampled_from(["cycloidal", "quintic"]))
def test_rates_are_those_of_the_motion(data, seed, kind):
    """Also where q holds quaternions: by differences of the configurations."""
    robot = redyn.load(data)
    start, stop = random_motion(robot, seed, (2,))[0]
    motion = work.MotionPlan(kind, tuple(start), tuple(stop), 1.0).motion(robot)
    t, h = np.linspace(0.1, 0.9, 9), 1e-4
    (before, rate0, _), (_, rate, acceleration), (after, rate1, _) = motion(t - h), motion(t), motion(t + h)
    close(robot.difference(before, after) / (2 * h), rate, tolerance=1e-5)
    close((rate1 - rate0) / (2 * h), acceleration, tolerance=1e-5)
    for at, goal in ((0.0, start), (1.0, stop)):
        close(robot.difference(motion(at)[0], goal), np.zeros(robot.dof), tolerance=1e-7)


@pytest.mark.slow
def test_a_ball_joint_is_driven_to_a_pose():
    ball = {"name": "ball", "joint": {"name": "ball", "type": "spherical"}, **BODY}
    data = {"name": "ball", "convention": "frames", "links": [ball]}
    state = State.first("two-link")
    upload_robot(state, "ball.yaml", redyn.load(data).to_yaml().encode())
    state.tab, state.run.drive, state.run.target = "forward", "pd", ["0", "0", "1", "1"]
    run = work.forward(lambda part, note: None, state.forward_order()).runs[0].run
    goal = np.array([0.0, 0.0, np.sqrt(0.5), np.sqrt(0.5)])
    np.testing.assert_allclose(run.q[-1], goal, atol=1e-4)
    np.testing.assert_array_equal(executed(takeaway.python(state))["run"].q, run.q)
    state.motion.stop = ["0", "0", "1", "1"]
    state.motion.duration, state.run.duration, state.run.drive = "1", "1", "computed"
    run = work.forward(lambda part, note: None, state.forward_order()).runs[0].run
    np.testing.assert_allclose(run.q[-1], goal, atol=1e-5)
    np.testing.assert_array_equal(executed(takeaway.python(state))["run"].q, run.q)
    state.run.target = ["0"] * 4
    state.run.drive = "pd"
    with pytest.raises(redyn.RedynError, match=r"target of ball: .* 0, 0, 0, 1 is no rotation"):
        state.forward_order()
    with pytest.raises(redyn.RedynError, match=r"^motion\.csv: ball has joints with quaternions"):
        upload_motion(state, "motion.csv", b"t,q_ball.qx\n0,0\n1,1\n")
    state.close()


def test_every_robot_of_the_library_opens():
    for name in library():
        state = State.first(name)
        robot = state.robot
        plan = state.run.plan(robot, state.motion)
        entered = entries(robot).q  # all, but where loops are closed
        q, qd = plan.state(robot)
        assert (len(q), len(qd)) == (robot.nq, robot.dof)
        np.testing.assert_allclose(q, robot.initial, rtol=1e-15, atol=1e-9 * (len(entered) < robot.nq))
        np.testing.assert_array_equal(plan.q, robot.initial[entered])
        driven = guided(robot).q  # the same, but modes and links behind elastic gears are not driven
        np.testing.assert_allclose(state.motion.plan(robot).start, robot.initial[driven], rtol=1e-15)


def test_a_fall_is_short():
    state = State.first("two-link")
    durations = []
    for name in ("planar-biped", "dual-arm-satellite", "spatial-biped", "puma"):
        state.open(open_source(name))
        durations.append(state.run.duration)
    assert durations == ["1", "5", "1", "5"]
    for typed in ("3", "5"):
        state.run.set_duration(typed)
        state.open(open_source("planar-biped"))
        assert state.run.duration == typed


def test_two_robots_with_other_numbers_are_compared(capsys):
    state = State.first("two-link")
    state.tab, state.run.duration, state.run.compare = "forward", "0.1", "robot:dual-arm-satellite"
    done = work.forward(lambda part, note: None, state.forward_order())
    np.testing.assert_array_equal(executed(takeaway.python(state))["other"].q, done.runs[1].run.q)


def test_equations_of_a_spherical_pendulum():
    """Four coordinates, three rates: matrices are of the rates."""
    bob = {"joint": "spherical", "mass": 2.0, "com": [0.0, 0.0, -0.5], "inertia": [0.1, 0.1, 0.02]}
    robot = redyn.load({"name": "spherical-pendulum", "convention": "frames", "links": [bob]})
    shown = formulas.derive(lambda share, label: None, robot.description)
    assert [len(row) for row in shown.mass.rows] == [3, 3, 3]
    assert [len(row) for row in shown.gravity.rows] == [1, 1, 1]
