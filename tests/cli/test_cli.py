"""The command line, as a user runs it."""

import csv
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import redyn
from commands import command
from commands import printed as run
from sdf_elements import CLOSING, FOUR_BAR, sdf


@pytest.mark.parametrize(("arguments", "code"), [(["show", "one-link"], 0), (["show", "two-lynk"], 2)])
def test_a_process_of_its_own(arguments, code):
    """The other tests run commands in their own process, and so would a program that embeds them."""
    command = [sys.executable, "-m", "redyn", *arguments]
    result = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert result.returncode == code, result.stderr
    assert (result.stdout, result.stderr)[code // 2] == run(*arguments, code=code)


def test_list():
    text = run("list")
    assert all(name in text for name in redyn.library())
    rows = {row["name"]: row for row in json.loads(run("list", "--json"))}
    assert {name for name in rows if ":" not in name} == set(redyn.library())
    for name, kinds in {
        "stanford": "5 revolute, 1 prismatic",
        "planar-biped": "1 planar, 6 revolute",
        "dual-arm-satellite": "1 free, 6 revolute",
        "spatial-biped": "1 free, 2 spherical, 2 revolute, 2 universal",
        "one-link": "1 revolute",
    }.items():
        assert re.search(rf"^ {name} +{kinds} ", text, re.MULTILINE), name
    assert rows["stanford"]["joints"] == ["revolute", "revolute", "prismatic", "revolute", "revolute", "revolute"]
    assert rows["spatial-biped"]["joints"][:2] == ["free", "spherical"]
    assert rows["ur5e"]["group"] == "industrial"


def test_list_takes_a_group_and_words():
    text = run("list", "--group", "industrial", "kuka", "iiwa")
    assert text.startswith("industrial\n")
    assert re.search(r"^ kuka-lbr-iiwa-14-r820 +7 revolute +[\d.]+ \(estimated\) ", text, re.MULTILINE)
    assert "kuka-kr" not in text
    assert run("list", "no", "such", "robot") == "no robot found; `redyn list` shows all\n"
    assert "did you mean 'trees'?" in run("list", "--group", "tree", code=2)


def test_version():
    assert run("--version") == f"redyn {redyn.__version__}\n"


def test_show_has_the_books_r():
    """Tables 9.3 and 9.5 list r_i, from the mass centre to frame i+1; other conventions list the mass centre."""
    text = run("show", "puma")
    assert re.search(r"link +mass +r x +y +z +Ixx", text)
    assert re.search(r"link2 +15\.761 +0\.292 +0 +0 +0\.4898", text)
    assert re.search(r"link3 +8\.767 +0\.02 +0 +-0\.197 ", text)
    assert re.search(r"link +mass +com x", run("show", "point-mass"))
    assert re.search(r"link1 +0\.8 +0\.6 +0 +0 ", run("show", "point-mass"))


def test_show_turns_a_mass_centre_into_r(tmp_path):
    """A DH file may give `com` instead; -0 is never shown."""
    path = tmp_path / "arm.yaml"
    link = "{joint: revolute, a: 1, b: 0, alpha: 0, mass: 2, com: [-0.5, 0, 0], inertia: [0, 0.2, 0.2]}"
    path.write_text(f"name: arm\nconvention: dh\nlinks:\n  - {link}\n", "utf-8")
    text = run("show", str(path))
    assert re.search(r"link1 +2 +0\.5 +0 +0 +0 +0 +0 +0\.2", text)
    assert text.startswith("arm: 1 joint, 2 kg in total")


@pytest.mark.parametrize("name", ["stanford", "newton-euler-rrr", "puma-2003-printed", "lagrange-pointing"])
def test_show(name):
    text = run("show", name)
    assert name in text
    assert "defects" in text
    assert run("show", name, "--yaml") == redyn.load(name).to_yaml()


def test_show_loops():
    text = run("show", "four-bar")
    assert re.search(r"cut +revolute +crank - coupler", text)
    assert "mobility 1 of 3 joint rates; driven: crank" in text
    assert "driven: output, coupler" in run("show", "four-bar", "--actuated", "output, coupler")
    assert "Loops" not in run("show", "four-bar", "--loops", "none")
    assert "loops" in run("show", "--help")


def test_nothing_driven():
    """At rest no rates have to follow from driven joints; moving, that would be an error in words."""
    given = ("simulate", "four-bar", "--actuated", "", "--duration", "0.1")
    assert re.search(r"coupler +2\.27838", run(*given))
    refused = command(*given, "--qd", "1")
    assert "0 actuated rates cannot determine a robot of mobility 1" in refused.err


def test_show_sdf(tmp_path):
    """A file that does not say what is driven becomes a robot file that does."""
    (tmp_path / "bars.sdf").write_text(sdf(*FOUR_BAR, CLOSING))
    text = run("show", str(tmp_path / "bars.sdf"), "--actuated", "crank", "--yaml")
    (tmp_path / "bars.yaml").write_text(text)
    assert "driven: crank" in run("show", str(tmp_path / "bars.yaml"))
    (tmp_path / "loops.yaml").write_text("loops: []\n")
    assert "Loops" not in run("show", str(tmp_path / "bars.sdf"), "--loops", "loops.yaml")


def test_torque_at_a_state():
    rows = json.loads(run("torque", "puma", "--q", "0, pi/4, -30 deg, 0,0,0", "--qd", "0.1", "--json"))
    expected = redyn.load("puma").inverse_dynamics([0, np.pi / 4, -np.pi / 6, 0, 0, 0], [0.1] * 6, [0] * 6)
    np.testing.assert_allclose(rows["tau"], expected)
    assert "4.345830" in run("torque", "three-link", "--q", "0")
    weightless = json.loads(run("torque", "three-link", "--q", "0", "--gravity", "0", "--json"))
    assert weightless["tau"] == [0, 0, 0]


def test_torque_along_a_cycloid(tmp_path, golden):
    path, picture = tmp_path / "arm.csv", tmp_path / "arm.png"
    run(
        "torque",
        "three-link",
        "--cycloid",
        "0",
        "pi",
        "--duration",
        "10",
        "--samples",
        "41",
        "--csv",
        str(path),
        "--plot",
        str(picture),
    )
    with path.open() as file:
        rows = {float(row["t"]): row for row in csv.DictReader(file)}
    for expected in golden["arm3"]["inverse_dynamics"]["rows"]:
        row = rows[expected["t"]]
        np.testing.assert_allclose([float(row[f"tau_joint{i}"]) for i in (1, 2, 3)], expected["tau"], atol=1e-9)
    assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_demo(tmp_path):
    text = run("demo", "--out", str(tmp_path / "out"))
    assert "FD(ID)" in text
    assert (tmp_path / "out" / "puma.png").stat().st_size > 20_000


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["show", "pumma"], "did you mean 'puma'"),
        (["torque", "puma"], "give either --q"),
        (["torque", "puma", "--q", "1,2"], "--q: expected 6 numbers"),
        (["torque", "puma", "--q", "x"], "--q: expected a number"),
        (["torque", "puma", "--q", ""], "--q: expected a number"),
        (["torque", "puma", "--cycloid", "0", "1", "--duration", "-1"], "duration must be a positive"),
        (["torque", "puma", "--cycloid", "0", "1", "--samples", "1"], "--samples"),
        (["torque", "puma", "--q", "0", "--csv", "x.csv"], "need a motion"),
        (["torque"], "Missing argument"),
        (["tork"], "No such command"),
    ],
)
def test_mistakes_exit_with_2(arguments, message):
    assert message in run(*arguments, code=2)


