"""Verdicts on answers, and files that teachers write."""

import copy

import numpy as np
import pytest

import redyn
from redyn.errors import DescriptionError, InputError
from redyn.exercises import load

SIGN = "the sign is wrong: the negative of the expected value"
KINDS = "expected a mapping with one of formula, compute, derive, along, simulate, choice"
ARM = {
    "title": "An arm",
    "task": "Compute.",
    "robot": "two-link",
    "questions": [
        {
            "name": "hold",
            "ask": "?",
            "kind": "value",
            "unit": "Nm",
            "answer": {"compute": "gravity_torque", "q": [0, 0]},
        },
        {"name": "mass", "ask": "I?", "kind": "value", "answer": {"compute": "mass_matrix", "q": [0, "pi/2"]}},
        {"name": "angle", "ask": "q?", "kind": "value", "unit": "rad", "answer": {"formula": "pi/3"}},
        {
            "name": "gravity",
            "ask": "?",
            "kind": "formula",
            "symbols": {"m_2": "", "a_2": "", "g": "", "theta_1": "", "theta_2": ""},
            "answer": {"derive": "gravity_torque", "entry": 2},
        },
        {
            "name": "tau",
            "ask": "?",
            "kind": "motion",
            "answer": {"along": {"start": [0, 0], "stop": ["90 deg", 1], "duration": 2}},
        },
        {"name": "which", "ask": "?", "kind": "choice", "choices": ["a", "b", "c"], "answer": {"choice": [1, 3]}},
    ],
}  # fmt: skip


@pytest.fixture(scope="module")
def arm():
    return load(ARM)


@pytest.mark.parametrize(
    ("question", "answer", "message"),
    [
        ("hold", "19.62, 4.905", "right"),
        ("hold", "[19.6, 4.9] Nm", "right"),
        ("hold", "19620, 4905 mNm", "right"),
        ("hold", "19.62 Nm, 0.004905 kNm", "right"),
        ("hold", "2*9.81, 9.81/2", "right"),
        ("hold", "[19.62; 4.905]", "right"),
        ("hold", [19.62, 4.905], "right"),
        ("hold", np.array([19.62, 4.905]), "right"),
        ("hold", "-19.62, -4.905", SIGN),
        ("hold", "39.24, 9.81", "twice the expected value"),
        ("hold", "-9.81, -2.4525", "half the expected value, and of the wrong sign"),
        ("hold", "2, 0.5", "off by the factor 1/g, g = 9.81"),
        ("hold", "19620, 4905", "1000 times the expected value: check the units"),
        ("hold", "19.62, 4.905 N", "the unit is wrong: N is a unit of force; torque is expected, in Nm"),
        ("hold", "19.62, 1", "entry 2 is wrong, the other is right"),
        ("hold", "19.62, -4.905", f"entry 2 is wrong ({SIGN}), the other is right"),
        ("hold", "20, 5", "close, but off by 0.019 of the expected value; the tolerance is 0.01"),
        ("hold", "3, 4", "wrong"),
        ("hold", "19.62", "expected a vector of 2 entries, got a single value"),
        ("hold", "1/0, 1", "not a finite number"),
        ("mass", "5/3, 1/3; 1/3, 1/3", "right"),
        ("mass", "[[5/3, 1/3], [1/3, 1/3]]", "right"),
        ("mass", "5/3, 1/3; 1/3, 0", "entry (2, 2) is wrong, the others are right"),
        ("mass", "5/3, 0; 0, 1/3", "entry (1, 2) and entry (2, 1) are wrong, the others are right"),
        ("mass", "5/3, 1/3, 1/3, 1/3", "expected a 2 x 2 matrix, got a vector of 4 entries"),
        ("mass", "[[5/3, 1/3], [1/3, 1/3]] m", "the unit is wrong: m is a unit of length; a bare number is expected"),
        ("angle", "60 deg", "right"),
        ("angle", "60", "off by 180/pi: degrees and radians are mixed up"),
        ("gravity", "m2 g a2 cos(theta1 + theta2)/2", "right"),
        ("gravity", "0.5 g m2 a2 (c1 c2 - s1 s2)", "right"),
        ("gravity", "[m2 g a2 c12/2]", "right"),
        ("gravity", "m2 g a2 c12", "twice the expected value"),
        ("gravity", "m2 g a2 c1/2", "the terms with theta_2 are wrong, the others are right"),
        ("gravity", "m2 a2 c12", "wrong: it does not depend on g"),
        ("gravity", "m2 g a2 0.50001 c12", "close, but off by 2e-05 of the expected value; the tolerance is 1e-07"),
        ("gravity", "sqrt(-m2)", "not defined at the values tested"),
        ("gravity", "m2/0", "not defined at the values tested"),
        ("which", "1, 3", "right"),
        ("which", "3", "not complete: what it names is right"),
        ("which", "1 2 3", "the right ones are among them, but not all of these are right"),
        ("which", "b", "wrong"),
    ],
)  # fmt: skip
def test_verdicts(arm, question, answer, message):
    verdict = arm.check(answer, question)
    assert verdict.message == message
    assert verdict.right == (message == "right")


