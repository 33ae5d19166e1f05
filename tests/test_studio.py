"""The studio without a browser: tables, forms, work, code to take home, jobs, uploads, and who may come in."""

import asyncio
import io
import os
import socket
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import redyn
from random_robots import close, random_tree
from redyn.description import library, read
from redyn.report.scene import scene
from redyn.robot import Robot
from redyn.studio import access, formulas, uploads, work
from redyn.studio.convention import other_convention
from redyn.studio.dh_steps import dh_steps
from redyn.studio.jobs import Pool
from redyn.studio.state import State
from redyn.studio.table import MASS, Draft, Editor, draft_of, new_robot
from redyn.studio.table import read as read_draft

any_tree = st.builds(
    random_tree,
    seed=st.integers(0, 10**9),
    n=st.integers(1, 7),
    convention=st.sampled_from(["dh", "modified-dh", "frames"]),
)
dh_chain = st.builds(
    random_tree,
    seed=st.integers(0, 10**9),
    n=st.integers(1, 6),
    convention=st.sampled_from(["dh", "modified-dh"]),
    serial=st.just(True),
)


def torques(robot, seed=0):
    q, qd, qdd = np.random.default_rng(seed).uniform(-1, 1, (3, robot.dof))
    return robot.inverse_dynamics(q, qd, qdd)


# --- tables -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", library())
def test_tables_hold_the_whole_robot(name):
    description = read(name)
    assert read_draft(draft_of(description)) == description


@settings(max_examples=40)
@given(any_tree)
def test_tables_of_any_tree(data):
    robot = redyn.load(data)
    back = read_draft(draft_of(robot.description))
    assert not isinstance(back, list)
    np.testing.assert_array_equal(torques(Robot(back)), torques(robot))


@settings(max_examples=40)
@given(dh_chain)
def test_the_other_convention_is_the_same_robot(data):
    robot = redyn.load(data, exact=True)
    other = Robot(other_convention(robot.description), exact=True)
    back = Robot(other_convention(other.description), exact=True)
    assert other.description.convention != robot.description.convention
    close(torques(other), torques(robot))
    close(torques(back), torques(robot))
    q = np.random.default_rng(1).uniform(-1, 1, robot.dof)
    if robot.description.convention == "dh":  # the frame of a modified table's last link lies before its own X
        close(other.forward_kinematics(q), robot.forward_kinematics(q))


def test_a_two_link_arm_from_nothing():
    editor = Editor(new_robot("dh"))
    assert editor.add_link()
    made, book = Robot(editor.description), redyn.load("two-link")
    np.testing.assert_allclose(torques(made), torques(book), rtol=1e-14)
    run = redyn.simulate(made, made.initial, made.neutral(), 1.0)
    assert run.path[-1, 1] < -0.5  # it falls


@pytest.mark.parametrize("convention", ["dh", "modified-dh", "frames"])
def test_new_links_make_a_chain(convention):
    editor = Editor(new_robot(convention))
    assert editor.add_link()
    assert editor.add_link()
    robot = Robot(editor.description)
    assert robot.joint_names == ["joint1", "joint2", "joint3"]
    reach = np.linalg.norm(robot.forward_kinematics([0, 0, 0])[:3, 3])
    assert reach == pytest.approx(3.0 if convention == "dh" else 2.0)
    q = np.random.default_rng(0).uniform(-1, 1, 3)
    close(robot.mass_matrix(q), redyn.load(_rods()).mass_matrix(q))


def _rods():
    """Three unit rods, joined end to end, written by hand."""
    rod = {"joint": "revolute", "rpy": [0, 0, 0], "axis": [0, 0, 1], "mass": 1, "com": [0.5, 0, 0]}
    places = ([0, 0, 0], [1, 0, 0], [1, 0, 0])
    links = [{**rod, "xyz": xyz, "inertia": [0, 1 / 12, 1 / 12]} for xyz in places]
    return {"name": "rods", "convention": "frames", "links": links}