def test_a_file_that_cannot_be_written(tmp_path):
    path = tmp_path / "missing" / "x.csv"
    assert f"{path}: there is no folder" in run("torque", "puma", "--cycloid", "0", "1", "--csv", str(path), code=2)


@pytest.mark.slow
def test_count():
    text = run("count", "chain-6")
    assert "81n - 97 M, 69n - 88 A" in text
    assert "ReDySim" in text
    found = json.loads(run("count", "puma", "--json"))
    assert found["counts"]["inverse_dynamics"] == redyn.load("puma").operation_count("inverse_dynamics")._asdict()


def test_bench(tmp_path):
    path = tmp_path / "speed.json"
    text = run("bench", "puma", "--algorithm", "inverse_dynamics", "--seconds", "0.2", "--out", str(path))
    assert "inverse_dynamics" in text
    rows = json.loads(path.read_text())["rows"]
    assert {row["call"] for row in rows} == {"batch", "single", "one thread", "two threads"}
    assert all(row["redyn"] > 0 for row in rows)
    assert "expected one of" in run("bench", "puma", "--algorithm", "x", code=2)


def test_bench_of_calls():
    """Every call beside Pinocchio's, one state and batches, and what its keywords add."""
    rows = json.loads(run("bench", "calls", "two-link", "--seconds", "0.001", "--json"))
    assert {row["states"] for row in rows} == {1, 8, 64, 4096}
    assert len({row["algorithm"] for row in rows}) == 9
    for row in rows:
        assert row["redyn"] > 0
        assert row["redyn_over_pinocchio"] == pytest.approx(row["redyn"] / row["pinocchio"])
        world = {"gravity"} if row["algorithm"] in ("inverse_dynamics", "forward_dynamics", "gravity_torque") else set()
        assert set(row["keywords"]) == ({"threads", "out", "check"} | world if row["states"] == 1 else set())


