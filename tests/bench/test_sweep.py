"""The measurements of sweeps, on few samples."""

import pytest

pytest.importorskip("pyarrow")


def test_measured():
    from redyn.bench.sweep import STAGES, measure_sweeps

    seen = []
    report = measure_sweeps("two-link", 2000, seen.append)
    assert seen == list(STAGES)
    assert [row.samples for row in report.rows] == [2000, 40]
    data = report.to_data()
    assert all(row["rate"] > 0 and row["hours_per_1e9"] > 0 for row in data["rows"])
    assert data["overhead"] > 0