@pytest.mark.parametrize(
    ("row", "column", "text", "cells", "message"),
    [
        (1, "alpha", "ninety", {"alpha"}, "expected a number such as 0.3, pi/2 or 90 deg, got 'ninety'"),
        (0, "a", "", {"a"}, "missing"),
        (2, "xx", "-3", {"xx", "yy", "zz", "xy", "xz", "yz"}, "negative"),
        (0, "mass", "1 kg", {"mass"}, "expected a number"),
        (1, "name", "link1", {"name"}, "already used"),
        (1, "lower", "1", {"upper"}, "both limits"),
        (3, "joint", "bendy", {"joint"}, "revolute"),
    ],
)
def test_a_mistake_is_at_its_cell(row, column, text, cells, message):
    editor = Editor(read("kuka-kr5"))
    before = editor.description
    assert not editor.set_cell(row, column, text)
    assert {problem.column for problem in editor.problems} == cells
    assert {problem.row for problem in editor.problems} == {row}
    assert message in editor.problems[0].reason
    assert editor.description == before  # the last robot that was right stays
    editor.undo()
    assert editor.problems == []
    assert editor.draft == draft_of(before)


def test_undo_and_redo():
    editor = Editor(read("two-link"))
    drafts = [editor.draft]
    for text in ("0.5", "pi/2", "1/3"):
        assert editor.set_cell(0, "a", text)
        drafts.append(editor.draft)
    for draft in reversed(drafts[:-1]):
        editor.undo()
        assert editor.draft == draft
    assert not editor.can_undo
    for draft in drafts[1:]:
        editor.redo()
        assert editor.draft == draft
    assert editor.description.links[0].a == 1 / 3
    editor.undo()
    editor.set_cell(0, "a", "2")
    assert not editor.can_redo


def test_removing_and_renaming_keep_the_chain():
    editor = Editor(read("three-link"))
    assert editor.set_cell(1, "name", "elbow")
    assert [link.parent for link in editor.description.links] == ["world", "link1", "elbow"]
    editor.remove_link(1)
    assert [link.parent for link in editor.description.links] == ["world", "link1"]
    assert Robot(editor.description).dof == 2
    editor.remove_link(0)
    with pytest.raises(redyn.RedynError, match="at least one link"):
        editor.remove_link(0)


def test_uniform_rods():
    editor = Editor(read("two-link"))
    editor.set_cell(0, "a", "0.6")
    editor.set_cell(0, "b", "0.8")
    editor.make_rods()
    link = editor.description.links[0]
    assert link.r == pytest.approx((0.3, 0.0, 0.4))
    moments = np.linalg.eigvalsh(
        [[link.inertia[0], 0, link.inertia[2]], [0, link.inertia[3], 0], [link.inertia[2], 0, link.inertia[5]]]
    )
    np.testing.assert_allclose(moments, [0, 1 / 12, 1 / 12], atol=1e-15)


def test_every_column_can_be_edited():
    for convention in ("dh", "modified-dh", "frames"):
        draft = draft_of(new_robot(convention))
        assert isinstance(draft, Draft)
        assert set(MASS) | set(draft.columns()) < set(draft.rows[0])


# --- what is computed -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def kuka():
    state = State.first("kuka-kr5")
    state.run_inverse()
    yield state
    state.close()


def test_inverse_is_the_api(kuka):
    found, robot = kuka.inverse, redyn.load("kuka-kr5")
    motion = redyn.trajectory.cycloidal(np.zeros(6), np.full(6, np.pi / 3), 10.0)
    t = np.linspace(0, 10, 1001)
    np.testing.assert_array_equal(found.tau, robot.inverse_dynamics(*motion(t)))
    split = work.inverse_plots(found, split=1)["torque"]
    values = np.asarray(split.values)
    assert list(split.names) == ["inertia", "Coriolis", "gravity", "friction", "total"]
    np.testing.assert_allclose(values[:, :4].sum(axis=1), values[:, 4], atol=1e-9)


def test_scene_has_ellipsoids_of_the_same_inertia(kuka):
    for link, described in zip(kuka.inverse.scene["links"][1:], kuka.robot.description.links, strict=True):
        a2, b2, c2 = np.square(link["ellipsoid"]["radii"])
        x, y, z, w = link["ellipsoid"]["quaternion"]
        R = np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
            ]
        )
        inertia = R @ np.diag([b2 + c2, a2 + c2, a2 + b2]) @ R.T * link["mass"] / 5
        xx, xy, xz, yy, yz, zz = described.inertia
        np.testing.assert_allclose(inertia, [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], atol=1e-12)
    assert scene(redyn.load("newton-euler-rrr"), 0, [0, 0, 0])["links"][1]["ellipsoid"] is None  # no body has it