def test_check():
    """Tasks, hints and answers of exercises, and verdicts by the exit code."""
    assert re.search(r"^ 9\.12 +Free fall of the three-link arm +start, half, fall", run("check"), re.MULTILINE)
    assert len(json.loads(run("check", "--json"))) == 15
    task = run("check", "9.7")
    assert "Answer: a formula in m_1, a_1; 1 hint" in task
    for hidden in ("theta_ddot_1 + C theta_dot_1", "1/3"):
        assert hidden not in task
    assert "There are no more hints" not in run("check", "9.7", "--hint", "--question", "tau")
    assert "There are no more hints" in run("check", "9.7", "--hint", "--hint", "--question", "tau")
    assert "1/3*m_1*a_1**2*theta_ddot_1 + 1/2*m_1*g*a_1*s1" in run("check", "9.7", "--answer")
    assert run("check", "9.6", "m1*a1^2*theta_dot1^2/6") == "T: right\n"
    assert run("check", "9.14", "hold = [19.6, 4.9] Nm") == "hold: right\n2 questions left\n"
    assert run("check", "9.14", "--question", "hold", "19.62, 4.905").startswith("hold: right")
    given = json.loads(run("check", "9.7", "--json"))
    assert given["questions"][3]["symbols"]["g"] == "acceleration of gravity"
    assert "answer" not in given["questions"][3]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["9.6", "-m1*a1^2*theta_dot1^2/6"], "T: wrong: the sign is wrong: the negative of the expected value"),
        (["9.4", "2", "0,0,1,0,0,0"], "meaning: right\nN: wrong: entry 4 and entry 5 are wrong, the others are right"),
        (["9.4", "N=1"], "N: wrong: expected a vector of 6 entries, got a single value"),
    ],
)
def test_check_of_wrong_answers(arguments, message):
    done = command("check", *arguments)
    assert (done.code, done.out.strip(), done.err) == (1, message, "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["9.99"], "neither an exercise nor a .yaml file"),
        (["9.6", "m1 +"], "redyn: T: 'm1 +': it ends too early"),
        (["9.6", "1", "2"], "2 answers for 1 question"),
        (["9.4", "N=1", "N=2"], "two answers to N"),
        (["9.7", "--question", "tow"], "no question 'tow'; the names are N, I, C, tau"),
        (["9.14", "torques=none.csv"], "torques: none.csv: cannot be read"),
        (["none.yaml", "1"], "none.yaml: there is no such file"),
    ],
)
def test_check_of_bad_input(arguments, message):
    assert message in run("check", *arguments, code=2)


