"""The state of the studio: what is shown is what is computed, limits act, nothing is lost, messages have a cause."""

import asyncio
import copy
import json
import threading
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import redyn
from redyn.description import library, read
from redyn.robot import Robot
from redyn.studio import desk, keep, limits, plans, takeaway, work
from redyn.studio.desk import Desk
from redyn.studio.editor import Editor
from redyn.studio.forms import usual_text
from redyn.studio.jobs import Job
from redyn.studio.links import new_robot
from redyn.studio.opening import open_source
from redyn.studio.panels.equations import MOST_SHOWN, numbers, numbers_latex
from redyn.studio.panels.forward import METHODS, ForwardPanel
from redyn.studio.panels.jog import JogPanel
from redyn.studio.plans import FIXED_STEP, MOST_ROWS, rows, usual_sample
from redyn.studio.sessions import Session
from redyn.studio.state import State
from redyn.studio.troubles import Troubles
from report_page import unpacked
from studio_files import URDF, upload_motion


@pytest.fixture
def state():
    made = State.first("two-link")
    yield made
    made.close()


def simulated(state):
    state.forward = work.forward(lambda part, note: None, state.forward_order())
    return state.forward


# --- the robot that is shown is the one that is computed --------------------------------------------------------

TAKEN = {
    "inverse": lambda s: s.inverse_order(),
    "forward": lambda s: s.forward_order(),
    "python": takeaway.python,
    "report": takeaway.report,
    "yaml": lambda s: takeaway.robot_file(s, "yaml"),
    "urdf": lambda s: takeaway.robot_file(s, "urdf"),
    "csv": takeaway.motion_csv,
    "plot": lambda s: takeaway.plot_csv(s, "inverse", "torque"),
}


def test_nothing_is_computed_or_taken_while_the_tables_hold_a_mistake(state):
    state.run_inverse()
    for take in TAKEN.values():
        take(state)
    state.editor.set_cell(1, "alpha", "ninety")
    assert state.mistake.startswith("link2, alpha: expected a number")
    assert state.wanted is None  # the last one that was right is shown already
    for name, take in TAKEN.items():
        for tab in ("inverse", "forward", "equations"):
            state.tab = tab
            with pytest.raises(redyn.RedynError, match=r"the tables contain an error.*link2, alpha"):
                take(state)
            assert name
    state.jog(0, 0.3)  # what goes well elsewhere changes nothing
    state.editor.set_cell(0, "a", "2")
    assert state.mistake.startswith("link2, alpha")
    assert state.editor.wrong_tables() == {"geometry"}
    state.editor.set_cell(0, "xx", "-1")
    state.editor.set_cell(1, "alpha", "0")
    assert state.editor.wrong_tables() == {"mass"}
    state.editor.undo()
    state.editor.undo()
    assert state.editor.wrong_tables() == {"geometry"}
    state.editor.set_cell(1, "alpha", "0")
    assert state.mistake == ""
    assert state.follow_editor()
    TAKEN["yaml"](state)


def test_tables_of_which_no_robot_can_be_made_hold_a_mistake(state):
    """They read well, cell by cell; still nothing moves."""
    before = state.robot
    assert state.editor.set_cell(0, "joint", "fixed")
    assert state.follow_editor()
    assert state.editor.set_cell(1, "joint", "fixed")
    shown = state.robot
    assert not state.follow_editor()
    assert state.robot is shown
    assert state.mistake
    with pytest.raises(redyn.RedynError, match="the tables contain an error"):
        state.run_inverse()
    state.editor.undo()
    state.editor.undo()
    assert state.follow_editor()
    assert state.robot.description == before.description


def test_undo_to_a_mistake_of_another_robot(state):
    state.editor.set_cell(0, "a", "long")
    state.open(open_source("puma"))
    assert state.mistake == ""
    state.editor.undo()
    assert state.mistake.startswith("link1, a:")
    assert state.robot.name == "puma"  # which the strip names
    with pytest.raises(redyn.RedynError, match="contain an error"):
        takeaway.python(state)


def test_an_edit_says_what_it_stops(state):
    class Running:
        over = type("Event", (), {"is_set": staticmethod(lambda: False)})
        progress = 0.37
        cancelled = False

        def cancel(self, reason=""):
            self.cancelled = True

    for change in (lambda: state.follow(Robot(state.editor.description)), lambda: state.open(open_source("puma"))):
        state.job = job = Running()
        assert change().startswith("The simulation was stopped at 37 %")
        assert job.cancelled
        assert state.job is None
    assert state.open(open_source("two-link")) == ""