@pytest.mark.parametrize("name", [n for n in library() if not n.endswith("printed")])
def test_dh_steps_lead_to_the_frames(name):
    robot = redyn.load(name)
    q = robot.random(3)
    if {link.joint.type for link in robot.description.links} - {"revolute", "prismatic", "fixed"}:
        with pytest.raises(redyn.RedynError, match="no DH row"):
            dh_steps(robot, q)
        return
    steps = dh_steps(robot, q)
    for k in range(0, len(steps), 4):
        pose = np.array(steps[k]["start"]).reshape(4, 4).T
        for step in steps[k : k + 4]:
            np.testing.assert_allclose(np.array(step["start"]).reshape(4, 4).T, pose, atol=1e-12)
            pose = pose @ _motion(step)
        if robot.description.convention != "frames":
            np.testing.assert_allclose(pose, robot.forward_kinematics(q, steps[k]["link"]), atol=1e-8)
    moving = [step for step in steps if step["variable"]]
    assert len(moving) == (3 if name == "gripper" else robot.dof)  # of a tree, the joints that lead to the tip


def _motion(step):
    from redyn.description.placement import rotation, translation

    axis = np.eye(3)["xyz".index(step["axis"])]
    return rotation(axis, step["value"]) if step["kind"] == "turn" else translation(*(axis * step["value"]))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda s: setattr(s.motion, "duration", "soon"), "duration: expected a number"),
        (lambda s: setattr(s.motion, "duration", ""), "duration: empty"),
        (lambda s: setattr(s.motion, "duration", "-1"), "duration: expected a number from 0.001"),
        (lambda s: s.motion.stop.__setitem__(1, "far"), "stop of joint2: expected a number"),
        (lambda s: setattr(s.motion, "kind", "csv"), "upload a CSV file"),
    ],
)
def test_a_wrong_field_is_named(change, message):
    state = State.first("two-link")
    change(state)
    with pytest.raises(redyn.RedynError, match=message):
        state.run_inverse()


def test_csv_motions_and_torques(kuka):
    state = State.first("two-link")
    rows = "t,q_joint1,q_joint2\n" + "\n".join(f"{t},{np.sin(t)},{t * t}" for t in np.linspace(3, 4, 50))
    state.upload_motion("my motion.csv", rows.encode())
    found = state.run_inverse()
    assert found.t[-1] == pytest.approx(1.0)
    np.testing.assert_allclose(found.q[-1], [np.sin(4), 16], atol=1e-12)
    with pytest.raises(redyn.RedynError, match=r"^motion\.csv: no column q_joint2") as caught:
        state.upload_motion("motion.csv", b"t,q_joint1\n0,0\n1,1\n")
    assert str(state.folder) not in str(caught.value)
    state.upload_torque("tau.csv", b"t,tau_joint1,tau_joint2\n0,1,0\n9,1,0\n")
    plan, robots, methods = state.forward_order()
    run = work.forward(lambda part, note: None, plan, robots, methods).runs[0].run
    np.testing.assert_allclose(run.tau, np.tile([1.0, 0.0], (len(run.t), 1)))
    state.close()
    assert not state._folder.exists()


def test_jogging(kuka):
    state = State.first("kuka-kr5")
    state.q = np.array([0.1, -0.9, 0.4, 0.2, 0.5, 0.0])
    before = state.robot.forward_kinematics(state.q)
    state.jog_tip(2, -0.05)
    after = state.robot.forward_kinematics(state.q)
    np.testing.assert_allclose(after - before, np.eye(4)[:, [2]] @ np.array([[0, 0, 0, -0.05]]), atol=1e-7)
    state.jog_tip(5, 0.1)
    np.testing.assert_allclose(state.robot.forward_kinematics(state.q)[:3, 3], after[:3, 3], atol=1e-7)
    with pytest.raises(redyn.RedynError, match="cannot go there"):
        state.jog_tip(0, 5.0)
    planar = State.first("two-link")
    planar.q = np.array([0.3, 0.8])
    before = planar.robot.forward_kinematics(planar.q)[:3, 3]
    planar.jog_tip(1, 0.02)
    np.testing.assert_allclose(planar.robot.forward_kinematics(planar.q)[:3, 3] - before, [0, 0.02, 0], atol=1e-7)


