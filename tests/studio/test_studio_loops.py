"""The studio with closed loops, without a browser: tables, poses, motions, runs, code and what a browser keeps."""

import json

import numpy as np
import pytest

import redyn
from redyn.errors import InputError
from redyn.robot import Robot
from redyn.studio import keep, takeaway, work
from redyn.studio.convention import other_convention
from redyn.studio.entries import entries, whole_pose
from redyn.studio.links import new_robot
from redyn.studio.loop_rows import loop_columns
from redyn.studio.opening import opened
from redyn.studio.state import State
from redyn.studio.table import draft_of
from redyn.studio.table import read as read_draft
from studio_files import upload_motion, upload_torque

MECHANISMS = [
    *("four-bar", "slider-crank", "five-bar", "3-rrr", "stewart", "delta", "parallelogram-arm", "excavator", "hoeken"),
    *("andrews", "bricard"),
]
BENT = (1.0, -0.9, -1.2)  # rad


def chain(count=3, convention="dh"):
    """Rods of one metre, as a newcomer begins."""
    state = State.first(opened(new_robot(convention), []))
    for _ in range(count - 1):
        state.editor.add_link()
    state.follow_editor()
    return state


def four_bar(convention="dh"):
    state = chain(3, convention)
    for slider, value in enumerate(BENT):
        state.jog(slider, value)
    state.editor.add_loop(state.closing())
    assert state.follow_editor()
    return state


def gap(state):
    return np.abs(state.robot.loop_error(state.q)).max()


# --- mechanisms of the library ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MECHANISMS)
def test_every_mechanism_opens_moves_and_runs(name):
    state = State.first(name)
    robot = state.robot
    assert not state.mistake
    assert not state.open_loop
    assert set(state.loop_gaps.values()) == {"closed"}
    assert read_draft(draft_of(robot.description)) == robot.description
    found = state.run_inverse()
    assert np.abs(robot.loop_error(found.q)).max() < 1e-9
    np.testing.assert_allclose(found.tau, robot.inverse_dynamics(found.q, found.qd, found.qdd))
    assert set(work.inverse_plots(found)) >= {"torque", "q"}
    state.run.duration = "0.1"
    (run,) = work.forward(lambda *_: None, state.forward_order()).runs
    assert not run.trouble
    assert run.loop_gap < 1e-9
    slider = entries(robot).qd[0]
    value = state.q[entries(robot).q[0]]
    assert not state.jog(slider, value + 0.01)
    assert state.q[entries(robot).q[0]] == pytest.approx(value + 0.01)
    assert gap(state) < 1e-9
    assert 0 < state.regularity <= 1


@pytest.mark.parametrize(("name", "kind"), [("3-rrr", "circle"), ("stewart", "screw")])
def test_paths_have_default_values_that_work(name, kind):
    state = State.first(name)
    state.motion.kind = kind
    found = state.run_inverse()
    tips = state.robot.forward_kinematics(found.q)[:, :3, 3]
    path = state.motion.path.plan(kind)
    np.testing.assert_allclose(found.q[0], state.robot.initial, atol=1e-8)
    if kind == "circle":
        radius = np.linalg.norm(tips - path.centre, axis=1)
        np.testing.assert_allclose(radius, radius[0], rtol=1e-8)
        np.testing.assert_allclose(tips[-1], tips[0], atol=1e-8)
        assert radius[0] > 0.01
    else:
        assert tips[-1][2] - tips[0][2] == pytest.approx(path.advance) != 0


def test_the_radius_of_a_circle_moves_its_centre():
    state = State.first("3-rrr")
    state.motion.kind = "circle"
    state.motion.fit_path(state.robot)
    path = state.motion.path
    path.set_radius(state.robot, "0.05")
    assert path.radius(state.robot) == "0.05"
    found = state.run_inverse()
    tips = state.robot.forward_kinematics(found.q)[:, :3, 3]
    assert np.ptp(tips[:, 0]) == pytest.approx(0.1, rel=1e-4)
    with pytest.raises(InputError, match="radius"):
        path.set_radius(state.robot, "wide")


def test_a_robot_that_moves_along_one_curve_says_so():
    state = State.first("slider-crank")
    state.motion.kind = "circle"
    with pytest.raises(InputError, match=r"cannot move along a circle .* one curve only"):
        state.run_inverse()
    state.open(opened(redyn.load("five-bar").description, []))
    assert state.motion.kind == "cycloidal"  # another robot may be unable to follow a path


# --- a four-bar from nothing --------------------------------------------------------------------------------------


