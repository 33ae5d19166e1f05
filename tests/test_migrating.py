"""The page for those who come from other programs: its scripts find agreement, and would find disagreement."""

import re
from pathlib import Path

import numpy as np
import pytest

import redyn
from redyn.description.packages import package_file

pytest.importorskip("pinocchio")
pytest.importorskip("mujoco")
PAGE = Path(__file__).parents[1] / "docs" / "migrating.md"


@pytest.fixture(scope="module")
def page():
    names: dict[str, object] = {}
    for block in re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL):
        exec(compile(block, str(PAGE), "exec"), names)
    return names


@pytest.mark.filterwarnings("ignore::redyn.RedynWarning")
@pytest.mark.parametrize(("name", "floating"), [("ur5", False), ("panda", False), ("solo12", True), ("kinova", False)])
def test_pinocchio(page, name, floating):
    found = page["compare_with_pinocchio"](package_file(f"example-robot-data:{name}"), floating)
    assert found.pop("forward dynamics") < 1e-8
    assert max(found.values()) < 1e-11, found


@pytest.mark.filterwarnings("ignore::redyn.RedynWarning")
def test_pinocchio_notices(page, tmp_path):
    """A robot that is changed on one side only."""
    text = redyn.load("puma").to_urdf()
    path = tmp_path / "arm.urdf"
    path.write_text(text)
    load = redyn.load
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(page["redyn"], "load", lambda *a, **k: load(*a, **k).with_payload(0.1))
        assert page["compare_with_pinocchio"](path)["inverse dynamics"] > 1e-4


BASE = """<mujoco><compiler angle="radian"/><worldbody><body name="trunk" pos="0 0 1">{base}
  <geom type="box" size="0.2 0.1 0.05" mass="3"/>
  <body name="arm" pos="0.2 0 0"><joint name="j1" axis="0 1 0" armature="0.02" damping="0.3"/>
    <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.02" mass="0.7"/>
    <body name="hand" pos="0.3 0 0"><joint name="j2" type="slide" axis="1 0 0"/>
      <geom type="sphere" size="0.04" mass="0.2" pos="0 0.02 0"/></body></body></body></worldbody></mujoco>"""


@pytest.mark.filterwarnings("ignore::redyn.RedynWarning")
@pytest.mark.parametrize("base", ["", '<freejoint name="root"/>'])
def test_mujoco(page, tmp_path, base):
    path = tmp_path / "robot.xml"
    path.write_text(BASE.format(base=base))
    found = page["compare_with_mujoco"](path)
    assert len(found) == (2 if base else 5)
    assert max(found.values()) < 1e-9, found


def test_tables(page, tmp_path):
    robot = redyn.load("two-link")
    motion = redyn.trajectory.cycloidal([0, 0], [1, 1], 1.0)
    t = np.linspace(0, 1, 11)
    q, qd, qdd = motion(t)
    columns = np.column_stack([t, q, qd, qdd, robot.inverse_dynamics(q, qd, qdd)])
    header = "t,q1,q2,qd1,qd2,qdd1,qdd2,tau1,tau2"
    np.savetxt(tmp_path / "table.csv", columns, delimiter=",", header=header, comments="")
    assert page["compare_with_table"](robot, tmp_path / "table.csv").max() < 1e-12
    assert page["compare_with_table"](robot.with_payload(0.1), tmp_path / "table.csv").max() > 0.1


def test_the_names_are_there():
    """Every call that the right-hand columns name is a method of robots, or public."""
    robot, text = redyn.load("puma"), PAGE.read_text("utf-8")
    named = set(re.findall(r"robot\.([a-z_]+)\(", text)) | set(
        re.findall(r"`([a-z_]+)\(q", text.split("## From Mu")[0])
    )
    theirs = {
        "crba",
        "rne",
        "accel",
        "inertia",
        "coriolis",
        "gravload",
        "fkine",
        "inertia_x",
        "jacob0",
        "manipulability",
    }
    missing = {name for name in named - theirs if not hasattr(robot, name)}
    assert not missing
    for dotted in re.findall(r"`redyn\.([a-z_.]+)\(", text):
        found = redyn
        for part in dotted.split("."):
            found = getattr(found, part)