def test_jogging_keeps_the_limits():
    data = draft_of(read("two-link"))
    editor = Editor(read_draft(data))
    editor.set_cell(0, "lower", "-90 deg")
    editor.set_cell(0, "upper", "pi/2")
    state = State.first("two-link")
    state.editor = editor
    assert state.follow_editor()
    state.jog(0, 3.0)
    assert state.q[0] == np.pi / 2


# --- what is taken home -----------------------------------------------------------------------------------------


def executed(code):
    names: dict = {}
    exec(compile(code, "studio.py", "exec"), names)
    return names


def test_copied_python_repeats_the_inverse(kuka, capsys):
    names = executed(kuka.python())
    np.testing.assert_array_equal(names["tau"], kuka.inverse.tau)
    assert "joint6: from" in capsys.readouterr().out


@pytest.mark.parametrize("drive", ["none", "constant", "csv", "pd", "computed"])
def test_copied_python_repeats_a_run(drive, capsys):
    state = State.first("two-link")
    state.editor.set_cell(0, "a", "0.8")  # no longer as in the library
    assert state.follow_editor()
    state.tab, state.run.duration, state.run.compare = "forward", "0.5", "method:dopri5"
    state.motion.duration = "0.5"
    state.run.torque = ["1", "pi/4"]
    if drive == "csv":
        state.upload_torque("tau.csv", b"t,tau_joint1,tau_joint2\n0,1,0\n1,2,-1\n")
    state.run.drive = drive
    names = executed(state.python())
    done = work.forward(lambda part, note: None, *state.forward_order())
    np.testing.assert_array_equal(names["run"].q, done.runs[0].run.q)
    np.testing.assert_array_equal(names["other"].q, done.runs[1].run.q)
    state.close()


def test_copied_python_runs_by_itself(tmp_path):
    state = State.first("three-link")
    state.tab = "equations"
    script = tmp_path / "studio.py"
    script.write_text(state.python())
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True, env=os.environ)
    assert "mass matrix" in done.stdout


def test_two_robots_are_compared():
    state = State.first("two-link")
    state.run.duration, state.run.compare = "0.2", "robot:three-link"
    done = work.forward(lambda part, note: None, *state.forward_order())
    assert [finished.run.robot.name for finished in done.runs] == ["two-link", "three-link"]
    state.run.drive = "constant"
    with pytest.raises(redyn.RedynError, match="compare free falls only"):
        work.forward(lambda part, note: None, *state.forward_order())


def test_report(kuka):
    name, content = kuka.html()
    assert name == "kuka-kr5-inverse.html"
    assert content.startswith(b"<!doctype html>")


def test_formulas_of_a_two_link_arm():
    found = formulas.derive(lambda part, note: None, read("two-link"))
    assert found.mass.rows[1][1].latex == r"\frac{1}{3} m_{2} a_{2}^{2}"
    assert found.mass.rows[0][1].latex == found.mass.rows[1][0].latex
    assert found.gravity.rows[1][0].latex == r"\frac{1}{2} m_{2} g a_{2} c_{12}"
    for formula in found:
        assert formula.latex().startswith(r"\begin{bmatrix}")
        for row in formula.rows:
            for entry in row:
                assert ElementTree.fromstring(entry.mathml).tag.endswith("math")


# --- jobs -------------------------------------------------------------------------------------------------------


def slow(tell, seconds):
    """Works in small pieces and says so."""
    for k in range(round(seconds / 0.02)):
        tell(k * 0.02 / seconds, "slowly")
        time.sleep(0.02)
    return "done"


