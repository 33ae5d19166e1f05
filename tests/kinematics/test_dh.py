"""DH tables: rebuilt forward kinematics must agree with the robot's own."""

import json
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import redyn
from random_robots import EXAMPLES, FLEXIBLE, LOOPS, MOBILE, on_floats, random_tree, trees
from redyn.description.packages import robots_folder
from redyn.description.transforms.screws import normal_step, screw, split
from redyn.kinematics.dh import dh_parameters

UR5 = robots_folder() / "ur_description/urdf/ur5_robot.urdf"
PANDA = robots_folder() / "panda_description/urdf/panda.urdf"


def check(robot, frame=None, tolerance=1e-9):
    rng = np.random.default_rng(1)
    for modified in (False, True):
        table = robot.dh_parameters(frame, modified=modified)
        joints = [robot.joint_names.index(row.joint) for row in table.rows]
        for _ in range(3):
            q = rng.uniform(-3, 3, robot.dof)
            expected = robot.forward_kinematics(q, frame)
            np.testing.assert_allclose(table.forward_kinematics(q[joints]), expected, rtol=0, atol=tolerance)
            # the rows are what they say: rebuilt by redyn itself from a robot file
            np.testing.assert_allclose(_as_file(table, q[joints]), expected, rtol=0, atol=tolerance)


def _as_file(table, q):
    convention, along = ("modified-dh", "d") if table.modified else ("dh", "b")
    links = []
    for row in table.rows:
        turning = row.kind == "revolute"
        fixed = {along: row.d} if turning else {"theta": row.theta}
        joint = {"type": row.kind, "offset": row.theta if turning else row.d}
        links.append({"joint": joint, "a": row.a, "alpha": row.alpha, "mass": 0.0, **fixed})
    robot = redyn.load({"name": "rebuilt", "convention": convention, "links": links}, exact=True)
    return table.base @ on_floats(robot).forward_kinematics(q) @ table.tool


@settings(max_examples=30)
@given(trees, st.integers(0, 8))
def test_any_chain_of_a_random_tree(data, which):
    robot = on_floats(redyn.load(data))
    check(robot, robot.frame_names[which % len(robot.frame_names)])


@settings(max_examples=20)
@given(st.integers(0, 10**6), st.sampled_from(["frames", "dh", "modified-dh"]))
def test_long_serial_chains(seed, convention):
    check(on_floats(redyn.load(random_tree(seed, 12, convention=convention, serial=True))))


def test_joints_without_a_row_are_named():
    for name, joint in (("dual-arm-satellite", "base"), ("spatial-biped", "base")):
        with pytest.raises(redyn.InputError, match=f"joint '{joint}' is neither revolute nor prismatic"):
            redyn.load(name).dh_parameters()


@pytest.mark.parametrize("name", sorted(set(redyn.library()) - {*EXAMPLES, *LOOPS, *MOBILE, *FLEXIBLE}))
def test_library(name):
    robot = on_floats(redyn.load(name))
    check(robot)
    if robot.description.convention != "dh" or robot.description.group != "book":
        return
    table = robot.dh_parameters()
    np.testing.assert_allclose(table.base, np.eye(4), rtol=0, atol=1e-12)
    np.testing.assert_allclose(table.tool, np.eye(4), rtol=0, atol=1e-12)
    for link, row in zip(robot.description.links, table.rows, strict=True):
        if row.kind == "revolute":  # the tables of the book come back as they are
            np.testing.assert_allclose((row.a, row.d), (link.a, link.b), rtol=0, atol=1e-12)


@pytest.mark.filterwarnings("ignore::redyn.RedynWarning")
@pytest.mark.parametrize(("path", "frame"), [(UR5, "tool0"), (UR5, "ee_link"), (PANDA, "panda_hand"), (PANDA, None)])
def test_public_robots(path, frame):
    robot = on_floats(redyn.load(path))
    check(robot, frame or robot.link_names[-1])


@pytest.mark.filterwarnings("ignore::redyn.RedynWarning")
def test_published_tables():
    """UR5 as its maker lists it, Panda as Franka does (Craig's form)."""
    table = redyn.load(UR5).dh_parameters("ee_link")
    np.testing.assert_allclose([abs(row.a) for row in table.rows[:5]], [0, 0.425, 0.39225, 0, 0], atol=1e-9)
    np.testing.assert_allclose([abs(np.sin(row.alpha)) for row in table.rows[:5]], [1, 0, 0, 1, 1], atol=1e-9)
    table = redyn.load(PANDA).dh_parameters("panda_link8", modified=True)
    np.testing.assert_allclose([row.d for row in table.rows], [0.333, 0, 0.316, 0, 0.384, 0, 0.107], atol=1e-9)
    np.testing.assert_allclose([abs(row.a) for row in table.rows], [0, 0, 0, 0.0825, 0.0825, 0, 0.088], atol=1e-9)


def test_choices_are_told():
    said = {row.joint: row.choice for row in redyn.load("puma").dh_parameters().rows}
    assert "parallel to joint3" in said["joint2"]
    assert said["joint1"] is None
    assert "one line" in said["joint6"]
    slides = {row.joint: row.choice for row in redyn.load("stanford").dh_parameters().rows}
    assert "slides" in slides["joint3"]
    link = {"mass": 1, "com": [0, 0, 0], "inertia": [1, 1, 1], "joint": "revolute"}
    near = [link, link | {"xyz": [0.3, 0.2, 0.1], "rpy": [1e-3, 0, 0]}]
    table = redyn.load({"name": "near", "convention": "frames", "links": near}).dh_parameters()
    assert "nearly parallel" in table.rows[0].choice


@given(st.lists(st.floats(-3, 3), min_size=6, max_size=6), st.sampled_from([None, 0.0, np.pi, 1e-12, np.pi / 2]))
def test_screws_of_any_transform(numbers, alpha):
    theta, b, a, angle, rest_theta, rest_b = numbers
    angle = alpha if alpha is not None else angle
    if 0 < abs(np.sin(angle)) < 1e-3 and alpha is None:
        angle = 0.5
    T = screw(theta, b) @ normal_step(a, angle) @ screw(rest_theta, rest_b)
    for found in (split(T), split(T).settled(turn=False), split(T).settled(turn=True)):
        again = screw(found.theta, found.b) @ normal_step(found.a, found.alpha)
        np.testing.assert_allclose(again @ screw(found.rest_theta, found.rest_b), T, rtol=0, atol=1e-10)


def test_bad_input():
    robot = redyn.load("two-link")
    with pytest.raises(redyn.InputError, match="fixed to the world"):
        dh_parameters(robot.model, "world")
    with pytest.raises(redyn.InputError, match="2 numbers"):
        robot.dh_parameters().forward_kinematics([1.0])
    with pytest.raises(redyn.InputError, match="one configuration"):
        robot.dh_parameters().forward_kinematics(np.zeros((3, 2)))


def test_command():
    import typer

    from redyn.cli.dh import dh

    app = typer.Typer()
    app.command()(dh)
    run = CliRunner().invoke(app, ["stanford"])
    assert run.exit_code == 0
    assert re.search(r"joint3 +prismatic +0 +q +0 +0", run.output)
    assert "one line with joint4" in run.output
    run = CliRunner().invoke(app, ["puma", "--modified", "--json"])
    data = json.loads(run.output)
    assert data["convention"] == "modified-dh"
    assert [row["a"] for row in data["rows"]][2] == pytest.approx(0.432)