def test_removing_needs_a_link():
    editor = Editor(read("three-link"))
    for row in (None, -1, 3):
        with pytest.raises(redyn.RedynError, match="select a link first"):
            editor.remove_link(row)
    assert len(editor.draft.rows) == 3


def test_latex_is_the_matrix_on_the_screen(state):
    """Beyond three joints too, where it is made of numbers: at the rates of the motion, not at rest."""
    state.open(open_source("kuka-kr5"))
    state.run_inverse()
    state.show_time(4.0)
    state.time = 4.0
    shown = state.matrices()
    still = state.robot.coriolis_matrix(state.q, np.zeros(6))
    assert np.abs(shown["coriolis"]).max() > 0.01
    assert np.abs(still).max() == 0
    for matrix in shown.values():
        latex = numbers_latex(matrix)
        entries = [row.split(" & ") for row in latex.removeprefix(r"\begin{bmatrix} ")[:-14].split(r" \\ ")]
        assert [[cell.strip() for cell in row] for row in entries] == numbers(matrix)
    big = np.arange(1.0, (MOST_SHOWN + 1) ** 2 + 1).reshape(MOST_SHOWN + 1, -1)
    assert numbers_latex(big).count(r"\cdots") == MOST_SHOWN
    assert numbers_latex(big).count(r"\vdots") == MOST_SHOWN + 1


def test_of_edits_that_come_while_a_robot_is_built_the_last_one_counts(state, monkeypatch):
    """However many there are, one robot is built for them; the first one is not shown any more."""
    session, built, shown, go_on = Session(state), [], [], threading.Event()
    page = session.desk = Desk.__new__(Desk)  # without panels
    page.session, page.state = session, state
    page.jog = JogPanel.__new__(JogPanel)
    page.jog._taker = None  # no joint waits to be moved

    def build(description):
        built.append(description.links[0].a)
        assert go_on.wait(300)
        return Robot(description)

    async def rerun(self, keep):
        shown.append(state.robot.description.links[0].a)

    for name in ("_be_busy", "show_robot", "show_tables", "show_troubles", "keep_soon"):
        monkeypatch.setattr(Desk, name, lambda *_: None)
    monkeypatch.setattr(Desk, "rerun", rerun)
    monkeypatch.setattr(desk, "build", build)
    monkeypatch.setattr(desk.background_tasks, "create", lambda work, name: asyncio.create_task(work, name=name))

    async def edits(*texts):
        tasks = [asyncio.create_task(page.edit(partial(state.editor.set_cell, 0, "a", text))) for text in texts]
        while not built:
            await asyncio.sleep(0.01)
        return tasks

    async def all_of_them():
        tasks = await edits("0.5")
        tasks += await edits(*(f"0.{k}" for k in range(51, 100)))
        await asyncio.sleep(0)  # they are in the tables, and wait
        go_on.set()
        await asyncio.gather(*tasks)

    asyncio.run(asyncio.wait_for(all_of_them(), 300))
    assert (built, shown) == ([0.5, 0.99], [0.99])


def test_a_result_goes_to_the_page_that_is_there(state, monkeypatch):
    """A page that was loaded again has a predecessor, which looks after the simulation for a while as well."""
    session = Session(state)
    state.job = job = Job("redyn.studio.work:forward", ())
    job.finish("done", simulated(state))
    state.forward = None
    for name in ("watch", "show_result"):
        monkeypatch.setattr(ForwardPanel, name, lambda panel: None)
    before, now = (SimpleNamespace(session=session, state=state, trouble=print, show_motion=print) for _ in range(2))
    panels = [ForwardPanel.__new__(ForwardPanel) for _ in range(2)]
    for panel, page in zip(panels, (before, now), strict=True):
        panel._desk, panel._timer, panel._note = page, SimpleNamespace(active=True), SimpleNamespace(_text="")
    session.desk = now
    panels[0]._look()
    assert state.job is job
    assert not panels[0]._timer.active
    panels[1]._look()
    assert state.job is None
    assert state.forward is job.result


# --- messages belong to their cause -----------------------------------------------------------------------------