def test_the_transpose_is_named():
    given = copy.deepcopy(ARM)
    given["questions"] = [{"name": "A", "ask": "?", "kind": "value", "answer": {"formula": [["1", "2"], ["3", "4"]]}}]
    verdict = load(given).check("1, 3; 2, 4")
    assert (verdict.message, verdict.wrong) == ("the transpose of the expected matrix", ((1, 2), (2, 1)))


def test_zero_is_no_factor():
    given = {**ARM, "questions": [{"name": "C", "ask": "?", "kind": "value", "answer": {"formula": "0"}}]}
    assert load(given).check("0").right
    assert load(given).check("5").message == "wrong"


def test_velocity_terms_are_named():
    exercise = load("9.14")
    good = exercise.question("tau").answer
    wrong = good.replace("(2*theta_dot_1 + theta_dot_2)", "(theta_dot_1 + theta_dot_2)")
    assert exercise.check(wrong, "tau").message == "entry 1 is wrong, the other is right"
    text = "1/3 m1 a1^2 theta_ddot1 + 1/2 m1 g a1 s1 + theta_dot1^2"
    assert load("9.7").check(text, "tau").message == "the terms with theta_dot_1 are wrong, the others are right"


# --- motions ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def torques():
    robot = redyn.load("two-link")
    t = np.linspace(0, 2, 81)
    q, qd, qdd = redyn.trajectory.cycloidal([0, 0], [np.pi / 2, 1], 2.0)(t)
    return t, robot.inverse_dynamics(q, qd, qdd)


def write(path, t, tau, header="t,tau_joint1,tau_joint2"):
    np.savetxt(path, np.column_stack([t, tau]), delimiter=",", header=header, comments="")
    return path


def test_motions(arm, torques, tmp_path):
    t, tau = torques
    path = tmp_path / "mine.csv"
    for header, values in (
        ("t,tau_joint1,tau_joint2", tau),
        ("time,tau1,tau2", tau),
        ("t,tau1 [mNm],tau2 [mNm]", 1000 * tau),
        ("t,torque_1,torque_2", tau + 0.05),
    ):
        assert arm.check(write(path, t, values, header), "tau").message.startswith("right: within")
    assert arm.check(str(write(path, t * 1000, tau, "t [ms],tau1,tau2")), "tau").right
    sampled = slice(None, None, 7)  # rows at other times are compared there
    assert arm.check({"t": t[sampled], "tau1": tau[sampled, 0], "tau2": tau[sampled, 1]}, "tau").right


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t, tau: (t, -tau), "the sign is wrong: the negative of the expected value; it differs from the start"),
        (lambda t, tau: (t, 2 * tau), "twice the expected value; it differs"),
        (lambda t, tau: (t, tau[:, ::-1]), "the joints are in another order: joint2 and joint1"),
        (
            lambda t, tau: (t, tau + np.array([0, 3])),
            "tau of joint2 is wrong, the other is right; it differs from the start",
        ),
        (lambda t, tau: (t, tau + 9 * (t > 1)[:, None]), "wrong; it differs from t = 1.03 s on, most at t = "),
        (lambda t, tau: (t[:5], tau[:5]), "too few rows, 5; at least 11 are needed"),
        (lambda t, tau: (t[:41], tau[:41]), "no rows between t = 1 and 2 s; the motion takes 2 s"),
        (lambda t, tau: (5 * t, tau), "times must lie between 0 and 2 s, got 0 to 10 s"),
    ],
)
def test_wrong_motions(arm, torques, tmp_path, change, message):
    verdict = arm.check(write(tmp_path / "mine.csv", *change(*torques)), "tau")
    assert not verdict.right
    assert verdict.message.startswith(message)