def test_check_of_a_motion(tmp_path):
    path = tmp_path / "torques.csv"
    run("torque", "two-link", "--cycloid", "0", "pi", "--csv", path)
    assert run("check", "9.14", f"torques={path}").startswith("torques: right: within ")


def test_saturate():
    """What is asked of the first joint is more than it may give."""
    given = ("simulate", "franka-panda", "--torque", "500", "--duration", "0.01", "--json")
    limits = redyn.load("franka-panda").effort_limits
    np.testing.assert_array_equal(json.loads(run(*given))["tau"][-1], 500.0)
    np.testing.assert_array_equal(json.loads(run(*given, "--saturate"))["tau"][-1], np.minimum(500.0, limits))
    assert "two-link has no effort limits" in command("simulate", "two-link", "--saturate").err


def test_push():
    given = ("simulate", "two-link", "--duration", "0.3", "--json")
    found = json.loads(
        run(*given, "--push", "link2, 0, 50, 0, 0.1, 0.05", "--push", "link1, 9, 0, 0, 0, 0.1, 0, 0.1, 0")
    )
    robot = redyn.load("two-link")
    pushes = [redyn.Push("link2", [0, 50, 0], start=0.1, duration=0.05), redyn.Push("link1", [9, 0, 0], [0, 0.1, 0])]
    alike = redyn.simulate(robot, robot.initial, [0, 0], 0.3, pushes=pushes)
    np.testing.assert_allclose(found["q"][-1], alike.q[-1], atol=1e-9)
    assert "--push: expected LINK, FX" in command(*given, "--push", "link2, 1").err
    assert "link9" in command(*given, "--push", "link9, 0, 50, 0, 0.1, 0.05").err


def test_payload():
    given = ("torque", "two-link", "--q", "0, 0", "--json")
    alone, loaded = (np.array(json.loads(run(*given, *more))["tau"]) for more in ([], ["--payload", "2"]))
    robot = redyn.load("two-link")
    at = robot.forward_kinematics([0, 0])[:3, 3]
    np.testing.assert_allclose(loaded - alone, -robot.jacobian([0, 0])[3:].T @ (2 * robot.gravity), atol=1e-12)
    assert at[0] != 0
    centre = json.loads(run(*given, "--payload", "2, -1, 0, 0"))["tau"]
    assert abs(centre[1] - alone[1]) < 1e-12  # its centre is at the second joint
    ten = json.loads(run("simulate", "two-link", "--duration", "0.1", "--json", "--payload", "2,0,0,0,1,0,0,1,0,1"))
    alike = redyn.simulate(robot.with_payload(2, [0, 0, 0], np.eye(3)), robot.initial, [0, 0], 0.1)
    np.testing.assert_allclose(ten["q"][-1], alike.q[-1], atol=1e-12)
    assert "--payload: expected a mass" in command("torque", "two-link", "--q", "0", "--payload", "1, 2").err
    assert "mass" in command("torque", "two-link", "--q", "0", "--payload=-1").err


MOTOR = "rated_torque=0.2, peak_torque=0.6, max_speed=1000 rpm, ratio=100, efficiency=0.8"


