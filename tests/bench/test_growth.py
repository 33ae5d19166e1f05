"""Times that grow with the robot: that they are taken, and from which length on one way is the faster."""

from redyn.bench.growth import Timing, faster_from, growth


def test_times_are_taken():
    times = growth((2, 3), seconds=0.01)
    assert [row.n for row in times] == [2, 3]
    assert all(row.recursive > 0 < row.cholesky for row in times)


def test_faster_from_some_length_on():
    assert faster_from([Timing(2, 1.0, 2.0), Timing(3, 3.0, 2.0)]) is None
    assert faster_from([Timing(2, 3.0, 2.0), Timing(3, 1.0, 2.0), Timing(4, 1.0, 2.0)]) == 3
