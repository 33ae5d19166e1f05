"""The studio without a browser: tables, forms, work, code to take home, jobs, uploads, and who may come in."""

import os
import subprocess
import sys
from types import SimpleNamespace
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
from redyn.studio import formulas, jobs, takeaway, work
from redyn.studio.convention import other_convention
from redyn.studio.dh_steps import dh_steps
from redyn.studio.editor import Editor
from redyn.studio.entries import planned, straightened
from redyn.studio.jobs import Job, Limits, Pool
from redyn.studio.links import new_robot
from redyn.studio.opening import open_source
from redyn.studio.state import State
from redyn.studio.table import MASS, Draft, draft_of
from redyn.studio.table import read as read_draft
from studio_files import upload_motion, upload_torque
from studio_jobs import finished, until

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


@settings(max_examples=16)
@given(any_tree)
def test_tables_of_any_tree(data):
    robot = redyn.load(data)
    back = read_draft(draft_of(robot.description))
    assert not isinstance(back, list)
    np.testing.assert_array_equal(torques(Robot(back)), torques(robot))


@pytest.mark.slow
@settings(max_examples=20)
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
    robot, q = planned(robot), straightened(robot, q)  # frames of straight links, where some bend
    for k in range(0, len(steps), 4):
        pose = np.array(steps[k]["start"]).reshape(4, 4).T
        for step in steps[k : k + 4]:
            np.testing.assert_allclose(np.array(step["start"]).reshape(4, 4).T, pose, atol=1e-12)
            pose = pose @ _motion(step)
        if robot.description.convention != "frames":
            np.testing.assert_allclose(pose, robot.forward_kinematics(q, steps[k]["link"]), atol=1e-8)
    moving = [step for step in steps if step["variable"]]
    carrying = robot.model.path(
        robot.model.frames[robot.frame_name()].link
    )  # of a tree, the joints that lead to the tip
    assert len(moving) == len(carrying)


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
    upload_motion(state, "my motion.csv", rows.encode())
    found = state.run_inverse()
    assert found.t[-1] == pytest.approx(1.0)
    np.testing.assert_allclose(found.q[-1], [np.sin(4), 16], atol=1e-12)
    with pytest.raises(redyn.RedynError, match=r"^motion\.csv: no column q_joint2") as caught:
        upload_motion(state, "motion.csv", b"t,q_joint1\n0,0\n1,1\n")
    assert str(state.folder) not in str(caught.value)
    upload_torque(state, "tau.csv", b"t,tau_joint1,tau_joint2\n0,1,0\n9,1,0\n")
    run = work.forward(lambda part, note: None, state.forward_order()).runs[0].run
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
    with pytest.raises(redyn.RedynError, match="cannot move there"):
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
    names = executed(takeaway.python(kuka))
    np.testing.assert_array_equal(names["tau"], kuka.inverse.tau)
    assert "joint6: from" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize("drive", ["none", "constant", "csv", "pd", "computed"])
def test_copied_python_repeats_a_run(drive, capsys):
    state = State.first("two-link")
    state.editor.set_cell(0, "a", "0.8")  # no longer as in the library
    assert state.follow_editor()
    state.tab, state.run.duration, state.run.compare = "forward", "0.5", "method:dopri5"
    state.motion.duration = "0.5"
    state.run.torque = ["1", "pi/4"]
    if drive == "csv":
        upload_torque(state, "tau.csv", b"t,tau_joint1,tau_joint2\n0,1,0\n1,2,-1\n")
    state.run.drive = drive
    names = executed(takeaway.python(state))
    done = work.forward(lambda part, note: None, state.forward_order())
    np.testing.assert_array_equal(names["run"].q, done.runs[0].run.q)
    np.testing.assert_array_equal(names["other"].q, done.runs[1].run.q)
    state.close()


def test_copied_python_runs_by_itself(tmp_path):
    state = State.first("three-link")
    state.tab = "equations"
    script = tmp_path / "studio.py"
    script.write_text(takeaway.python(state))
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True, env=os.environ)
    assert "mass matrix" in done.stdout


def test_two_robots_are_compared():
    state = State.first("two-link")
    state.run.duration, state.run.compare = "0.2", "robot:three-link"
    done = work.forward(lambda part, note: None, state.forward_order())
    assert [finished.run.robot.name for finished in done.runs] == ["two-link", "three-link"]
    state.run.drive = "constant"
    with pytest.raises(redyn.RedynError, match="compare free falls only"):
        work.forward(lambda part, note: None, state.forward_order())


def test_report(kuka):
    name, content = takeaway.report(kuka)
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


# --- what is shown, and what is taken home -----------------------------------------------------------------------


@pytest.fixture
def state():
    made = State.first("two-link")
    yield made
    made.close()


def test_the_equations_leave_the_motion_as_it_was(state):
    """A robot falls, is stopped in mid-air, and its matrices are read there."""
    state.choose("forward")
    state.forward = work.forward(lambda part, note: None, state.forward_order())
    state.show_time(2.5)
    state.time = 2.5
    state.choose("equations")
    run = state.forward.runs[0].run
    assert state.played is run
    np.testing.assert_array_equal(state.q, run.q[250])
    names = executed(takeaway.python(state))
    np.testing.assert_array_equal(names["qd"], run.qd[250])
    assert np.abs(names["qd"]).max() > 0.1
    assert takeaway.report(state)[0].endswith("-forward.html")
    state.choose("inverse")
    assert state.played is state.inverse


