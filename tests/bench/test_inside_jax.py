"""The bench inside JAX runs, and says which peers it left out and why."""

import json
import os

import pytest

import redyn
from redyn.bench import inside_jax, jax_peers

pytest.importorskip("jax")


@pytest.mark.slow
def test_report(monkeypatch):
    monkeypatch.setattr(inside_jax, "STAGES", (("inverse_dynamics", 1), ("forward_dynamics", 64), ("gradient", 64)))
    cache = os.environ.get("REDYN_CACHE")

    def broken(*state):
        raise TypeError("of another time")

    def same(robot, file):
        functions = redyn.jax.functions(robot, kernels=False)
        return {"inverse_dynamics": functions.inverse_dynamics, "forward_dynamics": broken}

    monkeypatch.setattr(jax_peers, "PEERS", {"same": same, "frax": jax_peers.frax})
    seen = []
    report = inside_jax.compare_jax(["two-link"], 0.05, seen.append)
    assert seen == [
        "two-link: reading",
        *(f"two-link: {a}, {n} state{'s' if n > 1 else ''}" for a, n in inside_jax.STAGES),
    ]
    rows = {(row.algorithm, row.program): row for row in report.rows}
    assert set(rows) == {
        ("inverse_dynamics", "redyn"),
        ("inverse_dynamics", "same"),
        ("inverse_dynamics", "redyn without JAX"),
        ("forward_dynamics", "redyn"),
        ("forward_dynamics", "redyn without JAX"),
        ("gradient", "redyn"),
    }
    assert all(row.nanoseconds > 0 and row.difference < 1e-12 for row in report.rows)
    assert rows["gradient", "redyn"].compile_seconds > 0
    assert "TypeError: of another time" in report.missing["same"]
    assert report.missing["frax"] == "reads URDF, which two-link does not come from"
    assert json.loads(json.dumps(report.to_data()))["version"]
    assert os.environ.get("REDYN_CACHE") == cache


def test_a_peer_that_differs_is_an_error(monkeypatch):
    monkeypatch.setattr(inside_jax, "STAGES", (("inverse_dynamics", 1),))
    wrong = {"inverse_dynamics": lambda q, qd, qdd: 2 * qdd}
    monkeypatch.setattr(jax_peers, "PEERS", {"wrong": lambda robot, file: wrong})
    with pytest.raises(redyn.InputError, match="inverse_dynamics of wrong differs from redyn's by"):
        inside_jax.compare_jax(["two-link"], 0.01)


def test_free_bases_are_refused():
    with pytest.raises(redyn.InputError, match="fixed base"):
        inside_jax.compare_jax(["dual-arm-satellite"], 0.01)