def test_an_early_try_that_ends_late_says_nothing_of_a_later_one():
    troubles = Troubles()
    early, late = troubles.attempt(), troubles.attempt()
    troubles.ended("table", late, "ninety is no number")
    troubles.ended("table", early)
    troubles.ended("inverse", troubles.attempt())
    assert troubles.messages == {"table": "ninety is no number"}
    troubles.ended("table", early, "what was wrong before")
    assert troubles.messages == {"table": "ninety is no number"}
    troubles.ended("upload a", troubles.attempt(), "damaged")
    assert list(troubles.messages) == ["table", "upload a"]
    troubles.ended("table", troubles.attempt())
    assert troubles.messages == {"upload a": "damaged"}
    running = troubles.attempt()
    troubles.forget("upload a")
    troubles.ended("upload a", running, "about a robot that is gone")
    assert troubles.messages == {}


# --- limits act -------------------------------------------------------------------------------------------------


def limited(state, **cells):
    for column, text in cells.items():
        state.editor.set_cell(0, column, text)
    assert state.follow_editor(), state.mistake
    return state.robot


def test_limits_are_columns_of_the_tables(state):
    robot = limited(state, lower="-90 deg", upper="1", speed="2.5", effort="7")
    joint = robot.description.links[0].joint
    assert (joint.limits, joint.speed_limit, joint.effort_limit) == ((-np.pi / 2, 1.0), 2.5, 7.0)
    assert Editor(robot.description).draft.rows[0]["effort"] == "7"
    assert not state.editor.set_cell(0, "speed", "-1")
    assert [(problem.row, problem.column) for problem in state.editor.problems] == [(0, "speed")]


def test_a_motion_that_leaves_its_limits_says_so(state):
    robot = limited(state, lower="-1", upper="0.6", speed="0.15", effort="12")
    state.motion.stop = ["1.5", "0"]
    found = state.run_inverse()
    assert [sentence.split(":")[0] for sentence in found.beyond] == [
        "joint1 leaves from 4.5 s on its limit of 0.6 rad",
        "joint1 leaves from 2.51 s on its speed limit of 0.15 rad/s",
        "joint1 starts beyond its effort limit of 12 Nm",
    ]
    plots = work.inverse_plots(found)
    data = {key: work.plot_data(robot, found.t, plot) for key, plot in plots.items()}
    assert {key: plot["red"] for key, plot in data.items()} == {
        "torque": [0],
        "q": [0],
        "qd": [0],
        "qdd": [],
        "path": [],
    }
    np.testing.assert_array_equal(np.asarray(plots["q"].beyond)[:, 0], found.q[:, 0] > 0.6)
    assert data["q"]["lines"] == [0.6]
    assert data["qd"]["lines"] == [0.15]
    state.motion.stop = ["0.6", "0"]  # up to the limit, not beyond
    state.motion.duration = "100"
    state.editor.set_cell(0, "effort", "")
    assert state.follow_editor()
    assert state.run_inverse().beyond == []
    _, page = takeaway.report(state)
    assert b"leaves from" not in page


def test_a_run_that_leaves_its_limits_says_so_and_stops_hold_it(state):
    limited(state, lower="-1", upper="1")
    state.run.set_duration("2")
    state.tab = "forward"
    free = simulated(state).runs[0]
    assert free.beyond(False)[0].startswith("joint1 leaves from")
    assert free.run.q[:, 0].min() < -2
    assert work.run_plots(free.run)["q"].lines == [-1.0]
    state.run.stops = True
    held = simulated(state).runs[0]
    assert held.run.q[:, 0].min() > -1.2
    assert held.beyond(True)[0].startswith("joint1 presses its stop at -1 rad by up to")
    assert np.abs(held.run.energy.stops).max() > 0
    names: dict = {}
    exec(compile(takeaway.python(state), "studio.py", "exec"), names)
    np.testing.assert_array_equal(names["run"].q, held.run.q)
    assert b"presses its stop" in takeaway.report(state)[1]
    state.open(open_source("two-link"))
    state.run.stops = True
    with pytest.raises(redyn.RedynError, match="two-link has no joint limits; give some in the tab"):
        state.forward_order()


def test_limits_of_joints_with_several_numbers(state):
    state.open(open_source("spatial-biped"))
    robot = state.robot
    bounds = limits.position_range(robot)
    assert bounds.low.shape == (robot.nq,)
    assert not limits.has_stops(robot)
    for column, text in (("lower", "0"), ("upper", "0.1"), ("effort", "1e-3")):
        state.editor.set_cell(3, column, text)
    assert state.follow_editor(), state.mistake
    told = state.run_inverse().beyond
    name = state.robot.description.links[3].joint.name
    assert {sentence.split(" ")[0] for sentence in told} == {name}