def test_tables_that_cannot_be_read(arm, torques, tmp_path):
    t, tau = torques
    path = tmp_path / "mine.csv"
    for answer, message in (
        (tmp_path / "none.csv", "cannot be read"),
        (write(path, t, tau, "t,x,y"), "no column tau_joint1; expected t, tau_joint1, tau_joint2"),
        ({"t": [0, 1], "tau1": [1], "tau2": [2, 3]}, "equal length"),
        ({"t": [1, 0], "tau1": [1, 2], "tau2": [2, 3]}, "increasing times"),
        ({"t": [0, 1], "tau1": [1, np.nan], "tau2": [2, 3]}, "finite"),
        ({"tau1": [1]}, "no column is called t"),
        ({"t": ["x"], "tau1": [1], "tau2": [1]}, "columns of numbers"),
        (3.0, "expected a CSV file"),
    ):
        with pytest.raises(InputError, match=message):
            arm.check(answer, "tau")


# --- files -----------------------------------------------------------------------------------------------------------


def changed(**fields):
    """The exercise with fields of its first question replaced; None removes one."""
    data = copy.deepcopy(ARM)
    question = data["questions"][0]
    for name, value in fields.items():
        question[name] = value
    data["questions"][0] = {name: value for name, value in question.items() if value is not None}
    return data


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"title": "x", "task": "y"}, "questions: missing"),
        ({**ARM, "questions": []}, "questions: .*at least 1"),
        ({**ARM, "tittle": "x"}, "tittle: unknown key; did you mean 'title'"),
        (changed(ask=None), r"questions\[0\]\.ask: missing"),
        (changed(kind="essay"), r"questions\[0\]\.kind: .*'value', 'formula', 'motion' or 'choice'"),
        (changed(unit="furlong"), "unknown unit 'furlong'"),
        (changed(answr=1), r"questions\[0\]\.answr: unknown key; did you mean 'answer'"),
        (changed(answer={"guess": 3}), KINDS),
        (changed(answer=42), KINDS),
        (changed(answer={"derive": "torque"}), "of kind value is given by formula or compute or along or simulate"),
        (changed(answer={"compute": "mass_matrix", "qq": [0]}), r"\[0\]\.answer\.qq: unknown key; did you mean 'q'"),
        (changed(answer={"compute": "mass_matrix", "q": ["x"]}), r"\[0\]\.answer\.q\[0\]: expected a number"),
        (changed(answer={"formula": "1 +"}), "ends too early"),
        (changed(answer={"formula": ["1", "x"]}), "a number is expected, without 'x'"),
        (changed(answer={"formula": [["1", "2"], ["3"]]}), "rows of equal length"),
        (changed(choices=["a"]), "choices belong to questions of kind choice"),
        (changed(symbols={"m": "mass"}), "symbols belong to questions of kind formula"),
        (changed(kind="formula", answer={"formula": "1"}), "a formula needs symbols"),
        (changed(kind="formula", symbols={"m1": "", "m_1": ""}, answer={"formula": "m1"}), "differ by underscores"),
        (changed(name="two words"), "a short name of letters"),
        (changed(name="mass"), "two questions are called 'mass'"),
        (changed(tolerance=0), "greater than 0"),
        (changed(answer={"along": {"start": [0, 0], "stop": [1, 1], "duration": 2}}), "needs either at"),
        (changed(answer={"along": {"start": [0], "stop": [1], "duration": 1e9}, "at": 0}), "less than or equal to 100"),
        (changed(answer={"simulate": {"q": [0, 0], "duration": 1}, "at": 0, "columns": "tau"}), "gives q, qd or qdd"),
        (changed(kind="choice", unit="", choices=["a"], answer={"choice": 2}), "numbers from 1 to 1"),
        ({**ARM, "robot": None}, "needs a robot"),
    ],
)  # fmt: skip
def test_mistakes_in_files(data, message):
    with pytest.raises(DescriptionError, match=message):
        load(data)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ({"compute": "eval", "q": [0, 0]}, "question hold: answer: compute: unknown method 'eval'"),
        ({"compute": "__init__", "q": [0, 0]}, "unknown method"),
        ({"compute": "to_yaml"}, "unknown method"),
        ({"compute": "mass_matrix"}, "mass_matrix needs q"),
        ({"compute": "mass_matrix", "q": [0, 0], "tau": [1]}, "mass_matrix does not take tau"),
        ({"compute": "mass_matrix", "q": [0, 0, 0]}, "q: expected 2 numbers"),
        ({"compute": "mass_matrix", "q": [0, 0], "entry": [3, 1]}, r"\[3, 1\] is no entry"),
        ({"along": {"start": [0, 0], "stop": [1, 1], "duration": 2}, "at": 3}, "from 0 to 2 s"),
    ],
)
def test_mistakes_that_show_when_asked(answer, message):
    with pytest.raises(DescriptionError, match=message):
        load(changed(answer=answer)).check("1", "hold")