def test_motors(tmp_path):
    plot = tmp_path / "motors.png"
    text = run("torque", "two-link", "--cycloid", "0", "pi", "--motor", MOTOR, "--motor-plot", plot)
    assert re.search(r"joint1 +13\.44 +20\.1 +Nm .* 77% +42% +60% +fits", text)
    assert plot.stat().st_size > 10_000
    fast = ("simulate", "two-link", "--follow", "cycloid", "pi/2", "--duration", "0.5", "--motor", MOTOR)
    assert "speed 6.00 times the largest" in " ".join(run(*fast).split())
    rows = json.loads(run(*fast, "--json"))["motors"]
    assert [row["fits"] for row in rows] == [False, False]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--motor", "rated=1"], "expected NAME=VALUE, got 'rated=1'"),
        (["--motor", "rated_torque=1"], "peak_torque is missing"),
        (["--motor", "rated_torque=x"], "rated_torque: expected a number"),
        (["--motor", f"{MOTOR}, ratio=3"], "ratio is given twice"),
        (["--motor", MOTOR, "--motor", MOTOR, "--motor", MOTOR], "one for all joints or 2, one per joint, got 3"),
        (["--motor-plot", "motors.png"], "--motor-plot needs --motor"),
    ],
)
def test_motors_that_are_none(options, message):
    assert message in run("torque", "two-link", "--cycloid", "0", "pi", *options, code=2)


def test_help_has_examples():
    for name in ("demo", "list", "show", "torque", "check", "count", "bench", "cache"):
        assert "Example" in run(name, "--help")


def test_import_is_light():
    heavy = ("numpy", "casadi", "sympy", "pydantic", "matplotlib")
    code = f"import sys, redyn; print([m for m in {heavy} if m in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


# --- names with markup ------------------------------------------------------------------------------------------

ODD_NAMES = ["arm[left]", "[/]", "[bold]", "<b>x</b>", "$x$", "`tick`", ":ring:", "_under"]


def odd_file(folder, names):
    """A robot whose names would be markup to Rich, to HTML, to TeX and to Matplotlib."""
    link = {"a": 0.5, "b": 0, "alpha": 0.3, "mass": 1, "r": [0.25, 0, 0], "inertia": [0, 0.01, 0.01]}
    links = [{**link, "name": f"link {name}", "joint": {"type": "revolute", "name": name}} for name in names]
    redyn.load({"name": "[/red] $\\odd$ <i>", "convention": "dh", "links": links}).to_yaml(folder / "odd.yaml")
    return str(folder / "odd.yaml")


@pytest.fixture(scope="module")
def odd_robot(tmp_path_factory):
    return odd_file(tmp_path_factory.mktemp("odd"), ODD_NAMES)


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        (["show"], ["[/red] $\\odd$ <i>", *(f"link {name}" for name in ODD_NAMES)]),
        (["torque", "--q", "0.1"], ODD_NAMES),
        (["torque", "--cycloid", "0", "1"], ODD_NAMES),
        (["simulate", "--duration", "0.01"], ODD_NAMES),
        (["dh"], ["[/red] $\\odd$ <i>", *ODD_NAMES]),
    ],
)
def test_names_print_as_they_are(odd_robot, arguments, names):
    shown = run(arguments[0], odd_robot, *arguments[1:])
    for name in names:
        assert name in shown


@pytest.mark.parametrize("arguments", [["count"], ["parameters"], ["verify", "--states", "3"]])
def test_the_robots_name_prints_as_it_is(tmp_path, arguments):
    assert "[/red] $\\odd$ <i>" in run(arguments[0], odd_file(tmp_path, ODD_NAMES[:2]), *arguments[1:])


@pytest.mark.parametrize("text", ["[/]", "[bold]x", ":ring:"])
def test_mistakes_are_named_as_they_were_typed(text):
    for arguments in (["show", text], ["simulate", "two-link", "--compare", text], ["count", text]):
        assert text in run(*arguments, code=2)


def test_figures_name_joints_as_they_are(odd_robot):
    robot = redyn.load(odd_robot)
    figure = redyn.simulate(robot, robot.initial, robot.neutral(), 0.01).plot()
    figure.canvas.draw()  # where mathematics that is none would raise
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ODD_NAMES


def test_consoles_come_from_one_place():
    """The one that takes names as they are."""
    folder = Path(redyn.__file__).parent / "cli"
    made = [path.name for path in folder.glob("*.py") if re.search(r"\bConsole\(|\.status\(", path.read_text())]
    assert made == ["options.py"]
