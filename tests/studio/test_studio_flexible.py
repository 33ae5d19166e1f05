"""Robots whose links bend or whose gears give, in the studio without a browser."""

import json

import numpy as np
import pytest

import redyn
from redyn.description import read
from redyn.description.numbers import parse_angle
from redyn.errors import InputError
from redyn.studio import comparing, keep, takeaway, work
from redyn.studio.appendix import appendix
from redyn.studio.coordinates import sliders
from redyn.studio.dh_steps import dh_steps
from redyn.studio.editor import Editor, table_of
from redyn.studio.entries import entries, guided, planned, straightened
from redyn.studio.flexible_cells import kept_text
from redyn.studio.opening import farthest_tip, open_source
from redyn.studio.panels.bending import reaction_names
from redyn.studio.panels.columns import link_columns
from redyn.studio.panels.equations import counts_html, law_of
from redyn.studio.reaching import unsolved
from redyn.studio.state import State
from redyn.studio.stiffness import stiffness_hint
from redyn.studio.units import DEGREES, RADIANS
from redyn.trajectory import cycloidal

FLEXIBLE = ("flexible-beam", "spin-up", "flexible-two-link", "flexible-space-arm", "elastic-joint-arm")


def run(state, drive, **fields):
    state.run.drive = drive
    for name, value in fields.items():
        setattr(state.run, name, value)
    state.forward = work.forward(lambda *_: None, state.forward_order())
    return state.forward


def executed(state, tab):
    state.tab = tab
    names = {}
    exec(takeaway.python(state), names)
    return names


# --- motions ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FLEXIBLE)
def test_joints_follow_a_motion_and_the_rest_swings(name):
    state = State.first(name)
    state.motion.duration, state.motion.sample = "1", "0.05"
    found, own = state.run_inverse(), guided(state.robot)
    assert len(state.motion.start) == len(own.q) < len(entries(state.robot).q)
    start, stop = ([parse_angle(text) for text in row] for row in (state.motion.start, state.motion.stop))
    wanted = cycloidal(start, stop, 1.0)
    np.testing.assert_allclose(found.q[:, own.q], wanted(found.t)[0], atol=1e-6)
    at = found.robot.driven(found.q, found.qd, wanted(found.t)[2])
    np.testing.assert_allclose(found.tau, at.tau, atol=1e-5 * max(1.0, np.abs(at.tau).max()))
    others = np.setdiff1d(np.arange(found.robot.dof), own.tau)
    assert not found.tau[:, others].any()
    plots = work.inverse_plots(found)
    modes = set(found.robot.mode_names)
    assert not modes & {*plots["q"].names, *plots["qd"].names, *plots["torque"].names}
    shown = [n for key in ("modes", "torsion") if key in plots for n in plots[key].names]
    assert set(shown) == modes
    assert found.wrenches.shape[1] == len(reaction_names(found.robot))
    np.testing.assert_allclose(sum(found.parts), found.tau, atol=1e-9 * max(1.0, np.abs(at.tau).max()))
    columns = work.inverse_columns(found)
    assert {f"qdd_{n}" for n in found.robot.velocity_names} <= set(columns)
    assert {f"q_{n}" for n in found.robot.coordinate_names} <= set(columns)
    assert len(state.sized("inverse").joints) == len(entries(state.robot).tau)


@pytest.mark.parametrize("kind", ["cycloidal", "circle", "taught"])
def test_motions_are_planned_for_the_rigid_robot_and_copied_as_python(kind):
    state = State.first("flexible-two-link")
    state.motion.kind, state.motion.duration, state.motion.sample = kind, "1", "0.1"
    if kind == "taught":
        state.motion.taught.teach(state.robot, state.q)
        state.jog(0, 0.4)
        state.jog(1, 0.01)  # a mode, which is not taught
        state.motion.taught.teach(state.robot, state.q)
        assert [len(point.q) for point in state.motion.taught.points] == [2, 2]
    found = state.run_inverse()
    names = executed(state, "inverse")
    np.testing.assert_allclose(names["tau"], found.tau, atol=1e-6)
    if kind == "circle":
        centre = np.array(found.plan.path.centre)
        tips = planned(state.robot).forward_kinematics(found.q[:, guided(state.robot).q])[:, :3, 3]
        np.testing.assert_allclose(np.linalg.norm(tips - centre, axis=1), np.linalg.norm(tips[0] - centre), atol=1e-6)


def test_points_of_elastic_gears_bring_both_sides():
    state = State.first("elastic-joint-arm")
    state.motion.taught.teach(state.robot, np.array([0.1, 0.2, 0.3, 0.4]))
    state.go_to_point(0)
    np.testing.assert_allclose(state.q, [0.1, 0.1, 0.3, 0.3])


