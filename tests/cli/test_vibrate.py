"""`redyn vibrate`, and numbers for joints of robots that bend."""

import json
import re

import numpy as np
import pytest

import redyn
from commands import command
from commands import printed as run


def test_table_of_frequencies():
    text = run("vibrate", "flexible-two-link", "--lock", "all")
    rows = re.findall(r"^ (\d) +([\d.]+) +([\d.]+) +([\d.]+) +(.*?) *$", text, re.MULTILINE)
    robot = redyn.load("flexible-two-link")
    expected = robot.frequencies(robot.initial, locked=robot.joint_names)
    np.testing.assert_allclose([float(row[2]) for row in rows], expected, rtol=1e-4)
    np.testing.assert_allclose([float(row[1]) for row in rows], expected / (2 * np.pi), rtol=1e-4)
    assert rows[0][4] == "link1.y1 1.00"
    assert text.startswith(" mode ")


def test_json_about_the_shape_at_rest():
    found = json.loads(run("vibrate", "flexible-beam", "--sag", "--lock", "joint1", "--json"))
    robot = redyn.load("flexible-beam")
    q = robot.sag(robot.initial)
    modes = robot.vibration(q, ["joint1"])
    np.testing.assert_allclose(found["q"], q)
    np.testing.assert_allclose([mode["frequency"] for mode in found["modes"]], modes.frequencies)
    np.testing.assert_allclose([mode["hertz"] for mode in found["modes"]], modes.hertz)
    assert found["modes"][1]["shape"] == modes.share(1)
    assert found["locked"] == ["joint1"]


def test_page_and_bode_plot(tmp_path):
    page, plot = tmp_path / "modes.html", tmp_path / "bode.png"
    text = run("vibrate", "flexible-beam", "--html", page, "--bode", plot, "--torque", "joint1", "--link", "link1.tip")
    assert text.endswith(f"wrote {page}\nwrote {plot}\n")
    assert "no joint is held" in page.read_text("utf-8")
    assert plot.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["flexible-beam", "--lock", "jiont1"], "did you mean 'joint1'?"),
        (["flexible-beam", "--torque", "joint1"], "--torque: this is of a Bode plot; give --bode FILE as well"),
        (["flexible-beam", "--q", "1, 2"], "expected 1 number for the joints (joint1), or 3 with elastic coordinates"),
        (["four-bar"], "four-bar has closed loops"),
        (["flexible-beam", "--html", "no/modes.html"], "there is no folder"),
    ],
)
def test_mistakes(arguments, message):
    done = command("vibrate", *arguments)
    assert done.code == 2
    assert message in done.err
    assert done.err.count("\n") == 1


def test_nothing_vibrates():
    assert run("vibrate", "two-link").startswith("no natural frequencies")
    assert "nothing drives it back" in run("vibrate", "two-link", "--html", "modes.html", code=2)


@pytest.mark.parametrize(
    ("robot", "q", "expected"),
    [
        ("flexible-two-link", "0.5, 90 deg", [0.5, 0, 0, np.pi / 2, 0, 0]),
        ("flexible-two-link", "0.5", [0.5, 0, 0, 0.5, 0, 0]),
        ("flexible-two-link", "0.5, 0.01, 0, 1, 0, 0.02", [0.5, 0.01, 0, 1, 0, 0.02]),
        ("elastic-joint-arm", "0.5, 1", [0.5, 0.5, 1, 1]),
    ],
)
def test_joint_values_are_enough(robot, q, expected):
    found = json.loads(run("vibrate", robot, "--q", q, "--lock", "all", "--json"))
    np.testing.assert_allclose(found["q"], expected)


def test_rates_and_torques_of_the_joints():
    """Modes start from rest unless they are given, and no torque acts on them."""
    arguments = "simulate", "flexible-two-link", "--duration", "0.02", "--json"
    found = json.loads(run(*arguments, "--q", "0, 1", "--qd", "2, -3", "--torque", "1"))
    assert found["qd"][0] == [2, 0, 0, -3, 0, 0]
    assert found["tau"][0] == [1, 0, 0, 1, 0, 0]
    found = json.loads(run(*arguments, "--qd", "2, 0.1, 0, -3, 0, 0"))
    assert found["qd"][0] == pytest.approx([2, 0.1, 0, -3, 0, 0])
    assert "--qd: expected 2 numbers for the joints (joint1, joint2), or 6" in run(*arguments, "--qd", "1,2,3", code=2)
    found = json.loads(run("simulate", "elastic-joint-arm", "--duration", "0.02", "--json", "--qd", "1, 2"))
    assert found["qd"][0] == [1, 1, 2, 2]