def chatty(tell, seconds):
    """News faster than they are read."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        tell(0.5, f"{time.monotonic()}")
    raise redyn.RedynError("nobody stopped it")


def deaf(tell, seconds):
    """Does not listen."""
    tell(0.5, "deaf")
    while True:
        try:
            time.sleep(seconds)
            return "done"
        except KeyboardInterrupt:
            continue


def wrong(tell):
    raise redyn.RedynError("so it is")


def broken(tell):
    raise ZeroDivisionError("oh")


def dies(tell):
    os._exit(3)


def test_jobs(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(Path(__file__).parent), *sys.path]))
    monkeypatch.setattr("redyn.studio.jobs.GRACE", 0.3)
    pool = Pool(1)
    try:
        assert finished(pool.submit("test_studio:slow", 0.2)).result == "done"
        assert finished(pool.submit("test_studio:wrong")).error == "so it is"
        job = finished(pool.submit("test_studio:broken"))
        assert job.state == "failed"
        assert "ZeroDivisionError: oh" in job.error
        job = pool.submit("test_studio:slow", 60.0)
        until(lambda: job.progress > 0)
        waiting = pool.submit("test_studio:slow", 0.1)
        began = time.monotonic()
        job.cancel()
        assert finished(job).state == "cancelled"
        assert time.monotonic() - began < 5
        assert finished(waiting).state == "done"
        job = pool.submit("test_studio:chatty", 20.0)
        until(lambda: job.note)
        job.cancel()
        assert finished(job).state == "cancelled"
        assert not job.error
        job = pool.submit("test_studio:deaf", 60.0)
        until(lambda: job.note == "deaf")
        job.cancel()
        assert finished(job).state == "cancelled"
        job = finished(pool.submit("test_studio:dies"))
        assert job.state == "failed"
        assert "try again" in job.error
        assert finished(pool.submit("test_studio:slow", 0.1)).state == "done"  # a new process serves the next one
    finally:
        pool.close()


def test_a_cancelled_simulation_hands_back_what_it_has():
    state = State.first("two-link")
    state.run.duration, state.run.rtol = "3600", "1e-13"
    pool = Pool(1)
    try:
        job = pool.submit("redyn.studio.work:forward", *state.forward_order())
        until(lambda: job.note.startswith("simulating") and job.progress > 1e-4, 120)
        job.cancel()
        assert finished(job).state == "cancelled"
        run = job.result.runs[0].run
        assert run.ending.startswith("interrupted")
        assert 0 < run.t[-1] < 3600
    finally:
        pool.close()


def finished(job):
    assert job.over.wait(120), job.state
    return job


def until(condition, seconds=60.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_a_simulation_tells_how_far_it_is():
    parts = []
    robot = redyn.load("two-link")
    redyn.simulate(robot, [0.3, 0], [0, 0], 200.0, progress=parts.append)
    assert parts == sorted(parts)
    assert parts[-1] == pytest.approx(1.0)


# --- uploads ----------------------------------------------------------------------------------------------------

URDF = b"""<robot name="pendulum"><link name="base"/><link name="rod"><inertial>
<origin xyz="0 0 -0.5"/><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.01" ixy="0" ixz="0" iyz="0"/>
</inertial></link>
<joint name="hinge" type="continuous"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/></joint></robot>"""


def zipped(entries, **attributes):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in entries.items():
            entry = zipfile.ZipInfo(name)
            entry.compress_type = zipfile.ZIP_DEFLATED
            for key, value in attributes.items():
                setattr(entry, key, value)
            packed.writestr(entry, content)
    return buffer.getvalue()


@pytest.fixture
def state():
    made = State.first("two-link")
    yield made
    made.close()


def test_upload_of_a_robot(state):
    state.upload_robot("../../pendulum.urdf", URDF)
    assert state.robot.name == "pendulum"
    state.upload_robot("arm.yaml", redyn.load("puma").to_yaml().encode())
    assert state.robot.dof == 6
    assert all(path.resolve().is_relative_to(state.folder.resolve()) for path in state.folder.rglob("*"))
    assert state.folder.stat().st_mode & 0o077 == 0
    state.editor.undo()
    assert state.follow_editor()
    assert state.robot.name == "pendulum"


def test_a_tree_gets_an_end_effector(state, tmp_path):
    """Most URDF files have several tips: a frame at the base, a tool, fingers."""
    extra = b"""<link name="mark"/><joint name="m" type="fixed"><parent link="base"/><child link="mark"/></joint>
    <link name="tool"/><joint name="t" type="fixed"><parent link="rod"/><child link="tool"/></joint></robot>"""
    urdf = URDF.replace(b"</robot>", extra)
    state.upload_robot("arm.urdf", urdf)
    (tmp_path / "arm.urdf").write_bytes(urdf)
    for found in (state, State.first(tmp_path / "arm.urdf")):
        assert found.robot.model.end_effector == "tool"
        assert "tool is taken for the end effector" in found.notes[0]
    assert state.run_inverse().path.shape[1] == 3
    state.editor.set_field("end_effector", "mark")
    assert state.follow_editor()
    assert state.robot.model.end_effector == "mark"


def test_the_equations_leave_the_motion_as_it_was(state):
    """A robot falls, is stopped in mid-air, and its matrices are read there."""
    state.choose("forward")
    state.forward = work.forward(lambda part, note: None, *state.forward_order())
    state.show_time(2.5)
    state.time = 2.5
    state.choose("equations")
    run = state.forward.runs[0].run
    assert state.played is run
    np.testing.assert_array_equal(state.q, run.q[500])
    names = executed(state.python())
    np.testing.assert_array_equal(names["qd"], run.qd[500])
    assert np.abs(names["qd"]).max() > 0.1
    assert state.html()[0].endswith("-forward.html")
    state.choose("inverse")
    assert state.played is state.inverse


def test_python_is_of_what_is_shown_not_of_what_is_typed(state):
    state.run_inverse()
    state.tab = "forward"
    state.run.compare = "method:rk4"
    state.forward = work.forward(lambda part, note: None, *state.forward_order())
    before = state.python()
    state.run.set_duration("0.25")
    state.run.compare, state.motion.duration = "", "0.25"
    assert state.python() == before
    assert "'rk4'" in before
    state.tab = "inverse"
    assert "0.25" not in state.python()


def test_usual_gains_suit_light_and_heavy_robots(state):
    """The fingers of the gripper weigh grams: gains in Nm would make them tremble for minutes."""
    for name in ("gripper", "puma"):
        state.pick(name)
        state.tab, state.run.drive = "forward", "pd"
        state.run.set_duration("2")
        run = work.forward(lambda part, note: None, *state.forward_order()).runs[0].run
        assert run.steps < 5000
        np.testing.assert_allclose(run.q[-1], state.run.plan(state.robot, state.motion).target, atol=0.05)


def test_upload_of_a_zip_with_meshes(state):
    state.upload_robot("robot.zip", zipped({"arm/arm.urdf": URDF, "arm/meshes/rod.stl": b"solid", "arm/a.exe": b"x"}))
    assert state.robot.name == "pendulum"
    assert (state.robot.description.folder / "meshes" / "rod.stl").is_file()
    assert not list(state.folder.rglob("*.exe"))


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("arm.txt", b"hello", "arm.txt: expected a .yaml, .urdf"),
        ("arm.urdf", b"", "arm.urdf: the file is empty"),
        ("arm.urdf", b"<robot", "arm.urdf"),
        ("arm.yaml", b"name: [", "arm.yaml"),
        ("arm.yaml", b"\xff\xfe\x00", "arm.yaml: not UTF-8"),
        ("arm.urdf", b'<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><robot name="a">&x;</robot>', "arm.urdf"),
        ("big.urdf", b" " * (uploads.LARGEST + 1), "larger than 50 MB"),
        ("a.zip", b"PK\x03\x04 no zip", "cannot be unpacked"),
        ("a.zip", zipped({"../evil.urdf": URDF}), "leads out of the archive"),
        ("a.zip", zipped({"/etc/evil.urdf": URDF}), "leads out of the archive"),
        ("a.zip", zipped({"C:/evil.urdf": URDF}), "leads out of the archive"),
        ("a.zip", zipped({"x\\..\\..\\evil.urdf": URDF}), "leads out of the archive"),
        ("a.zip", zipped({"link.urdf": b"/etc/passwd"}, external_attr=0o120777 << 16), "no plain file"),
        ("a.zip", zipped({f"{k}.stl": b"" for k in range(uploads.MOST_FILES + 1)}), "more than 2000 files"),
        ("a.zip", zipped({"a.urdf": URDF, "b.urdf": URDF}), "several robots"),
        ("a.zip", zipped({"readme.md": b"hello"}), "no .urdf"),
    ],
)
def test_bad_uploads(state, name, data, message):
    before = state.robot
    with pytest.raises(redyn.RedynError) as caught:
        state.upload_robot(name, data)
    assert message in str(caught.value)
    assert str(state.folder) not in str(caught.value)
    assert state.robot is before


def test_a_zip_bomb(state, monkeypatch):
    monkeypatch.setattr(uploads, "LARGEST_UNPACKED", 10_000_000)
    with pytest.raises(redyn.RedynError, match="when unpacked"):
        state.upload_robot("a.zip", zipped({"a.stl": bytes(6_000_000), "b.stl": bytes(6_000_000)}))


def test_too_many_joints(state):
    with pytest.raises(redyn.RedynError, match="at most 150"):
        state.upload_robot("long.yaml", redyn.chain(151).to_yaml().encode())


# --- who may come in --------------------------------------------------------------------------------------------


def visit(guard, path="/", query="", cookie="", host="localhost:8080", kind="http", origin=""):
    """The status and headers that a visitor gets; 200 if the application was reached."""
    sent = []

    async def application(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def receive():
        return {"type": f"{kind}.connect"}

    async def send(message):
        sent.append(message)

    headers = [(b"host", host.encode()), (b"cookie", cookie.encode())]
    headers += [(b"origin", origin.encode())] if origin else []
    scope = {"type": kind, "path": path, "query_string": query.encode(), "headers": headers}
    asyncio.run(guard.middleware(application)(scope, receive, send))
    return sent[0].get("status", sent[0]["type"]), dict(sent[0].get("headers", [])), sent[-1].get("body", b"")


def test_loopback_needs_no_token_but_its_own_name():
    guard = access.Access("127.0.0.1")
    assert guard.address(8080) == "http://127.0.0.1:8080/"
    for host in ("localhost:8080", "127.0.0.1:8080", "[::1]:8080", "localhost"):
        assert visit(guard, host=host)[0] == 200
    for host in ("evil.example:8080", "127.0.0.1.evil.example", "", "192.168.0.7"):
        assert visit(guard, host=host)[0] == 400
        assert visit(guard, host=host, kind="websocket")[0] == "websocket.close"


def test_pages_of_others_are_not_answered():
    guard = access.Access("127.0.0.1")
    assert visit(guard, origin="http://localhost:8080")[0] == 200
    for origin in ("http://evil.example", "http://localhost:9999", "null"):
        assert visit(guard, origin=origin)[0] == 403
        assert visit(guard, origin=origin, kind="websocket")[0] == "websocket.close"


def test_other_hosts_ask_for_the_token():
    guard = access.Access("0.0.0.0")
    assert guard.token in guard.address(9000)
    assert len(guard.token) > 20
    assert access.Access("0.0.0.0").token != guard.token
    for path in ("/", "/redyn-upload/x/robot", "/_nicegui/x.js"):
        status, _, body = visit(guard, path=path, host="lab:9000")
        assert status == 401
        assert b"Token" in body
    assert visit(guard, kind="websocket")[0] == "websocket.close"
    assert visit(guard, query="token=guess")[0] == 401
    assert b"not the token" in visit(guard, query="token=guess")[2]
    assert visit(guard, cookie="redyn-token=guess")[0] == 401
    status, headers, _ = visit(guard, query=f"token={guard.token}")
    assert (status, headers[b"location"]) == (303, b"/")
    assert b"HttpOnly" in headers[b"set-cookie"]
    cookie = headers[b"set-cookie"].decode().split(";")[0]
    assert visit(guard, cookie=cookie)[0] == 200
    assert visit(guard, cookie=cookie, kind="websocket")[0] == 200


# --- the command ------------------------------------------------------------------------------------------------


def command(*arguments):
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST")}
    line = [sys.executable, "-m", "redyn", "studio", "--no-browser", *arguments]
    return subprocess.run(line, capture_output=True, text=True, timeout=60, env=environment, check=False)


def test_the_command_names_mistakes():
    done = command("no-such-robot")
    assert done.returncode == 2
    assert done.stderr.startswith("redyn: no-such-robot: neither a robot of the library nor a file")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = command("two-link", "--port", str(taken.getsockname()[1]))
    assert done.returncode == 2
    assert "choose another with --port" in done.stderr
    assert done.stderr.count("\n") == 1
