"""redyn bench loops: that all of it is measured, and that the other programs are given the same mechanism."""

import importlib.util
import json

import numpy as np
import pytest

import redyn
from commands import printed as run
from random_robots import close, on_floats
from redyn.bench.loop_peers import MujocoLoops, PinocchioLoops, physical
from redyn.bench.loops import STAGES, compare_loops
from redyn.verify.compare import random_states


def rows_of(robot, count=3):
    return list(zip(*random_states(robot, count), strict=True))


def test_command(tmp_path):
    path = tmp_path / "speed.json"
    text = run("bench", "loops", "four-bar", "--seconds", "0.001", "--out", str(path))
    assert "four-bar (3)" in text
    assert "MuJoCo implicit" in text
    report = json.loads(path.read_text())
    assert report["lanes"] in (1, 2, 4, 8)
    (row,) = report["rows"]
    assert (row["dof"], row["rows"], row["mobility"]) == (3, 2, 1)
    assert all(row[name] > 0 for name in ("forward", "inverse", "project", "single_forward", "single_inverse"))
    assert set(row["pinocchio"]) == {"two points", "one point"}  # it is planar
    quicker = min(row["pinocchio"].values())
    assert row["ratio"] == pytest.approx(quicker / row["forward"])
    assert row["single_ratio"] == pytest.approx(quicker / row["single_forward"])
    assert row["runs"]["gap"] < 1e-14
    assert set(row["runs"]["mujoco"]) == {"rk4", "implicit"}
    assert all(1e-4 < gap < 2e-3 for gap in row["runs"]["mujoco_gap"].values())  # soft


def test_without_other_programs(monkeypatch):
    """And the stages of a robot, in their order."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    seen = []
    (row,) = compare_loops(["four-bar"], 0.001, seen.append).rows
    assert list(dict.fromkeys(seen)) == [f"four-bar: {stage}" for stage in STAGES]
    assert (row.pinocchio, row.ratio, row.single_ratio, row.runs.mujoco) == ({}, None, None, {})


def test_robots_with_loops_and_without():
    assert "has no loops; `redyn bench two-link` times it" in run("bench", "loops", "two-link", code=2)
    assert "has closed loops; `redyn bench loops four-bar` times it" in run("bench", "four-bar", code=2)


def test_how_pinocchio_holds_pins():
    """Two points each, one where the mechanism is planar anyway; a ball has one."""
    for name, ways in (
        ("four-bar", ["two points", "one point"]),
        ("bricard", ["two points"]),
        ("delta", ["two points"]),
    ):
        robot = on_floats(redyn.load(name, friction=False))
        assert list(PinocchioLoops(robot).calls(rows_of(robot))) == ways, name


def test_another_result_is_not_timed(monkeypatch):
    robot = on_floats(redyn.load("four-bar", friction=False))
    states, peer = rows_of(robot), PinocchioLoops(robot)
    right = redyn.Robot.forward_dynamics
    monkeypatch.setattr(redyn.Robot, "forward_dynamics", lambda *state: right(*state) * (1 + 1e-4))
    assert not peer.calls(states)


@pytest.mark.parametrize("name", ["four-bar", "3-rrr"])
def test_mujoco_simulates_the_same_mechanism(name):
    """While its loops have hardly opened: 20 ms."""
    robot = redyn.load(name, friction=False)
    start = robot.initial, robot.transmission(robot.initial) @ np.ones(robot.mobility), np.zeros(robot.dof)
    peer = MujocoLoops(robot)
    peer.stepper("rk4", start, 1e-4, 200)()
    theirs = peer.data.qpos.copy()
    ours = redyn.simulate(robot, *start[:2], 0.02).q[-1]
    moved = np.abs(ours - robot.initial).max()
    close(theirs, peer.peer.state(ours, *start[1:])[0], tolerance=0.02 * moved)
    assert 0.0 < peer.widest("rk4", start, 1e-4, 200) < 1e-3


def test_inertias_that_mujoco_accepts():
    """Of the 3-RRR robot, whose platform has none that a body could have: nothing changes in its plane."""
    robot = on_floats(redyn.load("3-rrr", friction=False))
    changed = on_floats(redyn.Robot(physical(robot.description)))
    assert changed.description.links != robot.description.links
    for state in rows_of(robot):
        close(changed.forward_dynamics(*state), robot.forward_dynamics(*state))
