"""The bench of flexible links runs, and its substitute is the same arm to what rods can do."""

import json

import numpy as np
import pytest

import redyn
from redyn.bench.flexible import RODS, _rods, compare_flexible


@pytest.mark.slow
def test_report():
    seen = []
    report = compare_flexible(["flexible-beam"], 0.05, seen.append)
    (row,) = report.rows
    assert seen == ["flexible-beam"]
    assert row.dof == 3
    assert row.rods_dof == RODS
    assert row.ratio > 10
    assert set(row.runs) == {"dopri5", "rosenbrock", "radau"}
    assert json.loads(json.dumps(report.to_data()))["rows"][0]["ratio"] == row.ratio


def test_rods_have_the_masses_of_the_arm():
    robot = redyn.load("flexible-two-link")
    rods = _rods(robot)
    assert rods.total_mass == pytest.approx(robot.total_mass)
    rigid = robot.rigid()
    np.testing.assert_allclose(rods.com(np.zeros(rods.dof)), rigid.com([0.0, 0.0]), atol=1e-12)
    with pytest.raises(redyn.InputError, match="no flexible links"):
        compare_flexible(["puma"], 0.1, lambda _: None)