@pytest.mark.parametrize("convention", ["dh", "modified-dh", "frames"])
def test_a_loop_takes_the_pose_that_is_shown(convention):
    state = four_bar(convention)
    robot = state.robot
    assert (robot.mobility, robot.actuated) == (1, ["joint1"])
    np.testing.assert_allclose(robot.initial, BENT, atol=1e-12)
    end = np.cumsum(np.exp(1j * np.cumsum(BENT)))[-1]
    np.testing.assert_allclose(robot.description.loops[0].meets, [end.real, end.imag, 0.0], atol=1e-12)
    assert "link3 is pinned to the ground" in state.editor.note
    assert "mobility 1" in " ".join(state.loop_facts).lower()
    assert len(state.motion.start) == 1
    assert state.run_inverse().tau[:, 1:].any() == np.False_
    state.editor.undo()
    state.follow_editor()
    assert not state.robot.model.loops
    assert len(state.motion.start) == 3


def test_poses_in_which_no_loop_can_be_closed_are_refused():
    with pytest.raises(InputError, match="stretched out"):
        chain(3).closing()
    short = chain(2)
    short.jog(1, 1.0)
    with pytest.raises(InputError, match="at least three links"):
        short.closing()
    with pytest.raises(InputError, match="pinned to the ground already"):
        four_bar().closing()


def test_a_spatial_pin_keeps_its_axis():
    state = chain(4)
    state.editor.set_cell(0, "alpha", "90 deg")
    state.follow_editor()
    for slider, value in enumerate((0.4, *BENT)):
        state.jog(slider, value)
    state.editor.add_loop(state.closing())
    state.follow_editor()
    row = state.editor.draft.loops[0]
    assert row["frame1"]
    assert {"frame1", "frame2"} <= set(loop_columns(state.editor.draft.loops))
    assert state.loop_gaps == {"loop1": "closed"}
    assert state.robot.mobility == 1
    assert state.run_inverse().t[-1] == 10


def test_two_pins_make_two_loops():
    state = four_bar()
    for _ in range(2):
        state.editor.add_link()
    state.follow_editor()
    assert state.robot.actuated == ["joint1", "joint4", "joint5"]
    state.jog(3, 1.0)
    state.jog(4, 0.7)
    state.editor.add_loop(state.closing())
    state.follow_editor()
    assert [loop.name for loop in state.robot.loops] == ["loop1", "loop2"]
    assert state.robot.mobility == len(state.robot.actuated) == 1
    assert gap(state) < 1e-9
    state.run_inverse()


# --- tables -------------------------------------------------------------------------------------------------------


def test_which_joints_are_driven():
    state = four_bar()
    state.editor.set_cell(0, "driven", "")
    state.follow_editor()
    assert state.robot.actuated == []
    with pytest.raises(InputError, match="tick more joints in the column 'driven'"):
        state.run_inverse()
    state.editor.set_cell(1, "driven", "yes")
    state.follow_editor()
    assert entries(state.robot).names(state.robot) == ["joint2"]
    tau = state.run_inverse().tau
    assert np.abs(tau[:, 1]).max() > 1
    assert not tau[:, [0, 2]].any()
    with pytest.raises(InputError, match="joint1 is passive"):
        state.jog(0, 1.0)
    state.editor.set_cell(0, "driven", "yes")
    state.follow_editor()
    found = state.run_inverse()
    assert found.tau[:, :2].any(axis=0).all()  # shared among both
    assert np.ptp(found.q[:, 0]) > 0.5


@pytest.mark.parametrize(
    ("column", "text", "message"),
    [
        ("second", "link3", "loop1, second: .* with itself"),
        ("second", "nobody", "loop1, second: .* no link is called 'nobody'"),
        ("joint", "weld", "loop1, joint: expected 'revolute'"),
        ("at", "1, 2", "loop1, at: expected three numbers"),
        ("at", "", "loop1, at: at is missing"),
        ("axis", "0, 0, 0", "loop1, axis: .* expected a direction"),
        ("frame1", "0, 0, 0, 0, 0, 0", "loop1, frame2: give both frames"),
        ("length", "2", "loop1, length: length does not apply"),
        ("name", "", "loop 1, name: expected a name"),
    ],
)
def test_mistakes_in_the_table_of_loops(column, text, message):
    state = four_bar()
    assert not state.editor.set_loop(0, column, text)
    assert state.editor.wrong_tables() == {"loops"}
    with pytest.raises(InputError, match=message):
        state.check_right()
    assert state.editor.undo() is not False
    assert not state.mistake


@pytest.mark.parametrize(("parent", "message"), [("link2", "form a loop"), ("link3", "form a loop"), ("", "a name")])
def test_mistakes_of_parents(parent, message):
    editor = chain(3).editor
    assert not editor.set_cell(1, "parent", parent)
    assert (editor.problems[0].row, editor.problems[0].column) == (1, "parent")
    assert message in editor.mistake