def test_mistakes_in_derivations():
    for answer, message in (
        ({"derive": "tork"}, "unknown quantity 'tork'; did you mean 'torque'"),
        ({"derive": "torque", "entry": 1}, "unknown name"),  # symbols that the question does not name
        ({"derive": "torque", "where": {"m_1": "__import__('os')"}}, "expected names and numbers"),
    ):
        with pytest.raises(DescriptionError, match=message):
            load(changed(kind="formula", unit="", symbols={"g": ""}, answer=answer)).check("g", "hold")
    puma = load(changed(kind="formula", unit="", symbols={"g": ""}, answer={"derive": "torque"}) | {"robot": "puma"})
    with pytest.raises(DescriptionError, match="at most four"):
        puma.check("g", "hold")


def test_robots_come_from_the_library_or_the_file(tmp_path):
    for robot in ("../../etc/passwd", "/etc/passwd.yaml", "two-lynk", str(tmp_path / "arm.yaml")):
        with pytest.raises(DescriptionError, match="unknown robot"):
            load({**ARM, "robot": robot}).check("1", "hold")
    rod = {"joint": "revolute", "a": 2, "b": 0, "alpha": 0, "mass": 3, "r": [1, 0, 0], "inertia": [0, 0, 0, 1, 0, 1]}
    own = {"name": "mine", "convention": "dh", "gravity": [0, -10, 0], "links": [rod]}
    asked = changed(answer={"compute": "gravity_torque", "q": [0]})
    assert load({**asked, "robot": own}).check("30 Nm", "hold").right
    with pytest.raises(DescriptionError, match=r"exercise: robot: links\[0\]"):
        load({**asked, "robot": {**own, "links": [{**rod, "alpha": "ninety"}]}}).check("30", "hold")


def test_files(tmp_path):
    path = tmp_path / "mine.yaml"
    for text, message in (
        ("title: [", "not valid YAML"),
        ("- a\n- b", "expected an exercise"),
        ("title: &x a\ntask: *x", "anchors"),
        ("title: !!python/object/apply:os.system [ls]", "tags"),
        ("title: a\ntitle: b", "twice"),
        ("x" * 200_000, "exceeds 100,000"),
        ("a: " + "[" * 5000, "not valid YAML|nested"),
    ):
        path.write_text(text, "utf-8")
        with pytest.raises(DescriptionError, match=message):
            load(path)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(DescriptionError, match="UTF-8"):
        load(path)
    for name, message in (
        ("9.16", "the exercises are 9.1, 9.2"),
        ("no.yaml", "no such file"),
        ("a\0.yaml", "no such|not the"),
    ):
        with pytest.raises(DescriptionError, match=message):
            load(name)
    with pytest.raises(InputError, match="name the question: hold, mass"):
        load(ARM).check("1")
    with pytest.raises(InputError, match="no question 'holt'; did you mean 'hold'"):
        load(ARM).check("1", "holt")
    with pytest.raises(InputError, match="expected text, a number or an array"):
        load(ARM).check(object(), "hold")