def test_jogging_says_where_it_stops(state):
    limited(state, lower="-90 deg", upper="pi/2")
    assert state.jog(0, 0.3) == ""
    assert state.jog(0, 3.0) == "joint1 stops at its limit, 1.571 rad"
    assert state.q[0] == np.pi / 2
    for column, text in (("lower", "-0.41"), ("upper", "-0.39")):
        state.editor.set_cell(1, column, text)
    assert state.follow_editor()
    state.q = before = np.array([1.55, -0.4])
    with pytest.raises(redyn.RedynError, match="cannot move there within the limits of joint1"):
        state.jog_tip(0, -0.1)
    assert state.q is before


# --- how a run is sampled and stepped ---------------------------------------------------------------------------


def test_long_runs_are_sampled_by_rate(state):
    for duration in (0.01, 0.5, 5, 60, 200, 3600):
        step = usual_sample(duration)
        assert 400 <= rows(duration, step) <= MOST_ROWS
        assert step <= 0.01
    state.run.set_duration("60")
    assert state.forward_order().plan.sample == 0.01
    assert len(simulated(state).runs[0].run.t) == 6001
    state.run.sample = "0.5"
    assert len(simulated(state).runs[0].run.t) == 121
    state.motion.duration, state.motion.sample = "60", "0.1"
    assert len(state.run_inverse().t) == 601
    state.run.sample = "1e-4"
    with pytest.raises(
        redyn.RedynError,
        match=r"sample: 60 s every 0\.0001 s are 600,001 rows; at most 400,000 of .*write 0.0002 or more",
    ):
        state.forward_order()
    state.motion.sample = "often"
    with pytest.raises(redyn.RedynError, match="sample: expected a number"):
        state.inverse_order()


def test_an_hour_has_a_hundred_rows_per_second(state, monkeypatch):
    state.motion.duration = "3600"
    found = state.run_inverse()
    assert len(found.t) == 360_001
    assert work.rows_note(found.t, state.robot) == "plots show the peaks of 360,001 rows, CSV has all"
    sent = work.plot_data(state.robot, found.t, work.inverse_plots(found)["q"])
    assert len(sent["values"]) < 200_000  # characters
    state.motion.duration = "30"
    assert work.rows_note(state.run_inverse().t, state.robot) == ""
    text = takeaway.motion_csv(state)[1]
    monkeypatch.setattr(work, "BLOCK", 7)  # rows are written block by block
    assert takeaway.motion_csv(state)[1] == text
    assert text.count("\n") == 3002
    monkeypatch.setattr(plans, "MOST_NUMBERS", 2000)  # of a machine with little memory, or a robot with many joints
    state.motion.duration = "60"
    found = state.run_inverse()
    assert len(found.t) == 601
    assert work.rows_note(found.t, state.robot) == "6,001, a hundred per second, do not fit into memory"
    assert usual_text("60", state.robot) == "0.1"


def test_a_long_run_is_drawn_with_its_peaks(state):
    state.motion.duration, state.motion.sample = "40", "0.001"
    found = state.run_inverse()
    plot = work.inverse_plots(found)["qd"]
    data = work.plot_data(state.robot, found.t, plot)
    values = np.frombuffer(__import__("base64").b64decode(data["values"])).reshape(2, -1)
    assert values.shape[1] < 10_000 < len(found.t)
    np.testing.assert_array_equal(values.max(axis=1), found.qd.max(axis=0))


@pytest.mark.parametrize("method", METHODS)
def test_methods_with_a_fixed_step_have_a_step(state, method):
    state.run.set_duration("0.2")
    state.run.method, state.run.step, state.run.rtol = method, "0.05", "1e-3"
    run = simulated(state).runs[0].run
    assert (run.steps == 4) == (method in FIXED_STEP)
    state.tab = "forward"
    code = takeaway.python(state)
    assert ("step=0.05" in code) == (method in FIXED_STEP)
    assert ("rtol=" in code) == (method not in FIXED_STEP)
    state.run.step = "0"
    with pytest.raises(redyn.RedynError, match="step: expected a number from"):
        state.forward_order()