def test_a_tree_by_its_parents():
    state = chain(3)
    state.editor.set_cell(2, "parent", "link1")
    state.follow_editor()
    assert [str(link.parent) for link in state.robot.description.links] == ["world", "link1", "link1"]


def test_an_open_loop_shows_its_gap():
    state = four_bar()
    state.editor.set_loop(0, "meets", "5, 0, 0")
    state.follow_editor()
    assert "stays open by" in state.open_loop
    assert state.loop_gaps["loop1"].endswith(" m")
    for ask in (state.inverse_order, state.forward_order, state.closing, lambda: takeaway.python(state)):
        with pytest.raises(InputError, match="nothing can be computed: loop 'loop1' cannot be closed"):
            ask()
    assert state.regularity is None
    assert not state.jog(1, 0.3)  # every joint of the tree moves on its own
    assert read_draft(state.editor.draft) == state.robot.description
    state.editor.undo()
    state.follow_editor()
    assert not state.open_loop


def test_loops_that_leave_nothing_mobile():
    state = four_bar()
    state.editor.set_loop(0, "joint", "fixed")
    state.follow_editor()
    assert "mobility 0" in state.open_loop
    with pytest.raises(InputError, match="mobility 0"):
        state.run_inverse()


def test_changing_what_a_loop_connects_leaves_its_joint_where_it_is():
    state = four_bar()
    before = state.robot.forward_kinematics(state.q, "link3")[:3, 3]
    state.editor.set_loop(0, "second", "link1")
    state.follow_editor()
    T = state.robot.forward_kinematics(state.robot.initial, "link1")
    np.testing.assert_allclose(T[:3, :3] @ state.robot.description.loops[0].meets + T[:3, 3], before, atol=1e-9)
    assert not state.open_loop


def test_kinds_of_loops_fill_in_what_they_need():
    editor = four_bar().editor
    editor.set_loop(0, "joint", "distance")
    assert editor.draft.loops[0]["length"]
    assert "length" in loop_columns(editor.draft.loops)
    editor.set_loop(0, "joint", "gear")
    assert [editor.draft.loops[0][end] for end in ("first", "second")] == ["joint3", "joint1"]
    editor.set_loop(0, "coefficients", "0, -2")
    assert not editor.problems
    editor.set_loop(0, "joint", "revolute")
    assert editor.draft.loops[0]["first"] == "link3"


def test_links_of_loops_are_renamed_and_removed():
    state = four_bar()
    state.editor.set_cell(2, "name", "rocker")
    assert state.editor.draft.loops[0]["first"] == "rocker"
    state.editor.remove_link(2)
    assert not state.editor.draft.loops
    assert "loop1" in state.editor.note
    state.editor.undo()
    state.editor.remove_loop(0)
    assert not state.editor.draft.loops
    assert state.follow_editor()
    assert len(state.motion.start) == 3
    with pytest.raises(InputError, match="select a loop first"):
        state.editor.remove_loop(None)


@pytest.mark.parametrize("convention", ["dh", "modified-dh"])
def test_the_other_convention_keeps_the_loops(convention):
    robot = four_bar(convention).robot
    other = Robot(other_convention(robot.description))
    q, qd, tau = *robot.complete([1.1], [0.4])[:2], np.zeros(3)
    np.testing.assert_allclose(other.forward_dynamics(q, qd, tau), robot.forward_dynamics(q, qd, tau), atol=1e-9)


# --- poses --------------------------------------------------------------------------------------------------------


def test_a_slider_moves_and_the_rest_follows():
    state = State.first("four-bar")
    assert not state.jog(0, 0.5)
    np.testing.assert_allclose(state.q, state.robot.complete([0.5]).q, atol=1e-9)
    state.reset()
    np.testing.assert_array_equal(state.q, state.robot.initial)


def test_a_slider_stops_where_the_loops_reach_no_further():
    state = four_bar()
    said = state.jog(0, 3.0)
    assert "joint1 can go no further: loop 'loop1'" in said
    assert BENT[0] < state.q[0] < 3.0
    assert gap(state) < 1e-9


def test_the_meter_falls_towards_a_singular_position():
    state = four_bar()
    usual = state.regularity
    state.jog(0, 3.0)
    assert state.regularity < 0.6 * usual
    assert State.first("puma").regularity is None


