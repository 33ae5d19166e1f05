"""The common normal of two lines: its feet, and where lines count as parallel or as one."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from redyn.description.lines import NEARLY_PARALLEL, PARALLEL, TOUCHING, common_normal

vectors = st.lists(st.floats(-2, 2), min_size=3, max_size=3).map(np.array)


@given(vectors, vectors, vectors, vectors)
def test_feet_are_joined_by_a_vector_normal_to_both(point1, u, point2, v):
    assume(min(np.linalg.norm(u), np.linalg.norm(v)) > 1e-3)
    u, v = u / np.linalg.norm(u), v / np.linalg.norm(v)
    found = common_normal(point1, u, point2, v)
    sine = np.linalg.norm(np.cross(u, v))
    allowed = (
        1e-13 / max(sine, PARALLEL) if sine > PARALLEL else 1e-7
    )  # parallel ones are off by the angle that is left
    gap = (point2 + found.second * v) - (point1 + found.first * u)
    np.testing.assert_allclose([gap @ u, gap @ v], 0, atol=allowed)
    if found.direction is None:
        assert found.lines == "coincident"
        assert np.linalg.norm(gap) < 1e-7
    else:
        np.testing.assert_allclose(np.linalg.norm(found.direction), 1, rtol=1e-14)
        if sine > NEARLY_PARALLEL:  # the gap lies along the normal, whichever way
            np.testing.assert_allclose(np.cross(gap, found.direction), 0, atol=allowed)


@pytest.mark.parametrize("sense", [1, -1])
@pytest.mark.parametrize(
    ("angle", "distance", "lines"),
    [
        (1.1 * NEARLY_PARALLEL, 1.0, "skew"),
        (0.9 * NEARLY_PARALLEL, 1.0, "nearly parallel"),
        (2 * PARALLEL, 1.0, "nearly parallel"),
        (PARALLEL / 2, 1.0, "parallel"),
        (0.0, 2 * TOUCHING, "parallel"),
        (PARALLEL / 2, TOUCHING / 2, "coincident"),
    ],
)
def test_thresholds(angle, distance, lines, sense):
    point = np.array([distance, 0.0, 0.5])
    direction = sense * np.array([0.0, np.sin(angle), np.cos(angle)])
    found = common_normal(np.zeros(3), np.array([0.0, 0.0, 1.0]), point, direction)
    assert found.lines == lines
    if lines in ("parallel", "coincident"):
        assert (found.first, found.second) == (0.0, -sense * 0.5)
