"""redyn simulate --ground and robots on wheels at the command line."""

import csv
import json

import pytest

from commands import command, printed
from redyn.cli.ground import read_ground

BLOCK = """
name: block
convention: frames
links:
  - {name: block, joint: {name: base, type: free, initial: [0, 0, 0.101, 0, 0, 0, 1]}, mass: 2, com: [0, 0, 0],
     inertia: [0.0217, 0.0333, 0.0417]}
contacts: [{link: block, box: [0.4, 0.3, 0.2]}]
"""


@pytest.fixture(scope="module")
def block(tmp_path_factory):
    path = tmp_path_factory.mktemp("ground") / "block.yaml"
    path.write_text(BLOCK)
    return path


@pytest.mark.parametrize(
    ("texts", "found"),
    [
        (None, None),
        ([""], True),
        (["friction=0.5, slope=10 deg"], {"friction": "0.5", "slope": "10 deg"}),
        (["", "height=0.02*sin(5*x, y)"], {"height": "0.02*sin(5*x, y)"}),
        (["steps=[{at: 1, rise: 0.05}], law=smooth"], {"steps": [{"at": "1", "rise": "0.05"}], "law": "smooth"}),
    ],
)
def test_values(texts, found):
    assert read_ground(texts) == found


def test_a_block_comes_to_rest(block, tmp_path):
    """The option may stand before the robot, whose name it does not take; the forces are in all outputs."""
    table = tmp_path / "block.csv"
    run = json.loads(printed("simulate", "--ground", block, "--duration", 1, "--csv", table, "--json"))
    ground = run["ground"]
    assert ground["contacts"] == [f"block.{k}" for k in range(1, 9)]
    assert sum(force[2] for force in ground["forces"][-1]) == pytest.approx(2 * 9.81, rel=1e-5)
    assert ground["centre_of_pressure"][0] is None  # a millimetre above it
    assert ground["centre_of_pressure"][-1] == pytest.approx([0, 0, -1e-3], abs=1e-5)  # by which it sinks in
    with table.open() as file:
        last = list(csv.DictReader(file))[-1]
    assert sum(float(last[f"contact_block.{k}_fz"]) for k in range(1, 9)) == pytest.approx(2 * 9.81, rel=1e-5)
    text = printed("simulate", block, "--duration", 0.1, "--ground", "friction=0.2", "--ground", "stiffness=4000")
    assert "friction    0.2 (given)" in text
    assert "force at the end (N)" in text
    assert "ground" not in json.loads(printed("simulate", block, "--duration", 0.1, "--json"))


@pytest.mark.parametrize(
    ("robot", "given", "reason"),
    [
        (None, "friktion=1", "unknown key 'friktion'; did you mean 'friction'?"),
        (None, "friction=", "expected KEY=VALUE such as friction=0.5, got 'friction='"),
        (None, "friction=1, friction=2", "friction is given twice"),
        (None, "friction=rough", "ground: friction: expected a number"),
        (None, "steps=[{at: 1", "not valid YAML"),
        ("puma", "friction=1", "puma has no contacts"),
    ],
)
def test_mistakes(block, robot, given, reason):
    assert reason in printed("simulate", robot or block, "--ground", given, "--duration", 0.1, code=2)


def test_wheels():
    """Four torques on three rates; values of all joints; what cannot be asked of wheels is said."""
    run = json.loads(printed("simulate", "mecanum", "--torque", "0.5, 0.2, 0.1, 0.4", "--duration", 0.2, "--json"))
    assert len(run["actuators"]) == 4
    assert len(run["tau"][0]) == 4
    assert (len(run["joints"]), len(run["q"][0])) == (3, 7)
    text = printed("simulate", "mecanum", "--torque", 0.1, "--duration", 0.2)
    assert "rr_spin" in text
    assert "base.angle" in text
    assert "wheels of agv tie its joints" in printed("simulate", "agv", "--pd", 0, 1, 1, code=2)
    shown = printed("show", "mecanum")
    assert "torques (tau): fl_spin, fr_spin, rl_spin, rr_spin" in shown
    assert command("simulate", "--help").out.count("--ground") >= 1