def test_the_report_of_a_comparison_holds_both_runs(state):
    state.run.set_duration("0.5")
    state.tab, state.run.compare = "forward", "method:rk4"
    done = simulated(state)
    text = takeaway.report(state)[1].decode()
    data = json.loads(unpacked(text, "data"))
    assert [scene["label"] for scene in data["scenes"]] == ["two-link, rkf45", "two-link, rk4"]
    names = {plot["title"]: plot["names"] for plot in data["plots"]}
    assert names["Joint values"] == ["joint1", "joint2", "joint1, rk4", "joint2, rk4"]
    values = np.frombuffer(__import__("base64").b64decode(data["plots"][1]["values"]), "<f4").reshape(4, -1)
    np.testing.assert_allclose(values[2], done.runs[1].run.q[:, 0], atol=1e-6)
    for word in ("rkf45: ", "rk4: "):
        assert f"two-link, {word}" in text  # steps and energy of each
    state.run.compare = "robot:three-link"
    simulated(state)
    data = json.loads(unpacked(takeaway.report(state)[1].decode(), "data"))
    assert [len(scene["joints"]) for scene in data["scenes"]] == [2, 3]


# --- a link that becomes longer ---------------------------------------------------------------------------------


def body(points, masses):
    """Mass centre and inertia about it of particles."""
    centre = masses @ points / masses.sum()
    away = points - centre
    inertia = sum(m * (p @ p * np.eye(3) - np.outer(p, p)) for m, p in zip(masses, away, strict=True))
    return centre, inertia


@settings(max_examples=40)
@given(st.integers(0, 10**9), st.sampled_from(["dh", "modified-dh", "frames"]), st.booleans())
def test_a_stretched_body_is_the_body_of_stretched_particles(seed, convention, second):
    """The particles of the link that has become longer, each moved in proportion along that length."""
    rng = np.random.default_rng(seed)
    editor = Editor(new_robot(convention))
    editor.add_link()
    points, masses = rng.uniform(-1, 1, (6, 3)), rng.uniform(0.5, 2, 6)
    centre, inertia = body(points, masses)
    row = 0 if convention != "dh" else int(second)
    sign = -1 if editor.draft.robot["centre"] == "r" else 1
    cells = {"mass": masses.sum(), **dict(zip("xyz", sign * centre, strict=True))}
    cells |= {f"{a}{b}": inertia["xyz".index(a), "xyz".index(b)] for a, b in ("xx", "yy", "zz", "xy", "xz", "yz")}
    for column, value in cells.items():
        editor.set_cell(row, column, repr(float(value)))
    alpha, old, new = (float(x) for x in rng.uniform(0.2, 1.5, 3))
    edited = 1 if convention != "dh" else row
    if convention == "frames":
        column, axis = "xyz", np.eye(3)[int(rng.integers(3))]
        texts = [", ".join(repr(x) for x in (axis * length).tolist()) for length in (old, new)]
    else:
        editor.set_cell(edited, "alpha", repr(alpha))
        column = {"dh": "ab", "modified-dh": "ad"}[convention][int(rng.integers(2))]
        turn = alpha if convention == "dh" else -alpha
        axis = np.array([1.0, 0, 0]) if column == "a" else np.array([0, np.sin(turn), np.cos(turn)])
        texts = [repr(old), repr(new)]
    editor.set_cell(edited, column, texts[0])
    assert not editor.problems, editor.problems
    assert editor.set_cell(edited, column, texts[1])
    assert editor.offer is not None
    assert editor.offer.row == row
    before = editor.draft
    assert editor.stretch()
    moved = points @ (np.eye(3) + (new / old - 1) * np.outer(axis, axis)).T
    centre, inertia = body(moved, masses)
    link = editor.description.links[row]
    np.testing.assert_allclose(link.com or [-x for x in link.r], centre, atol=1e-12)
    xx, xy, xz, yy, yz, zz = link.inertia
    np.testing.assert_allclose([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], inertia, atol=1e-12)
    assert link.mass == pytest.approx(masses.sum())
    editor.undo()
    assert editor.draft == before


@pytest.mark.parametrize(
    ("row", "column", "text", "why"),
    [
        (0, "alpha", "1", "an angle"),
        (0, "a", "0", "to nothing"),
        (0, "b", "1", "from nothing"),
        (0, "a", "-1", "the other way"),
        (0, "a", "1", "no change"),
        (0, "a", "long", "no number"),
        (0, "mass", "2", "no length"),
    ],
)
def test_what_is_no_change_of_a_length_offers_nothing(row, column, text, why):
    editor = Editor(new_robot("dh"))
    editor.set_cell(row, column, text)
    assert editor.offer is None, why
    editor.undo()
    editor.set_cell(0, "a", "2")
    assert editor.offer is not None
    editor.add_link()  # any other edit
    assert editor.offer is None
    with pytest.raises(redyn.RedynError, match="changed no length"):
        editor.stretch()


