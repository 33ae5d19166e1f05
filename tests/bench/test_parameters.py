"""The bench of free parameters runs, and reports what it measured."""

import json

import pytest

from redyn.bench.parameters import CALLS, compare_parameters


@pytest.mark.slow
def test_report():
    report = compare_parameters(["two-link"], 0.02, lambda _: None)
    assert [row.call for row in report.rows] == list(CALLS)
    assert all(row.rebuilt > row.masses > 0 for row in report.rows)
    data = json.loads(json.dumps(report.to_data()))
    assert data["rows"][0]["masses_ratio"] == report.rows[0].masses / report.rows[0].fixed