@pytest.mark.parametrize("drive", ["constant", "pd", "computed", "inverse"])
def test_simulations_beside_the_rigid_robot(drive):
    state = State.first("elastic-joint-arm")
    state.motion.duration, state.run.torque = "1", ["1", "2"]
    found = run(state, drive, duration="0.2", compare="rigid:", q=["0.1", "0.2", "0", "0.1"])
    first, second = (finished.run for finished in found.runs)
    assert second.robot.coordinate_names == ["joint1", "joint2"]
    np.testing.assert_allclose(second.q[0], [0.2, 0.1])
    names = executed(state, "forward")
    for mine, code in ((first, names["run"]), (second, names["other"])):
        np.testing.assert_allclose(code.q[-1], mine.q[-1], atol=1e-6)
    assert found.labels == ["elastic-joint-arm", "elastic-joint-arm, rigid"]
    signals = comparing.compare(state).signals
    assert signals["twist_joint1"] == "joint1: twist of the gear"
    assert ("error_joint1.motor" in signals) == (drive != "constant")
    plots = takeaway.plots_of(found)
    assert len(plots["energy"][1]) == 1
    assert not plots["twist"][1]


def test_a_satellite_is_controlled_by_its_joints():
    state = State.first("flexible-space-arm")
    assert state.run.kp == "1"  # slower than what vibrates
    found = run(state, "pd", duration="0.1")
    assert not found.runs[0].trouble
    assert np.abs(found.runs[0].run.tau[:, :6]).max() == 0
    state.run.compare = "rigid:"
    with pytest.raises(InputError, match="has a floating base"):
        state.forward_order()
    state.motion.kind = "circle"
    with pytest.raises(InputError, match="cannot be led along a circle"):
        state.run_inverse()


def test_typed_gains_stay():
    state = State.first("flexible-two-link")
    assert state.run.kp == "1"
    state.open(open_source("puma"))
    assert state.run.kp == "100"
    state.run.set_gain("kp", "7")
    state.open(open_source("spin-up"))
    assert state.run.kp == "7"


def test_a_long_step_is_said_to_be_one():
    state = State.first("flexible-beam")
    with pytest.warns(redyn.RedynWarning, match="is too long"):
        found = run(state, "none", duration="0.1", method="euler", step="0.05")
    assert "rosenbrock" in stiffness_hint(found.runs[0].run, found.order.plan)


# --- pose -------------------------------------------------------------------------------------------------------


def test_modes_have_sliders_and_motors_carry_their_links():
    state = State.first("flexible-beam")
    joint, first, _ = sliders(state.robot)
    assert (joint["bends"], first["bends"], first["turns"]) == (False, True, False)
    assert 0.05 < first["high"] * 0.9 < 0.2  # of the tip, m
    state.jog(1, 0.02)
    np.testing.assert_array_equal(state.q, [0, 0.02, 0])
    state.sag()
    np.testing.assert_allclose(state.q, state.robot.sag([0, 0, 0]), atol=1e-9)
    gears = State.first("elastic-joint-arm")
    gears.jog(0, 0.5)
    np.testing.assert_allclose(gears.q[:2], 0.5)
    gears.jog(1, 0.6)
    np.testing.assert_allclose(gears.q[:2], [0.5, 0.6])
    assert not gears.tip_can_jog
    assert not State.first("puma").can_sag


@pytest.mark.parametrize("name", ["flexible-beam", "elastic-joint-arm"])
def test_panels_say_what_they_cannot_do(name):
    state = State.first(name)
    assert unsolved(state.robot).startswith("No inverse kinematics: ")
    with pytest.raises(InputError, match="No inverse kinematics"):
        state.reach_order()
    with pytest.raises(InputError, match="No inverse kinematics"):
        state.drag(np.zeros(3))
    assert "K q" in law_of(state.robot)
    assert "Luh" not in counts_html(state.robot)
    executed(state, "kinematics")
    executed(state, "equations")
    state.motion.duration, state.motion.sample = "1", "0.5"
    state.run_inverse()
    page = appendix(state)
    assert "Flexibility" in page
    assert "the robot swings otherwise" in page


def test_a_loop_of_flexible_links_is_simulated_only():
    state = State.first("flexible-two-link")
    state.editor.add_loop(state.closing())
    assert state.follow_editor()
    assert "links that bend and loops" in state.no_motion
    with pytest.raises(InputError, match="simulate it in the tab Forward dynamics"):
        state.run_inverse()
    assert not run(state, "none", duration="0.01").runs[0].trouble
    with pytest.raises(InputError, match="which bends and has loops"):
        run(state, "computed")


def test_dh_steps_are_those_of_the_straight_robot():
    robot = redyn.load("elastic-joint-arm")
    q = np.array([0.0, 0.3, 0.0, 0.4])
    np.testing.assert_array_equal(straightened(robot, q), [0.3, 0.4])  # where the links are
    assert [step["value"] for step in dh_steps(robot, q) if step["variable"]] == [0.3, 0.4]