# --- what the browser keeps -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", library())
def test_work_comes_back_from_the_browser(name):
    state, back = State.first(name), State.first("one-link")
    state.motion.duration, state.motion.sample, state.run.method = "3", "0.05", "rk4"
    state.run.set_duration("7")
    state.run.compare, state.run.stops, state.tab = "robot:puma", True, "forward"
    state.run.q[0] = "0.1"
    keep.restore(back, json.loads(json.dumps(keep.snapshot(state))))
    assert back.robot.description == state.robot.description
    assert back.editor.draft.rows == state.editor.draft.rows
    assert back.wanted is None
    assert (back.tab, back.motion, back.run) == ("forward", state.motion, state.run)
    assert keep.snapshot(back) == keep.snapshot(state)


def test_a_mistake_comes_back_too(state):
    state.editor.set_cell(0, "a", "pi/7")
    assert state.follow_editor()
    state.editor.set_cell(1, "alpha", "ninety")
    back = State.first("puma")
    keep.restore(back, json.loads(json.dumps(keep.snapshot(state))))
    assert back.mistake == state.mistake
    assert back.robot.description == state.robot.description
    assert back.editor.draft.rows[0]["a"] == "pi/7"  # as it was typed
    back.editor.set_cell(1, "alpha", "0")
    assert back.mistake == ""


def test_files_of_columns_are_asked_for_again(state):
    upload_motion(state, "m.csv", b"t,q_joint1,q_joint2\n0,0,0\n1,1,1\n")
    back = State.first("puma")
    keep.restore(back, json.loads(json.dumps(keep.snapshot(state))))
    assert back.motion.kind == "csv"
    with pytest.raises(redyn.RedynError, match="upload a CSV file"):
        back.run_inverse()


@pytest.mark.parametrize("other", ["robot:{}", "robot:", "method:nothing", "method:", "method:rkf45"])
def test_a_browser_cannot_name_a_file_of_the_server(state, tmp_path, other):
    (tmp_path / "private.yaml").write_text(redyn.load("two-link").to_yaml())
    state.run.compare = other.format(tmp_path / "private.yaml")
    back = State.first("one-link")
    keep.restore(back, json.loads(json.dumps(keep.snapshot(state))))
    with pytest.raises(redyn.RedynError, match="compare: choose") as caught:
        back.forward_order()
    assert str(tmp_path) not in str(caught.value)


def test_the_file_of_the_server_keeps_its_warnings(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_bytes(
        URDF.replace(b"</inertial>", b"</inertial><visual><geometry><mesh filename='a.stl'/></geometry></visual>")
    )
    start = open_source(path)
    state, back = State.first(start), State.first("one-link")
    assert "a.stl" in state.warnings[0]
    keep.restore(back, json.loads(json.dumps(keep.snapshot(state))), start)
    assert back.notes == state.notes


@pytest.mark.slow
def test_what_a_browser_sends_is_not_believed(state):
    """Whatever is changed in it, it is taken as far as it is right, or refused in words; the state stays whole."""
    rng = np.random.default_rng(0)
    good = json.loads(json.dumps(keep.snapshot(state)))
    junk = [None, 7, -1e308, "", "x" * 1000, [], {}, [[]], {"a": []}, True, ["0"] * 50, "../../etc"]

    def places(value, path=()):
        yield path
        items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for key, inner in items:
            yield from places(inner, (*path, key))

    everywhere = list(places(good))
    taken = 0
    for _ in range(250):
        data = copy.deepcopy(good)
        path = everywhere[int(rng.integers(len(everywhere)))]
        value = copy.deepcopy(junk[int(rng.integers(len(junk)))])
        if path:
            at = data
            for key in path[:-1]:
                at = at[key]
            at[path[-1]] = value
        else:
            data = value
        back = State.first("one-link")
        try:
            keep.restore(back, data)
            taken += 1
        except redyn.RedynError:
            assert back.robot.name == "one-link"
        assert isinstance(back.mistake, str)
        back.follow_editor()
        keep.snapshot(back)
    assert taken > 20