def test_the_end_effector_of_a_mechanism_is_jogged():
    state = State.first("3-rrr")
    before = state.robot.forward_kinematics(state.q)[:3, 3]
    state.jog_tip(0, 0.02)
    np.testing.assert_allclose(state.robot.forward_kinematics(state.q)[:3, 3] - before, [0.02, 0, 0], atol=1e-6)
    assert gap(state) < 1e-9


# --- what is computed ---------------------------------------------------------------------------------------------


def test_torques_by_cause_and_reactions():
    found = four_bar().run_inverse()
    np.testing.assert_allclose(sum(found.parts), found.tau, atol=1e-9)
    assert found.wrenches.shape == (len(found.t), 3, 6)
    assert np.isfinite(found.loop_wrenches[:, 0, 3:5]).all()
    assert np.isnan(found.loop_wrenches[:, 0, 5]).all()  # across the plane
    assert work.inverse_plots(found)["torque"].names == ["joint1"]


@pytest.mark.parametrize("drive", ["none", "constant", "pd", "computed"])
def test_forward_dynamics_of_every_drive(drive):
    state = State.first("five-bar")
    state.run.drive, state.run.duration = drive, "0.2"
    order = state.forward_order()
    (run,) = work.forward(lambda *_: None, order).runs
    assert not run.trouble
    assert run.loop_gap < 1e-9
    state.tab = "forward"
    names: dict = {"print": lambda *_: None}
    exec(takeaway.python(state), names)
    np.testing.assert_array_equal(names["run"].q[-1], run.run.q[-1])


@pytest.mark.parametrize("kind", ["cycloidal", "quintic", "circle", "screw"])
def test_the_script_repeats_the_torques(kind):
    state = State.first("3-rrr")
    state.motion.kind = kind
    found = state.run_inverse()
    names: dict = {"print": lambda *_: None}
    exec(takeaway.python(state), names)
    np.testing.assert_allclose(names["tau"], found.tau, atol=1e-9)


def test_files_of_driven_joints():
    state = State.first("five-bar")
    left, right = state.robot.initial[entries(state.robot).q]
    rows = "\n".join(f"{t},{left + 0.1 * t},{right - 0.1 * t}" for t in (0.0, 1.0, 2.0))
    upload_motion(state, "motion.csv", f"t,q_left,q_right\n{rows}\n".encode())
    found = state.run_inverse()
    assert found.q[-1][entries(state.robot).q] == pytest.approx([left + 0.2, right - 0.2])
    assert np.abs(state.robot.loop_error(found.q)).max() < 1e-9
    upload_torque(state, "torque.csv", b"t,tau_left,tau_right\n0,1,0\n1,1,0\n")
    state.run.duration = "0.1"
    (run,) = work.forward(lambda *_: None, state.forward_order()).runs
    np.testing.assert_allclose(run.run.tau[:, state.robot.driven_rates], [[1.0, 0.0]] * len(run.run.t))


def test_matrices_are_those_of_the_tree():
    state = four_bar()
    found = state.matrices()
    np.testing.assert_array_equal(found["gravity"][:, 0], state.robot.tree.gravity_torque(state.q))
    assert found["mass"].shape == (3, 3)


def test_a_report_of_a_mechanism():
    state = four_bar()
    found = state.run_inverse()
    assert [loop["name"] for loop in found.scene["loops"]] == ["loop1"]
    assert len(found.scene["view"]["mounts"]) == 2  # of the first joint and of the pin
    name, content = takeaway.report(state)
    assert name.endswith(".html")
    assert b"my-robot" in content


# --- what a browser keeps -----------------------------------------------------------------------------------------


def test_loops_and_paths_are_kept():
    state = State.first("3-rrr")
    state.motion.kind = "circle"
    state.motion.fit_path(state.robot)
    state.motion.path.set_radius(state.robot, "0.05")
    state.editor.set_cell(0, "driven", "")
    state.editor.set_cell(1, "driven", "yes")
    state.follow_editor()
    back = State.first("two-link")
    keep.restore(back, json.loads(json.dumps(keep.snapshot(state))))
    assert back.robot.description == state.robot.description
    assert back.editor.draft.loops == state.editor.draft.loops
    assert (back.motion.kind, back.motion.path) == (state.motion.kind, state.motion.path)
    np.testing.assert_array_equal(back.q, back.robot.initial)


def test_an_edit_keeps_what_was_typed():
    state = four_bar()
    state.motion.stop, state.motion.typed = ["0.8"], True
    state.editor.set_loop(0, "meets", "1.9, 0, 0")
    state.follow_editor()
    assert not np.array_equal(state.robot.initial, BENT)
    assert state.motion.stop == ["0.8"]
    assert whole_pose(state.robot, [0.8])[0] == pytest.approx(0.8)
    state.run_inverse()
