"""The catalogue: what every entry says of itself is so."""

from dataclasses import fields, replace

import numpy as np
import pytest

import redyn
from random_robots import random_tree
from redyn.dynamics.algorithm import Algorithm, Divisor, Kind
from redyn.dynamics.catalogue import ALGORITHMS, CATALOGUE, DERIVATIVES, SHORT
from redyn.dynamics.task import Task


def test_no_property_can_be_forgotten():
    whole = {field.name: getattr(ALGORITHMS["solve"], field.name) for field in fields(Algorithm)}
    for name in whole:
        with pytest.raises(TypeError):
            Algorithm(**{key: value for key, value in whole.items() if key != name})
    with pytest.raises(TypeError, match="solve: `reduced` is for algorithms that divide"):
        replace(ALGORITHMS["solve"], reduced=None)
    with pytest.raises(TypeError, match="mass_matrix: `reduced` is for algorithms that divide"):
        replace(ALGORITHMS["mass_matrix"], reduced=lambda solve: [])


def test_names():
    assert all(entry.name == name for name, entry in CATALOGUE.items())
    assert {entry.base.name for entry in DERIVATIVES.values()} == {"inverse_dynamics", "forward_dynamics"}
    assert SHORT["inverse"] == "inverse_dynamics"
    assert set(SHORT.values()) <= set(CATALOGUE)


def hand():
    """A tree with one joint tied to another, and the same without the tie."""
    data = random_tree(11, 5, fixed=0.0, convention="frames")
    links = [{**link, "joint": {**link["joint"], "name": f"j{i}"}} for i, link in enumerate(data["links"])]
    data = {**data, "links": links}
    kinds = [link["joint"]["type"] for link in links]
    leader = next(i for i, kind in enumerate(kinds[:-1]) if kind == kinds[-1])
    links[-1]["joint"]["mimic"] = {"joint": f"j{leader}", "multiplier": -0.7, "offset": 0.2}
    return data, leader


@pytest.mark.filterwarnings("ignore::redyn.RedynWarning")
@pytest.mark.parametrize("name", [name for name, entry in ALGORITHMS.items() if entry.divisor is Divisor.NONE])
def test_results_are_reduced_by_their_kind(name):
    """By G written out as a matrix."""
    data, leader = hand()
    tied, free = redyn.load(data, mimic="couple"), redyn.load(data)
    G = np.zeros((free.dof, tied.dof))
    kept = [i for i, joint in enumerate(free.joint_names) if joint in tied.joint_names]
    for column, i in enumerate(kept):
        G[i, column] = 1.0
    follower = free.joint_names.index(f"j{len(data['links']) - 1}")
    G[follower] = -0.7 * G[free.joint_names.index(f"j{leader}")]
    offset = np.zeros(free.dof)
    offset[follower] = 0.2
    entry = ALGORITHMS[name]
    rng = np.random.default_rng(3)
    state = {key: rng.uniform(-1, 1, tied.dof) for key in entry.state}
    whole = {key: G @ x + (offset if key == "q" else 0.0) for key, x in state.items()}
    frame = tied.frame_names[-1] if "frame" in entry.options else None
    found = tied.evaluator(Task(name, frame=frame), [state[key] for key in entry.state])
    wanted = free.evaluator(Task(name, frame=frame), [whole[key] for key in entry.state])
    reductions = {
        Kind.FORCE: lambda x: G.T @ x,
        Kind.DRIVING: lambda x: G.T @ x,
        Kind.CONVECTIVE_FORCE: lambda x: G.T @ x,
        Kind.SQUARE: lambda x: G.T @ x @ G,
        Kind.CONVECTIVE_SQUARE: lambda x: G.T @ x @ G,
        Kind.COLUMNS: lambda x: x @ G,
        Kind.COLUMN_RATES: lambda x: x @ G,
        Kind.ROWS: lambda x: G.T @ x,
        Kind.COORDINATES: lambda x: x[kept],
        Kind.PLAIN: lambda x: x,
    }
    for output, one, all_rates in zip(entry.outputs, found, wanted, strict=True):
        np.testing.assert_allclose(one, reductions[output.kind](all_rates), rtol=0, atol=1e-11)
        assert one.shape == output.shape(tied.model)