# --- tables -----------------------------------------------------------------------------------------------------


def test_beams_and_gears_are_edited():
    editor = Editor(read("flexible-two-link"))
    assert editor.draft.rows[0]["EI"] == "1"
    assert kept_text(editor.draft.rows[0], editor.draft.rest[0]) == "hub"
    assert editor.set_cell(0, "EI", "1, 2")
    assert editor.set_cell(0, "modes", "1, 1, 0")
    assert editor.set_cell(1, "ratio", "0.01")
    first, second = (link.flexible for link in editor.description.links)
    assert (first.EI, first.modes, second.damping_ratio) == ((1.0, 2.0), (1, 1, 0), 0.01)
    assert first.hub is not None
    assert editor.set_cell(1, "armature", "0.1")
    assert editor.set_cell(1, "gear_stiffness", "50")
    assert editor.description.links[1].joint.elastic.stiffness == 50
    for column in ("rho_A", "EI"):
        editor.set_cell(0, column, "")
    assert [(p.column, table_of(p)) for p in editor.problems] == [("rho_A", "flexible")]
    editor.set_cell(0, "modes", "")
    assert not editor.problems  # rigid
    assert editor.description.links[0].flexible is None
    assert "not used" in kept_text(editor.draft.rows[0], editor.draft.rest[0])


@pytest.mark.parametrize(
    ("column", "text", "reason"),
    [
        ("EI", "1, 2, 3", "EIy and EIz"),
        ("EI", "soft", "expected a number"),
        ("modes", "2", "how many modes"),
        ("modes", "0, 0, 1", "GJ is missing"),
        ("ratio", "2", "less than 1"),
        ("rho_A", "1, 2", "expected one number"),
        ("length", "1", "length"),
        ("gear_stiffness", "5", "armature is missing"),
        ("gear_damping", "5", "missing"),
    ],
)
def test_mistakes_are_shown_at_their_cells(column, text, reason):
    editor = Editor(read("flexible-beam"))
    assert not editor.set_cell(0, column, text)
    assert reason in editor.problems[0].reason
    wanted = {"GJ is missing": "GJ", "armature is missing": "armature", "missing": "gear_stiffness"}
    assert editor.problems[0].column == wanted.get(reason, column)


def test_a_rigid_link_becomes_flexible():
    editor = Editor(read("two-link"))
    editor.set_cell(1, "rho_A", "1")
    assert editor.problems
    assert editor.set_cell(1, "EI", "1e3")
    assert editor.description.links[1].flexible.modes == (2, 2, 0)
    assert {column["field"] for column in link_columns(editor.draft, "flexible", RADIANS)} >= {"rho_A", "EI", "kept"}
    before = editor.draft.rows[1]
    editor.make_rods()
    assert editor.draft.rows[1] == before
    editor.set_cell(1, "a", "2")
    assert editor.offer is None
    with pytest.raises(InputError, match="flexible links cannot be converted"):
        editor.convert()


def test_ends_of_beams_go_with_their_names():
    editor = Editor(read("flexible-space-arm"))
    assert editor.set_cell(5, "parent", "upper-boom.tip")
    editor.undo()
    row = next(i for i, r in enumerate(editor.draft.rows) if r["name"] == "lower-boom")
    assert editor.set_cell(row, "name", "forearm")
    assert editor.description.end_effector == "forearm.tip"
    editor.remove_link(row)
    assert not editor.problems
    assert editor.description.end_effector is None
    assert farthest_tip(editor.description) == "upper-boom.tip"


def test_work_of_earlier_versions_is_read():
    state = State.first("two-link")
    saved = json.loads(json.dumps(keep.snapshot(state)))
    for row in saved["tables"]["rows"]:
        for column in ("rho_A", "EI", "gear_stiffness"):
            del row[column]
    del saved["run"]["gains_given"]
    back = State.first("one-link")
    keep.restore(back, saved)
    assert back.editor.draft.rows == state.editor.draft.rows


def test_numbers_of_modes_in_degrees():
    state = State.first("flexible-space-arm")
    state.motion.duration, state.motion.sample = "2", "0.5"
    found = state.run_inverse()
    plain, turned = (work.inverse_columns(found, angles) for angles in (RADIANS, DEGREES))
    for name, factor in (("q_upper-boom.twist1", 180 / np.pi), ("q_upper-boom.y1", 1.0), ("qd_elbow", 180 / np.pi)):
        np.testing.assert_allclose(turned[name], factor * plain[name])
    plots = work.inverse_plots(found, angles=DEGREES)
    assert (plots["torsion"].unit, plots["modes"].unit, plots["tip-twist"].unit) == ("deg", "m", "deg")
