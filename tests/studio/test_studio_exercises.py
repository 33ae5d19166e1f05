"""Exercises in the studio: answers are checked, hints come one by one, and nothing typed is lost or opens a file."""

import json
from pathlib import Path

import numpy as np
import pytest

import redyn
from redyn.errors import InputError, RedynError
from redyn.exercises import load, names
from redyn.studio import inbox, keep, lessons
from redyn.studio.lessons import Attempt, Lessons, Source
from redyn.studio.state import State
from redyn.studio.uploads import UploadError
from studio_files import Here, put

PENDULUM = (
    (Path(__file__).parents[2] / "docs" / "exercises.md").read_text("utf-8").split("```yaml\n")[1].split("```")[0]
)
RIGHT = "1/3 m1 a1^2 theta_ddot1 + 1/2 m1 g a1 sin(theta1)"


def quiet(*_):
    pass


@pytest.fixture
def state():
    made = State.first("two-link")
    yield made
    made.close()


def add(state, name, text):
    state.lessons.add(*inbox.read_exercise(Here(), put(state, name, text.encode())))


def test_answers_are_checked_by_the_engine():
    source = Source("9.7")
    assert lessons.check(quiet, source, "tau", RIGHT) == (True, "right")
    right, why = lessons.check(quiet, source, "tau", RIGHT.replace("+", "-"))
    assert (right, why) == (False, "the terms with g are wrong, the others are right")
    with pytest.raises(InputError):
        lessons.check(quiet, source, "tau", "import os")
    assert "m_1" in lessons.solve(quiet, source, "tau")
    assert lessons.forms(quiet, source)["tau"].startswith("a formula in m_1")


def test_text_never_names_a_file(tmp_path):
    source, columns = Source("9.14"), load("9.14").question("torques").table(51)
    file = tmp_path / "mine.csv"
    np.savetxt(file, np.column_stack(list(columns.values())), delimiter=",", header=",".join(columns), comments="")
    assert load("9.14").question("torques").check(str(file)).right  # as the library takes it
    with pytest.raises(InputError, match="columns"):
        lessons.check(quiet, source, "torques", str(file))
    assert lessons.check(quiet, source, "torques", columns)[0]
    attempt = Attempt(answer=str(file))
    with pytest.raises(InputError, match="again"):
        attempt.given("motion")


@pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd.yaml", "9.99", "x" * 500])
def test_unknown_exercises_are_refused_in_words(state, name):
    wrong = state.open_exercise(name)
    assert "there is no exercise" in wrong
    assert len(wrong) < 300
    assert (state.tab, state.lessons.chosen) == ("inverse", lessons.FIRST)


def test_a_link_opens_an_exercise(state):
    assert state.open_exercise("") == ""
    assert state.tab == "inverse"
    assert state.open_exercise("9.7") == ""
    assert (state.tab, state.playing, state.lessons.chosen) == ("exercises", "inverse", "9.7")


def test_hints_come_one_by_one_and_answers_stay(state):
    mine = state.lessons
    mine.choose("9.14")
    hints = len(mine.exercise().question("tau").hints)
    for shown in [1, 2, 3, *([hints] * 2)]:
        mine.hint("tau")
        assert mine.attempt("tau").hints == shown
    mine.attempt("tau").change("[1, 2]")
    mine.choose("9.7")
    mine.choose("9.14")
    assert mine.attempt("tau").answer == "[1, 2]"
    mine.attempt("tau").right, mine.attempt("tau").told = False, "wrong"
    mine.attempt("tau").change("[1, 3]")
    assert (mine.attempt("tau").right, mine.attempt("tau").told) == (None, "")
    with pytest.raises(InputError, match="type an answer"):
        mine.attempt("hold").given("value")
    with pytest.raises(RedynError):
        mine.attempt("no-such-question")


def test_exercises_of_a_teacher(state):
    add(state, "pendulum.yaml", PENDULUM)
    assert state.lessons.chosen == "own:pendulum"
    assert state.lessons.titles["own:pendulum"] == "pendulum: A swinging rod"
    source = state.lessons.source()
    direct = redyn.exercises.Exercise("pendulum", lessons.read_exercise(PENDULUM, "pendulum"))
    for question in direct.questions:  # what was uploaded is what the file says
        assert state.lessons.exercise().question(question.name).answer == question.answer
    assert lessons.check(quiet, source, "hold", "3.924 Nm")[0]
    assert lessons.check(quiet, source, "period", "2") == (True, "right")
    assert not list(state.folder.iterdir())
    for k in range(20):
        add(state, f"sheet-{k}.yaml", PENDULUM)
    assert len(state.lessons.own) == lessons.MOST_OWN


@pytest.mark.parametrize("name", names())
def test_exercises_are_the_same_as_data(name):
    data = load(name).data
    again = lessons.read_exercise(json.loads(json.dumps(data.model_dump(mode="json", exclude_unset=True))), name)
    assert again == data


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("sheet.txt", PENDULUM, "expected a .yaml file"),
        ("sheet.yaml", "title: x", "task: missing"),
        ("sheet.yaml", PENDULUM.replace("gravity_torque", "__class__"), None),  # refused when it is computed
        ("sheet.yaml", "robot: /etc/passwd\n" + PENDULUM.replace("robot:", "source2:"), "sheet.yaml"),
        ("sheet.yaml", "a: " + "[" * 5000, "sheet.yaml"),
        ("sheet.yaml", "#" * 200_000, "limit for an exercise"),
    ],
)
def test_bad_exercises_are_refused_in_words(state, name, text, why):
    before = state.lessons.snapshot()
    if why is None:
        add(state, name, text)
        with pytest.raises(RedynError, match="unknown method"):
            lessons.check(quiet, state.lessons.source(), "hold", "1")
        return
    with pytest.raises(UploadError) as caught:
        add(state, name, text)
    assert why in str(caught.value)
    assert str(state.folder) not in str(caught.value)
    assert state.lessons.snapshot() == before


def test_answers_survive_a_restart(state):
    add(state, "pendulum.yaml", PENDULUM)
    state.lessons.attempt("hold").change("3.9")
    state.lessons.hint("hold")
    state.open_exercise("9.7")
    state.lessons.attempt("tau").change(RIGHT)
    kept = json.loads(json.dumps(keep.snapshot(state)))
    back = State.first("puma")
    keep.restore(back, kept)
    assert back.lessons.snapshot() == state.lessons.snapshot()
    assert back.tab == "exercises"
    keep.restore(back, {key: value for key, value in kept.items() if key != "lessons"})  # saved before there were any
    assert back.lessons == Lessons()
    for bad in ([], {"own": {"own:x": "{}"}, "answers": {}, "chosen": "9.7"}, {"own": {"own:x": "["}}, {"own": 3}):
        with pytest.raises(RedynError):
            keep.restore(back, {**kept, "lessons": bad})
    odd = {"own": {}, "answers": {"9.7": {"tau": {"answer": 3, "hints": 10**9}, "x": {}}, "no": {}}, "chosen": 5}
    keep.restore(back, {**kept, "lessons": odd})
    assert (back.lessons.attempt("tau", "9.7").answer, back.lessons.chosen) == ("3", lessons.FIRST)
    back.close()
