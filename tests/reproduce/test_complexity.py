"""The growth of operation counts: exact fits, the published rows, break-even."""

import json
from fractions import Fraction

import pytest

import redyn
from commands import printed
from redyn.bench.growth import growth
from redyn.reproduce.complexity import complexity, own_row, published_row, through
from redyn.reproduce.complexity_figure import complexity_figure
from redyn.reproduce.published import FORWARD, INVERSE, TABLE_9_1, TABLE_9_6, TABLE_I


@pytest.fixture(scope="module")
def found():
    return complexity()


@pytest.mark.parametrize("algorithm", ["inverse_dynamics", "solve", "forward_dynamics", "forward_dynamics_cholesky"])
@pytest.mark.slow
def test_fits_foretell_counts_of_longer_robots(algorithm):
    row = own_row(algorithm, "redyn")
    for n in (11, 15):
        count = redyn.chain(n, seed=3).operation_count(algorithm)  # another robot: any general one counts the same
        assert (row.multiplications(n), row.additions(n)) == tuple(count)


def test_every_published_row_is_there(found):
    assert [row.name for row in found.inverse[1:]] == list(TABLE_9_1)
    assert {row.name for row in found.forward[1:]} == {*TABLE_9_6, *TABLE_I}
    for rows, formulas in ((found.inverse, INVERSE), (found.forward, FORWARD)):
        for row in rows[1:]:
            for n in (2, 6, 23):
                assert row.multiplications(n) == pytest.approx(formulas[row.name][0](n), rel=1e-12)
                assert row.additions(n) == pytest.approx(formulas[row.name][1](n), rel=1e-12)


def test_texts(found):
    assert str(published_row("Saha (2003)", FORWARD).additions) == "187n - 325"
    assert str(found.published_cholesky.multiplications) == "n³/6 + 23n²/2 + 115n/3 - 47"
    assert str(through(range(4), [Fraction(x) for x in (0, -1, -4, -9)], 2)) == "-n²"
    with pytest.raises(redyn.RedynError, match="not a polynomial of degree 1"):
        through(range(4), [Fraction(x) for x in (0, 1, 2, 4)], 1)


@pytest.mark.slow
def test_break_even(found):
    """ReDySim pays from n = 9 and Saha 2003 from 12 in all operations, from 7 and 10 in multiplications alone."""
    published = {row.name: found.break_even(row, found.published_cholesky) for row in found.forward}
    assert published["ReDySim (Shah et al., 2013)"] == (7, 9)
    assert published["Saha (2003)"] == (10, 12)
    own = found.break_even(found.recursion, found.cholesky)[1]
    for n in range(4, 15):
        robot = redyn.chain(n, seed=1)
        order_n, cubic = (sum(robot.operation_count(f"forward_dynamics{way}")) for way in ("", "_cholesky"))
        assert (order_n < cubic) == (n >= own)


def test_ours_are_the_fewest_of_the_recursions(found):
    for rows in (found.inverse, found.forward):
        linear = [row for row in rows[1:] if len(row.multiplications.coefficients) == 2]
        assert all(rows[0].total(n) < row.total(n) for row in linear for n in range(6, 40))


@pytest.mark.slow
def test_times_and_picture(found, tmp_path):
    """That they are taken and drawn; how long anything takes is for the reader's own machine."""
    for some in ([], growth((2, 3), seconds=0.01)):
        path = tmp_path / f"{len(some)}.png"
        complexity_figure(found, path, some, 3 if some else None)
        assert path.read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_command_line(tmp_path):
    data = json.loads(printed("count", "--growth", "--json"))
    assert data["inverse"][0]["name"] == "redyn"
    assert data["break_even"]["operations"] >= data["break_even"]["multiplications"]
    for bad in ([], ["puma", "--growth"], ["puma", "--png", "x.png"]):
        assert len(printed("count", *bad, code=2).strip().splitlines()) == 1
