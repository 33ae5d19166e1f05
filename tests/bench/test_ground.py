"""redyn bench ground: that all of it is measured, and that MuJoCo is given the same robot."""

import importlib.util
import json

import numpy as np
import pytest

from commands import printed as run
from redyn.bench import ground
from redyn.description.packages import robots_folder

needs_robots = pytest.mark.skipif(robots_folder() is None, reason="example-robot-data is not installed")


@needs_robots
def test_command(tmp_path, monkeypatch):
    monkeypatch.setattr(ground, "DURATION", 0.05)
    monkeypatch.setattr(ground, "REFERENCE", 1e-4)
    monkeypatch.setattr(ground, "STEPS", (5e-3, 1e-3, 5e-4, 2e-4))
    path = tmp_path / "ground.json"
    text = run("bench", "ground", "solo12", "--seconds", "0.001", "--out", str(path))
    assert "solo12 (18)" in text
    assert "MuJoCo" in text
    (row,) = json.loads(path.read_text())["rows"]
    assert row["error"] < 1e-4
    assert row["times_real_time"] == pytest.approx(1 / row["seconds"])
    assert row["mujoco"]["error"] < 1e-4
    assert row["mujoco_over_redyn"] == pytest.approx(row["mujoco"]["seconds"] / row["seconds"])
    for steps in (row["tried"]["rk4"], row["tried"]["rkc"]):
        assert list(steps) == [f"{h:g}" for h in (5e-3, 1e-3, 5e-4, 2e-4)][: len(steps)]


@needs_robots
def test_mujoco_has_the_same_robot_in_the_same_place():
    """In flight both do the same; afterwards both stand, on grounds of their own, a millimetre or two apart."""
    made = ground.standing("solo12")
    peer = ground.MujocoStanding(made)
    theirs, ours = peer.heights("RK4", 2e-4), made.heights(2.5e-4)
    assert theirs[:5] == pytest.approx(ours[:5], abs=1e-8)  # it falls 2 cm in 64 ms
    assert np.abs(theirs - ours).max() < 5e-3
    assert np.abs(theirs - theirs[0]).max() > 0.02


@needs_robots
def test_without_mujoco(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert ground.MujocoStanding.of(ground.standing("solo12")) is None


def test_unknown_robots_are_refused():
    assert "expected robots among hyq, solo12, g1" in run("bench", "ground", "puma", code=2)
