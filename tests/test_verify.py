"""redyn verify: agrees where it should, and can disagree."""

import warnings

import pytest

import redyn
from random_robots import random_tree
from redyn.bench.compare import URDF
from redyn.bench.peers import robots_folder
from redyn.verify import compare
from redyn.verify.compare import verify


@pytest.mark.parametrize("name", ["ur5", "hyq", "puma", "stanford", "lagrange-pointing"])
def test_robots_agree(name):
    source = robots_folder() / URDF[name] if name in URDF else name
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", redyn.RedynWarning)
        _, rows = verify(source, states=20)
    assert len(rows) == 11
    assert all(row.agrees for row in rows), rows
    assert all(row.difference < 1e-12 for row in rows)


def test_random_trees_agree(tmp_path):
    data = random_tree(11, 5)
    for link in data["links"]:
        link["joint"].pop("armature", None)
    redyn.load(data).to_yaml(tmp_path / "tree.yaml")
    _, rows = verify(tmp_path / "tree.yaml", states=10)
    assert all(row.agrees for row in rows), rows


def test_a_wrong_answer_is_seen(monkeypatch):
    right = redyn.Robot.coriolis_vector
    monkeypatch.setattr(redyn.Robot, "coriolis_vector", lambda self, q, qd: right(self, q, qd) * (1 + 1e-6))
    _, rows = verify("puma", states=5)
    assert [row.quantity for row in rows if not row.agrees] == ["coriolis_vector"]


def test_what_is_not_determined_is_said():
    _, rows = verify("kuka-kr5-printed", states=3)
    noted = {row.quantity: row.note for row in rows if row.note}
    assert set(noted) == set(compare.DIVIDING)
    assert all("joint6" in note for note in noted.values())


def test_armature_cannot_be_compared(tmp_path):
    data = random_tree(3, 2, fixed=0)
    data["links"][0]["joint"]["armature"] = 0.1
    redyn.load(data).to_yaml(tmp_path / "arm.yaml")
    with pytest.raises(redyn.RedynError, match="armature"):
        verify(tmp_path / "arm.yaml")
