"""Random numbers and distributions: NumPy's own to the last bit, and whichever samples are drawn together."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from redyn.sweep.distributions import Choice, Grid, LogUniform, Normal, Rotation, Uniform, distribution
from redyn.sweep.sobol import sobol_points
from redyn.sweep.uniforms import uniforms


@given(
    st.integers(0, 2**128 - 1),
    st.one_of(st.integers(0, 10**6), st.integers(2**32 - 6, 2**32 + 3), st.integers(2**33, 2**50)),
    st.integers(1, 9),
)
def test_uniforms_are_those_of_numpy(seed, first, draws):
    found = uniforms(seed, first, 4, draws)
    for row, i in zip(found, range(first, first + 4), strict=True):
        sequence = np.random.SeedSequence(seed, spawn_key=(i,))
        assert (row == np.random.Generator(np.random.PCG64(sequence)).random(draws)).all()


def test_uniforms_of_many_blocks():
    whole = uniforms(3, 0, 10_000, 3)
    assert (whole[4090:4100] == uniforms(3, 4090, 10, 3)).all()
    assert uniforms(3, 5, 0, 3).shape == (0, 3)


@given(st.integers(0, 100), st.integers(1, 12), st.integers(0, 2**40), st.integers(1, 9))
def test_points_of_sobol_by_their_number(seed, dimensions, first, count):
    found = sobol_points(seed, dimensions, first, count)
    for k in range(count):
        assert (sobol_points(seed, dimensions, first + k, 1)[0] == found[k]).all()


def test_points_of_sobol_are_balanced():
    """Of 256 points, each sixteenth of every axis holds sixteen."""
    points = sobol_points(4, 5, 0, 256)
    assert (np.sort((points * 16).astype(int), axis=0) == np.repeat(np.arange(16), 16)[:, None]).all()
    assert not (points == sobol_points(5, 5, 0, 256)).any()


@pytest.mark.parametrize(
    ("made", "law"),
    [
        (Uniform(-1, 3), stats.uniform(-1, 4)),
        (Normal(2, 0.5), stats.norm(2, 0.5)),
        (Normal(0, 2, low=-1, high=4), stats.truncnorm(-0.5, 2, scale=2)),
        (LogUniform(1e-3, 10), stats.loguniform(1e-3, 10)),
    ],
)
def test_laws(made, law):
    u = uniforms(0, 0, 4000, 1)[:, 0]
    np.testing.assert_allclose(made.at(u), law.ppf(u), rtol=1e-9, atol=1e-12)
    assert stats.kstest(made.at(u), law.cdf).pvalue > 1e-3


def test_the_ends_of_laws_are_finite():
    ends = np.array([0.0, 1 - 2.0**-53])
    for made in (Uniform(-1, 3), Normal(0, 1), Normal(0, 1, low=-1), LogUniform(1e-9, 1e9), Choice([1, 2])):
        assert np.isfinite(made.at(ends)).all()


def test_rotations_are_even():
    """Of all orientations, the mean of q q^T is I/4; of a cone, angles stay within it."""
    u = uniforms(1, 0, 20_000, 3)
    own = np.array([0.5, 0.5, -0.5, 0.5])
    every = Rotation().turned(u, own)
    np.testing.assert_allclose((every * every).sum(axis=1), 1, atol=1e-14)
    np.testing.assert_allclose(every.T @ every / len(every), np.eye(4) / 4, atol=0.01)
    near = Rotation(0.3).turned(u, own)
    angles = 2 * np.arccos(np.clip(np.abs(near @ own), 0, 1))
    assert 0.29 < angles.max() <= 0.3 + 1e-7


@pytest.mark.parametrize(
    "made",
    [
        Uniform(0, 1, relative="factor"),
        Normal(1, 2, low=0, together=True),
        LogUniform(1, 2),
        Choice([1, 2]),
        Grid([3, 4], relative="offset"),
        Rotation(0.2),
    ],
)
def test_as_data_and_back(made):
    assert distribution(made.to_data()) == made


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (3, "expected a distribution"),
        ({}, "expected one of uniform"),
        ({"unifrom": [0, 1]}, "did you mean 'uniform'"),
        ({"uniform": [0]}, "high missing"),
        ({"uniform": [2, 1]}, "is above high"),
        ({"uniform": ["a", 1]}, "low: expected a number"),
        ({"uniform": [0, 1], "relative": "x"}, "expected factor or offset"),
        ({"normal": {"mean": 1, "sd": 2}}, "unknown key 'sd'"),
        ({"normal": [0, 0]}, "deviation: expected a positive"),
        ({"loguniform": [0, 1]}, "0 < low"),
        ({"grid": []}, "expected a list"),
        ({"grid": {"low": 0, "high": 1, "count": 1.5}}, "count: expected a whole"),
        ({"rotation": 4}, "at most pi"),
        ({"choice": [1], "together": "perhaps"}, "together: expected true"),
    ],
)
def test_mistakes(data, message):
    with pytest.raises(ValueError, match=message):
        distribution(data)