def test_python_is_of_what_is_shown_not_of_what_is_typed(state):
    state.run_inverse()
    state.tab = "forward"
    state.run.compare = "method:rk4"
    state.forward = work.forward(lambda part, note: None, state.forward_order())
    before = takeaway.python(state)
    state.run.set_duration("0.25")
    state.run.compare, state.motion.duration = "", "0.25"
    assert takeaway.python(state) == before
    assert "'rk4'" in before
    state.tab = "inverse"
    assert "0.25" not in takeaway.python(state)


def test_usual_gains_suit_light_and_heavy_robots(state):
    """The fingers of the gripper weigh grams: gains in Nm would make them tremble for minutes."""
    for name in ("gripper", "puma"):
        state.open(open_source(name))
        state.tab, state.run.drive = "forward", "pd"
        state.run.set_duration("2")
        run = work.forward(lambda part, note: None, state.forward_order()).runs[0].run
        assert run.steps < 5000
        np.testing.assert_allclose(run.q[-1], state.run.plan(state.robot, state.motion).target, atol=0.05)


# --- jobs -------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_jobs(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    monkeypatch.setattr("redyn.studio.jobs.GRACE", 0.3)
    pool = Pool(Limits(workers=1))
    try:
        assert finished(pool.submit("studio_jobs:slow", 0.2)).result == "done"
        assert finished(pool.submit("studio_jobs:wrong")).error == "so it is"
        job = finished(pool.submit("studio_jobs:broken"))
        assert job.state == "failed"
        assert "ZeroDivisionError: oh" in job.error
        job = pool.submit("studio_jobs:slow", 600.0)
        until(lambda: job.progress > 0)
        waiting = pool.submit("studio_jobs:slow", 0.1)
        job.cancel()
        assert finished(job).state == "cancelled"
        assert job.progress < 0.5  # of the ten minutes that it would have taken
        assert finished(waiting).state == "done"
        job = pool.submit("studio_jobs:chatty", 600.0)
        until(lambda: job.note)
        job.cancel()
        assert finished(job).state == "cancelled"
        assert not job.error
        job = pool.submit("studio_jobs:deaf", 60.0)
        until(lambda: job.note == "deaf")
        job.cancel()
        assert finished(job).state == "cancelled"
        job = finished(pool.submit("studio_jobs:dies"))
        assert job.state == "failed"
        assert "try again" in job.error
        assert finished(pool.submit("studio_jobs:slow", 0.1)).state == "done"  # a new process serves the next one
    finally:
        pool.close()


class Line:
    """A worker's connection, with a clock of its own: asked to stop, it takes these seconds to pack its results."""

    def __init__(self, seconds, responds):
        self.now, self._seconds, self._ready = 0.0, seconds, float("inf")
        self._responds = responds  # says first that it stops

    def send(self, message):
        if message == "stop":
            self._ready = self.now + self._seconds

    def poll(self, seconds=0.0):
        self.now += seconds
        return self.now >= self._ready or (self._responds and self._ready < float("inf"))

    def recv(self):
        if self._responds:
            self._responds = False
            return ("stopping",)
        return "done", "so far"


@pytest.mark.parametrize(
    ("seconds", "responds", "result"),
    [
        (jobs.GRACE / 2, False, "so far"),
        (jobs.GRACE * 2, False, None),
        (jobs.GRACE * 2, True, "so far"),
        (jobs.PACKING * 2, True, None),
    ],
)
def test_a_stopped_job_has_time_to_pack_if_it_responds(monkeypatch, seconds, responds, result):
    line, job = Line(seconds, responds), Job("x", ())
    monkeypatch.setattr(jobs, "time", SimpleNamespace(monotonic=lambda: line.now))
    pool = Pool(Limits(seconds=1e6, workers=0))
    pool.close()
    worker = jobs._Worker(pool)
    worker._process = SimpleNamespace(is_alive=lambda: True, kill=lambda: None, join=lambda seconds: None)
    job.cancel()
    worker._do(job, line)
    assert (job.state, job.result) == ("cancelled", result)


@pytest.mark.slow
def test_a_cancelled_simulation_hands_back_what_it_has(monkeypatch):
    monkeypatch.setattr("redyn.studio.jobs.GRACE", 60.0)  # however busy the machine is
    state = State.first("two-link")
    state.run.duration, state.run.rtol = "3600", "1e-13"
    pool = Pool(Limits(workers=1))
    try:
        for _ in range(2):  # the second as the first: each is a run of its own
            job = pool.submit("redyn.studio.work:forward", state.forward_order())
            until(lambda job=job: job.note.startswith("simulating") and job.progress > 1e-4)
            job.cancel()
            assert finished(job).state == "cancelled"
            run = job.result.runs[0].run
            assert run.ending.startswith("interrupted")
            assert 0 < run.t[-1] < 3600
    finally:
        pool.close()


def test_a_simulation_tells_how_far_it_is():
    parts = []
    robot = redyn.load("two-link")
    redyn.simulate(robot, [0.3, 0], [0, 0], 200.0, progress=parts.append)
    assert parts == sorted(parts)
    assert parts[-1] == pytest.approx(1.0)
